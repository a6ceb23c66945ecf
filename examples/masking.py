"""The class in the middle: what regression on indicators cannot give it, and models of all classes can.

Least squares fits a plane to each indicator of a class: one on its own rows, zero on the others. Of three in a row,
the outer ones have planes that rise and fall; the middle one should rise and fall again, which no plane does, so that
its own stays flat, and the others' are higher on its ground. Linear discriminant analysis and softmax regression have
linear boundaries too, and tell the three apart: lines are not to blame, indicators are.

    python examples/masking.py masking.png
"""

from __future__ import annotations

import argparse
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from numpy.typing import NDArray

from distinguo import DecisionRegionsDisplay, LeastSquaresClassifier, LinearDiscriminantAnalysis, LogisticRegression

MODELS: dict[str, Any] = {
    "least squares": LeastSquaresClassifier(),
    "linear discriminant analysis": LinearDiscriminantAnalysis(),
    "softmax regression": LogisticRegression(C=100.0, standardize=True),
}
NAMES = ["1 euro", "50 cents", "2 euros"]
# Colours and markers of the regions, and dashes beside them.
LOOKS = {"1 euro": ("#0072B2", "o", "-"), "2 euros": ("#E69F00", "s", "--"), "50 cents": ("#009E73", "^", "-.")}


def coins(n: int, seed: int) -> tuple[NDArray[np.float64], NDArray[np.str_]]:
    """Weights (g) and diameters (mm) of n coins of each kind, worn and measured with error, and their names."""
    centres = np.array([[7.5, 23.25], [7.8, 24.25], [8.5, 25.75]])
    codes = np.repeat(np.arange(3), n)
    return centres[codes] + np.random.default_rng(seed).normal(0, 0.1, (3 * n, 2)), np.array(NAMES)[codes]


def show_indicators(ax: Axes, model: LeastSquaresClassifier, X: NDArray[np.float64], y: NDArray[np.str_]) -> None:
    """The three planes along the line through the means of the outer classes, and below, where the rows lie along it.

    The 50 cents lie a little beside that line, where two thirds of them are safe.
    """
    start, end = (X[y == label].mean(axis=0) for label in ("1 euro", "2 euros"))
    along = np.linspace(-0.25, 1.25, 2)
    diameter = start[1] + along * (end - start)[1]
    fitted = model.decision_function(start + along[:, None] * (end - start))
    for k, label in enumerate(model.classes_):
        color, _, dashes = LOOKS[label]
        ax.plot(diameter, fitted[:, k], color=color, ls=dashes, lw=1.8)
        places = (X[y == label] - start) @ (end - start) / ((end - start) @ (end - start))
        rug = start[1] + places * (end - start)[1]
        ax.plot(rug, np.full(len(rug), -0.42), "|", color=color, ms=9, mew=0.5, alpha=0.6)
    ax.set(title="fitted indicators", xlabel="diameter (mm), straight\nfrom 1 euro to 2 euros", ylabel="fitted value")
    ax.set(xlim=(float(diameter[0]), float(diameter[-1])), ylim=(-0.5, 1.3), yticks=[0.0, 0.5, 1.0])


def draw(X: NDArray[np.float64], y: NDArray[np.str_]) -> Figure:
    """The planes of least squares, and the regions of the three models."""
    figure, axes = plt.subplots(1, 4, figsize=(10.4, 3.3), layout="constrained")
    for ax, (title, model) in zip(axes[1:], MODELS.items(), strict=True):
        model.fit(X, y)
        DecisionRegionsDisplay.from_estimator(model, X, y, novelty=None, ax=ax, legend=False)
        wrong = (model.predict(X) != y).sum()
        ax.set(title=f"{title}:\n{wrong} of {len(X)} wrong", xlabel="weight (g)", ylabel="")
    axes[1].set_ylabel("diameter (mm)")
    show_indicators(axes[0], MODELS["least squares"], X, y)
    for ax in axes:
        ax.title.set_fontsize("medium")
    handles = [
        Line2D([], [], color=color, marker=marker, ls=dashes, lw=1.6, ms=5) for color, marker, dashes in LOOKS.values()
    ]
    figure.legend(handles, list(LOOKS), loc="outside lower center", ncols=3, frameon=False, handlelength=3.2)
    return figure


def main() -> None:
    """Write the picture to the path given, and say who takes whose rows."""
    parser = argparse.ArgumentParser(description="Draw how least squares masks a class between others.")
    parser.add_argument("path", help="where to write the picture; the ending says the format, such as .png")
    path = parser.parse_args().path
    X, y = coins(300, seed=0)
    draw(X, y).savefig(path, dpi=160)
    print(MODELS["least squares"].masking(X, y))


if __name__ == "__main__":
    main()
