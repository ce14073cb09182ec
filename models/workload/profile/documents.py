"""Profiles as documents: from the checked tree of a file to the profile, and back."""

from __future__ import annotations

import math
from dataclasses import astuple
from typing import Any

from dse.models.workload.profile.parallelism import TYPES, IlpWindow
from dse.models.workload.profile.profile import (
    AddressMap,
    Application,
    Branch,
    Collective,
    Communication,
    ExtrapolatedParameter,
    Extrapolation,
    FittedMetric,
    HeatMap,
    MaxOutcome,
    Peer,
    PointToPoint,
    ProcessClass,
    ProfileUsed,
    Registers,
    Run,
    SizeBin,
    VectorCount,
    WorkloadProfile,
)
from dse.models.workload.profile.reuse import ReuseHistogram
from dse.models.workload.profile.schema import (
    SCHEMA,
    AddressMapSpec,
    BranchSpec,
    ClassSpec,
    CommunicationSpec,
    DataReuseSpec,
    ExtrapolationSpec,
    IlpSpec,
    InstReuseSpec,
    ProfileSpec,
    RunSpec,
)

__all__ = ["as_document", "profile_of"]


def profile_of(
    spec: ProfileSpec, warnings: tuple[str, ...] = (), *, file: str = "", sha256: str = ""
) -> WorkloadProfile:
    """Make a profile from a checked document."""
    extrapolation = None if spec.extrapolation is None else _extrapolation(spec.extrapolation)
    if extrapolation is not None:
        warnings = (*warnings, str(extrapolation), *extrapolation.warnings)
    return WorkloadProfile(
        name=spec.name,
        classes=tuple(_process_class(item) for item in spec.classes),
        source=spec.source,
        licence=spec.licence,
        notes=spec.notes,
        synthetic=spec.synthetic,
        application=Application(spec.application.name, spec.application.parameters),
        run=_run(spec.run),
        extrapolation=extrapolation,
        sha256=sha256,
        file=file,
        warnings=warnings,
    )


def _run(spec: RunSpec) -> Run:
    sampling = {} if spec.sampling is None else spec.sampling.model_dump(exclude_none=True)
    return Run(**{**spec.model_dump(), "sampling": sampling})


def _process_class(spec: ClassSpec) -> ProcessClass:
    return ProcessClass(
        name=spec.name,
        instructions=spec.instructions,
        mix=spec.mix.model_dump(by_alias=True),
        members=spec.members,
        role=spec.role,
        vectors=tuple(VectorCount(entry.of, entry.length, entry.bits, entry.count) for entry in spec.vectors),
        windows=tuple(_window(entry) for entry in spec.ilp),
        data_reuse=tuple(_reuse(entry, entry.line_bytes) for entry in spec.data_reuse),
        inst_reuse=tuple(_reuse(entry, entry.line_instructions) for entry in spec.inst_reuse),
        branch=None if spec.branch is None else _branch(spec.branch),
        registers=None if spec.registers is None else Registers(spec.registers.reads, spec.registers.writes),
        footprint_bytes=spec.footprint_bytes,
        heatmap=None
        if spec.heatmap is None
        else HeatMap(tuple(spec.heatmap.s_bytes), tuple(spec.heatmap.t), tuple(tuple(row) for row in spec.heatmap.p)),
        address_map=None if spec.address_map is None else _address_map(spec.address_map),
        comm=None if spec.comm is None else _communication(spec.comm),
        external_calls=spec.external_calls,
        openmp_calls=spec.openmp_calls,
        memory_entropy=tuple(spec.memory_entropy),
    )


def _address_map(spec: AddressMapSpec) -> AddressMap:
    counts = tuple(tuple(row) for row in spec.counts)
    return AddressMap(spec.row_bytes, spec.column_accesses, spec.accesses, tuple(spec.first_bytes), counts)


def _window(spec: IlpSpec) -> IlpWindow:
    spans = {name: getattr(spec, f"span_{name}") for name in TYPES}
    printed = spec.printed.model_dump(by_alias=True)
    return IlpWindow(
        window=spec.window,
        order=spec.order,
        span=spec.span,
        spans={name: span for name, span in spans.items() if span is not None},
        reference={name: value for name, value in printed.items() if value is not None},
    )


def _reuse(spec: DataReuseSpec | InstReuseSpec, line: int | None) -> ReuseHistogram:
    points: list[Any] = spec.histogram if spec.histogram is not None else (spec.printed or [])
    strides: dict[str, Any] = {}
    if isinstance(spec, DataReuseSpec):
        strides = {"covered": tuple(spec.covered), "dependent": tuple(spec.dependent)}
        strides["covered_first_touches"] = spec.covered_first_touches
    return ReuseHistogram(
        line=line,
        references=spec.references,
        distances=tuple(distance for distance, _ in points),
        counts=None if spec.histogram is None else tuple(count for _, count in spec.histogram),
        printed=None if spec.printed is None else tuple(fraction for _, fraction in spec.printed),
        split_references=spec.split_references,
        **strides,
    )


def _branch(spec: BranchSpec) -> Branch:
    return Branch(
        events=spec.events,
        conditional_only=spec.conditional_only,
        entropy=tuple(spec.entropy),
        max_outcome=tuple(MaxOutcome(o.history, o.table, o.rule, o.miss_rate) for o in spec.max_outcome),
        linear_entropy=tuple(spec.linear_entropy),
        tool_miss_rate=spec.tool_miss_rate,
    )


