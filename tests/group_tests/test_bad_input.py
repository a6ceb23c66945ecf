"""What cannot be tested is refused with one error that says what was wrong, what came, and what to do."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import distinguo as d
from distinguo.exceptions import InputError, InputTypeError

RNG = np.random.default_rng(0)
X = RNG.normal(size=(12, 3))
Y = np.array(["a", "b"] * 6)
CONSTANT = np.column_stack([X, np.full(12, 7.0)])
FLAT_WITHIN = np.column_stack([X, (Y == "a") * 1.0])
DEPENDENT = np.column_stack([X, X[:, 0] - 2 * X[:, 1]])
LONELY = np.array(["a"] * 11 + ["b"])
WIDE = RNG.normal(size=(12, 11))
POOLED = d.MemorySource(X, Y).aggregate(d.Moments("pooled"))
DIAGONAL = d.GaussianNB().fit(X, Y).statistic_
SCATTERED = [d.manova, d.canonical_correlations, d.mahalanobis_distances]
BETWEEN = [*SCATTERED, d.box_m, d.greedy_wilks]
WITHIN = [d.mardia, d.check_gaussian]
HALF_FLAT = np.where((Y == "a")[:, None] & (np.arange(3) == 1), 0.0, X)

CASES: list[tuple[list[Callable[..., Any]], tuple[Any, ...], dict[str, Any], str]] = [
    (BETWEEN, (X, ["a"] * 12), {}, "one class only \\('a'\\); a test between classes needs"),
    (BETWEEN, (CONSTANT, Y), {}, "1 column\\(s\\) are constant: 3. Leave them out"),
    (BETWEEN, (FLAT_WITHIN, Y), {}, "1 column\\(s\\) are constant within every class: 3"),
    ([*SCATTERED, d.box_m], (DEPENDENT, Y), {}, "singular: the columns 0, 1, 3 depend on each other"),
    (SCATTERED, (WIDE, Y), {}, "12 rows in 2 classes leave 10 degrees of freedom .* fewer than the 11 columns"),
    (BETWEEN, (X[:2], Y[:2]), {}, "2 row\\(s\\) in 2 classes leave nothing to vary"),
    (BETWEEN, (X, Y, np.full(12, 0.1)), {}, "1.2 row\\(s\\) in 2 classes leave nothing to vary"),
    ([d.box_m], (X, LONELY), {}, "class\\(es\\) 'b' have 1. Bring more rows"),
    ([d.box_m], (WIDE, Y), {}, "columns \\(11\\); class\\(es\\) 'a', 'b' have 6, 6"),
    ([d.box_m], (HALF_FLAT, Y), {}, "covariance of class 'a' is singular: the columns 1 do not vary"),
    ([d.box_m], (POOLED,), {}, 'one scatter for all classes.*Moments\\("full"\\)'),
    (WITHIN, (POOLED,), {}, "needs the rows, and a ClassMoments no longer has them"),
    (WITHIN, (DIAGONAL,), {}, "needs the rows"),
    ([d.mardia], (X, LONELY), {}, "class 'b' has 1 row\\(s\\), and Mardia's tests need 5 for 3"),
    ([d.mardia], (WIDE, Y), {}, "class 'a' has 6 row\\(s\\), and Mardia's tests need 13 for 11"),
    ([d.mardia], (HALF_FLAT, Y), {}, "covariance of class 'a' is singular: the columns 1 do not vary"),
    ([d.mardia], (RNG.normal(size=(240, 101)), Y.repeat(20)), {}, "at most 100 columns; there are 101"),
    ([*BETWEEN, *WITHIN], (X,), {}, "y is missing: give one label a row"),
    (BETWEEN, (POOLED, Y), {}, "a ClassMoments brings its own labels"),
    ([*BETWEEN, *WITHIN], (d.MemorySource(X, Y), Y), {}, "a Source brings its own labels"),
    ([*BETWEEN, *WITHIN], (np.where(X > 2, np.nan, X) * np.nan, Y), {}, "X contains NaN"),
    ([*BETWEEN, *WITHIN], (X, Y[:5]), {}, "inconsistent numbers"),
    ([*BETWEEN, *WITHIN], (X, Y, -np.ones(12)), {}, "sample_weight is negative"),
    *[([d.greedy_wilks], (X, Y), {"level": bad}, "above 0 and at most 1") for bad in (0, 1.5, True, "a", np.nan)],
    *[([d.check_gaussian], (X, Y), {"level": bad}, "between 0 and 1") for bad in (0, 1, False, None)],
]


@pytest.mark.parametrize(
    ("run", "rows", "options", "message"),
    [(run, rows, options, message) for runs, rows, options, message in CASES for run in runs],
)
def test_refused(run: Callable[..., Any], rows: tuple[Any, ...], options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        run(*rows, **options)


@pytest.mark.parametrize("run", BETWEEN)
def test_moments_without_covariances(run: Callable[..., Any]) -> None:
    with pytest.raises(InputTypeError, match="holds no covariances between columns"):
        run(DIAGONAL)


@pytest.mark.parametrize("run", SCATTERED)
def test_a_class_of_one_row_is_enough_where_scatter_is_pooled(run: Callable[..., Any]) -> None:
    assert np.isfinite(run(X, LONELY).p_value).all()


def test_names_are_named() -> None:
    import pandas as pd

    frame = pd.DataFrame(CONSTANT, columns=["length", "width", "height", "site"])
    with pytest.raises(InputError, match="constant: 'site'"):
        d.manova(frame, Y)
