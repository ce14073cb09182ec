"""What may import what: shared <- topologies/* <- the list of them <- bandwidth, components <- claims."""

import ast
from pathlib import Path

import pytest

import dse.models.network
from dse.models.network import topologies

FAMILY = Path(dse.models.network.__file__).parent
NAME = "dse.models.network"
FOLDERS = sorted(path.parent.name for path in (FAMILY / "topologies").glob("*/component.py"))
ABOVE_THE_LIST = {"__init__", "components", "parts.parts"}
ABOVE_THE_LIST |= {f"bandwidth.{name}" for name in ("bandwidth", "neighbours", "routing", "seeds", "shared_nodes")}
ABOVE_THE_LIST |= {"bandwidth.exchange_rounds", "bandwidth.neighbour_processes"}
ASIDE = ("claims", "topologies")


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


def above(path):
    """Modules above the list of topologies that a file imports."""
    return {name for name in imported(path) if name in ABOVE_THE_LIST}


def name_of(path):
    return ".".join(path.relative_to(FAMILY).with_suffix("").parts)


PHYSICS = [path for path in sorted(FAMILY.rglob("*.py")) if "claims" not in path.parts]
SHARED = [path for path in PHYSICS if path.relative_to(FAMILY).parts[0] not in ASIDE]
SHARED = [path for path in SHARED if name_of(path) not in ABOVE_THE_LIST]


def test_every_folder_is_found():
    assert len(FOLDERS) >= 6
    components = {one.topology.name for one in topologies.COMPONENTS}
    assert components == set(topologies.TOPOLOGIES)
    providers = [one.provider for one in topologies.COMPONENTS]
    assert len(set(providers)) == len(providers)


@pytest.mark.parametrize("path", SHARED, ids=lambda path: str(path.relative_to(FAMILY)))
def test_what_is_shared_knows_no_topology(path):
    assert "topologies" not in heads(path)
    assert not above(path)


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_topology_imports_no_other(folder):
    for path in (FAMILY / "topologies" / folder).glob("*.py"):
        assert not above(path), path
        others = [name for name in imported(path) if name.startswith("topologies")]
        assert all(name.startswith(f"topologies.{folder}.") for name in others), path


def test_what_is_above_the_list_names_no_topology():
    files = [FAMILY / f"{name.replace('.', '/')}.py" for name in ABOVE_THE_LIST]
    for path in [*files, FAMILY / "topologies" / "__init__.py"]:
        named = [name for name in imported(path) if name.partition(".")[0] == "topologies"]
        assert not any(name.split(".")[1:2] == [folder] for name in named for folder in FOLDERS), path


def test_physics_imports_nothing_from_claims():
    assert all("claims" not in heads(path) for path in PHYSICS)
