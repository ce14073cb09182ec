"""The benchmark of the profiler runs only when it is named, and says why where it cannot."""

import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))  # benchmarks/ is not part of the package

from benchmarks import __main__ as command  # noqa: E402
from benchmarks import profiler  # noqa: E402


def test_it_runs_only_when_it_is_named():
    assert command.SECTIONS["profiler"] is profiler.run
    assert "profiler" in command.ON_DEMAND


def test_without_clang_it_says_so_and_measures_nothing(monkeypatch):
    monkeypatch.setattr(profiler.shutil, "which", lambda name: None if "clang" in name else f"/usr/bin/{name}")
    section = profiler.run("small", print)
    assert section.rows == section.targets == []
    (note,) = section.notes
    assert note == "not measured: there is no clang with llvm-config (apt-get install clang-19 llvm-19-dev)"


def test_memory_is_the_programs_own_and_not_of_what_started_it():
    held = bytearray(200 << 20)
    text, took, most = profiler._once([sys.executable, "-S", "-c", "print(1)"], {})
    assert len(held) > 0
    assert text == "1\n"
    assert took > 0
    assert most < 100
