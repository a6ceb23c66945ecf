"""Where files lie: names, patterns, folders, lists, and what is passed over."""

import polars as pl
import pytest

from distinguo.exceptions import InputError, InputTypeError
from distinguo.rows.files import scan
from distinguo.rows.opening import open_frames
from distinguo.rows.places import Place, places_of


@pytest.fixture
def folder(tmp_path):
    rows = pl.DataFrame({"x": [1.0, 2.0], "y": ["a", "b"]})
    for name in ("b.parquet", "a.parquet", "below/c.parquet", "below/deep/d.parquet", ".hidden.parquet"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        rows.write_parquet(tmp_path / name)
    for name in ("_SUCCESS", "_metadata", "below/_temporary/e.parquet", ".cache/f.parquet", "notes.md", "plot.png"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("no table")
    return tmp_path


def names(folder, path):
    return [str(place.file.relative_to(folder)) for place in places_of(path)]


def test_a_folder_is_the_tables_below_it(folder):
    tables = ["a.parquet", "b.parquet", "below/c.parquet", "below/deep/d.parquet"]
    assert names(folder, folder) == tables
    assert names(folder, str(folder)) == tables
    assert scan(folder, target="y").size().rows == 8


def test_patterns_are_sorted_and_lists_keep_their_order(folder):
    assert names(folder, f"{folder}/*.parquet") == ["a.parquet", "b.parquet"]
    assert names(folder, f"{folder}/**/[cd].parquet") == ["below/c.parquet", "below/deep/d.parquet"]
    assert names(folder, f"{folder}/?.parquet") == ["a.parquet", "b.parquet"]
    assert names(folder, [folder / "b.parquet", folder / "below"]) == [
        "b.parquet",
        "below/c.parquet",
        "below/deep/d.parquet",
    ]


def test_a_file_named_twice_is_read_twice(folder):
    source = scan([folder / "a.parquet"] * 3, target="y")
    assert source.size().rows == 6
    assert sum(len(batch.X) for batch in source.batches()) == 6


def test_names_that_look_like_patterns_are_files_where_there_is_one(tmp_path):
    (tmp_path / "a[1].csv").write_text("x,y\n1,a\n")
    assert names(tmp_path, f"{tmp_path}/a[1].csv") == ["a[1].csv"]


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("none.csv", "there is no file"),
        ("*.arrow", "no file matches"),
        ("below/_temporary/../nothing", "there is no file"),
        (".cache", "is a folder without tables"),
    ],
)
def test_what_is_not_there(folder, path, message):
    (folder / ".cache" / "f.parquet").unlink()
    with pytest.raises(InputError, match=message):
        places_of(f"{folder}/{path}")


def test_an_empty_list():
    with pytest.raises(InputError, match="the list of files is empty"):
        places_of([])


def test_a_folder_of_two_formats_is_refused(folder):
    (folder / "c.csv").write_text("x,y\n1,a\n")
    with pytest.raises(InputError, match=r"files must all be of one format.*'\.csv', '\.parquet'"):
        open_frames(folder)


@pytest.mark.parametrize(
    ("file", "suffix"),
    [
        ("s3://bucket/rows.parquet", ".parquet"),
        ("s3://bucket/rows.CSV.gz", ".csv"),
        ("https://host/rows.parquet?token=a.csv#here", ".parquet"),
        ("https://host/rows", ""),
        ("gs://bucket/year=2024/*.arrow", ".arrow"),
    ],
)
def test_the_format_of_an_address(file, suffix):
    assert Place(file).suffix == suffix


def test_addresses_that_are_named_are_not_asked_for_before_they_are_read():
    address = "s3://no-such-bucket/year=2024/rows.parquet"
    assert places_of(address) == [Place(address, {})]


def test_a_tilde_is_the_home_folder(folder, monkeypatch):
    monkeypatch.setenv("HOME", str(folder))
    assert names(folder, "~/a.parquet") == ["a.parquet"]
    assert names(folder, "~/?.parquet") == ["a.parquet", "b.parquet"]
    assert names(folder, "~/below") == ["below/c.parquet", "below/deep/d.parquet"]


def test_folders_that_are_links_count_and_loops_end(folder, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    pl.DataFrame({"x": [3.0], "y": ["a"]}).write_parquet(elsewhere / "e.parquet")
    (folder / "year=2024").symlink_to(elsewhere)
    (folder / "below" / "up").symlink_to(folder)
    (elsewhere / "round").symlink_to(elsewhere)
    assert names(folder, folder) == [
        "a.parquet",
        "b.parquet",
        "below/c.parquet",
        "below/deep/d.parquet",
        "year=2024/e.parquet",
    ]


def test_a_link_to_nothing_is_not_passed_over(folder):
    (folder / "z.parquet").symlink_to(folder / "gone.parquet")
    with pytest.raises(InputError, match=r"z\.parquet cannot be read"):
        scan(folder, target="y")


def test_brackets_of_a_name_are_explained(tmp_path):
    (tmp_path / "[a]").mkdir()
    (tmp_path / "[a]" / "rows.csv").write_text("x,y\n1,a\n")
    with pytest.raises(InputError, match=r"one of the characters in them; \[\[\] means \["):
        places_of(f"{tmp_path}/[a]/*.csv")
    assert names(tmp_path, f"{tmp_path}/[[]a]/*.csv") == ["[a]/rows.csv"]


@pytest.mark.parametrize("path", ["", None, 5, b"rows.csv", [None], ["rows.csv", ""]])
def test_what_is_no_path_is_refused(path):
    with pytest.raises(InputTypeError, match="files are given as paths"):
        places_of(path)
