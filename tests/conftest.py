"""What tests share: the profile of hypothesis, signals, and modules of this folder that are importable by name."""

import gc
import importlib.util
import os
import signal
import sys
from pathlib import Path

import pytest
from hypothesis import Phase, settings
from hypothesis.internal.conjecture import providers

# The first by its name too, where dse is not installed anew since it has a plugin.
pytest_plugins = ["dse.models.measured_laws.pytest_plugin", "pytester"]

# Output is as wide here as into a file, whatever terminal the tests run in.
os.environ.pop("COLUMNS", None)

# Nor does a test depend on what an earlier one has computed.
os.environ["DSE_NO_CACHE"] = "1"

# A background shell has it ignored, and a process hands that down to its children, which tests interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def _shared(name):
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name(f"{name}.py"))
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
    return sys.modules[name]


for shared in (
    "example_counts",
    "lanes",
    "engine_problems",
    "odd_problems",
    "cover_problems",
    "changed_settings",
    "sharing_problems",
    "redundant_problems",
    "step_problems",
    "stopped_searches",
    "searched_features",
):
    _shared(shared)

_examples = sys.modules["example_counts"].examples(100)
settings.register_profile(
    "dse",
    deadline=None,
    derandomize=True,
    database=None,
    max_examples=_examples,
    phases=[Phase.explicit, Phase.reuse, Phase.generate, Phase.target, Phase.shrink],  # to explain may take an hour
)
settings.load_profile("dse")
# Examples follow from a test alone: without this they hold constants of whatever modules its process has imported.
providers._get_local_constants = lambda: providers._local_constants


def pytest_addoption(parser):
    lanes = (
        "check: a few cases of cheap tests; measure, more: see anew which are cheap, and which else (tests/lanes.py)"
    )
    parser.addoption("--lane", choices=["check", "measure", "more"], help=lanes)


def pytest_configure(config):
    lanes, lane = sys.modules["lanes"], config.getoption("lane")
    if lane:
        dear = lanes.DearTests("" if lane == "measure" else lanes.DEAR_TESTS.read_text(), config.rootpath)
        config.pluginmanager.register(lanes.Lane(dear), "lane")
        if lane != "check":
            config.pluginmanager.register(lanes.Measurement(lanes.DEAR_TESTS, dear), "measurement")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Let a file stay in one worker, where the tests of a group do."""
    if config.getoption("dist") != "loadgroup":
        return None
    return _shared("whole_files").WholeFiles(config, log)


def pytest_collection_finish():
    """Keep sixteen thousand tests, which live to the end, out of every later search for garbage."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def data_home(tmp_path_factory):
    """A place for the key of this user and what was told him, which is not his own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("data")))
        yield


def pytest_collection_modifyitems(items):
    """Run a test that races other processes again where it fails: a loaded machine may starve a browser or a worker.

    The summary tells how many were. Tests that stay in one process get no second try.
    """
    for item in items:
        if any(item.get_closest_marker(name) for name in ("browser", "kills")):
            item.add_marker(pytest.mark.flaky(reruns=2))
