"""The one table of models: what each is called, where it lives, and what it can do.

The contract tests, the command line and the trusted types of model files read it; adding a model adds one row.
Nothing heavy is imported until a row is asked for its class.
"""

from __future__ import annotations

import dataclasses
import difflib
import importlib
import pkgutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

from distinguo.exceptions import InputError


@dataclass(frozen=True, slots=True)
class Entry:
    """One model.

    Attributes
    ----------
    name : what the command line calls it.
    title : what people call it.
    module, class_name : where it lives.
    merges : has `partial_fit`, `forget` and `+`.
    learns_on : has `partial_fit`; implied by `merges`.
    leave_one_out : has `leave_one_out`.
    holes : takes missing cells at fit and predict.
    density : has `class_log_density` and `score_samples`.
    typicality : has `typicality`.
    sample : has `sample`.
    sparse : takes SciPy sparse rows without making them dense.
    probabilities : has `predict_proba`; without, `compare` judges labels only.
    explains : has `explain`: each column adds its own part to a decision's log-odds.
    spread : the attribute that holds variances or covariances within the classes, beside `means_`; None for a
        model that knows boundaries only, whose `coef_` and `intercept_` are shown instead.
    categories : has `category_log_prob_`, shares of the categories of each column.
    encoding : how columns of categories come to it from a table: as "indicators" of 0 and 1, or as "words".
    naive : takes columns for independent within the classes.
    texts : how a column of texts comes to it: as "counts" of words, or "tfidf"; None where it takes none.
    directions : has `scalings_` and `explained_variance_ratio_`.
    variates : has `transform` and `explained_variance_ratio_`; implied by `directions`.
    keeps_rows : has neither, but `cost_`: the model is its rows, and what they cost is shown.
    options : the parameters with which `compare` makes it.
    compared : whether `compare` takes it where no models are named, of a table without texts; of texts, all that take
        them.
    chosen : the attributes that hold what cross-validation chose, numbers that `describe` shows.
    inference : has `summary`, the coefficient table that `fit` and `describe` print, and `odds_ratios`.
    """

    name: str
    title: str
    module: str
    class_name: str
    merges: bool = False
    learns_on: bool = False
    leave_one_out: bool = False
    holes: bool = False
    density: bool = False
    typicality: bool = False
    sample: bool = False
    sparse: bool = False
    probabilities: bool = True
    explains: bool = False
    spread: str | None = "covariance_"
    categories: bool = False
    encoding: str = "indicators"
    naive: bool = False
    texts: str | None = None
    directions: bool = False
    variates: bool = False
    keeps_rows: bool = False
    options: Mapping[str, Any] = field(default_factory=dict)
    compared: bool = True
    chosen: tuple[str, ...] = ()
    inference: bool = False

    def load(self) -> Any:
        """The class itself."""
        return getattr(importlib.import_module(self.module), self.class_name)

    def make(self) -> Any:
        """A model that is not fitted yet, as `compare` makes it."""
        return self.load()(**self.options)


