"""Choosing a threshold on rows held out, by folds."""

from collections.abc import Iterator

from benchmarks.harness import Row, Scale, check_agreement, class_clouds, faster, take_turns
from benchmarks.peers import distinguo, scikit_learn


def measure(scale: Scale) -> Iterator[Row]:
    """Five folds and a fit on all rows; ours tries every threshold there is, the peer a hundred."""
    n, p = scale.rows(100_000), 20
    X, y = class_clouds(n, p, 2)
    ours, theirs = distinguo.thresholded_lda(), scikit_learn.thresholded_lda()
    seconds = take_turns({"ours": ours.fit, "theirs": theirs.fit}, (X, y), repeats=scale.repeats(5))
    check_agreement(ours.predict(X), theirs.predict(X), 0.97)
    work = f"LDA and the threshold of the best F1, five folds, {n} x {p}"
    yield faster(work, scikit_learn.NAME, seconds["ours"], seconds["theirs"], 10)
