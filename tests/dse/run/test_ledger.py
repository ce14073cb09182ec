"""The ledger of finished blocks."""

from __future__ import annotations

import numpy as np
import pytest

from dse.errors import RunFolderError
from dse.run.folder import RunFolder
from dse.search.product import ChunkResult

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
