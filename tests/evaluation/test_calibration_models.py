"""Which models, and which ways of holding rows out: what each leads to."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression as TheirLogistic
from sklearn.model_selection import GridSearchCV, LeaveOneOut, ShuffleSplit, StratifiedKFold
from sklearn.naive_bayes import MultinomialNB as TheirMultinomial
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from distinguo import (
    BernoulliNB,
    Calibrated,
    ComplementNB,
    GaussianNB,
    KNeighborsClassifier,
    LeastSquaresClassifier,
    LinearDiscriminantAnalysis,
    MemorySource,
    MixedNB,
    MultinomialNB,
    Perceptron,
    PoissonNB,
    QuadraticDiscriminantAnalysis,
    TextCounts,
)
from distinguo.resampling import stratified_folds
from tests.evaluation.calibration_cases import METHODS, by_fits, calibration_error, clouds, log_loss

X, Y = clouds()
COUNTS = np.random.default_rng(1).poisson(np.array([[2.0, 1, 1, 0.5], [1, 2, 1, 1], [1, 1, 2, 2]])[Y])


class Fits:
    """How often models of a kind are fitted, and on how many rows in all."""

    def __init__(self, kind: type, monkeypatch: pytest.MonkeyPatch) -> None:
        self.rows: dict[str, list[int]] = {"fit": [], "partial_fit": []}
        for name, rows in self.rows.items():
            monkeypatch.setattr(kind, name, self._counting(getattr(kind, name), rows))

    def _counting(self, method: Any, rows: list[int]) -> Any:
        def counted(model: Any, X: Any, *args: Any, **params: Any) -> Any:
            rows.append(X.shape[0])
            return method(model, X, *args, **params)

        return counted


@pytest.mark.parametrize(
    ("model", "rows"),
    [
        (GaussianNB(), X),
        (LinearDiscriminantAnalysis(), X),
        (QuadraticDiscriminantAnalysis(), X),
        (LeastSquaresClassifier(), X),
        (MultinomialNB(alpha=0.5), COUNTS),
        (ComplementNB(), sparse.csr_array(COUNTS)),
        (BernoulliNB(), COUNTS),
        (PoissonNB(), COUNTS),
        (MixedNB(), pd.DataFrame({"a": X[:, 0], "b": np.where(X[:, 1] > 0, "yes", "no")})),
    ],
    ids=lambda value: type(value).__name__,
)
@pytest.mark.filterwarnings("ignore::distinguo.exceptions.MaskingWarning")
def test_sums_of_folds_are_what_fits_of_folds_are(model: Any, rows: Any) -> None:
    names = np.array(["c", "a", "b"])[Y]
    weight = np.tile([1.0, 2.0, 0.0], 100)
    for weights in ({}, {"sample_weight": weight}):
        ours = Calibrated(model).fit(rows, names, **weights)
        splits = StratifiedKFold(5)  # any splitter goes by fits
        fold = stratified_folds(Y, 5, np.random.default_rng(0))
        if weights:
            kept = np.flatnonzero(weight)
            _, codes = np.unique(names[kept], return_inverse=True)
            fold = np.full(len(Y), -1)
            fold[kept] = stratified_folds(codes, 5, np.random.default_rng(0))
        else:
            fold = stratified_folds(np.unique(names, return_inverse=True)[1], 5, np.random.default_rng(0))
        splits = [(np.flatnonzero((fold != k) & (fold >= 0)), np.flatnonzero(fold == k)) for k in range(5)]
        theirs = Calibrated(model, cv=splits).fit(rows, names, **weights)
        np.testing.assert_allclose(ours.predict_proba(rows), theirs.predict_proba(rows), rtol=1e-5, atol=1e-7)
        assert ours.classes_.tolist() == ["a", "b", "c"]


def test_each_row_is_counted_once_where_statistics_add_up(monkeypatch: pytest.MonkeyPatch) -> None:
    fits = Fits(GaussianNB, monkeypatch)
    Calibrated(GaussianNB()).fit(X, Y)
    assert fits.rows["fit"] == []
    assert len(fits.rows["partial_fit"]) == 5
    assert sum(fits.rows["partial_fit"]) == len(X)


def test_models_that_cannot_add_are_fitted_once_more_a_fold(monkeypatch: pytest.MonkeyPatch) -> None:
    fits = Fits(Perceptron, monkeypatch)
    Calibrated(Perceptron(), cv=4).fit(X, Y)
    assert fits.rows["fit"] == [300, 225, 225, 225, 225]


def test_rows_with_holes_are_completed_in_each_fold() -> None:
    """LDA completes cells by EM, at fit only: sums do not do, and fits do."""
    rows = X.copy()
    rows[::7, 1] = np.nan
    model = Calibrated(LinearDiscriminantAnalysis(), cv=3).fit(rows, Y)
    assert model.model_.predict_proba(rows).shape == (300, 3)
    assert log_loss(model.predict_log_proba(rows), Y) < np.log(3)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    "model",
    [LeastSquaresClassifier(), Perceptron(average=True), ComplementNB(norm=True)],
    ids=lambda m: type(m).__name__,
)
@pytest.mark.filterwarnings("ignore::distinguo.exceptions.MaskingWarning")
def test_scores_become_probabilities(model: Any, method: str) -> None:
    rows = COUNTS if isinstance(model, ComplementNB) else X
    calibrated = Calibrated(model, method).fit(rows[:200], Y[:200])
    logs = calibrated.predict_log_proba(rows[200:])
    assert log_loss(logs, Y[200:]) < 0.95 * np.log(3)
    assert calibration_error(np.exp(logs), Y[200:], bins=5) < 0.2
    assert calibrated.score(rows[200:], Y[200:]) > calibrated.model_.score(rows[200:], Y[200:]) - 0.05


def test_the_message_of_models_without_probabilities_names_the_way() -> None:
    for model in (LeastSquaresClassifier(), Perceptron()):
        with pytest.raises(AttributeError, match=rf"Calibrated\({type(model).__name__}\(\)\)"):
            model.fit(X, Y).predict_proba(X)


@pytest.mark.parametrize(
    "model",
    [GaussianNB("uniform"), LeastSquaresClassifier(), KNeighborsClassifier(4), LinearDiscriminantAnalysis("uniform")],
    ids=lambda m: type(m).__name__,
)
@pytest.mark.parametrize("method", ["temperature", "beta"])
def test_leaving_each_row_out_is_a_fold_for_each(model: Any, method: str) -> None:
    rows, y = X[:60], Y[:60]
    ours = Calibrated(model, method, cv="leave-one-out").fit(rows, y)
    theirs = Calibrated(model, method, cv=LeaveOneOut()).fit(rows, y)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-5, atol=1e-7)


def test_leave_one_out_takes_posteriors_that_are_zero() -> None:
    rows, y = np.tile(X, 200), Y
    model = GaussianNB().fit(rows, y)
    assert (model.leave_one_out(rows, y) == 0).any()
    logs = model.leave_one_out_log_proba(rows, y)
    assert np.isfinite(logs).all()
    np.testing.assert_allclose(np.exp(logs), model.leave_one_out(rows, y), atol=1e-12)
    assert Calibrated(GaussianNB(), cv="leave-one-out").fit(rows, y).calibration_.temperature.a == pytest.approx(
        200, rel=0.25
    )


def test_weights_repeat_rows_that_are_left_out() -> None:
    weight = np.tile([1.0, 2.0, 3.0], 100)
    weighted = Calibrated(GaussianNB(), cv="leave-one-out").fit(X, Y, weight)
    times = weight.astype(int)
    repeated = Calibrated(GaussianNB(), cv="leave-one-out").fit(X.repeat(times, axis=0), Y.repeat(times))
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), rtol=1e-6)


def test_a_fitted_model_is_calibrated_on_rows_kept_apart() -> None:
    fitted = GaussianNB().fit(np.tile(X[:150], 5), Y[:150])
    model = Calibrated(fitted, cv="prefit").fit(np.tile(X[150:], 5), Y[150:])
    assert model.model_ is fitted
    assert model.calibration_.temperature.a == pytest.approx(5, rel=0.3)
    frozen = Calibrated(FrozenEstimator(fitted), cv=3).fit(np.tile(X[150:], 5), Y[150:])
    # The folds say the same of the same rows: a frozen model does not learn from them.
    np.testing.assert_allclose(
        frozen.predict_proba(np.tile(X, 5)), model.predict_proba(np.tile(X, 5)), rtol=1e-5, atol=1e-8
    )


def test_rows_kept_apart_may_lack_classes() -> None:
    fitted = GaussianNB().fit(X, np.array(["a", "b", "c"])[Y])
    apart = np.flatnonzero(Y < 2)
    for method in METHODS:
        model = Calibrated(fitted, method, cv="prefit").fit(X[apart], np.array(["a", "b"])[Y[apart]])
        assert model.classes_.tolist() == ["a", "b", "c"]
        found = model.predict_proba(X)
        np.testing.assert_allclose(found.sum(axis=1), 1)
        assert set(model.predict(X[Y == 2])) >= {"c"}
    two = GaussianNB().fit(X[apart], Y[apart])
    one = np.flatnonzero(Y == 1)
    for method in METHODS:
        assert np.isfinite(Calibrated(two, method, cv="prefit").fit(X[one], Y[one]).predict_log_proba(X)).all()


@pytest.mark.parametrize("cv", [5, "leave-one-out"])
@pytest.mark.parametrize("method", METHODS)
def test_the_only_row_of_a_class_is_never_held_out(cv: Any, method: str) -> None:
    rows, y = np.vstack([X, [[40.0, 40, 40, 40]]]), np.append(np.array(["a", "b", "c"])[Y], "only")
    model = Calibrated(GaussianNB(var_smoothing=0.1), method, cv=cv).fit(rows, y)
    assert model.classes_.tolist() == ["a", "b", "c", "only"]
    assert model.model_.classes_.tolist() == ["a", "b", "c", "only"]
    assert model.predict(rows[-1:]).tolist() == ["only"]
    assert np.isfinite(model.predict_log_proba(rows)).all()


@pytest.mark.parametrize("model", [GaussianNB(var_smoothing=0.1), by_fits(GaussianNB(var_smoothing=0.1))])
def test_classes_smaller_than_the_folds_keep_rows_to_learn_from(model: Any) -> None:
    y = np.array(["a", "b"], dtype=object)[(X[:, 0] > 0).astype(int)]
    y[:2] = "two"
    y[2:5] = "three"
    calibrated = Calibrated(model, "platt", cv=5).fit(X, y)
    assert calibrated.classes_.tolist() == ["a", "b", "three", "two"]
    np.testing.assert_allclose(calibrated.predict_proba(X).sum(axis=1), 1)


def test_a_split_that_lacks_a_class_says_nothing_of_its_rows() -> None:
    late = np.flatnonzero(Y == 2)
    early = np.flatnonzero(Y < 2)
    splits = [(early[:150], np.concatenate([early[150:], late])), (np.arange(0, 300, 2), np.arange(1, 300, 2))]
    for model in (GaussianNB(), by_fits(GaussianNB())):
        calibrated = Calibrated(model, "isotonic", cv=splits).fit(X, Y)
        assert calibrated.predict_proba(X).shape == (300, 3)


def test_splitters_and_draws() -> None:
    model = Calibrated(GaussianNB(), "platt", cv=ShuffleSplit(4, test_size=0.3, random_state=0)).fit(X, Y)
    plain = Calibrated(GaussianNB(), "platt").fit(X, Y)
    np.testing.assert_allclose(model.predict_proba(X), plain.predict_proba(X), atol=0.1)


def test_the_seed_decides_the_folds() -> None:
    first, again, other = (Calibrated(GaussianNB(), random_state=seed).fit(X, Y) for seed in (0, 0, 1))
    assert first.calibration_ == again.calibration_
    assert first.calibration_ != other.calibration_


def test_models_of_scikit_learn() -> None:
    searched = GridSearchCV(
        make_pipeline(StandardScaler(), TheirLogistic()), {"logisticregression__C": [1.0, 2.0]}, cv=3
    )
    model = Calibrated(searched, cv=3).fit(X, Y)
    assert model.calibration_.temperature.a == pytest.approx(1, rel=0.3)
    theirs, ours = (
        Calibrated(kind(), cv=3, evidence=None).fit(COUNTS, Y) for kind in (TheirMultinomial, MultinomialNB)
    )
    np.testing.assert_allclose(theirs.predict_proba(COUNTS), ours.predict_proba(COUNTS), rtol=1e-6)


def test_a_source_is_gathered() -> None:
    frame = pd.DataFrame(X, columns=list("abcd"))
    source = MemorySource(X, Y)
    model = Calibrated(GaussianNB()).fit(source)
    np.testing.assert_allclose(model.predict_proba(X), Calibrated(GaussianNB()).fit(frame, Y).predict_proba(frame))


# Evidence


def test_evidence_is_what_a_model_counts() -> None:
    counts = np.array([[2.0, 0, 3], [0, np.nan, 1], [0, 0, 0]])
    for model in (MultinomialNB(), PoissonNB(), ComplementNB()):
        assert model.fit(counts, [0, 1, 1]).evidence(counts).tolist() == [5, 1, 0]
    assert BernoulliNB(binarize=1.0).fit(counts, [0, 1, 1]).evidence(counts).tolist() == [2, 0, 0]
    assert GaussianNB().fit(X[:, :3], Y).evidence(counts).tolist() == [3, 2, 3]
    assert MultinomialNB().fit(counts[::2], [0, 1]).evidence(sparse.csr_array(counts[::2])).tolist() == [5, 0]
    mixed = pd.DataFrame({"a": [1.0, np.nan, 3.0, 4.0], "b": ["x", None, "y", "x"]})
    assert MixedNB().fit(mixed, [0, 0, 1, 1]).evidence(mixed).tolist() == [2, 0, 2, 2]


def stuttering(n: int, seed: int) -> tuple[list[str], np.ndarray, np.ndarray]:
    """Texts of one word, said m times: a naive model is m times as sure as it should be."""
    rng = np.random.default_rng(seed)
    y, times = rng.integers(0, 2, n), rng.integers(1, 200, n)
    said = np.where(rng.random(n) < 0.7, y, 1 - y)
    return [" ".join([("yes", "no")[word]] * m) for word, m in zip(said, times, strict=True)], y, times


def test_the_temperature_of_a_stutterer_grows_like_the_number_of_words() -> None:
    texts, y, _ = stuttering(600, 0)
    inside = make_pipeline(TextCounts(), Calibrated(MultinomialNB())).fit(texts, y)
    around = Calibrated(make_pipeline(TextCounts(), MultinomialNB())).fit(texts, y)
    told = Calibrated(
        make_pipeline(TextCounts(), MultinomialNB()), evidence=lambda rows: [len(t.split()) for t in rows]
    )
    told.fit(texts, y)
    for model in (inside[-1], around, told):
        assert model.calibration_.temperature.b == pytest.approx(1, abs=0.15)
    plain = Calibrated(make_pipeline(TextCounts(), MultinomialNB()), evidence=None).fit(texts, y)
    assert plain.calibration_.temperature.b == 0
    new, truth, _ = stuttering(2000, 1)
    for model in (inside, around, told):
        assert log_loss(model.predict_log_proba(new), truth) < log_loss(plain.predict_log_proba(new), truth)
        np.testing.assert_allclose(model.predict_proba(new).max(axis=1), 0.7, atol=0.1)


def test_a_pipeline_of_steps_that_tell_nothing_has_one_temperature() -> None:
    for last in (TheirLogistic(), GaussianNB()):
        model = Calibrated(make_pipeline(FunctionTransformer(), last)).fit(X, Y)
        assert model.calibration_.temperature.b == 0
