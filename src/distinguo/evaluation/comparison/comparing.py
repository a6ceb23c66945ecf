"""Models compared on the same held-out rows: the public function, and the tables that it returns."""

from __future__ import annotations

import pickle
import textwrap
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import cached_property
from html import escape
from typing import Any

import numpy as np

from distinguo.advice import Advice
from distinguo.evaluation.checks.advice import advice
from distinguo.evaluation.checks.table_columns import first_hole
from distinguo.evaluation.comparison.contenders import Models, contenders
from distinguo.evaluation.comparison.contest import Prepared, Result, majority, rank
from distinguo.evaluation.comparison.contest import compare as compare_on_splits
from distinguo.evaluation.comparison.differences import Differences, differences
from distinguo.evaluation.comparison.leaderboard import Leaderboard
from distinguo.evaluation.comparison.schemes import scheme as splits_by
from distinguo.evaluation.comparison.schemes import whole_seed
from distinguo.evaluation.conformal.folds import Counting
from distinguo.evaluation.texts import plain_label, plain_rows
from distinguo.resampling import Rows
from distinguo.rows.labels import label_list, label_text, refuse_one_class
from distinguo.rows.selection import take_rows
from distinguo.rows.uncut import uncut_rows

# Characters in a line of prose.
WIDTH = 110


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """Models on the same rows held out; `print` shows it.

    Attributes
    ----------
    n : rows, by frequency.
    classes : {label: rows}, by frequency.
    scheme : how rows were held out.
    folds : into how many parts each repeat fell; 1 where test rows were drawn.
    seed : of the splits, and of models that leave theirs open.
    results : one a model, the best first and last those that could not take part, each with its reason; the
        baseline is called "majority". `results[i].measured.held_out` is what a model said of each row.
    differences : each model less the best; None where fewer than two took part.
    advice : what to mend before the figures are believed.
    """

    n: float
    classes: dict[Any, float]
    scheme: str
    folds: int
    seed: int
    results: tuple[Result, ...]
    differences: Differences | None
    advice: tuple[Advice, ...]

    @property
    def best(self) -> str | None:
        """The model of lowest log loss, the baseline apart; of highest accuracy where none has probabilities."""
        models = [result.name for result in self.results if result.measured and result.name != majority().name]
        return models[0] if models else None

    @cached_property
    def table(self) -> Leaderboard:
        """The figures of those that took part, the best first."""
        measured = [(result.name, result.measured) for result in self.results if result.measured is not None]
        shown = ", ".join(f"{label_text(label)} {count:g}" for label, count in list(self.classes.items())[:8])
        more = f" and {len(self.classes) - 8} more" if len(self.classes) > 8 else ""
        return Leaderboard.of_results(f"{self.n:g} rows, {len(self.classes)} classes: {shown}{more}", measured)

    def to_frame(self) -> Any:
        """The leaderboard as a pandas data frame."""
        return self.table.to_frame()

    def to_dict(self) -> dict[str, Any]:
        """All of it, as JSON takes it; None where there is no number."""
        return {
            "rows": self.n,
            "classes": {str(plain_label(label)): count for label, count in self.classes.items()},
            "scheme": self.scheme,
            "folds": self.folds,
            "seed": self.seed,
            "best": self.best,
            "models": plain_rows(self.table.rows()),
            "excluded": {result.name: result.reason for result in self.results if result.reason},
            "warnings": {result.name: list(result.warnings) for result in self.results if result.warnings},
            "differences": [] if self.differences is None else plain_rows(self.differences.rows()),
            "advice": [asdict(warning) for warning in self.advice],
        }

    def __str__(self) -> str:
        parts = [str(self.table)]
        if self.differences is not None:
            parts.append(str(self.differences))
        parts.append("\n".join(map(_wrapped, [*self._reasons(), *map(str, self.advice)])))
        parts.append(f"{self.scheme}; ± one standard error; a lower log loss is better")
        return "\n\n".join(part for part in parts if part)

    __repr__ = __str__

    def _reasons(self) -> list[str]:
        return [f"{result.name} is not compared: {result.reason}" for result in self.results if result.reason]

    def _repr_html_(self) -> str:
        tables = [self.table, *([] if self.differences is None else [self.differences])]
        below = [*self._reasons(), *map(str, self.advice), self.scheme]
        return "".join([table._repr_html_() for table in tables] + [f"<p>{escape(text)}</p>" for text in below])


def _wrapped(text: str) -> str:
    """A paragraph in lines that can be read."""
    return textwrap.fill(text, WIDTH, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False)


