"""The checks a profile must pass whatever it was read from, every fault one sentence with the path of its key."""

from __future__ import annotations

import copy
import math
from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from dse.errors import InputError, shown
from dse.models.workload.profile.heat_map_checks import check_address_map, check_heat_map
from dse.models.workload.profile.profile import CLASSES, PARTS
from dse.models.workload.profile.schema import (
    SCHEMA,
    BranchSpec,
    ClassSpec,
    DataReuseSpec,
    InstReuseSpec,
    PointToPointSpec,
    ProfileSpec,
)

__all__ = ["checked_document"]

_NOISE = 1e-3
"""By as much may a miss rate rise with the table of a predictor: histories that share an entry may help one another."""


def checked_document(document: Any, *, strict: bool = True) -> tuple[ProfileSpec, tuple[str, ...]]:
    """Check a document.

    Parameters
    ----------
    document : mapping
        As read from JSON or TOML.
    strict : bool
        Whether unknown keys are refused, or left out with a warning.

    Returns
    -------
    ProfileSpec
    tuple of str
        Warnings.

    Raises
    ------
    InputError
        The first fault, with the path of its key.
    """
    if not isinstance(document, Mapping):
        raise InputError(f"is no table of keys but {shown(document)}", allowed=f'{{"schema": "{SCHEMA}", …}}')
    warnings: list[str] = []
    try:
        spec = ProfileSpec.model_validate(dict(document))
    except ValidationError as error:
        faults = error.errors()
        unknown = [fault["loc"] for fault in faults if fault["type"] == "extra_forbidden"]
        if strict or not unknown:
            raise _as_input_error(faults) from None
        reduced = copy.deepcopy(dict(document))
        for location in unknown:
            holder: Any = reduced
            for part in location[:-1]:
                holder = holder[part]
            del holder[location[-1]]
            warnings.append(f"{_path(location)}: unknown key left out")
        spec, _ = checked_document(reduced)
        return spec, tuple(warnings)
    for place, item in enumerate(spec.classes):
        try:
            _check_class(item)
            odd = [] if item.branch is None else _check_tables(item.branch)
        except InputError as fault:
            raise fault.within(key=f"classes[{place}]") from None
        warnings += [f"classes[{place}].{oddity}" for oddity in odd]
    _once([item.name for item in spec.classes], "classes", "name")
    return spec, tuple(warnings)


def _check_class(item: ClassSpec) -> None:
    counts = item.mix.model_dump(by_alias=True)
    total = sum(counts[name] for name in CLASSES)
    if total != item.instructions:
        raise InputError(
            f"{' + '.join(CLASSES)} is {total}", key="mix", allowed=f"{item.instructions}, as many as instructions"
        )
    for part, whole in PARTS.items():
        _at_most(counts[part], counts[whole], f"mix.{part}", whole)
    for name, parts in (("int_arith", ("int_mul", "int_div")), ("fp", ("fp_mul", "fp_div"))):
        _at_most(sum(counts[part] for part in parts), counts[name], f"mix.{parts[1]}", name, " + ".join(parts) + " is ")
    _check_vectors(item, counts)
    _check_ilp(item, counts)
    for place, data in enumerate(item.data_reuse):
        _check_reuse(data, f"data_reuse[{place}]")
        _check_strides(data, f"data_reuse[{place}]")
    for place, instructions in enumerate(item.inst_reuse):
        _check_reuse(instructions, f"inst_reuse[{place}]")
    _once([histogram.line_bytes for histogram in item.data_reuse], "data_reuse", "line_bytes")
    _once([histogram.line_instructions for histogram in item.inst_reuse], "inst_reuse", "line_instructions")
    if item.branch is not None:
        for kind, curve in (("entropy", item.branch.entropy), ("linear_entropy", item.branch.linear_entropy)):
            _rising([history for history, _ in curve], f"branch.{kind}", "histories")
    if item.heatmap is not None:
        check_heat_map(item.heatmap)
    if item.address_map is not None:
        check_address_map(item.address_map)
    if item.comm is not None and item.comm.p2p is not None and item.comm.p2p.sizes:
        _check_sizes(item.comm.p2p)


def _at_most(value: int, limit: int, key: str, of: str, label: str = "") -> None:
    if value > limit:
        raise InputError(f"{label}{value}", key=key, allowed=f"at most {limit}, which is {of}")


def _once(values: list[Any], key: str, name: str) -> None:
    for place, value in enumerate(values):
        if value in values[:place]:
            raise InputError(f"{'address' if value is None else value} stands twice", key=f"{key}[{place}].{name}")


