"""Mixed columns on a table of real people: one model of all columns is better than one of either kind."""

import gzip
import io
from typing import Any

import pandas as pd
import pytest

from distinguo import CategoricalNB, GaussianNB, MixedNB


@pytest.fixture(scope="module")
def adult(shared_data: Any) -> Any:
    """Training and test rows of the census table and their incomes, question marks being holes."""
    parts = []
    for part in ("train", "test"):
        text = gzip.decompress(shared_data(f"adult_{part}.csv.gz").read_bytes())
        frame = pd.read_csv(io.BytesIO(text), na_values="?", skipinitialspace=True)
        income = frame.pop("income").str.rstrip(".")
        parts += [frame, income]
    return parts


def test_numbers_and_words_together_tell_more_than_either(adult: Any) -> None:
    X, y, X_test, y_test = adult
    numbers = [name for name in X if X[name].dtype.kind in "if"]
    words = [name for name in X if name not in numbers]
    assert (len(numbers), len(words)) == (6, 8)
    assert X[words].isna().any().any()
    # As scikit-learn 1.9.1: GaussianNB, and CategoricalNB on OrdinalEncoder's codes, question marks being a category.
    assert round(GaussianNB().fit(X[numbers], y).score(X_test[numbers], y_test), 3) == 0.796
    marked, marked_test = X[words].fillna("?"), X_test[words].fillna("?")
    assert round(CategoricalNB().fit(marked, y).score(marked_test, y_test), 3) == 0.801
    together = MixedNB().fit(X, y)
    assert together.score(X_test, y_test) > 0.825
    assert together.roles_.tolist() == ["numeric" if name in numbers else "category" for name in X]
