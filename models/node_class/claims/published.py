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

from dse.authoring.library.claims import Claim, Comparison, Listing, read_figures
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
    some = sockets()
    computed = [_claim(some, place, shipped_law().power(some), own=True) for place in range(len(some))]
    kept = rated(some)
    known = spread("", kept.names[kept.clock_known], left_out()[kept.clock_known])
    mean, worst, area = FIGURES
    median = float(np.median([one.computed / one.published for one in areas()]))
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
    some = read_sockets(file)
    power = shipped_law().power(some)
    checked = [_claim(some, place, power, own=False) for place in range(len(some))]
    have = np.isfinite(power) & np.isfinite(some.rated_power)
    if not have.any():
        raise InputError(
            "no socket has a rated power and a top clock", file=file, key="rated_power", allowed="one at least"
        )
    ratios = (power / some.rated_power)[have]
    names, known = some.names[have], some.clock_known[have]
    means = [spread("all", names, ratios)]
    if known.any():
        means.insert(0, spread("clock known", names[known], ratios[known]))
    rows = [
        (str(some.names[place]), str(some.process[place]), *_cells(some.rated_power[place], power[place]), one.status)
        for place, one in enumerate(checked)
    ]
    headings = ("socket", "process", "rated", "by the law", "error", "")
    listing = Listing("Rated power of sockets by a law that does not know them", headings, rows, right=(2, 3, 4))
    details = {"file": str(file), "sockets": _records(some, power), "errors": [asdict(one) for one in means]}
    return Comparison(tuple(checked), details, (listing, _errors(means)))


def _own() -> Comparison:
    some, law = sockets(), shipped_law()
    power, kept = law.power(some), rated(some)
    out, far = left_out(), generation_out()
    alone, without = (dict(zip(kept.names, values.tolist(), strict=True)) for values in (out, far))
    fitted = power[np.isin(some.names, kept.names)] / kept.rated_power
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
            str(some.process[place]),
            *_cells(some.rated_power[place], power[place]),
            *(_percent(of[name] - 1.0) if name in of else "–" for of in (alone, without)),
        )
        for place, name in enumerate(some.names)
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
        "sockets": _records(some, power),
        "errors": [asdict(one) for one in means],
        "blind": blind_records(law),
        "areas": [asdict(one) for one in areas()],
        "law": {name: getattr(law, name) for name in CONSTANTS} | {"offsets": law.offsets},
    }
    return Comparison(tuple(claims()), details, listings)


def _claim(some: Sockets, place: int, power: np.ndarray, *, own: bool) -> Claim:
    name = str(some.names[place])
    published, computed = float(some.rated_power[place]), float(power[place])
    blind = bool(some.blind[place])
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
    tolerance = _KNOWN if some.clock_known[place] else _GUESSED
    kind = "fitted" if own else "check"
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
    )  # type: ignore[arg-type]


def _records(some: Sockets, power: np.ndarray) -> list[dict[str, Any]]:
    parts = shipped_law().parts(some)
    return [
        {
            "name": str(name),
            "rated": _number(some.rated_power[place]),
            "computed": _number(power[place]),
            "clock_known": bool(some.clock_known[place]),
            "parts": {part: _number(values[place]) for part, values in parts.items()},
        }
        for place, name in enumerate(some.names)
    ]


def _number(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _by_generation(kept: Sockets, ratios: np.ndarray) -> Iterator[Errors]:
    of = np.array([generation(float(one)) for one in kept.energy_class])
    for name in dict.fromkeys(of.tolist()):
        yield spread(f"generation left out: {name}", kept.names[of == name], ratios[of == name])


def _errors(means: Sequence[Errors]) -> Listing:
    rows = [
        (
            one.what,
            str(one.sockets),
            *(_percent(value, sign=False) for value in (one.mean, one.median)),
            _percent(one.bias),
            _percent(one.worst),
            one.worst_socket,
            f"{one.deviation:.2f}",
        )
        for one in means
    ]
    headings = ("errors of power over rated", "sockets", "mean", "median", "bias", "worst", "of", "sd of ln")
    return Listing("How far the law of sockets is off", headings, rows, right=(1, 2, 3, 4, 5, 7))


def _areas() -> Listing:
    rows = [
        (
            one.name,
            f"{1e6 * one.published:.0f}",
            f"{1e6 * one.computed:.0f}",
            _percent(one.computed / one.published - 1),
        )
        for one in areas()
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
