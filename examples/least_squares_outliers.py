"""Far on the right side, and yet a burden: what least squares makes of rows that are easy.

Least squares wants every row of a class at the value one. A row far from the boundary on its own side has a greater
value, and counts as an error of that size; to make it smaller the boundary moves, towards rows that were right before.
Logistic regression asks for the probability of the class, which such a row has already: its boundary stays.

    python examples/least_squares_outliers.py least_squares_outliers.png
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

from distinguo import LeastSquaresClassifier, LogisticRegression

MODELS = {"least squares": LeastSquaresClassifier(), "logistic regression": LogisticRegression()}
LOOKS = {"least squares": ("#7a3b8f", "-"), "logistic regression": ("#222222", "--")}
CLASSES = {"blue": ("#0072B2", "o"), "orange": ("#E69F00", "s")}


def two_clouds(n: int, seed: int) -> tuple[NDArray[np.float64], NDArray[np.str_]]:
    """Rows (n, 2) of two classes that overlap a little, and their labels."""
    rng = np.random.default_rng(seed)
    is_blue = np.arange(n) % 2 == 0
    centres = np.where(is_blue[:, None], [-1.2, 1.2], [1.2, -1.2])
    return centres + rng.normal(size=(n, 2)), np.where(is_blue, "blue", "orange")


def far_rows(n: int, seed: int) -> tuple[NDArray[np.float64], NDArray[np.str_]]:
    """Rows (n, 2) of the orange class, far on its own side."""
    rng = np.random.default_rng(seed)
    return np.array([9.0, -4.0]) + 0.5 * rng.normal(size=(n, 2)), np.repeat("orange", n)


def boundary(model: Any, x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Where on the second axis both classes have the same score."""
    (first, second), (offset,) = model.coef_[0], model.intercept_
    return np.asarray(-(offset + first * x) / second)


def show(ax: Axes, X: NDArray[np.float64], y: NDArray[np.str_], before: dict[str, NDArray[np.float64]]) -> None:
    """The rows, and the boundaries of both models; those of before in a faint line."""
    for label, (color, marker) in CLASSES.items():
        ax.scatter(X[y == label, 0], X[y == label, 1], s=16, marker=marker, color=color, edgecolors="0.25", lw=0.3)
    x = np.array([-5.0, 11.5])
    for name, model in MODELS.items():
        color, dashes = LOOKS[name]
        if name in before:
            ax.plot(x, before[name], color=color, ls=dashes, lw=1.0, alpha=0.35)
        before[name] = boundary(model.fit(X, y), x)
        ax.plot(x, before[name], color=color, ls=dashes, lw=1.8)
    ax.set(xlim=(-5.0, 11.5), ylim=(-6.0, 5.0), aspect="equal", xlabel="first feature")


def draw(clouds: tuple[NDArray[np.float64], NDArray[np.str_]], far: tuple[Any, Any]) -> Figure:
    """Both boundaries without the far rows and with them."""
    figure, axes = plt.subplots(1, 2, figsize=(7.6, 3.4), sharex=True, sharey=True, layout="constrained")
    before: dict[str, NDArray[np.float64]] = {}
    show(axes[0], *clouds, before)
    show(axes[1], np.vstack([clouds[0], far[0]]), np.concatenate([clouds[1], far[1]]), before)
    axes[0].set_ylabel("second feature")
    axes[0].set_title("two classes", fontsize="medium")
    axes[1].set_title(f"and {len(far[0])} rows more, far on the right side", fontsize="medium")
    lines = [Line2D([], [], color=color, ls=dashes, lw=1.8) for color, dashes in LOOKS.values()]
    points = [Line2D([], [], ls="", marker=marker, color=color, ms=5) for color, marker in CLASSES.values()]
    names = [*LOOKS, *(f"class {label}" for label in CLASSES)]
    figure.legend([*lines, *points], names, loc="outside lower center", ncols=4, frameon=False)
    return figure


def main() -> None:
    """Write the picture to the path given, and say how many rows change sides."""
    parser = argparse.ArgumentParser(description="Draw what far, easy rows do to least squares.")
    parser.add_argument("path", help="where to write the picture; the ending says the format, such as .png")
    path = parser.parse_args().path
    (X, y), far = two_clouds(120, seed=0), far_rows(12, seed=1)
    draw((X, y), far).savefig(path, dpi=160)
    both = np.vstack([X, far[0]]), np.concatenate([y, far[1]])
    for name, model in MODELS.items():
        before = (model.fit(X, y).predict(X) != y).sum()
        after = (model.fit(*both).predict(X) != y).sum()
        print(f"{name}: {before} of {len(X)} rows wrong without the far ones, {after} with them")


if __name__ == "__main__":
    main()
