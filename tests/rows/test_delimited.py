"""Delimited text: every cell verbatim, or one error that names the line."""

import bz2
import csv
import gzip
import io
import lzma
import os
from pathlib import Path

import numpy as np
import pytest

from distinguo.exceptions import DistinguoError, InputError
from distinguo.rows import records
from distinguo.rows.delimited import sniff
from distinguo.rows.opening import open_frames

DATA = Path(__file__).parents[3] / "shared" / "data"


def read(path, **options):
    """All rows of a file, and its columns."""
    frames = open_frames(path, **options)
    found = [row for frame in frames.frames() for row in frame.rows()]
    assert [row for frame in frames.frames() for row in frame.rows()] == found, "a second pass differs"
    return frames.names, found


@pytest.fixture
def write(tmp_path):
    def writer(content, name="rows.csv"):
        file = tmp_path / name
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
        return file

    return writer


@pytest.fixture(params=["small files by csv", "all by Polars"], autouse=True)
def reader(request, monkeypatch):
    """Small files go another way than large ones, to the same cells."""
    if request.param == "all by Polars":
        monkeypatch.setattr(records, "SMALL_BYTES", 0)


@pytest.fixture
def small_chunks(monkeypatch):
    """Chunks that end in the middle of everything."""
    monkeypatch.setattr(records, "CHUNK_BYTES", 16)


PLAIN = [
    ("commas", "a,b\n1,2\n3,4\n"),
    ("semicolons", "a;b\n1;2\n3;4\n"),
    ("tabs", "a\tb\n1\t2\n3\t4\n"),
    ("bars", "a|b\n1|2\n3|4\n"),
    ("no line end at the end", "a,b\n1,2\n3,4"),
    ("blank lines at the end", "a,b\n1,2\n3,4\n\n\n"),
    ("blank lines everywhere", "\na,b\n\n1,2\n\n\n3,4\n\n"),
    ("Windows line ends", "a,b\r\n1,2\r\n3,4\r\n"),
    ("Windows blank lines", "a,b\r\n\r\n1,2\r\n\r\n3,4\r\n\r\n"),
    ("byte order mark", "\ufeffa,b\n1,2\n3,4\n"),
    ("byte order mark and quotes", '\ufeff"a","b"\n1,2\n3,4\n'),
    ("quoted cells", '"a","b"\n"1","2"\n3,"4"\n'),
    ("quoted cells, Windows", '"a","b"\r\n"1","2"\r\n3,"4"\r\n'),
]


@pytest.mark.parametrize("content", [c for _, c in PLAIN], ids=[name for name, _ in PLAIN])
@pytest.mark.parametrize("name", ["rows.csv", "rows.txt", "ROWS.CSV", "rows"])
def test_one_table_in_many_shapes(write, content, name):
    assert read(write(content, name)) == (["a", "b"], [("1", "2"), ("3", "4")])


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("content", [c for _, c in PLAIN], ids=[name for name, _ in PLAIN])
def test_chunks_may_end_anywhere(write, content):
    assert read(write(content)) == (["a", "b"], [("1", "2"), ("3", "4")])


CELLS = [
    ("leading zeros and spaces stay", "id,x\n007, 1 \n", [("007", " 1 ")]),
    ("missing cells", 'id,x\n,NA\n"","NA"\nna,?\n', [(None, None), (None, None), ("na", "?")]),
    ("line ends in quotes", 'id,x\n"a\nb","c\r\nd"\n1,2\n', [("a\nb", "c\r\nd"), ("1", "2")]),
    ("delimiters in quotes", 'id,x\n"a,b,c",1\n', [("a,b,c", "1")]),
    ("quotes in quotes", 'id,x\n"say ""hi""",""""\n', [('say "hi"', '"')]),
    ("a quote within a cell", 'id,x\n5" pipe,1\n6" pipe,2\n', [('5" pipe', "1"), ('6" pipe', "2")]),
    ("a quote after a space", 'id,x\n "a",1\n', [(' "a"', "1")]),
    ("only delimiters", "id,x\n,\n1,2\n", [(None, None), ("1", "2")]),
    ("not a comment", "id,x\n#1,2\n", [("#1", "2")]),
    ("other alphabets", "id,x\nÅsa,λ\n", [("Åsa", "λ")]),
]


