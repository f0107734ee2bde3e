"""Twirp's refusals: a code, the HTTP status that belongs to it, and a line of text as JSON."""

import json

from aiohttp import web

STATUS = {
    "invalid_argument": 400,
    "malformed": 400,
    "unauthenticated": 401,
    "permission_denied": 403,
    "not_found": 404,
    "bad_route": 404,
}


class TwirpError(Exception):
    """A request is refused."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


def on_the_wire(error: TwirpError) -> web.Response:
    """The answer; it is JSON whatever the request was."""
    body = json.dumps({"code": error.code, "msg": error.message})
    return web.Response(status=STATUS[error.code], text=body, content_type="application/json")
