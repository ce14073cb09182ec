"""The study: a checked specification, its models and tables, and what can be asked of it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Self, Unpack

import numpy as np

from dse.authoring.library.functions import FunctionsModel
from dse.authoring.library.library import Model, load_model, model_of
from dse.authoring.library.model_files import model_digest
from dse.errors import InputError
from dse.evaluation.product_evaluator import flat_inputs
from dse.evaluation.reference_records import find_reference
from dse.evaluation.reference_systems import evaluate_references
from dse.space.axes import values_axis
from dse.space.design_space import Product
from dse.study.build.given_models import models_of
from dse.study.build.labels import labels_of
from dse.study.edit.variants import Changes
from dse.study.file.content import content_digest, text_digest
from dse.study.file.reading import TomlTable, find_study, parse_toml, read_toml
from dse.units import TEXT

# A finished run is shown without its study being made: what makes, writes or varies one is imported where it is used.
if TYPE_CHECKING:
    from dse.authoring.declare.declaration import ModelFunction
    from dse.authoring.declare.requirement import Requirement
    from dse.authoring.library.functions import Input
    from dse.evaluation.problem import Problem
    from dse.evaluation.reference_systems import ReferenceGroup, ReferenceSystem
    from dse.space.axes import Axis
    from dse.space.design_space import Space
    from dse.study.build.building import Builder
    from dse.study.build.declarations import Declarations
    from dse.study.build.objects import StudyKeys
    from dse.study.build.requirements import RequirementState
    from dse.study.edit.variants import Derivation
    from dse.study.file.schema import StudySpec
    from dse.study.uncertain.uncertain import Unknowns

__all__ = ["Study"]


class Study:
    """A question about a space of systems: from a file (`load`), from a document, or from keywords.

    Parameters
    ----------
    document : dict, optional
        What a study file holds (see ``dse init``): name, models, objectives, space, … Without it the keywords are asked
        for.
    folder : path, optional
        Where model files and tables are looked for first. Default: the current folder.
    models : sequence of str, module or Model, optional
        Models by name or given as objects, beside those the document names.
    functions : sequence of ModelFunction or Requirement, optional
        Functions under `quantity` or `quantities`, such as those of a notebook cell. The parameters and assumptions
        they read are found by name where they were defined.
    inputs : dict of str to Parameter, Assumption or TableParameter, optional
        Those that are not.
    file : path, optional
        The file it was read from, for messages.
    text : str, optional
        The text of that file.
    code : dict of str to str, optional
        The model files (``.py``) that may be run, each with its SHA-256. Default: those it names, whatever they hold.
    derived_from : Derivation, optional
        What it was derived from, if it is a variant (`with_`).
    **keys
        The keys of a study file, those of ``[space]`` beside the others: name, question, axes, alternatives, choices,
        objectives, constraints, also, quantities, set, use, tables, … (`dse.study.build.objects.StudyKeys`).

    Examples
    --------
    >>> study = Study.load("ska-correlator")
    >>> study.space.size
    960
    >>> tori = Study(
    ...     name="tori",
    ...     models=["network"],
    ...     axes={"shape": enumerated("network.torus", nodes=[60, 70], radix=12)},
    ...     use={"topology": "torus"},
    ...     objectives=[minimize("diameter"), minimize("electrical_links")],
    ... )
    """

    def __init__(
        self,
        document: Mapping[str, object] | None = None,
        *,
        folder: str | Path | None = None,
        models: Sequence[str | ModuleType | Model] = (),
        functions: Sequence[ModelFunction | Requirement] = (),
        inputs: Mapping[str, Input] = {},
        file: str | Path | None = None,
        text: str | None = None,
        code: Mapping[str, str] | None = None,
        derived_from: Derivation | None = None,
        **keys: Unpack[StudyKeys],
    ) -> None:
        from dse.study.file.specification import parse_spec  # a stored run is shown without the schema

        self.code = code
        self.derived_from = derived_from
        self.file = None if file is None else str(file)
        self.folder = Path(folder) if folder is not None else Path()
        self.of_objects = document is None
        if document is not None and keys:
            raise InputError("stands beside a document", key=next(iter(keys)), allowed="a document, or keywords")
        with self._in_python():
            self.given_models: tuple[Model, ...] = ()
            self.document = self._made_of(document, keys)
            if models or functions or inputs:
                self._add_models(models, functions, inputs)
            self.spec: StudySpec = parse_spec(self.document, file)
        self.text = text if text is not None else json.dumps(self.document, indent=1, default=str)

    def _made_of(self, document: Mapping[str, object] | None, keys: Mapping[str, object]) -> TomlTable:
        if document is not None:
            return dict(document)
        from dse.study.build.objects import document_of

        return document_of(keys)

    def _add_models(
        self,
        models: Sequence[str | ModuleType | Model],
        functions: Sequence[ModelFunction | Requirement],
        inputs: Mapping[str, Input],
    ) -> None:
        """Take models given as objects or by name, and add those the document does not name."""
        named = models_of(models, functions, inputs, str(self.document.get("name", "")))
        self.given_models = tuple(model for model in named if not isinstance(model, str))
        before = self.document.get("models", [])
        names = [model if isinstance(model, str) else model.name for model in named]
        if isinstance(before, list):
            self.document["models"] = [*before, *(name for name in names if name not in before)]

    @contextmanager
    def _in_python(self) -> Iterator[None]:
        """Name keywords in messages instead of keys, where the study is made of objects."""
        try:
            yield
        except InputError as error:
            if not self.of_objects:
                raise
            from dse.study.build.objects import in_python

            raise in_python(error) from None

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
        folder: str | Path | None = None,
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
        study = type(self)(
            document,
            folder=self.folder,
            models=self.given_models,
            file=self.file,
            code=self.code,
            derived_from=derived_from,
        )
        study.of_objects = self.of_objects
        return study

    def with_(
        self,
        *,
        set: Mapping[str, object] = {},
        where: str | Sequence[str] = (),
        also: str | Sequence[str] = (),
        minimize: str | Sequence[str] = (),
        maximize: str | Sequence[str] = (),
        without: Mapping[str, object] | Sequence[tuple[str, object]] = (),
        uncertain: Mapping[str, str] = {},
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
            What is left out: values of an axis, rows of a part, members of a choice (by the name of the choice),
            alternatives (as ``"alternative"``), and limits (as ``"limit"``, by their text or a name that one alone
            holds). One or a list of them.
        uncertain : dict
            What is not known of quantities instead of what the study says: ``{"nic_power": "within 10 %"}``,
            ``"error 5 %"`` (one standard deviation), ``"from 1 W to 2 W"``, or ``"none"``.
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
        from dse.study.edit.variant_document import blamed, vary
        from dse.study.uncertain.uncertain import refuse_wrong

        pairs = without.items() if isinstance(without, Mapping) else without
        changes = Changes(
            dict(set),
            _listed(where),
            _listed(also),
            _listed(minimize),
            _listed(maximize),
            [(axis, value) for axis, values in pairs for value in _listed(values)],
            dict(uncertain),
        )
        derived = changes.derivation(self.spec.name, content_digest(self.document), name, self.derived_from)
        document, places = vary(self.document, self.builder, changes)
        try:
            variant = self._of(document, derived)
            variant.compiled  # noqa: B018
            if uncertain:
                refuse_wrong(variant.spec, variant.declarations, variant.compiled, uncertain)
        except InputError as error:
            raise blamed(error, places) from None
        return variant

    def to_toml(self, path: str | Path | None = None, *, overwrite: bool = False) -> str:
        """Return the text of a study file that loads to the same study, and write it.

        Beside it are written the functions that were given as objects, as a Python file, and copies of the model files,
        tables and catalogues that stand in the folder of the study.

        Parameters
        ----------
        path : path, optional
            A file ending with ``.toml``, or a folder for ``NAME.toml``. Default: nothing is written.
        overwrite : bool
            Whether other files there are replaced.

        Raises
        ------
        InputError
            The source of a function cannot be had, a model was given as a module, a file is there and holds something
            else.
        """
        from dse.study.edit.written import files_beside, refuse_unwritten, study_text, write_study

        with self._in_python():
            refuse_unwritten(self.given_models, self.folder)
            text = study_text(self.document, self.text, self.declarations, self.derived_from)
            if path is not None:
                _ = self.reference_groups  # which read the last of the files
                files = files_beside(self.given_models, self.model_files, self.builder.files.used, self.folder)
                write_study(Path(path), self.spec.name, text, files, overwrite=overwrite)
        return text

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

    @property
    def function_texts(self) -> dict[str, str]:
        """The text of functions that were given as objects, by the file it may be written to; empty without source."""
        if not self.given_models:
            return {}

        given = (model for model in self.given_models if isinstance(model, FunctionsModel))
        return {model.name: model.text_or_nothing for model in given}

    @cached_property
    def builder(self) -> Builder:
        """The builder, which remembers the files that were read."""
        from dse.study.build.building import Builder

        return Builder(self.spec, self.models, self.folder, self.file)

    @property
    def declarations(self) -> Declarations:
        """What its models declare."""
        return self.builder.declarations

    @cached_property
    def compiled(self) -> Problem:
        """The problem: space, graphs, objectives, constraints."""
        with self._in_python():
            return self.builder.problem()

    @cached_property
    def reference_groups(self) -> tuple[ReferenceGroup, ...]:
        """The systems that stand beside the space, by table ``[references.NAME]``."""
        from dse.study.build.references import build_references

        with self._in_python():
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
        return self.references[find_reference([reference.name for reference in self.references], name)]

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
    def labels(self) -> dict[str, str]:
        """What people read instead of the names of quantities and axes, where that is more than the name."""
        axes = [axis.name for product in self.space.products for axis in product.axes]
        return labels_of(self.spec, self.declarations, dict.fromkeys([*axes, *self.units, *self.spec.labels]))

    @cached_property
    def unknowns(self) -> Unknowns:
        """What is not known: by ``[uncertain]``, and of parts whose real machines were measured.

        Raises
        ------
        InputError
            An unknown quantity, an interval that cannot be, an error that reaches no objective and no limit. In a
            variant what no longer fits is left out, and told.
        """
        from dse.study.uncertain.uncertain import unknowns_of

        with self._in_python():
            try:
                variant = self.derived_from is not None
                return unknowns_of(
                    self.spec, self.declarations, self.compiled, lambda: self.references, variant=variant
                )
            except InputError as error:
                raise error.within(file=self.file) from None

    @property
    def marks(self) -> list[str]:
        """The quantities in its graphs that are 1 where others were found numerically, without a closed form."""
        return self.compiled.marks

    @property
    def synthetic(self) -> list[str]:
        """The tables and parts in use whose figures are marked synthetic."""
        return self.compiled.synthetic

    def hashes(self, like: Mapping[str, str] = {}) -> dict[str, str]:
        """Return the hashes of everything the answer depends on: the study's content, models, tables, enumerated rows.

        Runs of older versions have the hash of the study's whole text; where `like` has that, so has the result.
        """
        _ = self.reference_groups
        older = text_digest(self.text)
        digests = {"study": older if like.get("study") == older else content_digest(self.document)}
        digests |= {f"model {model.name}": model.sha256 for model in self.models}
        for name, path in self.builder.files.used.items():
            digests[f"table {name}"] = hashlib.sha256(path.read_bytes()).hexdigest()
        for name, path in self.builder.axes.used_enumerations.items():
            digests[f"enumeration {name}"] = hashlib.sha256(path.read_bytes()).hexdigest()
        digests |= {f"rows of {key}": digest for key, digest in self.builder.axes.rows_of.items()}
        return digests

    def evaluate(
        self, values: Mapping[str, object] = {}, alternative: str | None = None, **more: object
    ) -> dict[str, Any]:
        """Evaluate one system, which need not be a design of the space.

        Parameters
        ----------
        values : dict
            Axis names, parameters and assumptions to values with units (``{"nodes": 1024, "frequency": "2.6 GHz"}``).
            Part axes take the name of a row. An axis with one value may be left out.
        alternative : str, optional
            Which alternative, when the space has several.
        **more
            Further values: ``evaluate(nodes=1024, frequency="2.6 GHz")``.

        Returns
        -------
        dict
            Every quantity by name: floats in SI, or texts.
        """
        product, system_index = self._one({**values, **more}, alternative)
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
        axes, fixed, remaining = [], dict(product.fixed), dict(values)
        for axis in product.axes:
            if axis.name in remaining:
                axes.append(self._single(axis, remaining.pop(axis.name)))
            elif len(axis) == 1:
                axes.append(axis)
            else:
                labels = [axis.label(row) for row in range(len(axis))]
                raise InputError(f"'{axis.name}' has no value", key=f"--set {axis.name}", allowed=labels)
        for name, value in remaining.items():
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


def _models_of(given: Sequence[ModuleType | Model]) -> tuple[Model, ...]:
    """Return models as they are, modules as the models they hold."""
    return tuple(model if isinstance(model, Model) else model_of(model) for model in given)


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
