"""Row groups of Parquet files, as PyArrow knows them; whatever is odd is not known, and read all the same."""

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from distinguo.rows import columnar, parquet_footer
from distinguo.rows.files import scan
from distinguo.rows.opening import open_frames
from distinguo.rows.parquet_footer import row_groups


def table(n=1000, p=3, seed=0):
    random = np.random.default_rng(seed)
    columns = {f"x{j}": random.normal(size=n) for j in range(p)}
    return pl.DataFrame(columns).with_columns(y=np.array(["a", "b"])[random.integers(0, 2, n)])


def varied(n=500):
    """A table of many types, and what its numbers are."""
    random = np.random.default_rng(3)
    numbers = random.integers(0, 100, n)
    frame = pl.DataFrame(
        {
            "int8": pl.Series(numbers, dtype=pl.Int8),
            "uint64": pl.Series(numbers, dtype=pl.UInt64),
            "float32": pl.Series(numbers, dtype=pl.Float32),
            "decimal": pl.Series(numbers).cast(pl.Decimal(12, 2)),
            "truth": pl.Series(numbers > 50),
            "date": pl.Series(numbers).cast(pl.Date),
            "list": pl.Series([[i] * (i % 3) for i in numbers.tolist()]),
            "struct": pl.Series([{"a": i, "b": {"c": [str(i)]}} for i in numbers.tolist()]),
            "word": pl.Series(numbers).cast(pl.String).cast(pl.Categorical),
            "y": np.array(["a", "b"])[random.integers(0, 2, n)],
        }
    )
    return frame, numbers.astype(float)


@pytest.mark.parametrize("group", [1, 7, 100, 999, 1000, 5000])
@pytest.mark.parametrize(
    "options", [{}, {"data_page_version": "2.0"}, {"compression": "none", "write_statistics": False}]
)
def test_groups_are_those_of_pyarrow(tmp_path, group, options):
    pq.write_table(table().to_arrow(), tmp_path / "a.parquet", row_group_size=group, **options)
    known = pq.ParquetFile(tmp_path / "a.parquet").metadata
    assert row_groups(tmp_path / "a.parquet").rows == [known.row_group(i).num_rows for i in range(known.num_row_groups)]


@pytest.mark.parametrize("p", [1, 15, 16, 1000])
def test_columns_of_any_number(tmp_path, p):
    table(60, p).write_parquet(tmp_path / "a.parquet", row_group_size=25)
    assert row_groups(tmp_path / "a.parquet").rows == [25, 25, 10]
    X = np.concatenate([b.X for b in scan(tmp_path / "a.parquet", target="y").batches()])
    np.testing.assert_array_equal(X, table(60, p).drop("y").to_numpy())


def test_sizes_are_those_of_pyarrow(tmp_path):
    pq.write_table(table().to_arrow(), tmp_path / "a.parquet", row_group_size=300)
    known = pq.ParquetFile(tmp_path / "a.parquet").metadata
    sizes = [known.row_group(i).total_byte_size for i in range(known.num_row_groups)]
    assert row_groups(tmp_path / "a.parquet").size == sum(sizes)


def test_long_texts_are_read_fewer_at_a_time(tmp_path, monkeypatch):
    monkeypatch.setattr(columnar, "PIECE_CELLS", 1 << 18)
    random = np.random.default_rng(0)
    texts = ["".join(chr(97 + c) for c in random.integers(0, 26, 600)) for _ in range(6000)]
    rows = pl.DataFrame({"x": np.arange(6000.0), "text": texts})
    rows.write_parquet(tmp_path / "a.parquet", row_group_size=2000)
    frames = open_frames(tmp_path / "a.parquet")
    assert {frame.height for frame in frames.frames(["x"])} == {6000}
    assert {frame.height for frame in frames.frames(["text"])} == {2000}  # two groups would be more than two MiB
    assert pl.concat(frames.frames()).equals(rows)


def test_metadata_and_nested_columns_are_passed_over(tmp_path):
    frame, _ = varied()
    arrow = frame.to_arrow().replace_schema_metadata({"notes": "x" * 5000})
    pq.write_table(arrow, tmp_path / "a.parquet", row_group_size=200, write_page_index=True)
    assert row_groups(tmp_path / "a.parquet").rows == [200, 200, 100]


@pytest.mark.parametrize("name", ["int8", "uint64", "float32", "decimal", "truth"])
def test_numbers_of_every_type_beside_nested_columns(tmp_path, name):
    frame, numbers = varied()
    pq.write_table(frame.to_arrow(), tmp_path / "a.parquet", row_group_size=200)
    source = scan(tmp_path / "a.parquet", target="y", columns=[name])
    X = np.concatenate([batch.X for batch in source.batches()])
    np.testing.assert_array_equal(X[:, 0], numbers > 50 if name == "truth" else numbers)


