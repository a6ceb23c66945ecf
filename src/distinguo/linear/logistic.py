"""Logistic regression, binary and softmax."""

from __future__ import annotations

import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import log_softmax
from sklearn.exceptions import ConvergenceWarning

from distinguo.exceptions import InputError
from distinguo.hyperplane import Affine
from distinguo.linear.class_weights import class_weights
from distinguo.linear.explaining import ExplainsScores
from distinguo.linear.inference import Inference
from distinguo.linear.likelihood import ElasticNet
from distinguo.linear.logistic_options import decay_or_none, positive_or_none, whole_or_none
from distinguo.linear.logistic_solvers import solver_for
from distinguo.linear.online import Online
from distinguo.linear.optimality import greatest_unmet
from distinguo.linear.penalties import elastic_net, inverse_strength
from distinguo.linear.record import recentred
from distinguo.linear.scaling import Scaling
from distinguo.linear.separated import finite_answer
from distinguo.linear.separation import Separation
from distinguo.linear.strength_tuning import chosen_strength
from distinguo.linear.task import Given, Task
from distinguo.options import is_left_to_cv
from distinguo.rows.elsewhere import located
from distinguo.solvers.solution import Solution

Array = NDArray[np.float64]
# A derivative this great, in standardised columns and a row, is no optimum's.
FAR = 0.02
# Scores are cut here, so that their differences are numbers.
LARGEST = 1e300


