"""fit and predict: the rows come back as they went in, with what the model says of each."""

import io
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from distinguo import LinearDiscriminantAnalysis
from tests.cli.conftest import Run, Write, two_classes

Data = Callable[[str], Path]


def test_rows_come_back_verbatim_with_columns_appended(
    distinguo: Run, pets: str, pets_model: Path, write: Write
) -> None:
    text = 'id,note,width,length\n007,"a, ""b""",1.50,+0.1\n008,NA,3,2.50\n009,, 4 ,1e0\n'
    done = distinguo("predict", pets_model, write("new.csv", text))
    assert done.code == 0
    assert done.err.startswith("note: columns the model does not know are passed through: 'id', 'note'\n")
    lines = done.out.splitlines()
    assert lines[0] == "id,note,width,length,predicted,p_cat,p_dog,typicality,novel"
    assert lines[1].startswith('007,"a, ""b""",1.50,+0.1,dog,')
    assert lines[2].startswith("008,NA,3,2.50,cat,")
    assert lines[3].startswith("009,, 4 ,1e0,cat,")


def test_the_numbers_are_those_of_the_library(distinguo: Run, pets: str, pets_model: Path) -> None:
    out = pl.read_csv(io.StringIO(distinguo("predict", pets_model, pets, "-q").out))
    frame = pl.read_csv(pets)
    X = frame.select("length", "width")
    model = LinearDiscriminantAnalysis().fit(X, frame["kind"].to_list())
    assert out["predicted"].to_list() == model.predict(X).tolist()
    np.testing.assert_allclose(out.select("p_cat", "p_dog").to_numpy(), model.predict_proba(X), rtol=1e-9)
    np.testing.assert_allclose(out["typicality"].to_numpy(), model.typicality(X).max(axis=1), rtol=1e-9)
    assert out.select(frame.columns).equals(frame)


@pytest.mark.parametrize("suffix", ["csv", "tsv", "parquet"])
def test_files_of_every_format_hold_the_same(suffix: str, distinguo: Run, pets: str, pets_model: Path) -> None:
    file = pets_model.parent / f"out.{suffix}"
    done = distinguo("predict", pets_model, pets, "-o", file)
    assert (done.code, done.out) == (0, "")
    readers = {
        "csv": lambda: pl.read_csv(file),
        "tsv": lambda: pl.read_csv(file, separator="\t"),
        "parquet": lambda: pl.read_parquet(file).with_columns(pl.col("length", "width").cast(pl.Float64)),
    }
    expected = pl.read_csv(io.StringIO(distinguo("predict", pets_model, pets).out))
    assert readers[suffix]().equals(expected)


def test_typed_tables_keep_their_types(distinguo: Run, pets: str, pets_model: Path) -> None:
    rows, out = pets_model.parent / "rows.parquet", pets_model.parent / "out.parquet"
    frame = pl.read_csv(pets).with_columns(day=pl.date(2024, 1, 2), tags=pl.concat_list("kind"))
    frame.write_parquet(rows)
    assert distinguo("predict", pets_model, rows, "-o", out, "-q").code == 0
    found = pl.read_parquet(out)
    assert found.select(frame.columns).equals(frame)
    assert found["novel"].dtype == pl.Boolean
    error = distinguo("predict", pets_model, rows, "-q").error
    assert "column 'tags' holds List(String), which CSV cannot" in error


def test_batches_are_put_together_in_order(distinguo: Run, pets_model: Path, tmp_path: Path) -> None:
    n = 400_000
    frame = pl.DataFrame({"nr": np.arange(n), "length": np.linspace(-3, 6, n).round(3), "width": np.full(n, 1.5)})
    frame.write_csv(tmp_path / "many.csv")
    for suffix in ("csv", "parquet"):
        out = tmp_path / f"out.{suffix}"
        assert distinguo("predict", pets_model, tmp_path / "many.csv", "-o", out, "-q").code == 0
        found = pl.read_csv(out) if suffix == "csv" else pl.read_parquet(out)
        assert found["nr"].cast(pl.Int64).equals(frame["nr"])
        assert found["predicted"].unique_counts().len() == 2
        assert (found["predicted"] != found["predicted"].shift()).sum() == 1


