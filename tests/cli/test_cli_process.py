"""The command as a process: what it imports, how it ends, and what it writes where."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from distinguo.cli import terminal
from distinguo.cli.app import app
from distinguo.cli.predicting import Prediction
from distinguo.cli.running import EXIT_CODES, run
from distinguo.rows.frames import Frames
from tests.cli.conftest import Run, Screen, two_classes

START = [sys.executable, "-m", "distinguo.cli"]
HEAVY = {"sklearn", "numba", "scipy", "polars", "pandas"}


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--help"], 0),
        (["--version"], 0),
        (["compare", "--help"], 0),
        (["fit", "--help"], 0),
        (["predict", "--help"], 0),
        (["describe", "--help"], 0),
        ([], 2),
        (["compare", "--fold", "3"], 2),
        (["compare", "x.csv"], 2),
        (["compare", "iris", "--set", "lda"], 2),
        (["fit", "x.csv", "-t", "y", "--model", "svm", "-o", "m.dgo"], 2),
        (["predict", "m.dgo", "x.csv", "-o", "x.doc"], 2),
    ],
    ids=str,
)
def test_start_up_imports_nothing_heavy(arguments: list[str], code: int) -> None:
    script = (
        "import sys; from distinguo.cli.app import app; from distinguo.cli.running import run; "
        f"code = run(app, {arguments!r}); print('\\n', code, sorted({HEAVY!r} & set(sys.modules)), end='')"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == f" {code} []"


def test_matrix_products_take_one_thread_unless_the_user_says_otherwise() -> None:
    """Two threads on two busy cores make a comparison of digits take eight times the processor time of one."""
    script = (
        "import os, sys\nfrom distinguo.cli.app import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "from threadpoolctl import threadpool_info\n"
        "blas = {pool['num_threads'] for pool in threadpool_info() if pool['user_api'] == 'blas'}\n"
        "print(os.environ['OPENBLAS_NUM_THREADS'], blas)"
    )
    said = {}
    for threads in ("", "2"):
        environment = {name: value for name, value in os.environ.items() if not name.endswith("_THREADS")}
        environment |= {"OPENBLAS_NUM_THREADS": threads} if threads else {}
        command = [sys.executable, "-c", script, "describe", "iris"]
        done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
        said[threads] = done.stdout.splitlines()[-1]
    assert said[""] == "1 {1}"
    assert said["2"].startswith("2 ")


def test_help_documents_the_exit_codes(distinguo: Run) -> None:
    for arguments in (["--help"], ["compare", "--help"], ["predict", "-h"]):
        done = distinguo(*arguments)
        assert (done.code, done.err) == (0, "")
        assert EXIT_CODES in " ".join(done.out.split())


def test_the_version(distinguo: Run) -> None:
    from distinguo import __version__

    assert distinguo("--version").out == f"distinguo {__version__}\n"


def test_without_a_verb_the_help_comes_with_the_code_of_a_wrong_command(distinguo: Run) -> None:
    done = distinguo()
    assert done.code == 2
    assert "compare" in done.out


def test_ctrl_c_ends_in_a_line(distinguo: Run, pets: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("distinguo.cli.learning.compare", interrupt)
    done = distinguo("compare", pets, "-t", "kind")
    assert (done.code, done.out, done.err) == (130, "", "interrupted; nothing was changed\n")


def test_a_bug_is_one_line_that_says_how_to_see_more(
    distinguo: Run, pets: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("division by zero")

    monkeypatch.setattr("distinguo.cli.learning.compare", broken)
    done = distinguo("compare", pets, "-t", "kind")
    assert done.code == 1
    assert done.error == "error: unexpected ZeroDivisionError: division by zero (--debug shows where)"
    assert "Traceback" in distinguo("compare", pets, "-t", "kind", "--debug").err


def test_a_closed_pipe_is_no_error(tmp_path: Path, pets_model: Path) -> None:
    (tmp_path / "many.csv").write_text(two_classes(60_000))
    command = f"{sys.executable} -m distinguo.cli predict {pets_model} {tmp_path / 'many.csv'} -q"
    script = f"set -o pipefail; {command} | head -n 2"
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert done.stderr == ""
    assert len(done.stdout.splitlines()) == 2


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_ctrl_c_in_the_middle_leaves_no_file(
    suffix: str, distinguo: Run, pets: str, pets_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(prediction: Prediction, frames: Frames, write: Callable[[pl.DataFrame], None], *_: object) -> None:
        write(prediction.extend(next(frames.frames())))
        assert list(pets_model.parent.glob(".out.*"))
        raise KeyboardInterrupt

    monkeypatch.setattr("distinguo.cli.predicting.predict", interrupt)
    before = sorted(file.name for file in pets_model.parent.iterdir())
    assert distinguo("predict", pets_model, pets, "-o", pets_model.parent / f"out.{suffix}").code == 130
    assert sorted(file.name for file in pets_model.parent.iterdir()) == before


def test_a_pipe_gets_plain_text_whatever_the_terminal(distinguo: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    done = distinguo("describe", "iris")
    assert "\x1b" not in done.out
    assert not set(done.out) & set("│─┌┐└┘━┃╭╮╰╯")
    assert "setosa 50, versicolor 50, virginica 50" in done.out


def on_screens(monkeypatch: pytest.MonkeyPatch) -> tuple[Screen, Screen]:
    """Standard output and standard error as terminals."""
    out, err = Screen(), Screen()
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr(sys, "stderr", err)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "xterm-256color")
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    return out, err


def plain(text: str) -> str:
    import re

    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)


def test_a_terminal_gets_bold_headers_and_progress_within_its_width(pets: str, monkeypatch: pytest.MonkeyPatch) -> None:
    out, err = on_screens(monkeypatch)
    assert run(app, ["compare", pets, "-t", "kind"]) == 0, err.text
    assert "\x1b[1m" in out.text
    assert "comparing" in plain(err.text)
    assert max(len(line) for line in plain(out.text).splitlines()) <= 80


def test_quiet_and_no_color_are_kept(pets: str, monkeypatch: pytest.MonkeyPatch) -> None:
    out, err = on_screens(monkeypatch)
    monkeypatch.setenv("NO_COLOR", "1")
    assert run(app, ["compare", pets, "-t", "kind", "--quiet"]) == 0
    assert err.text == ""
    assert "\x1b[3" not in out.text


def test_wide_tables_are_cut_into_several(monkeypatch: pytest.MonkeyPatch) -> None:
    on_screens(monkeypatch)
    header = ["feature", *(f"class number {k}" for k in range(9))]
    rows = [[f"row {j}", *(f"{j}.{k}" for k in range(9))] for j in range(2)]
    text = plain(terminal.wide_table(header, rows))
    assert max(len(line) for line in text.splitlines()) <= 80
    assert len(text.split("\n\n")) == 3
    assert all(part.split()[0] == "feature" for part in text.split("\n\n"))
    for title in header[1:]:
        assert text.count(title) == 1


def test_an_output_that_lacks_letters_gets_question_marks() -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    command = [*START, "compare", "größe.csv", "-t", "y"]
    done = subprocess.run(command, capture_output=True, check=False, env=environment)
    assert done.returncode == 1
    assert done.stderr == b"error: there is no file 'gr??e.csv'.\n"


def test_memory_that_is_not_there_is_one_line(distinguo: Run, pets: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise MemoryError("Unable to allocate 3.5 TiB")

    monkeypatch.setattr("distinguo.cli.describing.describe_table", refuse)
    done = distinguo("describe", pets)
    assert (done.code, done.error) == (1, "error: not enough memory. Unable to allocate 3.5 TiB")
