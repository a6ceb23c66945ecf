"""Many columns in one picture: boundaries on the plane of two principal components, and what that plane may hide.

Thirteen measurements of wines are drawn on the two directions in which they vary most, with the regions of softmax
regression on that plane. Principal components know nothing of classes: where these differ along directions of little
variance, they are drawn on top of each other. So it is with four columns in two pairs, whose sums vary a lot and say
nothing, while their differences vary little and tell the classes apart. The discriminants of LDA look for what tells
classes apart, and find it; the model is the same in the last two pictures.

    python examples/principal_components.py principal_components.png
"""

from __future__ import annotations

import argparse
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray
from sklearn.datasets import load_wine

from distinguo import DecisionRegionsDisplay, LinearDiscriminantAnalysis, LogisticRegression

Rows = tuple[NDArray[np.float64], NDArray[np.str_]]


def wines() -> Rows:
    """Measurements (178, 13) of wines, and their varieties."""
    X, codes = load_wine(return_X_y=True)
    return X, np.array(["Barolo", "Grignolino", "Barbera"])[codes]


def pairs(n: int, seed: int) -> Rows:
    """Rows (n, 4) of two pairs of columns whose differences tell three classes apart, and their labels."""
    rng = np.random.default_rng(seed)
    codes = np.arange(n) % 3
    sums = rng.normal(size=(n, 2))
    corners = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, 0.9]])
    differences = 0.2 * (corners[codes] + 0.2 * rng.normal(size=(n, 2)))
    return np.hstack([sums + differences, sums - differences]), np.array(["first", "second", "third"])[codes]


def show(ax: Axes, model: Any, rows: Rows, plane: str, title: str) -> None:
    """The regions of a model on a plane, the classes below."""
    regions = DecisionRegionsDisplay.from_estimator(model, *rows, features=plane, novelty=None, ax=ax, legend=False)
    ax.set_title(f"{title}\n", fontsize="medium")  # what the plane leaves out stands below
    ax.set_aspect("auto")
    ax.legend(
        regions.points_,
        regions.labels,
        loc="upper center",
        bbox_to_anchor=(0.5, -0.2),
        ncols=3,
        frameon=False,
        handletextpad=0.1,
        columnspacing=0.8,
        fontsize="small",
        markerscale=1.3,
    )


def draw(many: Rows, softmax: Any, few: Rows, lda: Any) -> Figure:
    """Wines, and the pairs twice."""
    figure, axes = plt.subplots(1, 3, figsize=(10.4, 3.7), layout="constrained")
    show(axes[0], softmax, many, "principal components", "wines: softmax regression of 13 columns")
    show(axes[1], lda, few, "principal components", "pairs: LDA of 4 columns")
    show(axes[2], lda, few, "discriminants", "the same LDA, on its discriminants")
    return figure


def main() -> None:
    """Write the picture to the path given."""
    parser = argparse.ArgumentParser(description="Draw boundaries in many columns on two principal components.")
    parser.add_argument("path", help="where to write the picture; the ending says the format, such as .png")
    path = parser.parse_args().path
    many, few = wines(), pairs(150, seed=0)
    softmax = LogisticRegression(C=1.0, standardize=True).fit(*many)
    lda = LinearDiscriminantAnalysis().fit(*few)
    draw(many, softmax, few, lda).savefig(path, dpi=160)
    print(f"softmax regression, wines: {(softmax.predict(many[0]) == many[1]).sum()} of {len(many[1])} rows right")
    print(f"LDA, pairs: {(lda.predict(few[0]) == few[1]).sum()} of {len(few[1])} rows right")


if __name__ == "__main__":
    main()
