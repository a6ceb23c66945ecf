"""How the time of a fit grows with the rows and with the features."""

import math
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from benchmarks.harness import Row, Scale, class_clouds, take_turns
from benchmarks.peers import distinguo

# The slope of log seconds over log size may pass the order by this much: clocks, caches, other work.
ALLOWANCE = 0.1
# Seconds grow with that power of the features.
MODELS = {"lda": 2, "qda": 2, "gaussian_nb": 1}


def measure(scale: Scale) -> Iterator[Row]:
    """Rows doubled three times, features twice; the order is the slope in the log-log plot."""
    for name, power in MODELS.items():
        model = getattr(distinguo, name)
        unit = scale.rows(50_000)
        rows = {unit * times: class_clouds(unit * times, 50, 10) for times in (1, 2, 4, 8)}
        yield _order(f"{name}, fit, {unit} to {8 * unit} rows x 50", _fits(model, rows, scale), 1)
        n = scale.rows(100_000)
        features = {p: class_clouds(n, p, 10) for p in (50, 100, 200)}
        yield _order(f"{name}, fit, {n} rows x 50 to 200", _fits(model, features, scale), power)


def _fits(model: Callable[[], Any], sizes: Mapping[int, Any], scale: Scale) -> dict[int, float]:
    """Seconds of a fit by size."""
    fits = {size: partial(lambda rows: model().fit(*rows), rows) for size, rows in sizes.items()}
    return take_turns(fits, repeats=scale.repeats(7))


def _order(work: str, seconds: Mapping[int, float], power: int) -> Row:
    """The least-squares slope of log seconds over log size, and the power it may have."""
    sizes = sorted(seconds)
    slope = float(np.polyfit([math.log(size) for size in sizes], [math.log(seconds[size]) for size in sizes], 1)[0])
    ours, theirs = seconds[sizes[-1]], seconds[sizes[0]]
    return Row(work, "itself, the smallest size", ours, theirs, "s", slope, "order", at_most=power + ALLOWANCE)
