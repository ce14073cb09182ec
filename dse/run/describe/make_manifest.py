"""What a manifest says of a study and of its search."""

from __future__ import annotations

from dataclasses import asdict
from itertools import repeat
from typing import TYPE_CHECKING, Any, cast

from dse.graph.graph import Input
from dse.run.describe.margins import frontier_margins
from dse.run.describe.trial import warnings_at
from dse.run.disk.manifest import (
    FORMAT,
    AlternativeAccount,
    AssumedValue,
    AxisAccount,
    ChosenComponent,
    DerivedFrom,
    EnumerationCounts,
    FixedValue,
    FrontierAccount,
    Manifest,
    ReferenceAccount,
    ReferenceTable,
    RequirementAccount,
    SearchAsked,
    SourceLine,
    SpaceAccount,
    Timings,
)
from dse.run.disk.versions import engine_version, versions
from dse.search.driver import SearchOptions, SearchResult
from dse.space.axes import Axis, with_confidence
from dse.study.study import Study

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["assumptions", "components", "describe_space", "make_manifest", "reference_groups"]
__all__ += ["requirements", "short_names", "view_of"]

_NAMED = 2_000  # rows of an axis, up to which all have their short names in the manifest


def make_manifest(
    study: Study, options: SearchOptions, result: SearchResult, seconds: float, frontier: pd.DataFrame
) -> Manifest:
    """Return the manifest of a run that is not on disk."""
    problem = study.compiled
    units = study.units
    numeric = {name: int((frontier[name] != 0).sum()) for name in study.marks if name in frontier.columns}
    words = {name: said for name, said in problem.mark_words.items() if numeric.get(name)}
    marked = {"marked": words} if words else {}
    manifest = Manifest(
        format=FORMAT,
        name=study.name,
        **view_of(study),
        hashes=study.hashes(),
        versions={**versions(), "engine": engine_version()},
        seed=study.spec.search.seed,
        options=SearchAsked.model_validate(options.asked),
        space=describe_space(study),
        objectives=[
            {"quantity": o.quantity, "sense": "max" if o.sense == "max" else "min", "unit": units[o.quantity]}
            for o in problem.objectives
        ],
        constraints=[constraint.text for constraint in problem.constraints],
        requirements=requirements(study),
        warnings=warnings_at(study, frontier["design"].to_numpy()),
        also=list(dict.fromkeys([*study.spec.also, *numeric])),
        units=units,
        certificate=result.certificate,
        frontier=FrontierAccount(
            rows=len(frontier), extrapolated=int((frontier["extrapolated"] != "").sum()), numeric=numeric, **marked
        ),
        margins=frontier_margins(problem, study.declarations, frontier),
        assumptions=assumptions(study),
        components=components(study),
        sources=sources(study),
        synthetic=study.synthetic,
        references=references(study),
        reference_groups=reference_groups(study),
        timings=Timings(
            search_seconds=seconds,
            designs_per_second=problem.space.size / seconds if seconds > 0 else None,
            jobs=result.counters.get("jobs", 1),
        ),
    )
    given: dict[str, object] = {}
    if study.derived_from is not None:
        given["derived_from"] = DerivedFrom.model_validate(asdict(study.derived_from))
    if study.function_texts:
        given["functions"] = study.function_texts
    if names := short_names(study, frontier):
        given["short_names"] = names
    return manifest.model_copy(update=given) if given else manifest


def view_of(study: Study) -> dict[str, Any]:
    """Return what a manifest says of how its run is shown, and where the study stands."""
    return {
        "question": study.spec.question,
        "source": study.spec.source,
        "study_file": study.file,
        "study_folder": str(study.folder.resolve()),
        "study_text": study.text,
        "labels": study.labels,
        "pick": study.spec.answer.pick.as_dict() if study.spec.answer.pick is not None else None,
        "uncertain": list(study.spec.uncertain),
    }


def describe_space(study: Study) -> SpaceAccount:
    """Return the size of the space and its axes by alternative."""
    alternatives = [
        AlternativeAccount(
            name=product.name,
            designs=product.size,
            axes=[_axis(axis) for axis in product.axes],
            set={
                name: FixedValue(value=value, unit=product.fixed_units[name]) for name, value in product.fixed.items()
            },
            components=dict(product.use),
        )
        for product in study.space.products
    ]
    return SpaceAccount(designs=study.space.size, alternatives=alternatives)


