"""Counts of successes among trials as weighted rows."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from distinguo import grouped_counts
from distinguo.exceptions import InputError, InputTypeError


def test_counts_keep_the_container():
    counts = pd.DataFrame({"age": [1.0, 2.0], "kind": [3, 4]}, index=["a", "b"])
    X, y, weight = grouped_counts(counts, [1, 2], [4, 2])
    assert X.columns.tolist() == ["age", "kind"]
    assert X.age.tolist() == [1.0, 1.0, 2.0]
    assert (y.tolist(), weight.tolist()) == ([0, 1, 1], [3.0, 1.0, 2.0])
    assert grouped_counts(pl.DataFrame(counts), [1, 2], [4, 2])[0]["kind"].to_list() == [3, 3, 4]
    assert grouped_counts(sparse.csr_array(counts.to_numpy()), [1, 2], [4, 2])[0].shape == (3, 2)


BAD_COUNTS = {
    "more successes than trials": (([3, 5], [4, 4]), InputError, "row 1 has 5 successes in 4 trials"),
    "negative": (([-1, 0], [4, 4]), InputError, "successes is -1.0 in row 0"),
    "not finite": (([1, 0], [4, np.nan]), InputError, "trials is nan in row 1"),
    "too few": (([1], [4, 4]), InputError, r"successes has shape \(1,\); it must be \(2,\)"),
    "words": ((["a", "b"], [4, 4]), InputTypeError, "successes must be numbers"),
    "nothing": (([0, 0], [0, 0]), InputError, "every trials is zero"),
}


@pytest.mark.parametrize(("counts", "error", "match"), BAD_COUNTS.values(), ids=BAD_COUNTS)
def test_bad_counts(counts, error, match):
    with pytest.raises(error, match=match):
        grouped_counts([[1.0], [2.0]], *counts)
