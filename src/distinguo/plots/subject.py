"""What a picture asks of a fitted model and its rows, checked once."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from distinguo.exceptions import InputError, InputTypeError
from distinguo.rows.labels import encode_labels, label_list, label_text, merge_classes
from distinguo.rows.tables import as_table
from distinguo.rows.validation import check_columns, check_lengths, has_holes

Array = NDArray[np.float64]
Codes = NDArray[np.intp]


class Subject:
    """A fitted model, with its columns and classes by name.

    Attributes
    ----------
    model : the fitted estimator.
    p : columns of the fit.
    names : (p,) their names; x0, x1, ... where the fit had none.
    named : whether the fit had names.
    """

    def __init__(self, estimator: Any) -> None:
        check_is_fitted(estimator)
        self.model = estimator
        self.p = int(estimator.n_features_in_)
        known = getattr(estimator, "feature_names_in_", None)
        self.named = known is not None
        self.names = [f"x{j}" for j in range(self.p)] if known is None else [str(name) for name in known]

    @property
    def name(self) -> str:
        """The model's class, for messages."""
        return type(self.model).__name__

    def attribute(self, name: str, otherwise: str) -> Any:
        """A fitted attribute or a method of the model; without it, an error that ends as told."""
        value = getattr(self.model, name, None)
        if value is None:
            raise InputError(f"{self.name} has no {name}: {otherwise}")
        return value

    @property
    def classes(self) -> NDArray[Any]:
        """(K,) labels."""
        return np.asarray(self.attribute("classes_", "it is no classifier, and has no classes to show."))

    def column(self, feature: Any) -> int:
        """The number of a column, given by name or by number."""
        if isinstance(feature, str):
            if feature not in self.names:
                raise InputError(f"there is no column {feature!r}; the fit had {_listed(self.names)}.")
            return self.names.index(feature)
        if isinstance(feature, bool) or not isinstance(feature, int | np.integer):
            raise InputTypeError(f"a column is given by name or by number; {feature!r} came.")
        if not -self.p <= feature < self.p:
            raise InputError(f"there is no column {feature}; the fit had {self.p}, and the first is 0.")
        return int(feature) % self.p

    def rows(self, X: Any) -> Array:
        """(n, p) rows with the columns of the fit; missing cells are NaN."""
        table = as_table(X)
        known = np.array(self.names, dtype=object) if self.named else None
        if (table.names is None) == self.named:
            first, second = ("does not have valid", "with") if self.named else ("has", "without")
            text = f"X {first} feature names, but {self.name} was fitted {second} feature names"
            warnings.warn(text, UserWarning, stacklevel=3)
        check_columns(table.p, table.names, self.p, known, self.name)
        check_lengths(table.n, table.n)
        values = table.read(0, table.n)
        has_holes(values, 0, table.names)  # refuses infinity
        return values

    def codes(self, y: Any, n: int) -> Codes:
        """(n,) the classes of rows, as places in `classes`."""
        codes, own = encode_labels(y)
        check_lengths(n, len(codes))
        merged, place, known = merge_classes(own, self.classes)
        target = np.full(len(merged), -1, dtype=np.intp)
        target[known] = np.arange(len(known))
        found = target[place[codes]]
        if (found < 0).any():
            new = label_text(own[codes[np.argmin(found)]])
            raise InputError(f"y has the class {new}, which was not fitted.")
        return found

    def given(self, values: Array) -> Any:
        """Rows (n, p) as the model takes them without a warning: with names, if its fit had names."""
        if not self.named:
            return values
        import polars as pl

        return pl.DataFrame(values, schema=self.names)

    def predicted(self, values: Array) -> Codes:
        """(n,) the classes that the model gives to rows (n, p)."""
        return self._places(self.model.predict(self.given(values)))

    def _places(self, labels: Any) -> Codes:
        """(m,) labels of the model as places in `classes`."""
        place = {label: k for k, label in enumerate(label_list(self.classes))}
        found = label_list(np.asarray(labels))
        return np.fromiter((place[label] for label in found), np.intp, len(found))

    def centres(self) -> tuple[Array, Codes]:
        """(R, p) means of the classes, or of their subclasses where there are such; and (R,) whose they are."""
        subclasses = getattr(self.model, "subclass_means_", None)
        if subclasses is not None:
            return np.asarray(subclasses, dtype=np.float64), self._places(self.model.subclass_classes_)
        means = self.attribute("means_", "the picture needs a model that knows where its classes are.")
        return np.asarray(means, dtype=np.float64), np.arange(len(self.classes))

    def transformed(self, values: Array) -> Array:
        """(n, L) discriminants of rows (n, p)."""
        transform = self.attribute("transform", "only models with discriminants have such a picture.")
        return np.asarray(transform(self.given(values)), dtype=np.float64)

    def discriminant_names(self, L: int) -> list[str]:
        """(L,) names of the discriminants, with their shares of the between-class variance if the model knows them.

        The first is the one that says what the percentages are of.
        """
        shares = getattr(self.model, "explained_variance_ratio_", None)
        if shares is None:
            return [f"LD{i + 1}" for i in range(L)]
        names = [f"LD{i + 1} ({100 * share:.1f}%)" for i, share in enumerate(shares[:L])]
        kind = "class" if getattr(self.model, "subclass_means_", None) is None else "subclass"
        return [names[0].replace(")", f" of between-{kind} variance)"), *names[1:]]


def _listed(names: list[str]) -> str:
    """The first few names."""
    return ", ".join(repr(name) for name in names[:8]) + (", ..." if len(names) > 8 else "")
