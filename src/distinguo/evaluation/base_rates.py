"""What an alarm means: Bayes' rule for one test and one condition, in shares and in whole numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from distinguo.exceptions import InputError
from distinguo.options import counting
from distinguo.rows.validation import real_numbers

Array = NDArray[np.float64]


def predictive_value(sensitivity: Any, false_alarm: Any, prevalence: Any) -> Any:
    r"""How probable a condition is once a test for it has said yes.

    :math:`P(c | +) = \frac{\pi s}{\pi s + (1 - \pi) f}`, with the prevalence π, the sensitivity s and the share f of
    false alarms.

    Parameters
    ----------
    sensitivity : share of the cases that the test finds, P(+ | c).
    false_alarm : share of the others at which it sounds, P(+ | not c); one minus the specificity.
    prevalence : share of cases in the population, P(c).

    Returns
    -------
    A number, or an array where one came; NaN where the test never says yes.

    Raises
    ------
    InputError
        If a share does not lie between 0 and 1.

    Examples
    --------
    >>> round(predictive_value(0.9, 0.08, 0.02), 4)
    0.1867
    >>> predictive_value(0.9, 0.08, [0.1, 0.5]).round(4).tolist()
    [0.5556, 0.9184]

    References
    ----------
    Gigerenzer and Hoffrage (1995), How to improve Bayesian reasoning without instruction: frequency formats.
    """
    s, f, prior = _shares(sensitivity=sensitivity, false_alarm=false_alarm, prevalence=prevalence)
    hits, alarms = prior * s, prior * s + (1 - prior) * f
    value = np.divide(hits, alarms, out=np.full(np.shape(alarms), np.nan), where=alarms > 0)
    return float(value) if value.ndim == 0 else value


@dataclass(frozen=True)
class NaturalFrequencies:
    """A population counted out in whole cases.

    Attributes
    ----------
    n : how many are tested.
    cases, others : with and without the condition.
    hits : cases at which the test says yes.
    false_alarms : others at which it does.
    """

    n: int
    cases: int
    others: int
    hits: int
    false_alarms: int

    @property
    def alarms(self) -> int:
        """At how many the test says yes."""
        return self.hits + self.false_alarms

    @property
    def predictive_value(self) -> float:
        """Hits among the alarms; NaN without alarms."""
        return self.hits / self.alarms if self.alarms else float("nan")

    def __str__(self) -> str:
        return (
            f"of {self.n}, {self.cases} have it and the test finds {self.hits}; of the {self.others} others it sounds "
            f"at {self.false_alarms}: {self.hits} of {self.alarms} alarms are right"
        )


def natural_frequencies(sensitivity: float, false_alarm: float, prevalence: float, n: int = 1000) -> NaturalFrequencies:
    """The same question in whole cases out of n, which people answer better.

    Parameters
    ----------
    sensitivity, false_alarm, prevalence : numbers, as in `predictive_value`.
    n : size of the population; counts are rounded to the nearest case.

    Returns
    -------
    NaturalFrequencies

    Raises
    ------
    InputError
        If a share does not lie between 0 and 1, or n is no whole number of at least 1.

    Examples
    --------
    >>> print(natural_frequencies(0.9, 0.08, 0.02))
    of 1000, 20 have it and the test finds 18; of the 980 others it sounds at 78: 18 of 96 alarms are right
    """
    s, f, prior = _shares(sensitivity=sensitivity, false_alarm=false_alarm, prevalence=prevalence)
    if s.ndim or f.ndim or prior.ndim:
        raise InputError("natural_frequencies counts out one population; give single numbers.")
    cases = int(np.floor(counting(n, "n") * prior + 0.5))
    others = n - cases
    return NaturalFrequencies(int(n), cases, others, int(np.floor(cases * s + 0.5)), int(np.floor(others * f + 0.5)))


def _shares(**shares: Any) -> list[Array]:
    """Numbers between 0 and 1, by name for the message."""
    values = []
    for name, share in shares.items():
        value = real_numbers(share, f"{name}={share!r} must be a share between 0 and 1.")
        if not ((value >= 0) & (value <= 1)).all():
            raise InputError(f"{name}={share!r} must be a share between 0 and 1.")
        values.append(value)
    return values
