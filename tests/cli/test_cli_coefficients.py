"""The coefficient table: printed by fit, printed again by describe, and equal to R's."""

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from distinguo.catalogue import find
from distinguo.cli import terminal
from distinguo.cli.coefficients import coefficient_text
from distinguo.cli.persistence import load
from tests.cli.conftest import Run, Screen, Write, two_classes

Data = Callable[[str], Path]
LINEAR = ("logistic", "ridge-logistic", "least-squares", "perceptron")


def rows_of(text: str) -> dict[str, list[str]]:
    """The cells of each line after its first word."""
    return {line.split()[0]: line.split()[1:] for line in text.splitlines() if line}


def mixed(n: int = 120, seed: int = 3, classes: int = 2) -> str:
    """A CSV of classes that overlap, with a column of two categories and one of three, which depend on the class."""
    rng = np.random.default_rng(seed)
    kind = np.arange(n) % classes
    size = rng.normal(size=n) + 0.8 * kind
    sex = np.where(rng.random(n) < 0.4 + 0.15 * (kind == 1), "female", "male")
    site = np.array(["east", "north", "west"])[(rng.integers(0, 4, n) + kind) % 3]
    lines = [f"{a:.4f},{b},{c},class {k}" for a, b, c, k in zip(size, sex, site, kind, strict=True)]
    return "\n".join(["size,sex,site,kind", *lines]) + "\n"


@pytest.fixture
def table(write: Write) -> str:
    return write("mixed.csv", mixed())


@pytest.fixture
def three(write: Write) -> str:
    return write("three.csv", mixed(classes=3))


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return tmp_path / "m.dgo"


def test_the_table_is_that_of_glm(distinguo: Run, shared_data: Data, model: Path) -> None:
    """R 4.2.2, MASS::birthwt: glm(low ~ age + lwt + factor(race) + smoke + ptl + ht + ui + ftv, binomial)."""
    options = ("-t", "low", "--drop", "bwt", "--categorical", "race", "--model", "logistic")
    done = distinguo("fit", shared_data("birthwt.csv"), *options, "-o", model)
    assert (done.code, done.err.count("\n")) == (0, 1)
    assert done.out.startswith("log odds of '1' against '0': 189 rows, 10 coefficients\n")
    assert "log-likelihood -100.642" in done.out
    assert "AIC 221.285, BIC 253.702" in done.out
    rows = rows_of(done.out)
    assert rows["term"] == ["estimate", "std.", "error", "z", "p", "low", "high"]
    assert rows["lwt"] == ["-0.015424", "0.0069194", "-2.23", "0.0258", "-0.028986", "-0.0018625"]
    assert rows["race=2"] == ["1.2723", "0.52736", "2.41", "0.0158", "0.23865", "2.3059"]
    assert rows["race=3"] == ["0.88050", "0.44079", "2.00", "0.0458", "0.016572", "1.7444"]
    assert done.out.endswith("\n\nleft out as base: race=1\n")
    ratios = rows_of(distinguo("describe", model, "--odds-ratios").out)
    assert float(ratios["race=2"][0]) == pytest.approx(3.5689085, rel=1e-4)


def test_blocks_are_those_of_multinom(distinguo: Run, shared_data: Data, model: Path) -> None:
    """R 4.2.2, nnet::multinom(island ~ bill_length_mm + flipper_length_mm + body_mass_g, penguins without holes)."""
    kept = [line.split(",") for line in shared_data("penguins.csv").read_text().splitlines()]
    lines = [",".join((row[1], row[2], row[4], row[5])) for row in kept if all(row[2:6])]
    file = model.parent / "penguins.csv"
    file.write_text("\n".join(lines))
    assert distinguo("fit", file, "-t", "island", "--model", "logistic", "-o", model, "-q").code == 0
    _, dream, torgersen = distinguo("describe", model).out.split(" against 'Biscoe'\n")
    assert "342 rows, 8 coefficients" in distinguo("describe", model).out
    for block, bill, error in ((dream, 0.28132, 0.047308), (torgersen, -0.050209, 0.063025)):
        found = [float(cell) for cell in rows_of(block)["bill_length_mm"][:2]]
        assert found == pytest.approx([bill, error], rel=1e-3)
    *_, torgersen = distinguo("describe", model, "--base", "Dream").out.split(" against 'Dream'\n")
    assert float(rows_of(torgersen)["bill_length_mm"][0]) == pytest.approx(-0.33153, rel=1e-3)


@pytest.mark.parametrize("settings", [(), ("--set", "C=1"), ("--set", "bias_reduction=firth")])
def test_describe_prints_the_table_of_fit_again(
    settings: tuple[str, ...], distinguo: Run, three: str, model: Path
) -> None:
    done = distinguo("fit", three, "-t", "kind", "--model", "logistic", *settings, "-o", model)
    assert done.code == 0
    again = distinguo("describe", model)
    assert again.err == ""
    head, found = again.out.split("class 2    40\n\n")
    assert found == done.out
    assert "learned from 120 rows" in head
    assert done.err == f"wrote {model}: logistic regression, 120 rows, 3 columns, 3 classes of 'kind'\n"


