"""The demonstration runs, writes its picture, and finds what it says."""

import os
import subprocess
import sys
from pathlib import Path

import matplotlib.image as mpimg

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "novel_digits.py"


def test_novel_digits(tmp_path: Path) -> None:
    picture = tmp_path / "novel_digits.png"
    command = [sys.executable, "-W", "error", str(EXAMPLE), str(picture)]
    done = subprocess.run(command, env={**os.environ, "MPLBACKEND": "Agg"}, capture_output=True, text=True, check=True)
    lines = done.stdout.splitlines()
    assert [line.split(":")[0] for line in lines] == ["digits held out", "4, never seen", "mean digits", "blurred"]
    numbers = [[float(word.rstrip(",")) for word in line.split() if word[0] in "01"] for line in lines]
    assert numbers[0][0] < 0.1  # one in twenty was asked for
    assert numbers[1][0] > 0.6
    assert numbers[1][1] > 0.95
    assert numbers[2] == [1.0, 0.0018]  # the least p of two sides among so many rows
    assert numbers[3][0] > 0.95
    height, width = mpimg.imread(picture).shape[:2]
    assert width > 2 * height
