"""The people's side over HTTP, for benches and crash tests: `POST /ctl/<verb>` with its arguments as JSON.

Only for whoever knows the server's secret: anybody on the machine can reach the port.
"""

import asyncio
import base64
import json
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any, cast

from aiohttp import web

from .errors import PersonError
from .records import Json, Upload

if TYPE_CHECKING:
    from .server import BotApiServer


class Control:
    """Verbs are methods of `BotApiServer`; `batch` takes a list of `[verb, arguments]`.

    Answers are `{"ok": true, "result": ...}`, or 400 with `{"ok": false, "description": ...}`.
    """

    def __init__(self, server: "BotApiServer") -> None:
        self._server = server
        self._returning: asyncio.Task[None] | None = None
        acts: list[Callable[..., Any]] = [
            server.add_bot,
            server.add_person,
            server.add_group,
            server.add_supergroup,
            server.add_topic,
            server.switch_topics_off,
            server.upgrade_group,
            server.say,
            server.forward,
            server.edit,
            server.delete,
            server.press,
            server.press_label,
            server.block,
            server.unblock,
            server.replay,
            server.reach,
            server.webhook,
            server.updates,
            server.pending_updates,
            server.is_polling,
            server.messages,
            server.reactions,
            server.advance,
            server.fail,
            server.slow,
            server.limit_flood,
            server.clear_faults,
            self.send_file,
            self.callbacks,
            self.actions,
            self.calls,
            self.batch,
        ]
        self._verbs = {act.__name__: act for act in acts}

    async def handle(self, request: web.BaseRequest, verb: str) -> web.Response:
        try:
            arguments = await _arguments(request)
            if verb in {"go_offline", "drop_connections"}:
                result: object = await self._cut(request, verb, **arguments)
            else:
                result = self._act(verb, arguments)
        except (ValueError, TypeError, KeyError) as wrong:
            return _answer({"ok": False, "description": f"{verb}: {wrong}"}, 400)
        return _answer({"ok": True, "result": result}, 200)

    def close(self) -> None:
        """Give up a return that is still to come."""
        if self._returning is not None:
            self._returning.cancel()

    def send_file(self, *, content_base64: str, **arguments: Any) -> Json:
        """`BotApiServer.send_file` with the content in base64."""
        return self._server.send_file(content=base64.b64decode(content_base64), **arguments)

    def callbacks(self) -> list[object]:
        return list(self._server.callbacks)

    def actions(self) -> list[object]:
        return list(self._server.actions)

    def calls(self, method: str | None = None) -> list[object]:
        """The calls so far, of one method or of all."""
        return [call for call in self._server.calls if method in {None, call.method}]

    def batch(self, acts: list[tuple[str, Json]]) -> list[object]:
        """Several verbs in one request, in order."""
        return [self._act(verb, arguments) for verb, arguments in acts]

    def _act(self, verb: str, arguments: Json) -> object:
        if verb not in self._verbs:
            raise PersonError(f"no such verb; there are {', '.join(sorted(self._verbs))}")
        return self._verbs[verb](**arguments)

    async def _cut(self, request: web.BaseRequest, verb: str, seconds: float = 0.0) -> None:
        """Cut everybody off but the one who asks; after `go_offline` the server returns by itself."""
        if verb == "drop_connections":
            self._server.drop_connections(keep=request.transport)
            return
        await self._server.go_offline(keep=request.transport)
        self._returning = asyncio.create_task(self._return_after(seconds))

    async def _return_after(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
        await self._server.come_back()


async def _arguments(request: web.BaseRequest) -> Json:
    body = await request.read()
    arguments: object = json.loads(body) if body else {}
    if not isinstance(arguments, dict):
        raise PersonError("the arguments are a JSON object")
    return cast("Json", arguments)


def _answer(answer: Json, status: int) -> web.Response:
    return web.json_response(answer, status=status, dumps=lambda value: json.dumps(value, default=_as_json))


def _as_json(value: object) -> object:
    if isinstance(value, Upload):
        return {"filename": value.filename, "size": len(value.content), "content_type": value.content_type}
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    raise TypeError(f"{type(value).__name__} cannot be told as JSON")
