"""Values of R's MASS (lda, qda: plug-in, leave-one-out) and e1071 (naiveBayes).

R 4.2.2, MASS 7.3-58.2, e1071 1.7-13; the call stands beside the numbers. The iris rows are those of R, which
scikit-learn ships; crabs and Pima come with MASS and are read from ../shared/data.
"""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm
from sklearn.datasets import load_iris

from distinguo import GaussianNB, LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis

Rows = tuple[np.ndarray, np.ndarray]
IRIS = load_iris(return_X_y=True)
AMBIGUOUS = [70, 83, 133]  # rows 71, 84 and 134 of R
DIVISORS = {"moment": "unbiased", "mle": "mle"}  # R's names and ours
PRIORS = (0.2, 0.3, 0.5)


def errors(model, rows: Rows) -> int:
    X, y = rows
    return int((model.predict(X) != y).sum())


def left_out_errors(model, rows: Rows) -> list[int]:
    X, y = rows
    posterior = model.fit(X, y).leave_one_out(X, y)
    return np.flatnonzero(model.classes_[posterior.argmax(axis=1)] != y).tolist()


def posteriors(text: str) -> np.ndarray:
    return np.array([line.split() for line in text.strip().splitlines()], dtype=float)


def assert_equal_up_to_sign(ours: np.ndarray, theirs: np.ndarray, rtol: float) -> None:
    """Columns are directions, of which R and we choose the sign differently."""
    signs = np.sign((ours * theirs).sum(axis=0))
    np.testing.assert_allclose(ours * signs, theirs, rtol=rtol)


def canonical_f(model, n: float) -> np.ndarray:
    """Between-class over within-class variance of each discriminant, from what `transform` makes of the means."""
    between = (model.priors_[:, None] * model.transform(model.means_) ** 2).sum(axis=0)
    return between * n / (len(model.classes_) - 1)


# Iris: lda(Species ~ ., iris), qda(Species ~ ., iris)


def test_iris_group_means_and_priors():
    means = [[5.006, 3.428, 1.462, 0.246], [5.936, 2.770, 4.260, 1.326], [6.588, 2.974, 5.552, 2.026]]
    for model in (LinearDiscriminantAnalysis(), QuadraticDiscriminantAnalysis(), GaussianNB()):
        model.fit(*IRIS)
        np.testing.assert_allclose(model.means_, means, rtol=1e-12)
        np.testing.assert_allclose(model.priors_, [1 / 3] * 3, rtol=1e-15)


# lda(Species ~ ., iris, method)$scaling
SCALING = {
    "moment": [
        [0.8293776423, -0.02410214888],
        [1.5344730677, -2.16452123466],
        [-2.2012116556, 0.93192121003],
        [-2.8104603088, -2.83918785298],
    ],
    "mle": [
        [0.8377979357, -0.02434684702],
        [1.5500518739, -2.18649663293],
        [-2.2235595550, 0.94138258163],
        [-2.8389936323, -2.86801283415],
    ],
}


@pytest.mark.parametrize("method", SCALING)
def test_iris_scalings(method):
    model = LinearDiscriminantAnalysis(divisor=DIVISORS[method]).fit(*IRIS)
    assert_equal_up_to_sign(model.scalings_, np.array(SCALING[method]), rtol=1e-8)


def test_iris_scalings_with_priors():
    # lda(Species ~ ., iris, prior = c(.2, .3, .5))$scaling
    scaling = [
        [0.8285723978, 0.04377177977],
        [1.4826893941, 2.20031632530],
        [-2.1784829097, -0.98388114454],
        [-2.8770270546, 2.77171249219],
    ]
    model = LinearDiscriminantAnalysis(priors=PRIORS).fit(*IRIS)
    assert_equal_up_to_sign(model.scalings_, np.array(scaling), rtol=1e-8)


