"""Any classifier, with probabilities to be trusted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn import get_config
from sklearn.base import ClassifierMixin, is_regressor
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import process_routing
from sklearn.utils.validation import has_fit_parameter, validate_data

from distinguo.evaluation.calibration.explaining import ExplainsWithin
from distinguo.evaluation.calibration.held_out import Lesson, check_prefit, hold_out
from distinguo.evaluation.calibration.logistic_maps import fit_beta, fit_platt
from distinguo.evaluation.calibration.maps import Calibration, Fit, fit_calibration
from distinguo.evaluation.calibration.scores import checked_evidence, codes_of, evidence_of, scores_of, spread
from distinguo.evaluation.calibration.step_maps import fit_isotonic, fit_venn_abers
from distinguo.evaluation.conformal.base import HandsRowsOn
from distinguo.exceptions import InputError, InputTypeError
from distinguo.hyperplane import decide
from distinguo.options import one_of
from distinguo.rows.labels import label_text, merge_classes, refuse_one_class
from distinguo.rows.selection import count_rows, take_rows
from distinguo.rows.uncut import Uncut, uncut_rows

Array = NDArray[np.float64]

METHODS: Mapping[str, Fit | None] = {
    "temperature": None,
    "platt": fit_platt,
    "beta": fit_beta,
    "isotonic": fit_isotonic,
    "venn-abers": fit_venn_abers,
}


class Calibrated(ClassifierMixin, HandsRowsOn, ExplainsWithin):
    r"""A classifier whose probabilities are right as often as they say, learned from rows held out.

    Two stages act on logarithms of the model's posteriors (on its decision function where it has none), so that a log
    posterior of -800 still counts. The first divides them by a temperature, which may grow with the evidence m, how
    much the model saw of the row:

    .. math:: q_k(x) \propto e^{s_k(x) / T}, \qquad T = a\,(1 + m)^b

    The second, unless the method is "temperature", maps the log odds of each class against the others, and scales
    the results to sum to one; two classes have one map:

    =============  =====================================================================================================
    "platt"        log odds :math:`A \log \frac{q}{1 - q} + B`
    "beta"         log odds :math:`a \log q - b \log(1 - q) + c`
    "isotonic"     the monotone function nearest to the shares; half a row against either end keeps it off 0 and 1
    "venn-abers"   :math:`p_1 / (1 - p_0 + p_1)`, isotonic regression done with the row in the class, and not in it
    =============  =====================================================================================================

    The model itself is fitted on all rows. Where statistics of rows add up, each row is counted once, and the folds'
    models are sums; else the model is fitted once more a fold.

    Parameters
    ----------
    model : a classifier with `predict_log_proba`, `decision_function` or `predict_proba`. It is cloned.
    method : "temperature", "platt", "beta", "isotonic" or "venn-abers".
    cv : how rows are held out: a number of stratified folds, a scikit-learn splitter, (train, test) pairs of row
        numbers, "leave-one-out" for models that can leave rows out, or "prefit": the model is fitted and used as it is,
        and the rows given to `fit` are others.
    evidence : "auto", the model's own `evidence(X)` where it has one (also as the last step of a pipeline); None for
        one temperature for all rows; or a function from rows to (n,) numbers of at least 0.
    random_state : of the folds.

    Attributes
    ----------
    classes_ : (K,)
    model_ : the fitted model.
    calibration_ : from its scores to probabilities: `temperature`, with `a` and `b`, and `maps`.
    n_features_in_ : p, where rows have columns.
    feature_names_in_ : (p,) where all columns have names.

    Notes
    -----
    "temperature" never changes which class is the most probable, and without evidence keeps the order of rows by the
    odds of two classes, as "platt" does; the others change it only by making equal what was not, or for more classes
    than two. Folds hold out at least one row of each class that has two; the only row of a class is never held out,
    and the class gets the map of all classes' odds together. Scores that are minus infinity, of classes that a
    model rules out, count as twice the lowest of the others.

    Examples
    --------
    >>> import numpy as np
    >>> from distinguo import Calibrated, GaussianNB
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(0, 2, 4000)
    >>> X = np.repeat(rng.normal(y)[:, None], 9, axis=1)  # nine times the same column, taken for news each time
    >>> model = Calibrated(GaussianNB()).fit(X, y)
    >>> round(model.calibration_.temperature.a)
    9
    >>> row = [[1.5] * 9]  # by Bayes' rule .27 and .73, with means 0 and 1
    >>> model.model_.predict_proba(row).round(4).tolist(), model.predict_proba(row).round(2).tolist()
    ([[0.0001, 0.9999]], [[0.26, 0.74]])

    References
    ----------
    Guo, Pleiss, Sun and Weinberger (2017), On calibration of modern neural networks, ICML. Platt (1999), Probabilistic
    outputs for support vector machines. Kull, Silva Filho and Flach (2017), Beta calibration, AISTATS. Zadrozny and
    Elkan (2002), Transforming classifier scores into accurate multiclass probability estimates, KDD. Vovk, Petej and
    Fedorova (2015), Large-scale probabilistic predictors with and without guarantees of validity, NIPS 28.
    """

    model_: Any
    calibration_: Calibration
    classes_: NDArray[Any]

    def __init__(
        self,
        model: Any,
        method: str = "temperature",
        *,
        cv: Any = 5,
        evidence: Any = "auto",
        random_state: Any = 0,
    ) -> None:
        self.model = model
        self.method = method
        self.cv = cv
        self.evidence = evidence
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit the model, and learn from rows held out what its scores are worth.

        Parameters
        ----------
        X : (n, p) rows of any kind that the model takes; they are handed on in their own container. A `Source` with its
            own labels is gathered in memory.
        y : (n,) or (n, 1) labels of any hashable scalar type.
        sample_weight : (n,) frequencies, handed on; rows of weight 0 are left out.

        Returns
        -------
        self

        Raises
        ------
        InputError
            If labels, weights or options cannot be used, there are fewer than two classes, no row can be held out, or
            weights are given and the model takes none.
        InputTypeError
            If the model is no classifier, or has neither probabilities nor scores.
        """
        fit = METHODS[one_of(self.method, "method", METHODS)]
        seen = _seeing(self.evidence)
        prefit = isinstance(self.cv, str) and self.cv == "prefit"
        _check_classifier(self.model, prefit)
        rows = uncut_rows(X, y, sample_weight, type(self).__name__)
        lesson = self._prefit_lesson(rows) if prefit else self._lesson(rows)
        model, held = hold_out(self.model, lesson, self.cv, self.random_state, seen)
        validate_data(self, rows.X, skip_check_array=True)  # takes number and names of the columns, and no more
        self.model_, self.classes_ = model, lesson.classes
        self.calibration_ = fit_calibration(held, fit)
        return self

    def _lesson(self, rows: Uncut) -> Lesson:
        """The rows that count, and what goes to the model's fit."""
        refuse_one_class(rows.classes)
        return _counting(rows, rows.codes, rows.classes, self._handed_on(rows.weight))

    def _prefit_lesson(self, rows: Uncut) -> Lesson:
        """The rows that count, over the classes of the fitted model."""
        known = np.asarray(self.model.classes_)
        merged, of_known, of_rows = merge_classes(known, rows.classes)
        if len(merged) > len(known):
            new = next(k for k in range(len(merged)) if k not in of_known)
            raise InputError(
                f"y has the class {label_text(merged[new])}, which the model was not fitted on; leave its rows out."
            )
        order = np.argsort(of_known)
        return _counting(rows, of_rows[rows.codes], known[order], {})

    def _handed_on(self, weight: Array | None) -> Mapping[str, Array]:
        """The parameters for the model's fit, one entry a row."""
        if weight is None:
            return {}
        if get_config()["enable_metadata_routing"]:
            routed: Mapping[str, Array] = process_routing(self, "fit", sample_weight=weight)["model"]["fit"]
            return routed
        if not has_fit_parameter(self.model, "sample_weight"):
            raise InputError(
                f"{type(self.model).__name__} takes no sample_weight; give none, or use a model that takes weights."
            )
        return {"sample_weight": weight}

    def predict_log_proba(self, X: Any) -> Array:
        """log P(class | x), (n, K), finite however small the probability.

        Parameters
        ----------
        X : (n, p)
        """
        X = self._known(X)
        return self.calibration_.log_probabilities(self._scores(X), self._seen(X))

    def _scores(self, X: Any) -> Array:
        """(n, K) of the model."""
        return spread(scores_of(self.model_, X), codes_of(self.model_, self.classes_), len(self.classes_))

    def _seen(self, X: Any) -> Array | None:
        """(n,) evidence, or None where it changes nothing."""
        grows = self.calibration_.temperature.b != 0
        return _seeing(self.evidence)(self.model_, X) if grows else None

    def predict_proba(self, X: Any) -> Array:
        """P(class | x), (n, K), which sum to one.

        Parameters
        ----------
        X : (n, p)
        """
        return np.exp(self.predict_log_proba(X))

    def predict(self, X: Any) -> NDArray[Any]:
        """The class (n,) of the highest probability.

        Of two classes in a tie the second is taken, of more the first.

        Parameters
        ----------
        X : (n, p)
        """
        logs = self.predict_log_proba(X)
        return np.asarray(self.classes_[decide(logs)])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags = get_tags(self.model).input_tags
        tags.classifier_tags = get_tags(self.model).classifier_tags or tags.classifier_tags
        return tags