class LogisticRegression(Online, Inference, ExplainsScores):
    r"""Logistic regression for two classes, softmax regression for more, by maximum likelihood or penalised.

    .. math:: \log P(k | x) = s_k(x) - \log \sum_j e^{s_j(x)}, \qquad s_k(x) = b_k^\top x + b_{k0}

    with the first score zero for two classes, and scores that sum to zero for more. Minimised is

    .. math:: -\sum_i w_i \log P(y_i | x_i) + \lambda_1 \sum_{k j} |b_{k j}| + \tfrac12 \lambda_2 \sum_{k j} b_{k j}^2,
              \qquad \lambda_1 = \alpha \lambda, \quad \lambda_2 = (1 - \alpha) \lambda,
              \quad \lambda = 1 / C, \quad \alpha = \text{l1_ratio}.

    The default is maximum likelihood, C = inf: coefficients mean log odds ratios, do not depend on units, and have
    standard errors only without a penalty. `LogisticRegression(C=1.0)` is the ridge that scikit-learn fits unless told
    otherwise; `l1_ratio=1` is the lasso; the strength of glmnet is 1 / (C n). The intercepts are never penalised.

    A fit without a penalty has `summary`, the coefficient table; `confidence_intervals` and `odds_ratios`, by standard
    errors or by profile; `covariance`, robust ones too; `term_tests` and `likelihood_ratio_test`; `aic_` and `bic_`.
    Any fit has `log_likelihood_`, `deviance_`, `null_deviance_`, `mcfadden_` and `hosmer_lemeshow`.

    Parameters
    ----------
    C : inverse strength of the penalty; infinity for none; "cv" for what cross-validation chooses.
    l1_ratio : share of the penalty on absolute values, from 0 (ridge) to 1 (lasso).
    standardize : whether coefficients are penalised as if each column had standard deviation one; they come out in the
        columns' own units all the same.
    bias_reduction : None, or "firth": half the log-determinant of the information is added to the log-likelihood, so
        that estimates are finite whatever the rows, and less biased (Firth 1993). Without a penalty only.
    class_weight : None, "balanced", or {class: weight}: rows count as so many; classes not named count once.
    fit_intercept : whether there are intercepts.
    solver : "auto", "newton" (damped; second derivatives gathered in one pass over the rows), "lbfgs" (gradients only;
        for many columns times classes), "coordinate-descent" (one coefficient at a time; for penalties on absolute
        values). All lead to the same optimum. For study, and on the columns as they are:
        "gradient-descent" and "stochastic" (a step a row; it alone has `partial_fit`), with steps eta0 / (1 + gamma t).
    tol : the length of a step, or the size of a derivative, in standardised columns and a row, at which the solver
        stops; None for what suits it.
    max_iter : the most iterations; None for what suits the solver.
    warm_start : whether to start from the last fit.
    eta0, gamma : of the two descents: the first step, on the mean loss, and its decay. None: one over the greatest
        second derivative, of the mean loss or of any row's; and no decay, or for "stochastic" one over the rows (of the
        first call), t counting rows.
    Cs : for C="cv": how many strengths are tried, or their inverses in ascending order; see `logistic_path`.
    cv : number of stratified folds, a scikit-learn splitter, or (train, test) pairs of row numbers.
    criterion : "log_loss" or "error", averaged over held-out rows.
    rule : "best", the strongest penalty of the least loss, or "one-standard-error", the strongest whose loss is within
        one standard error of it.
    random_state : of the folds, and of the rows' order for "stochastic".

    Attributes
    ----------
    classes_ : (K,)
    coef_, intercept_ : (1, p) and (1,) for two classes, (K, p) and (K,) for more, in the columns' units.
    C_ : the inverse strength in use.
    cv_results_ : {"C", "log_loss", "log_loss_standard_error", "error", "error_standard_error"}, arrays over the grid;
        absent where C is given. A fold's models learn with the same C, and scales, from its own rows.
    n_iter_ : iterations.
    status_ : "converged", "max_iter", "unstable" where a descent's steps were too long, or "separated" where maximum
        likelihood has no finite answer; the coefficients then are those of a penalty that is all but nothing (1e-8 on
        standardised columns).
    separation_ : None, or the `Separation` that was found.
    trace_ : the objective at the start and after each iteration.
    optimality_ : by how much the conditions of the optimum are missed: the greatest derivative of the objective, in
        standardised columns and a row, that the penalty does not account for.

    Raises
    ------
    InputError
        At fit, if rows, labels, weights, offsets or options cannot be used, cells are missing, there is one class only,
        or every column is constant.

    Warns
    -----
    SeparationWarning
        Where a linear rule tells classes apart; names the columns.
    LeftOutWarning
        Where columns are constant or depend on each other; maximum likelihood then is the answer of least norm, in
        standard deviations of each column.

    Examples
    --------
    >>> X, y = [[1.0], [2.0], [3.0], [4.0], [5.0], [6.0]], [0, 0, 1, 0, 1, 1]
    >>> model = LogisticRegression().fit(X, y)
    >>> model.intercept_.round(3).tolist(), model.coef_.round(3).tolist()
    ([-4.249], [[1.214]])
    >>> model.predict_proba([[3.5]]).round(6).tolist()
    [[0.5, 0.5]]

    References
    ----------
    Cox (1958), JRSS B 20, 215-242. Firth (1993), Biometrika 80, 27-38. Zou and Hastie (2005), JRSS B 67, 301-320.
    Hastie, Tibshirani and Friedman (2009), The Elements of Statistical Learning, section 4.4.
    """

    def __init__(
        self,
        C: Any = np.inf,
        *,
        l1_ratio: float = 0.0,
        standardize: bool = False,
        bias_reduction: str | None = None,
        class_weight: Any = None,
        fit_intercept: bool = True,
        solver: str = "auto",
        tol: float | None = None,
        max_iter: int | None = None,
        warm_start: bool = False,
        eta0: float | None = None,
        gamma: float | None = None,
        Cs: Any = 100,
        cv: Any = 10,
        criterion: str = "log_loss",
        rule: str = "best",
        random_state: Any = 0,
    ) -> None:
        self.C = C
        self.l1_ratio = l1_ratio
        self.standardize = standardize
        self.bias_reduction = bias_reduction
        self.class_weight = class_weight
        self.fit_intercept = fit_intercept
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.warm_start = warm_start
        self.eta0 = eta0
        self.gamma = gamma
        self.Cs = Cs
        self.cv = cv
        self.criterion = criterion
        self.rule = rule
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, offset: Any = None) -> Self:
        """Find the coefficients.

        Parameters
        ----------
        X : (n, p) rows (NumPy, SciPy sparse, pandas, Polars, PyArrow), or a `Source` with its own labels.
        y : (n,) or (n, 1) labels of any hashable scalar type.
        sample_weight : (n,) frequencies: weight 2 equals the row twice, weight 0 its absence.
        offset : (n,) a fixed part of each row's log odds, or (n, K) of its scores, that takes part in the fit; scores
            of the fitted model are without it.

        Returns
        -------
        self
        """
        given = Given(*located(X, y, sample_weight), offset, type(self).__name__)
        if self._holds_rows():
            given = given.in_memory()
        C, results = chosen_strength(self, given) if is_left_to_cv(self.C) else (inverse_strength(self.C), None)
        task = self._task(given, C)
        found = solver_for(task, self.solver)(task)
        self.separation_: Separation | None = None
        if found.status == "diverging":
            found, self.separation_ = finite_answer(task, found)
        if hasattr(self, "_walk"):  # a fit begins anew
            del self._walk
        self.C_ = C
        self.__dict__.pop("cv_results_", None)
        if results is not None:
            self.cv_results_ = results
        self._take(task, found)
        self._keep(task)
        return self

    def _task(self, given: Given, C: float | None = None) -> Task:
        """The options, checked, with the rows' scales; at the C in use where none is given."""
        C = self.C_ if C is None else C
        scaling = given.scaling(uncorrelated=np.inf == C, intercept=bool(self.fit_intercept))
        penalty = elastic_net(C, self.l1_ratio, self._unit(scaling))
        self._check_options(penalty)
        return Task(
            given=given,
            scaling=scaling,
            penalty=penalty,
            firth=self.bias_reduction is not None,
            class_weight=class_weights(self.class_weight, scaling.classes, scaling.weight),
            row_offsets=(offsets := given.row_offsets(len(scaling.classes))),
            start=self._start(scaling, offsets),
            tol=positive_or_none(self.tol, "tol"),
            max_iter=whole_or_none(self.max_iter, "max_iter"),
            options={
                "eta0": positive_or_none(self.eta0, "eta0"),
                "gamma": decay_or_none(self.gamma, "gamma"),
                "random_state": self.random_state,
            },
        )

    def _holds_rows(self) -> bool:
        """Whether the way to the optimum needs all rows in memory."""
        return is_left_to_cv(self.C) or self.l1_ratio != 0 or self.solver == "coordinate-descent"

    def _unit(self, scaling: Scaling) -> Array:
        """(p,) in which columns are penalised."""
        return scaling.deviation if self.standardize else np.ones_like(scaling.deviation)

    def _check_options(self, penalty: ElasticNet) -> None:
        """Raise where an option cannot act."""
        if penalty.is_none and (self.l1_ratio != 0 or self.standardize):
            name = "l1_ratio" if self.l1_ratio != 0 else "standardize"
            raise InputError(f"{name}={getattr(self, name)!r} cannot act without a penalty; give C a finite value.")
        if self.bias_reduction not in {None, "firth"}:
            raise InputError(f"bias_reduction={self.bias_reduction!r} is not known; use None or 'firth'.")
        if self.bias_reduction is not None and not penalty.is_none:
            raise InputError("bias_reduction='firth' is made for maximum likelihood; leave C at np.inf with it.")

    def _start(self, scaling: Scaling, row_offsets: Array | None) -> Affine | None:
        """The scores of the last fit, if they are asked for and fit; else intercepts that make up for offsets."""
        K, p = len(scaling.classes), len(scaling.deviation)
        if self.warm_start and self._fits(scaling):
            return self._scores
        if row_offsets is None or not scaling.intercept:
            return None
        # With far-off offsets every row would be as sure as can be, and no derivative would show the way.
        return Affine(scaling.centre, np.zeros((K, p)), -row_offsets.mean(axis=0))

    def _fits(self, scaling: Scaling) -> bool:
        """Whether the last fit was of the same classes and columns."""
        if not self.__sklearn_is_fitted__():
            return False
        same = np.array_equal(self._classes, scaling.classes)
        return bool(same and self._scores.normals.shape[1] == len(scaling.deviation))

    def _take(self, task: Task, found: Solution[Affine]) -> None:
        """Take a solution as one's own, and say what is to be said about it."""
        unmet = greatest_unmet(task, task.penalty, task.gradient(found.value), found.value.normals)
        # Explanations hold cells against the mean row, or sparse ones against zero: what is not there adds nothing.
        about = np.zeros_like(task.scaling.centre) if sparse.issparse(task.given.X) else task.scaling.centre
        self._learn(task.scaling.classes, recentred(found.value, about), task.scaling.names)
        self.n_iter_ = found.iterations
        self.status_ = "separated" if self.separation_ is not None else found.status
        if self.status_ == "converged" and unmet > FAR:  # rounding hid the way
            self.status_ = "max_iter"
        self.trace_ = found.trace
        self.optimality_ = unmet if self.separation_ is None else np.inf
        if self.status_ == "max_iter":
            text = f"stopped after {found.iterations} iterations, optimality_ {self.optimality_:.2g}; raise max_iter."
            warnings.warn(text, ConvergenceWarning, stacklevel=3)
        if self.status_ == "unstable":
            text = f"eta0={self.eta0!r}: the steps are too long, and the objective grows; give a smaller one, or None."
            warnings.warn(text, ConvergenceWarning, stacklevel=3)

    def predict_log_proba(self, X: Any) -> Array:
        """log P(class | x), (n, K)."""
        with np.errstate(over="ignore", invalid="ignore"):
            scores = self._class_scores(X)
        return self._log_posteriors(scores)

    def predict_proba(self, X: Any) -> Array:
        """P(class | x), (n, K)."""
        return np.exp(self.predict_log_proba(X))

    def _log_posteriors(self, scores: Array) -> Array:
        return np.asarray(log_softmax(np.clip(scores, -LARGEST, LARGEST), axis=1))
