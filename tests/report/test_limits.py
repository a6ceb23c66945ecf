"""Large tables: the page stays below its limit, and says what it leaves out."""

import json
from typing import Any

import numpy as np
import pytest

from distinguo import GaussianNB, LinearDiscriminantAnalysis
from distinguo.report.quick import Choice, quick_models
from tests.report.report_cases import report_of

LIMIT = 1_500_000


def many_classes() -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    centres = 3 * rng.normal(size=(200, 4))
    return np.repeat(centres, 6, axis=0) + rng.normal(size=(1200, 4)), np.repeat([f"class {k}" for k in range(200)], 6)


def many_columns() -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 300)
    return rng.normal(size=(300, 500)) + 0.3 * y[:, None], y


def many_rows() -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200_000)
    return rng.normal(size=(200_000, 3)) + y[:, None], y


@pytest.mark.parametrize(
    ("table", "model", "cuts"),
    [
        (
            many_classes,
            LinearDiscriminantAnalysis(),
            ["160 more classes are not shown", "140 more classes are not shown"],
        ),
        (many_columns, GaussianNB(), ["400 more columns are not shown", "480 more columns are not shown"]),
        (many_rows, GaussianNB(), ["500 of 200\u202f000 rows are drawn"]),
    ],
    ids=["200 classes", "500 columns", "200 000 rows"],
)
def test_page_is_small_and_says_what_is_cut(table: Any, model: Any, cuts: list[str]) -> None:
    X, y = table()
    report = report_of(X, y, {"it": model}, model.fit(X, y))
    html = report.to_html()
    assert len(html.encode()) < LIMIT
    for cut in cuts:
        assert cut in html
    json.loads(report.to_json())


def test_slider_of_many_rows_knows_every_step() -> None:
    X, y = (part[:10_000] for part in many_rows())
    sweep = report_of(X, y, {"it": GaussianNB()}).sweeps[0]
    assert not sweep.is_complete
    assert {0.0, 0.001, 0.5, 0.999} <= set(sweep.thresholds)


KNOWN = ["lda", "qda", "rda", "ridge-logistic", "knn", "gaussian-nb"]


@pytest.mark.parametrize(
    ("size", "left_out", "repeats"),
    [
        ((150, 4, 3), set(), 2),
        ((1500, 64, 10), {"knn"}, 1),
        ((15_000, 30, 2), {"knn", "ridge-logistic"}, 1),
        ((200_000, 10, 2), {"knn", "ridge-logistic", "rda"}, 1),
        ((2000, 500, 3), {"knn", "ridge-logistic", "rda", "qda"}, 1),
        ((6000, 8, 200), {"knn", "ridge-logistic", "rda", "qda"}, 1),
    ],
)
def test_models_of_large_tables(size: tuple[int, int, int], left_out: set[str], repeats: int) -> None:
    found = quick_models(*size, KNOWN)
    assert set(KNOWN) - set(found.names) == left_out
    assert found.repeats == repeats
    assert all(name in found.note for name in left_out)
    assert bool(found.note) == bool(left_out)


def test_models_that_are_all_slow_are_kept() -> None:
    assert quick_models(200_000, 10, 2, ["knn"]) == Choice(("knn",), 1, "")
