"""Means and covariances that outliers move less: those of multivariate t classes."""

from __future__ import annotations

import reprlib
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from distinguo.covariance.factor import RANK_TOLERANCE, Factor, compose, embed, factorise
from distinguo.covariance.scale import moment_scale
from distinguo.covariance.shapes import class_factors, column_names, shared_factor
from distinguo.exceptions import InputError, LeftOutWarning, SingularCovarianceError
from distinguo.rows.base import Source
from distinguo.rows.labels import label_text
from distinguo.solvers.solution import Solution
from distinguo.statistics.heavy_tailed import StudentClasses, StudentStep, WeightedMoments
from distinguo.statistics.moments import ClassMoments

Array = NDArray[np.float64]

# The fit has converged once a step moves no mean by more standard deviations, no shape by more of itself.
TOLERANCE = 1e-10
MAX_STEPS = 500
# A column takes part in a plane when its loading there is above this share of the largest.
LOADING = 1e-3
# As R's MASS has it.
DEFAULT_DF = 5.0


@dataclass(frozen=True)
class StudentFit:
    r"""Maximum-likelihood multivariate t classes with given degrees of freedom, by EM.

    Each step weighs the rows with :math:`w_i = (\nu + r) / (\nu + d_i^2)` and takes weighted means and scatters, the
    scatter over the sum of the weights: the parameter-expanded EM, which climbs to the same maximum in fewer steps.

    Attributes
    ----------
    df : degrees of freedom, ν > 2, so that there is a covariance.
    kind : a shape for each class ("full") or one for all ("pooled").

    References
    ----------
    Kent, Tyler and Vardi (1994), A curious likelihood identity for the multivariate t-distribution. Liu, Rubin and Wu
    (1998), Parameter expansion to accelerate EM, Biometrika 85, section 3.3.
    """

    df: float
    kind: Literal["full", "pooled"]

    def run(self, source: Source, start: ClassMoments) -> Solution[ClassMoments]:
        r"""Climb from the Gaussian fit until nothing moves.

        Parameters
        ----------
        source : the rows; passed over once a step.
        start : their moments.

        Returns
        -------
        The moments of as many rows with the covariance of the t's, :math:`\nu / (\nu - 2)` times their scale; the
        trace is the log-likelihood.

        Raises
        ------
        SingularCovarianceError
            If so many rows of a class lie in a plane that the likelihood has no maximum.
        """
        means, first = start.mean, _first_shapes(start)
        shapes, step, still = first, 0, False
        trace: list[float] = []
        while True:
            found = source.aggregate(StudentStep(self._parameters(start.classes, means, shapes), self.kind))
            trace.append(found.log_likelihood)
            if still or step == MAX_STEPS:
                break
            step += 1
            spread = _spread(found)
            still = max(np.abs(found.mean).max(), np.abs(spread - np.eye(spread.shape[1])).max()) <= TOLERANCE
            means = means + np.stack([_shape_of(shapes, k).colour @ move for k, move in enumerate(found.mean)])
            shapes = tuple(compose(shape, factorise(one)) for shape, one in zip(shapes, spread, strict=True))
            self._check_spread(first, shapes, start)
        value = replace(start, mean=means, scatter=self._scatter(shapes, start.weight))
        return Solution(value, "converged" if still else "max_iter", step, np.array(trace))

    def _parameters(self, classes: NDArray[Any], means: Array, shapes: tuple[Factor, ...]) -> StudentClasses:
        whiten = np.stack([shape.whiten for shape in shapes])
        return StudentClasses(classes, means, whiten, np.array([shape.log_det for shape in shapes]), self.df)

    def _scatter(self, shapes: tuple[Factor, ...], weight: Array) -> Array:
        """Scatters whose maximum-likelihood covariances are those of the t's."""
        rows = weight if self.kind == "full" else weight.sum(keepdims=True)
        stretch = 1 / (1 - 2 / self.df)
        scatter = np.stack([n * stretch * one.colour @ one.colour.T for n, one in zip(rows, shapes, strict=True)])
        return scatter if self.kind == "full" else np.asarray(scatter[0])

    def _check_spread(self, first: tuple[Factor, ...], shapes: tuple[Factor, ...], start: ClassMoments) -> None:
        """Raise where a shape falls flat: a share of rows in a plane above (ν + r - 1) / (ν + r) makes it so."""
        for k, (before, now) in enumerate(zip(first, shapes, strict=True)):
            rank = before.whiten.shape[1]
            left = np.linalg.svd(before.whiten.T @ now.colour)
            if now.whiten.shape[1] == rank and left.S[-1] ** 2 > RANK_TOLERANCE:
                continue
            deviation = np.sqrt((before.colour**2).sum(axis=1))
            loadings = (
                np.abs(before.whiten @ left.U[:, -1]) * deviation
            )  # of the plane's normal, in standard deviations
            columns = np.flatnonzero(loadings > LOADING * loadings.max())
            what = f"class {label_text(start.classes[k])}" if self.kind == "full" else "the classes"
            raise SingularCovarianceError(
                f"covariance='t' has no answer: too many rows of {what} lie in one plane of the columns "
                f"{column_names(start.feature_names, columns)}, or others lie immensely far from it. Use more degrees "
                "of freedom (df), leave those columns out, or use covariance='gaussian'."
            )


