"""``python -m benchmarks [NAME ...] [--designs small|full] [--json FILE]``; the names are the keys of `SECTIONS`.

``python -m benchmarks attack --seconds N --seed S`` looks for what is wrong instead (`benchmarks.attack`).
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from rich.console import Console

from benchmarks import (
    checks,
    collectives,
    device_sensitivity,
    endtoend,
    filtering,
    fits,
    groups,
    held_truths,
    intervals,
    kills,
    kinds_of_growth,
    latency_hiding,
    long_frontier,
    methods,
    mutations,
    networks,
    odd_numbers,
    packet_simulation,
    peers,
    planning,
    power_tables,
    processors,
    profiler,
    program_times,
    random_searches,
    replay,
    scaling,
    search,
    startup,
    throughput,
    training_peer,
    trust,
    workers,
)
from benchmarks.faults import FAULTS
from benchmarks.machine import Others, Unequal, header
from benchmarks.report import Section, show
from benchmarks.two_networks import section as two_networks

SECTIONS: dict[str, Callable[[str, Callable[[str], None]], Section]] = {
    "throughput": throughput.run,
    "scaling": scaling.run,
    "groups": groups.run,
    "filter": filtering.run,
    "planning": planning.run,
    "start-up": startup.run,
    "endtoend": endtoend.run,
    "checks": checks.run,
    "kills": kills.run,
    "long-frontier": long_frontier.run,
    "networks": networks.run,
    "packets": packet_simulation.run,
    "collectives": collectives.run,
    "slower": latency_hiding.run,
    "replay": replay.run,
    "two-networks": two_networks.run,
    "power": power_tables.run,
    "processors": processors.run,
    "odd-numbers": odd_numbers.run,
    "random-searches": random_searches.run,
    "device-sensitivity": device_sensitivity.run,
    "search": search.run,
    "growth": kinds_of_growth.run,
    "methods": methods.run,
    "workers": workers.run,
    "fits": fits.run,
    "intervals": intervals.run,
    "held": held_truths.run,
    "peers": peers.run,
    "training-peer": training_peer.run,
    "trust": trust.run,
    "mutations": mutations.run,
    "profiler": profiler.run,
    "program-times": program_times.run,
}
FAULT_NAMES = [fault.name for fault in FAULTS]
ON_DEMAND = (
    "fits",
    "growth",
    "held",
    "intervals",
    "methods",
    "mutations",
    "packets",
    "peers",
    "profiler",
    "program-times",
    "random-searches",
    "search",
    "training-peer",
)
"""What takes so long that it runs only when it is named."""


def main(arguments: list[str] | None = None) -> int:
    """Run the benchmarks; 1 when two results that must be equal are not."""
    named = sys.argv[1:] if arguments is None else arguments
    if named[:1] == ["attack"]:
        from benchmarks.attack.attack import main as attack

        return attack(named[1:])
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description="Measure the engine beside others on synthetic data, in one run, equality asserted first.",
        epilog="example: python -m benchmarks throughput --designs small --json /tmp/throughput.json; "
        "python -m benchmarks attack --help",
    )
    parser.add_argument("which", nargs="*", metavar="|".join(SECTIONS), help=f"default: all but {', '.join(ON_DEMAND)}")
    parser.add_argument(
        "--designs", choices=["full", "small"], default="full", help="small: a tenth of the size; targets are for full"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write everything measured to this file too")
    parser.add_argument("--seeds", type=int, metavar="N", help="odd-numbers, random-searches: so many systems")
    parser.add_argument("--first", type=int, metavar="SEED", help="the first of these seeds")
    parser.add_argument(
        "--feature", action="append", metavar="NAME", help="random-searches: only this; may be repeated"
    )
    parser.add_argument("--fault", action="append", metavar="NAME", help="mutations: only this fault; may be repeated")
    parser.add_argument("--without-tests", action="store_true", help="mutations: do not run the tests")
    given = parser.parse_args(arguments)
    for name in given.which:
        if name not in SECTIONS:
            parser.error(f"there is no benchmark '{name}'; there are {', '.join(SECTIONS)}")
    for name in given.fault or ():
        if name not in FAULT_NAMES:
            parser.error(f"there is no fault '{name}'; there are {', '.join(FAULT_NAMES)}")
    for name in given.feature or ():
        if name not in random_searches.checks():
            parser.error(f"there is no feature '{name}'; there are {', '.join(random_searches.checks())}")
    sections_by_name = dict(SECTIONS)
    sections_by_name["odd-numbers"] = partial(odd_numbers.run, seeds=given.seeds, first=given.first)
    sections_by_name["random-searches"] = partial(
        random_searches.run, seeds=given.seeds, first=given.first, features=given.feature
    )
    sections_by_name["mutations"] = partial(mutations.run, names=given.fault, tests=not given.without_tests)
    machine = header()
    # Tables keep their columns when the output goes to a file.
    console = Console(width=None if sys.stdout.isatty() else 150)
    console.print(
        f"{machine['cpu']}, {machine['cores']} cores (load {machine['load']} at the start), SIMD {machine['simd']}; "
        f"Python {machine['python']}, NumPy {machine['numpy']}, moocore {machine['moocore']}; "
        f"{machine['cc'] or 'no C compiler'}",
        highlight=False,
    )
    console.print("All spaces, models and points here are SYNTHETIC: they describe no real machine.\n", style="bold")
    if given.designs == "small":
        console.print("Small sizes: for a quick look. The targets are meant for --designs full.\n")
    sections = []
    waiting = Console(stderr=True)
    try:
        for name in given.which or [name for name in SECTIONS if name not in ON_DEMAND]:
            with waiting.status(name) as status:
                others = Others()
                sections.append(sections_by_name[name](given.designs, lambda text: status.update(f"{name}: {text}")))  # noqa: B023
            sections[-1].other_cores = others.cores()
            show(sections[-1], console)
    except Unequal as error:
        console.print(f"[bold red]{error}[/]")
        return 1
    if given.json:
        record = {"machine": machine, "designs": given.designs, "sections": [one.as_json() for one in sections]}
        given.json.write_text(json.dumps(record, indent=1) + "\n")
    missed = [target.what for section in sections for target in section.targets if not target.reached]
    total = sum(len(section.targets) for section in sections)
    if total:
        console.print(
            f"{total - len(missed)} of {total} targets reached" + (f"; not: {', '.join(missed)}" if missed else "")
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
