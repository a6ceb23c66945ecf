"""Texts on the command line: columns and folders, what models say of them, and models that learn on."""

import json
import shutil
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import MultinomialNB as Peer

from distinguo.catalogue import COMPARED_ON_TEXTS, find
from distinguo.cli.learning import Lesson, Plan, _preparation
from distinguo.cli.persistence import load
from distinguo.cli.roles import Overrides, assign
from distinguo.cli.table import Reading, read_labelled
from tests.cli.conftest import Run, Write

SPAM = ["win money now", "cheap pills win", "money money fast", "win a free prize", "free pills now cheap"]
HAM = ["lunch at noon today", "see you at the meeting", "the report is late", "noon is fine for me", "late for lunch"]


def messages(n: int = 60, seed: int = 0) -> pl.DataFrame:
    """Messages of words drawn from those of two kinds."""
    generator = np.random.default_rng(seed)
    words = [" ".join(kind).split() for kind in (SPAM, HAM)]
    rows = []
    for i in range(n):
        own, other = words[i % 2], words[1 - i % 2]
        text = [*generator.choice(own, 6), *generator.choice(other, 2), f"word{generator.integers(40)}"]
        rows.append({"label": ["spam", "ham"][i % 2], "text": " ".join(text), "length": len(text) + i % 3})
    return pl.DataFrame(rows)


