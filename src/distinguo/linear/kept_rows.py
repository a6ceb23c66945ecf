"""What a likelihood model knows of its fit: a record of a few sums, and the rows, as long as it is in memory."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from distinguo.exceptions import DistinguoWarning, InputError
from distinguo.hyperplane import Affine
from distinguo.linear.base import LinearClassifier
from distinguo.linear.record import FitRecord, record_of
from distinguo.linear.separation import Separation
from distinguo.linear.task import Given, Task

# The greatest derivative, in standardised columns and a row, at which coefficients pass for the optimum.
NEAR_OPTIMUM = 1e-5
# The share by which the log-likelihood of rows given again may differ from that of the fit.
SAME_ROWS = 1e-8


@dataclass(frozen=True, eq=False)
class Kept:
    """The rows of a fit, as they came, and the scores that were found."""

    task: Task
    scores: Affine


class KeepsRows(LinearClassifier):
    """Likelihoods and information criteria of a fit.

    A fitted model in memory refers to the rows it was given, without a copy, and looks at them when it is asked for
    more than scores; `detach_rows` lets go of them. A saved one has the sums that `summary` needs; for the rest,
    `attach_rows` gives the rows again.
    """

    separation_: Separation | None
    status_: str
    optimality_: float
    _kept: Kept | None = None
    _record: FitRecord | None = None

    @abstractmethod
    def _task(self, given: Given) -> Task:
        """The options, checked, with the rows' scales."""

    def _keep(self, task: Task) -> None:
        """Refer to the rows of a fit, once its scores are learned."""
        self._kept = Kept(_fresh(task), self._scores)
        self._record = None

    def attach_rows(self, X: Any, y: Any = None, sample_weight: Any = None, offset: Any = None) -> Self:
        """Give a model that was loaded from a file the rows of its fit again.

        Parameters
        ----------
        X, y, sample_weight, offset : as they were given to `fit`.

        Returns
        -------
        self

        Raises
        ------
        InputError
            If they are not the rows of the fit: the likelihood of its coefficients is another.
        """
        check_is_fitted(self)
        if "status_" not in vars(self):
            raise InputError("a model learned by partial_fit is at no optimum of any rows; use fit for inference.")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DistinguoWarning)  # fit has said it
            task = self._task(Given(X, y, sample_weight, offset, type(self).__name__))
        same = np.array_equal(task.scaling.classes, self._classes) and len(task.scaling.centre) == self.n_features_in_
        if same and self._record is not None and self._record.is_of(self._scores):
            found, known = record_of(task, self._scores, self.separation_), self._record
            same = bool(
                np.allclose(
                    [found.weight, found.log_likelihood, found.null_log_likelihood],
                    [known.weight, known.log_likelihood, known.null_log_likelihood],
                    rtol=SAME_ROWS,
                    atol=SAME_ROWS,
                )
            )
        if not same:
            raise InputError(
                "these are not the rows of the fit: classes, columns or likelihood differ; give those of fit."
            )
        self._keep(task)
        return self

    def detach_rows(self) -> Self:
        """Let go of the rows, for the sake of memory; what `summary` needs of them is worked out first.

        Returns
        -------
        self
        """
        check_is_fitted(self)
        if self._has_rows():
            self._fit_record()
        self._kept = None
        return self

    def _has_rows(self) -> bool:
        return self._kept is not None and self._kept.scores is self._scores

    def _rows(self) -> Task:
        """The rows of the fit; what is worked out of them goes with the task."""
        check_is_fitted(self)
        if self._kept is None or not self._has_rows():
            raise InputError(
                "this needs the rows of the fit, which a model that was loaded, copied or fitted in parts does not "
                "have; give them by attach_rows(X, y)."
            )
        return _fresh(self._kept.task)

    def _fit_record(self) -> FitRecord:
        """The record of the fit, made when it is first asked for."""
        check_is_fitted(self)
        if self._record is None or not self._record.is_of(self._scores):
            self._record = record_of(self._rows(), self._scores, self.separation_)
        return self._record

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        if state.pop("_kept", None) is not None and self._has_rows():
            try:
                state["_record"] = self._fit_record()
            except OSError:  # the rows' file is gone; the model is whole without them
                state["_record"] = None
        return state

    # Figures of the fit

    @property
    def log_likelihood_(self) -> float:
        """Of the rows at the coefficients, without penalty or correction; its supremum under separation."""
        return self._fit_record().log_likelihood

    @property
    def null_log_likelihood_(self) -> float:
        """Of the intercepts alone, and of the offset if there was one."""
        return self._fit_record().null_log_likelihood

    @property
    def deviance_(self) -> float:
        """Minus twice the log-likelihood."""
        return 0.0 - 2 * self._fit_record().log_likelihood

    @property
    def null_deviance_(self) -> float:
        """Minus twice the log-likelihood of the intercepts alone."""
        return 0.0 - 2 * self._fit_record().null_log_likelihood

    @property
    def mcfadden_(self) -> float:
        """McFadden's R², one less the share of the null deviance that is left; NaN where that is zero."""
        return self._fit_record().mcfadden

    @property
    def aic_(self) -> float:
        """Deviance plus twice the number of coefficients."""
        return -2 * self._likelihood("AIC").log_likelihood + 2 * self._fit_record().n_parameters

    @property
    def bic_(self) -> float:
        """Deviance plus log n for every coefficient, n being the sum of the weights."""
        record = self._likelihood("BIC")
        return -2 * record.log_likelihood + float(np.log(record.weight)) * record.n_parameters

    def _inferred(self, what: str) -> FitRecord:
        """The record, once it is clear that coefficients have standard errors."""
        record = self._fit_record()
        if record.refusal:
            raise InputError(f"no {what}: {record.refusal}")
        if self.status_ not in {"converged", "separated"} and not self.optimality_ <= NEAR_OPTIMUM:
            raise InputError(
                f"no {what}: the fit stopped before the optimum (status_ {self.status_!r}, optimality_ "
                f"{self.optimality_:.2g}). Raise max_iter, or leave solver at 'auto'."
            )
        return record

    def _likelihood(self, what: str) -> FitRecord:
        """The record, once it is clear that the likelihood counted every row once."""
        record = self._inferred(what)
        if record.class_weighted:
            raise InputError(
                f"no {what}: class_weight counts rows as what they are not, so that the sum is no likelihood. Fit "
                "without it, or take summary(covariance='HC0')."
            )
        return record


def _fresh(task: Task) -> Task:
    """The same task, with nothing yet worked out of the rows."""
    return replace(task, given=replace(task.given))
