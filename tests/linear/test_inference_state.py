"""What a model keeps of its rows, how its tables look, and what it refuses."""

import pickle
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import polars as pl
import pytest
import skops.io
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError

from distinguo import LogisticRegression, MemorySource, Source, grouped_counts
from distinguo.catalogue import trusted_types
from distinguo.exceptions import InputError, InputTypeError, SeparationWarning

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


# Counts


def test_counts_keep_the_container():
    counts = pd.DataFrame({"age": [1.0, 2.0], "kind": [3, 4]}, index=["a", "b"])
    X, y, weight = grouped_counts(counts, [1, 2], [4, 2])
    assert X.columns.tolist() == ["age", "kind"]
    assert X.age.tolist() == [1.0, 1.0, 2.0]
    assert (y.tolist(), weight.tolist()) == ([0, 1, 1], [3.0, 1.0, 2.0])
    assert grouped_counts(pl.DataFrame(counts), [1, 2], [4, 2])[0]["kind"].to_list() == [3, 3, 4]
    assert grouped_counts(sparse.csr_array(counts.to_numpy()), [1, 2], [4, 2])[0].shape == (3, 2)


BAD_COUNTS = {
    "more successes than trials": (([3, 5], [4, 4]), InputError, "row 1 has 5 successes in 4 trials"),
    "negative": (([-1, 0], [4, 4]), InputError, "successes is -1.0 in row 0"),
    "not finite": (([1, 0], [4, np.nan]), InputError, "trials is nan in row 1"),
    "too few": (([1], [4, 4]), InputError, r"successes has shape \(1,\); it must be \(2,\)"),
    "words": ((["a", "b"], [4, 4]), InputTypeError, "successes must be numbers"),
    "nothing": (([0, 0], [0, 0]), InputError, "every trials is zero"),
}


@pytest.mark.parametrize(("counts", "error", "match"), BAD_COUNTS.values(), ids=BAD_COUNTS)
def test_bad_counts(counts, error, match):
    with pytest.raises(error, match=match):
        grouped_counts([[1.0], [2.0]], *counts)


# What is refused

BAD_REQUESTS = {
    "level 0": (lambda m: m.summary(level=0), "level=0 must be a number between 0 and 1"),
    "level 95": (lambda m: m.confidence_intervals(level=95), "level=95"),
    "level True": (lambda m: m.odds_ratios(level=True), "level=True"),
    "level NaN": (lambda m: m.confidence_intervals("profile", level=np.nan), "level=nan"),
    "kind": (
        lambda m: m.confidence_intervals("bootstrap"),
        "kind='bootstrap' is not known; use one of 'wald', 'profile'",
    ),
    "odds kind": (lambda m: m.odds_ratios("exact"), "kind='exact' is not known"),
    "covariance": (lambda m: m.summary(covariance="HC3"), "covariance 'HC3' is not known; use one of 'model', 'HC0'"),
    "base": (lambda m: m.summary(base="dead"), "no class 'dead'"),
    "no clusters": (lambda m: m.covariance("cluster"), "needs clusters"),
    "clusters too short": (lambda m: m.covariance("cluster", np.arange(59)), "clusters has 59 labels for 60 rows"),
    "one cluster": (lambda m: m.covariance("cluster", np.zeros(60, int)), "two clusters"),
    "clusters for nothing": (lambda m: m.summary(clusters=np.arange(60)), "clusters goes with covariance 'cluster'"),
    "clusters for HC1": (lambda m: m.covariance("HC1", np.arange(60)), "clusters goes with covariance 'cluster'"),
    "no column": (lambda m: m.term_tests(["height"]), "no column 'height'"),
    "no column 2": (lambda m: m.term_tests([0, 2]), "no column 2"),
    "groups": (lambda m: m.hosmer_lemeshow(2), "groups=2 must be a whole number of at least 3"),
    "groups of 10.0": (lambda m: m.hosmer_lemeshow(10.0), "groups=10.0"),
    "not a model": (lambda m: m.likelihood_ratio_test(None), "NoneType"),
}


@pytest.mark.parametrize(("ask", "match"), BAD_REQUESTS.values(), ids=BAD_REQUESTS)
def test_bad_requests(ask, match, model):
    with pytest.raises(InputError, match=match):
        ask(model)


ASK = {
    "summary": lambda m: m.summary(),
    "covariance": lambda m: m.covariance("HC0"),
    "intervals": lambda m: m.confidence_intervals(),
    "odds": lambda m: m.odds_ratios("profile"),
    "terms": lambda m: m.term_tests(),
    "nested": lambda m: m.likelihood_ratio_test(m),
    "aic": lambda m: m.aic_,
    "bic": lambda m: m.bic_,
}


