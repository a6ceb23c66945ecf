"""What models have in common that tell what each column adds to a decision; and pipelines that end in one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from distinguo.exceptions import InputError
from distinguo.explanation import Explanation
from distinguo.hyperplane import decide
from distinguo.rows.labels import label_list, label_text

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Judged:
    """A row as a model reads it.

    Attributes
    ----------
    cells : (p,) as numbers; missing ones are NaN.
    values : (p,) as they came.
    scores : (K,) of the classes; their differences are log-odds.
    posteriors : (K,) as `predict_proba` gives them.
    """

    cells: Array
    values: NDArray[Any]
    scores: Array
    posteriors: Array


@dataclass(frozen=True, eq=False)
class Parts:
    """What adds up to the log-odds; attributes as in `Explanation`."""

    contributions: Array
    start: float
    start_is: str


class Explains(ABC):
    """Models whose columns each add their own part to a score."""

    n_features_in_: int

    @property
    @abstractmethod
    def classes_(self) -> NDArray[Any]:
        """(K,) the labels, in order."""

    @abstractmethod
    def _judge(self, X: Any) -> Judged:
        """One row (1, p), read as for a prediction."""

    @abstractmethod
    def _parts(self, judged: Judged, a: int, b: int) -> Parts:
        """What each column adds to the score of class a less that of b, and what was there before."""

    def explain(self, X: Any, label: Any = None, against: Any = None, *, feature_names: Any = None) -> Explanation:
        """What each column of one row adds to the log-odds of two classes.

        Parameters
        ----------
        X : (1, p) the row.
        label : a class; by default the one predicted.
        against : another; by default the likeliest of the others.
        feature_names : (p,) what columns are called, such as the words of a vocabulary; by default as at the fit.

        Returns
        -------
        Explanation

        Raises
        ------
        InputError
            If X is not one row, a class is unknown, twice the same, or both are impossible for this row, or there are
            not as many names as columns.

        Examples
        --------
        >>> from distinguo import MultinomialNB
        >>> model = MultinomialNB().fit([[2, 0], [1, 0], [0, 1]], ["spam", "spam", "ham"])
        >>> print(model.explain([[1, 0]], feature_names=["prize", "lunch"]))
        'spam' rather than 'ham': P = 0.828
            +0.875  prize = 1
            +0.000  lunch = 0
            +0.693  prior
            +1.569  log-odds
        """
        judged = self._judge(X)
        classes = label_list(self.classes_)
        a, b = places_of_pair(judged.scores, classes, label, against)
        parts = self._parts(judged, a, b)
        with np.errstate(over="ignore", invalid="ignore"):
            log_odds = float(parts.start + parts.contributions.sum())
        if np.isnan(log_odds):
            raise InputError("the row has numbers too large to be told apart: what its columns add is no number.")
        return Explanation(
            label=classes[a],
            against=classes[b],
            classes=self.classes_,
            names=self._called(feature_names),
            values=judged.values,
            contributions=parts.contributions,
            start=parts.start,
            start_is=parts.start_is,
            log_odds=log_odds,
            probability=float(judged.posteriors[a]),
        )

    def _called(self, names: Any) -> NDArray[Any]:
        """(p,) what the columns are called."""
        p = self.n_features_in_
        if names is None:
            known = getattr(self, "feature_names_in_", None)
            return np.array([f"x{j}" for j in range(p)] if known is None else known, dtype=object)
        called = np.array(names, dtype=object).reshape(-1)
        if len(called) != p:
            raise InputError(f"feature_names has {len(called)} names for {p} columns; give one a column.")
        return called


def only_row(blocks: Iterator[tuple[int, Any]]) -> Any:
    """The one block of the one row (1, p) among blocks of rows.

    Raises
    ------
    InputError
        If there are more rows.
    """
    _, block = next(blocks)
    if block.shape[0] != 1:
        raise InputError(f"explain takes one row; X has more. Give X of shape (1, {block.shape[1]}).")
    return block


def places_of_pair(scores: Array, classes: list[Any], label: Any, against: Any) -> tuple[int, int]:
    """The places of the two classes."""
    if len(classes) < 2:
        raise InputError("explain needs two classes, and the model has one.")
    for asked in (label, against):
        if asked is not None and asked not in classes:
            raise InputError(f"there is no class {label_text(asked)}; the classes are {classes[:12]}.")
    a = int(decide(scores[None])[0]) if label is None else classes.index(label)
    others = np.where(np.arange(len(scores)) == a, -np.inf, scores)
    runner_up = int(others.argmax()) if np.isfinite(others).any() else int(a == 0)
    b = runner_up if against is None else classes.index(against)
    if a == b:
        raise InputError(f"explain compares two classes; {label_text(classes[a])} came twice.")
    return a, b


def last_step(estimator: Any, X: Any, feature_names: Any) -> tuple[Any, Any, Any]:
    """A fitted classifier, the row (1, p) as it sees it, and what its columns are called.

    Of a pipeline that is the last step, with the names that the steps before give, if they know any; of everything
    else the classifier itself.
    """
    if not isinstance(estimator, Pipeline):
        return estimator, X, feature_names
    check_is_fitted(estimator)
    if len(estimator) == 1:
        return last_step(estimator[-1], X, feature_names)
    before = estimator[:-1]
    names = before.get_feature_names_out() if feature_names is None else feature_names
    return last_step(estimator[-1], before.transform(X), names)
