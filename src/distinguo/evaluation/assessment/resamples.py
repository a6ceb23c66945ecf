"""Rows drawn again from their own class: the stratified bootstrap, as counts of rows or of cells."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Block = NDArray[Any]
Codes = NDArray[np.intp]

# Cells of a block of counts, at eight bytes each; and resamples of one, for what is worked out from it.
BLOCK, MOST_AT_ONCE = 4_000_000, 250
# Rows drawn and looked at, in all resamples: a few seconds. Beyond, fewer resamples do, though never less than these.
MOST_WORK, FEWEST = 500_000_000, 200
# To draw how often a row comes takes as long as to draw so many rows.
COUNTING = 20
# Counts of rows that weigh no more than this stay below 256 for all practical purposes: the chance is below 1e-150.
MOST_IN_BYTES = 16


def row_counts(codes: Codes, weight: Array, resamples: int, generator: np.random.Generator) -> Iterator[Block]:
    """Blocks (b, n) of how often each row came in each resample; together there are as many as asked for.

    Of every class as many rows are drawn as its weight says, in proportion to weights, so that weight 2 is the row
    twice; the counts of a class sum to its weight.

    Parameters
    ----------
    codes, weight : (n,) class and weight of each row.
    resamples : how many in all.
    generator : where the draws come from.

    Examples
    --------
    >>> blocks = row_counts(np.array([0, 0, 0, 1]), np.ones(4), 2, np.random.default_rng(0))
    >>> [block.sum(axis=1).tolist() for block in blocks]
    [[4, 4]]
    """
    drawn = _drawn_rows if _are_written_out(weight) else _drawn_counts
    size = max(1, min(MOST_AT_ONCE, BLOCK // len(codes)))
    return drawn(codes, weight, [min(size, resamples - start) for start in range(0, resamples, size)], generator)


def affordable(weight: Array, looks: int, resamples: int) -> int:
    """How many of the resamples are drawn: all, but where rows are very many.

    Parameters
    ----------
    weight : (n,) of the rows.
    looks : how often each row is looked at in a resample.
    resamples : how many were asked for.

    Examples
    --------
    >>> affordable(np.ones(1000), 2, 1000), affordable(np.ones(400_000), 4, 1000)
    (1000, 250)
    """
    drawn = weight.sum() if _are_written_out(weight) else COUNTING * len(weight)
    return min(resamples, max(FEWEST, int(MOST_WORK / (drawn + looks * len(weight)))))


def _are_written_out(weight: Array) -> bool:
    """Whether rows are drawn one by one: weights are whole, and not so large that counts are drawn sooner."""
    return bool((weight == np.round(weight)).all() and weight.sum() <= COUNTING * len(weight))


def _drawn_rows(codes: Codes, weight: Array, sizes: list[int], generator: np.random.Generator) -> Iterator[Block]:
    """Rows written out as often as they weigh, class after class; each place draws one of its class's."""
    from distinguo.evaluation.assessment.resample_kernels import draw  # compiled code is loaded when it is needed

    order = np.argsort(codes, kind="stable")
    members = np.repeat(order, weight[order].astype(np.intp)).astype(np.int32)
    begins = np.concatenate([[0], np.cumsum(np.bincount(codes[members]))])
    dtype = np.uint8 if weight.max() <= MOST_IN_BYTES else np.float64
    for size in sizes:
        block = np.zeros((size, len(codes)), dtype)
        draw(members, begins, generator, block)
        yield block


def _drawn_counts(codes: Codes, weight: Array, sizes: list[int], generator: np.random.Generator) -> Iterator[Block]:
    """Multinomial counts in each class; their sum is the class's weight, rounded to draw and scaled back."""
    members = [np.flatnonzero(codes == k) for k in np.unique(codes)]
    for size in sizes:
        block = np.empty((size, len(codes)))
        for rows in members:
            block[:, rows] = multinomial(weight[rows], size, generator)
        yield block


def multinomial(weight: Array, resamples: int, generator: np.random.Generator) -> Array:
    """(B, m) counts with the sum of the weights (m,), each draw in proportion to weights.

    Examples
    --------
    >>> multinomial(np.array([1.0, 2.5]), 3, np.random.default_rng(0)).sum(axis=1).tolist()
    [3.5, 3.5, 3.5]
    """
    total = float(weight.sum())
    draws = max(1, round(total))
    return np.asarray(generator.multinomial(draws, weight / total, size=resamples) * (total / draws))
