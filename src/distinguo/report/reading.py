"""What can be read off the chosen model, and off a linear discriminant analysis where that one cannot be read."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from distinguo.report.class_plane import ClassPlane, Pictured, class_plane_of
from distinguo.report.describing import class_table_of, strangest_of
from distinguo.report.held import Said
from distinguo.report.helper import TITLE, helper_of
from distinguo.report.material import Fitted, Material
from distinguo.report.summary import ClassTable, Coefficients, Strangest, Telling
from distinguo.report.texts import plain
from distinguo.report.weights import coefficients_of, words_of
from distinguo.rows.labels import encode_labels
from distinguo.rows.tables import as_table

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Read:
    """Parts of a report that are about the classes; None or () where there is nothing to say.

    Attributes
    ----------
    classes : means and deviations.
    plane : the classes in a plane.
    coefficients : weights of columns.
    words : telling words of texts.
    strangest : rows like few others.
    """

    classes: ClassTable | None = None
    plane: ClassPlane | None = None
    coefficients: Coefficients | None = None
    words: tuple[Telling, ...] = ()
    strangest: Strangest | None = None

    def to_dict(self) -> dict[str, Any]:
        """The parts as JSON has them."""
        return {
            "classes": None if self.classes is None else asdict(self.classes),
            "plane": None if self.plane is None else self.plane.to_dict(),
            "coefficients": None if self.coefficients is None else asdict(self.coefficients),
            "telling_words": [asdict(telling) for telling in self.words],
            "strangest": None if self.strangest is None else asdict(self.strangest),
        }


@dataclass(frozen=True, eq=False)
class Numbers:
    """All that models see as numbers: the container, its names, and the same as an array."""

    X: Any
    names: list[str]
    values: Array

    def whole(self) -> NDArray[np.bool_]:
        """(n,) the rows without missing cells."""
        return np.asarray(~np.isnan(self.values).any(axis=1))

    def spread(self) -> Array:
        """(p,) standard deviations; zero of columns without a known cell."""
        many = np.maximum((~np.isnan(self.values)).sum(axis=0), 1)
        mean = np.nansum(self.values, axis=0) / many
        return np.asarray(np.sqrt(np.nansum((self.values - mean) ** 2, axis=0) / many))


def read_of(material: Material, chosen_title: str, said: Said) -> Read:
    """What can be told of the classes.

    Parameters
    ----------
    material : with the fitted model.
    chosen_title : what it is called.
    said : what it said of rows held out.
    """
    fitted = material.fitted
    if fitted is None:
        return Read()
    if fitted.is_text:
        # No strangest ones: log p(x) goes by the length of a text first of all.
        return Read(words=words_of(fitted.model, fitted.features, said.names))
    numbers = _numbers(material)
    if numbers is None:
        return Read(strangest=_strangest(material, said, fitted.model, chosen_title, fitted.X, list(fitted.features)))
    return _of_numbers(material, fitted, chosen_title, said, numbers)


def _numbers(material: Material) -> Numbers | None:
    if material.numbers is None:
        return None
    table = as_table(material.numbers)
    names = [f"x{j}" for j in range(table.p)] if table.names is None else [str(name) for name in table.names]
    values = np.asarray(table.read(0, table.n), dtype=np.float64)
    return Numbers(material.numbers, names, values) if np.isfinite(values[~np.isnan(values)]).all() else None


def _of_numbers(material: Material, fitted: Fitted, title: str, said: Said, numbers: Numbers) -> Read:
    codes = encode_labels(material.labels)[0]
    helper = helper_of(numbers.X, numbers.whole(), material.labels)
    own = list(fitted.features) == numbers.names  # where it takes categories as words, these are others
    spread = numbers.spread()
    coefficients = coefficients_of(fitted.model, title, numbers.names, spread, said.names) if own else None
    if coefficients is None and helper is not None:
        coefficients = coefficients_of(helper, TITLE, numbers.names, spread, said.names)
    strange = _strangest(material, said, fitted.model, title, fitted.X, list(fitted.features))
    if strange is None and helper is not None:
        strange = _strangest(material, said, helper, TITLE, numbers.X, numbers.names)
    return Read(
        classes=class_table_of(numbers.values, numbers.names, codes, said.names),
        plane=_plane(material, fitted if own else None, title, helper, said, numbers),
        coefficients=coefficients,
        strangest=strange,
    )


def _plane(
    material: Material, fitted: Fitted | None, title: str, helper: Any, said: Said, numbers: Numbers
) -> ClassPlane | None:
    """The chosen model's own discriminants, or else the helper's."""
    model = None if fitted is None else fitted.model
    has_own = model is not None and getattr(model, "scalings_", None) is not None
    if not has_own and helper is None:
        return None
    gaussian, whose = (model, title) if has_own else (helper, TITLE)
    decider, decides = (helper, TITLE) if model is None else (model, title)
    return class_plane_of(Pictured(gaussian, whose, decider, decides), numbers.X, said, material.numbered())


def _strangest(material: Material, said: Said, model: Any, title: str, X: Any, features: list[str]) -> Strangest | None:
    codes = encode_labels(material.labels)[0]
    shown = [plain(name) for name in features]
    return strangest_of(model, title, X, shown, codes, said.names, material.numbered())
