"""One problem a file; each has `measure(scale)`, which yields rows. A new file is a new problem, and that is all."""

from concurrent.futures import ProcessPoolExecutor
from importlib import import_module
from multiprocessing import get_context
from pkgutil import iter_modules

from benchmarks.harness import Row, Scale


def names() -> list[str]:
    """The problems there are, in order of name."""
    return sorted(module.name for module in iter_modules(__path__))


def measure_apart(name: str, scale: Scale) -> tuple[str, list[Row]]:
    """A problem's title and rows, measured in a process of its own: none inherits what the last left behind."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
        return process.submit(measure, name, scale).result()


def measure(name: str, scale: Scale) -> tuple[str, list[Row]]:
    """A problem's title and its rows."""
    problem = import_module(f"benchmarks.problems.{name}")
    return str(problem.__doc__).splitlines()[0], list(problem.measure(scale))
