"""The script behind docs/choosing.md: its tables, quick and small, say what the page says they do."""

import importlib.util
import sys
import warnings
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from distinguo.catalogue import CATALOGUE, Entry

ROOT = Path(__file__).resolve().parents[1]
SCRIPT = ROOT / "examples" / "choosing.py"


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    spec = importlib.util.spec_from_file_location("choosing", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "choosing", module)
    spec.loader.exec_module(module)
    return module


def page_rows() -> list[list[str]]:
    """The cells of every line of a table on the page."""
    lines = (ROOT / "docs" / "choosing.md").read_text(encoding="utf-8").splitlines()
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]


def abilities(entry: Entry) -> list[str]:
    can = (
        entry.probabilities,
        entry.sample,
        entry.holes,
        entry.merges or entry.learns_on,
        entry.merges,
        entry.leave_one_out,
        entry.explains,
        entry.sparse,
    )
    return ["yes" if able else "" for able in can]


@pytest.mark.parametrize("entry", CATALOGUE, ids=lambda entry: entry.name)
def test_issue_06_the_page_says_of_each_model_what_the_catalogue_says(entry: Entry) -> None:
    assert [entry.name, *abilities(entry)] in page_rows()


def test_issue_06_models_stay_as_large_as_they_are_and_neighbours_grow_with_the_rows(script: ModuleType) -> None:
    small, large = script.costs((200, 1_000), 100)
    size = {name: cells[2] / small.rows[name][2] for name, cells in large.rows.items()}
    assert all(size[name] > 4 for name in ("k-NN, k = 15", "k-NN, k by cv"))
    assert all(size[name] < 1.1 for name in ("gaussian-nb", "lda", "qda", "pda", "logistic", "ridge-logistic"))
    assert large.rows["qda"][-1] > large.rows["lda"][-1] + 0.1  # classes of different shapes


def test_issue_06_an_earlier_study_is_worth_rows(script: ModuleType) -> None:
    (table,) = script.prior((4, 32), repeats=10)
    for name, without in (("gaussian-nb", "gaussian-nb"), ("lda", "lda, shrunken")):
        gain = np.subtract(table.rows[f"{name}, prior"], table.rows[without])
        assert gain[0] > 0.08
        assert 0 < gain[1] < gain[0]


def test_issue_06_what_forgets_follows_classes_that_move(script: ModuleType) -> None:
    (table,) = script.stream(3_000)
    for name in ("lda", "gaussian-nb"):
        kept, forgot = table.rows[f"{name}, all rows"], table.rows[f"{name}, the last 500"]
        assert abs(kept[0] - forgot[0]) < 0.02
        assert forgot[1] > kept[1] + 0.2
        assert kept[3] == pytest.approx(forgot[3], rel=0.1)  # models, not rows
    assert table.rows["k-NN, the last 500"][1] > 0.75


def test_issue_06_lda_loses_little_where_a_tenth_of_the_cells_is_missing(script: ModuleType) -> None:
    (table,) = script.holes((0.0, 0.1))
    lda, imputed = table.rows["lda"], table.rows["ridge-logistic, means imputed"]
    assert lda[1] - lda[0] < imputed[1] - imputed[0]


def test_issue_06_shrinkage_and_a_lasso_are_for_few_rows_and_many_columns(script: ModuleType) -> None:
    (table,) = script.few((30,), repeats=2)
    assert table.rows["lda, shrunken"][0] > table.rows["lda"][0] + 0.1
    (table,) = script.wide(60, 100, repeats=1)
    assert max(table.rows, key=lambda name: -table.rows[name][1]) != "gaussian-nb"
    assert table.rows["logistic, lasso by cv"][0] > table.rows["k-NN, k by cv"][0]


def test_issue_06_the_figures_on_the_page_are_those_of_the_script(script: ModuleType) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # pixels that are constant are left out
        (table,) = script.synthetic()
    shown = {row[0]: row[1:] for row in page_rows() if row[0] in table.rows and len(row) == 3}
    assert shown.keys() == table.rows.keys()
    for name, cells in shown.items():
        assert np.array(cells, float) == pytest.approx(np.array(table.rows[name]), abs=0.01)
    assert max(max(cells) for name, cells in table.rows.items() if name != "real rows") < table.rows["real rows"][1]


def test_tables_are_named_printed_and_refused_by_name(script: ModuleType, monkeypatch, capsys) -> None:
    table = script.Table("title", ("model", "a", "b"), (".1f", ".2f"), {"one": (1, np.nan), "two": (2, 3)})
    assert str(table).splitlines()[2:] == [
        "| model | a | b |",
        "| --- | --- | --- |",
        "| one | 1.0 | – |",
        "| two | 2.0 | 3.00 |",
    ]
    monkeypatch.setattr(script, "TABLES", {"one": lambda: iter([table]), "two": lambda: iter([])})
    monkeypatch.setattr(sys, "argv", ["choosing.py", "one"])
    with warnings.catch_warnings():
        script.main()
    assert capsys.readouterr().out == f"{table}\n\n"
    monkeypatch.setattr(sys, "argv", ["choosing.py", "three"])
    with pytest.raises(SystemExit):
        script.main()
    assert "there is no table 'three'; there are one, two" in capsys.readouterr().err
