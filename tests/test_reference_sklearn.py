"""scikit-learn, SciPy, mpmath and closed forms as oracles.

scikit-learn serves where it is right by our definitions; where it goes by others, the test says which and brings the
two together. Its divisors depend on the solver and the version: LDA's lsqr and eigen divide by n; LDA's svd and QDA
divide by n - K and n_k - 1 before 1.9.1, and by n and n_k from then on.
"""

import re
from collections.abc import Callable

import mpmath as mp
import numpy as np
import pytest
import sklearn
from scipy.special import logsumexp
from scipy.stats import chi2, multivariate_normal, norm
from sklearn import naive_bayes as sklearn_naive_bayes
from sklearn.covariance import ledoit_wolf, oas
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as SklearnLDA
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis as SklearnQDA

from distinguo import GaussianNB, LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis

Rows = tuple[np.ndarray, np.ndarray]
VERSION = tuple(int(part) for part in re.findall(r"\d+", sklearn.__version__)[:3])
SVD_DIVISOR = "mle" if VERSION >= (1, 9, 1) else "unbiased"
DATA = {
    "iris": load_iris(return_X_y=True),
    "wine": load_wine(return_X_y=True),
    "breast_cancer": load_breast_cancer(return_X_y=True),
}
MODELS = {
    "LDA": LinearDiscriminantAnalysis,
    "QDA": QuadraticDiscriminantAnalysis,
    "naive Bayes": GaussianNB,
    "naive Bayes, shared variance": lambda: GaussianNB(shared_variance=True),
}


def close(ours, theirs, rtol=1e-7, atol=1e-10) -> None:
    np.testing.assert_allclose(ours, theirs, rtol=rtol, atol=atol)


# scikit-learn: discriminant analysis


@pytest.mark.parametrize("name", DATA)
def test_lda_decides_as_scikit_learn_svd(name):
    X, y = DATA[name]
    model = LinearDiscriminantAnalysis(divisor=SVD_DIVISOR).fit(X, y)
    peer = SklearnLDA(solver="svd").fit(X, y)
    assert model.coef_.shape == peer.coef_.shape
    assert model.intercept_.shape == peer.intercept_.shape
    # Both centre scores on the classes' mean; condition numbers up to 1e12 of the raw columns eat digits of both.
    close(model.decision_function(X), peer.decision_function(X), rtol=1e-6, atol=1e-8)
    close(model.coef_, peer.coef_, rtol=1e-6, atol=1e-8)
    close(model.intercept_, peer.intercept_, rtol=1e-6)
    close(model.predict_proba(X), peer.predict_proba(X), rtol=1e-6)
    assert model.predict(X).tolist() == peer.predict(X).tolist()


@pytest.mark.parametrize("name", DATA)
def test_lda_decides_as_scikit_learn_lsqr(name):
    X, y = DATA[name]
    model = LinearDiscriminantAnalysis(divisor="mle").fit(X, y)
    peer = SklearnLDA(solver="lsqr", store_covariance=True).fit(X, y)
    close(model.covariance_, peer.covariance_, rtol=1e-9)
    if len(model.classes_) == 2:
        close(model.coef_, peer.coef_, rtol=1e-6, atol=1e-8)
        close(model.intercept_, peer.intercept_, rtol=1e-6)
    else:
        # Its class scores lack the term that classes share, so that only differences can be compared.
        close(model.coef_ - model.coef_[:1], peer.coef_ - peer.coef_[:1], rtol=1e-6, atol=1e-8)
        close(model.intercept_ - model.intercept_[0], peer.intercept_ - peer.intercept_[0], rtol=1e-6)
    close(model.predict_proba(X), peer.predict_proba(X), rtol=1e-5)


@pytest.mark.parametrize("name", DATA)
def test_lda_transforms_as_scikit_learn_up_to_sign(name):
    X, y = DATA[name]
    model = LinearDiscriminantAnalysis(divisor=SVD_DIVISOR).fit(X, y)
    peer = SklearnLDA(solver="svd").fit(X, y)
    ours, theirs = model.transform(X), peer.transform(X)
    assert ours.shape == theirs.shape
    close(ours * np.sign((ours * theirs).sum(axis=0)), theirs, rtol=1e-6, atol=1e-8)
    close(model.explained_variance_ratio_, peer.explained_variance_ratio_)


