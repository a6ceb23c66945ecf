"""Does a class fall into two clumps? A split in two against one Gaussian, along each column."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy import special

from distinguo.group_tests.shape import BIN, CENTRES

Array = NDArray[np.float64]

# Shares of the lower part, and what the split leaves of the variance, that are tried.
SHARES: Array = special.expit(np.linspace(-1, 1, 25) * special.logit(0.95))
WITHIN: Array = np.geomspace(0.0025, 0.95, 24)
# Rows of a class below which the calibration of the ratio does not hold.
LEAST_ROWS = 20
# Upper edge of P(ratio > x) / ((x + 1)/√x exp(-x/2)) over simulated Gaussian classes of LEAST_ROWS rows and more.
TAIL = 0.6
# Log-densities are not told apart below this, so that one far row does not make an infinity.
LEAST_DENSITY = 1e-300


@dataclass(frozen=True)
class Split:
    """The best split of a class in two along one direction, in the class's standard units.

    Attributes
    ----------
    direction : its number.
    p_value : of one Gaussian, or one hump, being enough; over all directions.
    share : of the rows, in the lower part.
    low, high : means of the two parts.
    separation : between the centres, in standard deviations within a part.
    valley : rows between the parts, over those at the lesser one's centre, in windows of one width; at most one.
    """

    direction: int
    p_value: float
    share: float
    low: float
    high: float
    separation: float
    valley: float


@dataclass(frozen=True, eq=False)
class _Grid:
    """Mixtures of two Gaussians of one width, with mean 0 and variance 1.

    Attributes
    ----------
    low, high, width, cut : (G,) centres, standard deviation, and where both parts are as likely.
    ratio : (B, G) logarithm of the mixture's over the standard Gaussian's probability of each bin.
    """

    low: Array
    high: Array
    width: Array
    cut: Array
    ratio: Array


@lru_cache(maxsize=1)
def _grid() -> _Grid:
    share, within = (a.ravel() for a in np.meshgrid(SHARES, WITHIN, indexing="ij"))
    width = np.sqrt(within)
    gap = np.sqrt((1 - within) / (share * (1 - share)))
    low, high = -(1 - share) * gap, share * gap
    mixed = share[:, None] * _bin_shares(low, width) + (1 - share[:, None]) * _bin_shares(high, width)
    one = _bin_shares(np.zeros(1), np.ones(1))
    ratio = np.log(np.maximum(mixed, LEAST_DENSITY)) - np.log(np.maximum(one, LEAST_DENSITY))
    cut = (low + high) / 2 + within / gap * np.log(share / (1 - share))
    return _Grid(low, high, width, cut, np.ascontiguousarray(ratio.T))


def _bin_shares(mean: Array, width: Array) -> Array:
    """(G, B) probability of each bin under Gaussians; the outermost bins have the tails."""
    edges = (CENTRES[:-1] + BIN / 2 - mean[:, None]) / width[:, None]
    below, above = special.ndtr(edges), special.ndtr(-edges)
    # Differences of the smaller tail keep their digits far from the mean.
    inner = np.where(edges[:, :-1] > 0, above[:, :-1] - above[:, 1:], below[:, 1:] - below[:, :-1])
    return np.concatenate([below[:, :1], inner, above[:, -1:]], axis=1)


def find_split(counts: Array) -> Split:
    r"""The split in two that is least like one Gaussian, among the directions, with its p-value.

    Two conditions, each with a p; that of a direction is the greater one, as both must fail (intersection-union):

    1. One Gaussian. The likelihood ratio of the best of a grid of mixtures
       :math:`\alpha N(a, \sigma^2) + (1 - \alpha) N(b, \sigma^2)` with the mean and variance of the class, 25 α from
       .05 to .95 and 24 σ² from .0025 to .95 of the variance. On so bounded a grid twice its logarithm, x, has a limit,
       with a tail like :math:`\sqrt x e^{-x/2}`. Its p is taken as
       :math:`.6 (x + 1) x^{-1/2} e^{-x/2}`, the upper edge of 200 000 simulated Gaussian classes of 20 rows; among more
       rows (up to 20 000 were simulated) so large an x is rarer.
    2. One hump. Between the centres, where both parts are as likely, there must be fewer rows than at the lesser of the
       two, in windows of a third of their distance that do not overlap: under a density with one hump, at the
       greater part, a row of the two windows is in the first at least as often as a fair coin shows heads (binomial).

    Directions that depend on the rows through the class's mean and covariance only, as columns and principal
    directions do, have standardised rows that are independent of them (Basu), so the distribution of x is that of one
    column whatever p. The least p is multiplied by the number of directions (Bonferroni).

    Parameters
    ----------
    counts : (D, B) rows, by frequency, in bins of the standardised directions.

    Returns
    -------
    Split

    Examples
    --------
    >>> counts = np.zeros((1, len(CENTRES)))
    >>> counts[0, [138, 142, 178, 182]] = 50
    >>> split = find_split(counts)
    >>> split.p_value < 1e-20, round(split.share, 2), round(split.low, 2), round(split.high, 2)
    (True, 0.5, -1.0, 1.0)

    References
    ----------
    Hartigan (1977), in Classification and Clustering, 45-72. McLachlan and Peel (2000), Finite Mixture Models, 6.5.
    Basu (1955), Sankhya 15, 377-380. Berger (1982), Technometrics 24, 295-300.
    """
    grid = _grid()
    ratios = counts @ grid.ratio
    best = ratios.argmax(axis=1)
    x = np.maximum(2 * ratios[np.arange(len(counts)), best], np.finfo(np.float64).tiny)
    one_gaussian = np.minimum(TAIL * (x + 1) / np.sqrt(x) * np.exp(-x / 2), 1.0)
    one_hump = np.array([_hump_tail(row, grid, g) for row, g in zip(counts, best.tolist(), strict=True)])
    each = np.maximum(one_gaussian, one_hump)
    # The likelihood decides between directions whose p-values are all zero, or all one.
    d = int(np.lexsort((-x, each))[0])
    return _split(counts[d], grid, int(best[d]), d, min(float(each[d]) * len(counts), 1.0))


def _hump_tail(counts: Array, grid: _Grid, g: int) -> float:
    """P of so few rows between the parts, against those at the lesser part, if there is no valley between."""
    valley, lesser = _valley(counts, grid, g)
    if lesser <= valley:
        return 1.0
    # P(Binomial(N, 1/2) <= valley), which also takes frequencies that are not whole.
    return float(special.betainc(lesser, valley + 1, 0.5))


def _valley(counts: Array, grid: _Grid, g: int) -> tuple[float, float]:
    """Rows between the parts, and at the centre of the lesser one."""
    half = (grid.high[g] - grid.low[g]) / 6
    # Parts that overlap may be as likely beyond a centre, where rows are few without a valley; windows stay apart.
    between = float(np.clip(grid.cut[g], grid.low[g] + 2 * half, grid.high[g] - 2 * half))
    centres = min(_near(counts, grid.low[g], half), _near(counts, grid.high[g], half))
    return _near(counts, between, half), centres


def _near(counts: Array, centre: float, half: float) -> float:
    """Rows within `half` of the centre; windows of one width have as many bins wherever they are."""
    reach = round(half / BIN)
    middle = round(centre / BIN) + len(counts) // 2
    return float(counts[max(middle - reach, 0) : max(middle + reach + 1, 0)].sum())


def _split(counts: Array, grid: _Grid, g: int, direction: int, p_value: float) -> Split:
    """What the two parts look like, from the rows themselves, cut where both are as likely."""
    is_low = grid.cut[g] > CENTRES
    low, high = counts[is_low], counts[~is_low]
    valley, lesser = _valley(counts, grid, g)
    return Split(
        direction=direction,
        p_value=p_value,
        share=float(low.sum() / counts.sum()),
        low=_mean(low, CENTRES[is_low], grid.low[g]),
        high=_mean(high, CENTRES[~is_low], grid.high[g]),
        separation=float((grid.high[g] - grid.low[g]) / grid.width[g]),
        valley=valley / lesser if valley < lesser else 1.0,
    )


def _mean(counts: Array, centres: Array, otherwise: float) -> float:
    """The mean of binned rows, or the fitted centre where there are none."""
    total = counts.sum()
    return float(counts @ centres / total) if total > 0 else float(otherwise)