@pytest.mark.parametrize(
    ("priors", "scores"),
    [
        # predict(lda(Species ~ ., iris), iris[c(71, 84, 134), ])$x, then with prior = c(.2, .3, .5)
        (None, [[-3.715896147, -1.0445144208], [-4.498466351, 0.8827499153], [-3.815159721, 0.9429859325]]),
        (PRIORS, [[-1.820977591, 0.9205320532], [-2.557604511, -1.0247557732], [-1.873061146, -1.0687638560]]),
    ],
)
def test_iris_transform(priors, scores):
    model = LinearDiscriminantAnalysis(priors=priors).fit(*IRIS)
    assert_equal_up_to_sign(model.transform(IRIS[0][AMBIGUOUS]), np.array(scores), rtol=1e-8)


@pytest.mark.parametrize(
    ("priors", "svd"),
    [
        (None, [48.6426438, 4.579982711]),  # lda(Species ~ ., iris)$svd
        (PRIORS, [43.84488017, 4.573036124]),  # lda(Species ~ ., iris, prior = c(.2, .3, .5))$svd
    ],
)
def test_iris_singular_values_and_proportion_of_trace(priors, svd):
    # Their squares are the canonical F statistics, and R's "proportion of trace" is their share.
    model = LinearDiscriminantAnalysis(priors=priors).fit(*IRIS)
    np.testing.assert_allclose(np.sqrt(canonical_f(model, 150)), svd, rtol=1e-8)
    share = np.square(svd) / np.square(svd).sum()
    np.testing.assert_allclose(model.explained_variance_ratio_, share, rtol=1e-7)
    if priors is None:
        assert model.explained_variance_ratio_.round(4).tolist() == [0.9912, 0.0088]  # print(lda(...))


def test_iris_singular_values_by_maximum_likelihood():
    # lda(Species ~ ., iris, method = "mle")$svd; there the between-class variance is divided by K, not K - 1.
    model = LinearDiscriminantAnalysis(divisor="mle").fit(*IRIS)
    np.testing.assert_allclose(np.sqrt(canonical_f(model, 150) * 2 / 3), [40.11977642, 3.777506073], rtol=1e-8)


@pytest.mark.parametrize("method", DIVISORS)
def test_iris_resubstitution_errors(method):
    # sum(predict(lda(Species ~ ., iris), iris)$class != iris$Species), and the same with qda
    assert errors(LinearDiscriminantAnalysis(divisor=DIVISORS[method]).fit(*IRIS), IRIS) == 3
    assert errors(QuadraticDiscriminantAnalysis(divisor=DIVISORS[method]).fit(*IRIS), IRIS) == 3


# predict(lda(Species ~ ., iris, method), iris[c(71, 84, 134), ])$posterior
LDA_POSTERIOR = {
    "moment": """
        7.408117582e-28 0.2532282247 0.7467717753
        4.241951945e-32 0.1433919081 0.8566080919
        1.283890624e-28 0.7293881280 0.2706118720""",
    "mle": """
        2.094227007e-28 0.2490773340 0.7509226660
        9.793100374e-33 0.1389693681 0.8610306319
        3.503254722e-29 0.7333635677 0.2666364323""",
}
# predict(qda(Species ~ ., iris, method), iris[c(71, 84, 134), ])$posterior
QDA_POSTERIOR = {
    "moment": """
        1.052723300e-103 0.3359441831 0.6640558169
        4.102009268e-114 0.1543483310 0.8456516690
        4.550669938e-111 0.6049611315 0.3950388685""",
    "mle": """
        8.144832004e-106 0.3284513343 0.6715486657
        1.930587061e-116 0.1473576160 0.8526423840
        2.506178422e-113 0.6022879816 0.3977120184""",
}
# lda(Species ~ ., iris, method, CV = TRUE)$posterior[c(71, 84, 134), ]
LDA_LEFT_OUT = {
    "moment": """
        1.302245996e-28 0.17727267044 0.8227273296
        1.125494052e-33 0.09924152866 0.9007584713
        5.464474799e-29 0.78762375642 0.2123762436""",
    "mle": """
        3.514353941e-29 0.17271941040 0.8272805896
        2.383212185e-34 0.09526300088 0.9047369991
        1.450111288e-29 0.79209374451 0.2079062555""",
}
# qda(Species ~ ., iris, method, CV = TRUE)$posterior[c(71, 84, 134), ]
QDA_LEFT_OUT = {
    "moment": """
        1.329043002e-103 0.16164225065 0.8383577494
        4.504693280e-114 0.07133281722 0.9286671828
        4.988739195e-111 0.66319758405 0.3368024159""",
    "mle": """
        1.025830814e-105 0.1541933415 0.8458066585
        2.113558039e-116 0.0665486152 0.9334513848
        2.754286372e-113 0.6619135992 0.3380864008""",
}


