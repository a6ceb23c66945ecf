"""covariance="t": maximum-likelihood multivariate t classes, as R's MASS has them, taken to the end."""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import check_estimator

from distinguo import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis, pseudo_rows, scan
from distinguo.exceptions import InputError, LeftOutWarning, MissingCellsError, SingularCovarianceError
from distinguo.generative import heavy_tails
from distinguo.generative.heavy_tails import StudentFit
from distinguo.rows.memory import MemorySource
from distinguo.statistics.moments import Moments
from tests.generative.cases import assert_same_model, three_classes

LDA, QDA = LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
IRIS = load_iris(return_X_y=True)
AMBIGUOUS = [70, 83, 133]  # rows 71, 84 and 134 of R

both = pytest.mark.parametrize("model", [LDA, QDA])


def with_outliers(seed: int = 0, n: int = 120) -> tuple[Any, Any]:
    """Three classes of three columns, a tenth of the rows thrown far out."""
    X, y = three_classes(seed, n)
    X[::10] += np.random.default_rng(seed).normal(0, 30, X[::10].shape)
    return X, y


# R 4.2.2, MASS 7.3-58.2. MASS stops where no weight moves by more than .01; below, first to its own precision, then
# with that number taken down to 1e-13 in its source.


def test_iris_as_mass_stops():
    # lda(Species ~ ., iris, method = "t"): means, and posteriors of rows 71, 84, 134
    means = [
        [4.9847857, 3.4034772, 1.4619868, 0.23991343],
        [5.9496212, 2.7891233, 4.2607217, 1.32251697],
        [6.5113873, 2.9679280, 5.4692221, 2.03199377],
    ]
    posterior = [
        [1.561672e-23, 0.296451715844, 0.703548284156],
        [2.266999e-27, 0.190052292987, 0.809947707013],
        [1.260741e-24, 0.720833523632, 0.279166476368],
    ]
    model = LDA(covariance="t").fit(*IRIS)
    assert_allclose(model.means_, means, atol=2e-3)
    assert_allclose(model.predict_proba(IRIS[0][AMBIGUOUS]), posterior, atol=6e-3)
    assert (model.predict(IRIS[0]) != IRIS[1]).sum() == 3


def test_iris_of_one_shape_to_the_end():
    # lda.default with 1e-13 for 0.01
    means = [
        [4.9844160544, 3.4029236362, 1.4619046365, 0.23975418779],
        [5.9497612345, 2.7895185990, 4.2607288259, 1.32251139464],
        [6.5097293805, 2.9678049046, 5.4674517377, 2.03246102973],
    ]
    scaling = [
        [0.58592799151, 0.13941494681],
        [1.57663842724, -1.68698029521],
        [-1.95173078153, 1.23160114578],
        [-2.66877359872, -3.43876238591],
    ]
    posterior = [
        [6.4589255766e-24, 0.29406772523, 0.70593227477],
        [7.9679094287e-28, 0.18759619011, 0.81240380989],
        [4.8667137662e-25, 0.72620895704, 0.27379104296],
    ]
    model = LDA(covariance="t").fit(*IRIS)
    assert_allclose(model.means_, means, rtol=1e-9)
    assert_allclose(np.abs(model.scalings_), np.abs(scaling), rtol=1e-7)
    assert_allclose(model.predict_proba(IRIS[0][AMBIGUOUS]), posterior, rtol=1e-6)


# cov.trob(x, nu = nu, tol = 1e-13, maxit = 2000) of each species: centre and diagonal of the scale matrix
TROB = {
    3: (
        [
            [4.987236178426, 3.394254883513, 1.457251849623, 0.227050235239],
            [5.94620950117, 2.79456960023, 4.24710706806, 1.31898486548],
            [6.53277392818, 2.97356536913, 5.49034572924, 2.03179393372],
        ],
        [
            [0.08932450833609, 0.0937778857254, 0.01714943207542, 0.00631244941724],
            [0.2286011568257, 0.0761035818667, 0.1639963603506, 0.0299253787698],
            [0.2771632424870, 0.0723332533358, 0.2064211241987, 0.0612030241662],
        ],
    ),
    20: (
        [
            [5.000729112479, 3.419893176734, 1.461489206488, 0.241106437119],
            [5.93993027535, 2.77791957363, 4.25834370354, 1.32443133455],
            [6.56761739885, 2.97222983255, 5.52953145408, 2.02548407868],
        ],
        [
            [0.11290956465756, 0.12654220978717, 0.02562750694759, 0.00959398833613],
            [0.2542638937537, 0.0910831019037, 0.2015999739689, 0.0361067622158],
            [0.3586016225356, 0.0920494270131, 0.2686385485832, 0.0702064245731],
        ],
    ),
}


