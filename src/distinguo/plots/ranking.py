"""ROC and precision-recall curves, each class against the rest."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from distinguo.evaluation.assessment.asking import answers, classes_of
from distinguo.evaluation.truth import Truth, named, places_among, truth_of
from distinguo.exceptions import InputError
from distinguo.plots.canvas import drawing_area, legend_beside, shown, styles, tidy
from distinguo.rows.labels import encode_labels, label_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[np.float64]

# Curves of more classes cannot be told apart.
MOST_CURVES = 10
GREY = "0.35"


@dataclass(frozen=True, eq=False)
class Curve:
    """The curve of a class against the rest.

    Attributes
    ----------
    label : the class.
    x, y : (m,) points.
    area : below it.
    share : of rows that are of the class.
    """

    label: Any
    x: Array
    y: Array
    area: float
    share: float


@dataclass
class RankingDisplay(ABC):
    """How rows of a class rank before others by its score; what ROC and precision-recall diagrams share.

    Parameters
    ----------
    curves : one a class that is shown.
    of : how many classes there are.
    """

    curves: Sequence[Curve]
    of: int
    names: ClassVar[tuple[str, str]]
    area: ClassVar[str]

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any, **options: Any) -> Self:
        """Take the probabilities of a fitted model, or its scores where it has none, and draw.

        Parameters
        ----------
        estimator : a fitted classifier.
        X : (n, p) rows.
        y : (n,) labels.
        options : as in `from_predictions`.

        Raises
        ------
        InputError
            If rows, labels or options cannot be used.
        NotFittedError
            If the model is not fitted.
        """
        classes = classes_of(estimator)
        scores = answers(estimator, "predict_proba", X)
        if scores is None:
            scores = answers(estimator, "decision_function", X)
        if scores is None:
            raise InputError(f"{type(estimator).__name__} has neither probabilities nor scores to rank rows by.")
        return cls.from_predictions(y, scores, classes, **options)

    @classmethod
    def from_predictions(
        cls,
        y: Any,
        scores: Any,
        classes: Any = None,
        *,
        labels: Sequence[Any] | None = None,
        sample_weight: Any = None,
        ax: Axes | None = None,
    ) -> Self:
        """Rank rows by scores, and draw.

        Parameters
        ----------
        y : (n,) labels.
        scores : (n, K) probabilities or scores, a column a class; of two classes the second's lead, (n,), will do.
        classes : (K,) in the order of the columns; by default the labels of y, sorted.
        labels : the classes to show; by default all, the second of two, or of more than ten those of the least area.
        sample_weight : (n,) frequencies.
        ax : axes to draw in; a new figure by default.

        Raises
        ------
        InputError
            If labels, scores or options cannot be used, or there are not rows of two classes.
        """
        truth = truth_of(y, classes, sample_weight)
        values = truth.scores(scores)
        found = [cls._curve_of(truth, values[:, k], k) for k in _places(truth, labels)]
        if labels is None and len(found) > MOST_CURVES:
            least = sorted(sorted(range(len(found)), key=lambda i: found[i].area)[:MOST_CURVES])
            found = [found[i] for i in least]
        return cls(found, len(truth.classes)).plot(ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw, in new axes or in those given.

        Parameters
        ----------
        ax : axes to draw in; a new figure by default.

        Returns
        -------
        self
        """
        ax = drawing_area(ax, height=4.4)
        self.ax_, self.figure_ = ax, ax.figure
        looks = styles(len(self.curves))
        self.lines_ = [
            ax.plot(curve.x, curve.y, color=look.color, lw=1.6, ls="--" if i >= MOST_CURVES else "-")[0]
            for i, (curve, look) in enumerate(zip(self.curves, looks, strict=True))
        ]
        self._reference(ax)
        texts = [f"{shown(curve.label)}  {curve.area:.3f}" for curve in self.curves]
        some = f"{len(self.curves)} of {self.of} classes, " if len(self.curves) < self.of != 2 else ""
        self.legend_ = legend_beside(ax, self.lines_, texts, f"{some}{self.area}")
        ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), xlabel=self.names[0], ylabel=self.names[1])
        tidy(ax)
        return self

    @classmethod
    def _curve_of(cls, truth: Truth, scores: Array, k: int) -> Curve:
        own = truth.codes == k
        x, y, area = cls._points(own, scores, truth.weight)
        return Curve(truth.labels[k], x, y, area, float(truth.weight[own].sum() / truth.weight.sum()))

    @staticmethod
    @abstractmethod
    def _points(own: NDArray[np.bool_], scores: Array, weight: Array) -> tuple[Array, Array, float]:
        """The curve of rows that are of a class (n,), ranked by scores (n,), and its area."""

    @abstractmethod
    def _reference(self, ax: Axes) -> None:
        """What scores that know nothing would draw."""


