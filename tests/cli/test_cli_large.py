"""Tables too large to be held: the same answers as of tables that are, some rows at a time."""

import itertools
import json
import re
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from distinguo.catalogue import find
from distinguo.cli import large
from distinguo.cli.app import app
from distinguo.cli.cells import Spelling
from distinguo.cli.facts import Facts
from distinguo.cli.persistence import SavedModel, load
from distinguo.cli.roles import Overrides, assign_by
from distinguo.cli.running import run
from distinguo.cli.sampling import Sampler
from distinguo.rows import columnar, progress, room
from tests.cli.conftest import Done, Run, Screen

ROWS = 1500


def mixed(n: int = ROWS, seed: int = 0) -> pl.DataFrame:
    """Rows of three classes with columns of every role, holes in the classes, and a word late in a column."""
    generator = np.random.default_rng(seed)
    kind = generator.integers(0, 3, n)
    X = generator.normal(size=(n, 3)) + kind[:, None]
    city = np.array(["rome", "oslo", "bern", "lima"])[generator.integers(0, 4, n) * (generator.random(n) < 0.8)]
    late = np.where(np.arange(n) < n - 2, (X[:, 0] > 0).astype(int).astype(str), "unknown")
    return pl.DataFrame(
        {
            "nr": np.arange(n),
            "case_id": generator.permutation(n) + 1000,
            "a": X[:, 0],
            "b": X[:, 1].round(2),
            "c": X[:, 2].astype(np.float32),
            "city": city,
            "late": late,
            "rare": np.where(generator.random(n) < 0.005, generator.choice(["x", "y", "z"], n), "usual"),
            "same": np.ones(n),
            "name": [f"n{i}" for i in range(n)],
            "kind": pl.Series(np.array(["x", "y", "z"])[kind]).set(pl.int_range(n, eager=True) % 400 == 7, None),
        }
    )


