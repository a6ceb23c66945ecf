"""What a table holds, where an embedded set comes from, and what each class of a model looks like."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from distinguo.catalogue import Entry, find
from distinguo.cli import render, terminal
from distinguo.cli.cells import Cells, Grid
from distinguo.cli.class_checks import class_warnings
from distinguo.cli.coefficients import Shown, coefficient_text
from distinguo.cli.datasets import EMBEDDED
from distinguo.cli.encoders import AnyEncoder
from distinguo.cli.folders import CLASS
from distinguo.cli.kinds import is_folder_of_texts
from distinguo.cli.persistence import SavedModel
from distinguo.cli.roles import CATEGORICAL, NUMERIC, Overrides, Role, assign
from distinguo.cli.settings import options_of
from distinguo.cli.table import Reading, open_table, read_whole
from distinguo.cli.telling_words import words_text
from distinguo.cli.text_encoding import TextEncoder
from distinguo.rows.frames import check_known

MOST_CLASSES = 30

Array = NDArray[np.float64]


def describe_table(name: str, target: str | None, reading: Reading, overrides: Overrides) -> str:
    """Columns, roles, holes and classes of a table, and where it comes from if it is an embedded set."""
    frames = open_table(name, reading)
    overrides = overrides.of_folder(name)
    overrides.check(frames.names, target)
    frame = read_whole(frames, name)
    parts = []
    if name in EMBEDDED and not frames.is_text:
        entry = EMBEDDED[name]
        target = target or entry.target
        parts += [terminal.hanging("", text, terminal.PROSE) for text in (entry.origin, entry.caution)]
    if is_folder_of_texts(name) and frame[CLASS].count():
        target = target or CLASS
    if target is not None:
        check_known(target, frames.names, "the target")
    grid = reading.spelling.read(frame, frames.names)
    parts.append(f"{terminal.plural(len(grid), 'row')}, {terminal.plural(len(frames.names), 'column')}")
    parts.append(_columns(grid, target, overrides))
    if target is not None:
        parts += [_classes(grid.columns[target], target), *_warnings(grid, target, overrides)]
    parts.append(render.rules())
    return "\n\n".join(parts)


def _columns(grid: Grid, target: str | None, overrides: Overrides) -> str:
    """One line a column: role, holes, different values, and what they are like."""
    roles = {role.column: role for role in assign(grid, overrides)}
    rows = []
    for name, cells in grid.columns.items():
        role = Role(name, "target") if name == target else roles[name]
        known = cells.raw.drop_nulls()
        rows.append([name, role.role, str(cells.raw.null_count()), str(known.n_unique()), _values(role, cells, known)])
    return terminal.table(("column", "role", "missing", "different", "values"), rows, "llrrl")


def _values(role: Role, cells: Cells, known: pl.Series) -> str:
    """What the values of a column are like."""
    if role.role == NUMERIC:
        numbers = cells.numbers.drop_nulls().to_numpy()
        numbers = numbers[np.isfinite(numbers)]  # others are refused when it is fitted
        if not len(numbers):
            return "no numbers"
        low, middle, high = (terminal.number(float(value)) for value in np.quantile(numbers, (0, 0.5, 1)))
        return f"{low} to {high}, median {middle}"
    if role.role in {CATEGORICAL, "target"}:
        counts = known.value_counts(name="rows").sort("rows", known.name, descending=[True, False]).head(4)
        shown = ", ".join(f"{value} {rows}" for value, rows in counts.iter_rows())
        return shown + (", ..." if known.n_unique() > 4 else "")
    return role.why


def _classes(cells: Cells, target: str) -> str:
    """Rows and share of each class, and rows without one."""
    counts = cells.words().drop_nulls().value_counts(name="rows").sort("rows", cells.raw.name, descending=[True, False])
    total = counts["rows"].sum()
    rows = [[str(label), str(n), f"{n / total:.1%}"] for label, n in counts.head(MOST_CLASSES).iter_rows()]
    if len(counts) > MOST_CLASSES:
        rows.append([f"... and {len(counts) - MOST_CLASSES} more", "", ""])
    text = terminal.table((f"class of {target!r}", "rows", "share"), rows)
    missing = cells.raw.null_count()
    return text + (f"\n\n{terminal.plural(missing, 'row')} without a class" if missing else "")


def _warnings(grid: Grid, target: str, overrides: Overrides) -> list[str]:
    """What speaks against one Gaussian a class in the columns besides the target."""
    labels = grid.columns[target].words()
    known = np.flatnonzero(labels.is_not_null().to_numpy())
    columns = {name: cells for name, cells in grid.columns.items() if name != target}
    rows = Grid(columns, grid.row_numbers).take(known)
    return render.advice(class_warnings(rows, assign(rows, overrides), labels.drop_nulls().to_numpy().astype(np.str_)))


def describe_model(saved: SavedModel, shown: Shown | None = None) -> str:
    """What each class looks like to a model: its share, its means and spreads, and what tells classes apart.

    Of a model that knows boundaries only, its coefficients; with what is known of them where there is a likelihood.

    Parameters
    ----------
    saved : the model.
    shown : how coefficients are to be shown.

    Raises
    ------
    InputError
        If something is to be shown that the model does not have.
    """
    model, encoder = saved.base, saved.encoder
    entry = find(saved.name)
    settings = "".join(f", {option}" for option in options_of(model))
    head = (
        f"{entry.title} ({entry.name}{settings}) of {saved.target!r}, learned from {int(saved.counts.sum())} rows: "
        f"{terminal.plural(len(encoder.names), 'column')} as {_size(encoder)}"
    )
    classes = [str(label) for label in model.classes_]
    if entry.chosen and hasattr(model, "cv_results_"):  # absent where nothing was left to cross-validation
        values = (f"{name.rstrip('_')} {terminal.number(float(getattr(model, name)))}" for name in entry.chosen)
        head += f"; cross-validation chose {', '.join(values)}"
    if saved.is_calibrated:
        head += f"; probabilities calibrated by {saved.model.method}, {_temperature(saved)}"
    parts = [terminal.hanging("", head)]
    shown = shown or Shown()
    if isinstance(encoder, TextEncoder) and not shown.asks:
        parts += [_counts(classes, saved), words_text(saved), *render.advice(saved.advice)]
    elif entry.keeps_rows and not shown.asks:
        parts += [_counts(classes, saved), terminal.hanging("", str(model.cost_))]
    elif shown.asks or not (entry.spread or entry.categories):
        parts += [_counts(classes, saved), coefficient_text(saved, shown)]
    else:
        parts += _description(encoder.features, classes, saved, entry)
        parts += render.advice(saved.advice)
    return "\n\n".join(parts)


def _temperature(saved: SavedModel) -> str:
    """By what scores are divided."""
    found = saved.model.calibration_.temperature
    grows = f" (1 + m)^{found.b:.3g}, with m seen of a row" if found.b else ""
    return f"scores divided by {found.a:.3g}{grows}"


def _size(encoder: AnyEncoder) -> str:
    """How many numbers a row becomes."""
    what = "word" if isinstance(encoder, TextEncoder) else "feature"
    return terminal.plural(len(encoder.features), what)


def _counts(classes: Sequence[str], saved: SavedModel) -> str:
    """Rows of each class."""
    return terminal.table(("class", "rows"), [[c, str(n)] for c, n in zip(classes, saved.counts, strict=True)])


def _description(features: Sequence[str], classes: Sequence[str], saved: SavedModel, entry: Entry) -> list[str]:
    """Priors, means and spreads of classes, shares of categories, and the directions that tell them apart."""
    model = saved.base
    shares = zip(classes, saved.counts, model.priors_, strict=True)
    parts = [terminal.table(("class", "rows", "prior"), [[c, str(n), f"{p:.4f}"] for c, n, p in shares])]
    if entry.spread is not None:
        spread = SPREADS[entry.spread](getattr(model, entry.spread))
        numbers = np.flatnonzero(np.isfinite(model.means_).any(axis=0)).tolist()  # categories have no means
        if numbers:
            names = [features[j] for j in numbers]
            parts.append(_means(names, classes, model.means_[:, numbers], spread[..., numbers]))
        if entry.directions:
            parts.append(_directions(features, model, spread))
    tables = [] if not entry.categories else [t for t in model.category_log_prob_ if t is not None]
    return [*parts, _categories(features, classes, model)] if tables else parts


def _categories(features: Sequence[str], classes: Sequence[str], model: Any) -> str:
    """A line a category, a column a class: its share there."""
    rows = []
    for feature, found, logs in zip(features, model.categories_, model.category_log_prob_, strict=True):
        if logs is not None:
            rows += [
                [f"{feature}={word}", *(f"{share:.4f}" for share in shares)]
                for word, shares in zip(found, np.exp(logs).T, strict=True)
            ]
    return f"share of each category within each class\n{terminal.wide_table(['category', *classes], rows)}"


# From variances or covariances to standard deviations: (K, p), or (p,) where the classes share them.
SPREADS: dict[str, Callable[[Array], Array]] = {
    "covariance_": lambda covariance: np.sqrt(np.diagonal(covariance, axis1=-2, axis2=-1)),
    "variances_": np.sqrt,
}


def _means(features: Sequence[str], classes: Sequence[str], means: Array, spread: Array) -> str:
    """A line a feature, a column a class: mean ± standard deviation."""
    shared = spread.ndim == 1
    rows = []
    for j, feature in enumerate(features):
        cells = [terminal.number(float(mean)) for mean in means[:, j]]
        if shared:
            cells.append(terminal.number(float(spread[j])))
        else:
            cells = [f"{m} ± {terminal.number(float(s))}" for m, s in zip(cells, spread[:, j], strict=True)]
        rows.append([feature, *cells])
    title = "means, and the spread that all classes share" if shared else "means ± spread within each class"
    header = ["feature", *classes, *(["spread"] if shared else [])]
    return f"{title}\n{terminal.wide_table(header, rows)}"


def _directions(features: Sequence[str], model: Any, spread: Array) -> str:
    """Fisher's directions, each weight for a change of one spread of its feature."""
    shares = model.explained_variance_ratio_
    header = ["feature", *(f"LD{k} ({share:.1%})" for k, share in enumerate(shares, 1))]
    weights = model.scalings_ * spread[:, None]
    rows = [[name, *(f"{weight:.3f}" for weight in line)] for name, line in zip(features, weights, strict=True)]
    title = "discriminant directions: weight of one spread of a feature (share of the variance between classes)"
    return f"{terminal.hanging('', title)}\n{terminal.wide_table(header, rows)}"
