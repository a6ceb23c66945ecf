"""Files with faults: the error names the file, comes once and soon, and no thread is left."""

import json
import os
import signal
import subprocess
import sys
import threading

import numpy as np
import polars as pl
import pytest

from distinguo import GaussianNB, LinearDiscriminantAnalysis, LogisticRegression
from distinguo.exceptions import InputError
from distinguo.rows import columnar, records
from distinguo.rows.files import scan
from distinguo.rows.opening import open_frames

WORKERS = pytest.mark.parametrize("workers", [1, 2, 3])


def table(seed=0, n=2000):
    random = np.random.default_rng(seed)
    y = random.integers(0, 2, n)
    return pl.DataFrame({"x": random.normal(size=n) + y, "z": random.normal(size=n), "y": np.array(["a", "b"])[y]})


WRITE = {
    "parquet": lambda rows, file: rows.write_parquet(file, row_group_size=500),
    "arrow": lambda rows, file: rows.write_ipc(file, record_batch_size=500, compression="zstd"),
    "csv": lambda rows, file: rows.write_csv(file),
}


def ten(folder, end):
    for i in range(10):
        WRITE[end](table(i), folder / f"{i}.{end}")
    return folder / f"5.{end}"


def fault(folder, workers, **options):
    """The one error of a fit that names what is wrong, after which no thread is left."""
    before = threading.active_count()
    with pytest.raises(InputError) as caught:
        LinearDiscriminantAnalysis().fit(scan(folder, target="y", workers=workers, **options))
    assert threading.active_count() == before
    assert "\n" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert not isinstance(caught.value.__context__, InputError)
    return str(caught.value)


