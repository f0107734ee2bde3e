"""Request bodies as clients send them: query, JSON, urlencoded, multipart with `attach://`."""

import json
from typing import cast
from urllib.parse import parse_qsl

from aiohttp import web

from .errors import bad_request
from .records import Json, Upload

_ATTACH = "attach://"


async def read_params(request: web.BaseRequest) -> Json:
    """All parameters by name, uploads as `Upload`; raises ApiError for a body that cannot be read."""
    params: Json = dict(request.query) if request.query_string else {}
    if not request.can_read_body:
        return params
    match request.content_type:
        case "application/x-www-form-urlencoded":
            params.update(_urlencoded(await request.read()))
        case "application/json":
            params.update(_json(await request.read()))
        case "multipart/form-data":
            params.update(await _multipart(request))
            _attach(params)
        case other:
            raise bad_request(f"unsupported content type {other}")
    return params


def _urlencoded(body: bytes) -> Json:
    try:
        return dict(parse_qsl(body.decode(), keep_blank_values=True, errors="strict"))
    except UnicodeDecodeError as broken:
        raise bad_request("strings must be encoded in UTF-8") from broken


def _json(body: bytes) -> Json:
    try:
        parsed: object = json.loads(body) if body.strip() else {}
    except ValueError as broken:
        raise bad_request("can't parse the request body as JSON") from broken
    if not isinstance(parsed, dict):
        raise bad_request("the request body must be a JSON object")
    return cast("Json", parsed)


async def _multipart(request: web.BaseRequest) -> Json:
    params: Json = {}
    for name, value in (await request.post()).items():
        if isinstance(value, web.FileField):
            params[name] = Upload(value.filename, value.file.read(), value.content_type)
        else:
            params[name] = value
    return params


def _attach(params: Json) -> None:
    """Put the uploads in the place of the `attach://` names that point to them."""
    for name, value in list(params.items()):
        if isinstance(value, str) and value.startswith(_ATTACH):
            upload = params.pop(value.removeprefix(_ATTACH), None)
            if not isinstance(upload, Upload):
                raise bad_request("wrong file identifier/HTTP URL specified")
            params[name] = upload
