"""Files as a source of batches: the same rows as any other reader, in bounded memory."""

import datetime
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

from distinguo import GaussianNB
from distinguo.exceptions import InputError
from distinguo.rows import columnar
from distinguo.rows.files import scan
from distinguo.rows.memory import MemorySource
from distinguo.rows.opening import open_frames
from tests.test_pages import blocks

DATA = Path(__file__).parents[3] / "shared" / "data"
needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="the shared data folder is not beside the repository")


def gathered(source):
    """X, labels and weights of a source, whose second pass is like the first."""
    passes = []
    for _ in range(2):
        batches = list(source.batches())
        weight = None if batches[0].weight is None else np.concatenate([b.weight for b in batches])
        labels = np.concatenate([b.classes[b.codes] for b in batches])
        assert [b.first_row for b in batches] == np.cumsum([0] + [len(b.X) for b in batches[:-1]]).tolist()
        assert all(b.X.flags.c_contiguous and b.X.dtype == np.float64 for b in batches)
        assert all(b.holes == np.isnan(b.X).any() for b in batches)
        passes.append((np.concatenate([b.X for b in batches]), labels, weight))
    for once, again in zip(*passes, strict=True):
        np.testing.assert_array_equal(once, again)
    return passes[0]


def table(n=257, seed=0):
    random = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "x": random.normal(size=n) * 10.0 ** random.integers(-9, 9, n),
            "smokes": random.random(n) < 0.5,
            "n": random.integers(-5, 5, n),
            "species": np.array(["Adélie", "Gentoo", 'Chinstrap, "wild"'])[random.integers(0, 3, n)],
            "times": random.integers(0, 4, n),
            "z": pl.Series(random.normal(size=n)).set(pl.Series(random.random(n) < 0.2), None),
        }
    )


WRITERS = {
    "rows.csv": lambda t, f: t.write_csv(f),
    "rows.tsv": lambda t, f: t.write_csv(f, separator="\t"),
    "rows.txt": lambda t, f: t.write_csv(f, separator=";"),
    "rows.csv.gz": lambda t, f: t.to_pandas().to_csv(f, index=False),
    "rows.parquet": lambda t, f: t.write_parquet(f, row_group_size=50),
    "rows.arrow": lambda t, f: t.write_ipc(f, record_batch_size=50),
    "rows.feather": lambda t, f: t.to_pandas().to_feather(f),
    "rows.ipc": lambda t, f: t.write_ipc(f, compression="zstd"),
}


@pytest.mark.parametrize("batch_rows", [None, 7])
@pytest.mark.parametrize("name", WRITERS)
def test_every_format_gives_the_same_rows(tmp_path, name, batch_rows, monkeypatch):
    monkeypatch.setattr(columnar, "PIECE_ROWS", 64)
    rows = table()
    WRITERS[name](rows, tmp_path / name)
    source = scan(tmp_path / name, target="species", weight="times", batch_rows=batch_rows)
    assert source.feature_names.tolist() == ["x", "smokes", "n", "z"]
    X, labels, weight = gathered(source)
    expected = rows.select("x", "smokes", "n", "z").to_pandas().to_numpy(dtype=float)
    np.testing.assert_array_equal(X, expected)
    assert labels.tolist() == rows["species"].to_list()
    np.testing.assert_array_equal(weight, rows["times"])
    if batch_rows:
        assert {len(b.X) for b in source.batches()} <= {*range(1, 8)}


def test_columns_come_in_the_order_asked_for(tmp_path):
    table().write_csv(tmp_path / "a.csv")
    source = scan(tmp_path / "a.csv", target="species", columns=["z", "x"])
    assert source.feature_names.tolist() == ["z", "x"]
    np.testing.assert_array_equal(gathered(source)[0], table().select("z", "x").to_numpy())


def test_patterns_and_lists(tmp_path):
    for i in range(3):
        table(seed=i).write_parquet(tmp_path / f"{i}.parquet")
    both = pl.concat([table(seed=i) for i in range(3)])
    X, labels, _ = gathered(scan(f"{tmp_path}/*.parquet", target="species", columns=["x", "n"]))
    np.testing.assert_array_equal(X, both.select("x", "n").to_numpy())
    assert labels.tolist() == both["species"].to_list()
    X, _, _ = gathered(scan([tmp_path / "2.parquet", tmp_path / "0.parquet"], target="species", columns=["x"]))
    np.testing.assert_array_equal(X[:, 0], pl.concat([table(seed=2), table(seed=0)])["x"])


