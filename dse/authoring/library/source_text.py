"""The text of functions that stand in no file of their own: what they are written as, with all they use.

A function of a notebook cell uses names of the notebook: imported modules, constants, other functions. The text of a
module that holds the function holds these too, found by reading the source (`inspect`), never by running it.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import sys
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from types import CodeType, FunctionType, ModuleType

import numpy as np

from dse.authoring.declare.declaration import Assumption, Column, ModelFunction, Parameter, TableParameter
from dse.authoring.declare.requirement import Requirement
from dse.authoring.library.code_names import POSTPONED, free_names, what_runs
from dse.errors import InputError

__all__ = ["source_text"]

_LARGEST_ARRAY = 10_000  # numbers that are written out
_MADE_BY = {
    Assumption: "assumption",
    Column: "Column",
    Parameter: "parameter",
    Requirement: "requirement",
    TableParameter: "table_parameter",
}
_OF_UFUNCS = ("numpy", "scipy.special")  # which do not say where they stand
_HOME = "dse.authoring.declare.declaration"  # of the two names that `dse` itself does not give


def source_text(declared: Mapping[str, object], doc: str = "") -> str:
    """Return the text of a module that declares some functions and inputs again.

    Parameters
    ----------
    declared : dict of str to ModelFunction, Parameter, Assumption, TableParameter or Requirement
        By the name each has in the module.
    doc : str
        Its first line.

    Raises
    ------
    InputError
        The source of a function cannot be had, is not what runs, or uses something that cannot be written.
    """
    text = _Text(declared)
    inputs = [text.declaration(name, item) for name, item in declared.items() if not isinstance(item, ModelFunction)]
    for name, function in text.functions.items():
        assert isinstance(function.function, FunctionType)
        text.function(name, function.function)
    future = ["from __future__ import annotations"] if text.postponed else []
    lines_of = (future, text.import_lines, [*text.constants.values()], inputs)
    parts = [f'"""{doc}"""' if doc else "", *("\n".join(lines) for lines in lines_of)]
    head = "\n\n".join(part for part in parts if part)
    return "\n\n\n".join([head, *text.defined.values()]) + "\n"


@dataclass
class _Text:
    """What has been written so far, and which object each name stands for."""

    declared: Mapping[str, object]
    imports: set[tuple[str, str]] = field(default_factory=set)
    constants: dict[str, str] = field(default_factory=dict)
    defined: dict[str, str] = field(default_factory=dict)
    meant: dict[str, object] = field(default_factory=dict)
    postponed: bool = False

    @property
    def functions(self) -> dict[str, ModelFunction]:
        """The functions that are declared, by name."""
        return {name: item for name, item in self.declared.items() if isinstance(item, ModelFunction)}

    @property
    def import_lines(self) -> list[str]:
        """The imports, those from one module on one line."""
        lines = sorted(f"import {name}" for home, name in self.imports if not home)
        for home in sorted({home for home, _ in self.imports} - {""}):
            names = sorted(name for other, name in self.imports if other == home)
            lines.append(f"from {home} import {', '.join(names)}")
        return lines

    def declaration(self, name: str, item: object) -> str:
        """Write the call that declares an input or a requirement."""
        return f"{name} = {self._call(name, item)}"

    def _call(self, name: str, item: object) -> str:
        made_by = _MADE_BY.get(type(item))
        if made_by is None:
            raise _refused(name, f"it is of the kind {type(item).__name__}")
        self._import(made_by, "dse" if made_by not in ("Column", "table_parameter") else _HOME)
        given = []
        for entry in fields(item):  # type: ignore[arg-type]
            value, field_name = getattr(item, entry.name), entry.name
            default = entry.default_factory() if entry.default_factory is not MISSING else entry.default
            named = isinstance(item, Requirement)  # whose name is no mere echo of the attribute
            if field_name == "module" or (field_name == "name" and not named) or value == default:
                continue
            if isinstance(value, Mapping):
                pairs = (f"{key!r}: {self._value(name, entry)}" for key, entry in value.items())
                written = f"{{{', '.join(pairs)}}}"
            else:
                written = self._value(name, value)
            given.append(written if field_name in ("value", "condition") else f"{field_name}={written}")
        return f"{made_by}({', '.join(given)})"

    def _value(self, name: str, value: object) -> str:
        return self._call(name, value) if isinstance(value, Column) else _literal(name, value)

    def function(self, name: str, function: FunctionType) -> None:
        """Write a function, and before it all it uses."""
        source = _source(name, function)
        (node,) = ast.parse(source).body
        if not isinstance(node, ast.FunctionDef):
            raise _refused(name, "it is a lambda", allowed="a function that begins with def")
        if node.name != name and name not in self.functions:
            raise _refused(name, f"it is called '{node.name}' where it is defined")
        _refuse_other(name, function, source, node.name)
        self.postponed |= bool(function.__code__.co_flags & POSTPONED)
        for used, chain in free_names(node, function.__code__):
            self._resolve(name, function, used, chain)
        self.defined[name] = source

    def _resolve(self, user: str, function: FunctionType, name: str, chain: Sequence[str]) -> None:
        """Write what a name stands for where a function uses it."""
        closed = inspect.getclosurevars(function).nonlocals
        if name in closed:
            target = closed[name]
        elif name in function.__globals__:
            target = function.__globals__[name]
        elif hasattr(builtins, name):
            return
        else:
            raise _refused(user, f"it uses '{name}', which stands for nothing")
        if name in self.meant:
            if self.meant[name] is not target:
                raise _refused(user, f"'{name}' is something else there than in another function")
            if not isinstance(target, ModuleType):
                return
        self.meant[name] = target
        if isinstance(target, ModuleType):
            self._import_module(user, name, target, chain)
        elif any(target is own for own in self.declared.values()):
            return
        elif name in self.declared:
            raise _refused(user, f"it uses '{name}', which is the name of an input or a quantity of the model too")
        elif isinstance(target, ModelFunction):
            raise _refused(user, f"it calls '{name}', a quantity of its own", allowed=f"'{name}' among the functions")
        elif isinstance(target, FunctionType) and target.__globals__ is function.__globals__:
            self.function(name, target)
        elif (home := _home(target)) is not None:
            self._import(*home, alias=name)
        else:
            self.constants[name] = f"{name} = {self._constant(user, name, target)}"

    def _import(self, name: str, home: str, alias: str = "") -> None:
        self.imports.add((home, name + (f" as {alias}" if alias not in ("", name) else "")))

    def _import_module(self, user: str, name: str, module: ModuleType, chain: Sequence[str]) -> None:
        whole = module.__name__
        if sys.modules.get(whole) is not module or whole == "__main__":
            raise _refused(user, f"'{name}' is a module that cannot be imported")
        package, _, last = whole.rpartition(".")
        if name == whole:
            self.imports.add(("", whole))
        elif name == last:
            self._import(name, package)
        else:
            self.imports.add(("", f"{whole} as {name}"))
        for part in chain:  # `scipy.special.erf` needs `import scipy.special`
            whole = f"{whole}.{part}"
            if whole not in sys.modules:
                break
            self.imports.add(("", whole))

    def _constant(self, user: str, name: str, value: object) -> str:
        if isinstance(value, np.ndarray) and value.dtype in (np.float64, np.int64) and value.size <= _LARGEST_ARRAY:
            self.imports.add(("", "numpy"))
            return f"numpy.array({_literal(name, value.tolist())}, dtype=numpy.{value.dtype})"
        if isinstance(value, (np.float64, np.int64, np.bool_)):
            value = value.item()
        try:
            return _literal(name, value)
        except InputError:
            raise _refused(user, f"it uses '{name}', a {type(value).__name__}, which cannot be written") from None


def _literal(name: str, value: object) -> str:
    """Write a number, a text, or a collection of them."""
    text = repr(value)
    short = f"{value:g}".replace("e+", "e") if isinstance(value, float) else ""
    if "e" in short and float(short) == value:
        text = short  # 1e13; a number without exponent would be read as a whole one
    try:
        again = ast.literal_eval(text)
        if again == value and type(again) is type(value):
            return text
    except (ValueError, SyntaxError, TypeError):
        pass
    raise _refused(name, f"{text[:40]} cannot be written")


def _home(item: object) -> tuple[str, str] | None:
    """Return the name something has in a module that can be imported, and that module."""
    dse = sys.modules["dse"]
    for name in getattr(dse, "__all__", ()):
        if getattr(dse, name, None) is item:
            return name, "dse"
    called, home = getattr(item, "__name__", None), getattr(item, "__module__", None)
    for place in _OF_UFUNCS if isinstance(item, np.ufunc) else (home,):
        module = sys.modules.get(place) if isinstance(place, str) and place != "__main__" else None
        if module is not None and isinstance(called, str) and getattr(module, called, None) is item:
            return called, module.__name__
    return None


def _source(name: str, function: FunctionType) -> str:
    try:
        return textwrap.dedent(inspect.getsource(function)).rstrip()
    except (OSError, TypeError, SyntaxError, IndexError):
        raise _refused(name, "its source cannot be had", allowed="a function of a file or of a notebook cell") from None


def _refuse_other(name: str, function: FunctionType, source: str, written: str) -> None:
    """Refuse a source that is not what runs: a file that was edited after it was imported."""
    if function.__code__.co_freevars:
        return  # which are read another way than names of a module
    flags = function.__code__.co_flags & POSTPONED
    module = compile(source, name, "exec", flags=flags, dont_inherit=True)
    recompiled = next(
        constant for constant in module.co_consts if isinstance(constant, CodeType) and constant.co_name == written
    )
    if what_runs(recompiled) != what_runs(function.__code__):
        raise _refused(name, "its source has changed since it was defined", allowed="to define it again")


def _refused(name: str, why: str, allowed: str | None = None) -> InputError:
    return InputError(f"'{name}' cannot be written as a file: {why}", allowed=allowed)
