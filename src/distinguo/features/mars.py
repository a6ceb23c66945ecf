"""Multivariate adaptive regression splines."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, RegressorMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from distinguo.exceptions import InputError
from distinguo.features.mars_backward import Path, coefficients, importance, prune
from distinguo.features.mars_forward import Grown, grow, on_one_scale
from distinguo.features.mars_options import checked
from distinguo.features.mars_terms import Term, basis, formula
from distinguo.features.transformer import input_names
from distinguo.rows.base import describe_holes
from distinguo.rows.fitted import blocks_like_fit
from distinguo.rows.responses import Responses, as_responses
from distinguo.rows.tables import Table, as_table
from distinguo.rows.validation import check_lengths, check_weight, has_holes

Array = NDArray[np.float64]


class Mars(RegressorMixin, TransformerMixin, BaseEstimator):
    r"""Multivariate adaptive regression splines: a regression that finds its own bends and interactions.

    .. math:: \hat y_r(x) = \sum_m \beta_{mr} \prod_{h \in m} \max(0, \pm(x_{v_h} - t_h))

    Terms are added in pairs, the two sides of a knot in one column times a term that is there; each step takes the
    pair that lowers the residual sum of squares most, summed over the responses. Then terms are taken away one by
    one, and the size is kept whose generalised cross-validation is least,

    .. math:: \mathrm{GCV} = \frac{\mathrm{RSS}}{n (1 - C/n)^2},
              \qquad C = \text{terms} + \text{penalty} \cdot (\text{terms} - 1) / 2 .

    All rows are needed at once, and no cell may be missing. Columns may be in any unit: predictions do not change
    when a column is multiplied by a positive number or moved.

    Parameters
    ----------
    degree : int, default 1
        Most columns in a term; 1 gives an additive model.
    max_terms : int, optional
        Room for terms in the forward pass, the constant included; min(200, max(20, 2p)) + 1 by default. A pair takes
        room for two even where only one of them is new.
    penalty : float, optional
        Parameters that a knot counts for; 2 by default, or 3 where `degree` is above 1.
    threshold : float, default 0.001
        The forward pass ends before a pair that raises R² by less, and once R² is within this of 1.
    min_span : int, optional
        Rows from one knot to the next; by default from Friedman's equation 43 with alpha 0.05, for the rows where the
        parent term is not zero.
    end_span : int, optional
        Rows beyond the outermost knots; by default from Friedman's equation 45 with alpha 0.05. Interactions keep
        three times as far from the ends.
    fast_k : int, default 20
        How many terms are tried as parents in a step (Fast MARS); 0 for all of them.
    fast_beta : float, default 1.0
        How fast a term that is not tried moves up in the queue.
    prune : bool, default True
        Whether terms are taken away again.

    Attributes
    ----------
    terms_ : tuple of Term, the constant first.
    coef_ : (terms, q), in the columns' units.
    intercept_ : (q,) coefficients of the constant.
    rss_, gcv_, r2_, gcv_r2_ : float, summed over the responses; `gcv_r2_` is one less GCV over that of the mean.
    rss_path_, gcv_path_ : (M,) of the best subset of one, two, ... terms.
    forward_terms_ : tuple of the M terms before pruning.
    stopped_ : why the forward pass ended, in words.
    response_names_ : (q,) the columns of y, or y, or y0, y1, ...
    n_features_in_, feature_names_in_

    Notes
    -----
    Defaults, knots and rules to stop are those of R's earth 5.3; on most data the terms are the same. They differ where

    - a column enters as a line: from its least value, x - min(x), where earth takes x. It is the same model for degree
      1, and why moving a column changes nothing for higher ones (it is earth's `Auto.linpreds=FALSE`);
    - a pair lowers the residuals over ten times more than the pair before: earth refuses it, this takes it;
    - values of a parent's column are tied: earth's knots then depend on the order of the rows;
    - there are weights: here they count rows, weight 2 equals the row twice.

    References
    ----------
    J. H. Friedman (1991), Multivariate adaptive regression splines, Annals of Statistics 19, 1-67.
    J. H. Friedman (1993), Fast MARS, Stanford University, technical report LCS110.

    Examples
    --------
    >>> X = np.arange(40.0)[:, None]
    >>> model = Mars().fit(X, 3 + np.maximum(0, X[:, 0] - 22) / 2)
    >>> print(model.summary())
    y =
      3
      + 0.5 * max(0, x0 - 22)
    >>> model.predict([[30.0], [10.0]]).round(6).tolist()
    [7.0, 3.0]
    """

    def __init__(
        self,
        degree: int = 1,
        max_terms: int | None = None,
        penalty: float | None = None,
        threshold: float = 0.001,
        min_span: int | None = None,
        end_span: int | None = None,
        fast_k: int = 20,
        fast_beta: float = 1.0,
        prune: bool = True,
    ) -> None:
        self.degree = degree
        self.max_terms = max_terms
        self.penalty = penalty
        self.threshold = threshold
        self.min_span = min_span
        self.end_span = end_span
        self.fast_k = fast_k
        self.fast_beta = fast_beta
        self.prune = prune

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find the terms and their coefficients.

        Parameters
        ----------
        X : (n, p) rows (NumPy, SciPy sparse, pandas, Polars, PyArrow).
        y : (n,) or (n, q) responses.
        sample_weight : (n,) frequencies: weight 2 equals the row twice, weight 0 its absence.

        Returns
        -------
        self

        Raises
        ------
        InputError
            If rows, responses, weights or options cannot be used, or cells are missing.
        """
        table = as_table(X)
        growth = checked(table.p, **{k: v for k, v in self.get_params(deep=False).items() if k != "prune"})
        responses = as_responses(y)
        check_lengths(table.n, len(responses.values))
        weight = check_weight(sample_weight, table.n)
        values = table.read(0, table.n)
        if has_holes(values, 0, table.names):
            raise InputError(describe_holes(values, 0, table.names))
        rows, centre, scale = on_one_scale(values, responses.values, np.ones(table.n) if weight is None else weight)
        grown = grow(rows, growth)
        total = float(rows.weight.sum())
        path = prune(grown, total, growth.penalty)
        self._learn(table, responses)
        self._describe(grown, path, centre, scale)
        return self

    def _learn(self, table: Table, responses: Responses) -> None:
        """What the fit was given."""
        self.n_features_in_ = table.p
        if table.names is not None:
            self.feature_names_in_ = table.names
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        self._single = responses.single
        q = responses.values.shape[1]
        names = ["y"] if responses.single else [f"y{r}" for r in range(q)]
        self.response_names_ = np.array(names, dtype=object) if responses.names is None else responses.names

    def _describe(self, grown: Grown, path: Path, centre: Array, scale: float) -> None:
        """What came of it, in the units of the rows."""
        chosen = path.best if self.prune else len(grown.terms) - 1
        subset = path.subsets[chosen]
        self.forward_terms_ = grown.terms
        self.terms_ = tuple(term for term, kept in zip(grown.terms, subset, strict=True) if kept)
        self.coef_ = scale * coefficients(grown, subset)
        self.coef_[0] += centre
        self.rss_path_, self.gcv_path_ = scale**2 * path.rss, scale**2 * path.gcv
        self.rss_, self.gcv_ = float(self.rss_path_[chosen]), float(self.gcv_path_[chosen])
        self.r2_ = _share(self.rss_path_, chosen)
        self.gcv_r2_ = _share(self.gcv_path_, chosen)
        self.stopped_ = grown.reason
        users = np.zeros((len(grown.terms), self.n_features_in_), dtype=bool)
        for m, term in enumerate(grown.terms):
            users[m, list(term.features)] = True
        self._importance = importance(path, chosen, users)

    @property
    def intercept_(self) -> Array:
        """(q,) coefficients of the constant."""
        check_is_fitted(self)
        return np.asarray(self.coef_[0])

    def transform(self, X: Any) -> Array:
        """The values of the terms.

        Parameters
        ----------
        X : (n, p)

        Returns
        -------
        (n, terms), the constant first; `transform(X) @ coef_` are the predictions.

        Raises
        ------
        InputError
            If the columns are not those of the fit, or cells are missing.
        """
        return self._evaluate(X, np.eye(len(self._fitted_terms())))

    def predict(self, X: Any) -> Array:
        """The responses expected.

        Parameters
        ----------
        X : (n, p)

        Returns
        -------
        (n,) or (n, q), as y was at fit.

        Raises
        ------
        InputError
            If the columns are not those of the fit, or cells are missing.
        """
        self._fitted_terms()
        values = self._evaluate(X, self.coef_)
        return values[:, 0] if self._single else values

    def _fitted_terms(self) -> tuple[Term, ...]:
        check_is_fitted(self)
        return self.terms_

    def _evaluate(self, X: Any, weights: Array) -> Array:
        """Combinations (n, c) of the terms, with weights (terms, c)."""
        known = getattr(self, "feature_names_in_", None)
        blocks = blocks_like_fit(X, self.n_features_in_, known, type(self).__name__, stacklevel=3)
        return np.concatenate([basis(self.terms_, block) @ weights for block in blocks])

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """(terms,) the terms in words, as in the summary; `input_features` (p,) name the columns if the fit did not."""
        terms = self._fitted_terms()
        names = input_names(self, input_features)
        return np.array([term.text(names) for term in terms], dtype=object)

    def summary(self) -> str:
        """The fitted formula of each response, one term a line, numbers to six digits."""
        terms, names = self._fitted_terms(), input_names(self, None)
        formulas = []
        for r, response in enumerate(self.response_names_):
            lines = formula(terms, self.coef_[:, r], names).replace("\n", "\n  ")
            formulas.append(f"{response} =\n  {lines}")
        return "\n".join(formulas)

    def variable_importance(self, criterion: Literal["nsubsets", "gcv", "rss"] = "gcv") -> Array:
        """How much each column matters to the subsets up to the chosen size, (p,).

        Parameters
        ----------
        criterion : "nsubsets" counts the subsets that use the column; "gcv" and "rss" sum what GCV or the residual
            sum of squares fell by at those subsets, and give the root of it in percent of the largest. A negative
            "gcv" is a column that hardly ever helped.

        Raises
        ------
        InputError
            If there is no such criterion.

        Examples
        --------
        >>> X = np.random.default_rng(0).uniform(size=(100, 2))
        >>> Mars().fit(X, np.abs(X[:, 1] - 0.5)).variable_importance("rss").tolist()
        [0.0, 100.0]
        """
        check_is_fitted(self)
        if criterion not in self._importance:
            raise InputError(f"criterion is one of {sorted(self._importance)}; {criterion!r} came.")
        return self._importance[criterion].copy()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.multi_output = True
        return tags


def _share(path: Array, chosen: int) -> float:
    """One less the part that the mean leaves and the chosen size leaves too."""
    if path[0] == 0 or not np.isfinite(path[0]):
        return 0.0
    return float(1 - path[chosen] / path[0])
