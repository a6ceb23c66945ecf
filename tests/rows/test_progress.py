"""How far a pass has come: what is told rises to one, and ends there."""

import gzip
import io
import re
import threading

import numpy as np
import polars as pl
import pytest

from distinguo import KNeighborsClassifier, LinearDiscriminantAnalysis, LogisticRegression
from distinguo.exceptions import InMemoryWarning
from distinguo.rows import columnar, progress, records
from distinguo.rows.files import scan
from distinguo.rows.progress import Meter, Progress, on_stderr

N = 2000


@pytest.fixture(params=["parquet", "arrow", "csv", "csv.gz"])
def file(request, tmp_path, monkeypatch):
    """Rows read in pieces of some hundred, each of which is told of."""
    monkeypatch.setattr(progress, "TIMES_A_SECOND", 1e9)
    monkeypatch.setattr(columnar, "PIECE_ROWS", 128)
    monkeypatch.setattr(records, "CHUNK_BYTES", 4000)
    monkeypatch.setattr(records, "SMALL_BYTES", 100)
    random = np.random.default_rng(0)
    y = random.integers(0, 2, N)
    rows = pl.DataFrame({"x": (random.normal(size=N) + y).round(4), "z": random.normal(size=N).round(3), "y": y})
    path = tmp_path / f"rows.{request.param}"
    if request.param == "parquet":
        rows.write_parquet(path, row_group_size=100)
    elif request.param == "arrow":
        rows.write_ipc(path, record_batch_size=100)
    else:
        text = rows.write_csv().encode()
        path.write_bytes(gzip.compress(text) if request.param.endswith("gz") else text)
    return path


@pytest.mark.parametrize("where", [None, "x > 0.5"])
@pytest.mark.parametrize("workers", [1, 2, 3])
def test_it_rises_to_the_end(file, workers, where):
    told = []
    LinearDiscriminantAnalysis().fit(scan(file, target="y", workers=workers, where=where, progress=told.append))
    rows, shares = [p.rows for p in told], [p.share for p in told]
    assert len(told) > 5
    assert rows == sorted(rows)
    assert shares == sorted(shares)
    assert (rows[-1], shares[-1]) == (N, 1.0)  # rows that take no part are passed all the same
    assert shares.count(1.0) == 1
    assert {p.passes for p in told} == {1}
    if file.suffix in {".parquet", ".arrow"}:
        assert shares == [row / N for row in rows]
    else:
        assert 0.2 < shares[-2] <= progress.ALMOST


def test_passes_are_counted(file):
    told = []
    LogisticRegression(C=1.0).fit(scan(file, target="y", progress=told.append))
    ends = [p for p in told if p.share == 1.0]
    assert [p.passes for p in ends] == list(range(1, len(ends) + 1))
    assert len(ends) > 3
    assert all(p.rows == N for p in ends)


def test_rows_that_are_gathered_are_told_of_too(file):
    told = []
    with pytest.warns(InMemoryWarning):
        KNeighborsClassifier().fit(scan(file, target="y", progress=told.append))
    assert (told[-1].rows, told[-1].share) == (N, 1.0)


@pytest.mark.parametrize("workers", [1, 2])
def test_an_error_of_what_is_told_ends_the_pass(file, workers):
    def tell(_):
        raise RuntimeError("no more")

    before = threading.active_count()
    with pytest.raises(RuntimeError, match="no more"):
        LinearDiscriminantAnalysis().fit(scan(file, target="y", workers=workers, progress=tell))
    assert threading.active_count() == before


LINE = r"2,000 rows, 100 %, [\d,]+ rows/s, 0 s left"


def test_true_is_a_line_on_standard_error(file, capsys):
    LinearDiscriminantAnalysis().fit(scan(file, target="y", progress=True))
    out, err = capsys.readouterr()
    assert out == ""
    assert re.fullmatch(LINE + "\n", err)


def test_a_terminal_has_its_line_written_over(monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.setattr("sys.stderr", Terminal())
    on_stderr(Progress(1, 500, 0.25, 2.0))
    on_stderr(Progress(1, 2000, 1.0, 4.0))
    import sys

    assert sys.stderr.getvalue() == (
        "\r\x1b[K500 rows, 25 %, 250 rows/s, 6 s left\r\x1b[K2,000 rows, 100 %, 500 rows/s, 0 s left\n"
    )


def test_it_is_told_of_now_and_then(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    told = []
    meter = Meter(told.append, 1, 1000, True)
    for _ in range(99):
        now[0] += 1 / 16
        meter.add(10)
    meter.finish()
    assert [p.rows for p in told] == [*range(10, 1000, 40), 990]  # four times a second, and the end
    assert told[-1].seconds - told[0].seconds == 98 / 16


@pytest.mark.parametrize(
    ("seconds", "share", "left"), [(30, 0.5, "30 s"), (100, 0.25, "5 min 0 s"), (3600, 0.1, "9 h 0 min"), (1, 1, "0 s")]
)
def test_the_time_that_is_left(seconds, share, left):
    assert str(Progress(1, 100, share, seconds)).endswith(f"{left} left")


def test_nothing_is_known_at_the_beginning():
    begin = Progress(2, 0, 0.0, 0.0)
    assert str(Progress(2, 0, 0.0, 0.0, "counting")).startswith("counting, pass 2, 0 rows")
    assert (begin.rate, begin.remaining, str(begin)) == (0.0, None, "pass 2, 0 rows, 0 %, 0 rows/s")
