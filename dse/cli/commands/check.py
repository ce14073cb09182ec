"""The command `check`: what a study asks for and what a run of it takes, before any work."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from dse.cli.later import later
from dse.cli.options.code import named_study
from dse.cli.options.options import Json, StudyName
from dse.cli.options.search import NoCache
from dse.cli.options.variant import Also, Least, Most, Set, Uncertain, VariantName, Where, Without, varied
from dse.cli.text.check import (
    print_assumptions,
    print_components,
    print_parts,
    print_references,
    print_space,
    reference_names,
)
from dse.cli.text.output import print_json, say, table
from dse.errors import ModelError
from dse.units import format_number

if TYPE_CHECKING:
    from dse.api import Study
    from dse.cli.text.uncertainty import print_unknowns
    from dse.graph.graph import Listed
    from dse.run.describe.trial import tried, warnings_at
    from dse.run.disk.manifest import (
        AssumedValue,
        ChosenComponent,
        ReferenceTable,
        RequirementAccount,
        SpaceAccount,
    )
    from dse.run.disk.result_cache import results_kept
    from dse.run.execute.execute import plan_study
    from dse.run.result.uncertainty_account import UnknownAccount
    from dse.search.account.estimate import Estimate
    from dse.search.plan.search_plan import SearchPlan
else:
    (print_unknowns,) = later("dse.cli.text.uncertainty", "print_unknowns")
    tried, warnings_at = later("dse.run.describe.trial", "tried", "warnings_at")
    (results_kept,) = later("dse.run.disk.result_cache", "results_kept")
    (plan_study,) = later("dse.run.execute.execute", "plan_study")

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog="Examples: dse check my-study.toml --full · dse check ska-correlator --set cores=96")(check)


def check(
    study: StudyName,
    set_: Set = [],  # noqa: B006
    where: Where = [],  # noqa: B006
    also: Also = [],  # noqa: B006
    least: Least = [],  # noqa: B006
    most: Most = [],  # noqa: B006
    without: Without = [],  # noqa: B006
    uncertain: Uncertain = [],  # noqa: B006
    name: VariantName = None,
    full: Annotated[bool, typer.Option("--full", help="All axes, components and assumptions, of many too.")] = False,
    graph: Annotated[bool, typer.Option("--graph", help="List every quantity with unit and source.")] = False,
    dot: Annotated[bool, typer.Option("--dot", help="Print the graph for Graphviz and nothing else.")] = False,
    no_cache: NoCache = False,
    json: Json = False,
) -> None:
    """Check a study before it is searched. Size, units, what is missing, requirements, one design of each."""
    checked = varied(
        named_study(study),
        set_=set_,
        where=where,
        also=also,
        least=least,
        most=most,
        without=without,
        uncertain=uncertain,
        name=name,
    )
    problem = checked.compiled
    if dot:
        say(problem.systems[0].graph.draw())
        return
    with results_kept(wanted=not no_cache):
        account = _examine(checked)
    if json:
        print_json(_document(account))
    else:
        _print_account(account, full=full)
        if graph:
            _print_quantities(account)


@dataclass(frozen=True, kw_only=True)
class _Account:
    """What is known of a study before a run of it."""

    study: Study
    references: list[ReferenceTable]
    unknowns: list[UnknownAccount]
    designs: list[int]
    """One of each alternative, which were evaluated."""
    warnings: list[str]
    requirements: list[RequirementAccount]
    estimate: Estimate | None
    fault: str
    """Of a model, where there is no estimate."""
    plan: SearchPlan
    space: SpaceAccount
    assumptions: list[AssumedValue]
    components: list[ChosenComponent]
    quantities: list[Listed]
    dimensions: list[str]
    """Functions of models whose result does not scale with its units."""


def _examine(study: Study) -> _Account:
    """Evaluate a design of each alternative, plan the search, and collect what the study rests on."""
    from dse.run.describe.make_manifest import (
        assumptions,
        components,
        describe_space,
        reference_groups,
        requirements,
    )
    from dse.run.result.uncertainty_account import UnknownAccount
    from dse.study.build.dimensions import dimension_faults

    unknowns = study.unknowns
    designs = tried(study)
    warnings, required = warnings_at(study, designs), requirements(study)
    estimate, fault = _estimate(study)
    listing = {row["name"]: row for system in study.compiled.systems for row in system.graph.listing()}
    return _Account(
        study=study,
        references=reference_groups(study),
        unknowns=[UnknownAccount.of(unknown) for unknown in unknowns.every],
        designs=designs,
        warnings=warnings,
        requirements=required,
        estimate=estimate,
        fault=fault,
        plan=plan_study(study, estimate),
        space=describe_space(study),
        assumptions=assumptions(study),
        components=components(study),
        quantities=list(listing.values()),
        dimensions=[fault.text for fault in dimension_faults(study.compiled)],
    )


def _estimate(study: Study) -> tuple[Estimate | None, str]:
    """Return what a run is expected to take, or the fault of a model; a fault of the input would end the run too."""
    try:
        return study.estimate(), ""
    except ModelError as error:
        return None, str(error)


def _document(account: _Account) -> dict[str, object]:
    """Return what the command prints as JSON."""
    study = account.study
    problem = study.compiled
    return {
        "name": study.name,
        "file": study.file,
        "derived_from": None if study.derived_from is None else asdict(study.derived_from),
        "designs": problem.space.size,
        "estimate": None if account.estimate is None else account.estimate.as_dict(),
        "plan": account.plan.as_dict(),
        "space": account.space.as_dict(),
        "objectives": [
            {"quantity": o.quantity, "sense": o.sense, "unit": study.units[o.quantity]} for o in problem.objectives
        ],
        "constraints": [constraint.text for constraint in problem.constraints],
        "requirements": [item.as_dict() for item in account.requirements],
        "tried": account.designs,
        "warnings": account.warnings,
        "dimensions": account.dimensions,
        "components": [part.as_dict() for part in account.components],
        "assumptions": [item.as_dict() for item in account.assumptions],
        "quantities": account.quantities,
        "references": [
            {**group.as_dict(), "names": reference_names(study, group.name)} for group in account.references
        ],
        "synthetic": study.synthetic,
        "uncertain": [unknown.model_dump(by_alias=True) for unknown in account.unknowns],
    }


def _print_account(account: _Account, *, full: bool) -> None:
    """Print the question, what a run takes, the space, what is asked of it, and what all of that rests on."""
    study = account.study
    _print_heading(account)
    _print_duration(account)
    print_parts(study)
    print_space(account.space, full=full)
    _print_aims(account)
    print_components(account.components, full=full)
    print_assumptions(account.assumptions, full=full)
    if study.spec.uncertain:
        print_unknowns(account.unknowns, study.units, str)
        for note in study.unknowns.notes:
            say(f"  {note}")
    for group in account.references:
        print_references(study, group, full=full)
    if study.synthetic:
        say(f"SYNTHETIC data, not measurements: {', '.join(study.synthetic)}", style="bold yellow")


def _print_heading(account: _Account) -> None:
    """Print the question of the study, where it comes from, and that it is whole."""
    study = account.study
    say(f"{study.name}: {study.spec.question}", style="bold")
    if study.spec.source:
        say(f"source: {study.spec.source}")
    if study.derived_from is not None:
        say(study.derived_from.as_text())
    designs = format_number(study.compiled.space.size)
    agree = "units agree" if not account.dimensions else "units agree but for those inside these models:"
    say(f"nothing is missing: {designs} designs, {len(account.quantities)} quantities; {agree}")
    for fault in account.dimensions:
        say(f"  {fault}", style="bold yellow")
    of_each = " of each alternative" if len(account.designs) > 1 else ""
    say(f"tried on a random design{of_each}: every formula gives a number")


def _print_duration(account: _Account) -> None:
    """Print what a run is expected to take, and how it will search."""
    estimate = account.estimate
    if estimate is None:
        say(f"how long a run takes is not known: {account.fault}", style="yellow")
    else:
        say(f"a run takes {estimate.as_text}")
        if estimate.advice:
            say(estimate.advice, style="bold red" if estimate.hopeless else "yellow")
    for line in account.plan.lines:
        say(line)


def _print_aims(account: _Account) -> None:
    """Print objectives, constraints and requirements, and what models warn of."""
    problem = account.study.compiled
    for objective in problem.objectives:
        verb = "minimise" if objective.sense == "min" else "maximise"
        say(f"{verb} {objective.quantity} [{account.study.units[objective.quantity]}]")
    for constraint in problem.constraints:
        by = f" (required by {constraint.required_by})" if constraint.required_by else ""
        say(f"subject to {constraint.text}{by}")
    for item in account.requirements:
        say(f"requirement {item.text}", style="yellow" if item.state == "lifted" else None)
    for warning in account.warnings:
        say(f"warning: {warning}", style="yellow")


def _print_quantities(account: _Account) -> None:
    """Print every quantity with its unit, where it comes from, and what it needs."""
    rows = [[r["name"], r["unit"], r["from"], ", ".join(r["needs"]), r["source"]] for r in account.quantities]
    table(["quantity", "unit", "from", "needs", "source"], rows)
