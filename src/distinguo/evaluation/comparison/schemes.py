"""How rows are split for a comparison, by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from distinguo.exceptions import InputError
from distinguo.options import counting, one_of
from distinguo.resampling import Split, monte_carlo, repeated_folds
from distinguo.rows.labels import label_text

Codes = NDArray[np.intp]

FOLDS, REPEATS, DRAWS, TEST_FRACTION = 5, 2, 10, 0.2


@dataclass(frozen=True)
class Scheme:
    """Splits, and how they came about.

    Attributes
    ----------
    splits : which rows to learn from and to test on.
    words : the same for people.
    folds : into how many parts each repeat falls; 1 where test rows are drawn.
    """

    splits: tuple[Split, ...]
    words: str
    folds: int


def scheme(
    name: str, codes: Codes, classes: NDArray[Any], folds: Any, repeats: Any, test_fraction: Any, random_state: Any
) -> Scheme:
    """The splits of a scheme by that name.

    Raises
    ------
    InputError
        If there is no such scheme, an option is out of range or cannot act, or a class has a single row.
    """
    alone = np.flatnonzero(np.bincount(codes, minlength=len(classes)) == 1)
    if len(alone):
        raise InputError(
            f"class {label_text(classes[alone[0]])} has one row, which cannot be learned from and tested on; leave it "
            "out, or join the class with another."
        )
    make = _SCHEMES[one_of(name, "scheme", _SCHEMES)]
    return make(codes, folds, repeats, test_fraction, whole_seed(random_state))


def whole_seed(random_state: Any) -> int:
    """A seed, so that the same call gives the same figures."""
    if isinstance(random_state, bool) or not isinstance(random_state, int | np.integer) or random_state < 0:
        raise InputError(f"random_state={random_state!r} must be a whole number of at least 0.")
    return int(random_state)


def _stratified(codes: Codes, folds: Any, repeats: Any, test_fraction: Any, seed: int) -> Scheme:
    if test_fraction is not None:
        raise InputError(f"test_fraction={test_fraction!r} cannot act with folds; it goes with scheme='monte-carlo'.")
    parts = counting(FOLDS if folds is None else folds, "folds")
    times = counting(REPEATS if repeats is None else repeats, "repeats")
    splits = repeated_folds(codes, folds=parts, repeats=times, random_state=seed)
    return Scheme(tuple(splits), f"{parts} stratified folds x {times}, seed {seed}", parts)


def _monte_carlo(codes: Codes, folds: Any, repeats: Any, test_fraction: Any, seed: int) -> Scheme:
    if folds is not None:
        raise InputError(f"folds={folds!r} cannot act where test rows are drawn; give test_fraction.")
    times = counting(DRAWS if repeats is None else repeats, "repeats")
    share = TEST_FRACTION if test_fraction is None else test_fraction
    splits = monte_carlo(codes, test_fraction=share, repeats=times, random_state=seed)
    return Scheme(tuple(splits), f"{times} stratified draws of {share:.0%} to test on, seed {seed}", 1)


_SCHEMES: dict[str, Callable[[Codes, Any, Any, Any, int], Scheme]] = {
    "stratified": _stratified,
    "monte-carlo": _monte_carlo,
}
