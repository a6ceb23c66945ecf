"""What holds for every table of group tests, whatever the rows."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import distinguo as d

seeds = st.integers(0, 2**32 - 1)
few = settings(max_examples=10)

BETWEEN: list[Callable[..., Any]] = [
    d.manova,
    d.canonical_correlations,
    d.box_m,
    d.mahalanobis_distances,
    d.greedy_wilks,
]
WITHIN: list[Callable[..., Any]] = [d.mardia, d.check_gaussian]
every_test = pytest.mark.parametrize("run", [*BETWEEN, *WITHIN])
every_test_between = pytest.mark.parametrize("run", BETWEEN)


def draw(seed: int, p: int = 3, K: int = 3, n: int = 90) -> tuple[NDArray[Any], NDArray[Any]]:
    """Correlated rows of classes whose means differ a little."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % K
    return rng.normal(size=(n, p)) @ rng.normal(size=(p, p)) + y[:, None] * rng.normal(size=p) / 3 + 5, y


def assert_same(a: Any, b: Any, rtol: float = 1e-7) -> None:
    """Two tables with the same columns."""
    for name, column in a.to_dict().items():
        other = b.to_dict()[name]
        if column and isinstance(column[0], str):
            assert column == other
        else:
            np.testing.assert_allclose(column, other, rtol=rtol, err_msg=name)


@pytest.mark.parametrize("run", [d.manova, d.canonical_correlations, d.box_m, d.mahalanobis_distances, d.mardia])
@given(seed=seeds)
@few
def test_affine_maps_change_nothing(run: Callable[..., Any], seed: int) -> None:
    X, y = draw(seed)
    rng = np.random.default_rng(seed)
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    mapped = X @ turn * [1e-6, 1.0, 1e6] + np.array([1e-3, 10.0, -1e7])
    assert_same(run(X, y), run(mapped, y), rtol=1e-6)


@every_test
@given(seed=seeds)
@few
def test_units_and_order_change_nothing(run: Callable[..., Any], seed: int) -> None:
    X, y = draw(seed)
    order = np.random.default_rng(seed).permutation(len(X))
    assert_same(run(X, y), run((X * [1e-5, 1.0, -1e5] + [1.0, 2.0, 3.0])[order], y[order]), rtol=1e-6)


@every_test
@given(seed=seeds)
@few
def test_weights_are_repetition(run: Callable[..., Any], seed: int) -> None:
    X, y = draw(seed)
    times = np.random.default_rng(seed).integers(0, 4, len(X))
    assert_same(run(X, y, times), run(np.repeat(X, times, axis=0), np.repeat(y, times)))


@every_test_between
def test_statistics_stand_for_rows(run: Callable[..., Any]) -> None:
    X, y = draw(1)
    halves = [d.MemorySource(X[part], y[part]).aggregate(d.Moments("full")) for part in (slice(40), slice(40, None))]
    expected = run(X, y)
    assert_same(run(halves[0] + halves[1]), expected)
    assert_same(run(d.MemorySource(X, y)), expected)
    assert_same(run(d.QuadraticDiscriminantAnalysis().fit(X, y).statistic_), expected)
    if run is not d.box_m:
        assert_same(run(d.LinearDiscriminantAnalysis().fit(X, y).statistic_), expected)


@every_test
def test_files_stand_for_rows(run: Callable[..., Any], tmp_path: Path) -> None:
    X, y = draw(2)
    lines = [",".join([*map(repr, row), f"c{label}"]) for row, label in zip(X.tolist(), y, strict=True)]
    path = tmp_path / "rows.csv"
    path.write_text("\n".join(["a,b,c,y", *lines]) + "\n")
    named = run(d.scan(path, target="y"))
    plain = run(X, y)
    for name, column in plain.to_dict().items():
        if name not in {"label", "first", "second", "feature"}:
            assert column == pytest.approx(named.to_dict()[name], nan_ok=True)


