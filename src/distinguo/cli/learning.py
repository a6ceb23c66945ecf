"""From a labelled table to models: compared on the same folds, or fitted on all rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from distinguo.advice import Advice
from distinguo.catalogue import COMPARED, COMPARED_ON_TEXTS, Entry, listed
from distinguo.cli import terminal
from distinguo.cli.advising import advice_for, advice_of_comparison
from distinguo.cli.encoders import AnyEncoder, encoder_of, first_hole
from distinguo.cli.large import Large
from distinguo.cli.left_out import NOTHING_LEFT_OUT, LeftOut
from distinguo.cli.persistence import SavedModel, to_bytes
from distinguo.cli.roles import Overrides, Role, assign, fixed
from distinguo.cli.table import Labelled, Reading, check_classes
from distinguo.evaluation.comparison.contest import Contender, Measured, Prepared, Result, compare, majority, rank
from distinguo.evaluation.comparison.differences import Differences, differences
from distinguo.evaluation.comparison.schemes import Scheme, scheme
from distinguo.exceptions import InputError
from distinguo.resampling import Rows
from distinguo.rows.labels import encode_labels

# So many classes of few rows are told one by one, more in one line.
FEW_CLASSES = 3


@dataclass(frozen=True, slots=True)
class Plan:
    """How models are compared.

    Attributes
    ----------
    folds, repeats : of the cross-validations.
    seed : what shuffles the rows.
    entries : which models.
    test_share : instead of folds, `repeats` times so large a share of the rows is drawn to test on.
    memory : whether the peak memory of a fit is measured.
    """

    folds: int = 5
    repeats: int = 2
    seed: int = 0
    entries: Sequence[Entry] = COMPARED
    test_share: float | None = None
    memory: bool = False

    @property
    def words(self) -> str:
        """The same in words."""
        repeats = terminal.plural(self.repeats, "repeat")
        if self.test_share is None:
            return f"{self.folds} folds x {repeats}, seed {self.seed}"
        return f"{self.test_share:.0%} of the rows drawn to test on, {repeats}, seed {self.seed}"

    def scheme(self, labels: NDArray[Any]) -> Scheme:
        """Which rows (n,) are learned from and tested on."""
        codes, classes = encode_labels(labels)
        if self.test_share is None:
            return scheme("stratified", codes, classes, self.folds, self.repeats, None, self.seed)
        return scheme("monte-carlo", codes, classes, None, self.repeats, self.test_share, self.seed)


@dataclass(frozen=True, slots=True)
class Lesson:
    """A labelled table, how it is written, what the user has settled about its columns, and the roles of these.

    Attributes
    ----------
    held : its rows; None of a large table.
    text_options : of TextCounts, where a column of texts is read.
    large : the table, where it is too large to be held; models are then compared on rows drawn from it.
    """

    held: Labelled | None
    reading: Reading
    overrides: Overrides
    roles: Sequence[Role]
    text_options: Mapping[str, Any] = field(default_factory=dict)
    large: Large | None = None

    @property
    def rows(self) -> Labelled:
        """Its rows, or those drawn from a large one."""
        if self.large is not None:
            return self.large.sample
        assert self.held is not None
        return self.held

    @property
    def texts(self) -> tuple[str, ...]:
        """The columns of texts that models read, if any."""
        return tuple(role.column for role in self.roles if role.read)

    def encoding(self, entry: Entry) -> str:
        """How the rows are shown to a model.

        Raises
        ------
        InputError
            If it takes no texts, and there is nothing else.
        """
        if not self.texts:
            return entry.encoding
        if entry.texts is None:
            takers = ", ".join(other.name for other in COMPARED_ON_TEXTS)
            raise InputError(f"{entry.name} reads no texts, and {self._read} is one; these models do: {takers}.")
        return entry.texts

    @property
    def _read(self) -> str:
        return " and ".join(f"column {name!r}" for name in self.texts)

    def settled(self) -> Overrides:
        """What the user has settled, and that parts of the rows are read as the whole is: by their texts or not."""
        if self.large is not None:
            return fixed(self.roles)
        return replace(self.overrides, text=self.texts)

    def notes_of_drawn(self) -> list[str]:
        """What the user should know where rows are drawn to stand for all."""
        if self.large is None:
            return []
        drawn, n = len(self.rows.labels), self.large.n
        return [f"the table is too large to be held: {drawn:,} rows, drawn from {n:,}, stand for all"]

    def notes(self) -> list[str]:
        """What the user should know about the rows before any model sees them."""
        left_out, name = self._unlabelled
        target = f"{terminal.plural(left_out, 'row')} without {name!r} left out"
        return [*([target] if left_out else []), *(role.hint for role in self.roles if role.hint)]

    @property
    def _unlabelled(self) -> tuple[int, str]:
        """How many rows have no label, and the name of the column; without drawing rows."""
        if self.large is not None:
            return self.large.unlabelled, self.large.rows.target
        return self.rows.unlabelled, self.rows.target

    def advice(self, entries: Sequence[Entry]) -> tuple[Advice, ...]:
        """What speaks against the rows, or these models of them."""
        return advice_for(self.rows.grid, self.roles, self.rows.labels, entries, self.text_options)

    def advice_of(self, plan: Plan, results: Sequence[Result]) -> tuple[Advice, ...]:
        """What to mend before the figures of a comparison are believed, and what speaks against the rows or models."""
        rows, folds = self.rows, plan.scheme(self.rows.labels).folds
        found = advice_of_comparison(rows.grid, self.roles, rows.labels, plan.entries, results, folds)
        return tuple(sorted((*found, *self.advice(plan.entries)), key=lambda warning: warning.code))

    def saved(
        self,
        name: str,
        model: object,
        encoder: AnyEncoder,
        labels: np.ndarray,
        warnings: tuple[Advice, ...] = (),
        left_out: LeftOut = NOTHING_LEFT_OUT,
        counts: NDArray[np.int64] | None = None,
    ) -> SavedModel:
        """A fitted model with what predicting and describing need; `counts` (K,) where not all rows are held."""
        spelling = self.reading.spelling
        counts = np.unique(labels, return_counts=True)[1] if counts is None else counts
        how = (self._unlabelled[1], counts.astype(np.int64), spelling.decimal, spelling.nulls)
        return SavedModel(name, model, encoder, *how, warnings, left_out)


def compare_models(lesson: Lesson, plan: Plan, quiet: bool) -> tuple[list[Result], list[str]]:
    """The results, and what the user should know about the folds."""
    labels = lesson.rows.labels
    counts = check_classes(labels, lesson.rows.target, least=2)
    notes = _untested(counts, plan)
    splits = plan.scheme(labels).splits
    contenders = [_contender(entry, lesson.encoding(entry)) for entry in plan.entries]
    contenders = [replace(majority(), encoding=contenders[0].encoding), *contenders]
    with terminal.progress("comparing", len(splits) * len(contenders), quiet) as advance:
        results = compare(contenders, labels, splits, _preparation(lesson), advance, memory=plan.memory)
    return results, notes


def _untested(counts: Mapping[str, int], plan: Plan) -> list[str]:
    """What the user should know of classes that some folds test none of."""
    few = sorted((count, label) for label, count in counts.items() if plan.test_share is None and count < plan.folds)
    if len(few) > FEW_CLASSES:
        shown = listed([label for _, label in few])
        return [f"{len(few)} classes have fewer rows than there are folds, {plan.folds}, so some test none of {shown}"]
    return [
        f"class {label!r} has {count} rows, so some of the {plan.folds} folds test none of it" for count, label in few
    ]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a comparison comes to, worked out once for all that show it.

    Attributes
    ----------
    results : one a model.
    differences : each model less the best, where two or more took part.
    advice : what to mend before the figures are believed, and what speaks against the rows or models.
    """

    results: Sequence[Result]
    differences: Differences | None
    advice: tuple[Advice, ...]

    @classmethod
    def of(cls, lesson: Lesson, plan: Plan, results: Sequence[Result]) -> Verdict:
        """From what was measured."""
        return cls(results, _differences(lesson, plan, results), lesson.advice_of(plan, results))