@pytest.mark.parametrize("df", TROB)
def test_iris_of_a_shape_each(df):
    means, scales = TROB[df]
    model = QDA(covariance="t", df=df).fit(*IRIS)
    assert_allclose(model.means_, means, rtol=1e-9)
    assert_allclose(np.diagonal(model.covariance_, axis1=1, axis2=2) * (df - 2) / df, scales, rtol=1e-5)


def test_qda_takes_the_covariance_of_the_t_where_mass_takes_its_scale():
    """MASS's lda multiplies the scale by ν / (ν - 2), its qda does not; both are plug-in Gaussians. We always do."""
    # qda.default with 1e-13 for 0.01: ldet, and posteriors of rows 71, 84, 134
    ldet = np.array([-14.47120544895, -11.86342519313, -9.91236239558])
    posterior = [
        [0.2276300093627, 0.772369990637],
        [0.0364039115916, 0.963596088408],
        [0.4050627585934, 0.594937241407],
    ]
    model = QDA(covariance="t").fit(*IRIS)
    assert_allclose(np.linalg.slogdet(model.covariance_)[1] - 4 * np.log(5 / 3), ldet, rtol=1e-9)
    # Apart from the determinants, log-odds are differences of distances: theirs are 5/3 of ours.
    determinants = 0.5 * (ldet[1] - ldet[2])
    ours, theirs = model.predict_log_proba(IRIS[0][AMBIGUOUS])[:, 1:], np.log(posterior)
    distances = ours[:, 0] - ours[:, 1] + determinants
    assert_allclose(distances * 5 / 3, theirs[:, 0] - theirs[:, 1] + determinants, rtol=1e-8)


def test_crabs_of_one_shape(shared_data):
    """Five columns, correlated at up to .998; df = 4."""
    crabs = pd.read_csv(shared_data("crabs.csv"))
    X, y = crabs.iloc[:, 3:8].to_numpy(), (crabs["sp"] + crabs["sex"]).to_numpy()
    model = LDA(covariance="t", df=4).fit(X, y)
    means = [
        [13.115204248, 11.961112978, 27.730309735, 32.178000946, 11.656132776],
        [14.763918672, 11.650312491, 31.800726005, 36.524480038, 13.230121145],
        [17.337453030, 14.639351311, 34.109739090, 38.473162218, 15.358779319],
        [16.379536022, 12.117595712, 33.158214399, 36.625913555, 15.087106824],
    ]
    posterior = [
        [4.1192873898e-01, 5.6609740895e-01, 0.00022472763936, 2.1749124429e-02],
        [6.5826108297e-01, 3.4170154461e-01, 0.00001658608884, 2.0786331556e-05],
        [4.4941903231e-06, 1.5152588202e-06, 0.00364931869141, 9.9634467186e-01],
        [6.8418674568e-05, 1.8937857908e-08, 0.99962527627247, 3.0628611511e-04],
    ]
    assert_allclose(model.means_, means, rtol=1e-9)
    assert_allclose(model.predict_proba(X[[0, 59, 119, 169]]), posterior, rtol=1e-6)
    assert (model.predict(X) != y).sum() == 9


