"""Which family when: what each model costs, and what it is good for, measured.

Tables from rows that are made here or come with scikit-learn. All figures but times are the same in every run on one
machine. docs/choosing.md shows them, and says what follows.

    python examples/choosing.py              # all of them, in less than two minutes
    python examples/choosing.py holes wide   # these
"""

from __future__ import annotations

import argparse
import pickle
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from threadpoolctl import threadpool_limits

from distinguo import (
    Calibrated,
    GaussianNB,
    KNeighborsClassifier,
    LinearDiscriminantAnalysis,
    LogisticRegression,
    MixtureDiscriminantAnalysis,
    PenalizedDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
    SlidingWindowKNN,
    compare,
    learning_curve,
    pseudo_rows,
    reliability,
)
from distinguo.catalogue import find
from distinguo.evaluation.comparison.trial import peak_memory

Array = NDArray[np.float64]
Labels = NDArray[np.int64]


@dataclass(frozen=True)
class Table:
    """Figures by model, NaN where there is none, and how they are written; `print` shows them as Markdown."""

    title: str
    columns: tuple[str, ...]
    formats: tuple[str, ...]
    rows: Mapping[str, Sequence[Any]]

    def __str__(self) -> str:
        lines = [self.columns, ("---",) * len(self.columns)]
        for name, cells in self.rows.items():
            texts = [format(cell, how) for cell, how in zip(cells, self.formats, strict=True)]
            lines.append((name, *("–" if text == "nan" else text for text in texts)))
        return "\n".join([f"**{self.title}**", "", *("| " + " | ".join(line) + " |" for line in lines)])


def made(*names: str) -> dict[str, Any]:
    """Models of the catalogue by name."""
    return {name: find(name).make() for name in names}


def compared(models: dict[str, Any], X: Array, y: Labels, repeats: int = 1) -> dict[str, Any]:
    """Of each model what folds say of it, or None where it could not take part."""
    found = {result.name: result.measured for result in compare(models, X, y, repeats=repeats, memory=False).results}
    return {name: found[name] for name in models}


def gaussian_classes(n: int, columns: int, classes: int = 4) -> tuple[Array, Labels]:
    """Rows of Gaussian classes, each of a shape of its own, and their labels."""
    rng = np.random.default_rng(0)
    centres = rng.normal(0, 0.4, (classes, columns))
    shapes = np.eye(columns) + rng.normal(0, 0.5 / np.sqrt(columns), (classes, columns, columns))
    y = np.arange(n) % classes
    noise = rng.normal(size=(n, columns))
    return centres[y] + np.einsum("ni,nij->nj", noise, shapes[y]), y


def seconds(work: Callable[[], object], times: int = 5, enough: float = 0.5) -> float:
    """The shortest of some runs; what else a machine does only adds to it."""
    taken: list[float] = []
    while len(taken) < times and sum(taken) < enough:
        start = time.perf_counter()
        work()
        taken.append(time.perf_counter() - start)
    return min(taken)


def costs(sizes: Sequence[int] = (2_000, 20_000), test_rows: int = 1_000) -> Iterator[Table]:
    """What a fit and a prediction take, by the number of rows."""
    models = {
        **made("gaussian-nb", "lda", "qda", "rda", "pda", "mda", "fda", "logistic", "ridge-logistic", "perceptron"),
        "k-NN, k = 15": KNeighborsClassifier(15),
        "k-NN, k by cv": KNeighborsClassifier("cv"),
    }
    columns = ("model", "fit (ms)", "fit memory (kB)", "model (kB)", "one row (µs)", "each of many (µs)", "accuracy")
    for model in models.values():  # so that no figure holds what is compiled or imported once
        model.fit(*gaussian_classes(200, 20))
    for n in sizes:
        X, y = gaussian_classes(n + test_rows, 20)
        train, test = (X[test_rows:], y[test_rows:]), (X[:test_rows], y[:test_rows])
        rows = {name: cost(model, *train, *test) for name, model in models.items()}
        title = f"{n} rows of 20 columns and 4 classes"
        yield Table(title, columns, (".1f", ".0f", ".1f", ".0f", ".2f", ".3f"), rows)


def cost(model: Any, X: Array, y: Labels, X_test: Array, y_test: Labels) -> list[float]:
    """Of one model the figures of `costs`."""
    memory = peak_memory(lambda: clone(model).fit(X, y)) / 1e3
    fitted = clone(model)
    fit = seconds(lambda: fitted.fit(X, y), 3) * 1e3
    one = seconds(lambda: fitted.predict(X_test[:1]), 100) * 1e6
    many = seconds(lambda: fitted.predict(X_test)) * 1e6 / len(X_test)
    return [fit, memory, len(pickle.dumps(fitted)) / 1e3, one, many, fitted.score(X_test, y_test)]


