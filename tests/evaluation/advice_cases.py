"""A clean table of three classes, and what advice says of others made from it."""

import numpy as np
import pandas as pd

from distinguo.advice import Advice

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
