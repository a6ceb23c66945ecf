"""Component curves of MARS: what each column adds to the prediction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from distinguo.exceptions import InputError, InputTypeError
from distinguo.features.mars import Mars
from distinguo.features.mars_terms import basis
from distinguo.plots.canvas import finite_limits, legend_beside, panels, point_size, shown, styles, tidy
from distinguo.plots.subject import Subject
from distinguo.rows.responses import as_responses
from distinguo.rows.validation import check_lengths

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[np.float64]

MOST_ACROSS = 3
MOST_TICKS = 200


@dataclass(frozen=True)
class Component:
    """What a column adds.

    Attributes
    ----------
    name : of the column.
    x : (m,) its ends and knots; between them the curve is straight.
    curve : (m, q) of each response, less its mean over the rows.
    knots : (m,) which of x are knots.
    rows : (n,) the column.
    partial : (n, q) curve plus residual at the rows, or None.
    """

    name: str
    x: Array
    curve: Array
    knots: NDArray[np.bool_]
    rows: Array
    partial: Array | None


@dataclass
class MarsDisplay:
    r"""What each column adds to the prediction of an additive MARS model, a panel a column.

    The curve is :math:`f_j(x_j) = \sum_{m: v_m = j} \beta_m h_m(x_j)`, less its mean over the rows, with a dot at each
    knot; ticks at the bottom are the rows. With y, points are partial residuals: the curve and what the whole model
    leaves unexplained. All panels have one scale, so that flat curves are columns that matter little.

    Make it with `from_estimator`.

    Parameters
    ----------
    components : the columns in use, in order.
    responses : (q,) names of the responses.

    Attributes
    ----------
    ax_ : axes, one a component.
    figure_ : where it was drawn.
    lines_ : list of lists of lines, a component's responses together.
    legend_ : the legend where there are several responses, else None.

    References
    ----------
    Friedman (1991), Multivariate adaptive regression splines, Annals of Statistics 19, section 3.5.

    Examples
    --------
    >>> import numpy as np
    >>> from distinguo import Mars, MarsDisplay
    >>> X = np.random.default_rng(0).uniform(size=(200, 2))
    >>> y = np.abs(X[:, 0] - 0.5) + X[:, 1]
    >>> display = MarsDisplay.from_estimator(Mars().fit(X, y), X, y)
    >>> [panel.get_xlabel() for panel in display.ax_]
    ['x0', 'x1']
    """

    components: list[Component]
    responses: list[str]

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any = None, *, ax: Axes | None = None) -> Self:
        """Take the curves of a fitted model, and draw.

        Parameters
        ----------
        estimator : a fitted `Mars` whose terms have one column each.
        X : (n, p) rows; they say how far the curves reach.
        y : (n,) or (n, q) responses; with them partial residuals are drawn.
        ax : axes whose place to take; a new figure by default.

        Returns
        -------
        MarsDisplay

        Raises
        ------
        InputError
            If rows or responses cannot be used, a term has several columns, or no column is in use.
        InputTypeError
            If the model is no `Mars`.
        NotFittedError
            If the model is not fitted.
        """
        if not isinstance(estimator, Mars):
            raise InputTypeError(f"component curves are drawn of distinguo.Mars; {type(estimator).__name__} came.")
        subject = Subject(estimator)
        if any(len(term.features) > 1 for term in estimator.terms_):
            raise InputError("a term has several columns, and no curve over one; fit Mars with degree=1.")
        used = sorted(set().union(*(term.features for term in estimator.terms_)))
        if not used:
            raise InputError("the model has no term but the constant: no column is in use.")
        values = subject.rows(X)
        left = None if y is None else _residuals(subject, values, y)
        components = [_component(estimator, subject.names[j], j, values, left) for j in used]
        return cls(components, [shown(name) for name in estimator.response_names_]).plot(ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw, in a new figure or in the place of the axes given.

        Parameters
        ----------
        ax : axes whose place to take; a new figure by default.

        Returns
        -------
        self
        """
        count = len(self.components)
        across = min(count, MOST_ACROSS)
        down = -(-count // across)
        grid = panels(ax, down, across, (max(2.4 * across, 4.4) + 0.4, 2.2 * down + 0.4), sharey=True)
        self.ax_ = grid.ravel()[:count]
        self.figure_ = self.ax_[0].figure
        for empty in grid.ravel()[count:]:
            empty.set_axis_off()
        self.lines_ = [self._panel(panel, part) for panel, part in zip(self.ax_, self.components, strict=True)]
        single = len(self.responses) == 1
        for first in grid[:, 0]:
            first.set_ylabel(f"adds to {self.responses[0]}" if single else "adds to the response")
        self.legend_ = None if single else legend_beside(grid[0, -1], self.lines_[0], self.responses)
        return self

    def _panel(self, ax: Axes, part: Component) -> list[Any]:
        """The curves of a column."""
        lines = []
        ax.axhline(0.0, color="0.75", lw=0.8, zorder=1)
        for r, look in enumerate(styles(len(self.responses))):
            if part.partial is not None:
                ax.scatter(
                    part.rows,
                    part.partial[:, r],
                    s=0.7 * point_size(ax, len(part.rows)),
                    color=look.color,
                    alpha=0.3,
                    lw=0,
                    zorder=2,
                )
            lines += ax.plot(part.x, part.curve[:, r], color=look.dark, lw=1.8, zorder=3)
            ax.plot(part.x[part.knots], part.curve[part.knots, r], "o", color=look.dark, mec="white", ms=6, zorder=4)
        step = -(-len(part.rows) // MOST_TICKS)
        ticks = np.sort(part.rows)[::step]
        ax.plot(ticks, np.full(len(ticks), 0.02), "|", transform=ax.get_xaxis_transform(), color="0.5", ms=5, mew=0.6)
        ax.set_xlabel(shown(part.name))
        ax.locator_params(axis="x", nbins=5)
        tidy(ax)
        return lines


def _component(model: Mars, name: str, column: int, values: Array, left: Array | None) -> Component:
    """The curve of a column between its ends and knots."""
    chosen = [m for m, term in enumerate(model.terms_) if column in term.features]
    terms = [model.terms_[m] for m in chosen]
    low, high = finite_limits(values[:, column], 0.0)
    bends = {h.knot for term in terms for h in term.hinges if h.side and low < h.knot < high}
    x = np.array(sorted({low, high} | bends))

    def curve(points: Array) -> Array:
        rows = np.zeros((len(points), model.n_features_in_))
        rows[:, column] = points
        return basis(terms, rows) @ model.coef_[chosen]

    at_rows = curve(values[:, column])
    mean = at_rows.mean(axis=0)
    partial = None if left is None else at_rows - mean + left
    return Component(name, x, curve(x) - mean, np.isin(x, list(bends)), values[:, column], partial)


def _residuals(subject: Subject, values: Array, y: Any) -> Array:
    """(n, q) responses less predictions."""
    responses = as_responses(y).values
    check_lengths(len(values), len(responses))
    predicted = np.asarray(subject.model.predict(subject.given(values))).reshape(len(values), -1)
    if responses.shape != predicted.shape:
        raise InputError(f"y has {responses.shape[1]} responses, and the model was fitted on {predicted.shape[1]}.")
    return np.asarray(responses - predicted)
