"""A pass over a file larger than its batches holds only these."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

# Not resource.getrusage: under Linux it begins with the peak of the process that started this one.
PEAK = """
import pathlib, re, sys
from distinguo.rows import columnar, records
from distinguo.rows.files import scan
columnar.PIECE_CELLS, records.CHUNK_BYTES = 1 << 17, 1 << 20
def peak():
    return int(re.search(r"VmHWM:\\s+(\\d+)", pathlib.Path("/proc/self/status").read_text())[1]) * 1024
list(scan(sys.argv[1], target="y").batches())  # the first pass, over a small file, loads all code
start = peak()
print(sum(len(batch.X) for batch in scan(sys.argv[2], target="y").batches()), peak() - start)
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="peak memory is read from Linux's /proc")
@pytest.mark.parametrize("end", ["csv", "parquet"])
def test_a_file_is_never_held(tmp_path, end):
    random = np.random.default_rng(0)
    n, p, copies = 20_000, 20, 20
    part = pl.DataFrame(random.integers(-999, 999, size=(n, p)).astype(np.float64))
    part = part.with_columns(pl.Series("y", random.integers(0, 3, n)))
    small, large = tmp_path / f"small.{end}", tmp_path / f"large.{end}"
    if end == "csv":
        part.write_csv(small)
        header, _, body = small.read_bytes().partition(b"\n")
        large.write_bytes(header + b"\n" + body * copies)
    else:
        part.write_parquet(small)
        pl.concat([part] * copies).write_parquet(large, row_group_size=n)
    run = subprocess.run([sys.executable, "-c", PEAK, small, large], capture_output=True, text=True, check=True)
    rows, peak = run.stdout.split()
    assert int(rows) == n * copies
    assert int(peak) < n * copies * p * 8 / 2