def trust() -> Iterator[Table]:
    """Whether probabilities can be believed, of rows held out."""
    models = {
        **made("gaussian-nb", "lda", "qda", "rda", "ridge-logistic", "knn"),
        "gaussian-nb, calibrated": Calibrated(find("gaussian-nb").make(), "isotonic", random_state=0),
    }
    for title, load in (("Tumours, 569 rows of 30 columns", load_breast_cancer), ("Digits, 1797 of 64", load_digits)):
        X, y = load(return_X_y=True)
        rows = {name: trusted(measured, y) for name, measured in compared(models, X, y).items()}
        yield Table(title, ("model", "accuracy", "log loss", "calibration error"), (".3f",) * 3, rows)


def trusted(measured: Any, y: Labels) -> list[float]:
    """Accuracy, log loss, and how far confidence is from what came, in ten bins of as many rows each."""
    if measured is None:
        return [np.nan] * 3
    quality, said = measured.quality, measured.held_out
    found = reliability(y[said.rows], said.probabilities, np.unique(y), bins=10, strategy="quantile")
    return [quality.accuracy, quality.log_loss, found.ece]


def few(sizes: Sequence[int] = (20, 50, 100, 300, 1000), repeats: int = 5) -> Iterator[Table]:
    """Accuracy after few rows of many columns."""
    X, y = load_digits(return_X_y=True)
    models = {
        **made("gaussian-nb"),
        "lda, shrunken": LinearDiscriminantAnalysis(shrinkage="oas"),
        "qda, shrunken": QuadraticDiscriminantAnalysis(shrinkage=0.3),
        **made("lda", "ridge-logistic"),
        "k-NN, k = 1": KNeighborsClassifier(1),
    }
    curve = learning_curve(models, X, y, sizes, repeats=repeats)
    rows = dict(zip(models, curve.accuracy.tolist(), strict=True))
    columns = ("digits, 64 columns: accuracy after", *map(str, sizes))
    yield Table("Few rows: ten classes of digits", columns, (".3f",) * len(sizes), rows)


