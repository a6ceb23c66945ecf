"""Bad input to naive Bayes of counts, categories and mixed columns: one error that says what, where, and what to do."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from distinguo import BernoulliNB, CategoricalNB, ComplementNB, MemorySource, MixedNB, MultinomialNB, PoissonNB
from distinguo.exceptions import DistinguoError, InputError, LeftOutWarning
from tests.generative.naive_cases import counts, table

X, Y = counts()
NAMES = [f"w{j}" for j in range(8)]
FRAME, LABELS = table()
POSITIVE = [MultinomialNB(), ComplementNB(), PoissonNB()]
every_positive = pytest.mark.parametrize("model", POSITIVE, ids=["multinomial", "complement", "poisson"])


def negative() -> Any:
    rows = X.copy()
    rows[5, 3] = -1.0
    return rows


NEGATIVE = {
    "array": (negative(), "holds -1 (row 5, column 3)"),
    "sparse": (sparse.csr_array(negative()), "holds -1 (row 5, column 3)"),
    "frame": (pd.DataFrame(negative(), columns=NAMES), "holds -1 (row 5, column 'w3')"),
    "source": (MemorySource(negative(), Y), "holds -1 (row 5, column 3)"),
}


@every_positive
@pytest.mark.parametrize(("rows", "where"), list(NEGATIVE.values()), ids=list(NEGATIVE))
def test_counts_below_zero(model: Any, rows: Any, where: str) -> None:
    labels = None if isinstance(rows, MemorySource) else Y
    with pytest.raises(InputError, match="Negative values") as error:
        model.fit(rows, labels)
    assert where in str(error.value)
    assert "such as GaussianNB" in str(error.value)


@pytest.mark.filterwarnings("ignore:X has feature names")
@every_positive
def test_counts_below_zero_at_predict(model: Any) -> None:
    model.fit(X, Y)
    for rows, where in list(NEGATIVE.values())[:3]:
        with pytest.raises(InputError, match="Negative values") as error:
            model.predict(rows)
        assert where in str(error.value)


@every_positive
def test_fractions_are_taken_for_counts(model: Any) -> None:
    whole, halves = model.fit(X, Y).predict_proba(X), model.fit(X / 2, Y)
    assert np.isfinite(halves.predict_proba(X / 2)).all()
    assert whole.shape == halves.predict_proba(X / 2).shape


def test_any_number_is_above_a_threshold_or_not() -> None:
    assert np.isfinite(BernoulliNB().fit(negative(), Y).predict_proba(negative())).all()


def test_a_threshold_below_zero_counts_zeros_too() -> None:
    dense = BernoulliNB(binarize=-0.5).fit(X, Y)
    assert (dense.statistic_.sums == dense.statistic_.weight[:, None]).all()
    with pytest.raises(InputError, match=r"binarize=-0.5.*sparse.*toarray"):
        BernoulliNB(binarize=-0.5).fit(sparse.csr_array(X), Y)
    with pytest.raises(InputError, match=r"binarize=-0.5.*sparse.*toarray"):
        dense.predict(sparse.csr_array(X))


ALPHAS = {
    "negative": (-1.0, "alpha=-1.0 must be a number of at least 0"),
    "NaN": (np.nan, "alpha=nan must be a number of at least 0"),
    "infinite": (np.inf, "alpha=inf must be a number of at least 0"),
    "beyond any count": (1e308, r"alpha=1e\+308 leaves nothing of any count"),
    "text": ("one", "alpha='one' must be a number"),
    "none": (None, "alpha=None must be a number"),
    "truth": (True, "alpha=True must be a number"),
    "too few": ([1.0, 2.0], r"alpha has shape \(2,\) for"),
    "two dimensions": ([[1.0] * 8], r"alpha has shape \(1, 8\) for"),
}


@pytest.mark.parametrize("kind", [MultinomialNB, BernoulliNB, ComplementNB, PoissonNB, CategoricalNB, MixedNB])
@pytest.mark.parametrize(("alpha", "message"), list(ALPHAS.values()), ids=list(ALPHAS))
def test_alpha(kind: Any, alpha: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        kind(alpha=alpha).fit(X, Y)


def test_one_bad_number_among_the_alphas() -> None:
    with pytest.raises(InputError, match="alpha must be at least 0; it has -2"):
        MultinomialNB(alpha=[1.0, -2.0, *[1.0] * 6]).fit(X, Y)


@pytest.mark.parametrize("value", ["low", None, np.nan, np.inf, True, [0.0]])
def test_threshold(value: Any) -> None:
    with pytest.raises(InputError, match=r"binarize=.*must be a number"):
        BernoulliNB(binarize=value).fit(X, Y)


@pytest.mark.parametrize("value", ["l1", None, 1])
def test_norm(value: Any) -> None:
    with pytest.raises(InputError, match=r"norm=.*must be True or False"):
        ComplementNB(norm=value).fit(X, Y)


@pytest.mark.parametrize("lengths", [-1, 2.5, "long", [1, 2]])
def test_lengths(lengths: Any) -> None:
    with pytest.raises(InputError, match=r"lengths=.*must be a whole number of at least 0, or 3 of them"):
        MultinomialNB().fit(X, Y).sample(3, lengths=lengths)


ROLES: dict[str, tuple[Any, str]] = {
    "unknown role": ({"number": "colour"}, "column 'number' the role 'colour'; use 'numeric', 'category', 'count'"),
    "unknown column": ({"numbre": "count"}, "names the column 'numbre', which X does not have"),
    "a place too far": ({6: "count"}, "names the column 6"),
    "too few": (["numeric", "category"], "one for each of the 6 columns"),
    "a number": (3, "roles=3 must be one role"),
    "words as numbers": ({"colour": "numeric"}, "column 'colour' has '.*', and its role is 'numeric'.*'category'"),
    "words as counts": ({"colour": "count"}, "not a number: column 'colour' has '.*', and its role is 'count'"),
    "measurements as counts": ({"length": "count"}, "column 'length' has -.* in row .*a count is not below zero"),
    "measurements as binary": ({"length": "binary"}, "column 'length' has .* its cells are 0 and 1"),
}


@pytest.mark.parametrize(("roles", "message"), list(ROLES.values()), ids=list(ROLES))
def test_roles(roles: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        MixedNB(roles=roles).fit(FRAME, LABELS)


def test_a_role_is_kept_to_at_predict_and_in_later_parts() -> None:
    model = MixedNB(roles={"number": "count"}).fit(FRAME, LABELS)
    later = FRAME.astype({"number": float})
    later.loc[4, "number"] = -1.0
    for method in (model.predict, model.predict_proba, model.typicality):
        with pytest.raises(InputError, match="column 'number' has -1 in row 4"):
            method(later)
    words = FRAME.astype({"length": str})
    with pytest.raises(InputError, match=r"column 'length' has '.*', and its role is 'numeric'"):
        model.predict(words)
    with pytest.raises(InputError, match="column 'length' was 'numeric' and now comes as 'category'"):
        model + MixedNB(roles={"number": "count"}).fit(words, LABELS)


DATED = {
    "dates in pandas": pd.DataFrame({"day": pd.to_datetime(["2020-01-01", "2020-01-02"] * 2), "x": [1.0, 2, 3, 4]}),
    "dates in polars": pl.DataFrame({"day": pd.to_datetime(["2020-01-01"] * 4), "x": [1.0, 2, 3, 4]}),
    "lists": pl.DataFrame({"day": [[1], [2], [3], [4]], "x": [1.0, 2, 3, 4]}),
}


@pytest.mark.parametrize("frame", list(DATED.values()), ids=list(DATED))
def test_cells_that_are_neither_numbers_nor_words(frame: Any) -> None:
    with pytest.raises(InputError, match=r"column 'day' has type .* neither numbers nor words"):
        MixedNB().fit(frame, list("aabb"))


def test_a_cell_that_is_a_list() -> None:
    rows = np.array([["red", 1], ["blue", 2]], dtype=object)
    rows[0, 0] = ["red"]
    with pytest.raises(DistinguoError, match="neither a word nor a number"):
        CategoricalNB().fit(rows, ["a", "b"])


def test_text_is_no_count() -> None:
    frame = pd.DataFrame({"word": ["many", "few", "none"], "x": [1.0, 2.0, 3.0]})
    for model in (MultinomialNB(), BernoulliNB()):
        with pytest.raises(InputError, match=r"columns that are not numbers: 'word'|not a number.*'many'"):
            model.fit(frame, list("aab"))


def test_columns_that_tell_nothing_are_left_out_of_a_mixed_model() -> None:
    frame = FRAME.assign(constant=3.0)
    with pytest.warns(LeftOutWarning, match="'constant'"):
        model = MixedNB().fit(frame, LABELS)
    plain = MixedNB().fit(FRAME, LABELS)
    np.testing.assert_allclose(model.predict_proba(frame), plain.predict_proba(FRAME), atol=1e-12)
    # A constant word is as likely in every class but for their sizes, and does no harm.
    same = CategoricalNB(alpha=0).fit([["x"], ["x"], ["x"]], list("aab"))
    np.testing.assert_allclose(same.predict_proba([["x"]]), [[2 / 3, 1 / 3]])


def test_names_for_the_columns_must_be_as_many_and_different() -> None:
    with pytest.raises(InputError, match="feature_names has 2 names for 8 columns"):
        MultinomialNB().partial_fit(X, Y, feature_names=["a", "b"])
    with pytest.raises(InputError, match="same name twice"):
        MultinomialNB().partial_fit(X, Y, feature_names=["a"] * 8)
    with pytest.raises(InputError, match="a Source brings its own names"):
        MultinomialNB().partial_fit(MemorySource(X, Y), feature_names=NAMES)


def test_what_was_not_learned_cannot_be_forgotten() -> None:
    for model, rows, labels in ((MultinomialNB(), X, Y), (MixedNB(), FRAME, LABELS)):
        model.fit(rows[:30], labels[:30])
        before = model.predict_proba(rows)
        with pytest.raises(InputError, match=r"not learned|more rows"):
            model.forget(rows[30:], labels[30:])
        assert np.array_equal(model.predict_proba(rows), before)


def test_counts_and_categories_that_were_not_learned_cannot_be_forgotten() -> None:
    for model, rows, labels in ((MultinomialNB(), X, Y), (MixedNB(), FRAME, LABELS)):
        model.fit(rows, labels)
        others = rows[:1] + 500 if model.__class__ is MultinomialNB else rows[:1].assign(colour="violet")
        with pytest.raises(InputError, match="not learned"):
            model.forget(others, labels[:1])


def test_infinity_is_refused_in_sparse_rows_too() -> None:
    rows = X.copy()
    rows[5, 3] = np.inf
    for model in POSITIVE:
        with pytest.raises(InputError, match=r"infinity \(row 5, column 3\)"):
            model.fit(sparse.csr_array(rows), Y)


def test_infinity_is_no_category() -> None:
    frame = FRAME.assign(length=np.inf)
    for model in (CategoricalNB(), MixedNB(), MixedNB(roles={"length": "category"})):
        with pytest.raises(InputError, match=r"infinity .*column 'length'"):
            model.fit(frame, LABELS)
