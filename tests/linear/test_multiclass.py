"""What one-versus-rest and one-versus-one share: two classes, ties, weights, containers, and scikit-learn's ways."""

import datetime as dt
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifier
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks
from sklearn.utils.fixes import parse_version

from distinguo import LinearDiscriminantAnalysis, MemorySource, OneVsOneClassifier, OneVsRestClassifier
from distinguo.exceptions import DistinguoError, InputError
from tests.linear.oracles import TRAINING, Reading, WithProbabilities, WithScores, row

LDA = LinearDiscriminantAnalysis
STRATEGIES = [OneVsRestClassifier, OneVsOneClassifier]
both = pytest.mark.parametrize("strategy", STRATEGIES, ids=["rest", "one"])
X, CODES = load_iris(return_X_y=True)
Y = load_iris().target_names[CODES]
FEW = np.arange(0, 150, 5)
# All of A, B and C are as good as each other by votes: none claims the row, each wins one duel. By probability it is B.
OPEN = row(0, {(0, 1): 0.55, (1, 2): 0.9, (2, 0): 0.6}, rest=[0.2, 0.4, 0.3])


class Silent(BaseEstimator, ClassifierMixin):
    """It classifies as LDA does, and says no more."""

    def fit(self, X, y):
        self.model_ = LDA().fit(X, y)
        self.classes_ = self.model_.classes_
        return self

    def predict(self, X):
        return self.model_.predict(X)


@pytest.mark.filterwarnings("ignore::distinguo.exceptions.LeftOutWarning")  # some checks bring 30 columns in 15 rows
@parametrize_with_checks([s(e) for s in STRATEGIES for e in (LogisticRegression(), LDA(divisor="mle"))])
def test_scikit_learns_checks(estimator, check):
    check(estimator)


# Two classes


@both
@pytest.mark.parametrize("estimator", [LDA(), LogisticRegression(), GaussianNB(), RidgeClassifier(), Silent()])
def test_of_two_classes_it_is_the_classifier_itself(strategy, estimator):
    rows, labels = X[50:, :2], Y[50:]
    model, itself = strategy(estimator).fit(rows, labels), clone(estimator).fit(rows, labels)
    assert len(model.estimators_) == 1
    assert np.array_equal(model.predict(rows), itself.predict(rows))
    assert not model.ambiguous(rows).any()
    if hasattr(itself, "predict_proba"):
        assert model.predict_proba(rows) == pytest.approx(itself.predict_proba(rows), rel=1e-12)
        assert model.predict_log_proba(rows) == pytest.approx(itself.predict_log_proba(rows), rel=1e-10)
    if hasattr(itself, "decision_function"):
        assert np.array_equal(model.decision_function(rows), itself.decision_function(rows))


@both
def test_without_a_decision_function_it_is_the_log_odds(strategy):
    rows, labels = X[50:], Y[50:]
    log_p = GaussianNB().fit(rows, labels).predict_log_proba(rows)
    found = strategy(GaussianNB()).fit(rows, labels).decision_function(rows)
    assert found == pytest.approx(log_p[:, 1] - log_p[:, 0], rel=1e-6)


# Ties


@both
@pytest.mark.parametrize(
    ("options", "winner"),
    [
        ({}, "B"),
        ({"ties": "order", "order": ["C", "B", "A"]}, "C"),
        ({"ties": "order", "order": np.array(["A", "C", "B"])}, "A"),
    ],
)
def test_ties(strategy, options, winner):
    model = strategy(WithProbabilities(), **options).fit(TRAINING, list("ABC"))
    assert model.ambiguous([OPEN]).tolist() == [True]
    assert model.predict([OPEN]).tolist() == [winner]


@both
def test_ties_by_lot(strategy):
    model = strategy(Reading(), ties="random", random_state=0).fit(TRAINING, list("ABC"))
    rows = np.tile(OPEN, (900, 1))
    found = model.predict(rows)
    assert np.array_equal(model.predict(rows), found)
    assert not np.array_equal(model.set_params(random_state=1).predict(rows), found)
    counts = np.unique(found, return_counts=True)[1]
    assert np.abs(counts - 300) == pytest.approx(np.zeros(3), abs=3.5 * np.sqrt(900 * 2 / 9))


