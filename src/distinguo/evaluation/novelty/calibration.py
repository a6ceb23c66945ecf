"""Calibration of novelty: how dense rows were in the eyes of a model that had not seen them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from distinguo.evaluation.calibration.scores import codes_of
from distinguo.evaluation.conformal.fitted import MOST_ROWS, held_by, rows_of
from distinguo.evaluation.conformal.looks import ClassDensities
from distinguo.evaluation.conformal.ranks import TIE, Ranks
from distinguo.evaluation.conformal.ways import Held, Plan
from distinguo.exceptions import FewRowsWarning

Array = NDArray[np.float64]


def _two_sided(ranks: Ranks, logs: Array, new: float = 1.0) -> Array:
    return np.asarray(np.minimum(1.0, 2 * np.minimum(ranks.p_low(logs, new), ranks.p_high(logs, new))))


# p-values of log densities, by whether what is too dense is strange as well.
SIDES: dict[bool, Callable[..., Array]] = {False: Ranks.p_low, True: _two_sided}


@dataclass(frozen=True, eq=False)
class NoveltyCalibration:
    r"""What makes p-values of a model's densities: those of rows that it had not seen.

    .. math:: p(x) = \frac{1 + \#\{i: \log p_{-i}(x_i) \le \log p(x)\}}{1 + n}

    and two-sided, :math:`2 \min(p_\text{low}, p_\text{high})`, with the share of rows that are as dense for the second.
    Of a class k the same with :math:`\log p(x | k)` and the rows of k.

    Attributes
    ----------
    classes : (K,)
    whole : ranks of log p(x), of all rows.
    by_class : K, of log p(x | k), of each class's rows.

    References
    ----------
    Vovk, Gammerman and Shafer (2005), Algorithmic Learning in a Random World, chapter 2. Bates, Candès, Lei, Romano and
    Sesia (2023), Testing for outliers with conformal p-values, Annals of Statistics 51, 149-178.
    """

    classes: NDArray[Any]
    whole: Ranks
    by_class: tuple[Ranks, ...]

    @classmethod
    def of(cls, classes: NDArray[Any], held: Sequence[Held]) -> NoveltyCalibration:
        """From rows held out, seen by their densities."""
        logs, own = whole_logs(held, classes), np.concatenate([-part.own for part in held])
        codes = np.concatenate([part.codes for part in held])
        weight = np.concatenate([part.weight for part in held])
        members = [codes == k for k in range(len(classes))]
        by_class = tuple(Ranks.of(own[rows], weight[rows]) for rows in members)
        return cls(classes, Ranks.of(logs, weight), by_class)

    def p_values(self, model: Any, X: Any, two_sided: bool = False) -> Array:
        """How often a row of the classes is as little dense as each row, (n,); two-sided, as far from the usual.

        Parameters
        ----------
        model : the model that was calibrated.
        X : (n, p)
        two_sided : whether rows denser than others are strange as well.
        """
        return SIDES[two_sided](self.whole, np.asarray(model.score_samples(X)))

    def typicality(self, model: Any, X: Any, two_sided: bool = False) -> Array:
        """The same in each class, by log p(x | class) among the class's rows, (n, K).

        Parameters
        ----------
        model, X, two_sided : as in `p_values`.
        """
        logs = -ClassDensities().strangeness(model, X, self.classes)
        columns = [SIDES[two_sided](ranks, column) for ranks, column in zip(self.by_class, logs.T, strict=True)]
        return np.column_stack(columns)

    def warn_of_few(self, false_alarm: float, two_sided: bool = False) -> None:
        """Warn where so few rows are there that none can be novel at a rate of false alarms."""
        needed, there = (2 if two_sided else 1) / false_alarm - 1, self.whole.total
        if there < needed:
            warnings.warn(
                f"no row can be novel at false_alarm={false_alarm:g}: that takes {np.ceil(needed):g} rows to hold it "
                f"against, and there are {there:g}. Bring more rows, or allow more false alarms.",
                FewRowsWarning,
                stacklevel=3,
            )

    def thresholds(self, false_alarm: float, two_sided: bool = False) -> tuple[float, float]:
        """The log p(x) below the first and above the second of which p-values are no more than the rate."""
        ranks = self.whole
        share = false_alarm / 2 if two_sided else false_alarm
        most = share * (1 + ranks.total) - 1 + TIE  # so many rows may be as strange as one that is novel
        if most < 0:
            return -np.inf, np.inf
        low = ranks.values[np.searchsorted(ranks.below[1:], most, side="right")]
        high = ranks.values[np.searchsorted(ranks.below[:-1], ranks.total - most) - 1]
        return float(low), float(high) if two_sided else np.inf


def whole_logs(held: Sequence[Held], classes: NDArray[Any]) -> Array:
    """(n,) log p(x) of rows held out, at the priors of the model of each."""
    logs = []
    for part in held:
        priors = np.zeros(len(classes))
        priors[codes_of(part.model, classes)] = part.model.priors_
        with np.errstate(divide="ignore"):
            logs.append(np.asarray(logsumexp(np.log(priors) - part.strangeness, axis=1)))
    return np.concatenate(logs)


def calibrate_novelty(
    model: Any,
    X: Any,
    y: Any = None,
    sample_weight: Any = None,
    *,
    method: str | None = None,
    cv: Any = None,
    most_rows: int = MOST_ROWS,
    random_state: Any = 0,
) -> NoveltyCalibration:
    """What makes p-values of a fitted model's densities: those of rows that it has not seen.

    `Novelty` fits and calibrates in one; this is for a model that is there already, and gives a few thousand numbers
    that can be kept beside it.

    Parameters
    ----------
    model : a fitted model with `class_log_density`.
    X, y, sample_weight, method, cv, most_rows, random_state : as in `calibrate_sets`.

    Returns
    -------
    NoveltyCalibration

    Raises
    ------
    InputError
        If the model has no density, or the rows cannot be used so.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from distinguo import QuadraticDiscriminantAnalysis, calibrate_novelty
    >>> X, y = load_iris(return_X_y=True)
    >>> model = QuadraticDiscriminantAnalysis().fit(X, y)
    >>> calibrate_novelty(model, X, y).p_values(model, [[5.6, 2.9, 4.0, 1.2], [5.6, 2.9, 4.0, 0.2]]).round(3).tolist()
    [0.689, 0.007]
    """
    rows = rows_of(model, X, y, sample_weight, "calibrate_novelty")
    held = held_by(method)(model, rows, ClassDensities(), Plan(cv, random_state), most_rows)
    return NoveltyCalibration.of(rows.classes, held)
