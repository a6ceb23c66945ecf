"""Run the benchmarks: all of them, or those named."""

from __future__ import annotations

import argparse
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module
from multiprocessing import get_context

from benchmarks import problems, report
from benchmarks.harness import Row, Scale


def main() -> None:
    """Measure, print, and write `results.csv` where everything was measured at full size."""
    names = problems.names()
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("problem", nargs="*", metavar="PROBLEM", help=f"one or more of: {', '.join(names)}")
    parser.add_argument(
        "--quick", action="store_true", help="small sizes, to see that they run; the figures mean nothing"
    )
    options = parser.parse_args()
    unknown = sorted(set(options.problem) - set(names))
    if unknown:
        parser.error(f"no problem is called {unknown[0]!r}; there are {', '.join(names)}")

    print(report.machine(), end="\n\n")
    results: dict[str, list[Row]] = {}
    for name in options.problem or names:
        title, results[name] = _apart(name, Scale(options.quick))
        report.show(name, title, results[name])
    rows = [row for found in results.values() for row in found]
    print(f"\n{sum(row.met for row in rows)} of {len(rows)} goals met")
    if options.problem or options.quick:
        print("benchmarks/results.csv is written when all problems run at full size")
        return
    report.write(results)
    print("written to benchmarks/results.csv")


def _apart(name: str, scale: Scale) -> tuple[str, list[Row]]:
    """A problem measured in a process of its own, so that none inherits the memory and the threads of the last."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
        return process.submit(_measure, name, scale).result()


def _measure(name: str, scale: Scale) -> tuple[str, list[Row]]:
    """A problem's title and its rows."""
    problem = import_module(f"benchmarks.problems.{name}")
    return str(problem.__doc__).splitlines()[0], list(problem.measure(scale))


if __name__ == "__main__":
    main()
