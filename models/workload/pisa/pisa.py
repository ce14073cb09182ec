"""Reading profiles of the Platform-Independent Software Analysis (IBM PISA 2017, EPL-1.0), of every generation.

A file is one JSON object with one element of ``threads`` per process and thread. Its generations differ: the mix is
nested per vector length, flat, or flat with totals of the integer and floating-point operations alone; ``ilp`` and the
reuse distances are lists or single objects; numbers are numbers or texts; MPI counts have two sets of names. What the
file does not hold is absent in the profile, with a warning where a model will miss it.
"""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from dse.errors import InputError, shown
from dse.models.workload.pisa.mix import InstructionMix, read_mix
from dse.models.workload.pisa.values import at, decimal, listed, table, whole
from dse.models.workload.profile.profile import WorkloadProfile
from dse.models.workload.profile.reading import parse_profile, read_json
from dse.models.workload.profile.reuse import truncated
from dse.models.workload.profile.schema import SCHEMA

__all__ = ["read_pisa"]

_TYPES = {"mem": "mem", "int": "int", "ctrl": "control", "fp": "fp"}
_EXCESS = 1e-6  # of the references, by which the tool may count more distances
_LABELS = "Branch histories count the outcomes known to the predictor, one less than bufferSize in the PISA file."


def read_pisa(path: str | os.PathLike[str], *, source: str = "", licence: str = "") -> WorkloadProfile:
    """Read a PISA file.

    Parameters
    ----------
    path : path
    source, licence : str, optional
        Where the file comes from and on which terms; the file does not say.

    Raises
    ------
    InputError
        What cannot be read, with the path of its key in the PISA file.
    """
    place = Path(path)
    document = read_json(place)
    try:
        neutral, warnings = _neutral(table(document, ""), place.name)
        neutral |= {"source": source or f"PISA file {place.name}"} | ({"licence": licence} if licence else {})
        profile = parse_profile(neutral, file=str(place), sha256=hashlib.sha256(place.read_bytes()).hexdigest())
    except InputError as error:
        if error.key and error.key.startswith("classes["):  # one class per thread, in the same order
            error.key = "threads" + error.key.removeprefix("classes")
        raise error.within(file=place) from None
    return replace(profile, warnings=tuple(warnings))


def _neutral(document: Mapping[str, Any], file: str) -> tuple[dict[str, Any], list[str]]:
    if "threads" not in document:
        raise InputError("no threads: this is no PISA file", allowed="an object with threads[].instructionMix")
    threads = listed(document["threads"], "threads")
    if not threads:
        raise InputError("is empty", key="threads", allowed="one element per process and thread")
    scale = dict(table(document.get("appScale", {}), "appScale"))
    config = table(document.get("appConfig", {}), "appConfig")
    run = _run(scale, config, [_numbers(table(t, at("threads", i)), at("threads", i)) for i, t in enumerate(threads)])
    processes = run.get("processes")
    conditional = _says(config, "branchEntropyCond") and not _says(config, "branchEntropyAll")
    warnings: list[str] = []
    classes = [_thread(t, at("threads", i), processes, conditional, warnings) for i, t in enumerate(threads)]
    application = str(document.get("application", "") or "")
    if application.casefold() in ("", "default"):
        application = str(document.get("benchmark", "") or application or file)
    parameters = {
        str(key): value if isinstance(value, (int, float, str)) else str(value) for key, value in scale.items()
    }
    scenario = str(document.get("test-scenario", "default"))
    if scenario != "default":
        parameters["test-scenario"] = scenario
    parameter_texts = [str(value) if isinstance(value, str) else f"{key}={value}" for key, value in parameters.items()]
    notes = [f"Imported from the PISA file {file}."]
    if document.get("time"):
        notes.append(f"Taken {document['time']}.")
    if any("branch" in item for item in classes):
        notes.append(_LABELS)
    neutral = {
        "schema": SCHEMA,
        "name": " ".join([application, *parameter_texts])[:200],
        "notes": " ".join([*notes, *(f"{text[0].upper()}{text[1:]}." for text in dict.fromkeys(warnings))]),
        "application": {"name": application, "parameters": parameters},
        "run": run,
        "classes": classes,
    }
    return neutral, list(dict.fromkeys(warnings))


def _says(config: Mapping[str, Any], key: str) -> bool:
    return str(config.get(key, "no")).strip().casefold() in ("yes", "enabled", "true", "1")


