"""Weights of classes: what they come to, and what is refused."""

import datetime as dt

import numpy as np
import pytest
from sklearn.utils.class_weight import compute_class_weight

from distinguo.exceptions import DistinguoError
from distinguo.linear.class_weights import class_weights

CLASSES = np.array(["a", "b", "c"])
TOTALS = np.array([6.0, 3.0, 1.0])


def test_balanced_is_scikit_learns():
    y = np.repeat(CLASSES, TOTALS.astype(int))
    expected = compute_class_weight("balanced", classes=CLASSES, y=y)
    assert class_weights("balanced", CLASSES, TOTALS) == pytest.approx(expected)


def test_balanced_makes_classes_count_alike_and_keeps_the_total():
    weighted = class_weights("balanced", CLASSES, TOTALS) * TOTALS
    assert weighted == pytest.approx(np.full(3, 10 / 3))


def test_labels_of_any_type():
    for labels in ([1, 2], [True, False], [dt.date(2020, 1, 1), "b"]):
        classes = np.empty(2, dtype=object)
        classes[:] = labels
        assert class_weights({labels[1]: 4}, classes, np.ones(2)).tolist() == [1.0, 4.0]
    dates = np.array(["2020-01-01", "2021-01-01"], "datetime64[D]")
    assert class_weights({dates[1]: 4}, dates, np.ones(2)).tolist() == [1.0, 4.0]
    assert class_weights(None, CLASSES, TOTALS) is None


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("even", "class_weight='even' must be None, 'balanced'"),
        ([1.0, 2.0, 3.0], "class_weight is list"),
        ({"d": 1.0}, "names 'd', which is no class of y; the classes are 'a', 'b', 'c'"),
        ({"a": 0}, "leave its rows out"),
        ({"a": -1.0}, "must be a positive number"),
        ({"a": np.nan}, "must be a positive number"),
        ({"a": np.inf}, "must be a positive number"),
        ({"a": "2"}, "must be a positive number"),
        ({"a": True}, "must be a positive number"),
    ],
)
def test_what_is_refused(option, message):
    with pytest.raises(DistinguoError, match=message):
        class_weights(option, CLASSES, TOTALS)
