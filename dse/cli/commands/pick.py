"""The command `pick`: one design of a frontier, by a rule and within limits."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from dse.authoring.watch.validation import validation_lines
from dse.cli.later import later
from dse.cli.options.code import stored_run
from dse.cli.options.options import AllowCode, Folder, Json
from dse.cli.text.answer import print_withdrawn
from dse.cli.text.output import print_json, say, shown
from dse.cli.text.validation import print_validation
from dse.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dse.analysis.choose.missed_limits import MissedLimit, missed_limits
    from dse.analysis.choose.pick import Choice, Row
    from dse.analysis.choose.rules import pick_by_rule, rule_of
    from dse.analysis.uncertainty.uncertainty import decide_run
    from dse.api import Run
    from dse.cli.text.uncertainty import print_decision
    from dse.report.words.how_sure import how_sure_document, how_sure_sentence
    from dse.run.result.design_names import name_of
else:
    (missed_limits,) = later("dse.analysis.choose.missed_limits", "missed_limits")
    (name_of,) = later("dse.run.result.design_names", "name_of")
    pick_by_rule, rule_of = later("dse.analysis.choose.rules", "pick_by_rule", "rule_of")
    (decide_run,) = later("dse.analysis.uncertainty.uncertainty", "decide_run")
    (print_decision,) = later("dse.cli.text.uncertainty", "print_decision")
    how_sure_document, how_sure_sentence = later("dse.report.words.how_sure", "how_sure_document", "how_sure_sentence")

__all__ = ["register"]

_SHOWN = 10  # designs that are picked alike


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog='Example: dse pick runs/hybrid-xeon-sp --min energy --where "run_time <= 20 s"')(pick)


def pick(
    folder: Folder,
    least: Annotated[str | None, typer.Option("--min", help="Quantity to minimise.")] = None,
    most: Annotated[str | None, typer.Option("--max", help="Quantity to maximise.")] = None,
    knee: Annotated[bool, typer.Option("--knee", help="The design where the frontier bends most.")] = False,
    weights: Annotated[str | None, typer.Option(help="Least weighted sum: run_time=2,energy=1.")] = None,
    order: Annotated[str | None, typer.Option(help="Objectives by importance: run_time,energy.")] = None,
    within: Annotated[float, typer.Option(help="With --order: fraction of the best that still counts as equal.")] = 0.0,
    where: Annotated[
        list[str], typer.Option("--where", help='A limit: "run_time <= 100 s". May stand several times.')
    ] = [],  # noqa: B006
    trust: Annotated[
        bool, typer.Option("--trust", help="How probably it is the best while numbers are unknown, and a robust one.")
    ] = False,
    meets: Annotated[
        float | None,
        typer.Option(min=0, max=1, help="With --trust: the share of draws in which a robust design meets all limits."),
    ] = None,
    allow_code: AllowCode = False,
    json: Json = False,
) -> int:
    """Pick one design of a run. The least of a quantity, the knee, by weights, or by order of importance.

    Without a rule: that of the study's [answer] pick, else the knee.
    """
    ways = {"--min": least, "--max": most, "--knee": knee or None, "--weights": weights, "--order": order}
    given = [name for name, value in ways.items() if value is not None]
    run = stored_run(folder, allow_code=allow_code)
    if len(given) > 1:
        named = " and ".join(given)
        allowed = [f"--{objective['sense']} {objective['quantity']}" for objective in run.objectives]
        raise InputError(f"give one of {', '.join(ways)} at most; found {named}", allowed=allowed)
    if within and order is None:
        raise InputError("goes with --order only", key="--within")
    rule = _rule(least, most, weights, order, within)
    if meets is not None and not trust:
        raise InputError("goes with --trust only", key="--meets")
    if trust:
        return _decide(run, {**rule, "where": where} if given else None, where, meets, json=json)
    choice = pick_by_rule(run, {**rule, "where": where} if given else rule_of(run, where))
    misses = [] if choice.found else missed_limits(run, where)
    if json:
        _print_document(run, choice, misses)
    elif choice.found:
        print_withdrawn(run)
        _print_choice(run, choice)
    else:
        _print_misses(run, misses)
    return 0 if choice.found else 1


def _rule(
    least: str | None, most: str | None, weights: str | None, order: str | None, within: float
) -> dict[str, object]:
    """Return the rule that the options ask for, of which one is given at most; without one, the knee."""
    if least is not None:
        return {"minimize": least}
    if most is not None:
        return {"maximize": most}
    if weights is not None:
        return {"weights": _weights(weights)}
    if order is not None:
        return {"order": [name.strip() for name in order.split(",")], "within": within}
    return {"knee": True}


def _weights(text: str) -> dict[str, float]:
    weights = {}
    for item in text.split(","):
        name, equals, value = item.partition("=")
        if name.strip() in weights:
            raise InputError(f"'{name.strip()}' stands twice", key="--weights")
        try:
            weights[name.strip()] = float(value)
        except ValueError:
            equals = ""
        if not equals:
            raise InputError(f"'{item}' is not name=number", key="--weights", allowed="run_time=2,energy=1")
    return weights


def _decide(run: Run, rule: dict[str, object] | None, where: Sequence[str], meets: float | None, *, json: bool) -> int:
    """Print which design is the best of a rule how probably, and which one is robust."""
    decisions = decide_run(run, rule, where, meets=meets)
    if json:
        print_json({"decisions": [decision.model_dump() for decision in decisions], "units": run.units})
    else:
        for decision in decisions:
            print_decision(run, decision)
        say(f"{run.headline}; {decisions[0].draws} draws")
    return 0 if all(decision.robust is not None for decision in decisions) else 1


def _name(run: Run, design: object) -> str:
    """Return the name of a design of the frontier; empty for another one."""
    rows = (run.frontier["design"] == design).to_numpy().nonzero()[0]
    return name_of(run, int(rows[0])) if len(rows) else ""


def _print_misses(run: Run, misses: Sequence[MissedLimit]) -> None:
    """Say that no design meets the limits, and what each of them would have to be for one to meet it."""
    say("no design meets these limits", style="bold red")
    for miss in misses:
        value = shown(miss.value, run.units.get(miss.quantity, "1"))
        name = _name(run, miss.design) or f"design {miss.design}"
        others = ", the other limits met" if len(misses) > 1 else ""
        say(f"  nearest to {miss.limit}: {run.label(miss.quantity)} {value} ({name}){others}")


def _print_document(run: Run, choice: Choice, misses: Sequence[MissedLimit]) -> None:
    """Print what was picked as JSON."""
    headline = "exact" if choice.searched_again else run.headline
    nearest = {} if choice.found else {"nearest": [asdict(miss) for miss in misses]}
    document = {**choice.as_dict(), "headline": headline, "units": run.units, "synthetic": run.manifest.synthetic}
    print_json({**document, **nearest, "how_sure": how_sure_document(run)})


def _print_choice(run: Run, choice: Choice) -> None:
    """Print the designs that were picked, why, and what weakens that."""
    count = len(choice.designs)
    say(f"{count} design{'s' if count > 1 else ''}: {choice.rule}", style="bold")
    lines: list[str] = []
    for record in choice.designs[:_SHOWN]:
        lines += _print_design(run, record)
    if count > _SHOWN:
        say(f"… {count - _SHOWN} more (--json)")
    print_validation(lines)
    say(f"the space was searched again: {choice.reason}" if choice.searched_again else choice.reason)
    if not choice.searched_again and not run.exact:
        if run.promises_all:
            more = ": it was not searched here"
        else:
            more = ": the frontier is not exact" if run.within else ": others may beat what was found"
        say(f"{run.headline}{more}", style="yellow")
    if sentence := how_sure_sentence(run):
        say(f"how sure: {sentence}")
    if run.manifest.synthetic:
        say(f"SYNTHETIC data, not measurements: {', '.join(run.manifest.synthetic)}", style="bold yellow")


def _print_design(run: Run, record: Row) -> list[str]:
    """Print the values of a design; return how well the laws of its parts held, which stands below all designs."""
    from dse.report.words.shortlist import Part

    units = run.units
    confidences = {f"{name}_confidence" for name in run.axis_names}
    lines: list[str] = []
    number = f"design {record['design']}"
    name = _name(run, record["design"])
    say(f"{name} ({number})" if name else number)
    for name, value in record.items():
        if isinstance(value, dict):
            lines += validation_lines(record, value)
        elif name not in ("design", "extrapolated", *confidences) and value not in (None, ""):
            text = shown(value, units.get(name, "text"))
            say(f"  {name} = {Part(text, str(record.get(f'{name}_confidence') or ''))}")
    if record.get("extrapolated"):
        say(f"  extrapolated: {record['extrapolated']}", style="yellow")
    return lines
