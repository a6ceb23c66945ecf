"""compare: the table, its JSON, and tables that some models cannot take."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy.stats import multivariate_normal
from sklearn.datasets import load_iris
from sklearn.metrics import accuracy_score, balanced_accuracy_score, log_loss

from distinguo.catalogue import COMPARED
from distinguo.resampling import repeated_folds
from tests.cli.conftest import Run, Write, two_classes

QUICK = ("--repeats", "1", "--folds", "3")
Data = Callable[[str], Path]


def models(done: object) -> dict[str, dict[str, object]]:
    return {model["name"]: model for model in json.loads(done.out)["models"]}  # type: ignore[attr-defined]


def posterior(X: np.ndarray, codes: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Of linear discriminant analysis, by the textbook: Gaussian densities of one covariance, divisor n - K."""
    counts = np.bincount(codes)
    means = np.array([X[codes == k].mean(axis=0) for k in range(len(counts))])
    centred = X - means[codes]
    covariance = centred.T @ centred / (len(X) - len(counts))
    densities = [multivariate_normal(mean, covariance).pdf(rows) for mean in means]
    joint = np.transpose(densities) * counts / len(X)
    return np.asarray(joint / joint.sum(axis=1, keepdims=True))


def test_the_table_shows_all_models_and_the_baseline(distinguo: Run) -> None:
    done = distinguo("compare", "iris")
    assert (done.code, done.err) == (0, "")
    header, *rows = done.out.split("\n\n")[1].splitlines()
    assert header.split() == ["model", "accuracy", "balanced", "log", "loss", "fit", "predict/row", "size"]
    names = [row.split()[0] for row in rows]
    assert sorted(names) == sorted(["majority", *(entry.name for entry in COMPARED)])
    # The best log loss first; then what has none, the most accurate first.
    without = sum(not entry.probabilities for entry in COMPARED)
    losses, accuracies = [row.split()[5] for row in rows], [float(row.split()[1]) for row in rows]
    assert losses[-without:] == ["-"] * without
    assert losses[:-without] == sorted(losses[:-without], key=float)
    assert accuracies[-without:] == sorted(accuracies[-without:], reverse=True)
    assert names[-without - 1] == "majority"
    assert rows[-without - 1].split()[1:4] == ["0.3333", "±", "0.0000"]
    assert "150 rows, 3 classes of 'species'" in done.out
    assert all(line == line.rstrip() for line in done.out.splitlines())


def test_json_is_all_there_is_on_standard_output_and_holds_independent_numbers(distinguo: Run) -> None:
    done = distinguo("compare", "iris", "--json", "--models", "lda", "--seed", "11")
    document = json.loads(done.out)
    assert document["classes"] == {"setosa": 50, "versicolor": 50, "virginica": 50}
    found = models(done)["lda"]
    X, codes = load_iris(return_X_y=True)
    y = np.array(["setosa", "versicolor", "virginica"])[codes]
    quality = []
    splits = repeated_folds(codes, folds=5, repeats=2, random_state=11)
    for repeat in (0, 1):
        probabilities = np.empty((150, 3))
        for split in splits:
            if split.repeat == repeat:
                probabilities[split.test] = posterior(X[split.train], codes[split.train], X[split.test])
        predicted = np.unique(y)[probabilities.argmax(axis=1)]
        quality.append(
            [accuracy_score(y, predicted), balanced_accuracy_score(y, predicted), log_loss(y, probabilities)]
        )
    expected = np.mean(quality, axis=0)
    assert [found[k] for k in ("accuracy", "balanced_accuracy", "log_loss")] == pytest.approx(expected, rel=1e-6)


def test_the_table_shows_the_numbers_of_the_json(distinguo: Run) -> None:
    text, document = distinguo("compare", "wine", *QUICK), models(distinguo("compare", "wine", "--json", *QUICK))
    for line in text.out.split("\n\n")[1].splitlines()[1:]:
        name, accuracy, _, error, balanced, loss = line.split()[:6]
        found = document[name]
        keys = ("accuracy", "accuracy_se", "balanced_accuracy", "log_loss")
        shown = ["-" if found[key] is None else f"{found[key]:.4f}" for key in keys]
        assert shown == [accuracy, error, balanced, loss]


def test_the_same_seed_gives_the_same_numbers(distinguo: Run, pets: str) -> None:
    def numbers(seed: str) -> dict[str, object]:
        done = distinguo("compare", pets, "-t", "kind", "--json", "--seed", seed)
        return {name: (m["accuracy"], m["log_loss"], m["model_bytes"]) for name, m in models(done).items()}

    assert numbers("3") == numbers("3") != numbers("4")


