"""The library itself."""

from typing import Any

from sklearn.pipeline import make_pipeline

from distinguo import (
    BernoulliNB,
    Calibrated,
    FlexibleDiscriminantAnalysis,
    GaussianNB,
    KNeighborsClassifier,
    LinearDiscriminantAnalysis,
    LogisticRegression,
    Mars,
    MixedNB,
    MultinomialNB,
    PenalizedDiscriminantAnalysis,
    Perceptron,
    QuadraticDiscriminantAnalysis,
    RegularizedDiscriminantAnalysis,
    TextCounts,
    Thresholded,
    compare,
    logistic_path,
)

NAME = "distinguo"

knn = KNeighborsClassifier
lda = LinearDiscriminantAnalysis
qda = QuadraticDiscriminantAnalysis
gaussian_nb = GaussianNB
multinomial_nb = MultinomialNB
bernoulli_nb = BernoulliNB
mixed_nb = MixedNB
calibrated = Calibrated
mars = Mars
fda = FlexibleDiscriminantAnalysis
pda = PenalizedDiscriminantAnalysis
logistic = LogisticRegression
lasso_path = logistic_path
compared = compare
perceptron = Perceptron
rda = RegularizedDiscriminantAnalysis


def text_bayes(ngram_range: tuple[int, int]) -> Any:
    """Naive Bayes of the words of texts."""
    return make_pipeline(TextCounts(ngram_range=ngram_range), MultinomialNB())


def thresholded_lda() -> Any:
    """LDA with the threshold of the best F1 on five folds."""
    return Thresholded(lda(), "f1")
