"""Conditions on rows: in SQL's words and as Polars expressions, over typed and text files, by any number of workers."""

import datetime

import numpy as np
import polars as pl
import pytest

from distinguo import LeastSquaresClassifier, LinearDiscriminantAnalysis
from distinguo.exceptions import InputError, InputTypeError
from distinguo.rows import columnar, records
from distinguo.rows.files import scan

N = 600
DAYS = [datetime.date(2024, 1, 1) + datetime.timedelta(days=i) for i in range(N)]


def table():
    random = np.random.default_rng(5)
    y = random.integers(0, 2, N)
    return pl.DataFrame(
        {
            "x": (random.normal(size=N) + y).round(3),
            "age": pl.Series(random.integers(0, 90, N)).set(pl.Series(random.random(N) < 0.1), None),
            "country": np.array(["it", "de", "fr"])[random.integers(0, 3, N)],
            "day": DAYS,
            "new": random.random(N) < 0.5,
            "y": np.array(["a", "b"])[y],
        }
    )


@pytest.fixture(params=["parquet", "csv", "arrow"])
def files(request, tmp_path, monkeypatch):
    """Three files of the table, read in small pieces."""
    monkeypatch.setattr(columnar, "PIECE_ROWS", 64)
    monkeypatch.setattr(records, "CHUNK_BYTES", 2000)
    monkeypatch.setattr(records, "SMALL_BYTES", 100)
    write = {"parquet": "write_parquet", "csv": "write_csv", "arrow": "write_ipc"}[request.param]
    for i, part in enumerate(table().iter_slices(200)):
        getattr(part, write)(tmp_path / f"{i}.{request.param}")
    return tmp_path / f"*.{request.param}"


def rows_of(source):
    batches = list(source.batches())
    assert [b.first_row for b in batches] == np.cumsum([0] + [len(b.X) for b in batches[:-1]]).tolist()
    return np.concatenate([b.X for b in batches])


AGED = pl.col("age")
CONDITIONS = [
    ("age >= 18", AGED >= 18),
    ("age >= 18 and country = 'it'", (AGED >= 18) & (pl.col("country") == "it")),
    ("country in ('it', 'de') or x > 2", pl.col("country").is_in(["it", "de"]) | (pl.col("x") > 2)),
    ("age between 20 and 30", AGED.is_between(20, 30)),
    ("age is null", AGED.is_null()),
    ("not (age < 50)", AGED >= 50),
    ("country like 'd%'", pl.col("country").str.starts_with("d")),
    ("new", pl.col("new")),
    ("not new and x < 0", ~pl.col("new") & (pl.col("x") < 0)),
    ("x * 2 > age / 10", pl.col("x") * 2 > AGED / 10),
    ("y = 'a'", pl.col("y") == "a"),
]


@pytest.mark.parametrize("as_text", [True, False])
@pytest.mark.parametrize(("text", "expression"), CONDITIONS, ids=[text for text, _ in CONDITIONS])
def test_rows_that_meet_it_take_part_and_no_others(files, text, expression, as_text):
    source = scan(files, target="y", columns=["x"], where=text if as_text else expression)
    expected = table().filter(expression)
    assert 0 < len(expected) < N
    np.testing.assert_array_equal(rows_of(source)[:, 0], expected["x"])


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_workers_leave_out_the_same_rows(files, workers):
    model = LinearDiscriminantAnalysis().fit(
        scan(files, target="y", columns=["x"], where="age >= 18 and country <> 'fr'", workers=workers)
    )
    rows = table().filter((AGED >= 18) & (pl.col("country") != "fr"))
    expected = LinearDiscriminantAnalysis().fit(rows.select("x"), rows["y"])
    np.testing.assert_allclose(model.coef_, expected.coef_, rtol=1e-12)
    assert model.statistic_.weight.tolist() == expected.statistic_.weight.tolist()


def test_days(files):
    where = "day >= '2024-06-01'" if files.suffix == ".csv" else "day >= date '2024-06-01'"
    source = scan(files, target="y", columns=["x"], where=where)
    expected = table().filter(pl.col("day") >= datetime.date(2024, 6, 1))
    np.testing.assert_array_equal(rows_of(source)[:, 0], expected["x"])


@pytest.mark.parametrize("where", ["day >= '2024-06-01'", "country = 3 and day > date '2024-01-01'"])
def test_days_of_typed_files_are_no_text(tmp_path, where):
    table().write_parquet(tmp_path / "a.parquet")
    with pytest.raises(
        InputError, match=r"where cannot be worked out: .*\. Dates are written as in date '2024-12-31'\."
    ):
        scan(tmp_path / "a.parquet", target="y", columns=["x"], where=where)


def test_what_text_files_hold_is_said_where_a_condition_takes_it_for_something_else(tmp_path):
    (tmp_path / "a.csv").write_text("x,zip,y\n1,10115,a\n2,20095,b\n")
    with pytest.raises(InputError, match=r"By its first rows the file has in 'zip' numbers, and in others words\."):
        scan(tmp_path / "a.csv", target="y", where="zip = '10115'")
    assert rows_of(scan(tmp_path / "a.csv", target="y", columns=["x"], where="zip = 10115")).tolist() == [[1]]


