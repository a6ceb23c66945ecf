"""Novelty: rows that are like nothing that was learned, with a stated rate of false alarms."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from distinguo.evaluation.conformal.base import OverClassifier
from distinguo.evaluation.conformal.calibration import level_of
from distinguo.evaluation.conformal.looks import ClassDensities
from distinguo.evaluation.conformal.ways import WAYS, Plan
from distinguo.evaluation.novelty.calibration import SIDES, NoveltyCalibration, whole_logs
from distinguo.options import one_of, truth
from distinguo.rows.selection import count_rows

Array = NDArray[np.float64]


class Novelty(OverClassifier):
    r"""Whether a row is like those that were learned, by the rank of its density among theirs.

    .. math:: p(x) = \frac{1 + \#\{i: \log p_{-i}(x_i) \le \log p(x)\}}{1 + n}

    with every row's density as if the row had been left out, so that it is held to the same measure as a new one. Rows
    of which p(x) is at most `false_alarm` are novel; of rows that come as those of the fit did, about that share is,
    whatever their distribution, and with method="split" no greater one, on average.

    A low density is one way to be strange. In many columns hardly a row lies where the density is highest, and a row
    there, such as the mean of all, is strange too: `two_sided` finds both.

    Parameters
    ----------
    model : a classifier that describes its classes: one with `class_log_density`.
    false_alarm : the share of familiar rows that may be called novel.
    two_sided : whether a density above that of all others is strange as well; either side has half of `false_alarm`.
    method : how rows come to be judged by a model that has not seen them. "leave-one-out", by the model's
        `leave_one_out_log_density`; "cross", by models of the folds, for models that lack it, such as mixtures, or were
        fitted on rows with missing cells; "split", which learns from a part of the rows, and ranks among the others.
    cv : folds of "cross" (10), parts of "split" of which one is held out (2), a scikit-learn splitter, or (train, test)
        pairs of row numbers.
    random_state : seed of the parts.

    Attributes
    ----------
    classes_ : (K,)
    model_ : the classifier, fitted on all rows, or with "split" on its part.
    calibration_ : `NoveltyCalibration`, the densities of rows that were left out.
    thresholds_ : log p(x) below the first is novel, and above the second, which is infinite unless `two_sided`.
    p_values_ : (n,) of the rows of the fit, each among the others; NaN where a row was not held out.

    Notes
    -----
    The rate holds for rows that come alike, missing cells and lengths of texts included: log p(x) of fewer cells or
    fewer words is higher.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from distinguo import Novelty, QuadraticDiscriminantAnalysis
    >>> X, y = load_iris(return_X_y=True)
    >>> novelty = Novelty(QuadraticDiscriminantAnalysis(), false_alarm=0.05).fit(X, y)
    >>> novelty.is_novel([[5.0, 3.4, 1.5, 0.2], [5.0, 3.4, 1.5, 2.0]]).tolist()
    [False, True]
    >>> float(novelty.is_novel(X).mean()) <= 0.05
    True

    References
    ----------
    Bates, Candès, Lei, Romano and Sesia (2023), Testing for outliers with conformal p-values, Annals of Statistics 51,
    149-178. Nalisnick, Matsukawa, Teh and Lakshminarayanan (2019), Detecting out-of-distribution inputs to deep
    generative models using typicality, for the second side.
    """

    def __init__(
        self,
        model: Any,
        *,
        false_alarm: float = 0.01,
        two_sided: bool = False,
        method: str = "leave-one-out",
        cv: Any = None,
        random_state: Any = 0,
    ) -> None:
        self.model = model
        self.false_alarm = false_alarm
        self.two_sided = two_sided
        self.method = method
        self.cv = cv
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit the model, and take the densities of rows that it, or others like it, had not seen.

        Parameters
        ----------
        X : (n, p) rows of any kind that `model` takes; a `Source` with its own labels is gathered in memory.
        y : (n,) or (n, 1) labels of any hashable scalar type.
        sample_weight : (n,) frequencies, handed on; a row held out counts as often among the ranks.

        Returns
        -------
        self

        Raises
        ------
        InputError
            If the model has no density, or cannot leave rows out as `method` asks.
        """
        rate, two_sided = self._options()
        way = WAYS[one_of(self.method, "method", WAYS)]
        rows = self._rows(X, y, sample_weight)
        plan = Plan(self.cv, self.random_state, stratified=self.method == "cross")
        model, held = way(self.model, rows, ClassDensities(), plan)
        self.classes_, self.model_ = rows.classes, model
        self.calibration_ = NoveltyCalibration.of(rows.classes, held)
        self.thresholds_ = self.calibration_.thresholds(rate, two_sided)
        logs, places = whole_logs(held, rows.classes), np.concatenate([part.places for part in held])
        came = len(rows.codes) if y is None else count_rows(X)  # a source leaves out what weighs nothing
        self.p_values_ = np.full(came, np.nan)
        self.p_values_[places] = SIDES[two_sided](self.calibration_.whole, logs, 0.0)
        return self

    def _options(self) -> tuple[float, bool]:
        return level_of(self.false_alarm, "false_alarm"), truth(self.two_sided, "two_sided")

    def score_samples(self, X: Any) -> Array:
        """log p(x), (n,): the lower, the stranger, unless `two_sided`.

        Parameters
        ----------
        X : (n, p)
        """
        X = self._known(X)
        return np.asarray(self.model_.score_samples(X))

    def p_values(self, X: Any) -> Array:
        """How often a familiar row is as strange as each row, (n,).

        Parameters
        ----------
        X : (n, p)
        """
        X = self._known(X)
        return self.calibration_.p_values(self.model_, X, self._options()[1])

    def typicality(self, X: Any) -> Array:
        """How often a row of each class is as strange there as each row would be, (n, K).

        `typicality` of the model says the same as if its density were the true one; here rows that it had not seen say
        it.

        Parameters
        ----------
        X : (n, p)
        """
        X = self._known(X)
        return self.calibration_.typicality(self.model_, X, self._options()[1])

    def is_novel(self, X: Any) -> NDArray[np.bool_]:
        """Whether each row is novel, (n,): p_values at most `false_alarm`.

        Parameters
        ----------
        X : (n, p)
        """
        rate, two_sided = self._options()
        p_values = self.p_values(X)
        self.calibration_.warn_of_few(rate, two_sided)
        return np.asarray(p_values <= rate)

    def predict(self, X: Any) -> NDArray[np.intp]:
        """-1 for a row that is novel and 1 for any other, (n,), as scikit-learn's outlier detectors say it.

        Parameters
        ----------
        X : (n, p)
        """
        return np.where(self.is_novel(X), -1, 1)
