"""The chat page's web application: static files, a stream of events, and what a person can do on it.

It listens on loopback only. Other sites that the same browser shows cannot use it: a request has to name this
host, and every action needs the token that only the page itself holds.
"""

import base64
import hmac
import secrets
from collections.abc import Awaitable, Callable, Mapping
from datetime import timedelta
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeAlias, cast

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from butler_demo.botapi.errors import PersonError
from butler_demo.daemon import Daemon, DaemonError
from butler_demo.page.live import Live
from butler_demo.people import OWNER
from butler_demo.world import World

STATIC = Path(str(files("butler_demo.page"))) / "static"
_TOKEN_PLACE = "{{ token }}"  # noqa: S105 - a place in the page, not a token
_LONGEST_BODY = 256 * 1024
_LONGEST_FILE = 8 * 1024 * 1024
"""Of a body that carries a file, in base64."""
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

Fields: TypeAlias = Mapping[str, Any]
Act: TypeAlias = Callable[[Fields], Awaitable[None]]


class Page:
    """The page of one world and its daemon."""

    def __init__(self, world: World, daemon: Daemon) -> None:
        self.live = Live(world)
        self._world = world
        self._daemon = daemon
        self._token = secrets.token_urlsafe(24)
        self._acts: dict[str, Act] = {
            "say": self._say,
            "file": self._file,
            "press": self._press,
            "mail": self._mail,
            "forward": self._forward,
            "kill": self._kill,
            "start": self._start,
            "advance": self._advance,
        }

    def app(self) -> Starlette:
        """The ASGI application."""
        return Starlette(
            routes=[
                Route("/", self._index),
                Route("/events", self._events),
                Route("/picture/{file_id}", self._picture),
                Route("/do/{act}", self._do, methods=["POST"]),
                Mount("/static", StaticFiles(directory=STATIC)),
            ],
            middleware=[Middleware(TrustedHostMiddleware, allowed_hosts=["127.0.0.1", "localhost"])],
        )

    async def _index(self, _request: Request) -> Response:
        html = (STATIC / "index.html").read_text(encoding="utf-8").replace(_TOKEN_PLACE, self._token)
        headers = {"Content-Security-Policy": _POLICY, "Cache-Control": "no-store", "Referrer-Policy": "no-referrer"}
        return HTMLResponse(html, headers=headers)

    async def _events(self, _request: Request) -> Response:
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        return StreamingResponse(self.live.stream(), media_type="text/event-stream", headers=headers)

    async def _picture(self, request: Request) -> Response:
        """A photo of the chat, as the browser shows it."""
        stored = self._world.bot_api.picture(request.path_params["file_id"])
        if stored is None:
            return _refused("There is no such picture.", 404)
        headers = {"X-Content-Type-Options": "nosniff", "Cache-Control": "private, max-age=3600"}
        return Response(stored, media_type=_image_type(stored), headers=headers)

    async def _do(self, request: Request) -> Response:
        if not self._is_ours(request):
            return _refused("Reload the page: it belongs to an earlier demo.", 403)
        act = self._acts.get(request.path_params["act"])
        if act is None:
            return _refused("There is no such action.", 404)
        body = await request.body()
        if len(body) > (_LONGEST_FILE if act == self._file else _LONGEST_BODY):
            return _refused("That is too long.", 413)
        try:
            await act(_fields(await request.json()))
        except (PersonError, DaemonError) as problem:
            return _refused(_sentence(problem), 409)
        except (KeyError, TypeError, ValueError):
            return _refused("The page sent something that the demo does not understand.", 400)
        return JSONResponse({"ok": True})

    def _is_ours(self, request: Request) -> bool:
        origin = request.headers.get("origin")
        same_origin = origin is None or origin == f"http://{request.headers.get('host')}"
        token = request.headers.get("x-demo-token", "")
        return same_origin and hmac.compare_digest(token.encode(), self._token.encode())

    # What a person can do

    async def _say(self, fields: Fields) -> None:
        reply_to = fields.get("reply_to")
        self._world.say(_text(fields["text"]), reply_to=None if reply_to is None else int(reply_to))

    async def _file(self, fields: Fields) -> None:
        content = base64.b64decode(_text(fields["content"]), validate=True)
        self._world.send_file(_text(fields["name"]), content, _text(fields["words"]))

    async def _press(self, fields: Fields) -> None:
        self._world.press(int(fields["message_id"]), _text(fields["data"]))

    async def _mail(self, fields: Fields) -> None:
        sender = f"{OWNER.name} <{OWNER.email}>"
        self._world.mail_butler(sender, _text(fields["subject"]), _text(fields["body"]))

    async def _forward(self, fields: Fields) -> None:
        self._world.forward_to_butler(_text(fields["mail_id"]), _text(fields["words"]))

    async def _kill(self, _fields: Fields) -> None:
        await self._daemon.kill()

    async def _start(self, _fields: Fields) -> None:
        await self._daemon.start()

    async def _advance(self, fields: Fields) -> None:
        self._world.advance(timedelta(seconds=min(max(float(fields["seconds"]), 0), 7 * 24 * 3600)))


def _fields(body: object) -> Fields:
    if not isinstance(body, dict):
        raise TypeError("the fields are a JSON object")
    return cast("Fields", body)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("a text")
    return value


def _image_type(content: bytes) -> str:
    """By its first bytes; never what a browser would run."""
    return "image/png" if content.startswith(b"\x89PNG") else "image/jpeg"


def _sentence(problem: Exception) -> str:
    text = str(problem).rstrip(".")
    return f"{text[:1].upper()}{text[1:]}."


def _refused(sentence: str, status: int) -> JSONResponse:
    return JSONResponse({"ok": False, "sentence": sentence}, status_code=status)
