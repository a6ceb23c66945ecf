"""What tells a class from the others most, by the weights of any model whose score is a sum over its columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def telling(model: Any, names: Sequence[str], n: int) -> list[list[tuple[str, float]]]:
    r"""For each class (K of them) the n columns that tell most of it, and by how much.

    .. math:: w_{kj} - \frac{1}{K - 1} \sum_{l \ne k} w_{lj}

    with the weights w of `coef_`, which of naive Bayes are log p(word | class) up to what all classes share. Columns
    that tell nothing of a class are not among them.

    Parameters
    ----------
    model : fitted, with `coef_`.
    names : (p,) of its columns.
    n : how many of each class.

    Examples
    --------
    >>> from distinguo import MultinomialNB
    >>> model = MultinomialNB().fit([[2, 0], [1, 0], [0, 1]], ["spam", "spam", "ham"])
    >>> [[(word, round(lead, 2)) for word, lead in found] for found in telling(model, ["prize", "lunch"], 1)]
    [[('lunch', 1.2)], [('prize', 0.88)]]
    """
    found = []
    for lead in _leads(model):
        order = np.argsort(-lead, kind="stable")[:n]
        found.append([(str(names[j]), float(lead[j])) for j in order if lead[j] > 0])
    return found


def _leads(model: Any) -> Array:
    """(K, p) by how much a column adds more to the score of a class than, on average, to the others'."""
    weights = np.asarray(model.coef_)
    if len(weights) == 1:
        return np.concatenate([-weights, weights])
    K = len(weights)
    with np.errstate(invalid="ignore"):
        leads = (weights - weights.mean(axis=0)) * (K / (K - 1))
    return np.asarray(np.nan_to_num(leads, nan=0.0))
