"""The comparison's numbers are those of an independent computation; what fails is a reason, not an end."""

import math
import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, balanced_accuracy_score, log_loss
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from distinguo.evaluation.comparison.contest import Contender, Prepared, Result, compare, majority, rank
from distinguo.evaluation.comparison.metrics import corrected_standard_error, quality
from distinguo.exceptions import InputError
from distinguo.resampling import Rows, Split, repeated_folds

X, CODES = load_wine(return_X_y=True)
LABELS = np.array(["red", "rosé", "white"])[CODES]
SPLITS = repeated_folds(CODES, folds=4, repeats=2, random_state=7)


def prepare(train: Rows, test: Rows, encoding: str) -> Prepared:
    return Prepared(X[train], X[test], None, lambda _: 123)


def contender(make: Callable[[], Any], holes: bool = False) -> Contender:
    return Contender("it", "it", make, holes)


def only(make: Callable[[], Any]) -> Result:
    return compare([contender(make)], LABELS, SPLITS, prepare)[0]


def out_of_fold(make: Callable[[], Any], repeat: int) -> np.ndarray:
    probabilities = np.empty((len(X), 3))
    for split in SPLITS:
        if split.repeat == repeat:
            probabilities[split.test] = make().fit(X[split.train], LABELS[split.train]).predict_proba(X[split.test])
    return probabilities


@pytest.mark.parametrize("make", [GaussianNB, lambda: make_pipeline(StandardScaler(), LogisticRegression())])
def test_the_numbers_are_scikit_learns_on_the_same_folds(make: Callable[[], Any]) -> None:
    measured = only(make).measured
    assert measured is not None
    repeats = [out_of_fold(make, repeat) for repeat in (0, 1)]
    predicted = [np.unique(LABELS)[p.argmax(axis=1)] for p in repeats]
    expected = {
        "accuracy": np.mean([accuracy_score(LABELS, p) for p in predicted]),
        "balanced_accuracy": np.mean([balanced_accuracy_score(LABELS, p) for p in predicted]),
        "log_loss": np.mean([log_loss(LABELS, p) for p in repeats]),
    }
    for name, value in expected.items():
        assert getattr(measured.quality, name) == pytest.approx(value, rel=1e-12)
    by_split = [np.mean(predicted[s.repeat][s.test] == LABELS[s.test]) for s in SPLITS]
    assert measured.accuracies == pytest.approx(by_split)
    share = np.mean([len(s.test) / len(s.train) for s in SPLITS])
    expected_se = math.sqrt((1 / 8 + share) * np.var(by_split, ddof=1))
    assert measured.accuracy_se == pytest.approx(expected_se)
    assert measured.size == 123
    assert measured.fit_seconds > 0
    assert measured.predict_seconds_per_row > 0


def test_labels_are_judged_where_there_are_no_probabilities() -> None:
    judged = Contender("it", "it", GaussianNB, holes=False, probabilities=False)
    labels_only, measured = compare([judged], LABELS, SPLITS, prepare)[0].measured, only(GaussianNB).measured
    assert labels_only is not None
    assert measured is not None
    assert labels_only.quality == replace(measured.quality, log_loss=None)
    assert labels_only.accuracies == measured.accuracies
    less = replace(labels_only, quality=replace(labels_only.quality, accuracy=0.1))
    poor = replace(measured, quality=replace(measured.quality, log_loss=99.0))
    assert sorted([less, labels_only, poor, measured], key=rank) == [measured, poor, labels_only, less]


def test_the_baseline_names_the_commonest_class() -> None:
    result = compare([majority()], LABELS, SPLITS, prepare)[0]
    assert result.measured is not None
    assert result.measured.quality.accuracy == pytest.approx(np.mean(LABELS == "rosé"))
    assert result.measured.quality.balanced_accuracy == pytest.approx(1 / 3)


class Refusing(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A model that cannot."""

    def fit(self, X: Any, y: Any) -> Any:
        raise InputError("this table\n  is not for me")


class Talkative(GaussianNB):  # type: ignore[misc]
    """A model that warns at every fit, of other columns each time."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        warnings.warn(f"left out 3 of {len(X)} rows in 'column {X[0, 0]}'", UserWarning, stacklevel=2)
        warnings.warn("old name", DeprecationWarning, stacklevel=2)
        return super().fit(X, y, sample_weight)


def test_a_model_that_cannot_take_part_is_listed_and_the_others_go_on() -> None:
    refused, fitted = compare([contender(Refusing), contender(GaussianNB)], LABELS, SPLITS, prepare)
    assert refused.reason == "this table is not for me"
    assert refused.measured is None
    assert fitted.measured is not None


def test_a_bug_is_not_a_reason() -> None:
    def broken() -> Any:
        raise KeyError("bug")

    with pytest.raises(KeyError):
        only(broken)


def test_holes_are_for_models_that_take_them() -> None:
    def holed(train: Rows, test: Rows, encoding: str) -> Prepared:
        return Prepared(X[train], X[test], "column 'ash' has one in row 3", lambda _: 1)

    without, with_holes = compare([contender(GaussianNB), contender(GaussianNB, holes=True)], LABELS, SPLITS, holed)
    assert without.reason == "takes no missing cells, and column 'ash' has one in row 3"
    assert with_holes.measured is not None


def test_warnings_that_mean_the_same_are_kept_once() -> None:
    result = only(Talkative)
    assert len(result.warnings) == 1
    assert result.warnings[0].startswith("left out 3 of 13")


def test_progress_is_told_of_every_model_and_split() -> None:
    steps: list[None] = []
    compare([contender(Refusing), contender(GaussianNB)], LABELS, SPLITS, prepare, lambda: steps.append(None))
    assert len(steps) == 2 * len(SPLITS)


def test_held_out_rows_do_not_touch_a_folds_model() -> None:
    """Whatever the test rows hold, the probabilities of the other folds stay as they are."""
    split = SPLITS[0]
    spoiled = X.copy()
    spoiled[split.test] = 1e6

    def prepare_spoiled(train: Rows, test: Rows, encoding: str) -> Prepared:
        return Prepared(spoiled[train], X[test], None, lambda _: 1)

    one = [Split(split.train, split.test, 0)]
    clean, other = (compare([contender(GaussianNB)], LABELS, one * 2, p)[0] for p in (prepare, prepare_spoiled))
    assert clean.measured is not None
    assert other.measured is not None
    assert clean.measured.quality == other.measured.quality


def test_a_probability_of_zero_costs_much_and_not_infinitely() -> None:
    q = quality(np.array(["a", "b"]), np.array([[0.0, 1.0], [0.0, 1.0]]), np.array(["a", "b"]))
    assert 10 < q.log_loss < 20


def test_the_standard_error_is_larger_than_that_of_independent_splits() -> None:
    values = np.array([0.9, 0.95, 0.85, 1.0])
    naive = values.std(ddof=1) / 2
    assert corrected_standard_error(values, 0.0) == pytest.approx(naive)
    assert corrected_standard_error(values, 0.25) == pytest.approx(naive * math.sqrt(2))
