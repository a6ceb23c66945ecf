"""Model files: a skops archive, its format's version beside it, and nothing in it that could run."""

from __future__ import annotations

import io
import json
import re
import sys
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, replace
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
from numpy.typing import NDArray

from distinguo.advice import Advice
from distinguo.catalogue import model_classes, trusted_types
from distinguo.cli.encoders import AnyEncoder
from distinguo.cli.encoding import Categorical, Encoder, Numeric, Words
from distinguo.cli.left_out import LeftOut
from distinguo.cli.output import replacing
from distinguo.cli.text_encoding import TextEncoder
from distinguo.evaluation.calibration.calibrated import Calibrated
from distinguo.exceptions import ModelFileError
from distinguo.features.text import TextCounts
from distinguo.generative.counting import CountBayes

FORMAT = 1
# Nothing is unpacked to more than this and so many times its size: such files are made to fill memory.
MOST_UNPACKED = 50_000_000
PACKED_AT_MOST = 100
_HEADER = "distinguo.json"
_SCHEMA = "schema.json"
_EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest time a zip can hold


@dataclass(frozen=True)
class SavedModel:
    """All that predicting needs.

    Attributes
    ----------
    name : the model's name in the catalogue.
    model : the fitted model.
    encoder : from a table to what the model takes.
    target : the column of labels in the training table.
    counts : (K,) training rows of each class.
    decimal, nulls : how the training table wrote numbers and holes.
    advice : what speaks against the training rows, which only fit has seen.
    left_out : what rows that the model had not seen were like to it.
    """

    name: str
    model: Any
    encoder: AnyEncoder
    target: str
    counts: NDArray[np.int64]
    decimal: str
    nulls: tuple[str, ...]
    advice: tuple[Advice, ...]
    left_out: LeftOut

    @property
    def base(self) -> Any:
        """The model itself, where probabilities are calibrated too."""
        return self.model.model_ if self.is_calibrated else self.model

    @property
    def is_calibrated(self) -> bool:
        """Whether probabilities were calibrated after the fit."""
        return isinstance(self.model, Calibrated)

    def with_base(self, base: Any) -> SavedModel:
        """The same, with another model in place of the model itself."""
        if not self.is_calibrated:
            return replace(self, model=base)
        calibrated = copy(self.model)
        calibrated.model = calibrated.model_ = base
        return replace(self, model=calibrated)

    @property
    def text_options(self) -> Mapping[str, Any]:
        """Of TextCounts, where the model reads texts."""
        return self.encoder.counts.get_params() if isinstance(self.encoder, TextEncoder) else {}


def _skops_io() -> Any:
    """skops.io, imported without scikit-learn's list of all its estimators.

    To trust them it would import them all, which doubles the time to start; no model file of ours names one, so they
    are rather not trusted.
    """
    if "skops.io" not in sys.modules:
        with mock.patch("sklearn.utils.all_estimators", list):
            import_module("skops.io")
    return sys.modules["skops.io"]


def to_bytes(saved: SavedModel) -> bytes:
    """The file's content; the same model gives the same bytes."""
    from distinguo import __version__

    skops_io = _skops_io()

    archive = zipfile.ZipFile(io.BytesIO(skops_io.dumps(_without_words(saved))))
    renumber = _Renumbering()
    schema = renumber.schema(archive.read(_SCHEMA).decode())
    header = json.dumps({"format": FORMAT, "distinguo": __version__, "model": saved.name})
    members = [(_HEADER, header.encode()), (_SCHEMA, schema.encode()), *renumber.arrays(archive)]
    result = io.BytesIO()
    with zipfile.ZipFile(result, "w", zipfile.ZIP_DEFLATED) as out:
        for name, content in members:
            out.writestr(zipfile.ZipInfo(name, _EPOCH), content, zipfile.ZIP_DEFLATED)
    return result.getvalue()


