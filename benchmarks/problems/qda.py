"""Quadratic discriminant analysis of many rows."""

from collections.abc import Iterator

from benchmarks.contest import fit_and_predict
from benchmarks.harness import Row, Scale
from benchmarks.peers import distinguo, scikit_learn


def measure(scale: Scale) -> Iterator[Row]:
    """Fit and predict_proba beside scikit-learn."""
    return fit_and_predict(distinguo.qda, scikit_learn.qda, scikit_learn.NAME, scale, goals=(8, 2.5))
