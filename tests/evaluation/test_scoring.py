"""Brier's score and its parts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import brier_score_loss

from distinguo import Evaluation, brier_split


def rows(K: int, seed: int, n: int = 60) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(K), rng.integers(0, K, n - K)])
    p = rng.dirichlet(np.ones(K), n) * 0.6 + 0.4 * (y[:, None] == np.arange(K))
    return y, p


@given(st.integers(2, 6), st.integers(0, 10_000), st.integers(1, 12), st.sampled_from(["width", "quantile"]))
def test_three_parts_are_the_score_of_binned_forecasts(K: int, seed: int, bins: int, strategy: str) -> None:
    """Replacing each forecast by its bin's mean gives a score that the three parts sum to; the rest is told."""
    y, p = rows(K, seed)
    split = brier_split(y, p, bins=bins, strategy=strategy)
    scale = 0.5 if K == 2 else 1
    outcome = np.eye(K)[y]
    edges = split.edges
    averaged = np.empty_like(p)
    for k in range(K):
        if edges is None:
            inner = np.quantile(p[:, k], np.arange(1, bins) / bins, method="inverted_cdf")
        else:
            inner = np.array(edges[1:-1])
        place = np.searchsorted(np.unique(inner), p[:, k], side="right")
        averaged[:, k] = [p[place == b, k].mean() for b in place]
    binned = scale * ((averaged - outcome) ** 2).sum(axis=1).mean()
    assert split.binned == pytest.approx(binned, abs=1e-12)
    assert split.reliability - split.resolution + split.uncertainty == pytest.approx(binned, abs=1e-12)
    assert split.brier == pytest.approx(brier_score_loss(y, p if K > 2 else p[:, 1], labels=np.arange(K)))
    assert split.brier == pytest.approx(split.binned + split.within_bins, abs=1e-12)
    assert min(split.reliability, split.resolution, split.uncertainty) >= 0


def test_forecasts_of_few_values_lose_nothing_to_binning() -> None:
    """Murphy (1973): where every bin has one value, the parts are exact; computed here by hand."""
    p = np.repeat([0.1, 0.5, 0.9], [40, 20, 40])
    y = np.concatenate([np.arange(40) < 8, np.arange(20) < 10, np.arange(40) < 34]).astype(int)
    split = brier_split(y, np.column_stack([1 - p, p]))
    base = 52 / 100
    assert split.reliability == pytest.approx(0.4 * 0.1**2 + 0.4 * 0.05**2)
    assert split.resolution == pytest.approx(
        0.4 * (0.2 - base) ** 2 + 0.2 * (0.5 - base) ** 2 + 0.4 * (0.85 - base) ** 2
    )
    assert split.uncertainty == pytest.approx(base * (1 - base))
    assert split.within_bins == pytest.approx(0, abs=1e-15)
    assert str(split).endswith("+0.0000 within bins")


def test_the_split_of_an_evaluation_is_over_ten_bins() -> None:
    y, p = rows(4, 1)
    found = Evaluation.of(y, p, n_bootstrap=0)
    assert found.brier_split == brier_split(y, p)
    assert found.brier_split.brier == found["brier"].value


def test_the_shares_of_the_classes_have_the_uncertainty_for_their_score() -> None:
    y, _ = rows(3, 2)
    shares = np.bincount(y) / len(y)
    split = brier_split(y, np.tile(shares, (len(y), 1)))
    assert split.brier == pytest.approx(split.uncertainty)
    assert split.reliability == pytest.approx(0, abs=1e-15)
    assert split.resolution == pytest.approx(0, abs=1e-15)


def test_weights_are_repetition() -> None:
    y, p = rows(3, 3)
    weight = np.random.default_rng(0).integers(0, 4, len(y))
    again = np.repeat(np.arange(len(y)), weight)
    for strategy in ("width", "quantile"):
        weighted = brier_split(y, p, sample_weight=weight, strategy=strategy).to_dict()
        written = brier_split(y[again], p[again], strategy=strategy).to_dict()
        assert weighted.pop("edges") == written.pop("edges")
        assert weighted == pytest.approx(written)
