"""The library itself."""

from distinguo import (
    FlexibleDiscriminantAnalysis,
    GaussianNB,
    LinearDiscriminantAnalysis,
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
perceptron = Perceptron
rda = RegularizedDiscriminantAnalysis
