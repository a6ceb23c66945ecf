"""What holds of every calibration, whatever the scores."""

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.special import log_softmax, softmax

from distinguo import Calibrated, GaussianNB, LinearDiscriminantAnalysis, MultinomialNB
from distinguo.evaluation.calibration.calibrated import METHODS
from distinguo.evaluation.calibration.maps import Calibration, fit_calibration
from distinguo.evaluation.calibration.scores import leads
from distinguo.evaluation.calibration.temperature import HeldOut
from tests.evaluation.calibration_cases import Array, calibration_error, clouds, drawn, log_loss

few = settings(max_examples=40)  # of each of five methods
every_method = pytest.mark.parametrize("method", METHODS)


@st.composite
def rows(draw: Any, least: int = 2, most: int = 4) -> HeldOut:
    """Scores of any scale, tied, impossible or far apart, and classes that have to do with them, or not."""
    K, n = draw(st.integers(least, most)), draw(st.integers(3, 40))
    rng = np.random.default_rng(draw(st.integers(0, 1000)))
    scores = rng.normal(size=(n, K)) * draw(st.sampled_from([1e-3, 1.0, 300.0]))
    if draw(st.booleans()):
        scores = np.round(scores, 1)
    if draw(st.booleans()):
        scores[rng.random((n, K)) < 0.1] = -np.inf
        scores[np.isneginf(scores).all(axis=1)] = 0.0
    codes = scores.argmax(axis=1) if draw(st.booleans()) else rng.integers(0, K, n)
    weight = rng.integers(1, 4, n).astype(float) if draw(st.booleans()) else np.ones(n)
    evidence = rng.integers(0, 50, n).astype(float) if draw(st.booleans()) else None
    return HeldOut(scores, codes.astype(np.intp), weight, evidence)


def fitted(held: HeldOut, method: str) -> Calibration:
    return fit_calibration(held, METHODS[method])


def fresh(held: HeldOut) -> tuple[Array, Array | None]:
    """Scores that were not seen, and evidence: where steps are, rounding would decide."""
    rng = np.random.default_rng(0)
    size = np.abs(np.where(np.isneginf(held.scores), 0.0, held.scores)).max()
    scores = rng.normal(size=(30, held.scores.shape[1])) * size
    return scores, None if held.evidence is None else rng.integers(0, 50, 30).astype(float)


def probabilities(held: HeldOut, method: str, scores: Array, evidence: Array | None) -> Array:
    return np.exp(fitted(held, method).log_probabilities(scores, evidence))


@every_method
@few
@given(held=rows())
def test_probabilities_sum_to_one_and_logarithms_are_finite(method: str, held: HeldOut) -> None:
    logs = fitted(held, method).log_probabilities(held.scores, held.evidence)
    assert np.isfinite(logs).all()
    np.testing.assert_allclose(np.exp(logs).sum(axis=1), 1, rtol=1e-12)


@pytest.mark.parametrize("method", ["isotonic", "venn-abers"])
@few
@given(held=rows())
def test_what_is_learned_from_few_rows_is_never_certain(method: str, held: HeldOut) -> None:
    calibration = fitted(held, method)
    far = np.concatenate([held.scores, 1e6 * np.eye(held.scores.shape[1])])
    evidence = None if held.evidence is None else np.append(held.evidence, np.full(held.scores.shape[1], 9.0))
    found = np.exp(calibration.log_probabilities(far, evidence))
    # A class has at least half a row against it, in every map, of twice all rows or fewer.
    least = 0.25 / (1 + held.weight.sum() * held.scores.shape[1]) / held.scores.shape[1]
    assert found.min() > least
    assert found.max() < 1 - least


@every_method
@few
@given(held=rows(2, 2))
def test_two_classes_keep_the_order_of_rows(method: str, held: HeldOut) -> None:
    plain = HeldOut(held.scores, held.codes, held.weight, None)
    calibration = fitted(plain, method)
    scaled = calibration.temperature.scaled(held.scores, None)
    logs = calibration.log_probabilities(held.scores, None)
    order = np.argsort(scaled[:, 1] - scaled[:, 0], kind="stable")
    assert (np.diff((logs[:, 1] - logs[:, 0])[order]) >= -1e-9).all()


@few
@given(held=rows())
def test_temperature_keeps_the_most_probable_class(held: HeldOut) -> None:
    logs = fitted(held, "temperature").log_probabilities(held.scores, held.evidence)
    best = logs[np.arange(len(logs)), held.scores.argmax(axis=1)]
    np.testing.assert_allclose(best, logs.max(axis=1), atol=1e-12)


@every_method
@few
@given(held=rows(), seed=st.integers(0, 99))
def test_the_order_of_classes_and_of_rows_does_not_matter(method: str, held: HeldOut, seed: int) -> None:
    rng = np.random.default_rng(seed)
    order, turned = rng.permutation(held.scores.shape[1]), rng.permutation(len(held.codes))
    evidence = None if held.evidence is None else held.evidence[turned]
    codes = np.argsort(order)[held.codes[turned]]
    other = HeldOut(held.scores[turned][:, order], codes, held.weight[turned], evidence)
    scores, seen = fresh(held)
    found = probabilities(other, method, scores[:, order], seen)
    np.testing.assert_allclose(found, probabilities(held, method, scores, seen)[:, order], rtol=1e-5, atol=1e-6)


