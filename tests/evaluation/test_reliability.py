"""Reliability tables, calibration errors and slopes: the lectures' numbers, independent programs, and laws."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import expit, logit, softmax
from sklearn.calibration import calibration_curve
from sklearn.pipeline import make_pipeline

from distinguo import MultinomialNB, TextCounts, reliability, scan_texts
from distinguo.evaluation.assessment.calibration_line import calibration_line
from distinguo.exceptions import InputError

LECTURE_BINS = [0, 0.5, 0.7, 0.9, 0.99, 0.999, 1]


def simulated(n: int, seed: int, K: int = 3, temperature: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    """Classes drawn by probabilities, which then are made more extreme (below one) or more cautious (above)."""
    rng = np.random.default_rng(seed)
    scores = 2 * rng.normal(size=(n, K))
    y = (softmax(scores, axis=1).cumsum(axis=1) < rng.uniform(size=(n, 1))).sum(axis=1)
    return np.minimum(y, K - 1), softmax(scores / temperature, axis=1)


def test_lecture_15_newsgroups_reliability(shared_data: Callable[[str], Path]) -> None:
    """Multinomial naive Bayes, alpha .1: counts, mean confidences and shares as printed; ECE .093 over 15 bins."""
    files = {part: shared_data(f"20news_lecture_{part}.csv.gz") for part in ("train", "test")}
    texts = {part: scan_texts(file, "text", nulls=()) for part, file in files.items()}
    news = {part: ([str(text) for text in found], found.labels("category")) for part, found in texts.items()}
    counts = TextCounts(min_df=2, remove=("headers", "footers", "quotes"))
    model = make_pipeline(counts, MultinomialNB(alpha=0.1)).fit(*news["train"])
    X, y = news["test"]
    found = reliability(y, model.predict_proba(X), model.classes_, bins=LECTURE_BINS)
    assert found.top.count.tolist() == [77, 39, 58, 80, 68, 1221]
    assert found.top.mean_confidence.round(3).tolist() == [0.300, 0.589, 0.816, 0.958, 0.995, 1.000]
    assert found.top.share_correct.round(3).tolist() == [0.338, 0.436, 0.517, 0.600, 0.676, 0.956]
    fifteen = reliability(y, model.predict_proba(X), model.classes_, bins=15)
    assert round(fifteen.ece, 3) == 0.093
    assert fifteen.top.line.slope.high < 0.2  # surer than it may be, by far
    assert fifteen.top.ece_by_chance < 0.02


@pytest.mark.parametrize("strategy", ["width", "quantile"])
def test_tables_of_a_class_are_calibration_curves_of_scikit_learn(strategy: str) -> None:
    y, p = simulated(500, 0)
    found = reliability(y, p, bins=8, strategy=strategy)
    for k in range(3):
        share, mean = calibration_curve(
            y == k, p[:, k], n_bins=8, strategy="uniform" if strategy == "width" else strategy
        )
        table = found.of(k)
        filled = table.count > 0
        # Quantiles of scikit-learn lie between rows and ours at rows, which then are in the bin above.
        tolerance = 1e-12 if strategy == "width" else 0.03
        assert table.share_correct[filled] == pytest.approx(share, abs=tolerance)
        assert table.mean_confidence[filled] == pytest.approx(mean, abs=tolerance)
        if strategy == "quantile":
            assert np.abs(table.count - 500 / 8).max() <= 1
        weights = table.count[filled] / 500
        expected = weights @ np.abs(table.share_correct - table.mean_confidence)[filled]
        assert table.ece == pytest.approx(expected)
    assert found.ece_classwise == pytest.approx(np.mean([found.of(k).ece for k in range(3)]))
    assert found.of(None) is found.top


def sampling_error(p: np.ndarray, edges: np.ndarray) -> float:
    """Standard deviation of the calibration error of right probabilities: of sums of |Z| over the bins."""
    doubt = np.bincount(np.digitize(p, edges[1:-1]), p * (1 - p))
    return float(np.sqrt((1 - 2 / np.pi) * doubt.sum()) / len(p))


@pytest.mark.parametrize("n", [300, 3000, 30_000])
@pytest.mark.parametrize("K", [2, 3, 10])
def test_calibrated_probabilities_have_an_error_near_zero(n: int, K: int) -> None:
    """Within its sampling error of what chance makes; probabilities that are off are not."""
    y, p = simulated(n, K, K)
    found = reliability(y, p, np.arange(K))
    edges = np.linspace(0, 1, 11)
    for table, values in [(found.top, p.max(axis=1)), *((found.of(k), p[:, k]) for k in range(K))]:
        assert abs(table.ece - table.ece_by_chance) < 3.5 * sampling_error(values, edges)
        assert table.line.slope.low < 1 + 0.5 * (table.line.slope.high - table.line.slope.low)
    assert found.ece < 2.5 / np.sqrt(n)
    y, sure = simulated(n, K, K, temperature=0.5)
    off = reliability(y, sure, np.arange(K))
    assert off.ece > off.top.ece_by_chance + 3.5 * sampling_error(sure.max(axis=1), edges)


def test_slopes_hold_one_as_often_as_they_say() -> None:
    many = 200
    slopes = np.zeros(3)
    for i in range(many):
        y, p = simulated(400, 100 + i, 2)
        line = calibration_line(p[:, 1], y == 1, np.ones(400), 0.95)
        slopes += [
            c.low <= truth <= c.high for c, truth in ((line.slope, 1), (line.intercept, 0), (line.in_the_large, 0))
        ]
    assert slopes / many == pytest.approx(0.95, abs=3.5 * np.sqrt(0.95 * 0.05 / many))


@pytest.mark.parametrize(("temperature", "slope"), [(0.5, 0.5), (2.0, 2.0)])
def test_slopes_are_what_the_log_odds_were_divided_by(temperature: float, slope: float) -> None:
    y, p = simulated(4000, 1, 2, temperature)
    line = reliability(y, p).of(1).line
    assert line.slope.low < slope < line.slope.high
    assert line.in_the_large.low < 0 < line.in_the_large.high


def test_lines_are_maximum_likelihood() -> None:
    """Against a general minimiser: slope and intercept, and the intercept alone with the slope held at one."""
    y, p = simulated(400, 3, 2)
    p = np.column_stack([1 - expit(logit(p[:, 1]) * 1.5 + 1.5), expit(logit(p[:, 1]) * 1.5 + 1.5)])
    z, outcome = logit(p[:, 1]), y == 1
    weight = np.random.default_rng(0).integers(0, 3, 400)

    def loss(a: float, b: float) -> float:
        return float(weight @ (np.logaddexp(0, a + b * z) - outcome * (a + b * z)))

    line = reliability(y, p, sample_weight=weight).of(1).line
    both = minimize(lambda v: loss(v[0], v[1]), [0, 1], tol=1e-10).x
    alone = minimize(lambda v: loss(v[0], 1), [0], tol=1e-10).x
    assert (line.intercept.value, line.slope.value) == pytest.approx(both, abs=1e-5)
    assert line.in_the_large.value == pytest.approx(alone[0], abs=1e-5)
    # Wald's interval of the intercept alone: the sum of p (1 - p) is its information.
    fitted = expit(z + line.in_the_large.value)
    reach = 1.959964 / np.sqrt(weight @ (fitted * (1 - fitted)))
    assert line.in_the_large.high - line.in_the_large.value == pytest.approx(reach, rel=1e-6)
    assert line.in_the_large.high < 0  # they were made too high on purpose


@settings(max_examples=20)
@given(st.integers(0, 10_000), st.sampled_from(["width", "quantile"]))
def test_weights_are_repetition(seed: int, strategy: str) -> None:
    y, p = simulated(40, seed)
    rng = np.random.default_rng(seed)
    y[:3] = [0, 1, 2]
    weight = rng.integers(0, 4, 40)
    weight[:3] = 1
    written = rng.permutation(np.repeat(np.arange(40), weight))
    weighted = reliability(y, p, bins=5, strategy=strategy, sample_weight=weight)
    longer = reliability(y[written], p[written], bins=5, strategy=strategy)
    for a, b in zip((weighted.top, *weighted.by_class), (longer.top, *longer.by_class), strict=True):
        for name in a.headings:
            assert getattr(a, name) == pytest.approx(getattr(b, name), nan_ok=True), name
        assert (a.ece, a.ece_by_chance) == pytest.approx((b.ece, b.ece_by_chance))


def test_bins_have_their_lower_edge_and_the_last_its_upper_too() -> None:
    p = np.array([0.0, 0.25, 0.5, 0.75, 1.0])
    table = reliability(["n", "n", "y", "y", "y"], np.column_stack([1 - p, p]), ["n", "y"], bins=4).of("y")
    assert table.count.tolist() == [1, 1, 1, 2]
    assert table.lower.tolist() == [0, 0.25, 0.5, 0.75]
    given_edges = reliability(["n", "n", "y", "y", "y"], np.column_stack([1 - p, p]), ["n", "y"], bins=[0, 0.5, 1])
    assert given_edges.of("y").count.tolist() == [2, 3]


def test_equal_probabilities_leave_fewer_bins() -> None:
    p = np.repeat([0.2, 0.8], 50)
    table = reliability(np.repeat([0, 1], 50), np.column_stack([1 - p, p]), bins=10, strategy="quantile").of(1)
    assert table.count.tolist() == [50, 50]
    assert table.line.note == "a cut tells the outcomes apart, and no slope is too steep"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"bins": 0}, "bins=0 must be a whole number of at least 1"),
        ({"bins": 2.5}, "bins=2.5 must be a whole number"),
        ({"bins": [0.5, 1]}, r"bins=\[0.5, 1.0\]: edges must rise from 0 to 1|edges must rise from 0 to 1"),
        ({"bins": [0, 0.5, 0.5, 1]}, "edges must rise from 0 to 1"),
        ({"bins": [0, 0.5]}, "edges must rise from 0 to 1"),
        ({"bins": [0, float("nan"), 1]}, "edges must rise from 0 to 1"),
        ({"bins": [[0, 1]]}, "edges must rise from 0 to 1"),
        ({"bins": [0, 0.5, 1], "strategy": "quantile"}, "strategy='quantile' cannot act where bins are edges"),
        ({"strategy": "uniform"}, "strategy='uniform' is not known; use 'width' or 'quantile'"),
        ({"confidence": 0}, "confidence=0 must lie between 0 and 1"),
    ],
)
def test_options_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        reliability([0, 1], [[0.5, 0.5], [0.2, 0.8]], **options)


def test_a_class_that_is_not_there_is_named() -> None:
    with pytest.raises(InputError, match="'z' is no class; they are 0, 1"):
        reliability([0, 1], [[0.5, 0.5], [0.2, 0.8]]).of("z")


def test_it_prints_and_serialises() -> None:
    y, p = simulated(200, 5)
    found = reliability(y, p, bins=[0, 0.1, 0.5, 1])
    text = str(found)
    assert text.startswith("probabilities of the predicted class in 200 rows, 95 % intervals\nfrom   to  rows")
    assert "\n   0  0.1     0           -        -" in text
    assert "(predicted)" in text
    assert "in the large" in text
    plain = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert plain["top"]["mean_confidence"][0] is None
    assert plain["ece"] == found.ece
    assert plain["by_class"][2]["line"]["slope"]["value"] == found.of(2).line.slope.value
    assert found.top.to_frame().shape == (3, 7)
    assert "<table>" in found._repr_html_()


def test_many_classes_are_cut_with_a_count_of_what_was_cut() -> None:
    y, p = simulated(1000, 6, 60)
    text = str(reliability(y, p, np.arange(60)))
    assert "(12 classes of the greatest ECE out of 60)" in text
    assert len(text.splitlines()) < 40


def test_edges_close_to_one_can_be_told_apart() -> None:
    p = 1 - 10.0 ** -np.arange(1, 13)
    table = reliability(np.ones(12, dtype=int), np.column_stack([1 - p, p]), [0, 1], bins=6, strategy="quantile").of(1)
    shown = [line.split()[0] for line in str(table).splitlines()[2:]]
    assert len(set(shown)) == len(shown) > 4
