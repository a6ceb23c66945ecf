"""`distinguo report`: from a file to a page and its numbers."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from distinguo.cli.app import app
from distinguo.cli.running import run

Report = Callable[..., tuple[int, Any, str]]


@pytest.fixture
def report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Report:
    """Exit code, numbers or None, and what stood on standard error."""

    def call(table: str, *arguments: str) -> tuple[int, Any, str]:
        page = tmp_path / "page.html"
        code = run(app, ["report", table, "-o", str(page), *arguments])
        numbers = json.loads(page.with_suffix(".json").read_text(encoding="utf-8")) if page.exists() else None
        return code, numbers, capsys.readouterr().err

    return call


@pytest.fixture
def mixed(tmp_path: Path) -> str:
    """Numbers, categories, holes, an identifier, and a row without a class."""
    rng = np.random.default_rng(0)
    lines = ["id,size,colour,kind"]
    for k in range(60):
        kind = "<b>cat</b>" if k % 2 else 'say "dog"'
        size = "" if k == 7 else f"{rng.normal() + 2 * (k % 2):.3f}"
        colour = "red" if rng.uniform() < 0.3 + 0.4 * (k % 2) else "blue"
        quoted = kind.replace('"', '""')
        lines.append(f'{k},{size},{colour},"{quoted}"')
    path = tmp_path / "mixed.csv"
    path.write_text("\n".join([*lines, "60,1,red,"]) + "\n", encoding="utf-8")
    return str(path)


def test_numbers_are_those_of_compare(report: Report, mixed: str, capsys: pytest.CaptureFixture[str]) -> None:
    options = ("-t", "kind", "--models", "lda,mixed-nb", "--folds", "3", "--repeats", "1")
    code, numbers, err = report(mixed, *options)
    assert code == 0
    assert "wrote" in err
    assert run(app, ["compare", mixed, *options, "--json", "-q"]) == 0
    compared = {model["name"]: model for model in json.loads(capsys.readouterr().out)["models"]}
    for model in numbers["comparison"]["models"]:
        for name in ("accuracy", "accuracy_se", "balanced_accuracy", "log_loss"):
            assert model[name] == compared[model["name"]][name]


def test_table_is_told_with_its_holes_and_roles(report: Report, mixed: str) -> None:
    _, numbers, err = report(mixed, "-t", "kind", "--models", "mixed-nb", "--folds", "2", "--repeats", "1")
    overview = numbers["overview"]
    assert (overview["rows"], overview["unlabelled"], overview["missing"]) == (60, 1, 1)
    roles = {column["name"]: column["role"] for column in overview["columns"]}
    assert roles == {"id": "identifier-like", "size": "numeric", "colour": "categorical"}
    assert {row["name"] for row in overview["classes"]} == {"<b>cat</b>", 'say "dog"'}
    assert "1 row without 'kind' left out" in err


@pytest.mark.parametrize("model", ["lda", "qda", "mixed-nb", "logistic", "knn", "least-squares"])
def test_every_kind_of_model_has_a_page(report: Report, model: str) -> None:
    code, numbers, _ = report("iris", "--models", model, "--folds", "2", "--repeats", "1", "-q")
    assert code == 0
    assert numbers["chosen"]["name"] == model
    assert numbers["plane"]["regions"]["model"] == numbers["chosen"]["title"]
    assert numbers["coefficients"]["rows"]


@pytest.mark.parametrize(("given", "told"), [((), []), (("--set", "ridge-logistic.C=2"), ["C=2"])])
def test_what_was_set_is_told_and_what_the_catalogue_sets_is_not(
    report: Report, given: tuple[str, ...], told: list[str]
) -> None:
    quick = ("--models", "ridge-logistic", "--folds", "2", "--repeats", "1", "-q")
    code, numbers, _ = report("iris", *quick, *given)
    assert code == 0
    settings = numbers["chosen"]["settings"]
    assert [text for text in settings if not text.startswith("C chosen as ")] == told


def test_texts_have_telling_words_and_excerpts(report: Report, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    words = {"spam": ["win", "cash", "prize", "now"], "ham": ["see", "you", "at", "lunch"]}
    lines = [
        f"{kind},{' '.join(rng.choice(words[kind] + words['ham'], 5))} {k}"
        for k in range(40)
        for kind in ("spam", "ham")
    ]
    table = tmp_path / "sms.csv"
    table.write_text("\n".join(["label,text", *lines]), encoding="utf-8")
    code, numbers, _ = report(str(table), "-t", "label", "--models", "multinomial-nb", "--folds", "2", "--repeats", "1")
    assert code == 0
    telling = {found["name"]: {word["word"] for word in found["words"]} for found in numbers["telling_words"]}
    assert {"win", "cash", "prize"} <= telling["spam"]
    assert all(mistake["text"] for mistake in numbers["mistakes"])


def test_same_bytes_from_the_same_table(mixed: str, tmp_path: Path) -> None:
    for name in ("a", "b"):
        page = str(tmp_path / f"{name}.html")
        assert (
            run(app, ["report", mixed, "-t", "kind", "--models", "lda,gaussian-nb", "--repeats", "1", "-q", "-o", page])
            == 0
        )
    for suffix in (".html", ".json"):
        assert (tmp_path / f"a{suffix}").read_bytes() == (tmp_path / f"b{suffix}").read_bytes()


def test_class_looked_for(report: Report, mixed: str) -> None:
    options = ("-t", "kind", "--models", "lda", "--folds", "2", "--repeats", "1", "-q")
    _, numbers, _ = report(mixed, *options, "--positive", "<b>cat</b>")
    assert numbers["evaluation"]["positive"] == "<b>cat</b>"
    assert [sweep["name"] for sweep in numbers["thresholds"]] == ["<b>cat</b>"]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("iris", "-o", "page.pdf"), 2, "must end in .html"),
        (("iris",), 2, "Missing option"),
        (("iris", "-o", "nowhere/page.html"), 1, "there is no folder"),
        (("iris", "-o", "page.html", "--positive", "setosa", "--models", "lda"), 1, "is for two classes; there are 3"),
        (("absent.csv", "-t", "y", "-o", "page.html"), 1, "absent.csv"),
    ],
)
def test_bad_commands(
    arguments: tuple[str, ...],
    code: int,
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(app, ["report", *arguments]) == code
    err = capsys.readouterr().err
    assert message in err
    assert "Traceback" not in err
    assert not list(tmp_path.iterdir())


def test_page_does_not_replace_the_table(mixed: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = tmp_path / "rows.json"
    table.write_bytes(Path(mixed).read_bytes())
    assert run(app, ["report", str(table), "-t", "kind", "-o", str(tmp_path / "rows.html")]) == 1
    assert "is the table itself" in capsys.readouterr().err
    assert table.read_bytes() == Path(mixed).read_bytes()
