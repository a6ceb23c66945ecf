"""Missing cells in models of Gaussian classes: EM at fit, marginalised at predict."""

import contextlib
import pickle
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray
from scipy import stats
from scipy.integrate import quad
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.impute import SimpleImputer
from sklearn.metrics import log_loss
from sklearn.pipeline import make_pipeline

from distinguo import (
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
    RegularizedDiscriminantAnalysis,
    pseudo_rows,
    scan,
)
from distinguo.densities.student import Debiased, Predictive, Uncertainty
from distinguo.exceptions import InMemoryWarning, InputError, LeftOutWarning, MissingCellsError, SingularCovarianceError
from distinguo.generative.completion import ExpectationMaximisation
from distinguo.rows.memory import MemorySource
from distinguo.statistics.diagonal import ColumnMoments
from tests.generative.cases import three_classes

Array = NDArray[np.float64]
LDA, QDA, RDA = LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis, RegularizedDiscriminantAnalysis

MODELS = {
    "lda": LDA(),
    "lda-mle": LDA(divisor="mle"),
    "lda-one": LDA(n_components=1),
    "lda-oas": LDA(shrinkage="oas"),
    "lda-cv": LDA(shrinkage="cv", cv=3),
    "qda": QDA(),
    "qda-number": QDA(shrinkage=0.2),
    "rda": RDA(pooling=0.4, shrinkage=0.1),
    "rda-cv": RDA(grid=3, cv=3),
}
every_model = pytest.mark.parametrize("model", list(MODELS.values()), ids=list(MODELS))


def holed(seed: int = 0, n: int = 150, p: int = 4, share: float = 0.25) -> tuple[Array, NDArray[Any]]:
    """Rows of three classes with cells gone at random."""
    X, y = three_classes(seed, n, p)
    X[np.random.default_rng(seed + 100).random(X.shape) < share] = np.nan
    return X, y


def plain_em(X: Array, y: NDArray[Any], shared: bool, steps: int = 3000) -> tuple[Array, Array]:
    """Maximum-likelihood means (K, p) and covariances (K, p, p), a row at a time."""
    classes = np.unique(y)
    p = X.shape[1]
    means = np.stack([np.nanmean(X[y == c], axis=0) for c in classes])
    covariances = np.stack([np.diag(np.nanvar(X[y == c], axis=0)) for c in classes])
    for _ in range(steps):
        whole, scatters = X.copy(), np.zeros((len(classes), p, p))
        for i, row in enumerate(X):
            k = np.searchsorted(classes, y[i])
            o, u = np.flatnonzero(~np.isnan(row)), np.flatnonzero(np.isnan(row))
            slope = covariances[k][np.ix_(u, o)] @ np.linalg.inv(covariances[k][np.ix_(o, o)])
            whole[i, u] = means[k, u] + slope @ (row[o] - means[k, o])
            scatters[k][np.ix_(u, u)] += covariances[k][np.ix_(u, u)] - slope @ covariances[k][np.ix_(o, u)]
        before = covariances
        means = np.stack([whole[y == c].mean(axis=0) for c in classes])
        for k, c in enumerate(classes):
            scatters[k] += (whole[y == c] - means[k]).T @ (whole[y == c] - means[k])
        counts = np.array([(y == c).sum() for c in classes])[:, None, None]
        covariances = (
            np.repeat(scatters.sum(axis=0)[None] / len(y), len(classes), axis=0) if shared else scatters / counts
        )
        if np.abs(covariances - before).max() < 1e-11:
            break
    return means, covariances


@pytest.mark.parametrize("shared", [True, False])
def test_as_an_em_written_plainly(shared: bool) -> None:
    X, y = holed(n=60, p=3)
    means, covariances = plain_em(X, y, shared)
    model = (LDA if shared else QDA)(divisor="mle").fit(X, y)
    np.testing.assert_allclose(model.means_, means, atol=1e-6)
    np.testing.assert_allclose(model.covariance_, covariances[0] if shared else covariances, atol=1e-5)


