"""The labelled rows of a table, all at once where it is small, and some at a time where it is large."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from distinguo.cli.labels import LabelColumn
from distinguo.cli.large import is_large
from distinguo.cli.passes import passed
from distinguo.cli.table import Labelled, Labelling
from distinguo.rows.progress import Show

# Rows of a large table that are held at a time, beside a file's own frame; small parts cost calls.
PART_ROWS = 1 << 18


@dataclass
class Parts:
    """Labelled rows to be passed over once.

    Parameters
    ----------
    rows : how they are read.
    columns : those besides the label that are needed.
    show : what is told how far a pass over a large table has come, or None.

    Attributes
    ----------
    n, unlabelled : rows so far, and those left out for having no label.
    """

    rows: Labelling
    columns: Sequence[str]
    show: Show | None
    n: int = field(default=0, init=False)
    unlabelled: int = field(default=0, init=False)

    def whole(self) -> Labelled:
        """All rows at once.

        Raises
        ------
        InputError
            If there are none, or the target's values are not classes.
        """
        held = self.rows.whole()
        self.n, self.unlabelled = len(held.labels), held.unlabelled
        return held

    def __iter__(self) -> Iterator[Labelled]:
        """The rows, in one part or more; what `whole` raises comes at the end of the last."""
        if not is_large(self.rows.frames):
            yield self.whole()
            return
        rows, labels = self.rows, LabelColumn(self.rows.target, self.rows.spelling)
        for row, frame in passed(rows.frames, rows.wanted(self.columns), self.show):
            for start in range(0, frame.height, PART_ROWS):
                yield rows.read(frame.slice(start, PART_ROWS), row + start, labels, self.columns)
        labels.check(rows.name)
        self.n, self.unlabelled = labels.rows, labels.unlabelled
