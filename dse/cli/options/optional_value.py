"""An option whose value may be left out: `--report`, or `--report FILE.html`. Typer knows nothing between the two."""

from __future__ import annotations

from typing import Any, ClassVar

import typer.core

__all__ = ["DEFAULT", "optional_value"]

DEFAULT = "<default>"
"""What stands for the value where the option is given without one."""


def optional_value(*options: str) -> type[typer.core.TyperCommand]:
    """Return the class of a command where these options may stand without a value.

    What follows is the value where it ends in ``.html``: so a study or an option may follow too.
    """

    class WithOptionalValues(typer.core.TyperCommand):
        without_value: ClassVar = options

        def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
            given = []
            for place, word in enumerate(args):
                given.append(word)
                if word in self.without_value and not (place + 1 < len(args) and args[place + 1].endswith(".html")):
                    given.append(DEFAULT)
            return super().parse_args(ctx, given)

    return WithOptionalValues
