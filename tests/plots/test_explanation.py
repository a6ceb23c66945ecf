"""Pictures of one decision: what is drawn where."""

import re

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgb
from numpy.testing import assert_allclose
from scipy.special import expit
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from distinguo import (
    Calibrated,
    ExplanationDisplay,
    GaussianNB,
    LinearDiscriminantAnalysis,
    LogisticRegression,
    MultinomialNB,
    QuadraticDiscriminantAnalysis,
    TextCounts,
)
from distinguo.exceptions import InputError, InputTypeError, ZeroProbabilityWarning
from distinguo.plots.canvas import COLORS, tint
from distinguo.plots.probability_axis import probability_ticks

of = ExplanationDisplay.from_estimator
TEXTS = ["prize now", "prize prize free", "free now", "lunch now", "lunch meeting", "meeting free"]
KINDS = ["spam"] * 3 + ["ham"] * 3


@pytest.fixture(scope="module")
def spam():
    return make_pipeline(TextCounts(), MultinomialNB(priors={"ham": 0.7, "spam": 0.3})).fit(TEXTS, KINDS)


def names(display):
    return [text.get_text() for text in display.ax_.get_yticklabels()]


def numbers(display):
    """What is written beside the bars."""
    return [text for text in display.ax_.texts if text.get_text() and text.get_text()[0] in "+−0≈"]


def shown(display):
    return [text.get_text() for text in numbers(display)]


def fits(display):
    """Whether all is inside of the figure, and no number over a name."""
    display.figure_.canvas.draw()
    edge = max(text.get_window_extent().x1 for text in display.ax_.get_yticklabels())
    whole, drawn = display.figure_.bbox, display.ax_.get_tightbbox()
    within = drawn.x0 >= 0 and drawn.y0 >= 0 and drawn.x1 <= whole.x1 and drawn.y1 <= whole.y1
    return within and all(text.get_window_extent().x0 >= edge for text in numbers(display))


def test_bars_are_the_lines_of_the_explanation(iris, lda):
    X, _ = iris
    why = lda.explain(X.iloc[[70]])
    display = ExplanationDisplay.from_explanation(why)
    order = np.argsort(-np.abs(why.contributions))
    assert names(display) == [
        *(f"{why.names[j]} = {why.values[j]:g}" for j in order),
        "prior",
        "log-odds",
    ]
    assert_allclose([bar.get_width() for bar in display.bars_], [*why.contributions[order], why.start, why.log_odds])
    assert sum(bar.get_width() for bar in display.bars_[:-1]) == pytest.approx(display.bars_[-1].get_width())
    assert display.ax_.get_ylim()[0] > display.ax_.get_ylim()[1]  # the largest is on top
    heights = [bar.get_y() + bar.get_height() / 2 for bar in display.bars_]
    assert_allclose(heights, display.ax_.get_yticks())
    assert display.lines_ == why.lines(12)
    assert shown(display)[:4] == ["+1.82", "+1.18", "−1.11", "−0.80"]
    assert fits(display)


def test_the_title_has_the_probability_of_predict_proba(iris, lda, spam):
    X, _ = iris
    probability = lda.predict_proba(X.iloc[[70]]).max()
    title = of(lda, X.iloc[[70]]).ax_.get_title(loc="left")
    assert " ".join(title.split()) == f"virginica rather than versicolor: P = {probability:.3g} among 3 classes"
    probability = spam.predict_proba(["prize now"]).max()
    assert of(spam, ["prize now"]).ax_.get_title(loc="left") == f"spam rather than ham: P = {probability:.3g}"


def test_the_sum_is_read_off_as_a_probability(spam):
    display = of(spam, ["prize now"])
    below = display.probability_axis_
    ticks = dict(zip((text.get_text() for text in below.get_xticklabels()), below.get_xticks(), strict=True))
    assert len(ticks) >= 4
    assert_allclose(expit(list(ticks.values())), [float(text) for text in ticks], rtol=1e-12)
    low, high = display.ax_.get_xlim()
    assert all(low <= place <= high for place in ticks.values())
    marker = display.ax_.lines[-1].get_xydata()[0]
    assert expit(marker[0]) == pytest.approx(spam.predict_proba(["prize now"])[0, 1])
    assert marker[1] == display.ax_.get_ylim()[0]
    assert below.get_xlabel() == "probability of spam"


