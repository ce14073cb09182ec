"""What tests share: the profile of hypothesis, and `engine_problems`, importable by that name."""

import importlib.util
import os
import sys
from pathlib import Path

from hypothesis import settings

settings.register_profile("dse", deadline=None, derandomize=True, database=None)
settings.load_profile("dse")

# Output is as wide here as into a file, whatever terminal the tests run in.
os.environ.pop("COLUMNS", None)

if "engine_problems" not in sys.modules:
    spec = importlib.util.spec_from_file_location("engine_problems", Path(__file__).with_name("engine_problems.py"))
    module = importlib.util.module_from_spec(spec)
    sys.modules["engine_problems"] = module
    spec.loader.exec_module(module)
