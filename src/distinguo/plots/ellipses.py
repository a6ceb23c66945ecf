"""Class ellipses: the shape a model of Gaussian classes has given to each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2

from distinguo.exceptions import InputError, InputTypeError
from distinguo.plots.canvas import INK, Style, class_texts, drawing_area, legend_beside, point_size, styles, tidy
from distinguo.plots.plane import Plane, discriminant_plane, feature_plane
from distinguo.plots.subject import Subject

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.patches import Ellipse

Array = NDArray[np.float64]

LINES = ("-", "--", ":", "-.")


@dataclass
class ClassEllipsesDisplay:
    r"""Ellipses that hold given shares of each Gaussian class, in two columns or the first two discriminants.

    .. math:: (z - m_k)^\top V_k^{-1} (z - m_k) = \chi^2_{2, \text{coverage}}

    m_k and V_k are the class's mean and covariance in the plane, whatever the other columns are. Half axes are along
    the eigenvectors of V_k, and as long as the root of an eigenvalue times the quantile.

    Make it with `from_estimator`; draw it over `DecisionRegionsDisplay` by passing that one's `ax_`.

    Parameters
    ----------
    means : (R, 2) of the classes, or of their subclasses where the model has such; NaN for a class without rows.
    covariances : (R, 2, 2)
    owners : (R,) the class of each, as a place in `labels`.
    plane : which plane it is.
    labels : (K,) classes as text.
    coverage : shares of a class inside its ellipses, ascending.
    places : (n, 2) the rows in the plane, or None.
    codes : (n,) their classes.

    Attributes
    ----------
    ax_, figure_ : where it was drawn.
    ellipses_ : list of R lists of `matplotlib.patches.Ellipse`, one a coverage.
    points_ : list of K collections of rows; empty without rows.
    legend_ : the legend, or None.

    Examples
    --------
    >>> from distinguo import ClassEllipsesDisplay, GaussianNB
    >>> model = GaussianNB().fit([[0, 0], [1, 2], [5, 4], [7, 5]], ["a", "a", "b", "b"])
    >>> display = ClassEllipsesDisplay.from_estimator(model)
    >>> [ellipse.angle for ellipse, _ in display.ellipses_]
    [90.0, 0.0]
    """

    means: Array
    covariances: Array
    owners: NDArray[np.intp]
    plane: Plane
    labels: list[str]
    coverage: tuple[float, ...]
    places: Array | None
    codes: NDArray[np.intp] | None

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any = None,
        y: Any = None,
        *,
        features: Any = (0, 1),
        coverage: Sequence[float] = (0.5, 0.95),
        ax: Axes | None = None,
        legend: bool = True,
    ) -> Self:
        """Take means and covariances from a fitted model, and draw.

        Parameters
        ----------
        estimator : a fitted model with `means_` and `covariance_` or `variances_`.
        X, y : (n, p) rows and (n,) labels, to be drawn as well; both or neither.
        features : two columns by name or number, or "discriminants" for the first two of a model that has them.
        coverage : shares of a class inside its ellipses, between 0 and 1.
        ax : axes to draw in; a new figure by default.
        legend : whether to say beside the picture which colour is which class.

        Returns
        -------
        ClassEllipsesDisplay

        Raises
        ------
        InputError
            If columns, labels or options cannot be used, or the model has no Gaussian classes.
        NotFittedError
            If the model is not fitted.
        """
        if (X is None) != (y is None):
            raise InputError("rows are drawn by class: give both X and y, or neither.")
        subject = Subject(estimator)
        classes = subject.classes
        plane = _plane(subject, features)
        centres, owners = subject.centres()
        covariances = plane.directions.T @ covariances_of(subject, len(centres)) @ plane.directions
        values = None if X is None else subject.rows(X)
        codes = None if values is None else subject.codes(y, len(values))
        places = None if values is None else plane.project(values)
        shares = _shares(coverage)
        return cls(
            plane.project(centres), covariances, owners, plane, class_texts(classes), shares, places, codes
        ).plot(ax, legend=legend)

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
        limits = self._limits()
        ax = drawing_area(ax, self.plane.shape(limits))
        over = ax.has_data()
        self.ax_, self.figure_ = ax, ax.figure
        looks = styles(len(self.labels))
        self.points_ = self._points(ax, looks)
        self.ellipses_ = [self._ellipses(ax, r, looks[k]) for r, k in enumerate(self.owners)]
        if over:  # what is there already says what the axes are
            ax.autoscale_view()
        else:
            tidy(ax)
            self.plane.frame(ax, limits)
        self.legend_ = self._legend(ax, looks) if legend else None
        return self

    def _limits(self) -> Array:
        """(2, 2) limits around the ellipses and the rows."""
        reach = np.sqrt(chi2.ppf(self.coverage[-1], 2) * np.diagonal(self.covariances, axis1=1, axis2=2))
        parts = [self.means - reach, self.means + reach]
        return self.plane.limits(np.concatenate(parts if self.places is None else [*parts, self.places]), margin=0.03)

    def _points(self, ax: Axes, looks: list[Style]) -> list[Any]:
        """The rows, a collection a class."""
        if self.places is None or self.codes is None:
            return []
        size = 0.8 * point_size(ax, len(self.places))
        drawn = []
        for k, look in enumerate(looks):
            x, y = self.places[self.codes == k].T
            drawn.append(ax.scatter(x, y, s=size, marker=look.marker, color=look.color, alpha=0.6, lw=0, zorder=2))
        return drawn

    def _ellipses(self, ax: Axes, r: int, look: Style) -> list[Ellipse]:
        """The ellipses of a class and its mean; nothing for a class without rows."""
        from matplotlib.patches import Ellipse

        if not np.isfinite(self.means[r]).all():
            return []
        values, vectors = np.linalg.eigh(self.covariances[r])
        half = np.sqrt(np.maximum(values, 0.0))
        angle = float(np.degrees(np.arctan2(vectors[1, 1], vectors[0, 1])) % 180)
        x, y = (float(value) for value in self.means[r])
        drawn = []
        for share, line in zip(self.coverage, LINES, strict=False):
            scale = 2 * np.sqrt(chi2.ppf(share, 2))
            ellipse = Ellipse(
                (x, y),
                scale * half[1],
                scale * half[0],
                angle=angle,
                fill=False,
                ec=look.dark,
                lw=1.8,
                ls=line,
                zorder=4,
            )
            ax.add_patch(ellipse)
            drawn.append(ellipse)
        ax.plot([x], [y], marker="+", color=look.dark, ms=9, mew=2, ls="", zorder=5)
        return drawn

    def _legend(self, ax: Axes, looks: list[Style]) -> Any:
        """Classes and coverages."""
        from matplotlib.lines import Line2D

        drawn = self.places is not None
        handles: list[Artist] = [
            Line2D([], [], color=look.dark, lw=1.8, marker=look.marker if drawn else "", mfc=look.color, mew=0)
            for look in looks
        ]
        handles += [Line2D([], [], color=INK, lw=1.3, ls=line) for _, line in zip(self.coverage, LINES, strict=False)]
        whole = "class" if len(self.owners) == len(looks) else "subclass"
        return legend_beside(ax, handles, [*self.labels, *(f"{100 * s:g}% of a {whole}" for s in self.coverage)])


_NO_SHAPE = "ellipses are drawn of models with Gaussian classes, by means_ and covariance_ or variances_."


def _plane(subject: Subject, features: Any) -> Plane:
    if not isinstance(features, str):
        return feature_plane(subject, features)
    if features != "discriminants":
        raise InputTypeError(f"features={features!r} must be two columns, or 'discriminants'.")
    return discriminant_plane(subject)


def covariances_of(subject: Subject, R: int) -> Array:
    """(R, p, p) of the classes or subclasses, one for all repeated."""
    subclasses = getattr(subject.model, "subclass_covariances_", None)
    if subclasses is not None:
        return np.asarray(subclasses)
    variances = getattr(subject.model, "variances_", None)
    if variances is not None:
        return np.asarray(variances)[:, :, None] * np.eye(subject.p)
    covariance = np.asarray(subject.attribute("covariance_", _NO_SHAPE))
    return np.broadcast_to(covariance, (R, subject.p, subject.p))


def _shares(coverage: Any) -> tuple[float, ...]:
    """Shares in (0, 1), ascending, as many as there are kinds of lines."""
    try:
        shares = np.unique(np.asarray(coverage, dtype=np.float64).reshape(-1))
    except (TypeError, ValueError):
        shares = np.empty(0)
    if not 1 <= len(shares) <= len(LINES) or not ((shares > 0) & (shares < 1)).all():
        raise InputError(f"coverage={coverage!r} must be one to {len(LINES)} numbers between 0 and 1.")
    return tuple(float(share) for share in shares)