def test_lda_with_priors_as_scikit_learn_svd():
    # Not lsqr or eigen: they weigh the classes' covariances by the priors, so that saying how common classes are
    # changes what they look like. Ours are weighed by their rows, whatever the priors.
    X, y = DATA["wine"]
    priors = [0.1, 0.2, 0.7]
    model = LinearDiscriminantAnalysis(priors=priors, divisor=SVD_DIVISOR).fit(X, y)
    close(model.predict_proba(X), SklearnLDA(solver="svd", priors=priors).fit(X, y).predict_proba(X), rtol=1e-6)
    close(model.covariance_, LinearDiscriminantAnalysis(divisor=SVD_DIVISOR).fit(X, y).covariance_, rtol=1e-14)


@pytest.mark.parametrize("amount", [0.0, 0.2, 0.9, 1.0])
def test_lda_shrinks_by_a_number_as_scikit_learn(amount):
    # Each class's covariance is shrunk towards its own multiple of the identity there; their mean, weighted by rows, is
    # the pooled one shrunk towards its multiple.
    X, y = DATA["iris"][0][10:], DATA["iris"][1][10:]
    model = LinearDiscriminantAnalysis(shrinkage=amount, divisor="mle").fit(X, y)
    peer = SklearnLDA(solver="lsqr", shrinkage=amount, store_covariance=True).fit(X, y)
    close(model.covariance_, peer.covariance_, rtol=1e-12)
    close(model.predict_proba(X), peer.predict_proba(X))


@pytest.mark.parametrize("priors", [None, [0.1, 0.2, 0.7]])
@pytest.mark.parametrize("name", ["iris", "wine"])
def test_qda_decides_as_scikit_learn(name, priors):
    X, y = DATA[name]
    model = QuadraticDiscriminantAnalysis(priors=priors, divisor=SVD_DIVISOR).fit(X, y)
    peer = SklearnQDA(priors=priors, store_covariance=True).fit(X, y)
    close(model.covariance_, peer.covariance_, rtol=1e-9)
    # Theirs leaves out the factor (2 pi)^(p / 2), which classes share.
    constant = X.shape[1] / 2 * np.log(2 * np.pi)
    close(model.decision_function(X) + constant, peer.decision_function(X), rtol=1e-8)
    close(model.predict_proba(X), peer.predict_proba(X))


def test_qda_of_two_classes_decides_as_scikit_learn():
    X, y = DATA["iris"][0][50:], DATA["iris"][1][50:]
    model = QuadraticDiscriminantAnalysis(divisor=SVD_DIVISOR).fit(X, y)
    peer = SklearnQDA().fit(X, y)
    close(model.decision_function(X), peer.decision_function(X), rtol=1e-8)


# scikit-learn: naive Bayes. `var_smoothing` is a share of the largest variance of any column there, so that a column in
# small units drowns; here of the column's own.


