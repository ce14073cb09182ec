"""Families of models: what may rest on what."""

import subprocess
import sys

import grimp
import pytest

from dse.authoring.library.model_files import is_aside

FAMILY = 2  # dse.models.FAMILY.module


@pytest.fixture(scope="module")
def imports():
    """All imports of the library, those inside functions and under TYPE_CHECKING too."""
    graph = grimp.build_graph("dse", cache_dir=None)
    return {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}


def of_claims(module):
    parts = module.split(".")
    return parts[:FAMILY] == ["dse", "models"] and "claims" in parts[FAMILY + 1 :]


def test_no_physics_rests_on_claims(imports):
    """Published figures check the models; nothing is computed from them."""
    wrong = [
        (module, needed)
        for module, others in imports.items()
        for needed in others
        if of_claims(needed) and not of_claims(module)
    ]
    assert wrong == []


def test_no_physics_rests_on_commands(imports):
    of_models = (module for module in imports if module.startswith("dse.models."))
    aside = {module for module in of_models if any(map(is_aside, module.split(".")[FAMILY + 1 :]))}
    assert aside
    wrong = [(module, needed) for module in imports for needed in imports[module] & aside if module not in aside]
    assert wrong == []


def test_listing_the_models_loads_no_page_and_no_claims():
    """What stands beside the physics is not imported to find it."""
    code = (
        "import sys\nfrom dse.authoring.library.library import available_models\navailable_models()\n"
        "wrong = [m for m in sys.modules if m.startswith(('dse.report', 'dse.run', 'dse.cli')) or '.claims' in m]\n"
        "print(wrong)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)
    assert done.stdout == "[]\n"
