"""Folders that say what is in them: columns made of their names, in every format and role."""

from urllib.parse import quote, unquote

import numpy as np
import polars as pl
import pytest

from distinguo import LinearDiscriminantAnalysis, MixedNB
from distinguo.exceptions import InputError
from distinguo.rows.files import scan
from distinguo.rows.opening import open_frames
from distinguo.rows.partitions import Partitions
from distinguo.rows.places import MISSING_PART, Place

COUNTRIES = ["it", "de", "Côte d'Ivoire/x=y"]


def table(seed, n=40):
    random = np.random.default_rng(seed)
    y = random.integers(0, 2, n)
    return pl.DataFrame({"x": (random.normal(size=n) + 2 * y).round(2), "y": np.array(["a", "b"])[y]})


@pytest.fixture(params=["parquet", "csv", "arrow"])
def folder(request, tmp_path):
    """year=…/country=…/rows, and the rows with both columns, in the order of the files' names."""
    write = {"parquet": "write_parquet", "csv": "write_csv", "arrow": "write_ipc"}[request.param]
    parts = []
    for seed, (year, country) in enumerate((year, country) for year in (2023, 2024) for country in COUNTRIES):
        place = tmp_path / "rows" / f"year={year}" / f"country={quote(country, safe='')}"
        place.mkdir(parents=True)
        getattr(table(seed), write)(place / f"part.{request.param}")
        parts.append((place, table(seed).with_columns(year=pl.lit(year), country=pl.lit(country))))
    return tmp_path / "rows", pl.concat(rows for _, rows in sorted(parts, key=lambda part: part[0]))


def labelled(source):
    batches = list(source.batches())
    return np.concatenate([b.X for b in batches]), np.concatenate([b.classes[b.codes] for b in batches])


def test_a_number_in_folders_is_a_feature(folder):
    path, rows = folder
    source = scan(path, target="y", columns=["year", "x"])
    X, y = labelled(source)
    np.testing.assert_array_equal(X, rows.select("year", "x").to_numpy())
    assert y.tolist() == rows["y"].to_list()
    assert open_frames(path).names == ["x", "y", "year", "country"]


def test_words_in_folders_are_a_feature_of_models_of_words(folder):
    path, rows = folder
    model = MixedNB().fit(scan(path, target="y"))
    expected = MixedNB().fit(rows.select("x", "year", "country"), rows["y"])
    cells = rows.select("x", "year", "country")
    np.testing.assert_allclose(model.predict_proba(cells), expected.predict_proba(cells), rtol=1e-9)


@pytest.mark.parametrize("target", ["country", "year"])
def test_a_part_of_folders_is_the_target(folder, target):
    path, rows = folder
    X, y = labelled(scan(path, target=target, columns=["x"]))
    np.testing.assert_array_equal(X[:, 0], rows["x"])
    assert y.tolist() == rows[target].to_list()
    assert LinearDiscriminantAnalysis().fit(scan(path, target=target, columns=["x"])).classes_.tolist() == sorted(
        rows[target].unique().to_list()
    )


def test_a_part_alone_is_read_without_any_column_of_the_files(folder):
    path, rows = folder
    X, y = labelled(scan(path, target="country", columns=["year"]))
    np.testing.assert_array_equal(X[:, 0], rows["year"])
    assert y.tolist() == rows["country"].to_list()


@pytest.mark.parametrize(
    ("where", "expression"),
    [
        ("year = 2024", pl.col("year") == 2024),
        ("country = 'it' and x > 0", (pl.col("country") == "it") & (pl.col("x") > 0)),
        ("country like 'C%'", pl.col("country").str.starts_with("C")),
    ],
)
def test_conditions_on_folders(folder, where, expression):
    path, rows = folder
    X, _ = labelled(scan(path, target="y", columns=["x"], where=where))
    np.testing.assert_array_equal(X[:, 0], rows.filter(expression)["x"])


def test_patterns_give_what_their_own_folders_say(folder):
    path, rows = folder
    end = next(path.rglob("part.*")).name
    assert open_frames(f"{path}/*/country=it/{end}").names == ["x", "y", "year", "country"]
    assert open_frames(f"{path}/year=2023/*/{end}").names == ["x", "y", "country"]
    assert open_frames(f"{path}/**/{end}").names == ["x", "y", "year", "country"]
    assert open_frames(f"{path}/year=2023/country=it/{end}").names == ["x", "y"]
    X, _ = labelled(scan(f"{path}/year=2024/*/{end}", target="y", columns=["x"]))
    np.testing.assert_array_equal(X[:, 0], rows.filter(pl.col("year") == 2024)["x"])


