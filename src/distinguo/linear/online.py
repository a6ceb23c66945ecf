"""Logistic regression from a stream of rows, a step a row."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.utils.metaestimators import available_if

from distinguo.exceptions import InputError
from distinguo.linear.base import LinearClassifier
from distinguo.linear.class_weights import class_weights
from distinguo.linear.logistic_options import decay_or_none, positive_or_none
from distinguo.linear.penalties import elastic_net, inverse_strength
from distinguo.linear.walk import Walk, safe_step
from distinguo.options import is_left_to_cv
from distinguo.rows.labels import codes_among, encode_labels, refuse_one_class
from distinguo.rows.matrix import LabelledMatrix, labelled_matrix
from distinguo.rows.validation import check_columns


def _walks(model: Any) -> bool:
    if model.solver != "stochastic":
        raise AttributeError("partial_fit goes with solver='stochastic' only; other solvers pass over all rows again.")
    return True


class Online(LinearClassifier):
    """`partial_fit` by stochastic gradient descent."""

    _walk: Walk
    C: Any
    l1_ratio: float
    class_weight: Any
    fit_intercept: bool
    standardize: bool
    bias_reduction: str | None
    eta0: float | None
    gamma: float | None

    @available_if(_walks)  # type: ignore[untyped-decorator]
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """One pass over more rows, in the order they come; with solver="stochastic" only.

        Parameters
        ----------
        X : (n, p) rows.
        y : (n,) labels; a class not seen before begins with scores of zero.
        classes : labels that are to come, for the first call.
        sample_weight : (n,) frequencies: by how much a row's step is longer.

        Returns
        -------
        self

        Notes
        -----
        A ridge counts as spread over the rows seen so far. After `fit`, it goes on from the coefficients found there.
        """
        rows = labelled_matrix(X, y, sample_weight, type(self).__name__)
        n, p = rows.X.shape
        if self.__sklearn_is_fitted__():
            known = getattr(self, "feature_names_in_", None)
            check_columns(p, rows.names, self.n_features_in_, known, type(self).__name__)
        if isinstance(self.class_weight, str):
            raise InputError("class_weight='balanced' needs all rows at once; give a dictionary, or use fit.")
        if is_left_to_cv(self.C):
            raise InputError("C='cv' needs all rows at once; give a number, or use fit.")
        self.C_ = inverse_strength(self.C)
        net = elastic_net(self.C_, self.l1_ratio, np.ones(p))
        if net.l1.any() or self.standardize or self.bias_reduction is not None:
            raise InputError("partial_fit takes a ridge or no penalty; leave l1_ratio, standardize, bias_reduction be.")
        walk = self._walk_so_far(rows).with_classes(rows.classes)
        if classes is not None:
            walk = walk.with_classes(encode_labels(classes)[1])
        refuse_one_class(walk.classes, " Give classes= with all that are to come.")
        codes = codes_among(walk.classes, rows.classes, rows.codes)
        counts = class_weights(self.class_weight, walk.classes, np.ones(len(walk.classes)))
        weight = rows.weight if counts is None else rows.weight * counts[codes]
        self._walk = walk.over(rows.X, codes, weight, np.arange(n), net.l2 / (walk.turn + n))
        self._learn(walk.classes, self._walk.scores, rows.names)
        return self

    def _walk_so_far(self, rows: LabelledMatrix) -> Walk:
        """Where the last call came to, or the start of a walk."""
        if hasattr(self, "_walk"):
            return self._walk
        n, p = rows.X.shape
        classes, normals, offsets = rows.classes[:0], np.zeros((0, p)), np.zeros(0)
        if self.__sklearn_is_fitted__():
            classes, normals, offsets = self._classes, self._scores.normals, self._scores.intercepts
            if len(classes) == 2:
                normals, offsets = normals - normals[0], offsets - offsets[0]
        intercept, gamma = bool(self.fit_intercept), decay_or_none(self.gamma, "gamma")
        step = positive_or_none(self.eta0, "eta0") or safe_step(rows.X, 3, np.zeros(p), intercept)
        decay = 1 / n if gamma is None else gamma
        return Walk(classes, normals, offsets, 0, step, decay, intercept)
