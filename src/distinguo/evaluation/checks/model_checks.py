"""What is wrong with models, by what came out on rows held out and by how they are made."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from distinguo.advice import Advice
from distinguo.evaluation.checks.column_checks import listed
from distinguo.evaluation.checks.table_columns import Column
from distinguo.evaluation.comparison.contest import Measured, Result, majority, rank

Array = NDArray[np.float64]
Codes = NDArray[np.intp]

# A gap is told where it is at least this large, and this many standard errors.
GAP, STANDARD_ERRORS = 0.1, 3.5
# Probabilities are too high where they are by this much on average, and by as many standard errors.
OVERCONFIDENCE = 0.05
# Columns are not to be compared as they are where a fifth of them makes up so much of all squared distances.
SHARE, FIFTH = 0.99, 5
# Metrics under which no column outweighs the others by its unit alone, or that say what they measure by themselves.
_FREE_OF_UNITS = {"cosine", "hamming", "mahalanobis", "seuclidean", "correlation", "precomputed", "jaccard"}


def worse_than_baseline(measured: Mapping[str, Measured]) -> Iterable[Advice]:
    """C3: models that are no better than the commonest class, always."""
    baseline = measured.get(majority().name)
    if baseline is None:
        return
    wrong = []
    for name, numbers in measured.items():
        pair = _against(numbers, baseline)
        if numbers is not baseline and pair is not None:
            wrong.append(f"{name} ({pair})")
    if wrong:
        head = "no model is" if len(wrong) == len(measured) - 1 else "not"
        yield Advice(
            "C3",
            f"{head} better than the commonest class, always: {listed(wrong)}.",
            "The columns may tell nothing of the class, or the rows be too few for the model: leave it out, penalise "
            "it more, or gather more rows.",
        )


def _against(numbers: Measured, baseline: Measured) -> str | None:
    """By what a model is no better than the baseline, in words; None where it is.

    One that is right more often than the baseline is better, whatever it says of its probabilities.
    """
    own, other = numbers.quality, baseline.quality
    if own.log_loss is None or other.log_loss is None:
        worse = own.accuracy < other.accuracy - numbers.accuracy_se
        return f"accuracy {own.accuracy:.3f} against {other.accuracy:.3f}" if worse else None
    worse = rank(numbers) >= rank(baseline) and not own.accuracy > other.accuracy + numbers.accuracy_se
    return f"log loss {own.log_loss:.3f} against {other.log_loss:.3f}" if worse else None


def learned_by_heart(measured: Mapping[str, Measured], models: Mapping[str, Any]) -> Iterable[Advice]:
    """C4: models that are right of their own rows far more often than of others."""
    found = []
    for name, numbers in sorted(measured.items()):
        gap = numbers.train_accuracy - numbers.quality.accuracy
        error = np.hypot(np.nan_to_num(numbers.accuracy_se), 0.5 / np.sqrt(_rows_asked(numbers)))
        if gap >= max(GAP, STANDARD_ERRORS * error) and not _keeps_rows(models.get(name)):
            found.append(f"{name} ({numbers.train_accuracy:.2f} of its own, {numbers.quality.accuracy:.2f} of others)")
    if found:
        yield Advice(
            "C4",
            f"right far more often of the rows learned from than of rows held out: {listed(found)}.",
            "It has learned rows by heart: penalise or shrink it more, give it fewer columns or more rows, and go by "
            "the rows held out alone.",
        )


def _rows_asked(numbers: Measured) -> int:
    return 1 if numbers.held_out is None else len(np.unique(numbers.held_out.rows))


def _keeps_rows(model: Any) -> bool:
    """Whether a model knows its own rows by design: neighbours, and trees grown until they do."""
    from sklearn.ensemble import BaggingClassifier, ExtraTreesClassifier, RandomForestClassifier

    grown = (BaggingClassifier, ExtraTreesClassifier, RandomForestClassifier)
    return any(isinstance(layer, (*_neighbors(), *grown)) for layer in _layers(model))


def _neighbors() -> tuple[type, ...]:
    from sklearn.neighbors import KNeighborsClassifier, RadiusNeighborsClassifier

    from distinguo.neighbors.base import Neighbors

    return Neighbors, KNeighborsClassifier, RadiusNeighborsClassifier


def _layers(model: Any) -> Iterator[Any]:
    """A model, and what pipelines, searches and wrappers hold; nothing of None."""
    from sklearn.pipeline import Pipeline

    while model is not None:
        yield model
        model = model.steps[-1][1] if isinstance(model, Pipeline) else _inner(model)


def _inner(model: Any) -> Any:
    """What a search or a wrapper holds; None of other models."""
    params = model.get_params(deep=False)
    return params.get("estimator", params.get("model"))


def unscaled_neighbors(columns: Sequence[Column], models: Mapping[str, Any]) -> Iterable[Advice]:
    """C7: neighbours by distances that a few columns of large numbers make up."""
    numbers = [(column.name, column.values[np.isfinite(column.values)]) for column in columns if column.is_numeric]
    spread = [(float(np.var(values)), name) for name, values in numbers if len(values)]
    spread.sort(key=lambda pair: -pair[0])
    variances = np.array([variance for variance, _ in spread])
    few = max(1, len(spread) // FIFTH)
    if len(spread) < 2 or not variances[few:].any() or variances[:few].sum() <= SHARE * variances.sum():
        return
    names = sorted(name for name, model in models.items() if _compares_as_given(model))
    if names:
        yield Advice(
            "C7",
            f"{listed(names)}: {variances[:few].sum() / variances.sum():.2%} of the squared distances between rows "
            f"come from {listed([name for _, name in spread[:few]])}.",
            "Columns of large numbers decide who is near: set standardize=True, or put a StandardScaler before it.",
        )


def _compares_as_given(model: Any) -> bool:
    """Whether a model looks for neighbours, with nothing before it that may scale columns."""
    from sklearn.pipeline import Pipeline

    if isinstance(model, Pipeline):
        before = [step for _, step in model.steps[:-1] if step is not None and step != "passthrough"]
        return not before and _compares_as_given(model.steps[-1][1])
    params, inner = model.get_params(deep=False), _inner(model)
    if inner is not None:
        return _compares_as_given(inner)
    free = params.get("metric") in _FREE_OF_UNITS or callable(params.get("metric"))
    return isinstance(model, _neighbors()) and not params.get("standardize", False) and not free


def overconfident(measured: Mapping[str, Measured], codes: Codes, weight: Array) -> Iterable[Advice]:
    """C8: models that are surer than they are right."""
    found = []
    for name, numbers in sorted(measured.items()):
        held_out = numbers.held_out
        if held_out is None or held_out.probabilities is None:
            continue
        at = held_out.first()
        probabilities, rows = held_out.probabilities[at], held_out.rows[at]
        sure, share = probabilities.max(axis=1), weight[rows] / weight[rows].sum()
        right = probabilities.argmax(axis=1) == codes[rows]
        gap = float(share @ (sure - right))
        error = float(np.sqrt((share**2) @ (sure * (1 - sure))))
        if gap >= OVERCONFIDENCE and gap > STANDARD_ERRORS * error:
            found.append(f"{name} ({share @ sure:.0%} sure, {share @ right:.0%} right)")
    if found:
        whose = "its" if len(found) == 1 else "their"
        yield Advice(
            "C8",
            f"surer than right: {listed(found)}, on average over rows held out.",
            f"Calibrate {whose} probabilities before they are believed, or before costs or thresholds go by them.",
        )


def measured_of(results: Sequence[Result]) -> dict[str, Measured]:
    """The numbers of those that took part, by name."""
    return {result.name: result.measured for result in results if result.measured is not None}
