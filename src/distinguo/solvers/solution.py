"""What an iterative algorithm hands back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

V = TypeVar("V")
Status = Literal["converged", "max_iter", "diverging", "unstable"]


@dataclass(frozen=True)
class Solution(Generic[V]):
    """A value, and how it was come by.

    Attributes
    ----------
    value : what was sought.
    status : "converged"; "max_iter" where the iterations ran out first; "diverging" where there is no
        end to them; "unstable" where steps were too long.
    iterations : how many were made.
    trace : (iterations + 1,) the objective at the start and after each iteration.
    """

    value: V
    status: Status
    iterations: int
    trace: NDArray[np.float64]