def _differences(lesson: Lesson, plan: Plan, results: Sequence[Result]) -> Differences | None:
    """Each model less the best, where two or more took part."""
    measured = sorted(
        ((result.name, result.measured) for result in results if result.measured is not None),
        key=lambda pair: rank(pair[1]),
    )
    if len(measured) < 2:
        return None
    labels = lesson.rows.labels
    codes = encode_labels(labels)[0]
    return differences(measured, plan.scheme(labels).splits, codes, np.ones(len(codes)))


def _contender(entry: Entry, encoding: str) -> Contender:
    return Contender(entry.name, entry.title, entry.make, entry.holes, entry.probabilities, encoding)


def _preparation(lesson: Lesson) -> Callable[[Rows, Rows, str], Prepared]:
    """From row numbers to numbers, with everything learned from the training rows."""
    grid, labels, overrides = lesson.rows.grid, lesson.rows.labels, lesson.settled()

    def prepare(train: Rows, test: Rows, encoding: str) -> Prepared:
        learned, held_out = grid.take(train), grid.take(test)
        encoder = encoder_of(learned, assign(learned, overrides), encoding, lesson.text_options)
        X, X_test = encoder.encode(learned), encoder.encode(held_out)
        hole = first_hole(encoder, learned, X) or first_hole(encoder, held_out, X_test)
        return Prepared(X, X_test, hole, lambda model: len(to_bytes(lesson.saved("", model, encoder, labels[train]))))

    return prepare


def best(results: Sequence[Result]) -> tuple[Result, Measured]:
    """The model of lowest log loss, the baseline apart; of highest accuracy where none has probabilities.

    Raises
    ------
    InputError
        If no model could take the table.
    """
    models = results[1:]
    measured = [(result, result.measured) for result in models if result.measured is not None]
    if not measured:
        raise InputError("no model can take this table: " + "; ".join(f"{r.name} {r.reason}" for r in models))
    return min(measured, key=lambda pair: rank(pair[1]))
