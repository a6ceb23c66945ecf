"""What inference refuses, and what it says then."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.linear_model import LogisticRegression as Peer

from distinguo import LogisticRegression
from distinguo.exceptions import InputError, SeparationWarning
from tests.linear.test_inference_state import frame, through_a_pickle


@pytest.fixture
def model():
    return LogisticRegression().fit(*frame())


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
    "a cluster not known": (
        lambda m: m.covariance("cluster", [None, *"ab", np.nan] * 15),
        r"clusters has 30 missing label\(s\), the first in row 0",
    ),
    "one cluster": (lambda m: m.covariance("cluster", np.zeros(60, int)), "two clusters"),
    "clusters for nothing": (lambda m: m.summary(clusters=np.arange(60)), "clusters goes with covariance 'cluster'"),
    "clusters for HC1": (lambda m: m.covariance("HC1", np.arange(60)), "clusters goes with covariance 'cluster'"),
    "no column": (lambda m: m.term_tests(["height"]), "no column 'height'"),
    "no column 2": (lambda m: m.term_tests([0, 2]), "no column 2"),
    "groups of columns": (lambda m: m.term_tests("age"), r"groups='age' must be a list of columns.*such as \['age'\]"),
    "a number for groups": (lambda m: m.term_tests(0), "groups=0 must be a list"),
    "a fraction for a column": (lambda m: m.term_tests([1.5]), "no column 1.5"),
    "None for a column": (lambda m: m.term_tests([None]), "no column None"),
    "a list for a column": (lambda m: m.term_tests([["age", ["dose"]]]), r"no column \['dose'\]"),
    "the intercept": (lambda m: m.term_tests(["(intercept)"]), r"no column '\(intercept\)'"),
    "no columns": (lambda m: m.term_tests([[]]), "a group of no columns"),
    "printed for no name": (lambda m: m.term_tests(["x0"]), "no column 'x0'"),
    "groups": (lambda m: m.hosmer_lemeshow(2), "groups=2 must be a whole number of at least 3"),
    "groups of 10.0": (lambda m: m.hosmer_lemeshow(10.0), "groups=10.0"),
    "not a model": (lambda m: m.likelihood_ratio_test(None), "NoneType"),
    "scikit-learn's": (
        lambda m: m.likelihood_ratio_test(Peer()),
        r"other is of type sklearn\S*LogisticRegression; it must be a fitted distinguo.LogisticRegression",
    ),
    "itself": (lambda m: m.likelihood_ratio_test(m), "the columns of both models make the same scores"),
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
    with pytest.raises(InputError, match=r"penalised, which biases them on purpose.*C=np.inf; `--model logistic`"):
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
    X = sparse.csr_array(np.where(rng.uniform(size=(300, 2100)) < 0.002, rng.uniform(size=(300, 2100)), 0.0))
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