def test_columns_are_found_by_name_whatever_their_order(distinguo: Run, pets: str, pets_model: Path) -> None:
    other = pets_model.parent / "other.csv"
    pl.read_csv(pets).select("width", "kind", "length").write_csv(other)
    a, b = (pl.read_csv(io.StringIO(distinguo("predict", pets_model, file).out)) for file in (pets, other))
    assert a.select(a.columns[3:]).equals(b.select(b.columns[3:]))


def test_a_missing_column_is_refused_by_name(distinguo: Run, pets: str, pets_model: Path) -> None:
    text = Path(pets).read_text()
    Path(pets).write_text(text.replace("width", "widht", 1))
    done = distinguo("predict", pets_model, pets)
    assert done.code == 1
    assert done.error == "error: the table lacks a column of the model: 'width'; for 'width' did you mean 'widht'?"


def test_where_no_column_is_like_the_missing_ones_those_there_are_named(
    distinguo: Run, pets_model: Path, write: Write
) -> None:
    done = distinguo("predict", pets_model, write("r.csv", "sbp,age\n1,2\n"))
    assert done.error == "error: the table lacks 2 columns of the model: 'length', 'width'; the table has 'sbp', 'age'."


def test_names_that_are_taken_get_a_number(distinguo: Run, pets: str, pets_model: Path, write: Write) -> None:
    done = distinguo("predict", pets_model, write("r.csv", "length,width,predicted,novel,novel_2\n1,2,a,b,c\n"))
    assert done.out.splitlines()[0] == (
        "length,width,predicted,novel,novel_2,predicted_2,p_cat,p_dog,typicality,novel_3"
    )
    assert "note: the table already has a column 'predicted'; ours is called 'predicted_2'" in done.err
    assert "note: the table already has a column 'novel'; ours is called 'novel_3'" in done.err


def test_the_unfamiliar_is_novel(distinguo: Run, pets_model: Path, write: Write) -> None:
    file = write("r.csv", "length,width\n0,0\n50,-50\n")
    done = distinguo("predict", pets_model, file)
    assert [line.split(",")[-1] for line in done.out.splitlines()] == ["novel", "false", "true"]
    assert done.err == "note: 1 of 2 rows look like none of the classes (novel)\n"
    done = distinguo("predict", pets_model, file, "--novel-below", "1")
    assert [line.split(",")[-1] for line in done.out.splitlines()] == ["novel", "true", "true"]


def test_a_table_without_rows_gives_its_header(distinguo: Run, pets_model: Path, write: Write) -> None:
    done = distinguo("predict", pets_model, write("r.csv", "length,width\n"))
    assert (done.code, done.out) == (0, "length,width,predicted,p_cat,p_dog,typicality,novel\n")
    out = pets_model.parent / "o.parquet"
    assert distinguo("predict", pets_model, write("r.csv", "length,width\n"), "-o", out).code == 0
    assert pl.read_parquet(out).height == 0


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ("abc,1", "column 'length', row 2: 'abc' is not a number"),
        ("inf,1", "column 'length', row 2: inf is not a finite number"),
        ("1", "line 3"),
        ("1,2,3", "line 3"),
    ],
)
@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_on_an_error_nothing_is_written_and_the_old_file_stays(
    cells: str, message: str, suffix: str, distinguo: Run, pets_model: Path, write: Write
) -> None:
    folder = pets_model.parent
    out = write(f"out.{suffix}", "old")
    before = sorted(file.name for file in folder.iterdir())
    done = distinguo("predict", pets_model, write("new.csv", f"length,width\n1,2\n{cells}\n"), "-o", out)
    assert done.code == 1
    assert message in done.error
    assert Path(out).read_text() == "old"
    assert sorted(file.name for file in folder.iterdir()) == sorted({*before, "new.csv"})


