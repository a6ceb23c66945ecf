"""The example scripts run, and write their pictures."""

import os
import subprocess
import sys
from pathlib import Path

import matplotlib.image as mpimg

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def test_three_shapes(tmp_path):
    picture = tmp_path / "three_shapes.png"
    command = [sys.executable, "-W", "error", str(EXAMPLES / "three_shapes.py"), str(picture)]
    done = subprocess.run(command, env={**os.environ, "MPLBACKEND": "Agg"}, capture_output=True, text=True, check=True)
    assert [line.split(":")[0] for line in done.stdout.splitlines()] == ["LDA", "QDA", "naive Bayes"]
    height, width, _ = mpimg.imread(picture).shape
    assert width > 2 * height
