"""Models that know boundaries but no probabilities, on the command line."""

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest

from distinguo import Perceptron
from tests.cli.conftest import Run

BOTH = pytest.mark.parametrize("model", ["least-squares", "perceptron"])


def fitted(distinguo: Run, pets: str, tmp_path: Path, model: str) -> Path:
    file = tmp_path / "m.dgo"
    assert distinguo("fit", pets, "-t", "kind", "--model", model, "-o", file).code == 0
    return file


@BOTH
def test_predict_appends_the_label_alone(model: str, distinguo: Run, pets: str, tmp_path: Path) -> None:
    done = distinguo("predict", fitted(distinguo, pets, tmp_path, model), pets)
    rows = list(csv.DictReader(io.StringIO(done.out)))
    given = list(csv.DictReader(io.StringIO(Path(pets).read_text())))
    assert list(rows[0]) == [*given[0], "predicted"]
    assert np.mean([row["predicted"] == row["kind"] for row in rows]) > 0.9
    empty = tmp_path / "none.csv"
    empty.write_text(Path(pets).read_text().splitlines()[0] + "\n")
    assert distinguo("predict", tmp_path / "m.dgo", empty).out == ",".join(rows[0]) + "\n"


@BOTH
def test_describe_shows_coefficients(model: str, distinguo: Run, pets: str, tmp_path: Path) -> None:
    text = distinguo("describe", fitted(distinguo, pets, tmp_path, model)).out
    assert "coefficients: what one unit of a feature adds to the score" in text
    assert "dog over cat" in text
    assert "means" not in text
    if model == "perceptron":
        lines = [line.split(",") for line in Path(pets).read_text().splitlines()[1:]]
        fresh = Perceptron().fit([[float(cell) for cell in line[:2]] for line in lines], [line[2] for line in lines])
        shown = [float(line.split()[1]) for line in text.splitlines()[-3:]]
        assert shown == pytest.approx([*fresh.coef_[0], fresh.intercept_[0]], rel=1e-2)


def test_compare_judges_their_labels_and_shows_them_last(distinguo: Run, pets: str) -> None:
    names = "perceptron,lda"
    document = json.loads(distinguo("compare", pets, "-t", "kind", "--models", names, "--json").out)
    found = {model["name"]: model for model in document["models"]}
    assert found["perceptron"]["log_loss"] is None
    assert found["perceptron"]["accuracy"] > 0.9
    assert found["lda"]["log_loss"] < 0.5
    lines = distinguo("compare", pets, "-t", "kind", "--models", names).out.split("\n\n")[1].splitlines()
    assert [line.split()[0] for line in lines[1:]] == ["lda", "majority", "perceptron"]
    assert lines[-1].split()[5] == "-"


def test_fit_chooses_among_models_with_probabilities(distinguo: Run, pets: str, tmp_path: Path) -> None:
    done = distinguo("fit", pets, "-t", "kind", "-o", tmp_path / "m.dgo", "--repeats", "1")
    assert done.code == 0
    assert "perceptron unknown" in done.err
    assert "chose perceptron" not in done.err
    assert "chose least-squares" not in done.err
