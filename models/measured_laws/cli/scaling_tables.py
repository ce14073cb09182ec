"""What `dse scaling` shows: the factors, the efficiency at numbers of ranks, and what limits it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dse.errors import InputError

if TYPE_CHECKING:
    from dse.models.measured_laws.kinds.scaling_factors.scaling_profile import ScalingProfile

__all__ = ["show_profile"]

_LEVEL = 0.9


def show_profile(
    profile: ScalingProfile,
    at: list[int] | None,
    json: bool,
    out: Path | None,
    computing: Mapping[str, list[float]] | None = None,
    remarks: Sequence[str] = (),
) -> None:
    """Print fitted factors and what they say, or give all of it as JSON."""
    from dse.cli.text.output import print_json, say, table
    from dse.models.measured_laws.kinds.scaling_factors.fitted_file import as_document

    ranks = sorted(set(at or [int(profile.ranks[1])]))
    if ranks[0] < 1:
        raise InputError(f"{ranks[0]} ranks", key="--at", allowed="a whole number from 1")
    warnings = [*remarks, *profile.warnings(ranks)]
    crossovers = profile.crossovers(max(float(ranks[-1]), profile.ranks[1]))
    answers = [
        {
            "ranks": count,
            **{name: float(factor.at(count)) for name, factor in profile.factors.items()},
            "efficiency": float(profile.efficiency(count)),
            "dominant": profile.dominant(count),
            "intervals": profile.intervals(count, _LEVEL),
        }
        for count in ranks
    ]
    if json:
        changes = [{"ranks": count, "dominant": name} for count, name in crossovers]
        fitted: dict[str, Any] = {
            "fit": as_document(profile).model_dump(mode="json"),
            "at": answers,
            "crossovers": changes,
            "warnings": warnings,
        }
        if computing:
            fitted["computing"] = computing
        print_json({**fitted, "file": str(out) if out else None})
        return
    say(f"{profile.name}: {profile.mode} scaling, fitted to {profile.ranks[0]:,.0f} to {profile.ranks[1]:,.0f} ranks")
    rows = [
        [
            name,
            factor.form,
            f"{factor.single:.6g}",
            f"{factor.fraction:.8g}",
            "none" if factor.residual is None else f"{factor.residual:.2g}",
            "none" if factor.left_out_error is None else f"{factor.left_out_error:.2g}",
        ]
        for name, factor in profile.factors.items()
    ]
    table(["factor", "form", "a0", "f", "largest residual", "error of left-out points"], rows, right=range(2, 6))
    rows = [
        [
            f"{answer['ranks']:,}",
            *(f"{answer[name]:.4f}" for name in profile.factors),
            f"{answer['efficiency']:.4f}",
            str(answer["dominant"]),
        ]
        for answer in answers
    ]
    table(["ranks", *profile.factors, "efficiency", "least factor"], rows, right=range(len(profile.factors) + 2))
    _show_intervals(profile, answers)
    if computing:
        _show_computing(computing)
    for count, name in crossovers:
        say(f"from about {count:,.0f} ranks on {name} is the least factor")
    for text in warnings:
        say(f"warning: {text}")
    if out:
        say(f"wrote {out}")


def _show_computing(computing: Mapping[str, list[float]]) -> None:
    from dse.cli.text.output import say, table

    say(f"computing itself, over {computing['ranks'][0]:,.0f} ranks: instructions per cycle, instructions, clock")
    rows = [
        [f"{count:,.0f}", *(f"{value:.4g}" for value in others)]
        for count, *others in zip(*computing.values(), strict=True)
    ]
    table(list(computing), rows, right=range(len(computing)))


def _show_intervals(profile: ScalingProfile, answers: list[dict[str, Any]]) -> None:
    from dse.cli.text.output import say, table

    names = [*profile.factors, "efficiency"]
    if not any(answer["intervals"][name] for answer in answers for name in names):
        return
    rows = []
    for answer in answers:
        ends = [answer["intervals"][name] for name in names]
        cells = ["not known" if end is None else f"{end[0]:.4f} to {end[1]:.4f}" for end in ends]
        rows.append([f"{answer['ranks']:,}", *cells])
    say(f"{100 * _LEVEL:g} % intervals, of all growths that fit nearly as well")
    table(["ranks", *names], rows, right=range(len(names) + 1))
