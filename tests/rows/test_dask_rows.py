"""Dask arrays and data frames are fitted as the same rows in memory are, however they are cut into partitions."""

import warnings
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from distinguo import (
    BernoulliNB,
    CategoricalNB,
    GaussianNB,
    KNeighborsClassifier,
    LeastSquaresClassifier,
    LinearDiscriminantAnalysis,
    LogisticRegression,
    MixedNB,
    MultinomialNB,
    QuadraticDiscriminantAnalysis,
)
from distinguo.catalogue import CATALOGUE, Entry
from distinguo.exceptions import InMemoryWarning, InputError, InputTypeError, MissingLabelsError
from distinguo.rows.dask_rows import FAN, DaskSource
from distinguo.rows.elsewhere import located
from distinguo.rows.remote_parts import PartRows, reduced
from distinguo.statistics.moments import Moments
from tests.test_pages import blocks

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")

NAMES = ["ash", "lime", "oak"]
# The first partition has one class only, the second no rows, and the last a class that no other has.
CUTS = (0, 30, 30, 95, 150, 190)
TESTED = np.random.default_rng(7).poisson(4, (20, 3)).astype(float)
# How far a model may be from that of the rows in memory: 1e-9, or where iterations over partitions stop.
ITERATIVE = {"logistic": 1e-6}
IN_MEMORY = {"rda", "pda", "fda", "mda", "ridge-logistic", "text-logistic", "perceptron", "knn"}
PARAMETERS = ("priors_", "means_", "covariance_", "variances_", "coef_", "intercept_", "feature_log_prob_", "rates_")


@pytest.fixture(autouse=True, scope="module")
def one_thread() -> Iterator[None]:
    with dask.config.set(scheduler="synchronous"):
        yield


def table(seed: int = 0) -> pd.DataFrame:
    """Rows of counts in three classes that overlap, in the order of `CUTS`."""
    rng = np.random.default_rng(seed)
    y = np.array(["a"] * 30 + ["a", "b"] * 60 + ["b", "c"] * 20)
    rates = {"a": [2, 3, 4], "b": [4, 3, 2], "c": [3, 5, 3]}
    rows = pd.DataFrame(rng.poisson([rates[label] for label in y]).astype(float), columns=NAMES)
    return rows.assign(kind=y, times=rng.integers(0, 3, len(y)).astype(float))


def frame_of(rows: pd.DataFrame, cuts: Sequence[int] = CUTS) -> Any:
    """A dask data frame with a partition between each two cuts."""
    parts = [rows.iloc[start:stop] for start, stop in pairwise(cuts)]
    return dd.from_map(lambda part: part, parts, meta=rows.iloc[:0])


def array_of(rows: Any, cuts: Sequence[int] = CUTS) -> Any:
    values = np.asarray(rows)
    return da.from_array(values, chunks=(tuple(np.diff(cuts).tolist()), *values.shape[1:]))


def assert_same(model: Any, expected: Any, rtol: float = 1e-9, tested: Any = TESTED) -> None:
    assert model.classes_.tolist() == expected.classes_.tolist()
    assert model.classes_.dtype == expected.classes_.dtype
    assert list(getattr(model, "feature_names_in_", [])) == list(getattr(expected, "feature_names_in_", []))
    for name in PARAMETERS:
        if hasattr(expected, name):
            there = np.nan_to_num(getattr(expected, name))
            np.testing.assert_allclose(
                np.nan_to_num(getattr(model, name)), there, rtol, rtol * np.abs(there).max(), err_msg=name
            )
    if hasattr(expected, "predict_proba"):
        np.testing.assert_allclose(model.predict_proba(tested), expected.predict_proba(tested), rtol, rtol)
    else:
        np.testing.assert_allclose(model.decision_function(tested), expected.decision_function(tested), rtol, rtol)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("entry", CATALOGUE, ids=[entry.name for entry in CATALOGUE])
