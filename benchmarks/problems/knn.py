"""Nearest neighbours: choosing k, and predicting one row and many."""

from collections.abc import Iterator
from typing import Any

from sklearn.model_selection import GridSearchCV, StratifiedKFold

from benchmarks.harness import Row, Scale, check_agreement, class_clouds, faster, take_turns
from benchmarks.peers import distinguo, scikit_learn

MOST, FOLDS = 50, 10


def measure(scale: Scale) -> Iterator[Row]:
    """Both predict with the same k; ours computes the distances of its candidates anew, and shares tied places."""
    yield _choosing(scale)
    n, asked = scale.rows(20_000), scale.rows(2_000)
    X, y = class_clouds(n + asked, 50, 10)
    ours, theirs = distinguo.knn(10).fit(X[:n], y[:n]), scikit_learn.knn(10).fit(X[:n], y[:n])
    for rows, number, goal in ((X[n : n + 1], 50, 1.0), (X[n:], 1, 0.7)):
        check_agreement(ours.predict(rows), theirs.predict(rows), 0.99)  # tied votes fall differently
        seconds = take_turns(
            {"ours": ours.predict_proba, "theirs": theirs.predict_proba},
            (rows,),
            repeats=scale.repeats(7),
            number=number,
        )
        work = f"predict_proba of {len(rows)} x 50 among {n}, 10 classes, k = 10"
        yield faster(work, scikit_learn.NAME, seconds["ours"], seconds["theirs"], goal)


def _choosing(scale: Scale) -> Row:
    """Ours leaves out each row in turn, the peer one of ten folds: row by row it would take a hundred times as long."""
    n, p, K = scale.rows(1_000), 20, 5
    X, y = class_clouds(n, p, K)
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=0)

    def ours() -> Any:
        return distinguo.knn("cv").fit(X, y)

    def theirs() -> Any:
        numbers = {"n_neighbors": list(range(1, MOST + 1))}
        return GridSearchCV(scikit_learn.knn(), numbers, cv=folds, scoring="accuracy").fit(X, y)

    left_out, by_folds = ours().cv_results_["error"], 1 - theirs().cv_results_["mean_test_score"]
    if abs(left_out - by_folds).max() > 0.03:
        raise RuntimeError("the errors of rows left out and of folds differ by more than three rows in a hundred.")
    seconds = take_turns({"ours": ours, "theirs": theirs}, repeats=scale.repeats(3))
    work = f"choose k of 1 to {MOST}, {n} x {p}, {K} classes: each row left out, beside {FOLDS} folds"
    return faster(work, f"{scikit_learn.NAME}, GridSearchCV", seconds["ours"], seconds["theirs"], 20)
