"""Statistics are as good as the rows: however those are cut, ordered, weighted or taken back."""

import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from distinguo import ColumnMoments, DiagonalMoments, MemorySource, Moments
from distinguo.exceptions import InputError

SPECS = {
    "full": Moments("full"),
    "pooled": Moments("pooled"),
    "fourth": Moments("full", fourth=True),
    "columns": ColumnMoments(),
}
every_spec = pytest.mark.parametrize("spec", list(SPECS.values()), ids=list(SPECS))
seeds = st.integers(0, 2**32 - 1)
few = settings(max_examples=15)

Rows = tuple[NDArray[np.float64], NDArray[Any], NDArray[np.float64] | None]


def draw_rows(seed: int, holes: bool = False, weighted: bool = False) -> Rows:
    """Some rows of badly scaled columns, up to a thousand spreads from the origin, perhaps with whole weights."""
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(1, 40)), int(rng.integers(1, 5))
    X = (rng.normal(size=(n, p)) + 10.0 ** rng.integers(-3, 4, p)) * 10.0 ** rng.integers(-6, 6, p)
    if holes:
        X[rng.random((n, p)) < 0.2] = np.nan
    weight = rng.integers(0, 4, n).astype(float) if weighted else None
    if weight is not None:
        weight[0] = 1.0
    return X, rng.choice(np.array(["a", "b", "c", "d"]), n), weight


def statistic(spec: Any, X: Any, y: Any, weight: Any = None) -> Any:
    return MemorySource(X, y, weight).aggregate(spec)


def assert_close(a: Any, b: Any, scale: Any = None) -> None:
    """Equal to rounding, in units of the spread of each column, those of `scale` if given."""
    scale = b if scale is None else scale
    assert type(a) is type(b)
    assert a.classes.tolist() == b.classes.tolist()
    np.testing.assert_allclose(a.weight, b.weight, rtol=1e-12)
    squares = scale.squares if isinstance(b, DiagonalMoments) else scale.class_squares
    spread = np.sqrt(np.nan_to_num(squares).sum(axis=0)) + 1e-13 * np.abs(scale.mean).max(axis=0)
    spread[spread == 0] = 1.0
    np.testing.assert_allclose(a.mean / spread, b.mean / spread, atol=1e-10, rtol=1e-12)
    if isinstance(b, DiagonalMoments):
        np.testing.assert_allclose(a.seen, b.seen)
        np.testing.assert_allclose(a.squares / spread**2, b.squares / spread**2, atol=1e-10)
        return
    outer = spread[:, None] * spread
    np.testing.assert_allclose(a.scatter / outer, b.scatter / outer, atol=1e-10)
    if b.quarts is not None:
        np.testing.assert_allclose(a.cubes / outer / spread[:, None], b.cubes / outer / spread[:, None], atol=1e-9)
        np.testing.assert_allclose(a.quarts / outer**2, b.quarts / outer**2, atol=1e-9)


@every_spec
@given(seed=seeds, parts=st.integers(1, 6), weighted=st.booleans())
@few
def test_any_partition_in_any_order_is_the_whole(spec: Any, seed: int, parts: int, weighted: bool) -> None:
    X, y, weight = draw_rows(seed, holes=spec.takes_holes, weighted=weighted)
    rng = np.random.default_rng(seed)
    part = rng.integers(0, parts, len(y))
    pieces = []
    for i in rng.permutation(parts):
        rows = part == i
        if rows.any() and (weight is None or weight[rows].any()):
            pieces.append(statistic(spec, X[rows], y[rows], None if weight is None else weight[rows]))
    assert_close(sum(pieces), statistic(spec, X, y, weight))


@every_spec
@given(seed=seeds)
@few
def test_sums_commute_and_associate(spec: Any, seed: int) -> None:
    X, y, _ = draw_rows(seed)
    a, b, c = (statistic(spec, X + shift, y) for shift in (0.0, X.std(), -X.std()))
    assert_close(a + b, b + a)
    assert_close((a + b) + c, a + (b + c))


@every_spec
@given(seed=seeds)
@few
def test_what_is_added_can_be_taken_away(spec: Any, seed: int) -> None:
    X, y, _ = draw_rows(seed, holes=spec.takes_holes)
    rng = np.random.default_rng(seed)
    more = 1.001 * rng.permutation(X)
    a, b = statistic(spec, X, y), statistic(spec, more, rng.permutation(y))
    assert_close((a + b) - b, a, scale=a + b)
    with pytest.raises(InputError, match="cannot forget more rows"):
        a - (a + b)


