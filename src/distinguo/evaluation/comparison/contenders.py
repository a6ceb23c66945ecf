"""Models as people name them, by the catalogue or as estimators, made ready to be compared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from sklearn.base import clone, is_regressor
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import has_fit_parameter

from distinguo.catalogue import COMPARED, Entry, find
from distinguo.evaluation.comparison.contest import Contender, majority
from distinguo.exceptions import InputError, InputTypeError

Models = Mapping[str, Any] | Sequence[Any] | None


def contenders(models: Models, seed: int) -> list[Contender]:
    """What takes part, in the order given.

    Parameters
    ----------
    models : {name: model}, a list of models, or None for those that the catalogue compares. A model is a scikit-learn
        classifier, of any library, or the name of one in the catalogue.
    seed : given to every `random_state` that an estimator leaves at None, so that runs can be repeated.

    Raises
    ------
    InputError
        If a name is unknown or there twice, or there is no model.
    InputTypeError
        If something is no classifier.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> [contender.name for contender in contenders(["lda", GaussianNB()], 0)]
    ['lda', 'GaussianNB']
    """
    found = [_contender(name, model, seed) for name, model in _named(models)]
    if not found:
        raise InputError("there is no model to compare; name one, or leave models out for those of the catalogue.")
    names = [contender.name for contender in found]
    for name in names:
        if names.count(name) > 1 or name == majority().name:
            what = "there twice" if names.count(name) > 1 else "the baseline's name"
            raise InputError(f"the name {name!r} is {what}; give models other names, as in {{'mine': model}}.")
    return found


def _named(models: Models) -> Iterator[tuple[str, Any]]:
    """Each model with its name; estimators of a list are called by their class, the second one with a 2."""
    if models is None:
        yield from ((entry.name, entry.name) for entry in COMPARED)
        return
    if isinstance(models, Mapping):
        yield from ((str(name), model) for name, model in models.items())
        return
    if isinstance(models, str) or not isinstance(models, Sequence):
        raise InputTypeError(
            f"models must be {{name: model}}, a list of models or None; it is {type(models).__name__}. A single model "
            "goes in a list."
        )
    seen: dict[str, int] = {}
    for model in models:
        name = model if isinstance(model, str) else type(model).__name__
        seen[name] = seen.get(name, 0) + 1
        yield name if seen[name] == 1 or isinstance(model, str) else f"{name} {seen[name]}", model


def _contender(name: str, model: Any, seed: int) -> Contender:
    if isinstance(model, str):
        return _of_catalogue(name, find(model))
    if isinstance(model, type) or not (hasattr(model, "fit") and hasattr(model, "predict")) or is_regressor(model):
        what = f"the class {model.__name__}" if isinstance(model, type) else type(model).__name__
        raise InputTypeError(f"{name!r} is {what}; a model is a classifier, such as LinearDiscriminantAnalysis().")
    has_probabilities = hasattr(model, "predict_proba")
    return Contender(
        name,
        name,
        partial(_seeded, model, seed),
        holes=True,  # what takes none says so itself
        probabilities=has_probabilities,
        encoding="as given",
        decides=has_probabilities,
        weight_name=_weight_name(model),
    )


def _of_catalogue(name: str, entry: Entry) -> Contender:
    weighted = None if not has_fit_parameter(entry.load(), "sample_weight") else "sample_weight"
    return Contender(name, entry.title, entry.make, entry.holes, entry.probabilities, "as given", weight_name=weighted)


def _seeded(model: Any, seed: int) -> Any:
    """A clone that gives the same answers in every run."""
    copy = clone(model)
    unset = [
        name
        for name, value in copy.get_params(deep=True).items()
        if value is None and name.rpartition("__")[2] == "random_state"
    ]
    return copy.set_params(**dict.fromkeys(unset, seed))


def _weight_name(model: Any) -> str | None:
    """Under which name `fit` takes weights: that of a pipeline's last step, of a search's estimator, or its own."""
    if isinstance(model, Pipeline):
        step, last = model.steps[-1]
        inner = _weight_name(last)
        return None if inner is None else f"{step}__{inner}"
    if isinstance(model, GridSearchCV | RandomizedSearchCV):
        return _weight_name(model.estimator)
    return "sample_weight" if has_fit_parameter(model, "sample_weight") else None
