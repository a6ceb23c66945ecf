"""Class scores as the arithmetic that they are, whichever model they come from; one writer a language takes each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from distinguo.hyperplane import Affine

Array = NDArray[np.float64]
Places = NDArray[np.intp]


@dataclass(frozen=True)
class DistanceScores:
    r""":math:`s_k = l_k - r_k d_k` with :math:`d_k = |W_k^\top (x - c) - z_k|^2`; or log(1 + h_k d_k), of a t, for d_k.

    Attributes
    ----------
    centre : (p,)
    whiten : K matrices (p, r).
    points : (K, r) z.
    levels, rates : (K,) l and r.
    shrinks : (K,) h, or None for plain distances.
    """

    centre: Array
    whiten: tuple[Array, ...]
    points: Array
    levels: Array
    rates: Array
    shrinks: Array | None = None


@dataclass(frozen=True)
class Squares:
    r"""Gaussian columns: :math:`-\tfrac12 \sum_j (((x_j - m_{kj}) u_{kj})^2 + c_{kj})`.

    Attributes
    ----------
    places : (q,) of the columns.
    means, roots, constants : (K, q) m, u and c.
    """

    places: Places
    means: Array
    roots: Array
    constants: Array


@dataclass(frozen=True)
class Multiples:
    r"""Counts: :math:`\sum_j (x_j w_{kj} - r_{kj})`, or minus infinity where a count is above zero that cannot be.

    Attributes
    ----------
    places : (q,) of the columns.
    weights, rates : (K, q) w and r.
    impossible : (K, q) where there can be no count.
    """

    places: Places
    weights: Array
    rates: Array
    impossible: NDArray[np.bool_]


@dataclass(frozen=True)
class Remainders:
    r"""Counts given their total, some missing: :math:`-\sum_j x_j \log \sum_{j\,\text{there}} \theta_{kj}`.

    Attributes
    ----------
    places : (q,) of the columns.
    theta : (K, q) probabilities of the columns.
    """

    places: Places
    theta: Array


@dataclass(frozen=True)
class Cuts:
    """Cells above a threshold or not.

    Attributes
    ----------
    places : (q,) of the columns.
    threshold : what a cell must be above of.
    above, below : (K, q) what either adds; may be minus infinity.
    """

    places: Places
    threshold: float
    above: Array
    below: Array


@dataclass(frozen=True)
class Table:
    """A column of categories.

    Attributes
    ----------
    place : of the column.
    categories : L texts or L numbers.
    logs : (L + 1, K) what each adds, and at the end any other; may be minus infinity.
    """

    place: int
    categories: list[Any]
    logs: Array


# What some columns add to the scores; a missing cell adds nothing.
Term = Squares | Multiples | Remainders | Cuts | Table


def all_words(categories: list[Any]) -> bool:
    """Whether a column of these categories holds words, and not numbers."""
    return all(isinstance(category, str) for category in categories)


@dataclass(frozen=True)
class ColumnSums:
    """Scores that are sums over the columns.

    Attributes
    ----------
    levels : (K,) scores of a row without any cell.
    terms : what the columns add.
    """

    levels: Array
    terms: tuple[Term, ...]


# Scores of K classes, log prior + log p(x | class) up to a constant of the row, or whatever a model ranks by.
Scores = Affine | DistanceScores | ColumnSums
