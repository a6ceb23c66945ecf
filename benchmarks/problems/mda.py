"""Mixture discriminant analysis: EM beside scikit-learn's mixtures, one a class, from the same means."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture

from benchmarks.harness import Row, Scale, faster, take_turns
from benchmarks.peers import scikit_learn
from distinguo import MixtureDiscriminantAnalysis

SUBCLASSES, ITERATIONS = 3, 20


def _ours(X: NDArray[Any], y: NDArray[Any], starts: dict[int, NDArray[Any]]) -> Any:
    model = MixtureDiscriminantAnalysis(
        subclasses=SUBCLASSES, covariance="class", start=starts, divisor="mle", tol=0, max_iter=ITERATIONS
    )
    return model.fit(X, y)


def _theirs(X: NDArray[Any], y: NDArray[Any], starts: dict[int, NDArray[Any]]) -> list[Any]:
    return [
        GaussianMixture(
            SUBCLASSES,
            covariance_type="tied",
            means_init=means,
            init_params="random_from_data",  # with all parameters given, k-means would run in vain
            weights_init=np.full(SUBCLASSES, 1 / SUBCLASSES),
            precisions_init=np.eye(X.shape[1]),
            reg_covar=0,
            tol=0,
            max_iter=ITERATIONS,
        ).fit(X[y == k])
        for k, means in starts.items()
    ]


def measure(scale: Scale) -> Iterator[Row]:
    """As many steps of EM in every class, with one covariance a class; both must be as likely in the end."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # both are stopped on purpose
        yield _row(scale)


def _row(scale: Scale) -> Row:
    n, p, K = scale.rows(50_000), 20, 5
    rng = np.random.default_rng(0)
    y = rng.integers(0, K, n)
    centres = rng.normal(0, 1.5, (K, SUBCLASSES, p))
    X = centres[y, rng.integers(0, SUBCLASSES, n)] + rng.normal(size=(n, p))
    starts = {k: centres[k] + 0.3 for k in range(K)}
    ours, theirs = _ours(X, y, starts), _theirs(X, y, starts)
    own = ours.class_log_density(X)[np.arange(n), y].mean()
    others = sum(model.score(X[y == k]) * (y == k).mean() for k, model in enumerate(theirs))
    if abs(own - others) > 1e-3:
        raise RuntimeError(f"ours ends at a log-likelihood of {own:.6f} a row and the peer at {others:.6f}.")
    seconds = take_turns({"ours": _ours, "theirs": _theirs}, (X, y, starts), repeats=scale.repeats(3))
    work = f"fit, {n} x {p}, {K} classes of {SUBCLASSES} subclasses, {ITERATIONS} steps"
    return faster(work, f"{scikit_learn.NAME}, GaussianMixture", seconds["ours"], seconds["theirs"], 1)
