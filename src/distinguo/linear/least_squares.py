"""Least squares on indicators of the classes."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from distinguo.covariance.shapes import shared_factor
from distinguo.exceptions import InputError, LeftOutWarning, MaskingWarning
from distinguo.hyperplane import Affine, decide
from distinguo.linear.base import AffineClassifier, ScoresOnly
from distinguo.linear.masking import Masking, masked_classes
from distinguo.rows.base import Batch, refuse_holes
from distinguo.rows.labels import label_text, refuse_one_class
from distinguo.rows.memory import rows_of_fit
from distinguo.statistics.by_parts import LearnsByParts, rows_learned, without_row
from distinguo.statistics.moments import ClassMoments, Moments, add_outer

Array = NDArray[np.float64]

# A row that leaves less than this of itself to the others is left out by fitting anew.
LEAST_LEFT = 1e-8
SPEC = Moments("pooled")


@dataclass(frozen=True)
class _Regression:
    """Fitted values, and the coordinates z = (x - centre) W in which the rows have covariance one.

    Attributes
    ----------
    rows : their total weight.
    centre : (p,) mean of the rows.
    whiten : (p, r) W.
    shares : (K,) of the rows.
    means : (K, r) of the classes, in those coordinates.
    """

    rows: float
    centre: Array
    whiten: Array
    shares: Array
    means: Array

    @classmethod
    def of(cls, moments: ClassMoments) -> _Regression:
        rows = float(moments.weight.sum())
        shares = moments.weight / rows
        whiten = shared_factor(moments, _total_covariance).whiten
        centre = shares @ moments.mean
        means = np.where(shares[:, None] > 0, moments.mean - centre, 0.0)
        return cls(rows, centre, whiten, shares, means @ whiten)

    def affine(self) -> Affine:
        """Fitted values (K,) of rows."""
        return Affine(self.centre, self.shares[:, None] * self.means @ self.whiten.T, self.shares)

    def without(self, batch: Batch, taken: Array) -> tuple[Array, NDArray[np.bool_]]:
        """Fitted values (n, K) of rows each left out by the weight `taken`, and which of them cannot be had so."""
        z = (batch.X - self.centre) @ self.whiten
        leverage = taken * (1 + (z**2).sum(axis=1)) / self.rows
        fitted = self.shares * (1 + z @ self.means.T)
        indicators = batch.codes[:, None] == np.arange(len(self.shares))
        left = 1 - leverage
        with np.errstate(divide="ignore", invalid="ignore"):
            return fitted - (leverage / left)[:, None] * (indicators - fitted), ~(left > LEAST_LEFT)


def _total_covariance(moments: ClassMoments) -> Array:
    """(p, p) covariance of all rows around their common mean."""
    rows = moments.weight.sum()
    scatter = moments.within.copy()
    add_outer(scatter, moments.weight, moments.mean - moments.weight @ moments.mean / rows)
    return np.asarray(scatter / rows)


class LeastSquaresClassifier(ScoresOnly, AffineClassifier, LearnsByParts[ClassMoments]):
    r"""Linear regression on an indicator of each class; the highest fitted value takes the row.

    .. math:: \hat Y = \tilde X (\tilde X^\top \tilde X)^{-1} \tilde X^\top T

    with :math:`\tilde X` (n, p + 1) the rows beside a one, and T (n, K) one in the column of a row's class and zero in
    the others. It is all in the means and the covariance of the rows, so it streams, merges and forgets.

    The fitted values, which `decision_function` gives for three classes and more, sum to one and are no probabilities:
    they leave [0, 1]. For two classes the direction is that of linear discriminant analysis. For more, a class that
    lies between others may be masked: its fitted value is hardly anywhere the highest, however far the classes are
    apart. `masking` counts that; `fit` warns where it shows in the moments. One row far on the right side of a boundary
    moves the boundary, for its fitted value is far from one.

    Where columns depend on each other linearly, the coefficients are the shortest in units of the columns' spreads.

    Attributes
    ----------
    classes_ : (K,)
    coef_, intercept_ : (K, p) and (K,), or (1, p) and (1,) for two classes: the second's less the first's.
    statistic_ : the moments.

    Examples
    --------
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "b"]
    >>> model = LeastSquaresClassifier().fit(X, y)
    >>> model.coef_.round(3).tolist(), model.intercept_.round(3).tolist()
    ([[0.8]], [-1.2])
    >>> model.predict([[1.4], [1.6]]).tolist()
    ['a', 'b']
    >>> model.partial_fit([[30.0]], ["b"]).predict([[2.0]]).tolist()  # far on its own side, and yet it costs a row
    ['a']

    References
    ----------
    Hastie, Tibshirani and Friedman (2009), The Elements of Statistical Learning, section 4.2. Bishop (2006), Pattern
    Recognition and Machine Learning, section 4.1.3.
    """

    _regression: _Regression | None

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn the classes from rows.

        Parameters
        ----------
        X : (n, p) rows (NumPy, SciPy sparse, pandas, Polars, PyArrow), or a `Source` with its own labels.
        y : (n,) or (n, 1) labels of any hashable scalar type.
        sample_weight : (n,) frequencies: weight 2 equals the row twice, weight 0 its absence.

        Returns
        -------
        self

        Raises
        ------
        InputError
            If rows, labels or weights cannot be used, there are fewer than two classes, or no column varies.
        """
        statistic = self._count(X, y, sample_weight)
        refuse_one_class(statistic.classes, " To learn classes one after the other, use partial_fit.")
        regression = _regression_of(statistic)  # where that raises, the model stays as it was
        self._keep(statistic)
        self._regression = regression
        return self

    def masking(self, X: Any, y: Any, sample_weight: Any = None) -> Masking:
        """Count whose fitted value is the highest among the rows of each class.

        Parameters
        ----------
        X, y, sample_weight : rows of the classes that were fitted.

        Returns
        -------
        Masking

        Examples
        --------
        >>> X, y = [[0.0], [1.0], [4.0], [5.0], [9.0], [10.0]], list("aabbcc")
        >>> with warnings.catch_warnings():
        ...     warnings.simplefilter("ignore", MaskingWarning)
        ...     model = LeastSquaresClassifier().fit(X, y)
        >>> print(model.masking(X, y))
        'a': 0 of 2 rows taken by others
        'b': 2 of 2 rows taken by others ('a' 1, 'c' 1)
        'c': 0 of 2 rows taken by others
        """
        affine, K = self._affine(), len(self.classes_)
        self._table(X)
        table = np.zeros((K, K))
        for batch in refuse_holes(rows_learned(X, y, sample_weight, self.classes_, self.statistic_).batches()):
            weight = np.ones(len(batch.X)) if batch.weight is None else batch.weight
            np.add.at(table, (batch.codes, decide(affine(batch.X))), weight)
        return Masking(self.classes_, table)

    def leave_one_out(self, X: Any, y: Any, sample_weight: Any = None) -> Array:
        """Fitted values of rows that were fitted, each as if it had been left out.

        Of a row with a weight above one, one copy is left out. No row is fitted anew but those without which the others
        say less of the columns.

        Parameters
        ----------
        X, y, sample_weight : rows that the model was fitted on.

        Returns
        -------
        (n, K) fitted values, in the order of `classes_`; a row is rightly classified where its class's is the highest.
        """
        regression, classes = self._described(), self.classes_
        self._table(X)
        parts = []
        for batch in refuse_holes(rows_learned(X, y, sample_weight, classes, self.statistic_).batches()):
            taken = np.ones(len(batch.X)) if batch.weight is None else np.minimum(batch.weight, 1.0)
            values, unsure = regression.without(batch, taken)
            for i in np.flatnonzero(unsure):
                values[i] = self._refitted(batch, int(i), taken[i])
            parts.append(values)
        return np.concatenate(parts)

    def _refitted(self, batch: Batch, i: int, taken: float) -> Array:
        """Fitted values (K,) of a row by the regression on the others."""
        rest = without_row(self.statistic_, SPEC, batch, i, taken, self.classes_)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", LeftOutWarning)  # fit has warned; each row need not
                return np.asarray(_Regression.of(rest).affine()(batch.X[i : i + 1])[0])
        except InputError as error:
            raise type(error)(f"with row {batch.first_row + i} left out, {error}") from None

    # What is made of the statistic

    @property
    def classes_(self) -> NDArray[Any]:
        """(K,) the labels, in order, of the type they came in."""
        check_is_fitted(self)
        return self.statistic_.classes

    def _affine(self) -> Affine:
        return self._described().affine()

    def _described(self) -> _Regression:
        """The regression, made at the first call."""
        check_is_fitted(self)
        if self._regression is None:
            self._regression = _regression_of(self.statistic_)
        return self._regression

    def _spec(self) -> Moments:
        return SPEC

    def _count(self, X: Any, y: Any, sample_weight: Any) -> ClassMoments:
        return rows_of_fit(X, y, sample_weight, type(self).__name__).aggregate(SPEC)

    def _keep(self, statistic: ClassMoments) -> None:
        self.statistic_ = statistic
        self._remember_columns(statistic.n_features, statistic.feature_names)
        self._regression = None

    def _refuse_parts(self, what: str) -> None:
        """The statistic is that of one pass: there is nothing to refuse."""

    def __sklearn_is_fitted__(self) -> bool:
        return "statistic_" in vars(self)

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        if "_regression" in state:
            state["_regression"] = None  # made again from the statistic, so that files stay small
        return state


def _regression_of(statistic: ClassMoments) -> _Regression:
    """The regression behind moments; warns of classes that it masks."""
    regression = _Regression.of(statistic)
    masked = masked_classes(regression.shares, regression.means)
    if len(masked):
        names = ", ".join(label_text(label) for label in statistic.classes[masked[:8]])
        more = f" and {len(masked) - 8} more" if len(masked) > 8 else ""
        warnings.warn(
            f"masked: at the mean of class {names}{more} another class has the higher fitted value, where linear "
            "discriminant analysis of the same moments would tell them apart. Use LinearDiscriminantAnalysis, or see "
            "masking(X, y).",
            MaskingWarning,
            stacklevel=3,
        )
    return regression
