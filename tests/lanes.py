"""The lane of `make check`: of every test that is cheap, a few cases.

Who changed a room wants to see within a minute that nothing is broken. So ``pytest --lane check`` leaves out

- tests marked ``slow``, ``browser``, ``kills`` or ``packaging`` (a file so marked as a whole is not even opened);
- tests that `DEAR_TESTS` names: one case took more processor time than `DEAR` when they were measured;
- of each other test all but `CASES` of its cases: the first, the last, and those evenly between them.

So a new test is in the lane until it is marked or measured. At its end the lane says what it left out, and names the
tests that have become too dear. ``pytest --lane measure`` runs the same without the file, and writes it anew; ``--lane
more`` then adds those that pay for something kept in the process, which a test of the file paid for before.
"""

from __future__ import annotations

import ast
import resource
from collections import Counter, defaultdict
from collections.abc import Generator, Iterable
from pathlib import Path
from typing import Any

import pytest

__all__ = ["CASES", "DEAR", "DEAR_TESTS", "KINDS", "DearTests", "Lane", "Measurement", "chosen_cases", "kind_of_file"]

KINDS = ("browser", "kills", "packaging", "slow")
"""Marks of what is left out; a test that has several is counted by the first."""

CASES = 3
"""So many cases of a test are in the lane."""

DEAR = 0.1
"""A test is dear if one case takes more seconds of processor time, with all that its fixtures take."""

NAMED = 1.0
"""A test whose cases take more seconds than these together is named at the end."""

DEAR_TESTS = Path(__file__).with_name("dear_tests.txt")


def chosen_cases(count: int, most: int = CASES) -> list[int]:
    """Return which of `count` cases are in the lane: the first, the last, and those evenly between them."""
    if count <= most:
        return list(range(count))
    return [round(step * (count - 1) / (most - 1)) for step in range(most)]


def kind_of_file(text: str) -> str | None:
    """Return the kind that all tests of a file have by its ``pytestmark``, or None."""
    if "pytestmark" not in text:
        return None
    for statement in ast.parse(text).body:
        if isinstance(statement, ast.Assign) and [ast.unparse(name) for name in statement.targets] == ["pytestmark"]:
            marks = {
                node.attr
                for node in ast.walk(statement.value)
                if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "pytest.mark"
            }
            return next((kind for kind in KINDS if kind in marks), None)
    return None


def functions_of(text: str) -> int:
    """Return how many functions of a file are tests."""
    return sum(
        isinstance(node, ast.FunctionDef) and node.name.startswith("test_") for node in ast.walk(ast.parse(text))
    )


class DearTests:
    """The tests that a file names; one whose file has been moved is known by the name of the file."""

    def __init__(self, text: str, root: Path) -> None:
        rows = (line.split() for line in text.splitlines() if line and not line.startswith("#"))
        self.seconds = {name: float(seconds) for seconds, name in rows}
        self.names = set(self.seconds)
        self.moved = {Path(name).name for name in self.names if not (root / name.partition("::")[0]).exists()}

    def __contains__(self, name: str) -> bool:
        return name in self.names or Path(name).name in self.moved


