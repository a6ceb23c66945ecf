"""Whatever classes, columns and cells are called, they stay text, in the page and in its numbers."""

import html
import json
import re
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from distinguo.report.figures.svg import element
from distinguo.report.texts import for_script, names_of, plain
from tests.report.report_cases import NASTY, report_of


class Page(HTMLParser):
    """What a page is made of."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.handlers: list[str] = []
        self.links: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.append(tag)
        self.handlers += [name for name, _ in attrs if name.startswith("on")]
        self.links += [value for name, value in attrs if name in {"src", "href", "action", "xlink:href"}]


def test_no_name_becomes_markup(nasty: Any) -> None:
    page = Page(nasty.to_html())
    assert page.tags.count("script") == 2  # the data and the program
    assert "img" not in page.tags
    assert page.handlers == []
    assert all(link.startswith(("#", "data:,")) for link in page.links)


def test_names_are_there_as_text(nasty: Any) -> None:
    shown = html.unescape(nasty.to_html())
    for name in (*NASTY[:4], NASTY[5], NASTY[7]):
        assert name in shown
    assert "49" not in nasty.title
    assert "two lines and tabs" in shown


def test_page_is_utf8_without_controls(nasty: Any) -> None:
    text = nasty.to_html()
    text.encode("utf-8")
    assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u202a-\u202e\u2066-\u2069]", text)


def test_numbers_are_utf8_json(nasty: Any) -> None:
    found = json.loads(nasty.to_json().encode("utf-8"))
    assert found["title"] == NASTY[0]
    assert NASTY[2] in {row["name"] for row in found["overview"]["classes"]}


def test_script_of_data_is_what_the_page_reads(nasty: Any) -> None:
    inside = re.search(r'<script type="application/json" id="data">(.*?)</script>', nasty.to_html(), re.DOTALL)
    assert inside is not None
    names = [sweep["name"] for sweep in json.loads(inside[1])["sweeps"]]
    assert names == [sweep.name for sweep in nasty.sweeps]
    assert "<" not in inside[1]


def test_pictures_are_well_formed(nasty: Any) -> None:
    pictures = re.findall(r"<svg .*?</svg>", nasty.to_html(), re.DOTALL)
    assert len(pictures) > 10
    for picture in pictures:
        ET.fromstring(picture)


@given(st.text())
def test_any_text_in_a_picture(text: str) -> None:
    told = ET.fromstring(element("text", plain(text), title=plain(text)))
    assert told.text == plain(text)
    assert told.get("title") == plain(text)


@given(st.recursive(st.text() | st.integers() | st.none(), st.lists))
def test_any_value_in_a_script(value: Any) -> None:
    written = for_script(value)
    assert json.loads(written) == value
    assert not set(written) & set("<>&\u2028\u2029")


@given(st.lists(st.text() | st.integers(), unique=True, max_size=8))
def test_names_differ_as_labels_do(labels: list[Any]) -> None:
    names = names_of(labels)
    assert len(set(names)) == len(labels)
    assert all("\n" not in name for name in names)


def test_labels_that_look_the_same_are_told_apart() -> None:
    X = np.random.default_rng(0).normal(size=(60, 2))
    y = np.repeat(np.array([1, "1", "a b", "a  b"], dtype=object), 15)
    report = report_of(X, y, ["lda"])
    assert set(report.evaluation.classes) == {"1", "'1'", "'a b'", "'a  b'"}
