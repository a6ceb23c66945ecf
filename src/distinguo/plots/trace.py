"""Convergence traces: what a fit made smaller, or greater, from step to step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from distinguo.exceptions import InputError, InputTypeError
from distinguo.generative.mixture import MixtureDiscriminantAnalysis
from distinguo.generative.mixture_density import Mixture
from distinguo.linear.logistic import LogisticRegression
from distinguo.linear.perceptron import Perceptron
from distinguo.plots.canvas import legend_beside, panels, plain_numbers, shown, styles, tidy
from distinguo.plots.subject import Subject

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[np.float64]

# Traces up to this long have their points marked.
FEW_STEPS = 40


@dataclass(frozen=True)
class Quantity:
    """What a trace is of.

    Attributes
    ----------
    name : with its unit.
    falls : whether less is better.
    floor : zero where nothing less can be, or None where only the traces tell.
    """

    name: str
    falls: bool = True
    floor: float | None = None

    def distance(self, traces: list[Array]) -> list[Array]:
        """How far each trace is from the best value there is, of all traces; NaN where it is there."""
        sign = 1.0 if self.falls else -1.0
        turned = [sign * trace for trace in traces]
        best = min(float(np.min(trace)) for trace in turned) if self.floor is None else self.floor
        return [np.where(trace > best, trace - best, np.nan) for trace in turned]

    @property
    def distance_name(self) -> str:
        """Of the axis of distances."""
        if self.floor is not None:
            return self.name
        return f"{self.name}\nabove its least value" if self.falls else f"{self.name}\nbelow its greatest value"


@dataclass
class TraceDisplay:
    r"""What a fit made smaller, or greater, after each step: the objective of a `LogisticRegression`, the criterion and
    the misclassified rows of a `Perceptron`, the log-likelihood of a mixture.

    On a linear axis a trace says little after a few steps. On a logarithmic one is drawn how far it is above the least
    value of all the traces shown: straight lines are linear convergence, such as gradient descent's, and lines that
    bend down are faster, such as Newton's. A trace by itself ends where it is best, and so seems to dive at its end;
    show a run that converged beside one that did not.

    Make it with `from_estimator`.

    Parameters
    ----------
    traces : {name: (steps + 1, q)}, from the start on.
    quantities : (q,) what they are of.
    step : what a step is.
    scale : "linear" or "log".
    caption : how the fit of a single model ended.

    Attributes
    ----------
    ax_ : (q,) axes, one a quantity.
    figure_ : where it was drawn.
    lines_ : list of lists of lines, a quantity's together.
    legend_ : the legend where there are several traces, else None.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from distinguo import LogisticRegression, TraceDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> fits = {name: LogisticRegression(C=1.0, solver=name).fit(X, y) for name in ("newton", "lbfgs")}
    >>> display = TraceDisplay.from_estimator(fits, scale="log")
    >>> display.ax_[0].get_ylabel()
    'objective\nabove its least value'
    """

    traces: dict[str, Array]
    quantities: tuple[Quantity, ...]
    step: str
    scale: str
    caption: str

    @classmethod
    def from_estimator(cls, estimator: Any, *, scale: str = "linear", ax: Axes | None = None) -> Self:
        """Take the trace of a fitted model, or of several, and draw.

        Parameters
        ----------
        estimator : a fitted `LogisticRegression`, `Perceptron`, `MixtureDiscriminantAnalysis` or `Mixture`; or
            {name: model}, fits of one kind of model that make the same quantity best, to be compared.
        scale : "linear", or "log" for distances from the best value, of all traces, on a logarithmic axis.
        ax : axes whose place to take; a new figure by default.

        Returns
        -------
        TraceDisplay

        Raises
        ------
        InputError
            If the models have no trace or are of several kinds, or nothing is left to draw on a logarithmic axis.
        InputTypeError
            If traces are not known of such a model.
        NotFittedError
            If a model is not fitted.
        """
        if not isinstance(scale, str) or scale not in _SCALES:
            raise InputError(f"scale={scale!r} is one of {sorted(_SCALES)}.")
        several = isinstance(estimator, Mapping)
        models = dict(estimator) if several else {"": estimator}
        kind = _kind(models)
        traces = {shown(name): _trace(model) for name, model in models.items()}
        if len(traces) < len(models):
            raise InputError("two names of models look the same; give each its own.")
        caption = "" if several else _ending(estimator)
        return cls(traces, kind.quantities, kind.step, scale, caption).plot(ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw, in a new figure or in the place of the axes given.

        Parameters
        ----------
        ax : axes whose place to take; a new figure by default.

        Returns
        -------
        self
        """
        q = len(self.quantities)
        grid = panels(ax, q, 1, (6.0, 3.6 if q == 1 else 2.3 * q + 0.4), sharex=True)
        self.ax_ = grid[:, 0]
        self.figure_ = self.ax_[0].figure
        self.lines_ = [self._panel(panel, i) for i, panel in enumerate(self.ax_)]
        self.ax_[-1].set_xlabel(self.step)
        self.ax_[-1].xaxis.get_major_locator().set_params(integer=True)
        if self.caption:
            self.ax_[0].set_title(self.caption, loc="left", fontsize="small", color="0.35")
        several = len(self.traces) > 1
        self.legend_ = legend_beside(self.ax_[0], self.lines_[0], list(self.traces)) if several else None
        return self

    def _panel(self, ax: Axes, i: int) -> list[Any]:
        """The traces of a quantity."""
        quantity = self.quantities[i]
        values = [trace[:, i] for trace in self.traces.values()]
        name, drawn = _SCALES[self.scale](quantity, values)
        ax.set_yscale(self.scale)
        ax.set_ylabel(name)
        tidy(ax)
        lines = [
            ax.plot(
                np.arange(len(value)),
                value,
                color=look.color,
                lw=1.6,
                marker=look.marker if len(value) <= FEW_STEPS else "",
                ms=4,
            )[0]
            for value, look in zip(drawn, styles(len(drawn)), strict=True)
        ]
        plain_numbers(ax.yaxis)
        return lines


