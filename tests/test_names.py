"""Names say what they hold: the emptiest of them are neither variables nor parameters anywhere."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
EMPTY = {"told", "found", "one", "some", "thing"}
ROOMS = sorted(
    folder
    for top in ("dse", "models")
    for folder in (ROOT / top).iterdir()
    if folder.is_dir() and not folder.is_symlink() and folder.name != "__pycache__"
)
LOOSE = sorted([*(ROOT / "dse").glob("*.py"), *(ROOT / "models").glob("*.py")])


def bound(tree):
    """Yield line and name of every variable and parameter, also of comprehensions."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.id
        elif isinstance(node, ast.arg):
            yield node.lineno, node.arg
        elif isinstance(node, ast.ExceptHandler) and node.name:
            yield node.lineno, node.name


def of_fields(tree):
    """Return the lines on which a class says what it holds."""
    return {
        entry.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
        for entry in node.body
        if isinstance(entry, ast.AnnAssign | ast.Assign)
    }


def empty_names(text):
    """Return the lines on which an empty name is bound, with the name."""
    tree = ast.parse(text)
    fields = of_fields(tree)
    return [f"{line}: {name}" for line, name in bound(tree) if name in EMPTY and line not in fields]


def in_files(files):
    return [
        f"{file.relative_to(ROOT)}:{place}" for file in files for place in empty_names(file.read_text(encoding="utf-8"))
    ]


@pytest.mark.parametrize("folder", ROOMS, ids=lambda folder: folder.relative_to(ROOT).as_posix())
def test_no_variable_has_an_empty_name(folder):
    files = [file for file in sorted(folder.rglob("*.py")) if "templates" not in file.parts]
    assert in_files(files) == []


def test_no_variable_of_a_loose_module_has_an_empty_name():
    assert in_files(LOOSE) == []


@pytest.mark.parametrize(
    "text",
    [
        "found = 1",
        "def f(one): pass",
        "[thing for thing in x]",
        "lambda told: told",
        "for some in x: pass",
        "try: pass\nexcept E as found: pass",
        "with x as found: pass",
        "if (found := x): pass",
    ],
)
def test_an_empty_name_is_found(text):
    assert len(empty_names(text)) == 1


def test_fields_words_in_texts_and_calls_are_left_alone():
    text = "class A:\n    found: int\nx.found = f(found=1)\ny = 'one of some'"
    assert empty_names(text) == []
