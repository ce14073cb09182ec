"""What is generated from the code in docs/ is what the code says today."""

import importlib.util
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def script(name):
    """Return a script of the documents as a module."""
    spec = importlib.util.spec_from_file_location(f"docs_{name}", ROOT / f"docs/scripts/{name}.py")
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def architecture():
    return script("architecture")


def test_the_architecture_is_drawn_from_the_imports(architecture):
    for path, text in architecture.documents().items():
        same = path.is_file() and path.read_text(encoding="utf-8") == text
        assert same, f"{path.relative_to(ROOT)} is out of date: run .venv/bin/python docs/scripts/architecture.py"


def test_rooms_floors_arrows_and_circles_are_counted(architecture):
    """Three rooms in a ring above a fourth: a chain enters each once."""
    imports = {
        "dse": set(),
        "dse.a": {"dse.b.one"},
        "dse.b": set(),
        "dse.b.one": {"dse.c", "dse.b.two"},
        "dse.b.two": {"dse.d"},
        "dse.c": {"dse.a", "dse.d", "dse.models.m"},
        "dse.d": set(),
        "dse.models.m": {"dse.d"},
    }
    counted = {"rooms": 5, "floors": 4, "arrows": 5, "circles": 1, "rooms in a circle": 3}
    assert architecture.numbers(imports) == counted


def test_arrows_of_claims_are_told_from_those_of_the_physics(architecture):
    imports = {
        "dse.models.a.claims.published": {"dse.models.b.law"},
        "dse.models.a.law": {"dse.models.c.law"},
        "dse.models.b.law": set(),
        "dse.models.c.law": set(),
    }
    picture = architecture.families_picture(imports)
    assert (picture.arrows, picture.aside) == ({("a", "c"): 1}, {("a", "b"): 1})
    assert architecture.drawn(picture, "t", "level").count('class="wire aside"') == 1
