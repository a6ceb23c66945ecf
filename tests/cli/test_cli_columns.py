"""What columns are taken for, and the numbers that models see."""

from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from distinguo.cli.cells import Grid, Spelling
from distinguo.cli.encoding import Encoder
from distinguo.cli.roles import (
    CATEGORICAL,
    CONSTANT,
    DATES,
    DROPPED,
    IDENTIFIER,
    NUMERIC,
    TEXT,
    UNREADABLE,
    Overrides,
    Role,
    assign,
)
from distinguo.exceptions import InputError

DAYS = [date(2024, 2, 20) + timedelta(days=i) for i in range(21)]


def grid(spelling: Spelling | None = None, **columns: object) -> Grid:
    frame = pl.DataFrame(columns, strict=False)
    return (spelling or Spelling()).read(frame, frame.columns)


def role(values: object, name: str = "x", spelling: Spelling | None = None) -> Role:
    return assign(grid(spelling, **{name: values}), Overrides())[0]


def numbered(text: str, n: int) -> list[str]:
    return [f"{text}{i}" for i in range(n)]


@pytest.mark.parametrize(
    ("name", "values", "expected"),
    [
        ("x", ["1.5", "2", None, "-3e2", "+.5"], NUMERIC),
        ("x", [0.5, 1.5, None], NUMERIC),
        ("x", ["3", "1", "2"], NUMERIC),
        ("x", ["1", "2", "1", "2"], NUMERIC),
        ("x", ["1.5", "2.5", "3.5"], NUMERIC),
        ("x", ["10", "20", "30", "40"], NUMERIC),
        ("index", ["1", "2", "1", "2"], NUMERIC),
        ("id", [0.1, 0.2, 0.3], NUMERIC),
        ("id", ["7", "3", "9"], IDENTIFIER),
        ("sampleId", [7, 3, 9], IDENTIFIER),
        ("patient_id", ["7", "3", "9"], IDENTIFIER),
        ("Unnamed: 0", [5, 3, 4], IDENTIFIER),
        ("humid", ["7", "3", "9"], NUMERIC),
        ("x", ["1", "2", "3", "4"], IDENTIFIER),
        ("x", [1, 2, 4, 5, 8], IDENTIFIER),
        ("x", ["007", "003", "009"], CATEGORICAL),
        ("x", [f"{i:03}" for i in range(25)], IDENTIFIER),
        ("x", ["0.5", "0", "-0.25"], NUMERIC),
        ("x", numbered("subject", 30), IDENTIFIER),
        ("x", numbered("subject", 15), CATEGORICAL),
        ("x", [f"word{i} and some more words" for i in range(30)], TEXT),
        ("x", ["a", "b", "a", None], CATEGORICAL),
        ("x", [True, False, True], CATEGORICAL),
        ("x", ["a", "a", None], CONSTANT),
        ("x", ["5", "5", "5"], CONSTANT),
        ("x", [None, "NA", "", " NaN "], CONSTANT),
        ("x", ["1", "2", "inf"], NUMERIC),
        ("x", [[1], [2], [3]], UNREADABLE),
        ("x", DAYS, DATES),
        ("x", [*DAYS, None, *DAYS, *DAYS], DATES),
        ("x", [datetime.combine(day, time(9, 30), UTC) for day in DAYS], DATES),
        ("x", [datetime.combine(day, time(9, 30, 1, 5)) for day in DAYS], DATES),
        ("x", [str(day) for day in DAYS], DATES),
        ("x", [f"{day}T10:00:00Z" for day in DAYS], DATES),
        ("x", [*map(str, DAYS), "unknown"] * 3, CATEGORICAL),
        ("x", [f"{day}-{day}" for day in DAYS] * 3, CATEGORICAL),
        ("x", DAYS[:20] * 3, CATEGORICAL),
    ],
)
def test_roles_by_the_rules(name: str, values: list[object], expected: str) -> None:
    assert role(values, name).role == expected


def test_part_of_row_numbers_is_still_an_identifier() -> None:
    rows = np.random.default_rng(0).choice(200, size=160, replace=False)
    assert role(sorted(rows.tolist())).role == IDENTIFIER
    assert role(rows.tolist()).role == NUMERIC


