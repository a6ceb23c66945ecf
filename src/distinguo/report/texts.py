"""Names and numbers as the report shows them: nothing in them can be taken for markup, or hide."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Sequence
from typing import Any
from unicodedata import category

from distinguo.rows.labels import label_text

# Controls, halves of surrogate pairs, and what turns or breaks lines: shown as a mark instead.
_UNSEEN = {"Cc", "Cs", "Zl", "Zp"}
_TURNING = set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
MARK = "\ufffd"
LONGEST = 80
# Between thousands: narrow, and no place to break a line.
GAP = "\u202f"

# What could end the script that holds JSON, or begin a comment in it.
_IN_SCRIPTS = {ord(letter): f"\\u{ord(letter):04x}" for letter in "<>&\u2028\u2029"}


def plain(text: object, longest: int = LONGEST) -> str:
    r"""A text in one line, without what cannot be seen; a long middle gives way.

    Examples
    --------
    >>> plain("two\nlines"), plain("a\x00b"), plain("a" * 30 + "z", 9), plain(" ")
    ('two lines', 'a\ufffdb', 'aaaa…aaaz', "' '")
    """
    line = " ".join(str(text).split()) or repr(text)
    shown = "".join(MARK if category(c) in _UNSEEN or c in _TURNING else c for c in line)
    half = (longest - 1) // 2
    return shown if len(shown) <= longest else f"{shown[:half]}…{shown[-half:]}"


def names_of(labels: Sequence[Any]) -> tuple[str, ...]:
    """Labels as text, each different from the others.

    Examples
    --------
    >>> names_of(["a", 1, "1"]), names_of(["x y", "x  y"])
    (('a', '1', "'1'"), ("'x y'", "'x  y'"))
    """
    names = [plain(label) for label in labels]
    often = Counter(names)
    told = [plain_repr(label) if often[name] > 1 else name for name, label in zip(names, labels, strict=True)]
    again = Counter(told)
    return tuple(f"{name} ({k + 1})" if again[name] > 1 else name for k, name in enumerate(told))


def plain_repr(label: Any) -> str:
    """A label as Python writes it, blanks included."""
    shown = "".join(MARK if category(c) in _UNSEEN or c in _TURNING else c for c in label_text(label))
    return shown if len(shown) <= LONGEST else f"{shown[: LONGEST - 1]}…"


def finite(value: Any) -> float | None:
    """A float, or None where there is no finite one."""
    return float(value) if value is not None and math.isfinite(value) else None


def decimals(value: float | None, places: int = 3) -> str:
    """So many decimals; "–" where there is no number.

    Examples
    --------
    >>> decimals(0.98765), decimals(None), decimals(-0.0001, 2)
    ('0.988', '–', '0.00')
    """
    if value is None:
        return "–"
    text = f"{value:.{places}f}"
    return text.removeprefix("-").replace("-", "−") if float(text) == 0 else text.replace("-", "−")


def digits(value: float | None, many: int = 4) -> str:
    r"""At least so many significant digits, thousands apart; "–" where there is no number.

    Examples
    --------
    >>> digits(1234567) == digits(1234567.4, 3) == "1\u202f234\u202f567", digits(0.000123456), digits(1.50)
    (True, '0.0001235', '1.5')
    >>> digits(-2.5), digits(1.2e-7), digits(3e20), digits(None)
    ('−2.5', '1.2e−07', '3e+20', '–')
    """
    if value is None:
        return "–"
    size = abs(value)
    if size != 0 and not 1e-4 <= size < 1e15:
        return f"{value:.{many}g}".replace("-", "−")
    places = 0 if size == 0 else max(many - 1 - math.floor(math.log10(size)), 0)
    text = f"{value:,.{places}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return text.replace(",", GAP).replace("-", "−")


def signed(value: float | None, places: int = 1) -> str:
    """A number with its sign; large ones in few digits.

    Examples
    --------
    >>> signed(2.34), signed(-0.5), signed(None), signed(2.5e12)
    ('+2.3', '−0.5', '–', '+2.5e+12')
    """
    if value is None:
        return "–"
    return (f"{value:+.{places}f}" if abs(value) < 1e5 else f"{value:+.4g}").replace("-", "−")


def percent(value: float | None, places: int = 1) -> str:
    """A share in percent.

    Examples
    --------
    >>> percent(0.123456), percent(None)
    ('12.3 %', '–')
    """
    return "–" if value is None else f"{100 * value:.{places}f} %"


def p_value(value: float | None, places: int = 3) -> str:
    """A p-value to so many decimals.

    Examples
    --------
    >>> p_value(0.0312), p_value(1e-9), p_value(0.00012, 4)
    ('0.031', '< 0.001', '0.0001')
    """
    return "–" if value is None else f"< {10**-places:.{places}f}" if value < 10**-places else f"{value:.{places}f}"


def counted(n: float, one: str, many: str | None = None) -> str:
    r"""So many of something.

    Examples
    --------
    >>> counted(1, "row"), counted(2000, "class", "classes") == "2\u202f000 classes"
    ('1 row', True)
    """
    return f"{digits(n)} {one if n == 1 else many or one + 's'}"


def for_script(value: Any) -> str:
    r"""JSON that may stand in a script of a page.

    Examples
    --------
    >>> for_script(["</script>"]) == r'["\u003c/script\u003e"]'
    True
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.translate(_IN_SCRIPTS)
