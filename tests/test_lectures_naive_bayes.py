"""What the lecture on naive Bayes prints, found again with this library's models.

Each test is named after its item in the list of printed numbers, which are met to the digits shown.
"""

import gzip
import io
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import sparse
from sklearn.datasets import load_iris
from sklearn.datasets._twenty_newsgroups import (
    strip_newsgroup_footer,
    strip_newsgroup_header,
    strip_newsgroup_quoting,
)
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import train_test_split

from distinguo import BernoulliNB, ComplementNB, MixedNB, MultinomialNB, natural_frequencies, predictive_value
from distinguo.exceptions import ImpossibleRowWarning, ZeroProbabilityWarning

SPAM = [
    "vinci un premio gratis adesso",
    "offerta gratis clicca adesso",
    "premio vinci denaro subito",
    "clicca qui per vincere denaro gratis",
    "offerta esclusiva premio gratis",
]
HAM = [
    "riunione domani alle dieci",
    "ti mando il report della riunione",
    "pranzo domani con il team",
    "il report è pronto per domani",
    "ci vediamo a pranzo dopo la riunione",
]
NEW = ["gratis premio domani", "report della riunione", "clicca per vincere denaro"]


def test_lecture_09_base_rates() -> None:
    assert round(predictive_value(0.95, 0.02, 0.10), 2) == 0.84
    assert (round(0.10 * 0.95, 3), round(0.90 * 0.02, 3)) == (0.095, 0.018)
    assert round(predictive_value(0.90, 0.08, 0.02), 4) == 0.1867
    assert predictive_value(0.90, 0.08, [0.10, 0.50]).round(4).tolist() == [0.5556, 0.9184]
    counted = natural_frequencies(0.90, 0.08, 0.02, n=1000)
    assert (counted.cases, counted.others, counted.hits, counted.false_alarms) == (20, 980, 18, 78)
    assert (counted.alarms, counted.predictive_value) == (96, 0.1875)


@pytest.mark.parametrize(
    ("pattern", "words", "posterior"),
    [(r"\S+", 32, [0.867, 0.051, 0.962]), (r"(?u)\b\w\w+\b", 30, [0.855, 0.047, 0.957])],
)
def test_lecture_10_a_filter_of_ten_messages(pattern: str, words: int, posterior: list[float]) -> None:
    vectorizer = CountVectorizer(token_pattern=pattern)
    X, y = vectorizer.fit_transform(SPAM + HAM), ["spam"] * 5 + ["ham"] * 5
    assert X.shape == (10, words)
    model = MultinomialNB(alpha=1.0).fit(X, y)
    assert model.classes_.tolist() == ["ham", "spam"]
    assert model.predict_proba(vectorizer.transform(NEW))[:, 1].round(3).tolist() == posterior
    # Each probability, told word by word.
    why = model.explain(vectorizer.transform(NEW[:1]), "spam", "ham")
    assert round(1 / (1 + np.exp(-why.log_odds)), 3) == posterior[0]
    assert (why.contributions != 0).sum() == 3


# Counts of five words in the reports of two faults, and a report of the third and the fourth word.
REPORTS = [[6.0, 4.0, 1.0, 0.0, 3.0], [1.0, 0.0, 7.0, 5.0, 1.0]]
REPORT = [[0.0, 0.0, 1.0, 1.0, 0.0]]


def test_lecture_11_smoothing() -> None:
    model = MultinomialNB(priors="uniform", alpha=1.0).fit(REPORTS, ["clogged", "uneven"])
    shares = np.exp(model.feature_log_prob_)[:, [2, 3]] * 19
    np.testing.assert_allclose(shares, [[2, 1], [8, 6]])
    why = model.explain(REPORT, "uneven", "clogged")
    assert round(np.exp(why.log_odds)) == 24
    assert round(why.log_odds, 3) == 3.178
    little = MultinomialNB(priors="uniform", alpha=0.1).fit(REPORTS, ["clogged", "uneven"])
    ratio = np.exp(little.explain(REPORT, "uneven", "clogged").log_odds)
    assert ratio == pytest.approx(36.21 / 0.11)
    assert round(ratio) == 329


def test_lecture_11_without_smoothing_certainty_has_a_warning_and_is_never_nan() -> None:
    with pytest.warns(ZeroProbabilityWarning, match="exactly 0 or 1"):
        model = MultinomialNB(priors=[0.3, 0.7], alpha=0).fit(REPORTS, ["clogged", "uneven"])
    assert model.predict_proba(REPORT).tolist() == [[0.0, 1.0]]
    assert model.explain(REPORT).log_odds == np.inf
    # The second word rules out one fault, the fourth the other.
    with pytest.warns(ImpossibleRowWarning, match="they get the priors"):
        assert model.predict_proba([[0, 1, 0, 1, 0]]).round(12).tolist() == [[0.3, 0.7]]