def test_a_monotone_pattern_has_a_closed_form() -> None:
    """Anderson (1957), JASA 52, 200-203: the likelihood factors into the first column, and the second given it."""
    rng = np.random.default_rng(1)
    n, seen = 80, 50
    y = np.repeat(["a", "b"], n)
    X = rng.multivariate_normal([1.0, 2.0], [[2.0, 1.2], [1.2, 1.5]], 2 * n)
    X[n:] += 2
    X[seen:n, 1] = X[n + seen :, 1] = np.nan
    model = QDA(divisor="mle").fit(X, y)
    for k, label in enumerate("ab"):
        own = X[y == label]
        both = own[~np.isnan(own[:, 1])]
        slope, start = np.polyfit(both[:, 0], both[:, 1], 1)
        residual = np.mean((both[:, 1] - slope * both[:, 0] - start) ** 2)
        mean, variance = own[:, 0].mean(), own[:, 0].var()
        np.testing.assert_allclose(model.means_[k], [mean, start + slope * mean], rtol=1e-6)
        expected = [[variance, slope * variance], [slope * variance, residual + slope**2 * variance]]
        np.testing.assert_allclose(model.covariance_[k], expected, rtol=1e-6)


@pytest.mark.parametrize(("kind", "pooling"), [("pooled", 1.0), ("full", 0.0), ("full", 1.0)])
@pytest.mark.parametrize("share", [0.1, 0.35])
def test_the_likelihood_never_falls(kind: Any, pooling: float, share: float) -> None:
    X, y = holed(3, share=share)
    source = MemorySource(X, y)
    found = ExpectationMaximisation(kind, pooling).run(source, source.aggregate(ColumnMoments()))
    assert found.converged
    gains = np.diff(found.log_likelihoods)
    assert (gains >= -1e-9 * abs(found.log_likelihoods[-1])).all()
    assert len(gains) > 3


@every_model
def test_without_holes_nothing_changes(model: Any) -> None:
    """The first pass is that of complete rows; a row that does not count does not bring EM with it."""
    X, y = three_classes(p=4)
    fitted = clone(model).fit(X, y)
    assert fitted._steps == 0
    assert np.array_equal(fitted.statistic_.mean, fitted._spec().of(next(MemorySource(X, y).batches())).mean)


@every_model
def test_units_do_not_matter(model: Any) -> None:
    if isinstance(model, RDA) or model.shrinkage in {0.2, "cv"}:
        pytest.skip("drawn towards a sphere, in the units of the columns")
    X, y = holed()
    factor, origin = 10.0 ** np.array([-8, 8, 0, 3]), np.array([0, 1e12, -1e4, 5e3])
    one, other = clone(model).fit(X, y), clone(model).fit(X * factor + origin, y)
    np.testing.assert_allclose(other.predict_proba(X * factor + origin), one.predict_proba(X), atol=1e-6)


@every_model
def test_rows_with_holes_are_marginalised(model: Any) -> None:
    """Against the normal distribution of the cells that are there, patterns never seen at fit included."""
    X, y = three_classes(p=4)
    X[3, 1] = X[5, 2] = X[11, 0] = np.nan
    model = clone(model).fit(X, y)
    density = model._describe().density
    covariances = np.broadcast_to(model.covariance_, (3, 4, 4))
    rows = three_classes(7, p=4)[0][:16]
    for i, row in enumerate(rows):
        row[[bool(i >> j & 1) for j in range(4)]] = np.nan
    log_density, typicality = model.class_log_density(rows), model.typicality(rows)
    for i, row in enumerate(rows):
        o = np.flatnonzero(~np.isnan(row))
        for k in range(3):
            if not len(o):
                assert (log_density[i, k], typicality[i, k]) == (0, 1)
                continue
            part = covariances[k][np.ix_(o, o)]
            gaussian = stats.multivariate_normal(density.means[k, o], part)
            assert log_density[i, k] == pytest.approx(gaussian.logpdf(row[o]), rel=1e-8, abs=1e-8)
            d = row[o] - density.means[k, o]
            assert typicality[i, k] == pytest.approx(stats.chi2.sf(d @ np.linalg.solve(part, d), len(o)), abs=1e-9)
    joint = log_density + np.log(model.priors_)
    posterior = np.exp(joint - np.logaddexp.reduce(joint, axis=1)[:, None])
    np.testing.assert_allclose(model.predict_proba(rows), posterior, atol=1e-9)
    np.testing.assert_allclose(model.predict_proba(rows)[15], model.priors_)
    np.testing.assert_allclose(model.score_samples(rows), np.logaddexp.reduce(joint, axis=1), atol=1e-8)
    assert model.decision_function(rows).argmax(axis=1).tolist() == posterior.argmax(axis=1).tolist()


