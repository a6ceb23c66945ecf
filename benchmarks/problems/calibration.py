"""Calibrated probabilities from rows held out, beside one fit and beside fitting each fold anew."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from benchmarks.harness import Row, Scale, check_agreement, class_clouds, faster, not_over, take_turns
from benchmarks.peers import distinguo, scikit_learn


def measure(scale: Scale) -> Iterator[Row]:
    """Fits of LDA and of multinomial naive Bayes with one temperature, five folds."""
    n = scale.rows(200_000)
    yield from _rows(f"LDA, {n} x 50, 10 classes", "lda", *class_clouds(n, 50, 10), 10, scale)
    n = scale.rows(20_000)
    yield from _rows(
        f"multinomial naive Bayes, {n} texts of 20000 words", "multinomial_nb", *_texts(n, 20_000), 1.5, scale
    )


def _rows(work: str, name: str, X: Any, y: NDArray[Any], goal: float, scale: Scale) -> Iterator[Row]:
    model, peer = getattr(distinguo, name)(), getattr(scikit_learn, name)()
    ways: dict[str, Callable[[], Any]] = {
        "once": lambda: model.fit(X, y).predict_proba(X),
        "ours": lambda: distinguo.calibrated(model, evidence=None).fit(X, y),
        "theirs": lambda: scikit_learn.calibrated(peer).fit(X, y),
    }
    check_agreement(ways["ours"]().predict(X), ways["theirs"]().predict(X))
    seconds = take_turns(ways, repeats=scale.repeats(5))
    yield faster(f"calibrate, {work}", scikit_learn.NAME, seconds["ours"], seconds["theirs"], goal)
    yield not_over(f"calibrate, {work}", "one fit and predict_proba", seconds["ours"], seconds["once"], 5)


def _texts(n: int, p: int) -> tuple[sparse.csr_array, NDArray[np.intp]]:
    """Texts of about 100 words, a tenth of them with a class of their own."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 4, n)
    texts = np.repeat(np.arange(n), rng.poisson(100, n))
    words = (p * rng.random(len(texts)) ** 3).astype(np.intp)
    told = rng.random(len(words)) < 0.1
    words[told] = (words[told] // 4 * 4 + y[texts[told]]) % p
    return sparse.csr_array((np.ones(len(words)), (texts, words)), shape=(n, p)), y
