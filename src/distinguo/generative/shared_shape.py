"""What models of Gaussian classes of one shape share: Fisher's directions and affine scores."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import TransformerMixin

from distinguo.covariance.factor import Factor
from distinguo.densities.gaussian import SharedGaussian
from distinguo.densities.kernels import distances_to_points
from distinguo.exceptions import InputError
from distinguo.explaining import Judged, Parts
from distinguo.generative.explanation import PRIOR, ExplainsByBayes, is_possible, pair_of
from distinguo.hyperplane import Affine, LinearBoundaries
from distinguo.statistics.moments import ClassMoments

Array = NDArray[np.float64]


def distances_without(
    z: Array, points: Array, own: NDArray[np.intp], share: Array, moved: Array
) -> tuple[Array, Array]:
    """Squared distances (n, K) of rows to class means, each row left out of its class and of the shape.

    Parameters
    ----------
    z : (n, r) rows where the shape that keeps them is the identity.
    points : (K, r) class means there.
    own : (n,) the rows' classes.
    share : (n,) how often the square of its deviation goes out of the shape with a row.
    moved : (n,) the deviation from the class mean without the row, over that with it.

    Returns
    -------
    distances : (n, K)
    left : (n,) what is left of the shape along the deviation; near zero the distances are not to be trusted.
    """
    deviation = z - points[own]
    # (n, K) inner products of the row's deviation with its differences from every class mean.
    inner = (deviation * z).sum(axis=1)[:, None] - deviation @ points.T
    left = 1 - share * (deviation**2).sum(axis=1)
    distances = distances_to_points(z, points) + inner**2 * (share / left)[:, None]
    distances[np.arange(len(z)), own] *= moved**2
    return distances, left


class SharedShape(TransformerMixin, ExplainsByBayes[ClassMoments, Any], LinearBoundaries):
    """Gaussian classes of one shape: a few directions hold all that tells classes apart, and boundaries are planes."""

    n_components: int | None

    @abstractmethod
    def _shared_factor(self, statistic: ClassMoments) -> Factor:
        """The shape of every class, over all p columns."""

    def _gaussian(self, statistic: ClassMoments, priors: Array) -> SharedGaussian:
        """Gaussians at the estimates."""
        factor = self._shared_factor(statistic)
        share = priors if priors.any() else np.ones(len(priors))
        centre = share @ statistic.mean / share.sum()
        points = (statistic.mean - centre) @ factor.whiten
        if self.n_components is not None:
            directions, _ = self._fisher(points, priors)
            points = points @ directions @ directions.T
        return SharedGaussian(centre, points, factor)

    def _fisher(self, points: Array, priors: Array) -> tuple[Array, Array]:
        """Directions (r, L) in whitened coordinates and their between-class variances, the greatest first."""
        _, singular, directions = np.linalg.svd(np.sqrt(priors)[:, None] * points, full_matrices=False)
        most = min(len(priors) - 1, points.shape[1])
        L = self._n_components(most)
        return directions[:L].T, singular[:most] ** 2

    def _n_components(self, most: int) -> int:
        asked = self.n_components
        if asked is None:
            return most
        if isinstance(asked, bool) or not isinstance(asked, int | np.integer) or not 1 <= asked <= most:
            raise InputError(
                f"n_components={asked!r} must be a whole number from 1 to {most}, the lesser of the classes less one "
                "and the columns that vary."
            )
        return int(asked)

    def _fisher_of_fit(self) -> tuple[Array, Array]:
        """Fisher's directions of the fitted classes, and their variances."""
        description = self._describe()
        statistic, factor = description.statistic, description.density.plug_in.factor
        points = (statistic.mean - description.density.plug_in.centre) @ factor.whiten
        return self._fisher(points, description.priors[description.active])

    @property
    def scalings_(self) -> Array:
        """(p, L) Fisher's directions, each with its largest loading (in standard deviations) positive."""
        directions, _ = self._fisher_of_fit()
        factor = self._describe().density.plug_in.factor
        scalings = factor.whiten @ directions
        loadings = scalings * np.sqrt(np.diagonal(self._describe().statistic.within))[:, None]
        largest = np.abs(loadings).argmax(axis=0)
        signs = np.sign(loadings[largest, np.arange(loadings.shape[1])])
        return np.asarray(scalings * np.where(signs == 0, 1.0, signs))

    @property
    def explained_variance_ratio_(self) -> Array:
        """(L,) shares of the between-class variance along Fisher's directions."""
        directions, variances = self._fisher_of_fit()
        total = variances.sum()
        return np.asarray(variances[: directions.shape[1]] / total) if total > 0 else np.zeros(directions.shape[1])

    def _affine(self) -> Affine:
        description = self._describe()
        affine = description.density.affine
        K = len(description.active)
        normals, offsets = np.zeros((K, self.n_features_in_)), np.full(K, -np.inf)
        normals[description.active] = affine.normals
        offsets[description.active] = affine.offsets
        with np.errstate(divide="ignore"):
            return Affine(affine.centre, normals, offsets + np.log(description.priors))

    def _parts(self, judged: Judged, a: int, b: int) -> Parts:
        """Normals times what cells have beyond the middle between the two classes, where only priors count.

        Of a row with missing cells, the normals of the cells that are there.
        """
        description = self._describe()
        (i, j), prior = pair_of(description, a, b)
        density, there = description.density, ~np.isnan(judged.cells)
        if there.all():
            means, normal = description.statistic.mean, density.affine.normals[i] - density.affine.normals[j]
        else:
            means = density.means
            normal = density.marginal.normal(there, means[i] - means[j])
        with np.errstate(over="ignore", invalid="ignore"):
            adds = normal * np.where(there, judged.cells - (means[i] + means[j]) / 2, 0.0)
            if not np.isfinite(adds.sum()) and not is_possible(description, judged.cells[None]):
                adds = np.zeros(len(adds))
        return Parts(adds, prior, PRIOR)

    @property
    def _n_features_out(self) -> int:
        """Columns of transform, for scikit-learn."""
        return int(self._fisher_of_fit()[0].shape[1])

    def transform(self, X: Any) -> Array:
        """Rows (n, L) on Fisher's directions: centred on the classes' mean, within-class variance one.

        A row with a missing cell is NaN: it has no one place, but one for each class; `predict_proba` takes it.
        """
        centre, scalings = self._describe().density.plug_in.centre, self.scalings_
        return self._evaluate(X, lambda block: np.asarray((block - centre) @ scalings))

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """("LD1", "LD2", ...), the names of transform's columns."""
        return np.array([f"LD{i + 1}" for i in range(self._n_features_out)], dtype=object)

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> Array:
        """Fit, then transform the same rows."""
        return self.fit(X, y, **fit_params).transform(X)
