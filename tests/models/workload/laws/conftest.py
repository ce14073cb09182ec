"""`grid_runs`, importable by that name."""

import importlib.util
import sys
from pathlib import Path

if "grid_runs" not in sys.modules:
    spec = importlib.util.spec_from_file_location("grid_runs", Path(__file__).with_name("grid_runs.py"))
    module = importlib.util.module_from_spec(spec)
    sys.modules["grid_runs"] = module
    spec.loader.exec_module(module)
