"""Profiles made of a few numbers: how local, how parallel and how mixed. Always labelled synthetic, never measured.

The fraction of references that hit in a cache of c bytes is ``(1 - cold) F(c) / F(footprint)`` with
``F(c) = 1 - (1 + c / near)^-locality``: `near_bytes` sets where the curve bends with lines of 64 bytes, `locality` how
steeply the rest is found beyond. Longer lines move the bend by ``near = near_bytes (64 / line)^spatial``. Each line of
the footprint is touched first once. ILP is ``ilp (W / 54)^ilp_exponent`` for a window W, at most `ilp_unbounded`;
likewise by type, each bounded in proportion.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from dse.errors import InputError
from dse.models.workload.profile.profile import CLASSES, PARTS, WorkloadProfile
from dse.models.workload.profile.reading import parse_profile
from dse.models.workload.profile.schema import SCHEMA

__all__ = ["DEFAULT_ILP", "DEFAULT_MIX", "EXAMPLES", "synthetic_profile"]

DEFAULT_MIX: Mapping[str, float] = {
    "load": 0.24,
    "store": 0.08,
    "addr": 0.12,
    "int": 0.28,
    "fp": 0.12,
    "control": 0.14,
    "vector_move": 0.0,
    "other": 0.02,
    "int_arith": 0.16,
    "int_mul": 0.01,
    "int_div": 0.001,
    "fp_mul": 0.05,
    "fp_div": 0.002,
}
"""Shares of the classes of instructions and of their parts."""

DEFAULT_ILP: Mapping[str, float] = {"mem": 2.5, "int": 8.0, "control": 6.0, "fp": 4.0}
"""ILP by type with a window of 54, each over the span of its type."""

EXAMPLES: Mapping[str, Mapping[str, Any]] = {
    "synthetic-stream": {
        "mix": {**DEFAULT_MIX, "load": 0.3, "store": 0.14, "addr": 0.1, "int": 0.16, "fp": 0.22, "control": 0.06},
        "ilp": 14.0,
        "ilp_by_type": {"mem": 8.0, "int": 12.0, "control": 10.0, "fp": 10.0},
        "footprint_bytes": 2**30,
        "near_bytes": 24.0,
        "locality": 0.8,
        "spatial": 1.0,
        "vector_length": 8,
        "vector_share": 0.8,
        "branch_entropy": 0.02,
    },
    "synthetic-pointer-chase": {
        "mix": {**DEFAULT_MIX, "load": 0.34, "store": 0.04, "addr": 0.16, "fp": 0.0, "control": 0.16}
        | {"fp_mul": 0.0, "fp_div": 0.0},
        "ilp": 2.2,
        "ilp_by_type": {"mem": 1.05, "int": 2.0, "control": 3.0, "fp": 1.0},
        "ilp_exponent": 0.05,
        "ilp_unbounded": 3.0,
        "footprint_bytes": 2**28,
        "near_bytes": 512.0,
        "locality": 0.12,
        "spatial": 0.1,
        "branch_entropy": 0.6,
    },
    "synthetic-dense": {
        "mix": {**DEFAULT_MIX, "addr": 0.1, "int": 0.14, "fp": 0.38, "control": 0.04, "fp_mul": 0.18, "int_arith": 0.1},
        "ilp": 18.0,
        "ilp_by_type": {"mem": 9.0, "int": 14.0, "control": 12.0, "fp": 11.0},
        "footprint_bytes": 2**25,
        "near_bytes": 2048.0,
        "locality": 1.4,
        "vector_length": 8,
        "vector_share": 0.9,
        "branch_entropy": 0.03,
    },
}
"""The synthetic profiles that come with the project, and what each was made with."""

_WINDOW, _LINE = 54, 64


def synthetic_profile(
    name: str,
    *,
    instructions: int = 10**9,
    mix: Mapping[str, float] = DEFAULT_MIX,
    ilp: float = 6.0,
    ilp_by_type: Mapping[str, float] = DEFAULT_ILP,
    ilp_exponent: float = 0.4,
    ilp_unbounded: float = 64.0,
    windows: Sequence[int] = (16, 32, 64, 128, 256),
    footprint_bytes: int = 2**26,
    near_bytes: float = 2048.0,
    locality: float = 0.5,
    spatial: float = 0.3,
    lines: Sequence[int] = (64, 128),
    vector_length: int = 1,
    vector_share: float = 0.0,
    branch_entropy: float = 0.2,
    branch_history_gain: float = 0.15,
) -> WorkloadProfile:
    """Make a profile.

    Parameters
    ----------
    name : str
    instructions : int
    mix : mapping of str to float
        Share of each class (they add up to 1) and of each part.
    ilp, ilp_by_type : float, mapping of str to float
        ILP with a window of 54.
    ilp_exponent, ilp_unbounded : float
        Exponent of the window, and the most ILP there is.
    windows : sequence of int
        Windows profiled, beside the unbounded one.
    footprint_bytes : int
        Bytes the program touches.
    near_bytes, locality : float
        Where the curve of hits bends [B], and its exponent; more is more local.
    spatial : float
        How much longer lines help: 0 not at all, 1 as if each line brought only what is needed next.
    lines : sequence of int
        Line sizes profiled [B].
    vector_length, vector_share : int, float
        Elements of 64 bits of the vector instructions, and their share of load, store and fp.
    branch_entropy, branch_history_gain : float
        Entropy of a branch without history, and how fast more history lowers it: ``entropy exp(-gain history)``.

    Returns
    -------
    WorkloadProfile
        With ``synthetic = True``.
    """
    given = {key: value for key, value in locals().items() if key != "name"}
    for key, low, high in (
        ("ilp", 1.0, math.inf),
        ("ilp_exponent", 0.0, 1.0),
        ("ilp_unbounded", 1.0, math.inf),
        ("near_bytes", 1.0, math.inf),
        ("locality", 0.0, math.inf),
        ("spatial", 0.0, 1.0),
        ("vector_share", 0.0, 1.0),
        ("branch_entropy", 0.0, 1.0),
        ("branch_history_gain", 0.0, math.inf),
    ):
        if not (low <= given[key] <= high and math.isfinite(given[key])) or (key == "locality" and not locality):
            raise InputError(f"{key} = {given[key]}", allowed=f"a number from {low:g} to {high:g}")
    counts = _counts(mix, instructions)
    types = {
        "mem": counts["load"] + counts["store"],
        "int": counts["int"] + counts["addr"],
        "control": counts["control"],
        "fp": counts["fp"],
    }
    missing = [kind for kind in types if not ilp_by_type.get(kind, 0) >= 1]
    if missing:
        raise InputError(f"ilp_by_type: {missing[0]} = {ilp_by_type.get(missing[0])}", allowed="a number >= 1")
    spans = []
    for window in (*windows, math.inf):
        entry: dict[str, Any] = {
            "window": "inf" if window == math.inf else window,
            "order": "ooo",
            "span": _span(instructions, min(_ilp(ilp, window, ilp_exponent, ilp_unbounded), window)),
        }
        for kind, own in ilp_by_type.items():
            most = ilp_unbounded * own / ilp
            entry[f"span_{kind}"] = _span(types[kind], _ilp(own, window, ilp_exponent, most))
        spans.append(entry)
    document = {
        "schema": SCHEMA,
        "name": name,
        "source": "synthetic: invented by dse.models.workload.profile.synthetic, not measured",
        "synthetic": True,
        "application": {"name": name, "parameters": _plain(given)},
        "classes": [
            {
                "name": "thread",
                "instructions": instructions,
                "mix": counts,
                "vectors": _vectors(counts, vector_length, vector_share),
                "ilp": spans,
                "data_reuse": [
                    _reuse(line, types["mem"], footprint_bytes, near_bytes * (_LINE / line) ** spatial, locality)
                    for line in sorted(set(lines))
                ],
                "branch": {
                    "events": counts["control"],
                    "conditional_only": False,
                    "entropy": [
                        [history, round(branch_entropy * math.exp(-branch_history_gain * history), 6)]
                        for history in range(0, 33, 2)
                    ],
                },
                "registers": {"reads": round(1.7 * instructions), "writes": round(0.75 * instructions)},
                "footprint_bytes": footprint_bytes,
            }
        ],
    }
    return parse_profile(document)


def _counts(mix: Mapping[str, float], instructions: int) -> dict[str, int]:
    """Return whole counts that add up; what rounding leaves goes to the largest class."""
    for name, share in mix.items():
        if name not in (*CLASSES, *PARTS):
            raise InputError(
                f"mix: unknown class '{name}'",
                allowed=[*CLASSES, *PARTS],
                wrong=name,
                candidates=[*CLASSES, *PARTS],
            )
        if not 0 <= share <= 1:
            raise InputError(f"mix: {name} = {share}", allowed="a share from 0 to 1")
    total = sum(mix.get(name, 0.0) for name in CLASSES)
    if abs(total - 1) > 1e-9:
        raise InputError(f"mix: {' + '.join(CLASSES)} is {total:.9g}", allowed="1")
    counts = {name: int(mix.get(name, 0.0) * instructions) for name in (*CLASSES, *PARTS)}
    largest = max(CLASSES, key=lambda name: counts[name])
    counts[largest] += instructions - sum(counts[name] for name in CLASSES)
    return counts


def _ilp(at_54: float, window: float, exponent: float, most: float) -> float:
    return most if window == math.inf else min(at_54 * (window / _WINDOW) ** exponent, most)


def _span(count: int, ilp: float) -> int:
    return min(count, max(1, math.ceil(count / max(ilp, 1.0)))) if count else 0


def _vectors(counts: Mapping[str, int], length: int, share: float) -> list[dict[str, Any]]:
    if length == 1 or not share:
        return []
    names = ("load", "store", "fp", "fp_mul", "fp_div")
    return [{"class": name, "length": length, "bits": 64, "count": int(share * counts[name])} for name in names]


def _reuse(line: int, references: int, footprint: int, near: float, locality: float) -> dict[str, Any]:
    lines = max(1, -(-footprint // line))
    if lines > references:
        raise InputError(
            f"footprint_bytes = {footprint}: {lines} lines of {line} bytes, but {references} references",
            allowed="at least one reference per line",
        )

    def reuses_within(distance: int) -> float:
        return -math.expm1(-locality * math.log1p((distance + 1) * line / near))

    last, distances = lines - 1, [0]
    while distances[-1] < last:
        distances.append(1 if distances[-1] == 0 else 2 * distances[-1])
    reused, before = references - lines, 0
    histogram = []
    for distance in distances:
        upto = int(reused * min(1.0, reuses_within(min(distance, last)) / reuses_within(last)))
        histogram.append([distance, upto - before])
        before = upto
    return {"line_bytes": line, "references": references, "histogram": histogram}


def _plain(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters one by one, as a profile's application has them."""
    flat: dict[str, Any] = {}
    for key, value in given.items():
        if isinstance(value, Mapping):
            flat |= {f"{key}.{name}": item for name, item in value.items()}
        else:
            flat[key] = value if isinstance(value, (int, float, str)) else ", ".join(map(str, value))
    return flat
