"""Columns that stand in the names of folders, as in ``year=2024/rows.parquet``."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from distinguo.exceptions import InputError
from distinguo.rows.places import Located, Place

_WHOLE = re.compile(r"0|-?[1-9][0-9]{0,17}")


@dataclass(frozen=True)
class Partitions:
    """What the folders of files say of their rows.

    Attributes
    ----------
    schema : the columns; whole numbers where every value is one, else text.
    values : of each file the value of each column, None for a missing one.
    """

    schema: pl.Schema
    values: Mapping[Located, Mapping[str, str | None]]

    @classmethod
    def of(cls, places: Sequence[Place], own: Sequence[str], is_text: bool) -> Partitions:
        """The columns that the files themselves, whose columns are `own`, do not have.

        Parameters
        ----------
        places : the files.
        own : names of the columns in them.
        is_text : whether the columns are to be text whatever is in them, as those of text files are.

        Raises
        ------
        InputError
            If the folders of some files say what those of others do not.
        """
        first = places[0]
        for place in places:
            if set(place.parts) != set(first.parts):
                raise InputError(
                    f"{place.file} lies in folders of {_named(place)}, and {first.file} in folders of {_named(first)}; "
                    "folders read together are named alike."
                )
        names = [name for name in first.parts if name not in own]
        columns = {name: [place.parts[name] for place in places] for name in names}
        whole = {name: all(value is None or _WHOLE.fullmatch(value) for value in columns[name]) for name in names}
        schema = pl.Schema({name: pl.Int64() if whole[name] and not is_text else pl.String() for name in names})
        return cls(schema, {place.file: place.parts for place in places})

    def own(self, columns: Sequence[str]) -> list[str]:
        """Those of the columns that files have."""
        return [name for name in columns if name not in self.schema]

    def tell(self, columns: Sequence[str]) -> bool:
        """Whether these columns all stand in the names of folders."""
        return set(columns) <= set(self.schema)

    def row(self, file: Located) -> pl.DataFrame:
        """What the folders of a file say, as one row."""
        return pl.DataFrame({name: [self.values[file][name]] for name in self.schema}).cast(self.schema)

    def extend(self, frame: pl.DataFrame, file: Located, columns: Sequence[str]) -> pl.DataFrame:
        """The columns wanted, in their order: those of the file's frame, and those of its folders."""
        if not self.schema:
            return frame
        values = self.values[file]
        added = [
            pl.lit(values[name], dtype=pl.String).cast(self.schema[name]).alias(name)
            for name in columns
            if name in self.schema
        ]
        return frame.with_columns(added).select(columns)


def _named(place: Place) -> str:
    return " and ".join(f"{name}=" for name in place.parts) or "no such names"
