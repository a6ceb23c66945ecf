"""Three models, three shapes: what each lets a class look like, and the boundary that follows.

Linear discriminant analysis gives all classes one ellipse, and the boundary is a line. Quadratic discriminant analysis
gives each its own, and the boundary is a curve. Naive Bayes gives each its own too, but upright: columns go their own
way within a class. No boundary is drawn by hand; each follows from the ellipses.

    python examples/three_shapes.py three_shapes.png
"""

from __future__ import annotations

import argparse

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from distinguo import (
    ClassEllipsesDisplay,
    DecisionRegionsDisplay,
    GaussianNB,
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)

MODELS = {
    "LDA: one shape for both": LinearDiscriminantAnalysis(),
    "QDA: each its own": QuadraticDiscriminantAnalysis(),
    "naive Bayes: upright": GaussianNB(),
}


def two_classes(n: int, seed: int) -> tuple[NDArray[np.float64], NDArray[np.str_]]:
    """Rows (n, 2) of two Gaussian classes whose shapes differ, and their labels."""
    rng = np.random.default_rng(seed)
    first = rng.multivariate_normal([0.0, 0.0], [[2.0, 1.2], [1.2, 1.0]], n // 2)
    second = rng.multivariate_normal([2.2, 1.2], [[0.6, -0.5], [-0.5, 2.2]], n - n // 2)
    return np.concatenate([first, second]), np.repeat(["first class", "second class"], [n // 2, n - n // 2])


def draw(X: NDArray[np.float64], y: NDArray[np.str_]) -> Figure:
    """The regions and the ellipses of the three models, side by side."""
    figure, axes = plt.subplots(1, 3, figsize=(7.6, 2.9), sharex=True, sharey=True, layout="constrained")
    for ax, (title, model) in zip(axes, MODELS.items(), strict=True):
        model.fit(X, y)
        DecisionRegionsDisplay.from_estimator(model, X, y, novelty=None, ax=ax, legend=False)
        shapes = ClassEllipsesDisplay.from_estimator(model, coverage=[0.5, 0.95], ax=ax, legend=False)
        ax.set(title=title, xlabel="first feature", ylabel="second feature" if ax is axes[0] else "", aspect="equal")
        ax.title.set_fontsize("medium")
    names = [f"{label}, 50% and 95% of it" for label in shapes.labels]
    handles = [ellipses[0] for ellipses in shapes.ellipses_]
    figure.legend(handles, names, loc="outside lower center", ncols=2, frameon=False)
    return figure


def main() -> None:
    """Write the picture to the path given."""
    parser = argparse.ArgumentParser(description="Draw three models of the same two classes.")
    parser.add_argument("path", help="where to write the picture; the ending says the format, such as .png")
    path = parser.parse_args().path
    X, y = two_classes(160, seed=1)
    draw(X, y).savefig(path, dpi=160)
    for title, model in MODELS.items():
        print(f"{title}: {100 * model.score(X, y):.1f}% of the rows in their own class")


if __name__ == "__main__":
    main()