@pytest.mark.parametrize("name", DATA)
def test_naive_bayes_without_smoothing_is_as_scikit_learn(name):
    X, y = DATA[name]
    model = GaussianNB(var_smoothing=0.0).fit(X, y)
    peer = sklearn_naive_bayes.GaussianNB(var_smoothing=0.0).fit(X, y)
    close(model.means_, peer.theta_, rtol=1e-12)
    close(model.variances_, peer.var_, rtol=1e-9, atol=0)
    close(model.priors_, peer.class_prior_)
    close(model.class_log_density(X) + np.log(model.priors_), peer.predict_joint_log_proba(X), rtol=1e-9)
    close(model.predict_log_proba(X), peer.predict_log_proba(X), rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("smoothing", [1e-9, 0.1, 5.0])
def test_naive_bayes_smooths_as_scikit_learn_where_columns_vary_alike(smoothing):
    X, y = DATA["wine"]
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    model = GaussianNB(var_smoothing=smoothing).fit(X, y)
    peer = sklearn_naive_bayes.GaussianNB(var_smoothing=smoothing).fit(X, y)
    close(model.variances_, peer.var_, rtol=1e-9)
    close(model.predict_proba(X), peer.predict_proba(X))


def test_naive_bayes_smoothing_does_not_depend_on_units():
    X, y = DATA["iris"]
    units = np.array([1e-9, 1.0, 1e9, 1.0])
    model, peer = GaussianNB(), sklearn_naive_bayes.GaussianNB()
    close(model.fit(X * units, y).predict_proba(X * units), model.fit(X, y).predict_proba(X), rtol=1e-9)
    moved = peer.fit(X * units, y).predict_proba(X * units) - peer.fit(X, y).predict_proba(X)
    assert np.abs(moved).max() > 0.1


@pytest.mark.parametrize(
    ("model", "peer"),
    [
        (LinearDiscriminantAnalysis(divisor="mle"), SklearnLDA(solver="lsqr")),
        (GaussianNB(var_smoothing=0.0), sklearn_naive_bayes.GaussianNB(var_smoothing=0.0)),
    ],
)
def test_weight_counts_rows_as_scikit_learn_counts_repeated_rows(model, peer):
    X, y = DATA["iris"]
    weight = np.arange(150) % 4
    repeated = np.repeat(np.arange(150), weight)
    model.fit(X, y, sample_weight=weight)
    peer.fit(X[repeated], y[repeated])
    close(model.predict_proba(X), peer.predict_proba(X))


# scikit-learn: how much OAS and Ledoit and Wolf shrink. Ours act on the correlation scale, so their oracle is given
# rows centred on their class means (`assume_centered`) and divided by within-class standard deviations.

AMOUNTS: dict[str, Callable[..., tuple[np.ndarray, float]]] = {"oas": oas, "ledoit-wolf": ledoit_wolf}


def few_rows() -> Rows:
    """Three classes of unequal size and shape, columns in units of their own, far from zero."""
    rng = np.random.default_rng(3)
    y = np.repeat([0, 1, 2], [9, 14, 22])
    mixing = rng.normal(size=(3, 6, 6)) * 0.4 + np.eye(6)
    X = np.einsum("nij,nj->ni", mixing[y], rng.standard_t(6, (45, 6)))
    return (X + y[:, None]) * 10.0 ** np.arange(-3, 3) + 1000 * 10.0 ** np.arange(-3, 3), y


def amount(shrunk: np.ndarray, plain: np.ndarray) -> float:
    """How much a covariance was drawn towards its diagonal, which must have stayed where it was."""
    close(np.diagonal(shrunk), np.diagonal(plain), rtol=1e-12, atol=0)
    off = ~np.eye(len(plain), dtype=bool)
    shares = 1 - shrunk[off] / plain[off]
    close(shares, shares[0], rtol=1e-8)
    return float(shares.mean())


@pytest.mark.parametrize("divisor", ["unbiased", "mle"])
@pytest.mark.parametrize("rule", AMOUNTS)
def test_lda_shrinks_by_the_amount_of_scikit_learn(rule, divisor):
    X, y = few_rows()
    centred = X - np.stack([X[y == k].mean(axis=0) for k in range(3)])[y]
    _, expected = AMOUNTS[rule](centred / centred.std(axis=0), assume_centered=True)
    assert 0.05 < expected < 0.95
    plain = LinearDiscriminantAnalysis(divisor=divisor).fit(X, y).covariance_
    shrunk = LinearDiscriminantAnalysis(divisor=divisor, shrinkage=rule).fit(X, y).covariance_
    assert amount(shrunk, plain) == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize("rule", AMOUNTS)
def test_qda_shrinks_by_the_amounts_of_scikit_learn(rule):
    X, y = few_rows()
    plain = QuadraticDiscriminantAnalysis().fit(X, y).covariance_
    shrunk = QuadraticDiscriminantAnalysis(shrinkage=rule).fit(X, y).covariance_
    for k in range(3):
        centred = X[y == k] - X[y == k].mean(axis=0)
        _, expected = AMOUNTS[rule](centred / centred.std(axis=0), assume_centered=True)
        assert 0.05 < expected < 0.95
        assert amount(shrunk[k], plain[k]) == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize("rule", AMOUNTS)
def test_more_columns_than_rows_shrink_by_the_amount_of_scikit_learn(rule):
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(20, 30)) @ rng.normal(size=(30, 30)), np.arange(20) % 2
    centred = X - np.stack([X[y == k].mean(axis=0) for k in range(2)])[y]
    _, expected = AMOUNTS[rule](centred / centred.std(axis=0), assume_centered=True)
    covariance = LinearDiscriminantAnalysis(shrinkage=rule).fit(X, y).covariance_
    assert amount(covariance, centred.T @ centred / 18) == pytest.approx(expected, rel=1e-8)


