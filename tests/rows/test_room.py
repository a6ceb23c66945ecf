"""Models that need rows of files in memory say how large these are before they read one; the others say nothing."""

import re
import warnings

import numpy as np
import polars as pl
import pytest

import distinguo as d
from distinguo.exceptions import InMemoryWarning, InputError
from distinguo.rows import room
from distinguo.rows.base import Size
from distinguo.rows.files import FileSource
from distinguo.rows.frames import Frames
from distinguo.rows.room import announce, bytes_of, free_memory, in_words

N, P = 240, 3


class Watched(Frames):
    """Rows in memory that count how often they are read, and say how many they are without being read."""

    is_text = False

    def __init__(self, exact=True):
        random = np.random.default_rng(1)
        y = random.integers(0, 2, N)
        X = random.poisson(2.0 + 2 * y[:, None], (N, P)).astype(float)
        self.table = pl.DataFrame(X, schema=["a", "b", "c"]).with_columns(y=np.array(["no", "yes"])[y])
        self.names, self.reads, self.exact = self.table.columns, 0, exact

    def schema(self):
        return self.table.schema

    def frames(self, columns=None):
        self.reads += 1
        yield from self.table.select(columns or self.names).iter_slices(100)

    def count(self):
        return N, self.exact


HOLDING = {
    "k nearest": d.KNeighborsClassifier(),
    "sliding window": d.SlidingWindowKNN(),
    "perceptron": d.Perceptron(),
    "FDA": d.FlexibleDiscriminantAnalysis(),
    "FDA by MARS": d.FlexibleDiscriminantAnalysis(regression=d.Mars()),
    "MDA": d.MixtureDiscriminantAnalysis(subclasses=2, random_state=0),
    "RDA by folds": d.RegularizedDiscriminantAnalysis(pooling="cv", shrinkage="cv", random_state=0),
    "LDA by folds": d.LinearDiscriminantAnalysis(shrinkage="cv", random_state=0),
    "QDA by folds": d.QuadraticDiscriminantAnalysis(shrinkage="cv", random_state=0),
    "PDA by folds": d.PenalizedDiscriminantAnalysis(random_state=0),
    "pairs": d.OneVsOneClassifier(d.LinearDiscriminantAnalysis()),
    "one and the rest": d.OneVsRestClassifier(d.KNeighborsClassifier()),
    "calibrated": d.Calibrated(d.LinearDiscriminantAnalysis()),
    "balanced": d.Balanced(d.GaussianNB()),
    "a threshold": d.Thresholded(d.LinearDiscriminantAnalysis()),
    "sets": d.PredictionSets(d.LinearDiscriminantAnalysis()),
}
STREAMING = {
    "LDA": d.LinearDiscriminantAnalysis(),
    "shrunken LDA": d.LinearDiscriminantAnalysis(shrinkage="ledoit-wolf"),
    "QDA": d.QuadraticDiscriminantAnalysis(),
    "RDA": d.RegularizedDiscriminantAnalysis(pooling=0.5, shrinkage=0.1),
    "naive Bayes": d.GaussianNB(),
    "counts": d.MultinomialNB(),
    "categories": d.CategoricalNB(),
    "mixed": d.MixedNB(),
    "least squares": d.LeastSquaresClassifier(),
    "logistic": d.LogisticRegression(),
}


@pytest.mark.parametrize("model", list(HOLDING.values()), ids=list(HOLDING))
def test_what_holds_rows_says_so_once_before_it_reads_one(model):
    frames, said = Watched(), []
    with warnings.catch_warnings():
        warnings.simplefilter("always", InMemoryWarning)
        warnings.showwarning = lambda message, *_, **__: said.append((str(message), frames.reads))
        model.fit(FileSource(frames, "y"))
    assert said == [("this model holds all rows in memory: 240 rows of 3 columns, 11.5 kB.", 0)]
    assert frames.reads > 0


@pytest.mark.parametrize("model", list(STREAMING.values()), ids=list(STREAMING))
def test_what_adds_up_says_nothing(model):
    model.fit(FileSource(Watched(), "y"))  # a warning would be an error


@pytest.mark.parametrize("model", list(HOLDING.values()), ids=list(HOLDING))
def test_what_does_not_fit_is_refused_before_a_row_is_read(model, monkeypatch):
    monkeypatch.setattr(room, "free_memory", lambda: 20_000)
    frames = Watched()
    with pytest.raises(InputError, match=r"240 rows of 3 columns, 11\.5 kB.* 20\.0 kB"):
        model.fit(FileSource(frames, "y"))
    assert frames.reads == 0


def test_streaming_takes_any_number_of_rows(monkeypatch):
    monkeypatch.setattr(room, "free_memory", lambda: 0)
    d.LinearDiscriminantAnalysis().fit(FileSource(Watched(), "y"))


@pytest.mark.parametrize("where", [None, "a > 1"])
def test_an_estimate_says_about(where):
    with pytest.warns(InMemoryWarning, match=r"about 240 rows of 3 columns"):
        announce(FileSource(Watched(exact=where is not None), "y", where=where))


def test_rows_in_memory_are_not_announced():
    announce(d.MemorySource([[1.0], [2.0]], ["a", "b"]))


def test_unlabelled_rows_of_files_are_announced_once():
    model = d.LinearDiscriminantAnalysis(unlabeled="missing", shrinkage="cv", random_state=0)
    with pytest.warns(InMemoryWarning) as said:
        model.fit(FileSource(Watched(), "y"))
    assert len(said) == 1


def test_the_size_is_that_of_the_numbers():
    size = Size(1000, 7, exact=True)
    held = np.zeros((1000, 7)).nbytes + np.zeros(1000).nbytes + 2 * np.zeros(1000, np.intp).nbytes
    assert bytes_of(size) == held
    assert [in_words(n) for n in (0, 999, 1000, 1.5e15)] == ["0 bytes", "999 bytes", "1.0 kB", "1500.0 TB"]


def test_free_memory_is_what_the_system_says():
    psutil = pytest.importorskip("psutil")
    free = free_memory()
    if free is None:
        pytest.skip("this system does not tell")
    assert abs(free - psutil.virtual_memory().available) < 0.2 * psutil.virtual_memory().total


def test_the_error_says_what_to_do(monkeypatch):
    monkeypatch.setattr(room, "free_memory", lambda: 1)
    with pytest.raises(InputError) as caught:
        announce(FileSource(Watched(), "y"))
    assert re.search(r"where|statistics add up", str(caught.value))
