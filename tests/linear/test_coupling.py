"""Pairwise coupling: the minimum of its objective, and the truth where the duels agree on one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from distinguo.linear import coupling
from distinguo.linear.coupling import couple


def all_pairs(K):
    return np.column_stack(np.triu_indices(K, 1))


def duels_of(z):
    """r_ij = p_i / (p_i + p_j) for p the softmax of z (n, K), each probability to full precision."""
    i, j = all_pairs(z.shape[1]).T
    return 1 / (1 + np.exp(z[:, j] - z[:, i])), 1 / (1 + np.exp(z[:, i] - z[:, j]))


def softmax(z):
    p = np.exp(z - z.max(axis=1, keepdims=True))
    return p / p.sum(axis=1, keepdims=True)


def random_duels(K, n, seed):
    first = np.random.default_rng(seed).uniform(0.01, 0.99, (n, K * (K - 1) // 2))
    return first, 1 - first


def objective(p, first, second):
    i, j = all_pairs(len(p)).T
    return ((second * p[i] - first * p[j]) ** 2).sum()


@pytest.mark.parametrize("K", [2, 3, 5])
def test_the_objective_is_least_there(K):
    first, second = random_duels(K, 4, seed=K)
    for p, r, s in zip(couple(first, second, all_pairs(K)), first, second, strict=True):
        found = minimize(
            objective,
            np.full(K, 1 / K),
            (r, s),
            method="SLSQP",
            bounds=[(0, 1)] * K,
            constraints={"type": "eq", "fun": lambda q: q.sum() - 1},
            options={"ftol": 1e-15, "maxiter": 500},
        )
        assert found.success
        assert p == pytest.approx(found.x, abs=1e-6)
        assert objective(p, r, s) <= found.fun + 1e-14


@given(st.lists(st.floats(-12, 12), min_size=2, max_size=7))
def test_duels_that_agree_give_back_the_distribution(z):
    z = np.array([z])
    assert couple(*duels_of(z), all_pairs(z.shape[1])) == pytest.approx(softmax(z), rel=1e-5, abs=1e-14)


def test_small_probabilities_keep_their_digits():
    z = np.array([[0.0, -18.0, -30.0, -33.0]])  # down to 5e-15
    assert couple(*duels_of(z), all_pairs(4)) == pytest.approx(softmax(z), rel=1e-9)
    z[0, 3] = -60.0  # 9e-27, which plain elimination would lose, or make negative
    assert couple(*duels_of(z), all_pairs(4))[0, 3] == pytest.approx(np.exp(-60.0), rel=0.01)


@given(st.integers(2, 6), st.integers(0, 2**32 - 1))
def test_certain_duels_make_a_distribution(K, seed):
    first = np.random.default_rng(seed).integers(0, 2, (5, K * (K - 1) // 2)).astype(float)
    p = couple(first, 1 - first, all_pairs(K))
    assert (p >= 0).all()
    assert p.sum(axis=1) == pytest.approx(np.ones(5))
    wins = np.zeros((5, K))
    for m, (i, j) in enumerate(all_pairs(K)):
        wins[:, i] += first[:, m]
        wins[:, j] += 1 - first[:, m]
    champion = wins == K - 1
    assert p[champion] == pytest.approx(np.ones(champion.sum()))


def test_a_perfect_circle_is_uniform():
    first = np.array([[1.0, 0.0, 1.0]])  # 0 beats 1, 2 beats 0, 1 beats 2
    assert couple(first, 1 - first, all_pairs(3)) == pytest.approx(np.full((1, 3), 1 / 3))


@given(st.permutations(range(4)))
def test_the_order_of_the_classes_does_not_matter(order):
    first, second = random_duels(4, 3, seed=0)
    pairs = all_pairs(4)
    r = np.zeros((3, 4, 4))
    r[:, pairs[:, 0], pairs[:, 1]], r[:, pairs[:, 1], pairs[:, 0]] = first, second
    moved = r[:, order][:, :, order]
    i, j = pairs.T
    assert couple(moved[:, i, j], moved[:, j, i], pairs) == pytest.approx(couple(first, second, pairs)[:, order])


def test_blocks_of_rows_do_not_matter(monkeypatch):
    first, second = random_duels(3, 10, seed=1)
    whole = couple(first, second, all_pairs(3))
    monkeypatch.setattr(coupling, "BLOCK_NUMBERS", 27)
    assert np.array_equal(couple(first, second, all_pairs(3)), whole)


def test_three_classes_as_in_kernlab():
    # R 4.2.2, kernlab 0.9.32: couple(p, coupler = "minpair") on the rows below. (Of four classes and more it fills the
    # lower triangle in another order than the upper, so that its r_ij and r_ji do not sum to one.)
    first = np.array([[0.7, 0.4, 0.2], [0.9, 0.8, 0.3], [0.95, 0.1, 0.6]])
    expected = [
        [0.341976173791, 0.137351086195, 0.520672740014],
        [0.735028956953, 0.080661532032, 0.184309511016],
        [0.220972236557, 0.243563720600, 0.535464042844],
    ]
    assert couple(first, 1 - first, all_pairs(3)) == pytest.approx(np.array(expected), abs=1e-11)
