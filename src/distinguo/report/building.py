"""From a table and a comparison to everything that a report says."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from distinguo.advice import Advice
from distinguo.evaluation.assessment.evaluation import Evaluation
from distinguo.evaluation.assessment.reliability import Reliability
from distinguo.exceptions import InputError
from distinguo.report.board import board_of, chosen_of
from distinguo.report.curves import Curves, curves_of
from distinguo.report.held import Said, commonest
from distinguo.report.material import Material
from distinguo.report.overview import overview_of
from distinguo.report.reading import Read, read_of
from distinguo.report.summary import Board, Chosen, Mistake, Overview
from distinguo.report.sweep import MOST_LEVELS, Sweep, sweep_of
from distinguo.report.texts import names_of, plain
from distinguo.rows.labels import encode_labels, label_list

# So many classes have curves and a slider of their own.
MOST_CURVES = 10


@dataclass(frozen=True, eq=False)
class Report:
    """Everything that the page says; `to_html` and `to_json` write it.

    Attributes
    ----------
    title : of the page.
    overview : the table.
    board : the comparison.
    chosen : the model that the rest is about.
    evaluation, reliability : of the rows as they were held out; reliability is None without probabilities.
    curves, sweeps : of the commonest classes, each against the rest.
    mistakes : rows taken for another class, those of which the model was surest.
    read : what the classes are like, and what the model goes by.
    advice : coded warnings.
    notes : what else is to be known.
    """

    title: str
    overview: Overview
    board: Board
    chosen: Chosen
    evaluation: Evaluation
    reliability: Reliability | None
    curves: tuple[Curves, ...]
    sweeps: tuple[Sweep, ...]
    mistakes: tuple[Mistake, ...]
    read: Read
    advice: tuple[Advice, ...]
    notes: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """All numbers of the page as JSON has them."""
        return {
            "title": self.title,
            "overview": asdict(self.overview),
            "comparison": asdict(self.board),
            "chosen": asdict(self.chosen),
            "evaluation": self.evaluation.to_dict(),
            "reliability": None if self.reliability is None else self.reliability.to_dict(),
            "curves": [asdict(curve) for curve in self.curves],
            "thresholds": [asdict(sweep) for sweep in self.sweeps],
            "mistakes": [asdict(mistake) for mistake in self.mistakes],
            **self.read.to_dict(),
            "advice": [asdict(advice) for advice in self.advice],
            "notes": list(self.notes),
        }

    def to_json(self) -> str:
        """The same as text: the same report gives the same."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False) + "\n"

    def to_html(self) -> str:
        """One page that needs nothing else: the same report gives the same."""
        from distinguo.report.rendering import render

        return render(self)


def build(material: Material) -> Report:
    """Everything that the page says.

    Raises
    ------
    InputError
        If no model took part in the comparison, or `positive` is no class of two.
    """
    chosen = chosen_of(material.results)
    assert chosen.measured is not None
    labels = encode_labels(material.labels)[1]
    names = names_of(label_list(labels))
    said = Said.of(chosen.measured, material.labels, names)
    evaluation = said.evaluation(positive_of(material.positive, labels))
    shown = _shown_classes(said, evaluation)
    settings = () if material.fitted is None else tuple(plain(text) for text in material.fitted.settings)
    return Report(
        title=plain(material.title),
        overview=overview_of(material, names),
        board=board_of(material, chosen),
        chosen=Chosen(plain(chosen.name), plain(chosen.title), settings),
        evaluation=evaluation,
        reliability=said.reliability(),
        curves=tuple(filter(None, (_curves(said, evaluation, k) for k in shown))),
        sweeps=tuple(sweep_of(*_one(said, k), MOST_LEVELS // len(shown)) for k in shown),
        mistakes=said.mistakes(material.numbered(), material.texts()),
        read=read_of(material, plain(chosen.title), said),
        advice=tuple(Advice(a.code, plain(a.sentence, 600), plain(a.remedy, 600)) for a in material.advice),
        notes=tuple(plain(note, 400) for note in material.notes),
    )


def positive_of(positive: Any, labels: NDArray[Any]) -> Any:
    """The class looked for among (K,) labels; known by its text too, as command lines have it. None for None.

    Raises
    ------
    InputError
        If there are not two classes, or it is none of them.
    """
    if positive is None:
        return None
    known = label_list(labels)
    if len(known) != 2:
        raise InputError(f"positive={positive!r} is for two classes; there are {len(known)}.")
    for label in known:
        if label == positive or str(label) == str(positive):
            return label
    raise InputError(f"positive={positive!r} is no class; the classes are {known[0]!r} and {known[1]!r}.")


def _shown_classes(said: Said, evaluation: Evaluation) -> list[int]:
    """Classes that have curves: of two the positive one, of more the commonest; none without probabilities."""
    if said.probabilities is None:
        return []
    if len(said.names) == 2:
        return [said.names.index(evaluation.positive)]
    return sorted(commonest(said.codes, len(said.names), MOST_CURVES))


def _one(said: Said, k: int) -> tuple[str, NDArray[np.bool_], NDArray[np.float64]]:
    """A class: its name, the rows of it, and how probable it was."""
    assert said.probabilities is not None
    return said.names[k], np.asarray(said.codes == k), said.probabilities[:, k]


def _curves(said: Said, evaluation: Evaluation, k: int) -> Curves | None:
    areas = (evaluation[metric, said.names[k]].value for metric in ("roc_area", "pr_area"))
    return curves_of(*_one(said, k), *areas)
