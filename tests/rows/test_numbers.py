"""Cells into numbers, exactly."""

import numpy as np
import polars as pl
import pytest

from distinguo.exceptions import InputError
from distinguo.rows.numbers import number_block, numbers


def test_numbers_are_those_of_python():
    random = np.random.default_rng(21)
    values = random.integers(0, 2**63, 5000).view(np.float64)
    text = [repr(float(v)) for v in values[np.isfinite(values)]]
    text += [f"{v:.25g}" for v in random.normal(size=2000)]
    text += ["1", "-0", "+3", ".5", "5.", "1e5", "1E-5", " 2 ", "inf", "-Infinity", "5e-324", "2.2250738585072011e-308"]
    assert np.array_equal(numbers(pl.Series(text)), [float(t) for t in text])


def test_missing_and_typed_cells():
    assert np.isnan(numbers(pl.Series([None, "nan", "NaN"]))).all()
    assert numbers(pl.Series([True, False, None])).tolist()[:2] == [1, 0]
    assert numbers(pl.Series([3, None], dtype=pl.Int8)).dtype == np.float64
    assert np.isnan(numbers(pl.Series([None, None]))).all()


def test_decimal_commas():
    assert numbers(pl.Series(["1,5", "-2,5e3", "7"]), decimal=",").tolist() == [1.5, -2500, 7]
    with pytest.raises(InputError, match=r"'x' \('1.234,5' in row 1\)"):
        numbers(pl.Series("x", ["1,5", "1.234,5"]), decimal=",")
    with pytest.raises(InputError, match=r"'1.5' in row 0"):
        numbers(pl.Series("x", ["1.5"]), decimal=",")
    with pytest.raises(InputError, match="If the comma is the decimal mark, say so with decimal=','"):
        numbers(pl.Series("x", ["1,5"]))


@pytest.mark.parametrize("cell", ["abc", "1_000", "0x10", "1 2", "", " ", "1e", "True", "--1", "1.2.3"])
def test_text_where_numbers_were(cell):
    with pytest.raises(InputError) as caught:
        numbers(pl.Series("age", ["1", None, cell]), first_row=10)
    assert f"1 column is not all numbers: 'age' ({cell!r} in row 12); rows count from 0." in str(caught.value)


def test_every_column_at_fault_is_named():
    frame = pl.DataFrame({"a": ["1", "x"], "b": ["1", "2"], "c": ["y", "2"]})
    with pytest.raises(InputError, match=r"2 columns are not all numbers: 'a' \('x' in row 1\), 'c' \('y' in row 0\)"):
        number_block(frame)


def test_truth_values_become_numbers():
    frame = pl.DataFrame({"a": ["True", None], "b": ["FALSE", "TRUE"], "c": [" 1", "2"]})
    block = number_block(frame)
    assert block.flags.c_contiguous
    assert block[:, 1:].tolist() == [[0, 1], [1, 2]]
    assert block[0, 0] == 1
    assert np.isnan(block[1, 0])
    with pytest.raises(InputError, match="'a' \\('True' in row 0\\)"):
        number_block(pl.DataFrame({"a": ["True", "2"]}))