CATALOGUE: tuple[Entry, ...] = (
    Entry(
        name="lda",
        title="linear discriminant analysis",
        module="distinguo.generative.linear_discriminant",
        class_name="LinearDiscriminantAnalysis",
        explains=True,
        directions=True,
        merges=True,
        leave_one_out=True,
        holes=True,
        density=True,
        typicality=True,
        sample=True,
    ),
    Entry(
        name="qda",
        title="quadratic discriminant analysis",
        module="distinguo.generative.quadratic_discriminant",
        class_name="QuadraticDiscriminantAnalysis",
        merges=True,
        leave_one_out=True,
        holes=True,
        density=True,
        typicality=True,
        sample=True,
    ),
    Entry(
        name="rda",
        title="regularised discriminant analysis",
        module="distinguo.generative.regularized",
        class_name="RegularizedDiscriminantAnalysis",
        # Tuned within every fold of a comparison; a coarser grid costs a quarter and chooses as well.
        options={"grid": 6, "cv": 5},
        chosen=("pooling_", "shrinkage_"),
        leave_one_out=True,
        holes=True,
        density=True,
        typicality=True,
        sample=True,
    ),
    Entry(
        name="pda",
        title="penalised discriminant analysis",
        module="distinguo.generative.penalized",
        class_name="PenalizedDiscriminantAnalysis",
        explains=True,
        chosen=("df_",),
        directions=True,
        leave_one_out=True,
        holes=True,
        density=True,
        typicality=True,
        sample=True,
    ),
    Entry(
        name="fda",
        title="flexible discriminant analysis",
        module="distinguo.generative.flexible",
        class_name="FlexibleDiscriminantAnalysis",
        variates=True,
        density=True,
        typicality=True,
        sample=True,
    ),
    Entry(
        name="gaussian-nb",
        title="Gaussian naive Bayes",
        module="distinguo.generative.naive_bayes",
        class_name="GaussianNB",
        naive=True,
        explains=True,
        spread="variances_",
        # A table's indicators are often constant in a class; without a spread of at least a tenth of the column's own,
        # one such cell would outweigh all others.
        options={"var_smoothing": 0.01},
        merges=True,
        leave_one_out=True,
        holes=True,
        density=True,
        typicality=True,
        sample=True,
    ),
    Entry(
        name="multinomial-nb",
        title="multinomial naive Bayes",
        module="distinguo.generative.multinomial_nb",
        class_name="MultinomialNB",
        naive=True,
        explains=True,
        spread=None,
        texts="counts",
        sparse=True,
        merges=True,
        holes=True,
        leave_one_out=True,
        density=True,
        typicality=True,
        sample=True,
        # Made for counts of words, and taking part where it is named.
        compared=False,
    ),
    Entry(
        name="bernoulli-nb",
        title="Bernoulli naive Bayes",
        module="distinguo.generative.count_nb",
        class_name="BernoulliNB",
        naive=True,
        explains=True,
        spread=None,
        texts="counts",
        sparse=True,
        merges=True,
        holes=True,
        leave_one_out=True,
        density=True,
        typicality=True,
        sample=True,
        # Made for counts of words, and taking part where it is named.
        compared=False,
    ),
    Entry(
        name="complement-nb",
        title="complement naive Bayes",
        module="distinguo.generative.complement_nb",
        class_name="ComplementNB",
        naive=True,
        explains=True,
        spread=None,
        texts="counts",
        sparse=True,
        merges=True,
        holes=True,
        # Made for counts of words, and taking part where it is named.
        compared=False,
    ),
    Entry(
        name="poisson-nb",
        title="Poisson naive Bayes",
        module="distinguo.generative.count_nb",
        class_name="PoissonNB",
        naive=True,
        explains=True,
        spread=None,
        texts="counts",
        sparse=True,
        merges=True,
        holes=True,
        leave_one_out=True,
        density=True,
        typicality=True,
        sample=True,
        # Made for counts of words, and taking part where it is named.
        compared=False,
    ),
    Entry(
        name="categorical-nb",
        title="categorical naive Bayes",
        module="distinguo.generative.mixed_nb",
        class_name="CategoricalNB",
        naive=True,
        explains=True,
        spread=None,
        categories=True,
        encoding="words",
        merges=True,
        leave_one_out=True,
        holes=True,
        density=True,
        typicality=True,
        sample=True,
        # Takes every number for a category of its own.
        compared=False,
    ),
    Entry(
        name="mixed-nb",
        title="naive Bayes of mixed columns",
        module="distinguo.generative.mixed_nb",
        class_name="MixedNB",
        naive=True,
        explains=True,
        spread="variances_",
        categories=True,
        encoding="words",
        merges=True,
        leave_one_out=True,
        holes=True,
        density=True,
        typicality=True,
        sample=True,
    ),
    Entry(
        name="mda",
        title="mixture discriminant analysis",
        module="distinguo.generative.mixture",
        class_name="MixtureDiscriminantAnalysis",
        directions=True,
        options={"max_subclasses": 3, "n_init": 2},
        holes=True,
        density=True,
        typicality=True,
        sample=True,
    ),
    Entry(
        name="least-squares",
        title="least squares on indicators",
        module="distinguo.linear.least_squares",
        class_name="LeastSquaresClassifier",
        merges=True,
        leave_one_out=True,
        probabilities=False,
        spread=None,
    ),
    Entry(
        name="logistic",
        title="logistic regression",
        module="distinguo.linear.logistic",
        class_name="LogisticRegression",
        explains=True,
        sparse=True,
        spread=None,
        inference=True,
        # Maximum likelihood, for its table of coefficients; as a classifier it is too sure of few rows.
        compared=False,
    ),
    Entry(
        name="ridge-logistic",
        title="logistic regression with a ridge",
        module="distinguo.linear.logistic",
        class_name="LogisticRegression",
        explains=True,
        # Tuned within every fold of a comparison: few strengths, close where tables differ, and coefficients to about a
        # hundredth, which changes no choice. Gradients alone are quickest at that.
        options={
            "C": "cv",
            "standardize": True,
            "Cs": (0.001, 0.01, 0.1, 1.0, 3.0, 10.0, 30.0),
            "solver": "lbfgs",
            "tol": 1e-5,
        },
        chosen=("C_",),
        sparse=True,
        spread=None,
        inference=True,
    ),
    Entry(
        name="text-logistic",
        title="logistic regression with a ridge on TF-IDF",
        module="distinguo.linear.logistic",
        class_name="LogisticRegression",
        # Rows of length one say little each, so penalties are weaker than for other tables; as with these, few
        # strengths, and coefficients that are near enough for the choice.
        options={"C": "cv", "cv": 3, "Cs": (1.0, 10.0, 100.0, 1000.0), "solver": "lbfgs", "tol": 3e-4},
        chosen=("C_",),
        texts="tfidf",
        explains=True,
        inference=True,
        sparse=True,
        spread=None,
        # Made for texts, and taking part where it is named.
        compared=False,
    ),
    Entry(
        name="perceptron",
        title="perceptron",
        module="distinguo.linear.perceptron",
        class_name="Perceptron",
        learns_on=True,
        sparse=True,
        probabilities=False,
        spread=None,
    ),
    Entry(
        name="knn",
        title="k nearest neighbours",
        module="distinguo.neighbors.classifier",
        class_name="KNeighborsClassifier",
        leave_one_out=True,
        sparse=True,
        spread=None,
        keeps_rows=True,
        options={"k": "cv", "standardize": True},
        chosen=("k_",),
    ),
)

