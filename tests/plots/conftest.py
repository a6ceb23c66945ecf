"""Pictures are drawn without a screen, and none is left open."""

from collections.abc import Iterator

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

from distinguo import LinearDiscriminantAnalysis

mpl.use("Agg")


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    """Every picture can be written, and is closed."""
    yield
    for number in plt.get_fignums():
        plt.figure(number).canvas.draw()
    plt.close("all")


@pytest.fixture(scope="session")
def iris() -> tuple[pd.DataFrame, np.ndarray]:
    data = load_iris(as_frame=True)
    return data.data, data.target_names[data.target]


@pytest.fixture(scope="session")
def lda(iris) -> LinearDiscriminantAnalysis:
    return LinearDiscriminantAnalysis().fit(*iris)


def clouds(K: int, p: int = 4, n: int = 20, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Rows of K Gaussian classes, and their numbers."""
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(K), n)
    return rng.normal(size=(K, p))[y] * 4 + rng.normal(size=(K * n, p)), y


@pytest.fixture
def make_clouds():
    return clouds