def test_every_model_is_that_of_the_rows_in_memory(entry: Entry, weighted: bool) -> None:
    rows = table()
    weight = rows["times"] if weighted else None
    expected = entry.make().fit(rows[NAMES], rows["kind"], sample_weight=weight)
    frame = frame_of(rows if weighted else rows.drop(columns="times"))
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        model = entry.make().fit(frame, "kind", sample_weight="times" if weighted else None)
    assert bool(said) == (entry.name in IN_MEMORY)
    assert {warning.category for warning in said} <= {InMemoryWarning}
    assert all(f"{len(rows)} rows of 3 columns" in str(warning.message) for warning in said)
    assert_same(model, expected, ITERATIVE.get(entry.name, 1e-9), pd.DataFrame(TESTED, columns=NAMES))


@given(st.lists(st.integers(0, 190), max_size=25), st.integers(0, 5))
@settings(max_examples=15)
@pytest.mark.parametrize(
    "model", [LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis, GaussianNB, MultinomialNB]
)
def test_the_cuts_do_not_matter(model: Any, cuts: list[int], seed: int) -> None:
    rows = table(seed)
    X = array_of(rows[NAMES], [0, *sorted(cuts), 190])
    assert_same(model().fit(X, rows["kind"].to_numpy()), model().fit(rows[NAMES].to_numpy(), rows["kind"].to_numpy()))


def test_partitions_beyond_one_round_of_sums_and_in_threads_are_the_same_to_the_bit() -> None:
    rows = table()
    cuts = range(0, 191, 2)
    assert len(cuts) > FAN**2
    source = DaskSource(array_of(rows[NAMES], cuts), array_of(rows["kind"], cuts))
    alone = source.aggregate(Moments("full"))
    with dask.config.set(scheduler="threads", num_workers=4):
        assert source.aggregate(Moments("full")) == alone
    assert alone.weight.tolist() == [90, 80, 20]


def test_schedulers_are_told_how_large_rows_and_statistics_are() -> None:
    X, y = np.zeros((1000, 8)), np.zeros(1000, np.int64)
    rows = PartRows(X[::2], y[::2])
    assert 36_000 <= dask.sizeof.sizeof(rows) < 37_000
    assert 36_000 <= dask.sizeof.sizeof(PartRows(pd.DataFrame(X[::2]), pd.Series(y[::2]))) < 38_000
    part = reduced(PartRows(X, y), Moments("full"))
    assert 8 * (1 + 8 + 8 * 8) <= dask.sizeof.sizeof(part) < 2000


def test_weights_are_repetition() -> None:
    rows = table()
    times = rows["times"].astype(int)
    repeated = rows.loc[rows.index.repeat(times)]
    model = LinearDiscriminantAnalysis().fit(array_of(rows[NAMES]), array_of(rows["kind"]), array_of(times))
    assert_same(model, LinearDiscriminantAnalysis().fit(repeated[NAMES].to_numpy(), repeated["kind"].to_numpy()))


def test_a_partition_may_be_of_no_weight_and_one_weight_stands_for_all() -> None:
    rows = table()
    rows.loc[: CUTS[1], "times"] = 0.0
    frame = frame_of(rows)
    counted = rows[rows["times"] > 0]
    model = GaussianNB().fit(frame[NAMES], frame["kind"], sample_weight=frame["times"])
    assert_same(model, GaussianNB().fit(counted[NAMES], counted["kind"], counted["times"]), tested=rows[NAMES])
    whole = GaussianNB().fit(frame[NAMES], frame["kind"], sample_weight=3)
    assert whole.statistic_.weight.tolist() == [270, 240, 60]


@pytest.mark.filterwarnings("ignore::distinguo.exceptions.MaskingWarning")  # of the rows that are left
@pytest.mark.parametrize("model", [GaussianNB(), LinearDiscriminantAnalysis(), LeastSquaresClassifier(), BernoulliNB()])
def test_rows_are_learned_and_forgotten_by_parts(model: Any) -> None:
    rows = table()
    rows[NAMES] = rows[NAMES].clip(upper=1.0) if isinstance(model, BernoulliNB) else rows[NAMES]
    tested = rows[NAMES].iloc[::7]
    frame = frame_of(rows[[*NAMES, "kind"]])
    first, rest = frame.partitions[:3], frame.partitions[3:]
    expected = type(model)().fit(rows[NAMES], rows["kind"])
    model.partial_fit(first, "kind").partial_fit(rest[NAMES], rest["kind"])
    assert_same(model, expected, tested=tested)
    some = rows.iloc[CUTS[3] :]
    assert_same(model.forget(first, "kind"), type(model)().fit(some[NAMES], some["kind"]), 1e-8, tested)


