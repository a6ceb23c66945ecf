"""What a model says of labelled rows that come in parts, put together without being held twice."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from distinguo.evaluation.truth import Truth, parts_of, places_among, smallest_codes
from distinguo.rows.labels import encode_labels, label_list


class Growing:
    """An array that rows are added to; its memory is lengthened in place, which copies nothing that is large."""

    def __init__(self) -> None:
        self.values: NDArray[Any] | None = None

    def add(self, rows: NDArray[Any] | None) -> None:
        """Rows at the end; None where there is nothing to be had of any."""
        if rows is None:
            return
        if self.values is None:
            self.values = np.array(rows, order="C")
            return
        n = len(self.values)
        kind = np.promote_types(self.values.dtype, rows.dtype)
        if kind != self.values.dtype:
            self.values = self.values.astype(kind)
        self.values.resize((n + len(rows), *self.values.shape[1:]), refcheck=False)  # nobody else has a view of it
        self.values[n:] = rows


class Heard:
    """Labels, and what a model says of their rows.

    Parameters
    ----------
    classes : (K,) of the model.
    """

    def __init__(self, classes: NDArray[Any]) -> None:
        self._classes = classes
        self._others: dict[Any, int] = {}
        self._codes, self._chosen, self._probabilities, self._scores, self._density = (Growing() for _ in range(5))

    def add(
        self,
        labels: NDArray[Any],
        chosen: NDArray[np.signedinteger],
        probabilities: NDArray[Any] | None,
        scores: NDArray[Any] | None,
        log_density: NDArray[Any] | None,
    ) -> None:
        """Some more rows: their labels, the places of the classes that were chosen, and what else was said."""
        codes, own = encode_labels(labels)
        place = places_among(self._classes, own)
        for i in np.flatnonzero(place < 0):
            place[i] = self._others.setdefault(label_list(own[i : i + 1])[0], len(self._classes) + len(self._others))
        self._codes.add(place.astype(smallest_codes(len(self._classes) + len(self._others)))[codes])
        self._chosen.add(chosen.astype(smallest_codes(len(self._classes))))
        # Rounding may put a probability a little above one.
        self._probabilities.add(None if probabilities is None else np.minimum(probabilities, 1.0))
        self._scores.add(scores)
        self._density.add(log_density)

    @property
    def truth(self) -> Truth:
        """The labels."""
        assert self._codes.values is not None
        return Truth.coded(self._classes, list(self._others), self._codes.values)

    @property
    def chosen(self) -> NDArray[np.signedinteger]:
        """(n,) places of the classes that were chosen, -1 for none."""
        assert self._chosen.values is not None
        return self._chosen.values

    @property
    def probabilities(self) -> NDArray[Any] | None:
        """(n, K), or None."""
        return self._probabilities.values

    @property
    def scores(self) -> NDArray[Any] | None:
        """(n, K), or (n,) of two classes, or None."""
        return self._scores.values

    @property
    def log_density(self) -> NDArray[Any] | None:
        """(n,) log p(x), or None."""
        return self._density.values

    def known(self) -> tuple[Truth, NDArray[Any]] | None:
        """The rows of the model's classes and their probabilities; None without any. What else was heard is lost."""
        codes, p = self._codes.values, self.probabilities
        if codes is None or p is None:
            return None
        n = 0
        for rows in parts_of(len(p)) if self._others else ():
            known = codes[rows] < len(self._classes)
            end = n + int(known.sum())
            codes[n:end], p[n:end] = codes[rows][known], p[rows][known]
            n = end
        n = n if self._others else len(p)
        return (Truth.coded(self._classes, [], codes[:n]), p[:n]) if n else None
