"""Faults made by hand, each in a copy of the engine: whether a run notices by itself, and its proofs, and the tests.

Every fault of `benchmarks.faults` goes into a copy of `dse/` and what belongs to it; nothing here writes to the tree.
The copy then searches the set of spaces of `benchmarks.mutated` and is compared with the copy without a fault. The same
faulty copy looks at its own proofs, since that is what a user would have.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from benchmarks.faults import FAULTS, Fault
from benchmarks.machine import Unequal, require
from benchmarks.report import Column, Section, Target

ROOT = Path(__file__).resolve().parents[1]
SYSTEMS = {"full": 10, "small": 3}
"""So many random systems of whole numbers, and of odd ones; only "full" has large spaces beside them."""
_COPIED = ("dse", "models", "spaces", "studies", "tests", "benchmarks", "pyproject.toml")
_LONGEST = 400.0
_FAST = "not slow and not browser and not kills and not packaging"
_NO_TESTS = 5  # what pytest ends with when it finds none


def run(
    designs: str,
    say: Callable[[str], None],
    names: Sequence[str] | None = None,
    tests: bool = True,
) -> Section:
    """Go through the faults (`names`: only these)."""
    faults = chosen(names)
    with tempfile.TemporaryDirectory(prefix="dse-mutations-") as place:
        sound = Path(place) / "sound"
        copied(ROOT, sound)
        say("the engine without a fault")
        large = designs == "full"
        expected = searched(sound, SYSTEMS[designs], large=large)
        require(isinstance(expected, list), f"the engine without a fault ends: {expected}")
        assert isinstance(expected, list)
        _require_sound(expected)
        done = 0

        def tried(fault: Fault) -> dict[str, Any]:
            nonlocal done
            row = try_fault(fault, sound, Path(place), expected, SYSTEMS[designs], large=large, tests=tests)
            done += 1
            say(f"{done} of {len(faults)} faults")
            return row

        with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            files = list(dict.fromkeys(file for fault in faults for file in fault.tests)) if tests else []
            passing = pool.submit(lambda: not files or not _fails(sound, files, _FAST))
            rows = list(pool.map(tried, faults))
            require(passing.result(), "the tests of the engine without a fault pass")
    return _section(rows, len(expected), tests=tests)


def chosen(names: Sequence[str] | None) -> list[Fault]:
    """Return the faults of these names, or all."""
    known = {fault.name: fault for fault in FAULTS}
    unknown = [name for name in names or () if name not in known]
    if unknown:
        msg = f"there is no fault '{unknown[0]}'; there are {', '.join(known)}"
        raise ValueError(msg)
    return [known[name] for name in names] if names else list(FAULTS)


def copied(root: Path, place: Path) -> None:
    """Copy the packages and what they are tested with; bytes of modules that are compiled already stay good."""
    place.mkdir()
    for name in _COPIED:
        if (root / name).is_dir():
            shutil.copytree(root / name, place / name, symlinks=True)
        else:
            shutil.copy2(root / name, place / name)


def try_fault(
    fault: Fault, sound: Path, place: Path, expected: list[dict], systems: int, *, large: bool, tests: bool
) -> dict[str, Any]:
    """Put one fault into a copy and return its row of the table."""
    folder = place / fault.name
    copied(sound, folder)
    try:
        file = folder / fault.file
        file.write_text(fault.applied(file.read_text()))
        for compiled in (file.parent / "__pycache__").glob(f"{file.stem}.*"):
            compiled.unlink()
        found = searched(folder, systems, large=large)
        row = {"fault": fault.name, "what": fault.what, "file": fault.file, **compared(expected, found)}
        row["tests"] = noticed_by_tests(folder, fault) if tests else None
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return row


def searched(folder: Path, systems: int, *, large: bool) -> list[dict[str, Any]] | str:
    """Return the records of `benchmarks.mutated` of the engine in a folder, or how it ended without any.

    Without large spaces it takes a fourth of the time.
    """
    file = folder / "records.json"
    try:
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks.mutated", str(file), str(systems), *(["large"] if large else [])],
            cwd=folder,
            env=_environment(folder),
            capture_output=True,
            text=True,
            timeout=_LONGEST,
        )
    except subprocess.TimeoutExpired:
        return f"no end in {_LONGEST:.0f} s"
    if done.returncode != 0:
        return (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
    told: dict[str, Any] = json.loads(file.read_text())
    if Path(told["engine"]).parents[1] != folder.resolve():
        raise Unequal(f"the engine of {told['engine']} was searched with, not that of {folder}")
    records: list[dict[str, Any]] = told["records"]
    return records


def _environment(folder: Path) -> dict[str, str]:
    own = {"PYTHONPATH": str(folder), "XDG_DATA_HOME": str(folder / "data")}
    return os.environ | own | dict.fromkeys(["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"], "1")


def _require_sound(records: list[dict[str, Any]]) -> None:
    """Make sure that without a fault all methods agree and nothing is noticed."""
    frontiers: dict[str, set] = {}
    for one in records:
        where = f"{one['space']} by {one['method']}"
        frontiers.setdefault(one["space"], set()).add(one.get("frontier", "refused"))
        require("failed" not in one and one.get("exact", True), f"{where}, without a fault: {one.get('failed')}")
        for notice in ("check", "check_failed", "proofs", "proofs_failed"):
            require(not one.get(notice), f"{where}, without a fault, {notice}: {one.get(notice)}")
    for space, found in frontiers.items():
        require(len(found) == 1, f"the frontiers of {space} by all methods")


def outcome(sound: dict[str, Any], faulty: dict[str, Any]) -> str:
    """Say what a user gets of a search: "same", or how it goes another way.

    Returns
    -------
    str
        "same"; "contradicted" (the run's own check ends it with 70); "account" (the counts do not add up, so it does
        not call itself exact); "ended" (by an error); "unnoticed" (another frontier, and nothing says so).
    """
    if faulty.get("check"):
        return "contradicted"
    if "refused" in faulty:
        return "same" if "refused" in sound else "ended"
    if "failed" in faulty or "check_failed" in faulty:
        return "ended"
    if not faulty["exact"]:
        return "account"
    return "same" if faulty["frontier"] == sound.get("frontier") else "unnoticed"


def compared(expected: list[dict], found: list[dict] | str) -> dict[str, Any]:
    """Return how many searches go another way, and what notices."""
    if isinstance(found, str):
        return {"changed": len(expected), "ended": len(expected), "why": found}
    words = [outcome(sound, faulty) for sound, faulty in zip(expected, found, strict=True)]
    counts = Counter(words)
    large = [word for word, one in zip(words, expected, strict=True) if one["kind"] == "large"]
    unnoticed = [
        f"{one['space']}, {one['method']}" for word, one in zip(words, expected, strict=True) if word == "unnoticed"
    ]
    return {
        "changed": len(words) - counts["same"],
        **{word: counts[word] for word in ("contradicted", "account", "ended", "unnoticed")},
        "proofs": sum(bool(one.get("proofs") or one.get("proofs_failed")) for one in found),
        "large_changed": len(large) - large.count("same"),
        "large_contradicted": large.count("contradicted"),
        "unnoticed_in": unnoticed,
    }


def noticed_by_tests(folder: Path, fault: Fault) -> str:
    """Return "fast" where tests that are not marked slow fail, "slow" where only slower ones do, else "no"."""
    if _fails(folder, fault.tests, _FAST):
        return "fast"
    return "slow" if _fails(folder, fault.tests, "slow") else "no"


def _fails(folder: Path, files: Sequence[str], marked: str) -> bool:
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-m", marked, *files]
    try:
        done = subprocess.run(
            command, cwd=folder, env=_environment(folder), capture_output=True, text=True, timeout=3 * _LONGEST
        )
    except subprocess.TimeoutExpired:
        return True
    require(done.returncode in (0, 1, 2, _NO_TESTS), f"pytest ends in order: {done.stdout[-500:]}{done.stderr[-500:]}")
    return done.returncode in (1, 2)


def _section(rows: list[dict[str, Any]], searches: int, *, tests: bool) -> Section:
    changing = [row for row in rows if row["changed"]]
    total = {
        "fault": f"faults, of {len(rows)}",
        **{
            key: sum(bool(row.get(key)) for row in rows)
            for key in (
                *("changed", "contradicted", "account", "ended", "unnoticed"),
                *("large_changed", "large_contradicted", "proofs"),
            )
        },
        "tests": sum(row["tests"] in ("fast", "slow") for row in rows) if tests else None,
    }
    never = [row["fault"] for row in changing if not (row.get("contradicted") or row.get("account"))]
    nothing = [row["fault"] for row in rows if not row["changed"]]
    columns = [
        Column("fault", "fault"),
        Column("changed", "other", _count),
        Column("contradicted", "exit 70", _count),
        Column("account", "account", _count),
        Column("ended", "error", _count),
        Column("unnoticed", "unnoticed", _count),
        Column("large_changed", "large: other", _count),
        Column("large_contradicted", "exit 70", _count),
        Column("proofs", "--proofs", _count),
        Column("tests", "tests", lambda word: "–" if word is None else str(word)),
    ]
    notes = [
        f"counts are searches of {searches}: other = another result than without the fault; exit 70 = the run's own "
        "check; account = it does not call itself exact; --proofs looks at every search, by the faulty engine itself",
        f"change a result and no run notices by its check or account: {', '.join(never) or 'none'}",
        f"change no result of the set: {', '.join(nothing) or 'none'}",
    ]
    targets = []
    if tests:
        targets.append(Target("faults that the tests notice", float(total["tests"]), float(len(rows)), ""))
    return Section(
        "mutations",
        "Faults made by hand, each in a copy of the engine, and what notices them",
        columns,
        [*rows, total],
        targets,
        [f"without a fault, {searches} searches: all methods agree, and neither check nor proofs nor tests complain"],
        notes,
    )


def _count(value: int | None) -> str:
    return str(value) if value else "–"