def _numbers(thread: Mapping[str, Any], key: str) -> tuple[int, int]:
    """Return the process and the thread an element is of."""
    numbers = []
    for names in (("processId", "processor_id"), ("threadId", "thread_id")):
        name = next((name for name in names if name in thread), None)
        numbers.append(0 if name is None else whole(thread[name], at(key, name)))
    return numbers[0], numbers[1]


def _run(scale: dict[str, Any], config: Mapping[str, Any], numbers: Sequence[tuple[int, int]]) -> dict[str, Any]:
    run: dict[str, Any] = {"tool": "PISA"}
    for name in ("processes", "threads"):
        key = next((key for key in scale if str(key).casefold() == name), None)
        if key is not None:
            run[name] = whole(scale.pop(key), at("appScale", key))
        elif len(numbers) > 1:
            threads = Counter(process for process, _ in numbers)
            run[name] = len(threads) if name == "processes" else max(threads.values())
    if config.get("compilerOptimization"):
        run["flags"] = str(config["compilerOptimization"])
    if config.get("libraryCommit"):
        run["tool_version"] = str(config["libraryCommit"])
    return run


def _thread(value: Any, key: str, processes: int | None, conditional: bool, warnings: list[str]) -> dict[str, Any]:
    thread = table(value, key)
    process, number = _numbers(thread, key)
    if "instructionMix" not in thread:
        raise InputError("is missing", key=at(key, "instructionMix"))
    mix = read_mix(table(thread["instructionMix"], at(key, "instructionMix")), at(key, "instructionMix"))
    warnings += mix.warnings
    document: dict[str, Any] = {
        "name": f"process {process} thread {number}",
        "instructions": mix.instructions,
        "mix": mix.counts,
        "vectors": mix.vectors,
        "ilp": _ilp(thread, key, mix, warnings),
        "data_reuse": _reuse(thread, key, "data", mix.counts["load"] + mix.counts["store"], warnings),
        "inst_reuse": _reuse(thread, key, "inst", mix.instructions, warnings),
        "external_calls": _external(thread, key),
        "openmp_calls": _openmp(thread, key),
    }
    branch = _branch(thread, key, mix, conditional)
    if branch:
        document["branch"] = branch
    else:
        warnings.append("no branch entropy: no misses of branches can be modelled")
    if "registerAccesses" in thread:
        accesses, place = table(thread["registerAccesses"], at(key, "registerAccesses")), at(key, "registerAccesses")
        document["registers"] = {n: whole(accesses.get(n, 0), at(place, n)) for n in ("reads", "writes")}
    if "memoryFootprint" in thread:
        place = at(key, "memoryFootprint")
        name = "total_distinct_addresses_byte_granularity"
        footprint = table(thread["memoryFootprint"], place)
        if name in footprint:
            document["footprint_bytes"] = whole(footprint[name], at(place, name))
    comm = _communication(thread, key, process, processes)
    if comm:
        document["comm"] = comm
    if not document["ilp"]:
        warnings.append("no ILP: no processor model can run")
    if not document["data_reuse"]:
        warnings.append("no reuse distances of data: no cache can be modelled")
    elif all(entry["line_bytes"] == "address" for entry in document["data_reuse"]):
        warnings.append("reuse distances between single addresses alone: no cache can be modelled")
    return document


def _ilp(thread: Mapping[str, Any], key: str, mix: InstructionMix, warnings: list[str]) -> list[dict[str, Any]]:
    windows = []
    place = at(key, "ilp")
    for entry, where in listed(thread.get("ilp", []), place, with_keys=True):
        fields = table(entry, where)
        written = fields.get("windowSize", "inf")
        window = "inf" if str(written).strip().casefold() == "inf" else whole(written, at(where, "windowSize"))
        for block, order in (("statistics", "ooo"), ("in-order", "in")):
            if block in fields:
                windows.append(_spans(table(fields[block], at(where, block)), at(where, block), mix, warnings))
                windows[-1] |= {"window": window, "order": order}
    return windows


