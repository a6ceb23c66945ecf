"""The terms of MARS: products of hinges, their values, and how people read them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

ABOVE, LINE, BELOW = 1, 0, -1


@dataclass(frozen=True)
class Hinge:
    """One bend of one column.

    Attributes
    ----------
    feature : the column.
    knot : where it bends, in the column's units.
    side : 1 for max(0, x - knot), -1 for max(0, knot - x), 0 for the straight line x - knot.

    Examples
    --------
    >>> Hinge(0, 2.0, 1).values(np.array([1.0, 5.0])).tolist()
    [0.0, 3.0]
    """

    feature: int
    knot: float
    side: int

    def values(self, x: Array) -> Array:
        """(n,) of a column (n,)."""
        height = self.knot - x if self.side == BELOW else x - self.knot
        return height if self.side == LINE else np.maximum(height, 0.0)

    def text(self, name: str) -> str:
        """As it is written in formulas; numbers to six digits."""
        if self.side == BELOW:
            return f"max(0, {self.knot:.6g} - {name})"
        height = name if self.knot == 0 else f"{name} {'-' if self.knot > 0 else '+'} {abs(self.knot):.6g}"
        if self.side == ABOVE:
            return f"max(0, {height})"
        return height if self.knot == 0 else f"({height})"


@dataclass(frozen=True)
class Term:
    """A product of hinges of different columns; without hinges, the constant 1.

    Examples
    --------
    >>> term = Term((Hinge(0, 2.0, 1), Hinge(1, 1.5, -1)))
    >>> term.text(["age", "dose"]), term.values(np.array([[5.0, 1.0]])).tolist()
    ('max(0, age - 2) * max(0, 1.5 - dose)', [1.5])
    """

    hinges: tuple[Hinge, ...] = ()

    @property
    def features(self) -> frozenset[int]:
        """The columns that take part."""
        return frozenset(hinge.feature for hinge in self.hinges)

    def times(self, hinge: Hinge) -> Term:
        """The product with one more hinge."""
        return Term((*self.hinges, hinge))

    def values(self, X: Array) -> Array:
        """(n,) of rows (n, p)."""
        product = np.ones(len(X))
        for hinge in self.hinges:
            product *= hinge.values(X[:, hinge.feature])
        return product

    def text(self, names: Sequence[str]) -> str:
        """As it is written in formulas."""
        return " * ".join(hinge.text(names[hinge.feature]) for hinge in self.hinges) or "1"


def basis(terms: Sequence[Term], X: Array) -> Array:
    """The values (n, terms) of all terms in rows (n, p)."""
    values = np.empty((len(X), len(terms)))
    for column, term in enumerate(terms):
        values[:, column] = term.values(X)
    return values


def formula(terms: Sequence[Term], coefficients: Array, names: Sequence[str]) -> str:
    """Coefficients (terms,) times terms, the constant first, one term a line.

    Examples
    --------
    >>> print(formula([Term(), Term((Hinge(0, 2.0, 1),))], np.array([1.5, -3.0]), ["age"]))
    1.5
      - 3 * max(0, age - 2)
    """
    lines = []
    for term, coefficient in zip(terms, coefficients, strict=True):
        if term.hinges:
            sign = "-" if coefficient < 0 else "+"
            lines.append(f"  {sign} {abs(coefficient):.6g} * {term.text(names)}")
        else:
            lines.append(f"{coefficient:.6g}")
    return "\n".join(lines)
