"""Rated powers and areas of sockets one can buy beside what the laws of many-core nodes make of them.

The law of power is fitted on most of them, so the figure of each is no validation; what a law without the socket or
without its generation of processes gives is. ``dse validate node_class --measured FILE`` takes a table of the columns
of ``spaces/node_class/sockets.csv`` and computes its sockets by the law as it is.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from dse.authoring.library.claims import Claim, Comparison, Kind, Listing, read_figures
from dse.errors import InputError
from dse.models.node_class.claims.blind import blind_listing, blind_records
from dse.models.node_class.sockets.areas import areas
from dse.models.node_class.sockets.errors import Errors, generation, generation_out, left_out, spread
from dse.models.node_class.sockets.fit import PRIORS, rated
from dse.models.node_class.sockets.fitted_law import shipped_law
from dse.models.node_class.sockets.law import CONSTANTS
from dse.models.node_class.sockets.table import Sockets, read_sockets, sockets

__all__ = ["claims", "comparison"]

FIGURES = read_figures(Path(__file__).with_suffix(".csv"), "node_class")

_KNOWN, _GUESSED = (
    0.30,
    0.60,
)  # largest error of a socket whose clock under load is known, and of one where it is a guess
_LEFT_OUT_MEAN, _LEFT_OUT_WORST = 0.15, 0.45
_SOURCE = "spaces/node_class/sockets.csv"


def claims() -> list[Claim]:
    """Return the rated power of each socket, and what laws without them are off."""
    table = sockets()
    computed = [_claim(table, place, shipped_law().power(table), own=True) for place in range(len(table))]
    kept = rated(table)
    known = spread("", kept.names[kept.clock_known], left_out()[kept.clock_known])
    mean, worst, area = FIGURES
    median = float(np.median([entry.computed / entry.published for entry in areas()]))
    return [
        *computed,
        FIGURES.claim(mean, known.mean <= _LEFT_OUT_MEAN),
        FIGURES.claim(worst, abs(known.worst) <= _LEFT_OUT_WORST),
        FIGURES.claim(area, median),
    ]


def comparison(file: Path | None = None) -> Comparison:
    """Compare the rated power of every socket of a table.

    Parameters
    ----------
    file : Path, optional
        A table of the columns of ``spaces/node_class/sockets.csv``. Default: that one.

    Raises
    ------
    InputError
        What is wrong with the table, or that none of its sockets has a rated power.
    """
    if file is None:
        return _own()
    table = read_sockets(file)
    power = shipped_law().power(table)
    checked = [_claim(table, place, power, own=False) for place in range(len(table))]
    have = np.isfinite(power) & np.isfinite(table.rated_power)
    if not have.any():
        raise InputError(
            "no socket has a rated power and a top clock", file=file, key="rated_power", allowed="one at least"
        )
    ratios = (power / table.rated_power)[have]
    names, known = table.names[have], table.clock_known[have]
    means = [spread("all", names, ratios)]
    if known.any():
        means.insert(0, spread("clock known", names[known], ratios[known]))
    rows = [
        (
            str(table.names[place]),
            str(table.process[place]),
            *_cells(table.rated_power[place], power[place]),
            entry.status,
        )
        for place, entry in enumerate(checked)
    ]
    headings = ("socket", "process", "rated", "by the law", "error", "")
    listing = Listing("Rated power of sockets by a law that does not know them", headings, rows, right=(2, 3, 4))
    details = {"file": str(file), "sockets": _records(table, power), "errors": [asdict(entry) for entry in means]}
    return Comparison(tuple(checked), details, (listing, _errors(means)))


def _own() -> Comparison:
    table, law = sockets(), shipped_law()
    power, kept = law.power(table), rated(table)
    out, far = left_out(), generation_out()
    alone, without = (dict(zip(kept.names, values.tolist(), strict=True)) for values in (out, far))
    fitted = power[np.isin(table.names, kept.names)] / kept.rated_power
    known = kept.clock_known
    means = [
        spread("fitted", kept.names, fitted),
        spread("left out, clock known", kept.names[known], out[known]),
        spread("left out, all", kept.names, out),
        spread("generation left out", kept.names, far),
        *_by_generation(kept, far),
    ]
    rows = [
        (
            str(name),
            str(table.process[place]),
            *_cells(table.rated_power[place], power[place]),
            *(_percent(of[name] - 1.0) if name in of else "–" for of in (alone, without)),
        )
        for place, name in enumerate(table.names)
    ]
    headings = ("socket", "process", "rated", "by the law", "error", "left out", "generation left out")
    listings = (
        Listing("Rated power of sockets (LX2 is in no fit)", headings, rows, right=(2, 3, 4, 5, 6)),
        _errors(means),
        blind_listing(law),
        _areas(),
        _constants(),
    )
    details: dict[str, Any] = {
        "file": _SOURCE,
        "sockets": _records(table, power),
        "errors": [asdict(entry) for entry in means],
        "blind": blind_records(law),
        "areas": [asdict(entry) for entry in areas()],
        "law": {name: getattr(law, name) for name in CONSTANTS} | {"offsets": law.offsets},
    }
    return Comparison(tuple(claims()), details, listings)


def _claim(table: Sockets, place: int, power: np.ndarray, *, own: bool) -> Claim:
    name = str(table.names[place])
    published, computed = float(table.rated_power[place]), float(power[place])
    blind = bool(table.blind[place])
    common: dict[str, Any] = {"source": _SOURCE if own else "the table", "unit": "W", "of": "rated power of a socket"}
    title = f"rated power of {name}"
    if blind and not math.isfinite(computed):
        computed = float(blind_records(shipped_law())[0]["power"])
        note = "the blind test, in no fit: a process of 6 nm and cores built for 2.75 GHz, both read off press"
        return Claim(
            "node_class", title, published=published, computed=computed, relative_tolerance=_KNOWN, note=note, **common
        )
    if not math.isfinite(published) or not math.isfinite(computed):
        lacking = (
            "no rated power was published" if not math.isfinite(published) else "without a top clock it has no voltage"
        )
        return Claim("node_class", title, published=None, computed=None, kind="not checkable", note=lacking, **common)
    tolerance = _KNOWN if table.clock_known[place] else _GUESSED
    kind: Kind = "fitted" if own else "check"
    note = "the law is fitted on it" if own else ""
    return Claim(
        "node_class",
        title,
        published=published,
        computed=computed,
        relative_tolerance=tolerance,
        kind=kind,
        note=note,
        **common,
    )


def _records(table: Sockets, power: np.ndarray) -> list[dict[str, Any]]:
    parts = shipped_law().parts(table)
    return [
        {
            "name": str(name),
            "rated": _number(table.rated_power[place]),
            "computed": _number(power[place]),
            "clock_known": bool(table.clock_known[place]),
            "parts": {part: _number(values[place]) for part, values in parts.items()},
        }
        for place, name in enumerate(table.names)
    ]


def _number(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _by_generation(kept: Sockets, ratios: np.ndarray) -> Iterator[Errors]:
    of = np.array([generation(float(entry)) for entry in kept.energy_class])
    for name in dict.fromkeys(of.tolist()):
        yield spread(f"generation left out: {name}", kept.names[of == name], ratios[of == name])


def _errors(means: Sequence[Errors]) -> Listing:
    rows = [
        (
            entry.what,
            str(entry.sockets),
            *(_percent(value, sign=False) for value in (entry.mean, entry.median)),
            _percent(entry.bias),
            _percent(entry.worst),
            entry.worst_socket,
            f"{entry.deviation:.2f}",
        )
        for entry in means
    ]
    headings = ("errors of power over rated", "sockets", "mean", "median", "bias", "worst", "of", "sd of ln")
    return Listing("How far the law of sockets is off", headings, rows, right=(1, 2, 3, 4, 5, 7))


def _areas() -> Listing:
    rows = [
        (
            entry.name,
            f"{1e6 * entry.published:.0f}",
            f"{1e6 * entry.computed:.0f}",
            _percent(entry.computed / entry.published - 1),
        )
        for entry in areas()
    ]
    headings = ("socket", "published [mm²]", "computed [mm²]", "error")
    return Listing("Silicon of sockets of 10 nm and below, all dies", headings, rows, right=(1, 2, 3))


def _constants() -> Listing:
    law = shipped_law()
    rows = [
        (name.replace("_", " "), unit, f"{PRIORS[name][0]:.3g}", f"{PRIORS[name][1]:.2g}", f"{getattr(law, name):.4g}")
        for name, unit in CONSTANTS.items()
    ]
    rows += [(f"offset of {name}", "1", "0", "0.1", f"{value:+.3f}") for name, value in law.offsets.items()]
    headings = ("constant", "unit", "prior", "sd of ln", "fitted")
    return Listing("Constants of the law of sockets", headings, rows, right=(2, 3, 4))


def _cells(published: float, computed: float) -> tuple[str, str, str]:
    whole = [f"{value:.0f} W" if math.isfinite(value) else "–" for value in (published, computed)]
    off = computed / published - 1.0
    return whole[0], whole[1], _percent(off) if math.isfinite(off) else "–"


def _percent(value: float, *, sign: bool = True) -> str:
    return f"{100 * value:+.0f} %" if sign else f"{100 * value:.1f} %"
