"""Where the density is highest no digit lies: a low density is one way to be strange, a high one another.

Nine of ten digits are learned, 64 pixels each. The tenth is found by its low density. The mean digits, which nobody
ever wrote, are denser than all that were written: in many columns rows keep a distance from the centre, for almost all
of the room is there, and the centre itself stays empty. And digits that were blurred a little are denser than before:
what is simpler than that which was learned deviates less from what is expected. A p-value of two sides asks for both.

    python examples/novel_digits.py novel_digits.png
"""

from __future__ import annotations

import argparse
import warnings
from dataclasses import dataclass

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter
from scipy.stats import chi
from sklearn.datasets import load_digits
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split

from distinguo import LinearDiscriminantAnalysis, Novelty
from distinguo.exceptions import LeftOutWarning

Array = NDArray[np.float64]
NEVER_SEEN = 4
GREY, BLUE, ORANGE, GREEN = "#767676", "#0072B2", "#D55E00", "#009E73"


@dataclass(frozen=True)
class Digits:
    """Images (n, 64) of digits: to learn from, held out, never seen, the means of what was learned, and blurred."""

    train: Array
    labels: NDArray[np.intp]
    test: Array
    never: Array
    means: Array
    blurred: Array


def digits() -> Digits:
    """Nine digits in two parts, the tenth, the nine means, and the second part blurred by half a pixel."""
    X, y = load_digits(return_X_y=True)
    known = np.flatnonzero(y != NEVER_SEEN)
    train, test = train_test_split(known, test_size=0.3, random_state=0, stratify=y[known])
    means = np.stack([X[train][y[train] == k].mean(axis=0) for k in np.unique(y[train])])
    blurred = np.stack([gaussian_filter(image, 0.5) for image in X[test].reshape(-1, 8, 8)]).reshape(-1, 64)
    return Digits(X[train], y[train], X[test], X[y == NEVER_SEEN], means, blurred)


def show_distances(ax: Axes) -> None:
    """How far rows of a standard Gaussian are from its centre, by the number of columns."""
    distance = np.linspace(0, 11, 500)
    for p, color in zip((1, 4, 16, 64), (GREY, GREEN, ORANGE, BLUE), strict=True):
        density = chi.pdf(distance, p)
        ax.plot(distance, density, color=color, lw=1.6)
        top = int(density[distance > 0.05].argmax()) + int((distance <= 0.05).sum())
        text = "1 column" if p == 1 else f"{p}"
        ax.annotate(text, (distance[top], density[top]), xytext=(2, 3), textcoords="offset points", color=color)
    ax.set(title="rows keep away from the centre\nthe more columns there are")
    ax.set(xlabel="distance from where the density is highest", yticks=[], ylim=(0, 0.92))


def show_densities(ax: Axes, novelty: Novelty, parts: dict[str, tuple[Array, str]]) -> None:
    """Histograms of log p(x), the thresholds dotted."""
    logs = {name: novelty.score_samples(X) for name, (X, _) in parts.items()}
    bins = np.linspace(-240, -102, 47)
    for name, (X, color) in parts.items():
        values = np.clip(logs[name], bins[0], bins[-1])
        if len(X) < 20:
            ax.plot(values, np.full(len(X), 0.002), "|", color=color, ms=18, mew=1.5, label=name)
        else:
            ax.hist(values, bins, density=True, color=color, alpha=0.45, label=name)
    for threshold in novelty.thresholds_:
        ax.axvline(threshold, color="black", ls=":", lw=1)
    ax.set(xlabel="log p(x)", yticks=[], xlim=(-240, -102))
    ax.legend(loc="upper left", frameon=False, fontsize="small", markerscale=0.5)


def show_image(ax: Axes, image: Array, place: tuple[float, float], color: str) -> None:
    """A small picture of a digit in a corner."""
    inset = ax.inset_axes((*place, 0.17, 0.26))
    inset.imshow(image.reshape(8, 8), cmap="Greys", vmin=0, vmax=16)
    inset.set(xticks=[], yticks=[])
    for spine in inset.spines.values():
        spine.set_color(color)


def draw(novelty: Novelty, rows: Digits) -> Figure:
    """Distances by the number of columns, densities of digits known, unknown and averaged, and of blurred ones."""
    figure, axes = plt.subplots(1, 3, figsize=(10.4, 3.3), layout="constrained")
    show_distances(axes[0])
    known = {"digits held out": (rows.test, GREY)}
    never = {f"{NEVER_SEEN}, never seen": (rows.never, ORANGE), "mean digits": (rows.means, BLUE)}
    show_densities(axes[1], novelty, {**known, **never})
    axes[1].set_title("what was never seen is less dense,\nthe mean digits denser than any digit")
    show_image(axes[1], rows.never[0], (0.02, 0.38), ORANGE)
    show_image(axes[1], rows.means[3], (0.21, 0.38), BLUE)
    show_densities(axes[2], novelty, {**known, "the same, blurred": (rows.blurred, GREEN)})
    axes[2].set_title("simpler than what was learned\nis denser, too")
    show_image(axes[2], rows.test[0], (0.02, 0.45), GREY)
    show_image(axes[2], rows.blurred[0], (0.21, 0.45), GREEN)
    for ax in axes:
        ax.title.set_fontsize("medium")
    return figure


def main() -> None:
    """Write the picture to the path given, and say what is found."""
    parser = argparse.ArgumentParser(
        description="Draw the densities of digits, of strange ones, and of the mean digit."
    )
    parser.add_argument("path", help="where to write the picture; the ending says the format, such as .png")
    path = parser.parse_args().path
    rows = digits()
    novelty = Novelty(LinearDiscriminantAnalysis(shrinkage=0.1), false_alarm=0.05, two_sided=True, method="cross")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LeftOutWarning)  # some pixels at the edge are always white
        novelty.fit(rows.train, rows.labels)
    draw(novelty, rows).savefig(path, dpi=160)
    area = roc_auc_score(
        np.repeat([0, 1], [len(rows.test), len(rows.never)]),
        -np.concatenate([novelty.score_samples(rows.test), novelty.score_samples(rows.never)]),
    )
    shares = {name: novelty.is_novel(X).mean() for name, X in vars(rows).items() if name != "labels"}
    print(f"digits held out: {shares['test']:.3f} novel")
    print(f"{NEVER_SEEN}, never seen: {shares['never']:.3f} novel, area under the ROC curve {area:.3f}")
    one_sided = novelty.calibration_.p_values(novelty.model_, rows.means)
    print(f"mean digits: p {one_sided.min():.3f} by one side, {novelty.p_values(rows.means).max():.4f} by two")
    blurred = novelty.score_samples(rows.blurred) > novelty.score_samples(rows.test)
    print(f"blurred: {blurred.mean():.3f} denser than before, {shares['blurred']:.3f} novel")


if __name__ == "__main__":
    main()
