"""A ring inside a ring: what a line cannot do, a line in a dozen bumps can.

Linear discriminant analysis draws a line, and no line tells a ring from the ring around it. Given the values of
Gaussian bumps instead of the two columns, it draws a plane in a dozen dimensions, which in the two is a closed curve.
The model is as linear as before, and as fast; only its features have changed.

    python examples/gaussian_bumps.py gaussian_bumps.png
"""

from __future__ import annotations

import argparse

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline, make_pipeline

from distinguo import DecisionRegionsDisplay, GaussianBasis, LinearDiscriminantAnalysis

MODELS = {
    "LDA on the columns": make_pipeline(LinearDiscriminantAnalysis()),
    "LDA on twelve bumps": make_pipeline(GaussianBasis(n_centers=12), LinearDiscriminantAnalysis()),
}


def two_rings(n: int, seed: int) -> tuple[NDArray[np.float64], NDArray[np.str_]]:
    """Rows (n, 2) of a ring and a ring around it, and their labels."""
    rng = np.random.default_rng(seed)
    is_outer = np.arange(n) % 2 == 1
    angle = rng.uniform(0, 2 * np.pi, n)
    radius = np.where(is_outer, 2.5, 1.0) + 0.3 * rng.normal(size=n)
    X = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
    return X, np.where(is_outer, "outer ring", "inner ring")


def show_bumps(basis: GaussianBasis, X: NDArray[np.float64], ax: Axes) -> None:
    """The rows in grey, the centres, and around each a ring where its bump has fallen to a half."""
    ax.scatter(*X.T, s=7, color="0.82", lw=0)
    around = np.linspace(0, 2 * np.pi, 100)
    # Distances are root mean squares over the columns, in standard deviations.
    radius = basis.width_ * np.sqrt(2 * np.log(2) * X.shape[1]) * X.std(axis=0)
    for center in basis.centers_:
        ax.plot(*(center + radius * np.column_stack([np.cos(around), np.sin(around)])).T, color="#7a3b8f", lw=0.6)
    ax.plot(*basis.centers_.T, "+", color="#7a3b8f", ms=8, mew=1.6)


def draw(X: NDArray[np.float64], y: NDArray[np.str_]) -> Figure:
    """The regions of the two models, and between them the bumps that make the difference."""
    figure, axes = plt.subplots(1, 3, figsize=(7.6, 2.95), sharex=True, sharey=True, layout="constrained")
    for ax, (title, model) in zip(axes[[0, 2]], MODELS.items(), strict=True):
        model.fit(X, y)
        regions = DecisionRegionsDisplay.from_estimator(model, X, y, novelty=None, ax=ax, legend=False)
        ax.set_title(title)
    bumps: Pipeline = MODELS["LDA on twelve bumps"]
    show_bumps(bumps[0], X, axes[1])
    axes[1].set_title("the bumps, at half height")
    for ax in axes:
        ax.set(xlabel="first feature", ylabel="second feature" if ax is axes[0] else "", aspect="equal")
        ax.title.set_fontsize("medium")
    figure.legend(regions.points_, regions.labels, loc="outside lower center", ncols=2, frameon=False)
    return figure


def main() -> None:
    """Write the picture to the path given."""
    parser = argparse.ArgumentParser(description="Draw a linear model of two rings, without and with Gaussian bumps.")
    parser.add_argument("path", help="where to write the picture; the ending says the format, such as .png")
    path = parser.parse_args().path
    draw(*two_rings(300, seed=0)).savefig(path, dpi=160)
    new, truth = two_rings(2000, seed=1)
    for title, model in MODELS.items():
        print(f"{title}: {100 * model.score(new, truth):.1f}% of 2000 new rows in their own class")


if __name__ == "__main__":
    main()
