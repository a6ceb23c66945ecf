"""Gaussian naive Bayes of many rows."""

from collections.abc import Iterator

from benchmarks.contest import fit_and_predict
from benchmarks.harness import Row, Scale
from benchmarks.peers import distinguo, scikit_learn


def measure(scale: Scale) -> Iterator[Row]:
    """Fit and predict_proba beside scikit-learn."""
    return fit_and_predict(distinguo.gaussian_nb, scikit_learn.gaussian_nb, scikit_learn.NAME, scale, goals=(6, 6))
