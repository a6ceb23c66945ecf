"""The arithmetic that a fit cannot do without, and nothing else."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

NAME = f"bare NumPy {np.__version__}"


def product(X: NDArray[np.float64], _y: Any = None) -> NDArray[np.float64]:
    """The second moments, (p, p), in one call of BLAS."""
    return X.T @ X


def eigenvalues(p: int, times: int) -> None:
    """That many eigendecompositions of one covariance matrix (p, p)."""
    root = np.random.default_rng(0).standard_normal((p, p))
    covariance = root @ root.T
    for _ in range(times):
        np.linalg.eigh(covariance)
