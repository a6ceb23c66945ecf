"""Options of the text transformer, checked once, as functions that do what they say."""

from __future__ import annotations

import codecs
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from distinguo.exceptions import InputError, InputTypeError
from distinguo.features.text_analysis import (
    ACCENTS,
    CHARACTERS,
    Analysis,
    in_sequence,
    pattern_finder,
    word_terms,
)
from distinguo.features.text_compiled import Compiled
from distinguo.features.text_counting import Counting, InPython
from distinguo.features.text_documents import MISSING, Door
from distinguo.features.text_hashing import Hashed
from distinguo.features.text_mail import METADATA
from distinguo.features.text_vocabulary import Vocabulary
from distinguo.options import counting as whole
from distinguo.options import one_of, truth

# Words of two or more word characters: the pattern that compiled code knows.
DEFAULT_PATTERN = r"(?u)\b\w\w+\b"


@dataclass(frozen=True)
class Reading:
    """How documents are read and counted.

    Attributes
    ----------
    door : how documents come in.
    count : makes a pass over documents, given a vocabulary, or None for all terms.
    """

    door: Door
    count: Callable[[Vocabulary | None], Counting]


def reading_of(options: Mapping[str, Any]) -> Reading:
    """What the parameters of the transformer mean."""
    count = _counter(options)
    if options["hashing"] is None:
        return Reading(_door(options), count)
    width = whole(options["hashing"], "hashing")
    if width > np.iinfo(np.int32).max:
        raise InputError(f"hashing={width} is more columns than 2^31 - 1.")
    _refuse_idle(options, {"vocabulary": None, "min_df": 1, "max_df": 1.0}, "where columns are hashes")
    return Reading(_door(options), lambda known: Hashed(lambda: count(None), width))


def _door(options: Mapping[str, Any]) -> Door:
    errors = one_of(options["decode_error"], "decode_error", ["strict", "ignore", "replace"])
    missing = MISSING[one_of(options["missing"], "missing", MISSING)]
    encoding = options["encoding"]
    try:
        codecs.lookup(encoding)
    except (LookupError, TypeError):
        raise InputError(f"encoding={encoding!r} is not known to Python; use 'utf-8', 'latin-1' or another.") from None
    return Door(encoding, errors, missing)


def _counter(options: Mapping[str, Any]) -> Callable[[Vocabulary | None], Counting]:
    """What counts terms: compiled code where it can."""
    sizes = _sizes(options["ngram_range"])
    removed, preparation = removal(options["remove"]), _preparation(options)
    prepare = in_sequence([*removed, *preparation])
    analyzer = options["analyzer"]
    if callable(analyzer):
        idle = {"ngram_range": (1, 1), "strip_accents": None, "preprocessor": None, **_WORDS_ONLY}
        _refuse_idle(options, idle, "where analyzer is a function")
        return _in_python([*removed], analyzer)
    if one_of(analyzer, "analyzer", ["word", *CHARACTERS]) in CHARACTERS:
        _refuse_idle(options, _WORDS_ONLY, f"where analyzer={analyzer!r}")
        return _in_python([prepare], CHARACTERS[analyzer](sizes))
    stop_words = stop_list(options["stop_words"])
    if options["tokenizer"] is None and options["token_pattern"] == DEFAULT_PATTERN:
        return lambda known: Compiled(prepare, sizes, stop_words, known)
    return _in_python([prepare], word_terms(_tokenizer(options), stop_words, sizes))


_WORDS_ONLY = {"stop_words": None, "tokenizer": None, "token_pattern": DEFAULT_PATTERN}


def _in_python(steps: list[Callable[[str], str]], analysis: Analysis) -> Callable[[Vocabulary | None], Counting]:
    prepare = in_sequence(steps)
    return lambda known: InPython(lambda text: analysis(prepare(text)), known)


def _tokenizer(options: Mapping[str, Any]) -> Analysis:
    tokenizer = options["tokenizer"]
    if tokenizer is None:
        return pattern_finder(options["token_pattern"])
    _refuse_idle(options, {"token_pattern": DEFAULT_PATTERN}, "where there is a tokenizer")
    return _function(tokenizer, "tokenizer")


def removal(remove: Any) -> list[Callable[[str], str]]:
    """What is taken away before anything else, in the order of the table."""
    if isinstance(remove, str) or not isinstance(remove, Iterable):
        raise InputError(f"remove={remove!r} must be a tuple, such as ('headers', 'footers', 'quotes').")
    wanted = {one_of(name, "each of remove", METADATA) for name in remove}
    return [METADATA[name] for name in METADATA if name in wanted]