def test_quiet_fits_print_nothing(distinguo: Run, table: str, model: Path) -> None:
    done = distinguo("fit", table, "-t", "kind", "--model", "logistic", "-o", model, "-q")
    assert (done.code, done.out, done.err) == (0, "", "")


def test_models_without_inference_print_no_table(distinguo: Run, table: str, model: Path) -> None:
    for name in ("lda", "least-squares", "perceptron"):
        assert distinguo("fit", table, "-t", "kind", "--model", name, "-o", model).out == ""


def test_infinities_are_shown_and_said_once(distinguo: Run, write: Write, model: Path) -> None:
    lines = mixed().splitlines()
    # Only class 1 is ever marked.
    marked = [
        lines[0] + ",mark",
        *(f"{line},{int(line.endswith('1') and i % 3 == 0)}" for i, line in enumerate(lines[1:])),
    ]
    file = write("marked.csv", "\n".join(marked))
    done = distinguo("fit", file, "-t", "kind", "--model", "logistic", "-o", model)
    assert done.code == 0
    assert rows_of(done.out)["mark"] == ["inf", "inf", "-", "-", "-", "-"]
    assert done.out.splitlines()[-1].startswith("infinite, for classes are told apart without an error: mark;")
    assert np.isfinite(float(rows_of(done.out)["size"][1]))
    assert done.err.count("\n") == 1  # what was written
    assert distinguo("describe", model).out.endswith(done.out)


