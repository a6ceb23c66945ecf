"""Covariances of coefficients that hold where the model is not quite right, or rows come in clusters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import softmax

from distinguo.exceptions import InputError, MissingLabelsError
from distinguo.linear.record import FitRecord
from distinguo.linear.task import Task
from distinguo.rows.labels import encode_labels, is_missing, label_array, label_list

Array = NDArray[np.float64]
CHUNK = 4096
# Where rows come from, when they are needed.
Rows = Callable[[], Task]


def model_based(record: FitRecord, rows: Rows, clusters: Any) -> Array:
    """The inverse information, which holds where the model does."""
    _refuse_clusters(clusters)
    if record.class_weighted:
        raise InputError(
            "class_weight counts rows as what they are not, so that the information is not theirs. Take covariance "
            "'HC0', which holds all the same, or fit without class_weight."
        )
    return _bread(record)


def hc0(record: FitRecord, rows: Rows, clusters: Any) -> Array:
    """Huber and White's: every row brings its own variance."""
    _refuse_clusters(clusters)
    return _sandwich(record, rows(), None)


def hc1(record: FitRecord, rows: Rows, clusters: Any) -> Array:
    """The same times n / (n - coefficients)."""
    spare = record.weight - record.n_parameters
    if spare <= 0:
        raise InputError(
            f"covariance 'HC1' needs more rows than coefficients; there are {record.weight:g} and "
            f"{record.n_parameters}. Use 'HC0'."
        )
    return hc0(record, rows, clusters) * record.weight / spare


def cluster(record: FitRecord, rows: Rows, clusters: Any) -> Array:
    """Rows of a cluster vary together, clusters do not; times G / (G - 1) for G of them."""
    if clusters is None:
        raise InputError("covariance 'cluster' needs clusters, one label a row.")
    task = rows()
    _refuse_missing(clusters)
    codes, labels = encode_labels(clusters)
    n = task.given.n_rows
    if len(codes) != n:
        raise InputError(f"clusters has {len(codes)} labels for {n} rows; give one a row.")
    G = len(np.unique(codes[task.matrix.row_numbers]))
    if G < 2:
        raise InputError("covariance 'cluster' needs rows of two clusters; all are of one.")
    membership = sparse.csc_array((np.ones(n), (codes, np.arange(n))), (len(labels), n))
    return _sandwich(record, task, membership) * G / (G - 1)


COVARIANCES: dict[str, Callable[[FitRecord, Rows, Any], Array]] = {
    "model": model_based,
    "HC0": hc0,
    "HC1": hc1,
    "cluster": cluster,
}


def _refuse_clusters(clusters: Any) -> None:
    if clusters is not None:
        raise InputError("clusters goes with covariance 'cluster'; leave it out, or ask for that.")


def _refuse_missing(clusters: Any) -> None:
    """Raise where a row's cluster is not known."""
    missing = [i for i, label in enumerate(label_list(label_array(clusters))) if is_missing(label)]
    if missing:
        raise MissingLabelsError(
            f"clusters has {len(missing)} missing label(s), the first in row {missing[0]} (NaN, None or NA). Fit "
            "without those rows, or give each a cluster of its own."
        )


def _bread(record: FitRecord) -> Array:
    assert record.covariance is not None
    return record.covariance


def _sandwich(record: FitRecord, task: Task, membership: sparse.csc_array | None) -> Array:
    """The inverse information on both sides of the scores' products (q, p + 1, q, p + 1)."""
    shape = _bread(record).shape
    bread = _bread(record).reshape(shape[0] * shape[1], -1)
    return np.asarray((bread @ _products(record, task, membership) @ bread).reshape(shape))


def _products(record: FitRecord, task: Task, membership: sparse.csc_array | None) -> Array:
    """(d, d) sums of products of the scores, by row, or of their sums by cluster."""
    rows = task.matrix
    if membership is None:
        root = np.sqrt(rows.weight * task.class_weights[rows.codes])  # a frequency counts once, not squared
        parts = (_scores(record, task, slice(i, i + CHUNK), root) for i in range(0, len(rows.codes), CHUNK))
        return np.asarray(sum(part.T @ part for part in parts))
    sums: Any = 0.0
    for i in range(0, len(rows.codes), CHUNK):
        part = slice(i, i + CHUNK)
        sums = sums + membership[:, rows.row_numbers[part]] @ _scores(record, task, part, rows.weight)
    return np.asarray(sums.T @ sums)


def _scores(record: FitRecord, task: Task, part: slice, weight: Array) -> Array:
    """(m, d) derivatives of some rows' log-likelihood by scores at the centre and normals, times weights."""
    rows, at = task.matrix, record.scores
    X = rows.X[part]
    dense = (X.toarray() if sparse.issparse(X) else X) - at.centre
    scores = dense @ at.normals.T + at.offsets
    if task.matrix_offsets is not None:
        scores = scores + task.matrix_offsets[part]
    residuals = -softmax(scores, axis=1)
    residuals[np.arange(len(residuals)), rows.codes[part]] += 1.0
    residuals *= weight[part, None]
    with_one = np.column_stack([np.full(len(dense), float(task.scaling.intercept)), dense])
    return np.asarray((residuals[:, 1:, None] * with_one[:, None, :]).reshape(len(dense), -1))