@both
@pytest.mark.parametrize("options", [{"ties": "order", "order": list("CBA")}, {"ties": "random", "random_state": 3}])
def test_a_tie_goes_to_one_of_those_tied(strategy, options):
    chances = np.random.default_rng(0).uniform(0, 1, (200, 6))
    pairs = [(0, 1), (0, 2), (1, 2)]
    rows = np.stack([row(0, dict(zip(pairs, p[:3], strict=True)), rest=p[3:]) for p in chances])
    model = strategy(Reading(), **options).fit(TRAINING, list("ABC"))
    votes = model.votes(rows)
    won = votes[np.arange(200), np.searchsorted(model.classes_, model.predict(rows))]
    assert np.array_equal(won, votes.max(axis=1))


@both
def test_without_a_score_ties_go_to_the_first(strategy):
    assert strategy(Reading()).fit(TRAINING, list("ABC")).predict([OPEN]).tolist() == ["A"]


@both
@pytest.mark.parametrize(
    ("estimator", "scores", "probabilities"),
    [(Reading(), False, False), (WithScores(), True, False), (WithProbabilities(), True, True)],
)
def test_what_there_is_follows_from_the_classifier(strategy, estimator, scores, probabilities):
    model = strategy(estimator)
    for _ in range(2):  # before and after the fit
        assert hasattr(model, "decision_function") == scores
        assert hasattr(model, "predict_proba") == hasattr(model, "predict_log_proba") == probabilities
        model.fit(TRAINING, list("ABC"))


# Weights


@both
def test_weights_are_repetitions_and_absence(strategy):
    times = np.arange(150) % 3
    times[CODES == 1] = 0
    weighted = strategy(LDA()).fit(X, Y, sample_weight=times)
    repeated = strategy(LDA()).fit(np.repeat(X, times, axis=0), np.repeat(Y, times))
    assert weighted.classes_.tolist() == ["setosa", "virginica"]
    assert weighted.predict_proba(X) == pytest.approx(repeated.predict_proba(X), rel=1e-6, abs=1e-12)


@both
@pytest.mark.parametrize(
    ("class_weight", "factors"),
    # The classes weigh 50, 200 and 450: 700 in all, and 700 / 3 each where they are balanced.
    [("balanced", [14 / 3, 7 / 6, 14 / 27]), ({"setosa": 3.0, "virginica": 0.5}, [3.0, 1.0, 0.5])],
)
def test_class_weights_are_weights_of_rows(strategy, class_weight, factors):
    times = np.array([1.0, 4.0, 9.0])[CODES]
    asked = strategy(LDA(), class_weight=class_weight).fit(X, Y, sample_weight=times).predict_proba(X)
    given = strategy(LDA()).fit(X, Y, sample_weight=times * np.array(factors)[CODES]).predict_proba(X)
    plain = strategy(LDA()).fit(X, Y, sample_weight=times).predict_proba(X)
    assert asked == pytest.approx(given, rel=1e-9, abs=1e-12)
    assert np.abs(plain - asked).max() > 0.05


@both
def test_classes_that_count_alike_move_the_boundary(strategy):
    rare = np.flatnonzero((CODES != 2) | (np.arange(150) % 10 == 0))
    plain, balanced = (strategy(LDA(), class_weight=w).fit(X[rare], Y[rare]) for w in (None, "balanced"))
    assert (balanced.predict_proba(X)[:, 2] >= plain.predict_proba(X)[:, 2]).mean() > 0.9


# Containers and labels


reads_polars = pytest.mark.skipif(
    parse_version(sklearn.__version__) < parse_version("1.9"), reason="names of Polars columns need scikit-learn 1.9"
)


