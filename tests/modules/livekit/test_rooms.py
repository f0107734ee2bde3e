"""Rooms are opened by LiveKit's own client on a server that checks each request."""

import re
from datetime import timedelta

from livekit.protocol.models import Room

from butler.contract.errors import Effect, IntegrationErrorCode
from butler.contract.tools import Settled
from tests.adapters.faulty import FaultyProxy, Status
from tests.modules.livekit.server import Calls, calls


async def test_a_room_is_called_after_the_call_and_cannot_be_guessed(on_server: Calls) -> None:
    result = await on_server.invoke("create_room", {"name": "Call with Zoë: plans/ideas!"})
    assert result.data is not None, result.error
    assert re.fullmatch(r"call-with-zoe-plans-ideas-[a-z2-7]{12}", result.data["room"])
    (room,) = on_server.server.rooms()
    assert (room.name, room.sid) == (result.data["room"], result.data["sid"])
    assert result.data["empty_timeout_s"] == room.empty_timeout == 7_200
    assert result.data["max_participants"] == room.max_participants == 10
    assert set(result.data) == {"room", "sid", "created_at", "empty_timeout_s", "max_participants"}


async def test_a_call_that_is_repeated_finds_the_room_that_it_has_opened(on_server: Calls) -> None:
    first = await on_server.invoke("create_room", {"name": "Call with Anna"}, "one")
    again = await on_server.invoke("create_room", {"name": "Call with Anna"}, "one")
    other = await on_server.invoke("create_room", {"name": "Call with Anna"}, "two")
    assert first.data == again.data
    assert first.data is not None
    assert other.data is not None
    assert first.data["room"] != other.data["room"]
    assert len(on_server.server.rooms()) == 2


async def test_what_became_of_a_lost_call_is_found_at_the_server(on_server: Calls) -> None:
    call = on_server.call("create_room", {"name": "Call with Anna"})
    assert (await on_server.registry.reconcile(call)).settled is Settled.REPEAT
    made = await on_server.registry.invoke(call)
    found = await on_server.registry.reconcile(call)
    assert found.settled is Settled.DONE
    assert found.data == made.data


async def test_nothing_is_known_of_a_lost_call_while_the_server_is_away(on_server: Calls) -> None:
    await on_server.server.stop()
    call = on_server.call("create_room", {"name": "Call with Anna"})
    assert (await on_server.registry.reconcile(call)).settled is Settled.UNKNOWN


async def test_a_dry_run_opens_nothing(on_server: Calls) -> None:
    result = await on_server.invoke("create_room", {"name": "Call with Anna"}, dry_run=True)
    assert result.ok
    assert not on_server.server.rooms()
    assert not on_server.server.calls


async def test_a_room_has_the_limits_that_the_settings_say() -> None:
    async with calls(empty_minutes=5, max_participants=2) as opened:
        await opened.room()
        (room,) = opened.server.rooms()
        assert (room.empty_timeout, room.max_participants) == (300, 2)


async def test_a_key_that_is_not_set_is_named() -> None:
    async with calls(secret_env="OTHER_SECRET") as opened:
        result = await opened.invoke("create_room", {"name": "Call"})
        assert result.error is not None
        assert result.error.code is IntegrationErrorCode.AUTH_REQUIRED
        assert result.error.message == "OTHER_SECRET is not set"
        status = await opened.integration.auth_status()
        assert not status["ok"]
        assert "OTHER_SECRET" in status["todo"]


async def test_doctor_says_which_server_it_is(on_server: Calls) -> None:
    (check,) = await on_server.module.checks()
    assert check.ok
    assert check.detail == on_server.url.removeprefix("http://")
    on_server.server.api_secret = "another" * 6
    (check,) = await on_server.module.checks()
    assert not check.ok
    assert ": the server does not take the key" in check.detail
    assert "BUTLER_LIVEKIT_SECRET" in check.todo


async def test_an_answer_about_another_room_is_not_believed(on_server: Calls) -> None:
    other = Room(sid="RM_other", name="other", creation_time=1).SerializeToString()
    async with FaultyProxy(on_server.server.url) as proxy, calls(proxy.url) as behind:
        with proxy.broken(Status(200, other)):
            result = await behind.invoke("create_room", {"name": "Call with Anna"})
    assert result.error is not None
    assert result.error.code is IntegrationErrorCode.INVALID_OUTPUT
    assert result.error.effect is Effect.UNKNOWN


async def test_a_room_that_nobody_entered_is_closed_in_time(on_server: Calls) -> None:
    room = await on_server.room()
    on_server.clock.offset = timedelta(hours=2, minutes=1)
    result = await on_server.invoke("join_room", {"room": room, "name": "Anna"})
    assert result.error is not None
    assert result.error.code is IntegrationErrorCode.NOT_FOUND
    assert room in result.error.message
