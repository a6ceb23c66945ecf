"""What a model keeps of its rows, how its tables look, and what it refuses."""

import pickle
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
import skops.io
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from distinguo import LogisticRegression, MemorySource, Source, grouped_counts
from distinguo.catalogue import trusted_types
from distinguo.exceptions import InputError, SeparationWarning

NAMES = ["age", "dose"]


def frame(n=60, K=2, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    y = (X @ rng.normal(size=(2, K)) + 2 * rng.gumbel(size=(n, K))).argmax(axis=1)
    y[:K] = np.arange(K)
    return pd.DataFrame(X, columns=NAMES), np.array(["ill", "well", "worse"])[y]


@pytest.fixture
def model():
    return LogisticRegression().fit(*frame())


def through_a_file(model):
    kinds = [*trusted_types(), "distinguo.linear.logistic.LogisticRegression"]
    return skops.io.loads(skops.io.dumps(model), trusted=kinds)


def through_a_pickle(model):
    return pickle.loads(pickle.dumps(model))


ways = pytest.mark.parametrize("way", [through_a_file, through_a_pickle])


# Rows, as long as they are there


class Counted(Source):
    """Counts the passes."""

    def __init__(self, X, y):
        self.inner, self.passes = MemorySource(X, y), 0

    @property
    def feature_names(self):
        return self.inner.feature_names

    def batches(self):
        self.passes += 1
        yield from self.inner.batches()


def test_fit_costs_no_pass_and_a_table_one():
    rows = Counted(*frame())
    model = LogisticRegression(solver="newton").fit(rows)
    before = rows.passes
    model.predict_proba(frame()[0])
    assert rows.passes == before
    first = str(model.summary())
    assert rows.passes == before + 1
    assert str(model.summary()) == first
    assert model.aic_ == model.deviance_ + 6
    assert rows.passes == before + 1


@ways
def test_a_saved_model_prints_its_table_without_rows(way, model):
    saved = way(model)  # before anything was asked of it
    assert saved._kept is None
    assert str(saved.summary()) == str(model.summary())
    assert saved.summary()._repr_html_() == model.summary()._repr_html_()
    assert np.array_equal(saved.odds_ratios().high, model.odds_ratios().high)
    for figure in ("log_likelihood_", "null_deviance_", "aic_", "bic_", "mcfadden_"):
        assert getattr(saved, figure) == getattr(model, figure)


@ways
def test_infinite_estimates_survive_a_file(way):
    X, y = frame()
    with pytest.warns(SeparationWarning):
        model = LogisticRegression().fit(X.assign(flag=(y == "well") & (X.age > 0)), y)
    saved = way(model)
    assert np.inf in saved.summary().estimate
    assert str(saved.summary()) == str(model.summary())


NEED_ROWS = {
    "profile": lambda model: model.confidence_intervals("profile").low,
    "HC0": lambda model: model.covariance("HC0"),
    "term tests": lambda model: model.term_tests().statistic,
    "Hosmer-Lemeshow": lambda model: model.hosmer_lemeshow().expected,
    "nested": lambda model: (
        model.likelihood_ratio_test(LogisticRegression().fit(frame()[0][["age"]], frame()[1])).statistic
    ),
}


@ways
@pytest.mark.parametrize("ask", NEED_ROWS.values(), ids=NEED_ROWS)
def test_a_saved_model_asks_for_the_rows_it_needs(way, ask, model):
    saved = way(model)
    with pytest.raises(InputError, match=r"needs the rows of the fit.*attach_rows"):
        ask(saved)
    assert_allclose(ask(saved.attach_rows(*frame())), ask(model), rtol=1e-12)


def test_a_model_can_let_go_of_its_rows(model):
    X, y = frame()
    before = str(model.summary())
    lean = LogisticRegression().fit(X, y).detach_rows()
    assert lean._kept is None
    assert str(lean.summary()) == before
    assert str(through_a_pickle(lean).summary()) == before
    with pytest.raises(InputError, match="needs the rows"):
        lean.term_tests()
    assert_allclose(lean.attach_rows(X, y).term_tests().statistic, model.term_tests().statistic, rtol=1e-12)


def test_other_rows_than_those_of_the_fit_are_refused(model):
    X, y = frame()
    saved = through_a_pickle(model)
    others = [(X, y[::-1]), (X + 0.1, y), (X[:-1], y[:-1]), (X[["age"]], y), (X, np.where(y == "ill", "dead", y))]
    for other in others:
        with pytest.raises(InputError, match="not the rows of the fit"):
            saved.attach_rows(*other)
    with pytest.raises(InputError, match="not the rows of the fit"):
        saved.attach_rows(X, y, sample_weight=np.full(60, 2.0))
    with pytest.raises(NotFittedError):
        LogisticRegression().attach_rows(X, y)


def test_a_new_fit_forgets_the_old_table(model):
    X, y = frame()
    before = model.summary()
    model.fit(X[:50], y[:50])
    assert "50 rows" in str(model.summary())
    assert not np.array_equal(before.estimate, model.summary().estimate)
    assert "_kept" not in vars(clone(model))


def test_a_model_whose_file_is_gone_can_still_be_saved():
    class Gone(Counted):
        def batches(self):
            if self.passes > 30:
                raise FileNotFoundError("rows.csv")
            return super().batches()

    rows = Gone(*frame())
    model = LogisticRegression().fit(rows)
    rows.passes = 31
    saved = through_a_pickle(model)
    assert_allclose(saved.coef_, model.coef_)
    with pytest.raises(InputError, match="needs the rows"):
        saved.summary()


def test_learning_in_parts_leaves_no_table():
    X, y = frame()
    model = LogisticRegression(solver="stochastic").partial_fit(X, y)
    for ask in (model.summary, lambda: model.aic_):
        with pytest.raises(InputError, match="fitted in parts"):
            ask()
    with pytest.raises(InputError, match="partial_fit is at no optimum"):
        model.attach_rows(X, y)


# Forms


def test_a_table_as_text(model):
    lines = str(model.summary()).splitlines()
    assert lines[0] == "log odds of 'well' against 'ill': 60 rows, 3 coefficients"
    assert lines[5].split() == ["term", "estimate", "std.", "error", "z", "p", "low", "high"]
    assert [line.split()[0] for line in lines[6:]] == ["(intercept)", *NAMES]
    points = [line.index(".") for line in lines[6:]]
    assert len(set(points)) == 1  # one below the other
    assert "class" in str(LogisticRegression().fit(*frame(90, 3)).summary())


def test_a_table_as_a_frame(model):
    table = model.summary(level=0.9)
    found = table.to_frame()
    assert found.term.tolist() == ["(intercept)", *NAMES]
    assert found.outcome.tolist() == ["well"] * 3
    assert np.array_equal(found.standard_error, table.standard_error)
    assert table.rows()[1]["term"] == "age"
    assert_allclose(table.high - table.low, 2 * 1.6448536269514722 * table.standard_error, rtol=1e-12)


class Cells(HTMLParser):
    def __init__(self):
        super().__init__()
        self.cells, self.open = [], []

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open[-1] in {"td", "th"}:
            self.cells.append(data.strip())


def test_a_table_as_html():
    X, y = frame()
    model = LogisticRegression().fit(X.rename(columns={"dose": "<b>dose & more</b>"}), y)
    html = model.summary()._repr_html_()
    reader = Cells()
    reader.feed(html.replace("<br>", " "))
    assert not reader.open
    assert reader.cells[:3] == ["term", "estimate", "std. error"]
    assert "<b>dose & more</b>" in reader.cells  # as text
    assert "<b>" not in html
    assert len(reader.cells) == 4 * 7


def test_a_table_in_steps_of_the_p_value():
    """Small p-values keep two digits, however small."""
    X, y, weight = grouped_counts([[0.0], [1.0]], [10, 900], [1000, 1000])
    text = str(LogisticRegression().fit(X, y, weight).summary())
    assert "e-" in text.splitlines()[-1]
