"""Coverage over 200 repeated draws of five data sets is what was asked for."""

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine, make_classification

from distinguo import GaussianNB, LinearDiscriminantAnalysis, PredictionSets

REPEATS = 200
# In a few rows of digits some pixels are always white.
pytestmark = pytest.mark.filterwarnings("ignore::distinguo.exceptions.LeftOutWarning")


def generated() -> Any:
    """Three classes that overlap, one of them rare."""
    return make_classification(
        900, 5, n_informative=4, n_redundant=0, n_classes=3, class_sep=0.8, weights=[0.6, 0.3, 0.1], random_state=0
    )


# Rows held out of a split, so that alpha times one more is a whole number; twice as many are fitted.
TABLES = {
    "iris": (lambda: load_iris(return_X_y=True), 39),
    "wine": (lambda: load_wine(return_X_y=True), 39),
    "breast cancer": (lambda: load_breast_cancer(return_X_y=True), 99),
    "digits": (lambda: load_digits(return_X_y=True), 99),
    "generated": (generated, 99),
}
every_table = pytest.mark.parametrize("name", TABLES)


def coverages(name: str, alpha: float, tested: int = 60, repeats: int = REPEATS, **options: Any) -> Any:
    """(R, tested) whether the sets of test rows held their class, in each draw of rows."""
    read, m = TABLES[name]
    X, y = read()
    model = GaussianNB(var_smoothing=0.01)
    covered = np.empty((repeats, tested), dtype=bool)
    for seed in range(repeats):
        order = np.random.default_rng(seed).permutation(len(y))
        learned, test = order[: 2 * m], order[-tested:]
        sets = PredictionSets(model, random_state=seed, **options).fit(X[learned], y[learned])
        held = sets.predict_set(X[test], alpha)
        place = np.searchsorted(sets.classes_, y[test])
        covered[seed] = held[np.arange(tested), np.minimum(place, len(sets.classes_) - 1)]
    return covered


def standard_error_of_split(m: int, alpha: float, tested: int, repeats: int) -> float:
    """Of a coverage that is beta-binomial in every draw, as the ranks of exchangeable rows are.

    Vovk (2012), Conditional validity of inductive conformal predictors, section 2.
    """
    b = alpha * (m + 1)
    a = m + 1 - b
    variance = tested * a * b * (a + b + tested) / ((a + b) ** 2 * (a + b + 1))
    return float(np.sqrt(variance / tested**2 / repeats))


@every_table
@pytest.mark.parametrize("alpha", [0.1, 0.25])
def test_split_covers_what_it_says(name: str, alpha: float) -> None:
    found = coverages(name, alpha, method="split")
    error = standard_error_of_split(TABLES[name][1], alpha, found.shape[1], len(found))
    assert error < 0.007
    assert abs(found.mean() - (1 - alpha)) < 3.5 * error


@every_table
def test_the_spread_of_split_is_that_of_ranks(name: str) -> None:
    """Else the standard error above is not what it claims."""
    found = coverages(name, 0.1, method="split").mean(axis=1)
    error = standard_error_of_split(TABLES[name][1], 0.1, 60, 1)
    # The standard deviation of 200 draws has a standard error of a twentieth of it.
    assert abs(found.std(ddof=1) / error - 1) < 3.5 / np.sqrt(2 * (len(found) - 1)) * 1.3


@every_table
@pytest.mark.parametrize("options", [{"method": "cross", "cv": 5}, {"method": "leave-one-out"}], ids=["cross", "loo"])
def test_cross_and_leave_one_out_cover_no_less(name: str, options: Any) -> None:
    found = coverages(name, 0.1, **options).mean(axis=1)
    error = found.std(ddof=1) / np.sqrt(len(found))
    assert error < 0.006
    assert found.mean() > 0.9 - 3.5 * error
    assert found.mean() < 0.97  # sets of all classes would cover as well


@pytest.mark.parametrize("score", ["posterior", "density"])
@pytest.mark.parametrize("method", ["split", "cross", "leave-one-out"])
def test_every_class_is_covered_where_that_is_asked(method: str, score: str) -> None:
    X, y = generated()
    hits, rows = np.zeros((60, 3)), np.zeros((60, 3))
    for seed in range(len(hits)):
        order = np.random.default_rng(seed).permutation(len(y))
        learned, test = order[:500], order[500:]
        sets = PredictionSets(
            LinearDiscriminantAnalysis(), method=method, conformity=score, class_conditional=True, random_state=seed
        ).fit(X[learned], y[learned])
        held = sets.predict_set(X[test], 0.2)[np.arange(len(test)), y[test]]
        hits[seed], rows[seed] = np.bincount(y[test], held, 3), np.bincount(y[test], minlength=3)
    shares = hits / rows
    error = shares.std(axis=0, ddof=1) / np.sqrt(len(shares))
    assert (shares.mean(axis=0) > 0.8 - 3.5 * error).all()
    assert (shares.mean(axis=0) < 0.9).all()


def test_without_classes_apart_a_rare_class_is_covered_less() -> None:
    """So that the test above can fail."""
    X, y = generated()
    sets = PredictionSets(LinearDiscriminantAnalysis(), method="leave-one-out").fit(X[:600], y[:600])
    quality = sets.set_quality(X[600:], y[600:], 0.2)
    assert quality.coverage > 0.75
    assert quality.class_coverage[2] < 0.6
