"""The few numbers behind the slider give what `threshold_table` gives, at any threshold."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from distinguo import threshold_table
from distinguo.report.sweep import STEPS, Sweep, sweep_of

probabilities = st.floats(0, 1) | st.sampled_from([0.0, 0.25, 0.5, 1.0, np.nextafter(1.0, 0.0)])


def looked_up(sweep: Sweep, threshold: float) -> tuple[int, int]:
    """What the page does: rows at the first level that is not below the threshold; above the last, nobody."""
    threshold = 1.0 if threshold > np.nextafter(1.0, 0.0) else threshold
    place = int(np.searchsorted(sweep.thresholds, threshold, side="left"))
    return (sweep.tp[place], sweep.fp[place]) if place < len(sweep.tp) else (0, 0)


def expected(y: Any, p: Any, thresholds: Any) -> list[tuple[int, int]]:
    table = threshold_table(np.asarray(y, int), p, thresholds, positive=1)
    return [(int(tp), int(fp)) for tp, fp in zip(table.tp, table.fp, strict=True)]


@given(
    st.lists(st.tuples(st.booleans(), probabilities), min_size=2, max_size=40), st.lists(st.floats(0, 1), min_size=1)
)
def test_every_threshold_of_few_rows(rows: list[tuple[bool, float]], thresholds: list[float]) -> None:
    y, p = np.array([kind for kind, _ in rows]), np.array([value for _, value in rows])
    y[[0, -1]] = True, False
    sweep = sweep_of("it", y, p)
    wanted = [*thresholds, *p.tolist(), 0.0, 1.0]
    assert sweep.is_complete
    assert [looked_up(sweep, t) for t in wanted] == expected(y, p, wanted)


def test_every_step_and_level_of_many_rows() -> None:
    rng = np.random.default_rng(0)
    p = rng.beta(0.3, 3.0, 20_000)
    y = rng.uniform(size=20_000) < p
    sweep = sweep_of("it", y, p, most=2000)
    assert not sweep.is_complete
    assert len(sweep.thresholds) <= 2000 + 1
    steps = np.arange(STEPS + 1) / STEPS
    assert set(steps.tolist()) <= set(sweep.thresholds)
    assert list(zip(sweep.tp, sweep.fp, strict=True)) == expected(y, p, sweep.thresholds)


def test_fewer_rows_are_called_as_the_threshold_rises() -> None:
    rng = np.random.default_rng(1)
    p = rng.uniform(size=500).round(2)
    sweep = sweep_of("it", rng.uniform(size=500) < p, p)
    assert (np.diff(sweep.tp) <= 0).all()
    assert (np.diff(sweep.fp) <= 0).all()
    assert (sweep.tp[0], sweep.fp[0]) == (sweep.positive, sweep.negative)
    assert sum(sweep.of_positive) == sweep.positive
    assert sum(sweep.of_negative) == sweep.negative


def test_probability_of_one_is_below_a_threshold_of_one() -> None:
    sweep = sweep_of("it", np.array([True, False]), np.array([1.0, 0.5]))
    assert looked_up(sweep, 1.0) == (0, 0)
    assert looked_up(sweep, 0.999) == (1, 0)


@pytest.mark.parametrize("p", [[0.5, 1.5], [np.nan, 0.5], [-0.1, 0.5]])
def test_what_is_no_probability_is_refused(p: list[float]) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        sweep_of("it", np.array([True, False]), np.array(p))
