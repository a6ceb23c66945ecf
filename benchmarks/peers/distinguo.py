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
)

NAME = "distinguo"

lda = LinearDiscriminantAnalysis
qda = QuadraticDiscriminantAnalysis
gaussian_nb = GaussianNB
mars = Mars
fda = FlexibleDiscriminantAnalysis
pda = PenalizedDiscriminantAnalysis
logistic = LogisticRegression
perceptron = Perceptron
rda = RegularizedDiscriminantAnalysis