def test_roles_can_be_overridden() -> None:
    table = grid(zip=["007", "012", "007"], year=["1", "2", "3"], x=["1", "2", "1"], same=["a", "a", "a"])
    overrides = Overrides(numeric=("year",), categorical=("zip", "same"), drop=("x",))
    assert [r.role for r in assign(table, overrides)] == [CATEGORICAL, NUMERIC, DROPPED, CONSTANT]


def test_dates_are_categories_where_that_is_asked() -> None:
    left_out, taken = (
        assign(grid(day=DAYS), overrides)[0] for overrides in (Overrides(), Overrides(categorical=("day",)))
    )
    assert (left_out.used, left_out.why) == (False, "21 different dates")
    assert "column 'day' holds dates, and is left out" in left_out.hint
    assert taken.role == CATEGORICAL


def test_one_column_cannot_have_two_roles() -> None:
    with pytest.raises(InputError, match="both numeric and dropped"):
        Overrides(numeric=("a",), drop=("a",)).settled()


def test_forced_to_numbers_a_code_is_its_number() -> None:
    table = grid(zip=["007", "012"])
    roles = assign(table, Overrides(numeric=("zip",)))
    assert Encoder.learn(table, roles).encode(table)["zip"].to_list() == [7.0, 12.0]


def test_decimal_commas() -> None:
    comma = Spelling(decimal=",")
    assert role(["1,5", "2", "-3,25"], spelling=comma).role == NUMERIC
    assert comma.read_column(pl.Series("x", ["1,5", "1.234,5", "3.5"])).numbers.to_list() == [1.5, None, None]
    assert "--decimal ," in role(["1,5", "2,5", "3,25"]).hint


def test_numbers_in_groups_of_thousands_and_percentages_are_pointed_out() -> None:
    for cells in (["1,234.5", "-12,000.25", "7"], ["1,234,567", "12,000,000", "900"]):
        assert "groups of thousands" in role(cells).hint
    assert "'1234.5'" in role(["1,234.5", "2,345.5", "1"]).hint
    assert "without the sign they are numbers" in role(["12.5%", "7 %", "-1%"]).hint
    assert "--decimal ," in role(["1,234", "2,345", "3,456"]).hint


def test_a_few_words_among_numbers_are_pointed_out() -> None:
    found = role(["1.5", "2", "?", "4"])
    assert found.role == CATEGORICAL
    assert found.hint.endswith("such as '?': --null '?' reads them as missing")
    assert role(["1.5", "2", "?", "4"], spelling=Spelling(nulls=("?",))).role == NUMERIC


def encode(training: Grid, table: Grid) -> pl.DataFrame:
    return Encoder.learn(training, assign(training, Overrides())).encode(table)


def test_categories_become_indicators_but_for_the_commonest() -> None:
    table = grid(x=["b", "a", "c", "b", "a", "b", "c"])
    encoded = encode(table, table)
    assert encoded.columns == ["x=a", "x=c"]
    assert encoded.rows() == [(0, 0), (1, 0), (0, 1), (0, 0), (1, 0), (0, 0), (0, 1)]


def test_two_categories_become_one_indicator() -> None:
    table = grid(sex=["f", "m", "f", "m", "m"])
    assert encode(table, table).to_dict(as_series=False) == {"sex=f": [1, 0, 1, 0, 0]}


def test_missing_and_never_seen_categories_are_holes() -> None:
    training = grid(x=["a", "b", "a", "b", "b"])
    encoded = encode(training, grid(x=["a", None, "z", "b"]))
    np.testing.assert_array_equal(encoded["x=a"].to_numpy(), [1, np.nan, np.nan, 0])


def test_rare_categories_share_an_indicator_that_takes_new_ones_too() -> None:
    training = grid(x=["a"] * 60 + ["b"] * 38 + ["c", "d"])
    encoded = encode(training, grid(x=["a", "b", "c", "z", None]))
    assert encoded.columns == ["x=b", "x=(other)"]
    np.testing.assert_array_equal(encoded.to_numpy(), [[0, 0], [1, 0], [0, 1], [0, 1], [np.nan, np.nan]])


