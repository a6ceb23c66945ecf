"""Reports that are quick to make."""

from typing import Any

from distinguo import compare, make_report


def report_of(X: Any, y: Any, models: Any = ("lda", "gaussian-nb"), model: Any = None, **options: Any) -> Any:
    """One round of two folds, and the best of the models."""
    found = compare(models if isinstance(models, dict) else list(models), X, y, folds=2, repeats=1, memory=False)
    return make_report(found, X, y, model, **options)