@pytest.mark.parametrize("method", DIVISORS)
@pytest.mark.parametrize(
    ("kind", "plug_in"),
    [(LinearDiscriminantAnalysis, LDA_POSTERIOR), (QuadraticDiscriminantAnalysis, QDA_POSTERIOR)],
)
def test_iris_posteriors(method, kind, plug_in):
    model = kind(divisor=DIVISORS[method]).fit(*IRIS)
    np.testing.assert_allclose(model.predict_proba(IRIS[0][AMBIGUOUS]), posteriors(plug_in[method]), rtol=1e-8)


@pytest.mark.parametrize("method", DIVISORS)
@pytest.mark.parametrize(
    ("kind", "left_out"),
    [(LinearDiscriminantAnalysis, LDA_LEFT_OUT), (QuadraticDiscriminantAnalysis, QDA_LEFT_OUT)],
)
def test_iris_leave_one_out_posteriors(method, kind, left_out):
    posterior = kind(divisor=DIVISORS[method]).fit(*IRIS).leave_one_out(*IRIS)
    np.testing.assert_allclose(posterior[AMBIGUOUS], posteriors(left_out[method]), rtol=1e-8)


@pytest.mark.parametrize("method", DIVISORS)
@pytest.mark.parametrize(
    ("kind", "wrong"),
    [
        # which(lda(Species ~ ., iris, CV = TRUE)$class != iris$Species), and the same with qda, less one
        (LinearDiscriminantAnalysis, [70, 83, 133]),
        (QuadraticDiscriminantAnalysis, [68, 70, 83, 133]),
    ],
)
def test_iris_leave_one_out_errors(method, kind, wrong):
    assert left_out_errors(kind(divisor=DIVISORS[method]), IRIS) == wrong


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        # predict(lda(Species ~ ., iris, prior = c(.2, .3, .5)), iris[c(71, 84, 134), ])$posterior
        (
            LinearDiscriminantAnalysis,
            """
            3.297227455e-28 0.16906138011 0.8309386199
            1.800024348e-32 0.09127010251 0.9087298975
            7.251112707e-29 0.61791192602 0.3820880740""",
        ),
        # predict(qda(Species ~ ., iris, prior = c(.2, .3, .5)), iris[c(71, 84, 134), ])$posterior
        (
            QuadraticDiscriminantAnalysis,
            """
            4.864584785e-104 0.23285733702 0.7671426630
            1.748771705e-114 0.09870284643 0.9012971536
            2.401359684e-111 0.47885123221 0.5211487678""",
        ),
    ],
)
def test_iris_posteriors_with_priors(kind, text):
    rows = IRIS[0][AMBIGUOUS]
    np.testing.assert_allclose(kind(priors=PRIORS).fit(*IRIS).predict_proba(rows), posteriors(text), rtol=1e-8)
    # A fit with other priors, moved to these, says the same.
    moved = kind().fit(*IRIS).with_priors(PRIORS)
    np.testing.assert_allclose(moved.predict_proba(rows), posteriors(text), rtol=1e-8)


def test_iris_posteriors_on_one_discriminant():
    # predict(lda(Species ~ ., iris, prior = c(.2, .3, .5)), iris[c(71, 84, 134), ], dimen = 1)$posterior
    expected = posteriors("""
        2.224095501e-28 0.43303055371 0.5669694463
        1.957041639e-32 0.03895701853 0.9610429815
        1.204946219e-28 0.38293883960 0.6170611604""")
    model = LinearDiscriminantAnalysis(priors=PRIORS, n_components=1).fit(*IRIS)
    np.testing.assert_allclose(model.predict_proba(IRIS[0][AMBIGUOUS]), expected, rtol=1e-8)


