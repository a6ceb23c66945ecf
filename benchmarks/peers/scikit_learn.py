"""scikit-learn."""

from collections.abc import Mapping
from typing import Any

import sklearn
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_transformer
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.experimental import enable_iterative_imputer  # noqa: F401  # IterativeImputer cannot be imported without
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.impute import IterativeImputer
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.model_selection import RepeatedStratifiedKFold, TunedThresholdClassifierCV, cross_validate
from sklearn.naive_bayes import BernoulliNB, GaussianNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer, OneHotEncoder, StandardScaler

NAME = f"scikit-learn {sklearn.__version__}"

knn = KNeighborsClassifier
lda = LinearDiscriminantAnalysis
qda = QuadraticDiscriminantAnalysis
gaussian_nb = GaussianNB
multinomial_nb = MultinomialNB
bernoulli_nb = BernoulliNB
logistic = LogisticRegression
perceptron = Perceptron


def imputed_lda() -> Any:
    """LDA of rows whose missing cells are filled from regressions on the others."""
    return make_pipeline(IterativeImputer(random_state=0), lda())


def calibrated(model: Any) -> Any:
    """One temperature from five folds, and the model of all rows."""
    return CalibratedClassifierCV(model, method="temperature", cv=5, ensemble=False)


def thresholded_lda() -> Any:
    """LDA with the threshold of the best F1 on five folds."""
    return TunedThresholdClassifierCV(lda(), scoring="f1", cv=5)


def cross_validated(models: Mapping[str, Any], X: Any, y: Any, *, folds: int, repeats: int) -> dict[str, Any]:
    """Accuracy and log loss of each model on repeated folds."""
    cv = RepeatedStratifiedKFold(n_splits=folds, n_repeats=repeats, random_state=0)
    scoring = ("accuracy", "neg_log_loss")
    return {name: cross_validate(model, X, y, cv=cv, scoring=scoring) for name, model in models.items()}


def text_bayes(ngram_range: tuple[int, int]) -> Any:
    """Naive Bayes of the words of texts."""
    return make_pipeline(CountVectorizer(ngram_range=ngram_range), MultinomialNB())


def mixed_pipelines(numbers: list[str], words: list[str]) -> dict[str, Any]:
    """Naive Bayes of a table of numbers and words, the ways there are: all indicators, numbers cut, or all Gaussian."""
    indicators = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    bins = KBinsDiscretizer(n_bins=10, encode="onehot-dense", quantile_method="averaged_inverted_cdf")
    return {
        "one-hot words and binned numbers, BernoulliNB": make_pipeline(
            make_column_transformer((bins, numbers), (indicators, words)), BernoulliNB()
        ),
        "one-hot words and scaled numbers, GaussianNB": make_pipeline(
            make_column_transformer((StandardScaler(), numbers), (indicators, words)), GaussianNB(var_smoothing=1e-2)
        ),
    }
