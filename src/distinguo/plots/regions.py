"""Decision regions: which class a model gives to each point of a plane, and how sure it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from distinguo.exceptions import InputError, InputTypeError
from distinguo.plots.canvas import INK, Style, class_texts, drawing_area, legend_beside, point_size, styles, tint
from distinguo.plots.plane import Plane, discriminant_plane, feature_plane
from distinguo.plots.principal import standardized_plane, unscaled_plane
from distinguo.plots.subject import Subject
from distinguo.plots.surface import Surface, survey

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

Array = NDArray[np.float64]

# Strength of a region's colour where the model does not know, and where it is sure.
FAINT, FULL = 0.08, 0.5
DEFAULT_NOVELTY = 0.01


@dataclass
class DecisionRegionsDisplay:
    """The class a model gives to each point of a plane, paler where it is less sure, with the rows on top.

    Lines are boundaries between classes. Where the largest typicality is below `novelty`, the picture is pale and
    hatched: the model names a class there, but a row there would be like none of them.

    Make it with `from_estimator`. A slice through a space of more columns shows the model at the values held; rows
    lie elsewhere in the other columns, so the model may see one in another region than the one it is drawn on.

    Parameters
    ----------
    surface : the model's answers on a grid.
    plane : which plane it is.
    labels : (K,) classes as text.
    places : (n, 2) the rows in the plane, or None.
    codes : (n,) their classes.
    novelty : the typicality below which a point is like no class, or None.

    Attributes
    ----------
    ax_, figure_ : where it was drawn.
    image_ : the shading.
    boundaries_ : list of contour sets, one a class that has a boundary.
    novelty_ : contour set of the region like no class, or None.
    points_ : list of K collections of rows; empty without rows.
    legend_ : the legend, or None.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from distinguo import DecisionRegionsDisplay, LinearDiscriminantAnalysis
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LinearDiscriminantAnalysis().fit(X, y)
    >>> display = DecisionRegionsDisplay.from_estimator(model, X, y, features=(2, 3))
    >>> display.ax_.get_xlabel(), len(display.points_)
    ('x2', 3)
    """

    surface: Surface
    plane: Plane
    labels: list[str]
    places: Array | None
    codes: NDArray[np.intp] | None
    novelty: float | None

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any = None,
        *,
        features: Any = (0, 1),
        others: Mapping[Any, float] | None = None,
        novelty: float | str | None = "auto",
        resolution: int = 200,
        ax: Axes | None = None,
        legend: bool = True,
    ) -> Self:
        """Ask a fitted classifier at every point, and draw.

        Parameters
        ----------
        estimator : a fitted classifier, of this library or another.
        X : (n, p) rows; they say how far the picture reaches, and where the other columns are held.
        y : (n,) labels; with them the rows are drawn.
        features : two columns by name or number; or "discriminants" for the first two of a model that has them; or
            "principal components" for the first two of the rows X, each column in its standard deviations, or "unscaled
            principal components" for those of the columns as they are. Rows with holes have no place in the last three.
        others : {column: value} for columns to be held elsewhere than at their mean over X.
        novelty : typicality below which a point counts as like no class, or None for no such region; "auto" is 0.01
            for models that have typicality.
        resolution : points along each axis.
        ax : axes to draw in; a new figure by default.
        legend : whether to say beside the picture which colour is which class.

        Returns
        -------
        DecisionRegionsDisplay

        Raises
        ------
        InputError
            If columns, labels or options cannot be used, or the model cannot give what was asked for.
        NotFittedError
            If the model is not fitted.
        """
        subject = Subject(estimator)
        classes = subject.classes
        values = subject.rows(X)
        codes = None if y is None else subject.codes(y, len(values))
        plane = _plane(subject, features, values, others)
        places = plane.project(values)
        surface = survey(subject, plane, plane.limits(places), resolution)
        threshold = _threshold(novelty, surface, subject.name)
        shown_rows = None if codes is None else places
        return cls(surface, plane, class_texts(classes), shown_rows, codes, threshold).plot(ax, legend=legend)

    def plot(self, ax: Axes | None = None, *, legend: bool = True) -> Self:
        """Draw, in new axes or in those given.

        Parameters
        ----------
        ax : axes to draw in; a new figure by default.
        legend : whether to say beside the picture which colour is which class.

        Returns
        -------
        self
        """
        ax = drawing_area(ax, self.plane.shape(self.surface.limits))
        looks = styles(len(self.labels))
        self.ax_, self.figure_ = ax, ax.figure
        self.image_ = ax.imshow(
            shading(self.surface, looks),
            extent=self.surface.extent,
            origin="lower",
            interpolation="bilinear",
            zorder=0,
        )
        self.novelty_ = None if self.novelty is None else _fade(ax, self.surface, self.novelty)
        self.boundaries_ = draw_boundaries(ax, self.surface)
        self.points_ = self._points(ax, looks)
        self.plane.frame(ax, self.surface.limits)
        self.legend_ = self._legend(ax, looks) if legend else None
        return self

    def _points(self, ax: Axes, looks: list[Style]) -> list[Any]:
        """The rows, a collection a class."""
        if self.places is None or self.codes is None:
            return []
        size = point_size(ax, len(self.places))
        drawn = []
        for k, look in enumerate(looks):
            x, y = self.places[self.codes == k].T
            drawn.append(
                ax.scatter(x, y, s=size, marker=look.marker, color=look.color, edgecolors=look.dark, lw=0.5, zorder=3)
            )
        return drawn

    def _legend(self, ax: Axes, looks: list[Style]) -> Any:
        """Classes, and what the hatching means."""
        from matplotlib.lines import Line2D
        from matplotlib.patches import Patch

        handles: list[Artist] = []
        for look in looks:
            if self.places is None:
                handles.append(Patch(facecolor=tint(look.color, FULL)))
            else:
                handles.append(
                    Line2D([], [], ls="", marker=look.marker, color=look.color, mec=look.dark, mew=0.5, ms=6.5)
                )
        texts = list(self.labels)
        if self.novelty_ is not None:
            handles.append(Patch(facecolor="white", edgecolor="0.6", hatch="////"))
            texts.append(f"like no class\n(typicality < {self.novelty:g})")
        return legend_beside(ax, handles, texts)


def _plane(subject: Subject, features: Any, values: Array, others: Mapping[Any, float] | None) -> Plane:
    """The plane asked for."""
    if not isinstance(features, str):
        counts = np.isfinite(values).sum(axis=0)
        if not counts.all():
            raise InputError(f"column {subject.names[int(counts.argmin())]!r} of X has no value in any row.")
        return feature_plane(subject, features, np.nanmean(values, axis=0), others)
    if features not in _PLANES:
        raise InputTypeError(f"features={features!r} must be two columns, or one of {sorted(_PLANES)}.")
    if others is not None:
        raise InputError(f"others= says where columns are held, and no column is in the plane of {features}.")
    return _PLANES[features](subject, values)


_PLANES: dict[str, Callable[[Subject, Array], Plane]] = {
    "discriminants": lambda subject, _: discriminant_plane(subject),
    "principal components": standardized_plane,
    "unscaled principal components": unscaled_plane,
}


def _threshold(novelty: Any, surface: Surface, name: str) -> float | None:
    """The typicality below which a point is like no class."""
    if novelty is None or (isinstance(novelty, str) and novelty == "auto" and surface.typicality is None):
        return None
    if isinstance(novelty, str) and novelty == "auto":
        return DEFAULT_NOVELTY
    is_number = isinstance(novelty, int | float | np.integer | np.floating) and not isinstance(novelty, bool)
    if not is_number or not 0 < novelty < 1:
        raise InputError(f"novelty={novelty!r} must be a number between 0 and 1, 'auto' or None.")
    if surface.typicality is None:
        raise InputError(f"{name} has no typicality, and cannot tell what is like no class; use novelty=None.")
    return float(novelty)


def shading(surface: Surface, looks: list[Style]) -> Array:
    """(r, r, 3) the class's colour, paler where the model is less sure."""
    colors = np.stack([look.color for look in looks])[surface.codes]
    if surface.certainty is None:
        strength = np.full(surface.codes.shape, 0.6 * FULL)
    else:
        least = 1 / len(looks)
        strength = FAINT + (FULL - FAINT) * np.clip((surface.certainty - least) / (1 - least), 0, 1)
    return np.asarray(1 - strength[..., None] * (1 - colors))


def draw_boundaries(ax: Axes, surface: Surface, width: float = 1.3) -> list[Any]:
    """Lines where a class's margin is zero."""
    # The last class has no boundary that is not another's too.
    crossing = [margin for margin in surface.margins[:-1] if margin.min() < 0 < margin.max()]
    return [
        ax.contour(surface.x, surface.y, margin, levels=[0.0], colors=INK, linewidths=width, zorder=2)
        for margin in crossing
    ]


def _fade(ax: Axes, surface: Surface, novelty: float) -> Any:
    """White and hatching over the region like no class; None where there is none in sight."""
    if surface.typicality is None or not (surface.typicality < novelty).any():
        return None
    faded = ax.contourf(
        surface.x,
        surface.y,
        surface.typicality,
        levels=[-1.0, novelty],
        colors=[(1, 1, 1, 0.55)],
        hatches=["////"],
        zorder=1,
    )
    faded.set_edgecolor("0.78")
    faded.set_linewidth(0.0)
    return faded
