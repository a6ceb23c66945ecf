"""Powers and products of the columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import comb

import numpy as np
from numpy.typing import NDArray

from distinguo.exceptions import InputError
from distinguo.features.basis import Standard, check_whole, powers, products
from distinguo.features.transformer import BasisTransformer, Functions

Array = NDArray[np.float64]

MOST_PRODUCTS = 20_000


@dataclass(frozen=True)
class Powers(Functions):
    """Products of standardised columns; see `powers`.

    Attributes
    ----------
    standard : how columns are standardised.
    degree, interactions : which products.
    """

    standard: Standard
    degree: int
    interactions: bool

    def __call__(self, X: Array) -> Array:
        """Values (n, m)."""
        return powers(self.standard(X), self.degree, self.interactions)

    def names(self, columns: Sequence[str]) -> list[str]:
        """As "x0", "x0^2", "x0 x1"."""
        kept = [columns[j] for j in self.standard.columns]
        return [
            " ".join(kept[j] if power == 1 else f"{kept[j]}^{power}" for j, power in Counter(product).items())
            for product in products(len(kept), self.degree, self.interactions)
        ]


class PolynomialBasis(BasisTransformer):
    r"""Powers and products of the columns, each first at mean zero and variance one.

    .. math:: \phi_m(x) = \prod_{j \in m} \frac{x_j - \bar x_j}{s_j}, \qquad |m| \le \text{degree}

    A model linear in these draws curves of that degree: with 2, ellipses, parabolas and hyperbolas. Standardising makes
    units not matter where coefficients are penalised, and keeps high powers within reach of float64. The constant is
    left to the model, and constant columns are left out with a warning.

    Parameters
    ----------
    degree : int, default 2
        The greatest sum of exponents.
    interactions : bool, default True
        Whether products of different columns take part, or powers of each column alone.

    Attributes
    ----------
    n_features_in_, feature_names_in_

    References
    ----------
    Hastie, Tibshirani and Friedman (2009), The Elements of Statistical Learning, 5.1.

    Examples
    --------
    >>> basis = PolynomialBasis().fit([[0.0, 5.0], [2.0, 5.5], [4.0, 6.0]])
    >>> basis.get_feature_names_out().tolist()
    ['x0', 'x1', 'x0^2', 'x0 x1', 'x1^2']
    >>> basis.transform([[4.0, 5.5]]).round(3).tolist()
    [[1.225, 0.0, 1.5, 0.0, 0.0]]
    """

    def __init__(self, degree: int = 2, interactions: bool = True) -> None:
        self.degree = degree
        self.interactions = interactions

    def _find(self, X: Array, weight: Array, standard: Standard) -> Powers:
        degree = check_whole(self.degree, "degree", 1)
        if not isinstance(self.interactions, bool | np.bool_):
            raise InputError(f"interactions={self.interactions!r} must be True or False.")
        q = len(standard.columns)
        m = comb(q + degree, degree) - 1 if self.interactions else q * degree
        if m > MOST_PRODUCTS:
            raise InputError(
                f"degree={degree} gives {m} products of {q} columns, more than {MOST_PRODUCTS}. Choose columns, a "
                "lower degree, or interactions=False."
            )
        return Powers(standard, degree, bool(self.interactions))
