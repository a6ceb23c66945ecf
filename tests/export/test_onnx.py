"""The graph itself: its inputs and outputs, what it says about itself, and what cannot be written."""

import builtins
import json
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

from distinguo import (
    CategoricalNB,
    GaussianNB,
    KNeighborsClassifier,
    LinearDiscriminantAnalysis,
    LogisticRegression,
    MixedNB,
    QuadraticDiscriminantAnalysis,
    to_onnx,
)
from distinguo.exceptions import InputError, InputTypeError
from tests.export.engines import onnx_session

ROWS = pd.DataFrame({"a": [0.0, 1.0, 2.0, 5.0, 6.0, 8.0], "b": [0.0, 2.0, 1.0, 5.0, 7.0, 6.0]})
LABELS = np.array(["x", "x", "x", "y", "y", "y"])
WORDS = pd.DataFrame({"label": ["r", "r", "g", "b", "b", "g"], "/Add_1": ROWS["a"], "": ["u", "v"] * 3}, dtype=object)


def test_inputs_outputs_and_metadata() -> None:
    model = QuadraticDiscriminantAnalysis().fit(ROWS, LABELS)
    graph = to_onnx(model)
    onnx.checker.check_model(graph, full_check=True)
    session = onnx_session(model)
    assert [(entry.name, entry.type, entry.shape[1]) for entry in session.get_inputs()] == [("X", "tensor(double)", 2)]
    label, posteriors = session.get_outputs()
    assert (label.name, label.type) == ("label", "tensor(string)")
    assert (posteriors.name, posteriors.type, posteriors.shape[1]) == ("probabilities", "tensor(double)", 2)
    about = {entry.key: entry.value for entry in graph.metadata_props}
    assert about["model"] == "QuadraticDiscriminantAnalysis"
    assert json.loads(about["feature_names"]) == ["a", "b"]
    assert json.loads(about["classes"]) == ["x", "y"]


def test_all_constants_are_float64_where_they_are_fractions() -> None:
    kinds = {
        tensor.data_type for tensor in to_onnx(QuadraticDiscriminantAnalysis().fit(ROWS, LABELS)).graph.initializer
    }
    assert onnx.TensorProto.FLOAT not in kinds
    assert onnx.TensorProto.DOUBLE in kinds


def test_one_row_and_many_rows_go_through_one_session() -> None:
    session = onnx_session(LinearDiscriminantAnalysis().fit(ROWS, LABELS))
    for n in (1, 6):
        label, posteriors = session.run(None, {"X": ROWS.to_numpy()[:n]})
        assert label.shape == (n,)
        assert posteriors.shape == (n, 2)


def test_a_column_of_words_is_an_input_of_its_own() -> None:
    model = MixedNB().fit(WORDS, LABELS)
    inputs = onnx_session(model).get_inputs()
    assert [(entry.name, entry.type) for entry in inputs] == [
        ("label_2", "tensor(string)"),
        ("Add_1", "tensor(double)"),
        ("_2", "tensor(string)"),
    ]
    feed = {
        entry.name: WORDS[[name]].to_numpy(float if "double" in entry.type else object)
        for entry, name in zip(inputs, WORDS.columns, strict=True)
    }
    _, posteriors = onnx_session(model).run(None, feed)
    np.testing.assert_allclose(posteriors, model.predict_proba(WORDS), atol=1e-12)


def test_the_empty_word_is_missing_unless_it_is_a_category() -> None:
    for words in (["r", "r", "b"], ["r", "", "b"]):
        rows = pd.DataFrame({"c": words * 2}, dtype=object)
        model = CategoricalNB().fit(rows, LABELS)
        _, posteriors = onnx_session(model).run(None, {"c": np.array([["r"], [""], ["new"]], dtype=object)})
        asked = pd.DataFrame({"c": ["r", "" if "" in words else None, "new"]}, dtype=object)
        np.testing.assert_allclose(posteriors, model.predict_proba(asked), atol=1e-12)


@pytest.mark.parametrize(
    "model", [LinearDiscriminantAnalysis(), QuadraticDiscriminantAnalysis(), LogisticRegression(C=1.0)]
)
def test_a_row_with_a_hole_has_nan_for_probabilities(model: Any) -> None:
    rows = np.array([[1.0, np.nan], [1.0, 1.0], [np.nan, np.nan]])
    _, posteriors = onnx_session(model.fit(ROWS, LABELS)).run(None, {"X": rows})
    assert np.isnan(posteriors[[0, 2]]).all()
    assert np.isfinite(posteriors[1]).all()


def test_columns_that_take_no_part() -> None:
    rows = pd.DataFrame({"c": ["r", "g"] * 3, "unseen": [1.0, 2.0, 3.0, *[np.nan] * 3], "empty": [None] * 6})
    rows = rows.astype({"c": object, "empty": object})
    with pytest.warns(UserWarning, match="unseen"):
        model = MixedNB(roles={"empty": "category"}).fit(rows, LABELS)
    feed = {
        "c": rows[["c"]].to_numpy(object),
        "unseen": rows[["unseen"]].to_numpy(),
        "empty": rows[["empty"]].fillna("").to_numpy(object),
    }
    _, posteriors = onnx_session(model).run(None, feed)
    np.testing.assert_allclose(posteriors, model.predict_proba(rows), atol=1e-12)


def test_the_file_is_what_is_returned(tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    graph = to_onnx(GaussianNB().fit(ROWS, LABELS), path)
    assert path.read_bytes() == graph.SerializeToString()
    label, _ = onnxruntime.InferenceSession(str(path)).run(None, {"X": ROWS.to_numpy()})
    assert label.tolist() == LABELS.tolist()
    assert [entry.name for entry in tmp_path.iterdir()] == ["model.onnx"]


def test_a_file_that_cannot_be_written(tmp_path: Path) -> None:
    model = GaussianNB().fit(ROWS, LABELS)
    with pytest.raises(InputError, match="cannot be written: No such file or directory"):
        to_onnx(model, tmp_path / "nowhere" / "model.onnx")
    folder = tmp_path / "folder"
    folder.mkdir()
    with pytest.raises(InputError, match="cannot be written: Is a directory"):
        to_onnx(model, folder)
    assert [entry.name for entry in tmp_path.iterdir()] == ["folder"]


def test_the_extra_is_named_where_the_package_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without_onnx(name: str, *rest: Any) -> Any:
        if name == "onnx":
            raise ModuleNotFoundError("No module named 'onnx'", name="onnx")
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without_onnx)
    with pytest.raises(ImportError, match=r"to_onnx needs the package onnx: pip install 'distinguo\[onnx\]'"):
        to_onnx(GaussianNB().fit(ROWS, LABELS))


def test_what_cannot_be_written() -> None:
    with pytest.raises(InputTypeError, match="KNeighborsClassifier cannot be written down"):
        to_onnx(KNeighborsClassifier(k=1).fit(ROWS, LABELS))
    with pytest.raises(NotFittedError):
        to_onnx(GaussianNB())
    large = np.array([1, 2**63], dtype=np.uint64)[(LABELS == "y").astype(int)]
    with pytest.raises(InputError, match="whole numbers of more than 64 bits"):
        to_onnx(GaussianNB().fit(ROWS, large))
    with pytest.raises(InputError, match="not all texts"):
        to_onnx(GaussianNB().fit(ROWS, np.array(["x", 1] * 3, dtype=object)))
