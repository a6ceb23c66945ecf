"""How far a point is from the optimum of a penalised likelihood."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from distinguo.linear.likelihood import ElasticNet
from distinguo.linear.task import Task

Array = NDArray[np.float64]


def greatest_unmet(task: Task, penalty: ElasticNet, gradient: Array, normals: Array) -> float:
    """The greatest derivative that a penalty does not account for, in standardised columns and a row.

    Parameters
    ----------
    task : the rows.
    penalty : on the normals.
    gradient : (K, p + 1) of the loss, by the scores at the centre and by the normals.
    normals : (K, p)
    """
    deviation = task.scaling.deviation
    own = slice(1, None) if len(normals) == 2 else slice(None)
    unmet = penalty.unmet(gradient[own, 1:], normals[own])
    size = np.where(deviation > 0, deviation, np.inf)
    greatest = float((unmet / size).max(initial=0.0))
    if task.scaling.intercept:
        greatest = max(greatest, float(np.abs(gradient[:, 0]).max()))
    return greatest / task.weight