def damage(content):
    """The header and the footer stay, what lies between does not."""
    third = len(content) // 3
    return content[:third] + bytes(range(256)) * (third // 256) + content[third + third // 256 * 256 :]


HARMS = {
    "damaged": damage,
    "cut": lambda content: content[:-500],
    "halved": lambda content: content[: len(content) // 2],
    "empty": lambda content: b"",
}


@WORKERS
@pytest.mark.parametrize("end", ["parquet", "arrow"])
@pytest.mark.parametrize("harm", HARMS.values(), ids=HARMS)
def test_a_damaged_file_among_ten(tmp_path, end, harm, workers):
    file = ten(tmp_path, end)
    file.write_bytes(harm(file.read_bytes()))
    said = fault(tmp_path, workers)
    assert said.startswith(f"{file} cannot be read (")
    assert said.count(str(file)) == 1


def test_whatever_a_byte_becomes_the_file_is_named_or_read(tmp_path):
    """Polars' own code panics at some of these, which is no Exception."""
    file = tmp_path / "a.parquet"
    table(n=300).write_parquet(file, row_group_size=100, compression="uncompressed")
    good, named = file.read_bytes(), 0
    for seed in range(60):
        random = np.random.default_rng(seed)
        bad = bytearray(good)
        for at in random.integers(0, len(bad), 20):
            bad[at] = int(random.integers(256))
        file.write_bytes(bad)
        try:
            GaussianNB().fit(scan(file, target="y", columns=["x"]))
        except ValueError as error:
            named += "a.parquet" in str(error)
    assert named > 20


@WORKERS
def test_a_panic_of_the_reader_is_an_error_that_names_the_file(tmp_path, monkeypatch, workers):
    file = ten(tmp_path, "parquet")
    collect = pl.LazyFrame.collect

    def panicking(rows, *args, **options):
        if str(file) in rows.explain():
            raise pl.exceptions.PanicException("assertion failed: offset + length <= self.length")
        return collect(rows, *args, **options)

    monkeypatch.setattr(pl.LazyFrame, "collect", panicking)
    assert fault(tmp_path, workers).startswith(f"{file} cannot be read (assertion failed")


LINES = [
    ("1.5,2.5", "line 1001: 2 fields, but the header has 3 fields"),
    ('1.5,"2.5,a', "line 1001: a quote opens a cell and is not closed"),
    (b"1.5,2.5,\xff", "line 1001: byte 0xff is not UTF-8 text"),
]


@WORKERS
@pytest.mark.parametrize(("line", "message"), LINES, ids=["short", "quote", "bytes"])
def test_a_bad_line_in_the_middle_of_a_later_file(tmp_path, line, message, workers, monkeypatch):
    monkeypatch.setattr(records, "CHUNK_BYTES", 5000)
    file = ten(tmp_path, "csv")
    lines = file.read_bytes().splitlines()
    lines[1000] = line if isinstance(line, bytes) else line.encode()
    file.write_bytes(b"\n".join(lines) + b"\n")
    assert fault(tmp_path, workers).startswith(f"{file}, {message}")


@WORKERS
@pytest.mark.parametrize("end", ["parquet", "arrow", "csv"])
def test_columns_that_change_between_files(tmp_path, end, workers):
    file = ten(tmp_path, end)
    changes = [
        (table(5).drop("z"), "lacks 'z', unlike"),
        (table(5).with_columns(more=1), "has 'more' besides, unlike"),
        (table(5).rename({"z": "w"}), "lacks 'z' and has 'w' besides, unlike"),
    ]
    if end != "csv":
        changes.append((table(5).with_columns(z=pl.lit("text")), r"has columns of other types than .*: 'z' (String"))
    for rows, message in changes:
        WRITE[end](rows, file)
        said = fault(tmp_path, workers)
        assert said.startswith(str(file))
        assert message.removeprefix("has columns of other types than .*: ") in said
    WRITE[end](table(5).select("y", "z", "x"), file)
    found = LinearDiscriminantAnalysis().fit(scan(tmp_path, target="y", workers=workers))
    rows = pl.concat([table(i) for i in range(10)])
    expected = LinearDiscriminantAnalysis().fit(rows.drop("y"), rows["y"])
    np.testing.assert_allclose(found.coef_, expected.coef_, rtol=1e-12)


@WORKERS
def test_a_column_of_text_that_is_no_number_in_a_later_file(tmp_path, workers):
    file = ten(tmp_path, "csv")
    WRITE["csv"](table(5).with_columns(z=pl.lit("text")), file)
    assert "'z' ('text' in row 10000)" in fault(tmp_path, workers)


# --- files that change while they are read --------------------------------------------------------------------------


def vanish(file):
    file.unlink()


def grow(file):
    WRITE[file.suffix[1:]](pl.concat([table(5), table(99)]), file)


def shrink(file):
    WRITE[file.suffix[1:]](table(5, n=100), file)


def rewrite(file):
    written = file.stat()
    content = file.read_bytes()
    file.write_bytes(content)
    os.utime(file, ns=(written.st_atime_ns, written.st_mtime_ns + 1))


CHANGES = [
    (vanish, "cannot be read: No such file or directory"),
    (grow, "was written after it was opened"),
    (shrink, "was written after it was opened"),
    (rewrite, "was written after it was opened"),
]
each_change = pytest.mark.parametrize(("change", "message"), CHANGES, ids=[change.__name__ for change, _ in CHANGES])


@WORKERS
@each_change
@pytest.mark.parametrize("end", ["parquet", "arrow", "csv"])
def test_a_file_that_changes_between_passes(tmp_path, end, change, message, workers):
    file = ten(tmp_path, end)
    passes = []

    def tell(progress):
        if progress.share == 1.0:
            passes.append(progress.passes)
            if len(passes) == 2:
                change(file)

    with pytest.raises(InputError) as caught:
        LogisticRegression(C=1.0, solver="lbfgs").fit(scan(tmp_path, target="y", workers=workers, progress=tell))
    assert str(caught.value).startswith(f"{file} {message}")
    assert passes == [1, 2]


@each_change
def test_a_file_that_changes_before_the_first_pass(tmp_path, change, message):
    file = ten(tmp_path, "parquet")
    source = scan(tmp_path, target="y")
    change(file)
    with pytest.raises(InputError, match=rf"{file} {message.replace(': ', '.*')}"):
        list(source.batches())


def test_a_file_that_is_opened_again_has_its_new_rows(tmp_path):
    file = ten(tmp_path, "csv")
    scan(tmp_path, target="y")
    grow(file)
    assert sum(len(batch.X) for batch in scan(tmp_path, target="y").batches()) == 11 * 2000


def test_a_file_with_fewer_rows_than_it_says(tmp_path, monkeypatch):
    file = ten(tmp_path, "parquet")
    said = columnar.RowGroups([500, 500, 500, 600], 0)
    monkeypatch.setattr(columnar, "row_groups", lambda path: said if path == file else None)
    with pytest.raises(InputError, match=rf"{file} ends at row 2000, though it says that it has more"):
        list(scan(file, target="y").batches())


# --- the user ends it -----------------------------------------------------------------------------------------------

INTERRUPTED = """
import json, os, signal, sys, threading, time
from distinguo import LogisticRegression
from distinguo.rows.files import scan
told = []
def interrupt():
    told.append(time.monotonic())
    os.kill(os.getpid(), signal.SIGINT)
def tell(progress):  # in the middle of the third pass, from another thread, as a terminal does
    if progress.passes == 3 and progress.share > 0.3 and not told:
        told.append(0.0)
        threading.Thread(target=interrupt).start()
source = scan(sys.argv[1], target="y", workers=int(sys.argv[2]), progress=tell, batch_rows=100)
import distinguo.rows.progress as progress
progress.TIMES_A_SECOND = 1e9
ended = None
try:
    try:
        LogisticRegression(C=1.0, solver="lbfgs", tol=1e-300, max_iter=100000).fit(source)
    finally:
        took = time.monotonic() - told[1]
        threads = [thread.name for thread in threading.enumerate()]
except KeyboardInterrupt:
    ended = "KeyboardInterrupt"
print(json.dumps({"ended": ended, "took": took, "threads": threads, "rows": sum(len(b.X) for b in source.batches())}))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="interrupts are signals")
@WORKERS
@pytest.mark.parametrize("end", ["parquet", "csv"])
def test_an_interrupt_ends_a_fit_soon_and_leaves_no_thread(tmp_path, end, workers):
    ten(tmp_path, end)
    run = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, tmp_path, str(workers)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    assert run.returncode == 0, run.stderr
    found = json.loads(run.stdout)
    assert (found["ended"], found["threads"], found["rows"]) == ("KeyboardInterrupt", ["MainThread"], 20_000)
    assert found["took"] < 20  # it takes tenths of a second where nothing else runs; a fit to its end takes minutes


def test_frames_closed_early_let_go_of_their_file(tmp_path):
    file = ten(tmp_path, "csv")
    frames = open_frames(file, batch_rows=10).frames()
    next(frames)
    frames.close()  # an open file would be a ResourceWarning, which is an error
