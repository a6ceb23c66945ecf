"""The table of models tells the truth about them, and costs nothing to read."""

import subprocess
import sys

import numpy as np
import pytest
from sklearn.datasets import load_iris

from distinguo.catalogue import CATALOGUE, Entry, find, suggest, trusted_types
from distinguo.exceptions import InputError

# Where the rows of a test are few, a linear rule may tell them apart; that is a warning, and the fit goes on.
pytestmark = pytest.mark.filterwarnings("ignore::distinguo.exceptions.SeparationWarning")

X, Y = load_iris(return_X_y=True)

METHODS = {
    "merges": ("forget", "__add__"),
    "leave_one_out": ("leave_one_out",),
    "density": ("class_log_density", "score_samples"),
    "typicality": ("typicality",),
    "sample": ("sample",),
    "directions": ("scalings_",),
    "probabilities": ("predict_proba", "predict_log_proba"),
    "inference": ("summary", "odds_ratios"),
    "explains": ("explain",),
}

entries = pytest.mark.parametrize("entry", CATALOGUE, ids=lambda entry: entry.name)


@entries
@pytest.mark.parametrize("capability", METHODS)
def test_a_model_has_the_methods_its_row_ticks_and_no_others(entry: Entry, capability: str) -> None:
    model = entry.make().fit(X, Y)
    assert {hasattr(model, method) for method in METHODS[capability]} == {getattr(entry, capability)}


@entries
def test_a_model_learns_on_where_its_row_says_so(entry: Entry) -> None:
    assert hasattr(entry.make(), "partial_fit") == (entry.learns_on or entry.merges)


@entries
def test_a_model_that_transforms_says_what_each_variate_is_worth(entry: Entry) -> None:
    model = entry.make().fit(X, Y)
    for name in ("transform", "explained_variance_ratio_"):
        assert hasattr(model, name) == (entry.directions or entry.variates)


@entries
def test_a_model_takes_holes_exactly_where_its_row_says_so(entry: Entry) -> None:
    holed = X.copy()
    holed[3, 1] = np.nan
    if entry.holes:
        entry.make().fit(holed, Y).predict(holed)
    else:
        with pytest.raises(InputError, match="missing cells"):
            entry.make().fit(holed, Y)


@entries
def test_what_describes_the_classes_or_their_boundaries_is_there(entry: Entry) -> None:
    model = entry.make().fit(X, Y)
    boundaries = () if entry.categories or entry.keeps_rows else ("coef_", "intercept_")
    shown = boundaries if entry.spread is None else (entry.spread, "means_", "priors_")
    assert all(np.isfinite(getattr(model, name)).all() for name in shown)
    assert hasattr(model, "cost_") == entry.keeps_rows
    if entry.categories:
        tables = [table for table in model.category_log_prob_ if table is not None]
        assert all(np.allclose(np.exp(table).sum(axis=1), 1) for table in tables)


@entries
def test_a_row_names_the_place_where_the_class_is_defined(entry: Entry) -> None:
    kind = entry.load()
    assert (kind.__module__, kind.__qualname__) == (entry.module, entry.class_name)


def test_names_are_unique_and_found() -> None:
    names = [entry.name for entry in CATALOGUE]
    assert len(set(names)) == len(names)
    assert [find(name) for name in names] == list(CATALOGUE)


def test_an_unknown_name_is_refused_with_a_near_match() -> None:
    with pytest.raises(InputError, match="there is no model 'gausian-nb'; did you mean 'gaussian-nb'"):
        find("gausian-nb")


def test_without_a_near_match_all_are_named() -> None:
    assert suggest("forest", ["lda", "qda"]) == "there are 'lda', 'qda'."
    assert suggest("x", ["a1", "b2", "c3"], shown=2) == "there are 'a1', 'b2', ..."


def test_models_and_their_statistics_are_trusted_and_nothing_else_is() -> None:
    trusted = trusted_types()
    assert {f"{entry.module}.{entry.class_name}" for entry in CATALOGUE} <= set(trusted)
    assert "distinguo.statistics.moments.ClassMoments" in trusted
    assert all(name.startswith("distinguo.") for name in trusted)


def test_reading_the_table_imports_no_numbers() -> None:
    code = "import sys, distinguo.catalogue; print(sorted({'numpy', 'sklearn', 'numba', 'polars'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
