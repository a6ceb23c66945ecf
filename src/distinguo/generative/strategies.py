"""What some models leave to another: how options are tuned, cells completed, and rows passed over more than once."""

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


class Iterating(Protocol):
    """How a model's statistic is found where an option asks for more than one pass over the rows."""

    @property
    def holes(self) -> str:
        """Why the model then takes no missing cells."""

    @property
    def parts(self) -> str:
        """Why it then cannot be put together of parts of the rows, or have rows taken away."""

    def is_needed(self, model: Any) -> bool:
        """Whether the model's options ask for it."""

    def run(self, model: Any, source: Source, start: Any) -> tuple[Any, int]:
        """The statistic, from that of one pass, and the steps it took."""
