"""How pytest-xdist deals out the tests: a file stays in one worker, as the tests of a group do.

So what the tests of a file share is made once, not in each worker. The dear files go first, so that no worker is left
with one of them at the end. And the main process has a few hundred units to deal out: with a unit for each of sixteen
thousand tests it took half a minute of a processor that the workers want.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from xdist.scheduler import LoadGroupScheduling

__all__ = ["WholeFiles"]

_MARKS = [f"pytest.mark.{kind}" for kind in ("slow", "kills", "packaging", "browser")]


class WholeFiles(LoadGroupScheduling):
    """Deal out groups and files, the dear and the large ones first."""

    def __init__(self, config: Any, log: Any) -> None:
        super().__init__(config, log)
        self.root = Path(config.rootpath)
        self.weights: dict[str, tuple[int, int]] = {}
        self.places: dict[Any, dict[str, int]] = {}

    def _split_scope(self, nodeid: str) -> str:
        """Return the group of a test, or its file."""
        scope = str(super()._split_scope(nodeid))
        return nodeid.partition("::")[0] if scope == nodeid else scope

    def _assign_work_unit(self, node: Any) -> None:
        """Hand the weightiest unit that is left to a worker."""
        scope = max(self.workqueue, key=self._weight)
        unit = self.workqueue.pop(scope)
        self.assigned_work.setdefault(node, {})[scope] = unit
        if node not in self.places:
            self.places[node] = {nodeid: place for place, nodeid in enumerate(self.registered_collections[node])}
        node.send_runtest_some([self.places[node][nodeid] for nodeid, completed in unit.items() if not completed])

    def _weight(self, scope: str) -> tuple[int, int]:
        """Return how early a unit goes: groups first, then files with marked tests; of each the large ones."""
        if scope not in self.weights:
            file = self.root / scope
            rank = 2
            if file.is_file():
                text = file.read_text(encoding="utf-8")
                rank = int(any(mark in text for mark in _MARKS))
            self.weights[scope] = rank, len(self.workqueue[scope])
        return self.weights[scope]
