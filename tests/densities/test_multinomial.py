"""Multinomial densities: how typical very long texts are."""

import numpy as np
import pytest

from distinguo.densities import multinomial
from distinguo.densities.multinomial import Multinomial
from distinguo.densities.simulated import MEMBERS


def test_long_texts_are_as_typical_drawn_by_columns_as_word_by_word(monkeypatch: pytest.MonkeyPatch) -> None:
    generator = np.random.default_rng(0)
    theta = generator.dirichlet(np.ones(40), 2)
    density = Multinomial(theta, np.array([500.0, 500.0]))
    texts = np.concatenate([generator.multinomial(n, theta[0], 20) for n in (100, 1500, 3000)]).astype(float)
    by_columns = density.tail(texts)
    monkeypatch.setattr(multinomial, "WORD_BY_WORD", 10**9)
    word_by_word = density.tail(texts)
    assert not np.array_equal(by_columns[20:], word_by_word[20:])
    # Two independent shares of MEMBERS each; the largest of 60 differences in two classes.
    np.testing.assert_allclose(by_columns, word_by_word, atol=4.5 * np.sqrt(2 * 0.25 / MEMBERS))


def test_a_text_of_millions_of_words_is_judged() -> None:
    theta = np.array([[0.5, 0.3, 0.2], [0.2, 0.3, 0.5]])
    tail = Multinomial(theta, np.array([10.0, 10.0])).tail(np.array([[5e6, 3e6, 2e6]]))
    assert tail[0, 0] > 0.9
    assert tail[0, 1] < 0.001
