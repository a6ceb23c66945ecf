"""How far a pass over rows has come, and how long the rest will take."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from distinguo.rows.shares import Numbered

# A pass is told of this many times a second at the most.
TIMES_A_SECOND = 4.0
# As much of a pass is told to be done at the most where its end is only estimated.
ALMOST = 0.99


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a pass over the rows stands.

    Attributes
    ----------
    passes : which pass it is, counted from 1; iterative models make several.
    rows : passed so far.
    share : of the rows passed, 0 to 1.
    seconds : since the pass began.
    what : is passed over for, or "" for a fit.

    Examples
    --------
    >>> half = Progress(passes=1, rows=2_000_000, share=0.5, seconds=4.0)
    >>> half.rate, half.remaining
    (500000.0, 4.0)
    >>> str(half)
    '2,000,000 rows, 50 %, 500,000 rows/s, 4 s left'
    """

    passes: int
    rows: int
    share: float
    seconds: float
    what: str = ""

    @property
    def rate(self) -> float:
        """Rows a second."""
        return self.rows / self.seconds if self.seconds > 0 else 0.0

    @property
    def remaining(self) -> float | None:
        """Seconds left, if the rest goes as fast; None where that is not known."""
        return self.seconds * (1 - self.share) / self.share if self.share else None

    def __str__(self) -> str:
        """One line, without its end."""
        parts = [self.what] * bool(self.what) + [f"pass {self.passes}"] * (self.passes > 1)
        parts += [f"{self.rows:,} rows", f"{100 * self.share:.0f} %", f"{self.rate:,.0f} rows/s"]
        if self.remaining is not None:
            parts.append(f"{_duration(self.remaining)} left")
        return ", ".join(parts)


def _duration(seconds: float) -> str:
    """Seconds as people read them."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    hours, minutes = divmod(whole // 60, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {whole % 60} s"


Show = Callable[[Progress], None]


@dataclass
class Meter:
    """Counts what workers have passed in one pass, and tells of it now and then.

    Attributes
    ----------
    show : what is told.
    passes : which pass it is.
    total : how many rows there are.
    exact : whether these were counted, or only estimated.
    what : the pass is for.
    """

    show: Show
    passes: int
    total: int
    exact: bool
    what: str = ""
    _begun: float = field(default_factory=time.monotonic)
    _told: float = 0.0
    _rows: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, rows: int) -> None:
        """Some more rows are passed."""
        now = time.monotonic()
        with self._lock:
            self._rows += rows
            done = self.exact and self._rows >= self.total  # which `finish` tells
            if now - self._told >= 1 / TIMES_A_SECOND and not done:
                self._told = now
                share = min(self._rows / max(self.total, 1), 1.0 if self.exact else ALMOST)
                self.show(Progress(self.passes, self._rows, share, now - self._begun, self.what))

    def finish(self) -> None:
        """All rows are passed."""
        self.show(Progress(self.passes, self._rows, 1.0, time.monotonic() - self._begun, self.what))


def metered(frames: Iterator[Numbered], meter: Meter | None) -> Iterator[Numbered]:
    """The same frames; a meter, where there is one, counts their rows when they are done with."""
    for row, frame in frames:
        yield row, frame
        if meter is not None:
            meter.add(frame.height)


def on_stderr(progress: Progress) -> None:
    """One line on standard error, written over by the next; that of a finished pass stays.

    Where that is no terminal, only finished passes are told of: a file of messages has no line to write over.
    """
    finished = progress.share == 1.0
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{progress}" + "\n" * finished)
    elif finished:
        sys.stderr.write(f"{progress}\n")
    sys.stderr.flush()
