"""Novelty: alarms at the rate stated, digits never seen, the mean digit, and ranks worked out by hand."""

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
import skops.io
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits, load_iris
from sklearn.linear_model import LogisticRegression as SklearnLogistic
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from distinguo import (
    FlexibleDiscriminantAnalysis,
    GaussianNB,
    LinearDiscriminantAnalysis,
    MemorySource,
    MixtureDiscriminantAnalysis,
    Novelty,
    PredictionSets,
    QuadraticDiscriminantAnalysis,
    calibrate_novelty,
)
from distinguo.catalogue import trusted_types
from distinguo.exceptions import FewRowsWarning, InputError
from tests.generative.cases import three_classes

seeds = st.integers(0, 2**32 - 1)
few = settings(max_examples=5)
both_sides = pytest.mark.parametrize("two_sided", [False, True])


def rows(seed: int = 0, n: int = 90) -> tuple[Any, Any]:
    return three_classes(seed, n=n)


@pytest.mark.filterwarnings("ignore::distinguo.exceptions.FewRowsWarning")  # checks bring few rows
@pytest.mark.filterwarnings("ignore::distinguo.exceptions.LeftOutWarning")  # some 30 columns in 15
@parametrize_with_checks([Novelty(LinearDiscriminantAnalysis(), method="cross"), Novelty(GaussianNB(), method="cross")])
def test_scikit_learns_checks(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.mark.filterwarnings("ignore::distinguo.exceptions.FewRowsWarning")
@pytest.mark.filterwarnings("ignore::distinguo.exceptions.LeftOutWarning")
@parametrize_with_checks([Novelty(GaussianNB(), two_sided=True)])
def test_scikit_learns_checks_of_leaving_out(estimator: Any, check: Any) -> None:
    name = getattr(check, "func", check).__name__
    if name.startswith("check_sample_weight_equivalence"):
        pytest.skip("gives cv to whatever has such a parameter; what weights mean is a law below")
    check(estimator)


# The rate


@pytest.mark.parametrize("method", ["leave-one-out", "cross", "split"])
@pytest.mark.parametrize("name", ["iris", "breast cancer", "gaussians"])
@both_sides
def test_no_more_alarms_than_stated(name: str, method: str, two_sided: bool) -> None:
    X, y = {
        "iris": lambda: load_iris(return_X_y=True),
        "breast cancer": lambda: load_breast_cancer(return_X_y=True),
        "gaussians": lambda: three_classes(n=600),
    }[name]()
    alarms = []
    for seed in range(60):
        order = np.random.default_rng(seed).permutation(len(y))
        learned, test = order[:98], order[-50:]  # of 49 rows held out a tenth, with the new one, is a whole number
        novelty = Novelty(GaussianNB(), false_alarm=0.1, two_sided=two_sided, method=method, random_state=seed)
        alarms.append(novelty.fit(X[learned], y[learned]).is_novel(X[test]).mean())
    error = np.std(alarms, ddof=1) / np.sqrt(len(alarms))
    assert error < 0.01
    assert np.mean(alarms) < 0.1 + 3.5 * error
    assert np.mean(alarms) > 0.04  # never to sound an alarm would be as good


# Digits


def left_aside(model: Any, digit: int) -> tuple[Any, Any, Any]:
    """Novelty learned from the other digits, rows it has not seen, and which of these show the digit."""
    X, y = load_digits(return_X_y=True)
    known = np.flatnonzero(y != digit)
    train, test = train_test_split(known, test_size=0.3, random_state=digit, stratify=y[known])
    novelty = Novelty(model, false_alarm=0.05, method="cross").fit(X[train], y[train])
    shown = np.concatenate([test, np.flatnonzero(y == digit)])
    return novelty, X[shown], y[shown] == digit


@pytest.mark.filterwarnings("ignore::distinguo.exceptions.LeftOutWarning")
@pytest.mark.parametrize(
    ("model", "least", "found"),
    [(QuadraticDiscriminantAnalysis(shrinkage=0.3), 0.95, 0.9), (LinearDiscriminantAnalysis(shrinkage=0.1), 0.88, 0.4)],
    ids=["quadratic", "linear"],
)
def test_a_digit_never_seen(model: Any, least: float, found: float) -> None:
    areas, hits, alarms = [], [], []
    for digit in range(10):
        novelty, X, is_new = left_aside(model, digit)
        areas.append(roc_auc_score(is_new, -novelty.score_samples(X)))
        hits.append(novelty.is_novel(X[is_new]).mean())
        alarms.append(novelty.is_novel(X[~is_new]).mean())
    assert np.mean(areas) > least
    assert np.mean(hits) > found
    assert np.mean(alarms) < 0.05 + 3.5 * np.std(alarms, ddof=1) / np.sqrt(10)


@pytest.mark.filterwarnings("ignore::distinguo.exceptions.LeftOutWarning")
def test_the_mean_digit_is_denser_than_any_digit() -> None:
    X, y = load_digits(return_X_y=True)
    means = np.vstack([X.mean(axis=0), [X[y == k].mean(axis=0) for k in range(10)]])
    novelty = Novelty(LinearDiscriminantAnalysis(shrinkage=0.1), two_sided=True, method="cross").fit(X, y)
    assert novelty.is_novel(means).all()
    np.testing.assert_allclose(novelty.p_values(means), 2 / (1 + len(X)))
    assert (novelty.score_samples(means) > novelty.calibration_.whole.values.max()).all()
    novelty.two_sided = False
    assert (novelty.p_values(means) == 1).all()  # nothing is more familiar, if only a low density is strange
    # With a shape for each class, the mean of each is denser than all members of the class.
    shapes = Novelty(QuadraticDiscriminantAnalysis(shrinkage=0.3), two_sided=True, method="cross").fit(X, y)
    own = shapes.typicality(means[1:])[np.arange(10), np.arange(10)]
    np.testing.assert_allclose(own, 2 / (1 + np.bincount(y)))


# By hand, and laws


@both_sides
def test_p_values_are_ranks_among_rows_left_out(two_sided: bool) -> None:
    X, y = rows(n=45)
    model = QuadraticDiscriminantAnalysis(priors="uniform")
    novelty = Novelty(model, false_alarm=0.1, two_sided=two_sided).fit(X, y)
    logs, own = np.empty(45), np.empty(45)
    for i in range(45):
        rest = clone(model).fit(np.delete(X, i, axis=0), np.delete(y, i))
        logs[i] = rest.score_samples(X[[i]])[0]
        own[i] = rest.class_log_density(X[[i]])[0, np.flatnonzero(rest.classes_ == y[i])[0]]
    new, full = rows(1)[0], clone(model).fit(X, y)

    def p_of(among: Any, values: Any) -> Any:
        low = (1 + (among[:, None] <= values).sum(axis=0)) / (1 + len(among))
        high = (1 + (among[:, None] >= values).sum(axis=0)) / (1 + len(among))
        return np.minimum(1, 2 * np.minimum(low, high)) if two_sided else low

    np.testing.assert_allclose(novelty.score_samples(new), full.score_samples(new))
    np.testing.assert_allclose(novelty.p_values(new), p_of(logs, full.score_samples(new)))
    by_class = [p_of(own[y == label], full.class_log_density(new)[:, k]) for k, label in enumerate("abc")]
    np.testing.assert_allclose(novelty.typicality(new), np.column_stack(by_class))
    # Rows of the fit stand among the others, each with its own density counted once.
    for i in (0, 7, 44):
        others = np.delete(logs, i)
        np.testing.assert_allclose(novelty.p_values_[i], p_of(others, logs[[i]])[0])


@both_sides
@given(seed=seeds, rate=st.floats(0.03, 0.5))
@few
def test_thresholds_say_what_p_values_say(two_sided: bool, seed: int, rate: float) -> None:
    X, y = rows(seed)
    novelty = Novelty(GaussianNB(), false_alarm=rate, two_sided=two_sided).fit(X, y)
    new = np.vstack([X, 3 * X, 0.1 * X])
    low, high = novelty.thresholds_
    logs = novelty.score_samples(new)
    assert np.array_equal(novelty.is_novel(new), (logs < low) | (logs > high))
    assert np.array_equal(novelty.is_novel(new), novelty.p_values(new) <= rate)
    assert np.array_equal(novelty.predict(new), np.where(novelty.is_novel(new), -1, 1))
    assert np.isinf(high) != two_sided


@both_sides
def test_a_weight_of_two_is_the_row_twice(two_sided: bool) -> None:
    X, y = rows()
    weight = np.random.default_rng(0).integers(0, 4, 90)
    novelty = Novelty(GaussianNB(), two_sided=two_sided)
    weighted = clone(novelty).fit(X, y, sample_weight=weight)
    repeated = clone(novelty).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    np.testing.assert_allclose(weighted.p_values(X), repeated.p_values(X))
    np.testing.assert_allclose(weighted.typicality(X), repeated.typicality(X))
    assert weighted.thresholds_ == pytest.approx(repeated.thresholds_)
    np.testing.assert_allclose(np.repeat(weighted.p_values_, weight), repeated.p_values_)
    assert np.isnan(weighted.p_values_[weight == 0]).all()


def test_a_split_ranks_among_its_second_part() -> None:
    X, y = rows(n=150)
    novelty = Novelty(GaussianNB(), false_alarm=0.05, method="split", cv=3).fit(X, y)
    held = ~np.isnan(novelty.p_values_)
    assert held.sum() == 50
    other = GaussianNB().fit(X[~held], y[~held])
    np.testing.assert_allclose(novelty.score_samples(X), other.score_samples(X))
    np.testing.assert_allclose(novelty.calibration_.whole.values, np.sort(other.score_samples(X[held])))


def test_typicality_is_that_of_prediction_sets_by_density() -> None:
    X, y = rows()
    for method in ("leave-one-out", "cross"):
        novelty = Novelty(LinearDiscriminantAnalysis(), method=method, cv=None).fit(X, y)
        assert novelty.typicality(X).shape == (90, 3)
    sets = PredictionSets(
        LinearDiscriminantAnalysis(), method="leave-one-out", conformity="density", class_conditional=True
    ).fit(X, y)
    left = Novelty(LinearDiscriminantAnalysis()).fit(X, y)
    np.testing.assert_allclose(left.typicality(X), sets.p_values(X))


def test_the_model_takes_its_own_typicality_for_the_truth_and_ranks_do_not() -> None:
    """Heavy tails: of members of the classes, the chi-squared tail calls far more strange than it says."""
    rng = np.random.default_rng(0)
    y = np.arange(3000) % 2
    X = rng.standard_t(3, (3000, 4)) + 3 * y[:, None]
    novelty = Novelty(LinearDiscriminantAnalysis(), false_alarm=0.01).fit(X[:2000], y[:2000])
    said = novelty.model_.typicality(X[2000:]).max(axis=1) <= 0.01
    error = np.sqrt(0.01 * 0.99 / 1000 + 0.01 * 0.99 / 2000)
    assert said.mean() > 0.02
    assert abs(novelty.is_novel(X[2000:]).mean() - 0.01) < 3.5 * error


# Models, containers, files


@pytest.mark.parametrize(
    "model",
    [MixtureDiscriminantAnalysis(subclasses=2, n_init=1), FlexibleDiscriminantAnalysis(regression="linear")],
    ids=["mixture", "flexible"],
)
def test_models_that_leave_no_row_out_are_crossed(model: Any) -> None:
    X, y = rows(n=150)
    novelty = Novelty(model, false_alarm=0.05, method="cross", cv=5).fit(X, y)
    assert novelty.is_novel(X).mean() < 0.12
    assert not np.isnan(novelty.p_values_).any()
    with pytest.raises(InputError, match=r"'leave-one-out' needs .* Use method='cross'"):
        Novelty(model).fit(X, y)


def test_missing_cells() -> None:
    X, y = rows(n=150)
    X[np.random.default_rng(0).random(X.shape) < 0.1] = np.nan
    novelty = Novelty(LinearDiscriminantAnalysis(), false_alarm=0.05, method="cross").fit(X, y)
    assert 0.0 < novelty.is_novel(X).mean() < 0.1
    assert Novelty(GaussianNB(), false_alarm=0.05).fit(X, y).is_novel([[np.nan, 40.0, np.nan]]).all()
    with pytest.raises(InputError, match="completed at fit"):
        Novelty(LinearDiscriminantAnalysis()).fit(X, y)


def test_rows_of_a_source() -> None:
    X, y = rows()
    weight = np.where(np.arange(90) % 5 == 0, 0.0, 1.0)
    source = MemorySource(X, y, weight)
    novelty = Novelty(GaussianNB(), false_alarm=0.05).fit(source)
    plain = Novelty(GaussianNB(), false_alarm=0.05).fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(novelty.p_values(X), plain.p_values(X))
    np.testing.assert_allclose(novelty.p_values_, plain.p_values_[weight > 0])
    sets = PredictionSets(GaussianNB(), method="leave-one-out")
    expected = clone(sets).fit(X, y, sample_weight=weight).p_values(X)
    np.testing.assert_allclose(sets.fit(source).p_values(X), expected)


def test_a_pipeline_ends_with_it() -> None:
    X, y = rows()
    frame = pd.DataFrame(X, columns=["u", "v", "w"])
    plain = Novelty(GaussianNB(), false_alarm=0.05).fit(frame, y)
    assert plain.feature_names_in_.tolist() == ["u", "v", "w"]
    scaled = make_pipeline(StandardScaler(), Novelty(GaussianNB(), false_alarm=0.05)).fit(frame, y)
    assert np.array_equal(scaled.predict(frame), plain.predict(frame))


def test_it_survives_a_file() -> None:
    X, y = rows()
    novelty = Novelty(QuadraticDiscriminantAnalysis(), two_sided=True).fit(X, y)
    trusted = [*trusted_types(), "distinguo.evaluation.novelty.detector.Novelty"]
    for loaded in (pickle.loads(pickle.dumps(novelty)), skops.io.loads(skops.io.dumps(novelty), trusted=trusted)):
        assert np.array_equal(loaded.p_values(X), novelty.p_values(X))
        assert np.array_equal(loaded.typicality(X), novelty.typicality(X))


def test_a_fitted_model_is_calibrated_alike() -> None:
    X, y = rows()
    novelty = Novelty(QuadraticDiscriminantAnalysis()).fit(X, y)
    model = QuadraticDiscriminantAnalysis().fit(X, y)
    calibration = calibrate_novelty(model, X, y)
    assert np.array_equal(calibration.p_values(model, X), novelty.p_values(X))
    stored = skops.io.loads(skops.io.dumps((model, calibration)), trusted=trusted_types())
    assert np.array_equal(
        stored[1].typicality(stored[0], X, two_sided=True), novelty.set_params(two_sided=True).typicality(X)
    )
    mixture = MixtureDiscriminantAnalysis(subclasses=1, n_init=1).fit(X, y)
    assert calibrate_novelty(mixture, X, y).whole.total == 90


# Bad input


@pytest.mark.parametrize("rate", [0, 1, 0.0, 1.0, -0.01, 2, float("nan"), "0.01", None, True])
def test_a_rate_lies_between_0_and_1(rate: Any) -> None:
    with pytest.raises(InputError, match=r"false_alarm=.* must be a number between 0 and 1"):
        Novelty(GaussianNB(), false_alarm=rate).fit(*rows())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"two_sided": "yes"}, "two_sided='yes' must be True or False"),
        ({"method": "jackknife"}, "method='jackknife' is not known; use 'split' or 'cross' or 'leave-one-out'"),
        ({"cv": 3}, "cv=3 cannot act with method='leave-one-out'"),
        ({"method": "cross", "cv": 0}, "cv=0 must be at least 2"),
    ],
)
def test_options(options: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Novelty(GaussianNB(), **options).fit(*rows())


def test_models_without_a_density() -> None:
    with pytest.raises(InputError, match="density of classes needs a model with class_log_density; LogisticRegression"):
        Novelty(SklearnLogistic()).fit(*rows())
    with pytest.raises(InputError, match="Pipeline has none"):
        Novelty(make_pipeline(StandardScaler(), GaussianNB()), method="cross").fit(*rows())


@both_sides
def test_too_few_rows_to_sound_an_alarm(two_sided: bool) -> None:
    X, y = rows()
    novelty = Novelty(GaussianNB(), two_sided=two_sided).fit(X, y)
    assert novelty.thresholds_ == (-np.inf, np.inf)
    needed = 199 if two_sided else 99
    with pytest.warns(FewRowsWarning, match=f"at false_alarm=0.01: that takes {needed} rows .* there are 90"):
        assert not novelty.is_novel(1000 * X).any()


def test_a_row_that_no_class_can_have() -> None:
    X, y = rows(n=150)
    novelty = Novelty(GaussianNB(), false_alarm=0.05).fit(X, y)
    assert novelty.is_novel([[1e200, 0.0, 0.0]]).all()
    np.testing.assert_allclose(novelty.p_values([[1e200, 0.0, 0.0]]), 1 / 151)
