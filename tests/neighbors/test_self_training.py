"""Few labels and many rows without: scikit-learn's self-training takes our models as they are."""

from typing import Any

import numpy as np
import pytest
from sklearn.semi_supervised import SelfTrainingClassifier

from distinguo import KNeighborsClassifier, LogisticRegression


def moons(n: int = 300) -> tuple[Any, Any]:
    """Two arcs around each other, too close for three labels each to be enough."""
    rng = np.random.default_rng(0)
    angle, truth = rng.uniform(0, np.pi, n), np.arange(n) % 2
    X = np.column_stack([np.cos(angle), np.sin(angle)])
    X[truth == 1] = [1.0, 0.4] - X[truth == 1]
    return X + rng.normal(0, 0.08, (n, 2)), truth


def test_neighbours_hand_labels_along_the_arcs() -> None:
    X, truth = moons()
    y = np.where(np.isin(np.arange(300), _few(truth)), truth, -1)
    alone = KNeighborsClassifier(3).fit(X[y >= 0], y[y >= 0])
    trained = SelfTrainingClassifier(KNeighborsClassifier(3), criterion="k_best", k_best=6, max_iter=None).fit(X, y)
    assert trained.termination_condition_ == "all_labeled"
    assert trained.score(X, truth) > alone.score(X, truth) + 0.05


def test_a_threshold_leaves_rows_in_doubt_without_a_label() -> None:
    X, truth = moons()
    y = np.where(np.isin(np.arange(300), _few(truth)), truth, -1)
    trained = SelfTrainingClassifier(KNeighborsClassifier(2), threshold=0.9).fit(X, y)
    labelled = trained.transduction_ >= 0
    assert (y >= 0).sum() < labelled.sum() < 300
    shares = trained.estimator_.predict_proba(X[~labelled]).max(axis=1)
    assert (shares <= 0.9).all()


@pytest.mark.parametrize("scale", [1.0, 1e3])
def test_logistic_regression_learns_from_its_own_sure_labels(scale: float) -> None:
    rng = np.random.default_rng(1)
    truth = np.arange(400) % 2
    X = scale * (rng.normal(size=(400, 4)) + 1.2 * truth[:, None])
    y = np.where(np.arange(400) < 10, truth, -1)
    alone = LogisticRegression(C=1.0, standardize=True).fit(X[:10], y[:10])
    trained = SelfTrainingClassifier(LogisticRegression(C=1.0, standardize=True), threshold=0.9, max_iter=50).fit(X, y)
    assert (trained.labeled_iter_ > 0).sum() > 200
    assert trained.score(X, truth) >= alone.score(X, truth)


def _few(truth: Any) -> Any:
    """Three rows of each class."""
    return np.concatenate([np.flatnonzero(truth == k)[:3] for k in (0, 1)])
