"""Columns of words, numbers and truth values in files: the model is that of the same rows in memory."""

import numpy as np
import polars as pl
import pytest

from distinguo import CategoricalNB, MixedNB
from distinguo.exceptions import InputError
from distinguo.rows import columnar, records
from distinguo.rows.files import scan

N = 900


def table(holes=True):
    random = np.random.default_rng(11)
    y = random.integers(0, 3, N)
    colours = np.array(["red", "blue", "grey", 'Ünï, "c"'])[np.minimum(random.integers(0, 4, N) + y % 2, 3)]
    rows = pl.DataFrame(
        {
            "colour": colours,
            "length": (random.normal(size=N) + y).round(3),
            "new": random.random(N) < 0.3 + 0.2 * y,
            "code": np.array(["007", "7", "x"])[random.integers(0, 3, N)],
            "y": np.array(["a", "b", "c"])[y],
        }
    )
    rows = rows.with_columns(pl.when(pl.int_range(N) == N - 1).then(pl.lit("late")).otherwise("colour").alias("colour"))
    if holes:
        for j, name in enumerate(["colour", "length", "new"]):
            hole = pl.Series(np.random.default_rng(j).random(N) < 0.1) & (pl.int_range(N, eager=True) < N - 1)
            rows = rows.with_columns(pl.when(hole).then(None).otherwise(pl.col(name)).alias(name))
    return rows


@pytest.fixture(params=["parquet", "csv", "arrow"])
def files(request, tmp_path, monkeypatch):
    """Three files in small pieces; a colour is met in the last row first."""
    monkeypatch.setattr(columnar, "PIECE_ROWS", 128)
    monkeypatch.setattr(records, "CHUNK_BYTES", 4000)
    monkeypatch.setattr(records, "SMALL_BYTES", 100)

    def write(rows):
        for i, part in enumerate(rows.iter_slices(300)):
            getattr(part, {"csv": "write_csv", "parquet": "write_parquet", "arrow": "write_ipc"}[request.param])(
                tmp_path / f"{i}.{request.param}"
            )
        return tmp_path

    return write


@pytest.mark.parametrize("workers", [1, 2, 3])
@pytest.mark.parametrize("holes", [False, True])
@pytest.mark.parametrize("model", [MixedNB(), CategoricalNB()], ids=["mixed", "categorical"])
def test_the_model_is_that_of_the_rows_in_memory(files, model, holes, workers):
    columns = ["colour", "length", "new", "code"] if isinstance(model, MixedNB) else ["colour", "new", "code"]
    rows = table(holes)
    model.fit(scan(files(rows), target="y", columns=columns, workers=workers))
    expected = type(model)().fit(rows.select(columns), rows["y"])
    assert "late" in expected.categories_[0].tolist()
    for found, known in zip(model.categories_, expected.categories_, strict=True):
        assert (found is None) == (known is None)
        assert found is None or found.tolist() == known.tolist()
    assert list(model.feature_names_in_) == columns
    cells = rows.select(columns)
    np.testing.assert_allclose(model.predict_log_proba(cells), expected.predict_log_proba(cells), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(model.score_samples(cells), expected.score_samples(cells), rtol=1e-9)


def test_roles_may_be_asked_for(files):
    rows = table().with_columns(count=pl.int_range(N) % 5)
    roles = {"count": "category"}
    found = MixedNB(roles=roles).fit(scan(files(rows), target="y"))
    expected = MixedNB(roles=roles).fit(rows.drop("y"), rows["y"])
    np.testing.assert_allclose(
        found.predict_proba(rows.drop("y")), expected.predict_proba(rows.drop("y")), rtol=1e-9, atol=1e-12
    )


def test_parts_of_the_files_add_up(files):
    rows = table()
    end = next(files(rows).iterdir()).suffix
    folder = files(rows)
    found = MixedNB()
    for i in range(3):
        found.partial_fit(scan(folder / f"{i}{end}", target="y"))
    expected = MixedNB().fit(scan(folder, target="y"))
    cells = rows.drop("y")
    np.testing.assert_allclose(found.predict_proba(cells), expected.predict_proba(cells), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize(
    ("first", "later", "message"),
    [("1.5", "long", r"'x' \('long' in row 400\)"), ("true", "often", r"column 'x' has 'often' in row 400")],
)
def test_text_files_are_judged_by_their_first_rows(tmp_path, monkeypatch, first, later, message, workers):
    monkeypatch.setattr(records, "CHUNK_BYTES", 1000)
    monkeypatch.setattr(records, "SMALL_BYTES", 100)
    (tmp_path / "a.csv").write_text("x,w,y\n" + f"{first},u,a\n{first},v,b\n" * 200 + f"{later},u,a\n")
    with pytest.raises(InputError, match=message):
        MixedNB().fit(scan(tmp_path / "a.csv", target="y", workers=workers))


def test_words_are_refused_where_a_model_takes_none(files):
    from distinguo import GaussianNB

    with pytest.raises(InputError, match="colour"):
        GaussianNB().fit(scan(files(table()), target="y"))
