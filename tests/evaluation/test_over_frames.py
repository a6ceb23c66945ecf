"""Frames that estimators over a classifier cannot hand on: two columns of one name."""

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from distinguo import (
    Balanced,
    Calibrated,
    CostSensitive,
    LinearDiscriminantAnalysis,
    Novelty,
    OneVsRestClassifier,
    PredictionSets,
    Thresholded,
)
from distinguo.exceptions import InputError
from tests.generative.cases import three_classes

X, y = three_classes(n=60)
TWINS = np.column_stack([X[:, 0], X[:, 0], X[:, 1]])
OVER = [Balanced, Calibrated, CostSensitive, Novelty, OneVsRestClassifier, PredictionSets, Thresholded]


@pytest.mark.parametrize("over", OVER, ids=lambda over: over.__name__)
@pytest.mark.parametrize(
    "frame", [pd.DataFrame, lambda X, columns: pa.table(list(X.T), columns)], ids=["pandas", "arrow"]
)
def test_two_columns_of_one_name(over: Any, frame: Any) -> None:
    model = over(LinearDiscriminantAnalysis())
    with pytest.raises(InputError, match="more than one column 'a'; columns are told apart by their names"):
        model.fit(frame(TWINS, columns=["a", "a", "b"]), y)
