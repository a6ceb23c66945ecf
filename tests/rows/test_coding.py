"""Columns of numbers and words, from any container, by role."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from distinguo import CategoricalNB
from distinguo.rows.coding import coded_table, resolve_roles
from distinguo.rows.columns import columns_of

WORDS: list[str | None] = ["red", None, "blue", "red"]
NUMBERS = [1.5, 2.0, None, -1.0]
TRUTH = [True, False, None, True]
COLUMNS = {"colour": WORDS, "length": NUMBERS, "new": TRUTH}
ROWS = [list(row) for row in zip(WORDS, NUMBERS, TRUTH, strict=True)]

CONTAINERS: dict[str, Any] = {
    "lists": ROWS,
    "objects": np.array(ROWS, dtype=object),
    "pandas objects": pd.DataFrame(COLUMNS, dtype=object),
    "pandas nullable": pd.DataFrame(COLUMNS).convert_dtypes(),
    "pandas categories": pd.DataFrame(COLUMNS).astype({"colour": "category", "new": "boolean"}),
    "polars": pl.DataFrame(COLUMNS),
    "polars categories": pl.DataFrame(COLUMNS).with_columns(pl.col("colour").cast(pl.Categorical)),
    "pyarrow": pa.table(COLUMNS),
}


@pytest.mark.parametrize("rows", list(CONTAINERS.values()), ids=list(CONTAINERS))
def test_every_container_says_the_same(rows: Any) -> None:
    came = columns_of(rows)
    assert resolve_roles(came, None) == ["category", "numeric", "binary"]
    table = coded_table(came, None)
    assert table.coding is not None
    assert [None if c is None else c.tolist() for c in table.coding.categories] == [["blue", "red"], None, None]
    nan = np.nan
    expected = [[1, 1.5, 1], [nan, 2, 0], [0, nan, nan], [1, -1, 1]]
    np.testing.assert_array_equal(table.read(0, 4), expected)
    assert (table.names is None) == (not hasattr(rows, "columns"))


def test_categories_that_no_row_has_are_none() -> None:
    colours = pd.Categorical(["red", "red"], categories=["blue", "red", "grey"])
    table = coded_table(columns_of(pd.DataFrame({"colour": colours})), None)
    assert table.coding is not None
    categories = table.coding.categories[0]
    assert categories is not None
    assert categories.tolist() == ["red"]


def test_numbers_are_categories_where_they_are_asked_to_be() -> None:
    table = coded_table(columns_of(np.array([[3.0], [np.nan], [-1.0], [3.0]])), "category")
    assert table.coding is not None
    np.testing.assert_array_equal(table.read(0, 4)[:, 0], [1, np.nan, 0, 1])


@pytest.mark.parametrize(
    ("asked", "roles"),
    [
        ("category", ["category"] * 3),
        ({"length": "count"}, ["category", "count", "binary"]),
        ({1: "category", "new": "category"}, ["category", "category", "category"]),
        (["category", "numeric", "numeric"], ["category", "numeric", "numeric"]),
        (np.array(["category", "numeric", "numeric"]), ["category", "numeric", "numeric"]),
    ],
)
def test_roles_are_settled_by_name_by_place_or_all(asked: Any, roles: list[str]) -> None:
    assert resolve_roles(columns_of(pl.DataFrame(COLUMNS)), asked) == roles


NUMBERS_TO_CODE: dict[str, list[float]] = {
    "one whole number after the other": [2.0, 4.0, 3.0, 2.0],
    "whole numbers with gaps": [-3.0, 0.0, 7.0, 0.0],
    "whole numbers far apart": [1e9, -1e9, 3.0, 1e300],
    "fractions": [0.5, 0.25, 0.5, -1.75],
    "one number": [4.0, 4.0],
    "beyond whole numbers": [2.0**53, 2.0**60],
}


@pytest.mark.parametrize("numbers", list(NUMBERS_TO_CODE.values()), ids=list(NUMBERS_TO_CODE))
def test_numbers_have_their_places_whatever_they_are(numbers: list[float]) -> None:
    found = sorted(set(numbers))
    rows = np.array([*numbers, np.nan])[:, None]
    table = coded_table(columns_of(rows), "category")
    assert table.coding is not None
    categories = table.coding.categories[0]
    assert categories is not None
    assert categories.tolist() == found
    np.testing.assert_array_equal(table.read(0, len(rows))[:, 0], [*(found.index(value) for value in numbers), np.nan])
    model = CategoricalNB().fit(rows, ["a", *["b"] * len(numbers)])
    asked = np.array([*numbers, np.nan, numbers[0] + 0.125, max(numbers) + 1e3, min(numbers) - 1e3, 1e308])[:, None]
    known = CategoricalNB._coding.as_known(model, asked).read(0, len(asked))[:, 0]
    new = [found.index(value) if value in found else len(found) for value in asked[len(numbers) + 1 :, 0]]
    np.testing.assert_array_equal(known, [*(found.index(value) for value in numbers), np.nan, *new])


def test_a_column_without_a_number_has_no_category() -> None:
    model = CategoricalNB().fit([[np.nan, 1.0], [np.nan, 2.0]], ["a", "b"])
    assert model.categories_[0].tolist() == []
    np.testing.assert_array_equal(model.predict_proba([[5.0, 1.0]]), model.predict_proba([[np.nan, 1.0]]))
