"""Which cuts of which software on which class of devices were measured: all others are extrapolated.

An optimiser goes where a model is least tested. So a design says whether its cut was seen (``cut_seen``), and a study
can ask for seen ones only: ``calibrated_only = 1``. Software on a class of devices of which no row is known is
refused, but where ``unseen_pairs = 1`` lets bases and factors stand for it.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from dse.authoring.declare.declaration import assumption, quantities, quantity
from dse.authoring.declare.requirement import requirement
from dse.authoring.table import Table, read_table
from dse.models.serving.inputs.constants import CLASSES, FAMILIES, STACKS

__all__ = ["measured", "pairs_seen", "plain_stack"]

_ROWS = "ours: the measured configurations that constants were fitted on (spaces/serving/measured.csv)"

calibrated_only = assumption(
    0.0, unit="1", source="ours", doc="1: designs whose cut was not measured are refused", minimum=0, maximum=1
)
unseen_pairs = assumption(
    0.0,
    unit="1",
    source="ours",
    doc="1: software on a class of devices without a measured row is computed from base and factors; 0: refused",
    minimum=0,
    maximum=1,
)
cuts_seen_only = requirement(
    "cut_refused <= 0",
    name="calibrated_only",
    source=_ROWS,
    doc="where a study asks for it, the cut was measured with this software, class of devices and kind of model",
)
pairs_with_rows = requirement(
    "pair_refused <= 0",
    name="pair",
    source=_ROWS,
    doc="the software was measured on this class of devices; unseen_pairs = 1 lets bases and factors stand for it",
)


@cache
def measured() -> Table:
    """Return the measured configurations."""
    path = Path(str(files("dse.spaces"))) / "serving" / "measured.csv"
    return read_table(path, name="spaces/serving/measured.csv", empty=True)


def plain_stack(name: str) -> str:
    """Return the software of a row without the name of what joins its workers."""
    return name.removeprefix("dynamo-").removesuffix("-disagg")


@cache
def _classes() -> dict[str, int]:
    path = Path(str(files("dse.spaces"))) / "serving" / "classes.csv"
    table = read_table(path, name="spaces/serving/classes.csv")
    return dict(zip(map(str, table["name"]), (int(number) for number in table["device_class"]), strict=True))


@cache
def _seen() -> tuple[np.ndarray, np.ndarray]:
    """Return different rows of (stack, class, family, t, d, e), of workers that decode and that take prompts apart."""
    rows, kinds = measured(), {name: place for place, name in enumerate(FAMILIES)}
    whole: list[tuple[float, ...]] = []
    prompts: list[tuple[float, ...]] = []
    for row in range(len(rows)):
        of = (
            float(STACKS.index(plain_stack(str(rows["stack"][row])))),
            float(_classes()[str(rows["device"][row])]),
            float(kinds[str(rows["model"][row])]),
        )
        cut = {
            key: float(rows[key][row]) for key in rows.columns if key.split("_")[-1] in ("tp", "ep", "dp", "attention")
        }
        if rows["disaggregated"][row]:
            whole.append((*of, 1.0, cut["decode_tp"], cut["decode_dp"], cut["decode_ep"]))
            prompts.append((*of, 1.0, cut["prefill_tp"], cut["prefill_dp"], cut["prefill_ep"]))
        else:
            whole.append((*of, 0.0, cut["tp"], cut["dp_attention"], cut["ep"]))
    return np.unique(whole, axis=0), np.unique(prompts, axis=0)


@cache
def pairs_seen() -> np.ndarray:
    """Return 1 for each (stack, class of devices) that a measured row has, else 0."""
    table = np.zeros((len(STACKS), len(CLASSES)))
    for row in _seen()[0]:
        table[int(row[0]), int(row[1])] = 1.0
    return table


def _among(rows: np.ndarray, *keys: np.ndarray) -> np.ndarray:
    """Return 1 where the keys are those of a row."""
    among = np.zeros(np.broadcast_shapes(*(key.shape for key in keys)))
    for row in rows:
        same = np.ones(1, dtype=bool)
        for key, value in zip(keys, row, strict=True):
            same = same & (key == value)
        among = np.maximum(among, same)
    return among


@quantity(unit="1", source=_ROWS, points_only=True)
def pair_seen(stack_number, device_class):
    """1 where a measured row has this software on this class of devices."""
    return pairs_seen()[stack_number.astype(int), device_class.astype(int)] * 1.0


@quantity(unit="1", source=_ROWS)
def pair_refused(pair_seen, unseen_pairs):
    """1 where no row has this software on this class of devices, and the study does not take that."""
    return (1.0 - pair_seen) * (1.0 - unseen_pairs)


@quantity(unit="1", source=_ROWS)
def cut_refused(unseen_cut, calibrated_only):
    """1 where the cut was not measured, and the study asks for measured ones."""
    return unseen_cut * calibrated_only


_MARK: dict[str, Any] = {"marks": ("unseen_cut",), "mark_words": {"unseen_cut": "have a cut that was not measured"}}
_GIVES = {"cut_seen": "1", "unseen_cut": "1"}


@quantities(
    gives=_GIVES, source=_ROWS, points_only=True, slot="serving_mode", provider="together", default=True, **_MARK
)
def cut_seen_together(stack_number, device_class, routing_family, attention_tensor, attention_copies, expert_parallel):
    """1 where a measured row has this cut, software, class and kind of model; and 1 where none has."""
    key = (stack_number, device_class, routing_family)
    cut = (attention_tensor, attention_copies, expert_parallel)
    seen = _among(_seen()[0], *key, np.zeros(1), *cut)
    return seen, 1.0 - seen


@quantities(gives=_GIVES, source=_ROWS, points_only=True, slot="serving_mode", provider="apart", **_MARK)
def cut_seen_apart(
    stack_number,
    device_class,
    routing_family,
    attention_tensor,
    attention_copies,
    expert_parallel,
    prompt_stack_number,
    prompt_device_class,
    prompt_attention_tensor,
    prompt_attention_copies,
    prompt_expert_parallel,
):
    """1 where the cut for prompts was measured apart, and that for decoding apart or together; and 1 where not."""
    whole, prompts = _seen()
    cut = (attention_tensor, attention_copies, expert_parallel)
    key = (stack_number, device_class, routing_family)
    decoding = np.maximum(*(_among(whole, *key, np.full(1, mode), *cut) for mode in (0.0, 1.0)))
    cut = (prompt_attention_tensor, prompt_attention_copies, prompt_expert_parallel)
    own = _among(prompts, prompt_stack_number, prompt_device_class, routing_family, np.ones(1), *cut)
    # Software that has no row of prompts apart has none in `prompts`, so decoding needs no test of its own for that.
    seen = decoding * own
    return seen, 1.0 - seen
