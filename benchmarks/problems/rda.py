"""Regularised discriminant analysis tuned over a grid, by folds."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import GridSearchCV, StratifiedKFold

from benchmarks.harness import Row, Scale, class_clouds, faster, not_over, take_turns
from benchmarks.peers import bare, distinguo

SIDE, FOLDS = 11, 10


def measure(scale: Scale) -> Iterator[Row]:
    """11 x 11 pairs of pooling and shrinkage in 10 folds of 5 000 rows of 30 features in 5 classes."""
    n, p, K = scale.rows(5_000), 30, 5
    side = 3 if scale.quick else SIDE
    X, y = class_clouds(n, p, K)
    grid = np.linspace(0, 1, side)
    splits = list(StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(X, y))

    def ours() -> Any:
        return distinguo.rda(grid=grid, cv=splits).fit(X, y)

    def refitting() -> Any:
        pairs = {"pooling": grid, "shrinkage": grid}
        return GridSearchCV(distinguo.rda(), pairs, cv=splits, scoring="accuracy", refit=False).fit(X, y)

    check_table(ours().cv_results_["error"], refitting().cv_results_["mean_test_score"], splits)
    quick = take_turns(
        {"ours": ours, "eigh": lambda: bare.eigenvalues(p, FOLDS * ((side - 1) * K + 1))}, repeats=scale.repeats(7)
    )
    slow = take_turns({"ours": ours, "refitting": refitting}, repeats=scale.repeats(3))
    work = f"{side} x {side} grid, {FOLDS} folds, {n} x {p}, {K} classes"
    yield faster(work, "GridSearchCV of the same model", slow["ours"], slow["refitting"], 25)
    yield not_over(work, f"{bare.NAME}, the eigh calls alone", quick["ours"], quick["eigh"], 3)


def check_table(error: NDArray[Any], accuracy: NDArray[Any], splits: list[Any]) -> None:
    """The same error table, or there is nothing to compare; folds of one row more or less weigh alike in the peer's."""
    sizes = np.array([len(test) for _, test in splits])
    unequal = (sizes.max() - sizes.min()) / sizes.min()
    if np.abs(error - (1 - accuracy)).max() > unequal + 1e-9:
        raise RuntimeError("the error table is not that of refitting; nothing to compare.")
