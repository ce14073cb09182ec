"""The command `verify`: throw designs at the frontier of a run, and look again at what its search left out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from dse.cli.later import later
from dse.cli.options.code import stored_run
from dse.cli.options.options import AllowCode, Folder, Json
from dse.cli.text.output import print_json, progress_bar, say
from dse.units import format_number

if TYPE_CHECKING:
    from dse.analysis.verify.attack import Verification, verify_run
    from dse.analysis.verify.proofs import Proofs, verify_proofs
else:
    (verify_run,) = later("dse.analysis.verify.attack", "verify_run")
    (verify_proofs,) = later("dse.analysis.verify.proofs", "verify_proofs")

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog="Example: dse verify runs/ska-correlator --designs 10000")(verify)


def verify(
    folder: Folder,
    designs: Annotated[int, typer.Option(min=1, help="Random designs to compare with the frontier.")] = 200_000,
    seed: Annotated[int, typer.Option(min=0, help="Of the random designs.")] = 1,
    proofs: Annotated[
        bool, typer.Option("--proofs", help="Look again at some of what the search excluded and pruned, too.")
    ] = False,
    allow_code: AllowCode = False,
    json: Json = False,
) -> int:
    """Try to beat a frontier with designs that it may have missed. Random ones, and all one-step neighbours."""
    run = stored_run(folder, allow_code=allow_code)
    with progress_bar(designs, "designs thrown") as progress:
        # The random ones come first, and the bar does not know how many neighbours there are.
        advance = (lambda thrown, _: progress(min(thrown, designs))) if progress is not None else None
        result = verify_run(run, designs=designs, seed=seed, progress=advance)
    evidence = verify_proofs(run, seed=seed) if proofs else None
    if json:
        print_json(result.as_dict() | ({"proofs": evidence.as_dict()} if evidence is not None else {}))
    else:
        _print_verification(result, run.headline if run.within else None)
        if evidence is not None:
            _print_proofs(evidence)
    return 0 if result.passed and (evidence is None or evidence.passed) else 1


def _print_verification(result: Verification, within: str | None) -> None:
    """Say what an attack on a frontier found, that holds `within` a tolerance."""
    count = format_number(result.random)
    thrown = f"all {count} designs" if result.whole_space else f"{count} random designs"
    say(
        f"compared with the {format_number(result.frontier)} designs of the frontier: {thrown} and "
        f"{format_number(result.neighbours)} one-step neighbours"
    )
    if result.passed:
        none = "none beats it, and " if result.bound or not result.beaten_by_count else ""
        if within:
            none = f"{within}, none beats it by more, and "
        say(f"passed: {none}every value comes out again", style="bold green")
    for designs_of, fault in (
        (result.values_differ, "come out otherwise"),
        (result.infeasible, "break a constraint"),
    ):
        if designs_of:
            say(f"designs of the frontier that {fault}: {', '.join(map(str, designs_of))}", style="bold red")
    if result.beaten_by_count and not result.bound:
        say(f"{result.beaten_by_count} designs beat what was found; no bound is known, so none was promised:")
    elif result.beaten_by_count:
        say(f"{result.beaten_by_count} designs should be on the frontier and are not:", style="bold red")
    if result.beaten_by_count:
        for design in result.beaten_by:
            say(f"  {design['design']}: " + ", ".join(f"{k} = {v}" for k, v in design["parameters"].items()))


def _print_proofs(proofs: Proofs) -> None:
    """Say what was looked at again, which share that is, and what came of it."""
    if not proofs.exclusions and not proofs.rows:
        say("proofs: the run keeps no evidence (nothing was excluded or pruned, or it was made before any was kept)")
        return
    n = format_number
    boxes = f"{n(proofs.exclusions)} boxes with {n(100 * proofs.excluded_share, 3)} % of the excluded designs"
    rows = f"{n(proofs.rows)} rows, {n(100 * proofs.pruned_share, 3)} % of the pruned ones"
    say(f"proofs: looked again at {boxes}; {rows}; {n(proofs.signs)} signs ({n(proofs.designs)} designs evaluated)")
    if proofs.passed:
        say("all of them hold: evidence, no second proof", style="bold green")
        return
    say(f"{proofs.faults_count} of what was left out should not have been:", style="bold red")
    for fault in proofs.faults:
        say(f"  {fault}")
