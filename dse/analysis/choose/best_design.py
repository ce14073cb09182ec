"""The best design of a study at any values of its inputs: an exact search for each, told by what designs differ in."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product

from dse.analysis.choose.pick import Row, records_of
from dse.analysis.choose.rules import KNEE, pick_by_rule, rule_of, rule_text
from dse.analysis.explain.explain import breakdowns_of
from dse.errors import InputError
from dse.run.execute.execute import EXACTLY, run_study
from dse.run.result.run import Run
from dse.search.account.progress import Callbacks
from dse.search.account.stopping import UNLIMITED
from dse.study.study import Study

__all__ = ["Best", "BestDesign", "choices_of", "kinds_of"]


@dataclass(frozen=True)
class Best:
    """The best design: what it is told by, its cells (SI), and its sums with their parts; None where none is feasible.

    `parts` has, by quantity that is shown and is a sum, its parts as the models declare them.
    """

    winner: str | None
    design: Row | None
    parts: dict[str, dict[str, float]] = field(default_factory=dict)


class BestDesign:
    """The best design of a study where some of its inputs have other values.

    Parameters
    ----------
    study : Study
    units : dict of str to str
        What is varied, with its SI unit.
    quantity : str, optional
        What is best: the least of it (the most, where an objective of the study is maximised). Default: the
        pick of the study, else the knee.
    by : str, optional
        What designs are told apart by: an axis, "alternative", a choice, or a slot whose components differ. Default:
        the alternative and all part axes.
    also : collection of str
        What is shown beside the objectives, or beside `quantity`.
    run_type : type of Run
    """

    def __init__(
        self,
        study: Study,
        units: Mapping[str, str],
        *,
        quantity: str | None = None,
        by: str | None = None,
        also: Collection[str] = (),
        run_type: type[Run] = Run,
    ) -> None:
        self.study, self.units_of, self.quantity, self.run_type = study, dict(units), quantity, run_type
        self.most = any(o.quantity == quantity and o.sense == "max" for o in study.compiled.objectives)
        self.searches, self.evaluated, self.seconds = 0, 0, 0.0
        self.units: dict[str, str] = {}
        objectives = [o.quantity for o in study.compiled.objectives]
        self.shown = list(dict.fromkeys([*([quantity] if quantity is not None else objectives), *also]))
        self._also = [name for name in dict.fromkeys(also) if name not in (*objectives, quantity, *study.spec.also)]
        self._by = by
        _ = self.told_by

    @property
    def rule(self) -> str:
        """What is best, in words."""
        if self.quantity is not None:
            return f"{'most' if self.most else 'least'} {self.quantity}"
        pick = self.study.spec.answer.pick
        return "knee" if pick is None or pick.as_dict() == KNEE else rule_text(pick.as_dict())

    @cached_property
    def told_by(self) -> list[str]:
        """What designs are told apart by."""
        choices = choices_of(self.study, self.units_of)
        if self._by is not None:
            known = list(dict.fromkeys([*choices, *(name for own in self._kinds.values() for name in own)]))
            if self._by not in known:
                raise InputError(
                    f"'{self._by}' tells no designs apart", key="--by", allowed=known, wrong=self._by, candidates=known
                )
            return [self._by]
        return [name for name, is_part in choices.items() if is_part]

    @cached_property
    def _kinds(self) -> dict[str, dict[str, str]]:
        return kinds_of(self.study)

    @cached_property
    def others(self) -> list[str]:
        """The choices that designs are not told apart by."""
        return [name for name in choices_of(self.study, self.units_of, several=True) if name not in self.told_by]

    def variant(self, values: Mapping[str, float]) -> Study:
        """Return the study with its inputs at these values (SI), and the one objective where there is one."""
        wanted = [self.quantity] if self.quantity is not None else []
        given = {
            name: value if self.units_of[name] == "1" else f"{value!r} {self.units_of[name]}"
            for name, value in values.items()
        }
        try:
            return self.study.with_(
                set=given,
                also=self._also,
                minimize=[] if self.most else wanted,
                maximize=wanted if self.most else [],
                name="step",
            )
        except InputError as error:
            asked = {f"--set {name}": f"--vary {name}" for name in values} | {"--min": "--quantity"}
            error.key = {**asked, "--max": "--quantity"}.get(error.key or "", error.key)
            raise error.within() from None

    def at(self, values: Mapping[str, float], progress: Callable[[int, int], None] | None = None) -> Best:
        """Search the whole space at these values (SI), and return the best design."""
        begun = time.perf_counter()
        variant = self.variant(values)
        run = run_study(variant, self.run_type, tolerance=EXACTLY, budget=UNLIMITED, listener=Callbacks(progress))
        self.searches += 1
        self.evaluated += run.manifest.certificate.evaluated
        self.units |= run.units
        if not len(run.frontier):
            self.seconds += time.perf_counter() - begun
            return Best(None, None)
        design = self._picked(run)
        if design is None:
            self.seconds += time.perf_counter() - begun
            return Best(None, None)
        parts = {
            whole["quantity"]: {part["quantity"]: part["value"] for part in whole["parts"]}
            for whole in breakdowns_of(variant.compiled, int(str(design["design"])))
            if whole["quantity"] in self.shown
        }
        self.seconds += time.perf_counter() - begun
        return Best(self._told(design), design, parts)

    def _picked(self, run: Run) -> Row | None:
        """Return the design of a frontier that is best; None where none meets the limits of the study's pick."""
        if self.quantity is not None:
            return records_of(run.frontier.iloc[[0]], run.validation_columns)[0]
        choice = pick_by_rule(run, rule_of(run))
        self.searches += choice.searched_again
        self.evaluated += choice.evaluated
        return choice.designs[0] if choice.designs else None

    def _told(self, design: Row) -> str:
        """Return what tells a design from others; what an alternative does not have is left out."""
        if len(self.told_by) == 1:
            (name,) = self.told_by
            kinds = self._kinds.get(str(design.get("alternative")), {})
            return _cell(design[name]) or "–" if name in design else kinds.get(name, "–")
        return ", ".join(text for text in (_cell(design.get(name)) for name in self.told_by) if text)


def choices_of(study: Study, without: Collection[str] = (), *, several: bool = False) -> dict[str, bool]:
    """Return what designs of a study may differ in, and whether each is an alternative or a part with several rows.

    Parameters
    ----------
    study : Study
    without : collection of str
        Axes that are left out.
    several : bool
        Only axes with several rows in some alternative.
    """
    products = study.space.products
    choices: dict[str, bool] = {"alternative": True} if len(products) > 1 else {}
    for axis in (axis for searched_product in products for axis in searched_product.axes if axis.name not in without):
        if not several or len(axis) > 1:
            choices[axis.name] = choices.get(axis.name, False) or (axis.is_part and len(axis) > 1)
    return choices


def kinds_of(study: Study) -> dict[str, dict[str, str]]:
    """Return, by alternative, the members of its choices and the components of its slots, of slots that differ."""
    products, choices = study.space.products, study.spec.space.choices
    slots = dict.fromkeys(slot for each_product in products for slot in each_product.use)
    differ = [slot for slot in slots if len({each_product.use.get(slot) for each_product in products}) > 1]
    kinds = {
        each_product.name: {slot: each_product.use[slot] for slot in differ if slot in each_product.use}
        for each_product in products
    }
    for members in product(*choices.values()) if choices else ():
        name = " ".join(members)
        if name in kinds:
            kinds[name] |= dict(zip(choices, members, strict=True))
    return kinds


def _cell(value: object) -> str:
    return "" if value is None else f"{value:.12g}" if isinstance(value, float) else str(value)
