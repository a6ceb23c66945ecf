"""The library itself."""

from distinguo import (
    GaussianNB,
    LinearDiscriminantAnalysis,
    Mars,
    Perceptron,
    QuadraticDiscriminantAnalysis,
    RegularizedDiscriminantAnalysis,
)

NAME = "distinguo"

lda = LinearDiscriminantAnalysis
qda = QuadraticDiscriminantAnalysis
gaussian_nb = GaussianNB
mars = Mars
perceptron = Perceptron
rda = RegularizedDiscriminantAnalysis
