"""Reports that are quick to make."""

from typing import Any

from distinguo import compare, make_report

NASTY = [
    "<script>alert(1)</script>",
    "</script><img src=x onerror=alert(1)>",
    "\"quoted\" & 'quoted'",
    "{{ 7 * 7 }}{% raw %}",
    "two\nlines\r\nand\ttabs",
    "עברית وعربي",
    "\u202eturned round",
    "😀 👩‍👩‍👧 emoji",
    "nul \x00 and bell \x07",
    "half \ud800 a pair",
    "]]> --> <!--",
    "x" * 500,
]


def report_of(X: Any, y: Any, models: Any = ("lda", "gaussian-nb"), model: Any = None, **options: Any) -> Any:
    """One round of two folds, and the best of the models."""
    found = compare(models if isinstance(models, dict) else list(models), X, y, folds=2, repeats=1, memory=False)
    return make_report(found, X, y, model, **options)
