"""Coded warnings about tables: each is told where there is cause, and none where there is not."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.datasets import load_iris

from distinguo.evaluation.checks.advice import advice
from distinguo.exceptions import InputError
from tests.evaluation.advice_cases import CODES, RNG, N, X, Y, codes, sentence, with_column

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


def test_c1_not_of_the_only_column() -> None:
    assert "C1" not in codes(advice(with_column(CODES * 1.0, "weight")[["weight"]], Y))


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


def test_sparse_rows_have_no_columns_to_look_at() -> None:
    counts = sparse.csr_array(np.repeat(np.eye(10), 6, axis=0))
    assert codes(advice(counts, np.arange(60) % 2)) == []


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
