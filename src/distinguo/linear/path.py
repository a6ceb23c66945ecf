"""Penalised logistic regression at a whole grid of strengths."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import softmax

from distinguo.exceptions import InputError
from distinguo.hyperplane import Affine, as_coefficients, decide
from distinguo.linear.column_descent import without_columns
from distinguo.linear.likelihood import ElasticNet
from distinguo.linear.logistic import LogisticRegression
from distinguo.linear.optimality import greatest_unmet
from distinguo.linear.penalties import elastic_net
from distinguo.linear.strengths import solutions, strengths
from distinguo.linear.task import Given, Task
from distinguo.rows.matrix import as_sparse
from distinguo.rows.tables import as_table
from distinguo.rows.validation import check_columns, has_holes
from distinguo.solvers.solution import Solution

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LogisticPath:
    """Logistic or softmax regressions of the same rows, from the strongest penalty to the weakest.

    Attributes
    ----------
    classes : (K,) labels.
    feature_names : (p,) or None.
    Cs : (m,) ascending.
    lambdas : (m,) the strengths a row, 1 / (C n), descending, where n is the weight of the rows; those of glmnet.
    coefs : (m, 1, p) for two classes, (m, K, p) for more, in the columns' units.
    intercepts : (m, 1) or (m, K).
    n_nonzero : (m,) columns with a coefficient that is not zero.
    deviance_ratio : (m,) the share of the deviance without columns that is explained.
    optimality : (m,) the greatest derivative unmet, in standardised columns and a row; see `LogisticRegression`.
    n_iter : (m,) iterations.
    status : (m,) "converged", or "max_iter".
    """

    classes: NDArray[Any]
    feature_names: NDArray[Any] | None
    Cs: Array
    lambdas: Array
    coefs: Array
    intercepts: Array
    n_nonzero: NDArray[np.intp]
    deviance_ratio: Array
    optimality: Array
    n_iter: NDArray[np.intp]
    status: NDArray[Any]

    def decision_function(self, X: Any) -> Array:
        """Scores (m, n, K) of rows at every strength, or (m, n) for two classes.

        Parameters
        ----------
        X : (n, p) rows of any container.
        """
        scores = self._scores(X)
        return scores[:, :, 0] if len(self.classes) == 2 else scores

    def predict_proba(self, X: Any) -> Array:
        """P(class | x) at every strength, (m, n, K)."""
        return np.asarray(softmax(self._all(X), axis=2))

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of every row at every strength, (m, n)."""
        return np.stack([self.classes[decide(scores)] for scores in self._all(X)])

    def _scores(self, X: Any) -> Array:
        """(m, n, 1 or K)"""
        table = as_table(X)
        check_columns(table.p, table.names, self.coefs.shape[2], self.feature_names, "logistic_path")
        rows = as_sparse(X) if sparse.issparse(X) else table.read(0, table.n)
        if not sparse.issparse(rows) and has_holes(rows, 0, table.names):
            raise InputError("X contains NaN, and a path takes no missing cells; fill them, or leave those rows out.")
        return np.stack(
            [rows @ coef.T + intercept for coef, intercept in zip(self.coefs, self.intercepts, strict=True)]
        )

    def _all(self, X: Any) -> Array:
        """(m, n, K) scores of all classes."""
        scores = self._scores(X)
        return np.concatenate([np.zeros_like(scores), scores], axis=2) if len(self.classes) == 2 else scores