@pytest.mark.parametrize(("content", "expected"), [c[1:] for c in CELLS], ids=[c[0] for c in CELLS])
def test_cells_come_verbatim(write, content, expected, monkeypatch):
    file = write(content)
    assert read(file)[1] == expected
    monkeypatch.setattr(records, "CHUNK_BYTES", 5)
    assert read(file)[1] == expected


def test_one_column(write):
    assert read(write('x\n1\n\n""\n2\n\n')) == (["x"], [("1",), (None,), ("2",)])


def test_long_cells(write):
    cell = "a, b\n" * 100_000
    assert read(write(f'x,y\n"{cell}",1\n'))[1] == [(cell, "1")]


def test_nulls_are_an_option(write):
    file = write("a,b\n,NA\n?,-9\n")
    assert read(file, nulls=["?", "-9"])[1] == [("", "NA"), (None, None)]


BAD = [
    ("empty file", b"", "is empty: the table is empty"),
    ("blank file", b"\n\n", "is empty: the table is empty"),
    ("short line", b"a,b,c\n1,2,3\n1,2\n4,5,6\n", "line 3: 2 fields, but the header has 3 fields"),
    ("short line at the end", b"a,b,c\n1,2,3\n4,5", "line 3: 2 fields"),
    ("long line", b"a,b,c\n1,2,3\n1,2,3,4\n", "line 3: 4 fields"),
    ("a long line makes up for a short one", b"a,b,c\n1,2\n1,2,3,4\n", "line 2: 2 fields"),
    ("short line after quoted line ends", b'a,b\n"1\n\n1",2\n3\n', "line 5: 1 field,"),
    ("long line in one column", b"a\n1\n1,2\n", "line 3: 2 fields, but the header has 1 field"),
    ("quote not closed", b'a,b\n1,2\n"3,4\n5,6\n', "line 3: a quote opens a cell and is not closed"),
    ("text after a quote", b'a,b\n1,2\n"3"x,4\n', "line 3: a quoted cell goes on after its closing quote"),
    ("header quote not closed", b'"a,b\n1,2\n', "a quote in the header is not closed"),
    ("same name twice", b"a,b,a\n1,2,3\n", "line 1: the name 'a' stands for columns 1 and 3"),
    ("name missing", b"a,,c\n1,2,3\n", "line 1: no name for column 2"),
    ("name missing at the end", b"a,b,\n1,2,\n", "line 1: no name for column 3"),
    ("Latin-1", "a,b\n1,2\né,3\n".encode("latin-1"), "line 3: byte 0xe9 is not UTF-8 text. Save the file as UTF-8"),
    ("Latin-1 header", "é,b\n1,2\n".encode("latin-1"), "line 1: byte 0xe9 is not UTF-8"),
    ("UTF-16", "a,b\n1,2\n".encode("utf-16"), "is UTF-16 text; save it as UTF-8"),
    ("old Mac line ends", b"a,b\r1,2\r", "ends its lines with carriage returns alone"),
    ("zstd", b"\x28\xb5\x2f\xfd\x00", "is compressed with zstd"),
    ("truncated gzip", gzip.compress(b"a,b\n1,2\n" * 99)[:-12], "cannot be read"),
]


@pytest.mark.parametrize("chunk", [1 << 22, 4], ids=["whole", "in chunks"])
@pytest.mark.parametrize(("content", "message"), [b[1:] for b in BAD], ids=[b[0] for b in BAD])
def test_bad_files_give_one_clear_line(write, content, message, chunk, monkeypatch):
    monkeypatch.setattr(records, "CHUNK_BYTES", chunk)
    file = write(content)
    with pytest.raises(InputError) as caught:
        read(file)
    said = str(caught.value)
    assert message in said
    assert file.name in said
    assert "\n" not in said


