"""The study: a checked specification, its models and tables, and what can be asked of it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import Any, Self

import numpy as np

from dse.authoring.library import Model, load_model, model_digest, model_of
from dse.errors import InputError
from dse.evaluation.problem import Problem
from dse.evaluation.product import flat_inputs
from dse.evaluation.reference_systems import ReferenceGroup, ReferenceSystem, evaluate_references, find_reference
from dse.space.axes import Axis, values_axis
from dse.space.product import Product, Space
from dse.study.building import Builder
from dse.study.declarations import Declarations
from dse.study.reading import find_study, parse_spec, parse_toml, read_toml
from dse.study.references import build_references
from dse.study.requirements import RequirementState
from dse.study.schema import StudySpec
from dse.study.variant_document import blamed, vary
from dse.study.variants import Changes, Derivation
from dse.units import TEXT

__all__ = ["Study"]


class Study:
    """A question about a space of systems.

    Parameters
    ----------
    document : dict
        What a study file holds (see ``dse init``): name, models, objectives, space, …
    folder : path, optional
        Where model files and tables are looked for first. Default: the current folder.
    models : sequence of module or Model, optional
        Models given as objects, beside those the document names.
    file : path, optional
        The file it was read from, for messages.
    text : str, optional
        The text of that file.
    code : dict of str to str, optional
        The model files (``.py``) that may be run, each with its SHA-256. Default: those it names, whatever they hold.
    derived_from : Derivation, optional
        What it was derived from, if it is a variant (`with_`).

    Examples
    --------
    >>> study = Study.load("ska-correlator")
    >>> study.space.size
    960
    """

    def __init__(
        self,
        document: Mapping[str, object],
        *,
        folder: str | Path | None = None,
        models: Sequence[ModuleType | Model] = (),
        file: str | Path | None = None,
        text: str | None = None,
        code: Mapping[str, str] | None = None,
        derived_from: Derivation | None = None,
    ) -> None:
        self.code = code
        self.derived_from = derived_from
        self.file = None if file is None else str(file)
        self.folder = Path(folder) if folder is not None else Path()
        self.given_models = tuple(m if isinstance(m, Model) else model_of(m) for m in models)
        document = dict(document)
        if self.given_models and not document.get("models"):
            document["models"] = [model.name for model in self.given_models]
        self.document = document
        self.spec: StudySpec = parse_spec(document, file)
        self.text = text if text is not None else json.dumps(document, indent=1, default=str)

    @classmethod
    def load(cls, name: str | Path) -> Self:
        """Read a study file, or a study that comes with the project by its name."""
        path = find_study(str(name))
        text, document = read_toml(path)
        return cls(document, folder=path.parent, file=path, text=text)

    @classmethod
    def from_text(
        cls,
        text: str,
        *,
        folder: str | Path,
        file: str | Path | None = None,
        derived_from: Derivation | None = None,
    ) -> Self:
        """Make a study from the text of a study file, or from the JSON that stands for one built from objects."""
        try:
            document = json.loads(text) if text.startswith("{") else parse_toml(text, file)
        except (json.JSONDecodeError, RecursionError) as error:
            raise InputError(f"cannot be read: {error}", file=file) from None
        return cls(document, folder=folder, file=file, text=text, derived_from=derived_from)

    def __reduce__(self) -> tuple:
        known = (self.document, str(self.folder.resolve()), self.given_models, self.file, self.text, self.code)
        return (_restore, (type(self), *known, self.derived_from))

    def edited(self, **changes: object) -> Self:
        """Return the study with other values of some keys of its document."""
        return self._of({**self.document, **changes}, self.derived_from)

    def _of(self, document: Mapping[str, object], derived_from: Derivation | None) -> Self:
        return type(self)(
            document,
            folder=self.folder,
            models=self.given_models,
            file=self.file,
            code=self.code,
            derived_from=derived_from,
        )

    def with_(
        self,
        *,
        set: Mapping[str, object] = {},
        where: str | Sequence[str] = (),
        also: str | Sequence[str] = (),
        minimize: str | Sequence[str] = (),
        maximize: str | Sequence[str] = (),
        without: Mapping[str, object] | Sequence[tuple[str, object]] = (),
        name: str | None = None,
    ) -> Self:
        """Return a variant of the study: the same question with some things changed.

        Parameters
        ----------
        set : dict
            An axis to the one value it has, a parameter or an assumption to its value, with units as in a study file
            (``{"nodes": 1024, "frequency": "2.6 GHz"}``). A part or a shape is given by its label.
        where : sequence of str
            Further constraints.
        also : sequence of str
            Further quantities to show.
        minimize, maximize : sequence of str
            The objectives instead of the study's, which are shown beside them.
        without : dict, or sequence of (str, object)
            What is left out: values of an axis, rows of a part, members of a choice (by the name of the choice), and
            alternatives (as ``"alternative"``). One or a list of them.
        name : str, optional
            Name of the variant, which stands behind ``@`` in the name of the study. Default: the changes, shortened.

        Raises
        ------
        InputError
            A name that is not there, a value that is not allowed, nothing left of the space.

        Examples
        --------
        >>> Study.load("ska-correlator").with_(without={"cores": 96}, where="node_power <= 300 W").name
        'ska-correlator@node_power-le-300-W,without-cores=96'
        """
        pairs = without.items() if isinstance(without, Mapping) else without
        changes = Changes(
            dict(set),
            _listed(where),
            _listed(also),
            _listed(minimize),
            _listed(maximize),
            [(axis, value) for axis, values in pairs for value in _listed(values)],
        )
        derived = changes.derivation(self.spec.name, self.text, name, self.derived_from)
        document, places = vary(self.document, self.builder, changes)
        try:
            variant = self._of(document, derived)
            variant.compiled  # noqa: B018
        except InputError as error:
            raise blamed(error, places) from None
        return variant

    def __repr__(self) -> str:
        axes = {axis.name: len(axis) for product in self.space.products for axis in product.axes}
        product = " × ".join(f"{name} {count}" for name, count in axes.items())
        return f"<Study '{self.name}': {self.space.size:,} designs ({product})>".replace(",", "\u202f")

    @property
    def name(self) -> str:
        """Its name, which is the name of its run folder too; that of a variant ends with ``@`` and its own."""
        return self.spec.name + (f"@{self.derived_from.variant}" if self.derived_from is not None else "")

    @cached_property
    def models(self) -> tuple[Model, ...]:
        """The models it is made of."""
        given = {model.name: model for model in self.given_models}
        models = []
        for position, name in enumerate(self.spec.models):
            try:
                models.append(given.get(name) or load_model(name, self.folder, self.code))
            except InputError as error:
                raise error.within(file=self.file, key=f"models[{position}]") from None
            except SystemExit:
                raise InputError(
                    f"the model '{name}' ends the program on import", file=self.file, key=f"models[{position}]"
                ) from None
        return tuple(models)

    @property
    def model_files(self) -> dict[str, str | None]:
        """The Python files it names as models, each with its SHA-256 (None where it is gone); nothing is imported."""
        given = {model.name for model in self.given_models}
        return {
            name: model_digest(name, self.folder)
            for name in self.spec.models
            if name.endswith(".py") and name not in given
        }

    @cached_property
    def builder(self) -> Builder:
        """The builder, which remembers the files that were read."""
        return Builder(self.spec, self.models, self.folder, self.file)

    @property
    def declarations(self) -> Declarations:
        """What its models declare."""
        return self.builder.declarations

    @cached_property
    def compiled(self) -> Problem:
        """The problem: space, graphs, objectives, constraints."""
        return self.builder.problem()

    @cached_property
    def reference_groups(self) -> tuple[ReferenceGroup, ...]:
        """The systems that stand beside the space, by table ``[references.NAME]``."""
        return build_references(self.builder, self.compiled)

    @cached_property
    def references(self) -> tuple[ReferenceSystem, ...]:
        """The systems that stand beside the space, evaluated."""
        try:
            return evaluate_references(self.reference_groups, self.compiled.constraints)
        except InputError as error:
            raise error.within(file=self.file) from None

    def reference(self, name: str) -> ReferenceSystem:
        """Return a reference by its name, whether in upper or lower case."""
        return self.references[find_reference([one.name for one in self.references], name)]

    def problem(self) -> Problem:
        """Return the problem (what a worker process calls)."""
        return self.compiled

    @property
    def space(self) -> Space:
        """The space of designs."""
        return self.compiled.space

    @property
    def requirements(self) -> tuple[RequirementState, ...]:
        """The requirements of its models, and what became of them."""
        _ = self.compiled
        return tuple(self.builder.requirements.values())

    @property
    def units(self) -> dict[str, str]:
        """SI unit of every quantity in any of its graphs."""
        return self.compiled.units

    @property
    def marks(self) -> list[str]:
        """The quantities in its graphs that are 1 where others were found numerically, without a closed form."""
        return self.compiled.marks

    @property
    def synthetic(self) -> list[str]:
        """The tables and parts in use whose figures are marked synthetic."""
        return self.compiled.synthetic

    def hashes(self) -> dict[str, str]:
        """Return the hashes of everything the answer depends on: study text, models, tables, enumerated rows."""
        _ = self.reference_groups
        digests = {"study": hashlib.sha256(self.text.encode()).hexdigest()}
        digests |= {f"model {model.name}": model.sha256 for model in self.models}
        for name, path in self.builder.files.used.items():
            digests[f"table {name}"] = hashlib.sha256(path.read_bytes()).hexdigest()
        for name, path in self.builder.axes.used_enumerations.items():
            digests[f"enumeration {name}"] = hashlib.sha256(path.read_bytes()).hexdigest()
        digests |= {f"rows of {key}": digest for key, digest in self.builder.axes.rows_of.items()}
        return digests

    def evaluate(self, values: Mapping[str, object], alternative: str | None = None) -> dict[str, Any]:
        """Evaluate one system, which need not be a design of the space.

        Parameters
        ----------
        values : dict
            Axis names, parameters and assumptions to values with units (``{"nodes": 1024, "frequency": "2.6 GHz"}``).
            Part axes take the name of a row. An axis with one value may be left out.
        alternative : str, optional
            Which alternative, when the space has several.

        Returns
        -------
        dict
            Every quantity by name: floats in SI, or texts.
        """
        product, system_index = self._one(values, alternative)
        system = self.compiled.systems[system_index]
        assumptions = {name: value for name, value in system.assumptions.items() if name not in product.fixed}
        rows = [np.zeros(1, dtype=np.int64) for _ in product.axes]
        with np.errstate(all="ignore"):
            result = system.graph.evaluate(flat_inputs(system.graph, product, assumptions, rows))
        return {name: scalar(value) for name, value in result.items() if isinstance(value, np.ndarray)}

    def parts(self, values: Mapping[str, object], alternative: str | None = None) -> dict[str, dict[str, str]]:
        """Return the parts of one system, as `evaluate` takes it, by axis.

        Each has name (``part``), ``source``, ``confidence`` and, where its catalogue has one, ``validation``.
        """
        product, _ = self._one(values, alternative)
        parts = {}
        for axis in product.axes:
            if axis.is_part:
                parts[axis.name] = {
                    "part": axis.label(0),
                    "source": axis.sources[0],
                    "confidence": axis.confidence(0),
                }
                if text := axis.validation(0):
                    parts[axis.name]["validation"] = text
        return parts

    def _one(self, values: Mapping[str, object], alternative: str | None) -> tuple[Product, int]:
        """Return the product of a single system and the index of its alternative."""
        names = [product.name for product in self.space.products]
        if alternative is None and len(names) > 1:
            raise InputError("the space has several alternatives", key="--alternative", allowed=names)
        if alternative is not None and alternative not in names:
            raise InputError(
                f"no alternative '{alternative}'",
                key="--alternative",
                allowed=[name for name in names if name] or "none, the space has a single one",
                wrong=alternative,
                candidates=names,
            )
        index = names.index(alternative) if alternative is not None else 0
        product, system = self.space.products[index], self.compiled.systems[index]
        axes, fixed, left = [], dict(product.fixed), dict(values)
        for axis in product.axes:
            if axis.name in left:
                axes.append(self._single(axis, left.pop(axis.name)))
            elif len(axis) == 1:
                axes.append(axis)
            else:
                labels = [axis.label(row) for row in range(len(axis))]
                raise InputError(f"'{axis.name}' has no value", key=f"--set {axis.name}", allowed=labels)
        for name, value in left.items():
            known = {axis.name for axis in product.axes} | set(system.graph.inputs)
            try:
                if name not in system.graph.inputs or system.graph.inputs[name].kind == "table":
                    raise InputError(
                        f"'{name}' is no input of this system", allowed=sorted(known), wrong=name, candidates=known
                    )
                if any(name in axis.columns for axis in product.axes):
                    raise InputError(f"'{name}' comes with a part; choose the part instead")
                fixed[name], _ = self.declarations.fixed_value(name, value)
            except InputError as error:
                raise error.within(key=f"--set {name}") from None
        units = {name: system.graph.units[name] for name in fixed if name in system.graph.units}
        return Product(product.name, tuple(axes), fixed, units, product.tables, product.use), index

    def _single(self, axis: Axis, value: object) -> Axis:
        try:
            if axis.is_part:
                return axis.only(axis.row_of(value))
            single = values_axis(axis.name, [value], axis.units[axis.name])
            declared = self.declarations.of_input(axis.name)
            if declared is not None and axis.units[axis.name] != TEXT:
                declared.check(single.columns[axis.name])
            return single
        except InputError as error:
            error.key = None
            raise error.within(key=f"--set {axis.name}") from None


def scalar(value: object) -> object:
    """Return the one entry of an array as a Python number, truth value or text."""
    item = np.asarray(value).reshape(-1)[0]
    return item.item() if isinstance(item, np.generic) else item


def _listed(values: object) -> list:
    """Return a list of values, or the one value there is, as a list."""
    return list(values) if isinstance(values, (list, tuple)) else [values]


def _restore(
    kind: type[Study],
    document: dict,
    folder: str,
    models: tuple[Model, ...],
    file: str | None,
    text: str,
    code: Mapping[str, str] | None,
    derived_from: Derivation | None,
) -> Study:
    return kind(document, folder=folder, models=models, file=file, text=text, code=code, derived_from=derived_from)