def _spans(block: Mapping[str, Any], key: str, mix: InstructionMix, warnings: list[str]) -> dict[str, Any]:
    if "span" not in block:
        raise InputError("is missing", key=at(key, "span"), allowed="the cycles of the program")
    spans_by_name: dict[str, Any] = {"span": whole(block["span"], at(key, "span"))}
    printed = {}
    if "arithmetic_mean" in block:
        printed["all"] = decimal(block["arithmetic_mean"], at(key, "arithmetic_mean"))
    for suffix, name in _TYPES.items():
        mean = block.get(f"arithmetic_mean_{suffix}")
        if f"span_{suffix}" not in block:
            if mean is not None:
                warnings.append("ILP by type without spans divides by the span of the program and is not kept")
            continue
        span = whole(block[f"span_{suffix}"], at(key, f"span_{suffix}"))
        if span == 0 and mix.of_type[name]:
            warnings.append(f"the span of type {name} is 0 although there are such instructions; it is not kept")
            continue
        spans_by_name[f"span_{name}"] = span
        if mean is not None:
            printed[name] = decimal(mean, at(key, f"arithmetic_mean_{suffix}"))
    spans = {"all": spans_by_name["span"], **{name: spans_by_name.get(f"span_{name}", 0) for name in _TYPES.values()}}
    odd = {n: value for n, value in printed.items() if value != truncated(mix.of_type[n], spans[n])}
    return spans_by_name | ({"printed": odd} if odd else {})


def _reuse(
    thread: Mapping[str, Any], key: str, kind: str, references: int, warnings: list[str]
) -> list[dict[str, Any]]:
    name, unit = {"data": ("data", "line_bytes"), "inst": ("instructions", "line_instructions")}[kind]
    histograms: list[dict[str, Any]] = []
    place = at(key, f"{kind}ReuseDistribution")
    for entry, where in listed(thread.get(f"{kind}ReuseDistribution", []), place, with_keys=True):
        fields = table(entry, where)
        statistics, inside = table(fields.get("statistics", {}), at(where, "statistics")), at(where, "statistics")
        written = fields.get("cacheLineSize", "inf")
        line = "address" if str(written).strip().casefold() == "inf" else whole(written, at(where, "cacheLineSize"))
        counted = _points(statistics.get(name), at(inside, name), whole)
        fractions = _points(statistics.get(f"{name}CDF"), at(inside, f"{name}CDF"), decimal)
        if not counted and not fractions:
            continue
        if any(other[unit] == line for other in histograms):
            warnings.append(f"two {kind} reuse distributions with lines of {written}; the first is kept")
            continue
        total = sum(count for _, count in counted)
        if references < total <= (1 + _EXCESS) * references:
            warnings.append(f"the {kind} reuse distances count more references than there are; their sum is kept")
        histogram: dict[str, Any] = {unit: line, "references": max(references, total) if total else references}
        if total > (1 + _EXCESS) * references:
            raise InputError(f"sums to {total}", key=at(inside, name), allowed=f"at most {references} references")
        if counted:
            histogram["histogram"] = counted
            held = {distance for distance, _ in counted}
            # Beyond the last bin the fractions may go on, repeating themselves.
            fractions = [point for point in fractions if point[0] in held or point[0] < counted[-1][0]]
        if fractions and fractions != _cut(counted, histogram["references"]):
            if counted and [d for d, _ in counted] != [d for d, _ in fractions]:
                warnings.append(f"{name}CDF has other distances than {name} and is not kept")
            else:
                histogram["printed"] = fractions
        histograms.append(histogram)
    return histograms


def _points(value: Any, key: str, read: Any) -> list[list[Any]]:
    points = []
    for place, pair in enumerate(listed(value, key) if value is not None else []):
        if not isinstance(pair, (list, tuple)) or len(pair) != 2:
            raise InputError(shown(pair), key=f"{key}[{place}]", allowed="[distance, value]")
        points.append([whole(pair[0], f"{key}[{place}][0]"), read(pair[1], f"{key}[{place}][1]")])
    return points


def _cut(counted: Sequence[Sequence[int]], references: int) -> list[list[Any]]:
    """Return the cumulative fractions cut to four decimals."""
    total, points = 0, []
    for distance, count in counted:
        total += count
        points.append([distance, truncated(total, references)])
    return points


def _branch(thread: Mapping[str, Any], key: str, mix: InstructionMix, conditional: bool) -> dict[str, Any]:
    block, place = thread.get("branchEntropy"), at(key, "branchEntropy")
    if not block:
        return {}
    fields = table(block, place)
    entropy = []
    for row, where in listed(fields.get("entropies", []), at(place, "entropies"), with_keys=True):
        cells = table(row, where)
        size = whole(cells.get("bufferSize"), at(where, "bufferSize"))
        if size < 1:
            raise InputError(f"{size}", key=at(where, "bufferSize"), allowed="a whole number >= 1")
        entropy.append([size - 1, decimal(cells.get("entropy"), at(where, "entropy"))])
    document: dict[str, Any] = {
        "events": whole(fields.get("branches", mix.counts["control"]), at(place, "branches")),
        "conditional_only": conditional,
        "entropy": entropy,
    }
    if "bestMispredictionRate" in fields:
        document["tool_miss_rate"] = decimal(fields["bestMispredictionRate"], at(place, "bestMispredictionRate"))
    return document if entropy or "tool_miss_rate" in document else {}