def test_penguins_holes_are_taken(distinguo: Run, shared_data: Data) -> None:
    """Chinstraps live on one island, which has no variance among them: QDA says so, holes or not."""
    done = distinguo("compare", shared_data("penguins.csv"), "-t", "species", "--json", *QUICK)
    assert done.code == 0
    found = models(done)
    assert "singular in the columns 'island=Dream'" in str(found["qda"]["reason"])
    assert "accuracy" not in found["qda"]
    assert found["lda"]["accuracy"] > 0.98  # type: ignore[operator]
    assert found["gaussian-nb"]["accuracy"] > 0.85  # type: ignore[operator]
    measured = distinguo(
        "compare", shared_data("penguins.csv"), "-t", "species", "--json", "--drop", "island", "--drop", "sex", *QUICK
    )
    for name in ("lda", "qda"):
        assert models(measured)[name]["accuracy"] > 0.97  # type: ignore[operator]


def test_a_singular_class_keeps_qda_out(distinguo: Run, shared_data: Data) -> None:
    done = distinguo("compare", shared_data("fgl.csv"), "-t", "type", *QUICK)
    assert done.code == 0
    line = next(line for line in done.out.splitlines() if line.startswith("qda"))
    assert "not compared: " in line
    assert "singular" in line


def test_rows_without_a_target_are_left_out_and_counted(distinguo: Run, write: Write) -> None:
    file = write("pets.csv", two_classes(30) + "1,2,\n3,4,NA\n0,1, \n")
    done = distinguo("compare", file, "-t", "kind", *QUICK)
    assert done.err == "note: 3 rows without 'kind' left out\n"
    assert "30 rows, 2 classes of 'kind'" in done.out
    document = json.loads(distinguo("compare", file, "-t", "kind", "--json", "-q", *QUICK).out)
    assert (document["rows"], document["rows_without_target"]) == (30, 3)


def test_roles_are_shown_and_overridden(distinguo: Run, write: Write) -> None:
    lines = [f"{line},{i}" for i, line in enumerate(two_classes(30).splitlines())]
    file = write("pets.csv", "\n".join(lines).replace("kind,0", "kind,nr") + "\n")
    roles = {
        c["name"]: c for c in json.loads(distinguo("compare", file, "-t", "kind", "--json", *QUICK).out)["columns"]
    }
    assert roles["nr"] == {
        "name": "nr",
        "role": "identifier-like",
        "why": "whole numbers, each different, named like an identifier",
    }
    done = distinguo("compare", file, "-t", "kind", "--numeric", "nr", "--drop", "width", *QUICK)
    assert "numeric      2: length, nr" in done.out
    assert "left out     width (dropped: as asked)" in done.out


def test_categories_are_learned_in_each_fold(distinguo: Run, write: Write) -> None:
    """A category of one row is unknown to the fold that tests it: a hole there, not a column of the future."""
    lines = two_classes(40, extra=",a", header=",letter").splitlines()
    lines[5] = lines[5][:-1] + "z"
    lines[6:20] = [line[:-1] + "b" for line in lines[6:20]]
    done = distinguo("compare", write("pets.csv", "\n".join(lines) + "\n"), "-t", "kind", "--json", *QUICK)
    found = models(done)
    assert found["lda"]["reason"] is None
    assert found["gaussian-nb"]["reason"] is None


def test_a_small_class_is_noted(distinguo: Run, write: Write) -> None:
    file = write("pets.csv", two_classes(30) + "9,9,hen\n9.5,9.1,hen\n9.2,9.7,hen\n")
    done = distinguo("compare", file, "-t", "kind", "--models", "lda")
    assert done.code == 0
    assert done.err == "note: class 'hen' has 3 rows, so some of the 5 folds test none of it\n"


def test_warnings_of_models_are_notes_and_each_comes_once(distinguo: Run, write: Write) -> None:
    lines = two_classes(40).splitlines()
    rows = [f"{line},{line.split(',')[0]}" for line in lines]
    file = write("pets.csv", "\n".join(rows).replace("kind,length", "kind,copy") + "\n")
    done = distinguo("compare", file, "-t", "kind")
    notes = done.err.splitlines()
    assert len(notes) == 1
    assert notes[0].startswith("note: lda, qda")
    assert ": left out 1 direction(s)" in notes[0]
    assert "Warning" not in done.err
    assert distinguo("compare", file, "-t", "kind", "-q").err == ""


def test_what_fit_left_out_is_said_by_fit_only(distinguo: Run, write: Write, tmp_path: Path) -> None:
    rows = [f"{line},{line.split(',')[0]}" for line in two_classes(40).splitlines()]
    file, model = write("pets.csv", "\n".join(rows).replace("kind,length", "kind,copy") + "\n"), tmp_path / "m.dgo"
    assert "left out 1 direction" in distinguo("fit", file, "-t", "kind", "--model", "lda", "-o", model).err
    assert distinguo("describe", model).err == ""
    assert "left out" not in distinguo("predict", model, file).err