@pytest.fixture
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are read some hundred rows at a time."""
    monkeypatch.setattr(columnar, "PIECE_ROWS", 200)
    monkeypatch.setattr(columnar, "PIECE_CELLS", 1)


@pytest.fixture
def tables(tmp_path: Path) -> Path:
    """The rows as one CSV file, and as a folder of Parquet files."""
    frame = mixed()
    frame.write_csv(tmp_path / "all.csv")
    (tmp_path / "parts").mkdir()
    for part in range(3):
        frame[part * 500 : part * 500 + 500].write_parquet(tmp_path / "parts" / f"{part}.parquet", row_group_size=100)
    return tmp_path


Streamed = Callable[[], None]


@pytest.fixture
def all_large(monkeypatch: pytest.MonkeyPatch, small_pieces: None) -> Streamed:
    """Call it, and every table is too large to be held."""
    return lambda: monkeypatch.setattr(large, "LARGE", 0)


def answers(saved: SavedModel) -> Any:
    """What a model says of other rows than it was fitted on."""
    frame = mixed(300, seed=9).with_columns(pl.col("late").cast(pl.String))
    grid = Spelling().read(frame, saved.encoder.names)
    X = saved.encoder.encode(grid)
    said = getattr(saved.model, "predict_log_proba", None) or saved.model.decision_function
    return np.asarray(said(X))


@pytest.mark.parametrize("table", ["all.csv", "parts"])
@pytest.mark.parametrize(
    "model", ["lda", "gaussian-nb", "mixed-nb", "least-squares", "logistic", "knn", "categorical-nb"]
)
def test_a_fit_in_passes_is_the_fit_of_all_rows(
    model: str, table: str, distinguo: Run, tables: Path, all_large: Streamed
) -> None:
    def fitted(name: str) -> SavedModel:
        done = distinguo("fit", tables / table, "-t", "kind", "--model", model, "-o", tables / name, "--drop", "name")
        assert done.code == 0, done.err
        assert "4 rows without 'kind' left out" in done.err
        return load(tables / name)

    held = fitted("held.dgo")
    all_large()
    passed = fitted("passed.dgo")
    assert passed.encoder.features == held.encoder.features
    assert passed.encoder.left_out.tolist() == held.encoder.left_out.tolist() == ["nr", "case_id", "same", "name"]
    assert passed.counts.tolist() == held.counts.tolist()
    assert passed.model.classes_.tolist() == held.model.classes_.tolist()
    # Where logistic regression stops depends on how sums are rounded.
    tolerance = 1e-6 if model == "logistic" else 1e-9
    np.testing.assert_allclose(answers(passed), answers(held), rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("table", ["all.csv", "parts"])
def test_roles_and_categories_are_those_of_the_whole_table(
    table: str, distinguo: Run, tables: Path, all_large: Streamed
) -> None:
    arguments = ["fit", tables / table, "-t", "kind", "--model", "gaussian-nb", "--categorical", "b", "-q"]
    assert distinguo(*arguments, "-o", tables / "held.dgo").code == 0
    all_large()
    assert distinguo(*arguments, "-o", tables / "passed.dgo").code == 0
    held, passed = load(tables / "held.dgo"), load(tables / "passed.dgo")
    assert passed.encoder.features == held.encoder.features
    assert "late=unknown" not in passed.encoder.features  # two rows of it are rare
    assert "late=(other)" in passed.encoder.features


@pytest.mark.parametrize("table", ["all.csv", "parts"])
def test_evaluate_some_rows_at_a_time_says_the_same(
    table: str, distinguo: Run, tables: Path, all_large: Streamed
) -> None:
    assert distinguo("fit", tables / table, "-t", "kind", "--model", "lda", "-o", tables / "m.dgo", "-q").code == 0
    held = distinguo("evaluate", tables / "m.dgo", tables / table)
    all_large()
    passed = distinguo("evaluate", tables / "m.dgo", tables / table)
    assert held.code == 0
    assert passed == held


@pytest.mark.parametrize("model", ["gaussian-nb", "mixed-nb", "perceptron"])
def test_update_and_forget_some_rows_at_a_time(model: str, distinguo: Run, tables: Path, all_large: Streamed) -> None:
    first = tables / "parts" / "0.parquet"
    done = distinguo("fit", first, "-t", "kind", "--model", model, "-o", tables / "m.dgo", "-q", "--drop", "late")
    assert done.code == 0, done.err
    rest = str(tables / "parts" / "[12].parquet")
    held = distinguo("update", tables / "m.dgo", rest, "-o", tables / "held.dgo")
    all_large()
    passed = distinguo("update", tables / "m.dgo", rest, "-o", tables / "passed.dgo")
    assert (held.code, passed.code) == (0, 0), held.err + passed.err
    assert passed.err == held.err.replace("held", "passed")
    if model == "perceptron":  # it depends on the order of rows, and on where parts begin
        return
    np.testing.assert_allclose(answers(load(tables / "passed.dgo")), answers(load(tables / "held.dgo")), rtol=1e-9)
    assert distinguo("forget", tables / "passed.dgo", rest, "-o", tables / "back.dgo", "-q").code == 0
    np.testing.assert_allclose(answers(load(tables / "back.dgo")), answers(load(tables / "m.dgo")), rtol=1e-6)


def test_an_update_that_fails_at_the_end_changes_nothing(distinguo: Run, tables: Path, all_large: Streamed) -> None:
    parts = tables / "parts"
    arguments = ["-t", "kind", "--model", "lda", "-o", tables / "m.dgo", "-q", "--drop", "late"]
    assert distinguo("fit", parts / "0.parquet", *arguments).code == 0
    before = (tables / "m.dgo").read_bytes()
    frame = pl.read_parquet(parts / "2.parquet")
    a = frame["a"].to_list()
    frame.with_columns(pl.Series("a", [*a[:-1], None])).write_parquet(parts / "2.parquet", row_group_size=100)
    all_large()
    failed = distinguo("update", tables / "m.dgo", str(parts / "[12].parquet"))
    assert failed.code == 1
    assert "column 'a' has one in row 1000" in failed.error
    assert (tables / "m.dgo").read_bytes() == before


@pytest.mark.parametrize("verb", ["fit", "evaluate", "update"])
@pytest.mark.parametrize("is_streamed", [False, True])
def test_a_condition_takes_some_rows(
    verb: str, distinguo: Run, tables: Path, all_large: Streamed, *, is_streamed: bool
) -> None:
    """As if the table had no others."""
    frame = mixed()
    frame.filter((pl.col("a") > 0) & (pl.col("city") != "oslo")).write_csv(tables / "some.csv")
    model = tables / "m.dgo"
    assert distinguo("fit", tables / "all.csv", "-t", "kind", "--model", "gaussian-nb", "-o", model, "-q").code == 0
    command = {
        "fit": lambda out: ["fit", "-t", "kind", "--model", "gaussian-nb", "-q", "-o", out],
        "evaluate": lambda _: ["evaluate", model],
        "update": lambda out: ["update", model, "-q", "-o", out],
    }[verb]

    def done(table: str, out: str, *more: str) -> Done:
        name, *others = command(str(tables / out))
        at = 1 if verb != "fit" else 0
        return distinguo(name, *others[:at], tables / table, *others[at:], *more)

    alone = done("some.csv", "alone.dgo")
    if is_streamed:
        all_large()
    for table in ("all.csv", "parts"):
        conditioned = done(table, "conditioned.dgo", "--where", "a > 0 and city <> 'oslo'")
        assert conditioned.code == alone.code == 0, conditioned.err
        if verb == "evaluate":
            assert conditioned.out.splitlines()[:4] == alone.out.splitlines()[:4]
        else:
            found, expected = load(tables / "conditioned.dgo"), load(tables / "alone.dgo")
            assert found.counts.tolist() == expected.counts.tolist()
            np.testing.assert_allclose(answers(found), answers(expected), rtol=1e-7)


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        ("a >", "is not understood"),
        ("wdith > 3", "there is no column 'wdith'"),
        ("a + 1", "where must be true or false"),
        ("a > 1000", "no row of"),
    ],
)
def test_conditions_that_cannot_be_used(condition: str, message: str, distinguo: Run, tables: Path) -> None:
    done = distinguo("fit", tables / "all.csv", "-t", "kind", "-o", tables / "m.dgo", "--where", condition)
    assert done.code == 1
    assert message in done.error


def test_missing_words_meet_no_condition(distinguo: Run, write: Callable[[str, str], str], tmp_path: Path) -> None:
    """A column with NA, and with another word for missing, is one of numbers all the same."""
    lines = "".join(f"{cell},{k},{'u' if k % 3 else 'v'}\n" for k, cell in enumerate(["1", "NA", " - ", "4", "5"] * 9))
    path = write("t.csv", f"a,b,y\n{lines}")
    arguments = ["--where", "a >= 4", "--null", "-", "--model", "gaussian-nb", "-q", "-o", tmp_path / "m.dgo"]
    done = distinguo("fit", path, "-t", "y", *arguments)
    assert done.code == 0, done.err
    assert int(load(tmp_path / "m.dgo").counts.sum()) == 18


def test_compare_draws_rows_and_says_so(
    distinguo: Run, tables: Path, all_large: Streamed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("distinguo.cli.sampling.SAMPLE_ROWS", 400)
    monkeypatch.setattr("distinguo.cli.sampling.LEAST_OF_CLASS", 10)
    all_large()
    arguments = ["compare", tables / "parts", "-t", "kind", "--models", "lda,gaussian-nb", "--drop", "late", "--json"]
    done, again = distinguo(*arguments), distinguo(*arguments)
    other = distinguo(*arguments, "--seed", "1")
    assert (done.code, again.code, other.code) == (0, 0, 0), done.err
    rows = [json.loads(found.out)["rows"] for found in (done, again, other)]
    assert rows[0] == rows[1] != rows[2]
    assert abs(rows[0] - 400) < 70  # 3.5 standard deviations of a count of draws
    assert f"{rows[0]} rows, drawn from 1,496, stand for all" in done.err


def test_rare_classes_are_drawn_more_often() -> None:
    labels, counts = np.array(["common", "rare"]), np.array([1_000_000, 60])
    sampler = Sampler(labels, counts, 0)
    frame = pl.DataFrame({"y": ["common"] * 100_000 + ["rare"] * 60})
    sampler.pass_over(0, frame, np.arange(frame.height), frame["y"])
    drawn, numbers = sampler.rows()
    assert drawn["y"].to_list() == frame["y"].gather(numbers).to_list()
    found = dict(drawn["y"].value_counts().iter_rows())
    assert abs(found["common"] - 10_000) < 3.5 * np.sqrt(9000)
    assert found["rare"] > 35


def test_what_holds_all_rows_is_tuned_on_some_where_there_is_no_memory(
    distinguo: Run, tables: Path, all_large: Streamed, monkeypatch: pytest.MonkeyPatch
) -> None:
    all_large()
    monkeypatch.setattr(room, "free_memory", lambda: 1000)
    arguments = [tables / "parts", "-t", "kind", "--drop", "late", "--drop", "city", "-o", tables / "m.dgo"]
    for model, chosen in (("ridge-logistic", "C "), ("rda", "pooling "), ("pda", "df ")):
        done = distinguo("fit", *arguments, "--model", model)
        assert done.code == 0, (model, done.err)
        assert f"note: {chosen}" in done.err
        assert "rows drawn from 1,496" in done.err
        assert int(load(tables / "m.dgo").counts.sum()) == 1496
    for model in ("knn", "fda"):
        refused = distinguo("fit", *arguments, "--model", model, "-q")
        assert refused.code == 1
        assert f"{model} needs all rows in memory at once" in refused.error
        assert "'lda', 'qda'" in refused.error


def test_without_a_model_those_that_fit_no_memory_are_not_compared(
    distinguo: Run, tables: Path, all_large: Streamed, monkeypatch: pytest.MonkeyPatch
) -> None:
    all_large()
    monkeypatch.setattr(room, "free_memory", lambda: 1000)
    monkeypatch.setattr("distinguo.cli.options.COMPARED", (find("gaussian-nb"), find("fda")))
    monkeypatch.setattr("distinguo.cli.options.COMPARED_ON_TEXTS", ())
    done = distinguo("fit", tables / "parts", "-t", "kind", "--drop", "late", "-o", tables / "m.dgo")
    assert done.code == 0, done.err
    assert "do not fit into memory: fda" in done.err
    assert "chose gaussian-nb" in done.err


def test_texts_are_read_whole(distinguo: Run, tmp_path: Path, all_large: Streamed) -> None:
    words = ["the sun is warm today", "rain falls on the roof", "snow lies in the street"]
    frame = pl.DataFrame({"t": [f"{words[i % 3]} {i}" for i in range(90)], "y": [str(i % 3) for i in range(90)]})
    frame.write_parquet(tmp_path / "t.parquet")
    all_large()
    done = distinguo("fit", tmp_path / "t.parquet", "-t", "y", "--model", "multinomial-nb", "-o", tmp_path / "m.dgo")
    assert done.code == 0, done.err
    assert "90 rows" in done.err


def test_a_folder_of_tables_is_a_table_in_parts(distinguo: Run, tmp_path: Path) -> None:
    """The names of folders are columns, and what lies beside the tables is passed over."""
    frame = mixed().drop("late", "name", "nr", "case_id")
    for year in (2023, 2024):
        (tmp_path / "rows" / f"year={year}").mkdir(parents=True)
        frame.slice(750 * (year - 2023), 750).write_parquet(tmp_path / "rows" / f"year={year}" / "a.parquet")
    (tmp_path / "rows" / "_SUCCESS").write_text("")
    done = distinguo("fit", tmp_path / "rows", "-t", "kind", "--model", "lda", "-o", tmp_path / "m.dgo", "-q")
    assert done.code == 0, done.err
    assert "year" in load(tmp_path / "m.dgo").encoder.names
    predicted = distinguo("predict", tmp_path / "m.dgo", tmp_path / "rows", "-q", "-o", tmp_path / "p.parquet")
    assert predicted.code == 0, predicted.err
    assert pl.read_parquet(tmp_path / "p.parquet").height == ROWS
    assert distinguo("explain", tmp_path / "m.dgo", tmp_path / "rows", "--row", "1200").code == 0
    wanted = distinguo("fit", tmp_path / "rows", "-o", tmp_path / "n.dgo")
    assert wanted.code == 2
    assert "--target COL must name the column of classes" in wanted.error


def test_an_address_is_a_table(distinguo: Run, tables: Path) -> None:
    address = f"file://{tables / 'parts' / '0.parquet'}"
    done = distinguo("fit", address, "-t", "kind", "--model", "lda", "-o", tables / "m.dgo", "-q", "--drop", "late")
    assert done.code == 0, done.err
    assert 490 < int(load(tables / "m.dgo").counts.sum()) < 500


def test_sets_and_false_alarms_go_by_drawn_rows(
    distinguo: Run, tables: Path, all_large: Streamed, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rates promised hold for other rows, within 3.5 standard errors of shares of calibration and test rows."""
    monkeypatch.setattr("distinguo.cli.sampling.SAMPLE_ROWS", 700)
    all_large()
    arguments = ["-t", "kind", "--model", "lda", "-o", tables / "m.dgo", "-q", "--drop", "late", "--drop", "rare"]
    assert distinguo("fit", tables / "parts", *arguments).code == 0
    mixed(1000, seed=5).write_parquet(tables / "new.parquet")
    asked = ["--sets", "0.1", "--false-alarm", "0.1", "-q", "-o", tables / "out.parquet"]
    done = distinguo("predict", tables / "m.dgo", tables / "new.parquet", *asked)
    assert done.code == 0, done.err
    said = pl.read_parquet(tables / "out.parquet").drop_nulls("kind")
    missed = 1 - said.select(pl.col("set").str.split("|").list.contains(pl.col("kind")).mean()).item()
    error = np.sqrt(0.1 * 0.9 * (1 / 700 + 1 / said.height))
    assert abs(missed - 0.1) < 3.5 * error
    assert abs(said["novel"].mean() - 0.1) < 3.5 * error


