"""Odd tables and models: one of several files written over, no name, names for classes, two updates at once."""

import os
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from distinguo.cli import large, persistence
from tests.cli.conftest import Run


@pytest.fixture
def rows() -> pl.DataFrame:
    random = np.random.default_rng(3)
    y = random.integers(0, 2, 120)
    table = pl.DataFrame({"a": random.normal(size=120) + y, "b": random.normal(size=120)})
    return table.with_columns(kind=pl.Series(np.array(["x", "y"])[y]))


@pytest.fixture
def folder(rows: pl.DataFrame, tmp_path: Path) -> Path:
    below = tmp_path / "rows"
    below.mkdir()
    for i in range(3):
        rows[i * 40 : i * 40 + 40].write_parquet(below / f"{i}.parquet")
    return below


@pytest.mark.parametrize("pattern", ["", "/*.parquet"])
def test_a_file_of_the_table_is_not_written_over(pattern: str, folder: Path, distinguo: Run, tmp_path: Path) -> None:
    table, model = f"{folder}{pattern}", tmp_path / "m.dgo"
    assert distinguo("fit", table, "-t", "kind", "--model", "lda", "-o", model).code == 0
    before = {file: file.read_bytes() for file in folder.iterdir()}
    part = folder / "1.parquet"
    for command in (
        ("fit", table, "-t", "kind", "--model", "lda", "-o", part),
        ("update", model, table, "-o", part),
        ("predict", model, table, "-o", part),
    ):
        done = distinguo(*command)
        assert done.code == 1
        assert "is one of the 3 files of the table, which would be lost; name another" in done.err
    assert {file: file.read_bytes() for file in folder.iterdir()} == before


@pytest.mark.parametrize("most", [0, 1 << 40])
def test_a_column_without_a_name(
    most: int, rows: pl.DataFrame, distinguo: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(large, "LARGE", most)
    rows.rename({"b": ""}).write_parquet(tmp_path / "odd.parquet")
    done = distinguo("fit", tmp_path / "odd.parquet", "-t", "kind", "--model", "lda", "-o", tmp_path / "m.dgo")
    assert (done.code, "120 rows, 2 columns, 2 classes" in done.err + done.out) == (0, True)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_whole_numbers_that_name_rows_are_no_classes(
    ending: str, rows: pl.DataFrame, distinguo: Run, tmp_path: Path
) -> None:
    table = rows.with_columns(nr=pl.int_range(1000, 1120))
    table.write_csv(tmp_path / "nr.csv")
    table.write_parquet(tmp_path / "nr.parquet")
    done = distinguo("fit", tmp_path / f"nr.{ending}", "-t", "nr", "--model", "lda", "-o", tmp_path / "m.dgo")
    assert done.code == 1
    assert "the target 'nr' has 120 different values in 120 rows, such as '1000': names, not classes" in done.err


def test_of_two_updates_at_once_none_is_lost(
    rows: pl.DataFrame, distinguo: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows.write_parquet(tmp_path / "rows.parquet")
    table, model = tmp_path / "rows.parquet", tmp_path / "m.dgo"
    distinguo("fit", table, "-t", "kind", "--model", "lda", "-o", model)
    load = persistence.load

    def load_before_another_writes(path: Path) -> persistence.SavedModel:
        saved = load(path)
        os.utime(path, ns=(1, 1))
        return saved

    monkeypatch.setattr(persistence, "load", load_before_another_writes)
    before = model.read_bytes()
    done = distinguo("update", model, table)
    assert done.code == 1
    assert "was written by another command meanwhile, and stays so. Run this one again." in done.err
    assert model.read_bytes() == before
    assert distinguo("update", model, table, "-o", tmp_path / "other.dgo").code == 0