def test_where_no_model_can_take_the_table_the_exit_code_says_so(distinguo: Run, shared_data: Data) -> None:
    done = distinguo("compare", shared_data("penguins.csv"), "-t", "species", "--models", "qda", *QUICK)
    assert done.code == 1
    assert "majority" in done.out
    assert done.error.startswith("error: no model can take this table: qda the covariance of class 'Chinstrap'")


def test_standard_input_parquet_and_csv_give_the_same(
    distinguo: Run, pets: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pl.read_csv(pets).write_parquet(tmp_path / "pets.parquet")
    results = [distinguo("compare", pets, "-t", "kind", "--json", *QUICK)]
    results.append(distinguo("compare", tmp_path / "pets.parquet", "-t", "kind", "--json", *QUICK))
    with open(pets) as stream:
        monkeypatch.setattr("sys.stdin", stream)
        results.append(distinguo("compare", "-", "-t", "kind", "--json", *QUICK))
    losses = [[m.get("log_loss") for m in models(done).values()] for done in results]
    assert losses[0] == losses[1] == losses[2]


def test_whole_numbers_as_labels_stay_whole_numbers(distinguo: Run, tmp_path: Path) -> None:
    frame = pl.DataFrame({"x": np.random.default_rng(0).normal(size=30), "y": [0, 1, 2] * 10})
    frame.write_parquet(tmp_path / "t.parquet")
    document = json.loads(distinguo("compare", tmp_path / "t.parquet", "-t", "y", "--json", *QUICK).out)
    assert document["classes"] == {"0": 10, "1": 10, "2": 10}


def test_more_columns_than_rows(distinguo: Run, write: Write) -> None:
    generator = np.random.default_rng(0)
    lines = [",".join([*(f"x{j}" for j in range(40)), "y"])]
    lines += [",".join([*(f"{v:.4f}" for v in generator.normal(size=40)), "ab"[i % 2]]) for i in range(20)]
    done = distinguo("compare", write("wide.csv", "\n".join(lines) + "\n"), "-t", "y", "--json", "-q", *QUICK)
    found = models(done)
    assert done.code == 0
    assert found["gaussian-nb"]["reason"] is None
    assert "singular" in str(found["qda"]["reason"])


def test_rows_sorted_by_class_columns_that_separate_and_columns_of_any_unit(distinguo: Run, write: Write) -> None:
    generator = np.random.default_rng(0)
    rows = []
    for k in (0, 1, 2):
        for a, b in generator.normal(size=(20, 2)):
            rows.append(f"{1e-9 * (a + 3 * k):.6g},{1e9 * (b - k):.6g},{k},{'abc'[k]}")
    file = write("units.csv", "tiny,huge,tells,y\n" + "\n".join(rows) + "\n")
    found = models(distinguo("compare", file, "-t", "y", "--models", "lda,gaussian-nb", "--json", "-q", *QUICK))
    assert found["lda"]["accuracy"] == 1.0
    assert found["gaussian-nb"]["accuracy"] == 1.0
    found = models(distinguo("compare", file, "-t", "y", "--drop", "tells", "--models", "lda", "--json", "-q", *QUICK))
    assert found["lda"]["accuracy"] > 0.8  # type: ignore[operator]


def test_memory_is_measured_where_it_is_asked_for(distinguo: Run) -> None:
    quick = ("compare", "iris", "--models", "lda,knn", "--folds", "2", "--repeats", "1", "--json")
    peaks = [model["peak_bytes"] for model in json.loads(distinguo(*quick, "--memory").out)["models"]]
    assert all(1000 < peak < 50_000_000 for peak in peaks)
    assert [model["peak_bytes"] for model in json.loads(distinguo(*quick).out)["models"]] == [None] * 3


def test_rows_may_be_drawn_to_test_on(distinguo: Run) -> None:
    drawn = ("compare", "iris", "--models", "lda", "--test-share", "0.4", "--repeats", "3")
    document = json.loads(distinguo(*drawn, "--json").out)
    assert (document["folds"], document["test_share"]) == (None, 0.4)
    assert [len(model["accuracy_by_split"]) for model in document["models"]] == [3, 3]
    assert "40% of the rows drawn to test on, 3 repeats, seed 0" in distinguo(*drawn).out
    assert "0 is not between 0 and 1" in distinguo("compare", "iris", "--test-share", "0").err


def test_differences_are_to_the_best(distinguo: Run) -> None:
    document = json.loads(distinguo("compare", "iris", "--models", "lda,qda", "--json").out)
    losses = {model["name"]: model["log_loss"] for model in document["models"]}
    for row in document["differences"]:
        assert row["log_loss"] == pytest.approx(losses[row["model"]] - losses["lda"])
        assert row["log_loss_low"] <= row["log_loss"] <= row["log_loss_high"]
    assert {row["model"] for row in document["differences"]} == {"qda", "majority"}
