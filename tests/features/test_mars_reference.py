"""Mars beside R's earth 5.3.2, on rows that both make by the same formula; the R call stands beside each number.

i <- 1:200
x <- sapply(sqrt(c(2, 3, 5, 7, 11, 13, 17, 19, 23, 29)), function(s) (i * s) %% 1)
e <- qnorm((i * sqrt(31)) %% 1)
y <- 10 * sin(pi * x[,1] * x[,2]) + 20 * (x[,3] - .5)^2 + 10 * x[,4] + 5 * x[,5] + e
"""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from scipy.special import ndtri

from distinguo import Mars

I = np.arange(1, 201.0)  # noqa: E741
X = np.column_stack([(I * np.sqrt(s)) % 1 for s in (2, 3, 5, 7, 11, 13, 17, 19, 23, 29)])
E = ndtri((I * np.sqrt(31)) % 1)
Y = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2 + 10 * X[:, 3] + 5 * X[:, 4] + E
RISING = np.linspace(0.05, 0.95, 10)[None]

# R's data(trees).
GIRTH = (
    "8.3 8.6 8.8 10.5 10.7 10.8 11.0 11.0 11.1 11.2 11.3 11.4 11.4 11.7 12.0 12.9 12.9 13.3 13.7 13.8 14.0 14.2 14.5 "
    "16.0 16.3 17.3 17.5 17.9 18.0 18.0 20.6"
)
HEIGHT = "70 65 63 72 81 83 66 75 80 75 79 76 76 69 75 74 85 86 71 64 78 80 74 72 77 81 82 80 80 80 87"
VOLUME = (
    "10.3 10.3 10.2 16.4 18.8 19.7 15.6 18.2 22.6 19.9 24.2 21.0 21.4 21.3 19.1 22.2 33.8 27.4 25.7 24.9 34.5 31.7 "
    "36.3 38.3 42.6 55.4 55.7 58.3 51.5 51.0 77.0"
)


def test_trees() -> None:
    # earth(Volume ~ ., data = trees); summary, $gcv.per.subset, $rss.per.subset, evimp
    girth, height, volume = (np.array(text.split(), dtype=float) for text in (GIRTH, HEIGHT, VOLUME))
    model = Mars().fit(np.column_stack([girth, height]), volume)
    assert model.summary() == (
        "y =\n"
        "  29.06\n"
        "    + 6.22951 * max(0, x0 - 14.2)\n"
        "    - 3.41981 * max(0, 14.2 - x0)\n"
        "    + 0.581364 * max(0, x1 - 75)"
    )
    np.testing.assert_allclose(model.gcv_path_, [279.20956, 48.41264, 14.33910, 11.25439, 12.75544], rtol=1e-6)
    np.testing.assert_allclose(model.rss_path_, [8106.0839, 1224.3713, 312.6848, 209.1139, 199.1495], rtol=1e-6)
    assert model.gcv_r2_ == pytest.approx(0.959692, abs=1e-6)
    assert model.r2_ == pytest.approx(0.9742029, abs=1e-6)
    assert model.variable_importance("nsubsets").tolist() == [3, 1]
    np.testing.assert_allclose(model.variable_importance("gcv"), [100, 10.7], atol=0.05)
    np.testing.assert_allclose(model.variable_importance("rss"), [100, 11.5], atol=0.05)


# earth(x, y, degree = d, pmethod = "backward", Auto.linpreds = FALSE): $gcv, $rss, selected, of; and
# predict at seq(.05, .95, length = 10) and at its reverse
FRIEDMAN = {
    1: (2.880159688, 441.0244523, 13, 17, 4.792775768, 19.53630648),
    2: (1.450140511, 201.0057889, 14, 19, 7.286763016, 17.45867742),
    3: (1.60741457, 222.8057428, 14, 20, 7.24863376, 17.3777677),
}


