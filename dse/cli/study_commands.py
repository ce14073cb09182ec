"""Commands on studies: init, check, studies, evaluate."""

from __future__ import annotations

import re
from dataclasses import asdict
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dse.authoring.validation import validation_lines
from dse.cli.options import Json, StudyName
from dse.cli.variant_options import Also, Least, Most, Set, VariantName, Where, Without, pairs, varied
from dse.errors import InputError, ModelError, one_of
from dse.units import format_number

if TYPE_CHECKING:
    from dse.api import Study
    from dse.graph.graph import Listed
    from dse.run.manifest import ReferenceTable
    from dse.search.estimate import Estimate

__all__ = ["register"]

_LISTED = 20  # alternatives


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command(epilog="Example: dse init my-study.toml")(init)
    app.command(epilog="Examples: dse check my-study.toml --graph · dse check ska-correlator --set cores=96")(check)
    app.command(epilog="Example: dse studies")(studies)
    app.command(epilog='Example: dse evaluate hybrid-xeon-sp --set nodes=16 --set cores=8 --set frequency="1.8 GHz"')(
        evaluate
    )


def init(
    file: Annotated[str, typer.Argument(help="The file to write; it must not exist.")],
    json: Json = False,
) -> None:
    """Write a commented study file to start from."""
    from dse.cli.output import print_json, say

    path = Path(file)
    if path.suffix != ".toml":
        raise InputError(f"'{file}' does not end in .toml", allowed="a file name such as my-study.toml")
    if path.exists():
        raise InputError("the file exists already; it is not overwritten", file=file, allowed="another name")
    text = (files("dse.cli") / "template.toml").read_text(encoding="utf-8")
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", path.stem)[:80].strip("-._") or "my-study"
    try:
        path.write_text(text.replace("@NAME@", name), encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror}", file=file) from None
    if json:
        print_json({"file": str(path), "name": name})
        return
    say(f"wrote {path}")
    say(f"next: dse check {path}  ·  dse run {path}")


def check(
    study: StudyName,
    set_: Set = [],  # noqa: B006
    where: Where = [],  # noqa: B006
    also: Also = [],  # noqa: B006
    least: Least = [],  # noqa: B006
    most: Most = [],  # noqa: B006
    without: Without = [],  # noqa: B006
    name: VariantName = None,
    graph: Annotated[bool, typer.Option("--graph", help="List every quantity with unit and source.")] = False,
    dot: Annotated[bool, typer.Option("--dot", help="Print the graph for Graphviz and nothing else.")] = False,
    json: Json = False,
) -> None:
    """Check a study or a variant before any work: size, units, what is missing, requirements, one design of each."""
    from dse.cli.code import named_study
    from dse.cli.output import print_json, say, shown, table
    from dse.run.describe import assumptions, components, describe_space, reference_groups, requirements
    from dse.run.trial import tried, warnings_at

    loaded = varied(
        named_study(study), set_=set_, where=where, also=also, least=least, most=most, without=without, name=name
    )
    problem = loaded.compiled
    beside = reference_groups(loaded)
    if dot:
        say(problem.systems[0].graph.draw())
        return
    designs = tried(loaded)
    warnings, required = warnings_at(loaded, designs), requirements(loaded)
    estimate, fault = _estimate(loaded)
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
                "references": [{**group.as_dict(), "names": _names(loaded, group.name)} for group in beside],
                "synthetic": loaded.synthetic,
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
    for alternative in space.alternatives[:_LISTED]:
        rows = [[axis.name, axis.values, axis.values_in_words] for axis in alternative.axes]
        title = f"{alternative.name or 'axes'}: {format_number(alternative.designs)} designs"
        fixed = ", ".join(f"{name} = {shown(v.value, v.unit)}" for name, v in alternative.set.items())
        table(["axis", "values", "from … to"], rows, right=[1], title=title + (f" ({fixed})" if fixed else ""))
    if len(space.alternatives) > _LISTED:
        say(f"… {format_number(len(space.alternatives) - _LISTED)} more alternatives: --json")
    for name, refusals in space.enumerations_in_words():
        say(f"{name}: {refusals}")
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
    for part in parts:
        say(f"{part.slot}: {part.component}" + ("" if part.chosen else " (default)"))
    if assumed:
        rows = [[a.name, shown(a.value, a.unit), a.source] for a in assumed]
        table(["assumption", "value", "source"], rows, right=[1])
    for group in beside:
        _print_references(loaded, group)
    if loaded.synthetic:
        say(f"SYNTHETIC data, not measurements: {', '.join(loaded.synthetic)}", style="bold yellow")
    if graph:
        rows = [[r["name"], r["unit"], r["from"], ", ".join(r["needs"]), r["source"]] for r in listing.values()]
        table(["quantity", "unit", "from", "needs", "source"], rows)


def _estimate(loaded: Study) -> tuple[Estimate | None, str]:
    """Return what a run is expected to take, or what a model says to the sample."""
    try:
        return loaded.estimate(), ""
    except (InputError, ModelError) as error:
        return None, str(error)


def _names(loaded: Study, group: str) -> list[str]:
    return [reference.name for reference in loaded.references if reference.group.name == group]


def _print_references(loaded: Study, group: ReferenceTable) -> None:
    """Print one table of references: which systems, how many of them are known, and why others are not."""
    from dse.cli.output import say, shown
    from dse.evaluation.reference_systems import lacking_in_words

    shows = [*(o.quantity for o in loaded.compiled.objectives), *loaded.spec.also]
    own = [reference for reference in loaded.references if reference.group.name == group.name]
    records = [reference.record(shows) for reference in own]
    count, names = len(records), _names(loaded, group.name)
    about = f" ({group.description})" if group.description else ""
    say(f"references {group.name}: {one_of(names)}{about}", style="bold")
    say(f"  {group.evaluated} of {count} can be evaluated; they stand beside the space and are no designs of it")
    for slot, component in group.components.items():
        say(f"  {slot}: {component}")
    for item in group.assumptions:
        say(f"  {item.name} = {shown(item.value, item.unit)} ({item.source})")
    for quantity, column in group.measured.items():
        having = sum(quantity in record["measured"] for record in records)
        say(f"  {quantity} was measured of {having} of {count} (column {column})")
    for line in lacking_in_words(records, shows):
        say(f"  {line}", style="yellow")


def studies(json: Json = False) -> None:
    """List the studies that come with dse."""
    from dse.api import Study
    from dse.cli.output import print_json, say, shown, table
    from dse.study.reading import bundled_studies

    paths = bundled_studies()
    bundled = {name: Study.load(path) for name, path in paths.items()}
    if json:
        print_json(
            [
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
        )
        return
    rows = [
        [name, shown(study.space.size, "1"), f"{study.spec.question}{' (synthetic data)' if study.synthetic else ''}"]
        for name, study in bundled.items()
    ]
    table(["study", "designs", "question"], rows, right=[1])
    say("run one: dse run ska-correlator")


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