@pytest.mark.parametrize("options", [{"C": 1.0}, {"C": 10.0, "l1_ratio": 0.5}])
@pytest.mark.parametrize("ask", ASK.values(), ids=ASK)
def test_a_penalty_makes_standard_errors_meaningless(ask, options):
    model = LogisticRegression(**options).fit(*frame())
    with pytest.raises(InputError, match="penalised, which biases them on purpose"):
        ask(model)


def test_a_penalised_fit_still_has_a_likelihood():
    X, y = frame()
    model = LogisticRegression(C=1.0).fit(X, y)
    P = model.predict_proba(X)[np.arange(60), (y == "well").astype(int)]
    assert_allclose(model.log_likelihood_, np.log(P).sum(), rtol=1e-10)
    assert_allclose(through_a_pickle(model).deviance_, -2 * np.log(P).sum(), rtol=1e-10)
    assert 0 < model.mcfadden_ < LogisticRegression().fit(X, y).mcfadden_
    assert model.hosmer_lemeshow(4).df == 2


@pytest.mark.parametrize("ask", ASK.values(), ids=ASK)
def test_a_model_that_is_not_fitted(ask):
    with pytest.raises(NotFittedError):
        ask(LogisticRegression())


def test_class_weights_leave_robust_standard_errors_only():
    X, y = frame()
    model = LogisticRegression(class_weight="balanced").fit(X, y)
    for ask in (model.summary, model.confidence_intervals, lambda: model.aic_, model.term_tests):
        with pytest.raises(InputError, match="class_weight counts rows as what they are not"):
            ask()
    with pytest.raises(InputError, match="class_weight shifts the fitted probabilities"):
        model.hosmer_lemeshow()
    assert "log-likelihood" not in str(model.summary(covariance="HC0"))


def test_a_fit_that_stopped_early_has_no_standard_errors():
    with pytest.warns(ConvergenceWarning):
        model = LogisticRegression(max_iter=1).fit(*frame())
    with pytest.raises(InputError, match=r"stopped before the optimum.*Raise max_iter"):
        model.summary()


def test_profile_intervals_under_separation_point_to_firth():
    with pytest.warns(SeparationWarning):
        model = LogisticRegression().fit([[1.0], [2.0], [3.0], [4.0]], [0, 0, 1, 1])
    with pytest.raises(InputError, match="bias_reduction='firth'"):
        model.confidence_intervals("profile")


def test_hosmer_and_lemeshow_have_two_classes():
    with pytest.raises(InputError, match="two classes; there are 3"):
        LogisticRegression().fit(*frame(90, 3)).hosmer_lemeshow()
    with pytest.raises(InputError, match=r"fall into 1 group\(s\)"):
        LogisticRegression().fit([[0.0]] * 9 + [[1.0]] * 9, [0, 1, 1] * 6).hosmer_lemeshow()


def test_too_many_coefficients_have_no_standard_errors():
    rng = np.random.default_rng(0)
    X = sparse.random_array((300, 2100), density=0.002, rng=rng, format="csr")
    y = rng.integers(0, 2, 300)
    model = LogisticRegression(solver="lbfgs", max_iter=1, C=np.inf)
    with pytest.warns(ConvergenceWarning):
        model.fit(X, y)
    with pytest.raises(InputError, match="there are 2101 coefficients"):
        model.summary()


NOT_NESTED = {
    "rows": (lambda X, y: LogisticRegression().fit(X[:50], y[:50]), "different rows"),
    "labels": (lambda X, y: LogisticRegression().fit(X, np.where(y == "ill", "dead", y)), "different rows"),
    "weights": (lambda X, y: LogisticRegression().fit(X, y, np.arange(60) % 3 + 1), "different rows"),
    "columns": (lambda X, y: LogisticRegression().fit(X**2, y), r"not nested: the column\(s\) age"),
    "intercept": (lambda X, y: LogisticRegression(fit_intercept=False).fit(X, y), "same fit_intercept"),
    "firth": (lambda X, y: LogisticRegression(bias_reduction="firth").fit(X, y), "term_tests"),
}


@pytest.mark.parametrize(("other", "match"), NOT_NESTED.values(), ids=NOT_NESTED)
def test_fits_that_cannot_be_compared(other, match, model):
    X, y = frame()
    with pytest.raises(InputError, match=match):
        model.likelihood_ratio_test(other(X[["age"]], y))


def test_nested_fits_need_no_common_names(model):
    X, y = frame()
    other = LogisticRegression().fit((X @ [[2.0], [3.0]]).to_numpy() + 5, y)
    assert model.likelihood_ratio_test(other).df == 1
    assert str(model.likelihood_ratio_test(other)).startswith("likelihood-ratio test: chi² ")
