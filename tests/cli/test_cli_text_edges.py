"""Texts at the edges: names and words that are not UTF-8, texts that come again, roles that cannot be."""

import os
from pathlib import Path

import polars as pl
import pytest

from tests.cli.conftest import Run, Write
from tests.cli.test_cli_text import messages

NOT_UTF8 = os.fsdecode(b"caf\xe9")


def test_names_of_files_and_folders_need_not_be_utf8(distinguo: Run, tmp_path: Path) -> None:
    for i, (label, text) in enumerate(messages(20).select("label", "text").iter_rows()):
        folder = tmp_path / "mails" / {"spam": NOT_UTF8, "ham": "ham"}[label]
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{NOT_UTF8}{i}.txt").write_text(text)
    model, out = tmp_path / "m.dgo", tmp_path / "out.parquet"
    assert distinguo("fit", tmp_path / "mails", "--model", "multinomial-nb", "-o", model, "-q").code == 0
    done = distinguo("predict", model, tmp_path / "mails", "-o", out)
    assert done.code == 0, done.err
    rows = pl.read_parquet(out)
    assert rows["class"].unique().sort().to_list() == [r"caf\xe9", "ham"]
    assert (rows["class"] == rows["predicted"]).mean() > 0.8
    assert rows["file"][0] == r"caf\xe9/caf\xe90.txt"


@pytest.mark.parametrize("encoding", ["punycode", "idna", "rot13", "base64"])
def test_encodings_that_texts_are_not_in(encoding: str, distinguo: Run, tmp_path: Path) -> None:
    for label in ("spam", "ham"):
        (tmp_path / "mails" / label).mkdir(parents=True)
        (tmp_path / "mails" / label / "a.txt").write_bytes(b"win- money \xe9")
    options = ("--model", "multinomial-nb", "-o", tmp_path / "m.dgo", "--set", f"text.encoding={encoding}")
    done = distinguo("fit", tmp_path / "mails", *options)
    assert done.code == 1
    assert "unexpected" not in done.error


@pytest.mark.parametrize("option", ["--text", "--null"])
def test_words_of_a_terminal_that_are_not_utf8(option: str, distinguo: Run, pets: str, pets_model: Path) -> None:
    table = [pets] if option == "--null" else []
    done = distinguo("explain", pets_model, *table, option, NOT_UTF8)
    assert done.code == 2
    assert "is not UTF-8" in done.error


def test_texts_that_come_again_are_pointed_out(distinguo: Run, write: Write, tmp_path: Path) -> None:
    mails = write("mails.csv", pl.concat([messages().select("label", "text")] * 4).write_csv())
    done = distinguo("fit", mails, "-t", "label", "--model", "mixed-nb", "-o", tmp_path / "m.dgo")
    assert done.code == 0
    assert "column 'text' holds texts, taken for categories; --text 'text' reads their words" in done.err


@pytest.mark.parametrize("role", ["text", "drop", "numeric", "categorical"])
@pytest.mark.parametrize("verb", ["fit", "compare", "describe"])
def test_the_target_has_no_other_role(verb: str, role: str, distinguo: Run, pets: str, tmp_path: Path) -> None:
    out = ["-o", tmp_path / "m.dgo"] if verb == "fit" else []
    done = distinguo(verb, pets, "-t", "kind", f"--{role}", "kind", *out)
    assert done.code == 1
    assert "column 'kind' is the target, whose classes are learned; it cannot be" in done.error


def test_many_small_classes_are_one_note(distinguo: Run, write: Write) -> None:
    rows = "".join(f"{i % 7}.5,{i % 30},k{i % 30}\n" for i in range(90))
    done = distinguo("compare", write("rows.csv", f"a,b,kind\n{rows}"), "-t", "kind", "--models", "gaussian-nb")
    assert done.code == 0, done.err
    notes = [line for line in done.err.splitlines() if "fewer rows than there are folds" in line]
    assert len(notes) == 1
    assert notes[0].startswith("note: 30 classes have fewer rows than there are folds, 5, so some test none of 'k0'")


def test_few_texts_are_read_too(distinguo: Run, write: Write, tmp_path: Path) -> None:
    for i, (label, text) in enumerate(messages(12).select("label", "text").iter_rows()):
        (tmp_path / "mails" / label).mkdir(parents=True, exist_ok=True)
        (tmp_path / "mails" / label / f"{i}.txt").write_text(text)
    model = tmp_path / "m.dgo"
    assert distinguo("fit", tmp_path / "mails", "--model", "multinomial-nb", "-o", model, "-q").code == 0
    done = distinguo("evaluate", model, tmp_path / "mails", "--fail-under", "accuracy=0.9")
    assert done.code == 0, done.err
    assert "12 different" not in distinguo("describe", tmp_path / "mails").out
    mails = write("mails.csv", messages(12).select("label", "text").write_csv())
    done = distinguo("fit", mails, "-t", "label", "--model", "mixed-nb", "-o", model)
    assert "column 'text' holds texts, taken for categories; --text 'text' reads their words" in done.err
