"""Equal rows are brought together, in an order that does not hang on how they came."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from distinguo.rows.distinct import distinct_rows


def small_table(seed: int, n: int = 80) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows of few values, many of them equal, some so but for the class or the place of a value."""
    rng = np.random.default_rng(seed)
    return rng.integers(-1, 2, (n, 3)).astype(float), rng.integers(0, 2, n), rng.integers(1, 4, n).astype(float)


@given(seed=st.integers(0, 2**32 - 1))
def test_each_row_once_with_the_weight_of_all_its_equals(seed):
    X, codes, weight = small_table(seed)
    places, merged = distinct_rows(X, codes, weight)
    labelled = np.column_stack([X, codes])
    expected, back = np.unique(labelled, axis=0, return_inverse=True)
    assert len(np.unique(labelled[places], axis=0)) == len(places) == len(expected)
    assert (merged == np.bincount(back, weight)[back[places]]).all()
    firsts = [np.flatnonzero((labelled == row).all(axis=1))[0] for row in labelled[places]]
    assert places.tolist() == firsts


@given(seed=st.integers(0, 2**32 - 1))
def test_the_order_depends_on_the_rows_alone(seed):
    X, codes, weight = small_table(seed)
    order = np.random.default_rng(seed).permutation(len(X))
    places, merged = distinct_rows(X, codes, weight)
    moved, moved_weight = distinct_rows(X[order], codes[order], weight[order])
    assert (X[order][moved] == X[places]).all()
    assert (codes[order][moved] == codes[places]).all()
    assert (moved_weight == merged).all()
    as_sparse, sparse_weight = distinct_rows(sparse.csr_array(X), codes, weight)
    assert (as_sparse == places).all()
    assert (sparse_weight == merged).all()


def test_zeros_are_equal_of_either_sign_and_stored_or_not():
    signed = np.array([[0.0, 1.0], [-0.0, 1.0]])
    assert len(distinct_rows(signed, np.zeros(2, np.intp), np.ones(2))[0]) == 1
    stored = sparse.csr_array(([1.0, 0.0, 1.0], [1, 0, 1], [0, 1, 3]), shape=(2, 2))
    places, weight = distinct_rows(stored, np.zeros(2, np.intp), np.ones(2))
    assert (places.tolist(), weight.tolist()) == ([0], [2.0])


@pytest.mark.parametrize("scale", [1.0, 1e-300, 1e300])
def test_many_rows_that_differ_in_a_bit_stay_apart(scale):
    X = np.nextafter(scale * np.ones((2000, 2)), np.inf)
    X[:, 1] += np.arange(2000) * np.spacing(scale)
    places, weight = distinct_rows(X, np.zeros(2000, np.intp), np.ones(2000))
    assert sorted(places.tolist()) == list(range(2000))
    # The order is one of a hash: no more than by chance does a row follow the one before it.
    assert (np.diff(places) == 1).sum() < 10
    assert (weight == 1).all()