@pytest.fixture
def mails(write: Write) -> str:
    """A CSV file of messages."""
    return write("mails.csv", messages().drop("length").write_csv())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The same messages, a file each, in a folder a class."""
    for i, (label, text) in enumerate(messages().select("label", "text").iter_rows()):
        (tmp_path / "mails" / label).mkdir(parents=True, exist_ok=True)
        (tmp_path / "mails" / label / f"{i:03}.txt").write_text(text)
    return tmp_path / "mails"


@pytest.fixture
def sorter(distinguo: Run, mails: str, tmp_path: Path) -> Path:
    """A model of the messages."""
    done = distinguo("fit", mails, "-t", "label", "--model", "multinomial-nb", "-o", tmp_path / "sorter.dgo", "-q")
    assert (done.code, done.err) == (0, "")
    return tmp_path / "sorter.dgo"


def probabilities(distinguo: Run, model: Path, table: str | Path) -> pl.DataFrame:
    done = distinguo("predict", model, table, "-q")
    assert done.code == 0, done.err
    return pl.read_csv(done.out.encode())


def lesson(path: str, **options: object) -> Lesson:
    rows = read_labelled(path, "label", Reading())
    return Lesson(rows, Reading(), Overrides(), assign(rows.grid, Overrides()), options)


def test_a_text_column_is_recognised_and_all_models_of_texts_compared(distinguo: Run, mails: str) -> None:
    done = distinguo("compare", mails, "-t", "label", "--json", "--folds", "3", "--repeats", "1")
    assert done.code == 0, done.err
    document = json.loads(done.out)
    assert document["columns"] == [{"name": "text", "role": "text", "why": "9 words a row"}]
    models = {model["name"]: model for model in document["models"]}
    assert set(models) == {"majority", *(entry.name for entry in COMPARED_ON_TEXTS)}
    assert {"multinomial-nb", "bernoulli-nb", "complement-nb", "poisson-nb", "text-logistic"} <= set(models)
    assert all(model["accuracy"] > 0.85 for name, model in models.items() if name != "majority")


def test_fit_and_predict_are_count_vectorizer_and_multinomial_bayes(distinguo: Run, mails: str, sorter: Path) -> None:
    frame = messages()
    words = CountVectorizer()
    peer = Peer().fit(words.fit_transform(frame["text"]), frame["label"])
    expected = peer.predict_proba(words.transform(frame["text"]))
    found = probabilities(distinguo, sorter, mails)
    np.testing.assert_allclose(found.select("p_ham", "p_spam"), expected, rtol=1e-9)
    assert found["predicted"].to_list() == peer.classes_[expected.argmax(axis=1)].tolist()


def test_beside_other_columns_a_text_is_read_where_it_is_named(distinguo: Run, write: Write, tmp_path: Path) -> None:
    table = write("mixed.csv", messages().write_csv())
    silent = distinguo("fit", table, "-t", "label", "--model", "lda", "-o", tmp_path / "lda.dgo")
    assert "column 'text' holds texts; --text 'text' reads them alone" in silent.err
    assert load(tmp_path / "lda.dgo").encoder.names == ["length"]
    asked = ("fit", table, "-t", "label", "--model", "multinomial-nb", "-o", tmp_path / "nb.dgo")
    assert distinguo(*asked, "--text", "text").code == 0
    assert load(tmp_path / "nb.dgo").encoder.names == ["text"]
    assert distinguo(*asked, "--text", "text", "--text", "length").code == 0
    assert "10" in load(tmp_path / "nb.dgo").encoder.features  # a number is a word where it is asked to be one


def test_a_folder_of_texts_is_the_table_of_the_same_texts(
    distinguo: Run, folder: Path, mails: str, sorter: Path, tmp_path: Path
) -> None:
    model = tmp_path / "folder.dgo"
    (folder / "spam" / ".hidden").write_text("passed over")
    assert distinguo("fit", folder, "--model", "multinomial-nb", "-o", model, "-q").code == 0
    ours, theirs = probabilities(distinguo, model, folder), probabilities(distinguo, sorter, mails)
    assert ours.columns[:3] == ["file", "class", "predicted"]
    assert ours["file"][0] == "ham/001.txt"
    np.testing.assert_allclose(ours["p_spam"].sort(), theirs["p_spam"].sort(), rtol=1e-12)
    flat = tmp_path / "new"
    flat.mkdir()
    shutil.copy(folder / "spam" / "000.txt", flat / "a.txt")
    assert probabilities(distinguo, model, flat)["class"].null_count() == 1


def test_a_folder_is_described_by_its_classes(distinguo: Run, folder: Path, tmp_path: Path) -> None:
    done = distinguo("describe", folder)
    assert done.code == 0, done.err
    lines = done.out.splitlines()
    (text,) = [line for line in lines if line.startswith("text ") and "words a row" in line]
    assert text.split()[1] == "text"
    assert any(line.split()[:2] == ["class", "target"] for line in lines)
    assert any(line.startswith("class of 'class'") for line in lines)
    flat = tmp_path / "flat"
    flat.mkdir()
    (flat / "a.txt").write_text("in no folder of a class")
    done = distinguo("describe", flat)
    assert done.code == 0, done.err
    assert "class of" not in done.out


def test_options_of_texts_are_set_and_saved(distinguo: Run, mails: str, tmp_path: Path) -> None:
    model = tmp_path / "m.dgo"
    set_ = ("--set", "text.ngram_range=(1, 2)", "--set", "text.stop_words=english", "--set", "alpha=0.5")
    assert distinguo("fit", mails, "-t", "label", "--model", "complement-nb", "-o", model, *set_, "-q").code == 0
    saved = load(model)
    assert "free prize" in saved.encoder.features
    assert "the" not in saved.encoder.features
    assert saved.model.alpha == 0.5


def test_updates_are_one_fit_and_forgetting_takes_them_back(
    distinguo: Run, mails: str, write: Write, tmp_path: Path
) -> None:
    rows = pl.read_csv(mails)
    first, second = write("first.csv", rows[:35].write_csv()), write("second.csv", rows[35:].write_csv())
    whole, parts = tmp_path / "whole.dgo", tmp_path / "parts.dgo"
    for table, model in ((mails, whole), (first, parts)):
        assert distinguo("fit", table, "-t", "label", "--model", "bernoulli-nb", "-o", model, "-q").code == 0
    before = probabilities(distinguo, parts, mails)
    done = distinguo("update", parts, second)
    assert done.err.startswith("learned 25 rows more; wrote")
    np.testing.assert_allclose(
        probabilities(distinguo, parts, mails)["p_spam"], probabilities(distinguo, whole, mails)["p_spam"], rtol=1e-9
    )
    assert load(parts).counts.tolist() == load(whole).counts.tolist() == [30, 30]
    grown = set(load(parts).encoder.features) - set(load(whole).encoder.features)
    assert not grown
    done = distinguo("forget", parts, second)
    assert done.err.startswith("forgot 25 rows; wrote")
    again = load(parts)
    assert again.counts.sum() == 35
    np.testing.assert_allclose(again.model.priors_, [17 / 35, 18 / 35])
    # Bernoulli's smoothing does not hang on the number of words, so words with no texts left change little but exactly.
    known = [again.encoder.features.index(word) for word in ("win", "money", "lunch")]
    texts = rows[:35]
    for column, word in zip(known, ("win", "money", "lunch"), strict=True):
        own = texts.filter(pl.col("label") == "spam")["text"]
        share = (own.str.contains(rf"\b{word}\b").sum() + 1) / (len(own) + 2)
        other = texts.filter(pl.col("label") == "ham")["text"]
        other_share = (other.str.contains(rf"\b{word}\b").sum() + 1) / (len(other) + 2)
        expected = np.log(share / (1 - share)) - np.log(other_share / (1 - other_share))
        assert again.model.coef_[0, column] == pytest.approx(expected, rel=1e-9)
    assert len(before) == 60


def test_new_classes_come_and_emptied_ones_go(distinguo: Run, sorter: Path, write: Write) -> None:
    more = write("more.csv", "label,text\nnews,the weather is nice\nnews,nice weather at noon\n")
    done = distinguo("update", sorter, more)
    assert "note: new: class 'news'" in done.err
    assert load(sorter).model.classes_.tolist() == ["ham", "news", "spam"]
    done = distinguo("forget", sorter, more)
    assert "note: gone: class 'news', which has no rows left" in done.err
    assert load(sorter).model.classes_.tolist() == ["ham", "spam"]


def test_tables_of_numbers_and_categories_are_learned_on_too(distinguo: Run, write: Write, tmp_path: Path) -> None:
    generator = np.random.default_rng(1)
    frame = pl.DataFrame(
        {
            "size": generator.normal(size=80),
            "colour": generator.choice(["red", "blue", "green"], 80),
            "kind": ["a", "b"] * 40,
        }
    )
    whole, parts = tmp_path / "whole.dgo", tmp_path / "parts.dgo"
    everything, first = write("all.csv", frame.write_csv()), write("first.csv", frame[:50].write_csv())
    second = write("second.csv", frame[50:].write_csv())
    for table, model in ((everything, whole), (first, parts)):
        assert distinguo("fit", table, "-t", "kind", "--model", "mixed-nb", "-o", model, "-q").code == 0
    assert distinguo("update", parts, second, "-o", tmp_path / "more.dgo").code == 0
    for model in (tmp_path / "more.dgo", whole):
        found = probabilities(distinguo, model, everything)
        np.testing.assert_allclose(found["p_b"], probabilities(distinguo, whole, everything)["p_b"], rtol=1e-9)
    assert load(parts).counts.sum() == 50


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ("label,text\nspam,unheard of\n", "holds 'of', a word that the model never learned"),
        ("label,text\nnews,win\n", "never learned rows of class 'news'."),
        ("label,text\nspam,money money money money money money money money " + "money " * 200 + "\n", "not learned"),
        ("label,words\nspam,win\n", "the table lacks a column of the model: 'text'"),
        ("kind,text\nspam,win\n", "there is no column 'label' to be the target"),
    ],
)
def test_a_refused_change_leaves_the_model_as_it_was(
    distinguo: Run, sorter: Path, write: Write, rows: str, words: str
) -> None:
    before = sorter.read_bytes()
    done = distinguo("forget", sorter, write("rows.csv", rows))
    assert done.code == 1
    assert words in done.error
    assert sorter.read_bytes() == before


def test_what_cannot_learn_on_says_so(distinguo: Run, mails: str, pets: str, tmp_path: Path) -> None:
    fits = ((mails, "label", "text-logistic"), (pets, "kind", "knn"))
    for table, target, name in fits:
        model = tmp_path / f"{name}.dgo"
        assert distinguo("fit", table, "-t", target, "--model", name, "-o", model, "-q").code == 0
        assert f"{name} learns all its rows at once" in distinguo("update", model, table).error
        assert f"{name} cannot take rows away" in distinguo("forget", model, table).error


def test_explanations_sum_to_what_predict_says(distinguo: Run, sorter: Path, mails: str, tmp_path: Path) -> None:
    text = pl.read_csv(mails)["text"][0]
    by_text, by_row = (
        json.loads(distinguo("explain", sorter, *what, "--json", "--top", "100").out)
        for what in (("--text", text), (mails, "--row", "1"))
    )
    assert by_text == by_row
    *parts, total = by_text["lines"]
    assert total["kind"] == "sum"
    assert sum(line["log_odds"] for line in parts) == pytest.approx(by_text["log_odds"], abs=1e-12)
    assert by_text["probability"] == probabilities(distinguo, sorter, mails)["p_spam"][0]
    assert by_text["probability"] == pytest.approx(1 / (1 + np.exp(-by_text["log_odds"])), rel=1e-12)
    names = {line["name"] for line in parts if line["kind"] == "column"}
    assert names <= set(text.split())
    other = json.loads(distinguo("explain", sorter, "--text", text, "--class", "ham", "--json").out)
    assert other["log_odds"] == pytest.approx(-by_text["log_odds"])


def test_an_explanation_is_shown_and_drawn(distinguo: Run, sorter: Path, tmp_path: Path) -> None:
    picture = tmp_path / "why.svg"
    done = distinguo("explain", sorter, "--text", "win money", "-o", picture)
    assert done.out.startswith("'spam' rather than 'ham': P ")
    assert "\nmoney " in done.out
    assert "<svg" in picture.read_text()
    unknown = distinguo("explain", sorter, "--text", "zzz")
    assert "note: the text has no word that the model knows" in unknown.err
    assert "P = 0.5" in unknown.out


def test_rows_between_the_cuts_are_unsure(distinguo: Run, sorter: Path, mails: str) -> None:
    done = distinguo("predict", sorter, mails, "--unsure", "0.05", "0.95")
    found = pl.read_csv(done.out.encode())
    expected = (found["p_spam"] >= 0.05) & (found["p_spam"] < 0.95)
    assert found["unsure"].to_list() == expected.to_list()
    assert 0 < expected.sum() < 60
    assert f"note: {expected.sum()} of 60 rows are unsure" in done.err
    turned = pl.read_csv(
        distinguo("predict", sorter, mails, "-q", "--unsure", "0.2", "0.7", "--positive", "ham").out.encode()
    )
    assert turned["unsure"].to_list() == ((turned["p_ham"] >= 0.2) & (turned["p_ham"] < 0.7)).to_list()


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("explain", "{model}"), 2, "give a text with --text, or a table and --row"),
        (("explain", "{model}", "--text", "win", "--class", "eggs"), 1, "there is no class 'eggs'"),
        (("explain", "{model}", "--text", "win", "--class", "spam", "--against", "spam"), 1, "twice"),
        (("explain", "{model}", "--text", "win", "-o", "why.docx"), 2, "must end in .png, .svg, .pdf"),
        (("explain", "{model}", "{mails}", "--row", "61"), 1, "there is no row 61: the table has 60 rows"),
        (("explain", "{model}", "{mails}", "--row", "0"), 2, "--row"),
        (("predict", "{model}", "{mails}", "--unsure", "0.9", "0.1"), 2, "the lower first"),
        (("predict", "{model}", "{mails}", "--unsure", "0.1", "nan"), 2, "two probabilities"),
        (("predict", "{model}", "{mails}", "--positive", "spam"), 2, "give one of these too"),
        (("predict", "{model}", "{mails}", "--unsure", "0.1", "0.9", "--positive", "eggs"), 1, "no class 'eggs'"),
        (("fit", "{mails}", "-t", "label", "-o", "m.dgo", "--set", "text.mindf=2"), 2, "did you mean 'min_df'?"),
        (("fit", "{mails}", "-t", "label", "-o", "m.dgo", "--set", "text.tfidf=True"), 2, "no such option of texts"),
        (("fit", "{mails}", "-t", "label", "-o", "m.dgo", "--set", "text.min_df"), 2, "text.NAME=VALUE"),
        (("compare", "iris", "--set", "text.min_df=2"), 2, "none is read"),
        (("compare", "{mails}", "-t", "label", "--models", "lda"), 1, "lda reads no texts, and column 'text' is one"),
        (("fit", "{mails}", "-t", "label", "--text", "body", "-o", "m.dgo"), 1, "there is no column 'body' to be text"),
        (("fit", "{empty}", "--model", "multinomial-nb", "-o", "m.dgo"), 1, "there is no file in the folder"),
    ],
)
def test_wrong_commands_say_what_is_wrong(
    distinguo: Run, sorter: Path, mails: str, tmp_path: Path, arguments: tuple[str, ...], code: int, words: str
) -> None:
    (tmp_path / "empty").mkdir()
    places = {"model": sorter, "mails": mails, "empty": tmp_path / "empty"}
    done = distinguo(*(argument.format(**places) for argument in arguments))
    assert done.code == code
    assert words in done.err
    assert "Traceback" not in done.err


def test_files_that_are_not_utf_8_are_named_with_what_reads_them(distinguo: Run, folder: Path, tmp_path: Path) -> None:
    (folder / "spam" / "latin.txt").write_bytes("größe".encode("latin-1"))
    asked = ("fit", folder, "--model", "multinomial-nb", "-o", tmp_path / "m.dgo", "-q")
    done = distinguo(*asked)
    assert "latin.txt' is not utf-8" in done.error
    assert "--set text.encoding=latin-1" in done.error
    assert distinguo(*asked, "--set", "text.encoding=latin-1").code == 0
    assert "größe" in load(tmp_path / "m.dgo").encoder.features
    assert "cannot be read so" in distinguo(*asked, "--set", "text.encoding=klingon").error


def test_missing_and_empty_texts_get_the_prior(distinguo: Run, sorter: Path, write: Write) -> None:
    found = probabilities(distinguo, sorter, write("empty.csv", 'text\n""\nNA\nunheard\n?!\n'))
    assert found["p_spam"].to_list() == pytest.approx([0.5] * 4)


@pytest.mark.parametrize("encoding", ["counts", "tfidf"])
def test_held_out_rows_change_no_model_of_a_fold(mails: str, write: Write, encoding: str) -> None:
    frame = pl.read_csv(mails)
    changed = frame.with_columns(text=pl.when(pl.int_range(60) >= 40).then(pl.lit("all other words")).otherwise("text"))
    train, test = np.arange(40), np.arange(40, 60)
    sides = []
    for path in (mails, write("changed.csv", changed.write_csv())):
        rows = lesson(path, min_df=2)
        prepared = _preparation(rows)(train, test, encoding)
        model = find("multinomial-nb").make().fit(prepared.train, rows.rows.labels[train])
        sides.append((prepared.train.toarray(), model.coef_, prepared.test.shape[1]))
    (X, coef, p), (X_changed, coef_changed, p_changed) = sides
    assert p == p_changed
    np.testing.assert_array_equal(X, X_changed)
    np.testing.assert_array_equal(coef, coef_changed)


def test_long_texts_and_addresses_are_warned_of(distinguo: Run, write: Write, tmp_path: Path) -> None:
    generator = np.random.default_rng(0)
    words = [f"w{i:03}" for i in range(300)]
    lines = ["label,text"]
    for i in range(40):
        name, host = [("ann", "yale"), ("joe", "oslo")][i % 2]
        lines.append(f"{'ab'[i % 2]},{' '.join(generator.choice(words, 80))} from {name}@{name}lab.{host}.edu")
    table = write("long.csv", "\n".join(lines) + "\n")
    done = distinguo("fit", table, "-t", "label", "--model", "bernoulli-nb", "-o", tmp_path / "b.dgo")
    assert "note: T1: half of the texts have " in done.err
    assert "note: T2: telling words stand mostly in addresses" in done.err
    assert "T2: telling words" in distinguo("describe", tmp_path / "b.dgo").out
    done = distinguo("fit", table, "-t", "label", "--model", "multinomial-nb", "-o", tmp_path / "m.dgo")
    assert "T1" not in done.err


def test_ordinary_messages_are_not_warned_of(mails: str) -> None:
    assert lesson(mails).advice(Plan(entries=COMPARED_ON_TEXTS).entries) == ()


def test_repeated_columns_are_warned_of_where_a_model_is_naive(distinguo: Run) -> None:
    quick = ("--folds", "2", "--repeats", "1", "--models")
    assert (
        "N1: columns say nearly the same within the classes: 'mean radius' and"
        in distinguo("compare", "breast_cancer", *quick, "gaussian-nb").out
    )
    assert "N1" not in distinguo("compare", "breast_cancer", *quick, "lda").out
    assert "N1" not in distinguo("compare", "wine", *quick, "gaussian-nb").out


def test_telling_words_are_described(distinguo: Run, sorter: Path) -> None:
    out = distinguo("describe", sorter).out
    words = out[out.index("telling words") :].splitlines()
    assert {"prize", "pills"} <= set(next(line for line in words if line.startswith("spam ")).replace(",", " ").split())
    assert "multinomial naive Bayes (multinomial-nb) of 'label'" in out


def test_lecture_14_through_the_command(distinguo: Run, shared_data, tmp_path: Path) -> None:
    """Newsgroups, min_df = 2, alpha = 0.1, without metadata: .865 of 1 543 messages, 13 134 words."""
    model = tmp_path / "news.dgo"
    fitted = distinguo(
        "fit", shared_data("20news_lecture_train.csv.gz"), "-t", "category", "--text", "text",
        "--model", "multinomial-nb", "--set", "alpha=0.1", "--set", "text.min_df=2",
        "--set", "text.remove=('headers', 'footers', 'quotes')", "-o", model, "-q",
    )  # fmt: skip
    assert fitted.code == 0, fitted.err
    assert len(load(model).encoder.features) == 13134
    found = probabilities(distinguo, model, shared_data("20news_lecture_test.csv.gz"))
    assert round((found["predicted"] == found["category"]).mean(), 3) == 0.865