@pytest.mark.parametrize(
    ("copies", "posterior"), [(0, [0.0, 0.78, 0.22]), (3, [0.0, 0.981, 0.019]), (10, [0.0, 1.0, 0.0])]
)
def test_lecture_13_copies_of_a_column_under_mixed_columns(copies: int, posterior: list[float]) -> None:
    rows, labels = load_iris(return_X_y=True)
    X, X_test, y, _ = train_test_split(rows, labels, test_size=0.3, stratify=labels, random_state=0)
    assert X_test[4].tolist() == [7.0, 3.2, 4.7, 1.4]

    def widened(rows: np.ndarray) -> np.ndarray:
        return np.column_stack([rows, *[rows[:, 2]] * copies])

    model = MixedNB().fit(widened(X), y)
    assert model.predict_proba(widened(X_test[4:5]))[0].round(3).tolist() == posterior
    # The copies speak as often as they came, which the explanation shows.
    contributions = model.explain(widened(X_test[4:5])).contributions
    np.testing.assert_allclose(contributions[4:], contributions[2])


@pytest.fixture(scope="module")
def groups(shared_data: Any) -> Any:
    """Texts and labels for training and for testing, as they came."""
    frames = []
    for part in ("train", "test"):
        text = gzip.decompress(shared_data(f"20news_lecture_{part}.csv.gz").read_bytes())
        frames.append(pl.read_csv(io.BytesIO(text)))
    assert [len(frame) for frame in frames] == [2317, 1543]
    return frames


@pytest.fixture(scope="module")
def counted(groups: Any) -> Any:
    """Counts and labels for training and for testing, without metadata, and the words."""
    train, test = ([stripped(text) for text in frame["text"]] for frame in groups)
    vectorizer = CountVectorizer(min_df=2)
    X = vectorizer.fit_transform(train)
    return (
        X,
        groups[0]["category"],
        vectorizer.transform(test),
        groups[1]["category"],
        vectorizer.get_feature_names_out(),
    )


def stripped(text: str | None) -> str:
    return strip_newsgroup_quoting(strip_newsgroup_footer(strip_newsgroup_header(text or "")))


def test_lecture_14_newsgroups_with_metadata(groups: Any) -> None:
    train, test = groups
    vectorizer = CountVectorizer(min_df=2)
    X = vectorizer.fit_transform(train["text"])
    assert X.shape[1] == 19_001
    model = MultinomialNB(alpha=1.0).fit(X, train["category"])
    assert round(model.score(vectorizer.transform(test["text"]), test["category"]), 3) == 0.962


@pytest.mark.parametrize(
    ("model", "accuracy"),
    [
        (MultinomialNB(alpha=0.001), 0.865),
        (MultinomialNB(alpha=0.01), 0.867),
        (MultinomialNB(alpha=0.1), 0.865),
        (MultinomialNB(alpha=0.5), 0.866),
        (MultinomialNB(alpha=1.0), 0.866),
        (MultinomialNB(alpha=3.0), 0.854),
        (BernoulliNB(), 0.684),
        (ComplementNB(priors="uniform"), 0.870),
    ],
)
def test_lecture_14_newsgroups_without_metadata(model: Any, accuracy: float, counted: Any) -> None:
    X, y, X_test, y_test, words = counted
    assert (len(words), X.shape[1]) == (13_134, 13_134)
    assert round(model.fit(X, y).score(X_test, y_test), 3) == accuracy


TELLING = {
    "comp.graphics": {"jpeg", "tiff", "3d", "animation", "visualization", "polygon", "vga", "viewer"},
    "rec.autos": {"tires", "brake", "toyota", "honda", "sho", "brakes", "mustang", "car"},
    "sci.space": {"lunar", "spacecraft", "orbital", "orbit", "moon", "orbiter", "titan", "launches"},
    "talk.politics.guns": {"firearms", "firearm", "militia", "amendment", "handgun", "assault", "nra", "rkba"},
}


def test_lecture_14_telling_words(counted: Any) -> None:
    X, y, _, _, words = counted
    model = MultinomialNB(alpha=0.1).partial_fit(X, y, feature_names=words)
    for label, expected in TELLING.items():
        found = model.telling_features(label, 8)
        assert {word for word, _ in found} == expected
        assert found == sorted(found, key=lambda pair: -pair[1])


def test_lecture_16_a_text_too_improbable_for_a_number_is_still_judged(groups: Any, counted: Any) -> None:
    X, y, X_test, y_test, _ = counted
    place = groups[1]["id"].cast(pl.String).to_list().index("103705")
    assert y_test[place] == "rec.autos"
    row = X_test[[place]]
    model = MultinomialNB(alpha=0.1).fit(X, y)
    assert row.sum() == 165
    own = model.feature_log_prob_[model.classes_.tolist().index("rec.autos")]
    log_likelihood = float((row @ own)[0])
    assert round(log_likelihood, 1) == -1132.1
    assert np.exp(log_likelihood) == 0.0
    assert np.isfinite(model.predict_log_proba(row)).all()
    assert model.predict_proba(row).sum() == pytest.approx(1)
    assert np.isfinite(model.class_log_density(sparse.csr_array(row))).all()
