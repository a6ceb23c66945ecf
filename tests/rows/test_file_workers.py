"""Many files, read and counted by any number of workers: one answer, and of each number the same bits every time."""

from dataclasses import fields
from itertools import pairwise

import numpy as np
import polars as pl
import pytest

import distinguo as d
from distinguo.exceptions import InputError
from distinguo.rows import columnar, records
from distinguo.rows.files import scan
from distinguo.statistics.moments import Moments

N = 1500


def table():
    random = np.random.default_rng(2)
    y = random.integers(0, 3, N)
    X = random.poisson(2.0 + y[:, None], (N, 4)) + random.random((N, 4)).round(2)
    rows = pl.DataFrame(X, schema=["a", "b", "c", "d"])
    return rows.with_columns(times=random.integers(0, 4, N), y=np.array(["x", "y", "z"])[y])


@pytest.fixture(params=["parquet", "arrow", "csv", "csv.gz"])
def files(request, tmp_path, monkeypatch):
    """Twelve files, one of which has no rows, of sizes that differ, read in small pieces."""
    monkeypatch.setattr(columnar, "PIECE_ROWS", 64)
    monkeypatch.setattr(records, "CHUNK_BYTES", 3000)
    monkeypatch.setattr(records, "SMALL_BYTES", 100)
    cuts = [0, 3, 200, 201, 201, 500, 640, 700, 900, 901, 1200, 1490, N]
    for i, (start, end) in enumerate(pairwise(cuts)):
        part, file = table()[start:end], tmp_path / f"{i:02}.{request.param}"
        if request.param == "parquet":
            part.write_parquet(file, row_group_size=(i + 1) * 10)
        elif request.param == "arrow":
            part.write_ipc(file, record_batch_size=(i + 1) * 10)
        else:
            part.to_pandas().to_csv(file, index=False)
    return tmp_path


MODELS = {
    "LDA": d.LinearDiscriminantAnalysis,
    "QDA": d.QuadraticDiscriminantAnalysis,
    "naive Bayes": d.GaussianNB,
    "counts": d.PoissonNB,
    "logistic": lambda: d.LogisticRegression(C=1.0, tol=1e-12),
}


@pytest.mark.parametrize("make", list(MODELS.values()), ids=list(MODELS))
def test_the_number_of_workers_changes_nothing_but_rounding(files, make):
    rows = table()
    X, y, weight = rows.select("a", "b", "c", "d"), rows["y"], rows["times"]
    expected = make().fit(X, y, sample_weight=weight).decision_function(X)
    for workers in (1, 2, 3, 50):
        found = make().fit(scan(files, target="y", weight="times", workers=workers)).decision_function(X)
        np.testing.assert_allclose(found, expected, rtol=1e-8 if make is MODELS["logistic"] else 1e-10, atol=1e-10)


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_moments_are_those_of_the_rows_and_the_same_bits_every_time(files, workers):
    sums = [scan(files, target="y", weight="times", workers=workers).aggregate(Moments("full")) for _ in range(5)]
    for again in sums[1:]:
        for field in fields(again):
            np.testing.assert_array_equal(getattr(again, field.name), getattr(sums[0], field.name))
    moments, rows = sums[0].in_order(), table()
    for k, label in enumerate("xyz"):
        own = rows.filter(pl.col("y") == label)
        X, w = own.select("a", "b", "c", "d").to_numpy(), own["times"].to_numpy()
        assert moments.weight[k] == w.sum()
        np.testing.assert_allclose(moments.mean[k], np.average(X, axis=0, weights=w), rtol=1e-12)
        scatter = np.cov(X.T, fweights=w) * (w.sum() - 1)
        np.testing.assert_allclose(moments.scatter[k], scatter, rtol=1e-11, atol=1e-11 * scatter.max())


@pytest.mark.parametrize("batch_rows", [1, 7, 100_000])
@pytest.mark.parametrize("workers", [1, 2])
def test_the_size_of_batches_changes_nothing_but_rounding(files, workers, batch_rows):
    source = scan(files, target="y", columns=["c", "a"], batch_rows=batch_rows, workers=workers)
    assert max(len(batch.X) for batch in source.batches()) <= batch_rows
    found = source.aggregate(Moments("pooled")).in_order()
    expected = d.MemorySource(table().select("c", "a"), table()["y"]).aggregate(Moments("pooled")).in_order()
    np.testing.assert_allclose(found.mean, expected.mean, rtol=1e-12)
    np.testing.assert_allclose(found.scatter, expected.scatter, rtol=1e-12)
    assert found.feature_names.tolist() == ["c", "a"]


@pytest.mark.parametrize("workers", [0, -1, 1.5, "two", None])
def test_workers_are_a_whole_number(files, workers):
    with pytest.raises(InputError, match="workers must be a whole number of at least 1"):
        scan(files, target="y", workers=workers)


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_row_numbers_in_messages_are_those_of_all_files(files, workers):
    spoilt = table().with_columns(d=pl.when(pl.int_range(N) == 1111).then(-1.0).otherwise("d"))
    for file, part in zip(sorted(files.iterdir()), _like(files, spoilt), strict=True):
        if file.suffix == ".parquet":
            part.write_parquet(file)
        elif file.suffix == ".arrow":
            part.write_ipc(file)
        else:
            part.to_pandas().to_csv(file, index=False)
    source = scan(files, target="times", columns=["a"], weight="d", workers=workers)
    with pytest.raises(InputError, match=r"sample_weight is negative in row 1111 \(-1\.0\)"):
        d.GaussianNB().fit(source)


def _like(folder, rows):
    """The rows in as many parts as there are files."""
    n = len(list(folder.iterdir()))
    return [rows[i * N // n : (i + 1) * N // n] for i in range(n)]
