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
from dse.models.machines.laws.refit import Refit
from dse.models.machines.laws.targets import efficiencies
from dse.units import with_unit

__all__ = ["listings"]

_TITLES = {"rate": "rate", "power": "power", "efficiency": "Gflop/s per W", "gradient": "HPCG"}


def listings(judgement: Judgement, checked: Sequence[Claim]) -> tuple[Listing, ...]:
    """Return the tables in the order they are shown."""
    tables = [*_figures(judgement, checked), _laws_per_machine(judgement), _devices(judgement), _strata(judgement)]
    if judgement.targets:
        tables.append(_targets(judgement))
    tables += core_listings([*judgement.machines, *(later_machines() if judgement.targets else ())])
    tables += [*_peaks(judgement), *_ratings(judgement), *_powers(judgement)]
    if judgement.sizes:
        tables.append(_sizes(judgement))
    if judgement.refit is not None:
        tables.append(_refit(judgement.refit))
    return tuple(listing for listing in tables if listing.rows)


def _figures(judgement: Judgement, checked: Sequence[Claim]) -> Iterator[Listing]:
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
            for answer, claim in zip(judgement.answers, checked, strict=True)
            if answer.figure is figure and answer.error is not None
        ]
        yield Listing(figure.title, headings, tuple(rows), right=(2, 3, 4, 5, 6))


def _refit(change: Refit) -> Listing:
    """Return what the table would change in the laws, if they were fitted anew with it."""
    counts = ((len(change.added), "new"), (len(change.replaced), "by its figures"), (len(change.left_out), "left out"))
    which = ", ".join(f"{count} {what}" for count, what in counts if count)
    rows = [
        (
            entry.law,
            entry.of,
            "–" if entry.now is None else f"{entry.now:.4f}",
            f"{entry.then:.4f}",
            "new" if entry.change is None else _percent(entry.change),
        )
        for entry in change.changed
    ]
    title = f"What it would change, if the laws were fitted anew with it ({which}); nothing is changed"
    return Listing(title, ("law", "of", "now", "with it", "change"), rows, right=(2, 3, 4))


def _laws_per_machine(judgement: Judgement) -> Listing:
    """Errors of the laws' shares, and efficiencies measured."""
    measured = efficiencies(judgement.answers)
    headings = ("machine", "device", *(_TITLES[law] for law in LAWS), "measured", "by the laws")
    rows = []
    for machine in judgement.machines:
        mine = {judged.law: judged for judged in judgement.judged if judged.machine.name == machine.name}
        if mine:
            cells = [_of(mine.get(law)) for law in LAWS]
            both = measured.get(machine.name)
            seen = (_efficiency(both[0]), _efficiency(both[1])) if both else ("–", "–")
            rows.append((machine.name, machine.device, *cells, *seen))
    title = "Errors of the laws, each machine left out of their fit (* device first seen); Gflop/s per W"
    return Listing(title, headings, tuple(rows), right=(2, 3, 4, 5, 6, 7))


def _of(judged: Judged | None) -> str:
    return "–" if judged is None else f"{_percent(judged.error)}{'' if judged.known else ' *'}"


def _efficiency(value: float) -> str:
    return f"{value / 1e9:.2f}"


def _devices(judgement: Judgement) -> Listing:
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
    for device in dict.fromkeys(judged.machine.device for judged in judgement.judged):
        mine = [judged for judged in judgement.judged if judged.machine.device == device]
        given = judgement.laws.shares(mine[0].machine)
        known = device in judgement.laws.rate.devices
        rows.append(
            (
                device,
                str(len({judged.machine.name for judged in mine})),
                f"{math.exp(given.rate):.3f}{'' if known else ' (class)'}",
                f"{math.exp(given.power):.3f}{'' if device in judgement.laws.efficiency.devices else ' (class)'}",
                f"{math.exp(given.gradient):.3f}{'' if device in judgement.laws.gradient.devices else ' (class)'}",
                *(_range([judged for judged in mine if judged.law == law]) for law in ("rate", "efficiency")),
            )
        )
    title = "Devices: shares by the laws, and measured over computed of machines left out of the fit"
    return Listing(title, headings, tuple(rows), right=(1, 2, 3, 4, 5, 6))