# SciPy: log densities


@pytest.mark.parametrize("name", ["LDA", "QDA"])
def test_log_density_is_scipys_multivariate_normal(name):
    X, y = DATA["wine"]
    model = MODELS[name]().fit(X, y)
    covariances = [model.covariance_] * 3 if name == "LDA" else model.covariance_
    expected = [multivariate_normal(m, c).logpdf(X) for m, c in zip(model.means_, covariances, strict=True)]
    close(model.class_log_density(X), np.stack(expected, axis=1), rtol=1e-8)
    close(model.score_samples(X), logsumexp(np.stack(expected, axis=1) + np.log(model.priors_), axis=1), rtol=1e-8)


@pytest.mark.parametrize("name", ["naive Bayes", "naive Bayes, shared variance"])
def test_log_density_is_a_product_of_scipys_normals(name):
    X, y = DATA["wine"]
    model = MODELS[name]().fit(X, y)
    expected = norm.logpdf(X[:, None, :], model.means_, np.sqrt(model.variances_)).sum(axis=2)
    close(model.class_log_density(X), expected, rtol=1e-10)
    close(model.score_samples(X), logsumexp(expected + np.log(model.priors_), axis=1), rtol=1e-10)


# mpmath: sixty digits, from the same float64 rows

sixty_digits = mp.workdps(60)


def exactly(X: np.ndarray) -> mp.matrix:
    return mp.matrix([[mp.mpf(float(x)) for x in row] for row in X])


@sixty_digits
def exact_moments(X: np.ndarray) -> tuple[mp.matrix, mp.matrix]:
    """Mean (1, p) and scatter (p, p)."""
    rows = exactly(X)
    n, p = rows.rows, rows.cols
    mean = mp.matrix([[mp.fsum(rows[:, j]) / n for j in range(p)]])
    deviations = rows - mp.ones(n, 1) * mean
    return mean, deviations.T * deviations


@sixty_digits
def exact_log_densities(X: np.ndarray, y: np.ndarray, points: np.ndarray, kind: str) -> list[list[mp.mpf]]:
    """log p(x | class) of Gaussians with unbiased divisors (LDA, QDA) or independent columns (naive Bayes, mle)."""
    counts = [int(c) for c in np.bincount(y)]
    moments = [exact_moments(X[y == k]) for k in range(len(counts))]
    means, scatters = [m for m, _ in moments], [s for _, s in moments]
    if kind == "LDA":
        pooled = sum(scatters[1:], start=scatters[0]) / (len(X) - len(counts))
        covariances = [pooled] * len(counts)
    elif kind == "QDA":
        covariances = [s / (n - 1) for s, n in zip(scatters, counts, strict=True)]
    else:
        covariances = [mp.diag([s[j, j] / n for j in range(s.cols)]) for s, n in zip(scatters, counts, strict=True)]
    inverses = [mp.inverse(c) for c in covariances]
    norms = [mp.log(mp.det(c)) + c.cols * mp.log(2 * mp.pi) for c in covariances]

    def log_density(x: mp.matrix, k: int) -> mp.mpf:
        deviation = x - means[k]
        return -((deviation * inverses[k] * deviation.T)[0, 0] + norms[k]) / 2

    return [[log_density(exactly(row[None]), k) for k in range(len(counts))] for row in points]


