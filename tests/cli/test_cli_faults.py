"""What is left of a verb that is interrupted, finds no room to write, or meets a file that is not whole."""

import resource
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tests.cli.conftest import Run

# A command line for which every table is large, and whose reading takes its time, and says when it begins.
SLOW = """
import sys, time
from distinguo.cli import large
from distinguo.cli.app import main
from distinguo.rows import columnar
large.LARGE = 0
columnar.PIECE_ROWS = 1000
read = columnar.ColumnarFrames._read
def slow(self, *arguments):
    sys.stdout.write("reading\\n")
    sys.stdout.flush()
    time.sleep(0.3)
    yield from read(self, *arguments)
columnar.ColumnarFrames._read = slow
sys.argv = ["distinguo", *sys.argv[1:]]
main()
"""
# A command line that may write no file of more bytes than its first argument says, as on a disk that is full.
NO_ROOM = """
import resource, sys
from distinguo.cli.app import main
limit = int(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
sys.argv = ["distinguo", *sys.argv[2:]]
main()
"""


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    """Three Parquet files of two classes, each of several pieces."""
    folder = tmp_path / "rows"
    folder.mkdir()
    generator = np.random.default_rng(0)
    for part in range(3):
        kind = np.arange(5000) % 2
        X = generator.normal(size=(5000, 3)) + kind[:, None]
        frame = pl.DataFrame(X, schema=["a", "b", "c"]).with_columns(pl.Series("kind", np.array(["x", "y"])[kind]))
        frame.write_parquet(folder / f"{part}.parquet", row_group_size=1000)
    return folder


@pytest.fixture
def model(distinguo: Run, rows: Path, tmp_path: Path) -> Path:
    """A model of them."""
    path = tmp_path / "old.dgo"
    assert distinguo("fit", rows, "-t", "kind", "--model", "lda", "-o", path, "-q").code == 0
    return path


def contents(folder: Path) -> dict[Path, bytes]:
    """Every file below a folder, hidden ones too."""
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


Command = Callable[[Path, Path], list[str]]
COMMANDS: dict[str, Command] = {
    "fit": lambda model, rows: ["fit", str(rows), "-t", "kind", "--model", "lda", "-o", str(model)],
    "compare": lambda model, rows: ["compare", str(rows), "-t", "kind", "--models", "lda"],
    "predict": lambda model, rows: ["predict", str(model), str(rows), "-o", str(model.parent / "out.parquet")],
    "predict csv": lambda model, rows: ["predict", str(model), str(rows), "-o", str(model.parent / "out.csv")],
    "evaluate": lambda model, rows: ["evaluate", str(model), str(rows)],
    "update": lambda model, rows: ["update", str(model), str(rows)],
}


@pytest.mark.parametrize("verb", COMMANDS)
def test_ctrl_c_leaves_everything_as_it_was(verb: str, model: Path, rows: Path, tmp_path: Path) -> None:
    (tmp_path / "out.parquet").write_bytes(b"what was there before")
    (tmp_path / "out.csv").write_bytes(b"what was there before")
    before = contents(tmp_path)
    command = [sys.executable, "-c", SLOW, *COMMANDS[verb](model, rows)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for _ in range(3):
            assert process.stdout.readline() == "reading\n"
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert err == "interrupted; nothing was changed\n"
    assert contents(tmp_path) == before


@pytest.mark.skipif(sys.platform == "win32", reason="no limits of files there")
@pytest.mark.parametrize("verb", ["fit", "predict", "predict csv", "update"])
def test_a_full_disk_leaves_everything_as_it_was(verb: str, model: Path, rows: Path, tmp_path: Path) -> None:
    (tmp_path / "out.parquet").write_bytes(b"what was there before")
    (tmp_path / "out.csv").write_bytes(b"what was there before")
    before = contents(tmp_path)
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[1] == resource.RLIM_INFINITY
    command = [sys.executable, "-c", NO_ROOM, "1000", *COMMANDS[verb](model, rows), "-q"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    written = {"fit": "old.dgo", "update": "old.dgo", "predict": "out.parquet", "predict csv": "out.csv"}[verb]
    assert done.stderr.startswith(f"error: '{tmp_path / written}' cannot be written: "), done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert contents(tmp_path) == before


@pytest.mark.parametrize("verb", COMMANDS)
def test_a_file_that_is_not_whole_is_named(
    verb: str, model: Path, rows: Path, tmp_path: Path, distinguo: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its footer is as it should be, so that nobody sees it before its rows are read."""
    monkeypatch.setattr("distinguo.cli.large.LARGE", 0)
    middle = rows / "1.parquet"
    whole = bytearray(middle.read_bytes())
    whole[4:60_000] = bytes(60_000 - 4)
    middle.write_bytes(whole)
    before = contents(tmp_path)
    done = distinguo(*COMMANDS[verb](model, rows))
    assert done.code == 1
    assert str(middle) in done.error
    assert contents(tmp_path) == before
