"""The evaluation of a fitted model on test rows."""

from __future__ import annotations

from typing import Any

from distinguo.evaluation.assessment.asking import answers, classes_of
from distinguo.evaluation.assessment.evaluation import Evaluation


def evaluate(
    model: Any,
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    confidence: float = 0.95,
    n_bootstrap: int = 1000,
    random_state: Any = 0,
    prevalence: Any = None,
    positive: Any = None,
) -> Evaluation:
    r"""How good a fitted classifier is on rows that it has not seen, by every metric its answers allow, with intervals.

    Labels are those of `predict`, probabilities those of `predict_proba`. Rows are ranked for the areas by these or,
    where a model has none, by `decision_function`. Models with `score_samples` also get the mean log p(x).

    Intervals are percentiles of the metrics in resamples: as many rows of each class as there are, drawn with
    replacement from its own. So they say how far a number may be off had other rows of the same classes come, in the
    same shares; not how it would vary had the model learned from others. A share of rows that is the same in every
    resample, such as a recall of 1, has Wilson's interval, for it may yet be less.

    Test labels that the model does not know count as wrong: their recall is 0, and they are a row of the confusion
    matrix and part of "the rest" in areas. Brier's score has them as a class that got no probability. Their log loss is
    infinite, whatever the model; it is left out, and a note says so. Where a known class got a probability of 0, that
    counts as 2.2e-16, as in scikit-learn.

    Parameters
    ----------
    model : a fitted classifier or pipeline, of this library or like scikit-learn's.
    X : (n, p) rows, as the model takes them.
    y : (n,) labels.
    sample_weight : (n,) frequencies: weight 2 equals the row twice.
    confidence : of the intervals.
    n_bootstrap : resamples; 0 for no intervals. Of half a million rows and classes multiplied, or more, areas, losses
        and densities take fewer, at least 200, and a note says so.
    random_state : a seed, a generator, or None; the same seed gives the same intervals.
    prevalence : how common the classes are where the model is used, if not as in the test rows: "uniform", (K,) shares,
        {class: share}, or the positive class's share of two. All metrics are those of such a population, in which the
        rows of each class are like the test rows of it. `evaluation.confusion` stays that of the test rows.
    positive : which of two classes is the positive one; by default the second.

    Returns
    -------
    Evaluation

    Raises
    ------
    InputError
        If the model has no classes, no label is one of them, or labels, weights or options cannot be used.
    NotFittedError
        If the model is not fitted.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from distinguo import LinearDiscriminantAnalysis, evaluate
    >>> X, y = load_iris(return_X_y=True)
    >>> found = evaluate(LinearDiscriminantAnalysis().fit(X[::2], y[::2]), X[1::2], y[1::2])
    >>> accuracy = found["accuracy"]
    >>> accuracy.value, accuracy.low < 0.93, accuracy.high
    (0.96, True, 1.0)
    >>> found["recall", 2].value
    0.92
    >>> print(found.confusion)
    true \ predicted   0   1   2
    0                 25   0   0
    1                  0  24   1
    2                  0   2  23

    References
    ----------
    Efron and Tibshirani (1993), An Introduction to the Bootstrap, chapters 8 and 13. Hand and Till (2001), Machine
    Learning 45, 171-186. Gorodkin (2004), Computational Biology and Chemistry 28, 367-374. Brier (1950), Monthly
    Weather Review 78, 1-3.
    """
    classes = classes_of(model)
    probabilities = answers(model, "predict_proba", X)
    return Evaluation.of(
        y,
        probabilities,
        classes,
        predicted=model.predict(X),
        scores=answers(model, "decision_function", X) if probabilities is None else None,
        log_density=answers(model, "score_samples", X),
        sample_weight=sample_weight,
        confidence=confidence,
        n_bootstrap=n_bootstrap,
        random_state=random_state,
        prevalence=prevalence,
        positive=positive,
    )
