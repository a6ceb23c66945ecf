"""From what a command line asks of predict to the remarks that say it."""

from __future__ import annotations

from dataclasses import dataclass

from distinguo.catalogue import find
from distinguo.cli.deciding import Wanted, positive_column, require_probabilities
from distinguo.cli.persistence import SavedModel
from distinguo.cli.remarks import (
    FamiliarSets,
    Label,
    LeftOutTypicality,
    LikelySets,
    Probabilities,
    Remark,
    Typicality,
    Unsure,
)
from distinguo.cli.running import UsageError
from distinguo.evaluation.conformal.calibration import SetCalibration
from distinguo.evaluation.novelty.calibration import NoveltyCalibration
from distinguo.exceptions import InputError

# A row less typical than this of every class is novel, unless the user says otherwise.
NOVEL_BELOW = 0.001
HOW_TO_LEAVE_OUT = "Fit it again with --sets, or 'distinguo calibrate' holds it against labelled rows it has not seen."


@dataclass(frozen=True, slots=True)
class Asked:
    """What a command line asks to be said.

    Attributes
    ----------
    wanted : how classes are decided for.
    positive : the class that `unsure` is about, as text, or None.
    unsure : two cut-offs, or None.
    alpha : of prediction sets, or None.
    sets_by : "posterior" or "density", or None for the first.
    novel_below : the typicality under which rows are novel, or None for the usual one.
    false_alarm : instead of that, the share of familiar rows that may be called novel, or None.
    """

    wanted: Wanted
    positive: str | None
    unsure: tuple[float, float] | None
    alpha: float | None
    sets_by: str | None
    novel_below: float | None
    false_alarm: float | None

    def __post_init__(self) -> None:
        """Raise where one option leaves another without effect."""
        if self.sets_by is not None and self.alpha is None:
            raise UsageError("--sets-by says by what sets are made; give --sets too.")
        if self.novel_below is not None and self.false_alarm is not None:
            raise UsageError("--novel-below and --false-alarm are two ways to call rows novel; give one.")


def remarks_of(saved: SavedModel, asked: Asked) -> list[Remark]:
    """All that is to be said of rows, in the order of its columns.

    Raises
    ------
    InputError
        If the model cannot say it.
    """
    entry, classes = find(saved.name), saved.model.classes_
    found: list[Remark] = [Label(classes, asked.wanted.rule(saved))]
    if entry.probabilities or saved.is_calibrated:
        found.append(Probabilities(classes))
    if asked.unsure is not None:
        require_probabilities(saved)
        found.append(Unsure(asked.unsure, positive_column(saved, asked.positive, "--unsure")))
    if asked.alpha is not None:
        by_density = asked.sets_by == "density"
        alpha = asked.alpha
        found.append(
            FamiliarSets(_novelty(saved, "--sets-by density"), alpha) if by_density else LikelySets(_sets(saved), alpha)
        )
    if asked.false_alarm is not None:
        found.append(LeftOutTypicality(_novelty(saved, "--false-alarm"), asked.false_alarm))
    elif entry.typicality:
        found.append(Typicality(NOVEL_BELOW if asked.novel_below is None else asked.novel_below))
    elif asked.novel_below is not None:
        raise InputError(f"--novel-below needs a model that describes its classes; {saved.name} does not.")
    return found


def _sets(saved: SavedModel) -> SetCalibration:
    if saved.left_out.sets is None:
        raise InputError(
            f"--sets needs rows that {saved.name} has not seen, and its file knows of none. {HOW_TO_LEAVE_OUT}"
        )
    return saved.left_out.sets


def _novelty(saved: SavedModel, what: str) -> NoveltyCalibration:
    if not find(saved.name).density:
        raise InputError(f"{what} needs a model that describes its classes; {saved.name} does not.")
    if saved.left_out.novelty is None:
        raise InputError(
            f"{what} needs rows that {saved.name} has not seen, and its file knows of none. {HOW_TO_LEAVE_OUT}"
        )
    return saved.left_out.novelty
