"""Tables of costs as people write them, and what is said of those that are none."""

from pathlib import Path

import polars as pl
import pytest

from tests.cli.conftest import Run, Write, two_classes

PLAIN = "true,cat,dog\ncat,0,1\ndog,20,0\n"
ALIKE = {
    "semicolons": PLAIN.replace(",", ";"),
    "tabs": PLAIN.replace(",", "\t"),
    "another order": "true,dog,cat\ndog,0,20\ncat,1,0\n",
    "blanks": "true, cat ,dog\n cat , 0,1 \ndog,20,0\n",
    "lines of Windows, and an empty one": PLAIN.replace("\n", "\r\n") + "\r\n",
    "a byte order mark": "\ufeff" + PLAIN,
    "quotes": '"true","cat","dog"\n"cat","0","1"\n"dog","20","0"\n',
    "nothing where right": "true,cat,dog\ncat,,1\ndog,20,\n",
    "no name above the classes": PLAIN.replace("true", ""),
    "fractions": "true,cat,dog\ncat,0,0.05\ndog,1,0\n",
}


@pytest.mark.parametrize("name", ALIKE)
def test_costs_are_read_like_any_table(name: str, distinguo: Run, pets: str, pets_model: Path, write: Write) -> None:
    wanted = distinguo("predict", pets_model, pets, "--costs", write("plain.csv", PLAIN))
    done = distinguo("predict", pets_model, pets, "--costs", write("costs.csv", ALIKE[name]))
    assert (done.code, done.err) == (0, "")
    assert done.out == wanted.out


def test_costs_in_parquet(distinguo: Run, pets: str, pets_model: Path, tmp_path: Path, write: Write) -> None:
    costs = pl.DataFrame({"true": ["cat", "dog"], "cat": [0, 20], "dog": [1, 0]})
    costs.write_parquet(tmp_path / "costs.parquet")
    wanted = distinguo("predict", pets_model, pets, "--costs", write("plain.csv", PLAIN))
    assert distinguo("predict", pets_model, pets, "--costs", tmp_path / "costs.parquet").out == wanted.out


def test_decimal_commas_are_those_of_the_model(distinguo: Run, tmp_path: Path, write: Write) -> None:
    rows = write("rows.csv", two_classes().replace(",", ";").replace(".", ","))
    distinguo("fit", rows, "-t", "kind", "--decimal", ",", "--model", "lda", "-o", tmp_path / "m.dgo", "-q")
    with_commas = write("costs.csv", "true;cat;dog\ncat;0;0,5\ndog;1,5;0\n")
    with_points = write("points.csv", "true;cat;dog\ncat;0;1\ndog;3;0\n")
    done, same = (
        distinguo("predict", tmp_path / "m.dgo", rows, "--costs", costs) for costs in (with_commas, with_points)
    )
    assert done.code == 0, done.err
    assert done.out == same.out


def test_names_with_quotes_and_lines(distinguo: Run, tmp_path: Path, write: Write) -> None:
    odd = ('"a ""q"", b\nline"', "\u202e😀")
    rows = write("rows.csv", two_classes().replace("cat", odd[0]).replace("dog", odd[1]))
    distinguo("fit", rows, "-t", "kind", "--model", "lda", "-o", tmp_path / "m.dgo", "-q")
    costs = write("costs.csv", PLAIN.replace("cat", odd[0]).replace("dog", odd[1]))
    assert distinguo("predict", tmp_path / "m.dgo", rows, "--costs", costs).code == 0
    done = distinguo("evaluate", tmp_path / "m.dgo", rows, "--fail-under", 'recall[a "q", b\nline]=1.5')
    assert (done.code, done.error) == (3, 'error: recall[a "q", b\\nline] is 1, under 1.5')


BAD = {
    "a header alone": ("true,cat,dog\n", "gives no costs"),
    "no column of costs": ("true\ncat\ndog\n", "gives no costs"),
    "a short line": ("true,cat,dog\ncat,0\ndog,1,0\n", "line 2: 2 fields"),
    "a class twice": ("true,cat,dog\ncat,0,1\ncat,1,0\n", "costs has 'cat' twice"),
    "a column twice": ("true,cat,cat\ncat,0,1\ndog,1,0\n", "the name 'cat' stands for columns 2 and 3"),
    "a word": ("true,cat,dog\ncat,0,much\ndog,1,0\n", "'much', for deciding 'dog' where 'cat' is true, is no number"),
    "a hole": ("true,cat,dog\ncat,0,\ndog,1,0\n", "no number for deciding 'dog' where 'cat' is true"),
    "infinite": ("true,cat,dog\ncat,0,inf\ndog,1,0\n", "costs inf"),
    "a line without a class": ("true,cat,dog\n,0,1\ndog,1,0\n", "costs names '', which is no class"),
}


@pytest.mark.parametrize("name", BAD)
def test_what_is_no_table_of_costs(name: str, distinguo: Run, pets: str, pets_model: Path, write: Write) -> None:
    text, message = BAD[name]
    done = distinguo("predict", pets_model, pets, "--costs", write("costs.csv", text))
    assert (done.code, done.out) == (1, "")
    assert message in done.error


JUDGED = {
    "a share given twice": (["--prevalence", "cat=.5", "--prevalence", "cat=.2"], 1, "given twice"),
    "a share above one": (["--prevalence", "cat=2"], 1, "write it as CLASS=SHARE"),
    "a class of all classes together": (["--fail-under", "accuracy[cat]=.9"], 2, "leave out [cat]"),
}


@pytest.mark.parametrize("name", JUDGED)
def test_what_evaluate_cannot_be_asked(name: str, distinguo: Run, pets: str, pets_model: Path) -> None:
    options, code, message = JUDGED[name]
    done = distinguo("evaluate", pets_model, pets, *options)
    assert (done.code, done.out) == (code, "")
    assert message in done.error