def test_iris_leave_one_out_with_priors():
    # lda(Species ~ ., iris, prior = c(.2, .3, .5), CV = TRUE)$posterior[c(71, 84, 134), ]
    expected = posteriors("""
        5.606538399e-29 0.11448136950 0.8855186305
        4.688076979e-34 0.06200635956 0.9379936404
        3.191164804e-29 0.68993928120 0.3100607188""")
    posterior = LinearDiscriminantAnalysis(priors=PRIORS).fit(*IRIS).leave_one_out(*IRIS)
    np.testing.assert_allclose(posterior[AMBIGUOUS], expected, rtol=1e-8)


@pytest.mark.parametrize(
    ("method", "log_dets"),
    [
        # qda(Species ~ ., iris, method)$ldet
        ("moment", [-13.06736033, -10.87432504, -8.927058478]),
        ("mle", [-13.14817116, -10.95513587, -9.007869308]),
    ],
)
def test_iris_log_determinants(method, log_dets):
    model = QuadraticDiscriminantAnalysis(divisor=DIVISORS[method]).fit(*IRIS)
    np.testing.assert_allclose(np.linalg.slogdet(model.covariance_)[1], log_dets, rtol=1e-9)
    # At its mean a class's density has nothing but the determinant in it.
    at_means = np.diagonal(model.class_log_density(model.means_))
    np.testing.assert_allclose(-2 * at_means - 4 * np.log(2 * np.pi), log_dets, rtol=1e-9)


def test_log_iris_scalings_and_proportion_of_trace():
    # lda(log(iris[, 1:4]), iris$Species): $scaling and svd^2 / sum(svd^2)
    scaling = [
        [3.7798290, -4.27689649],
        [3.9405337, -6.59421752],
        [-9.0239936, -0.30951835],
        [-1.5328100, 0.13604677],
    ]
    model = LinearDiscriminantAnalysis().fit(np.log(IRIS[0]), IRIS[1])
    assert_equal_up_to_sign(model.scalings_, np.array(scaling), rtol=1e-7)
    np.testing.assert_allclose(model.explained_variance_ratio_, [0.9964986, 0.0035013987], rtol=1e-7)


# Crabs: lcrabs <- log(crabs[, 4:8])


@pytest.fixture
def crabs(shared_data: Callable[[str], Path]) -> pd.DataFrame:
    return pd.read_csv(shared_data("crabs.csv"))


FOUR, FIVE = ["FL", "RW", "CL", "CW"], ["FL", "RW", "CL", "CW", "BD"]


def confusion(said: np.ndarray, sex: pd.Series) -> list[list[int]]:
    """Rows F and M; the second column counts those said to be male."""
    return [[int((said[sex == s] == male).sum()) for male in (False, True)] for s in ("F", "M")]


def test_crabs_sexes(crabs):
    # table(crabs$sex, predict(lda(crabs$sex ~ FL + RW + CL + CW, lcrabs))$class)
    X = np.log(crabs[FOUR].to_numpy())
    model = LinearDiscriminantAnalysis().fit(X, crabs["sex"])
    assert confusion(model.predict(X) == "M", crabs["sex"]) == [[97, 3], [3, 97]]


def test_crabs_four_groups(crabs):
    # lda(paste(sp, sex) ~ FL + RW + CL + CW, lcrabs): $svd, resubstitution errors, and those with dimen = 2
    X, group = np.log(crabs[FOUR].to_numpy()), (crabs["sp"] + crabs["sex"]).to_numpy()
    model = LinearDiscriminantAnalysis().fit(X, group)
    np.testing.assert_allclose(np.sqrt(canonical_f(model, 200)), [22.37138, 16.493946, 2.6047663], rtol=1e-7)
    assert errors(model, (X, group)) == 8
    model = LinearDiscriminantAnalysis(n_components=2).fit(X, group)
    assert errors(model, (X, group)) == 7
    # The groups' posteriors on two discriminants added up to those of the sexes: table(sex, P(male) > .5)
    male = model.predict_proba(X)[:, [label.endswith("M") for label in model.classes_]].sum(axis=1)
    assert confusion(male > 0.5, crabs["sex"]) == [[96, 4], [3, 97]]


