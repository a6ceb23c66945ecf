"""The page in Chromium: opens from disk, asks for nothing, and its slider, tables and colours work."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from distinguo import Costs, Evaluation, threshold_table, tune_threshold

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")  # sockets of the driver, closed when it ends


class Opened:
    """A page that is open, and what a test does with it."""

    def __init__(self, browser: Any, path: Path, width: int = 1280, scheme: str = "light") -> None:
        self.browser = browser
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": features})
        browser.get_log("browser"), browser.get_log("performance")  # of the page before
        browser.get(path.as_uri())

    def run(self, script: str, *arguments: Any) -> Any:
        return self.browser.execute_script(script, *arguments)

    def type_into(self, name: str, value: Any) -> None:
        """A value as a user gives it."""
        script = "const it = document.getElementById(arguments[0]); it.value = arguments[1];"
        self.run(script + "it.dispatchEvent(new Event(arguments[2], {bubbles: true}));", name, str(value), "input")

    def numbers(self) -> dict[str, float]:
        """All that the slider shows, unrounded."""
        script = "return [...document.querySelectorAll('[data-out]')].map((e) => [e.dataset.out, e.dataset.value])"
        return {name: float(value) for name, value in self.run(script)}

    def column(self, section: str, place: int) -> list[str]:
        script = "return [...document.querySelector(arguments[0]).tBodies[0].rows].map((r) => r.cells[arguments[1]])"
        return self.run(f"{script}.map((c) => c.dataset.v ?? c.textContent.trim())", f"{section} table.sortable", place)


@pytest.fixture(scope="module")
def pages(iris: Any, cancer: Any, nasty: Any, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    for name, report in (("iris", iris), ("cancer", cancer), ("nasty", nasty)):
        (folder / f"{name}.html").write_text(report.to_html(), encoding="utf-8")
    return {name: folder / f"{name}.html" for name in ("iris", "cancer", "nasty")}


@pytest.fixture(scope="module")
def held(cancer: Any) -> tuple[Any, Any]:
    """Labels and probabilities behind the page on cancer, from the same comparison."""
    from sklearn.datasets import load_breast_cancer

    from distinguo import compare

    X, y = load_breast_cancer(return_X_y=True)
    names = np.array(["malignant", "benign"])[y]
    found = compare(["gaussian-nb"], X, names, folds=2, repeats=1, memory=False)
    said = next(result for result in found.results if result.name == "gaussian-nb").measured.held_out
    at = said.first()
    return names[said.rows[at]], said.probabilities[at, 1]  # "benign", "malignant"


@pytest.mark.parametrize("name", ["iris", "cancer", "nasty"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_opens_without_errors_or_requests(browser: Any, pages: Any, name: str, scheme: str) -> None:
    page = Opened(browser, pages[name], scheme=scheme)
    page.run("window.scrollTo(0, document.body.scrollHeight)")
    assert browser.get_log("browser") == []
    sent = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    asked = [m["params"]["request"]["url"] for m in sent if m["method"] == "Network.requestWillBeSent"]
    assert {url for url in asked if not url.startswith("data:")} == {pages[name].as_uri()}
    dark = page.run("return getComputedStyle(document.body).backgroundColor")
    assert (dark == "rgb(20, 23, 27)") == (scheme == "dark")


@pytest.mark.parametrize("step", [0, 1, 137, 500, 903, 999, 1000])
def test_slider_gives_what_the_table_of_thresholds_gives(browser: Any, pages: Any, held: Any, step: int) -> None:
    y, p = held
    page = Opened(browser, pages["cancer"])
    page.type_into("range", step)
    shown = page.numbers()
    row = threshold_table(y, p, [step / 1000], positive="malignant").rows()[0]
    for name in ("tp", "fp", "fn", "tn", "recall", "specificity", "precision", "accuracy", "f1", "called"):
        assert shown[name] == pytest.approx(row[name], abs=1e-12, nan_ok=True), name


def test_threshold_at_a_probability_calls_its_row(browser: Any, pages: Any, held: Any) -> None:
    y, p = held
    page = Opened(browser, pages["cancer"])
    levels = np.unique(p[p < 1])[[0, 1, 40, -40, -2, -1]]
    for level, row in zip(levels, threshold_table(y, p, levels, positive="malignant").rows(), strict=True):
        page.type_into("exact", repr(float(level)))
        shown = page.numbers()
        assert [shown[name] for name in ("tp", "fp")] == [row["tp"], row["fp"]]


@pytest.mark.parametrize("threshold", [0.5, 0.123456789, 0.99999])
def test_slider_gives_what_evaluate_gives(browser: Any, pages: Any, held: Any, threshold: float) -> None:
    y, p = held
    page = Opened(browser, pages["cancer"])
    page.type_into("exact", threshold)
    shown = page.numbers()
    called = np.where(p >= threshold, "malignant", "benign")
    found = Evaluation.of(y, predicted=called, positive="malignant", n_bootstrap=0)
    for name in ("recall", "specificity", "precision", "f1", "accuracy", "balanced_accuracy", "mcc"):
        assert shown[name] == pytest.approx(found[name].value, abs=1e-12), name
    np.testing.assert_array_equal(found.confusion.counts, [[shown["tn"], shown["fp"]], [shown["fn"], shown["tp"]]])


def test_costs(browser: Any, pages: Any, held: Any) -> None:
    y, p = held
    page = Opened(browser, pages["cancer"])
    page.type_into("alarm", 2)
    page.type_into("miss", 18)
    shown = page.numbers()
    costs = Costs([[0, 2], [18, 0]], ["benign", "malignant"])
    assert shown["bayes"] == pytest.approx(costs.threshold)
    cost = lambda t: float(np.mean(np.where(y == "malignant", 18 * (p < t), 2 * (p >= t))))  # noqa: E731
    assert shown["cost"] == pytest.approx(cost(0.5))
    assert shown["best_cost"] == pytest.approx(min(cost(t) for t in [*p, 2.0]))
    assert cost(shown["best_threshold"]) == pytest.approx(shown["best_cost"])
    page.run("document.getElementById('to-best').click()")
    assert page.numbers()["cost"] == pytest.approx(shown["best_cost"])
    page.run("document.getElementById('to-bayes').click()")
    assert page.numbers()["cost"] == pytest.approx(cost(costs.threshold))


def test_least_cost_at_equal_costs_is_the_best_accuracy(browser: Any, pages: Any, held: Any) -> None:
    y, p = held
    best = tune_threshold(y, p, "accuracy", positive="malignant")
    shown = Opened(browser, pages["cancer"]).numbers()
    assert 1 - shown["best_cost"] == pytest.approx(best.value)
    assert shown["best_threshold"] == pytest.approx(best.threshold)


def test_each_class_has_its_slider(browser: Any, pages: Any, iris: Any) -> None:
    page = Opened(browser, pages["iris"])
    for place, sweep in enumerate(iris.sweeps):
        script = (
            "const s = document.getElementById('sweep'); s.value = arguments[0]; s.dispatchEvent(new Event('change'))"
        )
        page.run(script, str(place))
        shown = page.numbers()
        assert shown["tp"] + shown["fn"] == sweep.positive
        assert page.run("return document.querySelector('[data-name]').textContent") == sweep.name
        assert page.run("return [...document.querySelectorAll('.sweep')].map((e) => e.hidden)") == [
            k != place for k in range(len(iris.sweeps))
        ]


def test_keys_move_the_slider(browser: Any, pages: Any) -> None:
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys

    page = Opened(browser, pages["cancer"])
    browser.find_element(By.ID, "range").send_keys(Keys.ARROW_LEFT)
    assert page.run("return document.getElementById('slider').dataset.threshold") == "0.499"
    assert page.run("return document.getElementById('exact').value") == "0.499"


def test_the_slider_stands_above_its_line(browser: Any, pages: Any) -> None:
    page = Opened(browser, pages["cancer"])
    for step in (0, 250, 1000):
        page.type_into("range", step)
        off = page.run(
            "const track = document.getElementById('range').getBoundingClientRect();"
            "const line = document.querySelector('.sweep:not([hidden]) .cut-line').getBoundingClientRect();"
            "return track.left + 8 + arguments[0] / 1000 * (track.width - 16) - (line.left + line.right) / 2;",
            step,
        )
        assert abs(off) < 2


def test_tables_sort_both_ways_with_missing_values_last(browser: Any, pages: Any, iris: Any) -> None:
    page = Opened(browser, pages["iris"])
    click = "document.querySelectorAll('#models thead th button')[arguments[0]].click()"
    for expected in ("ascending", "descending"):
        page.run(click, 3)
        accuracies = [float(value) for value in page.column("#models", 3)]
        assert accuracies == sorted(accuracies, reverse=expected == "descending")
        head = "return document.querySelectorAll('#models thead th')[3].getAttribute('aria-sort')"
        assert page.run(head) == expected
    for _ in range(2):
        page.run(click, 2)  # the best has no difference to itself
        assert page.column("#models", 2)[-1] == ""
    page.run("document.querySelector('#table table.sortable thead th button').click()")
    assert page.column("#table", 0) == sorted(column.name for column in iris.overview.columns)


@pytest.mark.parametrize("name", ["iris", "cancer", "nasty"])
@pytest.mark.parametrize("width", [320, 390, 1280])
def test_nothing_is_wider_than_the_window(browser: Any, pages: Any, name: str, width: int) -> None:
    page = Opened(browser, pages[name], width=width)
    assert page.run("return document.documentElement.scrollWidth") <= width


def test_colours_can_be_chosen(browser: Any, pages: Any) -> None:
    page = Opened(browser, pages["iris"])
    seen = []
    for _ in range(3):
        page.run("document.getElementById('theme').click()")
        seen.append(page.run("return document.documentElement.dataset.theme ?? 'auto'"))
    assert seen == ["light", "dark", "auto"]


def test_prints_on_white_without_navigation(browser: Any, pages: Any) -> None:
    page = Opened(browser, pages["iris"], width=720, scheme="dark")
    features = [{"name": "prefers-color-scheme", "value": "dark"}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print", "features": features})
    page.run("document.documentElement.dataset.theme = 'dark'")
    assert page.run("return getComputedStyle(document.querySelector('nav')).display") == "none"
    assert (
        page.run("return getComputedStyle(document.querySelector('section#models')).backgroundColor")
        == "rgb(255, 255, 255)"
    )
    assert page.run("return document.documentElement.scrollWidth") <= 720


def test_names_are_text_in_the_page(browser: Any, pages: Any, nasty: Any) -> None:
    page = Opened(browser, pages["nasty"])
    assert page.run("return document.querySelector('h1').textContent") == nasty.title == "<script>alert(1)</script>"
    assert page.run("return document.querySelectorAll('img, iframe, object, embed').length") == 0
    assert page.run("return document.scripts.length") == 2
    options = page.run("return [...document.querySelectorAll('#sweep option')].map((e) => e.textContent)")
    assert options == [sweep.name for sweep in nasty.sweeps]
    rows = page.run("return [...document.querySelectorAll('table.classes tbody th')].map((e) => e.textContent)")
    assert rows == [row.name for row in nasty.overview.classes]
