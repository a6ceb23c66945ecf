"""Passes over the rows of a table that tell how far they are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from distinguo.rows.frames import Frames
from distinguo.rows.progress import Meter, Show, metered
from distinguo.rows.reading import numbered
from distinguo.rows.shares import Numbered


def passed(frames: Frames, columns: Sequence[str] | None, show: Show | None, what: str = "") -> Iterator[Numbered]:
    """The frames of one pass with the numbers of their first rows; `show` is told of those done, and `what` for."""
    meter = None if show is None else Meter(show, 1, *frames.count(), what)
    yield from metered(numbered(frames.frames(columns)), meter)
    if meter is not None:
        meter.finish()