@pytest.mark.parametrize(
    ("columns", "logged", "wrong"),
    [
        # lda(group ~ ., data, CV = TRUE) and qda(group ~ ., data, CV = TRUE)
        (FOUR, True, (10, 12)),
        (FIVE, True, (10, 12)),
        (FIVE, False, (10, 13)),
    ],
)
def test_crabs_leave_one_out_errors(crabs, columns, logged, wrong):
    X, group = crabs[columns].to_numpy(), (crabs["sp"] + crabs["sex"]).to_numpy()
    rows = (np.log(X) if logged else X), group
    models = (LinearDiscriminantAnalysis(), QuadraticDiscriminantAnalysis())
    assert tuple(len(left_out_errors(model, rows)) for model in models) == wrong


# Pima: fitted on Pima.tr (200 rows) or Pima.tr2 (300 rows, holes in 100), tested on Pima.te (332 rows)


def read_pima(file: Path) -> Rows:
    table = pd.read_csv(file)
    return table.drop(columns="type").to_numpy(dtype=float), table["type"].to_numpy(dtype=object)


@pytest.fixture
def pima(shared_data: Callable[[str], Path]) -> tuple[Rows, Rows]:
    return read_pima(shared_data("Pima.tr.csv")), read_pima(shared_data("Pima.te.csv"))


@pytest.fixture
def holed_pima(shared_data: Callable[[str], Path]) -> tuple[Rows, Rows]:
    train = read_pima(shared_data("Pima.tr2.csv"))
    assert np.isnan(train[0]).any(axis=1).sum() == 100
    return train, read_pima(shared_data("Pima.te.csv"))


@pytest.mark.parametrize(
    ("model", "wrong", "yes"),
    [
        # predict(lda(type ~ ., Pima.tr), Pima.te): errors and the first three posteriors of Yes, then with qda
        (LinearDiscriminantAnalysis(), 67, [0.80166264580, 0.03100281746, 0.01792179575]),
        (QuadraticDiscriminantAnalysis(), 76, [0.850518734647, 0.010982289388, 0.009485528708]),
    ],
)
def test_pima_errors(pima, model, wrong, yes):
    train, test = pima
    model.fit(*train)
    assert errors(model, test) == wrong
    np.testing.assert_allclose(model.predict_proba(test[0][:3])[:, 1], yes, rtol=1e-8)


def test_pima_scalings(pima):
    # lda(type ~ ., Pima.tr): $scaling, $svd
    scaling = [0.0794995781101, 0.0240316424442, -0.0018125856541, -0.0008317413346, 0.0494891915861, 1.2530603129648]
    model = LinearDiscriminantAnalysis().fit(*pima[0])
    assert_equal_up_to_sign(model.scalings_, np.array([[*scaling, 0.0314375124544]]).T, rtol=1e-8)
    np.testing.assert_allclose(np.sqrt(canonical_f(model, 200)), [10.17737042], rtol=1e-8)


@pytest.mark.parametrize(
    ("model", "wrong", "yes"),
    [
        # lda(type ~ ., Pima.tr, CV = TRUE): errors and the first three posteriors of Yes, then with qda
        (LinearDiscriminantAnalysis(), 49, [0.04958523693, 0.86568783197, 0.05869589340]),
        (QuadraticDiscriminantAnalysis(), 53, [0.02845169424, 0.97860677685, 0.06602906600]),
    ],
)
def test_pima_leave_one_out(pima, model, wrong, yes):
    train, _ = pima
    assert len(left_out_errors(model, train)) == wrong
    np.testing.assert_allclose(model.leave_one_out(*train)[:3, 1], yes, rtol=1e-8)


# e1071's naiveBayes divides a class's squares by n - 1, ours by n, the maximum-likelihood divisor; so e1071's rarer
# class is the wider of the two by a little, and one row of 332 changes sides. That factor is all that separates them:
# with it, our means and variances give e1071's posteriors to the digit.


def as_e1071(model: GaussianNB, X: np.ndarray) -> np.ndarray:
    """Posteriors of a fit without smoothing, its variances brought to the divisor n - 1."""
    seen = model.statistic_.seen
    deviations = np.sqrt(model.variances_ * seen / (seen - 1))
    parts = norm.logpdf(X[:, None, :], model.means_, deviations)
    joint = np.where(np.isnan(parts), 0.0, parts).sum(axis=2) + np.log(model.priors_)
    joint -= joint.max(axis=1, keepdims=True)
    return np.exp(joint) / np.exp(joint).sum(axis=1, keepdims=True)