@every_method
@few
@given(held=rows(), scale=st.sampled_from([1e-4, 7.0, 1e5]), shift=st.floats(-100, 100))
def test_the_scale_of_scores_does_not_matter(method: str, held: HeldOut, scale: float, shift: float) -> None:
    """Nor does a constant of the row: they are scores, and no log posteriors."""
    found = leads(held.scores)
    assume((np.isfinite(found) & (found < 0)).any())  # else nothing has a scale
    shifts = shift * np.arange(len(held.codes))[:, None] * scale / 100
    other = HeldOut(held.scores * scale + shifts, held.codes, held.weight, held.evidence)
    scores, seen = fresh(held)
    found = probabilities(other, method, scores * scale, seen)
    np.testing.assert_allclose(found, probabilities(held, method, scores, seen), rtol=1e-4, atol=1e-5)


@every_method
@few
@given(held=rows())
def test_weights_are_repetitions(method: str, held: HeldOut) -> None:
    times = held.weight.astype(int)
    evidence = None if held.evidence is None else held.evidence.repeat(times)
    repeated = HeldOut(held.scores.repeat(times, axis=0), held.codes.repeat(times), np.ones(times.sum()), evidence)
    scores, seen = fresh(held)
    found = probabilities(repeated, method, scores, seen)
    np.testing.assert_allclose(found, probabilities(held, method, scores, seen), rtol=1e-5, atol=1e-6)


@every_method
@pytest.mark.parametrize("K", [2, 4])
def test_what_is_calibrated_already_changes_little(method: str, K: int) -> None:
    rng = np.random.default_rng(11)
    scores = log_softmax(rng.normal(scale=2.0, size=(6000, K)), axis=1)
    codes = drawn(softmax(scores, axis=1), rng)
    calibration = fitted(HeldOut(scores, codes, np.ones(6000), None), method)
    new = log_softmax(rng.normal(scale=2.0, size=(4000, K)), axis=1)
    logs = calibration.log_probabilities(new, None)
    moved = np.abs(np.exp(logs) - np.exp(new)).mean()
    assert moved < (0.025 if method in {"isotonic", "venn-abers"} else 0.01)
    outcomes = drawn(np.exp(new), rng)
    assert log_loss(logs, outcomes) < log_loss(new, outcomes) + 0.02
    assert calibration_error(np.exp(logs), outcomes) < 0.03


@every_method
@pytest.mark.parametrize("K", [2, 3])
def test_what_is_far_too_sure_is_mended(method: str, K: int) -> None:
    """Each column ten times: naive Bayes takes every copy for news."""
    X, y = clouds(1500, K, 2, seed=5)
    X = np.tile(X, 10)
    raw = GaussianNB().fit(X[::2], y[::2])
    model = Calibrated(GaussianNB(), method).fit(X[::2], y[::2])
    test, truth = X[1::2], y[1::2]
    assert calibration_error(raw.predict_proba(test), truth) > 0.15
    assert calibration_error(model.predict_proba(test), truth) < 0.06
    assert log_loss(model.predict_log_proba(test), truth) < 0.5 * log_loss(raw.predict_log_proba(test), truth)
    assert model.score(test, truth) > raw.score(test, truth) - 0.02


@settings(max_examples=20)
@given(seed=st.integers(0, 1000))
@every_method
def test_names_of_classes_do_not_matter(method: str, seed: int) -> None:
    X, y = clouds(60, 3, 2, seed)
    names: NDArray[Any] = np.array(["z", "m", "a"])[y]
    model = Calibrated(LinearDiscriminantAnalysis(), method, cv=3).fit(X, y)
    splits = [(np.flatnonzero(np.arange(60) % 5 != k), np.flatnonzero(np.arange(60) % 5 == k)) for k in range(5)]
    model.set_params(cv=splits).fit(X, y)
    other = Calibrated(LinearDiscriminantAnalysis(), method, cv=splits).fit(X, names)
    assert other.classes_.tolist() == ["a", "m", "z"]
    np.testing.assert_allclose(other.predict_proba(X)[:, ::-1], model.predict_proba(X), rtol=1e-5, atol=1e-6)


def test_a_log_posterior_of_minus_800_counts() -> None:
    """Two texts whose posteriors are 0 and 1 in float64, one surer than the other by far."""
    rng = np.random.default_rng(12)
    lengths = rng.integers(20, 3000, 300)
    y = np.arange(300) % 2
    share = np.array([[0.6, 0.4], [0.4, 0.6]])
    noisy = np.where(rng.random(300) < 0.1, 1 - y, y)
    X = np.array([rng.multinomial(m, share[k]) for m, k in zip(lengths, noisy, strict=True)])
    model = Calibrated(MultinomialNB(), evidence=None).fit(X, y)
    texts = [[1500, 0], [3000, 0]]
    assert (model.model_.predict_proba(texts)[:, 1] < 1e-200).all()
    assert model.model_.predict_log_proba(texts)[1, 1] < -800
    logs = model.predict_log_proba(texts)[:, 1]
    assert logs[1] < 1.8 * logs[0] < 0
