"""Mixed naive Bayes where the columns of one role tell nothing."""

import numpy as np
import polars as pl
import pytest

from distinguo import MixedNB
from distinguo.exceptions import InputError, LeftOutWarning


def test_numbers_that_are_all_constant_are_left_out_beside_categories():
    frame = pl.DataFrame({"same": [1.0] * 8, "kind": list("aabbabab")})
    labels = list("xxxyyyyx")
    with pytest.warns(LeftOutWarning, match="'same'"):
        both = MixedNB().fit(frame, labels)
    alone = MixedNB().fit(frame.select("kind"), labels)
    np.testing.assert_allclose(both.predict_proba(frame), alone.predict_proba(frame.select("kind")), rtol=1e-12)
    with pytest.raises(InputError, match="every column is constant"):
        MixedNB().fit(frame.select("same"), labels)
