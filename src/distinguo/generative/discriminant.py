"""What the models of Gaussian classes share: moments, divisors, shrinkage and prior knowledge."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from distinguo.covariance.estimate import Divisor, Sample, divide, shrink
from distinguo.densities.base import Density
from distinguo.densities.gaussian import ClassGaussian, SharedGaussian
from distinguo.densities.student import Debiased, Predictive, Uncertainty
from distinguo.exceptions import InputError
from distinguo.generative.capabilities import Descriptive, LeavesOneOut, Mergeable
from distinguo.generative.description import Description
from distinguo.generative.drawn_shapes import Drawing, log_densities_without
from distinguo.generative.heavy_tails import check_covariance
from distinguo.rows.base import Batch
from distinguo.statistics.moments import ClassMoments, Moments

Array = NDArray[np.float64]
# What stands for log p(x | class), given Gaussians at the estimates and how well these are known.
DENSITIES: dict[str, Callable[..., Density]] = {
    "plug-in": lambda plug_in, uncertainty: plug_in,
    "predictive": Predictive,
    "debiased": Debiased,
}


class GaussianClasses(Mergeable[ClassMoments, Any], Descriptive[ClassMoments, Any], LeavesOneOut[ClassMoments, Any]):
    """Models of Gaussian classes that are all in their moments."""

    divisor: Divisor
    cv: Any
    random_state: int
    _scores_whole_densities = True

    def _pseudo_rows(self, prior: ClassMoments) -> ClassMoments:
        if not isinstance(prior, ClassMoments) or prior.is_pooled:
            raise InputError(f"prior must be made by distinguo.pseudo_rows; it is {type(prior).__name__}.")
        spec = self._spec()
        if spec == Moments("pooled"):
            return prior.pooled()
        if spec == Moments("full"):
            return prior
        raise InputError("shrinkage='ledoit-wolf' needs fourth moments, which prior= has not; use 'oas' or a number.")

    @property
    def means_(self) -> Array:
        """(K, p) class means, in the units of the columns; NaN for a declared class without rows."""
        return self._describe().spread_classes(self._describe().statistic.mean)


class Discriminant(GaussianClasses):
    """What linear and quadratic discriminant analysis share: moments, divisors and shrinkage."""

    shrinkage: float | str | None
    target: str | None
    density: str
    covariance: str
    df: float | None

    def _moments(self, kind: Any) -> Moments:
        """Per class where the shrinkage asks for fourth moments, else what the model needs."""
        fourth = isinstance(self.shrinkage, str) and self.shrinkage == "ledoit-wolf"
        return Moments("full" if fourth else kind, fourth=fourth)

    def _shrunk(self, scatter: Array, weight: float, groups: int, quarts: Array | None, what: str) -> Array:
        """A scatter's covariance, with this model's divisor and shrinkage."""
        divisor = self.divisor if self._iterating() is None else "mle"
        covariance = divide(scatter, weight, groups, divisor, what)
        shrinkage = self.shrinkage if self._tuned is None else self._tuned.shrinkage
        return shrink(Sample(covariance, weight, scatter / weight, quarts), shrinkage, self.target)

    def _around(self, plug_in: SharedGaussian | ClassGaussian, uncertainty: Uncertainty) -> Density:
        """The density asked for, around the Gaussians at the estimates."""
        check_covariance(self.covariance, self.df)
        if not isinstance(self.density, str) or self.density not in DENSITIES:
            raise InputError(f"density={self.density!r} is not known; use one of {', '.join(map(repr, DENSITIES))}.")
        if self.density != "plug-in" and (self.shrinkage is not None or self.divisor != "unbiased"):
            raise InputError(
                f"density={self.density!r} is made of the unbiased estimates; it goes with shrinkage=None and "
                "divisor='unbiased' only."
            )
        return DENSITIES[self.density](plug_in, uncertainty)

    @property
    def shrinkage_(self) -> float | str | None:
        """The shrinkage in use: that given, or the number that "cv" chose."""
        self._describe()
        return self.shrinkage if self._tuned is None else self._tuned.shrinkage

    def _drawing(self, pooling: float) -> Drawing | None:
        """How a number draws scatters towards a sphere, or none does; None where the shrinkage is another."""
        amount = self.shrinkage if self._tuned is None else self._tuned.shrinkage
        if self.density != "plug-in" or isinstance(amount, str) or self.target not in (None, "identity"):
            return None
        return Drawing(pooling, float(amount or 0.0), self.divisor == "unbiased")


def without_each(
    description: Description[ClassMoments, Any], drawing: Drawing | None, batch: Batch, taken: Array
) -> tuple[Array, NDArray[np.bool_]]:
    """Scores (n, K) of rows that are each left out, and those that must be recomputed: all without a drawing."""
    own = (np.cumsum(description.active) - 1)[batch.codes]
    found = None
    if drawing is not None and drawing.is_safe:
        found = log_densities_without(description.statistic, drawing, batch.X, own, taken)
    if found is None:
        n = len(batch.X)
        return np.zeros((n, len(description.active))), np.ones(n, dtype=bool)
    with np.errstate(divide="ignore"):
        return description.spread(found[0], -np.inf) + np.log(description.priors), found[1]
