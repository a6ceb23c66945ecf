"""Coefficients with intervals, one below the other: a forest plot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from distinguo.exceptions import InputError, InputTypeError
from distinguo.plots.canvas import Style, class_texts, drawing_area, legend_beside, plain_numbers, shown, styles, tidy
from distinguo.plots.estimates import Estimates, estimates
from distinguo.plots.scales import Scale, scale_of
from distinguo.plots.subject import Subject

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

Array = NDArray[np.float64]

MOST_TERMS = 100
# Shares of the axis beyond the outermost number, and for an arrow.
MARGIN, ARROW = 0.05, 0.09
GREY = "0.35"


@dataclass
class CoefficientIntervalsDisplay:
    r"""The coefficients of a linear model as points, with their intervals, a line a column.

    Classes are side by side, each against the base. The line at zero (one, for odds ratios) is where a column does not
    count. An arrow at the edge is a coefficient that maximum likelihood makes infinite, since a linear rule tells the
    classes apart, or an interval without an end; a hollow point is a coefficient that the rows do not determine.
    Penalised models have points only: their rows do not tell how far off the coefficients are.

    Make it with `from_estimator`.

    Parameters
    ----------
    estimates : what is drawn, as log odds.
    labels : (K,) classes as text.
    scale : how they are shown.
    per : "unit", or "standard deviation".

    Attributes
    ----------
    ax_, figure_ : where it was drawn.
    lines_ : list of m collections of intervals, one a class; an interval is a vertical place and two ends.
    points_, hollow_ : lists of m lines of points, full and hollow ones.
    arrows_ : list of annotations.
    legend_ : the legend, or None where nothing needs one.

    References
    ----------
    Lewis and Clarke (2001), Forest plots: trying to see the wood and the trees, BMJ 322, 1479-1480.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from distinguo import CoefficientIntervalsDisplay, LogisticRegression
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = LogisticRegression().fit(X[50:], y[50:])
    >>> display = CoefficientIntervalsDisplay.from_estimator(model)
    >>> display.estimates.estimate.round(2).tolist()
    [[-2.47, -6.68, 9.43, 18.29]]
    """

    estimates: Estimates
    labels: list[str]
    scale: Scale
    per: str

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any = None,
        *,
        features: Sequence[Any] | None = None,
        intercept: bool = False,
        kind: str | None = "auto",
        level: float = 0.95,
        base: Any = None,
        scale: str = "log odds",
        ax: Axes | None = None,
        legend: bool = True,
    ) -> Self:
        """Take coefficients and intervals of a fitted model, and draw.

        Parameters
        ----------
        estimator : a fitted model with `coef_`.
        X : (n, p) rows; with them coefficients are per standard deviation of each column, so that columns of different
            units can be compared.
        features : columns by name or number, in the order wanted; by default all.
        intercept : whether to draw it, above the columns.
        kind : "wald" or "profile", as in `LogisticRegression.confidence_intervals`, or None for points only; "auto" is
            "wald" where the model is of maximum likelihood, else None.
        level : of the intervals.
        base : the class that the others are held against; None for the first.
        scale : "log odds", or "odds ratio" on a logarithmic axis.
        ax : axes to draw in; a new figure by default.
        legend : whether to say what is what, where there is more than one kind of mark.

        Returns
        -------
        CoefficientIntervalsDisplay

        Raises
        ------
        InputError
            If columns or options cannot be used, or the model has no coefficients or no such intervals.
        NotFittedError
            If the model is not fitted.
        """
        subject = Subject(estimator)
        found = estimates(subject, kind, level, base)
        chosen = _chosen(subject, features)
        aside = len(found.terms) - subject.p  # whether there is an intercept
        if X is not None:
            found = found.times(np.concatenate([np.ones(aside), np.nanstd(subject.rows(X), axis=0)]))
        first = list(range(aside)) if intercept else []
        found = found.of([*first, *(j + aside for j in chosen)])
        per = "unit" if X is None else "standard deviation"
        return cls(found, class_texts(subject.classes), scale_of(subject, scale, found), per).plot(ax, legend=legend)

    def plot(self, ax: Axes | None = None, *, legend: bool = True) -> Self:
        """Draw, in new axes or in those given.

        Parameters
        ----------
        ax : axes to draw in; a new figure by default.
        legend : whether to say what is what, where there is more than one kind of mark.

        Returns
        -------
        self
        """
        m, t = self.estimates.estimate.shape
        ax = drawing_area(ax, height=max(0.9 + t * max(0.3, 0.14 * m + 0.06), 1.6))
        self.ax_, self.figure_ = ax, ax.figure
        self._frame(ax)
        looks = styles(len(self.labels))
        # One class against another has the first colour.
        own = looks[:1] if m == 1 else [looks[k] for k in self.estimates.others]
        self.lines_: list[Any] = []
        self.points_: list[Any] = []
        self.hollow_: list[Any] = []
        self.arrows_: list[Any] = []
        for i, look in enumerate(own):
            places = np.arange(t) + (i - (m - 1) / 2) * min(0.8 / m, 0.26)
            self._class(ax, i, places, look)
        self.legend_ = self._legend(ax, own) if legend else None
        return self

    def _frame(self, ax: Axes) -> None:
        """Axes, names of columns, and the line where a column does not count."""
        found, t = self.estimates, len(self.estimates.terms)
        ax.set_xscale(self.scale.axis)
        ax.set_xlim(*map(float, self.scale.shown(self._limits())))
        plain_numbers(ax.xaxis)
        ax.set_ylim(t - 0.5, -0.5)
        ax.set_yticks(range(t), [shown(term, 34) for term in found.terms])
        ax.tick_params(axis="y", length=0)
        ax.axvline(float(self.scale.shown(np.zeros(1))[0]), color="0.6", lw=0.9, zorder=1)
        if len(found.others) > 1:
            for row in range(0, t, 2):
                ax.axhspan(row - 0.5, row + 0.5, color="0.95", lw=0, zorder=0)
        second = self.labels[found.others[0]] if len(found.others) == 1 else "each class"
        ax.set_xlabel(f"{self.scale.name} of {second} against {self.labels[found.base]},\nper {self.per} of the column")
        if found.intervals:
            ax.set_title(found.intervals, loc="left", fontsize="small", color=GREY)
        tidy(ax)
        ax.spines["left"].set_visible(False)

    def _limits(self) -> Array:
        """(2,) least and greatest log odds to be seen, with room for arrows."""
        found = self.estimates
        numbers = np.concatenate([part.ravel() for part in (found.estimate, found.low, found.high)])
        finite = np.append(numbers[np.isfinite(numbers)], 0.0)
        low, high = float(finite.min()), float(finite.max())
        room = MARGIN + ARROW * np.array([np.isneginf(numbers).any(), np.isposinf(numbers).any()])
        return np.array([low, high]) + ((high - low) or 1.0) * room * [-1, 1]

    def _class(self, ax: Axes, i: int, places: Array, look: Style) -> None:
        """The coefficients (t,) of a class at vertical places (t,)."""
        value, low, high = (part[i] for part in (self.estimates.estimate, self.estimates.low, self.estimates.high))
        known = np.isfinite(value)
        edges = self._limits()
        spans = known & ~np.isnan(low)
        ends = self.scale.shown(np.stack([np.clip(low, *edges), np.clip(high, *edges)]))
        self.lines_.append(ax.hlines(places[spans], *ends[:, spans], color=look.color, lw=1.8, zorder=2))
        for ahead, infinite in (
            (True, np.isposinf(value) | np.isposinf(high)),
            (False, np.isneginf(value) | np.isneginf(low)),
        ):
            self.arrows_ += [_arrow(ax, place, ahead, look) for place in places[infinite]]
        full = known & (spans | (not self.estimates.intervals))
        where = self.scale.shown(np.where(known, value, 0.0))
        for kept, chosen, fill in ((self.points_, full, look.color), (self.hollow_, known & ~full, "white")):
            kept.extend(ax.plot(where[chosen], places[chosen], look.marker, color=look.color, mfc=fill, ms=6, zorder=3))

    def _legend(self, ax: Axes, own: list[Style]) -> Any:
        """Classes, and what arrows and hollow points are; None where there is one kind of mark."""
        from matplotlib.lines import Line2D

        found = self.estimates
        handles: list[Artist] = []
        texts: list[str] = []
        if len(own) > 1:
            handles += [Line2D([], [], color=look.color, marker=look.marker, lw=1.8, ms=6) for look in own]
            texts += [self.labels[k] for k in found.others]
        if self.arrows_:
            handles.append(Line2D([], [], color=GREY, marker=">", lw=1.8, ms=6, markevery=[-1]))
            texts.append("infinite" if np.isinf(found.estimate).any() else "without end")
        if found.intervals and (np.isfinite(found.estimate) & np.isnan(found.low)).any():
            handles.append(Line2D([], [], ls="", color=GREY, marker="o", mfc="white", ms=6))
            texts.append("not determined\nby the rows")
        return legend_beside(ax, handles, texts) if handles else None


def _arrow(ax: Axes, place: float, ahead: bool, look: Style) -> Any:
    """An arrow to the edge of the axes."""
    tip, tail = (0.99, 0.99 - 0.8 * ARROW) if ahead else (0.01, 0.01 + 0.8 * ARROW)
    along = ax.get_yaxis_transform()
    style = {"arrowstyle": "-|>", "color": look.color, "lw": 1.8, "shrinkA": 0, "shrinkB": 0}
    return ax.annotate("", (tip, place), (tail, place), xycoords=along, textcoords=along, arrowprops=style, zorder=2)


def _chosen(subject: Subject, features: Any) -> list[int]:
    """The columns to draw, by number."""
    if features is None:
        chosen = list(range(subject.p))
    elif isinstance(features, str) or not isinstance(features, Sequence | np.ndarray):
        raise InputTypeError(f"features={features!r} must be a list of columns, by name or number.")
    else:
        chosen = [subject.column(feature) for feature in features]
    if not 1 <= len(chosen) <= MOST_TERMS:
        raise InputError(f"{len(chosen)} columns are to be drawn; name 1 to {MOST_TERMS} of them with features=.")
    return chosen
