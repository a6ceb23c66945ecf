"""Histograms of the classes along a discriminant, one above the other, as R's ldahist."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from distinguo.exceptions import InputError
from distinguo.plots.canvas import class_texts, panels, styles, tidy, tint
from distinguo.plots.subject import Subject

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[np.float64]

MOST_BINS = 200


@dataclass
class DiscriminantHistogramDisplay:
    """How the rows of each class lie along a discriminant: one panel a class, on one axis.

    Bars are densities, of area one in each panel, so that rare classes can be read beside common ones. The line is
    the mean of the rows.

    Make it with `from_estimator`.

    Parameters
    ----------
    scores : list of K arrays, the rows of each class on the discriminant.
    edges : (b + 1,) edges of the bins, the same for all.
    labels : (K,) classes as text.
    name : of the discriminant.

    Attributes
    ----------
    ax_ : (K,) axes, one a class.
    figure_ : where it was drawn.
    bars_ : list of K bar containers.

    References
    ----------
    Venables and Ripley (2002), Modern Applied Statistics with S, section 12.1.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from distinguo import DiscriminantHistogramDisplay, LinearDiscriminantAnalysis
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LinearDiscriminantAnalysis().fit(X, y)
    >>> display = DiscriminantHistogramDisplay.from_estimator(model, X, y)
    >>> display.ax_[-1].get_xlabel()
    'LD1 (99.1% of between-class variance)'
    """

    scores: list[Array]
    edges: Array
    labels: list[str]
    name: str

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, *, component: int = 0, bins: int | None = None, ax: Axes | None = None
    ) -> Self:
        """Transform rows with a fitted model, and draw.

        Parameters
        ----------
        estimator : a fitted classifier with `transform`.
        X : (n, p) rows.
        y : (n,) labels.
        component : which discriminant; the first is 0.
        bins : how many from the least to the greatest row; by default as wide as Scott's rule says for the spread
            within classes.
        ax : axes whose place to take; a new figure by default.

        Returns
        -------
        DiscriminantHistogramDisplay

        Raises
        ------
        InputError
            If rows, labels or options cannot be used, or the model has no discriminants.
        NotFittedError
            If the model is not fitted.
        """
        subject = Subject(estimator)
        classes = subject.classes
        values = subject.rows(X)
        codes = subject.codes(y, len(values))
        discriminants = subject.transformed(values)
        L = discriminants.shape[1]
        if isinstance(component, bool) or not isinstance(component, int | np.integer) or not 0 <= component < L:
            raise InputError(f"component={component!r} must be a whole number from 0 to {L - 1}.")
        scores = [discriminants[codes == k, component] for k in range(len(classes))]
        name = subject.discriminant_names(L)[component]
        return cls(scores, _edges(scores, bins), class_texts(classes), name).plot(ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw, in a new figure or in the place of the axes given.

        Parameters
        ----------
        ax : axes whose place to take; a new figure by default.

        Returns
        -------
        self
        """
        K = len(self.labels)
        grid = panels(ax, K, 1, (6.0, float(np.clip(1.1 * K + 0.7, 2.6, 9.0))), sharex=True, sharey=True)
        self.ax_ = grid[:, 0]
        self.figure_ = self.ax_[0].figure
        self.bars_ = []
        widths = np.diff(self.edges)
        for panel, look, label, scores in zip(self.ax_, styles(K), self.labels, self.scores, strict=True):
            counts = np.histogram(scores, self.edges)[0]
            heights = counts / (max(counts.sum(), 1) * widths)
            fill = tint(look.color, 0.75)
            self.bars_.append(panel.bar(self.edges[:-1], heights, widths, align="edge", color=fill, ec="white", lw=0.6))
            if len(scores):
                panel.axvline(float(scores.mean()), color=look.dark, lw=1.8)
            note = f"{label}\n{len(scores)} row{'s' if len(scores) != 1 else ''}"
            panel.text(1.01, 0.5, note, transform=panel.transAxes, va="center", fontsize="small")
            tidy(panel)
            panel.locator_params(axis="y", nbins=2)
        self.ax_[-1].set_xlabel(self.name)
        self.ax_[K // 2].set_ylabel("density")
        return self


def _edges(scores: list[Array], bins: Any) -> Array:
    """Edges of bins that all classes share."""
    together = np.concatenate(scores)
    low, high = float(together.min()), float(together.max())
    if high == low:
        low, high = low - 0.5, high + 0.5
    if bins is None:
        filled = [part for part in scores if len(part)]
        within = np.sqrt(sum(float(((part - part.mean()) ** 2).sum()) for part in filled) / len(together))
        width = 3.49 * within * (len(together) / len(filled)) ** (-1 / 3)
        bins = int(np.ceil((high - low) / width)) if width > (high - low) / MOST_BINS else MOST_BINS
    elif isinstance(bins, bool) or not isinstance(bins, int | np.integer) or bins < 1:
        raise InputError(f"bins={bins!r} must be a whole number of at least 1.")
    return np.linspace(low, high, int(bins) + 1)
