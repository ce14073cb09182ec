"""What is asked of a frontier under uncertainty: the least or most of a quantity within limits, draw by draw."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from dse.analysis.choose.pick import limits_of, why_search_again
from dse.analysis.choose.rules import rule_text
from dse.errors import InputError

if TYPE_CHECKING:
    from dse.run.result.run import Run

__all__ = ["Limit", "Query", "queries_of"]


@dataclass(frozen=True)
class Limit:
    """An objective and the most (at the least, where it is maximised) that is allowed of it, to be minimised."""

    quantity: str
    most: float
    strict: bool


@dataclass(frozen=True)
class Query:
    """The best design of a rule.

    Attributes
    ----------
    words : str
    quantity, sense : str
        What is best.
    limits : tuple of Limit
    objectives : list of dict
        What must be objectives, so that every best design at some value is a candidate.
    searched_again : bool
        Whether the study's own objectives are not these.
    """

    words: str
    quantity: str
    sense: str
    limits: tuple[Limit, ...] = ()
    objectives: list[dict[str, str]] = field(default_factory=list)
    searched_again: bool = False


def queries_of(run: Run, rule: Mapping[str, Any] | None, where: Sequence[str] = ()) -> list[Query]:
    """Return the query of a rule; without one, of the study's pick, else one for each objective, `where` limits hold.

    Raises
    ------
    InputError
        A rule that has no best design of its own in a draw: the knee, weights, an order; a limit that is no bound of
        one quantity.
    """
    asked = run.manifest.pick if rule is None else rule
    if asked is not None and not ("minimize" in asked or "maximize" in asked):
        kind = next((name for name in ("weights", "order", "knee") if name in asked), "the knee")
        if rule is not None:
            raise InputError(
                f"'{kind}' has no probability: it depends on the whole frontier of a draw",
                key=f"--{kind}",
                allowed=[f"--{objective['sense']} {objective['quantity']}" for objective in run.objectives],
            )
        asked = None
    if asked is None:
        kinds = {"min": "minimize", "max": "maximize"}
        return [
            _query(run, {kinds[objective["sense"]]: objective["quantity"], "where": list(where)})
            for objective in run.objectives
        ]
    more = [*asked.get("where", []), *(where if rule is None else ())]
    return [_query(run, {**asked, "where": more})]


def _query(run: Run, rule: Mapping[str, Any]) -> Query:
    sense = "min" if "minimize" in rule else "max"
    quantity = str(rule.get("minimize", rule.get("maximize")))
    where = rule.get("where", [])
    senses = {objective["quantity"]: objective["sense"] for objective in run.objectives}
    parsed = limits_of(run, where)
    wanted, limits = {quantity: sense}, []
    for limit in parsed:
        sides = limit.sides
        bound = sides is not None and sides[1][0] in "<>" and (sides[0].is_constant or sides[2].is_constant)
        if sides is None or not bound or len(limit.needs) != 1:
            raise InputError(f"'{limit.text}' is no bound of one quantity", key="--where", allowed="'power <= 20 MW'")
        left, relation, right = sides
        if right.name:
            left, right, relation = right, left, {"<": ">", ">": "<"}[relation[0]] + relation[1:]
        own = "min" if relation[0] == "<" else "max"
        if not left.name or wanted.get(left.name, own) != own:
            raise InputError(f"'{limit.text}' bounds what is to be best", key="--where", allowed="'power <= 20 MW'")
        wanted[left.name] = own
        value = float(np.asarray(right.compute({})).reshape(-1)[0])
        limits.append(Limit(left.name, value if own == "min" else -value, strict="=" not in relation))
    again = why_search_again(parsed, senses) is not None or senses.get(quantity) != sense
    objectives = [{"minimize" if own == "min" else "maximize": name} for name, own in wanted.items()]
    return Query(rule_text(rule, run.label), quantity, sense, tuple(limits), objectives, again)
