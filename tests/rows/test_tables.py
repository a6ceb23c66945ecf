"""Every container of numbers is one table: the same rows as float64, or one error that says what came."""

from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

from distinguo import GaussianNB, LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from distinguo.exceptions import InputError, InputTypeError
from distinguo.rows.tables import as_table, block_rows

NAMES = ["u", "v", "w"]
# Small whole numbers, so that every type holds them exactly.
X = np.random.default_rng(0).integers(0, 100, (40, 3)).astype(float)
Y = np.array(["a", "b"] * 20)
HOLED = X.copy()
HOLED[3, 1] = HOLED[7, 0] = HOLED[8, 2] = np.nan


def non_contiguous() -> np.ndarray:
    wide = np.full((80, 9), -1.0)
    wide[::2, ::3] = X
    return wide[::2, ::3]


CONTAINERS = {
    **{kind: X.astype(kind) for kind in ("float16", "float32", "int8", "uint8", "int64", "longdouble", ">f8", "<i4")},
    "object": X.astype(object),
    "objects of many types": np.array([[int(v), np.float32(w), Decimal(int(z))] for v, w, z in X], dtype=object),
    "F-order": np.asfortranarray(X),
    "non-contiguous": non_contiguous(),
    "backwards": np.ascontiguousarray(X[::-1, ::-1])[::-1, ::-1],
    "transposed": np.ascontiguousarray(X.T).T,
    "read-only": np.frombuffer(X.tobytes()).reshape(X.shape),
    "matrix": np.asmatrix(X),
    "masked": np.ma.masked_array(X, mask=False),
    "lists": X.tolist(),
    "tuples": tuple(map(tuple, X.tolist())),
    "list of arrays": list(X),
    "csr": sp.csr_matrix(X),
    "csc": sp.csc_matrix(X),
    "coo": sp.coo_matrix(X),
    "lil": sp.lil_matrix(X),
    "csr array": sp.csr_array(X),
    "csc array of int8": sp.csc_array(X.astype(np.int8)),
    "coo array": sp.coo_array(X),
    "dia array": sp.dia_array(X),
}
FRAMES = {
    "pandas": pd.DataFrame(X, columns=NAMES),
    "pandas of many types": pd.DataFrame({"u": X[:, 0].astype("int8"), "v": X[:, 1].astype(object), "w": X[:, 2]}),
    "pandas nullable": pd.DataFrame(X, columns=NAMES).astype({"u": "Int8", "v": "Float32", "w": "Int64"}),
    "pandas on Arrow": pd.DataFrame(X, columns=NAMES).astype("double[pyarrow]"),
    "pandas sparse": pd.DataFrame(X, columns=NAMES).astype(pd.SparseDtype("float64", 0.0)),
    "pandas with an odd index": pd.DataFrame(X, columns=NAMES, index=[5] * 40),
    "polars": pl.DataFrame(X, schema=NAMES),
    "polars of many types": pl.DataFrame(X, schema=NAMES).cast({"u": pl.Int8, "v": pl.Float32, "w": pl.Decimal(10, 2)}),
    "polars in chunks": pl.concat(
        [pl.DataFrame(X[:9], schema=NAMES), pl.DataFrame(X[9:], schema=NAMES)], rechunk=False
    ),
    "pyarrow Table": pa.table(dict(zip(NAMES, X.T, strict=True))),
    "pyarrow RecordBatch": pa.RecordBatch.from_arrays([pa.array(c) for c in X.T], names=NAMES),
    "pyarrow int8": pa.table({n: pa.array(c.astype(np.int8)) for n, c in zip(NAMES, X.T, strict=True)}),
}
WITH_HOLES = {
    "array": HOLED,
    "lists with None": [[None if np.isnan(v) else v for v in row] for row in HOLED],
    "masked": np.ma.masked_array(X, mask=np.isnan(HOLED)),
    "masked int8": np.ma.masked_array(X.astype(np.int8), mask=np.isnan(HOLED)),
    "sparse": sp.csr_array(HOLED),
    "pandas": pd.DataFrame(HOLED),
    "pandas nullable": pd.DataFrame(HOLED).astype("Int64"),
    "pandas object with NA": pd.DataFrame(HOLED).astype(object).where(~np.isnan(HOLED), pd.NA),
    "pandas object with None": pd.DataFrame(HOLED).astype(object).where(~np.isnan(HOLED), None),
    "pandas on Arrow": pd.DataFrame(pd.DataFrame(HOLED).astype("Int64")).astype("int64[pyarrow]"),
    "polars": pl.DataFrame([pl.Series(str(j), c, nan_to_null=True) for j, c in enumerate(HOLED.T)]),
    "polars Int8": pl.DataFrame([pl.Series(str(j), c, nan_to_null=True).cast(pl.Int8) for j, c in enumerate(HOLED.T)]),
    "pyarrow": pa.table({str(j): pa.array(c, from_pandas=True) for j, c in enumerate(HOLED.T)}),
}


