"""Epochs of the perceptron, dense and sparse."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from benchmarks.harness import Row, Scale, check_agreement, class_clouds, faster, take_turns
from benchmarks.peers import distinguo, scikit_learn

EPOCHS = 20


def measure(scale: Scale) -> Iterator[Row]:
    """Twenty shuffled passes over classes that overlap, reading and checking the rows included.

    After every pass ours judges all rows once more, for the trace and the pocket, and it keeps the average beside the
    weights: of sparse rows, whose reading is most of the work, that may cost it the lead.
    """
    n = scale.rows(200_000)
    yield _contest(*class_clouds(n, 50, 2), scale, f"{EPOCHS} epochs, {n} x 50, 2 classes", 1)
    n = scale.rows(100_000)
    yield _contest(*_words(n, 20_000), scale, f"{EPOCHS} epochs, {n} x 20000 sparse, 2 classes", 0.5)


def _contest(X: Any, y: NDArray[np.int64], scale: Scale, work: str, goal: float) -> Row:
    def ours() -> Any:
        return distinguo.perceptron(max_iter=EPOCHS)

    def theirs() -> Any:
        return scikit_learn.perceptron(max_iter=EPOCHS, tol=None)

    # In one order, and without the pocket, both have the same weights after a pass, if rows are dense: of sparse ones
    # scikit-learn moves the constant by a hundredth.
    few: Any = X[:300]
    labels = y[:300]
    in_order = distinguo.perceptron(shuffle=False).partial_fit(few, labels)
    dense = few if isinstance(few, np.ndarray) else few.toarray()
    peer = scikit_learn.perceptron(max_iter=1, tol=None, shuffle=False).fit(dense, labels)
    check_agreement(in_order.predict(X), peer.predict(X))
    seconds = take_turns(
        {"ours": lambda X, y: ours().fit(X, y), "theirs": lambda X, y: theirs().fit(X, y)},
        (X, y),
        warm=(few, labels),
        repeats=scale.repeats(3),
    )
    return faster(work, scikit_learn.NAME, seconds["ours"], seconds["theirs"], goal)


def _words(n: int, p: int) -> tuple[Any, NDArray[np.int64]]:
    """Rows (n, p) of about forty entries, like short messages, and two classes that a noisy linear rule makes."""
    rng = np.random.default_rng(0)
    X: Any = sparse.random_array((n, p), density=40 / p, format="csr", rng=rng)
    return X, (X @ rng.normal(size=p) + rng.normal(0, 1, n) > 0).astype(np.int64)
