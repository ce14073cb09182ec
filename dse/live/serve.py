"""Serving: an address on this machine alone, a link with a token, a browser, until Ctrl-C."""

from __future__ import annotations

import os
import socket
import webbrowser
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlencode

import uvicorn

from dse.errors import InputError
from dse.live.application import Begin, application
from dse.live.guard import Keys
from dse.live.workspace import RUNS, Workspace
from dse.run.disk.folder import MANIFEST, PROGRESS
from dse.study.file.reading import find_study

__all__ = ["beginning", "serve"]

_HOST = "127.0.0.1"
_SHARE = 0.75  # of the memory of the machine that a search may use


def beginning(name: str | None, root: Path) -> tuple[Begin, Workspace]:
    """Return what the page begins with, and the folder it works in.

    Parameters
    ----------
    name : str or None
        The folder of a run, a study file, or the name of a study.
    root : Path
        The folder of runs and studies.

    Raises
    ------
    InputError
        It is neither a run nor a study.
    """
    if name is None:
        return Begin(folder=root.name), Workspace(root)
    folder = Path(name)
    if (folder / MANIFEST).is_file() or (folder / PROGRESS).is_file():
        here = folder.resolve().parent == (root / RUNS).resolve()
        run = folder.resolve().name if here else str(folder.resolve())
        return Begin(run=run, folder=root.name), Workspace(root, runs=() if here else (run,))
    if folder.is_dir() and folder.suffix != ".toml":
        raise InputError(f"there is no run in '{name}'", allowed="the folder of a run, or a study")
    file = find_study(name)
    study = str(file) if Path(name).suffix == ".toml" else name
    made = root / RUNS / file.stem
    run = file.stem if (made / MANIFEST).is_file() else ""
    return Begin(study=study, run=run, folder=root.name), Workspace(root, studies=(study,))


def default_memory() -> int:
    """Return how much memory a search may use where nothing else is said: three quarters of the machine's."""
    return int(_SHARE * os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))


def serve(
    name: str | None,
    root: Path,
    *,
    port: int = 0,
    memory: int | None = None,
    allow_code: bool = False,
    browser: bool = True,
    announce: Callable[[str], None],
) -> None:
    """Serve until Ctrl-C.

    Parameters
    ----------
    name : str or None
        What the page begins with.
    root : Path
        The folder of runs and studies.
    port : int
        0: one that is free.
    memory : int, optional
        Bytes a search may use; 0: all.
    allow_code : bool
    browser : bool
        Whether a browser is opened.
    announce : callable
        Is told the link.
    """
    begin, workspace = beginning(name, root)
    keys = Keys()
    listening = _listening(port)
    number = listening.getsockname()[1]
    hosts = [f"{_HOST}:{number}", f"localhost:{number}"]
    app = application(
        workspace, keys, hosts, begin, memory=default_memory() if memory is None else memory, allow_code=allow_code
    )
    config = uvicorn.Config(
        app, log_level="error", access_log=False, server_header=False, timeout_graceful_shutdown=1, ws="none"
    )
    link = f"http://{_HOST}:{number}/?{urlencode({'token': keys.token})}"
    announce(link)
    if browser:
        webbrowser.open(link)
    try:
        uvicorn.Server(config).run(sockets=[listening])
    finally:
        listening.close()


def _listening(port: int) -> socket.socket:
    """Return a socket that listens on this machine alone."""
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((_HOST, port))
        listening.listen()  # from now on who opens the link waits, and is not turned away
    except OSError as error:
        listening.close()
        raise InputError(f"port {port} cannot be had: {error.strerror}", key="--port", allowed="another one") from None
    return listening
