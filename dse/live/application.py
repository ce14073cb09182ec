"""The addresses of a server: its page, pages of runs and comparisons, and what its scripts ask for."""

from __future__ import annotations

import base64
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeVar, get_args

from pydantic import BaseModel, ConfigDict, JsonValue, ValidationError
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from dse.errors import InputError
from dse.live.asked import (
    AskCheck,
    AskComparison,
    AskExport,
    AskPage,
    AskPanel,
    AskRuns,
    AskSave,
    AskSearch,
    Form,
    Job,
)
from dse.live.guard import Guard, Keys, TooLargeError
from dse.live.page_cache import PageCache
from dse.live.searches import Searches
from dse.live.shell import STATIC_TYPES, shell_html, static_file
from dse.live.workers import TooSlowError, Workers
from dse.live.workspace import Workspace
from dse.study.edit.variant_schema import VariantSpec

__all__ = ["Begin", "application"]

_SECONDS = {
    "check": 20.0,
    "panel": 60.0,
    "page": 300.0,
    "comparison": 120.0,
    "export": 120.0,
    "save": 60.0,
    "runs": 60.0,
}
_TYPES = {
    "csv": "text/csv; charset=utf-8",
    "json": "application/json",
    "markdown": "text/markdown; charset=utf-8",
    "parquet": "application/vnd.apache.parquet",
}
_ENDINGS = {"markdown": "md"}
_FRAMED = "frame-ancestors 'self'; base-uri 'none'; form-action 'none'; connect-src 'none'"
_LOCKED_PAGE = "frame-ancestors 'none'"


class Begin(BaseModel):
    """What the page begins with: a study, a run, or neither."""

    model_config = ConfigDict(frozen=True)

    study: str = ""
    run: str = ""
    folder: str = ""


