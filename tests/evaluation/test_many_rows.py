"""Very many rows: the same numbers, worked out in parts, and intervals by some rows that stand for all."""

from typing import Any

import numpy as np
import pytest

from distinguo import Evaluation, reliability
from distinguo.evaluation import truth
from distinguo.evaluation.assessment import calibration_line, judging, thinning
from distinguo.evaluation.assessment.measures import METRICS
from distinguo.evaluation.truth import truth_of
from tests.evaluation.test_intervals import sample


def cut(monkeypatch: pytest.MonkeyPatch, many: int, standing: int) -> None:
    """More rows than some are very many, and fewer stand for them."""
    for module in (truth, thinning, calibration_line):
        monkeypatch.setattr(module, "TOGETHER", many)
    for module in (thinning, judging):
        monkeypatch.setattr(module, "STANDING", standing)


@pytest.mark.parametrize("kind", ["plain", "ties", "weights", "fractions", "prevalence", "unseen", "two classes"])
def test_numbers_in_parts_are_those_of_all_rows_at_once(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    y, p = sample(700, rng, 2 if kind == "two classes" else 3)
    density = rng.normal(size=700)
    options: dict[str, Any] = {"n_bootstrap": 0}
    if kind == "ties":
        p = np.round(p * 4 + 0.01) + 1
        p /= p.sum(axis=1, keepdims=True)
    if kind in {"weights", "fractions"}:
        options["sample_weight"] = rng.integers(0, 4, 700) * (1.0 if kind == "weights" else 0.7)
    if kind == "prevalence":
        options["prevalence"] = [0.1, 0.2, 0.7]
    classes = np.arange(p.shape[1])
    y = np.where(np.arange(700) % 50 == 7, 9, y) if kind == "unseen" else y
    whole = Evaluation.of(y, p, classes, log_density=density, **options)
    lines = reliability(y, p, classes, sample_weight=options.get("sample_weight"))
    cut(monkeypatch, 90, 60)
    parts = Evaluation.of(y, p, classes, log_density=density, **options)
    assert parts.notes == whole.notes
    for a, b in zip(parts.estimates, whole.estimates, strict=True):
        assert (a.metric, a.label, a.note) == (b.metric, b.label, b.note)
        assert a.value == (None if b.value is None else pytest.approx(b.value, rel=1e-12))
    assert np.allclose(parts.confusion.counts, whole.confusion.counts, rtol=1e-12)
    for name in ("brier", "reliability", "resolution", "uncertainty", "within_bins"):
        assert getattr(parts.brier_split, name) == pytest.approx(getattr(whole.brier_split, name), rel=1e-11, abs=1e-14)
    again = reliability(y, p, classes, sample_weight=options.get("sample_weight"))
    for one, other in zip((again.top, *again.by_class), (lines.top, *lines.by_class), strict=True):
        assert (one.ece, one.ece_by_chance) == pytest.approx((other.ece, other.ece_by_chance), rel=1e-11)
        for name in ("slope", "intercept", "in_the_large"):
            assert vars(getattr(one.line, name)) == pytest.approx(vars(getattr(other.line, name)), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("weighted", [False, True])
def test_rows_that_stand_for_all_weigh_what_all_do(weighted: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    cut(monkeypatch, 100, 90)
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1, 2], [400, 8, 92])
    given = truth_of(y, None, rng.integers(1, 4, 500) if weighted else None)
    few = thinning.thinned(given, rng)
    codes = given.codes[few.rows]
    assert np.bincount(codes).tolist() == [41, 8, 41]
    assert len(np.unique(few.rows)) == 90
    counts = np.array(
        [
            np.concatenate(
                [
                    rng.multinomial(int(few.weight[codes == k].sum()), np.full(m, 1 / m))
                    for k, m in enumerate((41, 8, 41))
                ]
            )
        ]
    )
    stretched = few.stretched(counts)[0]
    assert np.bincount(codes, stretched) == pytest.approx(given.totals)
    assert (stretched[codes == 1] == counts[0, codes == 1]).all()  # a small class stands for itself
    assert (stretched >= 0).all()


def test_intervals_by_rows_that_stand_for_all_hold_the_truth(monkeypatch: pytest.MonkeyPatch) -> None:
    many = 300
    true = Evaluation.of(*sample(400_000, np.random.default_rng(2)), n_bootstrap=0)
    cut(monkeypatch, 2000, 600)  # a fifth of the rows
    held = dict.fromkeys([e for e in METRICS if e != "log_density"], 0)
    for i in range(many):
        found = Evaluation.of(*sample(3000, np.random.default_rng(9000 + i)), n_bootstrap=300)
        for name in held:
            key = (name, 1) if METRICS[name].per_class else name
            held[name] += found[key].low <= true[key].value <= found[key].high
    shares = {name: count / many for name, count in held.items()}
    assert shares == pytest.approx(dict.fromkeys(held, 0.95), abs=3.5 * np.sqrt(0.95 * 0.05 / many))
