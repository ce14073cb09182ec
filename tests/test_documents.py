"""What is generated from the code in docs/ is what the code says today."""

import importlib.util
import pkgutil
import re
import sys
from pathlib import Path

import pytest

from dse.authoring.library.library import load_model
from dse.authoring.library.listing import available_models

ROOT = Path(__file__).parents[1]


MODEL = """
from dse import RelativeError, assumption, parameter, quantities, quantity

nodes = parameter(unit="1", doc="Nodes of the machine", minimum=1, integer=True)
switch_power = assumption(100.0, unit="W", source="a page", doc="Power of one switch", above=0)

@quantity(unit="W", source="a book", error=RelativeError(0.08, of="a rack"), valid={"switches": (1, 64)})
def network_power(switches, switch_power):
    \"\"\"Power of all | switches.\"\"\"
    return switches * switch_power

@quantities(gives={"switches": "1", "hops": "1"}, source="a tree", slot="network", provider="tree", default=True)
def tree(nodes):
    \"\"\"Switches and hops.\"\"\"
    half = nodes / 2
    return half, half
"""


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
    sizes = {"rooms inside": 0, "largest folder": 4, "of `models/`": 1}
    assert architecture.numbers(imports) == counted | sizes


def test_rooms_inside_a_room_are_drawn_with_what_stands_loose(architecture):
    imports = {
        "dse": set(),
        "dse.a": set(),
        "dse.a.high": set(),
        "dse.a.high.one": {"dse.a.low.one", "dse.a.low.two", "dse.b"},
        "dse.a.low": set(),
        "dse.a.low.one": {"dse.a.low.two"},
        "dse.a.low.two": set(),
        "dse.a.loose": {"dse.a.high.one"},
        "dse.b": set(),
    }
    assert architecture.rooms_inside(imports, "dse.a") == ["high", "low"]
    drawn = architecture.room_picture(imports, "dse.a", loose=True)
    assert drawn.floors == {"low": 0, "high": 1, "loose": 2}
    assert drawn.sizes == {"low": 3, "high": 2, "loose": 1}
    assert drawn.arrows == {("high", "low"): 2, ("loose", "high"): 1}
    assert architecture.room_picture(imports, "dse.a", loose=False).floors == {"low": 0, "high": 1}
    assert architecture.drawn_beside({"a": drawn}, "t").count(" loose") == 1
    assert architecture.folder_sizes(imports) == {"dse": 2, "dse.a": 2, "dse.a.high": 2, "dse.a.low": 3}


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


@pytest.fixture(scope="module")
def model_reference():
    return script("model_reference")


def test_the_reference_says_what_a_model_declares(model_reference, tmp_path):
    (tmp_path / "m.py").write_text(MODEL)
    page = model_reference.page(load_model("m.py", tmp_path))
    assert (
        "### `network_power` [W]\n\n- Power of all | switches.  \n  `switches * switch_power` · source: a book" in page
    )
    assert "published error 8 % (a rack) · validated for `switches` 1 to 64\n" in page
    assert (
        "### `switches` [1], `hops` [1]\n\n- **network: tree (default).** Switches and hops.  \n  needs `nodes`" in page
    )
    assert "| `nodes` | 1 | Nodes of the machine | >= 1, whole |" in page
    assert "| `switch_power` | 100 W | Power of one switch | > 0 | a page |" in page
    assert "| `network` | `tree` (default) |" in page


def test_the_reference_has_every_quantity_of_every_model(model_reference):
    pages = model_reference.pages()
    for name in available_models():
        assert f"[{name}]({name}.md)" in pages["README.md"]
        for function in load_model(name).functions:
            for given, unit in function.gives.items():
                assert f"`{given}` [{unit}]" in pages[f"{name}.md"]
            assert function.source in pages[f"{name}.md"]


DOCUMENTS = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("docs/[dg]*/*.md")]  # not the generated ones
FOLDERS = ("dse", "models", "spaces", "studies", "tests", "docs", "benchmarks", "requirements")
FILES = {path.relative_to(ROOT).as_posix() for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")}
OF_ANY = ("dse/", "models/", "spaces/", "studies/", "tests/")  # where a family, a topology or a study has its files
ENDS = {"/".join(file.split("/")[-length:]) for file in FILES for length in range(1, 5)}
GROUPS = ("dse.models", "dse.commands")  # of entry points


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_files_and_modules_that_a_document_names_exist(document):
    """NAME and FAMILY stand for any that is there; a reader's own are my_model.py, m.py, models.py, forecast.py."""
    text = re.sub(r"^```.*?^```", "", document.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    for name in re.findall(r"`([\w./*-]+)`", text):
        pattern = re.sub(r"NAME|FAMILY", "*", name)
        if pattern != name and name.startswith(OF_ANY):
            assert list(ROOT.glob(pattern)), name
        if pattern != name or re.search(r"^my_|^my-|^(m|models|forecast)\.py$", name):
            continue
        if name.startswith(tuple(f"{folder}/" for folder in FOLDERS)):
            assert (ROOT / name).exists() or list(ROOT.glob(name)), name
        elif name.endswith(".py"):
            assert name in ENDS or (ROOT / name).exists(), name
        elif re.match(r"dse\.\w", name) and name not in GROUPS:
            assert is_there(name), name


def is_there(name):
    """Tell whether a dotted name is a module, or something in one."""
    try:
        pkgutil.resolve_name(name)
    except (ImportError, AttributeError):
        return False
    return True


def test_the_targets_that_contributors_are_told_of_exist():
    targets = re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE)
    named = re.findall(r"`make (\w+)`", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))
    assert {"check", "test"} <= set(named) <= set(targets)
