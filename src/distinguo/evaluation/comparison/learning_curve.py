"""How good models are after so many rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from distinguo.evaluation.checks.table_columns import first_hole
from distinguo.evaluation.comparison.contenders import Models, contenders
from distinguo.evaluation.comparison.contest import Prepared, Result
from distinguo.evaluation.comparison.contest import compare as compare_on_splits
from distinguo.evaluation.comparison.schemes import whole_seed
from distinguo.evaluation.conformal.folds import Counting
from distinguo.evaluation.texts import none_for_nan
from distinguo.exceptions import InputError, InputTypeError
from distinguo.options import counting
from distinguo.resampling import Rows, Split, given_splits, monte_carlo
from distinguo.rows.labels import refuse_one_class
from distinguo.rows.selection import take_rows
from distinguo.rows.uncut import uncut_rows

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class LearningCurve:
    """Figures of models by the number of rows learned from; `print` shows accuracies.

    Attributes
    ----------
    models : (M,) names.
    sizes : (S,) rows learned from, ascending.
    accuracy : (M, S) mean over the repeats; NaN where a model could not learn from so few rows.
    accuracy_sd : (M, S) standard deviation over the repeats; NaN for a single one.
    balanced_accuracy, log_loss : (M, S) means; the log loss NaN without probabilities.
    fit_seconds : (M, S) medians.
    reasons : {(model, size): why there are no figures}.
    """

    models: tuple[str, ...]
    sizes: tuple[int, ...]
    accuracy: Array
    accuracy_sd: Array
    balanced_accuracy: Array
    log_loss: Array
    fit_seconds: Array
    reasons: Mapping[tuple[str, int], str]

    def rows(self) -> list[dict[str, Any]]:
        """One dictionary a model and size."""
        figures = ("accuracy", "accuracy_sd", "balanced_accuracy", "log_loss", "fit_seconds")
        return [
            {"model": model, "size": size, **{name: none_for_nan(getattr(self, name)[i, j]) for name in figures}}
            for i, model in enumerate(self.models)
            for j, size in enumerate(self.sizes)
        ]

    def to_dict(self) -> dict[str, Any]:
        """All of it, as JSON takes it; None where there is no number."""
        reasons = [{"model": model, "size": size, "reason": why} for (model, size), why in self.reasons.items()]
        return {"models": list(self.models), "sizes": list(self.sizes), "figures": self.rows(), "reasons": reasons}

    def to_frame(self) -> Any:
        """`rows` as a pandas data frame.

        Raises
        ------
        ImportError
            Where pandas is not installed.
        """
        try:
            import pandas as pd
        except ImportError:
            raise ImportError("to_frame needs pandas; install it, or take rows() or to_dict().") from None
        return pd.DataFrame(self.rows())

    def __str__(self) -> str:
        cells = [["accuracy after", *map(str, self.sizes)]]
        for name, mean, spread in zip(self.models, self.accuracy.tolist(), self.accuracy_sd.tolist(), strict=True):
            cells.append([name, *map(_figure, mean, spread)])
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        lines = ["  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]) for row in cells]
        why = [f"{model} after {size}: {reason}" for (model, size), reason in self.reasons.items()]
        return "\n".join([*lines, *why])

    __repr__ = __str__


def _figure(mean: float, spread: float) -> str:
    if np.isnan(mean):
        return "-"
    return f"{mean:.3f}" if np.isnan(spread) else f"{mean:.3f} ± {spread:.3f}"


def learning_curve(
    models: Models,
    X: Any,
    y: Any,
    sizes: Iterable[int] | Mapping[int, Any],
    *,
    repeats: int | None = None,
    test_fraction: float | None = None,
    random_state: int = 0,
    sample_weight: Any = None,
    advance: Callable[[], None] | None = None,
) -> LearningCurve:
    """How good models are after so many rows, on the same rows held out.

    In each repeat rows are drawn to test on, stratified; the others are put in an order in which any first so many hold
    the classes in proportion, each of them at least once, and models learn from the first of these, more each time.

    Parameters
    ----------
    models : as in `compare`.
    X : (n, p) rows of any container, handed on as they are.
    y : (n,) labels of any hashable scalar type.
    sizes : numbers of rows to learn from; or {number: splits}, with a scikit-learn splitter or (train, test) pairs of
        row numbers, where rows to learn from are drawn otherwise.
    repeats : how often rows are drawn; 5 unless given.
    test_fraction : share of the rows to test on; .2 unless given.
    random_state : a whole number; models that leave their `random_state` at None get it too.
    sample_weight : (n,) frequencies: in fits, and in every figure.
    advance : called after each model and split, for a progress bar.

    Returns
    -------
    LearningCurve

    Raises
    ------
    InputError
        If rows, labels, weights or options cannot be used, or a size is less than one row a class or more than there
        are. What a model raises is told in `reasons`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from distinguo import learning_curve
    >>> print(learning_curve(["lda", "gaussian-nb"], *load_iris(return_X_y=True), [6, 12, 60, 120]))
    accuracy after              6             12             60            120
    lda             0.807 ± 0.072  0.940 ± 0.028  0.980 ± 0.030  0.993 ± 0.015
    gaussian-nb     0.727 ± 0.072  0.913 ± 0.061  0.940 ± 0.028  0.933 ± 0.033

    References
    ----------
    Perlich, Provost and Simonoff (2003), Tree induction vs. logistic regression: a learning-curve analysis, Journal of
    Machine Learning Research 4, 211-255.
    """
    seed = whole_seed(random_state)
    competing = contenders(models, seed)
    uncut = uncut_rows(X, y, sample_weight, "learning_curve")
    rows = Counting.of(uncut, True)
    refuse_one_class(rows.classes)
    if isinstance(sizes, Mapping):
        _refuse_drawing(repeats, test_fraction)
        splits = _given(sizes, rows, np.flatnonzero(uncut.counting()))
    else:
        splits = _drawn(sizes, rows, repeats, test_fraction, seed)

    hole = first_hole(uncut.X)

    def prepare(train: Rows, test: Rows, encoding: str) -> Prepared:
        return Prepared(take_rows(rows.X, train), take_rows(rows.X, test), hole, lambda model: 0)

    step = advance or (lambda: None)
    results = [
        compare_on_splits(competing, rows.labels, of_size, prepare, step, weight=rows.weight)
        for of_size in splits.values()
    ]
    return _curve([contender.name for contender in competing], list(splits), results)


def _drawn(sizes: Any, rows: Counting, repeats: Any, test_fraction: Any, seed: int) -> dict[int, list[Split]]:
    """For each size its splits; the rows of a size are among those of the next."""
    if isinstance(sizes, str | bytes) or not isinstance(sizes, Iterable):
        raise InputTypeError(f"sizes must be a list of numbers of rows, or {{number: splits}}; it is {sizes!r}.")
    wanted = sorted({counting(size, "a size") for size in sizes})
    draws = monte_carlo(
        rows.codes,
        test_fraction=0.2 if test_fraction is None else test_fraction,
        repeats=5 if repeats is None else counting(repeats, "repeats"),
        random_state=seed,
    )
    least, most = len(rows.classes), min(len(draw.train) for draw in draws)
    if not wanted or wanted[0] < least or wanted[-1] > most:
        raise InputError(
            f"sizes={wanted} must lie between {least}, a row of each class, and {most}, the rows not tested on."
        )
    generator = np.random.default_rng(seed)
    orders = [_proportionate(draw.train, rows.codes, generator) for draw in draws]
    return {
        size: [Split(np.sort(order[:size]), draw.test, draw.repeat) for order, draw in zip(orders, draws, strict=True)]
        for size in wanted
    }


def _proportionate(train: Rows, codes: Rows, generator: np.random.Generator) -> Rows:
    """Rows shuffled so that any first so many hold the classes in proportion, and a row of each to begin with."""
    shuffled = generator.permutation(train)
    by_class = shuffled[np.argsort(codes[shuffled], kind="stable")]
    counts = np.bincount(codes[by_class])
    place = np.arange(len(by_class)) - np.repeat(np.cumsum(counts) - counts, counts)
    key = np.where(place == 0, -1.0, (place + 0.5) / np.repeat(counts, counts))
    return np.asarray(by_class[np.argsort(key, kind="stable")])


def _given(sizes: Mapping[int, Any], rows: Counting, row_numbers: Rows) -> dict[int, list[Split]]:
    """For each size the splits that came with it."""
    if not sizes:
        raise InputError("sizes is empty; give {number of rows: splits}.")
    found = {}
    for size in sorted(sizes):
        pairs = given_splits(sizes[size], rows.labels, row_numbers)
        if any(not len(train) or not len(test) for train, test in pairs):
            raise InputError(f"a split of size {size} has no rows to learn from, or none to test on.")
        found[counting(size, "a size")] = [Split(train, test, repeat) for repeat, (train, test) in enumerate(pairs)]
    return found


def _refuse_drawing(repeats: Any, test_fraction: Any) -> None:
    for name, value in (("repeats", repeats), ("test_fraction", test_fraction)):
        if value is not None:
            raise InputError(f"{name}={value!r} cannot act where the splits are given.")


def _curve(names: list[str], sizes: list[int], results: list[list[Result]]) -> LearningCurve:
    """From results, size by size, to figures, model by model."""
    figures = np.full((5, len(names), len(sizes)), np.nan)
    reasons = {}
    for j, of_size in enumerate(results):
        for i, result in enumerate(of_size):
            m = result.measured
            if m is None:
                reasons[names[i], sizes[j]] = str(result.reason)
                continue
            spread = float(np.std(m.accuracies, ddof=1)) if len(m.accuracies) > 1 else np.nan
            loss = np.nan if m.quality.log_loss is None else m.quality.log_loss
            figures[:, i, j] = m.quality.accuracy, spread, m.quality.balanced_accuracy, loss, m.fit_seconds
    accuracy, spreads, balanced, losses, seconds = figures
    return LearningCurve(tuple(names), tuple(sizes), accuracy, spreads, balanced, losses, seconds, reasons)
