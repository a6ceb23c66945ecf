"""What predict is asked for: sets by scores, rates that cannot be held, and options that cannot act."""

from pathlib import Path

import pytest

from distinguo.cli import terminal
from tests.cli.conftest import Run

IDLE = {
    "what sets go by, and no sets": ("lda", ["--sets-by", "density"], 2, "give --sets too"),
    "two ways to be novel": ("lda", ["--novel-below", "0.1", "--false-alarm", "0.1"], 2, "two ways to call rows novel"),
    "novel without a density": ("knn", ["--novel-below", "0.1"], 1, "needs a model that describes its classes"),
}


@pytest.mark.parametrize("name", IDLE)
def test_an_option_that_cannot_act_is_an_error(name: str, distinguo: Run, pets: str, tmp_path: Path) -> None:
    model, options, code, message = IDLE[name]
    distinguo("fit", pets, "-t", "kind", "--model", model, "-o", tmp_path / "m.dgo", "-q")
    done = distinguo("predict", tmp_path / "m.dgo", pets, *options)
    assert (done.code, done.out) == (code, "")
    assert message in done.error


@pytest.mark.parametrize("model", ["least-squares", "perceptron"])
def test_models_without_probabilities_have_sets_by_their_scores(
    model: str, distinguo: Run, pets: str, tmp_path: Path
) -> None:
    distinguo("fit", pets, "-t", "kind", "--model", model, "-o", tmp_path / "m.dgo", "-q")
    assert distinguo("calibrate", tmp_path / "m.dgo", pets, "-q").code == 0
    done = distinguo("predict", tmp_path / "m.dgo", pets, "--sets", "0.1")
    assert done.code == 0, done.err
    rows = [line.split(",") for line in done.out.splitlines()[1:]]
    assert sum(row[2] in row[-1].split("|") for row in rows) >= 0.9 * len(rows)


def test_a_rate_of_false_alarms_that_cannot_be_held_is_said(distinguo: Run, pets: str, pets_model: Path) -> None:
    done = distinguo("predict", pets_model, pets, "--false-alarm", "0.001")
    assert done.code == 0
    assert "no row can be novel at false_alarm=0.001: that takes 999 rows" in done.err


@pytest.mark.parametrize("sign", ["\u202e", "\u2066", "\x1b", "\u2028", "\n"])
def test_names_do_nothing_to_a_terminal(sign: str) -> None:
    assert sign not in terminal.visible(f"a{sign}b")
    assert terminal.visible("שלום é 😀") == "שלום é 😀"
