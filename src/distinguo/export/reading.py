"""From a fitted model to what must be written down of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import singledispatch
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from distinguo.densities.categories import Categories
from distinguo.densities.counts import Bernoulli, Poisson, Weighted
from distinguo.densities.diagonal import DiagonalGaussian
from distinguo.densities.gaussian import ClassGaussian, SharedGaussian
from distinguo.densities.independent import Independent
from distinguo.densities.multinomial import Multinomial
from distinguo.densities.student import Debiased, Predictive
from distinguo.exceptions import InputError, InputTypeError
from distinguo.export.scores import (
    ColumnSums,
    Cuts,
    DistanceScores,
    Multiples,
    Places,
    Remainders,
    Scores,
    Squares,
    Table,
    Term,
    all_words,
)
from distinguo.generative.base import GenerativeClassifier
from distinguo.hyperplane import Affine, decide
from distinguo.linear.base import AffineClassifier
from distinguo.rows.labels import label_list, label_text

Array = NDArray[np.float64]

EXPORTED = (
    "linear, quadratic, regularised and penalised discriminant analysis, naive Bayes of every kind, logistic "
    "regression, least squares and the perceptron"
)


@dataclass(frozen=True)
class Plan:
    """A fitted model, ready to be written down.

    Attributes
    ----------
    name : of the model's class.
    columns : (p,) names, or None where the model was fitted without.
    categories : of each column the categories, None where it holds numbers.
    truths : (p,) whether a column's cells are truth values, or 0 and 1.
    classes : (K,) the labels, of one type.
    living : (L,) places of the classes that can be chosen at all.
    scores : of these L classes.
    priors : (K,) what rows get that are impossible under every class; None where no row is.
    probabilities : whether scores are log posteriors but for a constant, or only tell which class is chosen.
    """

    name: str
    columns: list[str] | None
    categories: tuple[list[Any] | None, ...]
    truths: tuple[bool, ...]
    classes: list[Any]
    living: list[int]
    scores: Scores
    priors: Array | None
    probabilities: bool

    @property
    def words(self) -> list[bool]:
        """(p,) whether a column holds words; one whose categories nobody knows holds any."""
        return [found is not None and all_words(found) for found in self.categories]

    @property
    def ties_go_last(self) -> bool:
        """Whether the last of the highest scores is chosen, as with two classes, or the first."""
        return len(self.classes) == 2

    @property
    def chosen_by_priors(self) -> int:
        """The place of the class that is chosen where only the priors speak."""
        assert self.priors is not None
        return int(decide(self.priors[None])[0])


def plan_of(model: Any) -> Plan:
    """What must be written down of a fitted model.

    Raises
    ------
    InputTypeError
        If models of that kind cannot be written down.
    InputError
        If this one cannot.
    NotFittedError
    """
    scores_of = _scores_of.dispatch(type(model))
    if scores_of is not _refuse:
        check_is_fitted(model)
    living, scores, priors = scores_of(model)
    p, roles = model.n_features_in_, getattr(model, "roles_", None)
    names = getattr(model, "feature_names_in_", None)
    return Plan(
        name=type(model).__name__,
        columns=None if names is None else [str(name) for name in names],
        categories=_categories(model) if model._coding is not None else (None,) * p,
        truths=(False,) * p if roles is None else tuple(str(role) == "binary" for role in roles),
        classes=_one_type(label_list(model.classes_)),
        living=living,
        scores=scores,
        priors=priors,
        probabilities=hasattr(model, "predict_proba"),
    )


Read = tuple[list[int], Scores, Array | None]


@singledispatch
def _scores_of(model: Any) -> Read:
    """Which classes can be chosen, their scores, and the priors where rows may be impossible."""
    name = model.__name__ if isinstance(model, type) else type(model).__name__
    raise InputTypeError(
        f"{name} cannot be written down; {EXPORTED} can, once fitted. Of a pipeline or a wrapper give the model "
        "within, and rows as it gets them."
    )


_refuse = _scores_of.dispatch(object)


@_scores_of.register(AffineClassifier)
def _(model: Any) -> Read:
    affine = model._affine()
    return list(range(len(model.classes_))), Affine(affine.centre, affine.normals, affine.offsets), None


@_scores_of.register(GenerativeClassifier)
def _(model: Any) -> Read:
    description = model._describe()
    if type(description.density) not in _READERS:
        return _refuse(model)
    read = _READERS[type(description.density)]
    living = np.flatnonzero(description.active & (description.priors > 0))
    kept = (np.cumsum(description.active) - 1)[living]
    scores = read(model, description.density, kept, np.log(description.priors[living]))
    return living.tolist(), scores, None if type(scores) is Affine else description.priors


def _shared(model: Any, density: SharedGaussian, kept: Places, levels: Array) -> Scores:
    affine = density.affine
    return Affine(affine.centre, affine.normals[kept], affine.offsets[kept] + levels)


def _gaussians(model: Any, density: ClassGaussian, kept: Places, levels: Array) -> Scores:
    return _distances(density, density, kept, levels, np.full(len(density.means), 0.5))


def _predictive(model: Any, density: Predictive, kept: Places, levels: Array) -> Scores:
    shrinks = 1 / (density.degrees * density.stretch)
    return _distances(density, density.plug_in, kept, levels, (density.degrees + density.rank) / 2, shrinks)


def _debiased(model: Any, density: Debiased, kept: Places, levels: Array) -> Scores:
    degrees, r = density.uncertainty.degrees, density.plug_in.points.shape[1]
    return _distances(density, density.plug_in, kept, levels, (degrees - r - 1) / degrees / 2)


def _distances(
    density: Any, plug_in: Any, kept: Places, levels: Array, rates: Array, shrinks: Array | None = None
) -> Scores:
    """Densities that fall with the distance to the mean; there they are what the density itself says."""
    at_means = np.diagonal(density.log_density(plug_in.means))
    return DistanceScores(
        plug_in.centre,
        tuple(_WHITEN[type(plug_in)](plug_in)[k] for k in kept),
        plug_in.points[kept],
        at_means[kept] + levels,
        rates[kept],
        None if shrinks is None else shrinks[kept],
    )


_WHITEN: dict[type, Callable[[Any], list[Array]]] = {
    SharedGaussian: lambda density: [density.factor.whiten] * len(density.points),
    ClassGaussian: lambda density: [factor.whiten for factor in density.factors],
}


def _columns(model: Any, density: Any, kept: Places, levels: Array) -> Scores:
    """A density over the columns that is a sum, or a product of such."""
    terms = _TERMS[type(density)](model, density, np.arange(model.n_features_in_), kept)
    return ColumnSums(levels, tuple(terms))


def _squares(model: Any, density: DiagonalGaussian, places: Places, kept: Places) -> list[Term]:
    means, used = density.means[kept], density.used
    if not used.any():  # the first column adds nothing then, and a graph has something to work on
        used = np.arange(len(used)) == 0
    return [Squares(places[used], means[:, used], density.roots[kept][:, used], density.constants[kept][:, used])]


def _rates(model: Any, density: Poisson, places: Places, kept: Places) -> list[Term]:
    rates = density.rates[kept]
    return [Multiples(places, density.logs.T[kept], rates, rates == 0)]


def _weights(model: Any, density: Weighted, places: Places, kept: Places) -> list[Term]:
    weights = density.columns.T[kept]
    return [Multiples(places, weights, np.zeros_like(weights), np.isneginf(density.weights[kept]))]


def _shares_of_total(model: Any, density: Multinomial, places: Places, kept: Places) -> list[Term]:
    theta = density.theta[kept]
    weights = density.logs.T[kept]
    return [Multiples(places, weights, np.zeros_like(weights), theta == 0), Remainders(places, theta)]


def _cuts(model: Any, density: Bernoulli, places: Places, kept: Places) -> list[Term]:
    with np.errstate(divide="ignore"):
        above, below = np.log(density.shares[kept]), np.log(1 - density.shares[kept])
    return [Cuts(places, density.threshold, above, below)]


def _tables(model: Any, density: Categories, places: Places, kept: Places) -> list[Term]:
    found, logs = _categories(model), density.logs[:, kept]
    return [
        Table(int(place), found[place] or [], logs[density.starts[j] : density.starts[j + 1]])
        for j, place in enumerate(places)
    ]


def _groups(model: Any, density: Independent, places: Places, kept: Places) -> list[Term]:
    return [term for group, part in density.groups for term in _TERMS[type(part)](model, part, places[group], kept)]


_TERMS: dict[type, Callable[[Any, Any, Places, Places], list[Term]]] = {
    DiagonalGaussian: _squares,
    Bernoulli: _cuts,
    Poisson: _rates,
    Multinomial: _shares_of_total,
    Weighted: _weights,
    Categories: _tables,
    Independent: _groups,
}
_READERS: dict[type, Callable[[Any, Any, Places, Array], Scores]] = {
    SharedGaussian: _shared,
    ClassGaussian: _gaussians,
    Predictive: _predictive,
    Debiased: _debiased,
    **dict.fromkeys(_TERMS, _columns),
}


def _categories(model: Any) -> tuple[list[Any] | None, ...]:
    """Of each column the categories, all texts or all numbers, None where it holds numbers."""
    result: list[list[Any] | None] = []
    for j, found in enumerate(model.categories_):
        levels = None if found is None else found.tolist()
        if levels is not None and len({isinstance(level, str) for level in levels}) > 1:
            names = getattr(model, "feature_names_in_", None)
            column = f"column {j}" if names is None else f"column {str(names[j])!r}"
            raise InputError(
                f"{column} has categories that are words and others that are numbers; make them all words."
            )
        result.append(levels)
    return tuple(result)


def _one_type(labels: list[Any]) -> list[Any]:
    """The labels, once they can be the values of one column."""
    kinds = {type(label) for label in labels}
    if len(kinds) > 1 or not kinds <= {str, int, bool, float}:
        shown = ", ".join(label_text(label) for label in labels[:4])
        raise InputError(
            f"the classes ({shown}) are not all texts, all numbers or all truth values, as the values of one column "
            "must be; fit the model on labels turned into text."
        )
    return labels
