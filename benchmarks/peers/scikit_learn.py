"""scikit-learn."""

from typing import Any

import sklearn
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.experimental import enable_iterative_imputer  # noqa: F401  # IterativeImputer cannot be imported without
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.impute import IterativeImputer
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.naive_bayes import GaussianNB, MultinomialNB
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


def text_bayes(ngram_range: tuple[int, int]) -> Any:
    """Naive Bayes of the words of texts."""
    return make_pipeline(CountVectorizer(ngram_range=ngram_range), MultinomialNB())
