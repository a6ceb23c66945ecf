"""Calibrated decisions told column by column: the parts add up to the calibrated log odds."""

from typing import Any

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline

from distinguo import (
    Calibrated,
    GaussianNB,
    KNeighborsClassifier,
    LinearDiscriminantAnalysis,
    LogisticRegression,
    MultinomialNB,
    QuadraticDiscriminantAnalysis,
    TextCounts,
)
from distinguo.exceptions import InputError, ZeroProbabilityWarning
from tests.generative.cases import three_classes

MODELS = [GaussianNB(), LinearDiscriminantAnalysis(), LogisticRegression(C=1.0)]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
@pytest.mark.parametrize("seed", range(3))
def test_the_parts_add_up_to_the_calibrated_log_odds(model: Any, seed: int) -> None:
    X, y = three_classes(seed, 90)
    calibrated = Calibrated(model).fit(X, y)
    row = X[[seed]]
    logs, posterior = calibrated.predict_log_proba(row)[0], calibrated.predict_proba(row)[0]
    temperature = calibrated.calibration_.temperature.a
    for a, b in ((0, 1), (2, 0)):
        why, own = (m.explain(row, "abc"[a], "abc"[b]) for m in (calibrated, calibrated.model_))
        assert why.log_odds == why.start + why.contributions.sum()
        assert why.log_odds == pytest.approx(logs[a] - logs[b], rel=1e-9, abs=1e-9)
        assert why.probability == posterior[a]
        np.testing.assert_allclose(why.contributions * temperature, own.contributions)
        assert why.start * temperature == pytest.approx(own.start)
        assert why.start_is == f"{own.start_is}, calibrated"
    assert calibrated.explain(row).label == calibrated.predict(row)[0]


def texts(n: int = 80) -> tuple[list[str], list[str]]:
    """Texts of one to twelve words, the longer the more words alike."""
    rng = np.random.default_rng(0)
    kinds = np.where(np.arange(n) % 2, "ham", "spam")
    words = {"ham": ["lunch", "meeting", "report", "free"], "spam": ["prize", "free", "now", "lunch"]}
    return [" ".join(rng.choice(words[kind], rng.integers(1, 13))) for kind in kinds], list(kinds)


def test_the_temperature_is_that_of_the_text() -> None:
    X, y = texts()
    model = Calibrated(make_pipeline(TextCounts(), MultinomialNB())).fit(X, y)
    assert model.calibration_.temperature.b != 0
    for text in ("prize", "prize free now lunch free prize free now lunch now"):
        why = model.explain([text])
        inner = model.model_[-1].explain(model.model_[:-1].transform([text]), why.label, why.against)
        m = len(text.split())
        temperature = model.calibration_.temperature.a * (1 + m) ** model.calibration_.temperature.b
        assert why.log_odds * temperature == pytest.approx(inner.log_odds)
        assert why.probability == model.predict_proba([text]).max()
        assert 1 / (1 + np.exp(-why.log_odds)) == pytest.approx(why.probability, rel=1e-12)
        assert set(why.names) == {"free", "lunch", "meeting", "now", "prize", "report"}


def test_labels_fitted_in_another_order_keep_their_names() -> None:
    X, y = three_classes(1, 90)
    inner = LinearDiscriminantAnalysis().fit(X, y)
    why = Calibrated(inner, cv="prefit").fit(X, y).explain(X[:1], "c", "a")
    assert (why.label, why.against, why.classes.tolist()) == ("c", "a", ["a", "b", "c"])


def test_what_is_no_sum_has_no_explanation() -> None:
    for model, method, why in (
        (MultinomialNB(), "platt", "method='platt' bends the sum"),
        (MultinomialNB(), "isotonic", "bends the sum"),
        (QuadraticDiscriminantAnalysis(), "temperature", "'QuadraticDiscriminantAnalysis' object has no attribute"),
        (make_pipeline(TextCounts(), KNeighborsClassifier()), "temperature", "has no attribute 'explain'"),
        (LinearDiscriminantAnalysis(density="predictive"), "temperature", "explain"),
    ):
        calibrated = Calibrated(model, method)
        assert not hasattr(calibrated, "explain")
        with pytest.raises(AttributeError) as error:
            calibrated.explain([[1.0]])
        assert why in str(error.value.__cause__)


def test_impossible_classes_are_not_compared() -> None:
    X, y = np.tile([[2, 0, 1], [0, 2, 1], [1, 1, 3], [1, 1, 0]], (5, 1)), list("abcc") * 5
    with pytest.warns(ZeroProbabilityWarning):
        model = Calibrated(MultinomialNB(alpha=0), cv=2).fit(X, y)
    with pytest.raises(InputError, match="calls one of the two classes impossible"):
        model.explain([[0, 2, 1]], "b", "a")
    assert model.explain([[0, 2, 1]], "b", "c").probability == model.predict_proba([[0, 2, 1]])[0, 1]


def test_what_cannot_be_explained() -> None:
    X, y = three_classes(1, 90)
    model = Calibrated(GaussianNB()).fit(X, y)
    for asked, message in (
        ({"X": X[:2]}, "explain takes one row"),
        ({"label": "z"}, "no class 'z'"),
        ({"label": "a", "against": "a"}, "came twice"),
        ({"feature_names": ["u"]}, "1 names for 3 columns"),
    ):
        with pytest.raises(InputError, match=message):
            model.explain(**{"X": X[:1], **asked})
