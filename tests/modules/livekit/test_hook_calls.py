"""LiveKit tells who came and left, signed with the API secret; nobody else does."""

import hashlib
import json
from base64 import b64encode
from datetime import timedelta
from typing import Any

import jwt
import pytest
from livekit.api import AccessToken

from butler.contract.errors import Refuse
from butler.contract.hooks import StoredHook
from modules.livekit.config import LiveKitModuleSettings, LiveKitSettings
from modules.livekit.hook_calls import CallReceiver
from modules.livekit.module import LiveKitModule
from tests.hooks.harness import NOW
from tests.hooks.signed_requests import Heard, refusal, request, stored
from tests.support.context import make_context

KEY, SECRET = "APIkey", "a secret of sixty-four letters or more, as it has to be for the longest digest"
JOINED = (
    b'{"event":"participant_joined","id":"EV_1","createdAt":"1700000000",'
    b'"room":{"sid":"RM_1","name":"call-with-anna"},"participant":{"identity":"guest-1","name":"Anna"},"newField":1}'
)


def token(body: bytes, key: str = KEY, secret: str = SECRET, ttl: timedelta = timedelta(minutes=5)) -> str:
    """As the server signs: its own access token, with the digest of the body."""
    digest = b64encode(hashlib.sha256(body).digest()).decode()
    return AccessToken(key, secret).with_ttl(ttl).with_sha256(digest).to_jwt()


def receiver(heard: Heard | None = None, secret: str = SECRET) -> CallReceiver:
    context = make_context(
        secrets={"BUTLER_LIVEKIT_KEY": KEY, "BUTLER_LIVEKIT_SECRET": secret}, event_store=heard or Heard()
    )
    module = LiveKitModule(LiveKitModuleSettings(bot=LiveKitSettings(url="ws://calls.example")), context)
    (hook,) = module.hooks()
    assert isinstance(hook, CallReceiver)
    return hook


async def test_who_came_is_told_once():
    heard = Heard()
    hook = receiver(heard)
    admitted = await hook.admit(request(JOINED, Authorization=token(JOINED)))
    assert admitted.key == "EV_1"
    assert b"RM_1" not in (admitted.body or b"")
    for replay in (0, 0, 1):
        await hook.act(stored(hook, admitted, JOINED, replay=replay))
    assert [event.facts for event in heard.events] == [
        {"room": "call-with-anna", "change": "joined", "person": "Anna"}
    ] * 2


async def test_what_nobody_asks_about_is_answered_and_left():
    body = JOINED.replace(b"participant_joined", b"track_published")
    assert not (await receiver().admit(request(body, Authorization=f"Bearer {token(body)}"))).keep


def _unsigned(algorithm: str) -> str:
    claims: dict[str, Any] = {"iss": KEY, "exp": 9_999_999_999}
    claims["sha256"] = b64encode(hashlib.sha256(JOINED).digest()).decode()
    return jwt.encode(claims, None if algorithm == "none" else SECRET, algorithm)


@pytest.mark.parametrize(
    "said",
    [
        "",
        "x.y.z",
        token(b"another body"),
        token(JOINED, secret="another secret of thirty-two letters or more"),
        token(JOINED, key="another"),
        token(JOINED, ttl=timedelta(hours=-1)),
        AccessToken(KEY, SECRET).to_jwt(),
        _unsigned("none"),
        _unsigned("HS512"),
    ],
    ids=("missing", "no token", "another body", "another secret", "another key", "old", "no digest", "none", "HS512"),
)
async def test_what_livekit_did_not_sign_is_refused(said: str):
    assert await refusal(receiver(), request(JOINED, Authorization=said)) == 401


async def test_without_a_secret_or_a_text_nothing_is_let_through():
    assert await refusal(receiver(secret=""), request(JOINED, Authorization=token(JOINED))) == 401
    assert await refusal(receiver(), request(b"\xff", Authorization=token(b"\xff"))) == 400


@pytest.mark.parametrize("kept", [b"", b"[]", b"{}", json.dumps({"event": "x", "room": "", "person": ""}).encode()])
async def test_a_damaged_row_is_of_no_use(kept: bytes):
    with pytest.raises(Refuse):
        await receiver().act(StoredHook("h", "livekit", {}, kept, NOW))
