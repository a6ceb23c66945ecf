"""How the few loops that NumPy cannot express are compiled: once, cached, and free of the interpreter's lock."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

F = TypeVar("F", bound=Callable[..., Any])


def _jit(function: F, **options: Any) -> F:
    try:
        return cast(F, numba.njit(cache=True, nogil=True, **options)(function))
    except RuntimeError:  # neither beside the source nor at home may a cache be written
        return cast(F, numba.njit(nogil=True, **options)(function))


def compiled(function: F) -> F:
    """The function compiled at its first call; sums keep their order."""
    return _jit(function)


def reordered(function: F) -> F:
    """The same, but sums may be reordered, to run in vector registers; NaN and infinity keep their meaning."""
    return _jit(function, fastmath={"reassoc", "contract"})


def inlined(function: F) -> F:
    """As `compiled`, and put into the code of each caller: handing over five arrays takes longer than a look-up."""
    return _jit(function, forceinline=True)
