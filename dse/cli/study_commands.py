"""Commands on studies: check, studies, evaluate."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from dse.authoring.validation import validation_lines
from dse.cli.options import Json, StudyName
from dse.cli.variant_options import Also, Least, Most, Set, VariantName, Where, Without, pairs, varied
from dse.errors import InputError, ModelError
from dse.units import format_number

if TYPE_CHECKING:
    from dse.api import Study
    from dse.graph.graph import Listed
    from dse.search.estimate import Estimate

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command(epilog="Examples: dse check my-study.toml --full · dse check ska-correlator --set cores=96")(check)
    app.command(epilog="Example: dse studies")(studies)
    app.command(epilog='Example: dse evaluate hybrid-xeon-sp --set nodes=16 --set cores=8 --set frequency="1.8 GHz"')(
        evaluate
    )


def check(
    study: StudyName,
    set_: Set = [],  # noqa: B006
    where: Where = [],  # noqa: B006
    also: Also = [],  # noqa: B006
    least: Least = [],  # noqa: B006
    most: Most = [],  # noqa: B006
    without: Without = [],  # noqa: B006
    name: VariantName = None,
    full: Annotated[bool, typer.Option("--full", help="All axes, components and assumptions, of many too.")] = False,
    graph: Annotated[bool, typer.Option("--graph", help="List every quantity with unit and source.")] = False,
    dot: Annotated[bool, typer.Option("--dot", help="Print the graph for Graphviz and nothing else.")] = False,
    json: Json = False,
) -> None:
    """Check a study or a variant before any work: size, units, what is missing, requirements, one design of each."""
    from dse.cli.check_text import (
        print_assumptions,
        print_components,
        print_references,
        print_space,
        reference_names,
    )
    from dse.cli.code import named_study
    from dse.cli.output import print_json, say, table
    from dse.cli.trust_text import print_unknowns
    from dse.run.describe import assumptions, components, describe_space, reference_groups, requirements
    from dse.run.execute import plan_study
    from dse.run.trial import tried, warnings_at
    from dse.run.trust_account import UnknownAccount

    loaded = varied(
        named_study(study), set_=set_, where=where, also=also, least=least, most=most, without=without, name=name
    )
    problem = loaded.compiled
    beside = reference_groups(loaded)
    if dot:
        say(problem.systems[0].graph.draw())
        return
    unknowns = loaded.unknowns
    designs = tried(loaded)
    warnings, required = warnings_at(loaded, designs), requirements(loaded)
    estimate, fault = _estimate(loaded)
    plan = plan_study(loaded, estimate)
    space, assumed, parts = describe_space(loaded), assumptions(loaded), components(loaded)
    listing = {row["name"]: row for system in problem.systems for row in system.graph.listing()}
    if json:
        print_json(
            {
                "name": loaded.name,
                "file": loaded.file,
                "derived_from": None if loaded.derived_from is None else asdict(loaded.derived_from),
                "designs": problem.space.size,
                "estimate": None if estimate is None else estimate.as_dict(),
                "plan": plan.as_dict(),
                "space": space.as_dict(),
                "objectives": [
                    {"quantity": o.quantity, "sense": o.sense, "unit": loaded.units[o.quantity]}
                    for o in problem.objectives
                ],
                "constraints": [constraint.text for constraint in problem.constraints],
                "requirements": [item.as_dict() for item in required],
                "tried": designs,
                "warnings": warnings,
                "components": [part.as_dict() for part in parts],
                "assumptions": [item.as_dict() for item in assumed],
                "quantities": list(listing.values()),
                "references": [{**group.as_dict(), "names": reference_names(loaded, group.name)} for group in beside],
                "synthetic": loaded.synthetic,
                "uncertain": [UnknownAccount.of(one).model_dump(by_alias=True) for one in unknowns.every],
            }
        )
        return
    say(f"{loaded.name}: {loaded.spec.question}", style="bold")
    if loaded.spec.source:
        say(f"source: {loaded.spec.source}")
    if loaded.derived_from is not None:
        say(loaded.derived_from.in_words())
    say(f"{format_number(problem.space.size)} designs, {len(listing)} quantities, units agree, nothing is missing")
    of_each = " of each alternative" if len(designs) > 1 else ""
    say(f"a random design{of_each} was evaluated: no formula fails")
    if estimate is None:
        say(f"how long a run takes is not known: {fault}", style="yellow")
    else:
        say(f"a run takes {estimate.in_words}")
        if estimate.advice:
            say(estimate.advice, style="bold red" if estimate.hopeless else "yellow")
    for line in plan.lines:
        say(line)
    print_space(space, full=full)
    for objective in problem.objectives:
        verb = "minimise" if objective.sense == "min" else "maximise"
        say(f"{verb} {objective.quantity} [{loaded.units[objective.quantity]}]")
    for constraint in problem.constraints:
        by = f" (required by {constraint.required_by})" if constraint.required_by else ""
        say(f"subject to {constraint.text}{by}")
    for item in required:
        say(f"requirement {item.text}", style="yellow" if item.state == "lifted" else None)
    for warning in warnings:
        say(f"warning: {warning}", style="yellow")
    print_components(parts, full=full)
    print_assumptions(assumed, full=full)
    if loaded.spec.uncertain:
        print_unknowns([UnknownAccount.of(one) for one in unknowns.every], loaded.units, str)
        for note in unknowns.notes:
            say(f"  {note}")
    for group in beside:
        print_references(loaded, group, full=full)
    if loaded.synthetic:
        say(f"SYNTHETIC data, not measurements: {', '.join(loaded.synthetic)}", style="bold yellow")
    if graph:
        rows = [[r["name"], r["unit"], r["from"], ", ".join(r["needs"]), r["source"]] for r in listing.values()]
        table(["quantity", "unit", "from", "needs", "source"], rows)


def _estimate(loaded: Study) -> tuple[Estimate | None, str]:
    """Return what a run is expected to take, or the fault of a model; a fault of the input would end the run too."""
    try:
        return loaded.estimate(), ""
    except ModelError as error:
        return None, str(error)


def studies(json: Json = False) -> None:
    """List the studies that come with dse, by their headings; --json has the sizes of their spaces too."""
    from dse.cli.output import print_json, say, table

    if json:
        print_json(_sized())
        return
    from dse.study.headings import headings

    rows = [[h.name, f"{h.question}{' (synthetic data)' if h.synthetic else ''}"] for h in headings()]
    table(["study", "question"], rows)
    say("its size: dse check NAME · run it: dse run NAME · a copy to change: dse init FILE --from NAME")


def _sized() -> list[dict[str, object]]:
    """Return the studies with the sizes of their spaces, for which each is put together."""
    from dse.api import Study
    from dse.study.headings import bundled_studies

    paths = bundled_studies()
    bundled = {name: Study.load(path) for name, path in paths.items()}
    return [
        {
            "name": name,
            "question": study.spec.question,
            "source": study.spec.source,
            "designs": study.space.size,
            "synthetic": bool(study.synthetic),
            "file": str(paths[name]),
        }
        for name, study in bundled.items()
    ]


def evaluate(
    study: StudyName,
    set_: Annotated[list[str], typer.Option("--set", help='A value: name=value with its unit, "2.6 GHz".')] = [],  # noqa: B006
    alternative: Annotated[str | None, typer.Option(help="Which alternative, when there are several.")] = None,
    json: Json = False,
) -> None:
    """Evaluate one system, which need not be in the space: every quantity with unit and source."""
    from dse.cli.code import named_study
    from dse.cli.output import print_json, say, shown, table
    from dse.cli.validation_text import print_validation
    from dse.space.axes import with_confidence

    values = {}
    for name, value in pairs("--set", set_, '--set nodes=16, --set frequency="2.6 GHz"'):
        if name in values:
            raise InputError(f"'{name}' stands twice", key="--set")
        values[name] = value
    loaded = named_study(study)
    result, parts = loaded.evaluate(values, alternative), loaded.parts(values, alternative)
    names = [p.name for p in loaded.space.products]
    system = loaded.compiled.systems[names.index(alternative) if alternative is not None else 0]
    listing: list[Listed] = [
        {**row, "from": "set", "source": "given with --set"} if row["name"] in values else row
        for row in system.graph.listing()
        if row["name"] in result and not row["name"].startswith("constraint_")
    ]
    constraints = {c.text: bool(result[c.quantity]) for c in system.constraints}
    required = {c.text: f" (required by {c.required_by})" for c in system.constraints if c.required_by}
    if json:
        print_json(
            {
                "study": loaded.name,
                "values": {row["name"]: result[row["name"]] for row in listing},
                "units": {row["name"]: row["unit"] for row in listing},
                "constraints": constraints,
                "parts": parts,
                "synthetic": loaded.synthetic,
            }
        )
        return
    for name, part in parts.items():
        if part["confidence"]:
            say(f"{name} = {with_confidence(part['part'], part['confidence'])}; {part['source']}")
    held = {name: part["validation"] for name, part in parts.items() if "validation" in part}
    print_validation(validation_lines({name: parts[name]["part"] for name in held}, held))
    rows = [[row["name"], shown(result[row["name"]], row["unit"]), row["from"], row["source"]] for row in listing]
    table(["quantity", "value", "from", "source"], rows, right=[1])
    for text, met in constraints.items():
        say(f"{text}: {'met' if met else 'NOT met'}{required.get(text, '')}")
    if loaded.synthetic:
        say(f"SYNTHETIC data, not measurements: {', '.join(loaded.synthetic)}", style="bold yellow")
