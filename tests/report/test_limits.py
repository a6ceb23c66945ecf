"""Large tables: the page stays below its limit, and says what it leaves out."""

import json
from typing import Any

import numpy as np
import pytest

from distinguo import GaussianNB, LinearDiscriminantAnalysis
from distinguo.report.quick import QUICK, QUICKEST, quick_models
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
    X, y = many_rows()
    sweep = report_of(X, y, {"it": GaussianNB()}).sweeps[0]
    assert not sweep.is_complete
    assert {0.0, 0.001, 0.5, 0.999} <= set(sweep.thresholds)


@pytest.mark.parametrize(
    ("size", "names", "is_noted"),
    [
        ((150, 4, 3), ("lda", "knn", "gaussian-nb"), False),
        ((200_000, 10, 2), tuple(name for name in ("lda", "gaussian-nb") if name in QUICK), True),
        ((2000, 500, 3), tuple(name for name in ("lda", "gaussian-nb") if name in QUICKEST), True),
        ((6000, 8, 200), tuple(name for name in ("lda", "gaussian-nb") if name in QUICKEST), True),
    ],
)
def test_models_of_large_tables(size: tuple[int, int, int], names: tuple[str, ...], is_noted: bool) -> None:
    found = quick_models(*size, ["lda", "knn", "gaussian-nb"])
    assert found.names == names
    assert bool(found.note) == is_noted
    assert found.repeats == (1 if is_noted else 2)


def test_models_that_are_all_slow_are_kept() -> None:
    assert quick_models(200_000, 10, 2, ["knn"]).names == ("knn",)
