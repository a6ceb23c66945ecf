"""What the lectures on generative classifiers and naive Bayes print, found again with this library's models.

Each test is named after its item in the list of printed numbers, which are met to the digits shown.
"""

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import multivariate_normal, norm
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA
from sklearn.model_selection import train_test_split

from distinguo import GaussianNB, LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis, pseudo_rows
from tests.lecture_rows import CORRELATED, SHIFT, forty_columns, learning_curve, plane, three_coins

SHARED = GaussianNB(shared_variance=True)
MODELS = [LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis, GaussianNB]
IRIS = load_iris(return_X_y=True)


@pytest.mark.parametrize(
    ("model", "same_shape", "accuracy", "spread"),
    [
        (LinearDiscriminantAnalysis, True, 0.728, 0.003),
        (QuadraticDiscriminantAnalysis, True, 0.726, 0.003),
        (LinearDiscriminantAnalysis, False, 0.813, 0.005),
        (QuadraticDiscriminantAnalysis, False, 0.855, 0.002),
    ],
)
def test_lecture_01_classes_of_same_and_of_different_shape(model, same_shape, accuracy, spread):
    X, y = plane(20_000, same_shape, 999)
    scores = [model().fit(*plane(200, same_shape, 10 + k)).score(X, y) for k in range(20)]
    assert np.mean(scores).round(3) == accuracy
    assert np.std(scores).round(3) == spread


def test_lecture_02_decision_function_is_affine_for_lda_alone():
    X, y = plane(4000, True, 1)
    points = np.random.default_rng(0).normal(0, 3, (500, 2))
    affine = np.column_stack([points, np.ones(500)])

    def departure(model) -> float:
        scores = model.fit(X, y).decision_function(points)
        return np.abs(scores - affine @ np.linalg.lstsq(affine, scores, rcond=None)[0]).max()

    assert departure(LinearDiscriminantAnalysis()) < 1e-12
    assert departure(QuadraticDiscriminantAnalysis()).round(1) == 7.2


def test_lecture_03_lda_does_not_mask_the_middle_class():
    # The part of the item that is about LDA: no coin of 900 is wrong, not even on the first discriminant alone.
    X, y = three_coins()
    assert LinearDiscriminantAnalysis().fit(X, y).predict(X).tolist() == y.tolist()
    first = LinearDiscriminantAnalysis(n_components=1).fit(X, y)
    assert first.predict(X).tolist() == y.tolist()
    # Class means on that discriminant, of mean square one, are the scores that optimal scoring gives the classes.
    means = first.transform(first.means_)[:, 0]
    assert (np.sign(means[2]) * means / np.sqrt((means**2).mean())).round(2).tolist() == [-1.12, -0.19, 1.31]


def ceiling(kind, correlation: np.ndarray, **options) -> float:
    """How often a model with affine scores is right about a population it knows as if from endless rows."""
    truth = pseudo_rows({0: np.zeros(40), 1: SHIFT}, correlation, 1e9)
    model = kind(prior=truth, **options).fit(*forty_columns(20, np.random.default_rng(0)))
    at_origin = model.decision_function(np.zeros((1, 40)))[0]
    normal = model.decision_function(np.eye(40)) - at_origin
    spread = np.sqrt(normal @ correlation @ normal)
    return float((norm.cdf(-at_origin / spread) + norm.cdf((at_origin + normal @ SHIFT) / spread)) / 2)


def test_lecture_04_naive_bayes_learns_from_few_rows():
    assert learning_curve(SHARED, [20, 40, 80, 200, 600, 2000], 15) == [0.714, 0.762, 0.811, 0.843, 0.857, 0.862]
    # Where columns are independent, rows without end bring it to Bayes' ceiling.
    assert round(ceiling(GaussianNB, np.eye(40), shared_variance=True), 3) == 0.866


