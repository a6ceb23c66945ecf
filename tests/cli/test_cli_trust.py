"""What a user does after the fit: judge, calibrate, decide by costs, and ask for sets and for what is novel."""

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from sklearn.datasets import load_iris
from sklearn.metrics import accuracy_score, log_loss

from distinguo import LinearDiscriminantAnalysis, calibrate_novelty, calibrate_sets
from distinguo.cli.persistence import load
from tests.cli.conftest import Run, Write, two_classes


@pytest.fixture
def held_out(write: Write) -> str:
    """Other pets than the model was fitted on."""
    return write("held_out.csv", two_classes(200, seed=1))


def predicted(distinguo: Run, *arguments: str | Path) -> pl.DataFrame:
    done = distinguo("predict", *arguments, "-q")
    assert done.code == 0, done.err
    return pl.read_csv(done.out.encode())


def test_evaluate_says_what_scikit_learn_says(distinguo: Run, pets_model: Path, held_out: str) -> None:
    done = distinguo("evaluate", pets_model, held_out, "--json")
    assert done.code == 0, done.err
    document = json.loads(done.out)
    overall = {row["metric"]: row["value"] for row in document["evaluation"]["metrics"] if row["label"] is None}
    rows = predicted(distinguo, pets_model, held_out)
    assert overall["accuracy"] == pytest.approx(accuracy_score(rows["kind"], rows["predicted"]))
    assert overall["log_loss"] == pytest.approx(log_loss(rows["kind"], rows.select("p_cat", "p_dog")))
    assert document["mean_cost"] is None
    shown = distinguo("evaluate", pets_model, held_out).out
    assert f"accuracy                {overall['accuracy']:.4f}" in shown or f"{overall['accuracy']:.4f}" in shown
    assert "probabilities of the predicted class in 200 rows" in shown


@pytest.mark.parametrize(
    ("demands", "code", "words"),
    [
        (["accuracy=0.5"], 0, ""),
        (["accuracy=0.9999"], 3, "error: accuracy is 0."),
        (["log_loss=5", "recall[cat]=0.5"], 0, ""),
        (["log-loss=0.0001"], 3, "log_loss is 0."),
        (["recall[cat]=1.5", "accuracy=2"], 3, "recall[cat] is "),
        (["ece=0.00001"], 3, "above 1e-05"),
        (["accuracy"], 2, "write it as METRIC=VALUE"),
        (["accuracy=high"], 2, "write it as METRIC=VALUE"),
        (["acuracy=0.9"], 2, "did you mean 'accuracy'?"),
        (["recall[bird]=0.9"], 1, "there is no class 'bird'"),
        (["mean_cost=1"], 3, "mean_cost has no value"),
    ],
)
def test_a_metric_that_falls_short_ends_with_three(
    distinguo: Run, pets_model: Path, held_out: str, demands: list[str], code: int, words: str
) -> None:
    options = [word for demand in demands for word in ("--fail-under", demand)]
    done = distinguo("evaluate", pets_model, held_out, *options)
    assert done.code == code
    assert words in done.err
    assert ("accuracy" in done.out) == (code in {0, 3})


def test_costs_decide_and_are_counted(distinguo: Run, pets_model: Path, held_out: str, write: Write) -> None:
    costs = write("costs.csv", "true,dog,cat\ncat,20,0\ndog,0,1\n")
    rows = predicted(distinguo, pets_model, held_out, "--costs", costs)
    expected = np.where(20 * rows["p_cat"] > rows["p_dog"], "cat", "dog")
    assert rows["predicted"].to_list() == expected.tolist()
    document = json.loads(distinguo("evaluate", pets_model, held_out, "--json", "--costs", costs).out)
    kinds = rows["kind"].to_numpy()
    paid = 20 * ((kinds == "cat") & (expected == "dog")) + ((kinds == "dog") & (expected == "cat"))
    assert document["mean_cost"] == pytest.approx(paid.mean())
    undecided = predicted(distinguo, pets_model, held_out, "--costs", costs, "--reject", "0.3")["predicted"]
    cheapest = np.minimum(20 * rows["p_cat"], rows["p_dog"])
    assert undecided.is_null().to_list() == (cheapest > 0.3).to_list()
    assert 0 < undecided.null_count() < 200


def test_costs_of_one_for_every_error_decide_for_the_likeliest(
    distinguo: Run, pets_model: Path, held_out: str, write: Write
) -> None:
    costs = write("costs.csv", "true,cat,dog\ncat,0,1\ndog,1,0\n")
    likeliest = predicted(distinguo, pets_model, held_out)
    assert predicted(distinguo, pets_model, held_out, "--costs", costs).equals(likeliest)


