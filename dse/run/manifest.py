"""The account of a run: everything its reader needs to trust it, as plain values for ``manifest.json``."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import repeat
from typing import TYPE_CHECKING, Any

from dse.authoring.enumerations import refusals_in_words
from dse.run.versions import versions
from dse.search.driver import SearchOptions, SearchResult
from dse.space.axes import with_confidence

if TYPE_CHECKING:
    import pandas as pd

    from dse.graph.graph import Input
    from dse.study.study import Study

__all__ = ["FORMAT", "enumerations", "make_manifest", "reference_groups", "references", "values_in_words"]

FORMAT = 1


def make_manifest(
    study: Study, options: SearchOptions, result: SearchResult, seconds: float, frontier: pd.DataFrame
) -> dict[str, Any]:
    """Return the manifest of a run."""
    problem = study.compiled
    units = study.units
    numeric = {name: int((frontier[name] != 0).sum()) for name in study.marks if name in frontier.columns}
    return {
        "format": FORMAT,
        "name": study.name,
        "question": study.spec.question,
        "source": study.spec.source,
        "study_file": study.file,
        "study_folder": str(study.folder.resolve()),
        "study_text": study.text,
        "hashes": study.hashes(),
        "versions": versions(),
        "seed": study.spec.search.seed,
        "options": {"method": options.method, "count_infeasible": options.count_infeasible},
        "space": describe_space(study),
        "objectives": [
            {"quantity": o.quantity, "sense": o.sense, "unit": units[o.quantity]} for o in problem.objectives
        ],
        "constraints": list(study.spec.constraints),
        "also": list(dict.fromkeys([*study.spec.also, *numeric])),
        "units": units,
        "certificate": result.certificate.as_dict(),
        "frontier": {
            "rows": len(frontier),
            "extrapolated": int((frontier["extrapolated"] != "").sum()),
            "numeric": numeric,
        },
        "assumptions": assumptions(study),
        "components": components(study),
        "sources": sources(study),
        "synthetic": study.synthetic,
        "references": references(study),
        "reference_groups": reference_groups(study),
        "timings": {
            "search_seconds": seconds,
            "designs_per_second": problem.space.size / seconds if seconds > 0 else None,
            "jobs": result.counters.get("jobs", 1),
        },
    }


def describe_space(study: Study) -> dict[str, Any]:
    """Return the size of the space and its axes by alternative."""
    alternatives = []
    rows: list[int | None]
    for product in study.space.products:
        axes = []
        for axis in product.axes:
            rows = [*range(len(axis))] if len(axis) <= 12 else [0, 1, 2, None, len(axis) - 1]
            labels = ["…" if row is None else axis.label(row) for row in rows]
            told = {"name": axis.name, "values": len(axis), "shown": labels, "source": axis.source}
            if axis.confidences:
                told["confidences"] = [axis.confidence(row) if row is not None else "" for row in rows]
            if axis.enumerated is not None:
                told["enumerated"] = axis.enumerated.account()
            axes.append(told)
        alternatives.append(
            {
                "name": product.name,
                "designs": product.size,
                "axes": axes,
                "set": {
                    name: {"value": value, "unit": product.fixed_units[name]} for name, value in product.fixed.items()
                },
                "components": dict(product.use),
            }
        )
    return {"designs": study.space.size, "alternatives": alternatives}


def values_in_words(axis: Mapping[str, Any]) -> str:
    """Return the values of an axis of `describe_space`, each part with its confidence."""
    confidences = axis.get("confidences") or [""] * len(axis["shown"])
    words = [with_confidence(*pair) for pair in zip(axis["shown"], confidences, strict=True)]
    return ("; " if any("," in word for word in words) else ", ").join(words)


def enumerations(space: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the enumerated axes of `describe_space`, each with what was considered, kept and refused in words."""
    having: dict[tuple[str, str], list[str]] = {}
    for product in space["alternatives"]:
        for axis in product["axes"]:
            if "enumerated" in axis:
                having.setdefault((axis["name"], refusals_in_words(axis["enumerated"])), []).append(product["name"])
    every = len(space["alternatives"])
    return [
        (name if len(having[name, told]) == every else f"{', '.join(having[name, told])}: {name}", told)
        for name, told in having
    ]


def assumptions(study: Study) -> list[dict[str, Any]]:
    """Return the assumptions that mattered: those the objectives, constraints or shown quantities depend on."""
    found: dict[str, dict[str, Any]] = {}
    for system in study.compiled.systems:
        for name, value in system.assumptions.items():
            found[name] = _assumption(system.graph.inputs[name], value)
    return list(found.values())


def references(study: Study) -> list[dict[str, Any]]:
    """Return the systems beside the space, with the objectives and what else the study shows of them."""
    shown = [*(o.quantity for o in study.compiled.objectives), *study.spec.also, *study.marks]
    return [one.record([*shown, *one.group.shared]) for one in study.references]


def reference_groups(study: Study) -> list[dict[str, Any]]:
    """Return the tables the references come from: how many are known in full, and what only they rest on."""
    objectives = [o.quantity for o in study.compiled.objectives]
    common = {item["name"] for item in assumptions(study)}
    found = []
    for group in study.reference_groups:
        own = [one for one in study.references if one.group is group]
        inputs = group.system.graph.inputs
        found.append(
            {
                "name": group.name,
                "description": group.description,
                "systems": len(own),
                "evaluated": sum(all(name in one.values for name in objectives) for one in own),
                "measured": {name: one.column for name, one in group.measured.items()},
                "components": {slot: component for slot, (component, _) in group.system.graph.slots.items()},
                "assumptions": [
                    _assumption(inputs[name], value)
                    for name, value in group.system.assumptions.items()
                    if name not in common
                ],
            }
        )
    return found


def _assumption(item: Input, value: float) -> dict[str, Any]:
    return {"name": item.name, "value": value, "unit": item.unit, "source": item.source, "doc": item.doc}


def components(study: Study) -> list[dict[str, Any]]:
    """Return which component fills each slot, and whether the study chose it."""
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for system in study.compiled.systems:
        for slot, (component, chosen) in system.graph.slots.items():
            found[slot, component] = {"slot": slot, "component": component, "chosen": chosen}
    return list(found.values())


def sources(study: Study) -> list[dict[str, str]]:
    """Return every formula and every input with where it comes from, each once."""
    found: dict[tuple[str, str], dict[str, str]] = {}
    for product, system in zip(study.space.products, study.compiled.systems, strict=True):
        for row in system.graph.listing():
            if row["from"] != "assumption":
                found[row["name"], row["source"]] = {
                    "quantity": row["name"],
                    "unit": row["unit"],
                    "from": row["from"],
                    "source": row["source"],
                    "doc": row["doc"],
                }
        for axis in product.axes:
            for pair in dict.fromkeys(zip(axis.sources, axis.confidences or repeat(""), strict=False)):
                source = with_confidence(*pair)
                found[axis.name, source] = {
                    "quantity": axis.name,
                    "unit": "",
                    "from": axis.source,
                    "source": source,
                    "doc": f"rows of {axis.source}",
                }
    return list(found.values())
