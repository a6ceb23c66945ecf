"""What TextCounts refuses, and what it says."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from distinguo import TextCounts, scan_texts
from distinguo.exceptions import InputError, InputTypeError
from tests.features.text_cases import chunks_of

TEXTS = ["win money now", "lunch at noon"]
NAN = float("nan")

DOCUMENTS: list[tuple[Any, type[Exception], str]] = [
    ("a single text", InputError, "Iterable over raw text documents expected, string object received.*into a list"),
    (b"bytes", InputError, "string object received"),
    (Path("mail.txt"), InputError, "string object received"),
    (7, InputTypeError, "X is of type int; bring documents in a list"),
    (None, InputTypeError, "X is of type NoneType"),
    ({"a": "text"}, InputTypeError, "X is a mapping, which has no rows. Pass its values"),
    ([*TEXTS, None], InputError, r"document 2 is missing \(None or NaN\).*missing='empty'"),
    ([*TEXTS, NAN], InputError, "document 2 is missing"),
    ([pd.NA, *TEXTS], InputError, "document 0 is missing"),
    ([pd.NaT, *TEXTS], InputError, "document 0 is missing"),
    (pd.Series(["win", None], dtype="str"), InputError, "document 1 is missing"),
    (pl.Series(["win", None]), InputError, "document 1 is missing"),
    (["win", 3.5], InputTypeError, r"document 1 is of type float, not text \(3.5\).*turn numbers into text with str"),
    (np.array([1, 2]), InputTypeError, "document 0 is of type int64, not text"),
    ([["win", "money"]], InputTypeError, "document 0 is of type list, not text"),
    (["win", "naïve".encode("latin-1")], InputError, "document 1 is not utf-8: .* at byte 2. Pass its encoding="),
    (pd.DataFrame({"a": TEXTS, "b": TEXTS}), InputError, "X has 2 columns.*'a', 'b'.*Choose the column with the text"),
    (pd.DataFrame({"a": TEXTS, "b": TEXTS}).to_numpy(), InputError, r"X has shape \(2, 2\).*one column"),
    (np.array("text"), InputError, r"X has shape \(\)"),
    ([], InputError, r"empty vocabulary; perhaps the documents only contain stop words.* 0 document\(s\) came"),
    (["", "?", "a b c"], InputError, r"empty vocabulary; perhaps.* 3 document\(s\) came"),
]


@pytest.mark.parametrize(("documents", "error", "message"), DOCUMENTS, ids=lambda value: repr(value)[:40])
def test_documents(documents: Any, error: type[Exception], message: str) -> None:
    for fit in (TextCounts().fit, TextCounts().fit_transform):
        with pytest.raises(error, match=re.compile(message, re.DOTALL)):
            fit(documents)


@pytest.mark.parametrize(("documents", "error", "message"), DOCUMENTS[:-2], ids=lambda value: repr(value)[:40])
def test_documents_of_a_fitted_transformer(documents: Any, error: type[Exception], message: str) -> None:
    """Nothing of a batch with a bad document is learnt."""
    counts = TextCounts().fit(TEXTS)
    for use in (counts.transform, counts.partial_fit):
        with pytest.raises(error, match=re.compile(message, re.DOTALL)):
            use(documents)
    assert (counts.n_documents_, len(counts.vocabulary_)) == (2, 6)


OPTIONS: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"encoding": "utf-9"}, InputError, "encoding='utf-9' is not known to Python; use 'utf-8'"),
    ({"encoding": None}, InputError, "encoding=None is not known"),
    ({"decode_error": "panic"}, InputError, "decode_error='panic' is not known; use 'strict' or 'ignore' or 'replace'"),
    ({"missing": "drop"}, InputError, "missing='drop' is not known; use 'error' or 'empty'"),
    ({"remove": "headers"}, InputError, "remove='headers' must be a tuple"),
    ({"remove": None}, InputError, "remove=None must be a tuple"),
    ({"remove": ("header",)}, InputError, "each of remove='header' is not known; use 'headers' or"),
    ({"strip_accents": "latin"}, InputError, "strip_accents='latin' is not known; use 'unicode' or 'ascii'"),
    ({"lowercase": "yes"}, InputError, "lowercase='yes' must be True or False"),
    ({"preprocessor": "lower"}, InputTypeError, "preprocessor='lower' must be a function of a text"),
    ({"preprocessor": str.upper, "strip_accents": "ascii"}, InputError, "strip_accents='ascii' has no effect where"),
    ({"tokenizer": "split"}, InputTypeError, "tokenizer='split' must be a function"),
    (
        {"tokenizer": str.split, "token_pattern": "a"},
        InputError,
        "token_pattern='a' has no effect where there is a tok",
    ),
    ({"tokenizer": lambda text: [len(text)]}, InputTypeError, r"must give texts, not int \(13\)"),
    ({"stop_words": "italian"}, InputError, "stop_words='italian' is not known; use 'english'"),
    ({"stop_words": [1, 2]}, InputError, "stop_words must be 'english', a collection of words, or None"),
    ({"stop_words": 3}, InputError, "stop_words must be 'english'"),
    ({"stop_words": ["win", "money", "now", "lunch", "at", "noon"]}, InputError, "only contain stop words"),
    ({"token_pattern": "("}, InputError, "token_pattern='\\(' is no regular expression"),
    ({"token_pattern": None}, InputError, "token_pattern=None is no regular expression"),
    ({"token_pattern": "(a)(b)"}, InputError, "more than 1 capturing group"),
    ({"ngram_range": 2}, InputError, r"ngram_range=2 must be two whole numbers, such as \(1, 2\)"),
    ({"ngram_range": (0, 1)}, InputError, "ngram_range's lower end=0 must be a whole number of at least 1"),
    ({"ngram_range": (1, 2.0)}, InputError, "ngram_range's upper end=2.0"),
    ({"ngram_range": (2, 1)}, InputError, "lower boundary larger than the upper boundary; swap them"),
    ({"analyzer": "sentence"}, InputError, "analyzer='sentence' is not known; use 'word' or 'char' or 'char_wb'"),
    ({"analyzer": "char", "stop_words": "english"}, InputError, "stop_words='english' has no effect where analyzer"),
    (
        {"analyzer": str.split, "ngram_range": (1, 2)},
        InputError,
        r"ngram_range=\(1, 2\) has no effect where analyzer is",
    ),
    ({"min_df": 0}, InputError, "min_df=0 must be a whole number of documents from 1, or a share"),
    ({"min_df": True}, InputError, "min_df=True must be"),
    ({"max_df": 1.5}, InputError, "max_df=1.5 must be"),
    ({"max_df": NAN}, InputError, "max_df=nan must be"),
    ({"max_df": "all"}, InputError, "max_df='all' must be"),
    ({"min_df": 2}, InputError, "After pruning, no terms remain. .*none of 6 terms is in 2 to 2 of 2 documents"),
    ({"min_df": 2, "max_df": 1}, InputError, "max_df corresponds to < documents than min_df: 1 and 2 of 2"),
    ({"vocabulary": "win"}, InputError, "vocabulary='win' must be a collection of words"),
    ({"vocabulary": 5}, InputError, "vocabulary=5 must be a collection"),
    ({"vocabulary": []}, InputError, "empty vocabulary passed to fit"),
    ({"vocabulary": ["win", 5]}, InputError, "vocabulary has 5, which is no text"),
    ({"vocabulary": ["win", "now", "win"]}, InputError, "Duplicate term in vocabulary: 'win'"),
    ({"vocabulary": {"win": 0, "now": 2}}, InputError, "must map its 2 terms to the columns 0, 1, ..., each once"),
    ({"vocabulary": {"win": 0, "now": 0}}, InputError, "each once"),
    ({"vocabulary": {"win": "first"}}, InputError, "each once"),
    ({"vocabulary": ["Win"]}, InputError, "vocabulary has 'Win', which no text in small letters has; pass lowercase"),
    ({"vocabulary": ["win"], "min_df": 2}, InputError, "min_df and max_df have no effect where a vocabulary is given"),
    ({"hashing": 0}, InputError, "hashing=0 must be a whole number of at least 1"),
    ({"hashing": 2**31}, InputError, "hashing=2147483648 is more columns"),
    ({"hashing": 8, "min_df": 2}, InputError, "min_df=2 has no effect where columns are hashes"),
    ({"hashing": 8, "vocabulary": ["win"]}, InputError, "vocabulary=.* has no effect where columns are hashes"),
    ({"binary": 1}, InputError, "binary=1 must be True or False"),
    ({"tfidf": "yes"}, InputError, "tfidf='yes' must be True or False"),
]


@pytest.mark.parametrize(("options", "error", "message"), OPTIONS, ids=lambda value: repr(value)[:40])
def test_options(options: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        TextCounts(**options).fit_transform(TEXTS)


def test_partial_fit_waits_for_words() -> None:
    counts = TextCounts().partial_fit(["", "?"])
    with pytest.raises(InputError, match="empty vocabulary"):
        counts.transform(["words"])
    assert counts.partial_fit(["words"]).transform(["words"]).toarray().tolist() == [[1]]


def test_rows_are_counted_across_chunks() -> None:
    with chunks_of(5), pytest.raises(InputError, match="document 7 is missing"):
        TextCounts().fit([*["some words"] * 7, None])


COLUMNS: list[tuple[Callable[[Any], Any], str]] = [
    (lambda file: scan_texts(file, "txt"), "there is no column 'txt' to be the text. Did you mean 'text'"),
    (lambda file: scan_texts(file, "size"), "column 'size' holds Int64, not text"),
    (lambda file: scan_texts(file, "text").labels("lable"), "there is no column 'lable' to be the target"),
    (lambda file: scan_texts(f"{file}.gone", "text"), "there is no file"),
]


@pytest.mark.parametrize(("read", "message"), COLUMNS, ids=[message for _, message in COLUMNS])
def test_columns_of_files(tmp_path: Path, read: Callable[[Any], Any], message: str) -> None:
    file = tmp_path / "mails.parquet"
    pl.DataFrame({"text": TEXTS, "size": [1, 2], "label": ["a", "b"]}).write_parquet(file)
    with pytest.raises(InputError, match=message):
        read(file)
