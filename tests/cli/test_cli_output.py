"""Where files are written: over what a link leads to, and never over a device or a pipe."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from distinguo.cli.persistence import load
from tests.cli.conftest import Run, Write


@pytest.mark.parametrize("verb", ["fit", "update", "calibrate", "predict"])
def test_a_pipe_is_not_replaced_by_a_file(
    verb: str, distinguo: Run, pets: str, pets_model: Path, tmp_path: Path
) -> None:
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    what = [pets, "-t", "kind", "--model", "lda"] if verb == "fit" else [pets_model, pets]
    done = distinguo(verb, *what, "-o", pipe)
    assert (done.code, done.error) == (1, f"error: '{pipe}' is a device or a pipe; name a file to write.")
    assert pipe.is_fifo()


def test_what_a_link_leads_to_is_replaced(distinguo: Run, pets: str, pets_model: Path, tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    link, model = tmp_path / "current.dgo", tmp_path / "kept" / "first.dgo"
    pets_model.rename(model)
    link.symlink_to(model)
    assert distinguo("update", link, pets, "-q").code == 0
    assert link.is_symlink()
    assert load(model).counts.tolist() == [40, 40]
    assert [file.name for file in model.parent.iterdir()] == ["first.dgo"]


TOO_LARGE = "length,width,kind\n1e300,2,cat\n"


def test_a_change_that_would_spoil_a_model_leaves_it_as_it_was(
    distinguo: Run, write: Write, pets: str, pets_model: Path
) -> None:
    before = pets_model.read_bytes()
    done = distinguo("update", pets_model, write("large.csv", TOO_LARGE))
    assert done.code == 1
    assert "the model would be of no use, so that it stays as it was: numbers too large to square" in done.error
    assert pets_model.read_bytes() == before
    assert distinguo("predict", pets_model, pets).code == 0


@pytest.mark.parametrize("verb", ["update", "forget"])
def test_a_missing_cell_is_named_where_rows_are_learned_on(
    verb: str, distinguo: Run, write: Write, pets_model: Path
) -> None:
    done = distinguo(verb, pets_model, write("holes.csv", "length,width,kind\n1,2,cat\n1,,cat\n"))
    assert done.code == 1
    assert "lda learns and forgets rows without missing cells only, and column 'width' has one in row 2." in done.error


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP", "SIGINT"])
def test_a_command_that_is_ended_leaves_nothing_behind(name: str, pets: str, pets_model: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    out = tmp_path / "out" / "out.csv"
    out.write_text("old\n")
    script = (
        "import os, signal, sys\nfrom distinguo.cli import predicting\nfrom distinguo.cli.app import main\n"
        "signal.signal(signal.SIGHUP, signal.SIG_DFL)\n"  # which nohup has those that it starts ignore
        f"def end(*_): os.kill(os.getpid(), signal.{name})\n"
        "predicting.Prediction.extend = end\nmain()"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, "predict", pets_model, pets, "-o", out],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in {130, 128 + signal.Signals[name]}, done.stderr
    assert [file.name for file in out.parent.iterdir()] == ["out.csv"]
    assert out.read_text() == "old\n"
    assert "Traceback" not in done.stderr
