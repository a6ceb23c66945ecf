"""Classification with models that people can read.

Linear and quadratic discriminant analysis and naive Bayes that stream, merge and forget; that give a label, a
probability, and a warning where a row looks like nothing seen before.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

# Where each public name lives; a part is imported when its name is first used, so that start-up stays short.
_HOMES = {
    "ClassMoments": "distinguo.statistics.moments",
    "ColumnMoments": "distinguo.statistics.diagonal",
    "DiagonalMoments": "distinguo.statistics.diagonal",
    "GaussianNB": "distinguo.generative.naive_bayes",
    "LinearDiscriminantAnalysis": "distinguo.generative.linear_discriminant",
    "MemorySource": "distinguo.rows.memory",
    "Moments": "distinguo.statistics.moments",
    "QuadraticDiscriminantAnalysis": "distinguo.generative.quadratic_discriminant",
    "Source": "distinguo.rows.base",
    "pseudo_rows": "distinguo.statistics.pseudo",
    "scan": "distinguo.rows.files",
}

__all__ = sorted(["__version__", *_HOMES])  # noqa: PLE0605

if TYPE_CHECKING:
    from distinguo.generative.linear_discriminant import LinearDiscriminantAnalysis as LinearDiscriminantAnalysis
    from distinguo.generative.naive_bayes import GaussianNB as GaussianNB
    from distinguo.generative.quadratic_discriminant import (
        QuadraticDiscriminantAnalysis as QuadraticDiscriminantAnalysis,
    )
    from distinguo.rows.base import Source as Source
    from distinguo.rows.files import scan as scan
    from distinguo.rows.memory import MemorySource as MemorySource
    from distinguo.statistics.diagonal import ColumnMoments as ColumnMoments
    from distinguo.statistics.diagonal import DiagonalMoments as DiagonalMoments
    from distinguo.statistics.moments import ClassMoments as ClassMoments
    from distinguo.statistics.moments import Moments as Moments
    from distinguo.statistics.pseudo import pseudo_rows as pseudo_rows


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'distinguo' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