@both
@pytest.mark.parametrize(
    "contain",
    [
        lambda rows: pd.DataFrame(rows, columns=list("stuv")),
        pytest.param(lambda rows: pl.DataFrame(rows, schema=list("stuv")), marks=reads_polars),
        sparse.csr_array,
        sparse.coo_array,
    ],
    ids=["pandas", "polars", "csr", "coo"],
)
def test_rows_reach_the_classifiers_as_they_came(strategy, contain):
    seen = []

    class Looking(Silent):
        def fit(self, X, y):
            seen.append(X)
            return super().fit(X, y)

    rows = contain(X)
    model = strategy(Looking()).fit(rows, Y)
    assert [type(came) for came in seen] == [type(rows)] * 3
    assert (strategy is OneVsRestClassifier) == all(came is rows for came in seen)
    assert np.array_equal(model.predict(rows), strategy(Silent()).fit(X, Y).predict(X))
    assert model.n_features_in_ == 4
    if not sparse.issparse(rows):
        assert model.feature_names_in_.tolist() == list("stuv")


@both
def test_rows_need_not_be_numbers(strategy):
    texts = ["red apple", "apple pie", "green pear", "pear cake", "blue plum", "plum jam"]
    model = strategy(make_pipeline(CountVectorizer(), LogisticRegression())).fit(texts, list("aabbcc"))
    assert model.predict(["apple", "old pear", "plum"]).tolist() == list("abc")


@reads_polars
@both
def test_a_source_brings_its_own_labels(strategy):
    frame = pl.DataFrame(X, schema=list("stuv"))
    model = strategy(LDA()).fit(MemorySource(frame, Y))
    assert model.feature_names_in_.tolist() == list("stuv")
    assert np.array_equal(model.predict_proba(frame), strategy(LDA()).fit(frame, Y).predict_proba(frame))


@both
@pytest.mark.parametrize(
    "labels",
    [
        ["x", "y", "z"],
        [3, 5, 1],
        [1.0, 0.0, 2.0],
        [dt.date(2020, 1, 3), dt.date(2020, 1, 2), dt.date(2020, 1, 1)],
        np.array(["2020-01-03", "2020-01-02", "2020-01-01"], "datetime64[D]"),
        [1, "1", "one"],
    ],
    ids=["text", "integers", "floats", "dates", "datetime64", "mixed"],
)
def test_labels_of_any_type(strategy, labels):
    names = np.array(labels) if len({type(label) for label in labels}) == 1 else np.array(labels, dtype=object)
    options = {"ties": "order", "order": list(labels), "class_weight": {labels[1]: 2.0}}
    found = strategy(LDA(), **options).fit(X, names[CODES]).predict(X)
    coded = strategy(LDA(), ties="order", order=[0, 1, 2], class_weight={1: 2.0}).fit(X, CODES).predict(X)
    assert np.array_equal(found, names[coded])


# scikit-learn's ways


@both
def test_it_is_tuned_cloned_and_pickled(strategy):
    grid = GridSearchCV(
        strategy(LogisticRegression()), {"estimator__C": [1e-4, 1.0], "class_weight": [None, "balanced"]}
    )
    grid.fit(X, Y)
    assert grid.best_params_["estimator__C"] == 1.0
    assert clone(grid.best_estimator_).get_params()["estimator__C"] == 1.0
    loaded = pickle.loads(pickle.dumps(grid.best_estimator_))
    assert np.array_equal(loaded.predict_proba(X), grid.predict_proba(X))
    assert cross_val_score(strategy(LDA()), X, Y, scoring="roc_auc_ovr").mean() > 0.9


@both
def test_metadata_are_routed(strategy):
    weight = np.linspace(0.5, 2.0, 150)
    expected = strategy(LogisticRegression(), class_weight={"setosa": 2.0}).fit(X, Y, sample_weight=weight)
    with sklearn.config_context(enable_metadata_routing=True):
        asking = LogisticRegression().set_fit_request(sample_weight=True)
        inner = make_pipeline(
            StandardScaler(with_mean=False, with_std=False).set_fit_request(sample_weight=False), asking
        )
        model = strategy(inner, class_weight={"setosa": 2.0}).set_fit_request(sample_weight=True)
        outer = make_pipeline(
            StandardScaler(with_mean=False, with_std=False).set_fit_request(sample_weight=False), model
        )
        outer.fit(X, Y, sample_weight=weight)
        deaf = strategy(LogisticRegression().set_fit_request(sample_weight=False), class_weight="balanced")
        with pytest.raises(InputError, match="which it does not ask for"):
            deaf.fit(X, Y)
    assert np.array_equal(outer.predict_proba(X), expected.predict_proba(X))


