"""`small_profiles`, `pisa_files` and `raw_files`, importable by those names, and the samples of other people."""

import importlib.util
import os
import sys
from pathlib import Path

import pytest

for name in ("small_profiles", "pisa_files", "raw_files"):
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name(f"{name}.py"))
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="session")
def pisa_samples():
    """Folder of published PISA files, which are not part of the project: DSE_PISA_SAMPLES, or beside the repository."""
    folder = Path(os.environ.get("DSE_PISA_SAMPLES", ROOT.parent / "shared" / "data" / "pisa"))
    if not folder.is_dir():
        pytest.skip(f"there are no PISA samples in {folder} (DSE_PISA_SAMPLES names another folder)")
    return folder
