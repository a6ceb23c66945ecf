"""What an alarm means: shares and counts that agree with Bayes' rule, and shares that are none."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from distinguo import natural_frequencies, predictive_value
from distinguo.exceptions import InputError, InputTypeError

shares = st.floats(0.01, 0.99)


@given(sensitivity=shares, false_alarm=shares, prevalence=shares)
def test_odds_are_multiplied_by_the_likelihood_ratio(sensitivity: float, false_alarm: float, prevalence: float) -> None:
    value = predictive_value(sensitivity, false_alarm, prevalence)
    assert value / (1 - value) == pytest.approx(prevalence / (1 - prevalence) * sensitivity / false_alarm)
    counted = natural_frequencies(sensitivity, false_alarm, prevalence, n=10**9)
    assert counted.predictive_value == pytest.approx(value, rel=1e-4)
    assert counted.cases + counted.others == 10**9


def test_limits() -> None:
    assert predictive_value(0.9, 0.0, 0.1) == 1.0
    assert predictive_value(0.0, 0.1, 0.5) == 0.0
    assert predictive_value(0.3, 0.3, 0.2) == pytest.approx(0.2)  # a test that does not look tells nothing
    assert np.isnan(predictive_value(0.0, 0.0, 0.5))
    assert np.isnan(natural_frequencies(0.0, 0.0, 0.5).predictive_value)


@pytest.mark.parametrize("share", [-0.1, 1.1, np.nan, [0.5, 2.0]])
@pytest.mark.parametrize("name", ["sensitivity", "false_alarm", "prevalence"])
def test_shares(name: str, share: Any) -> None:
    asked = {"sensitivity": 0.9, "false_alarm": 0.1, "prevalence": 0.5, name: share}
    with pytest.raises(InputError, match=f"{name}=.*must be a share between 0 and 1"):
        predictive_value(**asked)


def test_what_is_no_number() -> None:
    with pytest.raises(InputTypeError, match="sensitivity='high'"):
        predictive_value("high", 0.1, 0.5)
    with pytest.raises(InputError, match="give single numbers"):
        natural_frequencies([0.9], 0.1, 0.5)
    with pytest.raises(InputError, match="n=0"):
        natural_frequencies(0.9, 0.1, 0.5, n=0)
