"""The reference of the commands, from their help: every command with its arguments, options and examples.

.venv/bin/python docs/scripts/command_reference.py             # printed
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

from typer.core import TyperGroup

from dse.cli.main import commands


def page() -> str:
    """Return the page of all commands."""
    group = commands()
    assert isinstance(group, TyperGroup)
    parts = ["# Commands", "What `dse COMMAND --help` says, of all commands.", *_commands(group, "dse")]
    return "\n\n".join(parts) + "\n"


def _commands(group: TyperGroup, above: str) -> Iterator[str]:
    for name, command in group.commands.items():
        called = f"{above} {name}"
        yield f"{'#' * (1 + called.count(' '))} {called}"
        context = command.make_context(name, [], resilient_parsing=True)
        yield _text(command.help)
        if isinstance(command, TyperGroup):
            yield from _commands(command, called)
            continue
        yield f"```sh\n{called} {' '.join(command.collect_usage_pieces(context))}\n```"
        records = [record for item in command.get_params(context) if (record := item.get_help_record(context))]
        yield "\n".join(["| | |", "|---|---|", *(f"| `{left}` | {_cell(right)} |" for left, right in records)])
        if command.epilog:
            yield _examples(_text(command.epilog))


def _text(text: str | None) -> str:
    return " ".join((text or "").split())


def _cell(text: str) -> str:
    return _text(text).replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*")


def _examples(text: str) -> str:
    """Write "Examples: a · b" as a block of commands."""
    head, _, rest = text.partition(": ")
    lines = "\n".join(line.strip() for line in rest.split(" · "))
    return f"{head}:\n\n```sh\n{lines}\n```" if head in ("Example", "Examples") else text


if __name__ == "__main__":
    sys.stdout.write(page())
