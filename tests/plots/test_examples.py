"""The example scripts run, and write their pictures."""

import os
import subprocess
import sys
from pathlib import Path

import matplotlib.image as mpimg

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def run(name, picture):
    """The lines that an example prints, and the height and width of the picture it writes."""
    command = [sys.executable, "-W", "error", str(EXAMPLES / name), str(picture)]
    done = subprocess.run(command, env={**os.environ, "MPLBACKEND": "Agg"}, capture_output=True, text=True, check=True)
    return done.stdout.splitlines(), *mpimg.imread(picture).shape[:2]


def test_three_shapes(tmp_path):
    lines, height, width = run("three_shapes.py", tmp_path / "three_shapes.png")
    assert [line.split(":")[0] for line in lines] == ["LDA", "QDA", "naive Bayes"]
    assert width > 2 * height


def test_one_vs_rest(tmp_path):
    lines, height, width = run("one_vs_rest.py", tmp_path / "one_vs_rest.png")
    assert [line.split(":")[0] for line in lines] == ["one vs rest", "one vs rest", "one vs one"]
    assert width > 2 * height


def test_gaussian_bumps(tmp_path):
    lines, height, width = run("gaussian_bumps.py", tmp_path / "gaussian_bumps.png")
    assert [line.split(":")[0] for line in lines] == ["LDA on the columns", "LDA on twelve bumps"]
    assert width > 2 * height


def test_least_squares_outliers(tmp_path):
    lines, height, width = run("least_squares_outliers.py", tmp_path / "least_squares_outliers.png")
    squares, logistic = ([int(word) for word in line.split() if word.isdigit()] for line in lines)
    assert squares[2] > 2 * squares[0]  # rows wrong with the far ones and without
    assert logistic[2] == logistic[0]
    assert width > 2 * height


def test_masking(tmp_path):
    # Numbers of the lecture on generative classifiers: 97 of the 117 errors are in the middle class.
    lines, height, width = run("masking.py", tmp_path / "masking.png")
    taken = {line.split("'")[1]: int(line.split(": ")[1].split()[0]) for line in lines}
    assert taken["50 cents"] == 97
    assert sum(taken.values()) == 117
    assert width > 2 * height


def test_principal_components(tmp_path):
    lines, height, width = run("principal_components.py", tmp_path / "principal_components.png")
    assert [line.split(",")[0] for line in lines] == ["softmax regression", "LDA"]
    assert width > 2 * height