def test_lecture_05_naive_bayes_stops_below_the_ceiling_when_columns_are_correlated():
    curve = learning_curve(SHARED, [20, 80, 200, 600, 2000], 10, CORRELATED)
    assert curve == [0.696, 0.783, 0.819, 0.832, 0.837]
    # With rows without end naive Bayes comes to a ceiling of its own; LDA, which knows of correlations, to Bayes'.
    assert round(ceiling(GaussianNB, CORRELATED, shared_variance=True), 3) == 0.841
    assert round(ceiling(LinearDiscriminantAnalysis, CORRELATED), 3) == 0.863


@pytest.mark.parametrize(("divisor", "log_density"), [("mle", -711.59), ("unbiased", -710.88)])
def test_lecture_06_log_density_far_from_everything(divisor, log_density):
    X, y = plane(2000, True, 0)
    model = LinearDiscriminantAnalysis(divisor=divisor).fit(X, y)
    far = np.array([[14.0, -11.0]])
    assert round(model.score(*plane(20_000, True, 999)), 3) == 0.731
    assert model.score_samples(X[:1]).round(2).tolist() == [-2.36]
    assert model.score_samples(far).round(2).tolist() == [log_density]
    assert f"{model.predict_proba(far).max():.2%}" == "99.99%"
    # Typicality says what the posterior does not.
    assert model.typicality(far).max() < 1e-300
    assert model.typicality(X[:1]).max() > 0.5


def test_lecture_07_parameters_are_counted():
    d, K = 20, 2
    X = np.random.default_rng(0).normal(size=(100, d))
    y = np.arange(100) % K
    lda, qda, naive, shared = (
        model.fit(X, y).n_parameters_
        for model in (
            LinearDiscriminantAnalysis(),
            QuadraticDiscriminantAnalysis(),
            GaussianNB(),
            GaussianNB(shared_variance=True),
        )
    )
    assert (lda, qda, naive) == (250, 460, 80)
    assert (qda - K * d, naive - K * d) == (420, 40)
    # One covariance is a variance a column, as in the shared naive Bayes, and a number a pair of columns.
    assert lda - shared == 190
    ng_jordan = GaussianNB(shared_variance=True).fit(*forty_columns(20, np.random.default_rng(100)))
    assert ng_jordan.n_parameters_ == 120


def test_lecture_08_fishers_direction_is_the_normal_of_lda():
    X, y = plane(500, True, 5)
    first, second = (X[y == k] for k in (0, 1))
    within = (
        (first - first.mean(0)).T @ (first - first.mean(0)) + (second - second.mean(0)).T @ (second - second.mean(0))
    ) / 498
    fisher = np.linalg.solve(within, second.mean(0) - first.mean(0))
    model = LinearDiscriminantAnalysis().fit(X, y)
    np.testing.assert_allclose(model.coef_[0], fisher, rtol=1e-10)
    np.testing.assert_allclose(model.scalings_[:, 0] / model.scalings_[0, 0], fisher / fisher[0], rtol=1e-10)
    # The direction does not depend on the priors, the threshold does: by the logarithm of their ratio.
    middle = fisher @ (first.mean(0) + second.mean(0)) / 2
    for p in (0.1, 0.5, 0.8):
        moved = model.with_priors([1 - p, p])
        np.testing.assert_allclose(moved.coef_[0], fisher, rtol=1e-10)
        assert -moved.intercept_[0] == pytest.approx(middle - np.log(p / (1 - p)), rel=1e-10)


def test_lecture_08_nothing_is_lost_on_one_direction_less_than_classes():
    X, y = IRIS
    full = LinearDiscriminantAnalysis().fit(X, y)
    log_posterior = full.predict_log_proba(X)
    assert full.transform(X).shape == (150, 2)
    kept = LinearDiscriminantAnalysis(n_components=2).fit(X, y)
    np.testing.assert_allclose(kept.predict_log_proba(X), log_posterior, rtol=1e-9, atol=1e-9)
    # So a model that is only shown the two coordinates says the same.
    seen = LinearDiscriminantAnalysis().fit(full.transform(X), y)
    np.testing.assert_allclose(seen.predict_log_proba(full.transform(X)), log_posterior, rtol=1e-9, atol=1e-9)
    one = LinearDiscriminantAnalysis(n_components=1).fit(X, y)
    assert np.abs(one.predict_proba(X) - np.exp(log_posterior)).max() > 0.1


