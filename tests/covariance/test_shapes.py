"""What cannot vary is left out or named, and what varies between classes only decides."""

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from distinguo import GaussianNB, LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from distinguo.covariance.scale import VARIANCE_FLOOR
from distinguo.exceptions import InputError, LeftOutWarning, SingularCovarianceError
from tests.generative.cases import every_variant, three_classes

LDA, QDA = LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
LEVELS = np.array([1.0, 2.0, 4.0])


def levels(y: Any) -> Any:
    """A number that is the same within each class and differs between classes."""
    return LEVELS[np.searchsorted(["a", "b", "c"], y)]


# Columns that decide, and columns that are left out


@every_variant
def test_a_column_that_varies_between_classes_only_decides(model: Any) -> None:
    X, y = three_classes()
    wide = np.column_stack([X, levels(y)])
    model.fit(wide, y)
    if getattr(model, "n_components", None) is None and getattr(model, "shrinkage", None) != 0.3:
        assert (model.predict(wide) == y).all()
        assert model.predict_proba(wide).max(axis=1).min() > 0.999
        # Between two levels, the nearer one is taken whatever the other columns say.
        between = np.column_stack([X, np.full(60, 1.6)])
        assert set(model.predict(between)) == {"b"}


def test_its_variance_is_the_floor() -> None:
    X, y = three_classes()
    wide = np.column_stack([X[:, :1], levels(y)])
    total = wide[:, 1].var()
    for model in (LDA(), QDA(), GaussianNB(var_smoothing=0.0)):
        model.fit(wide, y)
        density = model._describe().density
        rows = np.array([[m, level + 3 * np.sqrt(VARIANCE_FLOOR * total)] for m, level in model.means_])
        expected = 2 * 0.0013498980316301 if isinstance(model, GaussianNB) else np.exp(-4.5)
        if isinstance(model, GaussianNB):
            assert model.variances_[:, 1] == pytest.approx(VARIANCE_FLOOR * total)
            continue
        np.testing.assert_allclose(np.diagonal(density.tail(rows)), expected, rtol=1e-3)


def test_nothing_but_columns_that_decide_is_the_nearest_mean() -> None:
    X = np.array([[0.0, 0.0], [0.0, 0.0], [3.0, 1.0], [3.0, 1.0], [0.0, 4.0]])
    y = ["a", "a", "b", "b", "c"]
    for model in (LDA(divisor="mle"), QDA(divisor="mle"), GaussianNB()):
        assert model.fit(X, y).predict([[0.1, 0.1], [2.9, 0.9], [0.0, 3.5]]).tolist() == ["a", "b", "c"]


@every_variant
def test_constant_columns_are_left_out_by_name(model: Any) -> None:
    X, y = three_classes()
    frame = pd.DataFrame(X, columns=["u", "v", "w"])
    frame.insert(1, "same", 0.1)
    frame["none"] = 0.0
    frame["far"] = 1e300
    with pytest.warns(LeftOutWarning, match=r"left out 3 constant column\(s\): 'same', 'none', 'far'"):
        wide = clone(model).fit(frame, y)
    narrow = clone(model).fit(X, y)
    np.testing.assert_allclose(wide.predict_proba(frame), narrow.predict_proba(X), atol=1e-12)
    np.testing.assert_allclose(wide.class_log_density(frame), narrow.class_log_density(X), rtol=1e-10)
    other = frame.assign(same=5.0, none=-1e200, far=0.0)
    np.testing.assert_allclose(wide.predict_proba(other), narrow.predict_proba(X), atol=1e-12)
    np.testing.assert_allclose(wide.typicality(other), narrow.typicality(X), atol=1e-9)
    sample, _ = wide.sample(5, random_state=0)
    np.testing.assert_allclose(sample[:, [1, 4, 5]], np.tile([0.1, 0.0, 1e300], (5, 1)))


@pytest.mark.parametrize("value", [0.1, 1e-200, 1e17, -3.3, 5e-324])
def test_a_constant_is_constant_whatever_its_rounding(value: float) -> None:
    X, y = three_classes(n=3000)
    wide = np.column_stack([X, np.full(3000, value)])
    for model in (LDA(), QDA(), GaussianNB()):
        with pytest.warns(LeftOutWarning, match=r"1 constant column\(s\): 3"):
            model.fit(wide, y)
        parts = [clone(model).partial_fit(wide[i::7], y[i::7]) for i in range(7)]
        with pytest.warns(LeftOutWarning, match=r"1 constant column\(s\): 3"):
            sum(parts).predict(wide)
        shifted = wide * [1, 1, 1, 1 + 2**-52]
        with pytest.warns(LeftOutWarning, match=r"1 constant column\(s\): 3"):
            clone(model).fit(np.vstack([wide, shifted]), np.tile(y, 2))


def test_every_column_constant() -> None:
    for model in (LDA(), QDA(), GaussianNB()):
        with pytest.raises(InputError, match="every column is constant"):
            model.fit(np.ones((6, 2)), list("aabbcc"))


def test_a_column_of_which_a_class_has_no_value() -> None:
    X, y = three_classes()
    X[y == "b", 1] = np.nan
    with pytest.warns(LeftOutWarning, match=r"left out 1 column\(s\) of which a class has no value: 1"):
        model = GaussianNB().fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X), GaussianNB().fit(X[:, [0, 2]], y).predict_proba(X[:, [0, 2]]))
    with pytest.warns(LeftOutWarning), pytest.raises(InputError, match="no column is left"):
        GaussianNB().fit(X[:, [1]], y)
    X[:, 2] = 7.0
    with pytest.warns(LeftOutWarning) as caught:
        GaussianNB().fit(X, y)
    assert [str(w.message).split(": ")[1] for w in caught] == ["1.", "2."]


