"""How many subclasses each class has: as given, by BIC, or by cross-validation."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from distinguo.exceptions import InputError, LeftOutWarning
from distinguo.generative.subclasses import COVARIANCES, Found, Recipe, SubclassFitter, distinct_rows, roughness_of
from distinguo.options import is_left_to_cv
from distinguo.resampling import stratified_folds
from distinguo.rows.gathered import Gathered
from distinguo.rows.labels import label_list, label_text
from distinguo.rows.validation import real_numbers

Array = NDArray[np.float64]
Counts = NDArray[np.intp]


@dataclass(frozen=True)
class Search:
    """What was tried, and what came of it.

    Attributes
    ----------
    found : the subclasses in use.
    results : {"subclasses", "bic" or "log_loss"} over the candidates, or None where nothing was left to choose.
    """

    found: Found
    results: dict[str, NDArray[Any]] | None


def whole_number(value: Any, name: str, least: int) -> int:
    """A checked integer option."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise InputError(f"{name}={value!r} must be a whole number of at least {least}.")
    return int(value)


def positive_number(value: Any, name: str, most: float, *, zero: bool = False) -> float:
    """A checked option above zero, or from zero on."""
    number = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    if not number or not (0 <= value <= most if zero else 0 < value <= most):
        raise InputError(f"{name}={value!r} must be a number {'from' if zero else 'above'} 0 and up to {most:g}.")
    return float(value)


def recipe_of(options: Mapping[str, Any], classes: NDArray[Any], p: int) -> Recipe:
    """The checked recipe behind an estimator's options; those that it does not have are as if not given."""
    covariance = options["covariance"]
    if covariance not in COVARIANCES:
        raise InputError(f"covariance={covariance!r} is not known; use {', '.join(map(repr, COVARIANCES))}.")
    names = ("penalty", "order", "shape", "gamma", "df")
    roughness = roughness_of(options.get("penalty"), p, *(options.get(name) for name in names[1:]))
    if roughness is not None and covariance != "shared":
        raise InputError(f"a penalty cannot act with covariance={covariance!r}; it is added to the shared one.")
    return Recipe(
        covariance=covariance,
        roughness=roughness,
        start=_starts(options["start"], classes, p),
        n_init=whole_number(options["n_init"], "n_init", 1),
        covariance_floor=positive_number(options["covariance_floor"], "covariance_floor", 1.0),
        divisor=options["divisor"],
        tol=positive_number(options["tol"], "tol", np.inf, zero=True),
        max_iter=whole_number(options["max_iter"], "max_iter", 1),
        random_state=whole_number(options["random_state"], "random_state", 0),
    )


def _starts(start: Any, classes: NDArray[Any], p: int) -> dict[int, Array] | None:
    """First means (R_k, p) by class number, or None for k-means."""
    if isinstance(start, str) and start == "k-means":
        return None
    if not isinstance(start, Mapping):
        raise InputError(f"start={start!r} must be 'k-means', or first means (R, p) for every class, in a dictionary.")
    values = _by_class(start, classes, "start")
    means = [real_numbers(value, "start must hold numbers.") for value in values]
    for label, mean in zip(classes, means, strict=True):
        if mean.ndim != 2 or mean.shape[1] != p or not np.isfinite(mean).all():
            raise InputError(f"start of class {label_text(label)} must be finite means of shape (R, {p}).")
    return dict(enumerate(means))


def _by_class(values: Mapping[Any, Any], classes: NDArray[Any], name: str) -> list[Any]:
    """One value a class, in their order."""
    known = label_list(classes)
    for label in values:
        if label not in known:
            shown = ", ".join(map(label_text, known[:10])) + (", ..." if len(known) > 10 else "")
            raise InputError(f"{name} names the class {label_text(label)}; the classes are {shown}.")
    for label in known:
        if label not in values:
            raise InputError(f"{name} has nothing for the class {label_text(label)}; name every class.")
    return [values[label] for label in known]