def _preparation(options: Mapping[str, Any]) -> list[Callable[[str], str]]:
    """What is done to every text before terms are looked for."""
    lowercase = truth(options["lowercase"], "lowercase")
    if options["preprocessor"] is not None:
        _refuse_idle(options, {"strip_accents": None}, "where there is a preprocessor")
        return [_function(options["preprocessor"], "preprocessor")]
    steps: list[Callable[[str], str]] = [str.lower] if lowercase else []
    accents = options["strip_accents"]
    if callable(accents):
        steps.append(accents)
    elif accents is not None:
        steps.append(ACCENTS[one_of(accents, "strip_accents", ACCENTS)])
    return steps


def _function(value: Any, name: str) -> Callable[[str], Any]:
    if not callable(value):
        raise InputTypeError(f"{name}={value!r} must be a function of a text, or None.")
    function: Callable[[str], Any] = value
    return function


def _sizes(ngram_range: Any) -> tuple[int, int]:
    try:
        lowest, highest = ngram_range
    except (TypeError, ValueError):
        raise InputError(f"ngram_range={ngram_range!r} must be two whole numbers, such as (1, 2).") from None
    sizes = whole(lowest, "ngram_range's lower end"), whole(highest, "ngram_range's upper end")
    if sizes[0] > sizes[1]:
        raise InputError(f"ngram_range={ngram_range!r} has a lower boundary larger than the upper boundary; swap them.")
    return sizes


def stop_list(stop_words: Any) -> frozenset[str]:
    """Words to pass over.

    Examples
    --------
    >>> sorted(stop_list(["an", "a"])), len(stop_list("english"))
    (['a', 'an'], 318)
    """
    if stop_words is None:
        return frozenset()
    if isinstance(stop_words, str):
        one_of(stop_words, "stop_words", ["english"])
        from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

        return frozenset(ENGLISH_STOP_WORDS)
    if not isinstance(stop_words, Iterable) or not all(isinstance(word, str) for word in stop_words):
        raise InputError("stop_words must be 'english', a collection of words, or None.")
    return frozenset(stop_words)


def _refuse_idle(options: Mapping[str, Any], defaults: Mapping[str, Any], where: str) -> None:
    """Raise where an option was set that has no effect."""
    for name, default in defaults.items():
        if not (options[name] is default or (isinstance(options[name], type(default)) and options[name] == default)):
            raise InputError(f"{name}={options[name]!r} has no effect {where}; leave it out.")


def check_limit(value: Any, name: str) -> Any:
    """How many documents, or what share of them."""
    number = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    if number and (value >= 1 if isinstance(value, int | np.integer) else 0 <= value <= 1):
        return value
    raise InputError(
        f"{name}={value!r} must be a whole number of documents from 1, or a share of them from 0.0 to 1.0."
    )


def given_vocabulary(vocabulary: Any, lowercase: bool) -> Vocabulary:
    """The terms a caller wants, in their order; a mapping gives each its column, and a set is sorted.

    Examples
    --------
    >>> given_vocabulary({"b": 0, "a": 1}, True).names()
    ['b', 'a']
    """
    if isinstance(vocabulary, str) or not isinstance(vocabulary, Iterable):
        raise InputError(f"vocabulary={vocabulary!r:.60} must be a collection of words, or a mapping to columns.")
    if isinstance(vocabulary, Mapping):
        if sorted(vocabulary.values()) != list(range(len(vocabulary))):
            raise InputError(f"vocabulary must map its {len(vocabulary)} terms to the columns 0, 1, ..., each once.")
        vocabulary = sorted(vocabulary, key=vocabulary.__getitem__)
    names = sorted(vocabulary) if isinstance(vocabulary, set | frozenset) else list(vocabulary)
    if not names:
        raise InputError("empty vocabulary passed to fit; give at least one word, or None to find them.")
    wrong = [name for name in names if not isinstance(name, str)]
    if wrong:
        raise InputError(f"vocabulary has {wrong[0]!r}, which is no text.")
    if len(set(names)) < len(names):
        ((twice, _),) = Counter(names).most_common(1)
        raise InputError(f"Duplicate term in vocabulary: {twice!r}. Give each once.")
    capital = [name for name in names if name.lower() != name] if lowercase else []
    if capital:
        raise InputError(f"vocabulary has {capital[0]!r}, which no text in small letters has; pass lowercase=False.")
    return Vocabulary.of(names)
