"""Hosmer and Lemeshow's test where weights are fractions, and where probabilities are certain."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from distinguo import LogisticRegression
from distinguo.exceptions import InputError, SeparationWarning
from distinguo.linear.goodness import hosmer_lemeshow
from tests.linear.test_inference_laws import few, rows, seeds


@few
@given(seeds, st.sampled_from([2, 4]))
def test_a_row_is_as_many_parts_of_it_as_it_was_cut_into(seed, parts):
    X, y = rows(seed, 60)
    whole = LogisticRegression().fit(X, y)
    cut = LogisticRegression().fit(np.repeat(X, parts, axis=0), np.repeat(y, parts), np.full(60 * parts, 1 / parts))
    a, b = whole.hosmer_lemeshow(5), cut.hosmer_lemeshow(5)
    assert_allclose(b.weight, a.weight)
    assert_allclose([b.statistic, b.df], [a.statistic, a.df], rtol=1e-6)


@few
@given(seeds, st.sampled_from([0.3, 0.5, 0.9]))
def test_fractions_of_rows_are_all_in_some_group(seed, weight):
    X, y = rows(seed, 60)
    model = LogisticRegression().fit(X, y, np.full(60, weight))
    table = model.hosmer_lemeshow()
    assert_allclose(table.weight.sum(), 60 * weight)
    assert_allclose([table.observed.sum(), table.expected.sum()], weight * y.sum(), rtol=1e-6)
    assert_allclose(table.up_to[-1], model.predict_proba(X)[:, 1].max())
    assert table.df == len(table.to_frame()) - 2 == 8


def test_too_few_rows_by_their_weights():
    X, y = rows(0, 60)
    with pytest.raises(InputError, match=r"probabilities of 0.06 rows, by their weights, fall into 1 group\(s\)"):
        LogisticRegression().fit(X, y, np.full(60, 0.001)).hosmer_lemeshow()


def test_classes_told_apart_leave_nothing_to_test():
    X, _ = rows(0, 60)
    with pytest.warns(SeparationWarning):
        model = LogisticRegression().fit(X, X[:, 0] > 0)
    with pytest.raises(InputError, match=r"fitted with probability 1.*firth"):
        model.hosmer_lemeshow()


@pytest.mark.parametrize(("last", "statistic", "p_value"), [(True, 0.0, 1.0), (False, np.inf, 0.0)])
def test_a_certain_group_adds_nothing_or_everything(last, statistic, p_value):
    """Beside groups of as many as expected, one that is fitted with probability 1."""
    probability, is_second = np.repeat([0.25, 0.5, 0.75, 1.0], 4), np.arange(16) % 4 < np.repeat([1, 2, 3, 4], 4)
    is_second[-1] = last
    found = hosmer_lemeshow(probability, is_second, np.ones(16), 8)
    assert (found.statistic, found.p_value) == (statistic, p_value)
