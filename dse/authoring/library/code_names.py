"""Which names a function reads from around it, and whether two texts of a function run the same."""

from __future__ import annotations
import __future__

import ast
import dis
from collections.abc import Iterator
from types import CodeType

__all__ = ["POSTPONED", "free_names", "what_runs"]

_CALLS = frozenset(("CACHE", "CALL", "NOP", "PRECALL", "PUSH_NULL", "RESUME"))
_JUMPS = frozenset((*dis.hasjabs, *dis.hasjrel))
POSTPONED = __future__.annotations.compiler_flag
"""Flag of code whose annotations are not computed."""


def free_names(node: ast.FunctionDef, code: CodeType) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the names of its surroundings that a function reads, each with the attributes that follow it."""
    chains: dict[ast.AST, tuple[str, ...]] = {}
    for name, chain in _chains(node):
        chains.setdefault(name, chain)  # the longest comes first
    read = _names_read(code)
    around = {part for place in _around(node, code) for part in ast.walk(place)}
    for part in ast.walk(node):
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load) and (part.id in read or part in around):
            yield part.id, chains.get(part, ())


def _names_read(code: CodeType) -> set[str]:
    """Return the names that a function, and those inside it, read from around it."""
    names = {step.argval for step in dis.get_instructions(code) if step.opname in ("LOAD_GLOBAL", "LOAD_NAME")}
    inner = (_names_read(inner_code) for inner_code in code.co_consts if isinstance(inner_code, CodeType))
    return names.union(code.co_freevars, *inner)


def _around(node: ast.FunctionDef, code: CodeType) -> Iterator[ast.expr]:
    """Yield what is computed when a function is defined: decorators, defaults, annotations that are not postponed."""
    given = node.args
    yield from node.decorator_list
    yield from (default for default in (*given.defaults, *given.kw_defaults) if default is not None)
    if not code.co_flags & POSTPONED:
        every = (*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg)
        yield from (
            argument.annotation for argument in every if argument is not None and argument.annotation is not None
        )
        yield from () if node.returns is None else (node.returns,)


def _chains(node: ast.AST) -> Iterator[tuple[ast.Name, tuple[str, ...]]]:
    """Yield the names that attributes follow: of ``scipy.special.erf`` the name ``scipy`` and what follows."""
    for part in ast.walk(node):
        chain: list[str] = []
        inner: ast.AST = part
        while isinstance(inner, ast.Attribute):
            chain.insert(0, inner.attr)
            inner = inner.value
        if chain and isinstance(inner, ast.Name):
            yield inner, tuple(chain)


def what_runs(code: CodeType) -> list[tuple[str, object]]:
    """Return the operations of a function with their operands.

    A method of a module is called another way where the module is imported in the same text, so calls are left out and
    methods count as attributes.
    """
    operations: list[tuple[str, object]] = []
    for step in dis.get_instructions(code):
        if step.opname in _CALLS:
            continue
        operand = None if step.opcode in _JUMPS else step.argval
        name = "LOAD_ATTR" if step.opname == "LOAD_METHOD" else step.opname
        operations.append((name, what_runs(operand) if isinstance(operand, CodeType) else repr(operand)))
    return operations
