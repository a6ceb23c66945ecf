"""Models that take words as they come, beside those that take indicators."""

import json
from pathlib import Path

import numpy as np
import pytest

from distinguo import MixedNB
from distinguo.cli.persistence import load
from tests.cli.conftest import Run, Write

HEADER = "colour,size,weight,kind\n"


def people(n: int, seed: int = 0) -> str:
    """Lines of words, some of them missing, and numbers, of two kinds."""
    rng = np.random.default_rng(seed)
    lines = []
    for _ in range(n):
        kind = rng.choice(["a", "b"])
        colour = rng.choice(["red", "red", "blue"] if kind == "a" else ["blue", "green", ""])
        lines.append(f"{colour},{rng.choice(list('SML'))},{rng.normal(3 + (kind == 'b')):.2f},{kind}\n")
    return HEADER + "".join(lines)


def test_words_are_compared_with_indicators_on_the_same_folds(distinguo: Run, write: Write) -> None:
    file = write("people.csv", people(80))
    done = distinguo("compare", file, "-t", "kind", "--models", "mixed-nb,gaussian-nb,lda", "--json", "-q")
    found = {model["name"]: model for model in json.loads(done.out)["models"]}
    assert done.code == 0
    assert all(found[name]["accuracy"] > 0.6 for name in ("mixed-nb", "gaussian-nb", "lda"))


def test_a_file_of_a_mixed_model_says_what_the_model_says(distinguo: Run, write: Write, tmp_path: Path) -> None:
    file, model = write("people.csv", people(80)), tmp_path / "m.dgo"
    assert (
        distinguo("fit", file, "-t", "kind", "--model", "mixed-nb", "--set", "alpha=0.5", "-o", model, "-q").code == 0
    )
    new = write("new.csv", "colour,size,weight\nviolet,XL,3.1\n,,\nred,S,2.9\n")
    done = distinguo("predict", model, new, "-q")
    assert done.code == 0
    lines = [line.split(",") for line in done.out.splitlines()]
    rows = [line.split(",") for line in people(80).splitlines()[1:]]
    X = [[colour or None, size, float(weight)] for colour, size, weight, _ in rows]
    plain = MixedNB(alpha=0.5).fit(X, [row[3] for row in rows])
    expected = plain.predict_proba([["violet", "XL", 3.1], [None, None, np.nan], ["red", "S", 2.9]])
    shown = np.array([line[4:6] for line in lines[1:]], dtype=float)
    np.testing.assert_allclose(shown, expected, atol=1e-12)
    np.testing.assert_allclose(shown[1], load(model).model.priors_)


def test_shares_of_categories_are_described(distinguo: Run, write: Write, tmp_path: Path) -> None:
    file, model = (
        write("people.csv", HEADER + "red,S,1.0,a\nred,S,2.0,a\nblue,S,3.5,b\nred,L,4.5,b\n"),
        tmp_path / "m.dgo",
    )
    assert distinguo("fit", file, "-t", "kind", "--model", "mixed-nb", "-o", model, "-q").code == 0
    rows = [line.split() for line in distinguo("describe", model).out.splitlines()]
    # Two of two rows, and one of two, with one row more for each of the two colours.
    assert ["colour=red", "0.7500", "0.5000"] in rows
    assert ["weight", "1.5", "±", "0.5", "4", "±", "0.5"] in rows
    assert not any("nan" in row for row in rows)


@pytest.mark.parametrize("name", ["categorical-nb", "mixed-nb"])
def test_a_table_of_words_alone(name: str, distinguo: Run, write: Write, tmp_path: Path) -> None:
    lines = "".join(
        f"{colour},{kind}\n" for colour, kind in [("red", "a"), ("blue", "b"), ("red", "a"), ("blue", "b")] * 5
    )
    file, model = write("words.csv", f"colour,kind\n{lines}"), tmp_path / "m.dgo"
    assert distinguo("fit", file, "-t", "kind", "--model", name, "-o", model, "-q").code == 0
    out = distinguo("describe", model).out
    assert "means" not in out
    assert ["colour=red", "0.9167", "0.0833"] in [line.split() for line in out.splitlines()]
