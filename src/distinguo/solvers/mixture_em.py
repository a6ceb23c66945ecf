r"""The EM algorithm for Gaussian mixtures in classes, in coordinates where the pooled classes are spheres.

Maximises the log-likelihood of rows given their classes, less half of each group's penalty, over shares, means and
covariances whose least eigenvalue is at least the floor:

.. math::
    \sum_i w_i \log \sum_{r \in R(c_i)} \pi_r N(z_i; m_r, \Sigma_{g(r)})
    - \tfrac12 \sum_g \operatorname{tr}(\Sigma_g^{-1} P_g)

Without the floor the supremum is infinite: a component that sits on one row may shrink on it for ever.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from distinguo.solvers.kmeans import squared_distances
from distinguo.solvers.solution import Solution, Status

Array = NDArray[np.float64]
LOG_2PI = float(np.log(2 * np.pi))
TINY = float(np.finfo(np.float64).tiny)


@dataclass(frozen=True)
class Part:
    """One class: its rows, its components, and which of these share a covariance.

    Attributes
    ----------
    rows, members : where they stand among all.
    blocks : components that share a covariance, counted from the first of the class, and which one it is.
    """

    rows: slice
    members: slice
    blocks: tuple[tuple[slice, int], ...]


@dataclass(frozen=True)
class Problem:
    """Rows, and which components may describe them.

    Attributes
    ----------
    Z : (n, r) rows, sorted by class, each class centred on its mean.
    weight : (n,) frequencies.
    owner : (R,) the class of each component, ascending.
    group : (R,) which covariance it has; components of a class that share one stand together.
    begins : (K + 1,) where the rows of each class begin, and the last ends.
    penalty : (G, r, r) added to the scatter of each group.
    floor : least eigenvalue of a covariance.
    """

    Z: Array
    weight: Array
    owner: NDArray[np.intp]
    group: NDArray[np.intp]
    begins: NDArray[np.intp]
    penalty: Array
    floor: float


def parts_of(owner: NDArray[np.intp], group: NDArray[np.intp], begins: NDArray[np.intp]) -> list[Part]:
    """The classes one by one, of components and rows as in `Problem`."""
    parts = []
    for k in range(len(begins) - 1):
        first, last = np.searchsorted(owner, [k, k + 1]).tolist()
        own = group[first:last]
        cuts = [0, *(np.flatnonzero(np.diff(own)) + 1).tolist(), len(own)]
        blocks = tuple((slice(a, b), int(own[a])) for a, b in pairwise(cuts))
        parts.append(Part(slice(int(begins[k]), int(begins[k + 1])), slice(first, last), blocks))
    return parts


@dataclass(frozen=True)
class Components:
    """The Gaussians of every class.

    Attributes
    ----------
    share : (R,) of each component in its class.
    mean : (R, r)
    covariance : (G, r, r)
    total : (R,) rows that are each component's.
    log_likelihood : of all rows, given their classes; without the penalty.
    """

    share: Array
    mean: Array
    covariance: Array
    total: Array
    log_likelihood: float


def fit_components(problem: Problem, start: NDArray[np.intp], tol: float, max_iter: int) -> Solution[Components]:
    """The maximum that EM climbs to from a first division of the rows.

    Parameters
    ----------
    problem : rows and components.
    start : (n,) the component each row begins in, counted from the first of its class.
    tol : stop where an iteration gains less than this a row, in nats.
    max_iter : iterations at the most.

    References
    ----------
    Hastie and Tibshirani (1996), Discriminant analysis by Gaussian mixtures, JRSS B 58, 155-176, section 3.

    Examples
    --------
    >>> Z = np.array([[-1.1], [-0.9], [0.9], [1.1]])
    >>> zeros, ends = np.zeros(2, dtype=np.intp), np.array([0, 4])
    >>> problem = Problem(Z, np.ones(4), zeros, zeros, ends, np.zeros((1, 1, 1)), 1e-3)
    >>> solution = fit_components(problem, np.array([0, 0, 1, 1]), 1e-8, 100)
    >>> solution.status, solution.value.mean.round(6).ravel().tolist()
    ('converged', [-1.0, 1.0])
    """
    return climb(_State(problem, start), float(problem.weight.sum()), tol, max_iter)


class Ascent(Protocol):
    """A step of EM in two halves, and where it has come to; see `Components`."""

    share: Array
    mean: Array
    covariance: Array
    total: Array
    log_likelihood: float

    def maximise(self) -> None:
        """Shares, means and covariances from responsibilities."""

    def expect(self) -> float:
        """Responsibilities from parameters; returns the objective."""


def climb(state: Ascent, weight: float, tol: float, max_iter: int) -> Solution[Components]:
    """Step after step until one gains less than `tol` for each of the rows of that total weight."""
    state.maximise()
    trace = [state.expect()]
    status: Status = "max_iter"
    enough = tol * weight
    while len(trace) <= max_iter:
        state.maximise()
        trace.append(state.expect())
        if trace[-1] - trace[-2] < enough:
            status = "converged"
            break
    value = Components(state.share, state.mean, state.covariance, state.total, state.log_likelihood)
    return Solution(value, status, len(trace) - 1, np.array(trace))


class _State:
    """Parameters and responsibilities, each made from the other in turn."""

    def __init__(self, problem: Problem, start: NDArray[np.intp]) -> None:
        R, r = len(problem.group), problem.Z.shape[1]
        self.problem = problem
        self.parts = parts_of(problem.owner, problem.group, problem.begins)
        # (rows, components) how much of each row is each component's, one matrix a class
        self.owned = [np.eye(part.members.stop - part.members.start)[start[part.rows]] for part in self.parts]
        self.share = np.zeros(R)
        self.mean = np.zeros((R, r))
        self.total = np.zeros(R)
        self.covariance = np.repeat(np.eye(r)[None], len(problem.penalty), axis=0)
        self.log_likelihood = 0.0
        # Where all components of a class share a covariance, second moments do not depend on who owns what.
        self.fixed = problem.penalty.copy()
        for part in self.parts:
            if len(part.blocks) == 1:
                Z = problem.Z[part.rows]
                self.fixed[part.blocks[0][1]] += (Z * problem.weight[part.rows, None]).T @ Z

    def maximise(self) -> None:
        """Shares, means and covariances from responsibilities."""
        scatter = self.fixed.copy()
        for part, owned in zip(self.parts, self.owned, strict=True):
            Z, members = self.problem.Z[part.rows], part.members
            weighted = owned * self.problem.weight[part.rows, None]
            total = weighted.sum(axis=0)
            # A component that has lost every row stays where it was.
            mean = np.where(total[:, None] > 0, weighted.T @ Z / np.maximum(total, TINY)[:, None], self.mean[members])
            self.total[members], self.share[members], self.mean[members] = total, total / total.sum(), mean
            for block, group in part.blocks:
                if len(part.blocks) > 1:
                    scatter[group] += (Z * weighted[:, block]).T @ Z
                scatter[group] -= (mean[block] * total[block, None]).T @ mean[block]
        weight = np.bincount(self.problem.group, self.total, len(scatter))
        for group in np.flatnonzero(weight).tolist():
            self.covariance[group] = floored(scatter[group] / weight[group], self.problem.floor)

    def expect(self) -> float:
        """Responsibilities from parameters; returns the objective."""
        # (G, r, r) Z root has unit covariance within a group.
        roots = np.linalg.inv(np.linalg.cholesky(self.covariance)).transpose(0, 2, 1)
        norms = np.log(np.diagonal(roots, axis1=1, axis2=2)).sum(axis=1) - 0.5 * roots.shape[1] * LOG_2PI
        log_share = np.log(np.maximum(self.share, TINY))
        self.log_likelihood = 0.0
        for k, part in enumerate(self.parts):
            joint = self.owned[k]
            Z, mean = self.problem.Z[part.rows], self.mean[part.members]
            for block, group in part.blocks:
                root = roots[group]
                joint[:, block] = norms[group] - 0.5 * squared_distances(Z @ root, mean[block] @ root)
            joint += log_share[part.members]
            self.log_likelihood += float(self.problem.weight[part.rows] @ _normalise(joint))
        return self.log_likelihood - 0.5 * float((self.problem.penalty @ roots * roots).sum())


def _normalise(joint: Array) -> Array:
    """Log joint densities (n, R) to responsibilities in place; returns log densities (n,)."""
    highest = joint.max(axis=1)
    joint -= highest[:, None]
    np.exp(joint, out=joint)
    total = joint.sum(axis=1)
    joint /= total[:, None]
    return np.asarray(highest + np.log(total))


def floored(covariance: Array, floor: float) -> Array:
    """The covariance with eigenvalues below the floor raised to it: the maximiser under that constraint.

    Examples
    --------
    >>> floored(np.diag([4.0, 0.0]), 0.5).tolist()
    [[4.0, 0.0], [0.0, 0.5]]
    """
    values, vectors = eigh(covariance)
    if values[0] >= floor:
        return covariance
    return np.asarray((vectors * np.maximum(values, floor)) @ vectors.T)