def test_columns_go_by_name(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("width,grade\n" + "".join(f"{k + 10 * (k % 2)},{'ab'[k % 2]}\n" for k in range(12)))
    assert d.greedy_wilks(d.scan(path, target="grade")).to_dict()["feature"] == ["width"]


@given(seed=seeds, p=st.integers(1, 4))
@few
def test_two_classes_have_one_test(seed: int, p: int) -> None:
    """Wilks, Pillai, Hotelling-Lawley, Roy and the distance of the means are all Hotelling's T²."""
    X, y = draw(seed, p, K=2, n=40)
    table = d.manova(X, y)
    difference = X[y == 1].mean(axis=0) - X[y == 0].mean(axis=0)
    pooled = np.atleast_2d((np.cov(X[y == 0].T) + np.cov(X[y == 1].T)) / 2)
    hotelling = 10 * difference @ np.linalg.solve(pooled, difference)
    # The covariance solved here loses half its digits where columns nearly depend on each other.
    np.testing.assert_allclose(table.f, hotelling * (38 - p + 1) / (38 * p), rtol=1e-6)
    np.testing.assert_allclose(d.mahalanobis_distances(X, y).f, table.f[:1], rtol=1e-8)
    np.testing.assert_allclose(table.p_value, table.p_value[0], rtol=1e-8)


@given(seed=seeds)
@few
def test_statistics_are_made_of_the_correlations(seed: int) -> None:
    X, y = draw(seed, p=4, K=5)
    squares = d.canonical_correlations(X, y).correlation ** 2
    table = d.manova(X, y)
    expected = [np.prod(1 - squares), squares.sum(), (squares / (1 - squares)).sum(), (squares / (1 - squares)).max()]
    np.testing.assert_allclose(table.statistic, expected, rtol=1e-9)
    np.testing.assert_allclose(d.canonical_correlations(X, y).f[0], table.f[0])


def test_selection_is_greedy() -> None:
    """At each step the column with which manova's lambda is least, found by trying all."""
    X, y = draw(3, p=6)
    table = d.greedy_wilks(X, y, level=1.0)
    chosen: list[int] = []
    for step, column in enumerate(table.column.tolist()):
        rest = [j for j in range(6) if j not in chosen]
        tried = {j: d.manova(X[:, [*chosen, j]], y) for j in rest}
        assert column == min(rest, key=lambda j: tried[j].statistic[0])
        chosen.append(column)
        assert table.wilks[step] == pytest.approx(tried[column].statistic[0])
        assert table.p_value[step] == pytest.approx(tried[column].p_value[0])


def test_selection_among_more_columns_than_rows() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 200)), np.arange(30) % 2
    X[:, 77] += 4 * y
    X[:, 78] = X[:, 77]
    table = d.greedy_wilks(X, y, level=1e-4)
    assert table.column[0] in {77, 78}
    assert not {77, 78} <= set(table.column.tolist())
    everything = d.greedy_wilks(X, y, level=1.0)
    assert len(everything.column) == 28
    assert np.isfinite(everything.wilks).all()


def test_nothing_to_select() -> None:
    X, y = draw(4)
    table = d.greedy_wilks(X, np.random.default_rng(0).permutation(y), level=1e-9)
    assert table.rows() == []
    assert str(table).startswith("forward selection by Wilks' lambda: 0 of 3")


@every_test_between
def test_classes_without_rows_take_no_part(run: Callable[..., Any]) -> None:
    X, y = draw(5)
    model = d.QuadraticDiscriminantAnalysis().partial_fit(X, y, classes=[0, 1, 2, 3])
    assert_same(run(model.statistic_), run(X, y))


@every_test
def test_tables_print_and_convert(run: Callable[..., Any]) -> None:
    table = run(*draw(6))
    columns = table.to_dict()
    lines = str(table).split("\n")
    assert len(lines) == 2 + len(table.rows())
    assert lines[0] == table.title
    assert table.rows()[0] == {name: values[0] for name, values in columns.items()}
    assert repr(table) == str(table)
    ends = [line.rstrip() for line in lines]
    assert ends == lines


@pytest.mark.parametrize("n", [30, 300])
def test_p_is_uniform_where_classes_are_alike(n: int) -> None:
    """Rates of p below a level, over simulated rows of one Gaussian, are the level."""
    rng = np.random.default_rng(7)
    y = np.arange(n) % 3
    names = ["wilks", "pillai", "hotelling", "canonical", "distance", "one pair"]
    p_values = []
    repeats = 600
    for _ in range(repeats):
        moments = d.MemorySource(rng.normal(size=(n, 2)), y).aggregate(d.Moments("pooled"))
        pair = d.MemorySource(rng.normal(size=(n, 2)), y % 2).aggregate(d.Moments("pooled"))
        p_values.append(
            [
                *d.manova(moments).p_value[:3],
                d.canonical_correlations(moments).chi_squared_p_value[0],
                d.mahalanobis_distances(moments).p_value[1],
                d.manova(pair).p_value[3],
            ]
        )
    for level in (0.01, 0.05, 0.25, 0.5, 0.75):
        rates = (np.array(p_values) <= level).mean(axis=0)
        error = 3.5 * np.sqrt(level * (1 - level) / repeats)
        assert dict(zip(names, rates, strict=True)) == pytest.approx(dict.fromkeys(names, level), abs=error)


def test_p_of_box_is_uniform_where_covariances_are_alike() -> None:
    rng = np.random.default_rng(8)
    y = np.arange(150) % 3
    repeats = 800
    p_values = np.array([d.box_m(rng.normal(size=(150, 3)), y).p_value for _ in range(repeats)])
    for level in (0.01, 0.05, 0.25, 0.5, 0.75):
        rates = (p_values <= level).mean(axis=0)
        assert rates == pytest.approx(level, abs=3.5 * np.sqrt(level * (1 - level) / repeats))


def test_roy_is_a_bound_and_hotelling_may_be_missing() -> None:
    X, y = draw(9, p=3, K=4, n=7)
    table = d.manova(X, y)
    assert table.denominator[2] == -1
    assert np.isnan(table.p_value[2])
    assert "-" in str(table).split("\n")[4].split()
    assert np.isfinite(table.p_value[[0, 1, 3]]).all()


def test_box_beyond_its_approximation() -> None:
    """M of one column that is nearly constant in one class exceeds what F can tell; its p is zero, not negative."""
    x = np.concatenate([np.arange(6.0), np.arange(6.0) * 1e-16])[:, None]
    table = d.box_m(x, [0] * 6 + [1] * 6)
    assert table.statistic[1] == np.inf
    assert table.p_value[1] == 0
    assert "<1e-300" in str(table)
