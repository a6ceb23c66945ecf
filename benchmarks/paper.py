"""What a fit of a billion rows on many cores would cost, from what one core does here: python -m benchmarks.paper."""

from __future__ import annotations

import pickle
from math import ceil, log
from time import perf_counter
from typing import Any

from benchmarks.rows_on_disk import TARGET, parquet_files

P, K, FILES, ROWS = 100, 10, 4, 1_000_000
BILLION, CORES, FAN = 1_000_000_000, 100, 8


def main() -> None:
    """Fit from files by one worker, and print what that comes to on many."""
    from threadpoolctl import threadpool_limits

    from distinguo import GaussianNB, LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis, scan

    print(
        f"measured on {ROWS:,} rows of {P} columns in {K} classes, one worker; then {BILLION:,} rows on {CORES} cores"
    )
    with parquet_files(ROWS, P, K, FILES) as files, threadpool_limits(1, user_api="blas"):
        for make in (GaussianNB, LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis):
            source = scan(list(files), TARGET, workers=1)
            make().fit(source)  # which compiles, and brings the files into memory
            start = perf_counter()
            model: Any = make().fit(source)
            rate = ROWS / (perf_counter() - start)
            size = len(pickle.dumps(model.statistic_))
            seconds, levels = BILLION / CORES / rate, ceil(log(CORES) / log(FAN))
            print(
                f"{make.__name__}: {rate:,.0f} rows/s a core, a statistic of {size:,} bytes -> {seconds:.0f} s, "
                f"{levels} levels of sums of {FAN}, {CORES * size / 1e6:.1f} MB sent in all, "
                f"{FAN * size / 1e6:.1f} MB held where sums are made"
            )


if __name__ == "__main__":
    main()
