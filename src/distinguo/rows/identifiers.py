"""Names of columns that number rows, or name them."""

from __future__ import annotations

import re

_IDENTIFIER = re.compile(
    r"(?i:^(id|index|idx|key|row|row[ _.-]?(id|name|names|number|nr)|no|nr|number|case|obs|record|uuid|guid|unnamed.*)$"
    r"|[ _.-](id|idx|key|uuid|guid)$)|[a-z](Id|ID)$"
)


def is_named_like_an_identifier(name: str) -> bool:
    """Whether a column is called as identifiers are.

    Examples
    --------
    >>> [is_named_like_an_identifier(name) for name in ("id", "patient_id", "row names", "customerID", "width", "paid")]
    [True, True, True, True, False, False]
    """
    return _IDENTIFIER.search(name) is not None
