"""Models compared from Python: the same figures as by hand, whatever the order, and nothing of the rows held out."""

import json
import math
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest, ttest_rel
from scipy.stats import t as student_t
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_iris, load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import accuracy_score, log_loss
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from distinguo import Costs, CostSensitive, LinearDiscriminantAnalysis, MixedNB, compare
from distinguo.catalogue import COMPARED
from distinguo.evaluation.contenders import contenders
from distinguo.evaluation.differences import mcnemar
from distinguo.exceptions import InputError, InputTypeError
from distinguo.resampling import monte_carlo, repeated_folds

X, CODES = load_wine(return_X_y=True)
Y = np.array(["red", "rosé", "white"])[CODES]
SCALED = make_pipeline(StandardScaler(), LogisticRegression())


def figures(comparison) -> list:
    """Everything but what was measured by a clock."""
    document = comparison.to_dict()
    for row in document["models"]:
        del row["fit_ms"], row["predict_us"], row["memory_mb"]
    return document


def test_figures_are_scikit_learns_on_the_same_folds() -> None:
    comparison = compare({"mine": SCALED}, X, Y, folds=4, repeats=3, random_state=5, memory=False)
    splits = repeated_folds(CODES, folds=4, repeats=3, random_state=5)
    accuracies, losses = [], []
    for repeat in range(3):
        p = np.empty((len(Y), 3))
        for split in splits[4 * repeat : 4 * repeat + 4]:
            p[split.test] = SCALED.fit(X[split.train], Y[split.train]).predict_proba(X[split.test])
        accuracies.append(accuracy_score(Y, np.unique(Y)[p.argmax(axis=1)]))
        losses.append(log_loss(Y, p))
    table = comparison.table
    assert table.model.tolist() == ["mine", "majority"]
    assert table.accuracy[0] == pytest.approx(np.mean(accuracies), rel=1e-12)
    assert table.log_loss[0] == pytest.approx(np.mean(losses), rel=1e-12)
    assert (comparison.best, comparison.folds, comparison.n) == ("mine", 4, 178)
    assert comparison.classes == {"red": 59, "rosé": 71, "white": 48}


def test_without_models_the_catalogues_are_compared() -> None:
    rows = np.flatnonzero(np.arange(len(Y)) % 4 == 0)
    comparison = compare(None, X[rows], Y[rows], folds=2, repeats=1, memory=False)
    names = {result.name for result in comparison.results}
    assert names == {"majority", *(entry.name for entry in COMPARED)}


@settings(max_examples=8)
@given(st.permutations(["lda", "qda", "knn", "perceptron", "gaussian-nb"]))
def test_the_order_of_models_does_not_matter(order: list[str]) -> None:
    rows = np.arange(0, len(Y), 2)
    asked = {"folds": 2, "repeats": 1, "memory": False}
    own = figures(compare(order, X[rows], Y[rows], **asked))
    assert own == figures(compare(sorted(order), X[rows], Y[rows], **asked))


def test_the_same_seed_gives_the_same_figures_and_another_one_others() -> None:
    # A forest without a random_state of its own differs from fit to fit; here it gets the comparison's.
    models = {"forest": RandomForestClassifier(10), "bayes": GaussianNB()}
    first, again, other = (compare(models, X, Y, random_state=seed, memory=False) for seed in (1, 1, 2))
    assert figures(first) == figures(again)
    assert figures(first)["models"] != figures(other)["models"]


