"""Numbers of ranks that change the shape of a rank's box, and which counts do not mind."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from dse.errors import InputError
from dse.models.workload.extrapolation.metrics import Key, name_of
from dse.models.workload.laws.sizes import COLLAPSES, collapse_of
from dse.models.workload.profile.profile import WorkloadProfile

__all__ = ["GRID_CALLS", "is_power", "messages_apart", "odd_ranks", "refuse_fortran"]

GRID_CALLS = ("MPI_Dims_create", "MPI_Cart_create")
_TOLD = (
    ("instructions",),
    ("mix", "load"),
    ("mix", "store"),
    ("mix", "fp"),
    ("footprint_bytes",),
    ("comm", "p2p", "sent_messages"),
    ("comm", "p2p", "sent_bytes"),
)


_OF_FORTRAN = re.compile(r"p?mpi_[a-z0-9_]*_", re.ASCII)
_MESSAGES: tuple[Key, ...] = (("comm", "p2p", "sent_messages"), ("comm", "p2p", "sent_bytes"))


def messages_apart(
    names: Sequence[str],
    columns: Sequence[Sequence[float]],
    ranks: Sequence[float],
    recorded: Sequence[Mapping[Key, float]],
) -> list[str]:
    """Return what there is to say of messages that differ between runs whose sizes are equal, as work may be equal.

    Parameters
    ----------
    names : sequence of str
        Of what the laws are functions of.
    columns : sequence of sequence of float
        Its values in each run.
    ranks : sequence of float
        Processes of each run; one alone sends nothing, which is no difference.
    recorded : sequence of mapping
        Metrics of each run.
    """
    several = [place for place, count in enumerate(ranks) if count > 1.0]
    apart = []
    for key in _MESSAGES:
        if several and all(key in recorded[place] for place in several):
            own = [[column[place] for place in several] for column in columns]
            collapse = collapse_of(own, [max(recorded[place][key], 1e-300) for place in several])
            if collapse.groups and collapse.spread > COLLAPSES:
                apart.append(f"{name_of(key)} by up to {100.0 * collapse.spread:.3g} %")
    if not apart:
        return []
    return [
        f"at equal {' and '.join(names)} runs differ in {' and '.join(apart)}: laws of these alone do not hold there; "
        "a second --size would, of which a message or its bytes are a function"
    ]


def refuse_fortran(profiles: Sequence[WorkloadProfile]) -> None:
    """Refuse runs that call MPI from Fortran, whose messages are not counted: none would be wrong.

    Raises
    ------
    InputError
        With a function that is called.
    """
    for profile in profiles:
        calls = {name for item in profile.classes for name in item.external_calls if _OF_FORTRAN.fullmatch(name)}
        if calls:
            raise InputError(
                f"the program calls MPI from Fortran ({min(calls)}), where messages and collective operations are not "
                "counted",
                file=profile.file or profile.name,
                allowed="MPI called from C or C++",
            )


def is_power(number: int, exponent: int) -> bool:
    """Tell whether a number is a square (2) or a cube (3)."""
    is_whole: bool = round(number ** (1.0 / exponent)) ** exponent == number
    return is_whole


def odd_ranks(
    profiles: Sequence[WorkloadProfile], values: Sequence[Mapping[str, float]], recorded: Sequence[Mapping[Key, float]]
) -> list[str]:
    """Return what there is to say of ranks that are neither all cubes nor all squares, of a program on a grid."""
    calls = {name for profile in profiles for item in profile.classes for name in item.external_calls}
    on_grid = [name for name in GRID_CALLS if name in calls]
    ranks = sorted({int(run["processes"]) for run in values})
    if not on_grid or all(is_power(count, 3) for count in ranks) or all(is_power(count, 2) for count in ranks):
        return []
    odd = [count for count in ranks if not is_power(count, 3)]
    problem = [name for name in values[0] if name not in ("processes", "threads")]
    columns = [[run[name] ** power / run["processes"] for run in values] for name in problem[:1] for power in (3,)]
    held: list[str] = []
    loose: list[str] = []
    for key in _TOLD:
        if not all(key in metrics_of_run for metrics_of_run in recorded) or not columns:
            continue
        collapse = collapse_of(columns, [max(metrics_of_run[key], 1e-300) for metrics_of_run in recorded])
        if collapse.groups:
            (held if collapse.spread <= COLLAPSES else loose).append(name_of(key))
    text = (
        f"the program calls {on_grid[0]}, and {', '.join(map(str, odd))} ranks are no cubes: the box of a rank has "
        "another shape there"
    )
    if held:
        text += f"; equal at equal cells nevertheless: {', '.join(held)}"
    if loose:
        text += f"; not equal: {', '.join(loose)}"
    return [text]