def test_crabs_of_a_shape_each(shared_data):
    crabs = pd.read_csv(shared_data("crabs.csv"))
    X, y = crabs.iloc[:, 3:8].to_numpy(), (crabs["sp"] + crabs["sex"]).to_numpy()
    model = QDA(covariance="t", df=4).fit(X, y)
    # cov.trob(..., nu = 4, tol = 1e-14, maxit = 5000): determinants of the scale matrices
    determinants = [0.0015547197515, 0.00358549666193, 0.0079846135389, 0.00183010269953]
    assert_allclose(np.linalg.det(model.covariance_ / 2), determinants, rtol=1e-6)
    assert_allclose(model.means_[0], [12.9949611413, 11.8789439072, 27.5102186239, 31.9133673526, 11.5604201651])


# What defines the maximum


def step_by_hand(X, y, means, scales, df):
    """Weighted means (K, p) and scale matrices (K, p, p), before they are pooled, each row counting by its distance."""
    p = X.shape[1]
    after, scatters, rows = [], [], []
    for k, label in enumerate(np.unique(y)):
        deviation = X[y == label] - means[k]
        w = (df + p) / (df + np.einsum("ij,jk,ik->i", deviation, np.linalg.inv(scales[k]), deviation))
        after.append((w[:, None] * X[y == label]).sum(axis=0) / w.sum())
        scatters.append((w[:, None] * deviation).T @ deviation)
        rows.append(len(deviation))
    return np.array(after), np.array(scatters), np.array(rows)