@pytest.mark.parametrize(
    ("model", "logistic"),
    [
        (LinearDiscriminantAnalysis(), True),
        (GaussianNB(shared_variance=True), True),
        (QuadraticDiscriminantAnalysis(), False),
        (GaussianNB(), False),
    ],
)
def test_lecture_08_posterior_of_two_classes_is_logistic_in_an_affine_function(model, logistic):
    X, y = plane(300, False, 3)
    model.fit(X, y)
    at_origin = model.decision_function(np.zeros((1, 2)))
    normal = model.decision_function(np.eye(2)) - at_origin
    posterior = model.predict_proba(X)[:, 1]
    assert np.allclose(expit(X @ normal + at_origin), posterior, rtol=1e-9) == logistic


def test_lecture_08_a_class_added_later_leaves_the_others_as_they_were():
    X, y = IRIS
    early = y < 2
    for kind, own in (
        (LinearDiscriminantAnalysis, ()),
        (QuadraticDiscriminantAnalysis, ("covariance_",)),
        (GaussianNB, ("variances_",)),
    ):
        # Without smoothing, which goes by a column's variance in all classes.
        options = {"var_smoothing": 0.0} if kind is GaussianNB else {}
        model = kind(**options).fit(X[early], y[early])
        before = {name: getattr(model, name).copy() for name in ("means_", "priors_", *own)}
        counts = model.statistic_.weight.tolist()
        covariance = getattr(model, "covariance_", None)
        model.partial_fit(X[~early], y[~early])
        assert model.classes_.tolist() == [0, 1, 2]
        assert model.statistic_.weight.tolist() == [*counts, 50.0]
        for name in ("means_", *own):
            np.testing.assert_array_equal(getattr(model, name)[:2], before[name])
        # What the classes share does move.
        np.testing.assert_allclose((before["priors_"], model.priors_[:2]), [[1 / 2] * 2, [1 / 3] * 2])
        if kind is LinearDiscriminantAnalysis:
            assert np.abs(model.covariance_ - covariance).max() > 0.01
        np.testing.assert_allclose(model.predict_proba(X), kind(**options).fit(X, y).predict_proba(X), rtol=1e-9)


def test_lecture_08_a_missing_measure_is_made_up_for_by_the_others():
    X, y = three_coins()
    model = GaussianNB(var_smoothing=0.0).fit(X, y)
    dented = X.copy()
    dented[:, 1] = np.nan
    by_weight = GaussianNB(var_smoothing=0.0).fit(X[:, :1], y)
    np.testing.assert_allclose(model.predict_proba(dented), by_weight.predict_proba(X[:, :1]), rtol=1e-12)
    np.testing.assert_allclose(model.class_log_density(dented), by_weight.class_log_density(X[:, :1]), rtol=1e-12)
    np.testing.assert_allclose(model.typicality(dented), by_weight.typicality(X[:, :1]), rtol=1e-12)
    # In training too: coins without a diameter still tell their weight, and the others' diameters stand.
    holed = X.copy()
    holed[::3, 1] = np.nan
    taught = GaussianNB(var_smoothing=0.0).fit(holed, y)
    there = ~np.isnan(holed[:, 1])
    for k in range(3):
        diameters = X[there & (y == k), 1]
        np.testing.assert_allclose(taught.means_[k], [X[y == k, 0].mean(), diameters.mean()], rtol=1e-13)
        np.testing.assert_allclose(taught.variances_[k], [X[y == k, 0].var(), diameters.var()], rtol=1e-9)


def iris_split() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    return train_test_split(*IRIS, test_size=0.3, stratify=IRIS[1], random_state=0)


