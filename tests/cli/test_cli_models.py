"""Model files: equal after loading, and refused in one line where they are not ours, whole and known."""

import io
import json
import pickle
import zipfile
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import skops.io
from sklearn.linear_model import LogisticRegression

from distinguo.catalogue import CATALOGUE
from distinguo.cli.persistence import SavedModel, load, save, to_bytes
from distinguo.exceptions import ModelFileError
from tests.cli.conftest import Run, two_classes


@pytest.mark.filterwarnings("ignore::distinguo.exceptions.SeparationWarning")  # the pets are far apart
@pytest.mark.parametrize("entry", CATALOGUE, ids=lambda entry: entry.name)
def test_a_loaded_model_says_the_same(entry: Any, distinguo: Run, pets: str, tmp_path: Path) -> None:
    file = tmp_path / "m.dgo"
    if entry.make().__sklearn_tags__().input_tags.positive_only:
        lines = Path(pets).read_text().replace("-", "")
        pets = str(tmp_path / "counted.csv")
        Path(pets).write_text(lines)
    assert distinguo("fit", pets, "-t", "kind", "--model", entry.name, "-o", file, "-q").code == 0
    first, second = load(file), load(file)
    assert to_bytes(first) == to_bytes(second) == file.read_bytes()
    X = np.abs(np.random.default_rng(1).normal(size=(20, 2)))
    fresh = entry.make().fit(*training(pets))
    for method in (name for name in ("decision_function", "predict_proba", "typicality") if hasattr(fresh, name)):
        with_names = getattr(fresh, method)(X)
        np.testing.assert_array_equal(getattr(first.model, method)(named(X)), with_names)
    assert first.target == "kind"
    assert first.counts.tolist() == [20, 20]


def training(pets: str) -> tuple[np.ndarray, list[str]]:
    lines = [line.split(",") for line in Path(pets).read_text().splitlines()[1:]]
    return np.array([line[:2] for line in lines], dtype=float), [line[2] for line in lines]


def named(X: np.ndarray) -> Any:
    import polars as pl

    return pl.DataFrame(X, schema=["length", "width"], orient="row")


def test_the_same_rows_give_the_same_bytes(distinguo: Run, pets: str, tmp_path: Path) -> None:
    files = [tmp_path / "a.dgo", tmp_path / "b.dgo"]
    for file in files:
        distinguo("fit", pets, "-t", "kind", "--model", "qda", "-o", file, "-q")
    assert files[0].read_bytes() == files[1].read_bytes()


def rewritten(model: Path, change: Callable[[dict[str, bytes]], None]) -> bytes:
    """The archive with its members changed."""
    with zipfile.ZipFile(model) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    change(members)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return out.getvalue()


class Evil:
    """Something that would run when loaded."""

    def __reduce__(self) -> Any:
        return (print, ("pwned",))


def in_our_archive(value: Any) -> bytes:
    """Someone else's object, with our header beside it."""
    out = io.BytesIO(skops.io.dumps(value))
    with zipfile.ZipFile(out, "a") as archive:
        archive.writestr("distinguo.json", json.dumps({"format": 1}))
    return out.getvalue()


def replace_type(model: Path, old: str, new: tuple[str, str]) -> bytes:
    """The archive with a class of that name declared to be another."""

    def change(members: dict[str, bytes]) -> None:
        def walk(node: Any) -> None:
            if isinstance(node, dict):
                if node.get("__class__") == old:
                    node["__module__"], node["__class__"] = new
                for child in node.values():
                    walk(child)
            elif isinstance(node, list):
                for child in node:
                    walk(child)

        schema = json.loads(members["schema.json"])
        walk(schema)
        members["schema.json"] = json.dumps(schema).encode()

    return rewritten(model, change)


