"""Coefficients over an ordered axis, such as the channels of a spectrum."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from distinguo.exceptions import InputError
from distinguo.plots.canvas import class_texts, drawing_area, legend_beside, shown, styles, tidy
from distinguo.plots.subject import Subject

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[np.float64]

# Up to so many columns, each coefficient is marked and each column named on the axis.
FEW_COLUMNS = 24
DEFAULT_DIRECTIONS = 3
DASHES: tuple[Any, ...] = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)), (0, (1, 1)), (0, (8, 2)), "-", "--")


@dataclass
class CoefficientsDisplay:
    """The coefficients of a linear model as curves over its columns, in their order.

    Of columns with an order, such as wavelengths, the curve says which part of the spectrum counts, and towards which
    side. Coefficients are per unit of a column; `standardized` ones per standard deviation within classes.

    Make it with `from_estimator`.

    Parameters
    ----------
    axis : (p,) where the columns stand.
    coefficients : (c, p), one curve a row.
    labels : (c,) names of the curves.
    axis_name : of the axis along the columns.
    value_name : of the other axis.
    columns : (p,) names to be written under few columns, or None where the axis has numbers.

    Attributes
    ----------
    ax_, figure_ : where it was drawn.
    lines_ : list of c lines.
    legend_ : the legend, or None.

    References
    ----------
    Hastie, Buja and Tibshirani (1995), Penalized discriminant analysis, Annals of Statistics 23, figure 3.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from distinguo import CoefficientsDisplay, LinearDiscriminantAnalysis
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> model = LinearDiscriminantAnalysis().fit(X, y)
    >>> display = CoefficientsDisplay.from_estimator(model, standardized=True)
    >>> display.labels
    ['LD1', 'LD2']
    """

    axis: Array
    coefficients: Array
    labels: list[str]
    axis_name: str
    value_name: str
    columns: list[str] | None

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        *,
        of: Literal["discriminants", "classes"] = "discriminants",
        components: int | None = None,
        standardized: bool = False,
        axis: Any = None,
        axis_name: str | None = None,
        ax: Axes | None = None,
        legend: bool = True,
    ) -> Self:
        """Take the coefficients of a fitted model, and draw.

        Parameters
        ----------
        estimator : a fitted model with `scalings_` or `coef_`.
        of : "discriminants" for `scalings_`, or "classes" for `coef_`, one curve a class; of two classes, the second
            against the first.
        components : how many discriminants, the first ones; 3 by default, or as many as there are.
        standardized : whether to multiply by the standard deviation within classes, from `covariance_`.
        axis : (p,) where the columns stand; by default the numbers that their names are, else 0, 1, ...
        axis_name : what the axis is, with its unit, such as "wavelength (nm)".
        ax : axes to draw in; a new figure by default.
        legend : whether to say which curve is which.

        Returns
        -------
        CoefficientsDisplay

        Raises
        ------
        InputError
            If options cannot be used, or the model has no such coefficients.
        NotFittedError
            If the model is not fitted.
        """
        subject = Subject(estimator)
        if of not in _CURVES:
            raise InputError(f"of={of!r} is one of {sorted(_CURVES)}.")
        coefficients, labels = _CURVES[of](subject, components)
        value_name = "coefficient"
        if standardized:
            coefficients = coefficients * _spread(subject)
            value_name = "standardized coefficient"
        places, columns = _places(subject, axis)
        name = axis_name or ("column" if columns is None else "")
        return cls(places, coefficients, labels, shown(name, 60) if name else "", value_name, columns).plot(
            ax, legend=legend
        )

    def plot(self, ax: Axes | None = None, *, legend: bool = True) -> Self:
        """Draw, in new axes or in those given.

        Parameters
        ----------
        ax : axes to draw in; a new figure by default.
        legend : whether to say which curve is which.

        Returns
        -------
        self
        """
        ax = drawing_area(ax)
        self.ax_, self.figure_ = ax, ax.figure
        ax.axhline(0.0, color="0.6", lw=0.8, zorder=1)
        few = len(self.axis) <= FEW_COLUMNS
        self.lines_ = [
            ax.plot(
                self.axis,
                row,
                color=look.color,
                lw=1.8,
                ls=DASHES[i % len(DASHES)],
                marker=look.marker if few else "",
                ms=5,
                zorder=2,
            )[0]
            for i, (row, look) in enumerate(zip(self.coefficients, styles(len(self.coefficients)), strict=True))
        ]
        if self.columns is not None:
            ax.set_xticks(self.axis, self.columns, rotation=45, ha="right", rotation_mode="anchor", fontsize="small")
        ax.margins(x=0.02)
        ax.set_xlabel(self.axis_name)
        ax.set_ylabel(self.value_name)
        tidy(ax)
        self.legend_ = legend_beside(ax, self.lines_, self.labels) if legend else None
        return self


def _of_discriminants(subject: Subject, components: Any) -> tuple[Array, list[str]]:
    """Curves of the first discriminants."""
    scalings = np.asarray(subject.attribute("scalings_", "only models with discriminants have such curves."))
    L = scalings.shape[1]
    if components is None:
        components = min(DEFAULT_DIRECTIONS, L)
    if isinstance(components, bool) or not isinstance(components, int | np.integer) or not 1 <= components <= L:
        raise InputError(f"components={components!r} must be a whole number from 1 to {L}.")
    return scalings[:, :components].T, [f"LD{i + 1}" for i in range(components)]


def _of_classes(subject: Subject, components: Any) -> tuple[Array, list[str]]:
    """A curve a class; of two classes, the second against the first."""
    if components is not None:
        raise InputError("components= chooses among discriminants; classes are all drawn.")
    coefficients = np.atleast_2d(subject.attribute("coef_", "only linear models have coefficients."))
    texts = class_texts(subject.classes)
    return coefficients, texts if len(coefficients) == len(texts) else [f"{texts[1]} against {texts[0]}"]


_CURVES = {"discriminants": _of_discriminants, "classes": _of_classes}


def _spread(subject: Subject) -> Array:
    """(p,) standard deviations within classes."""
    covariance = np.asarray(subject.attribute("covariance_", "standard deviations within classes are not known."))
    if covariance.shape != (subject.p, subject.p):
        raise InputError(f"{subject.name} has no covariance that all classes share; use standardized=False.")
    return np.asarray(np.sqrt(np.diagonal(covariance)))


def _places(subject: Subject, axis: Any) -> tuple[Array, list[str] | None]:
    """Where the columns stand, and their names where these should be written."""
    if axis is not None:
        return _given_places(axis, subject.p), None
    order = np.arange(float(subject.p))
    if not subject.named:
        return order, None
    try:
        numbers = np.array([float(name) for name in subject.names])
    except ValueError:
        numbers = np.full(subject.p, np.nan)
    if np.isfinite(numbers).all():
        return numbers, None
    return order, [shown(name, 22) for name in subject.names] if subject.p <= FEW_COLUMNS else None


def _given_places(axis: Any, p: int) -> Array:
    """The places given, checked."""
    try:
        places = np.asarray(axis, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError("axis must be numbers, one a column.") from None
    if places.shape != (p,) or not np.isfinite(places).all():
        raise InputError(f"axis must be {p} finite numbers, one a column; it has shape {places.shape}.")
    return places
