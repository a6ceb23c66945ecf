"""Naive Bayes of counts and categories beside independent programs, and at the limits."""

import itertools
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn.naive_bayes as peers
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.stats import multinomial, poisson
from sklearn.base import clone

from distinguo import (
    BernoulliNB,
    CategoricalNB,
    ComplementNB,
    GaussianNB,
    MemorySource,
    MixedNB,
    MultinomialNB,
    PoissonNB,
)
from tests.generative.naive_cases import counts, every_describing, every_model, rows_for, table

seeds = st.integers(0, 2**32 - 1)
few = settings(max_examples=5)

PEERS = {
    "multinomial": (MultinomialNB(alpha=0.3), peers.MultinomialNB(alpha=0.3)),
    "multinomial-by-word": (
        MultinomialNB(alpha=np.linspace(0.1, 2, 8)),
        peers.MultinomialNB(alpha=np.linspace(0.1, 2, 8)),
    ),
    "bernoulli": (BernoulliNB(alpha=0.3, binarize=1.0), peers.BernoulliNB(alpha=0.3, binarize=1.0)),
    # scikit-learn leaves the priors out of the complement's scores; where they are uniform that makes no difference.
    "complement": (ComplementNB(priors="uniform"), peers.ComplementNB()),
    "complement-norm": (ComplementNB(priors="uniform", norm=True), peers.ComplementNB(norm=True)),
    "categorical": (CategoricalNB(alpha=0.3), peers.CategoricalNB(alpha=0.3)),
}


@pytest.mark.parametrize(("ours", "peer"), list(PEERS.values()), ids=list(PEERS))
@given(seed=seeds)
@few
def test_beside_scikit_learn(ours: Any, peer: Any, seed: int) -> None:
    X, y = counts(seed)
    if isinstance(ours, CategoricalNB):
        # There every number up to the greatest is a category, with us those that were met.
        X = np.unique(X, return_inverse=True)[1].reshape(X.shape) % 2.0
        X[:2] = [[0.0], [1.0]]
    weight = np.random.default_rng(seed).uniform(0.5, 2.0, len(y))
    ours, peer = clone(ours).fit(X, y, sample_weight=weight), clone(peer).fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(ours.predict_proba(X), peer.predict_proba(X), atol=1e-10)


def test_complement_honours_priors() -> None:
    X, y = counts()
    model = ComplementNB(priors=[0.2, 0.3, 0.5]).fit(X, y)
    scores = peers.ComplementNB().fit(X, y).predict_joint_log_proba(X) + np.log([0.2, 0.3, 0.5])
    expected = np.exp(scores - np.logaddexp.reduce(scores, axis=1, keepdims=True))
    np.testing.assert_allclose(model.predict_proba(X), expected, atol=1e-12)


# Counts of R's HairEyeColor, summed over nothing: hair by eye by sex (datasets package of R 4.2.2).
HAIR, EYE = ["Black", "Brown", "Red", "Blond"], ["Brown", "Blue", "Hazel", "Green"]
MALE = [[32, 11, 10, 3], [53, 50, 25, 15], [10, 10, 7, 7], [3, 30, 5, 8]]
FEMALE = [[36, 9, 5, 2], [66, 34, 29, 14], [16, 7, 7, 7], [4, 64, 5, 8]]


@pytest.mark.parametrize("model", [CategoricalNB(alpha=2.0), MixedNB(alpha=2.0)])
def test_hair_and_eyes_beside_r(model: Any) -> None:
    """R 4.2.2, e1071: predict(naiveBayes(Sex ~ Hair + Eye, rows, laplace = 2), new, type = "raw")."""
    cells = [(hair, eye) for hair in HAIR for eye in EYE]
    rows = pd.DataFrame(cells * 2, columns=["Hair", "Eye"])
    times = np.concatenate([np.ravel(MALE), np.ravel(FEMALE)])
    model = clone(model).fit(rows, ["Male"] * 16 + ["Female"] * 16, sample_weight=times)
    new = pd.DataFrame({"Hair": ["Black", "Red", None], "Eye": ["Blue", "Green", "Brown"]})
    expected = [[0.484623808105, 0.515376191895], [0.478083003856, 0.521916996144], [0.554320728637, 0.445679271363]]
    np.testing.assert_allclose(model.predict_proba(new), expected, atol=1e-11)


