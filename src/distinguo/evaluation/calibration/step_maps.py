"""Maps that only keep the order of scores: isotonic regression, and Venn and Abers' pair of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from distinguo.evaluation.calibration.kernels import with_one_inserted
from distinguo.evaluation.calibration.maps import BinaryMap

Array = NDArray[np.float64]
# What stands at either end against all that was seen there, in rows; half a row is Jeffreys' prior of a share.
DOUBT = 0.5
# Scores this near, beside one and their own size, are the same.
TIED = 1e-9
# By how little log odds rise over a step, so that rows on it keep their order and are not tied.
RISE = 1e-9


@dataclass(frozen=True, eq=False)
class Isotonic(BinaryMap):
    """Probabilities that rise with the score, and are between those of the nearest knots.

    Attributes
    ----------
    knots : (q,) log odds, ascending.
    probabilities : (q,) none of them 0 or 1.

    Examples
    --------
    >>> yes, _ = Isotonic(np.array([-1.0, 1.0]), np.array([0.2, 0.6])).logs(np.array([-5.0, 0.0]))
    >>> np.exp(yes).round(6).tolist()
    [0.2, 0.4]
    """

    knots: Array
    probabilities: Array

    def logs(self, odds: Array) -> tuple[Array, Array]:
        """log p and log(1 - p)."""
        p = np.interp(odds, self.knots, self.probabilities)
        return _risen(np.log(p), np.log1p(-p), odds)


@dataclass(frozen=True, eq=False)
class VennAbers(BinaryMap):
    """The probability between two: a row's own label is not known, and isotonic regression is done with either.

    Of p0, had it not the class, and p1, had it, it is p1 / (1 - p0 + p1), which errs least at the worst in log loss.

    Attributes
    ----------
    upper_knots, upper : (q1,) the highest log odds at which p1 is so much, and p1; beyond the last it is 1.
    lower_knots, lower : (q0,) the lowest log odds from which p0 is so much, and p0; before the first it is 0.
    """

    upper_knots: Array
    upper: Array
    lower_knots: Array
    lower: Array

    def pair(self, odds: Array) -> tuple[Array, Array]:
        """The two probabilities p0 and p1, each of the shape of the log odds."""
        p1 = np.append(self.upper, 1.0)[np.searchsorted(self.upper_knots, odds, side="left")]
        p0 = np.append(0.0, self.lower)[np.searchsorted(self.lower_knots, odds, side="right")]
        return p0, p1

    def logs(self, odds: Array) -> tuple[Array, Array]:
        """log p and log(1 - p)."""
        p0, p1 = self.pair(odds)
        total = np.log(1 - p0 + p1)
        return _risen(np.log(p1) - total, np.log1p(-p0) - total, odds)


def _risen(yes: Array, no: Array, odds: Array) -> tuple[Array, Array]:
    """log p and log(1 - p) moved by next to nothing."""
    rise = RISE * odds / (1 + np.abs(odds))
    return yes + rise * np.exp(no), no - rise * np.exp(yes)


@dataclass(frozen=True, eq=False)
class _Groups:
    """Rows by their score, from the lowest to the highest; scores are alike that only rounding tells apart.

    Attributes
    ----------
    lowest, highest : (q,) scores of each group, and what rounding may take them for.
    rows, own : (q,) weight of its rows, and of those with the class.
    """

    lowest: Array
    highest: Array
    rows: Array
    own: Array

    @classmethod
    def of(cls, odds: Array, is_own: NDArray[np.bool_], weight: Array) -> _Groups:
        order = np.argsort(odds, kind="stable")
        scores = odds[order]
        blur = TIED * (1 + np.abs(scores))
        begins = np.append(True, np.diff(scores) > blur[1:])
        ends = np.append(begins[1:], True)
        place = np.cumsum(begins) - 1
        rows, own = (np.bincount(place, parts[order]).astype(np.float64) for parts in (weight, weight * is_own))
        return cls((scores - blur)[begins], (scores + blur)[ends], rows, own)


def fit_isotonic(odds: Array, is_own: NDArray[np.bool_], weight: Array) -> Isotonic:
    """Isotonic regression with half a row of the class below all others, and half a row of another class above them.

    These keep every probability off 0 and 1, and shrink like one over the number of rows.
    """
    from sklearn.isotonic import isotonic_regression

    groups = _Groups.of(odds, is_own, weight)
    share = np.concatenate([[1.0], groups.own / groups.rows, [0.0]])
    fitted = isotonic_regression(share, sample_weight=np.concatenate([[DOUBT], groups.rows, [DOUBT]]))[1:-1]
    turns = np.flatnonzero(np.diff(fitted) != 0)
    ends = np.unique(np.concatenate([[0], turns, turns + 1, [len(fitted) - 1]]))
    return Isotonic(((groups.lowest + groups.highest) / 2)[ends], np.asarray(fitted[ends], np.float64))


def fit_venn_abers(odds: Array, is_own: NDArray[np.bool_], weight: Array) -> VennAbers:
    """Both probabilities for a row at, and between, any of the scores (Vovk, Petej and Fedorova 2015, section 3)."""
    groups = _Groups.of(odds, is_own, weight)
    others = groups.rows - groups.own
    p1 = with_one_inserted(groups.rows, groups.own)
    p0 = np.asarray(1 - with_one_inserted(groups.rows[::-1].copy(), others[::-1].copy())[::-1], np.float64)
    last, first = np.append(np.diff(p1) != 0, True), np.append(True, np.diff(p0) != 0)
    return VennAbers(groups.highest[last], p1[last], groups.lowest[first], p0[first])
