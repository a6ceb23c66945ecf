"""Regression by the mean of nearest neighbours."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from distinguo.exceptions import MissingCellsError
from distinguo.neighbors.answers import Numbers
from distinguo.neighbors.base import HOLES_REFUSED, ChoosesK
from distinguo.neighbors.choice import check_k
from distinguo.neighbors.kept import Kept, refuse_sparse
from distinguo.neighbors.metrics import METRICS
from distinguo.rows.base import first_hole
from distinguo.rows.matrix import as_sparse
from distinguo.rows.responses import as_responses
from distinguo.rows.tables import as_table
from distinguo.rows.validation import check_lengths, check_weight, has_holes

Array = NDArray[np.float64]


class KNeighborsRegressor(RegressorMixin, ChoosesK):
    r"""The mean response of the k nearest rows.

    .. math:: \hat y(x) = \frac{\sum_i a_i(x)\, K(d(x, x_i))\, y_i}{\sum_i a_i(x)\, K(d(x, x_i))},
              \qquad \sum_i a_i(x) = k

    Who has a place among the k, how rows at one distance share places, and all options are as in
    `KNeighborsClassifier`. All rows are kept in memory.

    Parameters
    ----------
    k : how many neighbours, or "cv": the number of least squared error where each row is left out in turn, all numbers
        from one search; ties go to the smaller.
    metric, weights, standardize, algorithm, candidates : as in `KNeighborsClassifier`.

    Attributes
    ----------
    k_ : how many neighbours are averaged.
    cv_results_ : {"k", "squared_error"}, arrays over the candidates, with rows left out; absent unless k is "cv".
    cost_ : rows kept, bytes, and operations a row to predict.

    Examples
    --------
    >>> model = KNeighborsRegressor(2).fit([[0.0], [1.0], [2.0], [7.0]], [1.0, 2.0, 4.0, 8.0])
    >>> model.predict([[1.8], [9.0]]).tolist()
    [3.0, 6.0]

    References
    ----------
    Hastie, Tibshirani and Friedman (2009), The Elements of Statistical Learning, sections 2.3.2 and 6.1.
    """

    def __init__(
        self,
        k: int | str = 5,
        *,
        metric: str = "euclidean",
        weights: str = "uniform",
        standardize: bool = False,
        algorithm: str = "auto",
        candidates: Any = None,
    ) -> None:
        self.k = k
        self.metric = metric
        self.weights = weights
        self.standardize = standardize
        self.algorithm = algorithm
        self.candidates = candidates

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Keep the rows.

        Parameters
        ----------
        X : (n, p) rows (NumPy, SciPy sparse, pandas, Polars, PyArrow).
        y : (n,) or (n, q) responses.
        sample_weight : (n,) frequencies: a row of weight 2 is two neighbours at one distance, weight 0 its absence.

        Returns
        -------
        self

        Raises
        ------
        InputError
            If rows, responses, weights or options cannot be used, or there are fewer rows than neighbours asked for.
        """
        self._check_options()
        check_k(self.k, self.candidates)
        refuse_sparse(X, self.metric)
        table, responses = as_table(X), as_responses(y)
        check_lengths(table.n, len(responses.values))
        weight = check_weight(sample_weight, table.n)
        weight = np.ones(table.n) if weight is None else weight
        rows = as_sparse(X) if sparse.issparse(X) else self._dense(table.read(0, table.n), table.names)
        counts = weight > 0
        self._learn(Kept(rows[counts], Numbers(responses.values[counts]), weight[counts]), table.names)
        self._single = responses.single
        return self

    def _dense(self, rows: Array, names: NDArray[Any] | None) -> Array:
        """Rows that may be kept."""
        if has_holes(rows, 0, names) and not METRICS[self.metric].holes:
            raise MissingCellsError(first_hole(rows, 0, names), HOLES_REFUSED)
        return rows

    def predict(self, X: Any) -> Array:
        """The mean responses of the neighbours.

        Parameters
        ----------
        X : (n, p)

        Returns
        -------
        (n,) or (n, q), as y was at fit.

        Raises
        ------
        InputError
            If the columns are not those of the fit, or cells cannot be compared.
        """
        return self._shaped(self._answers(X))

    def leave_one_out(self, X: Any, y: Any, sample_weight: Any = None) -> Array:
        """Responses expected of rows that were fitted, each from the others; standard deviations stay those of all.

        Of a row with a weight above one, one copy is left out.

        Parameters
        ----------
        X, y, sample_weight : rows that the model was fitted on, or some of them.

        Returns
        -------
        (n,) or (n, q), as y was at fit.

        Raises
        ------
        InputError
            If a row was not fitted, or too few rows are left.
        """
        check_is_fitted(self)
        said = as_responses(y).values
        check_lengths(self._table(X).n, len(said))
        return self._shaped(self._left_out(X, said, check_weight(sample_weight, len(said))))

    def _shaped(self, values: Array) -> Array:
        return values[:, 0] if self._single else values

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags
