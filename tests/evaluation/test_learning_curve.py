"""Learning curves: the figures after so many rows, on the same rows held out."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_wine
from sklearn.model_selection import KFold
from sklearn.model_selection import learning_curve as peer_curve

from distinguo import GaussianNB, LinearDiscriminantAnalysis, learning_curve
from distinguo.exceptions import InputError, InputTypeError

X, CODES = load_wine(return_X_y=True)
Y = np.array(["red", "rosé", "white"])[CODES]
SIZES = [9, 30, 120]


def test_figures_are_scikit_learns_on_given_splits() -> None:
    order = np.random.default_rng(0).permutation(178)
    rows, labels = X[order], Y[order]
    folds = list(KFold(4).split(rows))
    splits = {size: [(train[:size], test) for train, test in folds] for size in (40, 100)}
    ours = learning_curve({"bayes": GaussianNB()}, rows, labels, splits)
    _, _, theirs = peer_curve(GaussianNB(), rows, labels, train_sizes=[40, 100], cv=folds)
    np.testing.assert_allclose(ours.accuracy[0], theirs.mean(axis=1))
    np.testing.assert_allclose(ours.accuracy_sd[0], theirs.std(axis=1, ddof=1))


def test_a_splitter_is_taken_too() -> None:
    curve = learning_curve(["lda"], X, Y, {133: KFold(4, shuffle=True, random_state=0)})
    assert curve.sizes == (133,)
    assert 0.9 < curve.accuracy[0, 0] <= 1


def test_rows_are_drawn_in_proportion_and_each_size_holds_the_one_before() -> None:
    seen: dict[int, list[np.ndarray]] = {}

    class Recording(LinearDiscriminantAnalysis):
        def fit(self, X, y=None, sample_weight=None):
            seen.setdefault(len(X), []).append(X[:, 0].astype(int))
            return super().fit(X[:, 1:], y)

        def predict_proba(self, X):
            tested.append(set(X[:, 0].astype(int)))
            return super().predict_proba(X[:, 1:])

        def predict(self, X):
            return super().predict(X[:, 1:])

    tested: list[set[int]] = []
    learning_curve({"it": Recording()}, np.column_stack([np.arange(178), X]), Y, SIZES, repeats=3)
    shares = np.bincount(CODES) / 178
    for size, draws in seen.items():
        assert len(draws) == 3
        for rows in draws:
            counts = np.bincount(CODES[rows])
            assert np.abs(counts - shares * size).max() <= 1.5
    for repeat in range(3):
        small, middle, large = (set(seen[size][repeat]) for size in SIZES)
        assert small < middle < large
        assert sum(not test & large for test in tested) == len(SIZES)


def test_every_class_has_a_row_at_least() -> None:
    rare = np.where(np.arange(400) < 4, "rare", np.where(np.arange(400) % 2, "a", "b"))
    rows = np.random.default_rng(0).normal(size=(400, 2))
    curve = learning_curve(["gaussian-nb"], rows, rare, [3, 10], repeats=2)
    assert np.isfinite(curve.log_loss).all() or curve.reasons


def test_more_rows_make_better_models_and_the_seed_makes_the_same_ones() -> None:
    first, again, other = (
        learning_curve(["lda", "knn"], X, Y, SIZES, repeats=4, random_state=seed) for seed in (0, 0, 1)
    )
    assert first.models == ("lda", "knn")
    assert (np.diff(first.accuracy, axis=1) > 0).all()
    for name in ("accuracy", "accuracy_sd", "balanced_accuracy", "log_loss"):
        assert np.array_equal(getattr(first, name), getattr(again, name))
    assert not np.array_equal(first.accuracy, other.accuracy)


def test_the_order_of_models_does_not_matter() -> None:
    one = learning_curve(["lda", "gaussian-nb"], X, Y, SIZES)
    two = learning_curve(["gaussian-nb", "lda"], X, Y, SIZES)
    assert np.array_equal(one.accuracy, two.accuracy[::-1])


def test_a_model_that_cannot_learn_from_few_rows_goes_on_with_more() -> None:
    curve = learning_curve(["qda", "perceptron"], X, Y, [9, 100], repeats=2)
    assert np.isnan(curve.accuracy[0]).tolist() == [True, False]
    assert "singular" in curve.reasons["qda", 9]
    assert np.isnan(curve.log_loss[1]).all()  # it has no probabilities
    lines = str(curve).splitlines()
    assert lines[0].split() == ["accuracy", "after", "9", "100"]
    assert lines[1].split()[:2] == ["qda", "-"]
    assert lines[-1].startswith("qda after 9: the covariance of class ")


def test_frequencies() -> None:
    weight = (np.arange(178) % 3).astype(float)
    kept = weight > 0
    one = learning_curve({"lda": LinearDiscriminantAnalysis()}, X, Y, [20, 60], sample_weight=weight)
    two = learning_curve({"lda": LinearDiscriminantAnalysis()}, X[kept], Y[kept], [20, 60], sample_weight=weight[kept])
    assert np.array_equal(one.accuracy, two.accuracy)
    splits = {50: [(np.arange(0, 150, 2), np.arange(150, 178))]}
    given = learning_curve(["lda"], X, Y, splits, sample_weight=weight)
    counted = np.arange(150, 178)[weight[150:] > 0]
    model = LinearDiscriminantAnalysis().fit(X[:150:2], Y[:150:2], weight[:150:2])
    right = model.predict(X[counted]) == Y[counted]
    assert given.accuracy[0, 0] == pytest.approx(np.average(right, weights=weight[counted]))
    assert np.isnan(given.accuracy_sd[0, 0])


def test_what_comes_out() -> None:
    curve = learning_curve(["lda", "perceptron"], pd.DataFrame(X), Y, [30, 60], repeats=2)
    frame = curve.to_frame()
    assert frame.shape == (4, 7)
    assert list(frame.columns) == [
        "model", "size", "accuracy", "accuracy_sd", "balanced_accuracy", "log_loss", "fit_seconds",
    ]  # fmt: skip
    document = json.loads(json.dumps(curve.to_dict(), allow_nan=False))
    assert document["figures"][3]["log_loss"] is None
    assert (curve.fit_seconds > 0).all()
    assert len({len(line) for line in str(curve).splitlines()}) == 1


def test_progress_is_told_of_every_model_and_split() -> None:
    steps: list[None] = []
    learning_curve(["lda", "knn"], X, Y, [30, 60, 90], repeats=2, advance=lambda: steps.append(None))
    assert len(steps) == 2 * 3 * 2


NONE = np.array([], dtype=int)
BAD = [
    (lambda: learning_curve(["lda"], X, Y, 30), "sizes must be a list"),
    (lambda: learning_curve(["lda"], X, Y, "30"), "sizes must be a list"),
    (lambda: learning_curve(["lda"], X, Y, []), r"sizes=\[\] must lie between 3, a row of each class, and 142"),
    (lambda: learning_curve(["lda"], X, Y, [2, 30]), r"sizes=\[2, 30\] must lie between 3"),
    (lambda: learning_curve(["lda"], X, Y, [150]), "and 142, the rows not tested on"),
    (lambda: learning_curve(["lda"], X, Y, [0.5]), "a size=0.5 must be a whole number"),
    (lambda: learning_curve(["lda"], X, Y, [30], repeats=0), "repeats=0 must be a whole number"),
    (lambda: learning_curve(["lda"], X, Y, [30], test_fraction=2), "it must lie between 0 and 1"),
    (lambda: learning_curve(["lda"], X, Y, [30], random_state="x"), "random_state='x' must be a whole number"),
    (lambda: learning_curve(["lda"], X, Y, {}), "sizes is empty"),
    (
        lambda: learning_curve(["lda"], X, Y, {5: [([0, 100], np.array([], dtype=int))]}),
        "no rows to learn from, or none to test on",
    ),
    (lambda: learning_curve(["lda"], X, Y, {5: 1}), "cv=1 must be"),
    (lambda: learning_curve(["lda"], X, Y, {5: [([0, 100], [170])]}, repeats=3), "repeats=3 cannot act"),
    (lambda: learning_curve(["lda"], X, Y, {5: [([0], [1])]}, test_fraction=0.1), "test_fraction=0.1 cannot act"),
    (lambda: learning_curve(["nonsense"], X, Y, [30]), "there is no model 'nonsense'"),
    (lambda: learning_curve(["lda"], X, np.zeros(178, int), [30]), "y has one class only"),
]


@pytest.mark.parametrize(("work", "message"), BAD)
def test_bad_input_is_refused(work, message: str) -> None:
    with pytest.raises((InputError, InputTypeError), match=message):
        work()
