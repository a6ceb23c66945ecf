"""The example of Ng and Jordan's race prints the lecture's tables, and needs rows as they say."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import matplotlib.image as mpimg
import matplotlib.pyplot as plt
import pytest

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "ng_jordan.py"


@pytest.fixture
def example(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    plt.switch_backend("agg")
    spec = importlib.util.spec_from_file_location("ng_jordan", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "ng_jordan", module)
    spec.loader.exec_module(module)
    return module


def figures(line: str) -> list[float]:
    """The means of a row of a table."""
    return [float(cell.split("±")[0].split()[-1]) for cell in line.replace("± ", "±").split("  ") if "±" in cell]


def test_lectures_04_and_05_first_and_last_columns(example, monkeypatch, capsys, tmp_path) -> None:
    # Fewer sizes than the script has, so that this is quick; what is printed of these is the same.
    races = {"independent columns": (0.0, (20, 80), 15), "correlated columns": (0.3, (20, 600), 10)}
    monkeypatch.setattr(example, "RACES", races)
    monkeypatch.setattr(example, "COLUMNS", (10, 40))
    monkeypatch.setattr(example, "REPEATS", 2)
    monkeypatch.setattr(sys, "argv", ["ng_jordan.py", str(tmp_path / "race.png")])
    example.main()
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].endswith("the best there is 0.866, the best of naive Bayes 0.866")
    assert [figures(line) for line in lines[2:5]] == [[0.714, 0.811], [0.708, 0.771], [0.696, 0.741]]
    assert lines[6].endswith("the best there is 0.863, the best of naive Bayes 0.841")
    assert [figures(line) for line in lines[8:11]] == [[0.696, 0.832], [0.699, 0.847], [0.689, 0.846]]
    assert lines[-1].startswith("4 times the columns, 1.6 times their logarithm: ")
    height, width = mpimg.imread(tmp_path / "race.png").shape[:2]
    assert width > 2 * height


def test_lectures_04_and_05_race_the_sizes_that_they_print(example) -> None:
    assert example.RACES == {
        "independent columns": (0.0, (20, 40, 80, 200, 600, 2000), 15),
        "correlated columns": (0.3, (20, 80, 200, 600, 2000), 10),
    }


def test_rows_needed_grow_like_the_logarithm_of_the_columns_for_naive_bayes_and_with_them_for_logistic(example) -> None:
    (few, naive_few, logistic_few), (many, naive_many, logistic_many) = example.sweep((10, 80), 3)
    assert (few, many) == (10, 80)
    assert naive_many < 3 * naive_few  # log 80 / log 10 is 1.9
    assert logistic_many > 3 * logistic_few
    assert logistic_many > 1.5 * naive_many
