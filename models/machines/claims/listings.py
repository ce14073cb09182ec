"""The tables of ``dse validate machines`` for people."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from dse.authoring.library.claims import Claim, Listing
from dse.models.machines.catalogue.catalogue import later_machines
from dse.models.machines.catalogue.figures import FIGURES
from dse.models.machines.claims.cores import core_listings
from dse.models.machines.laws.comparison import LAWS, Judged
from dse.models.machines.laws.fitted_tables import measured_over_law
from dse.models.machines.laws.judgement import SECOND, Judgement
from dse.models.machines.laws.targets import efficiencies
from dse.units import with_unit

__all__ = ["listings"]

_TITLES = {"rate": "rate", "power": "power", "efficiency": "Gflop/s per W", "gradient": "HPCG"}


def listings(told: Judgement, checked: Sequence[Claim]) -> tuple[Listing, ...]:
    """Return the tables in the order they are shown."""
    found = [*_figures(told, checked), _laws_per_machine(told), _devices(told), _strata(told)]
    if told.targets:
        found.append(_targets(told))
    found += core_listings([*told.machines, *(later_machines() if told.targets else ())])
    found += [*_peaks(told), *_powers(told)]
    if told.sizes:
        found.append(_sizes(told))
    return tuple(one for one in found if one.rows)


def _figures(told: Judgement, checked: Sequence[Claim]) -> Iterator[Listing]:
    headings = ("machine", "device", "measured", "by laws without it", "error", "by all laws", "error", "")
    for figure in FIGURES:
        rows = [
            (
                answer.machine.name,
                answer.machine.device + ("" if answer.known else " (first seen)"),
                with_unit(answer.published, figure.unit),
                with_unit(answer.computed, figure.unit),
                _percent(answer.error),
                with_unit(answer.fitted, figure.unit),
                _percent(answer.fitted_error),
                claim.status,
            )
            for answer, claim in zip(told.answers, checked, strict=True)
            if answer.figure is figure and answer.error is not None
        ]
        yield Listing(figure.title, headings, tuple(rows), right=(2, 3, 4, 5, 6))


def _laws_per_machine(told: Judgement) -> Listing:
    """Errors of the laws' shares, and efficiencies measured."""
    measured = efficiencies(told.answers)
    headings = ("machine", "device", *(_TITLES[law] for law in LAWS), "measured", "by the laws")
    rows = []
    for machine in told.machines:
        mine = {one.law: one for one in told.judged if one.machine.name == machine.name}
        if mine:
            cells = [_of(mine.get(law)) for law in LAWS]
            both = measured.get(machine.name)
            seen = (_efficiency(both[0]), _efficiency(both[1])) if both else ("–", "–")
            rows.append((machine.name, machine.device, *cells, *seen))
    title = "Errors of the laws, each machine left out of their fit (* device first seen); Gflop/s per W"
    return Listing(title, headings, tuple(rows), right=(2, 3, 4, 5, 6, 7))


def _of(one: Judged | None) -> str:
    return "–" if one is None else f"{_percent(one.error)}{'' if one.known else ' *'}"


def _efficiency(value: float) -> str:
    return f"{value / 1e9:.2f}"


def _devices(told: Judgement) -> Listing:
    headings = (
        "device",
        "machines",
        "share of peak",
        "of rated power",
        "of bandwidth",
        "measured / law: rate",
        "Gflop/s/W",
    )
    rows = []
    for device in dict.fromkeys(one.machine.device for one in told.judged):
        mine = [one for one in told.judged if one.machine.device == device]
        given = told.laws.shares(mine[0].machine)
        known = device in told.laws.rate.devices
        rows.append(
            (
                device,
                str(len({one.machine.name for one in mine})),
                f"{math.exp(given.rate):.3f}{'' if known else ' (class)'}",
                f"{math.exp(given.power):.3f}{'' if device in told.laws.efficiency.devices else ' (class)'}",
                f"{math.exp(given.gradient):.3f}{'' if device in told.laws.gradient.devices else ' (class)'}",
                *(_range([one for one in mine if one.law == law]) for law in ("rate", "efficiency")),
            )
        )
    title = "Devices: shares by the laws, and measured over computed of machines left out of the fit"
    return Listing(title, headings, tuple(rows), right=(1, 2, 3, 4, 5, 6))


