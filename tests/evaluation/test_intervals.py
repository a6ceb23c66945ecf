"""Intervals hold the truth as often as they say, and are those of rows drawn again one by one."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest
from sklearn import metrics

from distinguo import Evaluation
from distinguo.evaluation.assessment import resamples
from distinguo.evaluation.assessment.areas import areas_of
from distinguo.evaluation.assessment.intervals import percentiles, wilson
from distinguo.evaluation.assessment.label_metrics import label_metrics, resampled_margins
from distinguo.evaluation.assessment.measures import METRICS
from distinguo.evaluation.assessment.resamples import row_counts
from distinguo.evaluation.truth import truth_of

CLASSES = np.arange(3)


def sample(n: int, rng: np.random.Generator, K: int = 3) -> tuple[np.ndarray, np.ndarray]:
    """Classes in fixed shares, and probabilities that are right half of the time or so."""
    y = np.arange(n) % K
    z = rng.normal(size=(n, K)) + 1.2 * (y[:, None] == np.arange(K))
    return y, np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)


@given(st.integers(0, 300), st.integers(1, 300), st.sampled_from([0.5, 0.9, 0.95, 0.99]))
def test_wilson_is_scipys(right: int, n: int, confidence: float) -> None:
    right = min(right, n)
    low, high = wilson(right / n, n, confidence)
    expected = binomtest(right, n).proportion_ci(confidence, method="wilson")
    assert (float(low), float(high)) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_percentiles_leave_undefined_resamples_out_while_they_are_few() -> None:
    values = np.arange(101.0)
    found = percentiles(np.append(values, [np.nan] * 5), 0.5)
    assert (found.low, found.high) == pytest.approx((25, 75))
    assert percentiles(np.append(values, [np.nan] * 6), 0.5).note == "undefined in 6 % of the resamples"


@pytest.mark.parametrize("weights", ["ones", "whole", "one heavy", "heavy", "fractions"])
def test_each_class_draws_as_many_as_it_has_in_proportion_to_weights(weights: str) -> None:
    rng = np.random.default_rng(1)
    codes = np.repeat([0, 1, 2], [5, 1, 14])
    weight = {
        "ones": np.ones(20),
        "whole": rng.integers(1, 5, 20) * 1.0,
        "one heavy": np.append(np.ones(19), 40.0),
        "heavy": rng.integers(1, 5, 20) * 100.0,
        "fractions": rng.uniform(0.5, 3, 20),
    }[weights]
    many = 4000
    drawn = np.concatenate([np.asarray(b, dtype=float) for b in row_counts(codes, weight, many, rng)])
    assert drawn.shape == (many, 20)
    for k in range(3):
        assert drawn[:, codes == k].sum(axis=1) == pytest.approx(np.full(many, weight[codes == k].sum()))
    assert np.ptp(drawn[:, 5]) == 0  # alone in its class
    share = weight / np.bincount(codes, weight)[codes]
    variance = np.bincount(codes, weight)[codes] * share * (1 - share)
    off = np.abs(drawn.mean(axis=0) - weight) / np.sqrt(np.maximum(variance, 1e-12) / many)
    assert off.max() < 3.5
    # The variance of a multinomial count: with a relative standard error of about (2 / B)^.5.
    seen = drawn.var(axis=0)[variance > 1e-9] / variance[variance > 1e-9]
    assert np.abs(seen - 1).max() < (0.15 if weights == "fractions" else 3.5 * np.sqrt(3 / many))


def test_blocks_are_as_many_as_asked_for_whatever_their_size(monkeypatch: pytest.MonkeyPatch) -> None:
    y, p = sample(60, np.random.default_rng(0))
    whole = Evaluation.of(y, p, n_bootstrap=100).to_dict()
    monkeypatch.setattr(resamples, "BLOCK", 60 * 7)
    assert Evaluation.of(y, p, n_bootstrap=100).to_dict() == whole


@pytest.mark.parametrize("ties", [False, True])
def test_areas_of_a_resample_are_those_of_scikit_learn_at_its_weights(ties: bool) -> None:
    rng = np.random.default_rng(2)
    y, p = sample(90, rng)
    p = p.round(1) if ties else p
    truth = truth_of(y, CLASSES, None)
    factor = np.array([1.0, 2.5, 0.5])
    (block,) = row_counts(truth.codes, truth.weight, 20, rng)
    found = areas_of(truth, p, factor)(block)
    for b, counts in enumerate(block):
        weight = counts * factor[y]
        for k in range(3):
            roc = metrics.roc_auc_score(y == k, p[:, k], sample_weight=weight)
            pr = metrics.average_precision_score(y == k, p[:, k], sample_weight=weight)
            assert found["roc_area"][b, k] == pytest.approx(roc, rel=1e-12)
            assert found["pr_area"][b, k] == pytest.approx(pr, rel=1e-12)
        again = np.repeat(np.arange(90), counts)
        pairs = [
            metrics.roc_auc_score(y[again][which] == i, p[again][which, i])
            for i in range(3)
            for j in range(3)
            if i != j and (which := np.isin(y[again], [i, j])).any()
        ]
        assert found["hand_till"][b] == pytest.approx(np.mean(pairs), rel=1e-12)


def test_cells_drawn_again_are_rows_drawn_again() -> None:
    """Means and standard deviations of every label metric over resamples, by cells and by scikit-learn over rows."""
    rng = np.random.default_rng(3)
    y, p = sample(60, rng)
    said = p.argmax(axis=1)
    many = 500
    counts = metrics.confusion_matrix(y, said).astype(float)
    by_cells = label_metrics(resampled_margins(counts, 3, np.ones(3), many, rng))
    rows = [np.concatenate([rng.choice(np.flatnonzero(y == k), 20) for k in range(3)]) for _ in range(many)]
    score: dict[str, Callable[[Any, Any], float]] = {
        "accuracy": metrics.accuracy_score,
        "mcc": metrics.matthews_corrcoef,
        "kappa": metrics.cohen_kappa_score,
        "macro_f1": lambda a, b: metrics.f1_score(a, b, average="macro"),
    }
    for name, function in score.items():
        by_rows = np.array([function(y[r], said[r]) for r in rows])
        difference = by_cells[name].mean() - by_rows.mean()
        assert abs(difference) < 3.5 * by_rows.std() * np.sqrt(2 / many), name
        # A standard deviation from B resamples has a relative standard error of about (2 B)^-.5, and here are two.
        assert abs(by_cells[name].std() / by_rows.std() - 1) < 3.5 * np.sqrt(1 / many), name


def test_intervals_of_means_are_those_of_their_standard_errors() -> None:
    """With many rows, the bootstrap of a mean within classes is Gaussian, of the standard error within classes."""
    y, p = sample(3000, np.random.default_rng(4))
    density = np.random.default_rng(5).exponential(size=3000) + 3 * y
    found = Evaluation.of(y, p, log_density=density, n_bootstrap=2000)
    losses = {"log_loss": -np.log(p[np.arange(3000), y]), "brier": ((p - np.eye(3)[y]) ** 2).sum(axis=1)}
    for name, values in (losses | {"log_density": density}).items():
        error = np.sqrt(sum(values[y == k].var() / 1000 for k in range(3)) / 9)
        e = found[name]
        assert e.value == pytest.approx(values.mean())
        for end, sign in ((e.low, -1), (e.high, 1)):
            # The 2.5th percentile of 2000 draws has a standard error of .06 standard deviations.
            assert abs((end - values.mean()) / error - sign * 1.96) < 3.5 * 0.06 + 0.03, name


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    many = 300
    truth = Evaluation.of(*sample(300_000, np.random.default_rng(6)), n_bootstrap=0)
    held = dict.fromkeys([e for e in METRICS if e != "log_density"], 0)
    for i in range(many):
        found = Evaluation.of(*sample(240, np.random.default_rng(5000 + i)), n_bootstrap=200)
        for name in held:
            key = (name, 1) if METRICS[name].per_class else name
            held[name] += found[key].low <= truth[key].value <= found[key].high
    # Percentile intervals of 80 rows a class fall a little short, to .93 or so; 200 resamples blur their ends.
    shares = {name: count / many for name, count in held.items()}
    assert shares == pytest.approx(dict.fromkeys(held, 0.935), abs=3.5 * np.sqrt(0.935 * 0.065 / many))


def test_a_share_that_does_not_vary_has_wilsons_interval() -> None:
    found = Evaluation.of(["a"] * 10 + ["b"] * 20, predicted=["a"] * 10 + ["b"] * 20)
    expected = binomtest(10, 10).proportion_ci(0.95, method="wilson")
    assert (found["recall", "a"].low, found["recall", "a"].high) == pytest.approx((expected.low, 1.0))
    assert found["recall", "a"].note == "Wilson's interval; the same in every resample"
    assert found["accuracy"].low == pytest.approx(binomtest(30, 30).proportion_ci(0.95, method="wilson").low)
    assert found["specificity", "a"].low == pytest.approx(binomtest(20, 20).proportion_ci(0.95, method="wilson").low)
    mcc = found["mcc"]
    assert (mcc.value, mcc.low, mcc.high, mcc.note) == (1.0, None, None, "the same in every resample")
    once = Evaluation.of(["a"] * 10 + ["b"] * 20, predicted=["b"] * 29 + ["a"])  # precision of a from one row
    assert re.fullmatch(r"Wilson's interval; undefined in 3\d % of the resamples", once["precision", "a"].note or "")
    assert (once["precision", "a"].low, once["precision", "a"].high) == pytest.approx(wilson(0.0, 1))


def test_weights_make_the_intervals_of_rows_written_out() -> None:
    rng = np.random.default_rng(7)
    y, p = sample(150, rng)
    weight = rng.integers(1, 6, 150)
    written = np.repeat(np.arange(150), weight)
    weighted = Evaluation.of(y, p, sample_weight=weight, n_bootstrap=3000)
    longer = Evaluation.of(y[written], p[written], n_bootstrap=3000, random_state=1)
    for name in ("accuracy", "mcc", "macro_roc_area", "hand_till", "log_loss", "brier"):
        a, b = weighted[name], longer[name]
        width = b.high - b.low
        # Each end has a standard error of .05 standard deviations, a quarter of the width each; two are compared.
        assert abs(a.low - b.low) < 3.5 * 0.05 * np.sqrt(2) * width / 3.9
        assert abs(a.high - b.high) < 3.5 * 0.05 * np.sqrt(2) * width / 3.9


def test_very_many_rows_and_classes_are_ranked_in_fewer_resamples(monkeypatch: pytest.MonkeyPatch) -> None:
    y, p = sample(90, np.random.default_rng(8))
    full = Evaluation.of(y, p, n_bootstrap=300)
    monkeypatch.setattr(resamples, "MOST_WORK", 90 * (1 + 3) * 220)
    fewer = Evaluation.of(y, p, n_bootstrap=300)
    assert "the intervals of areas, losses and densities are from 220 resamples, for rows are many" in fewer.notes
    assert fewer["accuracy"] == full["accuracy"]
    for name in ("hand_till", "log_loss"):
        assert fewer[name].value == full[name].value
        assert fewer[name].low != full[name].low
    assert not full.notes
    assert not Evaluation.of(y, predicted=p.argmax(axis=1), n_bootstrap=300).notes
    monkeypatch.setattr(resamples, "MOST_WORK", 1)  # never less than 200
    assert "from 200 resamples" in Evaluation.of(y, p, n_bootstrap=300).notes[0]
    assert not Evaluation.of(y, p, n_bootstrap=150).notes
