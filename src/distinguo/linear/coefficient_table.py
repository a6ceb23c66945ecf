"""The tables that inference prints."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc

from distinguo.group_tests.table import ResultTable, aligned, number_text, p_column, p_text, two_decimals

Array = NDArray[np.float64]
Formats = Mapping[str, Callable[[NDArray[Any]], list[str]]]


@dataclass(frozen=True, eq=False, repr=False)
class CoefficientTable(ResultTable):
    """Coefficients with what they are known to; NaN, printed "-", where there is no such number.

    Attributes
    ----------
    outcome : (m,) the class whose log odds against the base the coefficient is of.
    term : (m,) column, or "(intercept)".
    estimate : (m,) infinite where maximum likelihood has no finite answer.
    standard_error, z, p_value : (m,) and Wald's test of the coefficient being zero, against the Gaussian.
    low, high : (m,) the interval's ends.
    heading : what stands above.
    hidden, notes : columns not printed, and what stands below.
    """

    outcome: NDArray[Any]
    term: NDArray[Any]
    estimate: Array
    standard_error: Array
    z: Array
    p_value: Array
    low: Array
    high: Array
    heading: str
    hidden: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    headings: ClassVar[dict[str, str]] = {
        "outcome": "class",
        "term": "term",
        "estimate": "estimate",
        "standard_error": "std. error",
        "z": "z",
        "p_value": "p",
        "low": "low",
        "high": "high",
    }
    formats: ClassVar[Formats] = {
        "estimate": aligned,
        "standard_error": aligned,
        "z": two_decimals,
        "p_value": p_column,
        "low": aligned,
        "high": aligned,
    }

    @property
    def title(self) -> str:
        """What was fitted, and how well."""
        return self.heading


@dataclass(frozen=True, eq=False, repr=False)
class IntervalTable(ResultTable):
    """Estimates and their intervals.

    Attributes
    ----------
    outcome : (m,) the class, against the base.
    term : (m,) column, or "(intercept)".
    estimate, low, high : (m,) coefficients, or odds ratios where the heading says so.
    heading : what stands above.
    hidden, notes : columns not printed, and what stands below.
    """

    outcome: NDArray[Any]
    term: NDArray[Any]
    estimate: Array
    low: Array
    high: Array
    heading: str
    hidden: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    headings: ClassVar[dict[str, str]] = {
        "outcome": "class",
        "term": "term",
        "estimate": "estimate",
        "low": "low",
        "high": "high",
    }
    formats: ClassVar[Formats] = {"estimate": aligned, "low": aligned, "high": aligned}

    @property
    def title(self) -> str:
        """What the intervals are of."""
        return self.heading


@dataclass(frozen=True, eq=False, repr=False)
class TermTests(ResultTable):
    """Likelihood-ratio tests, one a term: the fit against that without the term.

    Attributes
    ----------
    term : (m,) column, or group of columns.
    statistic : (m,) twice the log-likelihood lost without it.
    df : (m,) coefficients lost; zero where the other columns tell all that the term does.
    p_value : (m,) of the chi-squared distribution; NaN without degrees of freedom.
    heading : what stands above.
    """

    term: NDArray[Any]
    statistic: Array
    df: NDArray[np.intp]
    p_value: Array
    heading: str
    headings: ClassVar[dict[str, str]] = {"term": "without", "statistic": "chi²", "df": "df", "p_value": "p"}
    formats: ClassVar[Formats] = {"statistic": aligned, "p_value": p_column}

    @property
    def title(self) -> str:
        """What is tested."""
        return self.heading


@dataclass(frozen=True)
class LikelihoodRatioTest:
    """Two nested fits of the same rows.

    Attributes
    ----------
    statistic : twice the difference of their log-likelihoods.
    df : of their numbers of coefficients.
    p_value : the probability of more, were the smaller one true.
    """

    statistic: float
    df: int
    p_value: float

    def __str__(self) -> str:
        return f"likelihood-ratio test: chi² {number_text(self.statistic)} on {self.df} df, p {p_text(self.p_value)}"


def upper_tail(statistic: Array, df: NDArray[np.intp]) -> Array:
    """(m,) chi-squared probabilities of more; NaN without degrees of freedom."""
    positive = np.maximum(df, 1)
    return np.where(df > 0, chdtrc(positive, np.maximum(statistic, 0.0)), np.nan)