def test_a_text_of_one_word_is_the_words_share() -> None:
    X, y = counts()
    model = MultinomialNB(priors="uniform").fit(X, y)
    shares = np.exp(model.feature_log_prob_)
    np.testing.assert_allclose(model.predict_proba(np.eye(8)), (shares / shares.sum(axis=0)).T, atol=1e-12)


def test_densities_are_those_of_scipy() -> None:
    X, y = counts()
    texts, rates = MultinomialNB().fit(X, y), PoissonNB().fit(X, y)
    shares = np.exp(texts.feature_log_prob_)
    expected = [[multinomial.logpmf(x, int(x.sum()), share / share.sum()) for share in shares] for x in X]
    np.testing.assert_allclose(texts.class_log_density(X), expected, atol=1e-9)
    expected = [[poisson.logpmf(x, rate).sum() for rate in rates.rates_] for x in X]
    np.testing.assert_allclose(rates.class_log_density(X), expected, atol=1e-9)


def test_densities_sum_to_one() -> None:
    X, y = counts(p=3)
    cells = np.array(list(itertools.product(range(61), repeat=3)), dtype=float)
    np.testing.assert_allclose(np.exp(PoissonNB(alpha=3.0).fit(X / 4, y).class_log_density(cells)).sum(axis=0), 1)
    of_five = cells[cells.sum(axis=1) == 5]
    np.testing.assert_allclose(np.exp(MultinomialNB().fit(X, y).class_log_density(of_five)).sum(axis=0), 1)
    bits = np.array(list(itertools.product([0.0, 1.0], repeat=3)))
    np.testing.assert_allclose(np.exp(BernoulliNB().fit(X, y).class_log_density(bits)).sum(axis=0), 1)
    frame, labels = table()
    words = pl.DataFrame(
        list(itertools.product(["red", "green", "blue", "grey"], ["S", "M", "L"])), schema=["c", "s"], orient="row"
    )
    model = CategoricalNB().fit(
        pl.DataFrame(frame[["colour", "size"]].to_numpy(), schema=["c", "s"], orient="row"), labels
    )
    np.testing.assert_allclose(np.exp(model.class_log_density(words)).sum(axis=0), 1)


@every_model
def test_a_score_of_all_classes_is_the_density_of_the_mixture(model: Any) -> None:
    X, y = rows_for(model)
    fitted = clone(model).fit(X, y)
    if hasattr(fitted, "score_samples"):
        joint = fitted.class_log_density(X) + np.log(fitted.priors_)
        np.testing.assert_allclose(fitted.score_samples(X), np.logaddexp.reduce(joint, axis=1), atol=1e-9)


@given(seed=seeds)
@few
def test_mixed_columns_of_one_kind_are_the_model_of_that_kind(seed: int) -> None:
    frame, y = table(seed)
    numbers = frame[["length", "width"]]
    words = frame[["colour", "size"]]
    alike = [
        (numbers, MixedNB(), GaussianNB()),
        (words, MixedNB(), CategoricalNB()),
        (frame[["number"]].astype(float), MixedNB(roles="count"), PoissonNB()),
        (frame[["new"]].astype(float), MixedNB(roles="binary"), BernoulliNB()),
    ]
    total = 0.0
    for X, mixed, single in alike:
        ours, theirs = mixed.fit(X, y), single.fit(X, y)
        np.testing.assert_allclose(ours.class_log_density(X), theirs.class_log_density(X), atol=1e-9)
        total = total + theirs.class_log_density(X)
    together = MixedNB(roles={"number": "count"}).fit(frame, y)
    np.testing.assert_allclose(together.class_log_density(frame), total, atol=1e-9)


