"""Slope and intercept of calibration: a logistic regression of what came on the log odds that were given."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import expit, ndtri

from distinguo.evaluation.assessment.odds_rows import OddsRows, clipped, log_odds
from distinguo.evaluation.truth import TOGETHER, parts_of
from distinguo.linear.logistic import LogisticRegression

Array = NDArray[np.float64]
# No intercept beyond: log odds given end at 36 either way, and rows would have to be as many as e to it.
FARTHEST = 100.0


@dataclass(frozen=True)
class Coefficient:
    """A value and its interval; None where there is none."""

    value: float | None = None
    low: float | None = None
    high: float | None = None

    def __str__(self) -> str:
        return "-" if self.value is None else f"{self.value:.3f} [{self.low:.3f}, {self.high:.3f}]"


@dataclass(frozen=True)
class CalibrationLine:
    r"""How the log odds of an outcome go with those given: :math:`\text{logit} P(y) = a + b\,\text{logit}(p)`.

    Attributes
    ----------
    slope : b, 1 where probabilities are right; below where they are too extreme, above where they are too cautious.
    intercept : a.
    in_the_large : a where b is held at 1; 0 where probabilities are right on average, below where they are too high.
    note : why a number is missing, else None.

    References
    ----------
    Cox (1958), Two further applications of a model for binary regression, Biometrika 45, 562-565. Van Calster and
    others (2019), Calibration: the Achilles heel of predictive analytics, BMC Medicine 17, 230.
    """

    slope: Coefficient
    intercept: Coefficient
    in_the_large: Coefficient
    note: str | None

    def to_dict(self) -> dict[str, Any]:
        """The numbers as JSON has them."""
        return asdict(self)


def calibration_line(p: Array, outcome: NDArray[np.bool_], weight: Array, confidence: float) -> CalibrationLine:
    """The line of probabilities (n,) of an outcome (n,); those of 0 and 1 count as 2.2e-16 from there.

    Intervals are Wald's. Of very many rows the log odds are not held, but made whenever they are passed over.
    """
    none = Coefficient()
    if outcome.all() or not outcome.any():
        return CalibrationLine(none, none, none, f"the outcome {'always' if outcome.any() else 'never'} came")
    large = _in_the_large(p, outcome, weight, confidence)
    yes, no = _ends(p, outcome), _ends(p, ~outcome)
    if yes[0] == yes[1] == no[0] == no[1]:
        return CalibrationLine(none, none, large, "every row has the same probability")
    if yes[0] >= no[1] or no[0] >= yes[1]:
        return CalibrationLine(none, none, large, "a cut tells the outcomes apart, and no slope is too steep")
    model = LogisticRegression()
    if len(p) > TOGETHER:
        model.fit(OddsRows(p, outcome, weight))
    else:
        model.fit(log_odds(p)[:, None], outcome, weight)
    table = model.confidence_intervals(level=confidence)
    found = zip(table.estimate.tolist(), table.low.tolist(), table.high.tolist(), strict=True)
    intercept, slope = (Coefficient(*numbers) for numbers in found)
    return CalibrationLine(slope, intercept, large, None)


def _ends(p: Array, among: NDArray[np.bool_]) -> tuple[float, float]:
    """The least and the greatest of the log odds, of the rows among which they are sought."""
    parts = [log_odds(p[rows][among[rows]]) for rows in parts_of(len(p)) if among[rows].any()]
    return min(float(part.min()) for part in parts), max(float(part.max()) for part in parts)


def _in_the_large(p: Array, outcome: NDArray[np.bool_], weight: Array, confidence: float) -> Coefficient:
    """The intercept at which as many are expected as came."""
    parts = parts_of(len(p))
    came = sum(float(weight[rows] @ outcome[rows]) for rows in parts)
    held = log_odds(p) if len(parts) == 1 else None

    def expected(a: float, rows: slice) -> Array:
        """Probabilities whose log odds are greater by a; without logarithms where these would be taken each time."""
        if held is not None:
            return np.asarray(expit(held + a))
        given = clipped(p[rows])
        odds = given * np.exp(a)
        return np.asarray(odds / (odds + (1 - given)))

    def surplus(a: float) -> float:
        return sum(float(weight[rows] @ expected(a, rows)) for rows in parts) - came

    a = float(brentq(surplus, -FARTHEST, FARTHEST, xtol=1e-12))
    doubt = sum(float(weight[rows] @ ((q := expected(a, rows)) * (1 - q))) for rows in parts)
    reach = float(ndtri(0.5 + confidence / 2)) / float(np.sqrt(doubt))
    return Coefficient(a, a - reach, a + reach)