@both
@pytest.mark.parametrize("df", [2.1, 5.0, 30.0])
def test_the_likelihood_equations_hold(model, df):
    """Without the expansion of EM: the scatters are over the rows, and not the weights."""
    X, y = with_outliers()
    fitted = model(covariance="t", df=df).fit(X, y)
    shapes = np.broadcast_to(fitted.covariance_, (3, 3, 3)) * (df - 2) / df
    means, scatters, rows = step_by_hand(X, y, fitted.means_, shapes, df)
    scales = scatters.sum(axis=0, keepdims=True) / rows.sum() if model is LDA else scatters / rows[:, None, None]
    assert_allclose(means, fitted.means_, rtol=0, atol=1e-8)
    assert_allclose(np.broadcast_to(scales, shapes.shape), shapes, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("kind", ["full", "pooled"])
@pytest.mark.parametrize("df", [2.1, 5.0, 50.0])
def test_the_likelihood_never_falls(kind, df):
    X, y = with_outliers(1)
    source = MemorySource(X, y)
    found = StudentFit(df, kind).run(source, source.aggregate(Moments(kind)))
    assert found.status == "converged"
    assert len(found.trace) == found.iterations + 1 > 4
    assert (np.diff(found.trace) >= -1e-12 * abs(found.trace[-1])).all()


@both
def test_many_degrees_of_freedom_are_the_gaussian_fit(model):
    X, y = with_outliers(2)
    assert_same_model(model(covariance="t", df=1e13).fit(X, y), model(divisor="mle").fit(X, y), X)


@both
@given(seed=st.integers(0, 7))
def test_weights_are_repetition(model, seed):
    X, y = with_outliers(seed, 60)
    weight = np.random.default_rng(seed).integers(0, 3, len(y)) + (np.arange(len(y)) % 2)
    weighted = model(covariance="t").fit(X, y, sample_weight=weight)
    assert_same_model(weighted, model(covariance="t").fit(X.repeat(weight, axis=0), y.repeat(weight)), X, rtol=1e-8)


@both
@given(seed=st.integers(0, 7))
def test_any_units_give_the_same_posteriors(model, seed):
    X, y = with_outliers(seed)
    rng = np.random.default_rng(seed)
    A, b = rng.normal(size=(3, 3)) + 3 * np.eye(3), rng.normal(size=3) * 100
    plain, turned = model(covariance="t").fit(X, y), model(covariance="t").fit(X @ A + b, y)
    assert_allclose(turned.means_, plain.means_ @ A + b, rtol=1e-7, atol=1e-7)
    assert_allclose(turned.predict_proba(X @ A + b), plain.predict_proba(X), rtol=0, atol=1e-7)
    scaled = X * [1e8, 1.0, 1e-8] + [1e12, 0.0, 1e-4]
    assert_allclose(model(covariance="t").fit(scaled, y).predict_proba(scaled), plain.predict_proba(X), atol=1e-6)


@both
def test_one_row_far_out_moves_it_by_less(model):
    X, y = three_classes(4, 90)
    moved = X.copy()
    moved[np.flatnonzero(y == "a")[0]] += 1000.0
    deviation = X[y == "a"].std(axis=0)
    shifts = {
        covariance: np.abs(
            model(covariance=covariance).fit(moved, y).means_[0] - model(covariance=covariance).fit(X, y).means_[0]
        )
        for covariance in ("gaussian", "t")
    }
    assert (shifts["gaussian"] > 5 * deviation).all()
    assert (shifts["t"] < 0.2 * deviation).all()


@both
def test_t_rows_give_back_what_made_them(model):
    rng = np.random.default_rng(0)
    root, df, n = np.array([[1.0, 0.0], [0.6, 0.8]]), 4.0, 20_000
    y = np.repeat([0, 1], n)
    X = rng.normal(size=(2 * n, 2)) / np.sqrt(rng.chisquare(df, (2 * n, 1)) / df) @ root.T + 3.0 * y[:, None]
    fitted = model(covariance="t", df=df).fit(X, y)
    # The information of a mean is (ν + p) / (ν + p + 2) of the Gaussian's; the scales' are no smaller than half of it.
    error = np.sqrt(1 / n / (6 / 8))
    assert_allclose(fitted.means_, [[0, 0], [3, 3]], atol=3.5 * error)
    scales = np.broadcast_to(fitted.covariance_, (2, 2, 2)) / 2
    assert_allclose(scales, np.broadcast_to(root @ root.T, (2, 2, 2)), atol=3.5 * np.sqrt(2) * np.sqrt(2) * error)


# Where rows come from


@both
def test_files_and_chunks_give_the_model_of_memory(model, tmp_path: Path):
    X, y = with_outliers(3, 200)
    table = pl.DataFrame({"u": X[:, 0], "v": X[:, 1], "w": X[:, 2], "label": y})
    table.write_parquet(tmp_path / "rows.parquet")
    streamed = model(covariance="t").fit(scan(tmp_path / "rows.parquet", target="label"))
    assert_same_model(streamed, model(covariance="t").fit(table.drop("label"), y), table.drop("label"), rtol=1e-8)


@both
def test_a_pickle_says_the_same(model):
    fitted = model(covariance="t", df=3).fit(*IRIS)
    again = pickle.loads(pickle.dumps(fitted))
    assert np.array_equal(again.predict_proba(IRIS[0]), fitted.predict_proba(IRIS[0]))


@both
def test_columns_that_do_not_vary_within_classes(model):
    """One that differs between classes decides, one that is constant is left out by name; the others are unmoved."""
    X, y = with_outliers(5)
    plain = model(covariance="t").fit(X, y)
    telling = (y == "a") * 1.0
    table = pd.DataFrame({"u": X[:, 0], "v": X[:, 1], "w": X[:, 2], "constant": 7.0, "telling": telling})
    with pytest.warns(LeftOutWarning, match="constant") as caught:
        fitted = model(covariance="t").fit(table, y)
    assert len(caught) == 1
    assert_allclose(fitted.means_[:, :3], plain.means_, rtol=1e-8)
    assert_allclose(fitted.means_[:, 4], [1, 0, 0], atol=1e-12)
    assert ((fitted.predict(table) == "a") == (y == "a")).all()


def test_a_dependent_column_is_left_out_by_name():
    X, y = with_outliers(6)
    plain = LDA(covariance="t").fit(X, y)
    with pytest.warns(LeftOutWarning, match="linearly dependent"):
        fitted = LDA(covariance="t").fit(np.column_stack([X, X.sum(axis=1)]), y)
    assert_allclose(fitted.means_[:, :3], plain.means_, rtol=1e-8)
    assert_allclose(fitted.means_[:, 3], plain.means_.sum(axis=1), rtol=1e-8)


# What it cannot do


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"covariance": "cauchy"}, "covariance='cauchy' is not known; use one of 'gaussian', 't'"),
        ({"covariance": None}, "covariance=None is not known"),
        ({"df": 5}, "df=5 cannot act with covariance='gaussian'"),
        ({"covariance": "t", "df": 2}, "df=2 must be a number above 2"),
        ({"covariance": "t", "df": np.inf}, "df=inf must be a number above 2"),
        ({"covariance": "t", "df": np.nan}, "df=nan must be a number above 2"),
        ({"covariance": "t", "df": "cv"}, "df='cv' must be a number above 2"),
        ({"covariance": "t", "df": True}, "df=True must be a number above 2"),
        ({"covariance": "t", "shrinkage": 0.1}, "shrinkage=0.1 cannot act with covariance='t'"),
        ({"covariance": "t", "divisor": "mle"}, "divisor='mle' cannot act"),
        ({"covariance": "t", "density": "predictive"}, "density='predictive' cannot act"),
        ({"covariance": "t", "prior": pseudo_rows({0: [1.0]}, {0: [1.0]}, 2)}, "prior=ClassMoments.* cannot act"),
    ],
)
@both
def test_options_that_do_not_go_together_are_named(model, options: dict[str, Any], match: str):
    with pytest.raises(InputError, match=match):
        model(**options).fit(*IRIS)


