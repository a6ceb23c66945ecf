"""Headers, signatures and quotes of e-mail and news: by scikit-learn's rules, on made and on real messages."""

import csv
import gzip
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import _twenty_newsgroups as newsgroups
from sklearn.feature_extraction.text import CountVectorizer

from distinguo import TextCounts
from distinguo.features.text_mail import METADATA

# scikit-learn's own functions behind fetch_20newsgroups(remove=...), of which it documents the names.
THEIRS = {
    "headers": newsgroups.strip_newsgroup_header,
    "footers": newsgroups.strip_newsgroup_footer,
    "quotes": newsgroups.strip_newsgroup_quoting,
}
LINES = [
    "From: me", "Hello", "", "", " ", "--", "-- ", "-", "- -", "> quoted", "|quoted", " > not", "In article <1>",
    "You wrote:", "he writes in vain", "She said: yes", "Quoted from", "not Quoted from", "\t", "says: -", "\f\x0b",
]  # fmt: skip
messages = st.builds("\n".join, st.lists(st.one_of(st.sampled_from(LINES), st.text(max_size=9)), max_size=12))


@pytest.mark.parametrize("part", METADATA)
def test_rules_are_scikit_learns(part: str) -> None:
    @given(text=messages)
    def same(text: str) -> None:
        theirs = text if re.search(r"\n\r\n", text) and part == "headers" else THEIRS[part](text)
        ours = text if re.search(r"\n\r\n", text) and part == "headers" else METADATA[part](text)
        assert ours == theirs

    same()


def test_lines_may_end_as_mail_ends_them() -> None:
    """scikit-learn finds no blank line in a message whose lines end in CR LF, and takes all of it for headers."""
    message = "From: me\r\nSubject: this\r\n\r\nHello\r\n> you\r\n\r\n--\r\nMe\r\n"
    assert TextCounts(remove=("headers", "footers", "quotes")).fit([message]).vocabulary_ == {"hello": 0}


def test_order_of_names_does_not_matter() -> None:
    """Headers go first, or a signature's line might be theirs."""
    text = "From: me\nNNTP: x\n\nHello there\n\nYours"
    names = [
        TextCounts(remove=remove).fit([text]).get_feature_names_out().tolist()
        for remove in (("headers", "footers"), ("footers", "headers"), ["footers", "headers", "headers"])
    ]
    assert names == [["hello", "there"]] * 3


def test_news(shared_data: Callable[[str], Path]) -> None:
    """Every message of two newsgroup files; the vocabulary too."""
    texts = read_texts(shared_data("20news_lecture_test.csv.gz"))
    stripped = texts
    for part, strip in THEIRS.items():
        assert [METADATA[part](text) for text in stripped] == [strip(text) for text in stripped]
        stripped = [strip(text) for text in stripped]
    ours = TextCounts(remove=tuple(THEIRS)).fit(texts)
    assert ours.get_feature_names_out().tolist() == CountVectorizer().fit(stripped).get_feature_names_out().tolist()


def read_texts(file: Path) -> list[str]:
    with gzip.open(file, "rt", encoding="utf-8", newline="") as lines:
        return [row["text"] for row in csv.DictReader(lines)]
