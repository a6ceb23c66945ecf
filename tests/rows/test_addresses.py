"""Tables at addresses: a server of this machine that hands out files, and parts of them."""

import gzip
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from distinguo import LinearDiscriminantAnalysis
from distinguo.exceptions import InputError
from distinguo.rows import columnar, places
from distinguo.rows.files import scan
from distinguo.rows.opening import open_frames
from distinguo.rows.places import Place, places_of


class Handler(BaseHTTPRequestHandler):
    """Files of a folder, whole or the range that is asked for."""

    protocol_version = "HTTP/1.1"

    def do_HEAD(self):
        self.answer(with_body=False)

    def do_GET(self):
        self.answer(with_body=True)

    def answer(self, with_body):
        file = self.server.folder / self.path.lstrip("/").partition("?")[0]
        if not file.is_file():
            self.send_response(404)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        content, asked = file.read_bytes(), re.fullmatch(r"bytes=(\d*)-(\d*)", self.headers.get("Range", ""))
        self.send_response(206 if asked else 200)
        if asked:
            n = len(content)
            first = int(asked[1]) if asked[1] else max(n - int(asked[2]), 0)
            last = min(int(asked[2]), n - 1) if asked[1] and asked[2] else n - 1
            self.send_header("Content-Range", f"bytes {first}-{last}/{n}")
            content = content[first : last + 1]
        self.send_header("Accept-Ranges", "bytes")
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Last-Modified", "Mon, 01 Jan 2024 00:00:00 GMT")
        self.end_headers()
        if with_body:
            self.server.sent += len(content)
            self.wfile.write(content)

    def log_message(self, *_):
        pass


@pytest.fixture
def server(tmp_path):
    served = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    served.folder, served.sent = tmp_path, 0
    thread = threading.Thread(target=served.serve_forever, daemon=True)
    thread.start()
    served.address = f"http://127.0.0.1:{served.server_port}"
    yield served
    served.shutdown()
    served.server_close()
    thread.join()


def table(n=500, seed=0, p=2):
    random = np.random.default_rng(seed)
    y = random.integers(0, 2, n)
    columns = {f"x{j}": random.normal(size=n) + y for j in range(p)}
    return pl.DataFrame(columns).with_columns(y=np.array(["a", "b"])[y])


WRITERS = {
    "rows.parquet": lambda t, f: t.write_parquet(f, row_group_size=90),
    "rows.arrow": lambda t, f: t.write_ipc(f, record_batch_size=90),
    "rows.csv": lambda t, f: t.write_csv(f),
    "rows.csv.gz": lambda t, f: f.write_bytes(gzip.compress(t.write_csv().encode())),
    "rows.tsv": lambda t, f: t.write_csv(f, separator="\t"),
}


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("name", WRITERS)
def test_rows_at_an_address_are_those_of_the_file(server, name, workers, monkeypatch):
    monkeypatch.setattr(columnar, "PIECE_ROWS", 128)
    WRITERS[name](table(), server.folder / name)
    source = scan(f"{server.address}/{name}", target="y", workers=workers)
    np.testing.assert_array_equal(np.concatenate([b.X for b in source.batches()]), table().drop("y").to_numpy())
    found = LinearDiscriminantAnalysis().fit(source)
    expected = LinearDiscriminantAnalysis().fit(table().drop("y"), table()["y"])
    np.testing.assert_allclose(found.coef_, expected.coef_, rtol=1e-12)


@pytest.mark.parametrize("name", ["rows.parquet", "rows.csv"])
def test_lists_of_addresses_and_files(server, name):
    here, there = server.folder / name, server.folder / "there"
    there.mkdir()
    WRITERS[name](table(seed=1), here)
    WRITERS[name](table(seed=2), there / name)
    source = scan([f"{server.address}/there/{name}?token=1", here], target="y")
    X = np.concatenate([b.X for b in source.batches()])
    np.testing.assert_array_equal(X, pl.concat([table(seed=2), table(seed=1)]).drop("y").to_numpy())


def test_of_typed_files_only_the_columns_asked_for_travel(server):
    table(n=20_000, p=20).write_parquet(server.folder / "rows.parquet")
    source = scan(f"{server.address}/rows.parquet", target="y", columns=["x3"])
    server.sent = 0
    assert sum(len(batch.X) for batch in source.batches()) == 20_000
    assert server.sent < (server.folder / "rows.parquet").stat().st_size / 4


@pytest.mark.parametrize("name", ["none.parquet", "none.arrow", "none.csv", "none"])
def test_what_is_not_there_is_named(server, name):
    with pytest.raises(InputError, match=f"{server.address}/{name} cannot be read .*404 Not Found") as caught:
        scan(f"{server.address}/{name}", target="y")
    assert "\n" not in str(caught.value)
    assert ("The address of a folder ends in '/'" in str(caught.value)) == (name == "none")