def test_a_missing_part_is_a_hole(tmp_path):
    for name, value in (("1", 1.0), (MISSING_PART, 2.0), ("3", 3.0)):
        (tmp_path / f"level={name}").mkdir()
        pl.DataFrame({"x": [value], "y": ["a"]}).write_parquet(tmp_path / f"level={name}" / "rows.parquet")
    X, _ = labelled(scan(tmp_path, target="y", columns=["x", "level"]))
    np.testing.assert_array_equal(X, [[1, 1], [3, 3], [2, np.nan]])
    X, _ = labelled(scan(tmp_path, target="y", columns=["x"], where="level is null"))
    assert X.tolist() == [[2]]
    with pytest.raises(InputError, match="the target 'level' is missing in row 2"):
        labelled(scan(tmp_path, target="level", columns=["x"]))


def test_leading_zeros_and_words_make_text(tmp_path):
    for name in ("01", "02"):
        (tmp_path / f"month={name}" / "kind=7").mkdir(parents=True)
        pl.DataFrame({"x": [1.0]}).write_parquet(tmp_path / f"month={name}" / "kind=7" / "rows.parquet")
    assert open_frames(tmp_path).schema() == pl.Schema({"x": pl.Float64, "month": pl.String, "kind": pl.Int64})
    assert labelled(scan(tmp_path, target="month", columns=["x"]))[1].tolist() == ["01", "02"]


def test_a_column_of_the_files_goes_before_one_of_folders(tmp_path):
    (tmp_path / "year=1999").mkdir()
    pl.DataFrame({"year": [2024], "y": ["a"]}).write_parquet(tmp_path / "year=1999" / "rows.parquet")
    assert labelled(scan(tmp_path, target="y"))[0].tolist() == [[2024]]


def test_folders_named_unlike_are_refused(tmp_path):
    for name in ("year=1", "month=2"):
        (tmp_path / name).mkdir()
        pl.DataFrame({"x": [1.0]}).write_parquet(tmp_path / name / "rows.parquet")
    with pytest.raises(InputError, match=r"in folders of year=, and .* in folders of month="):
        open_frames(tmp_path)
    pl.DataFrame({"x": [1.0]}).write_parquet(tmp_path / "rows.parquet")
    with pytest.raises(InputError, match="no such names"):
        open_frames(tmp_path)


def test_values_too_long_for_whole_numbers_are_text():
    places = [Place(f"s3://b/id={value}/rows.parquet", {"id": value}) for value in ("1", "1" * 19)]
    assert Partitions.of(places, ["x"], is_text=False).schema == pl.Schema({"id": pl.String})


@pytest.mark.parametrize("where", ["year = 2024", "year > 2023 and country <> 'de'", pl.col("country") == "it"])
def test_files_that_a_condition_leaves_out_are_not_read(folder, where):
    path, rows = folder
    source = scan(path, target="y", columns=["x"], where=where)
    met = rows.filter(pl.sql_expr(where) if isinstance(where, str) else where)
    for file in path.rglob("part.*"):
        parts = dict(part.split("=", 1) for part in file.relative_to(path).parts[:-1])
        unquoted = {"year": [int(parts["year"])], "country": [unquote(parts["country"])]}
        if pl.DataFrame(unquoted).filter(pl.sql_expr(where) if isinstance(where, str) else where).is_empty():
            file.unlink()
    X, y = labelled(source)
    assert X[:, 0].tolist() == met["x"].to_list()
    assert y.tolist() == met["y"].to_list()
    found = LinearDiscriminantAnalysis().fit(source)
    np.testing.assert_allclose(found.means_, LinearDiscriminantAnalysis().fit(met[["x"]], met["y"]).means_, rtol=1e-12)


def test_a_condition_that_no_folder_meets(folder):
    path, _ = folder
    with pytest.raises(InputError, match="no row meets the condition"):
        LinearDiscriminantAnalysis().fit(scan(path, target="y", columns=["x"], where="year = 1999"))
