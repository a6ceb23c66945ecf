"""Passes over rows held out: likelihoods of a temperature and of a map, and isotonic regression with one row more."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from distinguo.compiled import compiled


@compiled
def of_temperature(
    leads: NDArray[np.float64],
    codes: NDArray[np.intp],
    weight: NDArray[np.float64],
    design: NDArray[np.float64],
    theta: NDArray[np.float64],
    strange: float,
    slopes: NDArray[np.float64],
    curves: NDArray[np.float64],
) -> tuple[float, float]:
    """Minus the log-likelihood of classes by leads (m, K) times exp(design theta), and the sum of their variances.

    A share `strange` of the rows is of any class, so that a row for which the model is wrong and sure beyond measure
    counts as one of those. Added to `slopes` (3, q) are the derivatives of the first, and the sums by column of the
    variances and of the third moments; to `curves` (2, q, q) the second derivatives of the first, and a matrix near
    them that is never negative.
    """
    m, K = leads.shape
    q = design.shape[1]
    scaled, parts = np.empty(K), np.empty(K)
    value = information = 0.0
    for i in range(m):
        power = 0.0
        for a in range(q):
            power += design[i, a] * theta[a]
        scale = np.exp(min(max(power, -50.0), 50.0))
        total = first = 0.0
        for k in range(K):
            scaled[k] = leads[i, k] * scale
            parts[k] = np.exp(scaled[k])
            total += parts[k]
            first += parts[k] * scaled[k]
        mean = first / total
        second = third = 0.0
        for k in range(K):
            off = scaled[k] - mean
            second += parts[k] * off * off
            third += parts[k] * off * off * off
        off = mean - scaled[codes[i]]
        likely = (1 - strange) * parts[codes[i]] / total
        either = likely + strange / K
        normal = likely / either
        second *= weight[i] / total
        third *= weight[i] / total
        value -= weight[i] * np.log(either)
        information += second
        miss = weight[i] * normal * off
        bend = normal * second + miss - miss * (1 - normal) * off
        for a in range(q):
            slopes[0, a] += miss * design[i, a]
            slopes[1, a] += second * design[i, a]
            slopes[2, a] += third * design[i, a]
            for b in range(q):
                curves[0, a, b] += bend * design[i, a] * design[i, b]
                curves[1, a, b] += normal * second * design[i, a] * design[i, b]
    return value, information


@compiled
def of_map(
    columns: NDArray[np.float64],
    is_own: NDArray[np.bool_],
    weight: NDArray[np.float64],
    at: NDArray[np.float64],
    strange: float,
    slopes: NDArray[np.float64],
    curves: NDArray[np.float64],
) -> float:
    """Minus the log-likelihood of a logistic regression on columns (q, m), a share `strange` being of any class.

    Added to `slopes` (q,) and `curves` (q, q) are its derivatives, the second ones where no row is strange.
    """
    q, m = columns.shape
    value = 0.0
    for i in range(m):
        score = 0.0
        for a in range(q):
            score += columns[a, i] * at[a]
        small = np.exp(-abs(score))
        p = 1 / (1 + small) if score >= 0 else small / (1 + small)
        likely = (1 - strange) * (p if is_own[i] else (small / (1 + small) if score >= 0 else 1 / (1 + small)))
        either = likely + strange / 2
        normal = likely / either
        value -= weight[i] * np.log(either)
        miss = weight[i] * normal * (p - (1.0 if is_own[i] else 0.0))
        spread = weight[i] * normal * small / (1 + small) ** 2
        for a in range(q):
            slopes[a] += miss * columns[a, i]
            for b in range(q):
                curves[a, b] += spread * columns[a, i] * columns[b, i]
    return value


@compiled
def with_one_inserted(rows: NDArray[np.float64], own: NDArray[np.float64]) -> NDArray[np.float64]:
    """(q,) the isotonic value of a row of the class, of weight one, that is put at each of q ascending scores.

    The cumulated weights, and those of the class, make a line of points, and isotonic values are the slopes of its
    greatest convex minorant. The new row is a step of slope one; at the first score it stands before all others, and
    moves on by changing places with them. Only the edge of the minorant over that step matters, and the corners on the
    right of it, which are given up one after the other: the whole costs O(q).

    Parameters
    ----------
    rows, own : (q,) weight of the rows at each score, and of those with the class.

    References
    ----------
    Vovk, Petej and Fedorova (2015), Large-scale probabilistic predictors with and without guarantees of validity,
    NIPS 28, algorithms 1 and 2.
    """
    q = len(rows)
    x, y = np.empty(q + 2), np.empty(q + 2)  # corners
    x[0] = y[0] = -1.0
    at_x = at_y = 0.0
    size = 1
    for i in range(q + 1):
        if i:
            at_x += rows[i - 1]
            at_y += own[i - 1]
        while size > 1 and (at_y - y[size - 1]) * (x[size - 1] - x[size - 2]) <= (y[size - 1] - y[size - 2]) * (
            at_x - x[size - 1]
        ):
            size -= 1
        x[size], y[size] = at_x, at_y
        size += 1
    values = np.empty(q)
    left_x = left_y = -1.0  # where the new row's step begins
    first = 0
    for i in range(q):
        width, rise = x[first + 1] - x[first], y[first + 1] - y[first]
        values[i] = min(rise / width, 1.0)
        left_x += rows[i]
        left_y += own[i]
        if (left_y - y[first]) * width >= rise * (left_x - x[first]):
            continue
        first += 1
        while first + 1 < size and (
            x[first] <= left_x
            or (y[first] - left_y) * (x[first + 1] - left_x) >= (y[first + 1] - left_y) * (x[first] - left_x)
        ):
            first += 1
        first -= 1
        x[first], y[first] = left_x, left_y
    return values
