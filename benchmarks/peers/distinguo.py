"""The library itself."""

from distinguo import (
    FlexibleDiscriminantAnalysis,
    GaussianNB,
    LinearDiscriminantAnalysis,
    LogisticRegression,
    Mars,
    PenalizedDiscriminantAnalysis,
    Perceptron,
    QuadraticDiscriminantAnalysis,
    RegularizedDiscriminantAnalysis,
    logistic_path,
)

NAME = "distinguo"

lda = LinearDiscriminantAnalysis
qda = QuadraticDiscriminantAnalysis
gaussian_nb = GaussianNB
mars = Mars
fda = FlexibleDiscriminantAnalysis
pda = PenalizedDiscriminantAnalysis
logistic = LogisticRegression
lasso_path = logistic_path
perceptron = Perceptron
rda = RegularizedDiscriminantAnalysis