@dataclass(frozen=True)
class Kind:
    """What the traces of a kind of model are of, and what a step is."""

    step: str
    quantities: tuple[Quantity, ...]


LIKELIHOOD = Kind("iteration of EM", (Quantity("log-likelihood", falls=False),))
_KINDS: dict[type, Kind] = {
    LogisticRegression: Kind("iteration", (Quantity("objective"),)),
    Perceptron: Kind(
        "pass over the rows",
        (Quantity("perceptron criterion", floor=0.0), Quantity("rows misclassified", floor=0.0)),
    ),
    MixtureDiscriminantAnalysis: LIKELIHOOD,
    Mixture: LIKELIHOOD,
}


def _kind(models: Mapping[Any, Any]) -> Kind:
    """The kind that all models are of."""
    kinds = {type(model) for model in models.values()}
    for one in kinds:
        if one not in _KINDS:
            known = ", ".join(kind.__name__ for kind in _KINDS)
            raise InputTypeError(f"traces are drawn of {known}, or of a dictionary of these; {one.__name__} came.")
    if len(kinds) != 1:
        raise InputError(f"a picture has models of one kind; {len(kinds)} kinds came.")
    return _KINDS[kinds.pop()]


def _trace(model: Any) -> Array:
    """(steps + 1, q) the trace of a model."""
    trace = np.asarray(Subject(model).attribute("trace_", "a model learned by partial_fit has none; use fit."))
    return trace.reshape(len(trace), -1)


def _ending(model: Any) -> str:
    """How a fit ended, where it says so."""
    status = getattr(model, "status_", None)
    return "" if status is None else f"{status} after {model.n_iter_} steps"


def _as_it_is(quantity: Quantity, traces: list[Array]) -> tuple[str, list[Array]]:
    return quantity.name, traces


def _from_the_best(quantity: Quantity, traces: list[Array]) -> tuple[str, list[Array]]:
    distances = quantity.distance(traces)
    if not any(np.isfinite(trace).any() for trace in distances):
        raise InputError(f"the {quantity.name} is at its best from the start: nothing for a logarithmic axis.")
    return quantity.distance_name, distances


_SCALES = {"linear": _as_it_is, "log": _from_the_best}
