"""Every number that the lectures print about texts: a spam filter of ten messages, and four newsgroups."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.pipeline import Pipeline, make_pipeline

from distinguo import BernoulliNB, ComplementNB, LogisticRegression, MultinomialNB, TextCounts, scan_texts

SPAM = [
    "vinci un premio gratis adesso", "offerta gratis clicca adesso", "premio vinci denaro subito",
    "clicca qui per vincere denaro gratis", "offerta esclusiva premio gratis",
]  # fmt: skip
HAM = [
    "riunione domani alle dieci", "ti mando il report della riunione", "pranzo domani con il team",
    "il report è pronto per domani", "ci vediamo a pranzo dopo la riunione",
]  # fmt: skip
NEW = ["gratis premio domani", "report della riunione", "clicca per vincere denaro"]
PARTS = ("train", "test")
METADATA = ("headers", "footers", "quotes")
News = dict[str, tuple[list[str], np.ndarray]]


@pytest.mark.parametrize(
    ("options", "size", "spam"),
    [({"token_pattern": r"\S+"}, 32, [0.867, 0.051, 0.962]), ({}, 30, [0.855, 0.047, 0.957])],
    ids=["split on spaces", "words of two letters"],
)
def test_spam_filter(options: dict[str, Any], size: int, spam: list[float]) -> None:
    counts = TextCounts(**options)
    X = counts.fit_transform(SPAM + HAM)
    assert X.shape == (10, size)
    model = MultinomialNB().fit(X, [1] * 5 + [0] * 5)
    assert model.predict_proba(counts.transform(NEW))[:, 1].round(3).tolist() == spam


@pytest.fixture(scope="module")
def news(shared_data: Callable[[str], Path]) -> News:
    """Texts and labels of the messages before, and after, a date."""
    files = {part: scan_texts(shared_data(f"20news_lecture_{part}.csv.gz"), "text", nulls=()) for part in PARTS}
    return {part: ([str(text) for text in texts], texts.labels("category")) for part, texts in files.items()}


def fitted(news: News, counts: TextCounts, model: Any) -> tuple[Pipeline, float]:
    """A pipeline fitted on the older messages, and its accuracy on the newer."""
    pipeline = make_pipeline(counts, model).fit(*news["train"])
    return pipeline, float(np.mean(pipeline.predict(news["test"][0]) == news["test"][1]))


def test_metadata_give_the_answer_away(news: News) -> None:
    assert [len(news[part][0]) for part in PARTS] == [2317, 1543]
    for remove, size, accuracy in (((), 19_001, 0.962), (METADATA, 13_134, 0.866)):
        pipeline, right = fitted(news, TextCounts(min_df=2, remove=remove), MultinomialNB())
        assert len(pipeline[0].vocabulary_) == size
        assert round(right, 3) == accuracy


def test_counts_of_news_are_those_of_count_vectorizer(news: News) -> None:
    for ngram_range, texts in (((1, 1), news["train"][0]), ((1, 2), news["train"][0][::8])):
        ours, theirs = TextCounts(ngram_range=ngram_range), CountVectorizer(ngram_range=ngram_range)
        assert (ours.fit_transform(texts) != theirs.fit_transform(texts)).nnz == 0
        assert (ours.transform(news["test"][0][::8]) != theirs.transform(news["test"][0][::8])).nnz == 0
        assert ours.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()


def test_smoothing_and_variants(news: News) -> None:
    smoothing = {0.001: 0.865, 0.01: 0.867, 0.1: 0.865, 0.5: 0.866, 1: 0.866, 3: 0.854}
    counts = TextCounts(min_df=2, remove=METADATA)
    X, X_test = counts.fit_transform(news["train"][0]), counts.transform(news["test"][0])
    y, y_test = news["train"][1], news["test"][1]
    measured = {alpha: MultinomialNB(alpha=alpha).fit(X, y).score(X_test, y_test) for alpha in smoothing}
    assert {alpha: round(accuracy, 3) for alpha, accuracy in measured.items()} == smoothing
    # The lecture's, scikit-learn's, leaves the priors out.
    assert round(ComplementNB("uniform").fit(X, y).score(X_test, y_test), 3) == 0.870
    once = counts.set_params(binary=True)
    present, present_test = once.transform(news["train"][0]), once.transform(news["test"][0])
    assert round(BernoulliNB().fit(present, y).score(present_test, y_test), 3) == 0.684


def test_tf_idf_of_news(news: News) -> None:
    weighted = TextCounts(min_df=2, remove=METADATA, tfidf=True)
    assert round(fitted(news, weighted, MultinomialNB(alpha=0.1))[1], 3) == 0.887
    assert round(fitted(news, weighted, MultinomialNB(alpha=1))[1], 3) == 0.869
    assert round(fitted(news, weighted, LogisticRegression(C=1.0))[1], 3) == 0.839


TELLING = {
    "comp.graphics": {"jpeg", "tiff", "3d", "animation", "visualization", "polygon", "vga", "viewer"},
    "rec.autos": {"tires", "brake", "toyota", "honda", "sho", "brakes", "mustang", "car"},
    "sci.space": {"lunar", "spacecraft", "orbital", "orbit", "moon", "orbiter", "titan", "launches"},
    "talk.politics.guns": {"firearms", "firearm", "militia", "amendment", "handgun", "assault", "nra", "rkba"},
}


@pytest.mark.parametrize(("stop_words", "size", "accuracy"), [(None, 13_134, 0.865), ("english", 12_837, 0.881)])
def test_telling_words(news: News, stop_words: str | None, size: int, accuracy: float) -> None:
    """The eight words of each class with the largest log p(w | k) less its mean over the other classes."""
    counts = TextCounts(min_df=2, remove=METADATA, stop_words=stop_words)
    pipeline, right = fitted(news, counts, MultinomialNB(alpha=0.1))
    assert (len(counts.vocabulary_), round(right, 3)) == (size, accuracy)
    names, log_p = counts.get_feature_names_out(), pipeline[-1].feature_log_prob_
    for k, name in enumerate(pipeline.classes_):
        lead = log_p[k] - np.delete(log_p, k, axis=0).mean(axis=0)
        assert set(names[np.argsort(-lead)[:8]]) == TELLING[name]


def test_reliability_and_underflow(news: News) -> None:
    texts, y = news["test"]
    counts = TextCounts(min_df=2, remove=METADATA)
    pipeline, _ = fitted(news, counts, MultinomialNB(alpha=0.1))
    proba = pipeline.predict_proba(texts)
    confidence, correct = proba.max(axis=1), pipeline.classes_[proba.argmax(axis=1)] == y
    bins = np.digitize(confidence, [0.5, 0.7, 0.9, 0.99, 0.999])
    assert np.bincount(bins).tolist() == [77, 39, 58, 80, 68, 1221]
    means = [[round(float(what[bins == b].mean()), 3) for b in range(6)] for what in (confidence, correct)]
    assert means[0] == [0.300, 0.589, 0.816, 0.958, 0.995, 1.000]
    assert means[1] == [0.338, 0.436, 0.517, 0.600, 0.676, 0.956]


def test_likelihoods_below_all_numbers(news: News, shared_data: Callable[[str], Path]) -> None:
    """Message 103705 of rec.autos: the likelihood of its 165 words is zero in float64, and it is classified yet."""
    texts, y = news["test"]
    numbers = scan_texts(shared_data("20news_lecture_test.csv.gz"), "text", nulls=()).labels("id")
    (row,) = np.flatnonzero((numbers == "103705") & (y == "rec.autos"))
    pipeline, _ = fitted(news, TextCounts(min_df=2, remove=METADATA), MultinomialNB(alpha=0.1))
    counts = pipeline[0].transform([texts[row]])
    assert counts.sum() == 165
    likelihood = (counts @ pipeline[-1].feature_log_prob_.T)[0, pipeline.classes_.tolist().index("rec.autos")]
    assert likelihood == pytest.approx(-1132.1, abs=0.05)
    assert np.exp(likelihood) == 0.0
    assert pipeline.predict_proba([texts[row]]).sum() == pytest.approx(1)
