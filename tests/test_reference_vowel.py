"""Errors on the vowel and waveform data of The Elements of Statistical Learning, counted by R.

Hastie, Tibshirani and Friedman (2009), Tables 4.1 and 12.3 for the vowels, 12.4 for the waveform. The counts come from
R 4.2.2: `lda`, `qda` (MASS 7.3-58.2), `fda(y ~ ., dimension = d)` (mda 0.5-3) and `rda` (klaR).
"""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from distinguo import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis

Rows = tuple[np.ndarray, np.ndarray]


def read(file: Path) -> Rows:
    table = pd.read_csv(file)
    return table.drop(columns="y").to_numpy(), table["y"].to_numpy()


def errors(model, rows: Rows) -> int:
    X, y = rows
    return int((model.predict(X) != y).sum())


def left_out_errors(model, rows: Rows) -> int:
    X, y = rows
    posterior = model.leave_one_out(X, y)
    return int((model.classes_[posterior.argmax(axis=1)] != y).sum())


@pytest.fixture
def vowel(shared_data: Callable[[str], Path]) -> tuple[Rows, Rows]:
    train, test = read(shared_data("vowel.train.csv")), read(shared_data("vowel.test.csv"))
    assert len(train[1]) == 528
    assert len(test[1]) == 462
    return train, test


@pytest.fixture
def waveform(shared_data: Callable[[str], Path]) -> tuple[Rows, Rows]:
    train, test = read(shared_data("waveform.train.csv")), read(shared_data("waveform.test.csv"))
    assert len(train[1]) == 300
    assert len(test[1]) == 500
    return train, test


@pytest.mark.parametrize(
    ("model", "wrong"),
    [
        (LinearDiscriminantAnalysis(), (167, 257)),  # lda(y ~ ., train)
        (QuadraticDiscriminantAnalysis(), (6, 244)),  # qda(y ~ ., train)
    ],
)
def test_vowel_errors(vowel, model, wrong):
    train, test = vowel
    model.fit(*train)
    assert (errors(model, train), errors(model, test)) == wrong


# fda(y ~ ., train, dimension = d): train and test errors. The training error of one dimension is not in R's table.
BY_DIMENSION = {
    1: (None, 323),
    2: (185, 227),
    3: (174, 229),
    4: (174, 236),
    5: (167, 238),
    6: (159, 256),
    7: (165, 256),
    8: (168, 257),
    9: (166, 255),
    10: (167, 257),
}


@pytest.mark.parametrize("dimension", BY_DIMENSION)
def test_vowel_errors_by_number_of_discriminants(vowel, dimension):
    train, test = vowel
    in_training, in_test = BY_DIMENSION[dimension]
    model = LinearDiscriminantAnalysis(n_components=dimension).fit(*train)
    assert errors(model, test) == in_test
    if in_training is not None:
        assert errors(model, train) == in_training


def test_vowel_variance_explained_by_discriminants(vowel):
    # fda(y ~ ., train): "Percent Between-Group Variance Explained", cumulative.
    percent = [56.17, 91.35, 95.80, 97.72, 98.78, 99.61, 99.87, 99.98, 99.99, 100.00]
    model = LinearDiscriminantAnalysis().fit(*vowel[0])
    assert (100 * model.explained_variance_ratio_.cumsum()).round(2).tolist() == percent


@pytest.mark.parametrize(
    ("model", "wrong", "rate"),
    [
        (LinearDiscriminantAnalysis(), 194, 0.3674242),  # lda(y ~ ., train, CV = TRUE)
        (QuadraticDiscriminantAnalysis(), 32, 0.06060606),  # qda(y ~ ., train, CV = TRUE)
    ],
)
def test_vowel_leave_one_out_errors(vowel, model, wrong, rate):
    train, _ = vowel
    assert left_out_errors(model.fit(*train), train) == wrong
    assert wrong / 528 == pytest.approx(rate, abs=5e-8)


def test_vowel_leave_one_out_is_what_a_fit_without_the_row_says(vowel):
    # Priors stay those of the full fit, as in MASS; eleven rows, one a class.
    X, y = vowel[0]
    rows = np.unique(y, return_index=True)[1]
    for kind in (LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis):
        full = kind().fit(X, y)
        posterior = full.leave_one_out(X, y)
        for i in rows:
            without = kind(priors=full.priors_).fit(np.delete(X, i, axis=0), np.delete(y, i))
            np.testing.assert_allclose(posterior[i], without.predict_proba(X[i : i + 1])[0], rtol=1e-8, atol=1e-300)


@pytest.mark.parametrize(
    ("model", "wrong"),
    [
        # rda(y ~ ., train, gamma, lambda): at lambda 0 a covariance a class, at lambda 1 the pooled one; gamma draws
        # it towards (trace / p) I.
        (QuadraticDiscriminantAnalysis(shrinkage=0.0), (6, 244)),
        (QuadraticDiscriminantAnalysis(shrinkage=0.1), (14, 218)),
        (QuadraticDiscriminantAnalysis(shrinkage=0.5), (62, 158)),
        (LinearDiscriminantAnalysis(shrinkage=0.0), (167, 257)),
        (LinearDiscriminantAnalysis(shrinkage=0.1), (170, 257)),
        (LinearDiscriminantAnalysis(shrinkage=0.5), (183, 232)),
        # Friedman (1989) divides a class's scatter by its rows: the maximum-likelihood divisor. One row moves.
        (QuadraticDiscriminantAnalysis(shrinkage=0.0, divisor="mle"), (6, 244)),
        (QuadraticDiscriminantAnalysis(shrinkage=0.1, divisor="mle"), (14, 217)),
        (QuadraticDiscriminantAnalysis(shrinkage=0.5, divisor="mle"), (62, 158)),
    ],
)
def test_vowel_errors_of_shrunk_covariances(vowel, model, wrong):
    train, test = vowel
    model.fit(*train)
    assert (errors(model, train), errors(model, test)) == wrong


@pytest.mark.parametrize(
    ("model", "wrong"),
    [
        (LinearDiscriminantAnalysis(), (46, 105)),  # lda(y ~ ., train)
        (QuadraticDiscriminantAnalysis(), (14, 109)),  # qda(y ~ ., train)
    ],
)
def test_waveform_errors(waveform, model, wrong):
    train, test = waveform
    model.fit(*train)
    assert (errors(model, train), errors(model, test)) == wrong