def _range(group: Sequence[Judged]) -> str:
    return measured_over_law(group) if group else "–"


def _strata(judgement: Judgement) -> Listing:
    headings = ("law", "", "machines", "mean error", "per class", "per device", "worst", "of", "within 2 s.e.")
    rows = [
        (
            _TITLES[stratum.law],
            stratum.name,
            str(stratum.machines),
            *(
                _percent(value, sign=False)
                for value in (stratum.mean, stratum.class_mean, stratum.device_mean, stratum.worst)
            ),
            stratum.worst_machine,
            f"{stratum.within_two} of {stratum.machines}",
        )
        for stratum in judgement.strata
    ]
    title = "Mean errors of the laws, beside one constant per class and one per device"
    return Listing(title, headings, tuple(rows), right=(2, 3, 4, 5, 6))


def _targets(judgement: Judgement) -> Listing:
    rows = []
    for target in judgement.targets:
        reached = "unknown" if target.reached is None else "reached" if target.reached else "NOT reached"
        shown = [
            "–" if value is None else f"{100 * value:.2f} %" if target.percent else f"{value:.3g}"
            for value in (target.limit, target.found)
        ]
        rows.append((_TITLES[target.law], target.what, f"{'≥' if target.least else '≤'} {shown[0]}", shown[1], reached))
    return Listing("Targets", ("law", "what", "limit", "found", ""), tuple(rows), right=(2, 3))


def _peaks(judgement: Judgement) -> Iterator[Listing]:
    rows = [
        (
            peak.machine.name,
            peak.machine.device,
            with_unit(peak.listed, "flop/s"),
            with_unit(peak.catalogued, "flop/s"),
            _percent(peak.deviation),
            peak.machine.peak_note or "no note says why",
        )
        for peak in judgement.peaks
        if peak.named
    ]
    headings = ("machine", "device", "listed", "catalogue", "", "note")
    yield Listing(
        "Peak rates per device that lists state otherwise than the catalogue", headings, tuple(rows), (2, 3, 4)
    )


def _ratings(judgement: Judgement) -> Iterator[Listing]:
    rows = [
        (
            rating.machine.name,
            rating.machine.device,
            with_unit(rating.listed, "W"),
            with_unit(rating.catalogued, "W"),
            _percent(rating.deviation),
            rating.machine.power_note or "no note says why",
        )
        for rating in judgement.ratings
        if rating.named
    ]
    headings = ("machine", "device", "in its row", "catalogue", "", "note")
    yield Listing("Rated powers per device other than the catalogue's", headings, tuple(rows), (2, 3, 4))


def _powers(judgement: Judgement) -> Iterator[Listing]:
    rows = [
        (
            power.device,
            str(len(power.machines)),
            f"{power.deviation:+.3f}",
            f"± {power.bound:.3f}",
            "NAMED" if power.named else "fits",
            "" if power.named else f"± {100 * power.unseen:.0f} %",
            "; ".join(filter(None, (power.rating, power.note or ("no note says why" if power.named else "")))),
        )
        for power in judgement.powers
    ]
    title = (
        "Rated powers: ln(measured over rated) of a device against a law without it "
        f"({judgement.fall[0]:+.3f} ± {judgement.fall[1]:.3f} a year)"
    )
    headings = ("device", "machines", "deviation", "bound", "", "unseen", "rating, note")
    yield Listing(title, headings, tuple(rows), (1, 2, 3, 5))


def _sizes(judgement: Judgement) -> Listing:
    rows = [
        (
            size.term,
            f"{size.slope:+.3f} ± {size.standard_error:.3f}",
            f"{size.t:+.1f}",
            f"{size.least:+.3f} to {size.largest:+.3f}",
            f"{_percent(size.error_without, sign=False)} → {_percent(size.error_with, sign=False)}",
            "taken" if size.taken else "not taken",
        )
        for size in judgement.sizes
    ]
    headings = ("term", "slope", "t", "any one device left out", f"rates of {SECOND}", "")
    return Listing("Does the share of peak fall with the number of nodes n?", headings, tuple(rows), (1, 2, 3, 4))


def _percent(value: float | None, *, sign: bool = True) -> str:
    if value is None:
        return "–"
    return f"{100 * value:+.1f} %" if sign else f"{100 * value:.1f} %"
