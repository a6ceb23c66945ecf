"""How good probabilities and labels are, and how sure one can be of that."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Quality:
    """What held-out rows say about a model.

    Attributes
    ----------
    accuracy : share of rows whose most probable class is theirs.
    balanced_accuracy : mean over the classes of that share.
    log_loss : mean of -log(probability given to the row's class), in nats; lower is better. None without probabilities.
    """

    accuracy: float
    balanced_accuracy: float
    log_loss: float | None


def quality(
    labels: NDArray[Any],
    probabilities: Array | None,
    classes: NDArray[Any],
    *,
    predicted: NDArray[Any] | None = None,
    weight: Array | None = None,
) -> Quality:
    """The quality of probabilities (n, K), columns in the order of the sorted `classes` (K,), against labels (n,).

    The metrics are scikit-learn's; a probability of zero counts as the smallest one that float64 tells from zero
    beside one, so that a single row cannot make the log loss infinite. The balanced accuracy is over the classes that
    `labels` has.

    Parameters
    ----------
    predicted : (n,) labels to be judged, where they are not those of the highest probability; needed where there are
        no probabilities, and then there is no log loss.
    weight : (n,) how often each row counts.

    Examples
    --------
    >>> q = quality(np.array(["a", "b"]), np.array([[0.5, 0.5], [0.2, 0.8]]), np.array(["a", "b"]))
    >>> q.accuracy, q.balanced_accuracy, round(q.log_loss, 4)
    (1.0, 1.0, 0.4581)
    """
    from sklearn.metrics import accuracy_score, log_loss, recall_score

    loss = None
    if probabilities is not None:
        loss = float(log_loss(labels, probabilities, labels=classes, sample_weight=weight))
        predicted = classes[probabilities.argmax(axis=1)] if predicted is None else predicted
    present = np.unique(labels)  # the balanced accuracy of scikit-learn warns of others; recall is the same without
    return Quality(
        float(accuracy_score(labels, predicted, sample_weight=weight)),
        float(recall_score(labels, predicted, labels=present, average="macro", sample_weight=weight, zero_division=0)),
        loss,
    )


def corrected_standard_error(values: Array, test_per_train: float) -> float:
    r"""Standard error of the mean of one score per split, the splits sharing their rows.

    .. math:: \sqrt{(1/J + n_\text{test} / n_\text{train})\, s^2}

    with J splits and s² the variance of their scores. Dividing s² by J alone would treat splits that share training
    rows as independent, and call the mean surer than it is.

    Parameters
    ----------
    values : (J,) scores.
    test_per_train : test rows for one training row: 1 / (folds - 1) in cross-validation.

    References
    ----------
    Nadeau and Bengio, "Inference for the generalization error", Machine Learning 52 (2003), section 3.

    Examples
    --------
    >>> round(corrected_standard_error(np.array([0.9, 1.0, 0.95, 0.95]), 0.25), 4)
    0.0289
    """
    return float(np.sqrt((1 / len(values) + test_per_train) * np.var(values, ddof=1)))
