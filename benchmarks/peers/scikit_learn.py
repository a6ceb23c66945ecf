"""scikit-learn."""

from typing import Any

import sklearn
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.experimental import enable_iterative_imputer  # noqa: F401  # IterativeImputer cannot be imported without
from sklearn.impute import IterativeImputer
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline

NAME = f"scikit-learn {sklearn.__version__}"

lda = LinearDiscriminantAnalysis
qda = QuadraticDiscriminantAnalysis
gaussian_nb = GaussianNB
logistic = LogisticRegression
perceptron = Perceptron


def imputed_lda() -> Any:
    """LDA of rows whose missing cells are filled from regressions on the others."""
    return make_pipeline(IterativeImputer(random_state=0), lda())