def logistic_path(
    X: Any,
    y: Any = None,
    sample_weight: Any = None,
    offset: Any = None,
    *,
    Cs: Any = 100,
    l1_ratio: float = 1.0,
    standardize: bool = True,
    class_weight: Any = None,
    fit_intercept: bool = True,
    solver: str = "auto",
    tol: float | None = None,
    max_iter: int | None = None,
) -> LogisticPath:
    r"""Penalised logistic or softmax regression at a grid of strengths, each fit begun at the last.

    Minimised is, at every C of the grid,

    .. math:: -\sum_i w_i \log P(y_i | x_i)
              + \frac1C \sum_{k j} \left(\alpha |b_{k j}| + \tfrac12 (1 - \alpha) b_{k j}^2\right),

    with the l1_ratio :math:`\alpha`.

    The grid begins at the greatest C at which all coefficients are zero,
    :math:`1 / C = \max_{k j} |\sum_i w_i (P_k - [y_i = k]) x_{ij}| / \alpha` with the probabilities P of a fit without
    columns; for a ridge, at the C that an l1_ratio of .001 would give. It ends at 10 000 times as much, or at 100
    times where there are fewer rows than columns.

    Parameters
    ----------
    X : (n, p) rows (NumPy, SciPy sparse, pandas, Polars, PyArrow), or a `Source` with its own labels.
    y : (n,) labels; None with a `Source`.
    sample_weight : (n,) frequencies.
    offset : (n,) or (n, K) a fixed part of the scores.
    Cs : how many strengths, or their inverses in ascending order: those of glmnet are 1 / (n lambda).
    l1_ratio : share of the penalty on absolute values, from 0 (ridge) to 1 (lasso).
    standardize : whether coefficients are penalised as if each column had standard deviation one; they come out in the
        columns' own units all the same.
    class_weight, fit_intercept, solver, tol, max_iter : as in `LogisticRegression`.

    Returns
    -------
    LogisticPath

    Raises
    ------
    InputError
        If rows, labels, weights, offsets or options cannot be used, cells are missing, or there is one class only.

    Examples
    --------
    >>> X, y = [[1.0, 3.0], [2.0, 1.0], [3.0, 2.0], [4.0, 2.0], [5.0, 3.0], [6.0, 1.0]], [0, 0, 1, 0, 1, 1]
    >>> path = logistic_path(X, y, Cs=[1, 2, 4])
    >>> path.n_nonzero.tolist(), path.lambdas.round(3).tolist()
    ([1, 1, 2], [0.167, 0.083, 0.042])

    References
    ----------
    Friedman, Hastie and Tibshirani (2010), Regularization paths for generalized linear models via coordinate descent,
    Journal of Statistical Software 33(1).
    """
    model = LogisticRegression(
        1.0,
        l1_ratio=l1_ratio,
        standardize=standardize,
        class_weight=class_weight,
        fit_intercept=fit_intercept,
        solver=solver,
        tol=tol,
        max_iter=max_iter,
    )
    task = model._task(Given(X, y, sample_weight, offset, "logistic_path"), 1.0)
    unit = model._unit(task.scaling)
    grid = strengths(Cs, task, l1_ratio, unit)
    penalties = [elastic_net(C, l1_ratio, unit) for C in grid.tolist()]
    return _gathered(task, grid, penalties, list(solutions(task, solver, penalties)))


def _gathered(task: Task, Cs: Array, penalties: list[ElasticNet], found: list[Solution[Affine]]) -> LogisticPath:
    """The solutions side by side."""
    nothing = task.sums(without_columns(task), False).loss
    sums = [task.sums(one.value, False) for one in found]
    unmet = [
        greatest_unmet(task, penalty, at.gradient, one.value.normals)
        for penalty, at, one in zip(penalties, sums, found, strict=True)
    ]
    coefs = np.stack([as_coefficients(one.value.normals) for one in found])
    return LogisticPath(
        classes=task.scaling.classes,
        feature_names=task.scaling.names,
        Cs=Cs,
        lambdas=1 / (Cs * task.weight),
        coefs=coefs,
        intercepts=np.stack([as_coefficients(one.value.intercepts) for one in found]),
        n_nonzero=np.asarray(coefs.any(axis=1).sum(axis=1)),
        deviance_ratio=1 - np.array([at.loss for at in sums]) / nothing,
        optimality=np.array(unmet),
        n_iter=np.array([one.iterations for one in found]),
        status=np.array([one.status for one in found]),
    )
