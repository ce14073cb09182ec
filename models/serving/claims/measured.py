"""Measured configurations of ``spaces/serving/measured.csv``, each computed again from what it was.

The benchmark is a closed loop of ten rounds, and lengths are 0.9 of the nominal ones in the mean: its output rate is
about 0.977 of the steady one. Times per token are means, first tokens medians.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from dse.authoring.table import Table, read_table
from dse.errors import InputError
from dse.evaluation.direct import evaluate_models
from dse.models.serving import catalogues
from dse.models.serving.modes.closed_loop import closed_loop
from dse.models.serving.seen import measured, plain_stack

__all__ = ["FIGURES", "Rows", "computed", "inputs", "measured_figures", "rows"]

FIGURES = ("time per token", "tokens per second of a device", "first token")
MEAN_LENGTH = 0.9
STEADY = 0.977
_DRAFTS = {"draft_rows": 2.0, "acceptance": 0.85}
_MXFP4 = "gpt-oss"
_NEEDED = (
    *("id", "model", "device", "stack", "precision", "speculative", "disaggregated", "isl", "osl", "concurrency"),
    *("devices", "tp", "ep", "dp_attention", "prefill_workers", "prefill_tp", "prefill_ep", "prefill_dp"),
    *("decode_workers", "decode_tp", "decode_ep", "decode_dp", "output_rate", "tpot_mean", "ttft_median", "cold"),
)


@dataclass(frozen=True)
class Rows:
    """Measured configurations.

    Attributes
    ----------
    table : Table
    groups : tuple of str
        Of each row: model, device, software, precision, and whether with drafts.
    apart : (n,) ndarray of bool
        Whether prompts and decoding are on different workers.
    drafts : (n,) ndarray of bool
    cold : (n,) ndarray of bool
        Whether rates and first tokens are not comparable.
    """

    table: Table
    groups: tuple[str, ...]
    apart: np.ndarray
    drafts: np.ndarray
    cold: np.ndarray

    def __len__(self) -> int:
        return len(self.groups)


def rows(file: Path | None = None) -> Rows:
    """Read measured configurations.

    Parameters
    ----------
    file : Path, optional
        A table of the columns of ``spaces/serving/measured.csv``. Default: that one.

    Raises
    ------
    InputError
        A column that is missing, or a name that is not known.
    """
    table = measured() if file is None else read_table(file, name=str(file), empty=True)
    for column in _NEEDED:
        table[column]  # which names what is missing
    for column in ("isl", "osl", "concurrency", "devices"):
        low = np.flatnonzero(~(np.asarray(table[column], dtype=float) > 0.0))
        if len(low):
            raise InputError(
                f"'{column}' is {table[column][low[0]]}",
                file=table.name,
                key=f"line {int(table.lines[low[0]])}",
                allowed="a number above 0",
            )
    drafts = table["speculative"] == "mtp"
    keys = zip(
        *(table[name].tolist() for name in ("model", "device", "stack", "precision")), drafts.tolist(), strict=True
    )
    groups = tuple(f"{m}, {d}, {s} {p}{', drafts' if v else ''}" for m, d, s, p, v in keys)
    return Rows(table, groups, np.asarray(table["disaggregated"] > 0.0), drafts, np.asarray(table["cold"] > 0.0))


def measured_figures(of: Rows) -> dict[str, np.ndarray]:
    """Return what was measured of each row, in SI; NaN where it is not comparable."""
    table = of.table
    rate, first = (np.asarray(table[name], dtype=float) for name in ("output_rate", "ttft_median"))
    values = (np.asarray(table["tpot_mean"], dtype=float), np.where(of.cold, np.nan, rate / STEADY), first)
    return dict(zip(FIGURES, values, strict=True))


def _engine(of: Rows, row: int) -> dict[str, float]:
    table = of.table
    model, precision = str(table["model"][row]), str(table["precision"][row])
    written = "mxfp4" if precision == "fp4" and model.startswith(_MXFP4) else precision
    stack = plain_stack(str(table["stack"][row]))
    lengths = {
        name: MEAN_LENGTH * float(table[key][row]) for name, key in (("input_tokens", "isl"), ("output_tokens", "osl"))
    }
    known = {**catalogues.architecture(model), **catalogues.engine(str(table["device"][row]), stack, written)}
    return known | lengths | (_DRAFTS if of.drafts[row] else {"draft_rows": 1.0})


def inputs(of: Rows, places: np.ndarray) -> dict[str, np.ndarray]:
    """Return the inputs of some rows, all together or all apart, as arrays."""
    table = of.table
    known = [_engine(of, row) for row in places.tolist()]
    names = sorted(name for name in known[0] if all(name in row for row in known))
    given = {name: np.array([row[name] for row in known]) for name in names}

    def cut(tensor: str, ranks: str, copies: str) -> Mapping[str, np.ndarray]:
        columns = [np.asarray(table[key], dtype=float)[places] for key in (tensor, ranks, copies)]
        return dict(
            zip(
                ("worker_devices", "attention_tensor", "expert_parallel", "attention_copies"),
                (columns[0] * columns[2], *columns),
                strict=True,
            )
        )

    if of.apart[places[0]]:
        decoding, own = (cut(*(f"{half}_{key}" for key in ("tp", "ep", "dp"))) for half in ("decode", "prefill"))
        many = {f"{name}_workers": np.asarray(table[f"{key}_workers"], dtype=float)[places] for name, key in _HALVES}
        given |= {**decoding, **{f"prompt_{name}": values for name, values in own.items()}, **many}
    else:
        given |= cut("tp", "ep", "dp_attention")
        workers = np.asarray(table["devices"], dtype=float)[places] / given["worker_devices"]
        given["requests"] = np.asarray(table["concurrency"], dtype=float)[places] / workers
    return given


_HALVES = (("prompt", "prefill"), ("decode", "decode"))
_PLAIN = ("time_per_token", "serving_tokens_per_device", "time_to_first_token")


def computed(of: Rows, change: Mapping[str, np.ndarray] | None = None) -> dict[str, np.ndarray]:
    """Return what the model gives for each row.

    Parameters
    ----------
    of : Rows
    change : mapping of str to (n,) ndarray, optional
        Inputs in place of those of the model, by row: constants of another law.
    """
    answers = {name: np.full(len(of), np.nan) for name in FIGURES}
    for mode in (False, True):
        places = np.flatnonzero(of.apart == mode)
        if not len(places):
            continue
        given = inputs(of, places) | {name: values[places] for name, values in (change or {}).items()}
        values = _apart(of, places, given) if mode else _together(given, len(places))
        for name, column in zip(FIGURES, values, strict=True):
            answers[name][places] = column
    return answers


def _evaluated(names: tuple[str, ...], given: Mapping[str, np.ndarray], mode: str, count: int) -> list[np.ndarray]:
    values = evaluate_models(["serving"], list(names), given, {"serving_stack": "of-engine", "serving_mode": mode})
    return [np.broadcast_to(values[name], count) for name in names]


def _together(given: Mapping[str, np.ndarray], count: int) -> list[np.ndarray]:
    return _evaluated(_PLAIN, given, "together", count)


def _apart(of: Rows, places: np.ndarray, given: dict[str, np.ndarray]) -> list[np.ndarray]:
    """Return what closed loops over workers apart settle at."""
    count = len(places)
    names = ("prompt_serve_time", "front_time", "hand_over_time", "prompt_own_step_time")
    serve, front, hand, own = _evaluated(names, given | {"requests": np.ones(count)}, "apart", count)

    def token(batch: np.ndarray) -> np.ndarray:
        return _evaluated(("engine_time_per_token",), given | {"requests": np.maximum(batch, 1e-9)}, "apart", count)[0]

    concurrency = np.asarray(of.table["concurrency"], dtype=float)[places]
    loop = closed_loop(concurrency, given["output_tokens"], given["decode_workers"], serve, front + hand + own, token)
    devices = np.asarray(of.table["devices"], dtype=float)[places]
    return [loop.time_per_token, loop.rate / devices, loop.first_token]


def engine_numbers(of: Rows) -> dict[str, np.ndarray]:
    """Return the numbers of class, format and kind of model of each row."""
    known = [_engine(of, row) for row in range(len(of))]
    names = ("device_class", "product_format", "product_format_hopper", "routing_family")
    return {name: np.array([row[name] for row in known]) for name in names}
