"""Bandwidths beside packets simulated here, and the published accuracies beside those of machines in their ranges."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from dse.authoring.library.claims import Claim
from dse.models.network.bandwidth.bandwidth import effective_bandwidth
from dse.models.network.claims.accuracy import SIMULATED, Simulated
from dse.models.network.claims.printed_formula import claim
from dse.models.network.graphs.simulated_here import SimulatedRow, rows_simulated_here
from dse.models.network.topologies import COMPONENTS
from dse.models.sources import ANGHEL_2017

__all__ = ["SOURCE", "model_of", "simulated_claims"]

SOURCE = "simulated: packets through every shipped topology under every shipped pattern (benchmarks/packets)"
NEAR = 0.10
"""A bandwidth agrees with a simulation within this share of it."""

POINT = 1.0
"""Of accuracies in percent: other machines of the same ranges were simulated than those of the thesis."""

_TURNS = "a node gets as many turns of a link as all that comes from elsewhere, so flows from far are the slowest"
_WAYS = "each packet takes one of the equal ways at random: the fullest of them ends last"


def simulated_claims() -> list[Claim]:
    """Return the farthest of every topology and pattern, the bound, and the published accuracies."""
    return [*_farthest(), *_bounds(), *_published()]


def model_of(row: SimulatedRow) -> float:
    """Return what the models give for the machine of a row, B/s."""
    component = next(known for known in COMPONENTS if known.provider == row.component)
    parameters: dict[str, Any] = _values(row.sizes)
    parameters |= dict.fromkeys(component.topology.bandwidths, 7e9)
    options = _values(row.options)
    if row.pattern == "valiant":
        return float(effective_bandwidth(component.topology.name, parameters, "uniform", routing="valiant"))
    pattern = "nearest-neighbour" if row.pattern.startswith("neighbour") else row.pattern
    if row.pattern == "uniform-without-self":
        pattern, options = "uniform", {"include_self": False}
    if "step" in options:
        options = {"step": options["step"]}
    return float(effective_bandwidth(component.topology.name, parameters, pattern, options, routing=component.routing))


def _values(text: str) -> dict[str, Any]:
    """Return what a row has by symbol: "d 4x4 p 1", "grid 8x8 tiles 4x2+2x1"."""
    words = text.split()
    read: dict[str, Any] = {}
    for name, value in zip(words[::2], words[1::2], strict=True):
        if name == "tiles":
            read[name] = [_sides(tile) for tile in value.split("+")]
        elif name in ("d", "grid"):
            read[name] = _sides(value)
        elif value.isdecimal():
            read[name] = int(value)
    return read


def _sides(text: str) -> tuple[int, ...]:
    return tuple(int(side) for side in text.split("x"))


def _by_pair() -> dict[tuple[str, str], list[SimulatedRow]]:
    pairs: dict[tuple[str, str], list[SimulatedRow]] = {}
    for row in rows_simulated_here():
        pairs.setdefault((row.component, row.pattern), []).append(row)
    return pairs


def _farthest() -> Iterator[Claim]:
    for (component, pattern), rows in _by_pair().items():
        worst = max(rows, key=lambda row: abs(row.ratio - 1.0))
        mean = 100.0 * sum(abs(row.ratio - 1.0) for row in rows) / len(rows)
        machine = " ".join(filter(None, (worst.sizes, worst.options)))
        title = (
            f"{pattern}, {component}: bandwidth over that of simulated packets, the farthest of {len(rows)} "
            f"({machine}; mean error {mean:.1f} %)"
        )
        near = abs(worst.ratio - 1.0) <= NEAR
        rest: dict[str, Any] = {"relative_tolerance": NEAR} if near else {"kind": "miss", "note": _why(worst)}
        yield claim(title, SOURCE, 1.0, model_of(worst) / worst.simulated, **rest)


def _why(row: SimulatedRow) -> str:
    """Return what makes the simulation of a row so far from the model."""
    if row.ratio < 1.0:
        return "the model has the slowest flow, random traffic the mean of all nodes"
    if row.oldest_first is None:
        return _TURNS if row.component == "torus" else _WAYS
    fair = row.model / row.oldest_first
    if fair - 1.0 <= 0.5 * (row.ratio - 1.0):
        return f"{_TURNS}; with the oldest packet first {fair:.2f}"
    return f"{_WAYS}; with the oldest packet first {fair:.2f}"


def _bounds() -> Iterator[Claim]:
    """The bound is that of any routing, so neither the model nor a simulation may exceed it."""
    bounded: dict[str, list[SimulatedRow]] = {}
    for row in rows_simulated_here():
        if row.bound is not None:
            bounded.setdefault(row.component, []).append(row)
    for component, rows in bounded.items():
        below = all(max(row.model, 0.99 * row.simulated) <= (row.bound or 0.0) * (1.0 + 1e-5) for row in rows)
        title = f"{component}: no bandwidth above that of the best routing, {len(rows)} machines and patterns"
        yield claim(title, f"{SOURCE}; maximum concurrent flow", True, below)


def _published() -> Iterator[Claim]:
    """Yield the accuracies of Tables 5.10 to 5.12, beside those of machines in their ranges that are simulated here."""
    here: dict[str, list[SimulatedRow]] = {}
    for row in rows_simulated_here():
        if row.row:
            here.setdefault(row.row, []).append(row)
    for printed in SIMULATED:
        name = f"{printed.pattern}, {printed.topology}"
        which = f"{name}, {printed.which}" if printed.which else name
        rows = [row for key, group in here.items() if key == which or key.startswith(f"{which}, ") for row in group]
        title = f"{which}: mean accuracy of machines simulated here is between the least and the largest printed"
        source = f"{printed.source}, {printed.table}"
        if rows:
            yield _judged(title, source, printed, rows)
        else:
            note = "the simulated bandwidths are in figures only (or nowhere), so nothing can be recomputed"
            yield claim(title, source, (printed.smallest, printed.largest), None, kind="not checkable", note=note)


def _judged(title: str, source: str, printed: Simulated, rows: Sequence[SimulatedRow]) -> Claim:
    in_turn = _mean_accuracy(rows, {row: row.simulated for row in rows})
    oldest = _mean_accuracy(rows, {row: row.oldest_first or row.simulated for row in rows})
    least, largest = sorted((printed.smallest, printed.largest))
    agree = {
        name: least - POINT <= mean <= largest + POINT
        for name, mean in (("queues in turn", in_turn), ("oldest first", oldest))
    }
    note = (
        f"printed {least:g} to {largest:g} %, mean {printed.mean:g}; {len(rows)} machines here: {in_turn:.1f} % where "
        f"outputs serve queues in turn, {oldest:.1f} % the oldest packet first; {ANGHEL_2017} does not say which"
    )
    kind: dict[str, Any] = {} if any(agree.values()) else {"kind": "miss"}
    return claim(title, source, True, any(agree.values()), note=note, **kind)


def _mean_accuracy(rows: Sequence[SimulatedRow], rates: Mapping[SimulatedRow, float]) -> float:
    return 100.0 * sum(1.0 - abs(row.model / rates[row] - 1.0) for row in rows) / len(rows)
