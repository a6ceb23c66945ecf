"""Reliability diagrams: what came, against what was said to come."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from distinguo.evaluation.assessment.asking import answers, classes_of
from distinguo.evaluation.assessment.reliability import ReliabilityTable, reliability
from distinguo.exceptions import InputError
from distinguo.plots.canvas import panels, shown, styles, tidy, tint

if TYPE_CHECKING:
    from matplotlib.axes import Axes

GREY = "0.35"
# A bin of less width would not be seen.
NARROWEST = 0.015


@dataclass
class ReliabilityDisplay:
    """The share of rows that are right in each bin of probabilities, with intervals; below, how many rows there are.

    On the dashed line probabilities are what they say; below it they are too high. An interval that misses the line is
    more than chance.

    Make it with `from_estimator` or `from_predictions`.

    Parameters
    ----------
    table : what is drawn.

    Attributes
    ----------
    ax_ : (2,) axes, the diagram and the counts.
    figure_ : where it was drawn.
    line_ : the line of the points.
    intervals_ : the collection of intervals, one a bin that has rows.
    bars_ : the bar container of the counts.

    References
    ----------
    Bröcker and Smith (2007), Increasing the reliability of reliability diagrams, Weather and Forecasting 22, 651-661.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from distinguo import GaussianNB, ReliabilityDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> model = GaussianNB().fit(X[::2], y[::2])
    >>> display = ReliabilityDisplay.from_estimator(model, X[1::2], y[1::2], bins=4, strategy="quantile")
    >>> int(display.table.count.sum())
    75
    """

    table: ReliabilityTable

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any, **options: Any) -> Self:
        """Take the probabilities of a fitted model, and draw.

        Parameters
        ----------
        estimator : a fitted classifier with `predict_proba`.
        X : (n, p) rows.
        y : (n,) labels.
        options : as in `from_predictions`.

        Returns
        -------
        ReliabilityDisplay

        Raises
        ------
        InputError
            If rows, labels or options cannot be used, or the model has no probabilities.
        NotFittedError
            If the model is not fitted.
        """
        classes = classes_of(estimator)
        probabilities = answers(estimator, "predict_proba", X)
        if probabilities is None:
            raise InputError(f"{type(estimator).__name__} has no predict_proba; reliability is that of probabilities.")
        return cls.from_predictions(y, probabilities, classes, **options)

    @classmethod
    def from_predictions(
        cls,
        y: Any,
        probabilities: Any,
        classes: Any = None,
        *,
        label: Any = None,
        bins: Any = 10,
        strategy: str = "width",
        sample_weight: Any = None,
        confidence: float = 0.95,
        ax: Axes | None = None,
    ) -> Self:
        """Put probabilities in bins, and draw.

        Parameters
        ----------
        y, probabilities, classes, bins, strategy, sample_weight, confidence : as in `distinguo.reliability`.
        label : the class whose probabilities to show; None for those of the predicted class, whichever it is.
        ax : axes whose place to take; a new figure by default.

        Returns
        -------
        ReliabilityDisplay

        Raises
        ------
        InputError
            If labels, probabilities or options cannot be used.
        """
        options = {"bins": bins, "strategy": strategy, "sample_weight": sample_weight, "confidence": confidence}
        return cls(reliability(y, probabilities, classes, **options).of(label)).plot(ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw, in a new figure or in the place of the axes given.

        Parameters
        ----------
        ax : axes whose place to take; a new figure by default.

        Returns
        -------
        self
        """
        table, look = self.table, styles(1)[0]
        self.ax_ = panels(ax, 2, 1, (4.6, 5.2), heights=(3.2, 1.0), sharex=True)[:, 0]
        top, bottom = self.ax_
        self.figure_ = top.figure
        filled = table.count > 0
        at, share = table.mean_confidence[filled], table.share_correct[filled]
        top.plot([0, 1], [0, 1], ls="--", lw=1.0, color=GREY, zorder=1)
        self.intervals_ = top.vlines(at, table.low[filled], table.high[filled], color=look.color, lw=1.8, zorder=2)
        (self.line_,) = top.plot(at, share, "-o", color=look.dark, lw=1.0, ms=4.5, mec="white", mew=0.6, zorder=3)
        left = np.minimum(table.lower, table.upper - NARROWEST)
        fill = tint(look.color, 0.75)
        self.bars_ = bottom.bar(left, table.count, table.upper - left, align="edge", color=fill, ec="white", lw=0.6)
        self._name(top, bottom)
        return self

    def _name(self, top: Axes, bottom: Axes) -> None:
        """Say what the axes are."""
        table = self.table
        top.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
        top.set_title(
            f"calibration error {table.ece:.3f}, {table.ece_by_chance:.3f} by chance alone",
            loc="left",
            fontsize="small",
            color=GREY,
        )
        one = table.label is None
        top.set_ylabel("share of rows so classified rightly" if one else f"share of rows that are {shown(table.label)}")
        bottom.set_xlabel("probability of the predicted class" if one else f"probability of {shown(table.label)}")
        bottom.set_ylabel("rows")
        bottom.locator_params(axis="y", nbins=3)
        bottom.set_ylim(0, max(1.05 * float(np.max(table.count)), 1.0))
        for panel in (top, bottom):
            tidy(panel)
