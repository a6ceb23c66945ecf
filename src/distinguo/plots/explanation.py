"""What each column adds to one decision: the bars of a nomogram, with the probability they come to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from distinguo.exceptions import InputError, InputTypeError
from distinguo.explaining import last_step
from distinguo.explanation import Explanation, Line, probability_text
from distinguo.plots.canvas import INK, Style, drawing_area, shown, styles
from distinguo.plots.probability_axis import probability_ticks
from distinguo.plots.signed_bars import letters_across, limits, signed_bar
from distinguo.rows.labels import label_list

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[np.float64]

DEFAULT_COLUMNS, MOST_COLUMNS = 12, 100
# Letters of a column's name and cell together, and of the cell alone.
LONGEST, LONGEST_CELL = 34, 16
# How strongly bars are coloured: single columns, what else there is, and the sum.
STRENGTH = {"column": 0.6, "others": 0.28, "start": 0.28, "sum": 1.0}
# How far the sum stands off from what it is the sum of.
GAP = 0.35
GREY = "0.35"


@dataclass
class ExplanationDisplay:
    r"""One decision as bars: what each column adds to the log-odds of one class against another.

    Bars to the right speak for the class, those to the left for the other, each in the colour of the class it speaks
    for. Below the columns that add most stand the others together, what was there before any column was looked at, and
    the sum; the axis at the bottom says which probability a sum means, as that of a nomogram does. Of more than two
    classes it is the probability of the one among the two, and the title has that among all. An arrow is a cell
    that one class cannot have.

    Make it with `from_explanation` or `from_estimator`.

    Parameters
    ----------
    explanation : what is drawn.
    n : of how many columns.

    Attributes
    ----------
    ax_, figure_ : where it was drawn.
    lines_ : list of m `distinguo.explanation.Line`, from top to bottom; the last is the sum.
    bars_ : list of m bars.
    arrows_ : list of annotations, one an infinite line.
    probability_axis_ : the axis at the bottom.

    References
    ----------
    Možina, Demšar, Kattan and Zupan (2004), Nomograms for visualization of naive Bayesian classifier, PKDD, 337-348.

    Examples
    --------
    >>> from distinguo import ExplanationDisplay, MultinomialNB
    >>> model = MultinomialNB().fit([[2, 0, 1], [1, 0, 1], [0, 1, 1]], ["spam", "spam", "ham"])
    >>> display = ExplanationDisplay.from_estimator(model, [[1, 0, 1]], feature_names=["prize", "lunch", "the"])
    >>> [(line.name, round(line.adds, 2)) for line in display.lines_]
    [('prize', 0.92), ('the', -0.06), ('lunch', 0.0), ('prior', 0.69), ('log-odds', 1.54)]
    """

    explanation: Explanation
    n: int = DEFAULT_COLUMNS

    @classmethod
    def from_explanation(cls, explanation: Explanation, n: int = DEFAULT_COLUMNS, *, ax: Axes | None = None) -> Self:
        """Draw what `explain` has found.

        Parameters
        ----------
        explanation : of one row.
        n : how many columns, those that add most; the others are drawn together.
        ax : axes to draw in; a new figure by default.

        Returns
        -------
        ExplanationDisplay

        Raises
        ------
        InputError
            If n is no whole number from 1 to 100.
        InputTypeError
            If it is no explanation.
        """
        if not isinstance(explanation, Explanation):
            raise InputTypeError(
                f"explanation must be what a model's explain(X) gives; {type(explanation).__name__} came."
            )
        return cls(explanation, n).plot(ax)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        *,
        label: Any = None,
        against: Any = None,
        n: int = DEFAULT_COLUMNS,
        feature_names: Any = None,
        ax: Axes | None = None,
    ) -> Self:
        """Ask a fitted model for the reasons of one row, and draw.

        Parameters
        ----------
        estimator : a fitted model with `explain`, or a pipeline that ends in one; columns are then those that the last
            step sees.
        X : (1, p) the row; for a pipeline of texts, a list of one text.
        label : a class; by default the one predicted.
        against : another; by default the likeliest of the others.
        n : how many columns, those that add most; the others are drawn together.
        feature_names : (p,) what columns are called; by default as at the fit, or as the steps before call them.
        ax : axes to draw in; a new figure by default.

        Returns
        -------
        ExplanationDisplay

        Raises
        ------
        InputError
            If the model's decisions are no sums over the columns, X is not one row, or options cannot be used.
        NotFittedError
            If the model is not fitted.
        """
        estimator, X, feature_names = last_step(estimator, X, feature_names)
        check_is_fitted(estimator)
        explain = getattr(estimator, "explain", None)
        if explain is None:
            raise InputError(
                f"{type(estimator).__name__} has no explain: its decisions are no sums over the columns; those of "
                "naive Bayes, LDA and logistic regression are."
            )
        return cls.from_explanation(explain(X, label, against, feature_names=feature_names), n, ax=ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw, in new axes or in those given.

        Parameters
        ----------
        ax : axes to draw in; a new figure by default.

        Returns
        -------
        self
        """
        if isinstance(self.n, bool) or not isinstance(self.n, int | np.integer) or not 1 <= self.n <= MOST_COLUMNS:
            raise InputError(f"n={self.n!r} must be a whole number of columns from 1 to {MOST_COLUMNS}.")
        self.lines_ = self.explanation.lines(self.n)
        places = np.arange(len(self.lines_)) + GAP * (np.arange(len(self.lines_)) == len(self.lines_) - 1)
        ax = drawing_area(ax, height=1.45 + 0.29 * len(self.lines_))
        self.ax_, self.figure_ = ax, ax.figure
        self._frame(ax, places)
        across = letters_across(ax)
        ax.set_xlim(*limits(np.array([line.adds for line in self.lines_]), across))
        ax.locator_params(axis="x", nbins=7)
        self._name(ax, across)
        made = [
            signed_bar(
                ax, line.adds, place, self._look(line.adds), STRENGTH[line.kind], across, bold=line.kind == "sum"
            )
            for line, place in zip(self.lines_, places, strict=True)
        ]
        endless = [np.isinf(line.adds) for line in self.lines_]
        self.bars_ = [bar for bar, infinite in zip(made, endless, strict=True) if not infinite]
        self.arrows_ = [arrow for arrow, infinite in zip(made, endless, strict=True) if infinite]
        self._read_off(ax, across)
        return self

    def _look(self, adds: float) -> Style:
        """Of the class that it speaks for, as that has it in other pictures."""
        classes = label_list(self.explanation.classes)
        return styles(len(classes))[classes.index(self.explanation.label if adds >= 0 else self.explanation.against)]

    def _frame(self, ax: Axes, places: Array) -> None:
        """The names of lines, and zero."""
        ax.set_ylim(places[-1] + 0.6, -0.6)
        ax.set_yticks(places, [_text(line) for line in self.lines_])
        ax.tick_params(axis="y", length=0)
        for text, line in zip(ax.get_yticklabels(), self.lines_, strict=True):
            text.set(color=INK if line.kind in {"column", "sum"} else GREY)
        ax.get_yticklabels()[-1].set_fontweight("bold")
        ax.spines[["left", "right", "bottom"]].set_visible(False)
        ax.spines["top"].set_color("0.6")
        ax.xaxis.tick_top()
        ax.tick_params(axis="x", color="0.6", labelcolor=GREY, labelsize="small")
        ax.axvline(0.0, color="0.6", lw=0.9, zorder=1)
        ax.axhline(places[-1] - 0.5 - GAP / 2, color="0.8", lw=0.8, zorder=1)

    def _name(self, ax: Axes, across: int) -> None:
        """The decision, and the two classes on their sides."""
        why, K = self.explanation, len(self.explanation.classes)
        for x, sign, side in ((0.0, -1.0, "left"), (1.0, 1.0, "right")):
            name = shown(why.label if sign > 0 else why.against, max(across // 2 - 5, 5))
            text = f"for {name} ▸" if sign > 0 else f"◂ for {name}"
            ax.annotate(text, (x, 1.0), (0, 20), "axes fraction", "offset points", ha=side, color=self._look(sign).dark)
        probability = f"P {probability_text(why.probability)}" + (f" among {K} classes" if K > 2 else "")
        longest = max(across - 14, 8)
        parts = shown(why.label, longest), f"rather than {shown(why.against, longest)}:", probability
        ax.set_title(_wrapped(parts, across), loc="left", pad=38, fontsize="medium", fontweight="bold")

    def _read_off(self, ax: Axes, across: int) -> None:
        """The axis of probabilities, and the place of the sum on it."""
        why, K = self.explanation, len(self.explanation.classes)
        below = ax.secondary_xaxis("bottom")
        below.set_xticks(*probability_ticks(*ax.get_xlim(), across))
        below.tick_params(color="0.6", labelcolor=GREY, labelsize="small")
        below.spines["bottom"].set_color("0.6")
        if K == 2:
            below.set_xlabel(f"probability of {shown(why.label)}")
        else:
            parts = f"probability of {shown(why.label)},", f"if it is that or {shown(why.against)}"
            below.set_xlabel(_wrapped(parts, across + 10))
        self.probability_axis_ = below
        if np.isfinite(why.log_odds):
            floor = ax.get_ylim()[0]
            ax.plot(why.log_odds, floor, "v", color=self._look(why.log_odds).dark, ms=6, clip_on=False, zorder=4)


def _wrapped(parts: tuple[str, ...], across: int) -> str:
    """Parts of a sentence in as few lines as have room for them."""
    lines = [parts[0]]
    for part in parts[1:]:
        if len(lines[-1]) + 1 + len(part) > across:
            lines.append(part)
        else:
            lines[-1] += f" {part}"
    return "\n".join(lines)


def _text(line: Line) -> str:
    """What stands beside a bar."""
    if not line.cell:
        return shown(line.name, LONGEST)
    cell = shown(line.cell, LONGEST_CELL)
    return f"{shown(line.name, LONGEST - len(cell))} = {cell}"
