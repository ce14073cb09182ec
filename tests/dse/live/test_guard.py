"""What the server of `dse open` lets in: requests of the user's own browser, and no others."""

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from dse.live.guard import LARGEST_BODY, Guard, Keys, TooLargeError

HOST = "127.0.0.1:40123"
HERE = f"http://{HOST}"


@pytest.fixture
def keys():
    return Keys()


@pytest.fixture
def asked():
    """What came through: method and body of each request."""
    return []


@pytest.fixture
def client(keys, asked):
    async def answer(request):
        asked.append((request.method, await request.body()))
        return PlainTextResponse("in")

    async def too_large(request, error):
        return PlainTextResponse("large", 413)

    app = Starlette(
        routes=[Route("/", answer, methods=["GET", "POST"]), Route("/api", answer, methods=["GET", "POST", "PUT"])],
        middleware=[Middleware(Guard, keys=keys, hosts=[HOST])],
        exception_handlers={TooLargeError: too_large},
    )
    return TestClient(app, base_url=HERE)


@pytest.fixture
def inside(client, keys):
    """A client that has opened the link."""
    client.get("/", params={"token": keys.token}, follow_redirects=False)
    return client


def change(keys, **other):
    return {"origin": HERE, "x-dse-word": keys.word, "content-type": "application/json", **other}


def test_the_link_lets_in_and_leaves_no_token_in_the_address(client, keys, asked):
    response = client.get("/", params={"token": keys.token, "run": "a b"}, follow_redirects=False)
    assert response.status_code == 303
    assert response.headers["location"] == "/?run=a+b"
    cookie = response.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "samesite=strict" in cookie.lower()
    assert keys.token not in response.headers["location"]
    assert client.get("/").text == "in"
    assert asked == [("GET", b"")]


@pytest.mark.parametrize("token", ["", "x", "ä"])
def test_without_the_token_nothing_is_told(client, asked, token):
    assert client.get("/", params={"token": token}).status_code == 401
    assert client.get("/api").status_code == 401
    assert asked == []


def test_the_token_is_no_way_in_twice_over(client, keys):
    assert client.get("/", params=[("token", "x"), ("token", keys.token)]).status_code == 401
    assert client.get("/api", params={"token": keys.token}).status_code == 401


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "127.0.0.1:1", "localhost:40123", "[::1]:40123", ""])
def test_another_name_for_this_address_is_refused(inside, keys, asked, host):
    assert inside.get("/api", headers={"host": host}).status_code == 421
    assert inside.get("/", params={"token": keys.token}, headers={"host": host}).status_code == 421
    assert asked == []


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://127.0.0.1:40123", "http://127.0.0.1:8000"])
def test_pages_of_other_origins_are_refused_whatever_they_know(inside, keys, asked, origin):
    assert inside.get("/api", headers={"origin": origin}).status_code == 403
    assert inside.post("/api", headers=change(keys, origin=origin), content="{}").status_code == 403
    assert asked == []


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_what_another_site_asked_for_is_refused_even_without_an_origin(inside, asked, site):
    assert inside.get("/api", headers={"sec-fetch-site": site}).status_code == 403
    assert asked == []


def test_a_link_with_the_token_may_stand_anywhere(client, keys):
    response = client.get("/", params={"token": keys.token}, headers={"sec-fetch-site": "cross-site"})
    assert response.status_code == 403  # it is let in, and what follows is asked for by the other site still
    assert client.get("/", headers={"sec-fetch-site": "none"}).text == "in"


def test_a_change_needs_origin_word_and_json(inside, keys, asked):
    whole = change(keys)
    for left_out, code in (("origin", 403), ("x-dse-word", 403), ("content-type", 415)):
        headers = {name: value for name, value in whole.items() if name != left_out}
        assert inside.post("/api", headers=headers, content="{}").status_code == code, left_out
        assert inside.put("/api", headers=headers, content="{}").status_code == code, left_out
    assert inside.post("/api", headers=change(keys, **{"x-dse-word": keys.token}), content="{}").status_code == 403
    assert inside.post("/api", headers=change(keys, **{"content-type": "text/plain"}), content="{}").status_code == 415
    assert asked == []
    assert inside.post("/api", headers=whole, content="{}").text == "in"


def test_a_body_of_ten_megabytes_is_not_read(inside, keys, asked):
    large = b"x" * 10_000_000
    assert inside.post("/api", headers=change(keys), content=large).status_code == 413
    assert inside.post("/api", headers=change(keys, **{"content-length": "-1"}), content=b"").status_code == 413
    assert asked == []
    fits = b"x" * LARGEST_BODY
    assert inside.post("/api", headers=change(keys), content=fits).text == "in"


def test_a_body_that_does_not_say_how_large_it_is_is_counted(inside, keys, asked):
    parts = (b"x" * 1_000_000 for _ in range(10))
    assert inside.post("/api", headers=change(keys), content=parts).status_code == 413
    assert asked == []


def test_a_socket_is_refused(inside):
    with pytest.raises(WebSocketDisconnect), inside.websocket_connect("/api"):
        pass


def test_every_answer_is_hardened(inside, client):
    for response in (inside.get("/api"), inside.get("/api", headers={"host": "evil.example"})):
        assert response.headers["x-content-type-options"] == "nosniff"
        assert response.headers["referrer-policy"] == "no-referrer"
        assert response.headers["cross-origin-resource-policy"] == "same-origin"
        assert response.headers["cache-control"] == "no-store"
