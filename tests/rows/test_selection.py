"""Rows of every container, in that container."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

from distinguo import MemorySource
from distinguo.exceptions import InputError, InputTypeError
from distinguo.rows.selection import count_rows, take_rows
from distinguo.rows.tables import as_table
from distinguo.rows.uncut import uncut_rows

X = np.arange(12.0).reshape(4, 3)
NAMES = ["u", "v", "w"]
CONTAINERS = {
    "array": X,
    "Fortran": np.asfortranarray(X),
    "list": X.tolist(),
    "pandas": pd.DataFrame(X, columns=NAMES, index=[9, 8, 7, 6]),
    "polars": pl.DataFrame(X, schema=NAMES),
    "pyarrow": pa.table(dict(zip(NAMES, X.T, strict=True))),
    **{name: sparse.csr_array(X).asformat(name) for name in ("csr", "csc", "coo", "lil", "dia")},
}


@pytest.mark.parametrize("rows", CONTAINERS.values(), ids=CONTAINERS)
def test_the_container_stays(rows):
    wanted = np.array([3, 0, 0])
    taken = take_rows(rows, wanted)
    assert type(taken) is type(rows)
    assert getattr(taken, "format", None) == getattr(rows, "format", None)
    table = as_table(taken)
    assert np.array_equal(table.read(0, table.n), X[wanted])
    assert count_rows(rows) == 4


def test_cells_are_not_looked_at():
    frame = pd.DataFrame({"text": ["a", None, "c"], "when": pd.to_datetime(["2020", "2021", "2022"])})
    assert take_rows(frame, np.array([1])).equals(frame.iloc[[1]])
    assert uncut_rows(frame, [1, 2, 1], None, "Model").X is frame


@pytest.mark.parametrize("rows", [None, "rows.csv", 3.0, {"u": [1.0]}], ids=str)
def test_what_holds_no_rows(rows):
    with pytest.raises(InputTypeError, match="X must be rows"):
        count_rows(rows)


def test_rows_of_weight_zero_do_not_count():
    rows = uncut_rows(X, ["c", "a", "b", "c"], [1.0, 2.0, 0.0, 3.0], "Model")
    assert rows.classes.tolist() == ["a", "c"]
    assert rows.counting().tolist() == [True, True, False, True]
    assert rows.codes[rows.counting()].tolist() == [1, 0, 1]
    assert rows.totals().tolist() == [2.0, 4.0]


def test_a_source_is_gathered_with_its_names():
    frame = pl.DataFrame(X, schema=NAMES)
    rows = uncut_rows(MemorySource(frame, list("abab")), None, None, "Model")
    assert rows.X.equals(frame)
    assert rows.weight is None
    rows = uncut_rows(MemorySource(X, list("abab"), [1, 2, 0, 1]), None, None, "Model")
    assert np.array_equal(rows.X, X[[0, 1, 3]])
    assert rows.weight.tolist() == [1.0, 2.0, 1.0]


@pytest.mark.parametrize(
    ("labels", "weight", "message"),
    [
        (None, None, "y is None"),
        (["a"], None, "X has 4 rows and y 1 labels"),
        (list("abab"), [-1, 1, 1, 1], "negative in row 0"),
        (list("abab"), np.zeros(4), "every sample_weight is zero"),
        (["a", None, "b", "a"], None, "missing label"),
    ],
)
def test_labels_and_weights_are_checked(labels, weight, message):
    with pytest.raises(InputError, match=message):
        uncut_rows(X, labels, weight, "Model")