def test_files_of_a_pattern_may_differ_in_order_and_width_of_type(tmp_path):
    pl.DataFrame({"x": [1, 2], "y": ["a", "b"]}).write_parquet(tmp_path / "1.parquet")
    pl.DataFrame({"y": ["b"], "x": [0.5]}).write_parquet(tmp_path / "2.parquet")
    X, labels, _ = gathered(scan(f"{tmp_path}/*.parquet", target="y"))
    assert X.tolist() == [[1], [2], [0.5]]
    assert labels.tolist() == ["a", "b", "b"]
    assert open_frames(f"{tmp_path}/*.parquet").schema() == pl.Schema({"x": pl.Float64, "y": pl.String})
    pl.DataFrame({"x": ["text"], "y": ["a"]}).write_parquet(tmp_path / "3.parquet")
    with pytest.raises(
        InputError, match=r"3.parquet has columns of other types than .*1.parquet: 'x' \(String, not Float64\)"
    ):
        open_frames(f"{tmp_path}/*.parquet")
    pl.DataFrame({"x": [1], "label": ["a"]}).write_parquet(tmp_path / "3.parquet")
    with pytest.raises(InputError, match="lacks 'y' and has 'label' besides"):
        open_frames(f"{tmp_path}/*.parquet")


def test_typed_frames(tmp_path):
    table().write_parquet(tmp_path / "a.parquet")
    frames = open_frames(tmp_path / "a.parquet", batch_rows=100)
    assert (frames.is_text, frames.names) == (False, table().columns)
    found = list(frames.frames())
    assert [f.height for f in found] == [100, 100, 57]
    assert pl.concat(found).equals(table())
    assert next(iter(frames.frames(["n"]))).columns == ["n"]


def test_decimal_commas(tmp_path):
    file = tmp_path / "a.csv"
    file.write_text("x;y\n1,5;a\n-2,25;b\n")
    assert gathered(scan(file, target="y", decimal=","))[0].tolist() == [[1.5], [-2.25]]
    with pytest.raises(InputError, match="say so with decimal=','"):
        list(scan(file, target="y").batches())


# --- labels ---------------------------------------------------------------------------------------------------------


def labels_of(tmp_path, cells, **options):
    file = tmp_path / "labels.csv"
    file.write_text("x,y\n" + "".join(f"1,{cell}\n" for cell in cells))
    _, labels, _ = gathered(scan(file, target="y", **options))
    return labels


@pytest.mark.parametrize("batch_rows", [None, 1])
@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["b", "a", "b"], ["b", "a", "b"]),
        (["2", "-1", "0"], [2, -1, 0]),
        (["1.0", "0.0"], [1.0, 0.0]),
        (["True", "False", "True"], [True, False, True]),
        (["TRUE", "FALSE"], [True, False]),
        (["007", "07", "7"], ["007", "07", "7"]),
    ],
)
def test_labels_come_typed_whatever_the_batches(tmp_path, cells, expected, batch_rows):
    labels = labels_of(tmp_path, cells, batch_rows=batch_rows)
    assert labels.tolist() == expected
    assert {type(label) for label in labels.tolist()} == {type(label) for label in expected}


def test_labels_can_stay_text(tmp_path):
    assert labels_of(tmp_path, ["1", "2"], labels="text").tolist() == ["1", "2"]
    assert labels_of(tmp_path, ["1", "2", "x"]).tolist() == ["1", "2", "x"]
    with pytest.raises(InputError, match=r"'y' is 'x' in row 2, .* were whole numbers; .* scan with labels='text'"):
        labels_of(tmp_path, ["1", "2", "x"], batch_rows=1)
    assert labels_of(tmp_path, ["1", "2", "x"], batch_rows=1, labels="text").tolist() == ["1", "2", "x"]


def test_the_classes_are_one_array_until_there_is_a_new_one(tmp_path):
    file = tmp_path / "a.csv"
    file.write_text("x,y\n" + "".join(f"1,{c}\n" for c in ["b", "b", "a", "b", "a", "dodo", "a"]))
    batches = list(scan(file, target="y", batch_rows=1).batches())
    assert [b.classes.tolist() for b in batches] == [["b"]] * 2 + [["b", "a"]] * 3 + [["b", "a", "dodo"]] * 2
    assert [b.codes.tolist() for b in batches] == [[0], [0], [1], [0], [1], [2], [1]]
    assert batches[0].classes is batches[1].classes
    assert batches[2].classes is batches[4].classes
    assert all(b.codes.dtype == np.intp for b in batches)


