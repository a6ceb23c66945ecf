"""What classifiers by neighbours share: shares of votes, and the class that follows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from distinguo.exceptions import MissingCellsError
from distinguo.neighbors.base import HOLES_REFUSED, Neighbors
from distinguo.neighbors.metrics import METRICS
from distinguo.neighbors.votes import TIED, winners
from distinguo.options import share_of
from distinguo.rows.gathered import gather
from distinguo.rows.labels import class_array, encode_labels, label_array, merge_classes
from distinguo.rows.matrix import LabelledMatrix, labelled_matrix
from distinguo.rows.memory import rows_of_fit
from distinguo.rows.validation import check_lengths, check_weight

Array = NDArray[np.float64]


class Voting(ClassifierMixin, Neighbors):
    """Kept rows vote for their classes; which rows are kept is the model's affair."""

    doubt: float
    _classes: NDArray[Any]

    def leave_one_out(self, X: Any, y: Any, sample_weight: Any = None) -> Array:
        """Shares of the votes for rows that were fitted, each by the others; standard deviations stay those of all.

        Of a row with a weight above one, one copy is left out.

        Parameters
        ----------
        X, y, sample_weight : rows that the model was fitted on, or some of them.

        Returns
        -------
        (n, K), in the order of `classes_`.

        Raises
        ------
        InputError
            If a row was not fitted, or too few rows are left.
        """
        codes, classes = encode_labels(y)
        merged, own, theirs = merge_classes(self.classes_, classes)
        place = np.full(len(merged), -1)
        place[own] = np.arange(len(own))
        check_lengths(self._table(X).n, len(codes))
        return self._left_out(X, place[theirs][codes], check_weight(sample_weight, len(codes)))

    def _check_voting(self) -> None:
        self._check_options()
        share_of(self.doubt, "doubt", "0 for none")

    @property
    def classes_(self) -> NDArray[Any]:
        """(K,) the labels, in order, of the type they came in."""
        check_is_fitted(self)
        return self._classes

    def predict_proba(self, X: Any) -> Array:
        """Shares of the votes.

        Parameters
        ----------
        X : (n, p)

        Returns
        -------
        (n, K), in the order of `classes_`.

        Raises
        ------
        InputError
            If the columns are not those of the fit, or cells cannot be compared.
        """
        return self._answers(X)

    def predict_log_proba(self, X: Any) -> Array:
        """(n, K) logarithms of the shares, minus infinity for a class without a vote."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.predict_proba(X)))

    def predict(self, X: Any) -> NDArray[Any]:
        """The class (n,) of the most votes; with `doubt`, objects, None for rows in doubt.

        Parameters
        ----------
        X : (n, p)
        """
        shares = self._answers(X)
        labels = self._classes[winners(shares)]
        if not self.doubt:
            return labels
        labels = class_array(list(labels), np.dtype(object)) if labels.dtype.kind in "mM" else labels.astype(object)
        labels[self._in_doubt(shares)] = None
        return labels

    def doubtful(self, X: Any) -> NDArray[np.bool_]:
        """Whether the winning share (n,) is below `doubt`.

        Parameters
        ----------
        X : (n, p)
        """
        return self._in_doubt(self._answers(X))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of rows that get their class, (weighted) mean; a row in doubt gets none.

        Parameters
        ----------
        X, y, sample_weight : rows, their labels (n,) and frequencies (n,).
        """
        right = np.array([a == b for a, b in zip(self.predict(X), label_array(y), strict=True)], dtype=np.float64)
        return float(np.average(right, weights=sample_weight))

    def _in_doubt(self, shares: Array) -> NDArray[np.bool_]:
        return np.asarray(shares.max(axis=1) < self.doubt * (1 - TIED))


def rows_to_keep(X: Any, y: Any, sample_weight: Any, metric: str, who: str) -> LabelledMatrix:
    """The rows behind the arguments of fit, all in memory, with holes where the metric takes them."""
    if METRICS[metric].holes:
        rows = gather(rows_of_fit(X, y, sample_weight, who)).of_classes_present()
        return LabelledMatrix(rows.X, rows.codes, rows.classes, rows.weight, rows.names, rows.row_numbers)
    try:
        return labelled_matrix(X, y, sample_weight, who)
    except MissingCellsError as error:
        raise MissingCellsError(error.where, HOLES_REFUSED) from None