@every_model
def test_complete_rows_beside_rows_with_holes_say_what_they_say_alone(model: Any) -> None:
    X, y = holed()
    model = clone(model).fit(X, y)
    complete = ~np.isnan(X).any(axis=1)
    assert np.array_equal(model.predict(X)[complete], model.predict(X[complete]))
    np.testing.assert_allclose(model.predict_proba(X)[complete], model.predict_proba(X[complete]), rtol=1e-12)


def test_rda_at_its_corners_is_lda_and_qda() -> None:
    X, y = holed()
    for pooling, model in ((1, LDA()), (0, QDA())):
        corner = RDA(pooling=pooling, shrinkage=0).fit(X, y)
        np.testing.assert_allclose(corner.predict_proba(X), model.fit(X, y).predict_proba(X), atol=1e-6)


def test_the_values_tuned_with_holes_are_those_of_a_fit_with_them() -> None:
    X, y = holed()
    tuned = RDA(criterion="log_loss", cv=4, grid=5).fit(X, y)
    again = RDA(pooling=tuned.pooling_, shrinkage=tuned.shrinkage_).fit(X, y)
    assert np.array_equal(tuned.predict_proba(X), again.predict_proba(X))
    assert np.isfinite(tuned.cv_results_["log_loss"]).any()
    assert tuned.cv_results_["log_loss"].min() < np.log(3)


def test_held_out_losses_are_those_of_refitted_models() -> None:
    X, y = holed(n=90)
    fold = np.arange(90) % 3
    splits = [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(3)]
    tuned = LDA(shrinkage="cv", cv=splits).fit(X, y)
    results = tuned.cv_results_
    for shrinkage, error, loss in zip(results["shrinkage"], results["error"], results["log_loss"], strict=True):
        parts = [LDA(shrinkage=shrinkage).fit(X[a], y[a]) for a, _ in splits]
        posteriors = np.concatenate([m.predict_proba(X[b]) for m, (_, b) in zip(parts, splits, strict=True)])
        labels = np.concatenate([y[b] for _, b in splits])
        assert loss == pytest.approx(log_loss(labels, posteriors), rel=1e-5)
        assert error == pytest.approx((tuned.classes_[posteriors.argmax(axis=1)] != labels).mean(), abs=1e-9)


def test_better_than_the_means_where_cells_are_gone_at_random() -> None:
    rng = np.random.default_rng(5)
    p, n = 6, 400
    root = rng.normal(size=(p, p))
    y = rng.integers(0, 3, 2 * n)
    X = rng.normal(size=(2 * n, p)) @ root + 1.5 * rng.normal(size=(3, p))[y]
    X[rng.random(X.shape) < 0.3] = np.nan
    for model in (LDA(), QDA()):
        ours = clone(model).fit(X[:n], y[:n]).predict_proba(X[n:])
        filled = make_pipeline(SimpleImputer(), clone(model)).fit(X[:n], y[:n]).predict_proba(X[n:])
        assert log_loss(y[n:], ours) < log_loss(y[n:], filled) - 0.03


def test_pima_is_no_worse_than_without_its_rows_with_holes(shared_data: Callable[[str], Path]) -> None:
    frames = [pl.read_csv(shared_data(name), null_values="NA") for name in ("Pima.tr2.csv", "Pima.te.csv")]
    columns = ["npreg", "glu", "bp", "skin", "bmi", "ped", "age"]
    (X, y), (X_test, y_test) = ((f.select(columns).cast(pl.Float64).to_numpy(), f["type"].to_numpy()) for f in frames)
    complete = ~np.isnan(X).any(axis=1)
    assert complete.sum() == 200
    for model in (LDA(), QDA()):
        ours, theirs = clone(model).fit(X, y), clone(model).fit(X[complete], y[complete])
        assert log_loss(y_test, ours.predict_proba(X_test)) < log_loss(y_test, theirs.predict_proba(X_test))
        assert (ours.predict(X_test) != y_test).sum() <= (theirs.predict(X_test) != y_test).sum() + 1