def _check_vectors(item: ClassSpec, counts: Mapping[str, int]) -> None:
    cells: dict[tuple[str, int, int], int] = {}
    places: dict[tuple[str, int, int], int] = {}
    for place, entry in enumerate(item.vectors):
        cell = (entry.of, entry.length, entry.bits)
        if cell in cells:
            raise InputError(f"{entry.of} {entry.length} x {entry.bits} stands twice", key=f"vectors[{place}]")
        cells[cell], places[cell] = entry.count, place
    for name, limit in counts.items():
        held = sum(count for (of, _, _), count in cells.items() if of == name)
        _at_most(held, limit, "vectors", f"mix.{name}", f"class {name} sums to ")
    for (of, length, bits), count in cells.items():
        if of in PARTS:
            whole = PARTS[of]
            key = f"vectors[{places[of, length, bits]}].count"
            _at_most(count, cells.get((whole, length, bits), 0), key, f"the count of {whole} {length} x {bits}")


def _check_ilp(item: ClassSpec, counts: Mapping[str, int]) -> None:
    of_type = {
        "mem": counts["load"] + counts["store"],
        "int": counts["int"] + counts["addr"],
        "control": counts["control"],
        "fp": counts["fp"],
    }
    for place, entry in enumerate(item.ilp):
        key = f"ilp[{place}]"
        _at_most(entry.span, item.instructions, f"{key}.span", "instructions")
        for name, limit in of_type.items():
            span = getattr(entry, f"span_{name}")
            if span is None:
                continue
            held = {"mem": "load + store", "int": "int + addr"}.get(name, name)
            _at_most(span, limit, f"{key}.span_{name}", held)
            if limit and not span:
                raise InputError("0", key=f"{key}.span_{name}", allowed=f">= 1, as there are {limit} of {held}")
        earlier = [(other.window, other.order) for other in item.ilp[:place]]
        if (entry.window, entry.order) in earlier:
            window = "inf" if math.isinf(entry.window) else f"{entry.window:.0f}"
            raise InputError(f"{window} stands twice with order {entry.order}", key=f"{key}.window")


def _check_reuse(histogram: DataReuseSpec | InstReuseSpec, key: str) -> None:
    counted, printed = histogram.histogram, histogram.printed
    if counted is None and printed is None:
        raise InputError("has neither histogram nor printed", key=key, allowed="at least one of them")
    for name, points in (("histogram", counted), ("printed", printed)):
        if points is not None:
            _rising([distance for distance, _ in points], f"{key}.{name}", "distances")
    if counted is not None:
        _at_most(sum(count for _, count in counted), histogram.references, f"{key}.histogram", "references", "sums to ")
    if printed is not None:
        for place, ((_, before), (_, after)) in enumerate(pairwise(printed)):
            if after < before:
                raise InputError(f"{after} after {before}", key=f"{key}.printed[{place + 1}]", allowed="no falling")
    if counted is not None and printed is not None and [d for d, _ in counted] != [d for d, _ in printed]:
        raise InputError("has other distances than the histogram", key=f"{key}.printed", allowed="the same ones")


def _check_strides(reuse: DataReuseSpec, key: str) -> None:
    """Check that shares stand at distances of the histogram, and that neither part of what is covered is missing."""
    known = [distance for distance, _ in (reuse.histogram if reuse.histogram is not None else reuse.printed or [])]
    for name, points in (("covered", reuse.covered), ("dependent", reuse.dependent)):
        _rising([distance for distance, _ in points], f"{key}.{name}", "distances")
        for place, (distance, _) in enumerate(points):
            if distance not in known:
                raise InputError(
                    f"distance {distance} is not in the histogram",
                    key=f"{key}.{name}[{place}]",
                    allowed="distances of the histogram",
                )
    if reuse.covered and reuse.covered_first_touches is None:
        raise InputError("is missing", key=f"{key}.covered_first_touches", allowed="a number from 0 to 1")


def _rising(values: list[int], key: str, what: str) -> None:
    for place, (before, after) in enumerate(pairwise(values)):
        if after <= before:
            raise InputError(f"{after} after {before}", key=f"{key}[{place + 1}]", allowed=f"{what} that rise")


def _check_tables(branch: BranchSpec) -> list[str]:
    """Check that a larger table of a predictor never misses more, and return where it does by chance."""
    rows: dict[tuple[int, str], list[tuple[float, float, int]]] = {}
    for place, outcome in enumerate(branch.max_outcome):
        entries = math.inf if outcome.table is None else outcome.table
        rows.setdefault((outcome.history, outcome.rule), []).append((entries, outcome.miss_rate, place))
    warnings = []
    for (history, _), curve in rows.items():
        least, of = math.inf, ""
        for entries, rate, place in sorted(curve):
            table = "an unlimited table" if math.isinf(entries) else f"{entries:.0f} entries"
            key = f"branch.max_outcome[{place}]"
            if table == of:
                raise InputError(f"{table} stand twice with {history} bits of history", key=key)
            if rate > least:
                fault = f"{rate:g} with {table}, more than {least:g} with fewer"
                if rate > least + _NOISE:
                    raise InputError(fault, key=f"{key}.miss_rate", allowed="rates that do not rise with the table")
                warnings.append(f"{key}.miss_rate: {fault}; taken as chance, the least rate of the smaller ones counts")
            least, of = min(least, rate), table
    return warnings