def wide(n: int = 100, columns: int = 500, repeats: int = 2) -> Iterator[Table]:
    """More columns than rows, of which one in twenty-five tells."""
    rng = np.random.default_rng(0)
    y = np.arange(n) % 2
    X = rng.normal(size=(n, columns))
    X[:, : columns // 25] += 0.7 * y[:, None]
    models = {
        **made("gaussian-nb"),
        "lda, shrunken": LinearDiscriminantAnalysis(shrinkage="oas"),
        "pda, ridge by cv": PenalizedDiscriminantAnalysis(),
        **made("ridge-logistic"),
        "logistic, lasso by cv": LogisticRegression(C="cv", l1_ratio=1.0, standardize=True),
        "k-NN, k by cv": KNeighborsClassifier("cv"),
    }
    found = compared(models, X, y, repeats).items()
    rows = {name: [m.quality.accuracy, m.quality.log_loss, m.fit_seconds * 1e3] for name, m in found}
    title = f"{n} rows of {columns} columns, {columns // 25} of which tell"
    yield Table(title, ("model", "accuracy", "log loss", "fit (ms)"), (".3f", ".3f", ".1f"), rows)


def holes(shares: Sequence[float] = (0.0, 0.1, 0.3, 0.5)) -> Iterator[Table]:
    """Log loss where cells are missing, at fit and at predict."""
    X, y = load_breast_cancer(return_X_y=True)
    models = {
        **made("lda", "gaussian-nb"),
        "k-NN, over the cells there are": KNeighborsClassifier("cv", metric="nan_euclidean", standardize=True),
        "ridge-logistic, means imputed": make_pipeline(SimpleImputer(), find("ridge-logistic").make()),
    }
    losses = []
    for share in shares:
        missing = np.random.default_rng(0).random((len(X), 10)) < share
        found = compared(models, np.where(missing, np.nan, X[:, :10]), y)
        losses.append([measured.quality.log_loss for measured in found.values()])
    rows = dict(zip(models, zip(*losses, strict=True), strict=True))
    columns = ("log loss where of the cells are missing", *(f"{share:.0%}" for share in shares))
    yield Table("Tumours, ten columns with holes", columns, (".3f",) * len(shares), rows)


def stream(n: int = 10_000, batch: int = 50, window: int = 500) -> Iterator[Table]:
    """Rows that come in batches, each predicted and then learned, where classes stay and where they move."""
    models: dict[str, tuple[Any, bool]] = {  # and whether what is older than the window is to be forgotten
        "lda, all rows": (LinearDiscriminantAnalysis(), False),
        "lda, the last 500": (LinearDiscriminantAnalysis(), True),
        "gaussian-nb, all rows": (GaussianNB(), False),
        "gaussian-nb, the last 500": (GaussianNB(), True),
        "logistic, a step a row": (LogisticRegression(solver="stochastic", C=100.0, random_state=0), False),
        "k-NN, the last 500": (SlidingWindowKNN(15, window=window), False),
    }
    columns = (
        "model",
        "accuracy, classes stay",
        "accuracy, classes move",
        "learn and predict (µs a row)",
        "model (kB)",
    )
    rows = {}
    for name, (model, forgets) in models.items():
        back = window // batch if forgets else n
        still, _, _ = predict_then_learn(clone(model), *drifting(n, 0.0), batch, back)
        rows[name] = [still, *predict_then_learn(clone(model), *drifting(n, 1.0), batch, back)]
    yield Table(f"A stream of {n} rows, in batches of {batch}", columns, (".3f", ".3f", ".1f", ".1f"), rows)


def drifting(n: int, turns: float) -> tuple[Array, Labels]:
    """Rows of two classes on either side of a centre, which go around it while the stream lasts."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, n)
    angle = 2 * np.pi * turns * np.arange(n) / n
    X = rng.normal(size=(n, 5))
    X[:, :2] += np.stack([np.cos(angle), np.sin(angle)], axis=1) * (2 * y - 1)[:, None]
    return X, y


def predict_then_learn(model: Any, X: Array, y: Labels, batch: int, back: int) -> tuple[float, float, float]:
    """Accuracy of rows before they were learned, microseconds a row, and the kilobytes of the model in the end.

    Batches that came longer ago than so many are forgotten.
    """
    batches = [(X[start : start + batch], y[start : start + batch]) for start in range(0, len(y), batch)]
    model.partial_fit(*batches[0])
    right = 0.0
    begun = time.perf_counter()
    for i, (new, labels) in enumerate(batches[1:], start=1):
        right += np.sum(model.predict(new) == labels)
        model.partial_fit(new, labels)
        if i >= back:
            model.forget(*batches[i - back])
    later = len(y) - batch
    return right / later, (time.perf_counter() - begun) * 1e6 / later, len(pickle.dumps(model)) / 1e3


def prior(sizes: Sequence[int] = (4, 8, 16, 64), repeats: int = 40, worth: float = 20) -> Iterator[Table]:
    """Accuracy after few rows, with and without what an earlier study said of the classes."""
    rng = np.random.default_rng(0)
    shift = np.full(10, 0.5)
    earlier = {0: rng.normal(0, 0.2, 10), 1: shift + rng.normal(0, 0.2, 10)}  # not quite what holds here
    known = pseudo_rows(earlier, np.ones(10), worth)
    y = np.arange(20_000) % 2
    X = rng.normal(size=(len(y), 10)) + shift * y[:, None]
    splits = {n: [(np.arange(n * i, n * (i + 1)), np.arange(10_000, 20_000)) for i in range(repeats)] for n in sizes}
    models = {
        "gaussian-nb": GaussianNB(),
        "gaussian-nb, prior": GaussianNB(prior=known),
        "lda, shrunken": LinearDiscriminantAnalysis(shrinkage=0.5),
        "lda, prior": LinearDiscriminantAnalysis(prior=known),
    }
    curve = learning_curve(models, X, y, splits)
    rows = dict(zip(models, curve.accuracy.tolist(), strict=True))
    title = f"Two classes of ten columns, and an earlier study that counts as {worth:g} rows a class"
    yield Table(title, ("accuracy after", *map(str, sizes)), (".3f",) * len(sizes), rows)


def synthetic() -> Iterator[Table]:
    """What rows drawn from a model teach another, beside the rows that the first learned from."""
    X, y = load_digits(return_X_y=True)
    train, test = np.arange(len(y)) % 3 > 0, np.arange(len(y)) % 3 == 0
    models = {
        "gaussian-nb": GaussianNB(var_smoothing=0.01),
        "lda": LinearDiscriminantAnalysis(),
        "qda, shrunken": QuadraticDiscriminantAnalysis(shrinkage=0.3),
        "mda, 3 subclasses": MixtureDiscriminantAnalysis(max_subclasses=3, random_state=0),
    }
    pupils = {"ridge-logistic": LogisticRegression(C=0.01, standardize=True), "k-NN": KNeighborsClassifier(5)}
    rows = {"real rows": [clone(pupil).fit(X[train], y[train]).score(X[test], y[test]) for pupil in pupils.values()]}
    for name, model in models.items():
        drawn = model.fit(X[train], y[train]).sample(int(train.sum()), random_state=0)
        rows[name] = [clone(pupil).fit(*drawn).score(X[test], y[test]) for pupil in pupils.values()]
    title = "Digits: accuracy of a model that learned from rows drawn from another"
    yield Table(title, ("rows drawn from", *pupils), (".3f",) * len(pupils), rows)


TABLES = {table.__name__: table for table in (costs, trust, few, wide, holes, stream, prior, synthetic)}


def main() -> None:
    """Print the tables named, or all."""
    parser = argparse.ArgumentParser(description="What each family of models costs, and what it is good for.")
    parser.add_argument("tables", nargs="*", metavar="TABLE", help=f"of {', '.join(TABLES)}; all, if none is named")
    wanted = parser.parse_args().tables or list(TABLES)
    unknown = [name for name in wanted if name not in TABLES]
    if unknown:
        parser.error(f"there is no table {unknown[0]!r}; there are {', '.join(TABLES)}")
    # Constant pixels and the like: left out, as every warning says.
    warnings.simplefilter("ignore")
    with threadpool_limits(1):  # threads that wait for each other would be half of what is measured
        for name in wanted:
            for table in TABLES[name]():
                print(table, end="\n\n", flush=True)


if __name__ == "__main__":
    main()