def _range(some: Sequence[Judged]) -> str:
    return measured_over_law(some) if some else "–"


def _strata(told: Judgement) -> Listing:
    headings = ("law", "", "machines", "mean error", "per class", "per device", "worst", "of", "within 2 s.e.")
    rows = [
        (
            _TITLES[one.law],
            one.name,
            str(one.machines),
            *(_percent(value, sign=False) for value in (one.mean, one.class_mean, one.device_mean, one.worst)),
            one.worst_machine,
            f"{one.within_two} of {one.machines}",
        )
        for one in told.strata
    ]
    title = "Mean errors of the laws, beside one constant per class and one per device"
    return Listing(title, headings, tuple(rows), right=(2, 3, 4, 5, 6))


def _targets(told: Judgement) -> Listing:
    rows = []
    for one in told.targets:
        reached = "unknown" if one.reached is None else "reached" if one.reached else "NOT reached"
        shown = [
            "–" if value is None else f"{100 * value:.2f} %" if one.percent else f"{value:.3g}"
            for value in (one.limit, one.found)
        ]
        rows.append((_TITLES[one.law], one.what, f"{'≥' if one.least else '≤'} {shown[0]}", shown[1], reached))
    return Listing("Targets", ("law", "what", "limit", "found", ""), tuple(rows), right=(2, 3))


def _peaks(told: Judgement) -> Iterator[Listing]:
    rows = [
        (
            one.machine.name,
            one.machine.device,
            with_unit(one.listed, "flop/s"),
            with_unit(one.catalogued, "flop/s"),
            _percent(one.deviation),
            one.machine.peak_note or "no note says why",
        )
        for one in told.peaks
        if one.named
    ]
    headings = ("machine", "device", "listed", "catalogue", "", "note")
    yield Listing(
        "Peak rates per device that lists state otherwise than the catalogue", headings, tuple(rows), (2, 3, 4)
    )


def _powers(told: Judgement) -> Iterator[Listing]:
    rows = [
        (
            one.device,
            str(len(one.machines)),
            f"{one.deviation:+.3f}",
            f"± {one.bound:.3f}",
            "NAMED" if one.named else "fits",
            "" if one.named else f"± {100 * one.unseen:.0f} %",
            "; ".join(filter(None, (one.rating, one.note or ("no note says why" if one.named else "")))),
        )
        for one in told.powers
    ]
    title = (
        "Rated powers: ln(measured over rated) of a device against a law without it "
        f"({told.fall[0]:+.3f} ± {told.fall[1]:.3f} a year)"
    )
    headings = ("device", "machines", "deviation", "bound", "", "unseen", "rating, note")
    yield Listing(title, headings, tuple(rows), (1, 2, 3, 5))


def _sizes(told: Judgement) -> Listing:
    rows = [
        (
            one.term,
            f"{one.slope:+.3f} ± {one.standard_error:.3f}",
            f"{one.t:+.1f}",
            f"{one.least:+.3f} to {one.largest:+.3f}",
            f"{_percent(one.error_without, sign=False)} → {_percent(one.error_with, sign=False)}",
            "taken" if one.taken else "not taken",
        )
        for one in told.sizes
    ]
    headings = ("term", "slope", "t", "any one device left out", f"rates of {SECOND}", "")
    return Listing("Does the share of peak fall with the number of nodes n?", headings, tuple(rows), (1, 2, 3, 4))


def _percent(value: float | None, *, sign: bool = True) -> str:
    if value is None:
        return "–"
    return f"{100 * value:+.1f} %" if sign else f"{100 * value:.1f} %"
