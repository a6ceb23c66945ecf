"""Missing cells where little is there: more columns than rows, empty rows and columns, patterns never met."""

import warnings
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from distinguo import (
    LinearDiscriminantAnalysis,
    MixtureDiscriminantAnalysis,
    PenalizedDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
    RegularizedDiscriminantAnalysis,
)
from distinguo.exceptions import InputError, LeftOutWarning, SingularCovarianceError
from tests.generative.cases import three_classes

Array = NDArray[np.float64]
LDA, QDA, RDA = LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis, RegularizedDiscriminantAnalysis
PDA, MDA = PenalizedDiscriminantAnalysis, MixtureDiscriminantAnalysis

# Models that have an answer where columns outnumber rows.
DRAWN_TOGETHER = {
    "lda-number": LDA(shrinkage=0.2),
    "lda-oas": LDA(shrinkage="oas"),
    "lda-cv": LDA(shrinkage="cv", cv=3),
    "lda-unlabeled": LDA(shrinkage=0.2, unlabeled=-1),
    "qda-number": QDA(shrinkage=0.2),
    "rda": RDA(pooling=0.5, shrinkage=0.2),
    "rda-cv": RDA(grid=3, cv=3),
    "pda": PDA(gamma=1.0),
    "pda-cv": PDA(penalty="difference", grid=4, cv=3),
    "mda-ridge": MDA(subclasses=2, n_init=1, penalty="ridge", gamma=1.0),
}
PLAIN = {"lda": LDA(), "mda": MDA(subclasses=2, n_init=1), "mda-bic": MDA(n_init=1, max_subclasses=2)}
EVERY = {**DRAWN_TOGETHER, **PLAIN, "qda": QDA()}


def wide(n: int, p: int, share: float) -> tuple[Array, NDArray[Any]]:
    """Rows (n, p) of two classes that differ in every column, cells gone at random, and labels."""
    rng = np.random.default_rng(1)
    y = np.arange(n) % 2
    X = rng.normal(size=(n, p)) + 0.8 * y[:, None]
    X[rng.random(X.shape) < share] = np.nan
    return X, y


def quietly(model: Any, X: Array, y: NDArray[Any]) -> Any:
    """The fitted model; of warnings only those that say how little there is are let pass."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.simplefilter("ignore", LeftOutWarning)
        return clone(model).fit(X, y)


@pytest.mark.parametrize("model", list(DRAWN_TOGETHER.values()), ids=list(DRAWN_TOGETHER))
@pytest.mark.parametrize(("n", "p"), [(20, 20), (24, 50)])
@pytest.mark.parametrize("share", [0.05, 0.3])
def test_more_columns_than_rows(model: Any, n: int, p: int, share: float) -> None:
    X, y = wide(n, p, share)
    fitted = quietly(model, X, y)
    new, labels = wide(400, p, share)
    assert fitted.score(new, labels) > 0.7
    for values in (fitted.predict_proba(new), fitted.score_samples(new), fitted.typicality(new[:5])):
        assert np.isfinite(values).all()


@pytest.mark.parametrize("model", list(PLAIN.values()), ids=list(PLAIN))
def test_what_is_not_drawn_together_warns_where_columns_outnumber_rows(model: Any) -> None:
    X, y = wide(24, 50, 0.1)
    with pytest.warns(LeftOutWarning, match=r"left out \d+ direction\(s\) in which no class varies"):
        fitted = clone(model).fit(X, y)
    assert np.isfinite(fitted.predict_proba(X)).all()
    with pytest.raises(SingularCovarianceError, match=r"class 0 is singular .* It has 12 rows for 50 columns"):
        quietly(QDA(), X, y)


@pytest.mark.parametrize("model", list(EVERY.values()), ids=list(EVERY))
def test_rows_and_patterns_never_met(model: Any) -> None:
    """Only the first column has holes at fit; at predict every pattern comes, that of no cell at all among them."""
    X, y = three_classes(n=90, p=4)
    X[::5, 0] = np.nan
    fitted = quietly(model, X, np.searchsorted(["a", "b", "c"], y))
    rows = three_classes(1, n=16, p=4)[0]
    for i, row in enumerate(rows):
        row[[bool(i >> j & 1) for j in range(4)]] = np.nan
    posteriors = fitted.predict_proba(rows)
    np.testing.assert_allclose(posteriors.sum(axis=1), 1)
    np.testing.assert_allclose(posteriors[15], fitted.priors_, atol=1e-12)
    assert fitted.typicality(rows)[15].tolist() == [1.0] * 3
    assert fitted.score_samples(rows)[15] == pytest.approx(0, abs=1e-12)
    for i in range(16):
        np.testing.assert_allclose(fitted.predict_proba(rows[i : i + 1])[0], posteriors[i], atol=1e-12)


@pytest.mark.parametrize("model", list(EVERY.values()), ids=list(EVERY))
def test_empty_columns(model: Any) -> None:
    """One without any value takes no part; one without a value in some class is refused by name."""
    X, y = three_classes(n=120, p=4)
    y = np.searchsorted(["a", "b", "c"], y)
    X[:, 2] = np.nan
    with pytest.warns(LeftOutWarning, match=r"1 constant column\(s\): 2"):
        empty = clone(model).fit(X, y)
    assert np.isfinite(empty.predict_proba(X)).all()
    moved = X.copy()
    moved[:, 2] = np.random.default_rng(0).normal(size=len(X))
    np.testing.assert_allclose(empty.predict_proba(moved), empty.predict_proba(X), atol=1e-9)
    X[y != 1, 2] = np.random.default_rng(0).normal(size=(y != 1).sum())
    with pytest.raises(InputError, match=r"class 1 has no value at all in the columns 2"):
        quietly(model, X, y)


def test_one_column_and_classes_of_one_row() -> None:
    X, y = np.array([[0.0], [1.0], [np.nan], [5.0], [6.0], [np.nan]]), np.repeat([0, 1], 3)
    assert LDA().fit(X, y).predict([[0.5], [5.5]]).tolist() == [0, 1]
    X, y = three_classes(n=60, p=3)
    X, y = np.vstack([X, [[9.0, 9, np.nan]]]), np.append(y, "d")
    with pytest.raises(InputError, match="class 'd' has no value at all in the columns 2"):
        LDA().fit(X, y)
    X[60, 2], X[0, 0] = 9.0, np.nan
    assert LDA().fit(X, y).predict([[9.0, 9, 9]]).tolist() == ["d"]


def test_every_cell_missing() -> None:
    with pytest.raises(InputError, match="every column is constant"):
        LDA().fit(np.full((6, 2), np.nan), np.arange(6) % 2)