@pytest.mark.parametrize(
    ("values", "dtype"),
    [
        ([3, 1, 3], pl.Int8),
        ([True, False, True], pl.Boolean),
        (["b", "a", "b"], pl.Categorical),
        (["b", "a", "b"], pl.Enum(["a", "b", "c"])),
        ([2.0, 1.0, 2.0], pl.Float64),
        ([datetime.date(2020, 1, 2), datetime.date(2020, 1, 1), datetime.date(2020, 1, 2)], pl.Date),
        (["1", "2", "1"], pl.String),
    ],
)
def test_typed_labels_keep_their_type(tmp_path, values, dtype):
    pl.DataFrame({"x": [1.0, 2, 3], "y": pl.Series(values, dtype=dtype)}).write_ipc(tmp_path / "a.arrow")
    _, labels, _ = gathered(scan(tmp_path / "a.arrow", target="y", batch_rows=2))
    assert labels.tolist() == values


# --- bad input ------------------------------------------------------------------------------------------------------

ROWS = "x,y,w\n1,a,1\n2,b,1\n"
AT_ONCE = [
    ("target", {"target": "z"}, "there is no column 'z' to be the target. The columns are: 'x', 'y', 'w'"),
    ("close match", {"target": "yy"}, "Did you mean 'y'?"),
    ("weight", {"target": "y", "weight": "v"}, "there is no column 'v' to be the weight"),
    ("feature", {"target": "y", "columns": ["q"]}, "there is no column 'q' to be a feature"),
    ("text for a list", {"target": "y", "columns": "x"}, "columns must be a list of names"),
    ("target a feature", {"target": "y", "columns": ["x", "y"]}, "other than target and weight"),
    ("twice", {"target": "y", "columns": ["x", "x"]}, "each once"),
    ("no features", {"target": "y", "columns": []}, "there are no columns of features"),
    ("one column for two", {"target": "y", "weight": "y"}, "cannot be both target and weight"),
    ("labels", {"target": "y", "labels": "number"}, "labels must be 'auto' or 'text'"),
    ("decimal", {"target": "y", "decimal": ";"}, "decimal must be"),
]


@pytest.mark.parametrize(("options", "message"), [a[1:] for a in AT_ONCE], ids=[a[0] for a in AT_ONCE])
def test_mistakes_seen_before_a_row_is_read(tmp_path, options, message):
    (tmp_path / "a.csv").write_text(ROWS)
    with pytest.raises(InputError) as caught:
        scan(tmp_path / "a.csv", **options)
    assert message in str(caught.value)


IN_ROWS = [
    ("header only", "x,y\n", "the table is empty"),
    ("missing label", "x,y\n1,a\n2,\n", "the target 'y' is missing in row 1"),
    (
        "text",
        "x,y\n1,a\n2 cm,b\n",
        "1 column is not all numbers: 'x' ('2 cm' in row 1); rows count from 0. Name the col",
    ),
    ("infinity", "x,y\n1,a\n-inf,b\n", "X contains infinity (row 1, column 'x')"),
    ("short line", "x,y\n1,a\n2\n", "line 3: 1 field, but the header has 2 fields"),
    ("negative weight", "x,y,w\n1,a,1\n2,b,-1\n", "sample_weight is negative in row 1 (-1.0)"),
    ("missing weight", "x,y,w\n1,a,1\n2,b,\n", "sample_weight contains NaN or infinity (row 1: nan)"),
    ("text weight", "x,y,w\n1,a,1\n2,b,two\n", "'w' ('two' in row 1)"),
    ("no weight at all", "x,y,w\n1,a,0\n2,b,0\n", "every weight in 'w' is zero"),
]


@pytest.mark.parametrize("batch_rows", [None, 1])
@pytest.mark.parametrize(("content", "message"), [r[1:] for r in IN_ROWS], ids=[r[0] for r in IN_ROWS])
def test_mistakes_in_rows(tmp_path, content, message, batch_rows):
    (tmp_path / "a.csv").write_text(content)
    weight = "w" if "w" in content.partition("\n")[0] else None
    source = scan(tmp_path / "a.csv", target="y", weight=weight, batch_rows=batch_rows)
    with pytest.raises(InputError) as caught:
        list(source.batches())
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_text_columns_of_typed_files_are_refused_before_they_are_read(tmp_path):
    table().write_parquet(tmp_path / "a.parquet")
    source = scan(tmp_path / "a.parquet", target="n")
    with pytest.raises(InputError, match=r"these columns are not numbers: 'species'\. Name the columns to use"):
        next(source.batches())
    with pytest.raises(InputError, match=r"these columns are not numbers: 'species'"):
        GaussianNB().fit(source)