@pytest.mark.parametrize("model", [GaussianNB, LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis])
def test_holes_are_passed_over_or_completed_as_in_memory(model: Any) -> None:
    rows = table()
    holes = np.random.default_rng(1).random((len(rows), 3)) < 0.1
    rows[NAMES] = rows[NAMES].mask(holes)
    assert_same(
        model().fit(frame_of(rows[NAMES]), frame_of(rows)["kind"]),
        model().fit(rows[NAMES], rows["kind"]),
        tested=rows[NAMES],
    )
    nullable = rows[[*NAMES, "kind"]].astype(dict.fromkeys(NAMES, "Int64"))
    assert_same(model().fit(frame_of(nullable), "kind"), model().fit(rows[NAMES], rows["kind"]), tested=rows[NAMES])


def test_a_model_without_holes_says_where_one_is() -> None:
    rows = table()
    rows.loc[100, "oak"] = np.nan
    with pytest.raises(InputError, match=r"partition 3, row 5, column 'oak'\), and this model takes no missing cells"):
        LogisticRegression().fit(frame_of(rows[NAMES]), frame_of(rows)["kind"])


LABELS: dict[str, Any] = {
    "whole numbers": np.where(np.arange(190) < 150, 3, -1),
    "whole numbers as floats": np.where(np.arange(190) < 150, 3.0, -1.0),
    "truth values": np.arange(190) % 3 == 0,
    "fixed text": np.array(["one", "three"])[np.arange(190) % 2],
    "objects": np.array(["one", 2], dtype=object)[(np.arange(190) > 100).astype(int)],
    "dates": np.array(["2024-05-01", "2023-01-01"], dtype="M8[D]")[np.arange(190) % 2],
}


@pytest.mark.parametrize("y", list(LABELS.values()), ids=list(LABELS))
def test_labels_of_arrays_keep_their_type(y: Any) -> None:
    X = table()[NAMES].to_numpy()
    expected = GaussianNB().fit(X, y)
    assert_same(GaussianNB().fit(array_of(X), array_of(y)), expected)
    assert_same(GaussianNB().fit(array_of(X), array_of(y[:, None])), expected)
    assert_same(GaussianNB().fit(array_of(X), y.tolist() if y.dtype.kind != "M" else y), expected)


@pytest.mark.parametrize("dtype", ["object", "string[python]", "string[pyarrow]", "category"])
def test_labels_of_frames_keep_their_type(dtype: str) -> None:
    rows = table()
    rows["kind"] = rows["kind"].astype(dtype)
    expected = LinearDiscriminantAnalysis().fit(rows[NAMES], rows["kind"])
    tested = pd.DataFrame(TESTED, columns=NAMES)
    for frame in (frame_of(rows), dd.from_pandas(rows, npartitions=3)):
        y = frame["kind"]
        assert_same(LinearDiscriminantAnalysis().fit(frame[NAMES], y), expected, tested=tested)
        assert_same(LinearDiscriminantAnalysis().fit(frame[NAMES], y.to_frame()), expected, tested=tested)


@pytest.mark.parametrize("dtype", ["Int64", "int8", "boolean", "datetime64[ns]"])
def test_other_labels_of_frames(dtype: str) -> None:
    rows = table()
    rows["kind"] = (rows["kind"] == "a").astype("int64").astype(dtype)
    model = GaussianNB().fit(frame_of(rows)[NAMES], frame_of(rows)["kind"])
    assert_same(model, GaussianNB().fit(rows[NAMES], rows["kind"]), tested=pd.DataFrame(TESTED, columns=NAMES))


def words() -> pd.DataFrame:
    """Columns of words, numbers and truth values; one word comes late, and a partition lacks a column's words."""
    rows = table()
    colour = np.where(rows["ash"] > 3, "red", "blue").astype(object)
    colour[160:170] = "grey"
    colour[:30] = None
    return pd.DataFrame({"colour": colour, "size": rows["oak"], "new": rows["lime"] > 3, "kind": rows["kind"]})


