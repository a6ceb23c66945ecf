"""Why a row is taken for one class rather than another: what each column adds to the log-odds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from distinguo.densities.base import ByColumn
from distinguo.exceptions import InputError
from distinguo.generative.base import GenerativeClassifier
from distinguo.generative.description import Description, S
from distinguo.generative.smoothing import column_names
from distinguo.rows.labels import label_list, label_text

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Explanation:
    r"""One decision as a sum: :math:`\log \frac{P(a | x)}{P(b | x)} = \log \frac{\pi_a}{\pi_b} + \sum_j c_j`.

    Attributes
    ----------
    label, against : the classes a and b.
    names : (p,) the columns.
    values : (p,) the row's cells.
    contributions : (p,) c, in nats; above zero what speaks for a, below what speaks for b.
    prior : log of the ratio of the priors.
    log_odds : the sum of all; infinite where one class is impossible.
    probability : P(a | x) among all classes, as `predict_proba` gives it.
    """

    label: Any
    against: Any
    names: NDArray[Any]
    values: NDArray[Any]
    contributions: Array
    prior: float
    log_odds: float
    probability: float

    def largest(self, n: int = 10) -> list[tuple[str, float]]:
        """The n columns that add most, for either class, with what they add."""
        order = np.argsort(-np.abs(self.contributions), kind="stable")[:n]
        return [(str(self.names[j]), float(self.contributions[j])) for j in order]

    def __str__(self) -> str:
        """A line for each of the ten columns that add most, the others together, the prior, and the sum."""
        shown = self.largest(10)
        rest = self.log_odds - self.prior - sum(value for _, value in shown)
        lines = [
            f"{label_text(self.label)} rather than {label_text(self.against)}: P = {self.probability:.3g}",
            *(f"{value:+10.3f}  {name}" for name, value in shown),
            *([f"{rest:+10.3f}  the other columns"] if len(self.names) > len(shown) else []),
            f"{self.prior:+10.3f}  prior",
            f"{self.log_odds:+10.3f}  log-odds",
        ]
        return "\n".join(lines)


class Explains(GenerativeClassifier[S, Any]):
    """Models whose columns each add their own part to a score."""

    def explain(self, X: Any, label: Any = None, against: Any = None) -> Explanation:
        """What each column of one row adds to the log-odds of two classes.

        Parameters
        ----------
        X : (1, p) the row.
        label : a class; by default the one predicted.
        against : another; by default the likeliest of the others.

        Returns
        -------
        Explanation

        Raises
        ------
        InputError
            If X is not one row, or a class is unknown, twice the same, or both are impossible for this row.

        Examples
        --------
        >>> from distinguo import MultinomialNB
        >>> model = MultinomialNB().fit([[2, 0], [1, 0], [0, 1]], ["spam", "spam", "ham"])
        >>> why = model.explain([[1, 0]])
        >>> why.label, why.against, bool(why.log_odds == why.prior + why.contributions.sum())
        ('spam', 'ham', True)
        """
        description = self._describe()
        blocks = [block for _, block in self._blocks(X)]
        if len(blocks) != 1 or blocks[0].shape[0] != 1:
            raise InputError("explain takes one row; give X of shape (1, p).")
        block: Array = self._table(X).read(0, 1)
        scores = description.scores(block)[0]
        a, b = self._pair(scores, label, against)
        contributions, prior = _parts(description, block, a, b)
        classes = label_list(self.classes_)
        values = block if self._coding is None else self._coding.as_given(self, block)
        names = column_names(getattr(self, "feature_names_in_", None), self.n_features_in_)
        with np.errstate(invalid="ignore"):
            return Explanation(
                label=classes[a],
                against=classes[b],
                names=np.array(names, dtype=object),
                values=values[0],
                contributions=contributions,
                prior=prior,
                log_odds=float(prior + contributions.sum()),
                probability=float(description.posteriors(block)[0, a]),
            )

    def _pair(self, scores: Array, label: Any, against: Any) -> tuple[int, int]:
        """The places of the two classes."""
        if len(scores) < 2:
            raise InputError("explain needs two classes, and the model has one.")
        known = label_list(self.classes_)
        for asked in (label, against):
            if asked is not None and asked not in known:
                raise InputError(f"there is no class {label_text(asked)}; the classes are {known[:12]}.")
        a = int(np.flatnonzero(self.classes_ == self._chosen(scores))[0]) if label is None else known.index(label)
        others = np.where(np.arange(len(scores)) == a, -np.inf, scores)
        runner_up = int(others.argmax()) if np.isfinite(others).any() else int(a == 0)
        b = runner_up if against is None else known.index(against)
        if a == b:
            raise InputError(f"explain compares two classes; {label_text(known[a])} came twice.")
        return a, b

    def _chosen(self, scores: Array) -> Any:
        from distinguo.hyperplane import decide

        return self.classes_[decide(scores[None])[0]]


def _parts(description: Description[Any, ByColumn], block: Array, a: int, b: int) -> tuple[Array, float]:
    """(p,) what columns add to the score of class a less that of b, and what the priors add.

    Where a row is impossible under every class, the decision is the priors' alone.
    """
    terms = description.density.terms(block)[0]  # (K, p)
    place = np.cumsum(description.active) - 1
    with np.errstate(divide="ignore", invalid="ignore"):
        prior = float(np.log(description.priors[a]) - np.log(description.priors[b]))
        alive = [k for k in (a, b) if description.active[k]]
        if not np.isfinite(terms.sum(axis=1) + np.log(description.priors[description.active])).any():
            return np.zeros(block.shape[1]), prior
        if len(alive) < 2 or np.isneginf(terms[place[[a, b]]].sum(axis=1)).all():
            raise InputError("neither class can be compared: one has no rows, or both are impossible for this row.")
        return np.asarray(terms[place[a]] - terms[place[b]]), prior