def test_a_separated_fit_without_a_table_still_says_so(
    distinguo: Run, write: Write, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("distinguo.linear.record.MOST_COEFFICIENTS", 1)
    apart = write("apart.csv", "x,y,kind\n" + "".join(f"{i % 7},{i}.5,{'ab'[i > 9]}\n" for i in range(20)))
    done = distinguo("fit", apart, "-t", "kind", "--model", "logistic", "-o", model)
    assert done.code == 0
    assert "separation: complete; 20 rows, 2 classes, 20 row(s) told apart." in done.out
    assert "no standard errors: there are 3 coefficients" in done.out


def test_penalised_coefficients_come_without_standard_errors_and_the_reason(
    distinguo: Run, table: str, model: Path
) -> None:
    done = distinguo("fit", table, "-t", "kind", "--model", "logistic", "--set", "C=0.5", "-o", model)
    assert done.code == 0
    assert "std. error" not in done.out
    fitted = load(model).model
    found = rows_of(done.out)
    assert float(found["size"][0]) == pytest.approx(fitted.coef_[0, 0], rel=1e-3)
    assert float(found["constant"][0]) == pytest.approx(fitted.intercept_[0], rel=1e-3)
    assert done.out.splitlines()[-1].startswith("no standard errors: the coefficients were penalised")


def test_maximum_likelihood_can_be_asked_for_by_name(distinguo: Run, table: str, model: Path) -> None:
    """The remedy that the message for penalised fits names."""
    assert distinguo("fit", table, "-t", "kind", "--model", "logistic", "--set", "C=inf", "-o", model, "-q").code == 0
    assert "std. error" in distinguo("describe", model).out


def test_a_base_turns_signs_and_ratios_are_exponentials(distinguo: Run, three: str, model: Path) -> None:
    assert distinguo("fit", three, "-t", "kind", "--model", "logistic", "-o", model, "-q").code == 0
    _, first, _ = distinguo("describe", model).out.split(" against 'class 0'\n")
    _, other, _ = distinguo("describe", model, "--base", "class 1").out.split(" against 'class 1'\n")
    _, ratios, _ = distinguo("describe", model, "--base", "class 1", "--odds-ratios").out.split(" against 'class 1'\n")
    terms = [term for term in rows_of(first) if term in {"(intercept)", "size"} or "=" in term]
    assert len(terms) == 5
    for term in terms:
        one, two, ratio = (rows_of(block)[term] for block in (first, other, ratios))
        assert float(one[0]) == -float(two[0])
        assert one[1] == two[1]
        assert float(ratio[0]) == pytest.approx(np.exp(float(two[0])), rel=1e-4)


BAD = [
    (("{table}", "--base", "class 1"), 2, "--base and --odds-ratios are for model files of logistic regression"),
    (("{logistic}", "--base", "class 9"), 1, "there is no class 'class 9'; the classes are 'class 0', 'class 1'"),
    (("{lda}", "--odds-ratios"), 1, "lda has no odds"),
    (("{ridge-logistic}", "--odds-ratios"), 1, "the coefficients were penalised"),
]


@pytest.mark.parametrize(("arguments", "code", "message"), BAD)
def test_what_cannot_be_shown(
    arguments: tuple[str, ...], code: int, message: str, distinguo: Run, table: str, tmp_path: Path
) -> None:
    files = {"table": table}
    for name in ("logistic", "lda", "ridge-logistic"):
        files[name] = str(tmp_path / f"{name}.dgo")
        if f"{{{name}}}" in arguments:
            assert distinguo("fit", table, "-t", "kind", "--model", name, "-o", files[name], "-q").code == 0
    done = distinguo("describe", *(argument.format(**files) for argument in arguments))
    assert done.code == code
    assert message in done.error
    assert done.out == ""


@pytest.mark.parametrize("name", LINEAR)
def test_linear_models_take_categories_in_silence(name: str, distinguo: Run, three: str, model: Path) -> None:
    """An indicator a category but the commonest: nothing depends on anything, and nothing is left out."""
    done = distinguo("fit", three, "-t", "kind", "--model", name, "-o", model)
    assert (done.code, done.err.count("\n")) == (0, 1)
    answer = distinguo("predict", model, three)
    assert (answer.code, answer.err) == (0, "")
    header, *lines = answer.out.splitlines()
    probabilities = ["p_class 0", "p_class 1", "p_class 2"] if "logistic" in name else []
    assert header.split(",")[4:] == ["predicted", *probabilities]
    hits = [line.split(",")[3] == line.split(",")[4] for line in lines]
    assert np.mean(hits) > 0.45  # a third by chance; one standard error is .045


@pytest.mark.parametrize("name", LINEAR)
@pytest.mark.parametrize("extra", [(), ("--drop", "sex"), ("--drop", "sex", "--drop", "site")])
def test_the_categories_that_others_are_held_against_are_named(
    name: str, extra: tuple[str, ...], distinguo: Run, table: str, model: Path
) -> None:
    """The commonest category of each column, which has no line of its own."""
    lines = Path(table).read_text().splitlines()[1:]
    bases = []
    for place, column in ((1, "sex"), (2, "site")):
        if column not in extra:
            words = [line.split(",")[place] for line in lines]
            bases.append(f"{column}={max(sorted(set(words)), key=words.count)}")
    assert distinguo("fit", table, "-t", "kind", *extra, "--model", name, "-o", model, "-q").code == 0
    described = distinguo("describe", model).out
    assert [line for line in described.splitlines() if "base" in line] == (
        [f"left out as base: {', '.join(bases)}"] if bases else []
    )
    assert not set(bases) & set(rows_of(described))


@pytest.mark.parametrize("name", LINEAR)
def test_holes_are_refused_with_the_models_that_take_them(
    name: str, distinguo: Run, table: str, write: Write, model: Path
) -> None:
    holed = write("holed.csv", Path(table).read_text().replace("male,east", ",east", 1))
    fitted = distinguo("fit", holed, "-t", "kind", "--model", name, "-o", model)
    assert fitted.code == 1
    assert distinguo("fit", table, "-t", "kind", "--model", name, "-o", model, "-q").code == 0
    predicted = distinguo("predict", model, holed)
    assert predicted.code == 1
    for done in (fitted, predicted):
        assert f"{name} takes no missing cells, and column 'sex' has one in row" in done.error
        offered = re.fullmatch(r".*: ([a-z, -]+) and others\.", done.error)
        assert offered
        assert all(find(other).holes for other in offered[1].split(", "))


def test_a_narrow_terminal_gets_narrow_tables(
    three: str, model: Path, monkeypatch: pytest.MonkeyPatch, distinguo: Run
) -> None:
    assert distinguo("fit", three, "-t", "kind", "--model", "logistic", "-o", model, "-q").code == 0
    screen = Screen()
    monkeypatch.setattr("sys.stdout", screen)
    monkeypatch.setenv("COLUMNS", "50")
    monkeypatch.setenv("LINES", "24")  # of a dumb terminal rich heeds one only with the other
    monkeypatch.setenv("TERM", "dumb")
    text = coefficient_text(load(model))
    assert max(map(len, text.splitlines())) <= 50
    for heading in ("estimate", "std. error", "low", "high"):
        assert text.count(heading) == 2  # once for each class but the base
    assert terminal.width() == 50


def test_names_of_rejected_models_stand_apart_from_the_reasons(distinguo: Run, write: Write) -> None:
    header, first, *lines = two_classes().splitlines()
    holed = write("holed.csv", "\n".join([header, f",{first.split(',', 1)[1]}", *lines]))
    done = distinguo("compare", holed, "-t", "kind", "--models", "lda,fda,least-squares")
    assert "least-squares  not compared: takes no missing cells, and column 'length' has one in row 1" in done.out
    assert "fda            not compared: " in done.out