@pytest.mark.parametrize("dtype", ["object", "string[pyarrow]", "category"])
def test_words_that_come_late_have_their_places(dtype: str) -> None:
    rows = words().astype({"colour": dtype})
    X = rows.drop(columns="kind")
    for model in (MixedNB, CategoricalNB):
        expected = model().fit(X, rows["kind"])
        fitted = model().fit(frame_of(rows), "kind")
        assert [c if c is None else list(c) for c in fitted.categories_] == [
            c if c is None else list(c) for c in expected.categories_
        ]
        assert_same(fitted, expected, tested=X.iloc[::9])


@pytest.mark.parametrize("dtype", [float, object, str])
def test_categories_in_arrays(dtype: Any) -> None:
    X = table()[NAMES].to_numpy().astype(int).astype(dtype)
    y = table()["kind"].to_numpy()
    assert_same(CategoricalNB().fit(array_of(X), array_of(y)), CategoricalNB().fit(X, y), tested=X[::9])


def test_rows_and_labels_cut_otherwise_are_brought_together() -> None:
    rows = table()
    values, y = rows[NAMES].to_numpy(), rows["kind"].to_numpy()
    expected = LinearDiscriminantAnalysis().fit(values, y)
    for X in (
        array_of(values),
        da.from_array(values, chunks=(50, 2)),
        frame_of(rows[NAMES]).to_dask_array(lengths=True),
    ):
        for labels in (array_of(y), da.from_array(y, chunks=33), y, rows["kind"]):
            assert_same(LinearDiscriminantAnalysis().fit(X, labels), expected)


def test_chunks_of_unknown_length_and_both_kinds_of_collection() -> None:
    rows = table()
    frame = frame_of(rows)
    X, y = frame[NAMES].to_dask_array(), array_of(rows["kind"])
    expected = LinearDiscriminantAnalysis().fit(rows[NAMES].to_numpy(), rows["kind"])
    for labels in (y, frame["kind"], frame["kind"].map_partitions(np.asarray, meta=np.empty(0, object))):
        model = LinearDiscriminantAnalysis().fit(X.rechunk({1: 1}), labels, sample_weight=1.0)
        assert_same(model, expected)
    named = LinearDiscriminantAnalysis().fit(frame[NAMES], y)
    assert_same(named, LinearDiscriminantAnalysis().fit(rows[NAMES], rows["kind"]), tested=rows[NAMES])
    with pytest.warns(InMemoryWarning, match="190 rows of 3 columns, 9.1 kB"):
        KNeighborsClassifier().fit(X, frame["kind"])


def test_columns_that_have_no_names() -> None:
    rows = table()
    plain = rows[NAMES].set_axis(range(3), axis=1)
    model = GaussianNB().fit(frame_of(plain), frame_of(rows)["kind"])
    assert not hasattr(model, "feature_names_in_")
    assert_same(model, GaussianNB().fit(plain, rows["kind"]))


def test_what_rows_and_labels_share_is_read_once_a_pass() -> None:
    read: list[int] = []
    rows = table()

    def part(number: int) -> pd.DataFrame:
        read.append(number)
        return rows.iloc[CUTS[number] : CUTS[number + 1]]

    frame = dd.from_map(part, range(5), meta=rows.iloc[:0])
    GaussianNB().fit(frame[NAMES], frame["kind"], sample_weight=frame["times"])
    assert sorted(read) == [0, 1, 2, 3, 4]
    read.clear()
    GaussianNB().fit(frame, "kind", sample_weight="times")
    assert sorted(read) == [0, 1, 2, 3, 4]

    def block(block_info: Any = None) -> Any:
        read.append(block_info[None]["chunk-location"][0])
        return rows[NAMES].to_numpy()[:38] + read[-1]

    X = da.map_blocks(block, chunks=((38,) * 5, (3,)), dtype=float, meta=np.empty((0, 3)))
    read.clear()
    GaussianNB().fit(X + 1, X[:, 0] > 3, sample_weight=X[:, 1] + 1)
    assert sorted(read) == [0, 1, 2, 3, 4]


def test_batches_come_in_the_order_of_the_rows() -> None:
    rows = table()
    source, y, weight = located(frame_of(rows), "kind", "times")
    assert (y, weight) == (None, None)
    assert source.is_remote
    batches = list(source.batches())
    assert [batch.first_row for batch in batches] == [0, 30, 95, 150]
    np.testing.assert_array_equal(np.concatenate([batch.X for batch in batches]), rows[NAMES])
    assert [label for batch in batches for label in batch.classes[batch.codes]] == rows["kind"].tolist()
    assert source.size().rows == 190


