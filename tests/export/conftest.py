"""The engines."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.export.engines import Engine, Postgres, by_duckdb, by_onnx


def _server_is_missing() -> str | None:
    for program in ("initdb", "pg_ctl", "psql"):
        if shutil.which(program) is None:
            return f"PostgreSQL's {program} is not on the path"
    if os.geteuid() == 0 and shutil.which("runuser") is None:
        return "PostgreSQL refuses to run as root, and there is no runuser"
    return None


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    missing = _server_is_missing()
    if missing is not None:
        pytest.skip(missing)
    # In the folder of temporary files itself: the path of a socket must be short.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        server = Postgres(Path(folder))
        server.start()
        yield server
        server.stop()


@pytest.fixture(params=["duckdb", "onnx", "postgres"])
def engine(request: pytest.FixtureRequest) -> Engine:
    if request.param == "postgres":
        return request.getfixturevalue("postgres")
    return {"duckdb": by_duckdb, "onnx": by_onnx}[request.param]
