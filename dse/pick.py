"""Picking a design: the least of one quantity within limits.

The frontier alone answers when the quantity is an objective and every limit bounds an objective on its bad side
("time <= 100 s" where time is minimised). Any other limit can admit designs that are not on the frontier, so the
space is searched again, and the answer says so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dse.errors import InputError
from dse.expression import Expression, parse
from dse.run import Run

__all__ = ["pick_design"]


def pick_design(run: Run, quantity: str, *, sense: str = "min", where: Sequence[str] = ()) -> dict[str, Any]:
    """Find the design with the least (or most) of a quantity that meets further limits.

    Parameters
    ----------
    run : Run
    quantity : str
        Any quantity of the study.
    sense : {"min", "max"}
    where : sequence of str
        Further constraints, such as ``"run_time <= 100 s"``.

    Returns
    -------
    dict
        ``found``, ``designs`` (all that tie, each with number, parameters and quantities), ``searched_again``,
        ``reason``, ``evaluated``.
    """
    units = run.units
    if quantity not in units:
        raise InputError(
            f"unknown quantity '{quantity}'", key=f"--{sense}", wrong=quantity, candidates=units, allowed=sorted(units)
        )
    if units[quantity] in ("text", "table"):
        raise InputError(f"'{quantity}' is no number", key=f"--{sense}", allowed="a quantity with a number")
    limits = []
    for text in where:
        try:
            expression = parse(text, units)
            if expression.unit != "bool":
                raise InputError(f"'{text}' is no condition", allowed="such as 'power <= 20 MW'")
        except InputError as error:
            raise error.within(key="--where") from None
        limits.append(expression)
    senses = {o["quantity"]: o["sense"] for o in run.objectives}
    reason = _why_again(quantity, sense, limits, senses)
    if reason is None:
        return _from_frontier(run, quantity, sense, limits)
    return _search_again(run, quantity, sense, where, reason)


def _why_again(quantity: str, sense: str, limits: Sequence[Expression], senses: Mapping[str, str]) -> str | None:
    if senses.get(quantity) != sense:
        word = "minimised" if sense == "min" else "maximised"
        return f"'{quantity}' is not an objective of the study that is {word}"
    for limit in limits:
        good = False
        if limit.sides is not None and len(limit.needs) == 1 and limit.needs[0] in senses:
            name = limit.needs[0]
            _, relation, _ = limit.sides
            plain_left, plain_right = limit.text.strip().startswith(name), limit.text.strip().endswith(name)
            worse = "<" if senses[name] == "min" else ">"
            flipped = {"<": ">", ">": "<"}[worse]
            if plain_left and limit.text.strip().split(relation)[0].strip() == name and relation.rstrip("=") == worse:
                good = True
            if (
                plain_right
                and limit.text.strip().split(relation)[-1].strip() == name
                and relation.rstrip("=") == flipped
            ):
                good = True
        if not good:
            return (
                f"'{limit.text}' limits more than an objective on its bad side, so its answer may lie off the frontier"
            )
    return None


def _from_frontier(run: Run, quantity: str, sense: str, limits: Sequence[Expression]) -> dict[str, Any]:
    frame = run.frontier
    mask = np.ones(len(frame), dtype=bool)
    for limit in limits:
        mask &= np.asarray(limit(*(frame[name].to_numpy(dtype=float) for name in limit.needs)), dtype=bool)
    told = {"searched_again": False, "reason": "the frontier holds the answer", "evaluated": 0}
    if not mask.any():
        return {"found": False, "designs": [], **told}
    values = frame[quantity].to_numpy(dtype=float)
    best = values[mask].min() if sense == "min" else values[mask].max()
    rows = frame[mask & (values == best)]
    return {"found": True, "designs": _records(run, rows), **told}


def _search_again(run: Run, quantity: str, sense: str, where: Sequence[str], reason: str) -> dict[str, Any]:
    from dse.study import Study

    study = run.study
    names = [o["quantity"] for o in run.objectives]
    document = {
        **study.document,
        "constraints": [*study.spec.constraints, *where],
        "objectives": [{"minimize" if sense == "min" else "maximize": quantity}],
        "also": [name for name in dict.fromkeys([*names, *study.spec.also]) if name != quantity],
    }
    again = Study(document, folder=study.folder, models=study.given_models, file=study.file).run()
    certificate = again.manifest["certificate"]
    told = {"searched_again": True, "reason": reason, "evaluated": certificate["evaluated"]}
    return {"found": bool(len(again.frontier)), "designs": _records(again, again.frontier), **told}


def _records(run: Run, rows: Any) -> list[dict[str, Any]]:
    return [{name: plain(value) for name, value in record.items()} for record in rows.to_dict("records")]


def plain(value: Any) -> Any:
    """Return a value as JSON holds it: numbers, texts, None for a missing one."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not np.isfinite(value):
        return None
    return value
