"""What `Calibrated` owes scikit-learn: its own checks, clones, pipelines, searches, routing, and a life in files."""

from typing import Any

import pytest
from sklearn.linear_model import LogisticRegression as TheirLogistic
from sklearn.naive_bayes import GaussianNB as TheirBayes
from sklearn.utils.estimator_checks import parametrize_with_checks

from distinguo import (
    Calibrated,
    ComplementNB,
    GaussianNB,
    KNeighborsClassifier,
    LeastSquaresClassifier,
    LinearDiscriminantAnalysis,
    MultinomialNB,
    Perceptron,
)

METHODS = ("temperature", "platt", "beta", "isotonic", "venn-abers")


def models_to_check() -> list[Any]:
    models = [GaussianNB(), LeastSquaresClassifier(), Perceptron(), KNeighborsClassifier(3), TheirLogistic()]
    return [
        *(Calibrated(LinearDiscriminantAnalysis(), method) for method in METHODS),
        *(Calibrated(model) for model in models),
        Calibrated(MultinomialNB(), "beta"),
        Calibrated(ComplementNB(), "isotonic"),
        Calibrated(TheirBayes(), "venn-abers"),
    ]


@pytest.mark.filterwarnings("ignore::distinguo.exceptions.LeftOutWarning")  # some checks bring 30 columns in 15 rows
@pytest.mark.filterwarnings("ignore::distinguo.exceptions.MaskingWarning")  # and others three classes in a line
@parametrize_with_checks(models_to_check())
def test_scikit_learns_checks(estimator: Any, check: Any) -> None:
    check(estimator)