def test_where_all_categories_are_rare_one_is_kept() -> None:
    table = grid(x=["a", "b", "c", "d"])
    encoded = encode(table, table)
    assert encoded.columns == ["x=(other)"]
    assert encoded["x=(other)"].to_list() == [0, 1, 1, 1]


def test_features_keep_their_names_apart() -> None:
    table = grid(**{"x": ["a", "b", "b", "b", "a"], "x=a": [1.5, 2.5, 3.0, 3.0, 1.0]})
    assert encode(table, table).columns == ["x=a", "x=a'"]


def test_the_same_categories_whatever_their_type() -> None:
    training = grid(pclass=["1", "2", "3", "3"])
    encoder = Encoder.learn(training, [Role("pclass", CATEGORICAL)])
    for values in ([1, 2, 3, 3], [1.0, 2.0, 3.0, 3.0], [" 1", "2", "3 ", "3"]):
        assert encoder.encode(grid(pclass=values)).equals(encoder.encode(training))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (["1", "x"], "column 'x', row 2: 'x' is not a number. Mend it, or read it as missing with --null 'x'"),
        (["1", "-inf"], "column 'x', row 2: -inf is not a finite number. Read it as missing with --null -inf"),
        ([1.0, np.inf], "column 'x', row 2: inf is not a finite number"),
    ],
)
def test_cells_that_are_no_numbers_are_named(values: list[object], message: str) -> None:
    training = grid(x=["1", "3", "2"])
    encoder = Encoder.learn(training, [Role("x", NUMERIC)])
    with pytest.raises(InputError) as caught:
        encoder.encode(grid(x=values))
    assert message in str(caught.value)


def test_the_first_hole_is_named() -> None:
    training = grid(a=["1", "3", "2", "5"], b=["u", "v", "u", "v"])
    encoder = Encoder.learn(training, assign(training, Overrides()))
    for table, words in [
        (grid(a=["1", None], b=["u", "v"]), "column 'a' has one in row 2"),
        (grid(a=["1", "2"], b=["z", "v"]), "column 'b' has 'z' in row 1, a category that no training row has"),
    ]:
        assert encoder.first_hole(table, encoder.encode(table)) == words
    assert encoder.first_hole(training, encoder.encode(training)) is None


def test_without_columns_there_is_nothing_to_learn_from() -> None:
    table = grid(id=["1", "2", "3"], same=["a", "a", "a"])
    with pytest.raises(InputError, match=r"'id' \(identifier-like\), 'same' \(constant\). Settle roles with"):
        Encoder.learn(table, assign(table, Overrides()))


def test_texts_are_read_where_there_is_nothing_else_or_they_are_named() -> None:
    prose, numbers = [f"word number {i} of many" for i in range(30)], [str(i % 7) for i in range(30)]
    (alone,) = assign(grid(text=prose), Overrides())
    assert (alone.role, alone.read, alone.used) == (TEXT, True, True)
    beside = {role.column: role for role in assign(grid(text=prose, x=numbers), Overrides())}
    assert (beside["text"].used, beside["x"].used) == (False, True)
    asked = {role.column: role for role in assign(grid(text=prose, x=numbers), Overrides(text=("text",)))}
    assert (asked["text"].read, asked["x"].role, asked["x"].used) == (True, DROPPED, False)


def test_roles_of_real_tables(shared_data: object) -> None:
    found = {r.column: r.role for r in assign(real(shared_data, "sms_spam.csv"), Overrides())}
    assert found == {"label": CATEGORICAL, "text": TEXT}
    found = {r.column: r.role for r in assign(real(shared_data, "titanic.csv"), Overrides())}
    assert found["age"] == found["pclass"] == NUMERIC
    assert found["deck"] == found["alone"] == CATEGORICAL
    found = {r.column: r.role for r in assign(real(shared_data, "mushroom.csv"), Overrides())}
    assert [name for name, kind in found.items() if kind != CATEGORICAL] == ["veil-type"]
    found = {r.column: r.role for r in assign(real(shared_data, "spector.csv"), Overrides())}
    assert found["OBS"] == IDENTIFIER


def real(shared_data: object, name: str) -> Grid:
    assert callable(shared_data)
    file: Path = shared_data(name)
    frame = pl.read_csv(file, infer_schema=False)
    return Spelling().read(frame, frame.columns)
