"""The ledger of finished blocks."""

from __future__ import annotations

import numpy as np
import pytest

from dse.errors import RunFolderError
from dse.run.disk import ledger as module
from dse.run.disk.folder import RunFolder
from dse.search.bundles.design_search import ChunkResult

OPTIONS = {"method": "auto", "count_infeasible": False}


def test_a_ledger_without_chunks_is_taken_over_by_the_next_study(tmp_path):
    """A run that failed before its first block keeps nothing that another could spoil."""
    folder = RunFolder(tmp_path / "run")
    folder.begin({"study": "a"}, OPTIONS, fresh=False).close()
    ledger = folder.begin({"study": "b"}, OPTIONS, fresh=False)
    assert ledger.identity()["hashes"] == {"study": "b"}
    ledger.close()


def test_a_ledger_with_chunks_belongs_to_its_study(tmp_path):
    folder = RunFolder(tmp_path / "run")
    ledger = folder.begin({"study": "a"}, OPTIONS, fresh=False)
    ledger.store((0, 0), ChunkResult(np.array([[1.0, 2.0]]), np.array([7]), 3, 3))
    ledger.close()
    with pytest.raises(RunFolderError, match="the unfinished run of a study that differs in: study"):
        folder.begin({"study": "b"}, OPTIONS, fresh=False)
    again = folder.begin({"study": "a"}, OPTIONS, fresh=False)
    found = again.load((0, 0))
    again.close()
    assert found.numbers.tolist() == [7]
    assert found.points.tolist() == [[1.0, 2.0]]


class SlowDisk:
    """A clock that stands still but for the writes to the disk, a second each, and what a chunk takes."""

    def __init__(self, monkeypatch, chunk):
        self.now, self.chunk, self.writes = 0.0, chunk, 0
        monkeypatch.setattr(module.time, "monotonic", lambda: self.now)

    def statement(self, text):
        if text.startswith("COMMIT"):
            self.now, self.writes = self.now + 1.0, self.writes + 1

    def store(self, ledger, count):
        ledger._base.set_trace_callback(self.statement)
        for piece in range(count):
            self.now += self.chunk
            ledger.store((piece, 0), ChunkResult(np.array([[1.0, 2.0]]), np.array([piece]), 3, 3))


@pytest.mark.parametrize(("chunk", "writes"), [(0.01, 2), (0.1, 11), (20.0, 1000)])
def test_short_chunks_are_written_together_and_long_ones_each(tmp_path, monkeypatch, chunk, writes):
    """Ten thousand alternatives wait for the disk a tenth of their search, not ten thousand times."""
    disk, ledger = SlowDisk(monkeypatch, chunk), module.BlockLedger(tmp_path / "ledger")
    disk.store(ledger, 1000)
    assert abs(disk.writes - writes) <= 1


@pytest.mark.parametrize("chunk", [0.01, 20.0])
def test_what_is_stored_is_there_after_closing(tmp_path, monkeypatch, chunk):
    disk, ledger = SlowDisk(monkeypatch, chunk), module.BlockLedger(tmp_path / "ledger")
    disk.store(ledger, 50)
    ledger.close()
    again = module.BlockLedger(tmp_path / "ledger")
    assert [again.load((piece, 0)).numbers.tolist() for piece in range(50)] == [[piece] for piece in range(50)]
    again.close()