@every_describing
def test_synthetic_rows_give_the_parameters_back(model: Any) -> None:
    X, y = counts()
    fitted = clone(model).fit(X, y)
    n = 40_000
    rows, labels = fitted.sample(n, random_state=0)
    again = clone(fitted).fit(rows, labels)
    spread = np.sqrt(fitted.priors_ * (1 - fitted.priors_) / n)
    assert (np.abs(again.priors_ - fitted.priors_) < 3.5 * spread).all()
    density, found = fitted._describe().density, again._describe().density
    (name,) = {"theta", "shares", "rates"} & set(vars(density))
    truth, estimate = getattr(density, name), getattr(found, name)
    words = rows.sum() / 3 if name == "theta" else n / 3
    error = np.sqrt(truth * (1 if name == "rates" else 1 - truth) / words)
    assert (np.abs(estimate - truth) < 4.5 * error + 2 / n).all()  # the largest of 24


def test_synthetic_texts_have_the_lengths_asked_for() -> None:
    model = MultinomialNB().fit(*counts())
    assert model.sample(4, random_state=0, lengths=[0, 1, 5, 100])[0].sum(axis=1).tolist() == [0, 1, 5, 100]
    lengths = {label: round(total) for label, total in zip("abc", model._describe().density.lengths, strict=True)}
    rows, labels = model.sample(30, random_state=0)
    assert rows.sum(axis=1).tolist() == [lengths[label] for label in labels]


def test_synthetic_mixed_rows_are_rows() -> None:
    frame, y = table(holes=0.1)
    model = MixedNB(roles={"number": "count"}).fit(frame, y)
    rows, labels = model.sample(3000, random_state=0)
    assert set(rows[:, 2]) == {"red", "green", "blue", "grey"}
    again = MixedNB(roles=model.roles_).fit(rows, labels)
    for ours, theirs in zip(model.category_log_prob_, again.category_log_prob_, strict=True):
        if ours is not None and theirs is not None:
            assert np.abs(np.exp(ours) - np.exp(theirs)).max() < 4 * np.sqrt(0.25 / 1000)


@every_describing
def test_typicality_is_the_share_of_members_no_likelier(model: Any) -> None:
    X, y = counts()
    fitted = clone(model).fit(X, y)
    kinds = {"lengths": 12} if isinstance(model, MultinomialNB) else {}
    members, labels = fitted.with_priors([1, 0, 0]).sample(3000, random_state=1, **kinds)
    assert set(labels) == {"a"}
    typical = fitted.typicality(members)[:, 0]
    # The P-value of a member is below t no more often than t, and in a class of many possible rows as often.
    for t in (0.05, 0.2, 0.5):
        assert (typical <= t).mean() < t + 3.5 * np.sqrt(t * (1 - t) * (1 / 3000 + 1 / 2000))
    logs = fitted.class_log_density(members)[:, 0]
    order = np.argsort(logs)
    assert (np.diff(typical[order]) > -1e-12).all()


def test_typicality_by_counting_all_rows() -> None:
    X, y = counts(p=3)
    bits = np.array(list(itertools.product([0.0, 1.0], repeat=3)))
    model = BernoulliNB().fit(X, y)
    shares = np.exp(model.class_log_density(bits))
    exact = np.array([[(share[share <= own + 1e-12]).sum() for own in share] for share in shares.T]).T
    assert np.abs(model.typicality(bits) - exact).max() < 3.5 * 0.5 / np.sqrt(2000)


def test_files_and_other_sources_are_counted() -> None:
    X, y = counts()
    for model in (MultinomialNB(), CategoricalNB(), MixedNB(roles={0: "count"})):
        by_source = clone(model).fit(MemorySource(X, y))
        np.testing.assert_allclose(by_source.predict_proba(X), clone(model).fit(X, y).predict_proba(X), atol=1e-12)
    named = MultinomialNB().fit(MemorySource(sparse.csr_array(X), y, feature_names=list("abcdefgh")))
    assert named.feature_names_in_.tolist() == list("abcdefgh")
