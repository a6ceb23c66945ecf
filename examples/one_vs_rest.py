"""Three blobs by binary classifiers: where their verdicts leave the class open, and how comparing scores settles it.

One versus the rest asks each class's classifier whether a row is its own. Several may say yes, and none may: these
regions are hatched. With K - 1 classifiers the baseline has whatever none claims; with a classifier for every two
classes the votes may go in a circle. The colours are what is predicted all the same, by the highest score.

    python examples/one_vs_rest.py one_vs_rest.png
"""

from __future__ import annotations

import argparse
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from distinguo import DecisionRegionsDisplay, OneVsOneClassifier, OneVsRestClassifier

MODELS = {
    "one vs rest: 3 fits": OneVsRestClassifier(LogisticRegression()),
    "one vs rest: 2 fits": OneVsRestClassifier(LogisticRegression(), baseline="right"),
    "one vs one: 3 fits": OneVsOneClassifier(LogisticRegression()),
}

# What votes may leave open, and how it is hatched.
OPEN = {"no class claims it": "////", "the votes contradict": "xxx"}
GREY = "0.4"


def three_blobs(n: int, seed: int) -> tuple[NDArray[np.float64], NDArray[np.str_]]:
    """Rows (n, 2) of three long classes at the corners of a triangle, set like a pinwheel, and their labels."""
    rng = np.random.default_rng(seed)
    codes = np.arange(n) % 3
    along = np.array([2.0, 0.0]) + rng.normal(size=(n, 2)) @ np.array([[1.0, 1.2], [0.0, 0.4]])
    angles = np.array([7, 11, 3])[codes] * np.pi / 6  # left, right and top
    turns = np.array([[np.cos(angles), np.sin(angles)], [-np.sin(angles), np.cos(angles)]])
    return np.einsum("ni,ijn->nj", along, turns), np.array(["left", "right", "top"])[codes]


def shade_open(ax: Axes, model: Any) -> None:
    """Hatch the points for which the plain votes leave the class open: one way if none is cast, else another."""
    x, y = np.linspace(*ax.get_xlim(), 500), np.linspace(*ax.get_ylim(), 500)
    points = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    is_cast = model.votes(points).any(axis=1)
    for (_, hatch), found in zip(OPEN.items(), (~is_cast, is_cast & model.ambiguous(points)), strict=True):
        if found.any():
            where = found.reshape(len(y), len(x))
            hatching = ax.contourf(x, y, where, levels=[0.5, 1.5], colors=[(1, 1, 1, 0.6)], hatches=[hatch], zorder=1)
            hatching.set_edgecolor(GREY)
            hatching.set_linewidth(0.0)


def draw(X: NDArray[np.float64], y: NDArray[np.str_]) -> Figure:
    """The three ways side by side."""
    figure, axes = plt.subplots(1, 3, figsize=(7.6, 3.7), sharex=True, sharey=True, layout="constrained")
    for ax, (title, model) in zip(axes, MODELS.items(), strict=True):
        regions = DecisionRegionsDisplay.from_estimator(model.fit(X, y), X, y, ax=ax, legend=False)
        shade_open(ax, model)
        ax.set(title=title, xlabel="first feature", ylabel="second feature" if ax is axes[0] else "", aspect="equal")
        ax.title.set_fontsize("medium")
    patches = [Patch(facecolor="white", edgecolor=GREY, hatch=hatch, linewidth=0) for hatch in OPEN.values()]
    names = [*regions.labels, *OPEN]
    figure.legend([*regions.points_, *patches], names, loc="outside lower center", ncols=5, frameon=False)
    return figure


def main() -> None:
    """Write the picture to the path given."""
    parser = argparse.ArgumentParser(description="Draw three classes by binary classifiers, and what these leave open.")
    parser.add_argument("path", help="where to write the picture; the ending says the format, such as .png")
    path = parser.parse_args().path
    X, y = three_blobs(150, seed=1)
    draw(X, y).savefig(path, dpi=160)
    for title, model in MODELS.items():
        print(f"{title}: {100 * model.score(X, y):.1f}% right; {model.ambiguous(X).sum()} of {len(X)} rows left open")


if __name__ == "__main__":
    main()
