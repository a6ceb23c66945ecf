"""Names that are not taken yet."""

from __future__ import annotations

from collections.abc import Callable, Iterable

# What is kept of a long name that gets a number, so that the number is not cut off where names have an end.
LONGEST = 15


def free_names(wanted: Iterable[str], taken: Iterable[str], folded: Callable[[str], str]) -> list[str]:
    """Names of new columns, with a number where another column is called so.

    Parameters
    ----------
    folded : two names are one where these are the same.

    Examples
    --------
    >>> free_names(["p_A", "p_a"], ["id"], str.casefold)
    ['p_A', 'p_a_2']
    """
    used, names = {folded(name) for name in taken}, []
    for name in wanted:
        free, count = name, 2
        while folded(free) in used:
            ending = f"_{count}"
            free, count = f"{name}{ending}", count + 1
            if not folded(free).endswith(ending):
                free = f"{name[:LONGEST]}{ending}"
        used.add(folded(free))
        names.append(free)
    return names
