"""Bad input, one row of the table each: one clear error that says what to do, or the right answer."""

from pathlib import Path

import pytest

from tests.cli.conftest import Run, Write, two_classes

GOOD = two_classes(20)
HEADER, *ROWS = GOOD.splitlines()


def table(*lines: str, header: str = HEADER) -> str:
    return "\n".join([header, *lines]) + "\n"


TABLES = {
    "no byte": ("", "is empty"),
    "header only": (table(), "has a header and no rows"),
    "one class": (table("1,2,cat", "2,3,cat", "3,1,cat"), "the target 'kind' has one class only, 'cat', in 3 rows"),
    "a class with one row": (table(*ROWS, "1,2,hen"), "1 class(es) of 'kind' have one row"),
    "no target in any row": (table("1,2,", "2,3,NA"), "the target 'kind' is missing in every row"),
    "target of measurements": (
        table(*(f"{i},1,{i}.5" for i in range(30))),
        "the target 'kind' holds 30 different numbers such as 0.5: measurements, not classes",
    ),
    "target of names": (
        table(*(f"{i},1,name{i}" for i in range(30))),
        "the target 'kind' has 30 different values in 30 rows, such as 'name0'",
    ),
    "infinity": (table(*ROWS, "inf,2,cat"), "column 'length', row 21: inf is not a finite number"),
    "minus infinity": (table("1,-Infinity,cat", *ROWS), "column 'width', row 1: -Infinity is not a finite number"),
    "a short line": (table(*ROWS, "1,2"), "line 22"),
    "a long line": (table(*ROWS, "1,2,cat,4"), "line 22"),
    "duplicate column names": (table(*ROWS, header="kind,width,kind"), "'kind'"),
    "no columns but the target": (
        table(*(f"{i},7,{'ab'[i % 2]}" for i in range(9))),
        "no column is left to learn from",
    ),
    "not UTF-8": (None, "UTF-8"),
    "binary": ("\x00\x01\x02", ""),
}


@pytest.mark.parametrize("verb", ["compare", "fit"])
@pytest.mark.parametrize("name", TABLES)
def test_bad_tables(name: str, verb: str, distinguo: Run, write: Write, tmp_path: Path) -> None:
    text, message = TABLES[name]
    file = write("bad.csv", text or "")
    if text is None:
        Path(file).write_bytes(GOOD.replace("cat", "é").encode("latin-1"))
    out = ("-o", str(tmp_path / "m.dgo")) if verb == "fit" else ()
    done = distinguo(verb, file, "-t", "kind", *out)
    assert done.code == 1
    assert message in done.error
    assert done.out == ""
    assert not (tmp_path / "m.dgo").exists()