def bomb() -> bytes:
    """A small file that unpacks to much."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("distinguo.json", bytes(60_000_000))
    return out.getvalue()


BAD = {
    "a pickle": (lambda _: pickle.dumps(Evil()), "is not a model file of distinguo, or is damaged (BadZipFile)"),
    "an empty file": (lambda _: b"", "is not a model file"),
    "text": (lambda _: b"length,width\n1,2\n", "is not a model file"),
    "truncated": (lambda model: model.read_bytes()[:-40], "is not a model file"),
    "cut in half": (lambda model: model.read_bytes()[: model.stat().st_size // 2], "is not a model file"),
    "another zip": (lambda model: rewritten(model, lambda members: members.clear()), "is not a model file"),
    "without schema": (lambda m: rewritten(m, lambda members: members.pop("schema.json")), "is not a model file"),
    "with a broken schema": (
        lambda m: rewritten(m, lambda members: members.update({"schema.json": b"{"})),
        "is not a model file",
    ),
    "with a broken header": (
        lambda m: rewritten(m, lambda members: members.update({"distinguo.json": b"[]"})),
        "is not a model file",
    ),
    "without an array": (lambda m: rewritten(m, lambda members: members.pop("1.npy", members.popitem())), "is not a"),
    "a zip bomb": (lambda _: bomb(), "unpacks from"),
    "a later format": (
        lambda m: rewritten(m, lambda members: members.update({"distinguo.json": b'{"format": 2}'})),
        "is of format 2, and this version of distinguo reads format 1",
    ),
    "a format that is no number": (
        lambda m: rewritten(m, lambda members: members.update({"distinguo.json": b'{"format": "x"}'})),
        "is of format 'x'",
    ),
    "a foreign type": (
        lambda m: replace_type(m, "LinearDiscriminantAnalysis", ("subprocess", "Popen")),
        "names the type subprocess.Popen, which no model holds; it was not loaded",
    ),
    "a foreign type inside": (
        lambda m: replace_type(m, "ClassMoments", ("os", "system")),
        "names the type os.system, which no model holds",
    ),
    "a skops file of another program": (
        lambda _: skops.io.dumps(LogisticRegression()),
        "is not a model file of distinguo",
    ),
    "another program's model under our header": (
        lambda _: in_our_archive(LogisticRegression()),
        "does not hold a model of distinguo",
    ),
    "a dictionary under our header": (lambda _: in_our_archive(OrderedDict(a=1)), "does not hold a model"),
    "a model of scikit-learn in place of ours": (
        lambda m: replace_type(
            m, "LinearDiscriminantAnalysis", ("sklearn.discriminant_analysis", "LinearDiscriminantAnalysis")
        ),
        "holds a LinearDiscriminantAnalysis, which is no model of distinguo",
    ),
}


@pytest.mark.parametrize("verb", ["predict", "describe"])
@pytest.mark.parametrize("name", BAD)
def test_files_that_are_refused(name: str, verb: str, distinguo: Run, pets: str, pets_model: Path) -> None:
    make, message = BAD[name]
    file = pets_model.parent / "bad.dgo"
    file.write_bytes(make(pets_model))
    done = distinguo("predict", file, pets) if verb == "predict" else distinguo("describe", file)
    assert done.code == 1
    assert message in done.error
    assert len(done.err.splitlines()) == 1
    assert done.out == ""


@pytest.mark.parametrize(("path", "message"), [("", "is a folder"), ("nosuch.dgo", "there is no model file")])
def test_paths_that_are_no_files(path: str, message: str, distinguo: Run, pets: str, tmp_path: Path) -> None:
    assert message in distinguo("predict", tmp_path / path, pets).error


def test_a_foreign_file_is_refused_before_anything_is_imported(pets_model: Path) -> None:
    import sys

    file = pets_model.parent / "bad.dgo"
    file.write_bytes(replace_type(pets_model, "LinearDiscriminantAnalysis", ("antigravity", "geohash")))
    with pytest.raises(ModelFileError, match=r"antigravity\.geohash"):
        load(file)
    assert "antigravity" not in sys.modules


def test_a_failed_save_leaves_the_old_file(pets_model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = pets_model.read_bytes()
    saved = load(pets_model)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(ValueError, match="cannot be written: No space left on device"):
        save(saved, pets_model)
    assert pets_model.read_bytes() == before
    assert sorted(file.name for file in pets_model.parent.iterdir()) == ["pets.csv", "pets.dgo"]


def test_many_categories_and_names_of_any_script_survive(distinguo: Run, tmp_path: Path) -> None:
    lines = two_classes(600, extra=",x", header=",größe 長").splitlines()
    lines[1:] = [line[:-1] + f"wört{i % 25}" for i, line in enumerate(lines[1:])]
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert distinguo("fit", tmp_path / "t.csv", "-t", "kind", "--model", "lda", "-o", tmp_path / "m", "-q").code == 0
    saved = load(tmp_path / "m")
    assert isinstance(saved, SavedModel)
    assert saved.encoder.names == ["length", "width", "größe 長"]
    assert len(saved.encoder.features) == 2 + 24
    assert distinguo("predict", tmp_path / "m", tmp_path / "t.csv", "-q").code == 0


def test_the_table_is_not_overwritten_by_its_model(distinguo: Run, pets: str, tmp_path: Path) -> None:
    before = Path(pets).read_bytes()
    (tmp_path / "link.csv").symlink_to(pets)
    for table, out in ((pets, pets), (pets, tmp_path / "link.csv"), (tmp_path / "link.csv", pets)):
        done = distinguo("fit", table, "-t", "kind", "--model", "lda", "-o", out)
        assert done.code == 1
        assert "is the table itself, which would be lost; name another file" in done.err
    assert Path(pets).read_bytes() == before


def test_a_model_of_another_version_is_named(pets_model: Path, distinguo: Run, pets: str) -> None:
    def forget_an_option(members: dict[str, bytes]) -> None:
        members["schema.json"] = members["schema.json"].replace(b'"var_smoothing"', b'"an_older_option"')
        members["schema.json"] = members["schema.json"].replace(b'"n_components"', b'"an_older_option"')

    pets_model.write_bytes(rewritten(pets_model, forget_an_option))
    done = distinguo("describe", pets_model)
    assert done.code == 1
    assert "was written by another version of distinguo" in done.err
