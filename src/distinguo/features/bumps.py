"""Gaussian bumps over the rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from distinguo.exceptions import InputError
from distinguo.features.basis import Standard, check_positive, check_whole, gaussian_kernel
from distinguo.features.transformer import BasisTransformer, Functions
from distinguo.options import generator_of
from distinguo.rows.validation import real_numbers
from distinguo.solvers.kmeans import kmeans, squared_distances

Array = NDArray[np.float64]

MOST_CENTERS = 10_000
# The width of a lone bump, in standard deviations: it has no neighbour to be measured by.
LONE_WIDTH = 1.0


@dataclass(frozen=True)
class Bumps(Functions):
    """Gaussian functions of the distance to centres, in standardised columns.

    Attributes
    ----------
    standard : how columns are standardised.
    centers : (m, q) standardised.
    width : in standard deviations.
    """

    standard: Standard
    centers: Array
    width: float

    def __call__(self, X: Array) -> Array:
        """Values (n, m)."""
        return gaussian_kernel(self.standard(X), self.centers, self.width, 0)

    def names(self, columns: Sequence[str]) -> list[str]:
        """As "bump0", "bump1"."""
        return [f"bump{m}" for m in range(len(self.centers))]


class GaussianBasis(BasisTransformer):
    r"""Gaussian bumps over the rows, one a centre.

    .. math:: \phi_m(x) = \exp\left(-\frac{d(x, c_m)^2}{2 w^2}\right), \qquad
        d(x, c)^2 = \frac1q \sum_j \left(\frac{x_j - c_j}{s_j}\right)^2

    with the standard deviations s of the q columns that vary: units do not matter, and a width means the same in few
    columns and many. A model linear in the bumps draws closed curves: a ring inside a ring is a sum of bumps. Far from
    all centres every bump is zero. Constant columns are left out with a warning.

    Parameters
    ----------
    centers : {"kmeans", "grid"} or (m, p) array, default "kmeans"
        Where the bumps are: where k-means finds the rows, on an even grid over their range, or as given, in the
        columns' units.
    n_centers : int, optional
        How many; on a grid, along each column. 10 by default, on a grid 5. Not to be given with an array.
    width : float, optional
        Of the bumps, in standard deviations; by default the median distance d from a centre to its nearest neighbour.
    random_state : int, generator or None, default 0
        Where the seeds of k-means come from.

    Attributes
    ----------
    centers_ : (m, p) in the columns' units.
    width_ : float, in standard deviations.
    n_features_in_, feature_names_in_

    References
    ----------
    Bishop (2006), Pattern Recognition and Machine Learning, 3.1 and 6.3. Moody and Darken (1989), Fast learning in
    networks of locally-tuned processing units, Neural Computation 1, 281-294.

    Examples
    --------
    >>> X = [[0.0], [1.0], [9.0], [10.0]]
    >>> basis = GaussianBasis(n_centers=2, width=0.5).fit(X)
    >>> sorted(basis.centers_.ravel().round(6).tolist())
    [0.5, 9.5]
    >>> basis.transform([[0.5]]).max().round(6).item()
    1.0
    """

    def __init__(
        self, centers: Any = "kmeans", n_centers: int | None = None, width: float | None = None, random_state: Any = 0
    ) -> None:
        self.centers = centers
        self.n_centers = n_centers
        self.width = width
        self.random_state = random_state

    def _find(self, X: Array, weight: Array, standard: Standard) -> Bumps:
        width = None if self.width is None else check_positive(self.width, "width")
        rng = generator_of(self.random_state)
        if isinstance(self.centers, str):
            if self.centers not in CENTERS:
                raise InputError(
                    f"centers={self.centers!r} is not known; use {', '.join(map(repr, CENTERS))}, or an array (m, p)."
                )
            centers = CENTERS[self.centers](standard(X), weight, self.n_centers, rng)
        else:
            centers = standard(self._given(X.shape[1]))
        self.centers_ = np.tile(X[0], (len(centers), 1))  # a constant column has its value
        self.centers_[:, standard.columns] = standard.centre + centers * standard.scale
        self.width_ = _width(centers) if width is None else width
        return Bumps(standard, centers, self.width_)

    def _given(self, p: int) -> Array:
        """Checked centres (m, p)."""
        centers = real_numbers(self.centers, "centers must be 'kmeans', 'grid', or numbers, one row a centre.")
        if centers.ndim != 2 or centers.shape[1] != p or not len(centers) or not np.isfinite(centers).all():
            raise InputError(f"centers must be finite and of shape (m, {p}), one row a centre; it is {centers.shape}.")
        if self.n_centers is not None:
            raise InputError(f"n_centers={self.n_centers!r} has no effect where centers are given; leave it out.")
        return centers


def _width(centers: Array) -> float:
    """The median distance from a centre to the nearest other one."""
    distances = squared_distances(centers, centers) / centers.shape[1]
    distances[np.diag_indices_from(distances)] = np.inf
    nearest = np.sqrt(distances.min(axis=1))
    nearest = nearest[np.isfinite(nearest) & (nearest > 0)]
    return float(np.median(nearest)) if len(nearest) else LONE_WIDTH


def _by_kmeans(Z: Array, weight: Array, n_centers: int | None, rng: np.random.Generator) -> Array:
    """Centres where the rows are; equal rows count as one of their weight, in an order of their own."""
    k = 10 if n_centers is None else check_whole(n_centers, "n_centers", 1)
    rows, place = np.unique(Z, axis=0, return_inverse=True)
    if len(rows) < k:
        raise InputError(f"{len(rows)} different sample(s) cannot have {k} centres; ask for fewer with n_centers.")
    return kmeans(rows, np.bincount(place.ravel(), weight).astype(np.float64), k, rng)


def _by_grid(Z: Array, weight: Array, n_centers: int | None, rng: np.random.Generator) -> Array:
    """Centres evenly over the range of each column, in all combinations."""
    k = 5 if n_centers is None else check_whole(n_centers, "n_centers", 1)
    q = Z.shape[1]
    if k**q > MOST_CENTERS:
        raise InputError(
            f"a grid of {k} centres along each of {q} columns has more than {MOST_CENTERS}. Ask for fewer with "
            "n_centers, choose columns, or use centers='kmeans'."
        )
    low, high = Z.min(axis=0), Z.max(axis=0)
    steps = np.linspace(0, 1, k) if k > 1 else np.array([0.5])
    axes = (low + steps[:, None] * (high - low)).T  # (q, k)
    return np.array(list(product(*axes)))


CENTERS: dict[str, Callable[[Array, Array, int | None, np.random.Generator], Array]] = {
    "kmeans": _by_kmeans,
    "grid": _by_grid,
}
