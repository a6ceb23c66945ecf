"""Texts tokenised and counted, and multinomial naive Bayes of the counts."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from benchmarks import resident
from benchmarks.harness import Row, Scale, faster, take_turns
from benchmarks.peers import distinguo, scikit_learn

VOCABULARY, CLASSES = 60_000, 4
CONTESTANTS: dict[str, Callable[[tuple[int, int]], Any]] = {
    "ours": distinguo.text_bayes,
    "theirs": scikit_learn.text_bayes,
}
GOALS = {(1, 1): 6, (1, 2): 4}


def measure(scale: Scale) -> Iterator[Row]:
    """16 MB in 11 000 documents, words alone and with bigrams: seconds, and the most memory at once."""
    n = scale.rows(11_000)
    texts, labels = zipf_texts(n)
    size = f"{sum(map(len, texts)) / 1e6:.0f} MB, {n} documents"
    for sizes, goal in GOALS.items():
        check_same_counts(sizes, texts[:1000])
        fits = {name: fit_of(make, sizes) for name, make in CONTESTANTS.items()}
        seconds = take_turns(fits, (texts, labels), warm=(texts[:200], labels[:200]), repeats=scale.repeats(5))
        work = f"count and fit, {size}, {'words' if sizes == (1, 1) else 'words and bigrams'}"
        yield faster(work, scikit_learn.NAME, seconds["ours"], seconds["theirs"], goal)
        if resident.measurable():
            yield memory_row(work, sizes[1], n)


def fit_of(make: Callable[[tuple[int, int]], Any], sizes: tuple[int, int]) -> Callable[..., object]:
    """A fit of texts and labels."""
    return lambda texts, labels: make(sizes).fit(texts, labels)


def memory_row(work: str, longest: int, n: int) -> Row:
    """Ours must hold no more than the peer beyond the texts, at the peak."""
    ours, theirs = (resident.apart("benchmarks.problems.text", name, longest, n) for name in CONTESTANTS)
    mib = resident.MIB
    return Row(work, scikit_learn.NAME, ours / mib, theirs / mib, "MiB", ours / theirs, "x", at_most=1)


def zipf_texts(n: int) -> tuple[list[str], np.ndarray]:
    """Texts of 50 to 350 words, the j-th word of a vocabulary as frequent as 1 / j, and labels."""
    rng = np.random.default_rng(0)
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz"))
    words = np.array(["".join(rng.choice(letters, rng.integers(2, 11))) for _ in range(VOCABULARY)])
    share = 1 / np.arange(1, VOCABULARY + 1)
    cumulated = np.cumsum(share / share.sum())
    texts = [" ".join(words[np.searchsorted(cumulated, rng.random(m))]) + "." for m in rng.integers(50, 350, n)]
    return texts, rng.integers(0, CLASSES, n)


def check_same_counts(sizes: tuple[int, int], texts: list[str]) -> None:
    """Being fast does not count where the counts differ."""
    ours, theirs = (make(sizes)[0] for make in CONTESTANTS.values())
    if (ours.fit_transform(texts) != theirs.fit_transform(texts)).nnz:
        raise RuntimeError("ours and the peer's counts differ; nothing to compare.")


def peak(name: str, longest: int, n: int) -> int:
    """Bytes that a fit holds at its peak beyond the texts."""
    texts, labels = zipf_texts(n)
    CONTESTANTS[name]((1, longest)).fit(texts[:200], labels[:200])  # kernels and late imports are no part of it
    return resident.growth(lambda: CONTESTANTS[name]((1, longest)).fit(texts, labels))


if __name__ == "__main__":
    print(peak(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
