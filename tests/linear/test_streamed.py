"""Logistic regression of rows that stay in files: the solvers that stream, and what they say where one does not."""

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from distinguo import LogisticRegression, scan
from distinguo.exceptions import InMemoryWarning
from distinguo.rows import columnar
from distinguo.rows.files import FileSource


def rows(n: int = 3000, K: int = 3) -> pl.DataFrame:
    """Classes that overlap, with weights, some of which are zero."""
    random = np.random.default_rng(4)
    y = random.integers(0, K, n)
    X = random.normal(size=(n, 3)) + np.eye(3)[y]
    return pl.DataFrame({f"x{j}": X[:, j] for j in range(3)} | {"y": y, "times": random.integers(0, 3, n)})


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The rows in a file of many pieces."""
    monkeypatch.setattr(columnar, "PIECE_ROWS", 500)
    monkeypatch.setattr(columnar, "WHOLE_GROUP", 1)
    rows().write_parquet(tmp_path / "rows.parquet", row_group_size=500)
    return tmp_path / "rows.parquet"


def in_memory(model: Any, **weights: Any) -> Any:
    table = rows()
    return model.fit(table.drop("y", "times"), table["y"], **weights)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    ("options", "close"),
    [
        ({"solver": "newton"}, 1e-6),
        ({"solver": "lbfgs"}, 1e-6),
        ({"solver": "newton", "C": 0.01, "class_weight": "balanced"}, 1e-6),
        ({"solver": "gradient-descent", "max_iter": 50}, 1e-9),  # the same steps, however far they lead
        ({"solver": "gradient-descent", "C": 0.5, "class_weight": {0: 2.0, 1: 1.0, 2: 0.5}, "max_iter": 20}, 1e-9),
        ({"solver": "gradient-descent", "fit_intercept": False, "max_iter": 20}, 1e-9),
    ],
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_streamed_rows_lead_where_rows_in_memory_do(
    path: Path, options: dict[str, Any], close: float, weighted: bool
) -> None:
    weights = {"sample_weight": rows()["times"]} if weighted else {}
    expected = in_memory(LogisticRegression(**options), **weights)
    columns = ["x0", "x1", "x2"]
    found = LogisticRegression(**options).fit(scan(path, "y", "times" if weighted else None, columns))
    np.testing.assert_allclose(found.coef_, expected.coef_, rtol=close, atol=close)
    np.testing.assert_allclose(found.intercept_, expected.intercept_, rtol=close, atol=close)


@pytest.mark.parametrize("weighted", [False, True])
def test_a_stochastic_walk_over_files_comes_near_the_optimum(path: Path, weighted: bool) -> None:
    weights = {"sample_weight": rows()["times"]} if weighted else {}
    best = in_memory(LogisticRegression(), **weights)
    source = scan(path, "y", "times" if weighted else None, ["x0", "x1", "x2"])
    found = LogisticRegression(solver="stochastic").fit(source)
    assert found.status_ == "converged"
    np.testing.assert_allclose(found.coef_, best.coef_, atol=0.05)
    np.testing.assert_allclose(found.intercept_, best.intercept_, atol=0.05)
    again = LogisticRegression(solver="stochastic").fit(source)
    assert found.coef_.tolist() == again.coef_.tolist()
    other = LogisticRegression(solver="stochastic", random_state=1).fit(source)
    assert found.coef_.tolist() != other.coef_.tolist()


def test_inference_needs_no_rows_in_memory(path: Path) -> None:
    expected = in_memory(LogisticRegression()).summary()
    found = LogisticRegression().fit(scan(path, "y", columns=["x0", "x1", "x2"])).summary()
    np.testing.assert_allclose(found.standard_error, expected.standard_error, rtol=1e-6)


def test_what_needs_all_rows_says_how_large_they_are(path: Path) -> None:
    source = scan(path, "y", columns=["x0", "x1", "x2"])
    with pytest.warns(InMemoryWarning, match=r"3,000 rows of 3 columns, 144\.0 kB"):
        found = LogisticRegression(C=1.0, l1_ratio=0.5).fit(source)
    expected = in_memory(LogisticRegression(C=1.0, l1_ratio=0.5))
    np.testing.assert_allclose(found.coef_, expected.coef_, rtol=1e-6)


@pytest.mark.parametrize(
    "options", [{"C": "cv"}, {"C": 0.1, "l1_ratio": 1.0}, {"C": 1.0, "solver": "coordinate-descent"}]
)
def test_rows_that_are_held_are_read_once(path: Path, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    passes = []
    numbered = FileSource._numbered
    monkeypatch.setattr(FileSource, "_numbered", lambda self: passes.append(self) or numbered(self))
    monkeypatch.setattr(FileSource, "_by_workers", lambda self, spec: pytest.fail("a pass before the size was said"))
    with pytest.warns(InMemoryWarning) as said:
        LogisticRegression(**options).fit(scan(path, "y", columns=["x0", "x1", "x2"]))
    assert len(passes) == len(said) == 1