def compare(
    models: Models,
    X: Any,
    y: Any,
    *,
    folds: int | None = None,
    repeats: int | None = None,
    scheme: str = "stratified",
    test_fraction: float | None = None,
    random_state: int = 0,
    sample_weight: Any = None,
    memory: bool = True,
    advance: Callable[[], None] | None = None,
) -> Comparison:
    """Models on the same rows held out, with what each costs, how sure differences are, and what to mend.

    Every model is fitted anew to the training rows of every split, and tunes itself there and nowhere else: a model
    of `C="cv"`, a `GridSearchCV` or a pipeline never sees the rows that it is tested on.

    Parameters
    ----------
    models : {name: model}, a list of models, or None for those that the catalogue compares. A model is a scikit-learn
        classifier of any library, or a name of the catalogue, such as "lda".
    X : (n, p) rows of any container; handed on as they are, so that columns of words are for models that take them,
        such as `MixedNB`, and for pipelines that encode them.
    y : (n,) labels of any hashable scalar type.
    folds : of scheme="stratified"; 5 unless given.
    repeats : how often all rows are shuffled and dealt to folds, 2 unless given; or how often test rows are drawn,
        10 unless given.
    scheme : "stratified", repeated stratified folds, or "monte-carlo", repeated stratified draws of test rows.
    test_fraction : share of rows to draw with scheme="monte-carlo"; .2 unless given.
    random_state : a whole number; the same gives the same splits and figures (but for times). Models that leave their
        `random_state` at None get it too.
    sample_weight : (n,) frequencies: in fits, and in every figure. A row of weight 2 stays in one fold with itself.
    memory : whether to measure peak memory, what Python and NumPy hold beyond the rows while the first split is
        fitted: one more fit of each model, two to four times as slow as the others, of Python trees up to ten.
    advance : called after each model and split, for a progress bar.

    Returns
    -------
    Comparison

    Raises
    ------
    InputError
        If rows, labels, weights or options cannot be used, or a class has a single row. What a model raises is told
        as its reason, and the others go on.
    InputTypeError
        If something in `models` is no classifier.

    Notes
    -----
    The baseline, the commonest class always, takes part as "majority". The best model was chosen by the same figures
    that its lead is measured by, and where many models are compared one of them is likely to look good by chance: rows
    that took no part tell.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from distinguo import compare
    >>> comparison = compare(["lda", "qda"], *load_iris(return_X_y=True))
    >>> comparison.best, comparison.table.model.tolist()
    ('lda', ['lda', 'qda', 'majority'])
    >>> comparison.table.accuracy.round(3).tolist()
    [0.98, 0.97, 0.333]

    References
    ----------
    Nadeau and Bengio (2003), Inference for the generalization error, Machine Learning 52, 239-281. Cawley and Talbot
    (2010), On over-fitting in model selection, Journal of Machine Learning Research 11, 2079-2107.
    """
    seed = whole_seed(random_state)
    competing = contenders(models, seed)
    uncut = uncut_rows(X, y, sample_weight, "compare")
    rows = Counting.of(uncut, True)
    refuse_one_class(rows.classes)
    weight = rows.weights()
    splits = splits_by(scheme, rows.codes, rows.classes, folds, repeats, test_fraction, seed)

    hole = first_hole(uncut.X)

    def prepare(train: Rows, test: Rows, encoding: str) -> Prepared:
        return Prepared(take_rows(rows.X, train), take_rows(rows.X, test), hole, _pickled_size)

    results = compare_on_splits(
        [majority(), *competing],
        rows.labels,
        splits.splits,
        prepare,
        advance or (lambda: None),
        weight=rows.weight,
        memory=memory,
    )
    ordered = sorted(results, key=_place)
    measured = [(result.name, result.measured) for result in ordered if result.measured is not None]
    best_first = sorted(measured, key=lambda pair: pair[0] == majority().name)
    made = {contender.name: contender.make() for contender in competing}
    totals = np.bincount(rows.codes, weight)
    return Comparison(
        n=float(weight.sum()),
        classes=dict(zip(label_list(rows.classes), totals.tolist(), strict=True)),
        scheme=splits.words,
        folds=splits.folds,
        seed=seed,
        results=tuple(ordered),
        differences=differences(best_first, splits.splits, rows.codes, weight) if len(measured) > 1 else None,
        advice=advice(rows.X, rows.labels, ordered, models=made, sample_weight=rows.weight, folds=splits.folds),
    )


def _place(result: Result) -> tuple[Any, ...]:
    """What sorts results, whatever the order of the models: rank, then name; last those without figures."""
    return (result.measured is None, *(rank(result.measured) if result.measured else ()), result.name)


def _pickled_size(model: Any) -> int:
    """Bytes of a model's pickle; 0 where it has none."""
    try:
        return len(pickle.dumps(model, protocol=5))
    except (pickle.PicklingError, AttributeError, TypeError):
        return 0
