"""The library itself."""

from distinguo import (
    GaussianNB,
    LinearDiscriminantAnalysis,
    Mars,
    QuadraticDiscriminantAnalysis,
    RegularizedDiscriminantAnalysis,
)

NAME = "distinguo"

lda = LinearDiscriminantAnalysis
qda = QuadraticDiscriminantAnalysis
gaussian_nb = GaussianNB
mars = Mars
rda = RegularizedDiscriminantAnalysis