def test_lecture_12_naive_bayes_on_iris():
    from sklearn.naive_bayes import GaussianNB as Peer

    X, X_test, y, y_test = iris_split()
    model = GaussianNB().fit(X, y)
    assert len(y_test) == 45
    assert round(model.score(X_test, y_test), 3) == 0.978
    assert model.predict(X_test).tolist() == Peer().fit(X, y).predict(X_test).tolist()


@pytest.mark.parametrize(
    ("copies", "posterior"), [(0, [0.0, 0.78, 0.22]), (3, [0.0, 0.981, 0.019]), (10, [0.0, 1.0, 0.0])]
)
def test_lecture_13_copies_of_a_column_are_counted_as_new_evidence(copies, posterior):
    X, X_test, y, _ = iris_split()
    assert X_test[4].tolist() == [7.0, 3.2, 4.7, 1.4]

    def widened(rows: np.ndarray) -> np.ndarray:
        return np.column_stack([rows, *[rows[:, 2]] * copies])

    model = GaussianNB().fit(widened(X), y)
    assert model.predict_proba(widened(X_test[4:5]))[0].round(3).tolist() == posterior


def estimates_agree(estimates: np.ndarray, truth: np.ndarray, standard_errors: np.ndarray) -> bool:
    return bool((np.abs(estimates - truth) <= 3.5 * standard_errors).all())


def covariances_of(model) -> np.ndarray:
    """(K, p, p) whatever the model."""
    if isinstance(model, GaussianNB):
        return np.stack([np.diag(row) for row in model.variances_])
    if isinstance(model, LinearDiscriminantAnalysis):
        return np.stack([model.covariance_] * len(model.classes_))
    return model.covariance_


@pytest.mark.parametrize("kind", MODELS)
def test_lecture_29_synthetic_rows_give_the_parameters_back(kind):
    model = kind(priors=[0.2, 0.3, 0.5]).fit(*IRIS)
    n = 100_000
    X, y = model.sample(n, random_state=0)
    assert X.shape == (n, 4)
    refitted = QuadraticDiscriminantAnalysis().fit(X, y)  # of all models the one that takes least for granted
    truth = covariances_of(model)
    rows = n * model.priors_
    variances = np.diagonal(truth, axis1=1, axis2=2)
    assert estimates_agree(refitted.priors_, model.priors_, np.sqrt(model.priors_ * (1 - model.priors_) / n))
    assert estimates_agree(refitted.means_, model.means_, np.sqrt(variances / rows[:, None]))
    errors = np.sqrt((variances[:, :, None] * variances[:, None, :] + truth**2) / rows[:, None, None])
    assert estimates_agree(refitted.covariance_, truth, errors)
    # The model's own kind gives its own parameters back as well.
    again = covariances_of(kind().fit(X, y))
    assert estimates_agree(np.diagonal(again, axis1=1, axis2=2), variances, variances * np.sqrt(2 / rows)[:, None])
    # The same seed, the same rows; another, others.
    assert model.sample(5, random_state=3)[0].tolist() == model.sample(5, random_state=3)[0].tolist()
    assert model.sample(5, random_state=3)[0].tolist() != model.sample(5, random_state=4)[0].tolist()


def fishers_coins() -> LinearDiscriminantAnalysis:
    """One and two euros with deviations of exactly .1 g and .01 mm, and no correlation."""
    centres = np.array([[7.5, 23.25], [8.5, 25.75]])
    corners = np.array([[1, 1], [1, -1], [-1, 1], [-1, -1]]) * [0.1, 0.01]
    model = LinearDiscriminantAnalysis(divisor="mle")
    return model.fit(np.concatenate([centres[0] + corners, centres[1] + corners]), np.repeat(["one", "two"], 4))


