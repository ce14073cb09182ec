"""The pass and the runtime, built once per set of sources, and programs run under them."""

import fcntl
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dse.models.workload.cli.record import record_program
from dse.models.workload.record.recording import settings

PROFILER = Path(__file__).parents[1]
PLAIN = ("-O1", "-fno-vectorize", "-fno-slp-vectorize", "-fno-unroll-loops")


def _need(*commands: str, packages: str = "") -> None:
    missing = [command for command in commands if not shutil.which(command) and not Path(command).is_file()]
    if missing:
        text = f"{', '.join(missing)} is not installed" + (f": apt-get install {packages}" if packages else "")
        (pytest.fail if "DSE_TOOLS_REQUIRED" in os.environ else pytest.skip)(text)


@pytest.fixture(scope="session")
def need() -> Callable[..., None]:
    """Skips where a command or a file is missing; fails where ``DSE_TOOLS_REQUIRED`` says that nothing may be."""
    return _need


@pytest.fixture(scope="session")
def cache() -> Path:
    """Where all tests find what the first of them builds, in folders by the state of the sources."""
    return Path(tempfile.gettempdir()) / f"dse-profiler-cache-{os.getuid()}"


@pytest.fixture(scope="session")
def engines(cache: Path) -> Path:
    """The engines as a library for ctypes: needs g++ alone."""
    _need("g++", "make", packages="g++ make")
    sources = [path for kind in ("runtime/*.cpp", "runtime/*.h", "Makefile") for path in sorted(PROFILER.glob(kind))]
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()[:16]
    folder = cache / f"engines-{digest}"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        make = ["make", "-s", "-C", str(PROFILER), f"BUILD={folder}", "engines"]
        done = subprocess.run(make, capture_output=True, text=True, check=False, timeout=300)
        assert done.returncode == 0, done.stderr
    return folder / "engines.so"


class Toolchain:
    """A clang, its pass, and the runtime."""

    def __init__(self, clang: str, folder: Path) -> None:
        self.clang = clang
        self.folder = folder

    def command(self, source: Path, program: Path, *flags: str) -> list[str]:
        clang = self.clang.replace("clang", "clang++", 1) if source.suffix == ".cpp" else self.clang
        plugin = f"-fpass-plugin={self.folder / 'dse_pass.so'}"
        return [
            clang,
            *PLAIN,
            plugin,
            *flags,
            str(source),
            str(self.folder / "libdse_runtime.a"),
            "-rdynamic",
            "-o",
            str(program),
        ]


@pytest.fixture(scope="session")
def toolchain(cache: Path) -> Toolchain:
    clang = os.environ.get("DSE_CLANG", "clang-19")
    llvm = clang.rpartition("-")[2]
    _need(clang, f"llvm-config-{llvm}", "g++", "make", packages=f"clang-{llvm} llvm-{llvm}-dev g++ make")
    # The compiler's wrapper builds both, once, behind its own lock; -### tells where without compiling anything.
    ask = [str(PROFILER / "wrappers" / "dse-cc"), "-###", "-c", "-x", "c", os.devnull]
    environment = os.environ | {"DSE_CLANG": clang, "XDG_CACHE_HOME": str(cache)}
    done = subprocess.run(ask, env=environment, capture_output=True, text=True, check=False, timeout=300)
    found = re.search(r'-fpass-plugin=([^"]*)/dse_pass\.so', done.stderr)
    assert found is not None, done.stdout + done.stderr
    return Toolchain(clang, Path(found[1]))


@pytest.fixture
def build(toolchain: Toolchain, tmp_path: Path) -> Callable[..., Path]:
    """Compiles a text with the pass; the program's path."""

    def one(text: str, *flags: str, suffix: str = ".c", name: str = "program") -> Path:
        source = tmp_path / f"{name}{suffix}"
        source.write_text(text)
        program = tmp_path / name
        done = subprocess.run(
            toolchain.command(source, program, *flags), capture_output=True, text=True, check=False, timeout=300
        )
        assert done.returncode == 0, done.stderr
        return program

    return one


