"""Why a row is taken for one class rather than another: what each column adds to the log-odds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from distinguo.rows.labels import is_missing, label_text

Array = NDArray[np.float64]
# Probabilities nearer than this to 0 or 1 are said to be so near, for only what is certain is shown as 0 or 1.
NEAR = 5e-4
SHOWN = 10
# Whole cells below this are written out.
LONG = 1e9


@dataclass(frozen=True)
class Line:
    """A line of an explanation as people read it.

    Attributes
    ----------
    kind : what adds: a "column", the "others" together, the "start", or the "sum" of all.
    name : of the column, or of what it is.
    cell : the column's cell as text; empty where there is none.
    adds : to the log-odds, in nats.
    """

    kind: Literal["column", "others", "start", "sum"]
    name: str
    cell: str
    adds: float


@dataclass(frozen=True, eq=False)
class Explanation:
    r"""One decision as a sum: :math:`\log \frac{P(a | x)}{P(b | x)} = s + \sum_j c_j`.

    Of models that describe classes the start s is :math:`\log(\pi_a / \pi_b)`, what the priors say, and the columns add
    the log-likelihood ratio: in naive Bayes each its own, in LDA its normal times the cell's distance from half-way
    between the two means. Of logistic regression s is the log-odds of an average row, and a column adds its coefficient
    times the cell's distance from the average.

    Attributes
    ----------
    label, against : the classes a and b.
    classes : (K,) all classes.
    names : (p,) the columns.
    values : (p,) the row's cells.
    contributions : (p,) c, in nats; above zero what speaks for a, below what speaks for b.
    start : s, the log-odds before any column is looked at.
    start_is : what that is: "prior", "average row", or "row of zeros"; with ", calibrated" where it is divided by a
        temperature, as the parts then are.
    log_odds : the sum of all; infinite where one class is impossible.
    probability : P(a | x) among all classes, the very number of `predict_proba`.

    References
    ----------
    Možina, Demšar, Kattan and Zupan (2004), Nomograms for visualization of naive Bayesian classifier, PKDD, 337-348.
    """

    label: Any
    against: Any
    classes: NDArray[Any]
    names: NDArray[Any]
    values: NDArray[Any]
    contributions: Array
    start: float
    start_is: str
    log_odds: float
    probability: float

    def largest(self, n: int = SHOWN) -> list[tuple[str, float]]:
        """The n columns that add most, for either class, with what they add."""
        return [(str(self.names[j]), float(self.contributions[j])) for j in self._order(n)]

    def lines(self, n: int = SHOWN) -> list[Line]:
        """The n columns that add most, the others together, the start, and the sum.

        Of more columns than n, those that add nothing, such as words that a text does not have, are left unsaid.
        """
        order = self._order(n)
        p = len(self.contributions)
        if p > len(order):
            order = order[self.contributions[order] != 0]
        lines = [
            Line("column", str(self.names[j]), cell_text(self.values[j]), float(self.contributions[j])) for j in order
        ]
        rest = np.delete(self.contributions, order)
        if rest.any():
            lines.append(Line("others", _others(int(np.count_nonzero(rest))), "", float(rest.sum())))
        start = Line("start", self.start_is, "", self.start)
        return [*lines, start, Line("sum", "log-odds", "", self.log_odds)]

    def _order(self, n: int) -> NDArray[np.intp]:
        """Places of the n largest contributions; equal ones in the order of the columns."""
        size = np.abs(self.contributions)
        if n < len(size):  # sorting all of very many columns would take longest of all
            least = np.partition(size, len(size) - n)[len(size) - n] if n > 0 else np.inf
            few = np.flatnonzero(size >= least)
        else:
            few = np.arange(len(size))
        return few[np.argsort(-size[few], kind="stable")][:n]

    @property
    def headline(self) -> str:
        """The decision in a line, with its probability."""
        return (
            f"{label_text(self.label)} rather than {label_text(self.against)}: P {probability_text(self.probability)}"
        )

    def __str__(self) -> str:
        """A line for each of the ten columns that add most, the others together, the start, and the sum."""
        lines = self.lines()
        return "\n".join([self.headline, *(f"{line.adds:+10.3f}  {_named(line)}" for line in lines)])


def _named(line: Line) -> str:
    return f"{line.name} = {line.cell}" if line.cell else line.name


def _others(m: int) -> str:
    return "the other column" if m == 1 else f"the other {m} columns"


def probability_text(probability: float) -> str:
    """A probability as text that follows a P, with three digits; what is not certain is not said to be.

    Examples
    --------
    >>> [probability_text(p) for p in (0.8674, 0.99999, 1.0, 1e-9)]
    ['= 0.867', '> 0.999', '= 1', '< 0.001']
    """
    if 1 - NEAR <= probability < 1:
        return "> 0.999"
    if 0 < probability < NEAR:
        return "< 0.001"
    return f"= {probability:.3g}"


def usual_text(value: Any) -> str:
    """What is usual of a cell: a mean in four digits, or a category.

    Examples
    --------
    >>> [usual_text(value) for value in (27.6148, 15169.31, 1.0, "red")]
    ['27.61', '15169', '1', 'red']
    """
    if not isinstance(value, float) or not np.isfinite(value):
        return cell_text(value)
    return f"{value:.0f}" if 1e4 <= abs(value) < LONG else f"{value:.4g}"


def cell_text(value: Any) -> str:
    """A cell as people read it.

    Examples
    --------
    >>> [cell_text(value) for value in (2.0, 0.123456, 31.41592, 120000.0, "red", None)]
    ['2', '0.123', '31.416', '120000', 'red', 'missing']
    """
    if is_missing(value):
        return "missing"
    if not isinstance(value, float):
        return str(value)
    whole = value.is_integer() and abs(value) < LONG
    return f"{value:.0f}" if whole else f"{value:.3g}" if abs(value) < 1 else f"{value:.5g}"
