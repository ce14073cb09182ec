"""A search in rounds as arrays by name, as the ledger keeps it: eight bytes a box, and what each share has found."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from dse.search.bundles.design_search import ChunkResult
from dse.search.proof.evidence import Excluded
from dse.search.schedule.ledger import KeptRounds
from dse.search.schedule.share import ShareState

__all__ = ["packed_rounds", "unpacked_rounds"]

_COUNTS = ("evaluated", "designs", "feasible", "infeasible", "calls", "passed", "excluded", "left_out")


def packed_rounds(kept: KeptRounds) -> dict[str, np.ndarray]:
    """Return a search in rounds as arrays that need no pickling; ``account`` says as JSON how they belong together."""
    arrays: dict[str, np.ndarray] = {"points": kept.points, "numbers": kept.numbers}
    shares = None
    if kept.shares is not None:
        shares = [_share(state, f"{place}_", arrays) for place, state in enumerate(kept.shares)]
    counts = [[product, _counts(result, f"before_{n}", arrays)] for n, (product, result) in enumerate(kept.counts)]
    account = {"stage": kept.stage, "counts": counts, "shares": shares, "single_rows": list(kept.single_rows)}
    return {"account": np.array(json.dumps(account)), **arrays}


def unpacked_rounds(arrays: Mapping[str, np.ndarray]) -> KeptRounds:
    """Return the search that was packed.

    Raises
    ------
    KeyError, TypeError, ValueError
        Something is missing, or of another kind.
    """
    account = json.loads(str(arrays["account"]))
    points, numbers = arrays["points"], arrays["numbers"]
    shares = account["shares"]
    states = None if shares is None else [_state(document, f"{n}_", arrays) for n, document in enumerate(shares)]
    counts = [
        (int(product), _result(document, f"before_{n}", arrays, points))
        for n, (product, document) in enumerate(account["counts"])
    ]
    single_rows = tuple(int(product) for product in account["single_rows"])
    return KeptRounds(int(account["stage"]), points, numbers, counts, states, single_rows)


def _share(state: ShareState, name: str, arrays: dict[str, np.ndarray]) -> dict[str, object]:
    arrays[f"{name}points"], arrays[f"{name}numbers"] = state.points, state.numbers
    for place, (*_, numbers) in enumerate(state.boxes):
        arrays[f"{name}boxes_{place}"] = numbers
    return {
        "rounds": state.rounds,
        "left_out": state.left_out,
        "blocks": [list(own) for own in state.blocks],
        "boxes": [[product, level, gap] for product, level, gap, _ in state.boxes],
        "counts": {str(p): _counts(own, f"{name}evidence_{p}", arrays) for p, own in state.counts.items()},
    }


def _state(document: Mapping[str, Any], name: str, arrays: Mapping[str, np.ndarray]) -> ShareState:
    points = arrays[f"{name}points"]
    boxes = [
        (int(product), int(level), int(gap), arrays[f"{name}boxes_{place}"])
        for place, (product, level, gap) in enumerate(document["boxes"])
    ]
    blocks = [(int(product), int(start), int(stop)) for product, start, stop in document["blocks"]]
    counts = {int(p): _result(own, f"{name}evidence_{p}", arrays, points) for p, own in document["counts"].items()}
    numbers = arrays[f"{name}numbers"]
    return ShareState(int(document["rounds"]), points, numbers, bool(document["left_out"]), blocks, boxes, counts)


def _counts(result: ChunkResult, name: str, arrays: dict[str, np.ndarray]) -> dict[str, object]:
    if result.evidence is not None:
        arrays |= {f"{name}_{key}": value for key, value in vars(result.evidence).items()}
    return {key: getattr(result, key) for key in _COUNTS} | {"evidence": result.evidence is not None}


def _result(
    document: Mapping[str, Any], name: str, arrays: Mapping[str, np.ndarray], points: np.ndarray
) -> ChunkResult:
    evidence = None
    if document["evidence"]:
        evidence = Excluded(*(arrays[f"{name}_{key}"] for key in ("begin", "end", "bounds", "limits", "keys")))
    none = np.empty(0, dtype=np.int64)
    return ChunkResult(points[:0], none, evidence=evidence, **{key: document[key] for key in _COUNTS})
