"""Classification with models that people can read.

Linear and quadratic discriminant analysis and naive Bayes that stream, merge and forget; that give a label, a
probability, and a warning where a row looks like nothing seen before.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

# Where each public name lives; a part is imported when its name is first used, so that start-up stays short.
_HOMES = {
    "Balanced": "distinguo.evaluation.decisions.balancing",
    "BernoulliNB": "distinguo.generative.count_nb",
    "BrierSplit": "distinguo.evaluation.assessment.scoring",
    "Calibrated": "distinguo.evaluation.calibration.calibrated",
    "CategoricalNB": "distinguo.generative.mixed_nb",
    "ClassCounts": "distinguo.statistics.counts",
    "ClassEllipsesDisplay": "distinguo.plots.ellipses",
    "ClassMoments": "distinguo.statistics.moments",
    "CoefficientIntervalsDisplay": "distinguo.plots.forest",
    "CoefficientsDisplay": "distinguo.plots.coefficients",
    "ColumnMoments": "distinguo.statistics.diagonal",
    "ColumnSummaries": "distinguo.statistics.summaries",
    "Comparison": "distinguo.evaluation.comparison.comparing",
    "ComplementNB": "distinguo.generative.complement_nb",
    "ConfusionMatrix": "distinguo.evaluation.assessment.confusion",
    "CostSensitive": "distinguo.evaluation.decisions.deciding",
    "Costs": "distinguo.evaluation.decisions.costs",
    "Counts": "distinguo.statistics.counts",
    "DecisionRegionsDisplay": "distinguo.plots.regions",
    "DiagonalMoments": "distinguo.statistics.diagonal",
    "DiscriminantHistogramDisplay": "distinguo.plots.histogram",
    "Evaluation": "distinguo.evaluation.assessment.evaluation",
    "Explanation": "distinguo.explanation",
    "ExplanationDisplay": "distinguo.plots.explanation",
    "FlexibleDiscriminantAnalysis": "distinguo.generative.flexible",
    "GaussianBasis": "distinguo.features.bumps",
    "GaussianNB": "distinguo.generative.naive_bayes",
    "KNeighborsClassifier": "distinguo.neighbors.classifier",
    "KNeighborsRegressor": "distinguo.neighbors.regressor",
    "LeastSquaresClassifier": "distinguo.linear.least_squares",
    "LinearDiscriminantAnalysis": "distinguo.generative.linear_discriminant",
    "LogisticRegression": "distinguo.linear.logistic",
    "Mars": "distinguo.features.mars",
    "MarsDisplay": "distinguo.plots.mars",
    "MemorySource": "distinguo.rows.memory",
    "MixedNB": "distinguo.generative.mixed_nb",
    "Mixture": "distinguo.generative.mixture_density",
    "MixtureDiscriminantAnalysis": "distinguo.generative.mixture",
    "Moments": "distinguo.statistics.moments",
    "MultinomialNB": "distinguo.generative.multinomial_nb",
    "NaturalSplines": "distinguo.features.natural",
    "Novelty": "distinguo.evaluation.novelty.detector",
    "NoveltyCalibration": "distinguo.evaluation.novelty.calibration",
    "OneVsOneClassifier": "distinguo.linear.one_vs_one",
    "OneVsRestClassifier": "distinguo.linear.one_vs_rest",
    "PathDisplay": "distinguo.plots.path",
    "PenalizedDiscriminantAnalysis": "distinguo.generative.penalized",
    "Perceptron": "distinguo.linear.perceptron",
    "PoissonNB": "distinguo.generative.count_nb",
    "PolynomialBasis": "distinguo.features.polynomial",
    "PrecisionRecallDisplay": "distinguo.plots.ranking",
    "PredictionSets": "distinguo.evaluation.conformal.sets",
    "QuadraticDiscriminantAnalysis": "distinguo.generative.quadratic_discriminant",
    "RegularizedDiscriminantAnalysis": "distinguo.generative.regularized",
    "Reliability": "distinguo.evaluation.assessment.reliability",
    "ReliabilityDisplay": "distinguo.plots.reliability",
    "Report": "distinguo.report.building",
    "RocDisplay": "distinguo.plots.ranking",
    "SetCalibration": "distinguo.evaluation.conformal.calibration",
    "SetQuality": "distinguo.evaluation.conformal.quality",
    "SlidingWindowKNN": "distinguo.neighbors.window",
    "Source": "distinguo.rows.base",
    "StrangeRow": "distinguo.evaluation.novelty.reasons",
    "Summaries": "distinguo.statistics.summaries",
    "TerritorialMapDisplay": "distinguo.plots.territory",
    "TextCounts": "distinguo.features.text",
    "TextRows": "distinguo.features.text_rows",
    "Thresholded": "distinguo.evaluation.decisions.thresholded",
    "TraceDisplay": "distinguo.plots.trace",
    "box_m": "distinguo.group_tests.box",
    "brier_split": "distinguo.evaluation.assessment.scoring",
    "calibrate_novelty": "distinguo.evaluation.novelty.calibration",
    "calibrate_sets": "distinguo.evaluation.conformal.fitted",
    "canonical_correlations": "distinguo.group_tests.canonical",
    "check_gaussian": "distinguo.group_tests.gaussian",
    "compare": "distinguo.evaluation.comparison.comparing",
    "decide": "distinguo.evaluation.decisions.deciding",
    "evaluate": "distinguo.evaluation.assessment.evaluating",
    "gaussian_warning": "distinguo.group_tests.advice",
    "greedy_wilks": "distinguo.group_tests.stepwise",
    "grouped_counts": "distinguo.linear.grouped",
    "learning_curve": "distinguo.evaluation.comparison.learning_curve",
    "logistic_path": "distinguo.linear.path",
    "mahalanobis_distances": "distinguo.group_tests.distances",
    "make_report": "distinguo.report.making",
    "manova": "distinguo.group_tests.manova",
    "mardia": "distinguo.group_tests.mardia",
    "natural_frequencies": "distinguo.evaluation.base_rates",
    "predict_spark": "distinguo.export.spark",
    "predictive_value": "distinguo.evaluation.base_rates",
    "pseudo_rows": "distinguo.statistics.pseudo",
    "reliability": "distinguo.evaluation.assessment.reliability",
    "scan": "distinguo.rows.files",
    "scan_sql": "distinguo.rows.database",
    "scan_texts": "distinguo.rows.texts",
    "separation": "distinguo.linear.separation",
    "set_quality": "distinguo.evaluation.conformal.quality",
    "strangest": "distinguo.evaluation.novelty.reasons",
    "threshold_table": "distinguo.evaluation.decisions.thresholds",
    "to_onnx": "distinguo.export.onnx_model",
    "to_sql": "distinguo.export.sql",
    "tune_threshold": "distinguo.evaluation.decisions.thresholds",
}

__all__ = sorted(["__version__", *_HOMES])  # noqa: PLE0605

if TYPE_CHECKING:
    from distinguo.evaluation.assessment.confusion import ConfusionMatrix as ConfusionMatrix
    from distinguo.evaluation.assessment.evaluating import evaluate as evaluate
    from distinguo.evaluation.assessment.evaluation import Evaluation as Evaluation
    from distinguo.evaluation.assessment.reliability import Reliability as Reliability
    from distinguo.evaluation.assessment.reliability import reliability as reliability
    from distinguo.evaluation.assessment.scoring import BrierSplit as BrierSplit
    from distinguo.evaluation.assessment.scoring import brier_split as brier_split
    from distinguo.evaluation.base_rates import natural_frequencies as natural_frequencies
    from distinguo.evaluation.base_rates import predictive_value as predictive_value
    from distinguo.evaluation.calibration.calibrated import Calibrated as Calibrated
    from distinguo.evaluation.comparison.comparing import Comparison as Comparison
    from distinguo.evaluation.comparison.comparing import compare as compare
    from distinguo.evaluation.comparison.learning_curve import learning_curve as learning_curve
    from distinguo.evaluation.conformal.calibration import SetCalibration as SetCalibration
    from distinguo.evaluation.conformal.fitted import calibrate_sets as calibrate_sets
    from distinguo.evaluation.conformal.quality import SetQuality as SetQuality
    from distinguo.evaluation.conformal.quality import set_quality as set_quality
    from distinguo.evaluation.conformal.sets import PredictionSets as PredictionSets
    from distinguo.evaluation.decisions.balancing import Balanced as Balanced
    from distinguo.evaluation.decisions.costs import Costs as Costs
    from distinguo.evaluation.decisions.deciding import CostSensitive as CostSensitive
    from distinguo.evaluation.decisions.deciding import decide as decide
    from distinguo.evaluation.decisions.thresholded import Thresholded as Thresholded
    from distinguo.evaluation.decisions.thresholds import threshold_table as threshold_table
    from distinguo.evaluation.decisions.thresholds import tune_threshold as tune_threshold
    from distinguo.evaluation.novelty.calibration import NoveltyCalibration as NoveltyCalibration
    from distinguo.evaluation.novelty.calibration import calibrate_novelty as calibrate_novelty
    from distinguo.evaluation.novelty.detector import Novelty as Novelty
    from distinguo.evaluation.novelty.reasons import StrangeRow as StrangeRow
    from distinguo.evaluation.novelty.reasons import strangest as strangest
    from distinguo.explanation import Explanation as Explanation
    from distinguo.export.onnx_model import to_onnx as to_onnx
    from distinguo.export.spark import predict_spark as predict_spark
    from distinguo.export.sql import to_sql as to_sql
    from distinguo.features.bumps import GaussianBasis as GaussianBasis
    from distinguo.features.mars import Mars as Mars
    from distinguo.features.natural import NaturalSplines as NaturalSplines
    from distinguo.features.polynomial import PolynomialBasis as PolynomialBasis
    from distinguo.features.text import TextCounts as TextCounts
    from distinguo.features.text_rows import TextRows as TextRows
    from distinguo.generative.complement_nb import ComplementNB as ComplementNB
    from distinguo.generative.count_nb import BernoulliNB as BernoulliNB
    from distinguo.generative.count_nb import PoissonNB as PoissonNB
    from distinguo.generative.flexible import FlexibleDiscriminantAnalysis as FlexibleDiscriminantAnalysis
    from distinguo.generative.linear_discriminant import LinearDiscriminantAnalysis as LinearDiscriminantAnalysis
    from distinguo.generative.mixed_nb import CategoricalNB as CategoricalNB
    from distinguo.generative.mixed_nb import MixedNB as MixedNB
    from distinguo.generative.mixture import MixtureDiscriminantAnalysis as MixtureDiscriminantAnalysis
    from distinguo.generative.mixture_density import Mixture as Mixture
    from distinguo.generative.multinomial_nb import MultinomialNB as MultinomialNB
    from distinguo.generative.naive_bayes import GaussianNB as GaussianNB
    from distinguo.generative.penalized import PenalizedDiscriminantAnalysis as PenalizedDiscriminantAnalysis
    from distinguo.generative.quadratic_discriminant import (
        QuadraticDiscriminantAnalysis as QuadraticDiscriminantAnalysis,
    )
    from distinguo.generative.regularized import RegularizedDiscriminantAnalysis as RegularizedDiscriminantAnalysis
    from distinguo.group_tests.advice import gaussian_warning as gaussian_warning
    from distinguo.group_tests.box import box_m as box_m
    from distinguo.group_tests.canonical import canonical_correlations as canonical_correlations
    from distinguo.group_tests.distances import mahalanobis_distances as mahalanobis_distances
    from distinguo.group_tests.gaussian import check_gaussian as check_gaussian
    from distinguo.group_tests.manova import manova as manova
    from distinguo.group_tests.mardia import mardia as mardia
    from distinguo.group_tests.stepwise import greedy_wilks as greedy_wilks
    from distinguo.linear.grouped import grouped_counts as grouped_counts
    from distinguo.linear.least_squares import LeastSquaresClassifier as LeastSquaresClassifier
    from distinguo.linear.logistic import LogisticRegression as LogisticRegression
    from distinguo.linear.one_vs_one import OneVsOneClassifier as OneVsOneClassifier
    from distinguo.linear.one_vs_rest import OneVsRestClassifier as OneVsRestClassifier
    from distinguo.linear.path import logistic_path as logistic_path
    from distinguo.linear.perceptron import Perceptron as Perceptron
    from distinguo.linear.separation import separation as separation
    from distinguo.neighbors.classifier import KNeighborsClassifier as KNeighborsClassifier
    from distinguo.neighbors.regressor import KNeighborsRegressor as KNeighborsRegressor
    from distinguo.neighbors.window import SlidingWindowKNN as SlidingWindowKNN
    from distinguo.plots.coefficients import CoefficientsDisplay as CoefficientsDisplay
    from distinguo.plots.ellipses import ClassEllipsesDisplay as ClassEllipsesDisplay
    from distinguo.plots.explanation import ExplanationDisplay as ExplanationDisplay
    from distinguo.plots.forest import CoefficientIntervalsDisplay as CoefficientIntervalsDisplay
    from distinguo.plots.histogram import DiscriminantHistogramDisplay as DiscriminantHistogramDisplay
    from distinguo.plots.mars import MarsDisplay as MarsDisplay
    from distinguo.plots.path import PathDisplay as PathDisplay
    from distinguo.plots.ranking import PrecisionRecallDisplay as PrecisionRecallDisplay
    from distinguo.plots.ranking import RocDisplay as RocDisplay
    from distinguo.plots.regions import DecisionRegionsDisplay as DecisionRegionsDisplay
    from distinguo.plots.reliability import ReliabilityDisplay as ReliabilityDisplay
    from distinguo.plots.territory import TerritorialMapDisplay as TerritorialMapDisplay
    from distinguo.plots.trace import TraceDisplay as TraceDisplay
    from distinguo.report.building import Report as Report
    from distinguo.report.making import make_report as make_report
    from distinguo.rows.base import Source as Source
    from distinguo.rows.database import scan_sql as scan_sql
    from distinguo.rows.files import scan as scan
    from distinguo.rows.memory import MemorySource as MemorySource
    from distinguo.rows.texts import scan_texts as scan_texts
    from distinguo.statistics.counts import ClassCounts as ClassCounts
    from distinguo.statistics.counts import Counts as Counts
    from distinguo.statistics.diagonal import ColumnMoments as ColumnMoments
    from distinguo.statistics.diagonal import DiagonalMoments as DiagonalMoments
    from distinguo.statistics.moments import ClassMoments as ClassMoments
    from distinguo.statistics.moments import Moments as Moments
    from distinguo.statistics.pseudo import pseudo_rows as pseudo_rows
    from distinguo.statistics.summaries import ColumnSummaries as ColumnSummaries
    from distinguo.statistics.summaries import Summaries as Summaries


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'distinguo' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
