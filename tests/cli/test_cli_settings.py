"""--set: options of models on the command line, shown again by compare and describe."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris

from distinguo import QuadraticDiscriminantAnalysis
from distinguo.catalogue import find
from distinguo.cli.persistence import load
from distinguo.cli.settings import Setting, options_of, settings_of, with_settings
from tests.cli.conftest import Run, Write

QUICK = ("--repeats", "1", "--folds", "3")


def test_fit_makes_the_model_that_python_would(distinguo: Run, tmp_path: Path) -> None:
    options = ("--set", "shrinkage=0.2", "--set", "qda.priors={'setosa': 0.5, 'versicolor': 0.25, 'virginica': 0.25}")
    assert distinguo("fit", "iris", "--model", "qda", *options, "-o", tmp_path / "m.dgo", "-q").code == 0
    X, y = load_iris(return_X_y=True)
    same = QuadraticDiscriminantAnalysis([0.5, 0.25, 0.25], shrinkage=0.2).fit(X, y)
    model = load(tmp_path / "m.dgo").model
    np.testing.assert_allclose(model.covariance_, same.covariance_)
    np.testing.assert_allclose(model.priors_, same.priors_)
    head = distinguo("describe", tmp_path / "m.dgo").out.splitlines()[0]
    assert "(qda, priors={'setosa': 0.5, 'versicolor': 0.25, 'virginica': 0.25}, shrinkage=0.2)" in head


def test_compare_shows_what_was_set_and_only_that_model_differs(distinguo: Run) -> None:
    plain = distinguo("compare", "iris", "--models", "lda,qda", "--json", *QUICK)
    done = distinguo("compare", "iris", "--models", "lda,qda", "--json", "--set", "qda.shrinkage=0.5", *QUICK)
    before, after = json.loads(plain.out), json.loads(done.out)
    assert (before["settings"], after["settings"]) == ([], ["qda.shrinkage=0.5"])
    losses = [[model["log_loss"] for model in document["models"][1:]] for document in (before, after)]
    assert losses[0][0] == losses[1][0]
    assert losses[0][1] != losses[1][1]
    text = distinguo("compare", "iris", "--models", "qda", "--set", "qda.shrinkage=0.5", *QUICK).out
    assert "settings     qda.shrinkage=0.5" in text


def test_a_singular_class_is_compared_with_the_shrinkage_that_its_error_offers(distinguo: Run, write: Write) -> None:
    rng = np.random.default_rng(0)
    lines = [",".join([*(f"{v:.3f}" for v in rng.normal(size=8)), "ab"[i % 2]]) for i in range(20)]
    file = write("wide.csv", ",".join([*(f"x{j}" for j in range(8)), "y"]) + "\n" + "\n".join(lines) + "\n")
    refused = distinguo("compare", file, "-t", "y", "--models", "qda", *QUICK)
    assert "shrinkage" in refused.error
    assert distinguo("compare", file, "-t", "y", "--models", "qda", "--set", "qda.shrinkage=0.3", *QUICK).code == 0


def test_fit_sets_options_of_the_models_it_compares(distinguo: Run, pets: str, tmp_path: Path) -> None:
    settings = [part for name in ("lda", "qda") for part in ("--set", f"{name}.divisor=mle")]
    done = distinguo("fit", pets, "-t", "kind", *settings, "-o", tmp_path / "m.dgo", *QUICK)
    assert done.code == 0
    chosen = load(tmp_path / "m.dgo")
    assert chosen.name not in {"lda", "qda"} or chosen.model.divisor == "mle"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.1", 0.1),
        ("-3", -3),
        ("1e-3", 1e-3),
        ("None", None),
        ("True", True),
        ("oas", "oas"),
        ("'oas'", "oas"),
        ("[1, 2]", [1, 2]),
        ("{'a': 2}", {"a": 2}),
        ("a=b", "a=b"),
        ("{1, 2}", "{1, 2}"),
        ("1j", "1j"),
        ("[1, 2", "[1, 2"),
        ("inf", float("inf")),
        ("Infinity", float("inf")),
        ("math.inf", float("inf")),
        ("infinite", "infinite"),
        ("", ""),
    ],
)
def test_values_are_python_or_text(text: str, value: Any) -> None:
    setting = Setting.parse(f"lda.shrinkage={text}")
    assert (setting.model, setting.option, setting.value) == ("lda", "shrinkage", value)
    assert type(setting.value) is type(value)


def test_what_is_shown_again_is_what_was_set() -> None:
    entries = with_settings((find("lda"), find("rda")), ["lda.shrinkage=0.1", "rda.grid=3"])
    assert settings_of(entries) == ["lda.shrinkage=0.1", "rda.grid=3"]
    assert settings_of((find("lda"), find("rda"))) == []
    assert "grid=3" in list(options_of(entries[1].make()))
    assert list(options_of(entries[0].make())) == ["shrinkage=0.1"]


COMMANDS = {
    "no equals sign": (["compare", "iris", "--set", "lda.shrinkage"], 2, "write it as MODEL.NAME=VALUE"),
    "no name": (["compare", "iris", "--set", "=1"], 2, "write it as MODEL.NAME=VALUE"),
    "no model before the dot": (["compare", "iris", "--set", ".shrinkage=1"], 2, "write it as MODEL.NAME=VALUE"),
    "unknown model": (["compare", "iris", "--set", "ldaa.shrinkage=1"], 2, "did you mean 'lda'?"),
    "which model": (["compare", "iris", "--set", "shrinkage=1"], 2, "say of which model, such as lda.shrinkage=1"),
    "unknown option": (["compare", "iris", "--set", "lda.shrinkge=1"], 2, "has no option 'shrinkge'; did you mean"),
    "an option of no model": (["fit", "iris", "--model", "lda", "--set", "zzz=1", "-o", "m.dgo"], 2, "there are "),
    "a model that takes no part": (
        ["compare", "iris", "--models", "lda,qda", "--set", "rda.grid=3"],
        2,
        "rda takes no part here, only lda, qda.",
    ),
    "another model than the one to fit": (
        ["fit", "iris", "--model", "lda", "--set", "qda.shrinkage=1", "-o", "m.dgo"],
        2,
        "qda takes no part here, only lda.",
    ),
    "set twice": (
        ["fit", "iris", "--model", "lda", "--set", "shrinkage=1", "--set", "lda.shrinkage=0", "-o", "m.dgo"],
        2,
        "shrinkage is set twice",
    ),
    "a value out of range": (
        ["fit", "iris", "--model", "lda", "--set", "shrinkage=3", "-o", "m.dgo"],
        1,
        "shrinkage=3 must be a number from 0 to 1",
    ),
    "a value of another kind": (
        ["fit", "iris", "--model", "lda", "--set", "prior=[1]", "-o", "m.dgo"],
        1,
        "prior must be made by distinguo.pseudo_rows; it is list",
    ),
    "an unknown word": (
        ["fit", "iris", "--model", "fda", "--set", "regression=cubic", "-o", "m.dgo"],
        1,
        "regression='cubic' is not known; use 'linear'",
    ),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_bad_settings(name: str, distinguo: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    arguments, code, message = COMMANDS[name]
    monkeypatch.chdir(tmp_path)
    done = distinguo(*arguments)
    assert done.code == code
    assert message in done.error
    assert done.out == ""
    assert not list(tmp_path.iterdir())


def test_a_bad_value_keeps_its_model_out_of_the_comparison(distinguo: Run) -> None:
    done = distinguo("compare", "iris", "--models", "lda,qda", "--set", "qda.shrinkage=3", *QUICK)
    assert done.code == 0
    assert "qda          not compared: shrinkage=3 must be a number from 0 to 1" in done.out