def _axis(axis: Axis) -> AxisAccount:
    rows: list[int | None] = [*range(len(axis))] if len(axis) <= 12 else [0, 1, 2, None, len(axis) - 1]
    given: dict[str, object] = {}
    if axis.confidences:
        given["confidences"] = ["" if row is None else axis.confidence(row) for row in rows]
    if axis.validations:
        given["validations"] = ["" if row is None else axis.validation(row) for row in rows]
    if axis.enumerated is not None:
        given["enumerated"] = EnumerationCounts(**axis.enumerated.account())
    labels = ["…" if row is None else axis.label(row) for row in rows]
    return AxisAccount.model_validate(
        {"name": axis.name, "values": len(axis), "shown": labels, "source": axis.source, **given}
    )


def short_names(study: Study, frontier: pd.DataFrame) -> dict[str, dict[str, str]]:
    """Return what people read in place of the labels of rows: of all of an axis, of long ones those of the frontier."""
    names: dict[str, dict[str, str]] = {}
    for product in study.space.products:
        for axis in product.axes:
            enumerated = axis.enumerated
            if enumerated is None or enumerated.naming is None:
                continue
            wanted = None if enumerated.kept <= _NAMED else set(frontier[axis.name].unique())
            rows = [row for row, label in enumerate(enumerated.labels) if wanted is None or label in wanted]
            labels = [enumerated.labels[row] for row in rows]
            names.setdefault(axis.name, {}).update(zip(labels, enumerated.short_names(rows), strict=True))
    return {axis: own for axis, own in names.items() if own}


def assumptions(study: Study) -> list[AssumedValue]:
    """Return the assumptions that mattered: those the objectives, constraints or shown quantities depend on."""
    assumed: dict[str, AssumedValue] = {}
    for system in study.compiled.systems:
        for name, value in system.assumptions.items():
            assumed[name] = _assumed(system.graph.inputs[name], value)
    return list(assumed.values())


def requirements(study: Study) -> list[RequirementAccount]:
    """Return the conditions the models bring with them, and what became of each."""
    return [
        RequirementAccount(
            name=state.requirement.label,
            condition=state.requirement.condition,
            doc=state.requirement.doc,
            source=state.requirement.source,
            state=state.state,
            text=state.as_text(),
        )
        for state in study.requirements
    ]


def references(study: Study) -> list[ReferenceAccount]:
    """Return the systems beside the space, with the objectives and what else the study shows of them."""
    shown = [*(o.quantity for o in study.compiled.objectives), *study.spec.also, *study.marks]
    return [cast(ReferenceAccount, system.record([*shown, *system.group.shared])) for system in study.references]


def reference_groups(study: Study) -> list[ReferenceTable]:
    """Return the tables the references come from: how many are known in full, and what only they rest on."""
    objectives = [o.quantity for o in study.compiled.objectives]
    common = {assumed.name for assumed in assumptions(study)}
    tables = []
    for group in study.reference_groups:
        systems = [system for system in study.references if system.group is group]
        inputs = group.system.graph.inputs
        tables.append(
            ReferenceTable(
                name=group.name,
                description=group.description,
                systems=len(systems),
                evaluated=sum(all(name in system.values for name in objectives) for system in systems),
                measured={name: figures.column for name, figures in group.measured.items()},
                components={slot: component for slot, (component, _) in group.system.graph.slots.items()},
                assumptions=[
                    _assumed(inputs[name], value)
                    for name, value in group.system.assumptions.items()
                    if name not in common
                ],
            )
        )
    return tables


def _assumed(item: Input, value: float) -> AssumedValue:
    return AssumedValue(name=item.name, value=value, unit=item.unit, source=item.source, doc=item.doc)


def components(study: Study) -> list[ChosenComponent]:
    """Return which component fills each slot, and whether the study chose it."""
    chosen: dict[tuple[str, str], ChosenComponent] = {}
    for system in study.compiled.systems:
        for slot, (component, by_study) in system.graph.slots.items():
            chosen[slot, component] = ChosenComponent(slot=slot, component=component, chosen=by_study)
    return list(chosen.values())


def sources(study: Study) -> list[SourceLine]:
    """Return every formula and every input with where it comes from, each once."""
    lines: dict[tuple[str, str], SourceLine] = {}

    def add(quantity: str, unit: str, origin: str, source: str, doc: str) -> None:
        lines[quantity, source] = SourceLine.model_validate(
            {"quantity": quantity, "unit": unit, "from": origin, "source": source, "doc": doc}
        )

    for product, system in zip(study.space.products, study.compiled.systems, strict=True):
        for row in system.graph.listing():
            if row["from"] != "assumption":
                add(row["name"], row["unit"], row["from"], row["source"], row["doc"])
        for axis in product.axes:
            for pair in dict.fromkeys(zip(axis.sources, axis.confidences or repeat(""), strict=False)):
                add(axis.name, "", axis.source, with_confidence(*pair), f"rows of {axis.source}")
    return list(lines.values())