class Lane:
    """What is collected in the lane, and what is said of the rest; a worker hands its counts to the main process."""

    def __init__(self, dear: DearTests) -> None:
        self.dear = dear
        self.files: Counter[str] = Counter()
        self.functions: Counter[str] = Counter()
        self.marked: Counter[str] = Counter()
        self.further = 0
        self.further_of = 0
        self.seconds: defaultdict[str, float] = defaultdict(float)

    def pytest_ignore_collect(self, collection_path: Path) -> bool | None:
        """Leave a file closed that is marked as a whole."""
        if not (collection_path.name.startswith("test_") and collection_path.suffix == ".py"):
            return None
        text = collection_path.read_text()
        kind = kind_of_file(text)
        if kind is None:
            return None
        self.files[kind] += 1
        self.functions[kind] += functions_of(text)
        return True

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Leave out marked tests, and most cases of the others."""
        cases: dict[str, list[pytest.Item]] = {}
        left: list[pytest.Item] = []
        for item in items:
            name = name_of_test(item.nodeid)
            kind = next(
                (kind for kind in KINDS if item.get_closest_marker(kind)), "dear" if name in self.dear else None
            )
            if kind is None:
                cases.setdefault(name, []).append(item)
            else:
                self.marked[kind] += 1
                left.append(item)
        kept = set()
        for of_test in cases.values():
            chosen = [of_test[place] for place in chosen_cases(len(of_test))]
            kept.update(map(id, chosen))
            self.further += len(of_test) - len(chosen)
            self.further_of += len(of_test) > len(chosen)
        left += [item for of_test in cases.values() for item in of_test if id(item) not in kept]
        config.hook.pytest_deselected(items=left)
        items[:] = [item for item in items if id(item) in kept]

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Hand the counts of a worker to the main process."""
        if hasattr(session.config, "workeroutput"):
            session.config.workeroutput["lane"] = self.counts()

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Take over the counts of a worker; all of them collect the same."""
        counts = getattr(node, "workeroutput", {}).get("lane")
        if counts:
            files, functions, marked, self.further, self.further_of = counts
            self.files, self.functions, self.marked = Counter(files), Counter(functions), Counter(marked)

    def counts(self) -> tuple[dict[str, int], dict[str, int], dict[str, int], int, int]:
        """Return what was left out, in types that travel between processes."""
        return dict(self.files), dict(self.functions), dict(self.marked), self.further, self.further_of

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add up the seconds of each test."""
        self.seconds[name_of_test(report.nodeid)] += report.duration

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Say what was left out, and what was too dear."""
        terminalreporter.section("left to `make test`", sep="-")
        for line in self.left_out():
            terminalreporter.write_line(line)
        for line in self.too_dear():
            terminalreporter.write_line(line, yellow=True)

    def left_out(self) -> Iterable[str]:
        """Yield lines that say how many cases of which kind were left out."""
        if self.further:
            yield f"{self.further:,} further cases of {self.further_of:,} tests of which {CASES} cases ran"
        for kind in (*KINDS, "dear"):
            parts = []
            if self.marked[kind]:
                parts.append(f"{self.marked[kind]:,} cases")
            if self.files[kind]:
                parts.append(f"{self.functions[kind]:,} tests in {self.files[kind]:,} files that were not opened")
            if parts:
                yield f"{kind}: {' and '.join(parts)}"

    def too_dear(self) -> Iterable[str]:
        """Yield a line for each test that is to be marked slow, or made cheaper."""
        dear = sorted(((seconds, name) for name, seconds in self.seconds.items() if seconds > NAMED), reverse=True)
        for seconds, name in dear[:10]:
            yield f"{seconds:.1f} s for {name}: where that is so on a quiet machine, too, mark it slow or `make lanes`"


def name_of_test(nodeid: str) -> str:
    """Return the name of a test without its case and its group of pytest-xdist."""
    path, _, rest = nodeid.partition("::")
    return f"{path}::{rest.partition('[')[0].partition('@')[0]}"


def processor_time() -> float:
    """Return the seconds of processor time of this process and of those it has waited for."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


class Measurement:
    """What a case of each test takes; a fixture that many share counts for each, as if a test ran alone."""

    def __init__(self, file: Path, dear: DearTests) -> None:
        self.file = file
        self.known = dear.seconds
        self.of_fixture: dict[Any, float] = {}
        self.of_setups = 0.0
        self.dearest: dict[str, float] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any) -> Generator[None, Any, Any]:
        """Measure a fixture that several tests may share."""
        start = processor_time()
        result = yield
        if fixturedef.scope != "function":
            taken = processor_time() - start
            self.of_fixture[fixturedef] = max(self.of_fixture.get(fixturedef, 0.0), taken)
            self.of_setups += taken
        return result

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: Any) -> Generator[None, Any, Any]:
        """Measure a case."""
        start, self.of_setups = processor_time(), 0.0
        result = yield
        own = processor_time() - start - self.of_setups
        used = {found[-1] for found in item._fixtureinfo.name2fixturedefs.values() if found}
        seconds = own + sum(self.of_fixture.get(fixture, 0.0) for fixture in used)
        name = name_of_test(item.nodeid)
        self.dearest[name] = max(self.dearest.get(name, 0.0), seconds)
        return result

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Take over what a worker measured."""
        for name, seconds in getattr(node, "workeroutput", {}).get("dearest", {}).items():
            self.dearest[name] = max(self.dearest.get(name, 0.0), seconds)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Hand over what a worker measured, or write the file."""
        if hasattr(session.config, "workeroutput"):
            session.config.workeroutput["dearest"] = self.dearest
            return
        dear = self.known | {name: seconds for name, seconds in self.dearest.items() if seconds > DEAR}
        head = f"# Left out of `make check`: a case took more than {DEAR} s. Written by `make lanes`."
        rows = [f"{seconds:.1f} {name}" for name, seconds in sorted(dear.items())]
        self.file.write_text("\n".join([head, *rows, ""]))
