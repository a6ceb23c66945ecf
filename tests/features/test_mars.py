"""Laws that Mars obeys, containers that it takes, and what it refuses."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from distinguo import Mars
from distinguo.exceptions import InputError, InputTypeError


@parametrize_with_checks([Mars(), Mars(degree=2, max_terms=9, prune=False)])
def test_scikit_learn(estimator: Any, check: Any) -> None:
    check(estimator)


def rows(seed: int = 0, n: int = 150, p: int = 4, q: int = 1) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    bends = np.column_stack([np.abs(X[:, r % p]) + X[:, 0] * np.maximum(X[:, -1], r) for r in range(q)])
    return X, bends + 0.2 * rng.normal(size=(n, q))


def close(a: np.ndarray, b: np.ndarray, tolerance: float = 1e-8) -> None:
    np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance * np.abs(b).max())


# Laws


@pytest.mark.parametrize("degree", [1, 2])
@pytest.mark.parametrize("decimals", [1, 12])
def test_weight_is_repetition(degree: int, decimals: int) -> None:
    X, Y = rows(1, q=2)
    X = X.round(decimals)
    weight = np.random.default_rng(2).integers(0, 4, len(X))
    repeated = Mars(degree=degree).fit(np.repeat(X, weight, axis=0), np.repeat(Y, weight, axis=0))
    weighted = Mars(degree=degree).fit(X, Y, sample_weight=weight)
    assert weighted.terms_ == repeated.terms_
    close(weighted.predict(X), repeated.predict(X))
    assert weighted.gcv_ == pytest.approx(repeated.gcv_)


@pytest.mark.parametrize("degree", [1, 2, 3])
@pytest.mark.parametrize("decimals", [1, 12])
def test_rows_in_any_order(degree: int, decimals: int) -> None:
    X, Y = rows(3)
    X = X.round(decimals)
    order = np.random.default_rng(4).permutation(len(X))
    close(Mars(degree=degree).fit(X[order], Y[order]).predict(X), Mars(degree=degree).fit(X, Y).predict(X))


@pytest.mark.parametrize("degree", [1, 2])
def test_columns_in_any_order(degree: int) -> None:
    X, Y = rows(5, p=6, q=2)
    order = np.random.default_rng(6).permutation(6)
    close(Mars(degree=degree).fit(X[:, order], Y).predict(X[:, order]), Mars(degree=degree).fit(X, Y).predict(X))


@pytest.mark.parametrize("degree", [1, 2, 3])
@pytest.mark.parametrize(("factor", "shift"), [(1e8, 0.0), (1e-8, 0.0), (3.0, 3e6), (1.0, -1e6)])
def test_units_of_columns(degree: int, factor: float, shift: float) -> None:
    X, Y = rows(7)
    X[:, 1] = X[:, 1].round(1)
    scale = np.array([factor, 1.0, factor, 1.0])
    moved = X * scale + shift
    plain = Mars(degree=degree).fit(X, Y)
    close(Mars(degree=degree).fit(moved, Y).predict(moved), plain.predict(X), 1e-7)


@pytest.mark.parametrize(("factor", "shift"), [(-2.0, 5.0), (1e8, 0.0), (1e-8, 1.0)])
def test_units_of_responses(factor: float, shift: float) -> None:
    X, Y = rows(8, q=3)
    plain = Mars(degree=2).fit(X, Y)
    other = Mars(degree=2).fit(X, Y * factor + shift)
    assert other.terms_ == plain.terms_ or factor == 1e-8
    close((other.predict(X) - shift) / factor, plain.predict(X), 1e-6)
    assert other.rss_ == pytest.approx(plain.rss_ * factor**2, rel=1e-5)


def test_a_response_twice_changes_nothing() -> None:
    X, Y = rows(9)
    once, twice = Mars(degree=2).fit(X, Y), Mars(degree=2).fit(X, np.hstack([Y, Y]))
    assert once.terms_ == twice.terms_
    close(twice.predict(X)[:, [1]], once.predict(X))
    assert twice.rss_ == pytest.approx(2 * once.rss_)


@pytest.mark.parametrize("degree", [1, 2])
def test_more_terms_fit_no_worse(degree: int) -> None:
    X, Y = rows(10)
    rss = [Mars(degree=degree, max_terms=m, threshold=0, prune=False).fit(X, Y).rss_ for m in range(1, 32, 5)]
    assert np.all(np.diff(rss) <= 1e-9 * rss[0])
    path = Mars(degree=degree).fit(X, Y).rss_path_
    assert np.all(np.diff(path) <= 1e-9 * path[0])


def test_degree_1_is_additive_and_degree_2_is_not() -> None:
    X, Y = rows(11)
    a, b, c, d = X[:40].copy(), X[:40].copy(), X[:40].copy(), X[:40].copy()
    other = X[40:80]
    b[:, 0], c[:, 3] = other[:, 0], other[:, 3]
    d[:, [0, 3]] = other[:, [0, 3]]

    def interaction(model: Mars) -> float:
        return float(np.abs(model.predict(d) - model.predict(b) - model.predict(c) + model.predict(a)).max())

    assert interaction(Mars(degree=1).fit(X, Y[:, 0])) < 1e-10
    assert interaction(Mars(degree=2).fit(X, Y[:, 0])) > 0.1
    assert max(len(term.hinges) for term in Mars(degree=3, max_terms=41).fit(X, Y).forward_terms_) <= 3


@pytest.mark.parametrize("degree", [1, 2])
@pytest.mark.parametrize("weighted", [False, True])
def test_gcv_and_coefficients_by_least_squares(degree: int, weighted: bool) -> None:
    X, Y = rows(12, q=2)
    weight = np.random.default_rng(0).integers(1, 4, len(X)) if weighted else np.ones(len(X))
    penalty = 2.5
    model = Mars(degree=degree, penalty=penalty).fit(X, Y, sample_weight=weight)
    B, root = model.transform(X), np.sqrt(weight)[:, None]
    np.testing.assert_allclose(B[:, 0], 1)
    close(B @ model.coef_, model.predict(X), 1e-12)
    coefficients = np.linalg.lstsq(B * root, Y * root, rcond=None)[0]
    close(model.coef_, coefficients, 1e-7)
    rss = float(np.sum(weight[:, None] * (Y - B @ coefficients) ** 2))
    n, M = weight.sum(), len(model.terms_)
    C = M + penalty * (M - 1) / 2
    assert model.rss_ == pytest.approx(rss)
    assert model.gcv_ == pytest.approx(rss / (n * (1 - C / n) ** 2))
    assert model.gcv_ == model.gcv_path_.min() == model.gcv_path_[M - 1]


def test_pruning_takes_the_least_needed_term_first() -> None:
    X, Y = rows(13, n=80)
    full = Mars(max_terms=11, prune=False).fit(X, Y)
    B = full.transform(X)

    def rss(columns: list[int]) -> float:
        return float(np.sum((Y - B[:, columns] @ np.linalg.lstsq(B[:, columns], Y, rcond=None)[0]) ** 2))

    kept, path = list(range(B.shape[1])), [full.rss_]
    while len(kept) > 1:
        trials = {m: rss([k for k in kept if k != m]) for m in kept if m != 0}
        loser = min(trials, key=lambda m: trials[m])
        kept.remove(loser)
        path.insert(0, trials[loser])
    np.testing.assert_allclose(full.rss_path_, path, rtol=1e-8)


def exhaustive_first_pair(X: np.ndarray, y: np.ndarray) -> tuple[int, float]:
    """The column and knot that a least-squares fit at every inner value finds best."""
    best = (np.inf, -1, 0.0)
    for v in range(X.shape[1]):
        for knot in np.sort(X[:, v])[2:-2]:
            B = np.column_stack([np.ones(len(X)), np.maximum(0, X[:, v] - knot), np.maximum(0, knot - X[:, v])])
            rss = float(np.sum((y - B @ np.linalg.lstsq(B, y, rcond=None)[0]) ** 2))
            best = min(best, (rss, v, float(knot)))
    return best[1], best[2]


def test_the_first_knot_is_the_best_of_all() -> None:
    rng = np.random.default_rng(14)
    X = rng.normal(size=(60, 3))
    y = np.abs(X[:, 1] - 0.3) + 0.05 * rng.normal(size=60)
    model = Mars(max_terms=3, min_span=1, end_span=2, prune=False).fit(X, y)
    hinge = model.terms_[1].hinges[0]
    assert (hinge.feature, hinge.knot) == exhaustive_first_pair(X, y)


def test_fast_queue_with_room_for_all_is_no_queue() -> None:
    X, Y = rows(15, p=6)
    plain = Mars(degree=2, max_terms=31, fast_k=0).fit(X, Y)
    assert Mars(degree=2, max_terms=31, fast_k=100).fit(X, Y).terms_ == plain.terms_
    assert Mars(degree=2, max_terms=31, fast_k=3).fit(X, Y).r2_ == pytest.approx(plain.r2_, abs=0.05)


# Awkward columns


def test_duplicated_constant_binary_and_collinear_columns() -> None:
    X, Y = rows(16)
    extra = [X, X[:, :1], np.full((len(X), 1), 3.0), (X[:, 1:2] > 0), X[:, :1] + X[:, 1:2]]
    wide = np.hstack(extra).astype(float)
    model = Mars(degree=2).fit(wide, Y)
    B = model.transform(wide)
    assert np.linalg.matrix_rank(B / np.linalg.norm(B, axis=0)) == B.shape[1]
    assert 5 not in {feature for term in model.terms_ for feature in term.features}
    assert model.r2_ >= Mars(degree=2).fit(X, Y).r2_ - 0.02


def test_two_values_make_a_line() -> None:
    X = np.array([[5.0], [9.0]] * 10)
    model = Mars().fit(X, X[:, 0] * 2)
    assert model.get_feature_names_out().tolist() == ["1", "(x0 - 5)"]
    close(model.predict([[6.0], [10.0]]), np.array([12.0, 20.0]), 1e-12)


def test_constant_columns_only() -> None:
    model = Mars().fit(np.ones((10, 2)), np.arange(10.0))
    assert len(model.terms_) == 1
    assert model.predict([[1.0, 1.0]])[0] == pytest.approx(4.5)


@pytest.mark.parametrize("value", [0.0, 0.1, 1e10])
def test_constant_responses(value: float) -> None:
    X, _ = rows(17)
    model = Mars().fit(X, np.full(len(X), value))
    assert model.stopped_ == "the responses are constant"
    assert model.predict(X[:2]).tolist() == pytest.approx([value, value])
    assert (model.rss_, model.gcv_, model.r2_) == (0, 0, 0)
    assert model.variable_importance().tolist() == [0] * 4


def test_one_row() -> None:
    model = Mars().fit([[1.0, 2.0]], [3.0])
    assert model.predict([[5.0, 5.0]]).tolist() == [3.0]
    assert model.rss_ == 0


@pytest.mark.parametrize("n", [2, 3, 5, 8])
def test_few_rows(n: int) -> None:
    X, Y = rows(18, n=n, p=30, q=12)
    model = Mars(degree=2).fit(X, Y)
    assert np.isfinite(model.predict(X)).all()
    assert model.predict(X).shape == (n, 12)


def test_fewer_rows_than_columns() -> None:
    rng = np.random.default_rng(19)
    X = rng.uniform(size=(60, 300))
    model = Mars().fit(X, 4 * np.abs(X[:, 7] - 0.5))
    assert model.variable_importance().argmax() == 7
    assert model.r2_ > 0.99


def test_a_line_stays_a_line_beyond_the_rows() -> None:
    X = np.arange(30.0)[:, None]
    model = Mars().fit(X, 2 * X[:, 0] + 1)
    close(model.predict([[-10.0], [100.0]]), np.array([-19.0, 201.0]), 1e-10)


@pytest.mark.parametrize("room", [1, 2])
def test_room_for_the_constant_only(room: int) -> None:
    X, Y = rows(20)
    model = Mars(max_terms=room).fit(X, Y[:, 0])
    assert model.terms_[0].hinges == ()
    close(model.predict(X), np.full(len(X), Y.mean()), 1e-12)


def test_reasons_to_stop() -> None:
    X, Y = rows(21)
    assert Mars(max_terms=3).fit(X, Y).stopped_ == "max_terms=3 was reached"
    assert Mars(threshold=0.2).fit(X, Y).stopped_ == "a new pair would raise R2 by less than 0.2"
    assert Mars().fit(X, X[:, 0]).stopped_ == "R2 reached 0.999"
    assert Mars().fit(np.ones((9, 1)), np.arange(9.0)).stopped_ == "no new term lowers the residuals"
    noise = np.random.default_rng(0).normal(size=25)
    assert Mars(threshold=0, max_terms=101).fit(X[:25], noise).stopped_ == "there are too few rows for more terms"


# Containers and names


@pytest.mark.parametrize(
    "container",
    [
        lambda X, names: X.tolist(),
        lambda X, names: sparse.csr_array(X),
        lambda X, names: pd.DataFrame(X, columns=names),
        lambda X, names: pl.DataFrame(dict(zip(names, X.T, strict=True))),
        lambda X, names: pa.table(dict(zip(names, X.T, strict=True))),
    ],
)
def test_containers(container: Any) -> None:
    X, Y = rows(22, q=2)
    data = container(X, ["a", "b", "c", "d"])
    close(Mars().fit(data, Y).predict(data), Mars().fit(X, Y).predict(X), 1e-12)


def test_names() -> None:
    X, Y = rows(23, q=2)
    frame, responses = pd.DataFrame(X, columns=list("abcd")), pd.DataFrame(Y, columns=["left", "right"])
    model = Mars().fit(frame, responses)
    assert model.response_names_.tolist() == ["left", "right"]
    assert model.summary().startswith("left =\n  ")
    assert "\nright =\n  " in model.summary()
    assert any("max(0, a - " in name for name in model.get_feature_names_out())
    out = Mars().set_output(transform="pandas").fit(frame, responses).transform(frame)
    assert list(out.columns) == model.get_feature_names_out().tolist()
    assert Mars().fit(X, Y).response_names_.tolist() == ["y0", "y1"]
    assert "max(0, q - " in " ".join(Mars().fit(X, Y).get_feature_names_out(["q", "r", "s", "t"]))
    with pytest.raises(InputError, match="feature names should match"):
        model.predict(frame.rename(columns={"a": "z"}))
    with pytest.raises(InputError, match="input_features"):
        model.get_feature_names_out(["a", "b"])


def test_shapes_of_responses() -> None:
    X, Y = rows(24)
    flat, column = Mars().fit(X, Y[:, 0]), Mars().fit(X, Y)
    assert flat.predict(X).shape == (150,)
    assert column.predict(X).shape == (150, 1)
    assert flat.coef_.shape == column.coef_.shape == (len(flat.terms_), 1)
    assert flat.intercept_.shape == (1,)


def test_in_pipelines_and_searches() -> None:
    X, Y = rows(25)
    pipeline = make_pipeline(Mars(degree=2), LinearRegression()).fit(X, Y[:, 0])
    close(pipeline.predict(X), Mars(degree=2).fit(X, Y[:, 0]).predict(X), 1e-7)
    search = GridSearchCV(Mars(), {"degree": [1, 2]}, cv=3).fit(X, Y[:, 0])
    assert search.best_params_ == {"degree": 2}
    assert clone(Mars(degree=3)).degree == 3


# What is refused


GOOD_X, GOOD_Y = rows(26, n=20)


def broken(place: str, value: float) -> tuple[np.ndarray, np.ndarray]:
    X, Y = GOOD_X.copy(), GOOD_Y.copy()
    (X if place == "X" else Y)[3, 0] = value
    return X, Y


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        (*broken("X", np.nan), r"X contains NaN \(row 3, column 0\)"),
        (*broken("X", np.inf), "X contains infinity"),
        (*broken("y", np.nan), r"y contains NaN \(row 3\)"),
        (*broken("y", np.inf), "y contains infinity"),
        (*broken("y", 1e150), "too large"),
        (np.array([[1.7e308], [-1.7e308]]), [1, 2], "too large"),
        ([[1.0], [2.0]], [1.7e308, -1.7e308], "too large"),
        (GOOD_X, ["a"] * 20, "a response is a number"),
        (GOOD_X, np.array(["a"] * 20, dtype=object), "not a number"),
        (GOOD_X, np.zeros((20, 1, 1)), r"\(n,\) or \(n, q\)"),
        (GOOD_X, np.zeros((20, 0)), "0 feature"),
        (GOOD_X, np.zeros(19), "inconsistent numbers of samples"),
        (GOOD_X, None, "requires y"),
        (np.empty((0, 2)), np.empty(0), "0 sample"),
        (GOOD_X[:, 0], np.zeros(20), "Expected 2D array"),
        (GOOD_X.astype(str), np.zeros(20), "a feature is a number"),
    ],
)
def test_bad_rows(X: Any, y: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Mars().fit(X, y)


def test_text_is_no_response() -> None:
    with pytest.raises(InputTypeError, match="y must be numbers"):
        Mars().fit(GOOD_X, "abc")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"degree": 0}, "degree must be a whole number, at least 1"),
        ({"degree": 1.5}, "degree"),
        ({"degree": None}, "degree"),
        ({"degree": True}, "degree"),
        ({"max_terms": 0}, "max_terms"),
        ({"penalty": -1}, "penalty must be a number, zero or more"),
        ({"penalty": np.nan}, "penalty"),
        ({"threshold": "small"}, "threshold"),
        ({"min_span": 0}, "min_span"),
        ({"end_span": 2.5}, "end_span"),
        ({"fast_k": -1}, "fast_k"),
        ({"fast_beta": np.inf}, "fast_beta"),
    ],
)
def test_bad_options(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Mars(**options).fit(GOOD_X, GOOD_Y)


@pytest.mark.parametrize("weight", [[1.0] * 19, [-1.0] * 20, [np.nan] * 20, [0.0] * 20])
def test_bad_weights(weight: list[float]) -> None:
    with pytest.raises(InputError, match="sample_weight"):
        Mars().fit(GOOD_X, GOOD_Y, sample_weight=weight)


def test_bad_rows_at_predict() -> None:
    model = Mars().fit(GOOD_X, GOOD_Y)
    with pytest.raises(InputError, match="NaN"):
        model.predict(broken("X", np.nan)[0])
    with pytest.raises(InputError, match="expecting 4 features"):
        model.transform(GOOD_X[:, :3])
    with pytest.raises(InputError, match="criterion is one of"):
        model.variable_importance("votes")  # type: ignore[arg-type]


def test_huge_weights_and_fractions_of_rows() -> None:
    X, Y = rows(27, n=40)
    assert np.isfinite(Mars().fit(X, Y, sample_weight=np.full(40, 1e15)).predict(X)).all()
    assert np.isfinite(Mars(min_span=1, end_span=1).fit(X, Y, sample_weight=np.full(40, 7.5)).predict(X)).all()
    assert len(Mars().fit(X, Y, sample_weight=np.full(40, 1e-3)).terms_) == 1


def test_importance_where_gcv_is_infinite() -> None:
    X, Y = rows(28, n=12)
    model = Mars(penalty=50, threshold=0, prune=False).fit(X, Y)
    assert np.isfinite(model.variable_importance()).all()