def broken(column: str, row: int, value: Any, dtype: Any = None) -> Any:
    rows = table()
    rows[column] = rows[column].astype(object if dtype is None else dtype)
    rows.loc[row, column] = value
    return array_of(rows[NAMES]), array_of(rows["kind"]), array_of(rows["times"])


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        (broken("kind", 97, None), MissingLabelsError, "in partition 3, whose .* y has 1 missing .* in row 2 "),
        (broken("oak", 100, "much"), InputError, "in partition 3, .* not a number .*'much'"),
        (broken("oak", 29, np.inf), InputError, "in partition 0, .* infinity .row 29, column 2"),
        (broken("times", 30, -1.0), InputError, "in partition 2, .*negative in row 0 "),
        (broken("times", 30, np.nan), InputError, "in partition 2, .* NaN or infinity .row 0: nan"),
        (broken("kind", 30, ("b",)), InputTypeError, "in partition 2, .* type tuple"),
        (broken("kind", 30, True), InputError, None),
    ],
)
@pytest.mark.parametrize("model", [GaussianNB(), KNeighborsClassifier()])
@pytest.mark.filterwarnings("ignore::distinguo.exceptions.InMemoryWarning")
def test_mistakes_are_said_to_be_in_their_partition(given: Any, error: Any, message: str | None, model: Any) -> None:
    X, y, weight = given
    if message is None:
        model.fit(X, y)  # True is a label beside text
    else:
        with pytest.raises(error, match=message):
            model.fit(X, y, sample_weight=weight)


def test_the_first_mistake_wins() -> None:
    rows = table()
    rows.loc[180, "ash"], rows.loc[40, "ash"] = np.inf, np.inf
    with pytest.raises(InputError, match="in partition 2"):
        GaussianNB().fit(array_of(rows[NAMES]), array_of(rows["kind"]))


def test_labels_that_do_not_go_together_across_partitions() -> None:
    X, y = table()[NAMES].to_numpy(), np.array([True, 3], dtype=object)[(np.arange(190) > 100).astype(int)]
    with pytest.raises(InputError, match="y mixes booleans with numbers"):
        GaussianNB().fit(array_of(X, (0, 101, 190)), array_of(y, (0, 101, 190)))


@pytest.mark.parametrize("model", [GaussianNB(), KNeighborsClassifier()])
@pytest.mark.filterwarnings("ignore::distinguo.exceptions.InMemoryWarning")
def test_nothing_to_learn_from(model: Any) -> None:
    rows = table()
    frame = frame_of(rows)
    empty = frame[frame["ash"] < 0]
    with pytest.raises(InputError, match=r"Found array with 0 sample\(s\)"):
        model.fit(empty[NAMES], empty["kind"])
    with pytest.raises(InputError, match="every sample_weight is zero; at least one row must count"):
        model.fit(frame[NAMES], frame["kind"], sample_weight=frame["times"] * 0)
    with pytest.raises(InputError, match=r"y has one class only \('a'\)"):
        GaussianNB().fit(frame.partitions[0][NAMES], frame.partitions[0]["kind"])


