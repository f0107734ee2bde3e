"""Whatever goes wrong with the server is said as what it is, and never with the key."""

import pytest
from aiohttp import web

from butler.contract.errors import Effect, IntegrationErrorCode
from modules._remote import http
from tests.adapters.faulty import FaultyProxy, Status
from tests.adapters.subject import Fault
from tests.modules.livekit.server import Calls, calls


@pytest.mark.parametrize("tool", ["create_room", "join_room"])
@pytest.mark.parametrize("fault", list(Fault))
async def test_each_fault_of_a_server_has_its_code(on_server: Calls, tool: str, fault: Fault) -> None:
    args = {"name": "Anna"} | ({"room": await on_server.room()} if tool == "join_room" else {})
    async with FaultyProxy(on_server.server.url) as proxy, calls(proxy.url, timeout_s=0.3) as behind:
        behind.server.api_key, behind.server.api_secret = on_server.server.api_key, on_server.server.api_secret
        async with proxy.fault(fault):
            result = await behind.invoke(tool, args)
    assert result.error is not None
    assert result.error.code == IntegrationErrorCode(fault.value)
    assert on_server.server.api_secret not in repr(result.error)
    if tool == "join_room":
        assert result.error.effect is Effect.NONE


@pytest.mark.parametrize(
    ("code", "status", "means"),
    [
        ("permission_denied", 403, IntegrationErrorCode.FORBIDDEN),
        ("resource_exhausted", 403, IntegrationErrorCode.RATE_LIMITED),
        ("already_exists", 409, IntegrationErrorCode.CONFLICT),
        ("internal", 500, IntegrationErrorCode.UNAVAILABLE),
        ("failed_precondition", 412, IntegrationErrorCode.REJECTED),
    ],
)
async def test_twirps_own_codes_are_understood(code: str, status: int, means: IntegrationErrorCode) -> None:
    async with calls() as behind, FaultyProxy(behind.server.url) as proxy, calls(proxy.url) as on:
        with proxy.broken(Status(status, {"code": code, "msg": "the reason"})):
            result = await on.invoke("create_room", {"name": "Anna"})
    assert result.error is not None
    assert (result.error.code, result.error.provider_code) == (means, code)
    assert "(the reason)" in result.error.message


async def test_a_refusal_that_is_no_object_is_told_as_unreadable() -> None:
    async with calls() as behind, FaultyProxy(behind.server.url) as proxy, calls(proxy.url) as on:
        with proxy.broken(Status(400, ["no object"])):
            result = await on.invoke("create_room", {"name": "Anna"})
    assert result.error is not None
    assert result.error.code is IntegrationErrorCode.INVALID_OUTPUT


@pytest.mark.parametrize("refusal", [{"code": {"a": 1}, "msg": 5}, {"code": ["x"], "msg": None}, {"code": 5}])
async def test_a_refusal_whose_words_are_none_is_told_by_its_status(refusal: dict[str, object]) -> None:
    async with calls() as behind, FaultyProxy(behind.server.url) as proxy, calls(proxy.url) as on:
        with proxy.broken(Status(404, refusal)):
            result = await on.invoke("create_room", {"name": "Anna"})
    assert result.error is not None
    assert (result.error.code, result.error.message) == (IntegrationErrorCode.NOT_FOUND, "the server does not have it")


@pytest.mark.parametrize("status", [301, 302, 307, 308])
async def test_nothing_follows_where_a_server_sends_the_butler(status: int) -> None:
    came: list[str] = []

    def elsewhere(request: web.Request) -> bool:
        came.append(request.path)
        return False

    async with calls() as other, FaultyProxy(other.server.url) as there:
        with there.broken(Status(200), only=elsewhere):
            async with calls() as behind, FaultyProxy(behind.server.url) as proxy, calls(proxy.url) as on:
                with proxy.broken(Status(status, b"", {"Location": f"{there.url}/twirp"})):
                    result = await on.invoke("create_room", {"name": "Anna"})
    assert result.error is not None
    assert (result.error.code, result.error.http_status) == (IntegrationErrorCode.REJECTED, status)
    assert came == []


async def test_an_answer_that_is_too_long_is_not_read_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "MOST_BYTES", 100_000)
    async with calls() as behind, FaultyProxy(behind.server.url) as proxy, calls(proxy.url) as on:
        with proxy.broken(Status(200, bytes(200_000), {"Content-Type": "application/protobuf"})):
            result = await on.invoke("create_room", {"name": "Anna"})
    assert result.error is not None
    assert (result.error.code, result.error.message) == (IntegrationErrorCode.INVALID_OUTPUT, http.TOO_LONG)
