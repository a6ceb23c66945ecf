"""What stands above and below a coefficient table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from distinguo.group_tests.table import number_text, p_text
from distinguo.linear.coefficient_table import upper_tail
from distinguo.linear.estimates import Estimates
from distinguo.linear.record import FitRecord

COVARIANCE_TEXT = {
    "model": "standard errors of the model",
    "HC0": "robust standard errors (HC0)",
    "HC1": "robust standard errors (HC1)",
    "cluster": "standard errors robust to clusters",
}
MOST_NAMES = 8


def heading_of(record: FitRecord, odds: str, covariance: str, level: float) -> str:
    """Rows, likelihoods and criteria; nothing of likelihoods where class weights make them none."""
    k = record.n_parameters
    first = f"log {odds}: {record.weight:g} rows, {k} coefficient{'s' if k > 1 else ''}"
    bias = ", bias reduced (Firth)" if record.firth else ""
    lines = [f"{first}{bias}", f"{COVARIANCE_TEXT[covariance]}, {100 * level:g} % intervals"]
    return "\n".join(lines if record.class_weighted else [*lines, *_likelihoods(record)])


def _likelihoods(record: FitRecord) -> list[str]:
    now, null, k = record.log_likelihood, record.null_log_likelihood, record.n_parameters
    mcfadden = "-" if np.isnan(record.mcfadden) else f"{record.mcfadden:.4f}"
    lines = [
        f"log-likelihood {now:.6g} (null {null:.6g}), deviance {0.0 - 2 * now:.6g} (null {0.0 - 2 * null:.6g})",
        f"AIC {2 * k - 2 * now:.6g}, BIC {k * np.log(record.weight) - 2 * now:.6g}, McFadden {mcfadden}",
    ]
    df = k - (len(record.scores.normals) - 1) * record.intercept
    if df and not record.firth:
        ratio = max(2 * (now - null), 0.0)
        p = float(upper_tail(np.array([ratio]), np.array([df]))[0])
        lines.append(f"likelihood ratio to null {number_text(ratio)} on {df} df, p {p_text(p)}")
    return lines


def notes_of(found: Estimates, terms: Sequence[str]) -> tuple[str, ...]:
    """Which numbers are missing, and why."""
    infinite = np.isinf(found.values)
    unknown = np.isnan(found.errors) & ~infinite
    notes: list[str] = []
    if infinite.any():
        names = _names(terms, infinite.any(axis=0))
        notes.append(f"infinite, for classes are told apart without an error: {names}; try bias_reduction='firth'")
    if unknown.any():
        notes.append(f"not determined by the rows (dependent columns): {_names(terms, unknown.any(axis=0))}")
    return tuple(notes)


def _names(terms: Sequence[str], chosen: Any) -> str:
    names = [name for name, is_one in zip(terms, chosen, strict=True) if is_one]
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return ", ".join(names[:MOST_NAMES]) + more