class _Wish(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _SearchWish(_Wish):
    study: str
    variant: VariantSpec = VariantSpec()
    tab: str
    fresh: bool = False


class _CheckWish(_Wish):
    text: str
    study: str = ""


class _TextWish(_Wish):
    study: str
    text: str
    before: str | None = None


class _SaveWish(_Wish):
    study: str
    variant: VariantSpec
    name: str


class _NoteWish(_Wish):
    run: str
    note: str


class _RenameWish(_Wish):
    run: str
    name: str


W = TypeVar("W", bound=_Wish)
Answer = Callable[[Request], Awaitable[Response]]


class _Server:
    """What the addresses share."""

    def __init__(self, workspace: Workspace, keys: Keys, begin: Begin, *, memory: int, allow_code: bool) -> None:
        self.workspace, self.keys, self.start, self.allow_code = workspace, keys, begin, allow_code
        self.workers = Workers(workspace.root, memory)
        self.searches = Searches(self.workers, workspace.root)
        self.pages = PageCache()

    async def done(self, job: Job) -> JsonValue:
        """Let a worker do a job; what is wrong with it is an `InputError`."""
        event = await self.workers.answer(job, _SECONDS[job.kind])
        if event["event"] == "done":
            return event["result"]
        error = event["error"]
        message = error["message"] if isinstance(error, dict) else "it failed"
        raise InputError(str(message))

    # ---- pages -------------------------------------------------------------------------------------------------------

    async def shell(self, request: Request) -> Response:
        """Return the server's own page."""
        return HTMLResponse(shell_html(self.keys.word, self.start.model_dump()), headers=_shell_headers())

    async def static(self, request: Request) -> Response:
        """Return a script or a style of the server's own page."""
        name = request.path_params["name"]
        data = static_file(name)
        if data is None:
            return PlainTextResponse("there is no such file\n", 404)
        return Response(data, media_type=STATIC_TYPES[Path(name).suffix])

    async def page(self, request: Request) -> Response:
        """Return the page of a run, with the frontier of another one beside it."""
        names = [request.query_params.get(key, "") for key in ("run", "before")]
        run, before = [str(self.workspace.run(name)) if name else "" for name in names]
        key = self.pages.key(self.workspace.root, [run, before])
        text = self.pages.get(key)
        if text is None:
            text = str(await self.done(AskPage(run=run, before=before, allow_code=self.allow_code)))
            self.pages.keep(key, text)
        return HTMLResponse(text, headers={"content-security-policy": _FRAMED})

    async def comparison(self, request: Request) -> Response:
        """Return the page of a comparison."""
        runs = [str(self.workspace.run(name)) for name in request.query_params.getlist("run")]
        text = str(await self.done(AskComparison(runs=runs, allow_code=self.allow_code)))
        return HTMLResponse(text, headers={"content-security-policy": _FRAMED})

    async def export(self, request: Request) -> Response:
        """Return the frontier of a run as a file."""
        name, form = request.query_params.get("run", ""), _form(request.query_params.get("format", "csv"))
        data = str(await self.done(AskExport(run=str(self.workspace.run(name)), form=form)))
        file = f"{Path(name).name}.{_ENDINGS.get(form, form)}"
        headers = {"content-disposition": f'attachment; filename="{file}"'}
        return Response(base64.b64decode(data), media_type=_TYPES[form], headers=headers)

    # ---- runs and studies --------------------------------------------------------------------------------------------

    async def runs(self, request: Request) -> Response:
        """Return the list of runs."""
        names = self.workspace.run_names()
        listed = await self.done(AskRuns(folders=[str(self.workspace.run(name)) for name in names]))
        rows = listed if isinstance(listed, list) else []
        each = [{**row, "run": name} for name, row in zip(names, rows, strict=True) if isinstance(row, dict)]
        return JSONResponse({"runs": each})

    async def note(self, request: Request) -> Response:
        """Keep a note beside a run."""
        wish = await _wish(request, _NoteWish)
        self.workspace.note(wish.run, wish.note)
        return JSONResponse({"run": wish.run})

    async def rename(self, request: Request) -> Response:
        """Give a run another name."""
        wish = await _wish(request, _RenameWish)
        busy = {Path(str(search.state.get("folder", ""))).name for search in self.searches.going_on}
        if wish.run in busy:
            raise InputError(f"'{wish.run}' is being searched", key="name", allowed="to wait for it, or to stop it")
        return JSONResponse({"run": self.workspace.rename(wish.run, wish.name)})

    async def studies(self, request: Request) -> Response:
        """Return the list of studies."""
        return JSONResponse({"studies": self.workspace.studies()})

    async def text(self, request: Request) -> Response:
        """Return the text of a study."""
        return JSONResponse(self.workspace.study_text(request.query_params.get("study", "")))

    async def save_text(self, request: Request) -> Response:
        """Write the text of a study to its file."""
        wish = await _wish(request, _TextWish)
        return JSONResponse({"study": self.workspace.save_text(wish.study, wish.text, wish.before)})

    async def check(self, request: Request) -> Response:
        """Return the faults of the text of a study."""
        wish = await _wish(request, _CheckWish)
        file = self.workspace.study(wish.study) if wish.study else ""
        return JSONResponse(await self.done(AskCheck(text=wish.text, file=file, folder=self.workspace.folder_of(file))))

    async def panel(self, request: Request) -> Response:
        """Return what of a study can be changed."""
        study, run = request.query_params.get("study", ""), request.query_params.get("run", "")
        if run:
            job = AskPanel(run=str(self.workspace.run(run)), allow_code=self.allow_code)
        else:
            job = AskPanel(study=self.workspace.study(study))
        panel = await self.done(job)
        file = panel.get("file") if isinstance(panel, dict) else None
        address = study if not run else self.workspace.address_of(file) if isinstance(file, str) else ""
        return JSONResponse({**panel, "address": address} if isinstance(panel, dict) else panel)

    async def save(self, request: Request) -> Response:
        """Write a variant as a study of its own."""
        wish = await _wish(request, _SaveWish)
        if (self.workspace.root / f"{wish.name}.toml").exists():
            raise InputError(f"{wish.name}.toml is there already", key="name", allowed="another name")
        job = AskSave(
            study=self.workspace.study(wish.study),
            variant=wish.variant,
            name=wish.name,
            folder=str(self.workspace.root),
        )
        return JSONResponse({"study": await self.done(job)})

    # ---- searches ----------------------------------------------------------------------------------------------------

    async def search(self, request: Request) -> Response:
        """Begin a search, which stops the one that the same tab waits for."""
        wish = await _wish(request, _SearchWish)
        job = AskSearch(study=self.workspace.study(wish.study), variant=wish.variant, folder="runs", fresh=wish.fresh)
        return JSONResponse(self.searches.begin(job, wish.tab).state, 202)

    async def searching(self, request: Request) -> Response:
        """Return the searches that go on."""
        return JSONResponse({"searches": [search.state for search in self.searches.going_on]})

    async def events(self, request: Request) -> Response:
        """Stream the state of a search."""
        try:
            search = self.searches[request.path_params["number"]]
        except KeyError:
            return JSONResponse({"error": "there is no such search"}, 404)
        return StreamingResponse(search.listen(), media_type="text/event-stream")

    async def stop(self, request: Request) -> Response:
        """Ask a search to stop with what it has found."""
        try:
            search = self.searches[request.path_params["number"]]
        except KeyError:
            return JSONResponse({"error": "there is no such search"}, 404)
        search.stop()
        return JSONResponse(search.state)


def application(
    workspace: Workspace, keys: Keys, hosts: Iterable[str], begin: Begin, *, memory: int = 0, allow_code: bool = False
) -> Starlette:
    """Return the server as an ASGI application.

    Parameters
    ----------
    workspace : Workspace
    keys : Keys
    hosts : iterable of str
        What requests may be addressed to: "127.0.0.1:40123".
    begin : Begin
    memory : int
        Bytes each search may use; 0: all.
    allow_code : bool
        Whether model files of runs are run that bear no seal of this user, as with ``--allow-code`` elsewhere.
    """
    server = _Server(workspace, keys, begin, memory=memory, allow_code=allow_code)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        await server.workers.begin()
        try:
            yield
        finally:
            await server.searches.close()
            await server.workers.close()

    def get(path: str, answer: Answer) -> Route:
        return Route(path, answer, methods=["GET"])

    def post(path: str, answer: Answer) -> Route:
        return Route(path, answer, methods=["POST"])

    routes = [
        get("/", server.shell),
        get("/static/{name:path}", server.static),
        get("/page", server.page),
        get("/comparison", server.comparison),
        get("/export", server.export),
        get("/api/runs", server.runs),
        post("/api/note", server.note),
        post("/api/rename", server.rename),
        get("/api/studies", server.studies),
        get("/api/text", server.text),
        post("/api/text", server.save_text),
        post("/api/check", server.check),
        get("/api/panel", server.panel),
        post("/api/save", server.save),
        get("/api/searches", server.searching),
        post("/api/searches", server.search),
        get("/api/searches/{number}/events", server.events),
        post("/api/searches/{number}/stop", server.stop),
    ]
    return Starlette(
        routes=routes,
        lifespan=lifespan,
        middleware=[Middleware(Guard, keys=keys, hosts=[*hosts])],
        exception_handlers={
            InputError: _refused,
            TooSlowError: _refused,
            TooLargeError: _too_large,
            OSError: _refused,
            404: _absent,
            405: _absent,
        },
    )


def _shell_headers() -> dict[str, str]:
    return {
        "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
        "frame-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    }


async def _wish(request: Request, kind: type[W]) -> W:
    """Return what a request asks for.

    Raises
    ------
    InputError
        It is no JSON, or something else than is asked for here.
    """
    body = await request.body()
    try:
        return kind.model_validate_json(body)
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in fault["loc"])
        raise InputError(f"{fault['msg'][:1].lower()}{fault['msg'][1:]}", key=place or "the request") from None


def _form(name: str) -> Form:
    known: tuple[Form, ...] = get_args(Form)
    for form in known:
        if form == name:
            return form
    raise InputError(f"unknown format '{name}'", key="format", allowed=list(_TYPES), wrong=name, candidates=_TYPES)


async def _refused(request: Request, error: Exception) -> Response:
    text = f"{error.filename or 'a file'}: {error.strerror or error}" if isinstance(error, OSError) else str(error)
    if request.url.path.startswith("/api/"):
        meant = list(error.meant) if isinstance(error, InputError) else []
        return JSONResponse({"error": text, "meant": meant}, 400)
    return PlainTextResponse(f"{text}\n", 400, headers={"content-security-policy": _FRAMED})


async def _too_large(request: Request, error: Exception) -> Response:
    return PlainTextResponse("the body is too large\n", 413)


async def _absent(request: Request, error: Exception) -> Response:
    return PlainTextResponse("there is nothing at this address\n", 404)