def _check_sizes(p2p: PointToPointSpec) -> None:
    """Check a histogram of message sizes: it is of the messages sent, where these are counted."""
    key = "comm.p2p.sizes"
    _rising([upper for upper, _, _ in p2p.sizes], key, "upper bytes")
    below = -1
    for place, (upper, messages, held) in enumerate(p2p.sizes):
        least, most = messages * (below + 1), messages * upper
        if not least <= held <= most:
            raise InputError(
                f"{held} bytes in {messages} messages of {below + 1} to {upper} bytes",
                key=f"{key}[{place}]",
                allowed=f"{least} to {most} bytes",
            )
        below = upper
    sent = p2p.sent_messages is not None and p2p.sent_bytes is not None
    totals = {"sent_messages": p2p.sent_messages, "sent_bytes": p2p.sent_bytes} if sent else {}
    totals = totals or {"messages": p2p.messages, "bytes": p2p.bytes}
    for column, (name, total) in enumerate(totals.items(), start=1):
        total_of_bins = sum(row[column] for row in p2p.sizes)
        if total_of_bins != total:
            what = ("messages", "bytes")[column - 1]
            raise InputError(
                f"the {what} of all bins are {total_of_bins}", key=key, allowed=f"{total}, which is comm.p2p.{name}"
            )


_WORDS = {
    "list_type": ("is no list", "a list: [ … ]"),
    "dict_type": ("is no table", "a table of keys"),
    "model_type": ("is no table", "a table of keys"),
    "model_attributes_type": ("is no table", "a table of keys"),
    "string_type": ("is no text", "a text in quotes"),
    "int_type": ("is no whole number", "a whole number"),
    "bool_type": ("is neither true nor false", "true, false"),
}


def _as_input_error(faults: list[Any]) -> InputError:
    # Unknown keys first: a misspelt key is also one that is missing.
    fault = min(faults, key=lambda fault: fault["type"] != "extra_forbidden")
    location, kind, value = list(fault["loc"]), fault["type"], fault.get("input")
    shown_value, context = shown(value), fault.get("ctx", {})
    more = f" ({len(faults) - 1} more fault{'s' if len(faults) > 2 else ''} in this file)" if len(faults) > 1 else ""
    key = _path(location)
    if kind == "extra_forbidden":
        names, wrong = _keys_at(location[:-1]), str(location[-1])
        return InputError(
            f"unknown key '{wrong}' (value {shown_value}){more}", key=key, allowed=names, wrong=wrong, candidates=names
        )
    if kind == "missing":
        return InputError(f"is missing{more}", key=key, allowed=_keys_at(location[:-1]))
    if kind == "refused":
        return InputError(f"{context['problem']}{more}", key=key, allowed=context["allowed"])
    if kind == "literal_error":
        names = context["expected"].replace("'", "").replace(" or ", ", ").split(", ")
        return InputError(
            f"{shown_value} is not known{more}", key=key, allowed=names, wrong=str(value), candidates=names
        )
    if kind == "too_short":
        return InputError(
            f"{shown_value} is empty{more}", key=key, allowed=f"a list of at least {context['min_length']}"
        )
    problem, allowed = _WORDS.get(kind, (f": {fault['msg']}", None))
    return InputError(f"{shown_value} {problem}{more}", key=key, allowed=allowed)


def _path(location: Iterable[Any]) -> str:
    text = ""
    for part in location:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else str(part)
    return text


def _keys_at(location: list[Any]) -> list[str]:
    """Return the keys the schema allows at a place."""
    model: Any = ProfileSpec
    for part in location:
        if isinstance(model, type) and issubclass(model, BaseModel):
            fields = {field.alias or name: field for name, field in model.model_fields.items()}
            model = fields[part].annotation if part in fields else None
        else:
            inner = [kind for kind in get_args(model) if get_args(kind) or isinstance(kind, type)]
            model = inner[-1] if inner else None
        options = [kind for kind in get_args(model) if isinstance(kind, type) and issubclass(kind, BaseModel)]
        if options and type(None) in get_args(model):
            model = options[0]
    if isinstance(model, type) and issubclass(model, BaseModel):
        return [field.alias or name for name, field in model.model_fields.items()]
    return []