def test_a_missing_typed_label_is_refused(tmp_path):
    for y in ([1, None], [1.0, float("nan")], ["a", None]):
        pl.DataFrame({"x": [1.0, 2.0], "y": y}, strict=False).write_parquet(tmp_path / "a.parquet")
        with pytest.raises(InputError, match="'y' is missing in row 1"):
            list(scan(tmp_path / "a.parquet", target="y").batches())
    pl.DataFrame({"x": [1.0, 2.0], "y": [0.5, 1.0]}).write_parquet(tmp_path / "a.parquet")
    with pytest.raises(InputError, match="look like measurements"):
        list(scan(tmp_path / "a.parquet", target="y").batches())


@pytest.mark.parametrize("name", ["a.parquet", "a.arrow"])
@pytest.mark.parametrize("keep", [0, 3, 40, -9])
def test_damaged_typed_files(tmp_path, name, keep):
    WRITERS[name.replace("a.", "rows.")](table(), tmp_path / name)
    content = (tmp_path / name).read_bytes()
    (tmp_path / name).write_bytes(content[:keep])
    with pytest.raises(InputError, match=f"{name} cannot be read") as caught:
        list(scan(tmp_path / name, target="species").batches())
    assert "\n" not in str(caught.value)


def test_formats_unknown_or_mixed(tmp_path):
    for name in ("a.xlsx", "a.csv", "a.parquet", "a.arrow"):
        (tmp_path / name).write_text(ROWS)
    for path in (tmp_path / "a.xlsx", [tmp_path / "a.csv", tmp_path / "a.parquet"], f"{tmp_path}/a.[ap]*"):
        with pytest.raises(InputError, match="files must all be of one format"):
            scan(path, target="y")


@pytest.mark.parametrize("options", [{"delimiter": ";"}, {"decimal": ","}, {"nulls": ["?"]}])
def test_options_of_text_files_are_not_ignored_elsewhere(tmp_path, options):
    table().write_parquet(tmp_path / "a.parquet")
    with pytest.raises(InputError, match="are for text files"):
        scan(tmp_path / "a.parquet", target="species", columns=["x"], **options)


def test_row_names_are_no_feature(tmp_path):
    pd.DataFrame({"x": [1.5, 2.5], "y": ["a", "b"]}).to_csv(tmp_path / "a.csv")
    assert scan(tmp_path / "a.csv", target="y").feature_names.tolist() == ["x"]
    assert scan(tmp_path / "a.csv", target="y", columns=["row", "x"]).feature_names.tolist() == ["row", "x"]


# --- real files ---------------------------------------------------------------------------------------------------


@needs_data
@pytest.mark.parametrize(
    ("name", "target", "leave"),
    [
        ("vowel.train.csv", "y", []),
        ("phoneme.csv.gz", "g", ["speaker"]),
        ("glmnet_multinomialexample.csv", "y", []),
        ("Pima.tr2.csv", "type", []),
        ("titanic.csv", "survived", ["sex", "embarked", "class", "who", "deck", "embark_town", "alive"]),
        ("penguins.csv", "species", ["island", "sex"]),
    ],
)
def test_real_files_as_pandas_reads_them(name, target, leave):
    frame = pd.read_csv(DATA / name, keep_default_na=False, na_values=["", "NA"])
    text = pd.read_csv(DATA / name, keep_default_na=False, na_values=["", "NA"], dtype=object)
    features = text.drop(columns=[target, *leave]).replace({"True": "1", "False": "0"})
    X, labels, _ = gathered(scan(DATA / name, target=target, columns=list(features)))
    np.testing.assert_array_equal(X, features.to_numpy().astype(float))
    assert labels.tolist() == frame[target].tolist()
    memory = MemorySource(X, frame[target])
    assert sorted(memory.classes.tolist()) == sorted(set(labels.tolist()))


@needs_data
def test_text_features_of_a_real_file_are_named():
    with pytest.raises(InputError, match=r"2 columns are not all numbers: 'island' \('Torgersen' in row 0\), 'sex'"):
        list(scan(DATA / "penguins.csv", target="species").batches())


def test_the_page_says_what_happens(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shown = [text for language, text in blocks("docs/files.md") if language == "python"]
    assert len(shown) == 3
    exec(compile("\n".join(shown), "docs/files.md", "exec"), {})