def test_a_threshold_decides_for_its_class(distinguo: Run, pets_model: Path, held_out: str) -> None:
    rows = predicted(distinguo, pets_model, held_out, "--threshold", "0.9")
    assert ((rows["predicted"] == "dog") == (rows["p_dog"] >= 0.9)).all()
    rows = predicted(distinguo, pets_model, held_out, "--threshold", "0.9", "--positive", "cat")
    assert ((rows["predicted"] == "cat") == (rows["p_cat"] >= 0.9)).all()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("true,cat\ncat,0\n", "gives no costs"),
        ("true,cat,bird\ncat,0,1\nbird,1,0\n", "'bird'"),
        ("true,cat,dog\ncat,0,-1\ndog,1,0\n", "at least 0"),
        ("true,cat,dog\ncat,0,much\ndog,1,0\n", "gives no costs"),
        ("true,cat,dog\ncat,0,1\ncat,1,0\n", "gives no costs"),
        ("", "is no table of costs"),
    ],
)
def test_bad_costs_say_what_is_wrong(
    distinguo: Run, pets_model: Path, held_out: str, write: Write, text: str, words: str
) -> None:
    done = distinguo("predict", pets_model, held_out, "--costs", write("costs.csv", text))
    assert done.code == 1
    assert words in done.error
    assert done.out == ""


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        (["--costs", "no.csv"], 1, "there is no file 'no.csv' with costs"),
        (["--threshold", "1.5"], 2, "--threshold"),
        (["--threshold", "0.5", "--costs", "c.csv"], 2, "give one"),
        (["--reject", "1"], 2, "give --costs too"),
        (["--threshold", "0.5", "--positive", "bird"], 1, "there is no class 'bird'"),
        (["--sets", "0"], 2, "0 is not between 0 and 1"),
        (["--sets", "1"], 2, "1 is not between 0 and 1"),
        (["--sets", "nan"], 2, "nan is not between 0 and 1"),
        (["--false-alarm", "2"], 2, "2 is not between 0 and 1"),
    ],
)
def test_wrong_options_say_what_is_wrong(
    distinguo: Run, pets_model: Path, held_out: str, options: list[str], code: int, words: str
) -> None:
    done = distinguo("predict", pets_model, held_out, *options)
    assert done.code == code
    assert words in done.err


def listed(sets: np.ndarray) -> list[str]:
    """Sets of iris species as the command writes them."""
    names = load_iris().target_names
    return ["|".join(names[k] for k in np.flatnonzero(row)) for row in sets]


def test_sets_and_novelty_are_those_of_the_rows_left_out(distinguo: Run, tmp_path: Path) -> None:
    model = tmp_path / "iris.dgo"
    assert distinguo("fit", "iris", "--model", "lda", "-o", model, "-q").code == 0
    rows = predicted(distinguo, model, "iris", "--sets", "0.05", "--false-alarm", "0.1")
    X, y = load_iris(return_X_y=True)
    lda = LinearDiscriminantAnalysis().fit(X, y)
    sets = calibrate_sets(lda, X, y, method="leave-one-out").predict_set(lda, X, 0.05)
    sets[np.arange(150), lda.predict(X)] = True  # the class predicted is always one that a row may have
    assert rows["set"].to_list() == listed(sets)
    p = calibrate_novelty(lda, X, y, method="leave-one-out")
    rows_by_density = predicted(distinguo, model, "iris", "--sets", "0.05", "--sets-by", "density")
    assert rows_by_density["set"].fill_null("").to_list() == listed(p.typicality(lda, X) > 0.05)
    assert "" in rows_by_density["set"].to_list()  # like none of the species
    p = p.p_values(lda, X)
    np.testing.assert_allclose(rows["typicality"], p, rtol=1e-9)
    assert rows["novel"].to_list() == (p <= 0.1).tolist()


def test_calibration_gives_a_perceptron_probabilities(distinguo: Run, pets: str, held_out: str, tmp_path: Path) -> None:
    model = tmp_path / "p.dgo"
    assert distinguo("fit", pets, "-t", "kind", "--model", "perceptron", "-o", model, "-q").code == 0
    assert "p_cat" not in predicted(distinguo, model, held_out).columns
    assert (
        "has no probabilities; 'distinguo calibrate'" in distinguo("predict", model, pets, "--threshold", "0.5").error
    )
    assert "'distinguo calibrate' holds it against" in distinguo("predict", model, pets, "--sets", "0.1").error
    done = distinguo("calibrate", model, held_out, "--method", "platt")
    assert (done.code, done.err.startswith("calibrated on 200 rows; wrote")) == (0, True)
    rows = predicted(distinguo, model, held_out)
    np.testing.assert_allclose(rows["p_cat"] + rows["p_dog"], 1)
    assert log_loss(rows["kind"], rows.select("p_cat", "p_dog")) < 0.4
    assert "probabilities calibrated by platt" in distinguo("describe", model).out
    assert "a calibrated model does not change" in distinguo("update", model, pets).error


