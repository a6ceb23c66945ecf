"""Real tables: words, holes and thousands of rows."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from distinguo import CategoricalNB, MixedNB
from tests.export.engines import by_duckdb, by_onnx


@pytest.mark.parametrize("run", [by_duckdb, by_onnx], ids=["duckdb", "onnx"])
def test_adult(run: Any, shared_data: Callable[[str], Path]) -> None:
    train, test = (
        pd.read_csv(shared_data(f"adult_{part}.csv.gz"), skipinitialspace=True) for part in ("train", "test")
    )
    target = train.columns[-1]
    model = MixedNB().fit(train.drop(columns=target), train[target])
    rows = test.drop(columns=target)
    labels, posteriors = run(model, rows)
    np.testing.assert_allclose(posteriors, model.predict_proba(rows), rtol=0, atol=1e-9)
    assert labels == model.predict(rows).tolist()


@pytest.mark.parametrize("run", [by_duckdb, by_onnx], ids=["duckdb", "onnx"])
def test_mushrooms(run: Any, shared_data: Callable[[str], Path]) -> None:
    table = pd.read_csv(shared_data("mushroom.csv"), dtype=str)
    target = table.columns[0]
    model = CategoricalNB().fit(table.drop(columns=target)[::2], table[target][::2])
    rows = table.drop(columns=target)
    labels, posteriors = run(model, rows)
    np.testing.assert_allclose(posteriors, model.predict_proba(rows), rtol=0, atol=1e-9)
    assert labels == model.predict(rows).tolist()
