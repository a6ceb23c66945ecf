"""From the roles of columns to what shows them to models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from distinguo.cli.cells import Grid
from distinguo.cli.encoding import Encoder
from distinguo.cli.roles import Role
from distinguo.cli.text_encoding import TextEncoder

AnyEncoder = Encoder | TextEncoder


def encoder_of(grid: Grid, roles: Sequence[Role], encoding: str, text_options: Mapping[str, Any]) -> AnyEncoder:
    """What the roles and the training rows say.

    Parameters
    ----------
    grid : the rows.
    roles : of the columns.
    encoding : how texts come to the model where there are some, else how categories do.
    text_options : of TextCounts.

    Raises
    ------
    InputError
        If nothing is left to learn from.
    """
    texts = [role.column for role in roles if role.read]
    if texts:
        others = [role.column for role in roles if not role.read]
        return TextEncoder.learn(grid, texts, others, encoding, text_options)
    return Encoder.learn(grid, roles, encoding)


def first_hole(encoder: AnyEncoder, grid: Grid, encoded: Any) -> str | None:
    """Which column has the first missing cell, and where; a missing text is one without words."""
    return encoder.first_hole(grid, encoded) if isinstance(encoder, Encoder) else None
