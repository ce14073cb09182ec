"""How many chunks go to a worker at once: enough to be worth a message, few enough that none waits at the end."""

from __future__ import annotations

__all__ = ["TaskSizes"]

_LEAST = 1.0  # seconds of work in a range: a task takes Dask 2 to 8 ms
_PER_WORKER = 0.01  # seconds more for each worker: the one scheduler and client must keep up with all of them
_ROUNDS = 4  # of ranges that every worker should have left, so that the last ones end together


class TaskSizes:
    """The sizes of ranges, from how long those took that are done."""

    def __init__(self) -> None:
        self._chunks, self._seconds = 0, 0.0

    def took(self, chunks: int, seconds: float) -> None:
        """Take note of a range that is done."""
        self._chunks += chunks
        self._seconds += seconds

    def next(self, waiting: int, workers: int) -> int:
        """Return how many of the waiting chunks the next range has; one, until it is known how long one takes."""
        if not self._chunks:
            return 1
        wanted = max(_LEAST, _PER_WORKER * workers)
        worth = wanted * self._chunks / max(self._seconds, 1e-9)
        fair = -(-waiting // (_ROUNDS * workers))
        return max(1, min(waiting, fair, int(worth)))