def _shape_of(shapes: tuple[Factor, ...], k: int) -> Factor:
    return shapes[k % len(shapes)]


def _spread(found: WeightedMoments) -> Array:
    """(K, r, r) or (1, r, r) scale matrices after a step, where those before it are the unit matrix."""
    if found.scatter.ndim == 2:
        return np.asarray(found.scatter[None] / found.pull.sum())
    return np.asarray(found.scatter / found.pull[:, None, None])


def _first_shapes(start: ClassMoments) -> tuple[Factor, ...]:
    """Gaussian shapes over the columns that vary within classes; in the others no row lies further out."""
    scale = moment_scale(start)
    columns = np.flatnonzero(~(scale.constant | scale.deciding))
    if not len(columns):
        raise InputError("covariance='t' needs a column that varies within a class; use covariance='gaussian'.")
    names = None if start.feature_names is None else start.feature_names[columns]
    moments = start.take_features(columns, names)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LeftOutWarning)  # the fit warns once it is done
        if moments.is_pooled:
            shapes: tuple[Factor, ...] = (shared_factor(moments, lambda kept: kept.within / kept.weight.sum()),)
        else:
            shapes = class_factors(moments, lambda kept: kept.scatter / kept.weight[:, None, None], shrunk=False)
    return tuple(embed(shape, columns, start.n_features) for shape in shapes)


# What the fit has no place for: the option, the value it must have, and why.
ALONE: dict[str, tuple[Any, str]] = {
    "shrinkage": (None, "its covariances are not shrunk"),
    "divisor": ("unbiased", "it has a divisor of its own, the sum of the rows' weights"),
    "density": ("plug-in", "how well its estimates are known is not worked out"),
    "prior": (None, "pseudo-rows have moments only, and no distances to be weighed by"),
}


def check_covariance(covariance: Any, df: Any) -> None:
    """Raise unless the covariance is known, and the degrees of freedom are given to one that has them."""
    if not isinstance(covariance, str) or covariance not in {"gaussian", *FITS}:
        known = ", ".join(map(repr, ("gaussian", *FITS)))
        raise InputError(f"covariance={covariance!r} is not known; use one of {known}.")
    if df is not None and covariance not in FITS:
        raise InputError(f"df={df!r} cannot act with covariance={covariance!r}; use covariance='t', or leave df out.")


def _student_fit(df: Any, kind: Literal["full", "pooled"]) -> StudentFit:
    """The fit with these degrees of freedom."""
    value = DEFAULT_DF if df is None else df
    is_number = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    if not is_number or not 2 < value < np.inf:
        raise InputError(
            f"df={df!r} must be a number above 2: a t of fewer degrees of freedom has no covariance. As they grow, the "
            "fit comes near that of covariance='gaussian'."
        )
    return StudentFit(float(value), kind)


# By name, what a covariance that takes several passes over the rows is found by, from its degrees of freedom.
FITS: dict[str, Callable[[Any, Literal["full", "pooled"]], StudentFit]] = {"t": _student_fit}


@dataclass(frozen=True)
class HeavyTails:
    """The choice between Gaussian moments and those of classes with heavy tails."""

    holes: str = (
        "covariance='t' weighs a row by all of its cells and its class. Leave rows out that lack one, or use "
        "covariance='gaussian'."
    )
    parts: str = (
        "partial_fit, forget, + and leave_one_out do not go with covariance='t', where what a row counts depends on "
        "all others. Give all rows to fit, or use covariance='gaussian'."
    )

    def is_needed(self, model: Any) -> bool:
        """Whether the model's covariance takes more than one pass."""
        return isinstance(model.covariance, str) and model.covariance in FITS

    def run(self, model: Any, source: Source, start: ClassMoments) -> tuple[ClassMoments, int]:
        """Moments with the covariance that was asked for, and the steps they took; warns where they have not settled.

        Raises
        ------
        InputError
            If an option is set that cannot act.
        """
        options = model.get_params(deep=False)
        for name, (needed, why) in ALONE.items():
            if options[name] is not needed and options[name] != needed:
                raise InputError(
                    f"{name}={reprlib.repr(options[name])} cannot act with covariance={model.covariance!r}: {why}. "
                    f"Leave it at {needed!r}, or use covariance='gaussian'."
                )
        fit = FITS[model.covariance](model.df, model._spec().kind)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", LeftOutWarning)
            model._describe_statistic(start, None)  # a class that is singular is named here, with the columns
        found = fit.run(source, start)
        if found.status != "converged":
            warnings.warn(
                f"covariance={model.covariance!r} did not settle in {found.iterations} steps: there are too few rows "
                "for its columns, or too many alike. More rows, fewer columns or more degrees of freedom (df) help.",
                ConvergenceWarning,
                stacklevel=4,
            )
        return found.value, found.iterations
