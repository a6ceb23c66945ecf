"""Fits on a real cluster of two processes: what travels, and what a process that dies changes."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from distinguo import GaussianNB, LinearDiscriminantAnalysis, LogisticRegression, MixedNB
from distinguo.exceptions import InputError

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")
distributed = pytest.importorskip("distributed")

# Two clusters at once would be slow to start.
pytestmark = pytest.mark.xdist_group("dask")
# What a machine at work may take to start a process that imports all this.
PATIENCE = {"distributed.comm.timeouts.connect": "120s", "distributed.comm.timeouts.tcp": "120s"}

PARTS, ROWS, COLUMNS = 12, 5000, 8
BYTES = 8 * PARTS * ROWS * COLUMNS


class Answers(distributed.SchedulerPlugin):  # type: ignore[misc]
    """Counts the bytes of what is worked out for the client."""

    def __init__(self, scheduler: Any) -> None:
        self.scheduler, self.wanted = scheduler, 0

    def transition(self, key: Any, start: str, finish: str, *args: Any, **kwargs: Any) -> None:
        if finish == "memory" and self.scheduler.tasks[key].who_wants:
            self.wanted += self.scheduler.tasks[key].nbytes


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    with (
        dask.config.set(PATIENCE),
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address="127.0.0.1:0", host="127.0.0.1"
        ) as cluster,
        distributed.Client(cluster),
    ):
        yield cluster


@pytest.fixture
def answers(cluster: Any) -> Iterator[Answers]:
    plugin = Answers(cluster.scheduler)
    cluster.scheduler.add_plugin(plugin, name="answers")
    yield plugin
    cluster.scheduler.remove_plugin("answers")


def part_of(number: int, seen: str | None = None) -> pd.DataFrame:
    """Rows made where they are counted; the process that makes those of number 7 a second time dies of it."""
    if seen is not None and number == 7:
        times = len(os.listdir(seen))
        Path(seen, str(times)).touch()
        if times == 1:
            os.kill(os.getpid(), signal.SIGKILL)
    rng = np.random.default_rng(number)
    rows = 0 if number == 3 else ROWS
    label = np.full(rows, "a") if number == 0 else rng.choice(["a", "b"], rows)
    label[: 100 * (number == 11)] = "c"
    X = rng.normal(size=(rows, COLUMNS)) + 0.5 * (label == "b")[:, None] - 0.5 * (label == "c")[:, None]
    return pd.DataFrame(X, columns=[f"x{j}" for j in range(COLUMNS)]).assign(label=label)


def frame(seen: Path | None = None) -> Any:
    return dd.from_map(part_of, range(PARTS), seen=None if seen is None else str(seen), meta=part_of(0).iloc[:0])


def in_memory() -> tuple[pd.DataFrame, pd.Series]:
    rows = pd.concat([part_of(number) for number in range(PARTS)], ignore_index=True)
    return rows.drop(columns="label"), rows["label"]


@pytest.mark.parametrize("model", [LinearDiscriminantAnalysis, GaussianNB, LogisticRegression])
def test_only_statistics_come_to_the_client(model: Any, answers: Answers, cluster: Any) -> None:
    X, y = in_memory()
    expected, fitted = model().fit(X, y), model().fit(frame(), "label")
    np.testing.assert_array_equal(fitted.classes_, expected.classes_)
    tested = X.iloc[::1000]
    np.testing.assert_allclose(fitted.predict_proba(tested), expected.predict_proba(tested), 1e-6, 1e-9)
    assert 0 < answers.wanted < BYTES / 100


def test_workers_send_each_other_statistics_only(cluster: Any) -> None:
    client = distributed.get_client()
    before = sum(client.run(_received).values())
    LinearDiscriminantAnalysis().fit(frame(), "label")
    assert sum(client.run(_received).values()) - before < BYTES / 100


def _received(dask_worker: Any) -> int:
    return sum(transfer["total"] for transfer in dask_worker.transfer_incoming_log)


def test_arrays_holes_words_and_mistakes_travel(cluster: Any) -> None:
    X, y = in_memory()
    holed = X.mask(np.random.default_rng(0).random(X.shape) < 0.02)
    cells = da.from_array(holed.to_numpy()[:20_000], chunks=(3000, 4))
    labels = y.to_numpy()[:20_000]
    expected = LinearDiscriminantAnalysis().fit(holed.to_numpy()[:20_000], labels)
    np.testing.assert_allclose(LinearDiscriminantAnalysis().fit(cells, labels).coef_, expected.coef_, 1e-9)
    words = pd.DataFrame({"size": X["x0"], "colour": np.where(X["x1"] > 1, "red", "blue")}).iloc[:9000]
    mixed = MixedNB().fit(dd.from_pandas(words, npartitions=3), dd.from_pandas(y.iloc[:9000], npartitions=3))
    tested = words.iloc[::300]
    np.testing.assert_allclose(mixed.predict_proba(tested), MixedNB().fit(words, y[:9000]).predict_proba(tested), 1e-9)
    broken = cells.map_blocks(lambda block: np.where(block > 4.2, np.inf, block), dtype=float)
    with pytest.raises(InputError, match=r"in partition \d, whose rows count from 0: X contains infinity"):
        GaussianNB().fit(broken, labels)


def test_a_worker_that_is_killed_changes_nothing(cluster: Any, tmp_path: Path) -> None:
    client = distributed.get_client()
    expected = LogisticRegression().fit(frame(), "label")
    before = set(client.run(os.getpid).values())
    fitted = LogisticRegression().fit(frame(tmp_path), "label")
    assert len(list(tmp_path.iterdir())) > 2  # it was made again, and in passes after that
    np.testing.assert_array_equal(fitted.coef_, expected.coef_)
    np.testing.assert_array_equal(fitted.intercept_, expected.intercept_)
    client.wait_for_workers(2)
    assert set(client.run(os.getpid).values()) != before
