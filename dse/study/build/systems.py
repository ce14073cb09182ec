"""From products to systems: the graph of an alternative, with its expressions, constraints and assumptions."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from dse.authoring.declare.declaration import ModelFunction
from dse.authoring.declare.requirement import Requirement
from dse.authoring.library.library import Model
from dse.errors import InputError, MissingQuantityError, ModelError
from dse.evaluation.problem import Constraint, Objective, System
from dse.graph.expression import Expression, names_in, parse
from dse.graph.graph import Graph, Input
from dse.graph.index_sets import IndexSet, expand_models, member_name
from dse.graph.indexed_names import base_name
from dse.graph.resolve import Resolver
from dse.space.design_space import Product
from dse.study.build.alternatives import Alternative
from dse.study.build.declarations import Declarations
from dse.study.build.places import at
from dse.study.build.requirements import BY_DEFINITION
from dse.study.build.split import split_values, without_outputs
from dse.study.file.schema import StudySpec
from dse.units import TEXT

__all__ = ["SystemMaker", "index_sets"]

_AT_MOST = re.compile(r"\s*(\w+)\s*<=\s*(\w+)\s*")


def index_sets(spec: StudySpec) -> list[IndexSet]:
    """Return the index sets of a study."""
    return [
        IndexSet(index, {member: frozenset({*own.set, *own.tables}) for member, own in members.items()})
        for index, members in spec.index.items()
    ]


@dataclass(frozen=True)
class SystemMaker:
    """Makes the systems of a study."""

    spec: StudySpec
    declarations: Declarations

    def supplied(self, product: Product) -> dict[str, Input]:
        """Return what a product gives its graph."""
        inputs: dict[str, Input] = {}
        doc, signed = self.declarations.doc, self.declarations.signed
        for axis in product.axes:
            for column, unit in axis.units.items():
                if column in axis.columns:
                    origin = f"axis '{axis.name}'" + (f" of {axis.source}" if axis.is_part else "")
                    inputs[column] = Input(column, unit, "axis", origin, doc(column), signed(column))
        for name in product.fixed:
            inputs[name] = Input(name, product.fixed_units[name], "set", "set by the study", doc(name), signed(name))
        for name, table in product.tables.items():
            inputs[name] = Input(
                name, "table", "table", f"{table.name}: {'; '.join(table.sources)}", self.declarations.doc(name)
            )
        return inputs

    def system(
        self,
        product: Product,
        objectives: Sequence[Objective],
        alternative: Alternative,
        wanted: Sequence[str] = (),
        missing: MutableMapping[str, str] | None = None,
        required: Sequence[Requirement] = (),
    ) -> System:
        """Return the graph of a product, with objectives, constraints and what is shown as targets.

        Parameters
        ----------
        product : Product
        objectives : sequence of Objective
        alternative : Alternative
            What it was made from, beside what is common.
        wanted : sequence of str
            Further targets.
        missing : dict of str to str, optional
            Where given, a target that nothing gives is noted here with the reason, and is no error.
        required : sequence of Requirement
            Conditions of the models, which are constraints where the product has what they read.
        """
        supplied = self.supplied(product)
        models, derived, extra, constraints = self._expressions(product, supplied, missing, required)
        self._check_components(product, supplied, alternative)
        targets = [
            *((f"objectives[{i}]", o.quantity) for i, o in enumerate(objectives)),
            *((f"also[{i}]", name) for i, name in enumerate(self.spec.also)),
            *((c.required_by or f"constraints[{c.place}]", c.quantity) for c in constraints),
            *((alternative.place, name) for name in wanted),
        ]
        conditions = {constraint.quantity for constraint in constraints}
        every = [target for _, target in targets]
        resolver = self._resolver(supplied, product, models, extra)
        graph = (
            None if any(name.startswith("constraint_") for name in {*every} - conditions) else _whole(resolver, every)
        )
        names = every if graph is not None else []
        own = self._resolver(supplied, product, models, derived) if graph is None else resolver
        left_out: MissingQuantityError | None = None
        for key, target in targets if graph is None else ():
            try:
                (resolver if target in conditions else own).resolve([target])
                names.append(target)
            except InputError as error:  # a slot without a component is no fault of the objective
                if missing is not None and isinstance(error, MissingQuantityError):
                    missing.setdefault(target, error.problem)
                elif isinstance(error, MissingQuantityError) and error.missing:
                    # What is left out is told at once, of all that is asked for.
                    if not error.key:
                        error.within(key=key)
                    left_out = error if left_out is None else left_out.joined(error.missing)
                elif left_out is None:
                    raise error if error.key else error.within(key=key) from None
        if left_out is not None:
            raise left_out
        graph = _with_parts(graph or resolver.resolve(names), names, resolver)
        _refuse_counted_twice(graph, alternative)
        for position, objective in enumerate(objectives):
            if graph.units.get(objective.quantity) in (TEXT, "table"):
                raise InputError(
                    f"'{objective.quantity}' is a text",
                    key=f"objectives[{position}]",
                    allowed="a quantity with a number",
                )
        assumptions = {
            name: item.value
            for model in self.declarations.models
            for name, item in model.assumptions.items()
            if name in graph.inputs and graph.inputs[name].kind == "assumption"
        }
        return System(graph, assumptions, tuple(c for c in constraints if c.quantity in graph.units))

    def decided(self, name: str, product: Product) -> tuple[str, np.ndarray]:
        """Return the axis of a product that decides a quantity, and its value in each row (`split.split_values`)."""
        for axis in product.axes:
            if name in axis.columns:
                return axis.name, axis.columns[name]
        supplied = self.supplied(product)
        models, derived, _, _ = self._expressions(product, supplied, {})
        graph = self._resolver(supplied, product, models, derived).resolve([name])
        declared = {
            assumption: item.value
            for model in self.declarations.models
            for assumption, item in model.assumptions.items()
        }
        assumed = {
            assumption: declared[assumption] for assumption, given in graph.inputs.items() if given.kind == "assumption"
        }
        return split_values(name, product, graph, assumed)

    def _expressions(
        self,
        product: Product,
        supplied: Mapping[str, Input],
        missing: MutableMapping[str, str] | None,
        required: Sequence[Requirement] = (),
    ) -> tuple[tuple[Model, ...], tuple[ModelFunction, ...], list[ModelFunction], list[Constraint]]:
        """Return the models, the quantities of the study, these with the constraints, and the constraints."""
        spec = self.spec
        declared, sets = self.declarations.models, index_sets(self.spec)
        units = {name: item.unit for model in declared for name, item in model.assumptions.items()}
        units |= _given_by(f for model in declared for f in model.functions)
        models, _ = expand_models(declared, (), sets, product.use)
        units |= _given_by(f for model in models for f in model.functions)
        numbers = {name: item.unit for name, item in supplied.items() if item.kind != "table"}
        # What every member has of its own is read by its plain name, each time for one member.
        units |= {base_name(name): unit for name, unit in numbers.items()} | numbers
        extra: list[ModelFunction] = []
        for name, own in spec.quantities.items():
            text = own.expression
            with at(f"quantities.{name}"):
                if name in units and not self._only_unselected(name, product, models, supplied):
                    raise InputError(
                        f"two providers of '{name}': the models or axes give it too", allowed="another name"
                    )
                if sets and not units.keys() >= {*names_in(text)}:
                    units |= self._by_member(extra, sets, product)
                if _noted(missing, name, text, units):
                    continue
                expression = parse(text, units, spec.quantities)
                units[name] = "1" if expression.unit == "bool" else expression.unit
                units |= {member_name(name, member): units[name] for index in sets for member in index.members}
                extra.append(_from_expression(name, expression, units[name], own.signed or expression.difference))
        models, extra = expand_models(declared, extra, sets, product.use)
        # Models too may differ by member for no other reason than a quantity of the study.
        units |= _given_by(f for model in models for f in model.functions) | _given_by(extra)
        derived = tuple(extra)
        constraints = []
        for position, text in enumerate(spec.constraints):
            name = f"constraint_{position}"
            with at(f"constraints[{position}]"):
                if _noted(missing, name, text, units):
                    continue
                expression = parse(text, units, spec.quantities)
                if expression.unit != "bool":
                    raise InputError(f"'{text}' is no condition", allowed="such as 'power <= 20 MW'")
                if not expression.needs:
                    raise InputError(f"'{text}' reads no quantity", allowed="such as 'power <= 20 MW'")
            constraints.append(Constraint(text, name, expression))
            extra.append(_from_expression(name, expression, "bool"))
        resolver: Resolver | None = None
        for position, item in enumerate(required, len(spec.constraints)):
            try:
                condition = _required(item, units, spec.quantities)
                resolver = resolver or self._resolver(supplied, product, models, derived)
                graph = resolver.resolve([*condition.needs])
            except InputError:  # another alternative has what this one lacks
                continue
            if self._by_definition(item, graph):
                continue
            constraints.append(Constraint(item.condition, f"constraint_{position}", condition, item.label))
            function = _from_expression(f"constraint_{position}", condition, "bool")
            extra.append(replace(function, source=f"{item.label}: {item.source}", doc=item.doc))
        return models, derived, extra, constraints

    def _only_unselected(
        self, name: str, product: Product, models: Sequence[Model], supplied: Mapping[str, Input]
    ) -> bool:
        """Tell whether a quantity is given by components alone that no slot of a product selects, or is assumed."""
        if name in supplied:
            return False
        functions = [function for model in models for function in model.functions]
        givers = [function for function in functions if name in function.gives]
        return all(
            giver.slot is not None and giver.provider != _chosen(giver.slot, product, functions) for giver in givers
        )

    def lacking(self, product: Product, required: Sequence[Requirement]) -> dict[str, str]:
        """Return, by requirement, why it cannot be computed in a product; an empty text where it can."""
        supplied = self.supplied(product)
        try:
            models, derived, _, constraints = self._expressions(product, supplied, {}, required)
        except InputError as error:  # a fault of the study, which is told where its systems are made
            return dict.fromkeys([item.label for item in required], error.problem)
        reasons = dict.fromkeys((constraint.required_by for constraint in constraints), "")
        if all(item.label in reasons for item in required):
            return {item.label: reasons[item.label] for item in required}
        resolver = self._resolver(supplied, product, models, derived)
        plain = self._resolver(supplied, product, self.declarations.models, ())
        for item in required:
            if item.label not in reasons:
                try:
                    graph = resolver.resolve(sorted(names_in(item.condition)))
                    reasons[item.label] = BY_DEFINITION if self._by_definition(item, graph) else ""
                except InputError:
                    reasons[item.label] = ""
                reasons[item.label] = reasons[item.label] or _reason(item, plain)
        return {item.label: reasons[item.label] for item in required}

    def _by_definition(self, item: Requirement, graph: Graph) -> bool:
        """Tell whether the study defines what must be at most a quantity, or all it is the maximum of, as that one."""
        match = _AT_MOST.fullmatch(item.condition)
        if not match:
            return False
        least, most = match.groups()
        function = graph.providers.get(least)
        defined = {name for name, own in self.spec.quantities.items() if own.expression.strip() == most} | {most}
        return least in defined or (
            function is not None and bool(function.max_of) and defined.issuperset(function.max_of)
        )

    def _by_member(self, extra: Sequence[ModelFunction], sets: Sequence[IndexSet], product: Product) -> dict[str, str]:
        """Return the units of what models give, a quantity per member where they differ by quantities of the study."""
        models, _ = expand_models(self.declarations.models, extra, sets, product.use)
        return _given_by(f for model in models for f in model.functions)

    def _check_components(self, product: Product, supplied: Mapping[str, Input], alternative: Alternative) -> None:
        """Check the slots and components that are named, with the key they stand under."""
        try:
            self._resolver(supplied, product, self.declarations.models, ())
        except InputError as error:
            for slot, component in alternative.own.use.items():
                if f"'{slot}'" in error.problem or f"'{component}'" in error.problem:
                    raise error.within(key=alternative.part("use", slot)) from None
            raise

    def _resolver(
        self, supplied: Mapping[str, Input], product: Product, models: Sequence[Model], extra: Sequence[ModelFunction]
    ) -> Resolver:
        kept = without_outputs(models, frozenset(product.split))
        return Resolver(kept, supplied, product.use, extra, frozenset())


def _reason(item: Requirement, resolver: Resolver) -> str:
    """Return why a requirement cannot be computed in a product, by what the models alone give there."""
    missing: list[str] = []
    for need in names_in(item.condition):
        try:
            resolver.resolve([need])
        except MissingQuantityError as error:
            missing += error.missing or [need]
        except InputError as error:
            return error.problem
    return f"nothing gives {' and '.join(repr(name) for name in dict.fromkeys(missing))}"


def _chosen(slot: str, product: Product, functions: Sequence[ModelFunction]) -> str | None:
    """Return the component that a slot has in a product; None where the study has not chosen among several."""
    if slot in product.use:
        return product.use[slot]
    members = [function for function in functions if function.slot == slot]
    defaults = {member.provider for member in members if member.default} or {member.provider for member in members}
    return next(iter(defaults)) if len(defaults) == 1 else None


def _refuse_counted_twice(graph: Graph, alternative: Alternative) -> None:
    for function in graph.functions:
        for other in function.excludes:
            if other in graph.units:
                given = " and ".join(f"'{name}'" for name in function.gives if name not in function.marks)
                raise InputError(
                    f"{given} and '{other}' count the same thing, once as measured or modelled of the job and once of "
                    "its parts",
                    key=alternative.place,
                    allowed="one of them in a study",
                )


def _whole(resolver: Resolver, targets: Sequence[str]) -> Graph | None:
    """Return the graph of all targets; None where anything is wrong, which is then told of each by itself."""
    try:
        return resolver.resolve(targets)
    except InputError:
        return None


def _with_parts(graph: Graph, names: list[str], resolver: Resolver) -> Graph:
    """Return the graph with the parts of its sums and maxima, which breakdowns show though no objective reads them.

    The parts of a published total can stand beside the formula that gives it; a search never computes them.
    """
    parts = dict.fromkeys(part for function in graph.functions for part in (*function.sum_of, *function.max_of))
    known, added = {*graph.units}, []
    for part in parts:
        if part not in known:
            try:
                known |= resolver.resolve([part]).units.keys()
                added.append(part)
            except InputError:
                continue  # a part that this study gives no inputs for has no breakdown
    return resolver.resolve([*names, *added]) if added else graph


def _given_by(functions: Iterable[ModelFunction]) -> dict[str, str]:
    return {name: unit for function in functions for name, unit in function.gives.items()}


def _from_expression(name: str, expression: Expression, unit: str, signed: bool = False) -> ModelFunction:
    return ModelFunction(
        name=name,
        function=expression,
        needs=expression.needs,
        gives={name: unit},
        source=f"study: {expression.text}",
        signed=(name,) if signed else (),
    )


def _required(item: Requirement, units: Mapping[str, str], quantities: Collection[str]) -> Expression:
    """Return the condition of a requirement as an expression."""
    try:
        condition = parse(item.condition, units, quantities)
    except MissingQuantityError:
        raise
    except InputError as error:
        raise ModelError(f"the requirement {item.label}: {error.problem}") from None
    if condition.unit != "bool" or not condition.needs:
        raise ModelError(f"the requirement {item.label}: '{item.condition}' is no condition on quantities")
    return condition


def _noted(missing: MutableMapping[str, str] | None, name: str, text: str, units: Mapping[str, str]) -> bool:
    """Note that an expression reads what is not there, where that is no error."""
    unknown = [need for need in names_in(text) if need not in units] if missing is not None else []
    if missing is not None and unknown:
        missing[name] = f"nothing gives '{unknown[0]}'"
    return bool(unknown)