@both
def test_it_takes_whole_rows_all_at_once(model):
    X, y = IRIS[0].copy(), IRIS[1]
    fitted = model(covariance="t").fit(X, y)
    X[3, 1] = np.nan
    calls: list[Callable[[], Any]] = [lambda: model(covariance="t").fit(X, y), lambda: fitted.predict(X)]
    for call in calls:
        with pytest.raises(
            MissingCellsError, match=r"row 3, column 1.*covariance='t' weighs a row by all of its cells"
        ):
            call()
    for absent in ("partial_fit", "forget", "leave_one_out"):
        assert not hasattr(fitted, absent)
        with pytest.raises(AttributeError, match=absent) as caught:
            getattr(fitted, absent)
        assert "Give all rows to fit" in str(caught.value.__cause__)
    with pytest.raises(AttributeError, match="__add__"):
        fitted + fitted


def test_a_class_mostly_in_a_plane_has_no_answer():
    """Above (ν + p - 1) / (ν + p) of the rows, the likelihood grows without end as the plane's normal shrinks."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(400, 3)), np.repeat(["few", "most"], 200)
    X[:150, 1] = 0.0  # 75% of the first class; the limit for df = 5 is 7/8
    QDA(covariance="t").fit(X, y)
    X[:190, 1] = 0.0
    with pytest.raises(SingularCovarianceError, match="too many rows of class 'few' lie in one plane of the columns 1"):
        QDA(covariance="t").fit(X, y)
    QDA(covariance="t", df=30).fit(X, y)  # 190/200 is below 32/33


def test_columns_that_vary_between_classes_only_have_no_tails():
    with pytest.raises(InputError, match="needs a column that varies within a class"):
        LDA(covariance="t").fit([[0.0], [0.0], [1.0], [1.0]], [0, 0, 1, 1])


@both
def test_a_fit_that_does_not_settle_says_so(model, monkeypatch):
    monkeypatch.setattr(heavy_tails, "MAX_STEPS", 2)
    with pytest.warns(ConvergenceWarning, match="did not settle in 2 steps"):
        model(covariance="t").fit(*IRIS)


@pytest.mark.filterwarnings("ignore")  # scikit-learn's own data have constant columns and rows far away
def test_it_keeps_every_contract():
    checks = check_estimator(LDA(covariance="t"), on_fail=None, on_skip=None)
    failed = {check["check_name"]: check["exception"] for check in checks if check["status"] == "failed"}
    assert set(failed) <= {
        # Fifteen rows of thirty columns, some of them repeated: no t fits best, and that is said.
        "check_sample_weight_equivalence_on_dense_data",
        "check_sample_weight_equivalence_on_sparse_data",
    }
    assert all(isinstance(exception, SingularCovarianceError) for exception in failed.values())


def test_nothing_warns_where_all_is_well():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        LDA(covariance="t").fit(*IRIS)
