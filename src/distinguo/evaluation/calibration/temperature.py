"""The first stage of every calibration: one temperature by which scores are divided, growing with the evidence."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from distinguo.evaluation.calibration.kernels import of_temperature
from distinguo.evaluation.calibration.scores import leads
from distinguo.solvers.newton import Point, newton

Array = NDArray[np.float64]
# Where the search begins: at the best of these logarithms of a typical lead over the temperature, by so many rows.
GRID = tuple(np.arange(-6.0, 6.5, 0.5).tolist())
ENOUGH = 1000


@dataclass(frozen=True)
class HeldOut:
    """What was said of rows that the model had not seen, and what they were.

    Attributes
    ----------
    scores : (m, K) logarithms, up to a constant of the row.
    codes : (m,) the classes.
    weight : (m,) frequencies.
    evidence : (m,) how much there was to see of each row, or None.
    """

    scores: Array
    codes: NDArray[np.intp]
    weight: Array
    evidence: Array | None


@dataclass(frozen=True)
class Temperature:
    r"""Scores divided by :math:`T = a (1 + m)^b`, m being the evidence of the row.

    Attributes
    ----------
    a, b : of the temperature; b is zero where it is the same for all rows.
    impossible : the lead, below zero, of a class that a model called impossible.

    Examples
    --------
    >>> Temperature(2.0, 0.0, -100.0).scaled(np.array([[0.0, -4.0]]), None).tolist()
    [[0.0, -2.0]]
    """

    a: float
    b: float
    impossible: float

    def of(self, evidence: Array | None) -> Array:
        """The temperature (n, 1) of rows, or (1, 1)."""
        if evidence is None:
            return np.full((1, 1), self.a)
        return np.asarray(self.a * np.power(1 + evidence, self.b)[:, None])

    def scaled(self, scores: Array, evidence: Array | None) -> Array:
        """Leads (n, K) at the temperature: the highest of a row is zero, and all are finite."""
        return np.asarray(finite(leads(scores), self.impossible) / self.of(evidence if self.b else None))


def finite(found: Array, impossible: float) -> Array:
    """Leads (n, K), those of impossible classes being twice the least that is possible, or `impossible` if less."""
    ruled_out = np.isneginf(found)
    if not ruled_out.any():
        return found
    least = np.where(ruled_out, 0.0, found).min(axis=1, keepdims=True)
    return np.where(ruled_out, np.minimum(2 * least, impossible), found)


def strange_share(weight: Array) -> float:
    """What share of rows is taken to be of any class: less than any that one error among the rows would show."""
    return float((1 + weight.sum()) ** -2)


def fit_temperature(held: HeldOut) -> Temperature:
    r"""The temperature under which the classes of the rows held out are the most probable.

    Maximised is

    .. math:: \sum_i w_i \log\left((1 - \epsilon) q_i(y_i) + \frac{\epsilon}{K}\right)
              + \tfrac12 \log \sum_i w_i \operatorname{Var}_i - \tfrac12 b^2,
              \qquad \epsilon = \frac{1}{(1 + \sum_i w_i)^2}

    That any row at all is of some class or other has one chance in the number of rows, lest a few whose class the model
    ruled out by thousands, as models of many columns do, heat all others. Var is the variance of a row's scaled scores
    under its own q: Jeffreys' prior, without which the temperature of rows that are all right would be zero. The last
    term is a normal prior. None of them moves with the scale of the scores.
    """
    raw = leads(held.scores)
    possible = np.where(np.isneginf(raw), 0.0, raw)
    impossible = 2 * float(possible.min()) or -1.0
    found = finite(raw, impossible)
    mean = -found.mean(axis=1)
    if not mean.any():  # the same score for every class: there is nothing to scale
        return Temperature(1.0, 0.0, impossible)
    size = float(np.quantile(mean[mean > 0], 0.5, weights=held.weight[mean > 0], method="inverted_cdf"))
    growth = np.zeros(len(found)) if held.evidence is None else np.log1p(held.evidence)
    centre, unit = float(np.average(growth, weights=held.weight)), float(growth.std())
    design = np.ones((len(found), 1))
    if unit > 1e-9:
        design = np.column_stack([design, (growth - centre) / unit])
    likelihood = _Likelihood(found / size, held.codes, held.weight, design, unit, strange_share(held.weight))
    start = np.zeros(design.shape[1])
    start[0] = min(GRID, key=likelihood.some().at_one_temperature)
    theta = newton(likelihood, start, weight=float(held.weight.sum()), endless=False).value.at
    b = -float(theta[1]) / unit if len(theta) > 1 else 0.0
    return Temperature(size * float(np.exp(-theta[0] - b * centre)), b, impossible)


@dataclass(frozen=True, eq=False)
class _Likelihood:
    """What is minimised, as a function of the logarithm of one over the temperature: design (m, q) times theta (q,)."""

    leads: Array
    codes: NDArray[np.intp]
    weight: Array
    design: Array
    unit: float
    strange: float

    def some(self) -> _Likelihood:
        """That of enough of the rows to know where to begin."""
        step = slice(None, None, -(-len(self.weight) // ENOUGH))
        return replace(
            self, leads=self.leads[step], codes=self.codes[step], weight=self.weight[step], design=self.design[step]
        )

    def at_one_temperature(self, power: float) -> float:
        """The value without growth."""
        return self(np.append(power, np.zeros(self.design.shape[1] - 1)), False).value

    def __call__(self, theta: Array, curvature: bool) -> Point:
        q = len(theta)
        slopes, curves = np.zeros((3, q)), np.zeros((2, q, q))
        loss, spread = of_temperature(
            self.leads, self.codes, self.weight, self.design, theta, self.strange, slopes, curves
        )
        miss, variance, third = slopes
        information = max(spread, np.finfo(np.float64).tiny)
        shrink = np.append(0.0, np.full(q - 1, self.unit**-2.0 if q > 1 else 0.0))
        return Point(
            at=theta,
            value=float(loss - np.log(information) / 2 + theta**2 @ shrink / 2),
            gradient=miss - (variance + third / 2) / information + shrink * theta,
            curvature=_of_valley(*curves) + np.diag(shrink),
        )


def _of_valley(exact: Array, expected: Array) -> Array:
    """(q, q) second derivatives; where they are not those of a valley, what is expected of them."""
    return exact if np.linalg.eigvalsh(exact)[0] > 0.1 * np.linalg.eigvalsh(expected)[0] else expected
