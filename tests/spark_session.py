"""A real Spark on this machine, started once a process for all tests that ask for it."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest

OLDEST_JAVA = 17
# Tests on Spark run in one process, whose session they share. Spark 4.0 leaves the sockets that bring rows to the
# garbage collector.
ON_SPARK = [pytest.mark.xdist_group("spark"), pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning")]
SETTINGS = {
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.log.level": "OFF",
    "spark.sql.shuffle.partitions": "4",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}


def java_is_missing() -> str | None:
    """Why Spark cannot run, or None where it can."""
    home = os.environ.get("JAVA_HOME")
    java = shutil.which("java", path=str(Path(home) / "bin")) if home else shutil.which("java")
    if java is None:
        return f"Spark needs Java {OLDEST_JAVA} or newer, and there is none"
    said = subprocess.run([java, "-version"], capture_output=True, text=True, check=True).stderr
    version = re.search(r'version "(?:1\.)?(\d+)', said)
    if version is None or int(version[1]) < OLDEST_JAVA:
        return f"Spark needs Java {OLDEST_JAVA} or newer; this one says {said.splitlines()[0]}"
    return None


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A session with two executing threads, whose Python is this one."""
    sql = pytest.importorskip("pyspark.sql")
    missing = java_is_missing()
    if missing is not None:
        pytest.skip(missing)
    folder = tmp_path_factory.mktemp("spark")
    builder = sql.SparkSession.builder.master("local[2]").config(map=SETTINGS)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        patch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
        with patch.context() as elsewhere:
            elsewhere.chdir(folder)  # where Spark leaves what it makes
            session = builder.getOrCreate()
        yield session
        session.stop()


def in_partitions(spark: Any, parts: Sequence[pl.DataFrame], schema: str) -> Any:
    """A data frame of exactly these partitions, some of which may be empty."""
    rows = spark.sparkContext.parallelize([part.rows() for part in parts], len(parts)).flatMap(list)
    return spark.createDataFrame(rows, schema)