def test_lecture_30_fishers_recipe():
    model = fishers_coins()
    recipe = np.array([2.0, 3.0])
    values = model.means_ @ recipe
    assert values.round(10).tolist() == [84.75, 94.25]
    assert (np.array([[7.5, 25.0], [9.0, 24.0]]) @ recipe).tolist() == [90.0, 90.0]
    width = np.sqrt(recipe @ model.covariance_ @ recipe)
    assert round(width, 1) == 0.2
    assert round((values[1] - values[0]) / width) == 47
    # The best recipe is Fisher's direction, where a class is one wide.
    best = np.abs(np.diff(model.transform(model.means_)[:, 0]))[0]
    assert best == pytest.approx(np.sqrt((1 / 0.1) ** 2 + (2.5 / 0.01) ** 2), rel=1e-9)
    assert best > 5 * (values[1] - values[0]) / width


def test_lecture_30_a_coin_five_deviations_away():
    rows = np.array([[7.4], [7.6], [8.9], [9.1]])
    model = LinearDiscriminantAnalysis(divisor="mle").fit(rows, ["one", "one", "nine", "nine"])
    one = model.classes_.tolist().index("one")
    assert model.covariance_.round(12).tolist() == [[0.01]]
    assert model.typicality([[8.0]])[0, one] == pytest.approx(2 * norm.sf(5), rel=1e-9)
    at, centre = model.class_log_density([[8.0], [7.5]])[:, one]
    assert centre - at == pytest.approx(5**2 / 2, rel=1e-9)


def test_lecture_30_priors_move_the_threshold_towards_the_rarer_class():
    model = fishers_coins()
    normal = model.coef_[0]
    projected = model.means_ @ normal
    equal, unequal = (-model.with_priors(p).intercept_[0] for p in ("uniform", {"one": 0.7, "two": 0.3}))
    assert projected[0] < equal < unequal < projected[1]
    assert equal == pytest.approx(projected.mean(), rel=1e-12)
    assert unequal - equal == pytest.approx(np.log(7 / 3), abs=1e-6)


def test_lecture_32_lda_is_one_m_step_with_responsibilities_zero_and_one():
    X, y = IRIS
    responsibility = np.eye(3)[y]  # (n, K)
    counts = responsibility.sum(axis=0)
    weights = counts / len(X)
    means = responsibility.T @ X / counts[:, None]
    deviations = X[:, None, :] - means  # (n, K, p)
    covariance = np.einsum("nk,nki,nkj->ij", responsibility, deviations, deviations) / len(X)
    model = LinearDiscriminantAnalysis(divisor="mle").fit(X, y)
    np.testing.assert_allclose(model.priors_, weights, rtol=1e-14)
    np.testing.assert_allclose(model.means_, means, rtol=1e-13)
    np.testing.assert_allclose(model.covariance_, covariance, rtol=1e-10)
    # Its density is the mixture's, and its posterior is the E-step that would follow.
    joint = np.stack([w * multivariate_normal(m, covariance).pdf(X) for w, m in zip(weights, means, strict=True)], 1)
    np.testing.assert_allclose(model.score_samples(X), np.log(joint.sum(axis=1)), rtol=1e-10)
    np.testing.assert_allclose(model.predict_proba(X), joint / joint.sum(axis=1, keepdims=True), rtol=1e-8)


def test_lecture_33_first_discriminant_separates_where_first_principal_component_does_not():
    # Wide along the first axis, where the classes are alike; narrow along the second, where they differ.
    rng = np.random.default_rng(0)
    y = np.arange(1000) % 2
    X = np.column_stack([rng.normal(0, 10, 1000), rng.normal(0, 1, 1000) + 4 * y])
    principal = PCA(n_components=1).fit(X)
    discriminant = LinearDiscriminantAnalysis(n_components=1).fit(X, y)
    # One tells the classes apart no better than guessing, the other as well as four deviations allow: 97.7 %.
    guess, told = (
        LinearDiscriminantAnalysis().fit(view.transform(X), y).score(view.transform(X), y)
        for view in (principal, discriminant)
    )
    assert guess < 0.55
    assert told == pytest.approx(norm.cdf(2), abs=0.02)
    # The directions are at right angles, or nearly.
    direction = discriminant.scalings_[:, 0]
    cosine = abs(direction @ principal.components_[0]) / np.linalg.norm(direction)
    assert cosine < 0.05
