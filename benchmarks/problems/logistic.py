"""Maximum likelihood of logistic and softmax regression, to the same size of the gradient."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from benchmarks.harness import Row, Scale, check_agreement, faster, take_turns
from benchmarks.peers import distinguo, scikit_learn

# The greatest mean derivative, in standardised columns, that every contender must come below.
GRADIENT = 1e-7


def measure(scale: Scale) -> Iterator[Row]:
    """Fit 300 000 rows of 40 features in 2 and in 10 classes, and 2 classes in columns of very different units."""
    n, p = scale.rows(300_000), 40
    for K, goal, solvers in ((2, 1, ("lbfgs", "newton-cholesky")), (10, 2, ("lbfgs",))):
        X, y = noisy_classes(n, p, K)
        contenders: dict[str, Callable[..., Any]] = {"distinguo": lambda X, y: distinguo.logistic().fit(X, y)}
        for solver in solvers:
            contenders[solver] = maximum_likelihood(solver)
        fitted = {name: fit(X, y) for name, fit in contenders.items()}
        for name, model in fitted.items():
            check_gradient(name, model, X, y)
            check_agreement(fitted["distinguo"].predict(X[:5000]), model.predict(X[:5000]), share=0.999)
        seconds = take_turns(contenders, (X, y), warm=(X[:3000], y[:3000]), repeats=scale.repeats(3))
        best = min(solvers, key=seconds.__getitem__)
        work = f"logistic maximum likelihood, {n} x {p}, {K} classes"
        yield faster(work, f"{scikit_learn.NAME}, {best}", seconds["distinguo"], seconds[best], goal)
    X, y = noisy_classes(n, p, 2)
    units = X * 10.0 ** np.linspace(-3, 3, p)
    both = {"in units of 1e-3 to 1e3": (units, y), "plain": (X, y)}
    check_gradient("distinguo", distinguo.logistic().fit(units, y), units, y)
    seconds = take_turns(
        {name: lambda _, rows=rows: distinguo.logistic().fit(*rows) for name, rows in both.items()},
        (None,),
        warm=(None,),
        repeats=scale.repeats(3),
    )
    work = f"logistic maximum likelihood, {n} x {p}, columns differing by 1e6"
    yield faster(work, "the same rows, columns alike", seconds["in units of 1e-3 to 1e3"], seconds["plain"], 0.8)


def maximum_likelihood(solver: str) -> Any:
    """A fit by one of scikit-learn's solvers, to a gradient below the one asked for."""
    return lambda X, y: scikit_learn.logistic(C=np.inf, solver=solver, tol=GRADIENT / 2, max_iter=2000).fit(X, y)


def noisy_classes(n: int, p: int, K: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows of correlated columns whose classes overlap."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, p)) @ (np.eye(p) + rng.normal(size=(p, p)) / (2 * np.sqrt(p)))
    scores = X @ rng.normal(size=(p, K)) * 0.3
    return X, (scores + rng.gumbel(size=(n, K))).argmax(axis=1)


def check_gradient(name: str, model: Any, X: np.ndarray, y: np.ndarray) -> None:
    """Stop where a contender has not come as near to the optimum as was agreed."""
    residuals = model.predict_proba(X) - (y[:, None] == model.classes_)
    size = np.abs(residuals.T @ ((X - X.mean(axis=0)) / X.std(axis=0))).max() / len(X)
    if size > GRADIENT:
        raise RuntimeError(f"{name} stopped at a gradient of {size:.2g}, above {GRADIENT:g}")
