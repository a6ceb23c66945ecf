"""Tables of results in their other forms."""

import sys
from html.parser import HTMLParser

import numpy as np
import pytest
from sklearn.datasets import load_iris

from distinguo import mahalanobis_distances, manova
from distinguo.group_tests.table import aligned


def test_a_frame_has_the_columns_by_name():
    table = manova(*load_iris(return_X_y=True))
    found = table.to_frame()
    assert found.columns.tolist() == list(table.to_dict())
    assert np.array_equal(found.p_value, table.p_value)


def test_a_frame_needs_pandas(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r"needs pandas; install it, or take rows\(\)"):
        manova(*load_iris(return_X_y=True)).to_frame()


def test_html_shows_the_cells_of_the_text():
    X, y = load_iris(return_X_y=True)
    table = mahalanobis_distances(X, np.array(["a", "b<c", "d"])[y])
    seen = []
    parser = HTMLParser()
    parser.handle_data = seen.append
    parser.feed(table._repr_html_())
    title, *lines = str(table).splitlines()
    assert seen[0] == title
    assert [word for cell in seen[1:] for word in cell.split()] == [word for line in lines for word in line.split()]


def test_points_stand_below_each_other():
    texts = aligned(np.array([123456.0, -0.5, 1e-9, np.nan]))
    assert [text.strip() for text in texts] == ["1.2346e+05", "-0.50000", "1.0000e-09", "-"]
    right = {len(text) - text.index(".") for text in texts if "." in text}
    assert len(right) == 1
    assert len(texts[3]) - len("-") == right.pop()
