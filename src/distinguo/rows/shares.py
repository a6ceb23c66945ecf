"""Frames dealt to workers that read and count at the same time; the same frames to the same worker every time."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextlib import closing
from dataclasses import dataclass
from typing import Any, TypeVar

import polars as pl

R = TypeVar("R")

# A frame, and the number of its first row.
Numbered = tuple[int, pl.DataFrame]
Hand = Iterator[Numbered]


@dataclass(frozen=True)
class Piece:
    """Some rows that can be read apart from all others.

    Attributes
    ----------
    first_row : the number of the first.
    read : the rows.
    """

    first_row: int
    read: Callable[[], Iterator[pl.DataFrame]]


@dataclass
class Shares:
    """What each of several workers is to pass over.

    Attributes
    ----------
    hands : one a worker.
    stop : lets all of them end soon.
    """

    hands: Sequence[Hand]
    stop: Callable[[], None]

    @classmethod
    def of_pieces(cls, pieces: Sequence[Piece], workers: int) -> Shares:
        """Pieces dealt in turn, each read by the worker that counts it."""
        stopped = threading.Event()

        def hand(own: Sequence[Piece]) -> Hand:
            for piece in own:
                row = piece.first_row
                for frame in piece.read():
                    if stopped.is_set():
                        return
                    yield row, frame
                    row += frame.height

        busy = max(1, min(workers, len(pieces)))  # small files are not worth a thread
        return cls([hand(pieces[worker::busy]) for worker in range(busy)], stopped.set)

    @classmethod
    def of_frames(cls, frames: Iterable[pl.DataFrame], workers: int) -> Shares:
        """Frames that can only be read one after the other, dealt in turn: while some are counted, one is read."""
        deal = _Deal(iter(frames), workers)
        return cls([deal.hand(worker) for worker in range(workers)], deal.stop)

    def through(self, change: Callable[[Hand], Hand]) -> Shares:
        """The same shares, what is in each hand changed by the worker that takes it."""
        return Shares([change(hand) for hand in self.hands], self.stop)

    def each(self, work: Callable[[Hand], R]) -> list[R]:
        """The results of a function of each hand, worked out at the same time; the first error stops all."""
        if len(self.hands) == 1:
            return [work(self.hands[0])]
        with ThreadPoolExecutor(len(self.hands)) as pool, _one_thread_a_product():
            try:
                futures = [pool.submit(_through, work, hand) for hand in self.hands]
                wait(futures, return_when=FIRST_EXCEPTION)
            finally:  # an error, or the user, has ended it
                self.stop()
        return [future.result() for future in futures]


def _through(work: Callable[[Hand], R], hand: Any) -> R:
    with closing(hand):  # so that a reader that waits for its turn is not waited for
        return work(hand)


def _one_thread_a_product() -> Any:
    """While workers count, matrix products take one thread each: more would wait for each other."""
    from threadpoolctl import threadpool_limits

    return threadpool_limits(1, user_api="blas")


class _Deal:
    """One reader, and workers that take frames from it in turn."""

    def __init__(self, frames: Iterator[pl.DataFrame], workers: int) -> None:
        self._frames, self._workers = frames, workers
        self._turn = threading.Condition()
        self._stopped = False
        self._dealt = 0
        self._row = 0

    def hand(self, worker: int) -> Hand:
        """The frames of a worker."""
        try:
            while (frame := self._next(worker)) is not None:
                yield frame
        finally:  # where a worker leaves early, the frames that were to be its would keep the others waiting
            self.stop()

    def stop(self) -> None:
        """Let all hands end, those too that wait for their turn."""
        with self._turn:
            self._stopped = True
            self._turn.notify_all()

    def _next(self, worker: int) -> Numbered | None:
        """The worker's next frame; None where there is no more."""
        with self._turn:
            self._turn.wait_for(lambda: self._stopped or self._dealt % self._workers == worker)
            frame = None if self._stopped else next(self._frames, None)
            if frame is None:
                return None
            first, self._row = self._row, self._row + frame.height
            self._dealt += 1
            self._turn.notify_all()
            return first, frame
