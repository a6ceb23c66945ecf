"""Coded warnings: each is told where there is cause, and none where there is not."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB as PeerNB
from sklearn.neighbors import KNeighborsClassifier as PeerKNN
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from distinguo import Calibrated, GaussianNB, KNeighborsClassifier, LinearDiscriminantAnalysis, MixedNB, compare
from distinguo.advice import Advice
from distinguo.evaluation.advice import advice
from distinguo.exceptions import InputError

RNG = np.random.default_rng(0)
N = 300
CODES = np.arange(N) % 3
Y = np.array(["a", "b", "c"])[CODES]
X = RNG.normal(size=(N, 5)) + CODES[:, None] * [1.0, 0.5, 0.0, 0.0, 0.0]


def codes(found: tuple[Advice, ...]) -> list[str]:
    return [warning.code for warning in found]


def sentence(found: tuple[Advice, ...], code: str) -> str:
    return next(warning.sentence for warning in found if warning.code == code)


def with_column(values: object, name: str = "extra") -> pd.DataFrame:
    return pd.DataFrame(X, columns=list("pqrst")).assign(**{name: values})


# Leaks


@pytest.mark.parametrize(
    "column",
    [
        CODES * 10.0,  # a code of the class
        CODES + RNG.normal(0, 0.01, N),  # written down with some noise
        Y,  # the class itself
        np.where(CODES == 2, "dead", np.where(CODES == 1, "ill", "well")),
        pd.Categorical(Y),
    ],
)
def test_c1_a_column_that_tells_the_class_alone(column: object) -> None:
    found = advice(with_column(column, "outcome"), Y)
    assert codes(found) == ["C1"]
    assert sentence(found, "C1") == "column 'outcome' alone tells nearly every row's class."


def test_c1_a_cell_that_is_missing_only_in_one_class() -> None:
    died = np.arange(N) % 2 == 0
    found = advice(with_column(np.where(died, RNG.normal(size=N), np.nan), "day of death"), died)
    assert sentence(found, "C1") == "column 'day of death' alone tells nearly every row's class."


def test_c1_names_several_columns() -> None:
    frame = with_column(CODES * 1.0).assign(again=Y)
    assert (
        sentence(advice(frame, Y), "C1") == "column 'extra', column 'again' alone each tell nearly every row's class."
    )


def test_c1_not_where_few_rows_agree_by_chance() -> None:
    # Of 400 columns of noise some tell ten rows apart.
    noise = np.random.default_rng(1).normal(size=(10, 400))
    y = np.arange(10) % 2
    assert any((noise[y == 0, j].max() < noise[y == 1, j].min()) for j in range(400))
    assert "C1" not in codes(advice(noise, y))


def test_c1_not_where_the_commonest_class_is_nearly_all() -> None:
    rare = np.arange(1000) % 100 == 0
    assert codes(advice(np.random.default_rng(0).normal(size=(1000, 4)), rare)) == []


def test_c1_not_for_a_good_but_fallible_column() -> None:
    iris = load_iris()
    assert codes(advice(iris.data, iris.target)) == []  # petal length alone is right about 19 of 20 flowers


# Rare classes (C2)


def test_c2_classes_of_few_rows() -> None:
    some = np.concatenate([np.flatnonzero(CODES < 2), np.flatnonzero(CODES == 2)[:9]])
    found = advice(X[some], Y[some])
    assert codes(found) == ["C2"]
    assert sentence(found, "C2") == "class with few rows: 'c' (9)."
    assert codes(advice(X[:30], Y[:30])) == []  # ten of each
    assert sentence(advice(X[:30], Y[:30], folds=12), "C2").startswith("3 classes with few rows: 'a' (10)")


# Models


def test_c3_models_that_are_no_better_than_the_baseline() -> None:
    noise = np.random.default_rng(0).normal(size=(60, 30))
    comparison = compare(["lda", "gaussian-nb"], noise, np.arange(60) % 2, memory=False)
    text = sentence(comparison.advice, "C3")
    assert text.startswith("no model is better than the commonest class, always: ")
    assert "lda (log loss " in text
    good = compare(["lda"], X, Y, memory=False)
    assert "C3" not in codes(good.advice)


def test_c3_models_without_probabilities_are_judged_by_accuracy() -> None:
    rng = np.random.default_rng(0)
    y = (np.arange(300) % 5 == 0).astype(int)
    models = {"svm": LinearSVC(class_weight="balanced"), "lda": "lda"}
    text = sentence(compare(models, rng.normal(size=(300, 3)) + 0.5 * y[:, None], y, memory=False).advice, "C3")
    assert text.startswith("not better than the commonest class, always: svm (accuracy ")
    assert "lda" not in text


def test_c3_not_of_models_that_are_right_with_probabilities_that_are_wrong() -> None:
    near = compare({"near": PeerKNN(1)}, X, Y, memory=False)
    measured = {r.name: r.measured.quality for r in near.results}
    assert measured["near"].log_loss > measured["majority"].log_loss
    assert codes(near.advice) == ["C8"]


def test_c4_a_model_that_knows_its_rows_by_heart() -> None:
    wide = np.random.default_rng(0).normal(size=(120, 60)) + (np.arange(120) % 2)[:, None] * 0.15
    models = {"lda": "lda", "tree": DecisionTreeClassifier()}
    text = sentence(compare(models, wide, np.arange(120) % 2, memory=False).advice, "C4")
    assert text.startswith("right far more often of the rows learned from than of rows held out: lda (")
    assert "tree (1.00 of its own, " in text


@pytest.mark.parametrize(
    "model",
    [
        RandomForestClassifier(20),
        BaggingClassifier(DecisionTreeClassifier()),
        PeerKNN(1),
        KNeighborsClassifier(1, standardize=True),
    ],
)
def test_c4_not_of_models_that_know_their_rows_by_design(model) -> None:
    rows = X + np.random.default_rng(1).normal(size=X.shape)
    comparison = compare({"it": model, "piped": make_pipeline(StandardScaler(), model)}, rows, Y, memory=False)
    assert next(r.measured for r in comparison.results if r.name == "it").train_accuracy > 0.95
    assert "C4" not in codes(comparison.advice)


# Copies


@pytest.mark.parametrize("container", [np.asarray, pd.DataFrame, pl.DataFrame])
def test_c5_rows_that_are_there_twice(container) -> None:
    copied = np.concatenate([np.arange(N), np.arange(0, N, 10)])
    found = advice(container(X[copied]), Y[copied])
    assert codes(found) == ["C5"]
    assert sentence(found, "C5") == "60 of 330 rows are the same as another in every column."


def test_c5_words_and_holes_are_compared_too() -> None:
    frame = with_column(np.where(RNG.random(N) < 0.3, None, Y[::-1]))
    frame.loc[::7, "p"] = np.nan
    twice = pd.concat([frame, frame.iloc[:20]])
    assert codes(advice(twice, np.append(Y, Y[:20]))) == ["C5"]


def test_c5_texts_that_came_twice() -> None:
    texts = [f"message number {k} about nothing" for k in range(100)]
    y = np.arange(100) % 2
    assert codes(advice([*texts, *texts[:9]], np.append(y, y[:9]))) == ["C5"]
    assert codes(advice(texts, y)) == []


def test_c5_not_where_columns_are_so_coarse_that_rows_agree() -> None:
    rng = np.random.default_rng(0)
    coarse = pd.DataFrame({"grade": rng.integers(1, 6, 500), "sex": rng.choice(["f", "m"], 500)})
    assert codes(advice(coarse, rng.integers(0, 2, 500))) == []
    # Ages and prices come in steps, and people who agree in all else often differ in what they paid.
    price = rng.choice(np.round(rng.gamma(2, 10, 60), 2), 800)
    people = pd.DataFrame({"age": rng.integers(20, 30, 800), "sex": rng.choice(["f", "m"], 800), "price": price})
    assert people.duplicated(keep=False).mean() > 0.02
    assert codes(advice(people, rng.integers(0, 2, 800))) == []


# Identifiers


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("id", RNG.permutation(10 * N)[:N]),
        ("PatientId", RNG.permutation(N)),
        ("column", np.arange(N)),
        ("column", RNG.permutation(2 * N)[:N] + 5000),
        ("name", [f"patient {k}" for k in range(N)]),
    ],
)
def test_c6_columns_that_number_or_name_the_rows(name: str, values: object) -> None:
    found = advice(with_column(values, name), Y)
    assert codes(found) == ["C6"]
    assert sentence(found, "C6").startswith(f"column {name!r} looks like an identifier")


@pytest.mark.parametrize(
    "values",
    [
        RNG.permutation(10 * N)[:N],  # whole and different, but not named so: grams, perhaps
        RNG.permutation(N) + 0.5,
        RNG.integers(0, N, N),
        RNG.choice(["f", "m"], N),
        [f"a sentence of words, the number {k}" for k in range(N)],
    ],
)
def test_c6_not_of_measurements_categories_and_texts(values: object) -> None:
    assert codes(advice(with_column(values, "column"), Y)) == []


# Neighbours of unscaled columns (C7)

UNEQUAL = X * [1000.0, 1.0, 1.0, 1.0, 1.0]
AS_GIVEN = {
    "theirs": PeerKNN(),
    "ours": KNeighborsClassifier(),
    "tuned": GridSearchCV(PeerKNN(), {"n_neighbors": [3, 5]}),
    "piped": make_pipeline("passthrough", PeerKNN()),
    "wrapped": Calibrated(KNeighborsClassifier()),
}
SCALED = {
    "standardized": KNeighborsClassifier(standardize=True),
    "after a scaler": make_pipeline(StandardScaler(), PeerKNN()),
    "tuned after a scaler": GridSearchCV(make_pipeline(StandardScaler(), PeerKNN()), {}),
    "by angles": PeerKNN(metric="cosine"),
    "of another kind": LinearDiscriminantAnalysis(),
}


def test_c7_neighbours_by_columns_of_large_numbers() -> None:
    found = advice(UNEQUAL, Y, models={**AS_GIVEN, **SCALED})
    assert codes(found) == ["C7"]
    text = sentence(found, "C7")
    assert all(name in text.split(":")[0] for name in AS_GIVEN)
    assert not any(name in text for name in SCALED)
    assert text.endswith("of the squared distances between rows come from column 0.")


@pytest.mark.parametrize("rows", [X, X * 1000, X[:, :1] * 1000, load_iris().data, load_digits().data])
def test_c7_not_where_columns_are_of_one_kind(rows: np.ndarray) -> None:
    y = np.arange(len(rows)) % 3
    assert codes(advice(rows, y, models=AS_GIVEN)) == []


def test_c7_compare_knows_its_models() -> None:
    wine = load_wine(return_X_y=True)
    assert codes(compare(["lda", PeerKNN()], *wine, memory=False).advice) == ["C7"]
    assert codes(compare(["lda", "knn"], *wine, memory=False).advice) == []


# Overconfidence


def test_c8_probabilities_that_are_too_high() -> None:
    repeated = np.repeat(X[:, :2], 6, axis=1)  # evidence counted six times
    models = {"naive": GaussianNB(), "mended": Calibrated(GaussianNB()), "lda": "lda"}
    comparison = compare(models, repeated + RNG.normal(0, 1e-3, repeated.shape), Y, memory=False)
    text = sentence(comparison.advice, "C8")
    assert text.startswith("surer than right: naive (")
    assert "mended" not in text
    assert "lda" not in text


# False alarms


@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer, load_digits])
def test_tables_of_scikit_learn_raise_no_false_alarm(load) -> None:
    rows, y = load(return_X_y=True, as_frame=True)
    models = (
        {"lda": "lda", "knn": "knn", "logistic": "ridge-logistic"} if len(y) < 600 else {"lda": "lda", "knn": "knn"}
    )
    assert codes(compare(models, rows, y, repeats=1, memory=False).advice) == []


def test_naive_bayes_of_correlated_columns_is_rightly_warned_of() -> None:
    # The measures of a cell nucleus come thrice and hang together: 99 % sure on average, and right of 93 %.
    found = compare(["gaussian-nb"], *load_breast_cancer(return_X_y=True), repeats=1, memory=False).advice
    assert codes(found) == ["C8"]


@pytest.mark.parametrize(("n", "p", "K"), [(60, 2, 2), (120, 8, 3), (400, 20, 2), (150, 40, 5)])
def test_clean_tables_raise_no_false_alarm(n: int, p: int, K: int) -> None:
    """Gaussian classes, some cells missing, some columns rounded: no table of forty is warned of."""
    found = []
    for seed in range(40):
        rng = np.random.default_rng([n, seed])
        y = np.arange(n) % K
        rows = rng.normal(size=(n, p)) + 0.7 * rng.normal(size=(K, p))[y]
        rows[:, ::3] = rows[:, ::3].round(1)
        rows[rng.random(rows.shape) < 0.02] = np.nan
        found += advice(rows, y)
    assert found == []


def test_models_of_clean_tables_raise_no_false_alarm() -> None:
    models = {"lda": "lda", "naive": PeerNB(), "near": make_pipeline(StandardScaler(), PeerKNN(15))}
    found = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        y = np.arange(240) % 3
        rows = rng.normal(size=(240, 4)) + 1.5 * np.eye(3, 4)[y]
        found += compare(models, rows, y, repeats=1, memory=False).advice
    assert found == []


# Tables of other kinds


def test_real_tables(shared_data) -> None:
    titanic = pl.read_csv(shared_data("titanic.csv"), infer_schema_length=None)
    found = advice(titanic.drop("survived"), titanic["survived"].to_numpy())
    assert codes(found) == ["C1"]
    assert sentence(found, "C1") == "column 'alive' alone tells nearly every row's class."
    assert codes(advice(titanic.drop("survived", "alive"), titanic["survived"].to_numpy())) == []
    weights = pl.read_csv(shared_data("birthwt.csv"))
    assert sentence(advice(weights.drop("low"), weights["low"].to_numpy()), "C1").startswith("column 'bwt'")
    spector = pl.read_csv(shared_data("spector.csv"))
    assert codes(advice(spector.drop("GRADE"), spector["GRADE"].to_numpy())) == ["C6"]
    sms = pl.read_csv(shared_data("sms_spam.csv"))
    assert codes(advice(sms["text"].to_list(), sms["label"].to_numpy())) == ["C5"]


@pytest.mark.parametrize("name", ["crabs.csv", "penguins.csv", "vowel.train.csv", "mushroom.csv", "saheart.csv"])
def test_real_tables_that_are_in_order(shared_data, name: str) -> None:
    target = {"crabs.csv": "sp", "penguins.csv": "species", "vowel.train.csv": "y", "mushroom.csv": "class"}
    table = pl.read_csv(shared_data(name), infer_schema_length=None, null_values=["NA"])
    own = [column for column in ("row.names", "index") if column in table.columns]
    rows = table.drop(target.get(name, "chd"), *own)
    assert codes(advice(rows, table[target.get(name, "chd")].to_numpy())) == []


def test_columns_of_words_for_a_model_of_words() -> None:
    frame = with_column(np.where(RNG.random(N) < 0.7, Y, "unknown"))
    assert codes(compare({"mixed": MixedNB()}, frame, Y, memory=False).advice) == []


def test_cells_that_are_missing_or_infinite_do_no_harm() -> None:
    rows = X.copy()
    rows[:, 0], rows[3, 1], rows[4, 1] = np.nan, np.inf, -np.inf
    assert codes(advice(rows, Y, models=AS_GIVEN)) == []
    empty = with_column([None] * N).assign(other=np.nan)
    assert codes(advice(empty, Y, models=AS_GIVEN)) == []


def test_sparse_rows_have_no_columns_to_look_at() -> None:
    counts = sparse.csr_array(np.repeat(np.eye(10), 6, axis=0))
    assert codes(advice(counts, np.arange(60) % 2)) == []


def test_order_of_models_and_weights() -> None:
    rows = np.repeat(X, 6, axis=1)
    first = compare({"a": PeerNB(), "b": GaussianNB()}, rows, Y, memory=False, sample_weight=np.ones(N))
    second = compare({"b": GaussianNB(), "a": PeerNB()}, rows, Y, memory=False)
    assert first.advice == second.advice
    assert codes(first.advice) == ["C8"]


@pytest.mark.parametrize(
    ("work", "message"),
    [
        (lambda: advice(X, Y[:-1]), "inconsistent numbers"),
        (lambda: advice(X, Y, sample_weight=[-1.0] * N), "sample_weight is negative"),
        (lambda: advice(np.empty((0, 2)), np.array([], dtype=int)), "the table is empty"),
        (lambda: advice(X, [None] * N), "missing label"),
    ],
)
def test_bad_input(work, message: str) -> None:
    with pytest.raises(InputError, match=message):
        work()


def test_two_hundred_classes_and_five_hundred_columns() -> None:
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(200), 12)
    assert codes(advice(rng.normal(size=(2400, 500)), y)) == []
