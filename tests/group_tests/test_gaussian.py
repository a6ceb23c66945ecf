"""Gaussian classes pass at the stated rate; clumps, skewness and other tails are found."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from distinguo import MemorySource, check_gaussian, gaussian_warning, mardia
from distinguo.group_tests.advice import summarise
from distinguo.group_tests.clumps import find_split
from distinguo.group_tests.shape import ClassShape, histogram


def coins() -> tuple[NDArray[Any], list[str]]:
    """The lecture's wrong description: 500 one-euro coins, and two kinds of two-euro coins."""
    rng = np.random.default_rng(0)
    grams = np.concatenate([rng.normal(centre, 0.1, 500) for centre in (7.5, 8.3, 10.3)])
    return grams[:, None], ["1 euro"] * 500 + ["2 euro"] * 1000


def many(rows: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Rows (K, m, p) as a table of K classes."""
    K, m, p = rows.shape
    return rows.reshape(K * m, p), np.repeat(np.arange(K), m)


def test_the_coins_fall_into_clumps() -> None:
    one, two = check_gaussian(*coins()).checks
    assert (one.verdict, two.verdict) == ("gaussian", "two clumps")
    assert two.clumps is not None
    assert two.clumps_p < 1e-100
    assert two.clumps.along == "column 0"
    assert two.clumps.share == pytest.approx(0.5, abs=1e-9)
    assert [two.clumps.low, two.clumps.high] == pytest.approx([8.3, 10.3], abs=0.02)
    assert two.clumps.separation == pytest.approx(20, rel=0.1)


def test_the_coins_are_warned_of() -> None:
    one, two = check_gaussian(*coins()).checks
    assert gaussian_warning(one) is None
    warning = gaussian_warning(two)
    assert warning is not None
    assert warning.code == "G1"
    assert str(warning).startswith("G1: class '2 euro' falls into two clumps along column 0: 50% of its rows around 8.")


@pytest.mark.parametrize(("p", "m"), [(1, 25), (1, 400), (3, 60), (12, 40), (12, 200)])
def test_gaussian_classes_are_flagged_at_most_at_the_stated_rate(p: int, m: int) -> None:
    K, level = 1500, 0.03
    mixing = np.random.default_rng(1).normal(size=(p, p))
    rows = np.random.default_rng(p * 1000 + m).normal(size=(K, m, p)) @ mixing
    table = check_gaussian(*many(rows), level=level)
    least = np.minimum.reduce([table.skewness_p_value, table.kurtosis_p_value, table.clumps_p_value])
    assert np.mean(table.verdict != "gaussian") <= np.mean(least <= level / 3)
    assert level / 10 <= np.mean(least <= level / 3) <= level + 3.5 * np.sqrt(level * (1 - level) / K)


@pytest.mark.parametrize(("p", "m"), [(1, 25), (2, 50), (4, 100), (8, 40)])
def test_p_of_mardia_is_calibrated_in_small_classes(p: int, m: int) -> None:
    """Where chi-squared and normal limits alarm two to five times too often, ours keep to their level."""
    K, level = 2500, 0.01
    table = mardia(*many(np.random.default_rng(m).normal(size=(K, m, p))))
    allowed = 1.3 * level + 3.5 * np.sqrt(level * (1 - level) / K)
    assert np.mean(table.skewness_p_value <= level) <= allowed
    assert np.mean(table.kurtosis_p_value <= level) <= allowed
    assert np.mean(table.skewness_p_value <= 0.5) == pytest.approx(0.5, abs=0.12)
    assert np.mean(table.kurtosis_p_value <= 0.5) == pytest.approx(0.5, abs=0.12)


def normal(rng: np.random.Generator, *size: int) -> NDArray[Any]:
    return rng.normal(size=size)


@pytest.mark.parametrize(
    ("verdict", "code", "make"),
    [
        ("skewed", "G2", lambda rng: rng.exponential(size=(20, 300))),
        ("heavy tails", "G3", lambda rng: np.sign(normal(rng, 20, 300)) * rng.exponential(size=(20, 300))),
        ("light tails", "G4", lambda rng: rng.uniform(size=(20, 1500))),
        ("two clumps", "G1", lambda rng: normal(rng, 20, 300) + 5 * (rng.random((20, 300)) < 0.5)),
        ("two clumps", "G1", lambda rng: normal(rng, 20, 1000) + 6 * (rng.random((20, 1000)) < 0.1)),
        ("two clumps", "G1", lambda rng: 1.0 * (rng.random((20, 300)) < 0.4)),
    ],
)
def test_what_is_not_gaussian_is_named(verdict: str, code: str, make: Any) -> None:
    rng = np.random.default_rng(0)
    first = make(rng)
    rows = np.stack([normal(rng, *first.shape), first, normal(rng, *first.shape)], axis=2)
    table = check_gaussian(*many(rows))
    assert np.mean(table.verdict == verdict) >= 0.8
    codes = [warning.code for warning in map(gaussian_warning, table.checks) if warning]
    assert codes.count(code) >= 16


@pytest.mark.parametrize(
    ("make", "p_value"),
    [
        (lambda rng: rng.gamma(16, size=20_000), "skewness_p"),  # skewness 1/2
        (lambda rng: rng.standard_t(20, size=20_000), "kurtosis_p"),  # kurtosis 3.375
        (lambda rng: rng.normal(size=20_000) + 2.8 * (rng.random(20_000) < 0.5), "clumps_p"),  # a flat valley
    ],
)
def test_what_many_rows_make_sure_is_no_warning_where_it_is_a_trifle(make: Any, p_value: str) -> None:
    check = check_gaussian(make(np.random.default_rng(0))[:, None], ["a"] * 20_000).checks[0]
    assert getattr(check, p_value) < 1e-4
    assert check.verdict == "gaussian"


def test_the_columns_furthest_from_a_gaussian_are_named_with_what_scipy_says_of_them() -> None:
    rng = np.random.default_rng(1)
    X = np.column_stack([rng.normal(size=400), rng.gamma(2, size=400), rng.standard_t(4, size=400)])
    check = check_gaussian(X, ["a"] * 400).checks[0]
    assert check.skewest is not None
    assert check.tails is not None
    assert (check.skewest.along, check.tails.along) == ("column 1", "column 2")
    assert check.skewest.value == pytest.approx(stats.skew(X[:, 1]), abs=0.01)
    assert check.tails.value == pytest.approx(stats.kurtosis(X[:, 2]), rel=0.02)


def test_several_classes_become_one_warning_that_names_the_clearest() -> None:
    rng = np.random.default_rng(2)
    X = np.concatenate([rng.normal(size=300), rng.exponential(size=300), rng.lognormal(sigma=1.5, size=300)])[:, None]
    y = np.repeat(["even", "long", "longest"], 300)
    (warning,) = summarise(check_gaussian(X, y).checks, 3)
    assert warning.code == "G2"
    assert warning.sentence.startswith("2 of 3 classes are skewed ('long', 'longest'), most clearly class 'longest'")
    one, two = check_gaussian(*coins()).checks
    assert summarise([one, two], 2) == (gaussian_warning(two),)
    assert summarise([one], 2) == ()


@pytest.mark.parametrize(
    "shape",
    [lambda rng: rng.uniform(size=(200, 300)), lambda rng: rng.exponential(size=(200, 300))],
    ids=["flat", "skewed"],
)
def test_one_hump_is_no_clumps(shape: Any) -> None:
    table = check_gaussian(*many(shape(np.random.default_rng(1))[:, :, None]))
    assert np.mean(table.verdict == "two clumps") <= 0.01


def test_clumps_apart_in_no_single_column_are_found_along_the_leading_direction() -> None:
    rng = np.random.default_rng(0)
    part = rng.random(1000) < 0.5
    X = rng.normal(size=(1000, 6)) + 2.0 * part[:, None]
    check = check_gaussian(X, ["a"] * 1000).checks[0]
    assert check.verdict == "two clumps"
    assert check.clumps is not None
    assert check.clumps.along == "leading direction"
    warning = gaussian_warning(check)
    assert warning is not None
    assert "along its leading direction" in warning.sentence
    assert "standard deviations" in warning.sentence


def test_columns_that_do_not_vary_in_a_class_take_no_part() -> None:
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(200, 3)), np.repeat(["a", "b"], 100)
    flat = np.column_stack([X, np.where(y == "a", 0.1, rng.normal(size=200)), X[:, 0] + X[:, 1]])
    first = check_gaussian(flat, y).checks[0]
    alone = mardia(X[:100], ["a"] * 100)
    assert first.skewness_p == pytest.approx(alone.skewness_p_value[0])
    assert first.kurtosis_p == pytest.approx(alone.kurtosis_p_value[0])


def test_small_classes_do_not_stop_the_others() -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(136, 8))
    X[136 - 8 :] = 1.0
    y = np.repeat(["many", "few", "one", "same"], [100, 25, 3, 8])
    checks = {check.label: check for check in check_gaussian(X, y).checks}
    assert checks["many"].verdict == checks["few"].verdict == "gaussian"
    assert checks["one"].verdict == checks["same"].verdict == "too few rows"
    assert checks["one"].clumps is None
    assert gaussian_warning(checks["one"]) is None


def test_more_columns_than_rows_leave_the_check_for_clumps() -> None:
    X = np.random.default_rng(4).normal(size=(60, 150))
    X[:, 7] += 8 * (np.arange(60) % 2)
    check = check_gaussian(X, ["a"] * 60).checks[0]
    assert np.isnan(check.skewness_p)
    assert check.verdict == "two clumps"
    assert check.clumps is not None
    assert check.clumps.along == "column 7"


def test_light_tails_beyond_the_cube_root() -> None:
    """So many rows on two points that kurtosis is lower than the transform reaches: p is zero, not one."""
    table = mardia(np.tile([[-1.0], [1.0]], (2000, 1)), ["a"] * 4000)
    assert table.kurtosis_p_value[0] == 0


def test_far_rows_do_not_hide_clumps() -> None:
    rng = np.random.default_rng(5)
    z = np.concatenate([rng.normal(-1, 0.1, 500), rng.normal(1, 0.1, 500), [12.0]])[:, None]
    split = find_split(histogram((z - z.mean()) / z.std(), np.ones(len(z))))
    assert split.p_value < 1e-10


def test_rows_so_far_that_they_hide_clumps_are_found_themselves() -> None:
    rng = np.random.default_rng(5)
    z = np.concatenate([rng.normal(-1, 0.1, 500), rng.normal(1, 0.1, 500), [-40.0, 40.0]])[:, None]
    assert check_gaussian(z, ["a"] * len(z)).verdict[0] == "heavy tails"


def test_sums_of_the_second_pass_add() -> None:
    """A source that keeps its rows in parts may sum each part where it is."""
    rng = np.random.default_rng(6)
    X, y = rng.normal(size=(50, 2)), np.arange(50) % 3
    shape = ClassShape(
        np.arange(3), rng.normal(size=(3, 2)), np.ones((3, 2)), np.ones((3, 2)), rng.normal(size=(3, 2, 2))
    )
    whole = MemorySource(X, y).aggregate(shape)
    parts = MemorySource(X[:20], y[:20]).aggregate(shape) + MemorySource(X[20:], y[20:]).aggregate(shape)
    np.testing.assert_allclose(parts.counts, whole.counts)
    np.testing.assert_allclose(parts.thirds, whole.thirds, atol=1e-12)
    np.testing.assert_allclose(parts.quarts, whole.quarts)
