"""From columns of texts to the counts of words that models take, the same way for every later table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone

from distinguo.cli.cells import Cells, Grid
from distinguo.exceptions import InputError
from distinguo.features.text import TextCounts
from distinguo.features.text_analysis import in_sequence
from distinguo.features.text_options import removal

# How texts are shown to models, by the name of it in the catalogue: what is set of TextCounts.
TEXTS: dict[str, dict[str, Any]] = {"counts": {}, "tfidf": {"tfidf": True}}


@dataclass(frozen=True)
class TextEncoder:
    """The texts of some columns, one after the other, as counts of their words.

    Attributes
    ----------
    columns : (m,) their names.
    counts : what finds words, and knows those of the training rows.
    left_out : the names of the columns that models do not see.
    """

    columns: NDArray[Any]
    counts: TextCounts
    left_out: NDArray[Any]

    @classmethod
    def learn(
        cls, grid: Grid, columns: list[str], left_out: list[str], encoding: str, options: Mapping[str, Any]
    ) -> TextEncoder:
        """The words of the training rows.

        Parameters
        ----------
        grid : the rows.
        columns, left_out : the names of those that hold texts, and of the others.
        encoding : one of `TEXTS`.
        options : of TextCounts.

        Raises
        ------
        InputError
            If there are no words, or an option cannot be used.
        """
        names = (np.array(listed, dtype=np.str_) for listed in (columns, left_out))
        counts = TextCounts(**{**TEXTS[encoding], **options, "missing": "empty"})
        encoder = cls(next(names), counts, next(names))
        counts.fit(encoder.texts(grid))
        return encoder

    @property
    def names(self) -> list[str]:
        """The columns a table must have."""
        return [str(name) for name in self.columns]

    @property
    def features(self) -> list[str]:
        """(p,) the words."""
        return [str(name) for name in self.counts.get_feature_names_out()]

    @property
    def bases(self) -> list[str]:
        """None: every word has a column."""
        return []

    def texts(self, grid: Grid) -> list[str]:
        """(n,) the text of each row; that of a missing cell is empty."""
        return texts_of(grid, self.names)

    def stripped(self, grid: Grid) -> list[str]:
        """(n,) the text of each row, without what is taken away before words are looked for."""
        take_away = in_sequence(removal(self.counts.remove))
        return [take_away(text) for text in self.texts(grid)]

    def encode(self, grid: Grid) -> sparse.csr_array:
        """(n, p) counts of words."""
        return self.counts.transform(self.texts(grid))

    def encode_more(self, grid: Grid) -> sparse.csr_array:
        """(n, p) counts of words, those that are new put after the others and known from then on.

        Where words were left out for being in too few or too many texts, there are no new ones: what they had in
        earlier texts was not learned.
        """
        texts = self.texts(grid)
        return (self.counts.partial_fit(texts) if self._takes_all else self.counts).transform(texts)

    def refuse_unknown(self, grid: Grid) -> None:
        """Raise where a text holds a word that was never learned, and so is not among the texts that were."""
        if not self._takes_all or self.counts.vocabulary is not None:
            return
        known = set(self.features)
        found = clone(self.counts).fit([*self.texts(grid), *self.features[:1]]).vocabulary_
        new = [word for word in found if word not in known]
        if new:
            raise InputError(
                f"a text holds {new[0]!r}, a word that the model never learned; only what it learned can go."
            )

    @property
    def _takes_all(self) -> bool:
        """Whether every word has a column."""
        return (self.counts.min_df, self.counts.max_df) == (1, 1.0)


def texts_of(grid: Grid, names: list[str]) -> list[str]:
    """(n,) the texts of some columns, one after the other."""
    parts = [_texts(name, grid.columns[name]) for name in names]
    return parts[0] if len(parts) == 1 else ["\n".join(row) for row in zip(*parts, strict=True)]


def _texts(name: str, cells: Cells) -> list[str]:
    """The cells of a column as texts."""
    if cells.unreadable:
        raise InputError(f"column {name!r} holds {cells.unreadable}, not texts.")
    return cells.texts()
