"""Standard errors, intervals and tests of logistic coefficients."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import ndtr, softmax

from distinguo.exceptions import InputError
from distinguo.linear.coefficient_table import (
    CoefficientTable,
    IntervalTable,
    LikelihoodRatioTest,
    TermTests,
    upper_tail,
)
from distinguo.linear.estimates import Estimates, against
from distinguo.linear.goodness import HosmerLemeshow, hosmer_lemeshow
from distinguo.linear.headings import heading_of, notes_of
from distinguo.linear.intervals import INTERVALS, optimum, wald
from distinguo.linear.kept_rows import KeepsRows
from distinguo.linear.limit import at_the_limit
from distinguo.linear.record import FitRecord
from distinguo.linear.sandwich import COVARIANCES
from distinguo.linear.separated import CURE
from distinguo.linear.task import Task
from distinguo.linear.term_tests import check_nested, numbered, without_columns
from distinguo.rows.labels import label_text

Array = NDArray[np.float64]
INTERCEPT = "(intercept)"


class Inference(KeepsRows):
    """What maximum likelihood, bias-reduced or not, says about its coefficients."""

    def summary(
        self, base: Any = None, covariance: str = "model", clusters: Any = None, level: float = 0.95
    ) -> CoefficientTable:
        r"""The coefficient table: estimate, standard error, z, p and Wald's interval.

        Parameters
        ----------
        base : the class that the others are held against; None for the first.
        covariance : as in `covariance`.
        clusters : (n,) labels, with covariance="cluster".
        level : of the intervals.

        Returns
        -------
        CoefficientTable
            Prints, shows in notebooks, and gives `to_frame()`, `rows()` and `to_dict()`.

        Raises
        ------
        InputError
            If a penalty makes standard errors meaningless, the fit stopped before the optimum, an option is not known,
            or rows are needed and not there.

        Examples
        --------
        >>> from distinguo import LogisticRegression
        >>> model = LogisticRegression().fit([[1.0], [2.0], [3.0], [4.0], [5.0], [6.0]], [0, 0, 1, 0, 1, 1])
        >>> print(model.summary())
        log odds of 1 against 0: 6 rows, 2 coefficients
        standard errors of the model, 95 % intervals
        log-likelihood -2.47799 (null -4.15888), deviance 4.95597 (null 8.31777)
        AIC 8.95597, BIC 8.53949, McFadden 0.4042
        likelihood ratio to null 3.36179 on 1 df, p 0.06673
        term         estimate  std. error      z       p        low    high
        (intercept)   -4.2491     3.3879   -1.25  0.2098  -10.889    2.3910
        x0             1.2140     0.91259   1.33  0.1834   -0.57461  3.0027
        """
        at, record, found = self._found(base, covariance, clusters)
        low, high = wald(found, at, record, self._rows, level)
        finite = np.isfinite(found.values)
        z = np.divide(found.values, found.errors, out=np.full_like(found.values, np.nan), where=finite)
        errors = np.where(np.isinf(found.values), np.inf, found.errors)
        outcome, term = self._labels(found, record)
        return CoefficientTable(
            outcome,
            term,
            estimate=found.values.ravel(),
            standard_error=errors.ravel(),
            z=z.ravel(),
            p_value=2 * ndtr(-np.abs(z.ravel())),
            low=low.ravel(),
            high=high.ravel(),
            heading=heading_of(record, self._odds(at), covariance, level),
            hidden=self._hidden(),
            notes=notes_of(found, self._terms(record)),
        )

    def covariance(self, kind: str = "model", clusters: Any = None, base: Any = None) -> Array:
        """The covariance of the coefficients, class by class against the base, the intercept first.

        Parameters
        ----------
        kind : "model", the inverse of the information (under Firth's correction that of the likelihood, as in brglm2);
            "HC0" and "HC1", robust to a variance other than the model's (Huber 1967, White 1982; HC1 times
            n / (n - coefficients)); "cluster", robust to rows of a cluster varying together, times G / (G - 1).
        clusters : (n,) labels, with "cluster".
        base : as in `summary`.

        Returns
        -------
        (m, m) with m = (K - 1)(p + 1); NaN for coefficients that are infinite or that the rows do not determine.
        """
        _, _, found = self._found(base, kind, clusters)
        m = found.values.size
        return found.covariance.reshape(m, m)

    def confidence_intervals(self, kind: str = "wald", level: float = 0.95, base: Any = None) -> IntervalTable:
        r"""Intervals of the coefficients.

        Parameters
        ----------
        kind : "wald", estimate ± quantile times standard error; or "profile", all values that a likelihood-ratio test
            at 1 - level does not reject: :math:`2 (\ell(\hat b) - \max_{b: b_j = v} \ell(b)) \le \chi^2_{1, level}`.
        level, base : as in `summary`.

        Raises
        ------
        InputError
            As `summary`; and for "profile" under separation, where Firth's correction has an answer.

        References
        ----------
        Venzon and Moolgavkar (1988), Applied Statistics 37, 87-94. Heinze and Schemper (2002), Statistics in Medicine
        21, 2409-2419.
        """
        return self._interval_table("log", kind, level, base)

    def odds_ratios(self, kind: str = "wald", level: float = 0.95, base: Any = None) -> IntervalTable:
        """By what the odds are multiplied where a column is greater by one: exp of coefficients and of their intervals.

        Parameters
        ----------
        kind, level, base : as in `confidence_intervals`.
        """
        return self._interval_table("ratios of the", kind, level, base)

    def term_tests(self, groups: Iterable[Any] | None = None) -> TermTests:
        """Likelihood-ratio tests of columns, each left out of the fit in turn; penalised ones under Firth's correction.

        Parameters
        ----------
        groups : columns to leave out together, such as the indicators of one factor: names or numbers, or lists of
            them, names being those that the tables print; None for every column by itself.

        Raises
        ------
        InputError
            As `summary`; or if a column is not known, a group is empty, or class_weight makes the likelihood none.
        """
        record = self._likelihood("likelihood-ratio test")
        names = self._terms(record)[int(record.intercept) :]
        columns = numbered(groups, names)
        task = self._rows()
        best = optimum(task, record) if self.separation_ is None else None
        most = record.log_likelihood if best is None else -best.value
        found = without_columns(task, most, best, columns)
        labels = np.array([" + ".join(names[j] for j in group) for group in columns], dtype=np.str_)
        kind = "penalised likelihood ratio" if record.firth else "likelihood ratio"
        return TermTests(labels, *found, heading=f"{kind} of the fit with and without each term")

    def likelihood_ratio_test(self, other: Inference) -> LikelihoodRatioTest:
        """The test of this fit against one nested in it, or the other way round, on the same rows.

        Parameters
        ----------
        other : a fitted model by maximum likelihood.

        Raises
        ------
        InputError
            If either is no maximum-likelihood fit, rows differ, or the models are not nested, or the same.
        """
        if not isinstance(other, Inference):
            kind = f"{type(other).__module__}.{type(other).__qualname__}"
            raise InputError(f"other is of type {kind}; it must be a fitted distinguo.LogisticRegression.")
        small, large = sorted((self, other), key=lambda model: model._likelihood("likelihood ratio").n_parameters)
        a, b = small._fit_record(), large._fit_record()
        if a.firth or b.firth:
            raise InputError(
                "fits with bias_reduction are corrected each in its own way; use term_tests of the larger."
            )
        check_nested(a, b, small._rows(), large._rows())
        statistic, df = max(2 * (b.log_likelihood - a.log_likelihood), 0.0), b.n_parameters - a.n_parameters
        return LikelihoodRatioTest(statistic, df, float(upper_tail(np.array([statistic]), np.array([df]))[0]))

    def hosmer_lemeshow(self, groups: int = 10) -> HosmerLemeshow:
        """Hosmer and Lemeshow's test that the fitted probabilities of two classes are right.

        Parameters
        ----------
        groups : into how many the rows are parted, at quantiles of the fitted probability.

        Raises
        ------
        InputError
            If there are more than two classes, class_weight shifts probabilities, fewer than three groups differ, or
            classes are separated completely.

        References
        ----------
        Hosmer and Lemeshow (1980), Communications in Statistics A 9, 1043-1069.
        """
        if isinstance(groups, bool) or not isinstance(groups, int | np.integer) or groups < 3:
            raise InputError(f"groups={groups!r} must be a whole number of at least 3.")
        task = self._rows()
        if len(self._classes) > 2:
            raise InputError(f"the Hosmer-Lemeshow test is of two classes; there are {len(self._classes)}.")
        if task.class_weight is not None:
            raise InputError("class_weight shifts the fitted probabilities away from the rows'; fit without it.")
        if self.separation_ is not None and self.separation_.kind == "complete":
            raise InputError(f"every row is fitted with probability 1, which leaves nothing to test: {CURE}")
        X, at = task.matrix.X, self._scores
        scores = X @ at.normals.T + at.intercepts if sparse.issparse(X) else at(X)
        if task.matrix_offsets is not None:
            scores = scores + task.matrix_offsets
        probability = softmax(scores, axis=1)[:, 1]
        return hosmer_lemeshow(probability, task.matrix.codes == 1, task.matrix.weight, int(groups))

    # What they share

    def _found(self, base: Any, kind: str, clusters: Any) -> tuple[int, FitRecord, Estimates]:
        """The base's number, and coefficients against it with a covariance of some kind."""
        record = self._inferred("standard errors")
        if kind not in COVARIANCES:
            raise InputError(f"covariance {kind!r} is not known; use one of {', '.join(map(repr, COVARIANCES))}.")
        at = 0 if base is None else self._place(base)
        matrix = COVARIANCES[kind](record, self._rows_that_speak, clusters)
        return at, record, against(at, record, matrix, self.separation_)

    def _rows_that_speak(self) -> Task:
        """The rows, those that are told apart counting for nothing."""
        task = self._rows()
        return task if self.separation_ is None else at_the_limit(task, self.separation_)

    def _interval_table(self, scale: str, kind: str, level: float, base: Any) -> IntervalTable:
        """Intervals of log odds, or of their ratios."""
        if kind not in INTERVALS:
            raise InputError(f"kind={kind!r} is not known; use one of {', '.join(map(repr, INTERVALS))}.")
        at, record, found = self._found(base, "model", None)
        low, high = INTERVALS[kind](found, at, record, self._rows, level)
        shown = SCALES[scale]
        outcome, term = self._labels(found, record)
        return IntervalTable(
            outcome,
            term,
            estimate=shown(found.values.ravel()),
            low=shown(low.ravel()),
            high=shown(high.ravel()),
            heading=f"{scale} {self._odds(at)}: {kind} intervals, {100 * level:g} %",
            hidden=self._hidden(),
            notes=notes_of(found, self._terms(record)),
        )

    def _terms(self, record: FitRecord) -> list[str]:
        """Names of the intercept and the columns."""
        names = getattr(self, "feature_names_in_", [f"x{j}" for j in range(self.n_features_in_)])
        return [*([INTERCEPT] if record.intercept else []), *(str(name) for name in names)]

    def _labels(self, found: Estimates, record: FitRecord) -> tuple[NDArray[Any], NDArray[Any]]:
        """(m,) class and term of every coefficient."""
        terms = np.array(self._terms(record))
        return np.repeat(self._classes[found.others], len(terms)), np.tile(terms, len(found.others))

    def _hidden(self) -> tuple[str, ...]:
        """Of two classes, the heading says which."""
        return ("outcome",) if len(self._classes) == 2 else ()

    def _odds(self, base: int) -> str:
        """Of what the odds are."""
        other = label_text(self._classes[1 - base]) if len(self._classes) == 2 else "each class"
        return f"odds of {other} against {label_text(self._classes[base])}"


def _ratios(log_odds: Array) -> Array:
    """exp, infinite beyond the greatest float, as is where a column hardly varies in its unit."""
    with np.errstate(over="ignore"):
        return np.exp(log_odds)


SCALES: dict[str, Callable[[Array], Array]] = {"log": np.asarray, "ratios of the": _ratios}
