"""Who learns faster, who ends higher: naive Bayes and logistic regression, as Ng and Jordan compared them.

Both decide by a weighted sum of the columns. Naive Bayes finds each weight from its own column, and is near its best
after a number of rows that grows like the logarithm of the number of columns; logistic regression finds all weights
together, and takes a number of rows that grows like the number of columns. Where columns are correlated, naive Bayes
stops below what can be had, and logistic regression overtakes it.

    python examples/ng_jordan.py                 # three tables, in less than a minute
    python examples/ng_jordan.py ng_jordan.png   # and a picture of them
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray
from scipy.stats import norm

from distinguo import GaussianNB, LogisticRegression, learning_curve
from distinguo.evaluation.comparison.learning_curve import LearningCurve

Array = NDArray[np.float64]
Rows = tuple[Array, NDArray[np.int64]]

NAIVE = {"naive Bayes": GaussianNB(shared_variance=True)}
RIDGE = {"logistic, C = 1": LogisticRegression(C=1.0)}
# All but without a penalty: maximum likelihood itself has no finite answer where few rows can be told apart.
FREE = {"logistic, C = 1e6": LogisticRegression(C=1e6)}

TEST_ROWS = 20_000
# How near to the best accuracy is near enough, and by how much each column of the sweep differs between the classes.
NEAR, SHIFT = 0.02, 0.2
COLUMNS = (10, 20, 40, 80, 160)
REPEATS = 8
# Forty columns, independent or correlated by .3 to the power of their distance; sizes, and how often each is drawn.
RACES = {
    "independent columns": (0.0, (20, 40, 80, 200, 600, 2000), 15),
    "correlated columns": (0.3, (20, 80, 200, 600, 2000), 10),
}


@dataclass(frozen=True)
class Population:
    """Two equally common Gaussian classes whose columns differ by `shift`, (d,); `correlation` (d, d) or None."""

    shift: Array
    correlation: Array | None = None

    @classmethod
    def of(cls, columns: int, by: float, neighbours: float = 0.0) -> Population:
        """Columns that differ by the same amount, one way or the other; `neighbours` is the correlation of two."""
        apart = np.abs(np.subtract.outer(np.arange(columns), np.arange(columns)))
        shift = np.random.default_rng(0).choice([-1, 1], columns) * by
        return cls(shift, neighbours**apart if neighbours else None)

    def draw(self, n: int, seed: int) -> Rows:
        """Rows (n, d) and their classes (n,)."""
        rng = np.random.default_rng(seed)
        y = rng.integers(0, 2, n)
        noise = rng.normal(0, 1, (n, len(self.shift)))
        if self.correlation is not None:
            noise = noise @ np.linalg.cholesky(self.correlation).T
        return noise + np.outer(y, self.shift), y

    def best(self) -> float:
        """The accuracy of the best rule there is."""
        return self._accuracy(np.linalg.solve(self._correlation(), self.shift))

    def best_on_test_rows(self) -> float:
        """How often it is right of the very rows that models are tested on, where columns are independent."""
        X, y = self.draw(TEST_ROWS, 999)
        return float(np.mean(((X - self.shift / 2) @ self.shift >= 0) == y))

    def naive_best(self) -> float:
        """The accuracy of naive Bayes after rows without end."""
        return self._accuracy(self.shift)

    def _accuracy(self, weights: Array) -> float:
        spread = np.sqrt(weights @ self._correlation() @ weights)
        return float(norm.cdf(weights @ self.shift / spread / 2))

    def _correlation(self) -> Array:
        return np.eye(len(self.shift)) if self.correlation is None else self.correlation


def race(models: dict[str, object], population: Population, sizes: Sequence[int], repeats: int) -> LearningCurve:
    """Accuracy on the same test rows after so many others, drawn anew for each size and repeat."""
    blocks, splits, end = [population.draw(TEST_ROWS, 999)], {}, TEST_ROWS
    for size in sizes:
        splits[size] = []
        for repeat in range(repeats):
            blocks.append(population.draw(size, 100 + repeat))
            splits[size].append((np.arange(end, end + size), np.arange(TEST_ROWS)))
            end += size
    X, y = (np.concatenate(parts) for parts in zip(*blocks, strict=True))
    return learning_curve(models, X, y, splits)


def rows_needed(curve: LearningCurve, best: float) -> float:
    """How many rows bring the one model of a curve near the best accuracy, between sizes by their logarithms."""
    missing, sizes = best - curve.accuracy[0], np.log(curve.sizes)
    near = int(np.argmax(missing <= NEAR))
    part = (missing[near - 1] - NEAR) / (missing[near - 1] - missing[near])
    return float(np.exp(sizes[near - 1] + part * (sizes[near] - sizes[near - 1])))


def sweep(columns: Sequence[int], repeats: int) -> list[tuple[int, float, float]]:
    """For each number of columns the rows that naive Bayes and logistic regression need."""
    found = []
    for d in columns:
        population = Population.of(d, SHIFT)
        naive = race(NAIVE, population, [50, 100, 200, 400, 800, 1600], repeats)
        logistic = race(FREE, population, [4 * d, 8 * d, 16 * d, 32 * d, 64 * d][: 5 if d < 80 else 4], repeats)
        best = population.best_on_test_rows()
        found.append((d, rows_needed(naive, best), rows_needed(logistic, best)))
    return found


def sweep_table(found: Sequence[tuple[int, float, float]]) -> str:
    """The rows needed, and by how much they grow."""
    lines = [f"rows until the accuracy is within {NEAR:g} of the best, columns differing by {SHIFT:g}"]
    lines += ["columns  naive Bayes  logistic"]
    lines += [f"{d:7}  {naive:11.0f}  {logistic:8.0f}" for d, naive, logistic in found]
    (first, *few), (last, *many) = found[0], found[-1]
    naive, logistic = (end / start for start, end in zip(few, many, strict=True))
    lines += [
        f"{last / first:.0f} times the columns, {np.log(last) / np.log(first):.1f} times their logarithm: "
        f"{naive:.1f} times the rows for naive Bayes, {logistic:.1f} times for logistic regression"
    ]
    return "\n".join(lines)


def draw(curves: Sequence[tuple[str, LearningCurve, float]], found: Sequence[tuple[int, float, float]]) -> Figure:
    """The two races with the best that can be had, and the sweep."""
    figure, axes = plt.subplots(1, 3, figsize=(10.2, 3.2), layout="constrained")
    for ax, (title, curve, best) in zip(axes[:2], curves, strict=True):
        for name, mean, sd in zip(curve.models, curve.accuracy, curve.accuracy_sd, strict=True):
            line = ax.plot(curve.sizes, mean, marker="o", markersize=3, label=name)[0]
            ax.fill_between(curve.sizes, mean - sd, mean + sd, color=line.get_color(), alpha=0.15, linewidth=0)
        ax.axhline(best, color="0.4", linestyle=":", label="the best there is")
        ax.set(title=title, xscale="log", xlabel="rows learned from", ylabel="accuracy", ylim=(0.62, 0.88))
    axes[0].legend(fontsize="x-small", loc="lower right")
    columns, naive, logistic = zip(*found, strict=True)
    for rows, name in ((naive, "naive Bayes"), (logistic, "logistic, C = 1e6")):
        axes[2].plot(columns, rows, marker="o", markersize=3, label=name)
    axes[2].set(title=f"rows to come within {NEAR:g} of the best", xscale="log", xlabel="columns", ylabel="rows")
    axes[2].set_xticks(columns, map(str, columns))
    axes[2].minorticks_off()
    axes[2].legend(fontsize="x-small")
    for ax in axes:
        ax.title.set_fontsize("small")
    return figure


def main() -> None:
    """Print the three tables, and write a picture to the path given."""
    parser = argparse.ArgumentParser(description="Naive Bayes against logistic regression, by rows and by columns.")
    parser.add_argument("path", nargs="?", help="where to write a picture; the ending says the format, such as .png")
    path = parser.parse_args().path
    curves = []
    for title, (neighbours, sizes, repeats) in RACES.items():
        population = Population.of(40, 0.35, neighbours)
        curve = race({**NAIVE, **RIDGE, **FREE}, population, sizes, repeats)
        best, naive = population.best(), population.naive_best()
        print(f"{title}: the best there is {best:.3f}, the best of naive Bayes {naive:.3f}\n{curve}\n", flush=True)
        curves.append((title, curve, best))
    found = sweep(COLUMNS, REPEATS)
    print(sweep_table(found))
    if path:
        draw(curves, found).savefig(path, dpi=160)


if __name__ == "__main__":
    main()