def test_pima_naive_bayes_against_e1071(pima):
    (X, y), test = pima
    model = GaussianNB(var_smoothing=0.0).fit(X, y)
    # naiveBayes(type ~ ., Pima.tr)$tables: means and standard deviations of glu and ped, classes No and Yes
    np.testing.assert_allclose(model.means_[:, 1], [113.1060606, 145.0588235], rtol=1e-9)
    np.testing.assert_allclose(model.means_[:, 5], [0.4154848485, 0.5486617647], rtol=1e-9)
    n = np.array([132, 68])
    np.testing.assert_allclose(model.variances_[:, 1] * n / (n - 1), np.square([26.63758969, 30.12059461]), rtol=1e-8)
    np.testing.assert_allclose(model.variances_[:, 5] * n / (n - 1), np.square([0.2671859428, 0.3590029148]), rtol=1e-8)
    # predict(..., Pima.te): 81 errors, posteriors of the first three rows
    theirs = as_e1071(model, test[0])
    assert (model.classes_[theirs.argmax(axis=1)] != test[1]).sum() == 81
    expected = posteriors("""
        0.09144893998 0.908551060022
        0.99241918247 0.007580817531
        0.99445762993 0.005542370070""")
    np.testing.assert_allclose(theirs[:3], expected, rtol=1e-8)
    # Ours, with the divisor n.
    assert errors(model, test) == 80
    assert errors(GaussianNB().fit(X, y), test) == 80
    np.testing.assert_allclose(model.predict_proba(test[0]), theirs, atol=0.02)


def test_pima_naive_bayes_with_holes_against_e1071(holed_pima):
    (X, y), test = holed_pima
    model = GaussianNB(var_smoothing=0.0).fit(X, y)
    # naiveBayes(type ~ ., Pima.tr2, na.action = na.pass)$tables$skin, a column with holes
    np.testing.assert_allclose(model.means_[:, 3], [27.14179104, 33.11764706], rtol=1e-9)
    seen = model.statistic_.seen[:, 3]
    assert seen.tolist() == [(~np.isnan(X[y == label, 3])).sum() for label in ("No", "Yes")]
    deviations = np.sqrt(model.variances_[:, 3] * seen / (seen - 1))
    np.testing.assert_allclose(deviations, [10.85873266, 12.30159486], rtol=1e-8)
    # predict(..., Pima.te): 72 errors, posteriors of Yes of the first three rows
    theirs = as_e1071(model, test[0])
    assert (model.classes_[theirs.argmax(axis=1)] != test[1]).sum() == 72
    np.testing.assert_allclose(theirs[:3, 1], [0.80958512188, 0.01516853244, 0.01022981581], rtol=1e-8)
    assert errors(model, test) == 72
    assert errors(GaussianNB().fit(X, y), test) == 72
    # predict(..., Pima.tr2[201:202, ]): rows with a hole in skin
    holed = X[200:202]
    assert np.isnan(holed[:, 3]).all()
    np.testing.assert_allclose(as_e1071(model, holed)[:, 1], [0.1293398960, 0.3418369236], rtol=1e-8)
    np.testing.assert_allclose(model.predict_proba(holed)[:, 1], [0.1293398960, 0.3418369236], atol=0.005)


def test_iris_naive_bayes_against_e1071():
    # naiveBayes(Species ~ ., iris): predict(..., iris[c(71, 84, 134), ], type = "raw"), and 6 errors of 150.
    # Classes of one size share the divisor's factor, so only how sure the model is depends on it, not the class.
    expected = posteriors("""
        1.053341296e-127 0.1609360525 0.8390639475
        1.087301571e-132 0.6134354767 0.3865645233
        1.128613216e-128 0.7118948315 0.2881051685""")
    model = GaussianNB(var_smoothing=0.0).fit(*IRIS)
    np.testing.assert_allclose(as_e1071(model, IRIS[0][AMBIGUOUS]), expected, rtol=1e-8)
    assert errors(model, IRIS) == 6
