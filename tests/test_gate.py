"""What the tests rest on: groups of pytest-xdist hold, processes that tests start can be interrupted, and end."""

import ast
import signal
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
GROUPED = """
import os
from pathlib import Path

import pytest

pytestmark = {marks}

@pytest.mark.parametrize("number", range(6))
def test_of_six(number):
    Path(f"{{number}}.worker").write_text(os.environ["PYTEST_XDIST_WORKER"])
"""


def run_pytest(*arguments, cwd, **options):
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, **options)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(("marks", "workers"), [('pytest.mark.xdist_group("one")', 1), ("[]", 2)])
def test_a_group_stays_in_one_worker(tmp_path, marks, workers):
    """Not so with pytest 9.2.0 and pytest-xdist 3.8.0, where each worker makes the fixtures of a session anew."""
    (tmp_path / "test_six.py").write_text(GROUPED.format(marks=marks))

    run_pytest("-n", "2", "--dist", "loadgroup", cwd=tmp_path)

    written = [path.read_text() for path in tmp_path.glob("*.worker")]
    assert len(written) == 6
    assert len(set(written)) == workers


def test_children_can_be_interrupted():
    told = "import signal; print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)"
    assert subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, timeout=120).stdout == "True\n"


@pytest.mark.skipif(sys.platform == "win32", reason="signals are those of Unix")
def test_children_can_be_interrupted_in_a_background_shell():
    """Such a shell has interrupts ignored, and hands that down."""
    test = f"{Path(__file__)}::{test_children_can_be_interrupted.__name__}"

    def ignore():
        signal.signal(signal.SIGINT, signal.SIG_IGN)

    run_pytest("-p", "no:xdist", test, cwd=ROOT, preexec_fn=ignore)


UNLIMITED = {"run", "check_output", "check_call", "call"}


def test_no_test_waits_for_ever_for_a_process():
    """Else a process that hangs keeps the whole run, and whoever started it, until somebody ends it."""
    without = []
    for path in [*ROOT.glob("tests/**/*.py"), *ROOT.glob("profiler/tests/**/*.py")]:
        text = path.read_text(encoding="utf-8")
        if "subprocess" not in text and "communicate" not in text:
            continue
        for call in ast.walk(ast.parse(text)):
            if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)):
                continue
            given = {keyword.arg for keyword in call.keywords}
            runs = ast.unparse(call.func.value) == "subprocess" and call.func.attr in UNLIMITED
            waits = call.func.attr == "communicate" and not call.args
            if (runs or waits) and not given & {"timeout", None}:
                without.append(f"{path.relative_to(ROOT)}:{call.lineno}")
    assert without == []
