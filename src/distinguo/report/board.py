"""The comparison as the report shows it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from distinguo.evaluation.comparison.contest import Measured, Result, majority, rank
from distinguo.exceptions import InputError
from distinguo.report.material import Material
from distinguo.report.summary import Board, Excluded, ModelFigures
from distinguo.report.texts import finite, plain

BASELINE = majority().name


def chosen_of(results: Sequence[Result]) -> Result:
    """The model of lowest log loss, the baseline apart; of highest accuracy where none has probabilities.

    Raises
    ------
    InputError
        If no model took part.
    """
    found = [result for result in _ordered(results) if result.name != BASELINE]
    if not found:
        reasons = "; ".join(f"{result.name} {result.reason}" for result in results if result.reason)
        raise InputError(f"no model could take part, so there is nothing to report: {reasons or 'none was compared'}.")
    return found[0]


def board_of(material: Material, chosen: Result) -> Board:
    """The figures of all models, the best first."""
    ordered = _ordered(material.results)
    apart = {} if material.differences is None else {row["model"]: row for row in material.differences.rows()}
    texts = dict.fromkeys(text for result in material.results for text in result.warnings)
    return Board(
        scheme=material.scheme,
        models=tuple(_figures(result, result is chosen, apart.get(result.name, {})) for result in ordered),
        excluded=tuple(
            Excluded(plain(result.name), plain(result.reason, 400)) for result in material.results if result.reason
        ),
        warnings=tuple(
            f"{', '.join(plain(r.name) for r in material.results if text in r.warnings)}: {plain(text, 400)}"
            for text in texts
        ),
    )


def _ordered(results: Sequence[Result]) -> list[Result]:
    """Those that took part, the best first."""
    measured = [(result, result.measured) for result in results if result.measured is not None]
    return [result for result, _ in sorted(measured, key=lambda pair: (*rank(pair[1]), pair[0].name))]


def _numbers(result: Result) -> Measured:
    assert result.measured is not None
    return result.measured


def _figures(result: Result, is_chosen: bool, apart: dict[str, Any]) -> ModelFigures:
    numbers = _numbers(result)
    return ModelFigures(
        name=plain(result.name),
        title=plain(result.title),
        is_baseline=result.name == BASELINE,
        is_chosen=is_chosen,
        accuracy=numbers.quality.accuracy,
        accuracy_se=finite(numbers.accuracy_se),
        balanced_accuracy=numbers.quality.balanced_accuracy,
        log_loss=finite(numbers.quality.log_loss),
        train_accuracy=finite(numbers.train_accuracy),
        loss_difference=finite(apart.get("log_loss")),
        loss_low=finite(apart.get("log_loss_low")),
        loss_high=finite(apart.get("log_loss_high")),
        p_value=finite(apart.get("p_value")),
    )