@sixty_digits
def exact_log_posteriors(log_densities: list[list[mp.mpf]], counts: list[int]) -> np.ndarray:
    priors = [mp.mpf(n) / sum(counts) for n in counts]
    joint = [[d + mp.log(p) for d, p in zip(row, priors, strict=True)] for row in log_densities]
    totals = [max(row) + mp.log(mp.fsum(mp.exp(v - max(row)) for v in row)) for row in joint]
    return np.array([[float(v - t) for v in row] for row, t in zip(joint, totals, strict=True)])


def ill_conditioned(condition: float, shift: float) -> Rows:
    """Three classes in five columns whose correlations have that condition number, `shift` deviations from zero."""
    rng = np.random.default_rng(11)
    rotation = np.linalg.qr(rng.normal(size=(5, 5)))[0]
    root = rotation * np.sqrt(np.geomspace(1, 1 / condition, 5))
    y = np.repeat([0, 1, 2], [15, 20, 25])
    X = rng.normal(size=(60, 5)) @ root.T + (rng.normal(size=(3, 5)) @ root.T)[y]
    return (X / X.std(axis=0) + shift) * 10.0 ** np.array([-8, 8, 0, 3, -3]), y


@sixty_digits
def condition_within(X: np.ndarray, y: np.ndarray) -> float:
    """Condition number of the within-class correlations, in enough digits to be one."""
    scatter = sum((exact_moments(X[y == k])[1] for k in (1, 2)), start=exact_moments(X[y == 0])[1])
    p = scatter.cols
    root = [mp.sqrt(scatter[j, j]) for j in range(p)]
    correlation = mp.matrix(p, p)
    for i in range(p):
        for j in range(p):
            correlation[i, j] = scatter[i, j] / root[i] / root[j]
    values = mp.eigsy(correlation, eigvals_only=True)
    return float(max(values) / min(values))


@pytest.mark.parametrize("shift", [0.0, 1e6])
@pytest.mark.parametrize("condition", [1e6, 1e7])
@pytest.mark.parametrize("kind", ["LDA", "QDA"])
def test_ill_conditioned_columns_against_sixty_digits(kind, condition, shift):
    X, y = ill_conditioned(condition, shift)
    assert 0.8 * condition < condition_within(X, y) < condition
    model = MODELS[kind]().fit(X, y)
    exact = exact_log_densities(X, y, X, kind)
    posterior = exact_log_posteriors(exact, [15, 20, 25])
    # Moving columns by 1e6 of their spread takes six digits of every row; the others are kept.
    atol = 1e-7 if shift == 0 else 2e-6
    close(model.class_log_density(X), np.array(exact, dtype=float), rtol=0, atol=atol)
    close(model.predict_log_proba(X), posterior, rtol=0, atol=atol)
    close(model.predict_proba(X), np.exp(posterior), rtol=0, atol=atol / 10)


@pytest.mark.parametrize("kind", ["LDA", "QDA", "naive Bayes"])
def test_rows_far_from_everything_against_sixty_digits(kind):
    X, y = DATA["iris"]
    spread = X.std(axis=0)
    directions = np.random.default_rng(2).normal(size=(8, 4))
    far = X.mean(axis=0) + directions * spread * 10.0 ** np.arange(1, 9)[:, None]
    model = (GaussianNB(var_smoothing=0.0) if kind == "naive Bayes" else MODELS[kind]()).fit(X, y)
    exact = exact_log_densities(X, y, far, kind)
    posterior = exact_log_posteriors(exact, [50, 50, 50])
    close(model.class_log_density(far), np.array(exact, dtype=float), rtol=1e-10)
    # Posteriors that underflow keep their logarithms.
    assert posterior.min() < -1e6
    close(model.predict_log_proba(far), posterior, rtol=1e-9)
    close(model.predict_proba(far), np.exp(posterior), rtol=1e-8)


# Closed forms: typicality


@pytest.mark.parametrize("name", MODELS)
def test_typicality_of_one_column_is_a_two_sided_normal_tail(name):
    X, y = DATA["iris"][0][:, 2:3], DATA["iris"][1]
    model = MODELS[name]().fit(X, y)
    covariance = model.variances_[:, 0] if isinstance(model, GaussianNB) else np.ravel(model.covariance_)
    z = (X - model.means_[:, 0]) / np.sqrt(covariance)
    close(model.typicality(X), 2 * norm.sf(np.abs(z)), rtol=1e-9, atol=1e-300)


