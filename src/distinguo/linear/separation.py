"""Can a linear rule tell the classes apart without an error? Then maximum likelihood has no finite answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from distinguo.covariance.factor import RANK_TOLERANCE
from distinguo.covariance.scale import CONSTANT
from distinguo.covariance.shapes import column_names
from distinguo.exceptions import InputError
from distinguo.rows.labels import label_text, refuse_one_class
from distinguo.rows.matrix import LabelledMatrix, labelled_matrix
from distinguo.solvers.separating import MARGIN, separate

Array = NDArray[np.float64]
Kind = Literal["none", "quasi-complete", "complete"]

# A coefficient, in units of its column's spread, below this share of the greatest is rounding.
NEGLIGIBLE = 1e-7
# A row of an orthonormal basis shorter than this is a row of zeros with rounding.
ZERO = 1e-14
CONSEQUENCE = {
    "none": "Maximum likelihood has a finite answer.",
    "quasi-complete": "Some coefficients of maximum likelihood are infinite. Penalise them, or leave columns out.",
    "complete": "Every coefficient in the direction is infinite under maximum likelihood. Penalise them.",
}


@dataclass(frozen=True, eq=False)
class Separation:
    """Whether a linear rule separates the classes, and along which direction.

    The rule of class k against the first scores a row by ``x @ direction[k - 1] + intercept[k - 1]``, and the first
    class scores zero: no row's own class scores less than another. The scale is free: the greatest coefficient is one
    in units of its column's spread.

    Attributes
    ----------
    kind : "complete" if some rule has every row's own class above all others, "quasi-complete" if some rule has no
        other above it and tells some rows, "none" if there is no such rule.
    direction : (K - 1, p) in the columns' units, zero where there is none; as many entries as possible are not zero.
    intercept : (K - 1,)
    classes : (K,)
    columns : (m,) the columns that the direction uses.
    feature_names : (p,) or None.
    n_rows : rows that count.
    n_apart : of those, the rows whose own class is strictly above all others along the direction.
    """

    kind: Kind
    direction: Array
    intercept: Array
    classes: NDArray[Any]
    columns: NDArray[np.intp]
    feature_names: NDArray[Any] | None
    n_rows: int
    n_apart: int

    @property
    def infinite(self) -> Array:
        """(K - 1, p) maximum-likelihood coefficients against the first class where not finite: inf, -inf, else 0."""
        return _infinities(self.direction)

    @property
    def infinite_intercept(self) -> Array:
        """(K - 1,) the same of the intercepts."""
        return _infinities(self.intercept)

    def __str__(self) -> str:
        head = f"separation: {self.kind}; {self.n_rows} rows, {len(self.classes)} classes, "
        lines = [f"{head}{self.n_apart} row(s) told apart.", CONSEQUENCE[self.kind]]
        for k, (label, signs) in enumerate(zip(self.classes[1:], self.infinite, strict=True)):
            found = [
                f"{'+' if sign > 0 else '-'} {column_names(self.feature_names, np.flatnonzero(signs == sign))}"
                for sign in (np.inf, -np.inf)
                if (signs == sign).any()
            ]
            if self.intercept[k]:
                found.append(f"{'+' if self.intercept[k] > 0 else '-'} intercept")
            if found:
                lines.append(f"infinite for {label_text(label)}: {'; '.join(found)}")
        return "\n".join(lines)


def separation(X: Any, y: Any = None, sample_weight: Any = None, intercept: bool = True) -> Separation:
    r"""Decide by linear programming whether a linear rule separates the classes.

    With :math:`b_1 = 0` for the first class, and x carrying a one if there is an intercept, the classes are separated

    - completely, if some b has :math:`(b_{y_i} - b_j)^\top x_i > 0` for every row i and class :math:`j \ne y_i`;
    - quasi-completely, if not, and some b has :math:`\ge 0` for all of them and :math:`> 0` for one.

    In either case the likelihood of a logistic or softmax regression grows for ever along b, and has no maximum.
    Of all such b, one that is strict for as many rows and classes as possible is given, so that its zeros are the
    coefficients that stay finite. Two classes are K = 2: :math:`s_i b^\top x_i` with :math:`s_i = \pm 1`.

    Units do not matter: columns are first centred at their medians and scaled, and rows are made as long as each
    other. Constant columns have no direction, linear dependences are not separation, and a gap of less than about
    1e-8 of the spread is none. All rows are needed at once; sparse ones are made dense.

    Parameters
    ----------
    X : (n, p) rows (NumPy, SciPy sparse, pandas, Polars, PyArrow), or a `Source` with its own labels.
    y : (n,) labels; None with a `Source`.
    sample_weight : (n,) frequencies; rows of weight zero do not count, and the others' weights make no difference.
    intercept : bool, default True
        Whether the rule has a constant.

    Returns
    -------
    Separation

    Raises
    ------
    InputError
        If rows, labels or weights cannot be used, cells are missing, or there is one class.

    Examples
    --------
    >>> found = separation([[1.0, 5.0], [1.0, 4.0], [1.0, 6.0], [2.0, 5.0]], ["a", "a", "b", "b"])
    >>> print(found)
    separation: complete; 4 rows, 2 classes, 4 row(s) told apart.
    Every coefficient in the direction is infinite under maximum likelihood. Penalise them.
    infinite for 'b': + 0, 1; - intercept

    References
    ----------
    Albert and Anderson (1984), On the existence of maximum likelihood estimates in logistic regression models,
    Biometrika 71, 1-10. Konis (2007), Linear programming algorithms for detecting separated data in binary logistic
    regression models, thesis, University of Oxford.
    """
    if not isinstance(intercept, bool | np.bool_):
        raise InputError(f"intercept={intercept!r} must be True or False.")
    rows = labelled_matrix(X, y, sample_weight, "separation")
    refuse_one_class(rows.classes)
    dense = rows.X.toarray() if sparse.issparse(rows.X) else rows.X
    space = _Space.of(dense, bool(intercept), rows.names)
    B = separate(space.rows, rows.codes, len(rows.classes)).value
    return _described(rows, space, B)


@dataclass(frozen=True)
class _Space:
    """Rows of length one in coordinates where no direction is null, and the way back.

    Attributes
    ----------
    rows : (n, r)
    back : (r, p + 1) from coefficients to those of the intercept and of the columns in units of their spread.
    centre, scale : (p,)
    """

    rows: Array
    back: Array
    centre: Array
    scale: Array

    @classmethod
    def of(cls, X: Array, intercept: bool, names: NDArray[Any] | None) -> _Space:
        with np.errstate(over="ignore", invalid="ignore"):  # what overflows is refused by name
            centre, scale = _location(X, intercept)
            spread_out = (X - centre) / scale
        fine = np.isfinite(spread_out).all(axis=0) & np.isfinite(scale)
        if not fine.all():
            raise InputError(
                f"numbers too far apart to subtract in the columns {column_names(names, np.flatnonzero(~fine))}; give "
                "these columns larger units."
            )
        Z = np.column_stack([np.full(len(X), float(intercept)), spread_out])
        # A row and a positive multiple of it are on the same side: one that lies far out must not set the scale.
        Z = _of_length_one(Z, 0.0)
        spread = np.linalg.norm(Z, axis=0)
        spread[spread == 0] = 1.0
        left, singular, right = np.linalg.svd(Z / spread, full_matrices=False)
        seen = singular > np.sqrt(RANK_TOLERANCE) * singular.max(initial=0.0)
        rows = _of_length_one(left[:, seen], ZERO)
        return cls(rows, right[seen] / singular[seen, None] / spread, centre, scale)


def _location(X: Array, intercept: bool) -> tuple[Array, Array]:
    """Medians, or zeros without an intercept, and median distances from there of the rows that are elsewhere."""
    centre = np.median(X, axis=0) if intercept else np.zeros(X.shape[1])
    scale = np.ones(X.shape[1])
    for j in range(X.shape[1]):
        distance = np.abs(X[:, j] - centre[j])
        elsewhere = distance > CONSTANT * np.abs(X[:, j])
        if elsewhere.any():
            scale[j] = np.median(distance[elsewhere])
    return centre, scale


def _of_length_one(rows: Array, least: float) -> Array:
    """Rows divided by their lengths; those no longer than `least` become zero."""
    # By the greatest entry first, whose square may be too large for a number.
    greatest = np.abs(rows).max(axis=1, initial=0.0)
    rows = rows / np.where(greatest > least, greatest, np.inf)[:, None]
    length = np.linalg.norm(rows, axis=1)
    return np.asarray(rows / np.where(length > 0, length, 1.0)[:, None])


def _described(rows: LabelledMatrix, space: _Space, B: Array) -> Separation:
    """What the rule says in the columns' own units."""
    scores = np.column_stack([np.zeros(len(space.rows)), space.rows @ B.T])
    own = np.take_along_axis(scores, rows.codes[:, None], axis=1)
    joined = (own - scores <= MARGIN).sum(axis=1) - 1  # a row's own class is no match for itself
    n_apart = int((joined == 0).sum())
    kind: Kind = "none" if not B.any() else ("complete" if n_apart == len(scores) else "quasi-complete")
    coef = B @ space.back  # (K - 1, 1 + p)
    coef /= max(np.abs(coef).max(initial=0.0), np.finfo(np.float64).tiny)
    coef[np.abs(coef) <= NEGLIGIBLE] = 0.0
    moved = coef[:, 1:] * (space.centre / space.scale)
    constant = coef[:, 0] - moved.sum(axis=1)
    constant[np.abs(constant) <= NEGLIGIBLE * (np.abs(coef[:, 0]) + np.abs(moved).sum(axis=1))] = 0.0
    return Separation(
        kind,
        coef[:, 1:] / space.scale,
        constant,
        rows.classes,
        np.flatnonzero(coef[:, 1:].any(axis=0)),
        rows.names,
        len(scores),
        n_apart,
    )


def _infinities(coef: Array) -> Array:
    return np.where(coef == 0, 0.0, np.copysign(np.inf, coef))