def _external(thread: Mapping[str, Any], key: str) -> dict[str, int]:
    """Return calls of code that was not analysed; names from Fortran lose their case and trailing underscore."""
    calls: Counter[str] = Counter()
    place = at(key, "externalLibraryCallCount")
    for name, count in table(thread.get("externalLibraryCallCount") or {}, place).items():
        calls[str(name).casefold().rstrip("_") or str(name)] += whole(count, at(place, name))
    return dict(calls)


def _openmp(thread: Mapping[str, Any], key: str) -> dict[str, int]:
    place = at(key, "openMPinstructionMix")
    counts = table(thread.get("openMPinstructionMix") or {}, place).items()
    counts_by_name = {str(name).removeprefix("openMP_"): whole(count, at(place, name)) for name, count in counts}
    return {name: count for name, count in counts_by_name.items() if count}


_WITH_VECTOR = ("allgather", "alltoall", "gather", "scatter")  # the variants for uneven parts share their bytes
_RECEIVED = {
    "bcast": "bcast_received_bytes",
    "alltoall": "alltoall_received_bytes",
    "gather": "gather_received_bytes",
    "allgather": "allgather_received_bytes",
    "reduce": "reduce_root_bytes",
    "allreduce": "allreduce_bytes",
}


def _first(thread: Mapping[str, Any], key: str, names: Sequence[str]) -> tuple[Mapping[str, Any], str]:
    """Return the first of several objects a thread may have; a list holds one."""
    for name in names:
        if thread.get(name):
            (entry, where), *_ = listed(thread[name], at(key, name), with_keys=True)
            return table(entry, where), where
    return {}, key


def _communication(thread: Mapping[str, Any], key: str, process: int, processes: int | None) -> dict[str, Any]:
    mix, mix_key = _first(thread, key, ("mpiInstructionMix", "mpiStatistics"))
    data, data_key = _first(thread, key, ("mpiDataExchanged", "mpiDataStatistics"))
    exchanged = {name: whole(value, at(data_key, name)) for name, value in data.items()}
    calls: Counter[str] = Counter()
    place = at(mix_key, "collectiveCommunicationRoutines")
    for name, count in table(mix.get("collectiveCommunicationRoutines") or {}, place).items():
        operation = str(name).removeprefix("MPI_").casefold()
        if not operation.startswith("op_"):
            plain = operation.removesuffix("v")
            calls[plain if plain in _WITH_VECTOR else operation] += whole(count, at(place, name))
    collectives: dict[str, dict[str, int]] = {}
    for name in dict.fromkeys([*calls, *_RECEIVED]):
        received = exchanged.get(_RECEIVED.get(name, ""))
        if calls[name] or received:
            collectives[name] = {"count": calls[name]} if calls[name] or name in calls else {}
            collectives[name] |= {} if received is None else {"bytes": received}
    peers = _peers(thread, key, process, processes)
    p2p: dict[str, Any] = {
        "messages": exchanged.get("received_messages", 0),
        "bytes": exchanged.get("received_bytes", 0),
        **{name: exchanged[name] for name in ("sent_messages", "sent_bytes") if name in exchanged},
        **({"peers": peers} if peers else {}),
    }
    document: dict[str, Any] = {"p2p": p2p} if any(p2p.values()) else {}
    return document | ({"collectives": collectives} if collectives else {})


def _peers(thread: Mapping[str, Any], key: str, process: int, processes: int | None) -> list[dict[str, int]]:
    place = at(key, "mpiCommunicationVector")
    rows = []
    for row, where in listed(thread.get("mpiCommunicationVector") or [], place, with_keys=True):
        cells = table(row, where)
        names = ("source", "received_messages", "received_bytes")
        rows.append([whole(cells.get(name, 0), at(where, name)) for name in names])
    if not rows:
        return []
    ranks = max([processes or 0, process + 1, *(source + 1 for source, _, _ in rows)])
    return [{"offset": (source - process) % ranks, "messages": m, "bytes": b} for source, m, b in rows]
