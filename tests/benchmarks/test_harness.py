"""The benchmarks judge and take turns as they say, and each problem runs, in small."""

from importlib import import_module

import numpy as np
import pytest

from benchmarks import problems
from benchmarks.harness import Row, Scale, check_agreement, class_clouds, faster, not_over, take_turns, within

IN_PROCESS = ("gaussian_nb", "lda", "qda")


@pytest.mark.parametrize(
    ("row", "figure", "met"),
    [
        (faster("fit", "peer", ours=1.0, theirs=8.0, at_least=8), 8.0, True),
        (faster("fit", "peer", ours=1.0, theirs=7.9, at_least=8), 7.9, False),
        (not_over("fit", "peer", ours=2.0, theirs=1.0, at_most=2), 2.0, True),
        (not_over("fit", "peer", ours=2.1, theirs=1.0, at_most=2), 2.1, False),
        (within("start", 0.4, 0.5, "s"), 0.4, True),
        (within("start", 0.6, 0.5, "s"), 0.6, False),
    ],
)
def test_a_row_says_its_figure_and_whether_the_goal_is_met(row: Row, figure: float, met: bool) -> None:
    assert row.figure == figure
    assert row.met is met


def test_contestants_take_turns_and_the_first_calls_do_not_count() -> None:
    calls = []
    seconds = take_turns(
        {"a": lambda x: calls.append(("a", x)), "b": lambda x: calls.append(("b", x))}, (1,), warm=(0,), repeats=2
    )
    assert calls == [("a", 0), ("b", 0), ("a", 1), ("b", 1), ("a", 1), ("b", 1)]
    assert set(seconds) == {"a", "b"}


def test_clouds_are_the_same_every_time() -> None:
    (X, y), (again, labels) = class_clouds(20_500, 2, 3), class_clouds(20_500, 2, 3)
    assert np.array_equal(X, again)
    assert np.array_equal(y, labels)


def test_different_answers_are_no_contest() -> None:
    with pytest.raises(RuntimeError, match="agree on 50"):
        check_agreement(np.array([0, 1]), np.array([0, 0]))


def test_every_problem_can_be_measured() -> None:
    for name in problems.names():
        problem = import_module(f"benchmarks.problems.{name}")
        assert problem.__doc__
        assert callable(problem.measure)


@pytest.mark.parametrize("name", IN_PROCESS)
def test_problems_run_in_small(name: str) -> None:
    rows = list(import_module(f"benchmarks.problems.{name}").measure(Scale(quick=True)))
    assert all(row.ours > 0 for row in rows)
