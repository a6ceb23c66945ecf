"""Rosenblatt's perceptron."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import repeat
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from distinguo.exceptions import InputError
from distinguo.hyperplane import Affine, as_coefficients
from distinguo.linear.base import LinearClassifier, ScoresOnly
from distinguo.linear.perceptron_weights import a_class_each, given_start, over_classes, refuse_large, spread
from distinguo.options import counting, generator_of, one_of, positive, truth
from distinguo.rows.distinct import distinct_rows
from distinguo.rows.labels import encode_labels, refuse_one_class
from distinguo.rows.matrix import LabelledMatrix, labelled_matrix
from distinguo.rows.validation import check_columns
from distinguo.solvers.perceptron import SCHEMES, TWO, Rows, Weights, perceptron
from distinguo.solvers.solution import Solution

Array = NDArray[np.float64]

STATUS = {"converged": "separated", "max_iter": "max_iter"}


class Perceptron(ScoresOnly, LinearClassifier):
    r"""A boundary learned from its errors: a row on the wrong side is added to the weights of its class.

    With :math:`t = \pm 1` for the two classes and :math:`\phi` the row beside a one, the rule and what it lowers are

    .. math:: w \leftarrow w + \eta\, t\, \phi \quad \text{where } t\, w^\top \phi \le 0, \qquad
              L_P(w) = -\sum_{i \text{ wrong}} t_i\, w^\top \phi_i

    Each step lowers its own row's term by :math:`\eta |\phi|^2`, and may raise others. Where some boundary separates
    the classes without an error, one is found in finitely many steps, which may be many: which one depends on the order
    of the rows and on the start. Where none does, the steps never end, and the last weights are no better than earlier
    ones. `distinguo.separation` tells the two apart exactly. Of our own making: where `fit` stops at `max_iter`, it
    returns the weights that left the fewest rows misclassified after a pass, as a pocket does (Gallant, 1990).

    For three classes and more, either each class has its discriminant, and a lost row is added to its class's and taken
    from that of the highest other ("discriminants"), or each class is told from the rest by itself ("one-vs-rest"). Be
    careful with the second: perceptrons learned apart have scores of unlike scales, whose comparison means little, and
    a class between others cannot be told from the rest by one boundary, though discriminants may separate all. For two
    classes both are the rule above.

    The rule knows the columns as they are: a column of large numbers outweighs the others, and one far from zero takes
    many passes to be centred. Standardise first. All rows are needed in memory, sparse ones as they are.

    Parameters
    ----------
    eta0 : η, the size of a step. From zero weights it scales them all, and so changes no decision.
    max_iter : passes over the rows at the most.
    shuffle : whether every pass takes the rows in another random order. The order then depends on the seed and on what
        is in the rows, not on how they came: equal rows are learned one after the other, as one row of their weight.
        False takes them as they come.
    random_state : seed of the order, `numpy.random.Generator`, or None for another order each time.
    multiclass : "discriminants" or "one-vs-rest".
    average : whether the weights are the mean of those after each row presented (Freund and Schapire, 1999) instead of
        the pocket's; they change little with the order, and need not separate where the last weights do.

    Attributes
    ----------
    classes_ : (K,)
    coef_, intercept_ : (K, p) and (K,), or (1, p) and (1,) for two classes.
    status_ : "separated", a pass left no row misclassified (one on the boundary is); or "max_iter", passes ran out.
    n_iter_ : passes made.
    trace_ : (n_iter_ + 1, 2) the criterion :math:`L_P` and the weight of the rows misclassified, at the start and after
        each pass. With "one-vs-rest" the criterion is the sum of the classes'.

    Examples
    --------
    >>> X, y = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], ["no", "no", "no", "yes"]
    >>> model = Perceptron(shuffle=False).fit(X, y)
    >>> model.status_, model.coef_.tolist(), model.intercept_.tolist()
    ('separated', [[3.0, 2.0]], [-4.0])
    >>> Perceptron().fit(X, ["no", "yes", "yes", "no"]).status_
    'max_iter'

    References
    ----------
    Rosenblatt (1958), Psychological Review 65, 386-408. Bishop (2006), Pattern Recognition and Machine Learning,
    section 4.1.7. Gallant (1990), IEEE Transactions on Neural Networks 1, 179-191. Freund and Schapire (1999), Machine
    Learning 37, 277-296. Crammer and Singer (2003), Journal of Machine Learning Research 3, 951-991.
    """

    def __init__(
        self,
        eta0: float = 1.0,
        *,
        max_iter: int = 100,
        shuffle: bool = True,
        random_state: Any = 0,
        multiclass: str = "discriminants",
        average: bool = False,
    ) -> None:
        self.eta0 = eta0
        self.max_iter = max_iter
        self.shuffle = shuffle
        self.random_state = random_state
        self.multiclass = multiclass
        self.average = average

    def fit(
        self, X: Any, y: Any = None, sample_weight: Any = None, coef_init: Any = None, intercept_init: Any = None
    ) -> Self:
        """Learn the classes from rows.

        Parameters
        ----------
        X : (n, p) rows (NumPy, SciPy sparse, pandas, Polars, PyArrow), or a `Source` with its own labels.
        y : (n,) or (n, 1) labels of any hashable scalar type.
        sample_weight : (n,) frequencies: a row of weight 2.5 is presented three times in succession, the last time for
            half a step; weight 0 is its absence.
        coef_init, intercept_init : where to start, in the shapes of `coef_` and `intercept_`; None for zeros.

        Returns
        -------
        self

        Raises
        ------
        InputError
            If rows, labels, weights or options cannot be used, or there are fewer than two classes.
        """
        self._check_options()
        rows = labelled_matrix(X, y, sample_weight, type(self).__name__)
        refuse_one_class(rows.classes)
        start = given_start(len(rows.classes), rows.X.shape[1], coef_init, intercept_init, self.eta0)
        found = self._pass_over(rows, start, np.zeros_like(start), 0.0, self.max_iter)
        self._take(rows.classes, rows.names, found, found.value.average if self.average else found.value.best)
        return self

    def partial_fit(self, X: Any, y: Any = None, classes: Any = None, sample_weight: Any = None) -> Self:
        """Pass once over more rows, from the weights there are; a class not seen before is added, with zero weights.

        What comes last counts most: this is not the same as one fit on all rows. There is no pocket, for it would need
        all rows: the weights are the last, or with average=True the mean over all calls, of which each goes on from the
        last weights. `status_` and `trace_` are of the rows given.

        Parameters
        ----------
        X, y, sample_weight : as in `fit`.
        classes : labels to expect, whether or not they are among these rows.

        Returns
        -------
        self

        Raises
        ------
        InputError
            If rows, labels, weights or options cannot be used, or there are fewer than two classes so far.
        """
        self._check_options()
        rows = labelled_matrix(X, y, sample_weight, type(self).__name__)
        names = rows.names
        if classes is not None:
            rows, _ = over_classes(rows, encode_labels(classes)[1])
        last = sums = np.zeros((len(rows.classes), rows.X.shape[1] + 1))
        presented = 0.0
        if self.__sklearn_is_fitted__():
            known = getattr(self, "feature_names_in_", None)
            check_columns(rows.X.shape[1], names, self.n_features_in_, known, type(self).__name__)
            names = names if known is None else known
            rows, place = over_classes(rows, self.classes_)
            last, sums = (spread(weights, place, len(rows.classes)) for weights in (self._last, self._sums))
            presented = self._presented
        refuse_one_class(rows.classes, " Name the others with classes=.")
        found = self._pass_over(
            rows, as_coefficients(last) / self.eta0, as_coefficients(sums) / self.eta0, presented, 1
        )
        self._take(rows.classes, names, found, found.value.average if self.average else found.value.last)
        return self

    def _check_options(self) -> None:
        positive(self.eta0, "eta0")
        counting(self.max_iter, "max_iter")
        truth(self.shuffle, "shuffle")
        truth(self.average, "average")
        one_of(self.multiclass, "multiclass", SCHEMES)

    def _pass_over(
        self, given: LabelledMatrix, start: Array, sums: Array, presented: float, passes: int
    ) -> Solution[Weights]:
        """Learn with steps of one; steps of another size only make everything that many times as large."""
        refuse_large(given.X, given.names)
        rng = generator_of(self.random_state)
        rows = Rows(given.X, given.codes, given.weight, len(given.classes))
        orders: Iterable[NDArray[np.intp]] = repeat(np.arange(len(given.codes)), passes)
        if self.shuffle:
            places, weight = distinct_rows(given.X, given.codes, given.weight)
            rows = replace(rows, weight=np.zeros_like(given.weight))
            rows.weight[places] = weight
            orders = (rng.permutation(places) for _ in range(passes))
        scheme = TWO if rows.K == 2 else SCHEMES[self.multiclass]
        return perceptron(rows, scheme, start, sums, presented, orders)

    def _take(
        self, classes: NDArray[Any], names: NDArray[Any] | None, found: Solution[Weights], weights: Array
    ) -> None:
        """Take what was found with steps of one as one's own, in steps of the size asked for."""
        last = found.value.last if self.average else weights  # from where partial_fit goes on
        with np.errstate(over="ignore"):
            last, sums, scores = (self.eta0 * a_class_each(w, len(classes)) for w in (last, found.value.sums, weights))
        if not np.isfinite(scores).all():
            raise InputError(
                f"weights too large for a number; give a smaller eta0 (it is {self.eta0!r}) or smaller sample weights."
            )
        self._last, self._sums, self._presented = last, sums, found.value.presented
        self._learn(classes, Affine(np.zeros(scores.shape[1] - 1), scores[:, :-1], scores[:, -1]), names)
        self.status_ = STATUS[found.status]
        self.n_iter_ = found.iterations
        self.trace_ = np.column_stack([self.eta0 * found.trace, found.value.errors])
