"""The pytest plugin: what passes, what fails and how it is said, and that nobody pays for it who does not use it."""

import subprocess
import sys

import numpy as np
import pytest

from dse.errors import InputError
from dse.models.measured_laws.pytest_plugin import SIZES, series_of

# As in a project that has dse installed: its plugin, and no other of ours.
NAME = "dse.models.measured_laws.pytest_plugin"
PLUGIN = ("-p", NAME, "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:rerunfailures")


def test_growth_that_is_expected_passes(assert_growth):
    found = assert_growth(lambda p: 3.0 + 2.0 * np.log2(p), "log p", match=["exact"])
    assert found.law.at({"p": 1024.0}) == pytest.approx(23.0)
    assert_growth(lambda p: np.sqrt(p) * np.log2(p), "log p")
    assert_growth(lambda p: 7.0, "O(1)")
    assert_growth([5.0 * p for p in SIZES], "p", match=["exact"])
    assert_growth(lambda k: k**2 * 2.0**k, "k^2 2^k", sizes=range(3, 17), match=["exact"])


@pytest.mark.parametrize(
    ("model", "expected", "options", "message"),
    [
        (lambda p: 2.0 * p, "log p", {}, r"grows like p \(2·p\), expected is log p within p\^\(1/2\): none \(worse\)"),
        (lambda p: np.log2(p), "p", {}, r"none \(better\), divergence p\^\(-1\) log p"),
        (lambda p: np.log2(p), "p", {"larger_is_better": True}, r"none \(worse\)"),
        (lambda p: np.log2(p), "O(1)", {}, "expected is 1 within 1"),
        (lambda p: np.sqrt(p), "log p", {"match": ["exact"]}, r"approx \(worse\)"),
        (lambda p: np.sqrt(p), "log p", {"deviation": "halved"}, r"within log\^\(1/2\) p: none"),
    ],
)
def test_other_growth_fails(assert_growth, model, expected, options, message):
    with pytest.raises(AssertionError, match=message):
        assert_growth(model, expected, **options)


def test_rules(assert_rule):
    models = {"allreduce": lambda p: p, "reduce": lambda p: np.log2(p), "bcast": lambda p: np.sqrt(p)}
    assert_rule(models, "reduce <= bcast")
    with pytest.raises(
        AssertionError, match=r"rule allreduce <= reduce \+ bcast is violated: allreduce grows like p, "
    ):
        assert_rule(models, "allreduce <= reduce + bcast")
    with pytest.raises(InputError, match="did you mean 'bcast'"):
        assert_rule(models, "reduce <= bcst")


@pytest.mark.parametrize(
    ("model", "sizes", "message"),
    [
        (lambda p: p, (1, 2, 4), "allowed: at least"),
        (lambda p: -p, SIZES, "value -16 at p = 16"),
        (lambda p: p * np.nan, SIZES, "value nan"),
        (lambda p: p[:3], SIZES, "3 values for 9 sizes"),
    ],
)
def test_what_cannot_be_fitted(model, sizes, message):
    with pytest.raises(InputError, match=message):
        series_of(model, sizes=sizes)


TESTS = """
def test_passes(assert_growth):
    assert_growth(lambda p: 3.0 * p, "p")

def test_fails(assert_growth):
    assert_growth(lambda p: 3.0 * p, "log p")

def test_rule(assert_rule):
    assert_rule({"a": lambda p: p, "b": lambda p: 2.0 * p}, "a <= b")
"""


def test_the_plugin_in_a_project_of_somebody_else(pytester):
    pytester.makepyfile(TESTS)
    result = pytester.runpytest_subprocess(*PLUGIN)
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(["*AssertionError: <lambda> grows like p (3·p), expected is log p within p^(1/2)*"])
    assert not any("raise AssertionError(" in line for line in result.outlines)


def test_a_start_of_pytest_imports_nothing_of_dse_but_the_plugin(pytester):
    pytester.makepyfile(
        "import sys\n"
        "def test_nothing():\n"
        "    brought = sorted(name for name in sys.modules if name.startswith('dse'))\n"
        "    packages = ['dse', 'dse.models', 'dse.models.measured_laws']\n"
        "    assert brought == [*packages, 'dse.models.measured_laws.pytest_plugin', 'dse.version']\n"
        "    assert 'numpy' not in sys.modules\n"
    )
    pytester.runpytest_subprocess(*PLUGIN, "-p", "no:hypothesispytest").assert_outcomes(passed=1)


def test_nothing_of_dse_needs_pytest():
    code = (
        "import sys; sys.modules['pytest'] = None; import contextlib, io\n"
        "import dse.models.measured_laws.kinds.expectations.judging_files\n"
        "from dse.cli.main import main\n"
        "with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):\n"
        "    main(['--help'])\n"
        "print('dse.models.measured_laws.cli.expect_commands' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)
    assert done.stdout == "True\n"