def test_an_error_in_a_later_batch_leaves_nothing_either(distinguo: Run, pets_model: Path, tmp_path: Path) -> None:
    rows = tmp_path / "rows.csv"
    rows.write_text("length,width\n" + "1.25,2.5\n" * 400_000 + "x,1\n")
    for suffix in ("csv", "parquet"):
        done = distinguo("predict", pets_model, rows, "-o", tmp_path / f"out.{suffix}")
        assert "column 'length', row 400001: 'x' is not a number" in done.error
    assert sorted(file.name for file in tmp_path.iterdir()) == ["pets.csv", "pets.dgo", "rows.csv"]


@pytest.mark.parametrize("out", ["nosuch/out.csv", "folder.csv"])
def test_where_nothing_can_be_written(out: str, distinguo: Run, pets: str, pets_model: Path) -> None:
    (pets_model.parent / "folder.csv").mkdir()
    done = distinguo("predict", pets_model, pets, "-o", pets_model.parent / out)
    assert done.code == 1
    assert "folder" in done.error


def test_from_penguins_to_predictions(distinguo: Run, shared_data: Data, tmp_path: Path) -> None:
    file, model = shared_data("penguins.csv"), tmp_path / "penguins.dgo"
    done = distinguo("fit", file, "--target", "species", "-o", model)
    assert done.code == 0
    assert "note: chose rda, log loss" in done.err
    assert f"wrote {model}: regularised discriminant analysis, 344 rows, 6 columns, 3 classes of 'species'" in done.err
    done = distinguo("predict", model, file)
    frame = pl.read_csv(io.StringIO(done.out), infer_schema=False)
    original = pl.read_csv(file, infer_schema=False)
    assert frame.select(original.columns).equals(original)
    assert (frame["predicted"] == frame["species"]).mean() > 0.9  # type: ignore[operator]


def test_words_that_meant_missing_at_fit_mean_so_later(distinguo: Run, write: Write, tmp_path: Path) -> None:
    file = write("pets.csv", two_classes(30) + "?,1,cat\n")
    options = ("-t", "kind", "--model", "gaussian-nb", "--null", "?", "-o", tmp_path / "m.dgo", "-q")
    assert distinguo("fit", file, *options).code == 0
    done = distinguo("predict", tmp_path / "m.dgo", write("new.csv", "length,width\n?,2\n-,2\n"), "--null", "-")
    first, second = (line.split(",")[1:] for line in done.out.splitlines()[1:])
    assert first == second


def test_the_decimal_mark_of_the_fit_is_expected_later(distinguo: Run, write: Write, tmp_path: Path) -> None:
    comma = write("comma.csv", two_classes(30).replace(",", ";").replace(".", ","))
    options = ("-t", "kind", "--model", "lda", "-o", tmp_path / "m.dgo", "-q")
    assert distinguo("fit", comma, "--decimal", ",", *options).code == 0
    point = write("point.csv", two_classes(30))
    tails = [
        [line.split(",")[-5:] for line in distinguo("predict", tmp_path / "m.dgo", *more).out.splitlines()]
        for more in ([comma], [point, "--decimal", "."])
    ]
    assert len(tails[0]) == 31
    assert tails[0] == tails[1]
    error = distinguo("predict", tmp_path / "m.dgo", point).error
    assert error.endswith("is not a number. --decimal . reads it.")


def test_an_unseen_category_is_a_hole_for_models_that_take_them(distinguo: Run, write: Write, tmp_path: Path) -> None:
    lines = two_classes(40, extra=",a", header=",letter").splitlines()
    file = write("pets.csv", "\n".join(line[:-1] + "b" if i % 3 == 1 else line for i, line in enumerate(lines)) + "\n")
    new = write("new.csv", "length,width,letter\n1,2,a\n1,2,z\n1,2,\n")
    for name in ("lda", "gaussian-nb"):
        assert distinguo("fit", file, "-t", "kind", "--model", name, "-o", tmp_path / name, "-q").code == 0
        predicted = distinguo("predict", tmp_path / name, new).out.splitlines()
        assert predicted[2].split(",")[3:] == predicted[3].split(",")[3:] != predicted[1].split(",")[3:]
