"""Run the benchmarks: all of them, or those named."""

from __future__ import annotations

import argparse

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
        title, results[name] = problems.measure_apart(name, Scale(options.quick))
        report.show(name, title, results[name])
    rows = [row for found in results.values() for row in found]
    print(f"\n{sum(row.met for row in rows)} of {len(rows)} goals met")
    if options.problem or options.quick:
        print("benchmarks/results.csv is written when all problems run at full size")
        return
    report.write(results)
    print("written to benchmarks/results.csv")


if __name__ == "__main__":
    main()