def test_a_terminal_sees_how_far_passes_are(tables: Path, all_large: Streamed, monkeypatch: pytest.MonkeyPatch) -> None:
    all_large()
    commands = {
        "fit": ["fit", tables / "parts", "-t", "kind", "--model", "lda", "-o", tables / "m.dgo"],
        "evaluate": ["evaluate", tables / "m.dgo", tables / "parts"],
        "update": ["update", tables / "m.dgo", tables / "parts", "-o", tables / "n.dgo"],
        "predict": ["predict", tables / "m.dgo", tables / "parts", "-o", tables / "out.parquet"],
    }
    for verb, command in commands.items():
        screen = Screen()
        monkeypatch.setattr(sys, "stderr", screen)
        monkeypatch.setattr(sys, "stdout", Screen())
        drop = ["--drop", "late"] if verb == "fit" else []
        assert run(app, [str(word) for word in [*command, *drop]]) == 0, screen.text
        assert "1,500 rows, 100 %" in screen.text, verb
        assert ("looking at columns, 1,500 rows, 100 %" in screen.text) == (verb == "fit")
        assert "rows/s" in screen.text
        screen.text = ""
        assert run(app, [str(word) for word in [*command, *drop, "-q"]]) == 0
        assert screen.text == ""


def test_a_pass_counts_the_rows_that_take_part(
    tables: Path, all_large: Streamed, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The share that is done, and the time that is left, are those of rows that are let through."""
    all_large()
    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    command = ["fit", tables / "parts", "-t", "kind", "--model", "lda", "-o", tables / "m.dgo", "--drop", "late"]
    monkeypatch.setattr(progress, "TIMES_A_SECOND", 1e9)
    assert run(app, [str(word) for word in [*command, "--where", "nr < 300"]]) == 0, screen.text
    fit = [line for line in screen.text.split("\n") if "rows/s" in line][-1]
    taking_part = sum(row % 400 != 7 for row in range(300))
    told = [(int(rows), int(share)) for rows, share in re.findall(r"(\d+) rows, (\d+) %", fit)]
    assert told[-1] == (taking_part, 100)
    assert len(told) > 1
    assert all(share == round(100 * rows / taking_part) for rows, share in told)


def test_facts_of_parts_are_those_of_the_whole() -> None:
    """Whole numbers: rising, different in a column named like an identifier, coming again; and words."""
    n = 60
    columns = {
        "plain": np.arange(n),
        "gaps": np.arange(n) * 2,
        "id": np.random.default_rng(0).permutation(n),
        "key": np.r_[np.arange(n - 1), 3],
        "down": -np.arange(n),
        "half": np.arange(n) / 2,
        "one": np.ones(n),
        "word": np.array(["a", "b b b", "7"])[np.arange(n) % 3],
    }
    frame = pl.DataFrame({**columns, "holes": [None, *range(n - 1)]})
    spelling = Spelling()
    whole = {name: Facts.of(name, spelling.read_column(frame[name])) for name in frame.columns}
    for cuts in ([1], [59], [1, 2, 30], [20, 40], [30, 30]):
        places = [0, *cuts, n]
        parts = [frame[begin:end] for begin, end in itertools.pairwise(places)]
        for name in frame.columns:
            cells = [spelling.read_column(part[name]) for part in parts]
            joined = sum(map(partial(Facts.of, name), cells[1:]), start=Facts.of(name, cells[0]))
            if joined.is_late:  # a part was all numbers, so that its words are to be counted in another pass
                found = [Facts.of(name, of_part, with_words=True) for of_part in cells]
                joined = sum(found[1:], start=found[0])
            roles = [assign_by({name: facts}, Overrides())[0] for facts in (joined, whole[name])]
            assert roles[0] == roles[1], (name, cuts)
            assert (joined.rows, joined.known, joined.varies) == (n, whole[name].known, whole[name].varies)
            if joined.words is not None and whole[name].words is not None:
                assert joined.words.table.equals(whole[name].words.table)


def test_dropped_columns_are_not_read(tables: Path, all_large: Streamed, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the first rows they are, by which all columns are looked at; `late` would else take a second pass."""
    all_large()
    asked: list[list[str]] = []
    true_passed = large.passed

    def passed(frames: Any, columns: Any, show: Any, what: str) -> Any:
        asked.append([*columns])
        return true_passed(frames, columns, show, what)

    monkeypatch.setattr(large, "passed", passed)
    command = ["fit", tables / "parts", "-t", "kind", "--model", "lda", "-q", "-o", tables / "m.dgo"]
    drops = ["--drop", "late", "--drop", "city", "--drop", "name"]
    assert run(app, [str(word) for word in [*command, *drops]]) == 0
    assert len(asked) == 1
    assert not {"late", "city", "name"} & {*asked[0]}
    assert load(tables / "m.dgo").encoder.left_out.tolist() == ["nr", "case_id", "city", "late", "same", "name"]