def _seeing(evidence: Any) -> Callable[[Any, Any], Array | None]:
    """How much a fitted model sees of rows, as the option says."""
    if callable(evidence):
        return lambda model, X: checked_evidence(evidence(X), count_rows(X))
    if evidence is None:
        return lambda model, X: None
    one_of(evidence, "evidence", ("auto",))
    return evidence_of


def _check_classifier(model: Any, prefit: bool) -> None:
    """Raise unless this can be cloned and fitted, or is fitted, and is no regressor."""
    if isinstance(model, type) or not hasattr(model, "fit") or is_regressor(model):
        name = model.__name__ if isinstance(model, type) else type(model).__name__
        raise InputTypeError(f"model must be a classifier, such as MultinomialNB(); {name} is none.")
    if prefit:
        check_prefit(model)


def _counting(rows: Uncut, codes: NDArray[np.intp], classes: NDArray[Any], params: Mapping[str, Array]) -> Lesson:
    """The rows of a weight above zero."""
    numbers, weight = np.arange(len(codes)), rows.weights()
    if weight.all():
        return Lesson(rows.X, codes, classes, weight, params, numbers)
    kept = np.flatnonzero(weight)
    some = {name: values[kept] for name, values in params.items()}
    return Lesson(take_rows(rows.X, kept), codes[kept], classes, weight[kept], some, kept)
