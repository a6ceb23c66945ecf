"""The search of one step of MARS: the best knot of every column, under one parent term, by cumulative sums."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from distinguo.compiled import reordered

Array = NDArray[np.float64]
Places = NDArray[np.intp]


# What a column must keep of its (centred) sum of squares when freed from the basis, to count as new.
INDEPENDENT = 0.01


@reordered
def live_rows(order: Places, parent: Array, rows: Places, places: Places) -> int:
    """Write the rows where the parent is not zero, and where in `order` they are; returns how many."""
    live = 0
    for place in range(len(order)):
        row = order[place]
        # Written and counted without a branch, which would be mispredicted every other time.
        rows[live] = row
        places[live] = place
        live += int(parent[row] != 0.0)
    return live


@reordered
def start_of(x: Array, place: int) -> int:
    """The first place with the value that x has at this one."""
    while place > 0 and x[place - 1] == x[place]:
        place -= 1
    return place


@reordered
def end_of(x: Array, place: int) -> int:
    """The first place after this one with another value."""
    after = place + 1
    while after < len(x) and x[after] == x[place]:
        after += 1
    return after


@reordered
def candidate_knots(
    x: Array,  # (n,) falling
    below: Array,  # (n,) weight of each place and all after it
    weight: Array,  # (n,)
    rows: Places,  # (live,) by falling x
    places: Places,  # (live,)
    first: float,
    span: float,
    end: float,
    knots: Places,  # (n,) out: where in x each knot is
    aboves: Places,  # (n,) out: how many live rows lie above each knot
) -> int:
    """Where knots may be; returns how many there are.

    Live rows are counted from above, rows of equal x together. There is a knot at the value of the row that follows
    the `first` of them, and every `span` from there, as long as `end` rows of any kind are left below.
    """
    counted, target = 0.0, first
    found = i = 0
    while i < len(rows):
        counted += weight[rows[i]]
        i += 1
        if counted < target:
            continue
        value = x[places[i - 1]]
        above, before = i - 1, counted - weight[rows[i - 1]]
        while above > 0 and x[places[above - 1]] == value:
            above -= 1
            before -= weight[rows[above]]
        while i < len(rows) and x[places[i]] == value:
            counted += weight[rows[i]]
            i += 1
        if target < counted:  # the row that follows has the same value
            start = start_of(x, places[above])
            known = found > 0 and knots[found - 1] == start
            if above > 0 and not known and below[start] - max(0.0, target - before) > end:
                knots[found] = start
                aboves[found] = above
                found += 1
            target += span * np.ceil((counted - target) / span)
        if target <= counted:
            start = end_of(x, places[i - 1])
            if i < len(rows) and below[start] > end:  # below the last live row a hinge is a line
                knots[found] = start
                aboves[found] = i
                found += 1
            target += span
    return found


@reordered
def sweep(
    x: Array,  # (n,) falling
    parent: Array,  # (n,)
    columns: Array,  # (n, >= width) residuals, then the orthonormal basis
    width: int,
    rows: Places,
    places: Places,  # (live,)
    knots: Places,  # (knots,)
    aboves: Places,  # (knots,)
    products: Array,  # (knots + 1, width) out: of the hinge at each knot, and at the least x, with the columns
    squares: Array,  # (knots + 1, 3) out: sums of b², b²(x - t) and b²(x - t)² above each knot
) -> Array:
    """Inner products of the parent's hinge at every knot with all columns; returns those of the parent itself.

    Going down from one knot to the next, each row above rises by the distance: one multiple of the parent's product
    moves all rows passed before, and only the rows between the two knots are read.
    """
    total = np.zeros(width)
    rising = np.zeros(width)
    zeroth = first = second = 0.0
    above = 0
    live = len(rows)
    t = x[places[0]]
    for k in range(len(products)):
        bottom = k == len(knots)
        below = live if bottom else aboves[k]
        knot = x[places[live - 1] if bottom else knots[k]]
        step = t - knot
        t = knot
        second += step * (2.0 * first + step * zeroth)
        first += step * zeroth
        for j in range(width):
            rising[j] += step * total[j]
        for i in range(above, below):
            row = rows[i]
            b = parent[row]
            height = x[places[i]] - t
            h = b * height
            zeroth += b * b
            first += b * h
            second += h * h
            for j in range(width):
                z = columns[row, j]
                total[j] += b * z
                rising[j] += h * z
        above = below
        for j in range(width):
            products[k, j] = rising[j]
        squares[k, 0] = zeroth
        squares[k, 1] = first
        squares[k, 2] = second
    return total


@reordered
def best_knot(
    products: Array,  # (knots + 1, width)
    squares: Array,  # (knots + 1, 3)
    total: Array,  # (width,)
    depths: Array,  # (knots,) of the knots over the least x
    q: int,
    tolerance: float,
    tie: float,
) -> tuple[float, int, bool]:
    """The largest fall of the residual sum of squares, at which knot (-1: none, a straight line), and whether the
    straight line is new.

    The line, and after it each hinge, is freed from all that is in the basis by subtracting squares of products.
    """
    knots = len(depths)
    mean = squares[knots, 1] / squares[knots, 0]
    line = products[knots] - mean * total
    own = squares[knots, 2] - mean * squares[knots, 1]
    fall = 0.0
    for j in range(q, len(line)):
        own -= line[j] * line[j]
    new = own > INDEPENDENT * (squares[knots, 2] - products[knots, q] * products[knots, q])
    if new:
        for j in range(q):
            fall += line[j] * line[j] / own
    best, where = fall, -1
    for k in range(knots):
        along = squares[k, 2] + (depths[k] - mean) * squares[k, 1]
        inside = 0.0
        for j in range(q, len(line)):
            along -= line[j] * products[k, j]
            inside += products[k, j] * products[k, j]
        rest = squares[k, 2] - inside
        slope = 0.0
        if new:
            slope = along / own
            rest -= slope * along
        if rest <= tolerance * (squares[k, 2] - products[k, q] * products[k, q]):
            continue
        gain = 0.0
        for j in range(q):
            free = products[k, j] - slope * line[j]
            gain += free * free
        gain = fall + gain / rest
        if gain > best + tie:
            best, where = gain, k
    return best, where, new


@reordered
def search(
    parent: Array,  # (n,) times the root of the weight
    x: Array,  # (p, n) falling in each row
    order: Places,  # (p, n)
    columns: Array,  # (n, >= width)
    width: int,
    q: int,
    below: Array,  # (p, n)
    weight: Array,  # (n,)
    allowed: NDArray[np.bool_],  # (p,)
    first: float,
    span: float,
    end: float,
    tolerance: float,
    tie: float,
) -> tuple[float, int, int, bool]:
    """The best fall, its column, the place of its knot in `order` (-1: a line), and whether the line is new."""
    p, n = x.shape
    rows = np.empty(n, np.intp)
    places = np.empty(n, np.intp)
    knots = np.empty(n, np.intp)
    aboves = np.empty(n, np.intp)
    best, column, place, best_new = 0.0, -1, -1, False
    for v in range(p):
        if not allowed[v]:
            continue
        live = live_rows(order[v], parent, rows, places)
        if live == 0 or x[v, places[0]] == x[v, places[live - 1]]:
            continue
        found = candidate_knots(x[v], below[v], weight, rows[:live], places[:live], first, span, end, knots, aboves)
        products = np.empty((found + 1, width))
        squares = np.empty((found + 1, 3))
        total = sweep(
            x[v], parent, columns, width, rows[:live], places[:live], knots[:found], aboves[:found], products, squares
        )
        depths = np.empty(found)
        for k in range(found):
            depths[k] = x[v, knots[k]] - x[v, places[live - 1]]
        gain, where, new = best_knot(products, squares, total, depths, q, tolerance, tie)
        if gain > best + tie:
            best, column, best_new = gain, v, new
            place = knots[where] if where >= 0 else -1
    return best, column, place, best_new