COMMANDS = {
    "no such file": (["compare", "nosuch.csv", "-t", "y"], 1, "there is no file 'nosuch.csv'"),
    "no such set": (["compare", "irys", "-t", "y"], 1, "no embedded set of that name (there are iris, wine"),
    "a folder of a table": (["compare", ".", "-t", "y"], 1, "The columns are: 'length', 'width', 'kind'."),
    "unknown target": (["compare", "PETS", "-t", "knid"], 1, "Did you mean 'kind'?"),
    "unknown target of a set": (["compare", "iris", "-t", "specie"], 1, "Did you mean 'species'?"),
    "unknown column to drop": (["compare", "PETS", "-t", "kind", "--drop", "widht"], 1, "Did you mean 'width'?"),
    "two roles": (
        ["compare", "PETS", "-t", "kind", "--drop", "width", "--numeric", "width"],
        1,
        "column 'width' is asked to be both numeric and dropped",
    ),
    "more folds than rows": (["compare", "PETS", "-t", "kind", "--folds", "99"], 1, "use at most 40 folds"),
    "no target": (["compare", "PETS"], 2, "--target COL must name the column of classes"),
    "no output": (["fit", "PETS", "-t", "kind"], 2, "--output"),
    "unknown verb": (["compar", "PETS"], 2, "Did you mean 'compare'?"),
    "unknown option": (["compare", "PETS", "--fold", "3"], 2, "--folds"),
    "unknown model": (["compare", "PETS", "-t", "kind", "--models", "lda,qdda"], 2, "did you mean 'qda'?"),
    "unknown model to fit": (
        ["fit", "PETS", "-t", "kind", "--model", "svm", "-o", "m.dgo"],
        2,
        "there is no model 'svm'; there are 'lda', 'qda', ",
    ),
    "two models to fit": (
        ["fit", "PETS", "-t", "kind", "--model", "lda,qda", "-o", "m.dgo"],
        2,
        "there is no model 'lda,qda'",
    ),
    "a folder to write to": (["fit", "PETS", "-t", "kind", "-o", "."], 1, "is a folder; name a file to write"),
    "no folder to write in": (["fit", "PETS", "-t", "kind", "-o", "no/m.dgo"], 1, "there is no folder 'no'"),
    "one fold": (["compare", "PETS", "-t", "kind", "--folds", "1"], 2, "--folds"),
    "no repeat": (["compare", "PETS", "-t", "kind", "--repeats", "0"], 2, "--repeats"),
    "folds that are no number": (["compare", "PETS", "-t", "kind", "--folds", "many"], 2, "--folds"),
    "negative seed": (["compare", "PETS", "-t", "kind", "--seed", "-1"], 2, "--seed"),
    "long delimiter": (["compare", "PETS", "-t", "kind", "--delimiter", "::"], 2, "'::' is not one character"),
    "odd decimal mark": (["compare", "PETS", "-t", "kind", "--decimal", ";"], 2, "';' is neither '.' nor ','"),
    "unknown output format": (["predict", "m.dgo", "PETS", "-o", "x.xlsx"], 2, "must end in .csv, .tsv, .parquet"),
    "threshold above one": (["predict", "m.dgo", "PETS", "--novel-below", "2"], 2, "--novel-below"),
    "no arguments": (["predict"], 2, "Missing argument"),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_bad_commands(name: str, distinguo: Run, pets: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    arguments, code, message = COMMANDS[name]
    monkeypatch.chdir(tmp_path)
    done = distinguo(*(pets if argument == "PETS" else argument for argument in arguments))
    assert done.code == code
    assert message in done.error
    assert done.out == ""
    assert [file.name for file in tmp_path.iterdir()] == ["pets.csv"]


def spelt(name: str) -> tuple[str, list[str]]:
    """The good table in another spelling, and the options that it needs."""
    semicolons = GOOD.replace(",", ";")
    return {
        "byte order mark": ("\ufeff" + GOOD, []),
        "semicolons": (semicolons, []),
        "tabs": (GOOD.replace(",", "\t"), []),
        "semicolons said": (semicolons, ["--delimiter", ";"]),
        "tabs said": (GOOD.replace(",", "\t"), ["--delimiter", "\\t"]),
        "decimal commas": (semicolons.replace(".", ","), ["--decimal", ","]),
        "carriage returns": (GOOD.replace("\n", "\r\n"), []),
        "no last line end": (GOOD.rstrip("\n"), []),
        "quotes": (GOOD.replace("cat", '"cat"'), []),
        "spaces": (GOOD.replace("cat", " cat "), []),
        "an identifier with leading zeros": (
            "\n".join([HEADER + ",code", *(f"{row},{i:03}" for i, row in enumerate(ROWS))]) + "\n",
            ["--drop", "code"],
        ),
    }[name]


@pytest.mark.parametrize(
    "name",
    [
        "byte order mark",
        "semicolons",
        "tabs",
        "semicolons said",
        "tabs said",
        "decimal commas",
        "carriage returns",
        "no last line end",
        "quotes",
        "spaces",
        "an identifier with leading zeros",
    ],
)
def test_other_spellings_give_the_same(name: str, distinguo: Run, pets: str, write: Write) -> None:
    def table_of(done: object) -> list[list[str]]:
        lines = done.out.split("\n\n")[1].splitlines()  # type: ignore[attr-defined]
        return [line.split()[:6] for line in lines]

    text, options = spelt(name)
    plain = distinguo("compare", write("plain.csv", GOOD), "-t", "kind", "--repeats", "1")
    done = distinguo("compare", write("other.csv", text), "-t", "kind", "--repeats", "1", *options)
    assert (done.code, done.err) == (0, "")
    assert table_of(done) == table_of(plain)


def test_decimal_commas_without_the_option_are_pointed_out(distinguo: Run, write: Write) -> None:
    file = write("comma.csv", GOOD.replace(",", ";").replace(".", ","))
    done = distinguo("compare", file, "-t", "kind", "--repeats", "1")
    assert "note: column 'length' holds cells such as" in done.err
    assert "--decimal , reads them as numbers" in done.err


def test_more_words_for_missing(distinguo: Run, write: Write) -> None:
    file = write("holes.csv", table(*ROWS, "?,2,cat", "1,-9,dog"))
    noted = distinguo("compare", file, "-t", "kind", "--repeats", "1")
    assert "note: column 'length' holds numbers but for 1 cell(s) such as '?': --null '?'" in noted.err
    skipping = ("--models", "gaussian-nb")
    done = distinguo("compare", file, "-t", "kind", "--repeats", "1", "--null", "?", "--null", "-9", *skipping)
    assert done.err == ""
    assert "numeric      2: length, width" in done.out
    assert "not compared" not in done.out


def test_nan_and_infinite_cells_as_holes(distinguo: Run, write: Write) -> None:
    file = write("holes.csv", table(*ROWS, "nan,2,cat", "1,inf,dog"))
    done = distinguo("compare", file, "-t", "kind", "--null", "inf", "--models", "gaussian-nb")
    assert (done.code, done.err) == (0, "")


def test_labels_of_truth_values_and_of_words_and_numbers_mixed(distinguo: Run, write: Write) -> None:
    for labels in (("True", "False"), ("1", "one")):
        text = GOOD.replace("cat", labels[0]).replace("dog", labels[1])
        done = distinguo("compare", write("labels.csv", text), "-t", "kind", "--models", "lda")
        assert (done.code, done.err) == (0, "")
        assert "2 classes" in done.out


def test_debug_shows_where_an_error_arose(distinguo: Run, pets: str) -> None:
    done = distinguo("compare", pets, "-t", "knid", "--debug")
    assert done.code == 1
    assert "Traceback" in done.err
    assert "error: there is no column 'knid'" in done.err


def test_a_pattern_without_quotes_is_many_words(distinguo: Run) -> None:
    done = distinguo("fit", "rows/1.parquet", "rows/2.parquet", "-t", "kind", "-o", "m.dgo")
    assert done.code == 2
    assert "a pattern of files goes in quotes; 'distinguo fit --help' says how it is used" in done.err
    assert "quotes" not in distinguo("fit", "rows/1.parquet", "--terget", "kind", "-o", "m.dgo").err
