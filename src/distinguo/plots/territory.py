"""Territorial map: which class owns each part of the plane of the first two discriminants."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import distance_transform_edt

from distinguo.plots.canvas import Style, class_texts, drawing_area, legend_beside, styles, tint
from distinguo.plots.plane import Plane, discriminant_plane
from distinguo.plots.regions import draw_boundaries
from distinguo.plots.subject import Subject
from distinguo.plots.surface import Surface, survey

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

Array = NDArray[np.float64]

# How far the map reaches beyond the class means, in standard deviations within classes.
REACH = 2.5
STRENGTH = 0.3
LONGEST_SYMBOL = 3
# A territory of a smaller share of the map has no room for a symbol.
SMALLEST = 0.002


@dataclass
class TerritorialMapDisplay:
    """Which class owns each part of the plane of the first two discriminants, with the class means marked.

    The picture that SPSS and SAS print with a discriminant analysis. A territory that does not hold the mean of its
    class has its symbol written in it, and a mean on foreign ground shows a class that the first two discriminants
    do not tell apart.

    Make it with `from_estimator`.

    Parameters
    ----------
    surface : the model's answers on a grid.
    plane : which plane it is.
    labels : (K,) classes as text.
    means : (R, 2) means of the classes in the plane, or of their subclasses where the model has such; NaN for a class
        without rows.
    owners : (R,) the class of each, as a place in `labels`.

    Attributes
    ----------
    ax_, figure_ : where it was drawn.
    symbols : (K,) what marks each class: its label where all are short, else its number.
    image_ : the territories.
    boundaries_ : list of contour sets, one a class that has a boundary.
    means_ : list of R texts at the means, None for a class without rows.
    territories_ : list of texts in territories that do not hold the mean of their class.
    legend_ : the legend, or None.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from distinguo import LinearDiscriminantAnalysis, TerritorialMapDisplay
    >>> X, y = load_wine(return_X_y=True)
    >>> model = LinearDiscriminantAnalysis().fit(X, y)
    >>> display = TerritorialMapDisplay.from_estimator(model)
    >>> [mean.get_text() for mean in display.means_]
    ['0', '1', '2']
    """

    surface: Surface
    plane: Plane
    labels: list[str]
    means: Array
    owners: NDArray[np.intp]

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any = None, *, resolution: int = 200, ax: Axes | None = None, legend: bool = True
    ) -> Self:
        """Ask a fitted model at every point of the plane, and draw.

        Parameters
        ----------
        estimator : a fitted classifier with `transform` and `scalings_`.
        X : (n, p) rows that the map must reach, besides 2.5 standard deviations around the class means.
        resolution : points along each axis.
        ax : axes to draw in; a new figure by default.
        legend : whether to say beside the map which symbol is which class.

        Returns
        -------
        TerritorialMapDisplay

        Raises
        ------
        InputError
            If rows or options cannot be used, or the model has fewer than two discriminants.
        NotFittedError
            If the model is not fitted.
        """
        subject = Subject(estimator)
        classes = subject.classes
        plane = discriminant_plane(subject)
        centres, owners = subject.centres()
        means = plane.project(centres)
        around = [means - REACH, means + REACH]
        if X is not None:
            around.append(plane.project(subject.rows(X)))
        limits = plane.limits(np.concatenate(around), margin=0.0)
        surface = survey(subject, plane, limits, resolution)
        return cls(surface, plane, class_texts(classes), means, owners).plot(ax, legend=legend)

    @property
    def symbols(self) -> list[str]:
        """(K,) what marks each class."""
        if max(map(len, self.labels)) <= LONGEST_SYMBOL:
            return self.labels
        return [str(k + 1) for k in range(len(self.labels))]

    def plot(self, ax: Axes | None = None, *, legend: bool = True) -> Self:
        """Draw, in new axes or in those given.

        Parameters
        ----------
        ax : axes to draw in; a new figure by default.
        legend : whether to say beside the map which symbol is which class.

        Returns
        -------
        self
        """
        ax = drawing_area(ax, self.plane.shape(self.surface.limits))
        self.ax_, self.figure_ = ax, ax.figure
        looks = styles(len(self.labels))
        colors = np.stack([tint(look.color, STRENGTH) for look in looks])
        self.image_ = ax.imshow(
            colors[self.surface.codes],
            extent=self.surface.extent,
            origin="lower",
            interpolation="bilinear",
            zorder=0,
        )
        self.boundaries_ = draw_boundaries(ax, self.surface)
        self.territories_ = [
            ax.text(
                *self._middle(k), self.symbols[k], color=looks[k].dark, size="large", ha="center", va="center", zorder=3
            )
            for k in self._elsewhere()
        ]
        self.means_ = [self._mark(ax, r, looks[k]) for r, k in enumerate(self.owners)]
        self.plane.frame(ax, self.surface.limits)
        self.legend_ = self._legend(ax, looks) if legend else None
        return self

    def _mark(self, ax: Axes, r: int, look: Style) -> Any:
        """The symbol of a class on a disc at a mean of it."""
        x, y = self.means[r]
        if not np.isfinite(x + y):
            return None
        box = {"boxstyle": "circle,pad=0.22", "fc": look.dark, "ec": "white", "lw": 1.0}
        return ax.text(
            x,
            y,
            self.symbols[self.owners[r]],
            color="white",
            weight="bold",
            size="x-small",
            ha="center",
            va="center",
            bbox=box,
            zorder=4,
        )

    def _elsewhere(self) -> list[int]:
        """Classes whose territory holds no mean of theirs, and has room for a symbol."""
        at_home = {
            int(k)
            for k, (x, y) in zip(self.owners, self.means, strict=True)
            if np.isfinite(x + y) and k == self.surface.codes[_nearest(self.surface.y, y), _nearest(self.surface.x, x)]
        }
        share = np.bincount(self.surface.codes.ravel(), minlength=len(self.labels)) / self.surface.codes.size
        return [k for k in range(len(self.labels)) if k not in at_home and share[k] >= SMALLEST]

    def _middle(self, k: int) -> tuple[float, float]:
        """The point of a territory that is furthest from its border."""
        inside = np.pad(self.surface.codes == k, 1)
        depth = np.asarray(distance_transform_edt(inside))[1:-1, 1:-1]
        row, column = np.unravel_index(int(depth.argmax()), depth.shape)
        return float(self.surface.x[column]), float(self.surface.y[row])

    def _legend(self, ax: Axes, looks: list[Style]) -> Any:
        """Symbols and what they stand for."""
        from matplotlib.patches import Patch

        handles: list[Artist] = [Patch(facecolor=tint(look.color, STRENGTH), edgecolor=look.dark) for look in looks]
        pairs = zip(self.symbols, self.labels, strict=True)
        return legend_beside(ax, handles, [label if s is label else f"{s}  {label}" for s, label in pairs])


def _nearest(points: Array, value: float) -> int:
    """The grid point next to a value."""
    return int(np.abs(points - value).argmin())
