"""Where files are written: over what a link leads to, and never over a device or a pipe."""

import os
from pathlib import Path

import pytest

from distinguo.cli.persistence import load
from tests.cli.conftest import Run


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
