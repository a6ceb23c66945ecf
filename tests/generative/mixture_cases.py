"""Rows and models that the tests of mixtures share."""

import numpy as np
import pytest

from distinguo import (
    MixtureDiscriminantAnalysis,
)

QUICK = {"n_init": 1, "max_subclasses": 2}
COVARIANCES = ("shared", "class", "subclass")
every_covariance = pytest.mark.parametrize("covariance", COVARIANCES)


def clumps(seed=0, n=80):
    """Rows (n 5, 2) of five round clumps of n, their labels: three are "a" and two are "b"; and the clumps' centres."""
    rng = np.random.default_rng(seed)
    centres = np.array([[0.0, 0], [6, 0], [0, 6], [6, 6], [12, 3]])
    X = np.repeat(centres, n, axis=0) + rng.normal(size=(5 * n, 2)) @ np.array([[1.0, 0.3], [0.0, 0.8]])
    return X, np.repeat(["a", "b", "b", "a", "a"], n), centres


def holed_clumps(seed=0, n=80, share=0.2):
    """The clumps with a column that goes with both others, and cells gone at random; labels and centres (5, 3)."""
    X, y, centres = clumps(seed, n)
    rng = np.random.default_rng(seed + 50)
    X = np.column_stack([X, X.sum(axis=1) + rng.normal(size=len(X))])
    X[rng.random(X.shape) < share] = np.nan
    return X, y, np.column_stack([centres, centres.sum(axis=1)])


def starts(centres):
    return {"a": centres[[0, 3, 4]], "b": centres[[1, 2]]}


def fixed(centres, **options):
    return MixtureDiscriminantAnalysis(subclasses={"a": 3, "b": 2}, start=starts(centres), tol=1e-10, **options)
