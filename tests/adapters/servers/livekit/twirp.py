"""Requests and answers of LiveKit's RoomService against its own protobuf descriptors, and Twirp's rules."""

import dataclasses
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

import jwt
from google.protobuf import json_format, message_factory, unknown_fields
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import DecodeError, Message
from livekit.api import access_token
from livekit.protocol import room

from tests.adapters.servers.wire import Answer, NotAsDescribedError, Request

SERVICE = "/twirp/livekit.RoomService/"
JSON, PROTOBUF = "application/json", "application/protobuf"
STATUSES: Mapping[str, tuple[int, ...]] = {
    "invalid_argument": (400,),
    "malformed": (400,),
    "out_of_range": (400,),
    "unauthenticated": (401,),
    "permission_denied": (403,),
    "not_found": (404,),
    "bad_route": (404,),
    "canceled": (408,),
    "deadline_exceeded": (408,),
    "already_exists": (409,),
    "aborted": (409,),
    "failed_precondition": (412,),
    "resource_exhausted": (403, 429),
    "internal": (500,),
    "unknown": (500,),
    "dataloss": (500,),
    "unimplemented": (501,),
    "unavailable": (503,),
}
"""Twirp's codes with their statuses; one has another in the older specification."""
NEEDS = {"CreateRoom": "roomCreate", "ListRooms": "roomList", "DeleteRoom": "roomCreate"}
"""The grant of a method; all others ask for `roomAdmin` of the room."""
_REGISTERED = frozenset({"iss", "sub", "nbf", "exp", "iat", "jti"})
_KINDS: Mapping[str, tuple[type, ...]] = {"bool": (bool,), "str": (str,), "List[str]": (list,)}


@dataclass(frozen=True, slots=True)
class Called:
    """A method that is called, and how its answer is written."""

    name: str
    answer: type[Message]
    media_type: str
    granted: bool


class Twirp:
    """RoomService as LiveKit publishes it."""

    def request(self, request: Request) -> Called:
        """Method, headers, token and message of a request."""
        name = request.path.removeprefix(SERVICE)
        method = room.DESCRIPTOR.services_by_name["RoomService"].methods_by_name.get(name)
        if request.method != "POST" or not request.path.startswith(SERVICE) or method is None:
            raise NotAsDescribedError(f"{request.method} {request.path} is no method of RoomService")
        if request.query:
            raise NotAsDescribedError(f"{name} takes no query")
        if request.media_type not in {JSON, PROTOBUF}:
            raise NotAsDescribedError(f"{name} takes no {request.media_type or 'body without a type'}")
        _read(f"the request of {name}", _class_of(method.input_type), request.media_type, request.body)
        granted = _checked(name, request.headers.get("authorization"))
        return Called(name, _class_of(method.output_type), request.media_type, granted)

    def answer(self, asked: Called, answer: Answer) -> None:
        """The message of an answer, or a refusal of Twirp's."""
        what = f"the answer {answer.status} of {asked.name}"
        if answer.status == 200:
            if not asked.granted:
                raise NotAsDescribedError(f"{what} is given to a token that does not allow it")
            if answer.media_type != asked.media_type:
                raise NotAsDescribedError(f"{what} is {answer.media_type}, and not {asked.media_type}")
            _read(what, asked.answer, answer.media_type, answer.body)
        elif answer.status == 401 and not answer.body:
            return
        else:
            _check_refusal(what, answer)


def _class_of(descriptor: Descriptor) -> type[Message]:
    return message_factory.GetMessageClass(descriptor)


def _read(what: str, kind: type[Message], media_type: str, body: bytes) -> None:
    message = kind()
    try:
        if media_type == JSON:
            if not isinstance(json.loads(body), dict):
                raise NotAsDescribedError(f"{what} is no JSON object")
            json_format.Parse(body, message)
        else:
            message.ParseFromString(body)
    except (DecodeError, json_format.ParseError, ValueError) as error:
        raise NotAsDescribedError(f"{what} is no {kind.DESCRIPTOR.full_name}: {error}") from None
    if unknown := _unknown(message):
        raise NotAsDescribedError(f"{what} has fields that {unknown} does not have")


def _unknown(message: Message) -> str:
    """The message, of all that lie within, that holds a field which it does not know; empty for none."""
    if len(unknown_fields.UnknownFieldSet(message)):
        return message.DESCRIPTOR.full_name
    for field, value in message.ListFields():
        if field.type != FieldDescriptor.TYPE_MESSAGE or _is_map(field):
            continue
        inner = cast("list[Message]", value if field.is_repeated else [value])
        if found := next(filter(None, map(_unknown, inner)), ""):
            return found
    return ""


def _is_map(field: FieldDescriptor) -> bool:
    return bool(field.message_type.GetOptions().map_entry)


def _checked(name: str, authorization: str | None) -> bool:
    """Whether the token allows the call, as far as what it says goes; one that is none at all is a fault."""
    if authorization is None:
        return False
    if not authorization.startswith("Bearer "):
        raise NotAsDescribedError(f"{name} takes a bearer token only")
    token = authorization.removeprefix("Bearer ")
    try:
        head = jwt.get_unverified_header(token)
        claims: dict[str, Any] = jwt.decode(token, options={"verify_signature": False})
    except jwt.InvalidTokenError:
        raise NotAsDescribedError(f"the token of {name} is no JWT") from None
    if head.get("alg") != "HS256" or not {"iss", "exp"} <= claims.keys():
        raise NotAsDescribedError(f"the token of {name} is not signed as LiveKit asks for, or has no issuer or end")
    check_claims(claims)
    grants = claims.get("video") or {}
    return bool(grants.get(NEEDS.get(name, "roomAdmin")))


def check_claims(claims: Mapping[str, Any]) -> None:
    """The claims of a token against those that LiveKit knows. Raises `NotAsDescribedError`."""
    known = {_camel(one.name) for one in dataclasses.fields(access_token.Claims)} - {"identity"}
    if unknown := claims.keys() - known - _REGISTERED:
        raise NotAsDescribedError(f"LiveKit knows no claims {sorted(unknown)}")
    if not all(isinstance(claims[name], int) for name in ("nbf", "exp", "iat") if name in claims):
        raise NotAsDescribedError("the times of a token are whole seconds")
    kinds = {_camel(one.name): str(one.type) for one in dataclasses.fields(access_token.VideoGrants)}
    for name, value in (claims.get("video") or {}).items():
        kind = re.search(r"List\[str\]|bool|str", kinds.get(name, ""))
        if kind is None or not isinstance(value, _KINDS[kind[0]]):
            raise NotAsDescribedError(f"LiveKit knows no grant {name} of {value!r}")


def _check_refusal(what: str, answer: Answer) -> None:
    if answer.media_type != JSON:
        raise NotAsDescribedError(f"{what} is {answer.media_type or 'of no type'}, and not JSON")
    try:
        told = json.loads(answer.body)
    except ValueError:
        raise NotAsDescribedError(f"{what} is no JSON") from None
    if not isinstance(told, dict) or not {"code", "msg"} <= told.keys() <= {"code", "msg", "meta"}:
        raise NotAsDescribedError(f"{what} is no refusal of Twirp's")
    if answer.status not in STATUSES.get(told["code"], ()) or not isinstance(told["msg"], str):
        raise NotAsDescribedError(f"{what} does not go with {told['code']!r}")


def _camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(word.capitalize() for word in others)


TWIRP = Twirp()