def test_of_many_classes_the_axis_is_that_of_the_two(iris, lda):
    display = of(lda, iris[0].iloc[[70]], label="versicolor", against="setosa")
    assert " ".join(display.probability_axis_.get_xlabel().split()) == (
        "probability of versicolor, if it is that or setosa"
    )
    posteriors = lda.predict_proba(iris[0].iloc[[70]])[0]
    assert expit(display.explanation.log_odds) == pytest.approx(posteriors[1] / (posteriors[0] + posteriors[1]))


def test_classes_have_the_colours_of_other_pictures(iris, lda):
    display = of(lda, iris[0].iloc[[70]])
    versicolor, virginica = (tint(to_rgb(COLORS[k]), 0.6) for k in (1, 2))
    for bar in display.bars_[:4]:
        assert bar.get_facecolor()[:3] == pytest.approx(virginica if bar.get_width() > 0 else versicolor)
    assert display.bars_[-1].get_facecolor()[:3] == pytest.approx(to_rgb(COLORS[2]))
    sides = {text.get_text(): text for text in display.ax_.texts if "for " in text.get_text()}
    assert set(sides) == {"◂ for versicolor", "for virginica ▸"}
    assert sides["for virginica ▸"].get_ha() == "right"
    assert sides["for virginica ▸"].get_color() == pytest.approx([0.62 * part for part in to_rgb(COLORS[2])])


def test_pipelines_show_words(spam):
    display = of(spam, ["prize prize lunch"])
    assert names(display) == [
        "prize = 2",
        "lunch = 1",
        *(f"{word} = 0" for word in ("free", "meeting", "now")),
        "prior",
        "log-odds",
    ]
    peer = make_pipeline(CountVectorizer(), MultinomialNB(priors={"ham": 0.7, "spam": 0.3})).fit(TEXTS, KINDS)
    assert names(of(peer, ["prize prize lunch"])) == names(display)
    renamed = of(spam, ["prize"], feature_names=list("abcde"))
    assert names(renamed)[0] == "e = 1"


def test_calibrated_decisions_have_their_own_probability(spam):
    model = Calibrated(spam, cv=3).fit(TEXTS, KINDS)
    display = of(model, ["prize prize lunch"])
    probability = model.predict_proba(["prize prize lunch"]).max()
    assert display.ax_.get_title(loc="left").endswith(f": P = {probability:.3g}")
    assert names(display)[0] == "prize = 2"
    assert names(display)[-2:] == ["prior, calibrated", "log-odds"]


def test_pipelines_of_one_step_and_of_tables(iris):
    X, y = iris
    alone = make_pipeline(LogisticRegression(C=1.0)).fit(X, y)
    assert names(of(alone, X.iloc[[0]]))[0].startswith("petal length (cm) = ")
    scaled = make_pipeline(StandardScaler(), LogisticRegression(C=1.0)).fit(X, y)
    display = of(scaled, X.iloc[[0]])
    assert names(display)[0].startswith("petal length (cm) = -1.34")
    assert display.explanation.probability == scaled.predict_proba(X.iloc[[0]]).max()


def test_of_many_columns_the_others_are_together():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 40)), np.tile(["a", "b"], 30)
    model = LogisticRegression(C=1.0).fit(X, y)
    display = of(model, X[:1], n=5)
    assert names(display)[5:] == ["the other 35 columns", "average row", "log-odds"]
    rest = np.argsort(np.abs(display.explanation.contributions))[:35]
    assert display.bars_[5].get_width() == pytest.approx(display.explanation.contributions[rest].sum())
    assert len(of(model, X[:1]).bars_) == 15
    assert len(of(model, X[:1], n=100).bars_) == 42


def test_what_cannot_be_is_an_arrow_beyond_all_bars():
    with pytest.warns(ZeroProbabilityWarning):
        model = MultinomialNB(alpha=0).fit([[2, 0, 1, 3], [0, 2, 1, 4]], ["a", "b"])
    display = of(model, [[1, 0, 3, 2]])
    assert len(display.arrows_) == 2  # the word, and the sum
    assert len(display.bars_) == 4
    for arrow in display.arrows_:
        assert max(bar.get_width() for bar in display.bars_) < arrow.xy[0] < display.ax_.get_xlim()[1]
    assert shown(display)[0] == "+∞"
    assert fits(display)
    against = of(model, [[1, 0, 3, 2]], label="b")
    assert all(against.ax_.get_xlim()[0] < arrow.xy[0] < 0 for arrow in against.arrows_)
    assert against.ax_.get_title(loc="left") == "b rather than a: P = 0"
    assert shown(against)[0] == "−∞"