def _communication(spec: CommunicationSpec) -> Communication:
    p2p = None
    if spec.p2p is not None:
        given = spec.p2p.model_dump()
        peers = {name: tuple(Peer(**peer) for peer in given[name]) for name in ("peers", "sent_peers")}
        p2p = PointToPoint(**{**given, **peers, "sizes": tuple(SizeBin(*size) for size in given["sizes"])})
    return Communication(p2p, {name: Collective(c.count, c.bytes) for name, c in spec.collectives.items()})


def _extrapolation(spec: ExtrapolationSpec) -> Extrapolation:
    return Extrapolation(
        parameters=tuple(ExtrapolatedParameter(**parameter.model_dump()) for parameter in spec.parameters),
        profiles=tuple(ProfileUsed(profile.name, profile.sha256) for profile in spec.profiles),
        fits=tuple(FittedMetric(**fit.model_dump()) for fit in spec.fits),
        warnings=tuple(spec.warnings),
    )


def as_document(profile: WorkloadProfile) -> dict[str, Any]:
    """Return a profile as a document for JSON."""
    return {
        "schema": SCHEMA,
        **_given(
            name=profile.name,
            source=profile.source,
            licence=profile.licence,
            notes=profile.notes,
            synthetic=profile.synthetic,
            application=_given(name=profile.application.name, parameters=dict(profile.application.parameters)),
            run=_given(**{**vars(profile.run), "sampling": dict(profile.run.sampling)}),
            classes=[_class_document(item) for item in profile.classes],
            extrapolation=None if profile.extrapolation is None else _extrapolation_document(profile.extrapolation),
        ),
    }


def _given(**items: Any) -> dict[str, Any]:
    """Leave out what is absent: None, empty texts, lists and tables, and False."""
    return {
        key: value
        for key, value in items.items()
        if value is not None and value is not False and not (isinstance(value, (str, list, dict)) and not value)
    }


def _class_document(item: ProcessClass) -> dict[str, Any]:
    heatmap, branch, comm = item.heatmap, item.branch, item.comm
    return _given(
        name=item.name,
        members=item.members,
        role=item.role,
        instructions=item.instructions,
        mix=dict(item.mix),
        vectors=[{"class": v.of, "length": v.length, "bits": v.bits, "count": v.count} for v in item.vectors],
        ilp=[_window_document(entry) for entry in item.windows],
        data_reuse=[_reuse_document(entry, "line_bytes") for entry in item.data_reuse],
        inst_reuse=[_reuse_document(entry, "line_instructions") for entry in item.inst_reuse],
        branch=None if branch is None else _branch_document(branch),
        registers=None if item.registers is None else dict(vars(item.registers)),
        footprint_bytes=item.footprint_bytes,
        heatmap=None
        if heatmap is None
        else {"s_bytes": list(heatmap.s_bytes), "t": list(heatmap.t), "p": [list(row) for row in heatmap.p]},
        address_map=None if item.address_map is None else _address_map_document(item.address_map),
        comm=None if comm is None else _communication_document(comm),
        external_calls=dict(item.external_calls),
        openmp_calls=dict(item.openmp_calls),
        memory_entropy=[list(point) for point in item.memory_entropy],
    )


def _address_map_document(address_map: AddressMap) -> dict[str, Any]:
    counts = [list(row) for row in address_map.counts]
    return {**vars(address_map), "first_bytes": list(address_map.first_bytes), "counts": counts}


def _window_document(entry: IlpWindow) -> dict[str, Any]:
    return _given(
        window="inf" if math.isinf(entry.window) else int(entry.window),
        order=entry.order,
        span=entry.span,
        **{f"span_{name}": span for name, span in entry.spans.items()},
        printed=dict(entry.reference),
    )


def _reuse_document(entry: ReuseHistogram, name: str) -> dict[str, Any]:
    pairs = {"histogram": entry.counts, "printed": entry.printed}
    return {
        name: "address" if entry.line is None else entry.line,
        "references": entry.references,
        **{
            key: [list(pair) for pair in zip(entry.distances, values, strict=True)]
            for key, values in pairs.items()
            if values is not None
        },
        **({"split_references": entry.split_references} if entry.split_references else {}),
        **_given(
            covered=[list(point) for point in entry.covered],
            covered_first_touches=entry.covered_first_touches,
            dependent=[list(point) for point in entry.dependent],
        ),
    }


def _branch_document(branch: Branch) -> dict[str, Any]:
    return {
        "events": branch.events,
        "conditional_only": branch.conditional_only,
        **_given(
            entropy=[list(point) for point in branch.entropy],
            max_outcome=[_given(**vars(outcome)) for outcome in branch.max_outcome],
            linear_entropy=[list(point) for point in branch.linear_entropy],
            tool_miss_rate=branch.tool_miss_rate,
        ),
    }


def _communication_document(comm: Communication) -> dict[str, Any]:
    p2p = None
    if comm.p2p is not None:
        peers = {name: [dict(vars(peer)) for peer in getattr(comm.p2p, name)] for name in ("peers", "sent_peers")}
        p2p = _given(**{**vars(comm.p2p), **peers, "sizes": [list(astuple(size_bin)) for size_bin in comm.p2p.sizes]})
    return {
        **({} if p2p is None else {"p2p": p2p}),
        **_given(collectives={name: _given(**vars(calls)) for name, calls in comm.collectives.items()}),
    }


def _extrapolation_document(extrapolation: Extrapolation) -> dict[str, Any]:
    return {
        "parameters": [dict(vars(parameter)) for parameter in extrapolation.parameters],
        "profiles": [dict(vars(profile)) for profile in extrapolation.profiles],
        "fits": [
            {("class" if key == "of" else key): item for key, item in vars(fit).items()} for fit in extrapolation.fits
        ],
        "warnings": list(extrapolation.warnings),
    }
