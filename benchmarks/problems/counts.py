"""Naive Bayes of counts and of mixed columns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse
from sklearn.metrics import log_loss

from benchmarks.harness import Row, Scale, check_agreement, faster, take_turns
from benchmarks.peers import distinguo, scikit_learn


def measure(scale: Scale) -> Iterator[Row]:
    """Fit and predict_proba of sparse counts, of one row, and of a table of numbers and words."""
    yield from _texts(scale)
    yield from _one_row(scale)
    yield from _table(scale)


def _counts(n: int, p: int, K: int, length: int) -> tuple[sparse.csr_array, NDArray[np.intp]]:
    """Texts of that mean length over words as uneven as a language's, a tenth of them with a class of their own."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, K, n)
    lengths = rng.poisson(length, n)
    words = np.minimum((rng.pareto(1.0, lengths.sum()) * 20).astype(np.intp), p - 1)
    told = rng.random(len(words)) < 0.1
    words[told] = (words[told] * K + np.repeat(y, lengths)[told]) % p
    texts = np.repeat(np.arange(n), lengths)
    return sparse.csr_array((np.ones(len(words)), (texts, words)), shape=(n, p)), y


def _texts(scale: Scale) -> Iterator[Row]:
    n, p, K = scale.rows(50_000), 100_000, 20
    X, y = _counts(n, p, K, 120)
    for name in ("multinomial_nb", "bernoulli_nb"):
        ours, theirs = getattr(distinguo, name), getattr(scikit_learn, name)
        size = f"{name}, {n} texts of {p} words, {K} classes"
        seconds = take_turns(
            {"ours": lambda X, y, make=ours: make().fit(X, y), "theirs": lambda X, y, make=theirs: make().fit(X, y)},
            (X, y),
            repeats=scale.repeats(5),
        )
        yield faster(f"fit, {size}", scikit_learn.NAME, seconds["ours"], seconds["theirs"], 1)
        fitted, peer = ours().fit(X, y), theirs().fit(X, y)
        check_agreement(fitted.predict(X), peer.predict(X))
        seconds = take_turns(
            {"ours": fitted.predict_proba, "theirs": peer.predict_proba}, (X,), repeats=scale.repeats(5)
        )
        yield faster(f"predict_proba, {size}", scikit_learn.NAME, seconds["ours"], seconds["theirs"], 1)


def _one_row(scale: Scale) -> Iterator[Row]:
    X, y = _counts(2_000, 1_000, 10, 50)
    for row, what in ((X[[0]], "sparse"), (X[[0]].toarray(), "dense")):
        ours, theirs = distinguo.multinomial_nb().fit(X, y), scikit_learn.multinomial_nb().fit(X, y)
        seconds = take_turns(
            {"ours": ours.predict_proba, "theirs": theirs.predict_proba}, (row,), repeats=scale.repeats(25), number=50
        )
        work = f"multinomial_nb, predict_proba of 1 x 1000, {what}"
        yield faster(work, scikit_learn.NAME, seconds["ours"], seconds["theirs"], 1)


def _people(n: int, seed: int) -> tuple[pd.DataFrame, NDArray[np.intp]]:
    """Rows like a census: numbers of two shapes and words of few and of many kinds, with two classes."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.25).astype(np.intp)
    columns: dict[str, Any] = {f"number{j}": rng.normal(0.4 * y, 1 + 0.5 * y * (j % 2)) for j in range(6)}
    for j, kinds in enumerate((2, 5, 7, 9, 14, 16, 6, 42)):
        words = np.array([f"word {kind}" for kind in range(kinds)], dtype=object)
        place = rng.exponential(kinds / 5, n) + 0.5 * y
        columns[f"word{j}"] = words[np.minimum(place.astype(np.intp), kinds - 1)]
    return pd.DataFrame(columns), y


def _table(scale: Scale) -> Iterator[Row]:
    n = scale.rows(50_000)
    X, y = _people(n, 0)
    X_new, y_new = _people(n, 1)
    numbers, words = ([name for name in map(str, X) if name.startswith(kind)] for kind in ("number", "word"))
    peers = scikit_learn.mixed_pipelines(numbers, words)
    losses = {name: log_loss(y_new, peer.fit(X, y).predict_proba(X_new)) for name, peer in peers.items()}
    best = min(losses, key=losses.__getitem__)
    who = f"{scikit_learn.NAME}: {best}"
    ours = distinguo.mixed_nb().fit(X, y)
    seconds = take_turns(
        {"ours": lambda X, y: distinguo.mixed_nb().fit(X, y), "theirs": peers[best].fit},
        (X, y),
        repeats=scale.repeats(5),
    )
    size = f"{n} x (6 numbers, 8 of words)"
    yield faster(f"mixed_nb, fit, {size}", who, seconds["ours"], seconds["theirs"], 1)
    seconds = take_turns(
        {"ours": ours.predict_proba, "theirs": peers[best].predict_proba}, (X_new,), repeats=scale.repeats(5)
    )
    yield faster(f"mixed_nb, predict_proba, {size}", who, seconds["ours"], seconds["theirs"], 1)
    loss = log_loss(y_new, ours.predict_proba(X_new))
    work = f"mixed_nb, log loss on as many new rows, {size}"
    yield Row(work, who, loss, losses[best], "nats", loss / losses[best], "x", at_most=1)