@both
def test_other_parameters_of_fit_are_cut_like_the_rows(strategy):
    class Strange(Silent):
        def fit(self, X, y, colour=None, scale=None):
            assert len(colour) == len(X)
            assert scale == [1, 2]
            assert np.array_equal(np.asarray(colour), X[:, 0])
            return super().fit(X, y)

    with sklearn.config_context(enable_metadata_routing=True):
        model = strategy(Strange().set_fit_request(colour=True, scale=True))
        model.fit(X, Y, colour=X[:, 0].tolist(), scale=[1, 2])
    assert np.array_equal(model.predict(X), strategy(Silent()).fit(X, Y).predict(X))


# Bad input

MESSAGES = {
    "a class": ({"estimator": LDA}, "LinearDiscriminantAnalysis is a class"),
    "no classifier": ({"estimator": "lda"}, "must be a binary classifier, such as"),
    "None": ({"estimator": None}, "NoneType is nothing that fits"),
    "a regressor": ({"estimator": LinearRegression()}, "LinearRegression is a regressor"),
    "unknown tie rule": ({"ties": "vote"}, "ties='vote' must be one of 'probability', 'order', 'random'"),
    "order that cannot act": ({"order": ["setosa", "versicolor", "virginica"]}, "goes with ties='order' only"),
    "order that is missing": ({"ties": "order"}, "an order of the classes goes with"),
    "order too short": ({"ties": "order", "order": ["setosa"]}, "must name every class once"),
    "order twice": ({"ties": "order", "order": ["setosa"] * 3}, "must name every class once"),
    "order of others": (
        {"ties": "order", "order": ["setosa", "rosa", "lily"]},
        "order names 'rosa', which is no class",
    ),
    "order of letters": ({"ties": "order", "order": "setosa"}, "order must be a list of all classes"),
    "class weight": ({"class_weight": {"rosa": 2.0}}, "class_weight names 'rosa'"),
    "deaf to weights": ({"estimator": KNeighborsClassifier(), "class_weight": "balanced"}, "takes no sample_weight"),
}


@both
@pytest.mark.parametrize(("options", "message"), MESSAGES.values(), ids=MESSAGES)
def test_options_are_checked(strategy, options, message):
    with pytest.raises(DistinguoError, match=message):
        strategy(**{"estimator": LDA(), **options}).fit(X, Y)


def test_the_baseline_is_a_class():
    with pytest.raises(InputError, match="baseline names 'rosa', which is no class of y; the classes are 'setosa'"):
        OneVsRestClassifier(LDA(), baseline="rosa").fit(X, Y)


@both
def test_rows_and_labels_are_checked(strategy):
    model = strategy(LDA())
    with pytest.raises(NotFittedError):
        model.votes(X)
    with pytest.raises(InputError, match="one class only \\('a'\\)"):
        model.fit(X, ["a"] * 150)
    with pytest.raises(InputError, match="one class only"):
        model.fit(X, Y, sample_weight=(CODES == 0) * 1.0)
    with pytest.raises(InputError, match="only metadata routing hands on"):
        model.fit(X, Y, groups=CODES)
    with pytest.raises(InputError, match="takes no sample_weight"):
        strategy(KNeighborsClassifier()).fit(X, Y, sample_weight=np.ones(150))
    model.fit(X, Y)
    with pytest.raises(InputError, match="Expected 2D array"):
        model.votes(X[0])
    with pytest.raises(ValueError, match="is expecting 4 features"):
        model.predict(X[:, :3])


@both
def test_a_failed_fit_says_where_and_leaves_the_model(strategy):
    model = strategy(LDA()).fit(X, Y)
    holes = np.where(np.arange(150)[:, None] == 120, np.nan, X)
    with pytest.raises(ValueError, match="NaN") as error:
        model.set_params(estimator=LogisticRegression()).fit(holes, Y)
    told_apart = {OneVsRestClassifier: "'setosa' and the rest", OneVsOneClassifier: "'setosa' and 'virginica'"}
    assert error.value.__notes__ == [f"This happened while {told_apart[strategy]} were told apart."]
    assert np.array_equal(model.predict(X), strategy(LDA()).fit(X, Y).predict(X))
