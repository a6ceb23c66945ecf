"""Rows that are handed on as they came, without those of weight zero."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from distinguo.rows.labels import refuse_one_class
from distinguo.rows.selection import take_rows
from distinguo.rows.uncut import Uncut, uncut_rows


def counted_rows(X: Any, y: Any, sample_weight: Any, who: str) -> Uncut:
    """Labelled rows of two classes or more, all of which count.

    Parameters
    ----------
    X : n rows of any container, or a `Source` with its own labels, which is gathered.
    y : (n,) or (n, 1) labels.
    sample_weight : (n,) frequencies, or None.
    who : who asks, for messages.

    Raises
    ------
    InputError
        If labels or weights cannot be used, or there are fewer than two classes.

    Examples
    --------
    >>> rows = counted_rows(["first", "second", "third"], ["b", "a", "b"], [1.0, 2.0, 0.0], "compare")
    >>> rows.X, rows.codes.tolist(), rows.weight.tolist()
    (['first', 'second'], [1, 0], [1.0, 2.0])
    """
    rows = uncut_rows(X, y, sample_weight, who)
    refuse_one_class(rows.classes)
    counting = rows.counting()
    if counting.all() or rows.weight is None:
        return rows
    kept = np.flatnonzero(counting)
    return replace(rows, X=take_rows(rows.X, kept), codes=rows.codes[kept], weight=rows.weight[kept])