def _places(truth: Truth, labels: Sequence[Any] | None) -> list[int]:
    """The classes to show, which must be there and not alone."""
    there = (truth.totals > 0) & (truth.totals < truth.weight.sum())
    K = len(truth.classes)
    if labels is not None:
        codes, own = encode_labels(list(labels))
        places = places_among(truth.classes, own)[codes].tolist()
        for label, place in zip(labels, places, strict=True):
            if place < 0 or not there[place]:
                why = "is no class" if place < 0 else "has no rows, or all"
                raise InputError(f"{label_text(label)} {why}; the classes are {named(truth.classes)}.")
        return list(places)
    places = [k for k in range(K) if there[k]]
    if not places:
        raise InputError("rows of one class alone rank before nothing; bring rows of another.")
    return places[-1:] if K == 2 else places


@dataclass
class RocDisplay(RankingDisplay):
    """ROC curves: the share of a class's rows that are found, against the share of the others that are taken for it.

    The dashed line is a coin's. The area is the probability that a row of the class ranks before one of another.

    Make it with `from_estimator` or `from_predictions`.

    Parameters
    ----------
    curves : one a class that is shown.
    of : how many classes there are.

    Attributes
    ----------
    ax_, figure_ : where it was drawn.
    lines_ : list of lines, one a curve.
    legend_ : classes and areas.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from distinguo import GaussianNB, RocDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> display = RocDisplay.from_estimator(GaussianNB().fit(X[::2], y[::2]), X[1::2], y[1::2])
    >>> [round(curve.area, 3) for curve in display.curves]
    [1.0, 0.994, 0.994]
    """

    names: ClassVar[tuple[str, str]] = ("false alarms (1 - specificity)", "found (recall)")
    area: ClassVar[str] = "area under ROC"

    @staticmethod
    def _points(own: NDArray[np.bool_], scores: Array, weight: Array) -> tuple[Array, Array, float]:
        from sklearn.metrics import auc, roc_curve

        false_alarms, found, _ = roc_curve(own, scores, sample_weight=weight)
        return false_alarms, found, float(auc(false_alarms, found))

    def _reference(self, ax: Axes) -> None:
        ax.plot([0, 1], [0, 1], ls="--", lw=1.0, color=GREY, zorder=1)


@dataclass
class PrecisionRecallDisplay(RankingDisplay):
    """Precision-recall curves: the share of a class among the rows taken for it, against the share of it that is found.

    The area is the average precision. Of one curve, the dashed line is that of scores that know nothing: the share of
    the class.

    Make it with `from_estimator` or `from_predictions`.

    Parameters
    ----------
    curves : one a class that is shown.
    of : how many classes there are.

    Attributes
    ----------
    ax_, figure_ : where it was drawn.
    lines_ : list of lines, one a curve.
    legend_ : classes and areas.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from distinguo import GaussianNB, PrecisionRecallDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> display = PrecisionRecallDisplay.from_estimator(GaussianNB().fit(X[::2], y[::2]), X[1::2], y[1::2])
    >>> [round(curve.area, 3) for curve in display.curves]
    [1.0, 0.989, 0.99]
    """

    names: ClassVar[tuple[str, str]] = ("found (recall)", "right among those found (precision)")
    area: ClassVar[str] = "average precision"

    @staticmethod
    def _points(own: NDArray[np.bool_], scores: Array, weight: Array) -> tuple[Array, Array, float]:
        from sklearn.metrics import average_precision_score, precision_recall_curve

        precision, found, _ = precision_recall_curve(own, scores, sample_weight=weight)
        area = float(average_precision_score(own, scores, sample_weight=weight))
        return np.repeat(found, 2)[1:], np.repeat(precision, 2)[:-1], area

    def _reference(self, ax: Axes) -> None:
        if len(self.curves) == 1:
            ax.axhline(self.curves[0].share, ls="--", lw=1.0, color=GREY, zorder=1)
