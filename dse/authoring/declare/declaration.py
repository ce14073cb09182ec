"""Quantities: what a model function gives, what it needs, and where its numbers come from.

A model is a Python module with four kinds of things in it::

    frequency = parameter(unit="Hz", doc="Clock frequency of the cores")
    switch_power = assumption(100.0, unit="W", source="Anghel 2017, Table 7.9", doc="Power of one switch")

    @quantity(unit="s", source="Ramapantulu et al. 2015, Eq. 2", valid={"nodes": (1, 8)})
    def compute_time(work_cycles, nonmemory_stall_cycles, nodes, cores, frequency):
        "Time each core spends on useful and overlapped work."
        return (work_cycles + nonmemory_stall_cycles) / (nodes * cores * frequency)

    @quantities(gives={"hops": "1", "switches": "1"}, source="…", slot="network", provider="torus")
    def torus(...): ...

The name of a quantity is the name of the function (or of the module attribute); an argument name is the name
of the quantity it needs.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import ModuleType
from typing import Any, Generic, Protocol, Required, TypedDict, Unpack

from typing_extensions import ParamSpec, TypeVar

from dse.authoring.declare.limits import Limited
from dse.authoring.declare.requirement import Requirement
from dse.authoring.houses import label_of
from dse.errors import ModelError

__all__ = ["Assumption", "Column", "DocumentParameter", "LawError", "ModelFunction", "Parameter"]
__all__ += [
    "RelativeError",
    "TableParameter",
    "assumption",
    "declarations",
    "document_parameter",
    "parameter",
    "quantities",
    "quantity",
]
__all__ += ["table_parameter"]


_P = ParamSpec("_P")
_R = TypeVar("_R", covariant=True)
_Needs = ParamSpec("_Needs", default=...)  # a function of no kind in particular is one of whatever it is given
_Gives = TypeVar("_Gives", covariant=True, default=Any)


@dataclass(frozen=True)
class RelativeError:
    """A relative error of a quantity: mean, standard deviation (fractions) and what it was measured on.

    ``published`` is False of an error that nobody but the author of the model has found, such as by a simulation.
    ``is_upper_bound`` says that the figure was never exceeded where the error was found: it is too high by the mean.
    """

    mean: float
    std: float | None = None
    of: str = ""
    published: bool = True
    is_upper_bound: bool = False

    @property
    def ends(self) -> tuple[float, float]:
        """The ends of the deviation of what is true from what is computed, as shares of the latter."""
        return (-self.mean / (1.0 + self.mean), 0.0) if self.is_upper_bound else (-self.mean, self.mean)


@dataclass(frozen=True)
class Unlisted:
    """How far a law may be off designs with a value that none of what it was fitted on has.

    Attributes
    ----------
    quantity : str
        An input of numbers.
    values : tuple of float
        Those it was fitted on, SI.
    spread : float
        Standard deviation of the logarithm, in the place of that of the law.
    """

    quantity: str
    values: tuple[float, ...]
    spread: float


@dataclass(frozen=True)
class LawError:
    """How far a law may be off: an unknown that every study has whose answer depends on the input that carries it.

    Attributes
    ----------
    spread : float
        Standard deviation of the logarithm.
    law : str
        What people read: "power of sockets of vector cores".
    of : tuple of str
        Quantities the input is a factor of; where a study says itself what is not known of one, that stands instead.
    source : str
        What the spread was read off.
    unlisted : Unlisted, optional
        One value stands for the law in all designs, so this holds for all of a space that offers what is not listed.
    """

    spread: float
    law: str
    of: tuple[str, ...] = ()
    source: str = ""
    unlisted: Unlisted | None = None


@dataclass(frozen=True)
class ModelFunction(Generic[_Needs, _Gives]):
    """A pure function of quantities that gives one or more quantities.

    Attributes
    ----------
    name : str
        The name of the function; of the quantity too, when it gives one.
    function : callable
        Plain NumPy on arrays that broadcast.
    needs : tuple of str
        The quantities it reads, in the order of its arguments.
    gives : dict of str to str
        The quantities it gives, with their SI units, in the order of its results.
    source : str
        Where the formula was published.
    error : RelativeError or mapping of str to RelativeError, optional
        Published error, of all it gives or by quantity.
    valid : mapping of str to (float, float)
        The range of each argument the validation covered; designs outside are marked extrapolated.
    slot, provider : str, optional
        The slot this function fills and the name of the component it belongs to.
    default : bool
        The component that fills the slot when the study names none; reports list the choice.
    points_only : bool
        It has no range form, so the engine always tabulates it.
    sum_of, max_of : tuple of str
        The quantities its result is the sum, or the maximum, of: what a breakdown and a bottleneck are drawn from.
    rate : str
        What the reciprocal of its result is called, where that is read more easily: "instructions per cycle" of cycles
        per instruction. Quantities with the same rate stand on one axis (`dse.analysis.explain.bottlenecks`).
    marks : tuple of str
        Those of its results that are 1 where the others were found numerically, without a closed form. Frontier and
        report show them wherever one is not 0.
    mark_words : mapping of str to str
        What such designs do or are, where a mark means something else: "are approximate".
    over, by : str
        The index set whose members it joins, and how: "sum", "max" or "min" (`dse.graph.index_sets`).
    signed : tuple of str
        Those of its results that may be negative though their unit is one of time, power, energy, bytes, length or
        area. A negative value of the others is an error.
    labels : mapping of str to str
        Words for people by quantity, where its name with blanks says too little.
    excludes : tuple of str
        Quantities that count the same thing: a system that has one of them beside what it gives is refused.
    band : tuple of str
        Two quantities, the least and the greatest factor by which its result may differ as its inputs are not sure.
    beside : tuple of str
        Components of its slot that are the other end of a bracket: what they would give is told beside a design.
    undimensional : str
        Why its result does not scale with the units of its arguments, where it does not: a fit in megabytes, say.
    """

    name: str
    function: Callable[_Needs, _Gives]
    needs: tuple[str, ...]
    gives: Mapping[str, str]
    source: str
    doc: str = ""
    error: RelativeError | Mapping[str, RelativeError] | None = None
    valid: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    slot: str | None = None
    provider: str | None = None
    default: bool = False
    points_only: bool = False
    sum_of: tuple[str, ...] = ()
    max_of: tuple[str, ...] = ()
    rate: str = ""
    marks: tuple[str, ...] = ()
    mark_words: Mapping[str, str] = field(default_factory=dict)
    over: str = ""
    by: str = ""
    module: str = ""
    signed: tuple[str, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict)
    excludes: tuple[str, ...] = ()
    band: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    undimensional: str = ""

    def __call__(self, *args: _Needs.args, **kwargs: _Needs.kwargs) -> _Gives:
        """Call the plain function."""
        return self.function(*args, **kwargs)

    @property
    def label(self) -> str:
        """The name with its module, as messages show it."""
        return f"{self.module}.{self.name}" if self.module else self.name


@dataclass(frozen=True)
class Parameter(Limited):
    """A quantity a study must give: an axis, a column of a part, or a fixed value.

    `minimum`/`maximum` are the inclusive limits of meaningful values in SI; `above` is an exclusive lower limit;
    `integer` allows whole numbers only; `signed` allows a time, a power and the like to be negative. `unit` ``"text"``
    marks a text. `label` is what people read instead of the name.
    """

    unit: str
    doc: str
    name: str = ""
    minimum: float | None = None
    maximum: float | None = None
    above: float | None = None
    integer: bool = False
    module: str = ""
    signed: bool = False
    label: str = ""


@dataclass(frozen=True)
class Assumption(Limited):
    """A constant with a default that a study may replace; never without a unit and a source.

    Limits and label are those of a `Parameter`. `neglects` says what the default leaves out, as "power of the store"; a
    study that gives no value of its own is warned of it. `law_error`: see there.
    """

    value: float
    unit: str
    source: str
    doc: str
    name: str = ""
    minimum: float | None = None
    maximum: float | None = None
    above: float | None = None
    integer: bool = False
    module: str = ""
    signed: bool = False
    neglects: str = ""
    label: str = ""
    law_error: LawError | None = None


@dataclass(frozen=True)
class Column:
    """A column of a table: its SI unit and other headings it may stand under, each with the unit of that heading."""

    unit: str
    doc: str = ""
    aliases: Mapping[str, str] = field(default_factory=dict)
    optional: bool = False


@dataclass(frozen=True)
class TableParameter:
    """A table a study must give (a CSV file, filtered by ``where``); functions get a `dse.authoring.table.Table`."""

    columns: Mapping[str, Column]
    doc: str
    name: str = ""
    module: str = ""


class Document(Protocol):
    """What the reader of a document returns: it says where its content comes from, as a table does."""

    @property
    def name(self) -> str:
        """The file as the study names it."""

    @property
    def sources(self) -> Sequence[str]:
        """Where its numbers come from, each once."""

    @property
    def synthetic(self) -> bool:
        """Whether anything in it is made up."""


@dataclass(frozen=True)
class DocumentParameter:
    """A file a study must give, read by the model's own reader; functions get what the reader returns.

    `read` takes the path. What it returns tells ``name``, ``sources`` and ``synthetic``, as a
    `dse.authoring.table.Table` does, and may have a method ``where`` that returns the part of it that the conditions of
    a study name.
    """

    read: Callable[[Path], Document]
    doc: str
    name: str = ""
    module: str = ""


Declaration = Assumption | DocumentParameter | ModelFunction | Parameter | Requirement | TableParameter
"""What a module declares by a name of its own."""

_D = TypeVar("_D", bound=Assumption | DocumentParameter | Parameter | Requirement | TableParameter)


def parameter(
    *,
    unit: str,
    doc: str,
    minimum: float | None = None,
    maximum: float | None = None,
    above: float | None = None,
    integer: bool = False,
    signed: bool = False,
    label: str = "",
) -> Parameter:
    """Declare a quantity that the study gives. Its name is the module attribute it is assigned to."""
    return Parameter(
        unit=unit,
        doc=doc,
        minimum=minimum,
        maximum=maximum,
        above=above,
        integer=integer,
        signed=signed,
        label=label,
    )


def assumption(
    value: float,
    *,
    unit: str,
    source: str,
    doc: str,
    minimum: float | None = None,
    maximum: float | None = None,
    above: float | None = None,
    integer: bool = False,
    signed: bool = False,
    neglects: str = "",
    label: str = "",
    law_error: LawError | None = None,
) -> Assumption:
    """Declare a constant with a default, a unit and a source. Its name is the module attribute it is assigned to.

    `neglects` says what the default leaves out; studies that keep the default are told. `law_error` makes the constant
    an unknown of every study that it reaches.
    """
    if not source:
        msg = f"assumption of {value} {unit}: 'source' is empty; a default without a source is not allowed"
        raise ModelError(msg)
    if integer and value % 1 != 0:
        raise ModelError(f"assumption of {value} {unit}: it takes whole numbers only")
    return Assumption(
        value=float(value),
        unit=unit,
        source=source,
        doc=doc,
        minimum=minimum,
        maximum=maximum,
        above=above,
        integer=integer,
        signed=signed,
        neglects=neglects,
        label=label,
        law_error=law_error,
    )


def table_parameter(*, columns: Mapping[str, Column], doc: str) -> TableParameter:
    """Declare a table that the study gives. Its name is the module attribute it is assigned to."""
    return TableParameter(columns=dict(columns), doc=doc)


def document_parameter(*, read: Callable[[Path], Document], doc: str) -> DocumentParameter:
    """Declare a file that the study gives under ``[tables]``. Its name is the module attribute it is assigned to."""
    return DocumentParameter(read=read, doc=doc)


def quantity(
    *,
    unit: str,
    source: str,
    name: str | None = None,
    error: RelativeError | None = None,
    valid: Mapping[str, tuple[float, float]] | None = None,
    slot: str | None = None,
    provider: str | None = None,
    default: bool = False,
    points_only: bool = False,
    sum_of: tuple[str, ...] = (),
    max_of: tuple[str, ...] = (),
    rate: str = "",
    over: str = "",
    by: str = "",
    signed: bool = False,
    label: str = "",
    band: tuple[str, ...] = (),
    beside: tuple[str, ...] = (),
    dimensional: bool = True,
    reason: str = "",
) -> Callable[[Callable[_P, _R]], ModelFunction[_P, _R]]:
    """Make a function a quantity of the same name (or of `name`, where several providers give the same).

    With `over`, a function of one argument is the ``by="sum"``, "max" or "min" of that quantity over the members of an
    index set of the study; it returns its argument, which is the answer where the study has no such set. With `signed`,
    a time, a power, an energy, … may be negative. `label` is what people read: "time of the mix". `band` and `beside`
    are those of `ModelFunction`. An empirical formula whose result does not scale with its units says
    ``dimensional=False`` and the `reason`; `dse check` asks all others.
    """

    def decorate(function: Callable[_P, _R]) -> ModelFunction[_P, _R]:
        return _model_function(
            function,
            {name or function.__name__: unit},
            source,
            error=error,
            valid=valid or {},
            slot=slot,
            provider=provider,
            default=default,
            points_only=points_only,
            sum_of=tuple(sum_of),
            max_of=tuple(max_of),
            rate=rate,
            over=over,
            by=by,
            signed=(name or function.__name__,) if signed else (),
            labels={name or function.__name__: label} if label else {},
            band=band,
            beside=beside,
            undimensional=_undimensional(dimensional, reason),
        )

    return decorate


def quantities(
    *,
    gives: Mapping[str, str],
    source: str,
    error: Mapping[str, RelativeError] | None = None,
    valid: Mapping[str, tuple[float, float]] | None = None,
    slot: str | None = None,
    provider: str | None = None,
    default: bool = False,
    points_only: bool = False,
    marks: tuple[str, ...] = (),
    mark_words: Mapping[str, str] | None = None,
    signed: bool | tuple[str, ...] = False,
    labels: Mapping[str, str] | None = None,
    excludes: tuple[str, ...] = (),
    dimensional: bool = True,
    reason: str = "",
) -> Callable[[Callable[_P, _R]], ModelFunction[_P, _R]]:
    """Make a function that returns a tuple the provider of several quantities, in the order of `gives`.

    `signed` names those that may be negative though they are times, powers, energies, …; True stands for all. `labels`
    are what people read instead of their names. No system has one of `excludes` beside them. `dimensional` and `reason`
    as in `quantity`.
    """

    def decorate(function: Callable[_P, _R]) -> ModelFunction[_P, _R]:
        return _model_function(
            function,
            dict(gives),
            source,
            error=error,
            valid=valid or {},
            slot=slot,
            provider=provider,
            default=default,
            points_only=points_only,
            marks=tuple(marks),
            mark_words=dict(mark_words or {}),
            signed=tuple(gives) if signed is True else tuple(signed or ()),
            labels=dict(labels or {}),
            excludes=tuple(excludes),
            undimensional=_undimensional(dimensional, reason),
        )

    return decorate


class _Remarks(TypedDict, total=False):
    """What a declaration says of a function beside what it gives and its source; the names are those of its fields."""

    error: RelativeError | Mapping[str, RelativeError] | None
    valid: Required[Mapping[str, tuple[float, float]]]
    slot: Required[str | None]
    provider: Required[str | None]
    default: bool
    points_only: bool
    sum_of: tuple[str, ...]
    max_of: tuple[str, ...]
    rate: str
    marks: tuple[str, ...]
    mark_words: Mapping[str, str]
    over: str
    by: str
    signed: tuple[str, ...]
    labels: Mapping[str, str]
    excludes: tuple[str, ...]
    band: tuple[str, ...]
    beside: tuple[str, ...]
    undimensional: str


def _undimensional(dimensional: bool, reason: str) -> str:
    """Return why a function is not asked for its dimensions, which ``dimensional=False`` needs and no other has."""
    if dimensional == bool(reason):
        msg = "'reason' goes with dimensional=False, which needs one: why the result does not scale with its units"
        raise ModelError(msg)
    return reason


def _model_function(
    function: Callable[_P, _R], gives: Mapping[str, str], source: str, **rest: Unpack[_Remarks]
) -> ModelFunction[_P, _R]:
    where = f"{function.__module__}.{function.__qualname__}"
    if not source:
        raise ModelError(f"{where}: 'source' is empty; a formula without a source is not allowed")
    if (rest["slot"] is None) != (rest["provider"] is None):
        raise ModelError(f"{where}: 'slot' and 'provider' go together")
    if not gives:
        raise ModelError(f"{where}: gives no quantity")
    if rest.get("over") and rest.get("by") not in ("sum", "max", "min"):
        raise ModelError(f"{where}: 'by' is {rest.get('by')!r}; with 'over' it is 'sum', 'max' or 'min'")
    needs = []
    for argument in inspect.signature(function).parameters.values():
        if argument.kind is not inspect.Parameter.POSITIONAL_OR_KEYWORD:
            raise ModelError(f"{where}: argument '{argument.name}' must be a plain positional argument")
        if argument.default is not inspect.Parameter.empty:
            raise ModelError(f"{where}: argument '{argument.name}' has a default; declare an assumption instead")
        needs.append(argument.name)
    if rest.get("over") and len(needs) != 1:
        raise ModelError(f"{where}: with 'over' it has one argument, the quantity of each member; it has {len(needs)}")
    stray = [name for name in rest.get("signed", ()) if name not in gives]
    if stray:
        raise ModelError(f"{where}: 'signed' names {stray[0]!r}, which is not among what it gives {list(gives)}")
    stray = [name for name in rest.get("labels", {}) if name not in gives]
    if stray:
        raise ModelError(f"{where}: 'labels' names {stray[0]!r}, which is not among what it gives {list(gives)}")
    unknown = [name for name in rest["valid"] if name not in needs]
    if unknown:
        raise ModelError(f"{where}: 'valid' names {unknown[0]!r}, which is not among its arguments {needs}")
    return ModelFunction(
        name=function.__name__,
        function=function,
        needs=tuple(needs),
        gives=dict(gives),
        source=source,
        doc=inspect.cleandoc(function.__doc__ or ""),
        module=label_of(function.__module__),
        **rest,
    )


def declarations(*modules: ModuleType) -> dict[str, Declaration]:
    """Return what the modules of a package declare, by name, so that the package is one model."""
    return {name: item for module in modules for name, item in vars(module).items() if isinstance(item, Declaration)}


def named(item: _D, name: str, module: str) -> _D:
    """Return a declaration with the module attribute it was assigned to as its name."""
    return replace(item, name=name, module=label_of(module))
