"""Output on a terminal of eighty columns: no line is broken in the middle of a word or a number."""

import sys
from pathlib import Path

import pytest

from distinguo.cli import terminal
from distinguo.cli.app import app
from distinguo.cli.running import run
from tests.cli.conftest import Run, Screen, Write, two_classes

WIDTH = 80


def screens(monkeypatch: pytest.MonkeyPatch) -> tuple[Screen, Screen]:
    """Standard output and standard error."""
    out, err = Screen(), Screen()
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr(sys, "stderr", err)
    monkeypatch.setenv("COLUMNS", str(WIDTH))
    monkeypatch.setenv("LINES", "24")  # of a dumb terminal rich heeds one only with the other
    monkeypatch.setenv("TERM", "dumb")
    return out, err


def shown(screen: Screen, *arguments: str | Path) -> list[str]:
    run(app, [str(argument) for argument in arguments])
    lines = screen.text.splitlines()
    assert max(map(len, lines)) <= WIDTH
    return lines


def test_a_model_has_one_line_in_a_comparison(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = shown(
        screens(monkeypatch)[0], "compare", "iris", "-q", "--repeats", "1", "--models", "ridge-logistic,gaussian-nb"
    )
    (header,) = [number for number, line in enumerate(lines) if line.startswith("model ") and "balanced" in line]
    assert lines[header].split()[-1] == "size"
    assert [line.split()[0] for line in lines[header + 1 : header + 4]].count("ridge-logistic") == 1
    assert all(line.endswith("B") for line in lines[header + 1 : header + 4])


def test_tables_draw_together_before_they_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    screens(monkeypatch)

    def table_of(columns: int) -> list[str]:
        return terminal.wide_table(["x" * 9] * columns, [["1"] * columns]).splitlines()

    assert table_of(7)[0] == "  ".join(["x" * 9] * 7)
    assert table_of(8)[0] == " ".join(["x" * 9] * 8)
    assert table_of(9)[0] == "  ".join(["x" * 9] * 7)


def test_an_evaluation_fits(distinguo: Run, write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = write("long.csv", two_classes(200).replace("cat", "a cat of some kind").replace("dog", "a dog or a wolf"))
    assert distinguo("fit", table, "-t", "kind", "--model", "lda", "-o", tmp_path / "long.dgo").code == 0
    wide = distinguo("evaluate", tmp_path / "long.dgo", table).out
    assert max(map(len, wide.splitlines())) > WIDTH
    out, _ = screens(monkeypatch)
    lines = shown(out, "evaluate", tmp_path / "long.dgo", table)
    assert set("\n".join(lines).split()) == set(wide.split())


def test_errors_and_notes_are_broken_between_words(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = shown(screens(monkeypatch)[1], "fit", "iris", "-o", "iris.dgo", "--model", "lda", "--drop", "stalk")
    assert len(lines) > 1
    assert all(line.startswith("    ") for line in lines[1:])
    assert " ".join(line.strip() for line in lines).startswith("error: ")