def search(rows: Gathered, options: Mapping[str, Any]) -> Search:
    """The subclasses of rows without holes, as an estimator's options ask for them."""
    rows = rows.of_classes_present()
    recipe = recipe_of(options, rows.classes, rows.X.shape[1])
    fitter = SubclassFitter(distinct_rows(rows), recipe)
    subclasses = options["subclasses"]
    if isinstance(subclasses, str):
        if recipe.start is not None:
            raise InputError(f"start cannot act with subclasses={subclasses!r}; say how many each class has.")
        if subclasses not in ("bic", "cv"):
            raise InputError(f"subclasses={subclasses!r} must be a number, {{class: number}}, 'bic' or 'cv'.")
        candidates = _candidates(fitter, whole_number(options["max_subclasses"], "max_subclasses", 1))
        if is_left_to_cv(subclasses):
            return _by_cross_validation(fitter, rows, options, candidates)
        return _by_bic(fitter, candidates)
    return Search(fitter.fit(_counts(subclasses, rows.classes, fitter, recipe)), None)


def _counts(subclasses: Any, classes: NDArray[Any], fitter: SubclassFitter, recipe: Recipe) -> Counts:
    """(K,) the number of subclasses given for each class."""
    values = [subclasses] * len(classes)
    if isinstance(subclasses, Mapping):
        values = _by_class(subclasses, classes, "subclasses")
    counts = [whole_number(value, "subclasses", 1) for value in values]
    for k, count in enumerate(counts):
        label = label_text(classes[k])
        if count > fitter.distinct[k]:
            raise InputError(
                f"class {label} has {fitter.distinct[k]} distinct row(s), too few for {count} subclasses. Give fewer, "
                "by class in a dictionary, or let 'bic' choose."
            )
        if recipe.start is not None and len(recipe.start[k]) != count:
            raise InputError(f"start has {len(recipe.start[k])} means for the {count} subclasses of class {label}.")
    return np.array(counts, dtype=np.intp)


def _candidates(fitter: SubclassFitter, most: int) -> list[Counts]:
    """Equal numbers in all classes, 1, 2, ..., but never more than half as many as a class has distinct rows."""
    limits = _limits(fitter)
    return [np.minimum(limits, count) for count in range(1, min(most, int(limits.max())) + 1)]


def _limits(fitter: SubclassFitter) -> Counts:
    """(K,) the most subclasses that are tried: two rows for each."""
    return np.maximum(fitter.distinct // 2, 1)


def _by_bic(fitter: SubclassFitter, candidates: list[Counts]) -> Search:
    """The least -2 log L + d log n; of equals, the fewest subclasses."""
    tried = [fitter.fit(counts) for counts in candidates]
    bic = [found.n_parameters * np.log(fitter.total) - 2 * found.solution.value.log_likelihood for found in tried]
    results = {"subclasses": np.arange(1, len(tried) + 1), "bic": np.array(bic)}
    return Search(tried[int(np.argmin(bic))], results)


def _by_cross_validation(
    fitter: SubclassFitter, rows: Gathered, options: Mapping[str, Any], candidates: list[Counts]
) -> Search:
    """The least held-out log loss; of equals, the fewest subclasses."""
    folds = whole_number(options["cv"], "cv", 2)
    fold = stratified_folds(rows.codes, folds, np.random.default_rng(fitter.recipe.random_state))
    losses = np.zeros(len(candidates))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LeftOutWarning)  # fit has warned
        for number in range(folds):
            training, test = rows.subset(np.flatnonzero(fold != number)), rows.subset(np.flatnonzero(fold == number))
            losses += _fold_losses(training, test, fitter.recipe, len(candidates))
    results = {"subclasses": np.arange(1, len(candidates) + 1), "log_loss": losses / fitter.total}
    return Search(fitter.fit(candidates[int(losses.argmin())]), results)


def _fold_losses(training: Gathered, test: Gathered, recipe: Recipe, most: int) -> Array:
    """(candidates,) log losses of held-out rows; those of a class without training rows say nothing of subclasses."""
    present = np.unique(training.codes)
    place = np.full(len(training.classes), -1)
    place[present] = np.arange(len(present))
    known = np.flatnonzero(place[test.codes] >= 0)
    training = replace(training, codes=place[training.codes], classes=training.classes[present])
    fitter = SubclassFitter(distinct_rows(training), recipe)
    priors = fitter.moments.weight / fitter.total
    own, losses = place[test.codes[known]], np.empty(most)
    for i in range(most):
        density = fitter.fit(np.minimum(_limits(fitter), i + 1)).subclasses.density(priors, None)
        scores = density.log_density(test.X[known]) + np.log(priors)
        lost = np.logaddexp.reduce(scores, axis=1) - scores[np.arange(len(known)), own]
        losses[i] = test.weight[known] @ lost
    return losses
