"""Warnings that one Gaussian does not describe a class: in describe, in compare, and in model files."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray

from distinguo.cli.cells import Spelling
from distinguo.cli.class_checks import class_warnings
from distinguo.cli.roles import Overrides, assign
from tests.cli.conftest import Run, Write

Data = Callable[[str], Path]
QUICK = ("--repeats", "1", "--folds", "3", "--models", "lda")


def codes(columns: dict[str, NDArray[np.float64]], labels: NDArray[np.intp]) -> list[str]:
    """The codes of what is warned of in a table."""
    grid = Spelling().read(pl.DataFrame(columns), columns)
    return [warning.code for warning in class_warnings(grid, assign(grid, Overrides()), labels)]


@pytest.fixture
def coins(write: Write) -> str:
    """The lecture's wrong description: 500 one-euro coins, and two kinds of two-euro coins."""
    rng = np.random.default_rng(0)
    grams = np.concatenate([rng.normal(centre, 0.1, 500) for centre in (7.5, 8.3, 10.3)])
    coin = ["1 euro"] * 500 + ["2 euro"] * 1000
    return write("coins.csv", "grams,coin\n" + "".join(f"{g:.3f},{c}\n" for g, c in zip(grams, coin, strict=True)))


def lines(text: str) -> list[str]:
    """The paragraphs that are warnings, each in one line."""
    return [" ".join(part.split()) for part in text.split("\n\n") if part.startswith("G")]


def test_the_coins_are_warned_of_by_table_comparison_and_model(distinguo: Run, coins: str, tmp_path: Path) -> None:
    model = tmp_path / "coins.dgo"
    assert distinguo("fit", coins, "-t", "coin", "--model", "lda", "-o", model, "-q").code == 0
    table = distinguo("describe", coins, "-t", "coin")
    compared = distinguo("compare", coins, "-t", "coin", *QUICK)
    described = distinguo("describe", model)
    assert (table.code, compared.code, described.code) == (0, 0, 0)
    (warning,) = lines(table.out)
    assert warning.startswith("G1: class '2 euro' falls into two clumps along grams: 50% of its rows around 8.")
    assert "MixtureDiscriminantAnalysis (mda)" in warning
    assert lines(compared.out) == lines(described.out) == [warning]
    (entry,) = json.loads(distinguo("compare", coins, "-t", "coin", "--json", *QUICK).out)["advice"]
    assert f"{entry['code']}: {entry['sentence']} {entry['remedy']}" == warning


def test_a_table_without_target_has_no_classes_to_warn_of(distinguo: Run, coins: str) -> None:
    assert lines(distinguo("describe", coins).out) == []


def test_irises_and_penguins_are_gaussian_enough(distinguo: Run, shared_data: Data) -> None:
    assert lines(distinguo("describe", "iris").out) == []
    assert lines(distinguo("describe", shared_data("penguins.csv"), "-t", "species").out) == []


def test_many_classes_take_one_line_a_code(distinguo: Run) -> None:
    """Counts of inked pixels, many of them mostly zero."""
    (warning,) = lines(distinguo("describe", "digits").out)
    assert warning.startswith("G2: 10 of 10 classes are skewed ('0', '1', '2', '3', '4' and 5 more), most clearly")


@pytest.mark.parametrize(("n", "p", "K"), [(60, 1, 2), (200, 8, 5), (600, 12, 3)])
def test_tables_of_gaussian_classes_are_rarely_warned_of(n: int, p: int, K: int) -> None:
    """At most one in a hundred; 4 of 60 is beyond 3.5 standard errors of that."""
    rng = np.random.default_rng(n)
    warned = 0
    for _ in range(60):
        X = rng.normal(size=(n, p)) @ rng.normal(size=(p, p))
        warned += bool(codes({f"x{j}": X[:, j] for j in range(p)}, np.arange(n) % K))
    assert warned < 4


CLUMPS = np.random.default_rng(3).normal(size=200) + 9.0 * (np.arange(200) % 4 < 2)
CLASSES = np.arange(200) % 2
COLUMNS = {
    "clumps": (CLUMPS, ["G1"]),
    "some infinite": (np.where(np.arange(200) % 25 == 0, np.inf, CLUMPS), ["G1"]),
    "some beyond squaring": (np.where(np.arange(200) % 25 == 0, -1e300, CLUMPS), ["G1"]),
    "some missing": (np.where(np.arange(200) % 25 == 0, np.nan, CLUMPS), ["G1"]),
    "many missing": (np.where(np.arange(200) % 5 == 0, np.nan, CLUMPS), []),
    "grades": (np.clip(CLUMPS.round() // 2, 0, 5), []),
    "the same in each class": (np.where(CLASSES == 0, 1.0, 2.0), []),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_which_columns_are_asked(name: str) -> None:
    column, expected = COLUMNS[name]
    beside = np.random.default_rng(4).normal(size=200)
    assert codes({"asked": column, "beside": beside}, CLASSES) == expected


def test_indicators_of_categories_are_not_asked() -> None:
    letters = pl.DataFrame({"letter": np.where(np.arange(200) % 4 < 2, "a", "b")})
    grid = Spelling().read(letters, ["letter"])
    assert class_warnings(grid, assign(grid, Overrides()), CLASSES) == ()


def test_of_many_rows_some_from_the_whole_class_are_asked() -> None:
    """The clumps follow one another, as in a table sorted by time."""
    rng = np.random.default_rng(5)
    grams = np.concatenate([rng.normal(centre, 0.1, 20_000) for centre in (8.3, 10.3)])
    assert codes({"grams": grams}, np.zeros(40_000, dtype=np.intp)) == ["G1"]


def test_of_many_columns_some_from_the_whole_table_are_asked() -> None:
    """Half of a spectrum of 600 channels has a line that half of a class shows."""
    rng = np.random.default_rng(8)
    spectra = rng.normal(size=(80, 600))
    assert codes({f"x{j}": spectra[:, j] for j in range(600)}, np.arange(80) % 2) == []
    spectra[:40, 300:] += 9
    assert codes({f"x{j}": spectra[:, j] for j in range(600)}, np.arange(80) % 2) == ["G1"]


def test_small_classes_and_rows_without_a_label_take_no_part(distinguo: Run, write: Write) -> None:
    rng = np.random.default_rng(6)
    rows = [f"{value:.4f},{kind}" for kind, n in (("few", 15), ("many", 80), ("", 60)) for value in rng.normal(size=n)]
    rows += [f"{value + 50:.4f}," for value in rng.normal(size=60)]
    done = distinguo("describe", write("small.csv", "\n".join(["x,kind", *rows]) + "\n"), "-t", "kind")
    assert (done.code, done.err, lines(done.out)) == (0, "", [])
