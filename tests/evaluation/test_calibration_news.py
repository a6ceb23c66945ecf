"""The lecture's four newsgroups: naive Bayes that is nearly always sure, made to be right as often as it says."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.naive_bayes import MultinomialNB as TheirMultinomial
from sklearn.pipeline import make_pipeline

from distinguo import (
    Calibrated,
    ComplementNB,
    LeastSquaresClassifier,
    MultinomialNB,
    Perceptron,
    TextCounts,
    scan_texts,
)
from tests.evaluation.calibration_cases import METHODS, Array, calibration_error, log_loss

WORDS = TextCounts(min_df=2, remove=("headers", "footers", "quotes"))


@dataclass
class News:
    """Texts, their counts and labels, of the messages before, and after, a date."""

    texts: list[str]
    texts_test: list[str]
    X: Any
    y: np.ndarray
    X_test: Any
    y_test: np.ndarray

    @property
    def codes(self) -> np.ndarray:
        return np.searchsorted(np.unique(self.y), self.y_test)

    def error(self, model: Any) -> float:
        return calibration_error(model.predict_proba(self.X_test), self.codes)


@pytest.fixture(scope="module")
def news(shared_data: Callable[[str], Path]) -> News:
    parts = {
        part: scan_texts(shared_data(f"20news_lecture_{part}.csv.gz"), "text", nulls=()) for part in ("train", "test")
    }
    texts, texts_test = ([str(text) for text in part] for part in parts.values())
    counts = clone(WORDS).fit(texts)
    labels = [part.labels("category") for part in parts.values()]
    return News(texts, texts_test, counts.transform(texts), labels[0], counts.transform(texts_test), labels[1])


def accuracy(model: Any, news: News) -> float:
    return float(model.score(news.X_test, news.y_test))


def test_lecture_15_calibrated_probabilities(news: News) -> None:
    """Raw .093 over 15 equal bins; a third of that is .031."""
    raw = MultinomialNB(alpha=0.1).fit(news.X, news.y)
    assert round(news.error(raw), 3) == 0.093
    models = {method: Calibrated(raw, method).fit(news.X, news.y) for method in METHODS}
    errors = {method: news.error(model) for method, model in models.items()}
    assert all(error < 0.031 for error in errors.values()), errors
    assert min(errors.values()) < 0.0215
    for model in models.values():
        assert accuracy(model, news) > accuracy(raw, news) - 0.005
    assert accuracy(models["temperature"], news) == accuracy(raw, news)
    assert models["temperature"].calibration_.temperature.b == pytest.approx(0.66, abs=0.1)


def test_evidence_beats_one_temperature_for_texts_of_all_lengths(news: News) -> None:
    for seed in range(3):
        plain, aware = (
            Calibrated(MultinomialNB(alpha=0.1), evidence=evidence, random_state=seed).fit(news.X, news.y)
            for evidence in (None, "auto")
        )
        assert news.error(aware) < news.error(plain) - 0.01
        loss: list[float] = [log_loss(model.predict_log_proba(news.X_test), news.codes) for model in (aware, plain)]
        assert loss[0] < loss[1] - 0.1


def test_lecture_35_isotonic_calibration(news: News) -> None:
    """Three folds, isotonic, the words of each its own: about .026 and .868 by scikit-learn, and by ours."""
    pipeline = make_pipeline(WORDS, TheirMultinomial(alpha=0.1))
    theirs = CalibratedClassifierCV(pipeline, method="isotonic", cv=3).fit(news.texts, news.y)
    probabilities = theirs.predict_proba(news.texts_test)
    assert round(calibration_error(probabilities, news.codes), 3) == 0.026
    assert round(float(np.mean(probabilities.argmax(axis=1) == news.codes)), 3) == 0.868
    ours = [
        Calibrated(MultinomialNB(alpha=0.1), "isotonic", cv=3, evidence=None, random_state=seed).fit(news.X, news.y)
        for seed in range(8)
    ]
    assert np.mean([news.error(model) for model in ours]) == pytest.approx(0.026, abs=0.003)
    assert np.mean([accuracy(model, news) for model in ours]) == pytest.approx(0.868, abs=0.005)
    aware = Calibrated(make_pipeline(WORDS, MultinomialNB(alpha=0.1)), "isotonic", cv=3).fit(news.texts, news.y)
    assert calibration_error(aware.predict_proba(news.texts_test), news.codes) < 0.026
    assert aware.score(news.texts_test, news.y_test) == pytest.approx(0.868, abs=0.005)


@pytest.mark.parametrize("method", METHODS)
def test_each_message_left_out_serves_as_well(news: News, method: str) -> None:
    model = Calibrated(MultinomialNB(alpha=0.1), method, cv="leave-one-out").fit(news.X, news.y)
    assert news.error(model) < 0.031


def test_models_of_texts_without_probabilities_of_their_own(news: News) -> None:
    raw = ComplementNB().fit(news.X, news.y)
    model = Calibrated(ComplementNB(), "isotonic").fit(news.X, news.y)
    assert news.error(model) < news.error(raw) / 2
    perceptron = Calibrated(Perceptron(average=True, max_iter=20), "venn-abers", cv=3).fit(news.X, news.y)
    assert news.error(perceptron) < 0.05
    assert accuracy(perceptron, news) == pytest.approx(accuracy(perceptron.model_, news), abs=0.01)
    few: Array = np.asarray(np.argsort(-np.asarray(news.X.sum(axis=0)).ravel())[100:300])
    narrow = Calibrated(LeastSquaresClassifier(), "platt").fit(news.X[:, few], news.y)
    assert calibration_error(narrow.predict_proba(news.X_test[:, few]), news.codes) < 0.06