@pytest.mark.parametrize("container", list(CONTAINERS.values()), ids=list(CONTAINERS))
@pytest.mark.parametrize("model", [LinearDiscriminantAnalysis(), QuadraticDiscriminantAnalysis(), GaussianNB()])
def test_every_container_makes_the_same_model(container: Any, model: Any) -> None:
    expected = model.fit(X, Y).predict_proba(X)
    assert np.array_equal(model.fit(container, Y).predict_proba(container), expected)


@pytest.mark.parametrize("frame", list(FRAMES.values()), ids=list(FRAMES))
@pytest.mark.parametrize("model", [LinearDiscriminantAnalysis(), GaussianNB()])
def test_every_frame_makes_the_same_model(frame: Any, model: Any) -> None:
    expected = model.fit(X, Y).predict_proba(X)
    model.fit(frame, Y)
    assert model.feature_names_in_.tolist() == NAMES
    assert np.array_equal(model.predict_proba(frame), expected)
    assert np.array_equal(model.predict_proba(FRAMES["polars"]), expected)


@pytest.mark.parametrize("table", list(WITH_HOLES.values()), ids=list(WITH_HOLES))
def test_every_sign_for_a_hole_is_a_hole(table: Any) -> None:
    read = np.vstack([block for _, block in as_table(table).blocks()])
    np.testing.assert_array_equal(read, HOLED)
    expected = GaussianNB().fit(HOLED, Y).predict_proba(HOLED)
    assert np.array_equal(GaussianNB().fit(table, Y).predict_proba(table), expected)
    with pytest.raises(InputError, match=r"X contains NaN \(row 3, column .?1.?\)"):
        LinearDiscriminantAnalysis(shrinkage="ledoit-wolf").fit(table, Y)


def test_truth_values_are_numbers() -> None:
    truth = X[:, :2] > 50
    expected = as_table(truth.astype(float)).read(0, 40)
    for table in (truth, sp.csr_array(truth), pd.DataFrame(truth), pd.DataFrame(truth).astype("boolean")):
        np.testing.assert_array_equal(as_table(table).read(0, 40), expected)
    for frame in (pl.DataFrame(truth), pl.DataFrame(truth).to_arrow()):
        np.testing.assert_array_equal(as_table(frame).read(0, 40), expected)


def test_memory_maps(tmp_path: Any) -> None:
    np.save(tmp_path / "rows.npy", X)
    mapped = np.load(tmp_path / "rows.npy", mmap_mode="r")
    assert np.array_equal(GaussianNB().fit(mapped, Y).predict_proba(mapped), GaussianNB().fit(X, Y).predict_proba(X))


def test_blocks_are_whole_contiguous_and_in_order() -> None:
    table = as_table(np.arange(3 * 300_000.0).reshape(-1, 3)[:, ::-1])
    blocks = list(table.blocks())
    assert len(blocks) > 3
    assert [start for start, _ in blocks] == np.cumsum([0] + [len(block) for _, block in blocks[:-1]]).tolist()
    assert all(block.flags.c_contiguous and block.dtype == np.float64 for _, block in blocks)
    assert np.array_equal(np.vstack([block for _, block in blocks])[:, 2], np.arange(300_000) * 3.0)


@pytest.mark.parametrize("p", [1, 10, 1000, 10**6, 10**8])
def test_blocks_stay_small(p: int) -> None:
    assert block_rows(p) >= 1
    assert block_rows(p) * p * 8 <= max(1 << 24, 64 * p * 8)


def test_reading_copies_no_more_than_it_must() -> None:
    assert np.shares_memory(as_table(X).read(0, 40), X)
    before = X.copy()
    GaussianNB().fit(X, Y).predict(X)
    LinearDiscriminantAnalysis().fit(X, Y).leave_one_out(X, Y)
    assert np.array_equal(X, before)


