"""Rows grouped by the cells they lack, so that what depends on the pattern only is worked out once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def pattern_codes(missing: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Which pattern of holes each row has, (n,) integers from 0; rows of one code lack the same cells.

    Parameters
    ----------
    missing : (n, p)

    Examples
    --------
    >>> pattern_codes(np.array([[False, True], [False, False], [False, True]])).tolist()
    [1, 0, 1]
    """
    if not missing.any():
        return np.zeros(len(missing), np.intp)
    bits = np.packbits(missing, axis=1)  # (n, ceil(p / 8))
    if bits.shape[1] <= 8:
        words = np.zeros((len(bits), 8), np.uint8)
        words[:, : bits.shape[1]] = bits
        keys = words.view(np.uint64)[:, 0]
    else:
        keys = np.ascontiguousarray(bits).view(f"V{bits.shape[1]}")[:, 0]
    return np.asarray(np.unique(keys, return_inverse=True)[1].astype(np.intp).reshape(-1))
