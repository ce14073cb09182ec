"""The command `explain`: where time and power of a design go, what binds, what a step would change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from dse.cli.later import later
from dse.cli.options.code import stored_run
from dse.cli.options.options import AllowCode, Folder, Json
from dse.cli.text.explanation_screen import print_heading, print_screen
from dse.cli.text.output import print_json, print_tree, say
from dse.errors import InputError

if TYPE_CHECKING:
    from dse.analysis.explain.explain import Explanation
    from dse.analysis.explain.parts import along_parts, curves_along
    from dse.api import Run
    from dse.cli.text.explanation import print_explanation, print_numbers
    from dse.cli.text.sweep import along_json, print_along
    from dse.run.result.design_names import name_of, row_named
else:
    along_parts, curves_along = later("dse.analysis.explain.parts", "along_parts", "curves_along")
    along_json, print_along = later("dse.cli.text.sweep", "along_json", "print_along")
    print_explanation, print_numbers = later("dse.cli.text.explanation", "print_explanation", "print_numbers")
    name_of, row_named = later("dse.run.result.design_names", "name_of", "row_named")

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(
        epilog="Examples: dse explain runs/ska-correlator · dse explain runs/ska-correlator --design A1 --full"
    )(explain)


def explain(
    folder: Folder,
    design: Annotated[str, typer.Option(metavar="NAME", help="Of the frontier: A1, A2, ..., or its row.")] = "0",
    number: Annotated[
        int | None, typer.Option(help="Design number, of any design of the space, instead of a row.")
    ] = None,
    reference: Annotated[
        str | None, typer.Option(help="A system beside the space, by its name, instead of a design.")
    ] = None,
    full: Annotated[
        bool, typer.Option("--full", help="Every sum, bound, constraint, step and source, not one screen.")
    ] = False,
    sources: Annotated[bool, typer.Option("--sources", help="Every number with where it comes from.")] = False,
    tree: Annotated[
        bool, typer.Option("--tree", help="The numbers as a tree: what each objective needs, down to the inputs.")
    ] = False,
    along: Annotated[
        bool,
        typer.Option(
            "--along", help="The objectives along the parts of a split space, such as nodes, with what they may be."
        ),
    ] = False,
    allow_code: AllowCode = False,
    json: Json = False,
) -> None:
    """Explain a design: where time and power go, what limits it. And what a step would change.

    With --full, --sources or --tree the rest: every sum and bound, and the source of every number. With --along instead
    how the objectives go along the parts of a split space.
    """
    if number is not None and reference is not None:
        raise InputError("does not go with --number", key="--reference", allowed="one of them")
    run = stored_run(folder, allow_code=allow_code)
    row = row_named(run, design, "--design") if number is None and reference is None and len(run.frontier) else None
    if along:
        _print_along(run, row, number, reference, json=json)
        return
    explanation = _explanation(run, row, number, reference)
    if json:
        print_json(explanation.as_dict())
        return
    _print_explanation(run, explanation, row, full=full, sources=sources, tree=tree)


def _explanation(run: Run, row: int | None, number: int | None, reference: str | None) -> Explanation:
    """Return the explanation of a reference, of the design of a number, or else of a row of the frontier."""
    if reference is not None:
        return run.explain_reference(reference)
    if number is not None:
        return run.study.explain(number, frontier=run.frontier)
    return run.explain(row or 0)


def _print_along(run: Run, row: int | None, number: int | None, reference: str | None, *, json: bool) -> None:
    """Print the objectives along the parts of the space at the choices of a design."""
    if reference is not None:
        raise InputError("does not go with --along", key="--reference", allowed="a design of the space")
    if not run.study.spec.space.split:
        raise InputError("the space is not split", key="--along", allowed='a study with split = ["nodes"] in [space]')
    if number is None and row is None:
        raise InputError("nothing is on the frontier", key="--along", allowed="--number of a design")
    points = along_parts(run.study, int(run.frontier["design"].iloc[row]) if number is None else number)
    if not points:
        raise InputError("no part has a feasible design with these choices", key="--along", allowed="another design")
    curves = curves_along(run.study, points)
    if json:
        print_json(along_json(curves, points))
        return
    print_along(curves, points, run.label)


def _print_explanation(
    run: Run, explanation: Explanation, row: int | None, *, full: bool, sources: bool, tree: bool
) -> None:
    """Print one screen, or what was asked for instead of it."""
    name = None if row is None else name_of(run, row)

    if full:
        print_explanation(explanation, tree=tree)
        return
    if not (sources or tree):
        print_screen(explanation, run.study.ways_down(explanation), name)
        if run.study.spec.space.split and explanation.design is not None:
            say(f"along {run.study.spec.space.split[0]}, as a curve: --along")
        return
    print_heading(explanation, name)
    if sources:
        print_numbers(explanation)
    if tree:
        print_tree(explanation.tree)
