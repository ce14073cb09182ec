"""The `dse` command: its parts, and the one place where errors become one message and an exit code."""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Protocol, runtime_checkable

import typer

from dse.authoring.watch.prints import prints_marked
from dse.authoring.watch.watch import calls_watched
from dse.cli.families import register_families
from dse.cli.signals import INTERRUPTED, NothingKept, Stops, terminated_like_interrupted
from dse.errors import ClusterError, ContradictedError, InputError, ModelError, visible
from dse.version import __version__

__all__ = ["commands", "main"]

_FAULT = 70
_COMPLETION = "_DSE_COMPLETE"  # what a shell sets that asks for the names of commands

_COMMANDS = {
    **{"init": "files.init", "check": "check", "studies": "studies", "evaluate": "evaluate", "run": "run"},
    "open": "files.open",
    **{"report": "report", "verify": "verify", "explain": "explain", "pick": "pick", "show": "show"},
    **{"export": "files.export", "trust": "trust", "sweep": "sweep", "why": "why", "compare": "compare"},
    **{"models": "models", "validate": "validate", "find": "find", "schema": "files.schema"},
}
"""The modules of the commands in `dse.cli.commands`, in the order in which people need them."""
_ALONE = frozenset(_COMMANDS) - {"schema"}  # families add to that group


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"dse {__version__}")
        raise typer.Exit


def _options(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Print the version and end."
    ),
) -> None:
    pass


@cache
def _app(name: str = "") -> typer.Typer:
    """Return the commands, all of them or, which takes a quarter of the time, the one of a name."""
    app = typer.Typer(
        name="dse",
        help="Which machine should we build? Exact Pareto frontiers of computer systems from analytic models.",
        epilog="Begin with: dse studies · dse run ska-correlator · dse init my-study.toml",
        no_args_is_help=True,
        add_completion=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_options)
    for module in [_COMMANDS[name]] if name else _COMMANDS.values():
        import_module(f"dse.cli.commands.{module}").register(app)
    if not name:
        register_families(app)
    return app


@cache
def commands(name: str = "") -> Callable[..., object]:
    """Return the commands, or the one of a name, as typer puts them together from the signatures: once in a process."""
    return typer.main.get_command(_app(name))


def _refuse_unknown(given: list[str]) -> None:
    if not given or given[0].startswith("-"):
        return
    names = [command.name or getattr(command.callback, "__name__", "") for command in _app().registered_commands]
    names += [str(group.name) for group in _app().registered_groups]
    if given[0] not in names:
        raise InputError(f"unknown command '{given[0]}'", allowed=", ".join(names), wrong=given[0], candidates=names)


def main(arguments: list[str] | None = None) -> None:
    """Run the command line: exit code 0 done, 1 the answer is "no", 2 the input is wrong, 70 a fault of ours.

    130 and 143: stopped.
    """
    # Where NumPy's comes from: its own allocator cannot take what a search has let go of, and keeps as much again.
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    given = sys.argv[1:] if arguments is None else arguments
    with terminated_like_interrupted() as stops:
        code = _run(given, stops)
    raise SystemExit(code)


def _run(given: list[str], stops: Stops) -> int:
    code = 0
    try:
        alone = given[0] if given and given[0] in _ALONE and _COMPLETION not in os.environ else ""
        if not alone:
            _refuse_unknown(given)
        with prints_marked(), calls_watched():
            result = commands(alone)(args=given, standalone_mode=False)
        code = result if isinstance(result, int) else 0
        if code == INTERRUPTED:  # typer has met the KeyboardInterrupt first
            code = _stopped(given, stops)
    except ClusterError as error:
        again = f"; what is finished is kept, go on with: {shlex.join(['dse', *given])}" if error.interrupted else ""
        code = _fail(f"{error}{again}", given, error.file, error.key)
    except InputError as error:
        code = _fail(str(error), given, error.file, error.key)
    except ModelError as error:
        code = _fail(f"a model is at fault: {error}", given)
    except ContradictedError as error:
        _fail(str(error), given)
        code = _FAULT
    except MemoryError:
        code = _fail("there is not enough memory; a smaller space, or method = 'bundles', needs less", given)
    except BrokenPipeError:
        sys.stderr.close()
        code = 0
    except (KeyboardInterrupt, typer.Abort):
        code = _stopped(given, stops)
    except NothingKept:
        code = _stopped(given, stops, "starts anew")
    except OSError as error:
        code = _fail(f"{error.filename or 'a file'}: {error.strerror or error}", given)
    except Exception as error:
        if os.environ.get("DSE_TRACEBACK"):
            raise
        if isinstance(error, _UsageError):  # a fault of the command line itself: typer has its own words for it
            code = _usage(error, given)
        else:
            fault = f"{type(error).__name__}: {error}".split("\n")[0]
            _fail(f"this is a fault of dse ({fault}); DSE_TRACEBACK=1 shows where", given)
            code = _FAULT
    return code


def _stopped(given: list[str], stops: Stops, how: str = "goes on where it was") -> int:
    goes_on = f"; the same command {how}" if given[:1] == ["run"] else ""
    sys.stderr.write(f"stopped{goes_on}\n")
    return stops.code


@runtime_checkable
class _UsageError(Protocol):
    """What typer raises, of whichever click it brings along."""

    exit_code: int

    def show(self) -> None: ...
    def format_message(self) -> str: ...


def _usage(error: _UsageError, given: list[str]) -> int:
    if "--json" in given:
        return _fail(error.format_message(), given)
    error.show()
    return int(error.exit_code)


def _fail(message: str, given: list[str], file: str | None = None, key: str | None = None) -> int:
    sys.stderr.write(f"error: {visible(message)}\n")
    if "--json" in given:
        sys.stdout.write(json.dumps({"error": message, "file": file, "key": key}) + "\n")
    return 2
