"""A graph of ONNX under construction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from onnx import NodeProto, TensorProto

# Old enough for every runtime that is supported, and new enough to have all operators in float64.
OPSET, ML_OPSET, IR_VERSION = 17, 3, 8
ML = "ai.onnx.ml"


def onnx_package() -> Any:
    """The package, or an error that says how to get it."""
    try:
        import onnx
    except ModuleNotFoundError:
        raise ImportError("to_onnx needs the package onnx: pip install 'distinguo[onnx]'") from None
    return onnx


@dataclass
class Graph:
    """Nodes and constants, in the order made.

    Attributes
    ----------
    inputs : names of the inputs: one for all p columns, or one a column.
    p : how many columns.
    """

    inputs: list[str]
    p: int
    nodes: list[NodeProto] = field(default_factory=list)
    constants: list[TensorProto] = field(default_factory=list)

    def constant(self, values: Any) -> str:
        """The name of a constant: float64, int64, bool or text."""
        from onnx import numpy_helper

        name = f"/constant_{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(values), name))
        return name

    def add(self, operator: str, *inputs: str, domain: str = "", called: str | None = None, **attributes: Any) -> str:
        """The name of what an operator makes of its inputs."""
        from onnx import helper

        name = called or f"/{operator}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, list(inputs), [name], domain=domain, **attributes))
        return name

    def columns(self, places: Sequence[int] | NDArray[np.intp]) -> str:
        """The columns (n, q) at these places, as one tensor."""
        if len(self.inputs) == self.p and self.p > 1:
            return self.add("Concat", *(self.inputs[j] for j in places), axis=1)
        if len(places) == self.p:
            return self.inputs[0]
        return self.add("Gather", self.inputs[0], self.constant(np.asarray(places, np.int64)), axis=1)

    def as_numbers(self, name: str) -> str:
        """A tensor of truth values or whole numbers in float64."""
        return self._cast(name, "DOUBLE")

    def as_places(self, name: str) -> str:
        """A tensor of numbers in int64."""
        return self._cast(name, "INT64")

    def _cast(self, name: str, kind: str) -> str:
        from onnx import TensorProto

        return self.add("Cast", name, to=TensorProto.DataType.Value(kind))