def test_a_line_number_many_chunks_into_a_file(write, monkeypatch):
    monkeypatch.setattr(records, "CHUNK_BYTES", 1 << 14)
    lines = ["a,b"] + ["1,2", '"x\ny",2', "", '5" pipe,2'] * 10_000 + ["1"] + ["3,4"] * 10
    with pytest.raises(InputError, match="line 50002: 1 field,"):
        read(write("\n".join(lines)))


def test_an_open_quote_does_not_gather_up_the_file(write, monkeypatch):
    monkeypatch.setattr(records, "CHUNK_BYTES", 1 << 10)
    monkeypatch.setattr(records, "RECORD_BYTES", 1 << 13)
    read_sizes = []
    whole_records = records.whole_records
    monkeypatch.setattr(
        records, "whole_records", lambda data, *rest: (read_sizes.append(len(data)), whole_records(data, *rest))[1]
    )
    with pytest.raises(InputError, match="line 2: a quote opens a cell and is not closed"):
        read(write('a,b\n"1,2\n' + "3,4\n" * 100_000))
    assert max(read_sizes) <= 1 << 14


def test_missing_files_are_our_error(tmp_path):
    with pytest.raises(DistinguoError, match=r"there is no file '.*none.csv'"):
        open_frames(tmp_path / "none.csv")
    with pytest.raises(DistinguoError, match="no file matches"):
        open_frames(f"{tmp_path}/*.csv")
    with pytest.raises(DistinguoError, match="is a folder"):
        open_frames(tmp_path)
    with pytest.raises(DistinguoError, match="list of files is empty"):
        open_frames([])


def test_a_file_that_goes_away(write):
    file = write("a,b\n1,2\n")
    frames = open_frames(file)
    file.unlink()
    with pytest.raises(InputError, match="cannot be read"):
        list(frames.frames())


@pytest.mark.parametrize("options", [{"delimiter": ",,"}, {"delimiter": '"'}, {"decimal": "x"}, {"batch_rows": 0}])
def test_bad_options(write, options):
    with pytest.raises(InputError, match=next(iter(options))):
        open_frames(write("a,b\n1,2\n"), **options)


def test_unnamed_first_column_is_row_names(write):
    file = write('"","x","y"\n"r1",1,a\n"r2",2,b\n')
    frames = open_frames(file)
    assert frames.names == ["row", "x", "y"]
    assert frames.row_names == "row"
    with pytest.raises(InputError, match="no name for column 1"):
        open_frames(write(",row\n1,2\n"))


def test_header_only_has_columns_and_no_rows(write):
    assert read(write("a,b\n")) == (["a", "b"], [])
    assert read(write("a,b")) == (["a", "b"], [])


def test_quoted_line_ends_in_the_header(write):
    assert read(write('"length\n(cm)",b\n1,2\n')) == (["length\n(cm)", "b"], [("1", "2")])


@pytest.mark.parametrize(
    ("header", "sample", "delimiter"),
    [
        ("a,b;c", "1,2", ","),
        ("a;b;c", "1,5;2,5;3", ";"),
        ("length, cm;width, cm", "1;2", ";"),
        ("length, cm\twidth, cm\tkind, one", "1,5\t2\ta", "\t"),
        ('"a;b;c",d', '"x;y;z",1', ","),
        ("alone", "1,5", ","),
        ("a|b", "", "|"),
    ],
)
def test_delimiter_is_found(header, sample, delimiter):
    assert sniff(header, sample) == delimiter


def test_tsv_is_told_by_its_name(write):
    assert read(write("a,b\tc\n1,5\t2\n", "rows.tsv")) == (["a,b", "c"], [("1,5", "2")])
    assert read(write("x,y,z\n1,2,3\n", "rows.tsv"))[0] == ["x,y,z"]
    assert read(write("x,y,z\n1,2,3\n", "rows.tsv"), delimiter=",")[0] == ["x", "y", "z"]


@pytest.mark.parametrize(("pack", "end"), [(gzip.compress, "gz"), (bz2.compress, "bz2"), (lzma.compress, "xz")])
def test_compressed(write, pack, end):
    rows = "a\tb\n" + "1\t2\n" * 1000
    assert read(write(pack(rows.encode()), f"rows.tsv.{end}")) == (["a", "b"], [("1", "2")] * 1000)