@every_spec
@given(seed=seeds)
@few
def test_a_weight_is_a_repetition(spec: Any, seed: int) -> None:
    X, y, weight = draw_rows(seed, holes=spec.takes_holes, weighted=True)
    assert weight is not None
    times = weight.astype(int)
    assert_close(statistic(spec, X, y, weight), statistic(spec, X.repeat(times, axis=0), y.repeat(times)))


@every_spec
@given(seed=seeds)
@few
def test_columns_may_come_in_another_order(spec: Any, seed: int) -> None:
    pd = pytest.importorskip("pandas")
    X, y, _ = draw_rows(seed)
    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(X.shape[1])])
    shuffled = frame[np.random.default_rng(seed).permutation(frame.columns)]
    a, b = statistic(spec, frame, y), statistic(spec, shuffled, y)
    assert_close(a + b, statistic(spec, pd.concat([frame, frame]), np.tile(y, 2)))
    assert (b + a).feature_names.tolist() == list(shuffled.columns)


@every_spec
def test_classes_may_be_found_in_any_order(spec: Any) -> None:
    X = np.arange(12.0).reshape(6, 2) ** 2
    y = np.array(["late", "early", "late", "middle", "early", "middle"])
    one_by_one = sum(statistic(spec, X[[i]], y[[i]]) for i in range(6))
    assert one_by_one.classes.tolist() == ["early", "late", "middle"]
    assert_close(one_by_one, statistic(spec, X, y))


@every_spec
def test_a_class_without_rows_is_gone(spec: Any) -> None:
    X, y = np.arange(12.0).reshape(6, 2) ** 2, np.array(["a", "b", "a", "b", "a", "c"])
    left = statistic(spec, X, y) - statistic(spec, X[y != "b"], y[y != "b"])
    assert_close(left, statistic(spec, X[y == "b"], y[y == "b"]), scale=statistic(spec, X, y))


@every_spec
def test_rows_that_were_not_learned_cannot_be_forgotten(spec: Any) -> None:
    X, y = np.arange(12.0).reshape(6, 2), np.array(["a", "b"] * 3)
    with pytest.raises(InputError, match="not learned"):
        statistic(spec, X, y) - statistic(spec, X[:2] + 1e6, y[:2])


def test_cells_that_were_not_seen_cannot_be_forgotten() -> None:
    holed, whole = np.array([[np.nan], [1.0]]), np.array([[3.0]])
    with pytest.raises(InputError, match="not learned"):
        statistic(ColumnMoments(), np.vstack([holed, holed[:1]]), list("aaa")) - sum(
            [statistic(ColumnMoments(), whole, ["a"])] * 2
        )


@every_spec
def test_a_statistic_is_a_value(spec: Any) -> None:
    X, y = np.arange(12.0).reshape(6, 2), np.array(["a", "b"] * 3)
    a = statistic(spec, X, y)
    assert a == statistic(spec, X, y) == pickle.loads(pickle.dumps(a))
    assert a != statistic(spec, X + 1, y)
    assert a != 3
    with pytest.raises(TypeError, match="unhashable"):
        hash(a)
    with pytest.raises(AttributeError):
        a.weight = np.ones(2)


def test_moments_of_two_kinds_do_not_add_up() -> None:
    X, y = np.arange(12.0).reshape(6, 2), np.array(["a", "b"] * 3)
    full, pooled, fourth = (statistic(SPECS[name], X, y) for name in ("full", "pooled", "fourth"))
    for a, b in ((full, pooled), (pooled, full), (full, fourth), (fourth, full)):
        with pytest.raises(InputError, match="two kinds"):
            a + b
    with pytest.raises(TypeError):
        full + statistic(SPECS["columns"], X, y)


def test_other_columns_do_not_add_up() -> None:
    pd = pytest.importorskip("pandas")
    spec, y = Moments("full"), ["a", "b"]
    two, three = np.eye(2), np.ones((2, 3))
    with pytest.raises(InputError, match="2 columns and of 3"):
        statistic(spec, two, y) + statistic(spec, three, y)
    with pytest.raises(InputError, match="lack the columns 'v'"):
        statistic(spec, pd.DataFrame(two, columns=["u", "v"]), y) + statistic(
            spec, pd.DataFrame(two, columns=["u", "w"]), y
        )
    twice = pd.DataFrame(three, columns=["u", "u", "v"])
    with pytest.raises(InputError, match="same name"):
        statistic(spec, twice, y) + statistic(spec, twice[["v", "u"]], y)
