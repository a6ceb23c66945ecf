"""A fitted model as a graph of ONNX."""

from __future__ import annotations

import json
import os
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from distinguo.exceptions import InputError
from distinguo.export.naming import free_names
from distinguo.export.onnx_graph import IR_VERSION, ML, ML_OPSET, OPSET, Graph, onnx_package
from distinguo.export.onnx_scores import score_tensor
from distinguo.export.reading import Plan, plan_of

if TYPE_CHECKING:
    from onnx import ModelProto

LABEL_TYPES = {str: "STRING", bool: "BOOL", int: "INT64", float: "DOUBLE"}


def to_onnx(model: Any, path: str | os.PathLike[str] | None = None) -> ModelProto:
    """An ONNX graph that classifies rows as a fitted model does, in float64 throughout.

    Its outputs are `label` (n,), the class, and `probabilities` (n, K), the posteriors in the order of `classes_`; of
    least squares and the perceptron, which have none, `scores` (n, K) instead, or (n, 1) for two classes: the second's
    less the first's. Where all columns hold numbers, the input is `X` (n, p); where some hold words, there is one input
    (n, 1) a column, called as in the fit or `x0`, `x1`, ..., text for words and float64 for numbers. Names of columns
    and classes are in the metadata, as JSON.

    Missing cells are NaN, and "" among words unless that is a category. Naive Bayes skips them. For the other models
    they would have to be integrated out, for which the graph has no means: such rows get NaN for probabilities, and a
    label that means nothing.

    Parameters
    ----------
    model : a fitted discriminant analysis (linear, quadratic, regularised, penalised), naive Bayes of any kind,
        logistic regression, least squares or perceptron.
    path : a file to write as well; None for none.

    Returns
    -------
    onnx.ModelProto

    Raises
    ------
    ImportError
        If the package onnx is missing; the extra `distinguo[onnx]` brings it.
    InputTypeError
        If the model is of another kind.
    InputError
        If labels or categories are of more than one type, or the file cannot be written.
    NotFittedError

    Examples
    --------
    >>> import onnxruntime
    >>> from distinguo import LinearDiscriminantAnalysis
    >>> fitted = LinearDiscriminantAnalysis().fit([[0.0], [1.0], [3.0], [4.0]], ["a", "a", "b", "b"])
    >>> session = onnxruntime.InferenceSession(to_onnx(fitted).SerializeToString())
    >>> label, posteriors = session.run(None, {"X": np.array([[2.5]])})
    >>> label.tolist(), posteriors.round(3).tolist()
    (['b'], [[0.047, 0.953]])
    """
    onnx = onnx_package()
    plan = plan_of(model)
    inputs = _inputs(plan)
    graph = Graph(list(inputs), len(plan.categories))
    scores = score_tensor(graph, plan.scores)
    K = len(plan.classes)
    outputs: Signature = {
        "label": (_label_type(plan), [None]),
        _said(graph, plan, scores): ("DOUBLE", [None, K if plan.probabilities or K > 2 else 1]),
    }
    _label(graph, plan, scores)
    made = onnx.helper.make_model(
        onnx.helper.make_graph(graph.nodes, plan.name, _values(inputs), _values(outputs), graph.constants),
        producer_name="distinguo",
        producer_version=version("distinguo"),
        opset_imports=[onnx.helper.make_opsetid("", OPSET), onnx.helper.make_opsetid(ML, ML_OPSET)],
        ir_version=IR_VERSION,
    )
    columns = plan.columns or [f"x{j}" for j in range(graph.p)]
    about = {"model": plan.name, "feature_names": json.dumps(columns), "classes": json.dumps(plan.classes)}
    onnx.helper.set_model_props(made, about)
    if path is not None:
        _write(Path(path), made.SerializeToString())
    return made  # type: ignore[no-any-return]


Signature = dict[str, tuple[str, list[int | None]]]


def _inputs(plan: Plan) -> Signature:
    """Inputs by name, with type and shape."""
    words = plan.words
    if not any(words):
        return {"X": ("DOUBLE", [None, len(words)])}
    # No name is that of an output, none is empty, which would be no input, and none begins as inner ones do.
    wanted = [name.lstrip("/") for name in plan.columns or [f"x{j}" for j in range(len(words))]]
    names = free_names(wanted, ["label", "probabilities", "scores", ""], str)
    return {name: ("STRING" if word else "DOUBLE", [None, 1]) for name, word in zip(names, words, strict=True)}


def _values(signature: Signature) -> list[Any]:
    from onnx import TensorProto, helper

    return [
        helper.make_tensor_value_info(name, TensorProto.DataType.Value(kind), shape)
        for name, (kind, shape) in signature.items()
    ]


def _label_type(plan: Plan) -> str:
    kind = LABEL_TYPES[type(plan.classes[0])]
    if kind == "INT64" and not all(-(2**63) <= label < 2**63 for label in plan.classes):
        raise InputError("the classes include whole numbers of more than 64 bits; fit the model on labels as text.")
    return kind


def _label(graph: Graph, plan: Plan, scores: str) -> None:
    """The output `label`, by the library's rule for ties."""
    highest = graph.add("ArgMax", scores, axis=1, keepdims=0, select_last_index=int(plan.ties_go_last))
    place = graph.add("Gather", graph.constant(np.array(plan.living)), highest)
    if plan.priors is not None:
        likeliest = graph.constant(np.array([plan.chosen_by_priors]))
        place = graph.add("Where", _impossible(graph, plan, scores, keepdims=0), likeliest, place)
    labels = np.array(plan.classes, dtype=object if isinstance(plan.classes[0], str) else None)
    graph.add("Gather", graph.constant(labels), place, called="label")


def _said(graph: Graph, plan: Plan, scores: str) -> str:
    """The output beside the label, by name."""
    if not plan.probabilities:
        if len(plan.classes) > 2:
            return graph.add("Identity", scores, called="scores")
        lead = graph.constant(np.array([[-1.0], [1.0]]))
        return graph.add("MatMul", scores, lead, called="scores")
    shares = graph.add("Softmax", scores, axis=1)
    K, L = len(plan.classes), len(plan.living)
    if L < K:
        shares = graph.add("MatMul", shares, graph.constant(np.eye(K)[plan.living]))
    if plan.priors is None:
        return graph.add("Identity", shares, called="probabilities")
    impossible, priors = _impossible(graph, plan, scores, keepdims=1), graph.constant(plan.priors[None])
    return graph.add("Where", impossible, priors, shares, called="probabilities")


def _impossible(graph: Graph, plan: Plan, scores: str, keepdims: int) -> str:
    """Whether rows have probability zero under every class."""
    zero = graph.as_numbers(graph.add("Equal", scores, graph.constant(np.array([-np.inf]))))
    how_often = graph.add("ReduceSum", zero, graph.constant(np.array([1])), keepdims=keepdims)
    return graph.add("Greater", how_often, graph.constant(np.array([len(plan.living) - 0.5])))


def _write(path: Path, content: bytes) -> None:
    """The file, whole or as it was."""
    temporary = path.with_name(f".{path.name}.part")
    try:
        temporary.write_bytes(content)
        temporary.replace(path)
    except OSError as error:
        raise InputError(f"'{path}' cannot be written: {error.strerror or error}.") from None
    finally:
        temporary.unlink(missing_ok=True)
