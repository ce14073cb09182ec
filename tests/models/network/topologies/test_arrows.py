"""What may import what: shared <- topologies/* <- the list of them <- bandwidth, components <- claims."""

import ast
from pathlib import Path

import pytest

import dse.models.network
from dse.models.network import topologies

FAMILY = Path(dse.models.network.__file__).parent
NAME = "dse.models.network"
FOLDERS = sorted(path.parent.name for path in (FAMILY / "topologies").glob("*/component.py"))
ABOVE_THE_LIST = {"__init__", "bandwidth", "components", "neighbours", "parts", "routing", "seeds", "shared_nodes"}


def imported(path):
    """Modules of the family that a file imports, without the name of the family, also inside functions."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        yield from (name.removeprefix(f"{NAME}.") for name in names if name.startswith(f"{NAME}."))


def heads(path):
    return {name.partition(".")[0] for name in imported(path)}


SHARED = [path for path in sorted(FAMILY.glob("*.py")) if path.stem not in ABOVE_THE_LIST]
SHARED += sorted((FAMILY / "pictures").glob("*.py"))
PHYSICS = [path for path in sorted(FAMILY.rglob("*.py")) if "claims" not in path.parts]


def test_every_folder_is_found():
    assert len(FOLDERS) >= 6
    components = {one.topology.name for one in topologies.COMPONENTS}
    assert components == set(topologies.TOPOLOGIES)
    providers = [one.provider for one in topologies.COMPONENTS]
    assert len(set(providers)) == len(providers)


@pytest.mark.parametrize("path", SHARED, ids=lambda path: str(path.relative_to(FAMILY)))
def test_what_is_shared_knows_no_topology(path):
    assert not heads(path) & {"topologies", *ABOVE_THE_LIST}


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_topology_imports_no_other(folder):
    for path in (FAMILY / "topologies" / folder).glob("*.py"):
        assert not heads(path) & ABOVE_THE_LIST, path
        others = [name for name in imported(path) if name.startswith("topologies")]
        assert all(name.startswith(f"topologies.{folder}.") for name in others), path


def test_what_is_above_the_list_names_no_topology():
    for path in [*(FAMILY / f"{name}.py" for name in ABOVE_THE_LIST), FAMILY / "topologies" / "__init__.py"]:
        named = [name for name in imported(path) if name.partition(".")[0] == "topologies"]
        assert not any(name.split(".")[1:2] == [folder] for name in named for folder in FOLDERS), path


def test_physics_imports_nothing_from_claims():
    assert all("claims" not in heads(path) for path in PHYSICS)
