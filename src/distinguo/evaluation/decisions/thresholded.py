"""A classifier of two classes whose threshold is given, or chosen on rows that its model had not seen."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from distinguo.evaluation.conformal.folds import Counting, fold_models, splits_of
from distinguo.evaluation.decisions.over_probabilities import HandsOn, probabilities_of
from distinguo.evaluation.decisions.thresholds import Labelled, Threshold, best_threshold, check_aim, positive_code
from distinguo.exceptions import InputError
from distinguo.rows.labels import label_list, label_text
from distinguo.rows.selection import take_rows

Array = NDArray[np.float64]


class Thresholded(HandsOn):
    r"""A classifier that calls a row positive where :math:`P(\text{positive} | x) \ge t`, for two classes.

    The threshold t is chosen on probabilities of rows held out, by folds, and the model is then fitted on all rows.
    Where statistics of rows add up, each row is counted once, and the folds' models are sums.

    Parameters
    ----------
    model : a classifier with `predict_proba`. It is cloned.
    threshold : a number from 0 to 1; or what it is to be best for: "f1", "youden", "balanced_accuracy", "mcc",
        "accuracy", or with a budget "recall".
    budget : the largest share of rows that may be called positive; None for any. Goes with a metric.
    positive : the class looked for; None for the second of the sorted classes.
    cv : number of stratified folds, a scikit-learn splitter, or (train, test) pairs of row numbers.
    random_state : of the folds.

    Attributes
    ----------
    classes_ : (2,)
    model_ : the fitted model, whose probabilities are handed on as they are.
    threshold_ : from where on a row is called positive.
    tuned_ : the `Threshold` with what it led to on the rows held out; None where the threshold was given.
    n_features_in_ : p, where rows have columns.
    feature_names_in_ : (p,) where all columns have names.

    Raises
    ------
    InputError
        At fit, if there are not two classes, a class has one row and the threshold is to be chosen, or an option is
        out of range or cannot act.

    See Also
    --------
    tune_threshold : the same of probabilities.
    CostSensitive : where it is known what errors cost, so that no threshold need be chosen.

    Examples
    --------
    >>> import numpy as np
    >>> from distinguo import GaussianNB, Thresholded
    >>> rng = np.random.default_rng(0)
    >>> y = np.where(rng.random(500) < 0.1, "ill", "well")
    >>> X = rng.normal(np.where(y == "ill", 1.5, 0.0)[:, None], size=(500, 2))
    >>> model = Thresholded(GaussianNB(), "f1", positive="ill").fit(X, y)
    >>> print(model.tuned_)
    'ill' from 0.2219 on: f1 0.673; 12.0% of the rows are called so, recall 0.766, specificity 0.947, precision 0.600
    """

    threshold_: float
    tuned_: Threshold | None

    def __init__(
        self,
        model: Any,
        threshold: float | str = 0.5,
        *,
        budget: float | None = None,
        positive: Any = None,
        cv: Any = 5,
        random_state: Any = 0,
    ) -> None:
        self.model = model
        self.threshold = threshold
        self.budget = budget
        self.positive = positive
        self.cv = cv
        self.random_state = random_state

    def _learn(self, rows: Counting) -> None:
        if len(rows.classes) > 2:
            raise InputError(
                "Only binary classification is supported. The type of the target is multiclass: a threshold is for two "
                f"classes, and y has {len(rows.classes)}. CostSensitive decides between more."
            )
        positive = positive_code(self.positive, rows.classes)
        given = self._given()
        self.tuned_ = None if given is not None else self._tuned(rows, positive)
        self.threshold_ = given if self.tuned_ is None else self.tuned_.threshold  # type: ignore[assignment]
        self.model_ = rows.fit(self.model)

    def _given(self) -> float | None:
        """The threshold, if it is a number."""
        t: Any = self.threshold
        if not isinstance(t, int | float | np.integer | np.floating) or isinstance(t, bool):
            return None
        if self.budget is not None:
            raise InputError(
                f"budget={self.budget!r} cannot act where the threshold is given; name a metric, as threshold='recall'."
            )
        if not 0 <= t <= 1:
            raise InputError(f"threshold={t!r} must be a number from 0 to 1, or the name of a metric.")
        return float(t)

    def _tuned(self, rows: Counting, positive: int) -> Threshold:
        """The best threshold for rows held out."""
        metric, budget = check_aim(self.threshold, self.budget)
        counts = np.bincount(rows.codes)
        if counts.min() < 2:
            raise InputError(
                f"class {label_text(rows.classes[counts.argmin()])} has one row, and a threshold is chosen on rows "
                "held out; give two rows of each class at least, or a threshold."
            )
        trains, tests = splits_of(rows, self.cv, self.random_state)
        models = fold_models(self.model, rows, trains, tests)
        parts = [
            probabilities_of(model, take_rows(rows.X, test), rows.classes)[:, positive]
            for model, test in zip(models, tests, strict=True)
        ]
        held_out = np.concatenate(tests)
        label = label_list(rows.classes)[positive]
        of_rows = Labelled(label, rows.codes[held_out] == positive, np.concatenate(parts), rows.weights()[held_out])
        return best_threshold(of_rows, metric, budget)

    def predict(self, X: Any) -> NDArray[Any]:
        """The positive class where its probability is at least the threshold, else the other one, (n,).

        Parameters
        ----------
        X : (n, p)
        """
        both = self.predict_proba(X)
        positive = positive_code(self.positive, self.classes_)
        p = np.minimum(both[:, positive], np.nextafter(1.0, 0.0))
        return np.asarray(self.classes_[np.where(p >= self.threshold_, positive, 1 - positive)])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags
