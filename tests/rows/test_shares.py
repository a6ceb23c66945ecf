"""Frames dealt to workers: each frame once, to the same worker every time, and nobody waits for ever."""

import threading
from collections.abc import Iterator

import polars as pl
import pytest

from distinguo.rows.shares import Hand, Piece, Shares

PATIENCE = 20.0  # seconds after which what is still waiting is taken to wait for ever


def frames(n: int, rows: int = 3) -> Iterator[pl.DataFrame]:
    for i in range(n):
        yield pl.DataFrame({"x": [i] * rows})


def pieces(n: int, rows: int = 3) -> list[Piece]:
    return [Piece(i * rows, lambda i=i: iter([pl.DataFrame({"x": [i] * rows})])) for i in range(n)]


DEALS = {
    "read in turn": lambda n, workers: Shares.of_frames(frames(n), workers),
    "read apart": lambda n, workers: Shares.of_pieces(pieces(n), workers),
}
each_deal = pytest.mark.parametrize("deal", list(DEALS.values()), ids=list(DEALS))


def within_patience(function):
    """What it returns or raises, in a thread of its own, so that a test that hangs fails."""
    result = []

    def run():
        try:
            result.append(("returned", function()))
        except BaseException as error:
            result.append(("raised", error))

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(PATIENCE)
    assert not thread.is_alive(), "it waits for ever"
    what, value = result[0]
    if what == "raised":
        raise value
    return value


def taken(hand: Hand) -> list[tuple[int, int]]:
    return [(row, frame["x"][0]) for row, frame in hand]


@each_deal
@pytest.mark.parametrize("n", [0, 1, 2, 5, 40])
@pytest.mark.parametrize("workers", [1, 2, 3, 7])
def test_each_worker_has_every_so_many_th_frame(deal, n, workers):
    found = within_patience(lambda: deal(n, workers).each(taken))
    busy = len(found)  # of pieces no more than there are
    assert busy == (workers if deal is DEALS["read in turn"] else max(1, min(workers, n)))
    assert found == [[(3 * i, i) for i in range(worker, n, busy)] for worker in range(busy)]


@each_deal
def test_a_worker_that_fails_stops_the_others_soon(deal):
    counted = []

    def work(hand: Hand) -> None:
        for row, _ in hand:
            counted.append(row)
            if row == 3:
                raise RuntimeError("of the second")

    before = threading.active_count()
    with pytest.raises(RuntimeError, match="of the second"):
        within_patience(lambda: deal(10_000, 2).each(work))
    assert len(counted) < 5000
    assert threading.active_count() == before


@each_deal
@pytest.mark.parametrize("worker", [0, 1, 2])
def test_a_worker_that_fails_before_it_begins_keeps_nobody_waiting(deal, worker):
    shares = deal(30, 3)
    fails = shares.hands[worker]

    def work(hand: Hand) -> list[tuple[int, int]]:
        if hand is fails:
            raise RuntimeError("at once")
        return taken(hand)

    with pytest.raises(RuntimeError, match="at once"):
        within_patience(lambda: shares.each(work))


@each_deal
def test_a_hand_closed_early_keeps_nobody_waiting(deal):
    shares = deal(30, 2)

    def work(hand: Hand) -> int:
        if hand is shares.hands[0]:
            next(hand)
            hand.close()
            return 1
        return len(list(hand))

    first, _ = within_patience(lambda: shares.each(work))
    assert first == 1


@pytest.mark.parametrize("at", [0, 1, 4])
@pytest.mark.parametrize("workers", [1, 2, 3])
def test_an_error_of_the_reader_comes_once(at, workers):
    def broken() -> Iterator[pl.DataFrame]:
        yield from frames(at)
        raise OSError("the file is gone")

    with pytest.raises(OSError, match="the file is gone"):
        within_patience(lambda: Shares.of_frames(broken(), workers).each(taken))


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_an_error_of_a_piece_comes_once(workers):
    def gone() -> Iterator[pl.DataFrame]:
        raise OSError("the file is gone")

    own = pieces(9)
    own[4] = Piece(12, gone)
    with pytest.raises(OSError, match="the file is gone"):
        within_patience(lambda: Shares.of_pieces(own, workers).each(taken))


@each_deal
def test_stop_ends_all_hands(deal):
    shares = deal(30, 2)
    assert next(shares.hands[0])[0] == 0
    shares.stop()
    assert [within_patience(lambda hand=hand: list(hand)) for hand in shares.hands] == [[], []]


@each_deal
def test_hands_may_be_changed_on_the_way(deal):
    doubled = deal(6, 2).through(lambda hand: ((row, frame.with_columns(pl.col("x") * 2)) for row, frame in hand))
    assert within_patience(lambda: doubled.each(taken)) == [[(0, 0), (6, 4), (12, 8)], [(3, 2), (9, 6), (15, 10)]]


def test_workers_count_at_the_same_time():
    both = threading.Barrier(2, timeout=PATIENCE)
    Shares.of_frames(frames(2), 2).each(lambda hand: [both.wait() for _ in hand])  # one alone would wait for ever