@pytest.mark.parametrize("name", MODELS)
def test_typicality_of_two_columns_is_an_exponential_tail(name):
    X, y = DATA["iris"][0][:, 2:], DATA["iris"][1]
    model = MODELS[name]().fit(X, y)
    covariances = (
        [np.diag(row) for row in model.variances_]
        if isinstance(model, GaussianNB)
        else np.broadcast_to(model.covariance_, (3, 2, 2))
    )
    deviations = X[:, None] - model.means_
    squares = np.einsum("nki,kij,nkj->nk", deviations, np.linalg.inv(covariances), deviations)
    close(model.typicality(X), np.exp(-squares / 2), rtol=1e-8, atol=1e-300)


@pytest.mark.parametrize("name", MODELS)
def test_typicality_is_the_chi_squared_tail_of_the_log_density(name):
    X, y = DATA["wine"]
    model = MODELS[name]().fit(X, y)
    mode = np.diagonal(model.class_log_density(model.means_))
    squares = 2 * (mode - model.class_log_density(X))
    close(model.typicality(X), chi2.sf(squares, 13), rtol=1e-6, atol=1e-300)
    close(np.diagonal(model.typicality(model.means_)), 1.0)


@pytest.mark.parametrize("name", MODELS)
def test_typicality_is_how_often_members_are_less_likely(name):
    X, y = DATA["iris"]
    model = MODELS[name]().fit(X, y)
    drawn, label = model.sample(30_000, random_state=1)
    for k in range(3):
        members = model.class_log_density(drawn[label == k])[:, k]
        share = (members <= model.class_log_density(X[::10])[:, k, None]).mean(axis=1)
        tail = model.typicality(X[::10])[:, k]
        assert (np.abs(share - tail) <= 3.5 * np.sqrt(tail * (1 - tail) / len(members)) + 1e-12).all()


def test_typicality_of_a_row_with_holes_goes_by_the_columns_it_has():
    X, y = DATA["iris"]
    model = GaussianNB().fit(X, y)
    row = np.array([[5.0, np.nan, 2.0, np.nan]])
    z = (row[:, [0, 2]] - model.means_[:, [0, 2]]) ** 2 / model.variances_[:, [0, 2]]
    close(model.typicality(row)[0], chi2.sf(z.sum(axis=1), 2), rtol=1e-9, atol=1e-300)
    close(model.typicality([[np.nan] * 4]), [[1.0, 1.0, 1.0]])


# Closed forms: densities integrate to one


def few_columns(p: int) -> Rows:
    rng = np.random.default_rng(8)
    y = np.repeat([0, 1, 2], [20, 30, 50])
    X = rng.normal(size=(100, p)) * np.array([0.5, 1.0, 2.0])[y, None]
    if p == 2:
        X[:, 1] += 0.8 * X[:, 0]
    return X + 2 * y[:, None], y


@pytest.mark.parametrize("p", [1, 2])
@pytest.mark.parametrize("name", MODELS)
def test_density_integrates_to_one(name, p):
    X, y = few_columns(p)
    model = MODELS[name]().fit(X, y)
    axis, step = np.linspace(-24, 32, 561, retstep=True)
    grid = np.stack(np.meshgrid(*[axis] * p), axis=-1).reshape(-1, p)
    # Sums over a grid much finer than the narrowest class are integrals to rounding.
    close(np.exp(model.score_samples(grid)).sum() * step**p, 1.0, rtol=1e-9)
    close(np.exp(model.class_log_density(grid)).sum(axis=0) * step**p, [1.0] * 3, rtol=1e-9)


def test_density_on_fewer_discriminants_integrates_to_one():
    X, y = few_columns(2)
    model = LinearDiscriminantAnalysis(n_components=1).fit(X, y)
    axis, step = np.linspace(-24, 32, 561, retstep=True)
    grid = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)
    close(np.exp(model.class_log_density(grid)).sum(axis=0) * step**2, [1.0] * 3, rtol=1e-9)
