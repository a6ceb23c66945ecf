"""Classification by the votes of nearest neighbours."""

from __future__ import annotations

from typing import Any, Self

from distinguo.neighbors.answers import Labels
from distinguo.neighbors.base import ChoosesK
from distinguo.neighbors.choice import check_k
from distinguo.neighbors.kept import Kept, refuse_sparse
from distinguo.neighbors.voting import Voting, rows_to_keep
from distinguo.rows.labels import refuse_one_class


class KNeighborsClassifier(Voting, ChoosesK):
    r"""The classes of the k nearest rows vote; the most votes take the row.

    .. math:: P(k \mid x) = \frac{\sum_i a_i(x)\, K(d(x, x_i))\, [y_i = k]}{\sum_i a_i(x)\, K(d(x, x_i))},
              \qquad \sum_i a_i(x) = k

    Nothing is learned: the rows are kept, all of them in memory (sparse ones as they are; those of a `Source` are
    gathered), and each prediction looks for neighbours among them. `cost_` says what that takes.

    Nearer rows have their weight :math:`a_i` (one, or their `sample_weight`) of the k places, and rows at the same
    distance as the last, within 1e-10 of it, share what is left, in proportion to their weights: neither the order of
    the rows nor the search matters. Classes within 1e-10 of the most votes are tied: of two classes the second is
    taken, of more the first, as everywhere in this library.

    Columns count as they are, so that one of large numbers decides alone: see `standardize`. A qualitative column as
    0/1 indicators of its values makes all values equally far from each other; as numbers 1, 2, 3 it does not.

    Parameters
    ----------
    k : how many neighbours vote, or "cv": the number that errs least where each row is left out in turn, all numbers
        from one search; ties go to the lower Brier score, then to the smaller number.
    metric : "euclidean", "manhattan", "chebyshev", "cosine" (one less the cosine), "hamming" (the share of cells that
        differ) or "nan_euclidean" (from the cells that both rows have, scaled up to all; rows with no cell in common
        are infinitely far, and a row without any gets the shares of the classes).
    weights : K, what a vote counts: "uniform"; "distance", 1/d (rows at no distance have all votes); or a kernel of
        u = d / (distance of neighbour k + 1): "triangular" 1 - u, "epanechnikov" 1 - u², "biweight" (1 - u²)²,
        "tricube" (1 - u³)³, with u at most 1 - 1e-6.
    doubt : a row whose winning share of the votes is below it gets no class: `predict` says None.
    standardize : whether columns are compared in standard deviations, those of the rows fitted.
    algorithm : "brute", "kd_tree", "ball_tree", or "auto": a k-d tree in up to 8 columns. The answer is the same.
    candidates : numbers to choose k from, with "cv"; 1 to 50 unless given, as far as there are rows.

    Attributes
    ----------
    classes_ : (K,)
    k_ : how many neighbours vote.
    cv_results_ : {"k", "error", "brier"}, arrays over the candidates, with rows left out; absent unless k is "cv".
    cost_ : rows kept, bytes, and operations a row to predict.

    Examples
    --------
    >>> X, y = [[0.0], [1.0], [2.0], [7.0]], ["a", "a", "b", "b"]
    >>> model = KNeighborsClassifier(3).fit(X, y)
    >>> model.predict([[0.9], [5.0]]).tolist(), model.predict_proba([[0.9]]).round(3).tolist()
    (['a', 'b'], [[0.667, 0.333]])
    >>> KNeighborsClassifier(3, doubt=0.9).fit(X, y).predict([[0.9]]).tolist()
    [None]
    >>> print(model.cost_)
    keeps 4 x 1 cells, 160 bytes with their index; a row to predict takes up to 4 differences of cells

    References
    ----------
    Fix and Hodges (1951), USAF School of Aviation Medicine, report 4. Cover and Hart (1967), IEEE Transactions on
    Information Theory 13, 21-27. Hastie, Tibshirani and Friedman (2009), The Elements of Statistical Learning, section
    13.3. Kernels: Hechenbichler and Schliep (2004), SFB 386, discussion paper 399. Doubt: Ripley (1996), Pattern
    Recognition and Neural Networks, section 6.2.
    """

    def __init__(
        self,
        k: int | str = 5,
        *,
        metric: str = "euclidean",
        weights: str = "uniform",
        doubt: float = 0.0,
        standardize: bool = False,
        algorithm: str = "auto",
        candidates: Any = None,
    ) -> None:
        self.k = k
        self.metric = metric
        self.weights = weights
        self.doubt = doubt
        self.standardize = standardize
        self.algorithm = algorithm
        self.candidates = candidates

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Keep the rows.

        Parameters
        ----------
        X : (n, p) rows (NumPy, SciPy sparse, pandas, Polars, PyArrow), or a `Source` with its own labels, which is
            gathered in memory.
        y : (n,) or (n, 1) labels of any hashable scalar type.
        sample_weight : (n,) frequencies: a row of weight 2 is two neighbours at one distance, weight 0 its absence.

        Returns
        -------
        self

        Raises
        ------
        InputError
            If rows, labels, weights or options cannot be used, there are fewer than two classes, or fewer rows than
            neighbours asked for.
        """
        self._check_voting()
        check_k(self.k, self.candidates)
        refuse_sparse(X, self.metric)
        rows = rows_to_keep(X, y, sample_weight, self.metric, type(self).__name__)
        refuse_one_class(rows.classes)
        self._learn(Kept(rows.X, Labels(rows.codes, len(rows.classes)), rows.weight), rows.names)
        self._classes = rows.classes
        return self