def refused() -> dict[str, tuple[Any, Any, Any, type[Exception], str]]:
    rows = table()
    X, y, frame = array_of(rows[NAMES]), array_of(rows["kind"]), frame_of(rows)
    bag = pytest.importorskip("dask.bag").from_sequence([1, 2])
    dated = frame_of(rows[NAMES].assign(day=pd.Timestamp("2024-01-01")))
    return {
        "no labels": (X, None, None, InputError, "requires y to be passed"),
        "a bag": (bag, y, None, InputTypeError, "X is a dask Bag"),
        "something delayed": (dask.delayed(len), y, None, InputTypeError, "X is a dask Delayed"),
        "a series": (frame["ash"], "kind", None, InputError, "Expected 2D array, got 1D.* dask Series.*to_frame"),
        "one dimension": (X[:, 0], y, None, InputError, "Expected 2D array, got 1D"),
        "three dimensions": (X[:, :, None], y, None, InputError, "Expected 2D array, got 3D"),
        "no such column": (frame, "kinds", None, InputError, "no column 'kinds' to be the target. Did you mean 'kind'"),
        "no such weight": (frame, "kind", "time", InputError, "no column 'time' to be the weight"),
        "two roles": (frame, "kind", "kind", InputError, "'kind' cannot be both target and weight"),
        "text in X": (frame, frame["kind"], None, InputError, "not numbers: 'kind'"),
        "dates in X": (dated, frame["kind"], None, InputError, "not numbers: 'day'"),
        "names of both kinds": (
            frame_of(rows[["ash", "oak"]].set_axis(["ash", 3], axis=1)),
            frame["kind"],
            None,
            InputTypeError,
            "string names",
        ),
        "text array": (X.astype(str), y, None, InputError, "a feature is a number"),
        "complex array": (X.astype(complex), y, None, InputError, "Complex data not supported"),
        "labels in memory": (frame[NAMES], rows["kind"], None, InputError, "y is a Series in memory, and X does not"),
        "too few labels": (X, rows["kind"].iloc[:5], None, InputError, "X has 190 rows and y 5 labels"),
        "too few delayed": (X, y[:5], None, InputError, "X has 190 rows and y 5 labels"),
        "labels of two columns": (X, X[:, :2], None, InputError, "y must be one column"),
        "weights of two columns": (X, y, X[:, :2], InputError, "sample_weight must be one column"),
        "a name beside an array": (X, "kind", None, InputError, "y='kind' names a column, and a dask array has none"),
        "a weight's name beside an array": (X, y, "w", InputError, "sample_weight='w' names a column"),
        "one label for all": (X, 3, None, InputError, "y must be one column of labels"),
        "one label for a frame": (frame, 3, None, InputError, "y is a int in memory"),
        "other partitions": (frame[NAMES], frame["kind"].repartition(npartitions=2), None, InputError, "5 .* and y 2"),
        "other divisions": (
            dd.from_pandas(rows[NAMES], npartitions=2),
            dd.from_pandas(rows["kind"].iloc[:100], npartitions=2),
            None,
            InputError,
            "cannot be told to hold the same rows",
        ),
        "other lengths": (
            frame[NAMES],
            frame_of(rows, (0, 30, 40, 95, 150, 190))["kind"],
            None,
            InputError,
            "in partition 1, .* X has 0 rows and y 10 labels",
        ),
        "unknown width": (da.from_delayed(dask.delayed(np.eye)(3), (3, np.nan), float), y, None, InputError, "columns"),
    }


@pytest.mark.parametrize("case", list(refused()))
def test_what_cannot_be_fitted_says_so(case: str) -> None:
    X, y, weight, error, message = refused()[case]
    with pytest.raises(error, match=message):
        GaussianNB().fit(X, y, sample_weight=weight)


def test_fitted_models_say_how_to_work_on_partitions_and_do() -> None:
    rows = table()
    frame, X = frame_of(rows)[NAMES], array_of(rows[NAMES], (0, 60, 190))
    model = GaussianNB().fit(frame, frame_of(rows)["kind"])
    bare = GaussianNB().fit(X, rows["kind"])
    for fitted, asked in ((model, frame), (bare, X)):
        for method in ("predict", "predict_proba", "score_samples", "typicality"):
            with pytest.raises(InputTypeError, match=r"X is a dask .*X.map_blocks\(model.predict.*X.map_partitions"):
                getattr(fitted, method)(asked)
    for wordy in (frame, array_of(words()["colour"].to_numpy()[:, None])):
        with pytest.raises(InputTypeError, match="X is a dask"):
            CategoricalNB().fit(TESTED, np.arange(20) % 2).predict(wordy)
    expected = model.predict(rows[NAMES])
    there = frame.partitions[2:].map_partitions(model.predict, meta=np.empty(0, dtype=object))
    np.testing.assert_array_equal(there.compute(), expected[30:])
    np.testing.assert_array_equal(X.map_blocks(bare.predict, drop_axis=1, dtype=object).compute(), expected)


def test_the_page_says_what_happens() -> None:
    shown = [text for language, text in blocks("docs/dask.md") if language == "python"]
    assert len(shown) == 2
    for text in shown:
        exec(compile(text, "docs/dask.md", "exec"), {})
