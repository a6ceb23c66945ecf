"""Votes of the nearest among the last rows of a stream."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from distinguo.neighbors.answers import Labels
from distinguo.neighbors.kept import Kept, refuse_sparse, refuse_unusable
from distinguo.neighbors.search import same_kind
from distinguo.neighbors.votes import FILLED
from distinguo.neighbors.voting import Voting, rows_to_keep
from distinguo.options import counting
from distinguo.rows.labels import codes_among, encode_labels, merge_classes, refuse_one_class
from distinguo.rows.matrix import LabelledMatrix
from distinguo.rows.validation import check_columns


class SlidingWindowKNN(Voting):
    """The k nearest of the last rows vote: what was learned long ago is forgotten, and memory stays constant.

    Each `partial_fit` brings rows; of all that ever came, the last `window` are kept, and the model is
    `KNeighborsClassifier` of these, however the stream was cut. While fewer than k rows have come, all of them vote.
    Rows are kept dense.

    Parameters
    ----------
    k : how many neighbours vote.
    window : how many rows are kept; rows of weight zero are none.
    metric, weights, doubt, standardize : as in `KNeighborsClassifier`. Standard deviations are those of the window; a
        column that does not vary within it counts nothing there.

    Attributes
    ----------
    classes_ : (K,) all that ever came or were declared, whether or not the window has rows of them.
    k_ : how many neighbours vote by now.
    cost_ : rows kept, bytes, and operations a row to predict.

    Examples
    --------
    >>> model = SlidingWindowKNN(k=1, window=2)
    >>> for x, label in [(0.0, "low"), (1.0, "high"), (0.0, "high")]:
    ...     _ = model.partial_fit([[x]], [label])
    >>> model.predict([[0.1]]).tolist(), model.cost_.rows
    (['high'], 2)
    """

    algorithm = "brute"  # a tree would have to grow anew whenever a prediction follows new rows

    def __init__(
        self,
        k: int = 5,
        *,
        window: int = 1000,
        metric: str = "euclidean",
        weights: str = "uniform",
        doubt: float = 0.0,
        standardize: bool = False,
    ) -> None:
        self.k = k
        self.window = window
        self.metric = metric
        self.weights = weights
        self.doubt = doubt
        self.standardize = standardize

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Forget what came before, and keep the last of these rows.

        Parameters
        ----------
        X : (n, p) rows (NumPy, SciPy sparse, pandas, Polars, PyArrow), or a `Source` with its own labels, which is
            gathered in memory.
        y : (n,) or (n, 1) labels of any hashable scalar type.
        sample_weight : (n,) frequencies: a row of weight 2 is two neighbours at one distance, in one place of the
            window; weight 0 is its absence.

        Returns
        -------
        self

        Raises
        ------
        InputError
            If rows, labels, weights or options cannot be used, or there are fewer than two classes.
        """
        rows = self._rows_of(X, y, sample_weight)
        refuse_one_class(rows.classes, " To learn classes one after the other, use partial_fit.")
        self._slide(rows, rows.classes, rows.names)
        return self

    def partial_fit(self, X: Any, y: Any = None, classes: Any = None, sample_weight: Any = None) -> Self:
        """Keep more rows, and forget as many of the oldest as are too many; classes not seen before are added.

        Parameters
        ----------
        X, y, sample_weight : as in `fit`.
        classes : labels to expect, whether or not they are among these rows.

        Returns
        -------
        self

        Raises
        ------
        InputError
            If rows, labels, weights or options cannot be used, or columns are not those of earlier rows.
        """
        rows = self._rows_of(X, y, sample_weight)
        known, names = rows.classes, rows.names
        if classes is not None:
            known = merge_classes(known, encode_labels(classes)[1])[0]
        if self.__sklearn_is_fitted__():
            earlier = getattr(self, "feature_names_in_", None)
            check_columns(rows.X.shape[1], names, self.n_features_in_, earlier, type(self).__name__)
            names = names if earlier is None else earlier
            known = merge_classes(self._classes, known)[0]
            rows = self._joined(rows, known)
        self._slide(rows, known, names)
        return self

    def _rows_of(self, X: Any, y: Any, sample_weight: Any) -> LabelledMatrix:
        """New rows, dense, that may be kept, once the options are in order."""
        self._check_voting()
        counting(self.k, "k")
        counting(self.window, "window")
        refuse_sparse(X, self.metric)
        rows = rows_to_keep(X, y, sample_weight, self.metric, type(self).__name__)
        refuse_unusable(rows.X, self.metric)
        return replace(rows, X=same_kind(rows.X, as_sparse=False))

    def _joined(self, rows: LabelledMatrix, known: NDArray[Any]) -> LabelledMatrix:
        """The rows kept so far, and new ones after them, over the known classes."""
        kept = self._kept
        codes = codes_among(known, self._classes, kept.answers.said), codes_among(known, rows.classes, rows.codes)
        return replace(
            rows,
            X=np.concatenate([same_kind(kept.X, as_sparse=False), same_kind(rows.X, as_sparse=False)]),
            codes=np.concatenate(codes),
            classes=known,
            weight=np.concatenate([kept.weight, rows.weight]),
        )

    def _slide(self, rows: LabelledMatrix, known: NDArray[Any], names: NDArray[Any] | None) -> None:
        """Keep the last rows, in memory of their own."""
        last = slice(-self.window, None)
        codes = np.array(codes_among(known, rows.classes, rows.codes[last]))
        kept = Kept(np.array(rows.X[last]), Labels(codes, len(known)), np.array(rows.weight[last]))
        self._classes = known
        self.k_ = max(1, min(self.k, int(kept.total / FILLED)))
        kept = kept.standardized() if self.standardize else kept
        self._keep(kept, kept.search(self.metric, self.algorithm), names)
