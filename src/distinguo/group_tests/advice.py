"""The warning that goes with a verdict on a class: a code, a sentence, and what to do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from distinguo.advice import Advice
from distinguo.group_tests.table import labels_text
from distinguo.group_tests.verdict import LEADING, GaussianCheck


def gaussian_warning(check: GaussianCheck) -> Advice | None:
    """The warning that one Gaussian does not describe a class, or None where nothing speaks against it.

    Codes: G1 two clumps, G2 skewed, G3 heavy tails, G4 light tails.

    Examples
    --------
    >>> import numpy as np
    >>> from distinguo import check_gaussian
    >>> normal = np.random.default_rng(0).normal
    >>> grams = np.concatenate([normal(8.3, 0.1, 500), normal(10.3, 0.1, 500)])
    >>> print(gaussian_warning(check_gaussian(grams[:, None], ["2 euro"] * 1000).checks[0]))
    G1: class '2 euro' falls into two clumps along column 0: 50% of its rows around 8.297 and 50% around 10.3. One ...
    """
    kind = _KINDS.get(check.verdict)
    if kind is None:
        return None
    return Advice(kind.code, f"class {check.label!r} {kind.one} {kind.where(check)}.", kind.remedy)


def summarise(checks: Sequence[GaussianCheck], n_classes: int) -> tuple[Advice, ...]:
    """The warnings of many classes, at most one a code: several classes become one sentence and the clearest of them.

    Parameters
    ----------
    checks : of the classes that were checked.
    n_classes : how many there are.

    Examples
    --------
    >>> import numpy as np
    >>> from distinguo import check_gaussian
    >>> minutes = np.random.default_rng(0).exponential(size=(600, 1))
    >>> checks = check_gaussian(minutes, np.repeat(["bus", "train", "tram"], 200)).checks
    >>> print(summarise(checks, 3)[0].sentence)
    3 of 3 classes are skewed ('bus', 'train', 'tram'), most clearly class 'train', along column 0 (skewness 2.4).
    """
    warnings = []
    for verdict, kind in _KINDS.items():
        found = [check for check in checks if check.verdict == verdict]
        if len(found) > 1:
            clearest = max(found, key=kind.effect)
            sentence = (
                f"{len(found)} of {n_classes} classes {kind.several} ({labels_text([c.label for c in found], 5)}), "
                f"most clearly class {clearest.label!r}, {kind.where(clearest)}."
            )
            warnings.append(Advice(kind.code, sentence, kind.remedy))
        else:
            warnings += [warning for warning in map(gaussian_warning, found) if warning]
    return tuple(warnings)


@dataclass(frozen=True)
class _Kind:
    """What is said of a verdict: its code, of one class and of several, where it shows, how much, and what to do."""

    code: str
    one: str
    several: str
    where: Callable[[GaussianCheck], str]
    effect: Callable[[GaussianCheck], float]
    remedy: str


def _clumps_words(check: GaussianCheck) -> str:
    clumps = check.clumps
    assert clumps is not None
    is_leading = clumps.along == LEADING
    return (
        f"along {'its ' if is_leading else ''}{clumps.along}: {clumps.share:.0%} of its rows "
        f"around {clumps.low:.4g} and {1 - clumps.share:.0%} around {clumps.high:.4g}"
        f"{' standard deviations' if is_leading else ''}"
    )


def _separation(check: GaussianCheck) -> float:
    return 0.0 if check.clumps is None else check.clumps.separation


def _skewness_words(check: GaussianCheck) -> str:
    assert check.skewest is not None
    return f"along {check.skewest.along} (skewness {check.skewest.value:.2g})"


def _skewness(check: GaussianCheck) -> float:
    return 0.0 if check.skewest is None else abs(check.skewest.value)


def _tails_words(check: GaussianCheck) -> str:
    assert check.tails is not None
    return f"along {check.tails.along} (kurtosis {3 + check.tails.value:.2g}, of a Gaussian 3)"


def _excess(check: GaussianCheck) -> float:
    return 0.0 if check.tails is None else abs(check.tails.value)


_KINDS = {
    "two clumps": _Kind(
        "G1",
        "falls into two clumps",
        "fall into two clumps",
        _clumps_words,
        _separation,
        "One Gaussian does not describe that: give each clump a label of its own, or use MixtureDiscriminantAnalysis "
        "(mda).",
    ),
    "skewed": _Kind(
        "G2",
        "is skewed",
        "are skewed",
        _skewness_words,
        _skewness,
        "One Gaussian does not describe that: transform long-tailed columns, for instance by logarithms.",
    ),
    "heavy tails": _Kind(
        "G3",
        "has heavier tails than a Gaussian",
        "have heavier tails than a Gaussian",
        _tails_words,
        _excess,
        "Look for outliers; probabilities will be too sure far from the mean.",
    ),
    "light tails": _Kind(
        "G4",
        "has lighter tails than a Gaussian",
        "have lighter tails than a Gaussian",
        _tails_words,
        _excess,
        "They may be cut off, or mixed of several parts; compare with a model that does not describe classes.",
    ),
}
