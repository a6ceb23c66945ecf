"""What a comparison gives and prints, and what it refuses."""

import json
import warnings

import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from distinguo import LinearDiscriminantAnalysis, compare
from distinguo.evaluation.comparison.contenders import contenders
from distinguo.exceptions import InputError, InputTypeError

X, CODES = load_wine(return_X_y=True)
Y = np.array(["red", "rosé", "white"])[CODES]
SCALED = make_pipeline(StandardScaler(), LogisticRegression())


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