COMPARED = tuple(entry for entry in CATALOGUE if entry.compared)
COMPARED_ON_TEXTS = tuple(entry for entry in CATALOGUE if entry.texts)

# What goes around a model of the table, and may be in a model file in its place.
WRAPPERS = (("distinguo.evaluation.calibration.calibrated", "Calibrated"),)

# Fitted models hold frozen dataclasses of these packages and modules, and of no other.
STATE_MODULES = (
    "distinguo.statistics",
    "distinguo.densities",
    "distinguo.covariance",
    "distinguo.priors",
    "distinguo.features",
    "distinguo.evaluation.calibration.logistic_maps",
    "distinguo.evaluation.calibration.maps",
    "distinguo.evaluation.calibration.step_maps",
    "distinguo.evaluation.calibration.temperature",
    "distinguo.evaluation.conformal.calibration",
    "distinguo.evaluation.conformal.ranks",
    "distinguo.evaluation.novelty.calibration",
    "distinguo.generative.optimal_scoring",
    "distinguo.hyperplane",
    "distinguo.neighbors.answers",
    "distinguo.neighbors.kept",
    "distinguo.linear.record",
    "distinguo.linear.separation",
    "distinguo.linear.walk",
    "distinguo.linear.separation",
)


def find(name: str) -> Entry:
    """The model of that name.

    Raises
    ------
    InputError
        If there is none; the message names near matches, or else all.

    Examples
    --------
    >>> find("lda").title
    'linear discriminant analysis'
    """
    names = [entry.name for entry in CATALOGUE]
    if name not in names:
        raise InputError(f"there is no model {name!r}; {suggest(name, names)}")
    return CATALOGUE[names.index(name)]


# All are no help: these differ most, and take any table of numbers and categories.
HOLES_OFFERED = ("lda", "rda", "gaussian-nb", "mixed-nb")


def takers_of_holes() -> str:
    """Some models that take missing cells, for messages of those that do not."""
    return f"{', '.join(HOLES_OFFERED)} and others"


def suggest(wrong: str, right: Iterable[str], shown: int = 12) -> str:
    """What may have been meant: near matches, or else what there is.

    Examples
    --------
    >>> suggest("ldaa", ["lda", "qda"])
    "did you mean 'lda'?"
    >>> suggest("forest", ["lda", "qda"])
    "there are 'lda', 'qda'."
    """
    names = list(right)
    near = near_match(wrong, names)
    return f"there are {listed(names, shown)}" if near is None else f"did you mean {near!r}?"


def near_match(wrong: str, right: Iterable[str]) -> str | None:
    """The name that is most like a wrong one, whatever its capitals; None if none is like it."""
    by_lower = {name.lower(): name for name in right}
    near = difflib.get_close_matches(wrong.lower(), by_lower, n=1, cutoff=0.6)
    return by_lower[near[0]] if near else None


def listed(names: Sequence[str], shown: int = 12) -> str:
    """The first of some names, quoted, to end a sentence.

    Examples
    --------
    >>> listed(["lda", "qda"])
    "'lda', 'qda'."
    >>> listed(["lda", "qda", "rda"], shown=2)
    "'lda', 'qda', ..."
    """
    return ", ".join(map(repr, names[:shown])) + (", ..." if len(names) > shown else ".")


def model_classes() -> set[tuple[str, str]]:
    """Module and name of every class that a model file may hold as its model."""
    return {*((entry.module, entry.class_name) for entry in CATALOGUE), *WRAPPERS}


def trusted_types() -> list[str]:
    """The full names of all classes that a fitted model of this table may hold; model files may name no other."""
    models = {".".join(place) for place in model_classes()}  # none is imported to be trusted
    state = {
        f"{value.__module__}.{value.__qualname__}"
        for module in _state_modules()
        for value in vars(module).values()
        if isinstance(value, type) and dataclasses.is_dataclass(value) and value.__module__ == module.__name__
    }
    return sorted(models | state)


def _state_modules() -> Iterable[ModuleType]:
    """The modules behind STATE_MODULES, those inside packages too."""
    for name in STATE_MODULES:
        module = importlib.import_module(name)
        yield module
        for found in pkgutil.iter_modules(getattr(module, "__path__", ())):
            yield importlib.import_module(f"{name}.{found.name}")
