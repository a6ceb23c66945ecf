"""The contest that most models meet in: fit and predict_proba on the same rows as one peer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from benchmarks.harness import Row, Scale, check_agreement, class_clouds, faster, take_turns

Model = Callable[[], Any]


def fit_and_predict(ours: Model, theirs: Model, peer: str, scale: Scale, goals: tuple[float, float]) -> Iterator[Row]:
    """500 000 rows of 50 features in 10 classes; `goals` are how many times faster fit and predict_proba must be."""
    n, p, K = scale.rows(500_000), 50, 10
    X, y = class_clouds(n, p, K)
    small = X[:2000], y[:2000]
    repeats = scale.repeats(5)
    size = f"{n} x {p}, {K} classes"

    seconds = take_turns(
        {"ours": lambda X, y: ours().fit(X, y), "theirs": lambda X, y: theirs().fit(X, y)},
        (X, y),
        warm=small,
        repeats=repeats,
    )
    yield faster(f"fit, {size}", peer, seconds["ours"], seconds["theirs"], goals[0])

    our_model, their_model = ours().fit(X, y), theirs().fit(X, y)
    check_agreement(our_model.predict(X[:5000]), their_model.predict(X[:5000]))
    seconds = take_turns(
        {"ours": our_model.predict_proba, "theirs": their_model.predict_proba}, (X,), warm=(X[:2000],), repeats=repeats
    )
    yield faster(f"predict_proba, {size}", peer, seconds["ours"], seconds["theirs"], goals[1])