@pytest.mark.parametrize("degree", FRIEDMAN)
def test_friedman(degree: int) -> None:
    gcv, rss, selected, of, rising, falling = FRIEDMAN[degree]
    model = Mars(degree=degree).fit(X, Y)
    assert (len(model.terms_), len(model.forward_terms_)) == (selected, of)
    assert model.gcv_ == pytest.approx(gcv, rel=1e-8)
    assert model.rss_ == pytest.approx(rss, rel=1e-8)
    assert model.predict(RISING)[0] == pytest.approx(rising, rel=1e-8)
    assert model.predict(RISING[:, ::-1])[0] == pytest.approx(falling, rel=1e-8)


def test_friedman_terms_and_coefficients() -> None:
    # coef(earth(x, y, degree = 2, pmethod = "backward", Auto.linpreds = FALSE))
    model = Mars(degree=2).fit(X, Y)
    found = dict(zip(model.get_feature_names_out(), model.coef_[:, 0], strict=True))
    expected = {
        "1": 17.883957173,
        "max(0, 0.907152 - x3)": -9.958738261,
        "max(0, x0 - 0.693434)": 5.314504155,
        "max(0, 0.693434 - x0)": -13.739138311,
        "max(0, x1 - 0.396078)": 13.659907888,
        "max(0, 0.396078 - x1)": -23.141496633,
        "max(0, 0.54102 - x2)": 17.081858647,
        "max(0, 0.931491 - x4)": -4.470737353,
        "max(0, x1 - 0.396078) * max(0, x0 - 0.462987)": -28.652419410,
        "max(0, 0.693434 - x0) * max(0, x1 - 0.448637)": -12.863346863,
        "max(0, 0.693434 - x0) * max(0, 0.448637 - x1)": 32.649588062,
        "max(0, x2 - 0.213595)": 10.820717436,
        "max(0, x1 - 0.693575) * max(0, x0 - 0.213203)": -27.704897012,
        "max(0, x1 - 0.693575) * max(0, 0.213203 - x0)": -46.432815886,
    }
    assert found.keys() == expected.keys()
    for term, coefficient in expected.items():
        assert found[term] == pytest.approx(coefficient, rel=1e-7), term


def test_friedman_importance() -> None:
    # In R, evimp(earth(x, y, pmethod = "backward")) prints these.
    model = Mars().fit(X, Y)
    assert model.variable_importance("nsubsets").tolist() == [11, 10, 9, 12, 7, 0, 4, 0, 0, 0]
    np.testing.assert_allclose(
        model.variable_importance("gcv"), [79.2, 64.8, 45.1, 100, 30.5, 0, 5.2, 0, 0, 0], atol=0.05
    )
    np.testing.assert_allclose(
        model.variable_importance("rss"), [79, 64.5, 45.6, 100, 31.4, 0, 10.9, 0, 0, 0], atol=0.05
    )


def test_several_responses() -> None:
    # Y <- cbind(a = y, b = 10 * x[,3] + abs(x[,4] - .3) * 20, c = e)
    # earth(x, Y, degree = 2, pmethod = "backward", Auto.linpreds = FALSE): $gcv, $rss, $gcv.per.subset, coef
    model = Mars(degree=2).fit(X, np.column_stack([Y, 10 * X[:, 2] + np.abs(X[:, 3] - 0.3) * 20, E]))
    assert model.gcv_ == pytest.approx(2.979648963, rel=1e-8)
    assert model.rss_ == pytest.approx(425.5087702, rel=1e-8)
    expected = (
        "47.594381146 28.547947385 20.295828747 15.940819244 11.440601672 8.780078692 6.238166527 4.398541906 "
        "3.930395221 3.733762318 3.183537844 3.034751910 2.979648963 3.048746704 3.055029060 3.130469238 3.136885097 "
        "3.122747970"
    )
    np.testing.assert_allclose(model.gcv_path_, np.array(expected.split(), dtype=float), rtol=1e-8)
    np.testing.assert_allclose(model.intercept_, [7.258145708, 7.232674645, 0.17864873770], rtol=1e-7)


def test_ties() -> None:
    # In R, earth(round(x * 10) / 10, y, pmethod = "backward") has this $gcv.
    model = Mars().fit(np.round(X * 10) / 10, Y)
    assert model.gcv_ == pytest.approx(3.303274522, rel=1e-8)
    assert (len(model.terms_), len(model.forward_terms_)) == (11, 17)


