"""Where a model that was written down is run: DuckDB, PostgreSQL and onnxruntime."""

import csv
import io
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import onnxruntime
import pandas as pd
from numpy.typing import NDArray

from distinguo import to_onnx, to_sql
from distinguo.rows.sql_text import quoted

Answers = tuple[list[Any], NDArray[np.float64]]
Engine = Callable[[Any, pd.DataFrame], Answers]
# Labels as psql prints them.
PRINTED: dict[type, Callable[[str], Any]] = {str: str, int: int, float: float, bool: lambda text: text == "t"}


def onnx_session(model: Any) -> onnxruntime.InferenceSession:
    """A session of the model's graph."""
    return onnxruntime.InferenceSession(to_onnx(model).SerializeToString(), providers=["CPUExecutionProvider"])


def by_onnx(model: Any, rows: pd.DataFrame) -> Answers:
    """Labels, and probabilities or scores, by onnxruntime."""
    session = onnx_session(model)
    inputs = session.get_inputs()
    feed: dict[str, Any]
    if [entry.name for entry in inputs] == ["X"]:
        feed = {"X": rows.to_numpy(np.float64)}
    else:
        feed = {
            entry.name: rows[[name]].fillna("").to_numpy(object)
            if "string" in entry.type
            else rows[[name]].to_numpy(float)
            for entry, name in zip(inputs, rows.columns, strict=True)
        }
    label, numbers = session.run(["label", session.get_outputs()[1].name], feed)
    return label.tolist(), numbers


def by_duckdb(model: Any, rows: pd.DataFrame) -> Answers:
    """The same by DuckDB."""
    query = to_sql(model, "the rows", columns=list(rows.columns), keep=["row number"])
    with duckdb.connect() as database:
        database.register("the rows", rows.assign(**{"row number": np.arange(len(rows))}))
        found = database.execute(f'SELECT * FROM ({query}) ORDER BY "row number"').fetchall()
    return [row[1] for row in found], np.array([row[2:] for row in found], dtype=np.float64)


class Postgres:
    """A server of its own, reached by a socket in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.as_user: list[str] = []
        if os.geteuid() == 0:  # which the server refuses
            shutil.chown(folder, "postgres")
            self.as_user = ["runuser", "-u", "postgres", "--"]

    def start(self) -> None:
        """Make a cluster and serve it."""
        data = str(self.folder / "data")
        self._run("initdb", "-D", data, "-A", "trust", "-U", "tester", "-E", "UTF8", "--no-sync")
        options = f"-k {self.folder} -c listen_addresses='' -F"
        self._run("pg_ctl", "-D", data, "-o", options, "-l", str(self.folder / "log"), "-w", "start")

    def stop(self) -> None:
        """Serve no more."""
        self._run("pg_ctl", "-D", str(self.folder / "data"), "-m", "immediate", "-w", "stop")

    def _run(self, *command: str) -> None:
        subprocess.run([*self.as_user, *command], check=True, stdout=subprocess.DEVNULL, cwd=self.folder)

    def ask(self, commands: str, text: str = "") -> str:
        """What psql prints; `text` is what it reads in between."""
        command = ["psql", "-h", str(self.folder), "-U", "tester", "-d", "postgres", "-v", "ON_ERROR_STOP=1", "-qX"]
        run = subprocess.run(command, input=commands + text, capture_output=True, text=True, check=False)
        assert run.returncode == 0, run.stderr
        return run.stdout

    def __call__(self, model: Any, rows: pd.DataFrame) -> Answers:
        """Labels, and probabilities or scores."""
        query = to_sql(model, "the rows", columns=list(rows.columns), keep=["row number"], dialect="postgres")
        types = {"b": "boolean", "f": "double precision", "i": "integer"}
        columns = ", ".join(f"{quoted(name)} {types.get(rows[name].dtype.kind, 'text')}" for name in rows.columns)
        table = f'CREATE TABLE "the rows" ("row number" integer, {columns});\nCOPY "the rows" FROM STDIN CSV;\n'
        cells = rows.reset_index(drop=True).to_csv(header=False)
        output = f'COPY (SELECT * FROM ({query}) AS said ORDER BY "row number") TO STDOUT CSV;\n'
        drop = 'DROP TABLE IF EXISTS "the rows";\n'
        said = list(csv.reader(io.StringIO(self.ask(drop + table, f"{cells}\\.\n{output}"))))
        as_label = PRINTED[type(model.classes_.tolist()[0])]
        return [as_label(row[1]) for row in said], np.array([[float(x or "nan") for x in row[2:]] for row in said])
