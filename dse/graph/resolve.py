"""Resolution: which function gives each quantity of a system, found by name and checked.

It starts from the targets (objectives, constraints, what is shown) and looks for each name among what the study
supplies, then among the model functions, then among the assumptions.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from dse.authoring.declare.declaration import ModelFunction
from dse.authoring.library.library import Model
from dse.errors import InputError, MissingQuantityError, ModelError, one_of
from dse.graph.graph import Graph, Input
from dse.graph.offers import givers_of, offered
from dse.units import check_si_unit, same_dimension

__all__ = ["Resolver", "resolve"]


def resolve(
    targets: Sequence[str],
    *,
    models: Sequence[Model],
    supplied: Mapping[str, Input],
    use: Mapping[str, str] | None = None,
    extra: Sequence[ModelFunction] = (),
    given: Collection[str] = (),
) -> Graph:
    """Find the functions that give the targets.

    Parameters
    ----------
    targets : sequence of str
        Quantities wanted.
    models : sequence of Model
        Where functions and assumptions come from.
    supplied : dict of str to Input
        What the study gives: axes, part columns, fixed values, tables.
    use : dict of str to str, optional
        The component chosen for each slot.
    extra : sequence of ModelFunction
        Functions made from expressions of the study (constraints, derived quantities).
    given : collection of str, optional
        Names among `supplied` that the caller gives in place of the functions that would: these are left out.

    Raises
    ------
    InputError
        A missing quantity, two providers, a cycle, a unit that does not fit, an unknown slot or component.
    """
    return Resolver(models, supplied, use or {}, extra, frozenset(given)).resolve(targets)


class Resolver:
    """Finds the functions for any targets of one system: what there is to choose from is put in order once.

    Takes what `resolve` takes, but for the targets.
    """

    def __init__(
        self,
        models: Sequence[Model],
        supplied: Mapping[str, Input],
        use: Mapping[str, str],
        extra: Sequence[ModelFunction],
        given: frozenset[str],
    ) -> None:
        self.supplied = supplied
        self.use = use
        offer = offered(tuple(models))
        self.brought_by, self.pictures, self.tables = offer.brought_by, offer.pictures, offer.tables
        self.assumptions, self.rivals = offer.assumptions, offer.rivals
        self.declared, self.declared_names = offer.declared, offer.declared_names
        self.givers, self.members = {**offer.givers}, {**offer.members}
        if given:
            self.givers = givers_of(function for function in offer.functions if given.isdisjoint(function.gives))
        for function in extra:
            for name in function.gives if given.isdisjoint(function.gives) else ():
                self.givers[name] = [*self.givers.get(name, ()), function]
            if function.slot:
                self.members[function.slot] = [*self.members.get(function.slot, ()), function]
        self.slots: dict[str, tuple[str, bool]] = {}
        self.missing: dict[str, str] = {}
        self._found: dict[str, tuple[ModelFunction | None, dict[str, tuple[str, bool]]]] = {}
        self._check_slots()

    def _check_slots(self) -> None:
        providers = ((slot, {f.provider for f in members if f.provider}) for slot, members in self.members.items())
        slots = {slot: names for slot, names in providers if names}
        for slot, provider in self.use.items():
            if slot not in slots:
                raise InputError(
                    f"unknown slot '{slot}'", key="use", allowed=sorted(slots) or "none", wrong=slot, candidates=slots
                )
            if provider not in slots[slot]:
                raise InputError(
                    f"no component '{provider}' for the slot '{slot}'",
                    key=f"use.{slot}",
                    allowed=sorted(slots[slot]),
                    wrong=provider,
                    candidates=slots[slot],
                )

    def resolve(self, targets: Sequence[str]) -> Graph:
        """Return the graph of some targets; raises what `resolve` does."""
        self.slots, self.missing = {}, {}
        order: dict[int, ModelFunction] = {}
        inputs: dict[str, Input] = {}
        providers: dict[str, ModelFunction] = {}
        done: set[str] = set()

        def visit(target: str) -> None:
            # Depth first without recursion, as chains of functions may be long; the path shows what closes a cycle.
            path: dict[str, Iterator[str]] = {}
            name: str | None = target
            while name is not None:
                if name in path:
                    names = [*path]
                    cycle = " → ".join([*names[names.index(name) :], name])
                    raise InputError(f"the quantities need each other in a cycle: {cycle} (each needs the next)")
                function = self._provider(name)
                if function is None:
                    supplied = self._input(name, tuple(path))
                    if supplied is not None:
                        inputs[name] = supplied
                    done.add(name)
                else:
                    path[name] = iter(function.needs)
                name = self._next_need(path, done, order, providers)

        # What a study has left out is told at once, not one by one; whatever else is wrong comes to light after that.
        try:
            for target in targets:
                if target not in done:
                    visit(target)
        except InputError:
            if not self.missing:
                raise
        if self.missing:
            raise self._missing_error()
        units = {name: item.unit for name, item in inputs.items()}
        for function in order.values():
            units.update(function.gives)
        self._check_units([*order.values()], units, inputs)
        components = {slot: component for slot, (component, _) in self.slots.items()}
        pictures = tuple(picture for picture in self.pictures if picture.applies(components, units))
        return Graph(tuple(order.values()), inputs, tuple(targets), units, dict(self.slots), providers, pictures)

    def _next_need(
        self,
        path: dict[str, Iterator[str]],
        done: set[str],
        order: dict[int, ModelFunction],
        providers: dict[str, ModelFunction],
    ) -> str | None:
        """Return what the end of a path needs next; functions that need nothing more are put in order on the way."""
        while path:
            name, needs = next(reversed(path.items()))
            for need in needs:
                if need not in done:
                    return need
            function = self._provider(name)
            assert function is not None
            order.setdefault(id(function), function)
            for given in function.gives:
                providers.setdefault(given, function)
            del path[name]
            done.add(name)
        return None

    def _provider(self, name: str) -> ModelFunction | None:
        """Return what gives a quantity, and note the slots it depends on; found once for all targets."""
        if name not in self._found:
            slots = {f.slot: self._component(f.slot) for f in self.givers.get(name, []) if f.slot}
            self._found[name] = self._only_giver(name, {slot: chosen for slot, (chosen, _) in slots.items()}), slots
        function, slots = self._found[name]
        self.slots |= slots
        return function

    def _only_giver(self, name: str, components: Mapping[str, str]) -> ModelFunction | None:
        candidates = self.givers.get(name, [])
        for slot, chosen in components.items():
            candidates = [f for f in candidates if f.slot != slot or f.provider == chosen]
        if name in self.supplied and candidates:
            origin = self.supplied[name]
            raise InputError(
                f"two providers of '{name}': the study gives it ({origin.kind}: {origin.source}) "
                f"and {candidates[0].label} computes it",
                allowed="one of the two: the study may leave it out",
            )
        if len(candidates) > 1:
            labels = [f.label for f in candidates]
            if len({*labels}) < len(labels):  # made twice from the same text, once for each currency, say
                labels = [f"{self.brought_by.get(id(f), f.label)} gives it in {f.gives[name]}" for f in candidates]
                raise InputError(f"two providers of '{name}': {', '.join(labels)}", allowed="one of these models")
            raise InputError(
                f"two providers of '{name}': {one_of(labels)}",
                allowed="one; give the other another name, or put both into a slot (slot = …, provider = …)",
            )
        return candidates[0] if candidates else None

    def _component(self, slot: str) -> tuple[str, bool]:
        """Return the component of a slot, and whether the study has chosen it."""
        if slot in self.use:
            return self.use[slot], True
        members = self.members.get(slot, [])
        defaults = {f.provider for f in members if f.default and f.provider}
        if len(defaults) != 1:
            every = sorted({f.provider for f in members if f.provider})
            if len(every) == 1:
                defaults = set(every)
            else:
                raise InputError(f"the slot '{slot}' needs a component", key=f"use.{slot}", allowed=every)
        (chosen,) = defaults
        return chosen, False

    def _input(self, name: str, path: tuple[str, ...]) -> Input | None:
        """Return what gives a quantity that no function gives; None, and a note, where the study has left it out."""
        if name in self.supplied:
            return self.supplied[name]
        if name in self.assumptions:
            a = self.assumptions[name]
            if name in self.rivals:
                other = self.rivals[name]
                raise InputError(
                    f"two models assume different values of '{name}': {a.value:g} {a.unit} ({a.module}) and "
                    f"{other.value:g} {other.unit} ({other.module}); give it under [set]"
                )
            return Input(name, a.unit, "assumption", a.source, a.doc, a.signed)
        if name in self.givers and not (path and name in self.declared_names and self._by_default(name)):
            raise self._other_component(name, path)
        known = {*self.supplied, *self.givers, *self.assumptions}
        members = sorted(other for other in known if other.startswith(f"{name}@"))
        if members:
            asking = f", needed by '{path[-1]}'" if path else ""
            raise InputError(f"'{name}' is another one for each member of an index set{asking}", allowed=members)
        if path:
            asker = self._provider(path[-1]) or self.givers[path[-1]][0]
            asking = f", needed by '{path[-1]}' ({asker.label})"
            self.missing[name] = asking
            return None
        raise MissingQuantityError(
            f"unknown quantity '{name}'",
            missing={name: name},
            allowed=sorted(known),
            wrong=name,
            candidates=known | self.declared_names,
        )

    def _missing_error(self) -> MissingQuantityError:
        """Return the error for the quantities that nothing gives: the first, and the other names."""
        name, asking = next(iter(self.missing.items()))
        declared = {d.name: d for d in self.declared}
        listed = {n: f"{n} [{declared[n].unit}]" if n in declared else n for n in self.missing}
        # A name that the study gives and no model declares may be this one, misspelt.
        candidates = set(self.supplied) - self.declared_names
        if name in self.tables:
            how = f"give it under [tables.{name}] ({self.tables[name].doc})"
        elif name in declared:
            how = "give it as an axis, a part column, a table or under [set]"
            how += f" ({declared[name].doc} [{declared[name].unit}])"
        else:
            how = "no model gives it"
            candidates = {*self.supplied, *self.givers, *self.assumptions}
        text = f"missing quantity '{name}'{asking}: {how}"
        return MissingQuantityError(text, missing=listed, wrong=name, candidates=candidates)

    def _by_default(self, name: str) -> bool:
        """Whether what leaves a quantity to the study is a component that the study has not chosen."""
        return not any(function.slot in self.use for function in self.givers[name])

    def _other_component(self, name: str, path: tuple[str, ...]) -> InputError:
        """Return the error for a quantity that only components give which are not in use."""
        slot = next(function.slot for function in self.givers[name] if function.slot)
        (chosen, _), having = self._component(slot), sorted({str(function.provider) for function in self.givers[name]})
        asking = f", needed by '{path[-1]}'" if path else ""
        return MissingQuantityError(
            f"the component '{chosen}' of the slot '{slot}' does not give '{name}'{asking}",
            key=f"use.{slot}",
            allowed=having,
        )

    def _check_units(
        self, order: Sequence[ModelFunction], units: Mapping[str, str], inputs: Mapping[str, Input]
    ) -> None:
        for function in order:
            for name, unit in function.gives.items():
                try:
                    if unit != "bool":  # a constraint
                        check_si_unit(unit)
                except InputError as error:
                    raise ModelError(f"{function.label} gives '{name}': {error.problem}") from None
        for declaration in self.declared:
            given = units.get(declaration.name)
            if given is None:
                continue
            try:
                check_si_unit(declaration.unit)
            except InputError as error:
                raise ModelError(f"{declaration.module} declares '{declaration.name}': {error.problem}") from None
            if given != declaration.unit and not same_dimension(given, declaration.unit):
                origin = next((f.label for f in order if declaration.name in f.gives), None)
                origin = origin or inputs[declaration.name].source
                raise InputError(
                    f"unit mismatch for '{declaration.name}': {origin} gives it in '{given}', "
                    f"{declaration.module} needs it in '{declaration.unit}'"
                )
