"""Laws of logistic and softmax regression: one optimum, whatever the solver, the order, the units and the parts."""

import warnings

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.special import softmax
from sklearn.linear_model import LogisticRegression as Peer

from distinguo import LogisticRegression, MemorySource, scan
from distinguo.exceptions import LeftOutWarning, SeparationWarning
from distinguo.linear.coordinates import Columns, Coordinates
from distinguo.linear.likelihood import Likelihood
from distinguo.solvers.newton import newton
from distinguo.statistics.logistic import LogisticStep

SOLVERS = ["newton", "lbfgs"]


def rows(K: int = 3, n: int = 400, p: int = 4, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Rows whose classes overlap, so that maximum likelihood is finite."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    scores = X @ rng.normal(size=(p, K)) * 0.7
    return X, np.array(["a", "b", "c", "d"])[(scores + rng.gumbel(size=(n, K))).argmax(axis=1)]


@pytest.mark.parametrize("K", [2, 3, 4])
@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("options", [{}, {"C": 0.5}, {"C": 0.01, "standardize": True}], ids=str)
@pytest.mark.parametrize("intercept", [True, False])
def test_conditions_of_the_optimum_hold(K, solver, options, intercept):
    X, y = rows(K)
    X = X * [1.0, 1e3, 1e-2, 1.0] + [0.0, 5e3, 1.0, -2.0] if intercept else X
    model = LogisticRegression(solver=solver, fit_intercept=intercept, **options).fit(X, y)
    assert model.status_ == "converged"
    # The derivatives by hand, in standardised columns and a row.
    residuals = model.predict_proba(X) - (y[:, None] == model.classes_)
    gradient = residuals.T @ (X - intercept * X.mean(axis=0))
    size = X.std(axis=0)
    scale = size if options.get("standardize") else np.ones(4)
    normals = model.coef_ if K > 2 else np.vstack([np.zeros(4), model.coef_])
    pulled = normals * scale**2 / options.get("C", np.inf)
    own = slice(0 if K > 2 else 1, None)
    assert np.abs((gradient + pulled)[own] / size).max() / len(X) < 1e-7
    assert not intercept or np.abs(residuals.mean(axis=0)).max() < 1e-7
    assert model.optimality_ < 1e-7


@pytest.mark.filterwarnings("ignore:Setting penalty=None")  # what scikit-learn 1.8 says of C = inf
@pytest.mark.parametrize("K", [2, 3])
@pytest.mark.parametrize("C", [np.inf, 0.3])
def test_scikit_learn_comes_to_the_same(K, C):
    X, y = rows(K)
    peer = Peer(C=C, tol=1e-10, max_iter=1000).fit(X, y)
    ours = LogisticRegression(C=C).fit(X, y)
    np.testing.assert_allclose(ours.coef_, peer.coef_, atol=1e-6)
    np.testing.assert_allclose(ours.predict_proba(X), peer.predict_proba(X), atol=1e-6)


@given(st.integers(0, 1000), st.sampled_from([2, 3]), st.sampled_from([np.inf, 1.0]))
def test_weights_are_repetitions(seed, K, C):
    X, y = rows(K, n=150, p=2, seed=seed % 7)
    weight = np.random.default_rng(seed).integers(0, 4, len(y))
    again = np.repeat(np.arange(len(y)), weight)
    weighted = LogisticRegression(C=C).fit(X, y, weight)
    repeated = LogisticRegression(C=C).fit(X[again], y[again])
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(weighted.intercept_, repeated.intercept_, rtol=1e-6, atol=1e-8)


@given(st.integers(0, 1000), st.sampled_from([2, 3]))
def test_an_invertible_map_of_the_columns_changes_no_probability(seed, K):
    X, y = rows(K, n=200, p=3)
    rng = np.random.default_rng(seed)
    A = np.linalg.qr(rng.normal(size=(3, 3)))[0] * 10.0 ** rng.integers(-3, 4, 3)
    there = X @ A + rng.normal(size=3) * 100
    plain, mapped = LogisticRegression().fit(X, y), LogisticRegression().fit(there, y)
    np.testing.assert_allclose(mapped.predict_proba(there), plain.predict_proba(X), atol=1e-7)


@pytest.mark.parametrize("K", [2, 3])
def test_units_cost_nothing(K):
    X, y = rows(K)
    scale, shift = np.array([1e8, 1e-8, 1.0, 1e6]), np.array([1e14, 1e-2, 1e6, 0.0])
    plain = LogisticRegression().fit(X, y)
    far = LogisticRegression().fit(X * scale + shift, y)
    assert far.n_iter_ <= plain.n_iter_ + 1
    np.testing.assert_allclose(far.predict_proba(X * scale + shift), plain.predict_proba(X), atol=1e-6)


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_standardised_penalty_does_not_know_units(solver):
    X, y = rows()
    scale = np.array([1e3, 1e-3, 1.0, 7.0])
    one = LogisticRegression(C=0.1, standardize=True, solver=solver).fit(X, y)
    other = LogisticRegression(C=0.1, standardize=True, solver=solver).fit(X * scale, y)
    np.testing.assert_allclose(other.coef_ * scale, one.coef_, rtol=1e-5, atol=1e-8)


def test_neither_order_nor_start_matter():
    X, y = rows()
    order = np.random.default_rng(1).permutation(len(y))
    model = LogisticRegression().fit(X, y)
    np.testing.assert_allclose(LogisticRegression().fit(X[order], y[order]).coef_, model.coef_, rtol=1e-7)
    warm = LogisticRegression(warm_start=True).fit(*rows(seed=5))
    np.testing.assert_allclose(warm.fit(X, y).coef_, model.coef_, rtol=1e-7)
    assert warm.fit(X, y).n_iter_ <= 1


def test_classes_may_be_called_otherwise():
    X, y = rows()
    turned = np.array([{"a": 30, "b": 20, "c": 10}[label] for label in y])
    np.testing.assert_allclose(
        LogisticRegression().fit(X, turned).coef_[::-1], LogisticRegression().fit(X, y).coef_, rtol=1e-7, atol=1e-9
    )


def test_softmax_of_two_classes_is_logistic():
    X, y = rows(2)
    source, classes = MemorySource(X, y), np.array(["a", "b"])

    def sums(scores, curvature):
        return source.aggregate(LogisticStep(classes, scores.centre, scores.normals, scores.offsets, curvature))

    # A score vector for each of the two classes, with sum zero, instead of one alone.
    frame = Coordinates(X.mean(axis=0), Columns(np.ones(4)), np.array([[-1.0], [1.0]]) / np.sqrt(2), True)
    scores = frame.scores(newton(Likelihood(sums, frame, np.zeros(4)), np.zeros(5), weight=len(y)).value.at)
    ours = LogisticRegression().fit(X, y)
    np.testing.assert_allclose(softmax(scores(X), axis=1), ours.predict_proba(X), atol=1e-9)


@given(st.integers(1, 399), st.sampled_from([2, 3]))
def test_sums_over_parts_add_up(cut, K):
    X, y = rows(K)
    rng = np.random.default_rng(cut)
    classes = np.unique(y)
    weight = rng.uniform(0, 2, len(y))
    step = LogisticStep(
        classes, X.mean(axis=0), rng.normal(size=(K, 4)), rng.normal(size=K), True, rng.uniform(1, 2, K)
    )

    def part(some: slice):
        return MemorySource(X[some], y[some], weight[some]).aggregate(step)

    whole, both = part(slice(None)), part(slice(None, cut)) + part(slice(cut, None))
    np.testing.assert_allclose(both.gradient, whole.gradient, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(both.curvature, whole.curvature, rtol=1e-9, atol=1e-9)
    assert both.loss == pytest.approx(whole.loss)
    assert both.margin == whole.margin


def test_derivatives_are_those_of_the_loss():
    X, y = rows(3, n=30)
    rng = np.random.default_rng(0)
    normals, offsets, step = rng.normal(size=(3, 4)), rng.normal(size=3), 1e-5

    def at(normals, offsets):
        return MemorySource(X, y).aggregate(LogisticStep(np.unique(y), np.zeros(4), normals, offsets, True))

    here = at(normals, offsets)
    shares = softmax(X @ normals.T + offsets, axis=1)
    assert here.loss == pytest.approx(-np.log(shares[np.arange(30), np.searchsorted(np.unique(y), y)]).sum())
    for k in range(1, 3):
        moved = offsets.copy()
        moved[k] += step
        ahead = at(normals, moved)
        assert (ahead.loss - here.loss) / step == pytest.approx(here.gradient[k, 0], rel=1e-3)
        np.testing.assert_allclose(
            (ahead.gradient[1:] - here.gradient[1:]) / step, here.curvature[k - 1, 0], rtol=1e-3, atol=1e-4
        )


def test_a_table_in_a_file_gives_the_same(tmp_path):
    X, y = rows()
    pl.DataFrame({**{f"x{j}": X[:, j] for j in range(4)}, "y": y}).write_parquet(tmp_path / "t.parquet")
    from_file = LogisticRegression().fit(scan(tmp_path / "t.parquet", target="y"))
    np.testing.assert_allclose(from_file.coef_, LogisticRegression().fit(X, y).coef_, rtol=1e-8)
    assert from_file.feature_names_in_.tolist() == ["x0", "x1", "x2", "x3"]


@pytest.mark.parametrize("K", [2, 3])
def test_many_rows_are_begun_on_a_share_of_them(K):
    X, y = rows(K, n=30_000)
    weight = np.random.default_rng(0).integers(0, 3, len(y))
    model = LogisticRegression().fit(X, y, weight)
    assert model.optimality_ < 1e-9
    np.testing.assert_allclose(model.coef_, LogisticRegression(solver="lbfgs").fit(X, y, weight).coef_, atol=1e-6)


@pytest.mark.parametrize("K", [2, 3])
def test_an_offset_is_a_column_of_known_coefficient(K):
    X, y = rows(K)
    rng = np.random.default_rng(2)
    known = rng.normal(size=len(y) if K == 2 else (len(y), K))
    model = LogisticRegression().fit(X, y, offset=known)
    scores = X @ model.coef_.T + model.intercept_
    fixed = np.column_stack([np.zeros(len(y)), scores[:, 0] + known]) if K == 2 else scores + known
    residuals = softmax(fixed, axis=1) - (y[:, None] == model.classes_)
    assert np.abs(residuals.T @ X).max() < 1e-5
    assert LogisticRegression().fit(X, y, offset=0 * known).coef_.round(9).tolist() == (
        LogisticRegression().fit(X, y).coef_.round(9).tolist()
    )


def test_class_weights_are_weights_of_rows():
    X, y = rows()
    by_class = LogisticRegression(class_weight={"a": 3, "b": 0.5}).fit(X, y)
    by_row = LogisticRegression().fit(X, y, np.where(y == "a", 3, np.where(y == "b", 0.5, 1)))
    np.testing.assert_allclose(by_class.coef_, by_row.coef_, rtol=1e-7)
    balanced = LogisticRegression(class_weight="balanced").fit(X, y)
    rarity = 1 / np.array([np.mean(y == label) for label in y])
    shares = np.average(balanced.predict_proba(X), axis=0, weights=rarity)
    np.testing.assert_allclose(shares, 1 / 3, atol=1e-7)


def test_sparse_rows_are_the_dense_ones():
    X, y = rows(3, n=200, p=4)
    wide = sparse.hstack([sparse.csr_array(np.where(np.abs(X) > 0.5, X, 0)), sparse.csr_array((200, 1200))]).tocsr()
    ours = LogisticRegression(C=1.0).fit(wide, y)
    dense = LogisticRegression(C=1.0).fit(wide[:, :4].toarray(), y)
    np.testing.assert_allclose(ours.coef_[:, :4], dense.coef_, atol=1e-6)
    assert not ours.coef_[:, 4:].any()
    np.testing.assert_allclose(ours.predict_proba(wide), dense.predict_proba(wide[:, :4].toarray()), atol=1e-6)


def test_dependent_columns_share_and_are_named():
    X, y = rows(2)
    frame = pl.DataFrame({"first": X[:, 0], "second": X[:, 1], "twice": 2 * X[:, 0], "same": np.ones(len(y))})
    with pytest.warns(LeftOutWarning) as caught:
        model = LogisticRegression().fit(frame, y)
    text = " ".join(str(warning.message) for warning in caught)
    assert "'same'" in text
    assert "'twice'" in text
    alone = LogisticRegression().fit(X[:, :2], y)
    np.testing.assert_allclose(model.predict_proba(frame), alone.predict_proba(X[:, :2]), atol=1e-8)
    # The least norm in standard deviations: both copies carry the same standardised coefficient.
    assert model.coef_[0, 0] == pytest.approx(2 * model.coef_[0, 2])
    assert model.coef_[0, 3] == 0


def table(*counts: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A 2 x K table of counts as weighted rows."""
    K = len(counts) // 2
    return np.repeat([[0.0], [1.0]], K, axis=0), np.tile(np.arange(K), 2), np.array(counts)


@pytest.mark.parametrize("counts", [(3, 7, 9, 2), (0, 5, 4, 4), (0, 8, 6, 0), (3, 7, 2, 9, 2, 0)])
def test_firth_adds_one_half_to_the_cells_of_a_table(counts):
    X, y, weight = table(*counts)
    model = LogisticRegression(bias_reduction="firth").fit(X, y, weight)
    cells = np.array(counts).reshape(2, -1) + 0.5
    np.testing.assert_allclose(model.predict_proba([[0], [1]]), cells / cells.sum(axis=1, keepdims=True), atol=1e-8)
    assert model.optimality_ < 1e-8


def test_firth_does_not_know_units_and_counts_weights():
    X, y = rows(2, n=60, p=3)
    weight = np.random.default_rng(0).integers(0, 3, 60)
    again = np.repeat(np.arange(60), weight)
    A = np.array([[1e3, 0, 0], [1, 1e-3, 0], [0, 2, 1]])
    model = LogisticRegression(bias_reduction="firth").fit(X, y, weight)
    mapped = LogisticRegression(bias_reduction="firth").fit(X[again] @ A, y[again])
    np.testing.assert_allclose(mapped.predict_proba(X @ A), model.predict_proba(X), atol=1e-7)


def test_firth_is_finite_where_a_direction_separates(shared_data):
    # brglm2 and logistf on the endometrial data, HG ~ NV + PI + EH.
    frame = pl.read_csv(shared_data("endometrial.csv"))
    X, y = frame.select("NV", "PI", "EH"), frame["HG"]
    model = LogisticRegression(bias_reduction="firth").fit(X, y)
    np.testing.assert_allclose(model.intercept_, [3.77455951], rtol=1e-6)
    np.testing.assert_allclose(model.coef_, [[2.9292733, -0.03475175, -2.60416387]], rtol=1e-6)
    with pytest.warns(SeparationWarning, match=r"`NV` predicts the outcome perfectly; its estimate is \+infinity"):
        ml = LogisticRegression().fit(X, y)
    np.testing.assert_allclose(ml.coef_[0, 1:], [-0.0421834, -2.9026056], rtol=1e-5)
    assert ml.coef_[0, 0] > 15


def test_firth_on_sex2(shared_data):
    # logistf: case ~ age + oc + vic + vicl + vis + dia.
    frame = pl.read_csv(shared_data("sex2.csv"))
    model = LogisticRegression(bias_reduction="firth").fit(frame.drop("case"), frame["case"])
    expected = [-1.10598131, -0.06881673, 2.26887464, -2.11140817, -0.78831694, 3.09601166]
    np.testing.assert_allclose(model.coef_[0], expected, rtol=1e-6)
    np.testing.assert_allclose(model.intercept_, [0.12025405], rtol=1e-6)


@pytest.mark.parametrize("options", [{}, {"solver": "lbfgs"}, {"solver": "stochastic"}], ids=str)
def test_separation_gives_one_answer_whatever_the_order(options):
    X, y = np.random.default_rng(0).normal(size=(60, 2)), np.arange(60) % 3
    X = X * 0.2 + np.array([[0, 0], [3, 0], [0, 3]])[y]
    order = np.random.default_rng(1).permutation(60)
    with pytest.warns(SeparationWarning, match="no finite answer"):
        model = LogisticRegression(**options).fit(X, y)
    with pytest.warns(SeparationWarning):
        other = LogisticRegression().fit(X[order], y[order])
    assert model.status_ == "separated"
    np.testing.assert_allclose(model.coef_, other.coef_, rtol=1e-4)


def test_far_apart_is_not_separated():
    # Thirty deviations lie between most rows of the classes, but two rows are exchanged.
    X = np.concatenate([np.linspace(-1, 1, 50) - 15, np.linspace(-1, 1, 50) + 15])[:, None]
    y = np.repeat([0, 1], 50)
    y[[0, 99]] = 1, 0
    model = LogisticRegression().fit(X, y)
    assert model.status_ == "converged"
    assert model.separation_ is None


def test_more_columns_than_rows():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20, 50)), np.arange(20) % 2
    penalised = LogisticRegression(C=1.0).fit(X, y)
    np.testing.assert_allclose(penalised.coef_, Peer(C=1.0, tol=1e-10, max_iter=1000).fit(X, y).coef_, atol=1e-5)
    with pytest.warns((SeparationWarning, LeftOutWarning)):
        model = LogisticRegression().fit(X, y)
    assert model.status_ == "separated"
    assert model.score(X, y) == 1


def test_streams_come_near():
    X, y = rows(3, n=4000)
    model = LogisticRegression(solver="stochastic", gamma=0.001)
    for start in range(0, 4000, 500):
        some = slice(start, start + 500)
        model.partial_fit(X[some], y[some], classes=["a", "b", "c"])
    np.testing.assert_allclose(model.coef_, LogisticRegression().fit(X, y).coef_, atol=0.15)
    assert not hasattr(LogisticRegression(), "partial_fit")


def test_a_class_that_comes_late_is_added():
    X, y = rows(3, n=4000)
    early = y != "c"
    model = LogisticRegression(solver="stochastic").partial_fit(X[early], y[early])
    assert model.classes_.tolist() == ["a", "b"]
    before = model.decision_function(X[:5])
    model.partial_fit(X[~early][:1], y[~early][:1])
    assert model.classes_.tolist() == ["a", "b", "c"]
    after = model.decision_function(X[:5])
    assert np.abs(after[:, 1] - after[:, 0] - before).max() < 1


def test_descents_come_to_the_optimum():
    X, y = rows(3, n=200)
    best = LogisticRegression(C=0.1).fit(X, y)
    plain = LogisticRegression(C=0.1, solver="gradient-descent", tol=1e-9).fit(X, y)
    np.testing.assert_allclose(plain.coef_, best.coef_, atol=1e-7)
    assert (np.diff(plain.trace_) <= 1e-9).all()
    walked = LogisticRegression(C=0.1, solver="stochastic", tol=1e-9, max_iter=300)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        walked.fit(sparse.csr_array(X), y)
    np.testing.assert_allclose(walked.coef_, best.coef_, atol=0.02)


@pytest.mark.parametrize("solver", ["gradient-descent", "stochastic"])
def test_steps_too_long_are_named(solver):
    X, y = rows(2)
    with pytest.warns(UserWarning, match=r"eta0=1000.*too long"):
        model = LogisticRegression(C=1.0, solver=solver, eta0=1000).fit(X, y)
    assert model.status_ == "unstable"
    assert np.isfinite(model.coef_).all()


@pytest.mark.parametrize("options", [{}, {"C": 1.0}, {"bias_reduction": "firth"}, {"C": 1.0, "l1_ratio": 0.5}], ids=str)
@pytest.mark.parametrize("offset", [40.0, -1000.0])
def test_a_constant_offset_moves_the_intercept_alone(options, offset):
    X, y = rows(2, n=100)
    plain = LogisticRegression(**options).fit(X, y)
    moved = LogisticRegression(**options).fit(X, y, offset=np.full(100, offset))
    np.testing.assert_allclose(moved.coef_, plain.coef_, atol=1e-6)
    np.testing.assert_allclose(moved.intercept_ + offset, plain.intercept_, atol=1e-6)


def test_rows_far_out_have_probabilities():
    X, y = rows(2, n=100)
    with np.errstate(over="ignore"):
        chances = LogisticRegression().fit(X, y).predict_proba([[1e308] * 4])
    assert sorted(chances[0].tolist()) == [0, 1]


def test_partial_fit_goes_on_from_a_fit():
    X, y = rows(2)
    model = LogisticRegression(solver="stochastic").fit(X, y)
    before = model.coef_.copy()
    model.set_params(eta0=1e-9).partial_fit(X, y)
    np.testing.assert_allclose(model.coef_, before, atol=1e-5)


@pytest.mark.parametrize("scale", [1e-8, 1e4])
def test_the_size_of_weights_does_not_matter_to_a_walk(scale):
    X, y = rows(2)
    weight = np.random.default_rng(0).uniform(0.5, 2, len(y))
    one, other = (LogisticRegression(solver="stochastic").fit(X, y, weight * s) for s in (1, scale))
    np.testing.assert_allclose(other.coef_, one.coef_, rtol=1e-6)


def test_a_column_that_tells_all_by_itself_is_named():
    X, y = rows(2)
    frame = pl.DataFrame({"noise": X[:, 0], "answer": np.where(y == "a", -1.0, 1.0), "more": X[:, 1]})
    with pytest.warns(SeparationWarning, match="the column 'answer' alone tells the classes"):
        LogisticRegression().fit(frame, y)


@pytest.mark.parametrize("C", [10.0, 0.01])
def test_rare_columns_beside_a_ridge_take_few_steps(C):
    """Words of a few texts hardly vary: in units of their spread a ridge would be thousands of times too steep."""
    generator = np.random.default_rng(0)
    there = generator.random((400, 2000)) < 1 / np.arange(2, 2002)
    words = sparse.csr_array(0.2 * there * generator.uniform(0.05, 1, there.shape))
    model = LogisticRegression(C=C).fit(words, np.arange(400) % 4)
    assert model.n_iter_ < 100
    assert model.optimality_ < 1e-6
