"""What tests share: the profile of hypothesis, signals, and modules of this folder that are importable by name."""

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
    if shared not in sys.modules:
        spec = importlib.util.spec_from_file_location(shared, Path(__file__).with_name(f"{shared}.py"))
        module = importlib.util.module_from_spec(spec)
        sys.modules[shared] = module
        spec.loader.exec_module(module)

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
