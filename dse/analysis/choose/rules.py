"""The rule a study names for its pick: one of those of `dse pick`, carried out on a run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dse.analysis.choose.choice import choose_design, rows_of, scaled_objectives
from dse.analysis.choose.pick import Choice, extreme_text, limits_of, meets, pick_design, why_search_again
from dse.analysis.choose.rounding import settled
from dse.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

    from dse.run.result.run import Run

__all__ = ["pick_by_rule", "row_by_rule", "rule_of", "rule_text"]

Rule = Mapping[str, Any]
"""As ``[answer] pick`` of a study has it: one of minimize, maximize, knee, weights, order (with within); and where."""

KNEE: Rule = {"knee": True}


def rule_of(run: Run, where: Sequence[str] = ()) -> Rule:
    """Return the rule that the study of a run names, else the knee; with further limits."""
    rule = run.manifest.pick or KNEE
    return {**rule, "where": [*rule.get("where", []), *where]} if where else rule


def pick_by_rule(run: Run, rule: Rule) -> Choice:
    """Pick the design of a rule, searching the space again where the frontier cannot answer."""
    where = rule.get("where", [])
    if "minimize" in rule or "maximize" in rule:
        sense = "min" if "minimize" in rule else "max"
        return pick_design(run, rule["minimize" if sense == "min" else "maximize"], sense=sense, where=where)
    return choose_design(run, _method(rule), where=where, **_given(rule))


def row_by_rule(run: Run, rule: Rule) -> tuple[int | None, bool]:
    """Return the row of the frontier that a rule picks (None: no row meets its limits), and whether that is its answer.

    It is not where the space would have to be searched again: then the row is the best of the frontier's.

    Raises
    ------
    InputError
        The rule names what the table of the frontier does not hold.
    """
    frame, senses = run.frontier, {o["quantity"]: o["sense"] for o in run.objectives}
    limits = limits_of(run, rule.get("where", []))
    quantity = rule.get("minimize", rule.get("maximize"))
    sense = "max" if "maximize" in rule else "min"
    needed = [*([quantity] if quantity is not None else []), *(name for limit in limits for name in limit.needs)]
    lacking = [name for name in needed if name not in frame.columns]
    if lacking:
        raise InputError(f"the frontier does not hold {', '.join(dict.fromkeys(lacking))}")
    answers = why_search_again(limits, senses) is None and (quantity is None or senses.get(quantity) == sense)
    rows = np.flatnonzero(meets(frame, limits))
    if not len(rows):
        return None, answers
    if quantity is not None:
        values = settled(frame[quantity].to_numpy(dtype=float)[rows] * (1.0 if sense == "min" else -1.0))
        rest = scaled_objectives(frame[list(senses)].to_numpy(dtype=float)[rows], list(senses.values())).sum(axis=1)
        return int(rows[np.lexsort([rest, values])[0]]), answers
    return int(rows[_best_of(frame.iloc[rows], senses, rule)]), answers


def _best_of(frame: pd.DataFrame, senses: Mapping[str, str], rule: Rule) -> int:
    given = {"weights": {}, "order": (), "tolerance": 0.0, **_given(rule)}
    values = frame[list(senses)].to_numpy(dtype=float)
    rows, _ = rows_of(values, list(senses), list(senses.values()), _method(rule), **given)
    return rows[0]


def rule_text(rule: Rule, label: Callable[[str], str] = str) -> str:
    """Return a rule in words, its quantities by their labels: "least time of the mix where machine_power <= 20 MW"."""
    if "minimize" in rule or "maximize" in rule:
        quantity = label(rule.get("minimize", rule.get("maximize")))
        words = extreme_text(quantity, "max" if "maximize" in rule else "min")
    elif "weights" in rule:
        words = "by weights " + ", ".join(f"{label(name)} {weight:g}" for name, weight in rule["weights"].items())
    elif "order" in rule:
        words = "by " + ", then ".join(label(name) for name in rule["order"])
    else:
        words = "the knee"
    limits = " and ".join(" ".join(text.split()) for text in rule.get("where", []))
    return f"{words} where {limits}" if limits else words


def _method(rule: Rule) -> str:
    return "weights" if "weights" in rule else "lexicographic" if "order" in rule else "knee"


def _given(rule: Rule) -> dict[str, Any]:
    if "weights" in rule:
        return {"weights": rule["weights"]}
    return {"order": rule["order"], "tolerance": rule.get("within", 0.0)} if "order" in rule else {}
