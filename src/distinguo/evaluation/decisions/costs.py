"""What each decision costs where each class is the true one, and the decisions that cost least."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from distinguo.evaluation.decisions.cost_tables import places_of, read_costs
from distinguo.evaluation.probabilities import probabilities_of_classes
from distinguo.evaluation.truth import named
from distinguo.exceptions import InputError
from distinguo.hyperplane import decide as highest
from distinguo.rows.labels import encode_labels, label_array, label_list, label_text
from distinguo.rows.validation import real_numbers

Array = NDArray[np.float64]
Codes = NDArray[np.intp]

REJECTED = -1


@dataclass(frozen=True, eq=False)
class Costs:
    r"""What it costs to decide for class j where class i is the true one.

    The expected cost of a decision is :math:`R_j(x) = \sum_i P(i | x)\, C_{ij}`, Bayes' risk.

    Parameters
    ----------
    matrix : (K, K) costs of at least 0: a row for each true class, a column for each decision.
    classes : (K,) whose rows and columns these are, in any order.

    Raises
    ------
    InputError
        If the matrix has another shape, a cost is negative or not finite, a class is there twice, or no decision costs
        more than another.

    See Also
    --------
    decide : the decisions that cost least.

    Examples
    --------
    >>> costs = Costs([[0, 1], [20, 0]], ["well", "ill"])  # to miss an illness is twenty times as dear as an alarm
    >>> costs.risk([[0.9, 0.1]]).round(6).tolist()
    [[2.0, 0.9]]
    >>> print(costs)
    true class  decide 'well'  decide 'ill'
    'well'                  0             1
    'ill'                  20             0

    References
    ----------
    Elkan (2001), The foundations of cost-sensitive learning, IJCAI, section 1. Chow (1970), IEEE Transactions on
    Information Theory 16, 41-46, for rejection.
    """

    matrix: Array
    classes: NDArray[Any]

    def __post_init__(self) -> None:
        classes = label_array(self.classes)
        if len(encode_labels(classes)[1]) != len(classes):
            raise InputError(f"classes of costs has a label twice: {named(classes)}.")
        matrix = real_numbers(self.matrix, "costs must be numbers, a row a true class, a column a decision.")
        _check(matrix, classes)
        object.__setattr__(self, "matrix", matrix)
        object.__setattr__(self, "classes", classes)

    @classmethod
    def of(cls, costs: Any, classes: Any = None) -> Costs:
        """Costs in the order of some classes, from whatever they are written in.

        Parameters
        ----------
        costs : `Costs`; (K, K) numbers in the order of `classes`; {true class: {decision: cost}}, in which a right
            decision costs nothing unless it is named; a pandas frame with true classes as its index, or any frame
            whose first column holds them, and a column for each decision; or None: every error costs one. Names stand
            in any order, and a class of another type is known by its text.
        classes : (K,), or None for those named by the costs, in their order (0, 1, ... for plain numbers).

        Raises
        ------
        InputError
            If classes are named that there are not, or are missing; and as for the class itself.
        InputTypeError
            If it is nothing of the kind.

        Examples
        --------
        >>> Costs.of({"ill": {"well": 20}, "well": {"ill": 1}}, ["well", "ill"]).matrix.tolist()
        [[0.0, 1.0], [20.0, 0.0]]
        """
        if isinstance(costs, Costs):
            return costs if classes is None else costs.among(classes)
        return cls(*read_costs(costs, None if classes is None else label_array(classes)))

    def among(self, classes: Any) -> Costs:
        """The same costs in the order of these classes (K,).

        Raises
        ------
        InputError
            If they are not the same classes.
        """
        wanted = label_array(classes)
        order = np.argsort(places_of(self.classes, wanted))
        return Costs(self.matrix[np.ix_(order, order)], wanted)

    @property
    def gains(self) -> Array:
        """(K, K) what each decision saves against the dearest for the same class; decides as the costs do."""
        return np.asarray(self.matrix.max(axis=1, keepdims=True) - self.matrix)

    @property
    def threshold(self) -> float:
        r"""For two classes: from which probability of the second on it is the decision that costs less.

        :math:`(C_{12} - C_{11}) / (C_{12} - C_{11} + C_{21} - C_{22})`

        Raises
        ------
        InputError
            If there are more classes, or a decision costs no more where it is wrong.
        """
        if len(self.classes) != 2:
            raise InputError(f"a threshold is for two classes; these costs have {len(self.classes)}.")
        alarm, miss = self.matrix[0, 1] - self.matrix[0, 0], self.matrix[1, 0] - self.matrix[1, 1]
        if alarm < 0 or miss < 0:
            raise InputError("a right decision costs more than a wrong one; there is no threshold that costs least.")
        return float(alarm / (alarm + miss))

    def risk(self, probabilities: Any) -> Array:
        """Expected cost (n, K) of each decision, from probabilities (n, K) in the order of `classes`."""
        return np.asarray(probabilities_of_classes(probabilities, self.classes) @ self.matrix)

    def codes(self, probabilities: Any, reject: Any = None) -> Codes:
        """Which class (n,) costs least; -1 where even that costs more than `reject`."""
        p = probabilities_of_classes(probabilities, self.classes)
        chosen = highest(p @ self.gains)  # where every error costs one, these are the probabilities themselves
        if reject is not None:
            chosen = np.where((p @ self.matrix).min(axis=1) > cost_of_rejection(reject), REJECTED, chosen)
        return np.asarray(chosen, dtype=np.intp)

    def decide(self, probabilities: Any, reject: Any = None) -> NDArray[Any]:
        """The classes (n,) that cost least; with `reject`, objects, None where even that costs more."""
        chosen = self.codes(probabilities, reject)
        if reject is None:
            return np.asarray(self.classes[chosen])
        decided = np.empty(len(chosen), dtype=object)
        labels = label_list(self.classes)
        decided[:] = [None if k == REJECTED else labels[k] for k in chosen.tolist()]
        return decided

    def __str__(self) -> str:
        names = [label_text(label) for label in self.classes]
        cells = [["true class", *(f"decide {name}" for name in names)]]
        cells += [[name, *(f"{cost:g}" for cost in row)] for name, row in zip(names, self.matrix.tolist(), strict=True)]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        lines = [[row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])] for row in cells]
        return "\n".join("  ".join(line) for line in lines)


def _check(matrix: Array, classes: NDArray[Any]) -> None:
    K = len(classes)
    if matrix.shape != (K, K):
        raise InputError(
            f"costs has shape {matrix.shape}, expected {(K, K)}: a row for each true class and a column for each "
            f"decision, in the order {named(classes)}."
        )
    wrong = ~(np.isfinite(matrix) & (matrix >= 0))
    if wrong.any():
        i, j = np.argwhere(wrong)[0]
        raise InputError(
            f"costs must be numbers of at least 0, and to decide {label_text(classes[j])} where "
            f"{label_text(classes[i])} is true costs {matrix[i, j]:g}. Add what is gained most to all of its row."
        )
    if (matrix == matrix[:, :1]).all():
        raise InputError("costs are the same for every decision, so that nothing follows from them.")


def cost_of_rejection(reject: Any) -> float:
    """What it costs to decide nothing, checked."""
    number = isinstance(reject, int | float | np.integer | np.floating) and not isinstance(reject, bool)
    if not number or not 0 <= reject < np.inf:
        raise InputError(f"reject={reject!r} must be the cost of no decision, a number of at least 0, or None.")
    return float(reject)
