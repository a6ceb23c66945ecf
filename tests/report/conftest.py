"""Reports to be looked at, and a browser to look with."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_iris

from distinguo import GaussianNB, LinearDiscriminantAnalysis
from tests.report.report_cases import NASTY, report_of

# Where Debian, and others after it, put the browser and its driver.
BROWSERS, DRIVERS = ("chromium", "chromium-browser", "google-chrome"), ("chromedriver", "chromium.chromedriver")


@pytest.fixture(scope="session")
def iris() -> Any:
    """Of three classes and names of columns."""
    X, y = load_iris(return_X_y=True, as_frame=True)
    names = load_iris().target_names[y]
    return report_of(X, names, model=LinearDiscriminantAnalysis().fit(X, names), title="iris", target="species")


@pytest.fixture(scope="session")
def cancer() -> Any:
    """Of two classes, and probabilities that are too sure."""
    X, y = load_breast_cancer(return_X_y=True)
    names = np.array(["malignant", "benign"])[y]
    return report_of(X, names, ["gaussian-nb"], GaussianNB().fit(X, names), positive="malignant")


@pytest.fixture(scope="session")
def nasty() -> Any:
    """Classes and columns whose names could be taken for something else."""
    rng = np.random.default_rng(0)
    K = len(NASTY)
    y = np.repeat(np.array(NASTY, dtype=object), 8)
    X = pd.DataFrame(rng.normal(size=(8 * K, K)) + np.repeat(np.eye(K) * 5, 8, axis=0))
    X.columns = [name.replace("\ud800", "?") for name in NASTY]  # which no frame can hold
    return report_of(X, y, ["lda"], LinearDiscriminantAnalysis().fit(X, y), title=NASTY[0], target=NASTY[1])


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Chromium without a window; the tests are skipped where something is missing, and say what."""
    driver = pytest.importorskip("selenium.webdriver", reason="needs selenium: pip install 'distinguo[test]'")
    service = pytest.importorskip("selenium.webdriver.chrome.service")
    chromium = next(filter(None, map(shutil.which, BROWSERS)), None)
    chromedriver = next(filter(None, map(shutil.which, DRIVERS)), None)
    if chromium is None or chromedriver is None:
        pytest.skip("needs Chromium and its driver (Debian: apt-get install chromium chromium-driver)")
    options = driver.ChromeOptions()
    options.binary_location = chromium
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    started = driver.Chrome(options=options, service=service.Service(chromedriver))
    try:
        yield started
    finally:
        started.quit()