def test_a_damaged_file_is_named(server):
    WRITERS["rows.parquet"](table(), server.folder / "rows.parquet")
    content = (server.folder / "rows.parquet").read_bytes()
    (server.folder / "rows.parquet").write_bytes(content[:-100])
    with pytest.raises(InputError, match=rf"{server.address}/rows\.parquet cannot be read"):
        scan(f"{server.address}/rows.parquet", target="y")


def test_errors_in_text_call_it_by_its_address(server):
    (server.folder / "rows.csv").write_text("x,y\n1,a\n2\n")
    with pytest.raises(InputError, match=rf"{server.address}/rows\.csv, line 3: 1 field"):
        list(scan(f"{server.address}/rows.csv", target="y").batches())


def test_copies_of_text_are_taken_away(server, tmp_path, monkeypatch):
    kept = tmp_path / "kept"
    kept.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(kept))
    WRITERS["rows.csv"](table(), server.folder / "rows.csv")
    source = scan(f"{server.address}/rows.csv", target="y")
    assert len(list(kept.iterdir())) == 1
    del source
    assert not list(kept.iterdir())
    for name, content in (("empty.csv", ""), ("twice.csv", "x,x\n1,2\n")):
        (server.folder / name).write_text(content)
        with pytest.raises(InputError):
            open_frames(f"{server.address}/{name}")
    with pytest.raises(InputError):
        open_frames(f"{server.address}/none.csv")
    assert not list(kept.iterdir())


# An object store's listing is Polars' own; files below a folder stand in for it.


@pytest.fixture
def store(tmp_path):
    """The address of a folder in parts, with what writers leave beside tables."""
    for year, country in ((2023, "it"), (2023, "de"), (2024, "it")):
        place = tmp_path / "rows" / f"year={year}" / f"country={country}"
        place.mkdir(parents=True)
        table(n=10, seed=year).write_parquet(place / "part.parquet")
        table(n=10, seed=year).write_csv(place / "part.csv")
    (tmp_path / "rows" / "_SUCCESS").touch()
    (tmp_path / "rows" / "_log").mkdir()
    pl.DataFrame({"other": ["columns"]}).write_parquet(tmp_path / "rows" / "_log" / "0.parquet")
    return f"file://{tmp_path}/rows"


@pytest.mark.parametrize("end", ["parquet", "csv"])
def test_patterns_of_addresses(store, end):
    def parts(pattern):
        return [place.parts for place in places_of(f"{store}/{pattern}")]

    both = [{"year": "2023", "country": "it"}, {"year": "2024", "country": "it"}]
    assert parts(f"year=*/country=it/*.{end}") == both
    assert parts(f"year=202[34]/country=it/part.{end}") == both
    assert parts(f"year=2023/*/*.{end}") == [{"country": "de"}, {"country": "it"}]
    source = scan(f"{store}/year=*/**/*.{end}", target="y", columns=["year", "x0"], where="country = 'it'")
    years = np.concatenate([batch.X[:, 0] for batch in source.batches()])
    assert years.tolist() == [2023] * 10 + [2024] * 10


def test_folders_at_addresses(store):
    for file in Path(store.removeprefix("file://")).rglob("*.csv"):
        file.unlink()
    frames = open_frames(f"{store}/")
    assert frames.names == ["x0", "x1", "y", "year", "country"]
    assert frames.count() == (30, True)


def test_nothing_at_an_address(store):
    with pytest.raises(InputError, match=r"/none\*\.parquet matches no file, or they have no rows"):
        places_of(f"{store}/none*.parquet")
    with pytest.raises(InputError, match="/_none/ is a folder without tables"):
        places_of(f"{store}/_none/")


def test_options_of_a_store_are_handed_on(monkeypatch):
    asked = []

    def read(path, **options):
        asked.append((path, options["storage_options"]))
        raise OSError("stop here")

    monkeypatch.setitem(columnar.READERS, ".parquet", read)
    monkeypatch.setitem(places._LISTERS, ".parquet", read)
    for address in ("s3://bucket/rows.parquet", "s3://bucket/*.parquet"):
        with pytest.raises(OSError, match="stop here") if "*" in address else pytest.raises(InputError):
            scan(address, target="y", storage_options={"aws_endpoint_url": "http://127.0.0.1:1"})
    assert [options for _, options in asked] == [{"aws_endpoint_url": "http://127.0.0.1:1"}] * 2
    assert Place("s3://bucket/rows.parquet").suffix == ".parquet"