def test_options() -> None:
    # In R, earth(x, y, nk = 41, thresh = 0, penalty = 4, minspan = 3, endspan = 5, pmethod = "backward") has this $gcv.
    model = Mars(max_terms=41, threshold=0, penalty=4, min_span=3, end_span=5).fit(X, Y)
    assert model.gcv_ == pytest.approx(3.23837004, rel=1e-8)
    assert (len(model.terms_), len(model.forward_terms_)) == (9, 29)


def test_a_binary_and_a_constant_column() -> None:
    # z <- x; z[,1] <- z[,1] > .4; z[,2] <- 7; earth(z, y, pmethod = "backward")
    Z = X.copy()
    Z[:, 0] = Z[:, 0] > 0.4
    Z[:, 1] = 7
    model = Mars().fit(Z, Y)
    assert model.gcv_ == pytest.approx(8.172047383, rel=1e-8)
    found = dict(zip(model.get_feature_names_out(), model.coef_[:, 0], strict=True))
    assert found["x0"] == pytest.approx(4.296157396, rel=1e-7)


def vowel(path: Path) -> tuple[np.ndarray, np.ndarray]:
    rows = np.genfromtxt(path, delimiter=",", names=True)
    columns = [name for name in rows.dtype.names if name.startswith("x")]
    return np.column_stack([rows[name] for name in columns]), rows["y"].astype(int)


# earth(x, model.matrix(~ y - 1), nk = 61, pmethod = "backward") on vowel.train: $gcv, $rss, selected, of
def test_vowel_indicators(shared_data: Callable[[str], Path]) -> None:
    rows, y = vowel(shared_data("vowel.train.csv"))
    model = Mars(max_terms=61).fit(rows, (y[:, None] == np.unique(y)).astype(float))
    assert (len(model.terms_), len(model.forward_terms_)) == (38, 41)
    assert model.gcv_ == pytest.approx(0.563114, rel=1e-5)
    assert model.rss_ == pytest.approx(218.856, rel=1e-5)


def flexible_discriminant_errors(model: Mars, shared_data: Callable[[str], Path], dimensions: int) -> float:
    """Share of vowel.test that optimal scoring on the model's basis gets wrong, by the nearest centroid."""
    rows, y = vowel(shared_data("vowel.train.csv"))
    test_rows, test_y = vowel(shared_data("vowel.test.csv"))
    K = np.unique(y)
    indicators = (y[:, None] == K).astype(float)
    model.fit(rows, indicators)
    root = np.sqrt(indicators.mean(axis=0))
    # Scores that the regression reproduces best, of mean zero and variance one.
    explained = indicators.T @ model.predict(rows) / len(y) / np.outer(root, root)
    shares, scores = np.linalg.eigh((explained + explained.T) / 2)
    order = np.argsort(-shares)[1 : dimensions + 1]  # the first is the constant
    scaling = scores[:, order] / root[:, None] / np.sqrt(shares[order] * (1 - shares[order]))
    fitted, test = model.predict(rows) @ scaling, model.predict(test_rows) @ scaling
    centroids = np.array([fitted[y == k].mean(axis=0) for k in K])
    distances = ((test[:, None] - centroids) ** 2).sum(axis=2)  # the classes are equally frequent
    return float(np.mean(K[distances.argmin(axis=1)] != test_y))


# Hastie, Tibshirani and Friedman, The Elements of Statistical Learning, Table 12.3: .45 and .42.
# R's fda(method = earth, nk = 61, pmethod = "backward") at 4 dimensions: .429; at 10: .457.
@pytest.mark.parametrize(
    ("degree", "max_terms", "dimensions", "at_most"), [(1, 61, 4, 0.43), (1, 61, 10, 0.46), (2, 101, 10, 0.425)]
)
def test_vowel_error(
    shared_data: Callable[[str], Path], degree: int, max_terms: int, dimensions: int, at_most: float
) -> None:
    model = Mars(degree=degree, max_terms=max_terms)
    assert flexible_discriminant_errors(model, shared_data, dimensions) <= at_most
