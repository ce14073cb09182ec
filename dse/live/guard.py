"""What keeps others out: every request is looked at before anything else is done with it.

    host        the address of the server itself: a name that somebody made point here is none
    origin      its own, or none; a browser says so of pages of others (``Origin``, ``Sec-Fetch-Site``)
    token       in the link that was printed, then in a cookie that no script reads
    change      only with the word that stands in the server's own page (against forged requests), as JSON
    body        at most a few million bytes, counted as they come

A link with the token may come from anywhere, as from a web terminal: who has the token is the user.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Iterable, Mapping
from urllib.parse import parse_qs, urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import cookie_parser
from starlette.responses import PlainTextResponse, RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["LARGEST_BODY", "Guard", "Keys", "TooLargeError"]

LARGEST_BODY = 4 * 1024 * 1024  # bytes: the largest study file that is read
_SAFE = ("GET", "HEAD")
_HEADERS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}
_LOCKED = "open the link that `dse open` printed: it has a token, and this request has none\n"


class Keys:
    """The token of the link, and the word that changes need."""

    def __init__(self) -> None:
        self.token, self.word = secrets.token_urlsafe(32), secrets.token_urlsafe(32)


class Guard:
    """Lets requests of the user's own browser through, and no others.

    Parameters
    ----------
    app : ASGI application
    keys : Keys
    hosts : iterable of str
        What may stand in ``Host``: "127.0.0.1:40123".
    """

    def __init__(self, app: ASGIApp, keys: Keys, hosts: Iterable[str]) -> None:
        self._app, self._keys, self._hosts = app, keys, frozenset(hosts)
        # Cookies do not tell ports apart, so that two servers at once need two names.
        self._cookie = f"dse-{next(iter(sorted(self._hosts))).rpartition(':')[2]}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return

        async def hardened(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        headers = Headers(scope=scope)
        refusal = self._foreign(headers)
        if refusal is None and (entered := self._entered(scope)) is not None:
            await entered(scope, receive, hardened)
            return
        refusal = refusal or self._unknown(scope, headers) or self._forged(scope, headers)
        if refusal is not None:
            code, text = refusal
            await PlainTextResponse(text, code)(scope, receive, hardened)
            return
        await self._app(scope, _Counted(receive), hardened)

    def _foreign(self, headers: Headers) -> tuple[int, str] | None:
        """Refuse what is addressed to another name, or comes from a page of others."""
        host = headers.get("host", "")
        if host not in self._hosts or len(headers.getlist("host")) != 1:
            return 421, "this is not the address of dse open\n"
        if headers.get("origin", f"http://{host}") != f"http://{host}":
            return 403, "pages of other origins may not ask here\n"
        return None

    def _entered(self, scope: Scope) -> RedirectResponse | None:
        """Return the way in of a link with the token: a cookie, and the same address without it."""
        if scope["method"] != "GET" or scope["path"] != "/":
            return None
        asked = parse_qs(scope["query_string"].decode("latin-1"))
        given = asked.pop("token", [])
        if len(given) != 1 or not hmac.compare_digest(given[0].encode(), self._keys.token.encode()):
            return None
        rest = urlencode(asked, doseq=True)
        response = RedirectResponse(f"/?{rest}" if rest else "/", 303)
        response.set_cookie(self._cookie, self._keys.token, httponly=True, samesite="strict", path="/")
        return response

    def _unknown(self, scope: Scope, headers: Headers) -> tuple[int, str] | None:
        """Refuse who has no token, and what a page of another site has asked for."""
        if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            return 403, "pages of other sites may not ask here\n"
        cookies: Mapping[str, str] = cookie_parser(headers.get("cookie", ""))
        if not hmac.compare_digest(cookies.get(self._cookie, "").encode(), self._keys.token.encode()):
            return 401, _LOCKED
        return None

    def _forged(self, scope: Scope, headers: Headers) -> tuple[int, str] | None:
        """Refuse a change that does not come from the server's own page, or is too large."""
        if scope["method"] in _SAFE:
            return None
        if "origin" not in headers:
            return 403, "a change needs its origin\n"
        if not hmac.compare_digest(headers.get("x-dse-word", "").encode(), self._keys.word.encode()):
            return 403, "a change needs the word of the page\n"
        if headers.get("content-type", "").partition(";")[0].strip() != "application/json":
            return 415, "a change is JSON\n"
        length = headers.get("content-length", "0")
        if not length.isdigit() or int(length) > LARGEST_BODY:
            return 413, f"at most {LARGEST_BODY} bytes\n"
        return None


class TooLargeError(Exception):
    """A body that is larger than it said, or that did not say how large it is."""


class _Counted:
    """Receives a body, and ends where it becomes too large."""

    def __init__(self, receive: Receive) -> None:
        self._receive, self._size = receive, 0

    async def __call__(self) -> Message:
        message = await self._receive()
        self._size += len(message.get("body", b""))
        if self._size > LARGEST_BODY:
            raise TooLargeError
        return message
