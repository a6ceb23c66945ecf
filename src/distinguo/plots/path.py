"""Coefficients of penalised fits from the strongest penalty to the weakest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from distinguo.exceptions import InputError, InputTypeError
from distinguo.linear.path import LogisticPath
from distinguo.linear.strength_tuning import RULES
from distinguo.plots.canvas import class_texts, panels, shown, styles, tidy
from distinguo.rows.tables import as_table
from distinguo.rows.validation import check_columns, has_holes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[np.float64]

MOST_NAMED = 10
NAMED = 8
# Height of a name beside a curve, in inches.
LINE = 0.145
DASHES = {"best": "-", "one-standard-error": "--"}


@dataclass
class PathDisplay:
    r"""The coefficients of penalised logistic regressions against the strength of the penalty, strong to weak.

    The strength is :math:`\lambda = 1 / (C n)`, on a logarithmic axis; numbers above count the columns in use.
    Named are the columns whose coefficients stay longest as the penalty grows; where a penalty sets none to zero, those
    of the largest coefficients. Vertical lines are what cross-validation chooses.

    Make it with `from_path`.

    Parameters
    ----------
    lambdas : (m,) descending.
    coefs : (m, c, p), c being 1 for two classes and K for more.
    n_nonzero : (m,) columns in use.
    labels : (c,) of the classes, or of the second against the first.
    columns : (p,) names.
    named : numbers of the columns that are named.
    chosen : {rule: strength}; empty without cross-validation.
    per : "unit", or "standard deviation".

    Attributes
    ----------
    ax_ : (c,) axes, one a class.
    figure_ : where it was drawn.
    lines_ : list of c lists of p lines.
    names_ : list of c lists of annotations, one a column that is named and not zero throughout.
    marks_ : list of c lists of vertical lines, one a rule.
    legend_ : what the vertical lines are, or None.

    References
    ----------
    Friedman, Hastie and Tibshirani (2010), Regularization paths for generalized linear models via coordinate descent,
    Journal of Statistical Software 33(1), figure 1.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from distinguo import PathDisplay, logistic_path
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> display = PathDisplay.from_path(logistic_path(X, y, Cs=20), X, named=2)
    >>> [display.columns[j] for j in display.named]
    ['worst radius', 'worst perimeter']
    """

    lambdas: Array
    coefs: Array
    n_nonzero: NDArray[np.intp]
    labels: list[str]
    columns: list[str]
    named: list[int]
    chosen: dict[str, float]
    per: str

    @classmethod
    def from_path(
        cls, path: Any, X: Any = None, *, tuned: Any = None, named: int = NAMED, ax: Axes | None = None
    ) -> Self:
        """Draw the result of `logistic_path`.

        Parameters
        ----------
        path : a `LogisticPath`.
        X : (n, p) rows; with them coefficients are per standard deviation of each column.
        tuned : a `LogisticRegression` with C="cv", fitted on the rows of the path, whose best strength and whose
            strongest within one standard error of it are marked.
        named : how many columns to name, at most 10.
        ax : axes whose place to take; a new figure by default.

        Returns
        -------
        PathDisplay

        Raises
        ------
        InputError
            If rows do not have the columns of the path, `tuned` was not tuned or is of other classes or columns, or an
            option cannot be used.
        InputTypeError
            If the path is none.
        """
        if not isinstance(path, LogisticPath):
            raise InputTypeError(f"paths are drawn of what logistic_path gives; {type(path).__name__} came.")
        if isinstance(named, bool) or not isinstance(named, int | np.integer) or not 0 <= named <= MOST_NAMED:
            raise InputError(f"named={named!r} must be a whole number from 0 to {MOST_NAMED}.")
        coefs = path.coefs if X is None else path.coefs * _deviations(path, X)
        p = coefs.shape[2]
        columns = [f"x{j}" for j in range(p)] if path.feature_names is None else [str(n) for n in path.feature_names]
        texts = class_texts(path.classes)
        return cls(
            path.lambdas,
            coefs,
            path.n_nonzero,
            texts if len(texts) == coefs.shape[1] else [f"{texts[1]} against {texts[0]}"],
            columns,
            _longest(coefs)[: int(named)],
            {} if tuned is None else _chosen(path, tuned),
            "unit" if X is None else "standard deviation",
        ).plot(ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw, in a new figure or in the place of the axes given.

        Parameters
        ----------
        ax : axes whose place to take; a new figure by default.

        Returns
        -------
        self
        """
        c = len(self.labels)
        grid = panels(ax, c, 1, (6.4, 4.2 if c == 1 else min(2.2 * c + 0.6, 14.0)), sharex=True, sharey=True)
        self.ax_ = grid[:, 0]
        self.figure_ = self.ax_[0].figure
        self._frame()
        self.lines_ = [self._curves(panel, i) for i, panel in enumerate(self.ax_)]
        self.marks_ = [
            [panel.axvline(at, color="0.3", lw=1.0, ls=DASHES[rule], zorder=1) for rule, at in self.chosen.items()]
            for panel in self.ax_
        ]
        self.names_ = [self._names(panel, i) for i, panel in enumerate(self.ax_)]
        self.legend_ = None
        if self.chosen:  # where the penalty is strongest coefficients are small, and leave the corner free
            texts = [rule.replace("-", " ") for rule in self.chosen]
            self.legend_ = self.ax_[0].legend(
                self.marks_[0], texts, loc="upper left", frameon=False, fontsize="small", title="cross-validation"
            )
        return self

    def _frame(self) -> None:
        """Axes: strengths below, the columns in use above."""
        edges = np.array([*self.lambdas, *self.chosen.values()])
        first, last = self.ax_[0], self.ax_[-1]
        last.set_xscale("log")
        last.set_xlim(float(edges.max()) * 1.1, float(edges.min()) / 1.1)
        last.set_xlabel("strength of the penalty, λ = 1 / (C n)")
        above = first.secondary_xaxis("top")
        places = np.unique(np.linspace(0, len(self.lambdas) - 1, 6).round().astype(int))
        above.set_xticks(self.lambdas[places], [str(count) for count in self.n_nonzero[places]])
        above.minorticks_off()
        above.spines["top"].set_visible(False)
        above.set_xlabel("columns in use")
        for panel, label in zip(self.ax_, self.labels, strict=True):
            panel.axhline(0.0, color="0.6", lw=0.8, zorder=1)
            panel.set_ylabel(f"coefficient of {label},\nper {self.per}")
            tidy(panel)

    def _curves(self, ax: Axes, i: int) -> list[Any]:
        """Grey lines of all columns, coloured ones of those with a name."""
        looks = dict(zip(self.named, styles(len(self.named)), strict=True))
        lines = []
        for j in range(len(self.columns)):
            color, width = (looks[j].color, 1.8) if j in looks else ("0.78", 0.9)
            order = 2 if j in looks else 1.5
            lines += ax.plot(self.lambdas, self.coefs[:, i, j], color=color, lw=width, zorder=order)
        return lines

    def _names(self, ax: Axes, i: int) -> list[Any]:
        """Names to the right of where the curves end, apart from each other; none of curves that stay at zero."""
        named = [j for j in self.named if self.coefs[:, i, j].any()]
        low, high = ax.get_ylim()
        inches = ax.get_window_extent().height / ax.figure.dpi
        ends = self.coefs[-1, i, named]
        places = _apart(ends, (high - low) * LINE / inches)
        leader = {"arrowstyle": "-", "lw": 0.8, "shrinkA": 1, "shrinkB": 0, "relpos": (0.0, 0.5)}
        return [
            ax.annotate(
                shown(self.columns[j], 24),
                (float(self.lambdas[-1]), float(end)),
                xytext=(1.05, float(place)),
                textcoords=ax.get_yaxis_transform(),
                va="center",
                fontsize="small",
                arrowprops={**leader, "color": self.lines_[i][j].get_color()},
            )
            for j, end, place in zip(named, ends, places, strict=True)
        ]


