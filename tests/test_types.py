"""Ceilings of what hides types and arrows: `Any`, and imports inside functions. They may fall and not rise."""

import ast
import io
import tokenize
from pathlib import Path

ENGINE = Path(__file__).parents[1] / "dse"
OF_OTHERS = ("models", "profiler", "spaces", "studies", "templates")
MOST_ANY = 150
MOST_IMPORTS = 120  # each of them since a command must start without what it imports


def sources():
    for file in sorted(ENGINE.rglob("*.py")):
        if not set(file.relative_to(ENGINE).parts) & set(OF_OTHERS):
            yield file, file.read_text(encoding="utf-8")


def anys(text):
    """Count the name `Any` in a module, where it is imported too."""
    return sum(
        token.type == tokenize.NAME and token.string == "Any"
        for token in tokenize.generate_tokens(io.StringIO(text).readline)
    )


def imports_inside(text):
    """Count the imports that stand in functions, those of a nested function once."""
    functions = (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    return len(
        {inner for node in functions for inner in ast.walk(node) if isinstance(inner, ast.Import | ast.ImportFrom)}
    )


def by_file(count):
    return {str(file.relative_to(ENGINE)): number for file, text in sources() if (number := count(text))}


def test_the_counters_count():
    text = "from typing import Any\n'''Any'''\ndef f(x: Any) -> dict[str, Any]:\n    import os\n"
    text += "    def g():\n        from a import b\n# Any\n"
    assert (anys(text), imports_inside(text)) == (3, 2)
    assert len(list(sources())) > 300


def test_the_engine_says_any_seldom():
    counted = by_file(anys)
    assert sum(counted.values()) <= MOST_ANY, sorted(counted.items(), key=lambda item: -item[1])[:10]


def test_the_engine_imports_inside_functions_where_start_up_needs_it():
    counted = by_file(imports_inside)
    assert sum(counted.values()) <= MOST_IMPORTS, sorted(counted.items(), key=lambda item: -item[1])[:10]
