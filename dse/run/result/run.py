"""A run: the frontier of a study as a table, the certificate, and what can be asked of it afterwards."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

from dse.errors import RunFolderError
from dse.run.disk.changes import changes_since, other_engine
from dse.run.disk.folder import RunFolder
from dse.run.disk.manifest import Manifest, Margins, made_by
from dse.run.disk.seal import is_sealed
from dse.run.result.ranks import ranks_of
from dse.study.build.labels import label_of
from dse.study.edit.variants import Derivation
from dse.study.study import Study
from dse.units import display_unit, format_number

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from pydantic import BaseModel

    from dse.run.result.tables import Frontier

__all__ = ["AS_FOLDER", "Run"]

AS_FOLDER = "as the folder says"
"""What follows every headline of a run that bears no seal of this user."""


class Run:
    """The answer to a study.

    Attributes
    ----------
    frontier : Frontier
        A pandas table, one row per design of the frontier, by design number: ``design``, the axes (after a part whose
        catalogue says how sure it is, ``PART_confidence``; how well its law held, ``PART_validation``), the
        objectives, what else the study shows, and ``extrapolated`` (what lies outside the range a model was validated
        on). SI, with the units in ``frontier.units``.
    manifest : Manifest
        Everything else: certificate, space, assumptions, sources, versions, timings.
    folder : Path or None
        Where it stands on disk.
    learnt : dict
        What was found out of it since, by the key it has on disk.
    searched_here : bool
        Whether it is this user's: searched in this process, or with his seal. Else nothing of it is called exact but
        "as the folder says".
    """

    study_type: ClassVar[type[Study]] = Study

    def __init__(
        self,
        frontier: Frontier,
        manifest: Manifest,
        *,
        study: Study | None = None,
        folder: Path | None = None,
        sample: pd.DataFrame | None = None,
        allow_code: bool = False,
    ) -> None:
        self.frontier, self.manifest, self.folder = frontier, manifest, folder
        self._study, self._sample, self._allow_code = study, sample, allow_code
        self._given = study is not None  # and its files were compared with those of the run
        self.learnt: dict[str, BaseModel] = {}
        self.searched_here = folder is None or is_sealed(manifest.digest, manifest.seal)

    @classmethod
    def load(cls, folder: str | Path, study: Study | None = None, *, allow_code: bool = False) -> Self:
        """Read a run from its folder.

        Parameters
        ----------
        folder : path
        study : Study, optional
            Needed by a run of a study built from objects with models of its own.
        allow_code : bool
            Whether the model files (``.py``) that the run names may be run where it bears no seal of this user. They
            have the digests that the manifest gives in any case.
        """
        from dse.run.result.tables import Frontier, SharedUnits

        place = RunFolder(folder)
        manifest = place.manifest()
        table = place.frontier(manifest)
        frontier = Frontier(table)
        known = {name: unit for name, unit in manifest.units.items() if name in frontier.columns}
        frontier.attrs["units"] = SharedUnits(table.attrs.get("units", known))
        run = cls(frontier, manifest, study=study, folder=place.path, allow_code=allow_code)
        if study is not None:
            run._refuse_changed(study)
        return run

    @property
    def name(self) -> str:
        """Name of the study."""
        return str(self.manifest.name)

    @property
    def derived_from(self) -> Derivation | None:
        """What the study was derived from, if it is a variant."""
        derived = self.manifest.derived_from
        if derived is None:
            return None
        return Derivation(derived.study, derived.sha256, derived.variant, tuple(derived.changes))

    @property
    def exact(self) -> bool:
        """Whether the frontier is that of the whole space; of a run that is not this user's nobody here knows."""
        return bool(self.manifest.certificate.exact) and self.searched_here

    @property
    def promises_all(self) -> bool:
        """Whether the frontier is that of the whole space, or is so as its folder or an accepted ledger says."""
        return self.manifest.certificate.promises_all

    @property
    def within(self) -> bool:
        """Whether the frontier is not exact, and a bound is known of what it leaves out."""
        certificate = self.manifest.certificate
        if certificate.promises_all:
            return False
        return bool(certificate.tolerance) if certificate.gap is None else certificate.gap["cover"] is not None

    @property
    def stopped(self) -> bool:
        """Whether the search was stopped, so that the same command goes on with it."""
        return not self.manifest.certificate.finished

    @property
    def headline(self) -> str:
        """What the frontier is worth, in a few words: "exact", "within 1 %" or "stopped: within 50 %"."""
        names = [objective["quantity"] for objective in self.objectives]
        headline = self.manifest.certificate.headline(names, self.units)
        return headline if self.searched_here else f"{headline}, {AS_FOLDER}"

    @property
    def objectives(self) -> list[dict[str, str]]:
        """Quantity, sense and unit of each objective."""
        return [{name: str(value) for name, value in objective.items()} for objective in self.manifest.objectives]

    @property
    def units(self) -> dict[str, str]:
        """SI unit of every quantity."""
        return dict(self.manifest.units)

    def label(self, name: str) -> str:
        """Return what people read instead of the name of a quantity or an axis."""
        return label_of(self.manifest.labels, name)

    def short_name(self, axis: str, label: str) -> str:
        """Return what people read instead of the label of a row of an axis: the label, if it has no short name."""
        return self.manifest.short_names.get(axis, {}).get(label, label)

    @property
    def axis_names(self) -> list[str]:
        """The columns of the frontier that tell its designs apart: alternative, axes, confidences of parts."""
        axes = [axis.name for axis in self.manifest.space.axes]
        named = [name for axis in axes for name in (axis, f"{axis}_confidence")]
        return [name for name in dict.fromkeys(["alternative", *named]) if name in self.frontier.columns]

    @property
    def validation_columns(self) -> dict[str, str]:
        """The columns of the frontier that tell how well laws held for real machines, by part axis."""
        validated = [axis.name for axis in self.manifest.space.axes if axis.validations]
        columns = {axis: f"{axis}_validation" for axis in validated}
        return {axis: column for axis, column in columns.items() if {axis, column} <= set(self.frontier.columns)}

    def validation(self, row: int) -> dict[str, str]:
        """Return, by part axis, how well the law of the part in a row of the frontier held, where that is told."""
        texts = {axis: str(self.frontier[column].iloc[row]) for axis, column in self.validation_columns.items()}
        return {axis: text for axis, text in texts.items() if text}

    @property
    def references(self) -> list[dict[str, Any]]:
        """The systems beside the space: name, computed and measured values (SI), constraints, what is not known."""
        return [{**reference} for reference in self.manifest.references]

    @property
    def margins(self) -> Margins | None:
        """What the frontier has to spare, None where nobody looked.

        Raises
        ------
        RunFolderError
            It speaks of a row that the frontier has not.
        """
        margins = self.manifest.margins
        for limit in margins.limits if margins is not None else []:
            if not 0 <= limit.row < len(self.frontier):
                raise RunFolderError(
                    f"'margins' speaks of row {limit.row} of {len(self.frontier)}; the run is damaged", file=self.folder
                )
        return margins

    @cached_property
    def ranks(self) -> np.ndarray:
        """The place of each row of the frontier in the order of its names (`dse.run.result.design_names`)."""
        return ranks_of(self.frontier, [(objective["quantity"], objective["sense"]) for objective in self.objectives])

    @property
    def study(self) -> Study:
        """The study, made again from the text in the run.

        Raises
        ------
        RunFolderError
            The models or tables it used are gone or have changed, or its model files may not be run.
        """
        if self._study is None:
            study = self.study_type.from_text(
                self.manifest.study_text,
                folder=self.manifest.study_folder,
                file=self.manifest.study_file,
                derived_from=self.derived_from,
            )
            self._refuse_given(study)
            self._refuse_code(study)
            self._refuse_changed(study)
            self._study = study
        return self._study

    @property
    def allowed_code(self) -> dict[str, str]:
        """The model files of the run that may be run here, by name, each with its SHA-256."""
        if not (self._allow_code or is_sealed(self.manifest.digest, self.manifest.seal)):
            return {}
        known = {name.removeprefix("model "): digest for name, digest in self.manifest.hashes.items()}
        return {name: digest for name, digest in known.items() if name.endswith(".py")}

    @property
    def strangers(self) -> list[str]:
        """What is said of a run that is not this user's: who made it, and what its figures are worth; a line each."""
        if self.searched_here:
            return []
        return [f"no seal of this user ({made_by(self.manifest)}): what stands here is what the folder says"]

    @property
    def changes(self) -> list[str]:
        """What is no longer as it was when the run was made: engine, NumPy, files; a line each."""
        return other_engine(self.manifest) if self._given else changes_since(self.manifest)

    @property
    def unrun_code(self) -> list[str]:
        """The model files of the run that are not run here, as it bears no seal of this user."""
        if self._study is not None:
            return []
        named = [name.removeprefix("model ") for name in self.manifest.hashes if name.startswith("model ")]
        return [name for name in named if name.endswith(".py") and name not in self.allowed_code]

    def _refuse_given(self, study: Study) -> None:
        """Refuse functions that were given as objects and stand in no file; the text in the manifest is never run."""
        missing = [name for name, digest in study.model_files.items() if name in self.manifest.functions and not digest]
        if missing:
            raise RunFolderError(
                f"the functions of '{self.name}' were given as Python objects and are not stored as a file: "
                f"there is no {', '.join(missing)} in {self.manifest.study_folder}",
                file=self.folder,
                allowed="Run.load(folder, study) with the same study; or study.to_toml(path), which writes study and "
                "functions to files, and a run of that",
            )

    def _refuse_code(self, study: Study) -> None:
        """Refuse model files before any is imported: those that have changed, and those of a run made elsewhere."""
        known_files = {name: digest for name, digest in study.model_files.items() if digest is not None}
        changed = [name for name, digest in known_files.items() if self.manifest.hashes.get(f"model {name}") != digest]
        if changed:
            self._refuse([f"model {name}" for name in changed])
        allowed = self.allowed_code
        foreign = [name for name in known_files if name not in allowed]
        if foreign:
            raise RunFolderError(
                f"the run bears no seal of this user, so its model files are not run: {', '.join(foreign)}",
                file=self.folder,
                allowed="--allow-code, if you know what they do",
            )
        study.code = known_files

    def _refuse_changed(self, study: Study) -> None:
        now = study.hashes(self.manifest.hashes)
        changed = [name for name, digest in self.manifest.hashes.items() if now.get(name) != digest]
        self._refuse(changed)

    def _refuse(self, changed: list[str]) -> None:
        if changed:
            raise RunFolderError(
                f"changed since the run: {', '.join(changed)}; its designs cannot be evaluated as they were",
                file=self.folder,
                allowed="run the study again",
            )

    @property
    def sample(self) -> pd.DataFrame:
        """Objectives and feasibility of some designs (all of a small space), to draw the frontier against."""
        if self._sample is None and self.folder is not None:
            self._sample = RunFolder(self.folder).designs()
        if self._sample is None:
            from dse.run.result.tables import sample_designs

            self._sample = sample_designs(self.study.compiled)
        return self._sample

    def __repr__(self) -> str:
        certificate, space = self.manifest.certificate, self.manifest.space
        wanted = ", ".join(f"{o['quantity']} {o['sense']}" for o in self.objectives)
        lines = [
            f"<Run of '{self.name}'>  {self.headline}, {len(self.objectives)} objectives ({wanted})",
            f"space      {format_number(space.designs)} designs",
        ]
        if certificate.infeasible and certificate.feasible is not None:
            rejections = ", ".join(f"{text}: {format_number(count)}" for text, count in certificate.infeasible.items())
            lines.append(f"rejected   {format_number(certificate.designs - certificate.feasible)}  ({rejections})")
        spans = []
        for objective in self.objectives:
            column = self.frontier[objective["quantity"]]
            if len(column):
                scale, unit = display_unit(objective["unit"], float(column.abs().max()))
                low, high = format_number(column.min() / scale), format_number(column.max() / scale)
                spans.append(f"{objective['quantity']} {low} .. {high} {unit}".rstrip())
        lines.append(f"front      {format_number(len(self.frontier))}  {', '.join(spans)}")
        if self.references:
            lines.append(f"beside     {format_number(len(self.references))} references")
        if self.manifest.synthetic:
            lines.append(f"SYNTHETIC  {', '.join(self.manifest.synthetic)}")
        return "\n".join(lines)