def _longest(coefs: Array) -> list[int]:
    """Columns by how early they come in as the penalty weakens, and by size where they come in together."""
    size = np.abs(coefs).max(axis=1)  # (m, p)
    entry = np.where(size.any(axis=0), (size > 0).argmax(axis=0), len(size))
    order = np.lexsort((-size.max(axis=0), entry))
    return [int(j) for j in order if entry[j] < len(size)]


def _apart(ends: Array, gap: float) -> Array:
    """Places as near to ends as can be, in their order and at least a gap apart: isotonic regression."""
    from sklearn.isotonic import isotonic_regression

    order = np.argsort(ends, kind="stable")
    steps = gap * np.arange(len(ends))
    places = np.empty(len(ends))
    if len(ends):
        places[order] = isotonic_regression(ends[order] - steps) + steps
    return places


def _deviations(path: LogisticPath, X: Any) -> Array:
    """(p,) standard deviations of the columns of the path."""
    table = as_table(X)
    check_columns(table.p, table.names, path.coefs.shape[2], path.feature_names, "logistic_path")
    values = table.read(0, table.n)
    has_holes(values, 0, table.names)  # refuses infinity
    return np.asarray(np.nanstd(values, axis=0))


def _chosen(path: LogisticPath, tuned: Any) -> dict[str, float]:
    """The strengths that cross-validation chooses, by rule."""
    check_is_fitted(tuned)
    results = getattr(tuned, "cv_results_", None)
    if not isinstance(results, dict) or "C" not in results:
        raise InputError("tuned has no cv_results_; give a LogisticRegression fitted with C='cv'.")
    same = np.array_equal(tuned.classes_, path.classes) and tuned.n_features_in_ == path.coefs.shape[2]
    if not same:
        raise InputError("tuned is of other classes or columns than the path; fit it on the same rows.")
    unit = path.Cs[0] * path.lambdas[0]  # one over the weight of the rows
    mean, error = results[tuned.criterion], results[f"{tuned.criterion}_standard_error"]
    return {rule: float(unit / results["C"][choose(mean, error)]) for rule, choose in RULES.items()}