class Spy(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Remembers the rows it was fitted on, in a list that outlives clones, and the classes it saw."""

    def __init__(self, seen=None):  # type: ignore[no-untyped-def]
        self.seen = seen

    def fit(self, X, y):  # type: ignore[no-untyped-def]
        SEEN.append(np.asarray(X)[:, 0].astype(int))
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):  # type: ignore[no-untyped-def]
        SEEN.append(np.asarray(X)[:, 0].astype(int))
        return np.full(len(X), self.classes_[0])


SEEN: list[np.ndarray] = []


@pytest.mark.parametrize("scheme", [{"folds": 3, "repeats": 2}, {"scheme": "monte-carlo", "repeats": 4}])
def test_no_model_sees_the_rows_held_out_while_it_learns(scheme: dict) -> None:
    SEEN.clear()
    numbered = np.column_stack([np.arange(len(Y)), X])
    compare(
        {"tuned": GridSearchCV(Spy(), {"seen": [1, 2]}, cv=2, scoring="accuracy")}, numbered, Y, memory=False, **scheme
    )
    splits = repeated_folds(CODES, **scheme) if "folds" in scheme else monte_carlo(CODES, repeats=4)
    # For each split: candidates of the search, its last fit, then the rows held out and some of those learned from.
    calls = iter(SEEN)
    for split in splits:
        learned: set[int] = set()
        for rows in calls:
            if set(rows) == set(split.test):
                break
            learned |= set(rows)
        assert learned == set(split.train)
        if split is splits[0]:
            assert set(next(calls)) == set(split.train)


def test_tuned_models_are_tuned_within_each_fold() -> None:
    noise = np.random.default_rng(0).normal(size=(60, 40))
    y = np.arange(60) % 2
    trees = GridSearchCV(DecisionTreeClassifier(max_depth=2, max_features=1), {"random_state": list(range(25))}, cv=3)
    table = compare({"search": trees}, noise, y, repeats=2, memory=False).table
    # The best of 25 by chance looks better than chance, nested it does not.
    assert trees.fit(noise, y).best_score_ > 0.6
    assert abs(table.accuracy[table.model.tolist().index("search")] - 0.5) < 0.1


def test_weights_are_frequencies() -> None:
    # Rows of weight two equal the row twice, once folds are the same.
    rng = np.random.default_rng(0)
    weight = rng.integers(1, 4, len(Y)).astype(float)
    comparison = compare({"mine": LinearDiscriminantAnalysis(), "theirs": SCALED}, X, Y, sample_weight=weight)
    assert comparison.n == weight.sum()
    splits = repeated_folds(CODES)
    expected = []
    for split in splits:
        times = weight[split.train].astype(int)
        model = LinearDiscriminantAnalysis().fit(
            np.repeat(X[split.train], times, axis=0), np.repeat(Y[split.train], times)
        )
        right = model.predict(X[split.test]) == Y[split.test]
        expected.append(np.average(right, weights=weight[split.test]))
    mine = next(result.measured for result in comparison.results if result.name == "mine")
    assert mine.accuracies == pytest.approx(expected)
    assert not [result.reason for result in comparison.results if result.reason]
    none = weight.copy()
    none[::3] = 0
    left = compare(["lda"], X, Y, sample_weight=none, memory=False)
    assert figures(left) == figures(
        compare(["lda"], X[none > 0], Y[none > 0], sample_weight=none[none > 0], memory=False)
    )


def test_models_without_weights_are_told_of_with_their_reason() -> None:
    comparison = compare([KNeighborsClassifier(), "lda"], X, Y, sample_weight=np.ones(len(Y)), memory=False)
    assert comparison.to_dict()["excluded"] == {"KNeighborsClassifier": "takes no sample_weight"}


def test_labels_are_judged_as_the_model_names_them() -> None:
    """Not as its probabilities would have it: costs and rejection count."""
    costs = Costs([[0, 1, 1], [1, 0, 1], [1, 1, 0]], ["red", "rosé", "white"])
    models = {
        "plain": LinearDiscriminantAnalysis(),
        "choosy": CostSensitive(LinearDiscriminantAnalysis(), costs, reject=1e-6),
    }
    measured = {r.name: r.measured for r in compare(models, X, Y, memory=False).results}
    assert measured["choosy"].quality.log_loss == measured["plain"].quality.log_loss
    assert measured["choosy"].quality.accuracy < measured["plain"].quality.accuracy
    held_out = measured["choosy"].held_out
    undecided = held_out.predicted < 0
    assert (held_out.probabilities[undecided].max(axis=1) < 1 - 1e-6).all()
    assert undecided.any()


@pytest.mark.parametrize(
    "labels",
    [[1.0, 2.0, 3.0], [True, False, True], ["a", 1, "b"], list(np.arange("2024-01", "2024-04", dtype="M8[M]"))],
)
def test_labels_of_any_type(labels: list) -> None:
    y = [labels[k] for k in CODES]
    models = {"lda": "lda", "perceptron": "perceptron", "theirs": GaussianNB()}
    comparison = compare(models, X, y, folds=2, repeats=1, memory=False)
    assert set(comparison.classes) == set(labels)
    assert comparison.table.model[-1] == "perceptron"
    assert json.loads(json.dumps(comparison.to_dict()))["rows"] == 178
    if "a" in labels:  # scikit-learn's models know labels of one type
        assert comparison.to_dict()["excluded"].keys() == {"theirs"}


@pytest.mark.parametrize("kind", ["pandas", "polars", "list", "sparse"])
def test_rows_of_any_container(kind: str) -> None:
    from scipy import sparse

    names = [f"x{j}" for j in range(13)]
    rows = {
        "pandas": lambda: pd.DataFrame(X, columns=names),
        "polars": lambda: pl.DataFrame(X, schema=names),
        "list": X.tolist,
        "sparse": lambda: sparse.csr_array(X),
    }[kind]()
    comparison = compare(["lda"], rows, Y, memory=False)
    assert comparison.table.accuracy.tolist() == compare(["lda"], X, Y, memory=False).table.accuracy.tolist()


def test_columns_of_words_are_for_models_that_take_them() -> None:
    frame = pd.DataFrame({"size": X[:, 0], "colour": np.where(X[:, 9] > 5, "dark", "light")})
    comparison = compare({"lda": "lda", "mixed": MixedNB()}, frame, Y, memory=False)
    assert comparison.best == "mixed"
    assert "columns that are not numbers: 'colour'" in comparison.to_dict()["excluded"]["lda"]


def test_holes_are_for_models_that_take_them() -> None:
    holed = X.copy()
    holed[3, 2] = np.nan
    comparison = compare(["lda", "knn"], holed, Y, memory=False)
    assert comparison.best == "lda"
    assert comparison.to_dict()["excluded"] == {"knn": "takes no missing cells, and column 2 has one in row 3"}


def test_where_no_model_can_take_part_there_is_no_best() -> None:
    comparison = compare({"svm": SVC(kernel="nonsense")}, X, Y, memory=False)
    assert comparison.best is None
    assert comparison.differences is None
    assert "svm is not compared: " in str(comparison)


# Differences


def paired(comparison, name: str):  # type: ignore[no-untyped-def]
    measured = {r.name: r.measured for r in comparison.results}
    return measured[comparison.best], measured[name]


def test_intervals_are_those_of_nadeau_and_bengio() -> None:
    comparison = compare(["lda", "gaussian-nb", "knn"], X, Y, folds=5, repeats=3, memory=False)
    table = comparison.differences
    for k, name in enumerate(table.model.tolist()):
        best, other = paired(comparison, name)
        d = np.subtract(other.accuracies, best.accuracies)
        share = np.mean([len(s.test) / len(s.train) for s in repeated_folds(CODES, repeats=3)])
        half = student_t.ppf(0.975, 14) * math.sqrt((1 / 15 + share) * d.var(ddof=1))
        assert table.accuracy[k] == pytest.approx(other.quality.accuracy - best.quality.accuracy)
        assert table.accuracy_high[k] - table.accuracy[k] == pytest.approx(half)
        assert table.accuracy[k] - table.accuracy_low[k] == pytest.approx(half)
        # It is wider than the t interval that takes the splits for independent.
        naive = ttest_rel(other.accuracies, best.accuracies).confidence_interval() if d.any() else None
        assert naive is None or table.accuracy_high[k] - table.accuracy_low[k] > naive.high - naive.low


def test_intervals_cover_the_difference_of_models_that_are_equally_good() -> None:
    """Two models that look at one noise column each: the difference is zero, and few intervals leave it out."""
    rng = np.random.default_rng(0)
    outside = 0
    for _ in range(40):
        y = np.arange(80) % 2
        rows = rng.normal(size=(80, 2)) + y[:, None] * 0.5
        first, second = (make_pipeline(Column(j), GaussianNB()) for j in (0, 1))
        table = compare({"a": first, "b": second}, rows, y, repeats=1, memory=False).differences
        k = [name in "ab" for name in table.model].index(True)
        outside += not table.accuracy_low[k] <= 0 <= table.accuracy_high[k]
    # The better of two by chance was chosen; 3.5 standard errors above .05 of 40.
    assert outside <= 40 * 0.05 + 3.5 * math.sqrt(40 * 0.05 * 0.95)


class Column(BaseEstimator):  # type: ignore[misc]
    """One column of all."""

    def __init__(self, j=0):  # type: ignore[no-untyped-def]
        self.j = j

    def fit(self, X, y=None):  # type: ignore[no-untyped-def]
        self.fitted_ = True
        return self

    def transform(self, X):  # type: ignore[no-untyped-def]
        return np.asarray(X)[:, [self.j]]


@given(st.integers(0, 200), st.integers(0, 200))
def test_mcnemar_is_the_exact_binomial_test(b: int, c: int) -> None:
    expected = binomtest(b, b + c, 0.5).pvalue if b + c else 1.0
    assert mcnemar(b, c)[2] == pytest.approx(expected, rel=1e-9, abs=1e-300)


def test_mcnemar_of_the_textbook() -> None:
    # Agresti (2013), Categorical Data Analysis, section 11.1: approval of the Prime Minister, 86 and 150 changed their
    # minds; z = 4.17 has p = 3e-5. R: binom.test(86, 236)$p.value.
    assert mcnemar(86, 150)[2] == pytest.approx(3.716e-5, rel=1e-3)


def test_discordant_rows_are_counted_once_each_as_first_held_out() -> None:
    for asked in ({"repeats": 2}, {"scheme": "monte-carlo", "repeats": 6, "test_fraction": 0.4}):
        comparison = compare(["lda", "gaussian-nb"], X, Y, memory=False, **asked)
        table = comparison.differences
        best, other = paired(comparison, table.model[0])
        first: dict[int, tuple[bool, bool]] = {}
        for row, one, two in zip(
            best.held_out.rows, best.held_out.right(CODES), other.held_out.right(CODES), strict=True
        ):
            first.setdefault(int(row), (bool(one), bool(two)))
        assert table.only_best[0] == sum(one and not two for one, two in first.values())
        assert table.only_it[0] == sum(two and not one for one, two in first.values())


def test_a_single_draw_has_no_intervals() -> None:
    comparison = compare(["lda", "qda"], X, Y, scheme="monte-carlo", repeats=1, memory=False)
    assert np.isnan(comparison.table.accuracy_se).all()
    assert np.isnan(comparison.differences.accuracy_low).all()
    assert not np.isnan(comparison.differences.p_value).any()
    assert comparison.folds == 1


# What comes out


def test_costs_are_columns() -> None:
    comparison = compare(["lda", KNeighborsClassifier()], X, Y)
    table = comparison.table
    for column in (table.fit_ms, table.predict_us, table.memory_mb, table.size_kb):
        assert (column > 0).all()
    assert list(comparison.to_frame().columns)[:3] == ["model", "accuracy", "accuracy_se"]
    kept = table.size_kb[table.model.tolist().index("KNeighborsClassifier")]
    assert kept > 142 * 13 * 8 / 1e3  # the rows that it keeps
    assert "memory" not in str(compare(["lda"], X, Y, memory=False))


def test_peak_memory_is_what_a_fit_holds_beyond_the_rows() -> None:
    class Hungry(GaussianNB):  # type: ignore[misc]
        def fit(self, X, y, sample_weight=None):  # type: ignore[no-untyped-def]
            self.held_ = np.ones((5_000_000,)).sum()
            return super().fit(X, y, sample_weight)

    memory = compare({"hungry": Hungry()}, X, Y).table.memory_mb
    assert 40 <= memory[0] < 41
    assert memory[1] < 1


def test_models_that_cannot_be_pickled_have_no_size() -> None:
    from sklearn.preprocessing import FunctionTransformer

    table = compare({"local": make_pipeline(FunctionTransformer(lambda X: X), GaussianNB())}, X, Y, memory=False).table
    assert np.isnan(table.size_kb[0])
    assert str(table).splitlines()[2].split()[-1] == "-"


def test_it_prints_tables_whose_columns_stand_below_each_other() -> None:
    comparison = compare(["lda", "knn", "perceptron"], X, Y)
    board, differences, how = str(comparison).split("\n\n")
    assert board.startswith("178 rows, 3 classes: 'red' 59, 'rosé' 71, 'white' 48\nmodel ")
    assert len(board.splitlines()) == 6
    assert differences.startswith("differences to lda, 95% intervals; p of McNemar's test\n")
    assert how == "5 stratified folds x 2, seed 0; ± one standard error; a lower log loss is better"
    assert max(map(len, board.splitlines())) <= 120
    assert repr(comparison) == str(comparison)
    html = comparison._repr_html_()
    assert html.count("<table>") == 2
    assert json.loads(json.dumps(comparison.to_dict(), allow_nan=False))["best"] == "lda"


def test_names_are_escaped_in_html() -> None:
    html = compare({"<script>": GaussianNB(), "b": "lda"}, X, Y, memory=False)._repr_html_()
    assert "<script>" not in html
    assert "&lt;script&gt;" in html


def test_warnings_of_models_are_collected() -> None:
    class Talkative(GaussianNB):  # type: ignore[misc]
        def fit(self, X, y, sample_weight=None):  # type: ignore[no-untyped-def]
            warnings.warn("too few rows", UserWarning, stacklevel=2)
            return super().fit(X, y, sample_weight)

    assert compare([Talkative()], X, Y, memory=False).to_dict()["warnings"] == {"Talkative": ["too few rows"]}


def test_progress_is_told_of_every_model_and_split() -> None:
    steps: list[None] = []
    compare(["lda", "qda"], X, Y, folds=3, repeats=2, memory=False, advance=lambda: steps.append(None))
    assert len(steps) == 3 * 6


def test_models_are_called_by_their_class() -> None:
    found = contenders([GaussianNB(), "lda", GaussianNB(), SCALED], 0)
    assert [contender.name for contender in found] == ["GaussianNB", "lda", "GaussianNB 2", "Pipeline"]
    assert contenders({"my lda": "lda"}, 0)[0].name == "my lda"
    tuned = make_pipeline(StandardScaler(), GridSearchCV(LogisticRegression(), {"C": [1]}))
    assert [c.weight_name for c in contenders([SCALED, tuned], 0)] == [
        "logisticregression__sample_weight",
        "gridsearchcv__sample_weight",
    ]


IRIS = load_iris(return_X_y=True)
BAD = [
    (lambda: compare("lda", X, Y), "models must be"),
    (lambda: compare(LinearDiscriminantAnalysis(), X, Y), "A single model goes in a list"),
    (lambda: compare([], X, Y), "there is no model to compare"),
    (lambda: compare(["ldaa"], X, Y), "there is no model 'ldaa'; did you mean 'lda'"),
    (lambda: compare(["lda", "lda"], X, Y), "the name 'lda' is there twice"),
    (lambda: compare({"majority": "lda"}, X, Y), "the name 'majority' is the baseline's name"),
    (lambda: compare([LinearDiscriminantAnalysis], X, Y), "is the class LinearDiscriminantAnalysis"),
    (lambda: compare([Ridge()], X, Y), "'Ridge' is Ridge; a model is a classifier"),
    (lambda: compare([StandardScaler()], X, Y), "'StandardScaler' is StandardScaler"),
    (lambda: compare(["lda"], X, Y, folds=1), "folds=1"),
    (lambda: compare(["lda"], X, Y, folds=500), "178 rows cannot be split into 500 folds"),
    (lambda: compare(["lda"], X, Y, folds=2.5), "folds=2.5 must be a whole number"),
    (lambda: compare(["lda"], X, Y, repeats=0), "repeats=0 must be a whole number"),
    (lambda: compare(["lda"], X, Y, scheme="bootstrap"), "scheme='bootstrap' is not known"),
    (lambda: compare(["lda"], X, Y, test_fraction=0.3), "test_fraction=0.3 cannot act with folds"),
    (lambda: compare(["lda"], X, Y, scheme="monte-carlo", folds=3), "folds=3 cannot act where test rows are drawn"),
    (lambda: compare(["lda"], X, Y, scheme="monte-carlo", test_fraction=1.5), "it must lie between 0 and 1"),
    (lambda: compare(["lda"], X, Y, random_state=None), "random_state=None must be a whole number"),
    (lambda: compare(["lda"], X, Y, random_state=-1), "random_state=-1 must be"),
    (lambda: compare(["lda"], X, Y[:-1]), "inconsistent numbers of samples"),
    (lambda: compare(["lda"], X, np.zeros(len(Y), int)), "y has one class only"),
    (lambda: compare(["lda"], X, np.append(Y[:-1], "single")), "class 'single' has one row"),
    (lambda: compare(["lda"], X, [None, *Y[1:]]), "y has 1 missing label"),
    (lambda: compare(["lda"], X, Y, sample_weight=np.full(len(Y), -1.0)), "sample_weight is negative"),
    (lambda: compare(["lda"], X, None), "y is None"),
]


@pytest.mark.parametrize(("work", "message"), BAD)
def test_bad_input_is_refused(work, message: str) -> None:
    with pytest.raises((InputError, InputTypeError), match=message):
        work()


def test_a_class_smaller_than_the_folds_is_compared_all_the_same() -> None:
    rows = np.concatenate([np.flatnonzero(CODES == 0), np.flatnonzero(CODES == 1), np.flatnonzero(CODES == 2)[:2]])
    comparison = compare(["lda", "perceptron"], X[rows], Y[rows], memory=False)
    assert comparison.best == "lda"
    assert [warning.code for warning in comparison.advice] == ["C2"]
    drawn = compare(["lda"], X[rows], Y[rows], scheme="monte-carlo", test_fraction=0.1, memory=False)
    assert np.isfinite(drawn.table.balanced_accuracy).all()  # no draw tests a row of the third class


def test_two_hundred_classes_and_five_hundred_columns() -> None:
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(200), 3)
    many = compare(["gaussian-nb"], rng.normal(y[:, None], 0.1, (600, 2)), y, folds=3, repeats=1, memory=False)
    assert many.table.accuracy[0] > 0.9
    wide = rng.normal(size=(60, 500)) + (np.arange(60) % 2)[:, None] * 0.3
    found = compare(["gaussian-nb"], wide, np.arange(60) % 2, repeats=1, memory=False)
    assert found.table.accuracy[0] > 0.8
    assert "and 192 more" in str(many)