def test_calibration_mends_what_naive_bayes_is_too_sure_of(distinguo: Run, write: Write, tmp_path: Path) -> None:
    generator = np.random.default_rng(0)

    def table(n: int) -> str:
        kind = generator.integers(0, 2, n)
        x = generator.normal(kind)
        lines = [",".join([f"{a:.4f}"] * 9 + ["ab"[k]]) for a, k in zip(x, kind, strict=True)]
        return "\n".join([",".join([*(f"c{j}" for j in range(9)), "kind"]), *lines]) + "\n"

    train, other, test = (write(f"{name}.csv", table(800)) for name in ("train", "other", "test"))
    raw, calibrated = tmp_path / "raw.dgo", tmp_path / "calibrated.dgo"
    assert distinguo("fit", train, "-t", "kind", "--model", "gaussian-nb", "-o", raw, "-q").code == 0
    assert distinguo("calibrate", raw, other, "-o", calibrated, "-q").code == 0
    assert load(calibrated).base.get_params() == load(raw).model.get_params()
    ece = {}
    for model in (raw, calibrated):
        ece[model] = json.loads(distinguo("evaluate", model, test, "--json").out)["reliability"]["top"]["ece"]
    assert ece[calibrated] < 0.05 < 0.15 < ece[raw]
    explained = json.loads(distinguo("explain", calibrated, test, "--json", "--class", "a", "--against", "b").out)
    assert explained["probability"] == predicted(distinguo, calibrated, test)["p_a"][0]


def test_labels_that_the_model_never_saw_count_as_wrong(distinguo: Run, pets_model: Path, write: Write) -> None:
    table = write("more.csv", two_classes(40, seed=3) + "0.1,0.2,bird\n0.3,0.1,bird\n")
    done = distinguo("evaluate", pets_model, table)
    assert done.code == 0, done.err
    assert "bird" in done.out
    assert (
        "y has the class 'bird', which the model was not fitted on" in distinguo("calibrate", pets_model, table).error
    )


def test_prevalence_is_stated_in_shares(distinguo: Run, pets_model: Path, held_out: str) -> None:
    stated = ("--prevalence", "dog=0.01")
    found = json.loads(distinguo("evaluate", pets_model, held_out, "--json", *stated).out)["evaluation"]
    plain = json.loads(distinguo("evaluate", pets_model, held_out, "--json").out)["evaluation"]

    def number(document: dict, metric: str) -> float:
        return next(row["value"] for row in document["metrics"] if (row["metric"], row["label"]) == (metric, "dog"))

    assert number(found, "recall") == pytest.approx(number(plain, "recall"))
    sensitivity, specificity = number(plain, "recall"), number(plain, "specificity")
    share = 0.01 * sensitivity / (0.01 * sensitivity + 0.99 * (1 - specificity))
    assert number(found, "precision") == pytest.approx(share)
    for text, words in (("dog", "CLASS=SHARE"), ("bird=0.1", "no class 'bird'"), ("dog=x", "CLASS=SHARE")):
        assert words in distinguo("evaluate", pets_model, held_out, "--prevalence", text).error


def test_why_a_model_has_no_explanations(distinguo: Run, pets_model: Path, held_out: str, tmp_path: Path) -> None:
    bent, other = tmp_path / "bent.dgo", tmp_path / "qda.dgo"
    assert distinguo("calibrate", pets_model, held_out, "--method", "isotonic", "-o", bent).code == 0
    error = distinguo("explain", bent, held_out).error
    assert "calibration by isotonic bends the score of lda" in error
    assert "by temperature" in error
    assert distinguo("fit", held_out, "-t", "kind", "--model", "qda", "-o", other).code == 0
    error = distinguo("explain", other, held_out).error
    assert "the score of qda as it was fitted is no sum" in error
    assert "'lda'" in error
    error = distinguo("explain", other, "--text", "a cat").error
    assert error.endswith("Its columns are 'length', 'width'.")


def test_models_that_cannot_leave_rows_out_learn_sets_by_folds(distinguo: Run, pets: str, tmp_path: Path) -> None:
    model = tmp_path / "m.dgo"
    fit = ("fit", pets, "-t", "kind", "--model", "logistic", "-o", model, "-q")
    assert distinguo(*fit).code == 0
    assert "Fit it again with --sets" in distinguo("predict", model, pets, "--sets", "0.1").error
    assert distinguo(*fit, "--sets").code == 0
    found = predicted(distinguo, model, pets, "--sets", "0.1")["set"]
    assert set(found) <= {"cat", "dog", "cat|dog"}
    inside = [kind in one.split("|") for kind, one in zip(pl.read_csv(pets)["kind"], found, strict=True)]
    assert np.mean(inside) >= 0.85