def test_decimal_commas_are_numbers_in_conditions_too(tmp_path):
    (tmp_path / "a.csv").write_text("x;z;y\n1;0,5;a\n2;1,5;b\n3;-2,5;a\n4;;b\n")
    source = scan(tmp_path / "a.csv", target="y", columns=["x"], decimal=",", where="z > 0.25 or z is null")
    assert rows_of(source).ravel().tolist() == [1, 2, 4]


@pytest.mark.parametrize("workers", [1, 2])
def test_a_condition_that_no_row_meets(files, workers):
    source = scan(files, target="y", columns=["x"], where="age > 900", workers=workers)
    for reads in (lambda: list(source.batches()), lambda: LinearDiscriminantAnalysis().fit(source)):
        with pytest.raises(InputError, match="no row meets the condition of where="):
            reads()


AT_ONCE = [
    ("agee > 3", "there is no column 'agee' to be a part of where. Did you mean 'age'?"),
    (pl.col("q") > 3, "there is no column 'q' to be a part of where. The columns are"),
    (
        "country = sweden",
        "no column 'sweden' to be a part of where. As a word it is written 'sweden', in single quotes.",
    ),
    ("age >", "where='age >' is not understood"),
    ("", "where='' is not understood"),
    ("select age", "is not understood"),
    ("age > 3; drop table rows", "is not understood"),
    ("age in (select age from other)", "is not understood"),
    ("age", "where must be true or false of each row, such as 'x > 3'; it is of type"),
    (AGED + 1, "where must be true or false of each row"),
    ("country > 3", "Words are in 'country'; they are compared with words in single quotes"),
    ("1 = 1", "where names no column"),
    (pl.lit(True), "where names no column"),
    (pl.all() > 3, "where names no column"),
    ("count(*) > 3", "where names no column"),
    ("avg(age) > 3", "where must judge each row by itself"),
]


@pytest.mark.parametrize(("where", "message"), AT_ONCE, ids=[str(where) for where, _ in AT_ONCE])
def test_mistakes_are_seen_before_rows_are_read(files, where, message):
    with pytest.raises(InputError) as caught:
        scan(files, target="y", columns=["x"], where=where)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("where", [3, True, ["age > 3"], lambda row: True])
def test_what_is_neither_text_nor_expression(files, where):
    with pytest.raises(InputTypeError, match="where must be text such as 'x > 3', or a Polars expression"):
        scan(files, target="y", columns=["x"], where=where)


@pytest.mark.parametrize(
    "where",
    ["x > avg(x)", pl.col("x").cum_sum() > 0, pl.col("x").shift(1) > 0, pl.col("x").rank() > 10, pl.len() > AGED],
    ids=str,
)
def test_what_depends_on_other_rows_is_refused_rather_than_answered_piece_by_piece(files, where):
    source = scan(files, target="y", columns=["x"], where=where)
    with pytest.raises(InputError, match="where must judge each row by itself"):
        rows_of(source)


def test_a_cell_that_is_no_number_after_all(tmp_path, monkeypatch):
    monkeypatch.setattr(records, "CHUNK_BYTES", 100)
    monkeypatch.setattr(records, "SMALL_BYTES", 10)
    rows = "".join(f"{i},{i},a\n{i},{i},b\n" for i in range(100))
    (tmp_path / "a.csv").write_text(f"x,z,y\n{rows}7,much,a\n")
    with pytest.raises(InputError, match=r"'z' \('much' in row 200\)"):
        rows_of(scan(tmp_path / "a.csv", target="y", columns=["x"], where="z >= 0"))


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_rows_in_messages_count_those_that_take_part_and_errors_come_once(files, workers):
    source = scan(files, target="y", columns=["age"], where="x > -100 and country <> 'de'", workers=workers)
    taking_part = table().filter(pl.col("country") != "de")
    hole = taking_part["age"].is_null().arg_max()
    with pytest.raises(InputError, match=rf"X contains NaN \(row {hole}, column 'age'\)") as caught:
        LeastSquaresClassifier().fit(source)
    assert str(caught.value).count("row ") == 1


def test_what_text_stands_for_is_told_by_rows_that_take_part(tmp_path, monkeypatch):
    """The first rows, which are left out, have no label, or one of another kind."""
    monkeypatch.setattr(records, "CHUNK_BYTES", 100)
    monkeypatch.setattr(records, "SMALL_BYTES", 10)
    left_out = "0,,n\n" * 100 + "0,word,n\n" * 100
    (tmp_path / "a.csv").write_text("x,y,use\n" + left_out + "1,1,y\n2,2,y\n" * 50)
    for workers in (1, 2, 3):
        source = scan(tmp_path / "a.csv", target="y", columns=["x"], where="use = 'y'", workers=workers)
        assert LinearDiscriminantAnalysis(shrinkage=0.5).fit(source).classes_.tolist() == [1, 2]
