"""Rows that are the arguments of fit and lie on other machines: the source behind them."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from distinguo.rows.base import Source

# By the package that X comes from: where its source is, which is made of X, y and sample_weight.
CLUSTERS: dict[str, tuple[str, str]] = {
    "dask": ("distinguo.rows.dask_rows", "DaskSource"),
    "pyspark": ("distinguo.rows.spark_rows", "SparkSource"),
}


def located(X: Any, y: Any, sample_weight: Any) -> tuple[Any, Any, Any]:
    """X, y and weights as they came, but for rows on a cluster: these are a source, which brings its own."""
    home = None if isinstance(X, Source) else CLUSTERS.get(type(X).__module__.partition(".")[0])
    if home is None:
        return X, y, sample_weight
    module, name = home
    return getattr(import_module(module), name)(X, y, sample_weight), None, None