class _Renumbering:
    """Numbers in the order of the schema in place of skops' memory addresses, which differ from run to run."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def schema(self, text: str) -> str:
        """The schema with its identities renumbered."""
        return re.sub(r'("__id__": |"file": ")(\d+)', self._replace, text)

    def arrays(self, archive: zipfile.ZipFile) -> list[tuple[str, bytes]]:
        """The arrays under their new names."""
        names = [name for name in archive.namelist() if name != _SCHEMA]
        renamed = {f"{self._numbers[name.removesuffix('.npy')]}.npy": archive.read(name) for name in names}
        return sorted(renamed.items())

    def _replace(self, match: re.Match[str]) -> str:
        return match[1] + str(self._numbers.setdefault(match[2], len(self._numbers) + 1))


def _without_words(saved: SavedModel) -> SavedModel:
    """The same, with the words of texts left to the encoder, which packs them; one by one they take seconds."""
    if not (isinstance(saved.encoder, TextEncoder) and isinstance(saved.base, CountBayes)):
        return saved
    return saved.with_base(saved.base.with_feature_names(None))


def _with_words(saved: SavedModel) -> SavedModel:
    """The same, with the words of texts given back to the model."""
    if not (isinstance(saved.encoder, TextEncoder) and isinstance(saved.base, CountBayes)):
        return saved
    return saved.with_base(saved.base.with_feature_names(saved.encoder.counts.get_feature_names_out()))


def save(saved: SavedModel, path: Path) -> None:
    """Write a model file, whole or not at all."""
    content = to_bytes(saved)
    with replacing(path) as temporary:
        temporary.write_bytes(content)


def is_archive(path: Path) -> bool:
    """Whether a file begins as model files do."""
    try:
        with path.open("rb") as file:
            return file.read(4) == b"PK\x03\x04"
    except OSError:
        return False


def load(path: Path) -> SavedModel:
    """Read a model file; nothing in it is imported or made before every type it names is known to be ours.

    Raises
    ------
    ModelFileError
        If it is no model file, is not whole, has another format's version, or names a foreign type.
    """
    if path.is_dir():
        raise ModelFileError(f"'{path}' is a folder, not a model file.")
    if not path.exists():
        raise ModelFileError(f"there is no model file '{path}'.")
    with _explained(path):
        content = path.read_bytes()
        _check_format(path, content)
    skops_io = _skops_io()
    trusted = [*trusted_types(), *(f"{kind.__module__}.{kind.__qualname__}" for kind in _OWN_TYPES)]
    with _explained(path):
        foreign = sorted(set(skops_io.get_untrusted_types(data=content)) - set(trusted))
        if foreign:
            raise ModelFileError(f"'{path}' names the type {foreign[0]}, which no model holds; it was not loaded.")
        loaded = skops_io.loads(content, trusted=trusted)
    return _with_words(_checked(path, loaded))


_OWN_TYPES = (SavedModel, Encoder, Numeric, Categorical, Words, TextEncoder, TextCounts, Advice, LeftOut)


def _check_format(path: Path, content: bytes) -> None:
    """Raise unless the archive says it is of this version's format."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        unpacked = sum(member.file_size for member in archive.infolist())
        if unpacked > max(MOST_UNPACKED, PACKED_AT_MOST * len(content)):
            raise ModelFileError(
                f"'{path}' unpacks from {len(content):,} bytes to {unpacked:,}, as no model does; it was not loaded."
            )
        version = json.loads(archive.read(_HEADER))["format"]
    if version != FORMAT:
        raise ModelFileError(
            f"'{path}' is of format {version!r}, and this version of distinguo reads format {FORMAT}; use the version "
            "that wrote it, or fit again."
        )


def _checked(path: Path, loaded: Any) -> SavedModel:
    """Raise unless what was loaded is a model of the catalogue: skops also trusts scikit-learn's own."""
    if not isinstance(loaded, SavedModel) or not isinstance(loaded.encoder, AnyEncoder):
        raise ModelFileError(f"'{path}' does not hold a model of distinguo.")
    kind = type(loaded.model)
    if (kind.__module__, kind.__qualname__) not in model_classes():
        raise ModelFileError(f"'{path}' holds a {kind.__name__}, which is no model of distinguo.")
    for part in (loaded, loaded.model):
        missing = sorted(set(signature(type(part)).parameters) - set(vars(part)))
        if missing:
            raise ModelFileError(
                f"'{path}' was written by another version of distinguo: its {type(part).__name__} has no "
                f"{missing[0]!r}. Use that version, or fit again."
            )
    return loaded


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    """Whatever a damaged or foreign file makes the readers raise becomes one line."""
    try:
        yield
    except ModelFileError:
        raise
    except (
        zipfile.BadZipFile,
        zlib.error,
        OSError,
        EOFError,
        ValueError,
        KeyError,
        TypeError,
        AttributeError,
        IndexError,
        RecursionError,
        NotImplementedError,
        MemoryError,
    ) as error:
        raise ModelFileError(
            f"'{path}' is not a model file of distinguo, or is damaged ({type(error).__name__}); it was not loaded."
        ) from None
