"""The command `init`: a commented study to start from, of a template or of a study that there is."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dse.cli.commands.files.laws_of_program import words_of_laws
from dse.cli.commands.files.schema import schema_of_studies
from dse.cli.later import later
from dse.cli.options.options import Json
from dse.errors import InputError

if TYPE_CHECKING:
    from dse.cli.families import schemas
    from dse.cli.options.schema_file import write_schema
    from dse.cli.text.output import print_json, say
    from dse.study.file.reading import find_study, read_toml
else:
    (schemas,) = later("dse.cli.families", "schemas")
    (write_schema,) = later("dse.cli.options.schema_file", "write_schema")
    print_json, say = later("dse.cli.text.output", "print_json", "say")
    find_study, read_toml = later("dse.study.file.reading", "find_study", "read_toml")

__all__ = ["TEMPLATES", "register"]

TEMPLATES = {
    "hybrid": "a program with MPI and OpenMP on the nodes it was measured on",
    "processor": "cores, clock, caches and memory of a chip",
    "network": "topologies for a number of nodes",
    "machine": "nodes of accelerators, and the network between them",
    "workload": "a program of your own, by its profile, on processors there are",
    "own-model": "a model of your own, in Python beside the study",
    "codesign": "a program, by the laws of its runs (--profile), on whole machines",
}
# Written beside a study, with its name before the ending.
_BESIDE = {"workload": {"workload-profile.toml": "-profile.toml"}, "own-model": {"own-model.py": ".py"}}
# The line of a file that names its schema, of which kind of document that is.
_SCHEMA_LINE = re.compile(r"\A#:schema (\.dse/([a-z]+)\.schema\.json)$", re.MULTILINE)
_LISTED = "; ".join(f"{name}: {what}" for name, what in TEMPLATES.items())


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(
        epilog="Examples: dse init my-study.toml · dse init my-network.toml --template network · "
        "dse init my-correlator.toml --from ska-correlator"
    )(init)


def init(
    file: Annotated[str, typer.Argument(help="The file to write; it must not exist.")],
    template: Annotated[str | None, typer.Option("--template", help=f"What it is to begin with. {_LISTED}.")] = None,
    from_: Annotated[
        str | None, typer.Option("--from", help="Copy a study, with the tables and models that stand beside it.")
    ] = None,
    profile: Annotated[
        Path | None, typer.Option("--profile", help="Of the template codesign: laws that dse profile fit wrote.")
    ] = None,
    json: Json = False,
) -> None:
    """Write a study file to start from: commented, and it runs."""
    if template is not None and from_ is not None:
        raise InputError("does not go with --from", key="--template", allowed="one of them")
    if profile is not None and template != "codesign":
        raise InputError("stands alone", key="--profile", allowed="--template codesign beside it")
    path = Path(file)
    if path.suffix != ".toml":
        raise InputError(f"'{file}' does not end in .toml", allowed="a file name such as my-study.toml")
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", path.stem)[:80].strip("-._") or "my-study"
    written = (
        _of_study(from_, path, name) if from_ is not None else _of_template(template or "hybrid", path, name, profile)
    )
    for place in written:
        if place.exists():
            raise InputError(
                "the file exists already; it is not overwritten",
                file=file if place == path else place,
                allowed="another name",
            )
    for place, data in written.items():
        try:
            if place.parent != path.parent:
                place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)
        except OSError as error:
            raise InputError(f"cannot be written: {error.strerror}", file=file if place == path else place) from None
    beside = [str(place) for place in written if place != path]
    known = _write_schemas(written)
    if json:
        print_json(
            {"file": str(path), "name": name, "beside": beside, "schemas": known, "from": from_, "template": template}
        )
        return
    say(f"wrote {path}" + (f", and beside it {', '.join(beside)}" if beside else ""))
    say(f"editors know its keys and units by {' and '.join(known)}")
    say(f"next: dse check {path}  ·  dse run {path}")


def _write_schemas(written: Mapping[Path, bytes]) -> list[str]:
    """Write the schemas that some files name in their first lines; return where."""
    makers = {"study": schema_of_studies, **schemas()}
    names = [(place, _SCHEMA_LINE.match(data.decode())) for place, data in written.items() if place.suffix == ".toml"]
    wanted = {place.parent / match[1]: match[2] for place, match in names if match is not None}
    for place, kind in wanted.items():
        write_schema(makers[kind](), place)
    return [str(place) for place in wanted]


def _of_template(template: str, path: Path, name: str, profile: Path | None) -> dict[Path, bytes]:
    """Return the files of a template, by where they are to stand."""
    if template not in TEMPLATES:
        raise InputError(
            f"unknown template '{template}'",
            key="--template",
            allowed=list(TEMPLATES),
            wrong=template,
            candidates=TEMPLATES,
        )
    folder = files("dse.cli") / "templates"
    texts = {path: f"{template}.toml"}
    texts |= {path.with_name(f"{name}{ending}"): own for own, ending in _BESIDE.get(template, {}).items()}
    read = {place: (folder / own).read_text(encoding="utf-8") for place, own in texts.items()}
    words = {"@NAME@": name}
    if template == "codesign":
        words |= words_of_laws(profile, path)
    return {place: _filled(text, words).encode() for place, text in read.items()}


def _filled(text: str, words: Mapping[str, str]) -> str:
    for mark, word in words.items():
        text = text.replace(mark, word)
    return text


def _of_study(study: str, path: Path, name: str) -> dict[Path, bytes]:
    """Return a copy of a study under another name, with what stands beside it; the library's stays where it is."""
    from dse.study.file.json_schema import SCHEMA_FILE

    try:
        source = find_study(study)
        text, document = read_toml(source)
    except InputError as error:
        raise error.within(key="--from") from None
    own = document.get("name")
    named, count = re.subn(r'(?m)^(\s*name\s*=\s*)(["\'])[^"\']*\2', rf'\g<1>"{name}"', text, count=1)
    if not count or not isinstance(own, str):
        raise InputError("has no name", file=source, key="name", allowed='a line such as name = "my-study"')
    named = re.sub(r"\A#:schema .*\n", "", named)
    written = {path: f"#:schema {SCHEMA_FILE}\n# A copy of {own} to change.\n{named}".encode()}
    for other in _named_files(document):
        beside = source.parent / other
        if not Path(other).is_absolute() and ".." not in Path(other).parts and beside.is_file():
            written[path.parent / other] = beside.read_bytes()
    return written


def _named_files(value: object) -> list[str]:
    """Return the files that a document names: tables, catalogues and models in Python."""
    names: list[str] = []
    if isinstance(value, dict):
        for key, item in value.items():
            if key in ("file", "part") and isinstance(item, str):
                names.append(item)
            elif key == "models" and isinstance(item, list):
                names += [name for name in item if isinstance(name, str) and name.endswith(".py")]
            else:
                names += _named_files(item)
    elif isinstance(value, list):
        for item in value:
            names += _named_files(item)
    return list(dict.fromkeys(names))