REFUSED = {
    "nothing": (None, "X must be rows of numbers; it is NoneType"),
    "text": ("rows", "it is str"),
    "dictionary": ({"u": [1]}, "it is dict"),
    "set": ({1, 2}, "it is set"),
    "number": (3.0, "must have two dimensions"),
    "generator": ((row for row in [[1]]), "must have two dimensions"),
    "one dimension": (np.ones(3), r"Expected 2D array, got 1D array instead.*reshape\(-1, 1\)"),
    "one dimension in a list": ([1, 2, 3], "Expected 2D array, got 1D array instead"),
    "three dimensions": (np.ones((2, 2, 2)), r"shape \(2, 2, 2\)"),
    "no columns": (np.ones((3, 0)), "0 feature"),
    "no columns in pandas": (pd.DataFrame(index=range(3)), "0 feature"),
    "ragged": ([[1, 2], [3]], "rows differ in length"),
    "complex": (np.ones((2, 2), complex), "Complex data not supported"),
    "complex sparse": (sp.csr_array(np.eye(2, dtype=complex)), "Complex data not supported"),
    "text in an array": (np.array([["a", "b"]]), "a feature is a number"),
    "digits in an array": (np.array([["1", "2"]]), "a feature is a number"),
    "variable text": (np.array([["1"]], dtype=np.dtypes.StringDType()), "a feature is a number"),
    "text in a list": ([[1.0, "a"]], "a feature is a number"),
    "dates": (np.array([["2020-01-01"]], "M8[D]"), "a feature is a number"),
    "structured": (np.zeros((2, 1), [("a", float)]), "a feature is a number"),
    "text among objects": (np.array([[1.0, "a"]], dtype=object), "not a number"),
    "dictionaries among objects": (np.array([[1.0, {}]], dtype=object), "not a number"),
    "too large for a float": ([[10**400]], "not a number"),
    "a pandas Series": (pd.Series([1.0]), "got 1D array instead"),
    "a polars Series": (pl.Series([1.0]), "got 1D array instead"),
    "a lazy frame": (pl.LazyFrame({"u": [1.0]}), "collect()"),
    "a pandas Series of texts": (pd.Series(["some words"]), r"make_pipeline\(TextCounts\(\), model\)"),
    "a polars Series of texts": (pl.Series(["some words"]), "TextCounts"),
    "texts in a list": (["some words", "more"], "TextCounts"),
    "a pyarrow array": (pa.array([1.0]), "got 1D array instead"),
    "a sparse vector": (sp.coo_array(np.ones(3)), "Expected 2D array"),
    "text in pandas": (pd.DataFrame({"u": [1.0], "v": pd.Series(["a"], dtype="string")}), "not numbers: 'v'"),
    "objects in pandas": (pd.DataFrame({"u": [1.0], "v": pd.Series(["a"], dtype=object)}), "not a number"),
    "categories in pandas": (pd.DataFrame({"u": pd.Categorical(["a"])}), "not numbers: 'u'"),
    "text on Arrow in pandas": (pd.DataFrame({"u": pd.Series(["a"], dtype="string[pyarrow]")}), "not numbers: 'u'"),
    "dates in pandas": (pd.DataFrame({"u": pd.to_datetime(["2020-01-01"])}), "not numbers: 'u'"),
    "text in polars": (pl.DataFrame({"u": [1.0], "v": ["a"]}), "not numbers: 'v'"),
    "dates in polars": (pl.DataFrame({"u": [1]}).cast(pl.Date), "not numbers: 'u'"),
    "lists in polars": (pl.DataFrame({"u": [[1.0]]}), "not numbers: 'u'"),
    "text in pyarrow": (pa.table({"u": ["a"]}), "not numbers: 'u'"),
    "names of two types": (pd.DataFrame({"u": [1.0], 3: [2.0]}), "Feature names are only supported"),
}


@pytest.mark.filterwarnings("ignore:X has feature names")
@pytest.mark.parametrize(("table", "message"), list(REFUSED.values()), ids=list(REFUSED))
def test_what_is_no_table_is_refused(table: Any, message: str) -> None:
    with pytest.raises((InputError, InputTypeError), match=message):
        [*as_table(table).blocks()]
    fitted = GaussianNB().fit([[0.0], [1.0]], ["a", "b"])
    for use in (GaussianNB().fit, fitted.partial_fit):
        with pytest.raises((InputError, InputTypeError)):
            use(table, ["a"])
    with pytest.raises((InputError, InputTypeError)):
        fitted.predict(table)


def test_a_number_beyond_float64_is_infinity_by_row_and_column() -> None:
    if np.finfo(np.longdouble).max == np.finfo(np.float64).max:
        pytest.skip("long doubles are no longer than doubles here")
    wide = np.ones((4, 2), np.longdouble)
    wide[2, 1] = np.longdouble(10) ** 400
    with pytest.raises(InputError, match=r"infinity \(row 2, column 1\)"):
        GaussianNB().fit(wide, [0, 1, 0, 1])
