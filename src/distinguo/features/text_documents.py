"""Documents at the door: whatever holds texts becomes chunks of `str`, and what is no text is an error with its row."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from distinguo.exceptions import InputError, InputTypeError

# Large enough that a thread is not woken for nothing, small enough that copies of a chunk are small beside the texts.
CHUNK_CHARACTERS = 1 << 20
CHUNK_DOCUMENTS = 1 << 15


def _refuse(row: int) -> str:
    raise InputError(
        f"document {row} is missing (None or NaN). Leave such rows out, or pass missing='empty' to take them as empty "
        "texts."
    )


def _empty(row: int) -> str:
    return ""


MISSING: dict[str, Callable[[int], str]] = {"error": _refuse, "empty": _empty}


@dataclass(frozen=True)
class Door:
    """How documents are read.

    Attributes
    ----------
    encoding, errors : how bytes are decoded, as in `bytes.decode`.
    missing : what stands for a missing document, given its row.
    """

    encoding: str
    errors: str
    missing: Callable[[int], str]

    def chunks(self, X: Any) -> Iterator[list[str]]:
        """The documents, some megabytes at a time."""
        chunk: list[str] = []
        size = 0
        for row, document in enumerate(_iterable(X)):
            text = document if isinstance(document, str) else self._text(document, row)
            chunk.append(text)
            size += len(text)
            if size >= CHUNK_CHARACTERS or len(chunk) == CHUNK_DOCUMENTS:
                yield chunk
                chunk, size = [], 0
        if chunk:
            yield chunk

    def _text(self, document: Any, row: int) -> str:
        """The text of what is no `str`."""
        if isinstance(document, Path):
            document = document.read_bytes()
        if isinstance(document, bytes):
            return self._decoded(document, row)
        if _is_missing(document):
            return self.missing(row)
        raise InputTypeError(
            f"document {row} is of type {type(document).__name__}, not text ({document!r:.60}). Documents are str, "
            "bytes or pathlib.Path; turn numbers into text with str, and choose the column of a table."
        )

    def _decoded(self, raw: bytes, row: int) -> str:
        try:
            return raw.decode(self.encoding, self.errors)
        except UnicodeDecodeError as error:
            raise InputError(
                f"document {row} is not {self.encoding}: {error.reason} at byte {error.start}. Pass its encoding= "
                "(such as 'latin-1'), or decode_error='replace' or 'ignore'."
            ) from error
        except UnicodeError as error:
            raise InputError(f"document {row} is not {self.encoding}: {error}. Pass its encoding=.") from error


def _iterable(X: Any) -> Any:
    """What yields documents."""
    if isinstance(X, str | bytes | Path):
        raise InputError(
            "Iterable over raw text documents expected, string object received: a single text is no list of documents. "
            "Put it into a list."
        )
    if isinstance(X, Mapping):
        raise InputTypeError("X is a mapping, which has no rows. Pass its values in a list.")
    if hasattr(X, "to_pylist"):
        return _one_column(X, getattr(X, "column_names", None)).to_pylist()
    if hasattr(X, "columns"):
        return _one_column(X, list(X.columns))
    if isinstance(X, np.ndarray) and X.ndim != 1:
        if X.ndim != 2 or X.shape[1] != 1:
            raise InputError(f"X has shape {X.shape}; documents come in one column. Choose the column with the text.")
        return X[:, 0]
    if not isinstance(X, Iterable):
        raise InputTypeError(f"X is of type {type(X).__name__}; bring documents in a list, a column, or any iterable.")
    return X


def _one_column(X: Any, names: list[Any] | None) -> Any:
    """The only column of a table, or a column as it is."""
    if names is None:
        return X
    if len(names) != 1:
        raise InputError(
            f"X has {len(names)} columns ({', '.join(map(repr, names[:5]))}); documents "
            "come in one. Choose the column with the text."
        )
    return X[names[0]]


def _is_missing(document: Any) -> bool:
    """Whether a cell is None, NaN, or what pandas has for them."""
    if document is None or type(document).__name__ in {"NAType", "NaTType"}:
        return True
    return isinstance(document, float | np.floating) and bool(np.isnan(document))