class Recorded:
    """What a program printed, how it ended, and its records."""

    def __init__(self, done: subprocess.CompletedProcess[str], folder: Path) -> None:
        self.output, self.errors, self.status = done.stdout, done.stderr, done.returncode
        self.records: list[dict[str, Any]] = [json.loads(path.read_text()) for path in sorted(folder.glob("*.dseprof"))]
        assert not list(folder.glob("*.tmp"))

    @property
    def record(self) -> dict[str, Any]:
        assert len(self.records) == 1
        return self.records[0]

    @property
    def thread(self) -> dict[str, Any]:
        assert len(self.record["threads"]) == 1
        return self.record["threads"][0]  # type: ignore[no-any-return]

    def ilp(self, window: int | str) -> float:
        row = next(row for row in self.thread["ilp"] if row["window"] == window)
        whole = row.get("whole", {"instructions": 0, "span": 0})
        rest, sample = (one - whole["instructions"] for one in (self.thread["instructions"], row["instructions"]))
        return float(self.thread["instructions"] / (whole["span"] + (row["span"] - whole["span"]) * rest / sample))

    def bins(self, line_bytes: int = 64) -> dict[int, int]:
        return dict(next(row["bins"] for row in self.thread["reuse"] if row.get("line_bytes") == line_bytes))

    def cold(self, line_bytes: int = 64) -> int:
        return next(int(row["cold"]) for row in self.thread["reuse"] if row.get("line_bytes") == line_bytes)


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., Recorded]:
    """Runs a program under the runtime, everything exact unless told otherwise."""

    def one(program: Path, *arguments: str, folder: str = "records", **settings: str) -> Recorded:
        records = tmp_path / f"of-{folder}"
        records.mkdir(exist_ok=True)
        environment = os.environ | {"DSE_PROFILE_DIR": str(records), "DSE_PROFILE_SAMPLE": "none"}
        environment |= {f"DSE_PROFILE_{name.upper()}": value for name, value in settings.items()}
        command = [str(program), *arguments]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=60)
        return Recorded(done, records)

    return one


class Shell:
    """A folder where the compilers are on the path."""

    def __init__(self, folder: Path, cache: Path) -> None:
        self.folder = folder
        # Behind the wrappers: cmake and the like look for the compilers there.
        path = os.pathsep.join([str(PROFILER / "wrappers"), str(Path(sys.executable).parent), os.environ["PATH"]])
        self.environment = {
            **{"PATH": path, "XDG_CACHE_HOME": str(cache)},
            **{"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"},
        }

    def __call__(self, *command: object, status: int = 0, **more: str) -> str:
        """What a command printed."""
        done = subprocess.run(
            [str(part) for part in command],
            cwd=self.folder,
            env=os.environ | self.environment | more,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == status, done.stdout + done.stderr
        return done.stdout + done.stderr

    def record(
        self,
        *command: object,
        status: int = 0,
        metrics: str = "mix",
        from_function: str | None = None,
        **options: Any,
    ) -> dict[str, Any]:
        """The profile of a run; within this process, as the command takes a second to begin."""
        out = self.folder / "profile.json"
        out.unlink(missing_ok=True)
        chosen = {"name": None, "parameters": [], "children": False, "merge": False, "functions": None} | options
        words = [str(part) for part in command]
        environment = self.environment | settings(metrics=metrics, from_function=from_function)
        told = record_program(words, out, environment, json=False, **chosen)
        assert told["status"] == status
        return json.loads(out.read_text())  # type: ignore[no-any-return]


@pytest.fixture(scope="module")
def shell(cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Shell:
    """One folder for all tests of a module, so that what one built is there for others."""
    return Shell(tmp_path_factory.mktemp("shell"), cache)
