"""Taking turns with a clock, and what comes of it: rows with a figure, a goal and a verdict."""

from __future__ import annotations

import gc
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from statistics import median
from time import perf_counter
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Name = TypeVar("Name", bound=Hashable)


@dataclass(frozen=True)
class Scale:
    """How large the problems are: full size, or just enough to see that they run."""

    quick: bool = False

    def rows(self, n: int) -> int:
        """The number of rows to take where n are meant."""
        return min(n, 4_000) if self.quick else n

    def repeats(self, times: int) -> int:
        """How often to measure."""
        return 1 if self.quick else times


@dataclass(frozen=True)
class Row:
    """One line of the table.

    Attributes
    ----------
    work : what was done, and on how much.
    peer : whom ours is compared with.
    ours, theirs : medians in `unit`; theirs may be an allowance.
    figure : what the goal speaks of, in `figure_unit`.
    at_least, at_most : the goal; one of the two.
    """

    work: str
    peer: str
    ours: float
    theirs: float | None
    unit: str
    figure: float
    figure_unit: str
    at_least: float | None = None
    at_most: float | None = None

    @property
    def goal(self) -> str:
        """The goal in words."""
        sign, limit = (">=", self.at_least) if self.at_least is not None else ("<=", self.at_most)
        return f"{sign} {limit:g} {self.figure_unit}"

    @property
    def met(self) -> bool:
        """Whether the figure reaches the goal."""
        return (self.at_least is None or self.figure >= self.at_least) and (
            self.at_most is None or self.figure <= self.at_most
        )


def faster(work: str, peer: str, ours: float, theirs: float, at_least: float) -> Row:
    """Ours must take at most the `at_least`-th part of the peer's seconds."""
    return Row(work, peer, ours, theirs, "s", theirs / ours, "x", at_least=at_least)


def not_over(work: str, peer: str, ours: float, theirs: float, at_most: float) -> Row:
    """Ours may take `at_most` times the peer's seconds."""
    return Row(work, peer, ours, theirs, "s", ours / theirs, "x", at_most=at_most)


def within(work: str, ours: float, limit: float, unit: str) -> Row:
    """Ours must stay within a limit of its own."""
    return Row(work, "a fixed limit", ours, limit, unit, ours, unit, at_most=limit)


def take_turns(
    contestants: Mapping[Name, Callable[..., object]],
    arguments: tuple[Any, ...] = (),
    *,
    warm: tuple[Any, ...] | None = None,
    repeats: int = 5,
    number: int = 1,
) -> dict[Name, float]:
    """Median seconds a call of each contestant, called in turn (A B C, A B C, ...), the garbage collector resting.

    `warm` are the arguments of a first call that does not count (`arguments` unless given): it compiles kernels and
    wakes threads. Calls too short for the clock are measured `number` together.
    """
    for work in contestants.values():
        work(*(arguments if warm is None else warm))
    taken: dict[Name, list[float]] = {name: [] for name in contestants}
    for _ in range(repeats):
        for name, work in contestants.items():
            taken[name].append(_seconds(work, arguments, number))
    return {name: median(seconds) for name, seconds in taken.items()}


def _seconds(work: Callable[..., object], arguments: tuple[Any, ...], number: int) -> float:
    """Seconds a call, over that number of calls."""
    gc.collect()
    gc.disable()
    try:
        start = perf_counter()
        for _ in range(number):
            work(*arguments)
        return (perf_counter() - start) / number
    finally:
        gc.enable()


def class_clouds(n: int, p: int, K: int, seed: int = 0) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """X (n, p) and y (n,): K normal classes that overlap, in no order, made in place."""
    rng = np.random.default_rng(seed)
    means = rng.normal(0.0, 0.5, (K, p))
    y = rng.integers(0, K, n)
    X = np.empty((n, p))
    rng.standard_normal(out=X)
    for start in range(0, n, 10_000):
        X[start : start + 10_000] += means[y[start : start + 10_000]]
    return X, y


def check_agreement(ours: NDArray[Any], theirs: NDArray[Any], share: float = 0.999) -> None:
    """Being fast does not count where the answers differ: labels must agree on that share of the rows."""
    agreed = float(np.mean(ours == theirs))
    if agreed < share:
        raise RuntimeError(f"ours and the peer's labels agree on {agreed:.2%} of the rows only; nothing to compare.")