def test_a_row_that_says_nothing_is_drawn_all_the_same():
    model = GaussianNB().fit([[0.0], [1.0], [3.0], [4.0]], list("aabb"))
    display = of(model, [[2.0]])
    assert [bar.get_width() for bar in display.bars_] == [0, 0, 0]
    assert shown(display) == ["0", "0", "0"]
    assert display.ax_.get_xlim()[0] < 0 < display.ax_.get_xlim()[1]


def test_long_names_and_strange_ones_fit():
    rng = np.random.default_rng(0)
    columns = ["a very long name of a column indeed, much too long to be shown", "$x$ in $", "_z", "<script>"]
    X = pd.DataFrame(rng.normal(size=(81, 4)), columns=columns)
    X.iloc[:, 0] += np.arange(81) % 3 * 2
    kinds = ["the first of two very long class names", "and a second one that is even longer than the first", "$"]
    model = LinearDiscriminantAnalysis().fit(X, np.array(kinds)[np.arange(81) % 3])
    for i in range(3):
        display = of(model, X.iloc[[i]])
        assert fits(display)
        assert any(r"\$x\$ in \$ = " in name for name in names(display))
        assert max(map(len, names(display))) <= 45
    wide = of(make_pipeline(CountVectorizer(), MultinomialNB()).fit(TEXTS, KINDS), ["prize"])
    assert fits(wide)


def test_axes_given_are_used(spam):
    _, (left, right) = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")
    display = of(spam, ["prize now"], ax=right)
    assert display.ax_ is right
    assert display.plot(left).ax_ is left
    assert len(left.patches) == len(right.patches) == len(display.bars_)


@pytest.mark.parametrize(
    ("low", "high"), [(-0.3, 0.2), (-2, 3), (-10, 1), (-60, 70), (0.0, 1000.0), (5.0, 6.0), (3, 3.001)]
)
def test_probabilities_on_the_axis_are_apart_and_right(low, high):
    places, texts = probability_ticks(low, high, 50)
    assert all(low <= place <= high for place in places)
    assert (np.diff(places) > (high - low) / 25).all()
    assert not low <= 0 <= high or "0.5" in texts
    for place, text in zip(places, texts, strict=True):
        if "$" not in text:
            assert expit(place) == pytest.approx(float(text), rel=1e-9)
        else:
            power, rare = re.search(r"10\^\{(-\d+)\}", text)[1], -abs(place)  # of the rarer side
            assert rare / np.log(10) == pytest.approx(float(power), rel=1e-4)
            assert text.startswith("$1-") == (place > 0)


QDA = QuadraticDiscriminantAnalysis().fit([[0.0], [1.0], [2.0], [4.0]], [0, 0, 1, 1])
NAIVE = GaussianNB().fit([[0.0], [1.0], [2.0], [4.0]], [0, 0, 1, 1])
UNCERTAIN = LinearDiscriminantAnalysis(density="predictive").fit([[0.0], [1.0], [2.0], [4.0]], [0, 0, 1, 1])
REFUSED = {
    "no such model": (
        lambda: of(QDA, [[0.0]]),
        "QuadraticDiscriminantAnalysis has no explain: its decisions are no sums",
    ),
    "no such density": (lambda: of(UNCERTAIN, [[0.0]]), "LinearDiscriminantAnalysis has no explain"),
    "two rows": (lambda: of(NAIVE, [[0.0], [1.0]]), "explain takes one row"),
    "no class": (lambda: of(NAIVE, [[0.0]], label=7), "no class 7"),
    "no columns": (lambda: of(NAIVE, [[0.0]], n=0), "n=0 must be a whole number of columns from 1 to 100"),
    "too many": (lambda: of(NAIVE, [[0.0]], n=101), "from 1 to 100"),
    "half a column": (lambda: of(NAIVE, [[0.0]], n=2.5), "n=2.5 must be a whole number"),
    "truth for a number": (lambda: of(NAIVE, [[0.0]], n=True), "n=True must be a whole number"),
    "names": (lambda: of(NAIVE, [[0.0]], feature_names=["a", "b"]), "2 names for 1 columns"),
}


@pytest.mark.parametrize(("draw", "message"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_drawn(draw, message):
    with pytest.raises(InputError, match=message):
        draw()


def test_what_is_no_explanation_and_what_is_not_fitted():
    with pytest.raises(InputTypeError, match="must be what a model's explain"):
        ExplanationDisplay.from_explanation(NAIVE)
    with pytest.raises(InputTypeError, match="axes"):
        of(NAIVE, [[0.0]], ax="left")
    with pytest.raises(NotFittedError):
        of(GaussianNB(), [[0.0]])
    with pytest.raises(NotFittedError):
        of(make_pipeline(StandardScaler(), GaussianNB()), [[0.0]])
