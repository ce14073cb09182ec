"""The command `evaluate`: every quantity of one system, which need not be in the space of its study."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from dse.authoring.watch.validation import validation_lines
from dse.cli.later import later
from dse.cli.options.code import named_study
from dse.cli.options.options import Json, StudyName
from dse.cli.options.variant import values_of
from dse.cli.text.output import print_json, say, shown, table
from dse.cli.text.validation import print_validation

if TYPE_CHECKING:
    from dse.graph.graph import Listed
    from dse.space.axes import with_confidence
else:
    (with_confidence,) = later("dse.space.axes", "with_confidence")

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog='Example: dse evaluate hybrid-xeon-sp --set nodes=16 --set cores=8 --set frequency="1.8 GHz"')(
        evaluate
    )


def evaluate(
    study: StudyName,
    set_: Annotated[list[str], typer.Option("--set", help='A value: name=value with its unit, "2.6 GHz".')] = [],  # noqa: B006
    alternative: Annotated[str | None, typer.Option(help="Which alternative, when there are several.")] = None,
    json: Json = False,
) -> None:
    """Evaluate one system, in the space or not. Every quantity with unit and source."""
    values = values_of(set_)
    of_parts = {name: values.pop(name) for name in list(values) if "[" in name}
    evaluated = named_study(study)
    evaluated = evaluated.with_(set=of_parts) if of_parts else evaluated
    result, parts = evaluated.evaluate(values, alternative), evaluated.parts(values, alternative)
    names = [p.name for p in evaluated.space.products]
    system = evaluated.compiled.systems[names.index(alternative) if alternative is not None else 0]
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
                "study": evaluated.name,
                "values": {row["name"]: result[row["name"]] for row in listing},
                "units": {row["name"]: row["unit"] for row in listing},
                "constraints": constraints,
                "parts": parts,
                "synthetic": evaluated.synthetic,
            }
        )
        return
    for name, part in parts.items():
        if part["confidence"]:
            say(f"{name} = {with_confidence(part['part'], part['confidence'])}; {part['source']}")
    validations = {name: part["validation"] for name, part in parts.items() if "validation" in part}
    print_validation(validation_lines({name: parts[name]["part"] for name in validations}, validations))
    rows = [[row["name"], shown(result[row["name"]], row["unit"]), row["from"], row["source"]] for row in listing]
    table(["quantity", "value", "from", "source"], rows, right=[1])
    for text, met in constraints.items():
        say(f"{text}: {'met' if met else 'NOT met'}{required.get(text, '')}")
    if evaluated.synthetic:
        say(f"SYNTHETIC data, not measurements: {', '.join(evaluated.synthetic)}", style="bold yellow")
