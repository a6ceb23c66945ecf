"""A folder of texts as a table: a folder a class, a file a row."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import polars as pl

from distinguo.exceptions import InputError
from distinguo.rows.frames import Frames

FILE, CLASS, TEXT = "file", "class", "text"
# So many files are held at a time.
FILES_A_FRAME = 2000


class FolderFrames(Frames):
    """The files below a folder: their paths in it, the folder that each is in, and their texts.

    Files and folders whose names begin with a dot are passed over. The files of a folder without folders have no class.

    Parameters
    ----------
    folder : which.
    encoding, errors : how the files are decoded, as in `bytes.decode`.
    """

    is_text = True

    def __init__(self, folder: Path, encoding: str, errors: str) -> None:
        self._folder, self._encoding, self._errors = folder, encoding, errors
        paths = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
        self._paths = sorted(path for path in paths if not any(part.startswith(".") for part in path.parts))
        if not self._paths:
            raise InputError(f"there is no file in the folder '{folder}'; bring one a text, in a folder a class.")
        self.names = [FILE, CLASS, TEXT]
        self.own_names, self.unwritten = self.names, [TEXT]

    def schema(self) -> pl.Schema:
        """Names and types of the columns."""
        return pl.Schema({name: pl.String() for name in self.names})

    def frames(self, columns: Sequence[str] | None = None) -> Iterator[pl.DataFrame]:
        """The files, sorted by their paths, some at a time."""
        for first in range(0, len(self._paths), FILES_A_FRAME):
            paths = self._paths[first : first + FILES_A_FRAME]
            cells = {
                FILE: [_name(path.as_posix()) for path in paths],
                CLASS: [_name(path.parts[0]) if len(path.parts) > 1 else None for path in paths],
                TEXT: [self._text(path) for path in paths],
            }
            frame = pl.DataFrame(cells, schema=self.schema())
            yield frame if columns is None else frame.select(columns)

    def _text(self, path: Path) -> str:
        try:
            return (self._folder / path).read_bytes().decode(self._encoding, self._errors)
        except UnicodeDecodeError as error:
            raise InputError(
                f"'{self._folder / path}' is not {self._encoding}: {error.reason} at byte {error.start}. Say how it is "
                "written, such as --set text.encoding=latin-1."
            ) from None
        except UnicodeError as error:
            raise InputError(f"'{self._folder / path}' is not {self._encoding}: {error}.") from None
        except (LookupError, TypeError) as error:
            raise InputError(f"texts cannot be read so: {error}.") from None


def _name(name: str) -> str:
    r"""A name in UTF-8; of others, those bytes that are not are spelt out, as in caf\xe9."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
