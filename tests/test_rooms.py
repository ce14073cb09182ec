"""Rooms stay small enough to be seen through, and each with rooms inside says which may import which."""

import ast
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MOST = 18
PACKAGES = sorted(
    path.parent.relative_to(ROOT) for top in ("dse", "models") for path in (ROOT / top).rglob("__init__.py")
)
ENGINE = [folder for folder in PACKAGES if folder.parts[0] == "dse" and not (ROOT / folder).is_symlink()]
ASIDE = {"claims", "cli"}  # what stands beside the physics of every family


def rooms_inside(folder):
    """Return the folders of modules that stand directly in a folder."""
    return {other.name for other in PACKAGES if other.parent == folder}


def layered():
    """Return the folders that a contract of layers names, each with the modules in its layers."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    return {
        container: {name.strip(" ()") for layer in contract["layers"] for name in layer.split("|")}
        for contract in tomllib.loads(text)["tool"]["importlinter"]["contracts"]
        if contract["type"] == "layers" and contract["exhaustive"]
        for container in contract["containers"]
    }


def test_no_folder_is_too_large_to_be_seen_through():
    sizes = {folder.as_posix(): len(list((ROOT / folder).glob("*.py"))) for folder in PACKAGES}
    assert max(sizes.values()) > 1
    assert {folder: size for folder, size in sizes.items() if size > MOST} == {}


@pytest.mark.parametrize("folder", [folder for folder in ENGINE if len(folder.parts) > 1], ids=str)
def test_a_room_of_the_engine_is_described_and_exports_nothing(folder):
    tree = ast.parse((ROOT / folder / "__init__.py").read_text(encoding="utf-8"))
    assert ast.get_docstring(tree)
    assert len(tree.body) == 1


def with_rooms():
    """Return the folders that hold rooms: of the engine all, of the families those that hold more than their asides."""
    engine = [folder for folder in ENGINE if len(folder.parts) > 1 and rooms_inside(folder)]
    families = [folder for folder in PACKAGES if folder.parts[0] == "models" and len(folder.parts) == 2]
    return engine + [folder for folder in families if rooms_inside(folder) - ASIDE]


@pytest.mark.parametrize("folder", with_rooms(), ids=str)
def test_folders_with_rooms_say_which_may_import_which(folder):
    module = ".".join(folder.parts) if folder.parts[0] == "dse" else "dse." + ".".join(folder.parts)
    assert rooms_inside(folder) <= layered()[module]
