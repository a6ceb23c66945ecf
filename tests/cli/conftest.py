"""A command line run inside the tests' own process, and small tables for it."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from distinguo.cli.app import app
from distinguo.cli.running import run


@dataclass(frozen=True)
class Done:
    """What a command line left: its exit code and its two outputs."""

    code: int
    out: str
    err: str

    @property
    def error(self) -> str:
        """The one error line; anything else on standard error fails."""
        lines = self.err.splitlines()
        assert len(lines) <= 2, self.err
        assert "Traceback" not in self.err
        assert lines[0].startswith("error: "), self.err
        return lines[0]


class Screen:
    """A terminal."""

    def __init__(self) -> None:
        self.text = ""

    def isatty(self) -> bool:
        return True

    def write(self, text: str) -> int:
        self.text += text
        return len(text)

    def flush(self) -> None: ...


Run = Callable[..., Done]
Write = Callable[[str, str], str]


@pytest.fixture
def distinguo(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run the command with these arguments."""

    def call(*arguments: str | Path) -> Done:
        code = run(app, [str(argument) for argument in arguments])
        return Done(code, *capsys.readouterr())

    return call


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write a file of that name and text; its path."""

    def put(name: str, text: str) -> str:
        (tmp_path / name).write_bytes(text.encode())
        return str(tmp_path / name)

    return put


def two_classes(n: int = 40, seed: int = 0, extra: str = "", header: str = "") -> str:
    """A CSV of two classes that overlap a little, with one more column of the same text in each row."""
    generator = np.random.default_rng(seed)
    kind = np.arange(n) % 2
    values = generator.normal(size=(n, 2)) + 2.5 * kind[:, None]
    lines = [f"length,width,kind{header}"]
    lines += [f"{a:.3f},{b:.3f},{'cat' if k else 'dog'}{extra}" for (a, b), k in zip(values, kind, strict=True)]
    return "\n".join(lines) + "\n"


@pytest.fixture
def pets(write: Write) -> str:
    """A CSV file of two classes."""
    return write("pets.csv", two_classes())


@pytest.fixture
def pets_model(distinguo: Run, pets: str, tmp_path: Path) -> Path:
    """A model of it."""
    done = distinguo("fit", pets, "-t", "kind", "--model", "lda", "-o", tmp_path / "pets.dgo", "-q")
    assert (done.code, done.err) == (0, "")
    return tmp_path / "pets.dgo"