def test_several_files(write, tmp_path):
    write("a,b\n1,2\n", "2.csv")
    write("b;a\n4;3\n", "1.csv")
    assert read(f"{tmp_path}/*.csv") == (["b", "a"], [("4", "3"), ("2", "1")])
    assert read([tmp_path / "2.csv", tmp_path / "1.csv"]) == (["a", "b"], [("1", "2"), ("3", "4")])
    write("a,c\n1,2\n", "3.csv")
    with pytest.raises(InputError, match=r"3.csv lacks 'b' and has 'c' besides, unlike .*1.csv"):
        open_frames(f"{tmp_path}/*.csv")


def test_a_name_with_brackets_is_a_name(write):
    assert read(write("a,b\n1,2\n", "rows[1].csv")) == (["a", "b"], [("1", "2")])


def test_standard_input_is_read_twice_and_its_copy_deleted(monkeypatch, tmp_path):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(b"a,b\n1,2\n"))))
    frames = open_frames("-")
    assert len(os.listdir(tmp_path)) == 1
    assert [f.rows() for f in frames.frames()] == [f.rows() for f in frames.frames()] == [[("1", "2")]]
    del frames
    assert os.listdir(tmp_path) == []
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"")))
    with pytest.raises(InputError, match="standard input is empty"):
        open_frames("-")
    assert os.listdir(tmp_path) == []


def test_batches_hold_at_most_so_many_rows(write):
    frames = open_frames(write("a,b\n" + "1,2\n" * 10), batch_rows=4)
    assert [frame.height for frame in frames.frames()] == [4, 4, 2]


def test_columns_can_be_chosen(write):
    frames = open_frames(write('a,b,c\n1,2,3\n"x"y",5,6\n'[:12] + "\n4,5,6\n"))
    assert [frame.rows() for frame in frames.frames(["c", "a"])] == [[("3", "1"), ("6", "4")]]


def test_random_tables_come_back_as_written(tmp_path, monkeypatch):
    random = np.random.default_rng(20)
    alphabet = ["a", "7", " ", ",", ";", "\t", '"', "\n", "\r\n", "é", ""]
    for trial in range(60):
        monkeypatch.setattr(records, "CHUNK_BYTES", int(random.integers(1, 60)))
        width = int(random.integers(1, 5))
        cells = ["".join(random.choice(alphabet, random.integers(0, 5))) for _ in range(width * 12)]
        rows = [tuple(cells[i : i + width]) for i in range(0, len(cells), width)]
        file = tmp_path / f"{trial}.csv"
        with file.open("w", newline="", encoding="utf-8") as handle:
            quoting = csv.QUOTE_ALL if trial % 2 else csv.QUOTE_MINIMAL
            writer = csv.writer(handle, quoting=quoting, lineterminator="\r\n" if trial % 3 else "\n")
            writer.writerows([[f"c{i}" for i in range(width)], *rows])
        assert read(file, delimiter=",", nulls=[])[1] == rows


# --- real files -----------------------------------------------------------------------------------------------------


@pytest.mark.skipif(not DATA.is_dir(), reason="the shared data folder is not beside the repository")
@pytest.mark.parametrize(
    ("name", "rows", "columns"),
    [
        ("penguins.csv", 344, 7),
        ("titanic.csv", 891, 15),
        ("mushroom.csv", 8124, 23),
        ("sms_spam.csv", 5574, 2),
        ("20news_lecture_test.csv.gz", 1543, 3),
        ("adult_test.csv.gz", 16281, 15),
    ],
)
def test_real_files_as_csv_reads_them(name, rows, columns):
    file = DATA / name
    raw = gzip.decompress(file.read_bytes()) if name.endswith("gz") else file.read_bytes()
    header, *body = csv.reader(io.StringIO(raw.decode(), newline=""))
    names, found = read(file, nulls=[])
    assert names == header
    assert found == [tuple(row) for row in body]
    assert (len(found), len(names)) == (rows, columns)