def test_files_give_what_memory_gives(tmp_path: Path) -> None:
    X, y = holed()
    frame = pl.DataFrame({f"x{j}": pl.Series(X[:, j]).fill_nan(None) for j in range(4)}).with_columns(y=pl.Series(y))
    frame.write_parquet(tmp_path / "rows.parquet")
    frame.write_csv(tmp_path / "rows.csv")
    tuned = RDA(grid=3, cv=3)
    for model in (LDA(), QDA(), tuned):
        expected = clone(model).fit(frame.drop("y"), y)
        for name in ("rows.parquet", "rows.csv"):
            says = pytest.warns(InMemoryWarning, match=f"{len(y)} rows of 4 columns")
            with says if model is tuned else contextlib.nullcontext():
                found = clone(model).fit(scan(tmp_path / name, target="y"))
            np.testing.assert_allclose(
                found.predict_proba(frame.drop("y")), expected.predict_proba(frame.drop("y")), atol=1e-7
            )


def test_weights_are_repetitions() -> None:
    X, y = holed()
    weight = np.random.default_rng(2).integers(0, 3, len(y))
    weight[:12] = 1
    one, other = QDA().fit(X, y, sample_weight=weight), QDA().fit(X.repeat(weight, axis=0), y.repeat(weight))
    np.testing.assert_allclose(one.predict_proba(X), other.predict_proba(X), atol=1e-7)


def test_an_empty_row_counts_for_the_priors_alone() -> None:
    X, y = holed(n=80)
    model = LDA().fit(X, y)
    more = LDA(divisor="mle").fit(np.vstack([X, np.full((20, 4), np.nan)]), np.append(y, ["a"] * 20))
    np.testing.assert_allclose(more.means_, model.means_, atol=1e-5)
    assert more.priors_[0] == pytest.approx(((y == "a").sum() + 20) / 100)


@pytest.mark.parametrize("model", [LDA(), QDA(), RDA(pooling=0.5, shrinkage=0.1)])
def test_a_column_without_any_value_is_left_out_and_in_one_class_refused(model: Any) -> None:
    X, y = holed()
    X[:, 2] = np.nan
    with pytest.warns(LeftOutWarning, match=r"1 constant column\(s\): 2"):
        empty = clone(model).fit(X, y)
    less = clone(model).fit(X[:, [0, 1, 3]], y)
    np.testing.assert_allclose(empty.class_log_density(X), less.class_log_density(X[:, [0, 1, 3]]), atol=1e-6)
    X[y != "b", 2] = np.random.default_rng(0).normal(size=(y != "b").sum())
    with pytest.raises(InputError, match=r"class 'b' has no value at all in the columns 2\. Leave those"):
        clone(model).fit(X, y)


def test_a_constant_column_with_holes_is_left_out() -> None:
    X, y = holed()
    X[~np.isnan(X[:, 1]), 1] = 7.0
    with pytest.warns(LeftOutWarning, match=r"1 constant column\(s\): 1"):
        model = LDA().fit(X, y)
    less = LDA().fit(X[:, [0, 2, 3]], y)
    np.testing.assert_allclose(model.predict_proba(X), less.predict_proba(X[:, [0, 2, 3]]), atol=1e-6)


def test_a_class_with_too_few_cells_is_singular_under_qda() -> None:
    X, y = holed()
    rows = np.flatnonzero(y == "c")
    X[rows[2:], 1] = np.nan
    X[rows[:2], 1] = 1.0
    with pytest.raises(SingularCovarianceError, match="class 'c' is singular in the columns 1"):
        QDA().fit(X, y)
    assert np.isfinite(LDA().fit(X, y).predict_proba(X)).all()
    with pytest.warns(ConvergenceWarning, match="did not settle in 150 steps"):
        shrunk = QDA(shrinkage=0.3).fit(X, y)
    assert np.isfinite(shrunk.predict_proba(X)).all()


