"""What some models leave to another: how options are tuned, and how missing cells are completed."""

from __future__ import annotations

from typing import Any, Protocol

from distinguo.covariance.regularise import Regularisation
from distinguo.rows.base import Source


class Tuning(Protocol):
    """How a model chooses what was left to cross-validation."""

    def is_needed(self, options: dict[str, Any]) -> bool:
        """Whether any of the model's options is left to cross-validation."""

    def choose(self, model: Any, source: Source) -> Regularisation | None:
        """The values chosen, or None where all were given."""


class Completing(Protocol):
    """How a model's statistic is made of rows with missing cells."""

    def refusal(self, model: Any) -> str | None:
        """Why the model takes none with the options it has, or None where it does."""

    def start(self, source: Source) -> Any:
        """What is known of each cell on its own."""

    def complete(self, model: Any, source: Source, start: Any) -> tuple[Any, int]:
        """The statistic, and the steps it took."""