@pytest.mark.parametrize("name", ["date", "list", "struct", "word"])
def test_what_is_no_number_is_named(tmp_path, name):
    varied()[0].write_parquet(tmp_path / "a.parquet")
    with pytest.raises(ValueError, match=f"these columns are not numbers: '{name}'"):
        next(scan(tmp_path / "a.parquet", target="y", columns=["int8", name]).batches())


def test_files_without_rows_among_others(tmp_path):
    for i, n in enumerate([0, 40, 0, 30, 0]):
        table(n, seed=i).write_parquet(tmp_path / f"{i}.parquet", row_group_size=16)
    pq.write_table(table(0).to_arrow(), tmp_path / "2.parquet")
    source = scan(tmp_path, target="y")
    X = np.concatenate([batch.X for batch in source.batches()])
    np.testing.assert_array_equal(X, pl.concat([table(40, seed=1), table(30, seed=3)]).drop("y").to_numpy())
    assert source.size().rows == 70


def test_an_encrypted_footer_is_not_known(tmp_path):
    table().write_parquet(tmp_path / "a.parquet")
    content = (tmp_path / "a.parquet").read_bytes()
    (tmp_path / "a.parquet").write_bytes(content[:-4] + b"PARE")
    assert row_groups(tmp_path / "a.parquet") is None


def test_a_long_footer_is_not_read_and_its_rows_are(tmp_path, monkeypatch):
    table().write_parquet(tmp_path / "a.parquet", row_group_size=300)
    monkeypatch.setattr(parquet_footer, "MOST_BYTES", 100)
    monkeypatch.setattr(columnar, "PIECE_ROWS", 128)
    assert row_groups(tmp_path / "a.parquet") is None
    X = np.concatenate([batch.X for batch in scan(tmp_path / "a.parquet", target="y").batches()])
    np.testing.assert_array_equal(X, table().drop("y").to_numpy())


@pytest.mark.parametrize("content", [b"", b"PAR1", b"\0" * 40 + b"PAR1", b"PAR1" + b"\xff" * 9 + b"\4\0\0\0PAR1"])
def test_what_is_no_footer_is_not_known(tmp_path, content):
    (tmp_path / "a.parquet").write_bytes(content)
    assert row_groups(tmp_path / "a.parquet") is None
    assert row_groups(tmp_path / "none.parquet") is None


def test_damaged_footers_end_in_nothing_or_in_groups_that_add_up(tmp_path):
    table().write_parquet(tmp_path / "a.parquet", row_group_size=100)
    good = (tmp_path / "a.parquet").read_bytes()
    length = int.from_bytes(good[-8:-4], "little")
    random = np.random.default_rng(0)
    unknown = 0
    for _ in range(300):
        bad = bytearray(good)
        bad[len(good) - 8 - int(random.integers(1, length))] = int(random.integers(256))
        (tmp_path / "a.parquet").write_bytes(bad)
        found = row_groups(tmp_path / "a.parquet")  # and it does not hang
        unknown += found is None
        assert found is None or min(found.rows) >= 0
    assert 0 < unknown < 300


@pytest.mark.parametrize("nested", [b"\x1c" * 100_000, b"\x19\x1c" * 50_000, b"\x39\xf1\xff\xff\xff\xff\xff\xff\x7f"])
def test_endless_footers_end(tmp_path, nested):
    (tmp_path / "a.parquet").write_bytes(b"PAR1" + nested + len(nested).to_bytes(4, "little") + b"PAR1")
    assert row_groups(tmp_path / "a.parquet") is None


@pytest.mark.parametrize(
    ("groups", "step"), [([5] * 9, 10), ([1000, 3, 2, 700], 10), ([0, 0], 4), ([64], 4), ([10**6], 7)]
)
def test_pieces_have_all_rows_and_are_not_too_large(groups, step):
    sizes = list(columnar._cut(groups, step))
    assert sum(sizes) == sum(groups)
    assert all(0 < size <= columnar.LARGEST * step for size in sizes)
    ends, cuts = set(np.cumsum(groups).tolist()), set(np.cumsum(sizes).tolist())
    large = {end - size for end, size in zip(np.cumsum(groups).tolist(), groups, strict=True) if size > step}
    assert {end for end in large if end} <= cuts  # a large group is not begun in the middle of a piece
    assert max(cuts, default=0) == max(ends)


def test_dictionaries_of_pyarrow_are_words(tmp_path):
    y = pa.array(["b", "a", "b", "c"]).dictionary_encode()
    pq.write_table(pa.table({"x": [1.0, 2.0, 3.0, 4.0], "y": y}), tmp_path / "a.parquet")
    batch = next(scan(tmp_path / "a.parquet", target="y").batches())
    assert batch.classes[batch.codes].tolist() == ["b", "a", "b", "c"]
