"""describe: tables, embedded sets and models, for people."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Run, Write

Data = Callable[[str], Path]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        (
            "iris",
            [
                "R. A. Fisher",
                "Annals of Eugenics 7 (1936)",
                "Iris virginica differs from the two other samples in not being taken from the same natural colony",
                "might considerably disturb both the mean values and the variabilities",
                "150 rows, 5 columns",
            ],
        ),
        ("wine", ["Forina", "178 rows, 14 columns"]),
        ("breast_cancer", ["Wolberg", "569 rows, 31 columns"]),
        ("digits", ["Alpaydin", "1797 rows, 65 columns"]),
    ],
)
def test_embedded_sets_tell_where_they_come_from(name: str, words: list[str], distinguo: Run) -> None:
    done = distinguo("describe", name)
    assert (done.code, done.err) == (0, "")
    text = " ".join(done.out.split())
    for word in words:
        assert word in text


def test_a_table_shows_roles_holes_classes_and_rules(distinguo: Run, shared_data: Data) -> None:
    done = distinguo("describe", shared_data("penguins.csv"), "-t", "species")
    lines = {line.split()[0]: line.split() for line in done.out.splitlines() if line}
    assert lines["bill_length_mm"][1:4] == ["numeric", "2", "164"]
    assert lines["sex"][1:4] == ["categorical", "11", "2"]
    assert lines["species"][1] == "target"
    assert lines["Gentoo"] == ["Gentoo", "124", "36.0%"]
    assert "roles, the first that fits:" in done.out
    assert "goes to (other)" in " ".join(done.out.split())


def test_a_table_without_target(distinguo: Run, write: Write) -> None:
    file = write("t.csv", "id,x,zip,when\n3,1.5,007,inf\n1,,012,2\n2,2.5,007,3\n")
    done = distinguo("describe", file, "--categorical", "when")
    assert (done.code, done.err) == (0, "")
    lines = {line.split()[0]: line.split() for line in done.out.splitlines() if line}
    assert lines["id"][1] == "identifier-like"
    assert lines["x"][1:4] == ["numeric", "1", "2"]
    assert lines["zip"][1] == lines["when"][1] == "categorical"


def test_lda_shows_means_spread_and_directions(distinguo: Run, tmp_path: Path) -> None:
    assert distinguo("fit", "iris", "--model", "lda", "-o", tmp_path / "m.dgo", "-q").code == 0
    out = distinguo("describe", tmp_path / "m.dgo").out
    assert "linear discriminant analysis (lda) of 'species', learned from 150 rows" in out
    rows = [line.split() for line in out.splitlines()]
    assert ["setosa", "50", "0.3333"] in rows
    # The pooled within-class standard deviation of the first column is .5148 (MASS, Fisher's Table I).
    assert ["sepal", "length", "(cm)", "5.006", "5.936", "6.588", "0.5148"] in rows
    assert "LD1 (99.1%)  LD2 (0.9%)" in out


def test_other_models_show_a_spread_for_each_class(distinguo: Run, tmp_path: Path) -> None:
    for name in ("qda", "gaussian-nb"):
        assert distinguo("fit", "iris", "--model", name, "-o", tmp_path / "m.dgo", "-q").code == 0
        out = distinguo("describe", tmp_path / "m.dgo").out
        assert "5.006 ± 0.35" in out
        assert "LD1" not in out
    assert "var_smoothing=0.01" in out


def test_what_was_tuned_is_told(distinguo: Run, tmp_path: Path) -> None:
    for name, words in (("rda", "chose pooling 1, shrinkage 0"), ("pda", "cross-validation chose df ")):
        assert distinguo("fit", "iris", "--model", name, "-o", tmp_path / "m.dgo", "-q").code == 0
        assert words in " ".join(distinguo("describe", tmp_path / "m.dgo").out.split())


def test_neighbours_tell_how_many_were_chosen_and_what_the_rows_cost(distinguo: Run, tmp_path: Path) -> None:
    tuned, given = tmp_path / "tuned.dgo", tmp_path / "given.dgo"
    assert distinguo("fit", "iris", "--model", "knn", "-o", tuned, "-q").code == 0
    assert distinguo("fit", "iris", "--model", "knn", "--set", "k=7", "-o", given, "-q").code == 0
    first, second = (" ".join(distinguo("describe", file).out.split()) for file in (tuned, given))
    assert "cross-validation chose k " in first
    assert "cross-validation" not in second
    assert "k=7" in second
    assert all("keeps 150 x 4 cells" in text and "setosa 50" in text for text in (first, second))


def test_a_model_is_known_by_what_is_in_the_file(distinguo: Run, pets_model: Path) -> None:
    other = pets_model.rename(pets_model.with_suffix(".bin"))
    assert "linear discriminant analysis" in distinguo("describe", other).out


def test_what_is_not_there(distinguo: Run) -> None:
    assert "there is no file 'nosuch.csv'" in distinguo("describe", "nosuch.csv").error
    assert "there is no model file 'nosuch.dgo'" in distinguo("describe", "nosuch.dgo").error


def test_numbers_that_are_not_finite_are_passed_over(distinguo: Run, write: Write) -> None:
    done = distinguo("describe", write("odd.csv", "x,y\ninf,1e400\n1,2\n3,4\n"))
    assert (done.code, done.err) == (0, "")
    assert "1 to 3, median 2" in done.out


def test_line_breaks_and_controls_in_names_are_spelt_out(distinguo: Run, write: Write, tmp_path: Path) -> None:
    names = {0: "\x1b[31mred", 1: "two\nlines"}
    rows = "".join(f'{i % 5 + 3 * (i % 2)},"{names[i % 2]}"\n' for i in range(20))
    file = write("names.csv", f'"a\nb",kind\n{rows}')
    assert distinguo("fit", file, "-t", "kind", "--model", "lda", "-o", tmp_path / "m.dgo", "-q").code == 0
    for arguments in ((file, "-t", "kind"), (tmp_path / "m.dgo",)):
        out = distinguo("describe", *arguments).out
        assert chr(27) not in out
        assert r"two\nlines" in out
        assert r"\x1b[31mred" in out
        assert r"a\nb" in out