def test_parts_of_rows_with_holes_are_refused() -> None:
    X, y = holed()
    complete = ~np.isnan(X).any(axis=1)
    model = LDA().fit(X[complete], y[complete])
    for call in (model.partial_fit, model.forget, model.leave_one_out, LDA().partial_fit):
        with pytest.raises(
            MissingCellsError, match=r"X contains NaN \(row \d+, column \d\), and .* give all of them to fit"
        ):
            call(X, y)
    done = pickle.loads(pickle.dumps(LDA().fit(X, y)))
    for name in ("partial_fit", "forget", "leave_one_out"):
        with pytest.raises(
            InputError, match=f"{name} does not go with a model whose missing cells or labels were completed"
        ):
            getattr(done, name)(X[complete], y[complete])
    for pair in ((done, model), (model, done)):
        with pytest.raises(InputError, match=r"\+ does not go with"):
            sum(pair)
    assert np.isfinite(done.with_priors("uniform").predict_proba(X)).all()
    assert done.fit(X[complete], y[complete]).partial_fit(X[complete], y[complete])


def test_what_needs_every_cell_says_so() -> None:
    X, y = holed()
    complete, labels = three_classes(p=4)
    for call in (lambda m: m.fit(X, y), lambda m: m.fit(complete, labels).predict(X)):
        with pytest.raises(MissingCellsError, match=r"shrinkage='ledoit-wolf' needs the fourth moments"):
            call(LDA(shrinkage="ledoit-wolf"))
    assert (np.isnan(LDA().fit(X, y).transform(X)).all(axis=1) == np.isnan(X).any(axis=1)).all()  # no one place
    with pytest.raises(InputError, match="one class only"):
        LDA().fit(X, ["a"] * len(y))


def test_prior_knowledge_takes_part_in_every_step() -> None:
    X, y = holed(n=80)
    prior = pseudo_rows(dict.fromkeys("abc", np.zeros(4)), np.eye(4), 1e7)
    model = QDA(prior=prior, divisor="mle").fit(X, y)
    np.testing.assert_allclose(model.means_, 0, atol=1e-4)
    np.testing.assert_allclose(model.covariance_, np.tile(np.eye(4), (3, 1, 1)), atol=1e-3)


def test_dependent_columns_with_holes_are_left_out_of_lda() -> None:
    X, y = holed(n=200)
    X = np.column_stack([X, X[:, 0] + X[:, 1]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = LDA().fit(X, y)
    expected = LDA().fit(X[:, :4], y)
    rows = three_classes(3, p=4)[0]
    wide = np.column_stack([rows, rows[:, 0] + rows[:, 1]])
    np.testing.assert_allclose(model.predict_proba(wide), expected.predict_proba(rows), atol=0.05)


@pytest.mark.parametrize("known", [LDA(), QDA()])
def test_uncertain_parameters_are_marginalised_too(known: Any) -> None:
    """A cell that is missing is integrated out of the predictive density, too; without any, all is as it was."""
    X, y = three_classes(p=2)
    plug_in = known.fit(X, y)._describe().density
    counts = np.array([(y == label).sum() for label in known.classes_], dtype=float)
    density = Predictive(
        plug_in, Uncertainty(counts, np.full(3, len(y) - 3.0) if isinstance(known, LDA) else counts - 1)
    )
    one = density.log_density(np.array([[0.3, np.nan]]))[0]
    for k in range(3):
        total, _ = quad(lambda x, k=k: np.exp(density.log_density(np.array([[0.3, x]]))[0, k]), -200, 200, limit=200)
        assert np.exp(one[k]) == pytest.approx(total, rel=1e-5)
    nothing = np.full((1, 2), np.nan)
    debiased = Debiased(plug_in, density.uncertainty)
    for uncertain in (density, debiased):
        np.testing.assert_allclose(uncertain.log_density(nothing), 0, atol=1e-12)
        assert uncertain.tail(nothing).tolist() == [[1.0] * 3]
    alone = np.array([[0.3, np.nan], [0.3, 0.1]])
    np.testing.assert_allclose(debiased.log_density(alone)[1:], debiased.log_density(alone[1:]))