# Linear dependence


@pytest.mark.parametrize("divisor", ["unbiased", "mle"])
def test_duplicated_and_dependent_columns(divisor: Any) -> None:
    X, y = three_classes()
    for extra in (X[:, 0], 1e9 * X[:, 0] - 3, X[:, 0] + X[:, 1], X @ [0.5, 1.0, -5.0]):
        frame = pd.DataFrame(np.column_stack([X, extra]), columns=["u", "v", "w", "extra"])
        with pytest.warns(LeftOutWarning, match=r"1 direction\(s\).*linearly dependent.*'u'.*'extra'"):
            model = LDA(divisor=divisor).fit(frame, y)
        np.testing.assert_allclose(
            model.predict_proba(frame), LDA(divisor=divisor).fit(X, y).predict_proba(X), atol=1e-6
        )
        with pytest.warns(LeftOutWarning, match=r"1 direction\(s\).*'u'.*'extra'"):
            model = QDA(divisor=divisor).fit(frame, y)
        np.testing.assert_allclose(
            model.predict_proba(frame), QDA(divisor=divisor).fit(X, y).predict_proba(X), atol=1e-6
        )


def test_columns_that_are_not_involved_are_not_named() -> None:
    X, y = three_classes(p=5, n=200)
    frame = pd.DataFrame(np.column_stack([X, X[:, 1] - X[:, 3]]), columns=list("abcdef"))
    with pytest.warns(LeftOutWarning, match="columns: 'b', 'd', 'f'\\.$"):
        LDA().fit(frame, y)


def test_more_columns_than_rows() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20, 50)), np.array(["a", "b"] * 10)
    with pytest.warns(LeftOutWarning, match=r"left out 32 direction\(s\)"):
        model = LDA().fit(X, y)
    assert np.isfinite(model.class_log_density(X)).all()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for shrunk in (LDA(shrinkage="oas"), LDA(shrinkage="ledoit-wolf"), LDA(shrinkage=0.1), QDA(shrinkage="oas")):
            assert (shrunk.fit(X, y).predict(X) == y).mean() > 0.9
    with pytest.warns(LeftOutWarning), pytest.raises(SingularCovarianceError, match="10 rows for"):
        QDA().fit(X, y)


# Quadratic: a class that does not vary where others do


def test_a_singular_class_is_named_with_its_columns_and_a_way_out() -> None:
    X, y = three_classes()
    frame = pd.DataFrame(X, columns=["u", "v", "w"])
    frame.loc[y == "b", "w"] = 2.0
    with pytest.raises(SingularCovarianceError) as error:
        QDA().fit(frame, y)
    assert str(error.value) == (
        "the covariance of class 'b' is singular in the columns 'w'. Use a number for shrinkage, leave those columns "
        "out, or use RegularizedDiscriminantAnalysis (rda) or LinearDiscriminantAnalysis (lda), which pool the classes."
    )
    frame.loc[y == "b", "w"] = frame.loc[y == "b", "u"] * 2
    with pytest.raises(
        SingularCovarianceError, match=r"class 'b' is singular in the columns 'u', 'w'\. Use shrinkage='oas'"
    ):
        QDA().fit(frame, y)
    for shrinkage in ("oas", "ledoit-wolf", 0.1):
        assert np.isfinite(QDA(shrinkage=shrinkage).fit(frame, y).predict_proba(frame)).all()
    frame.loc[y == "b"] = 2.0
    for shrinkage in (None, "oas", 0.1):
        with pytest.raises(SingularCovarianceError, match="shrinkage is of no help: leave those columns out"):
            QDA(shrinkage=shrinkage).fit(frame, y)


def test_a_class_that_is_flat_exactly_along_a_pooled_direction() -> None:
    rng = np.random.default_rng(0)
    cloud, line = rng.integers(-5, 6, (20, 2)), rng.integers(-5, 6, 20)
    X = np.vstack([cloud, cloud[:, ::-1], np.column_stack([line, line])])
    with pytest.raises(SingularCovarianceError, match="class 'b' is singular in the columns 0, 1"):
        QDA().fit(X, ["a"] * 40 + ["b"] * 20)


def test_the_advice_given_works() -> None:
    X, y = three_classes()
    X[y == "b", 2] = 2.0
    for shrinkage in ("oas", "ledoit-wolf"):
        with pytest.raises(SingularCovarianceError, match="Use a number for shrinkage"):
            QDA(shrinkage=shrinkage).fit(X, y)
    assert np.isfinite(QDA(shrinkage=0.1).fit(X, y).predict_proba(X)).all()


def test_too_few_rows_in_a_class() -> None:
    X, y = three_classes()
    few = np.r_[np.flatnonzero(y != "c"), np.flatnonzero(y == "c")[:3]]
    with pytest.raises(SingularCovarianceError, match=r"class 'c'.*It has 3 rows for 3 columns"):
        QDA().fit(X[few], y[few])
    one = few[:-2]
    with pytest.raises(InputError, match=r"class 'c' has a total weight of 1.*divisor='mle'"):
        QDA().fit(X[one], y[one])
    for model in (LDA(), GaussianNB(), GaussianNB(shared_variance=True)):
        assert np.isfinite(model.fit(X[one], y[one]).predict_proba(X)).all()
