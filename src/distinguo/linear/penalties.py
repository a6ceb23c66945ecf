"""From C and l1_ratio to the strengths of a penalty."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from distinguo.exceptions import InputError
from distinguo.linear.likelihood import ElasticNet
from distinguo.options import share_of

Array = NDArray[np.float64]


def inverse_strength(C: Any) -> float:
    """C as a positive number, infinity included.

    Examples
    --------
    >>> inverse_strength(2), inverse_strength(np.inf)
    (2.0, inf)
    """
    is_number = isinstance(C, int | float | np.integer | np.floating) and not isinstance(C, bool)
    if not is_number or not C > 0:
        raise InputError(
            f"C={C!r} must be a positive number: the smaller, the stronger the penalty; np.inf is none, 'cv' chooses."
        )
    return float(C)


def elastic_net(C: float, l1_ratio: Any, scale: Array) -> ElasticNet:
    """The penalty of strength 1 / C, a share `l1_ratio` of it on absolute values.

    Parameters
    ----------
    C : positive; infinity for none.
    l1_ratio : from 0 to 1.
    scale : (p,) units in which a column's coefficient is penalised: ones, or its deviation.

    Examples
    --------
    >>> net = elastic_net(0.5, 0.25, np.ones(1))
    >>> net.l1.tolist(), net.l2.tolist()
    ([0.5], [1.5])
    """
    share = share_of(l1_ratio, "l1_ratio", "leave it at 0 for a ridge")
    strength = 1 / C
    return ElasticNet(share * strength * scale, (1 - share) * strength * scale**2)
