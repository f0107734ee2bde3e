"""LiveKit's own code reads what the butler writes, and writes what the butler reads."""

from datetime import timedelta
from urllib.parse import parse_qs, urlsplit

from livekit.api import LiveKitAPI, TokenVerifier, WebhookReceiver
from livekit.protocol.room import CreateRoomRequest, DeleteRoomRequest, ListRoomsRequest

from tests.hooks.signed_requests import request
from tests.modules.livekit.server import Calls
from tests.modules.livekit.test_hook_calls import JOINED, KEY, SECRET, receiver, token

FOR_EVER = timedelta(days=36_500)
"""Links end by the butler's clock, which these tests turn; the vendor's code knows the machine's only."""


async def test_the_vendor_takes_a_link_of_the_butlers_as_what_it_is(on_server: Calls) -> None:
    room = await on_server.room()
    args = {"room": room, "name": "Anna", "listen_only": True}
    result = await on_server.invoke("join_room", args)
    assert result.data is not None, result.error
    (link,) = parse_qs(urlsplit(result.data["link"]).query)["token"]
    claims = TokenVerifier(on_server.server.api_key, on_server.server.api_secret, leeway=FOR_EVER).verify(link)
    assert (claims.identity, claims.name) == (result.data["identity"], "Anna")
    assert claims.video is not None
    assert (claims.video.room, claims.video.room_join, claims.video.can_publish) == (room, True, False)


async def test_the_vendors_client_asks_the_stand_in_for_all_that_it_serves(on_server: Calls) -> None:
    server = on_server.server
    async with LiveKitAPI(on_server.url, server.api_key, server.api_secret, failover=False) as api:
        made = await api.room.create_room(CreateRoomRequest(name="tea", empty_timeout=60))
        listed = await api.room.list_rooms(ListRoomsRequest())
        await api.room.delete_room(DeleteRoomRequest(room="tea"))
    assert [(room.name, room.sid) for room in listed.rooms] == [("tea", made.sid)]
    assert server.rooms() == []


async def test_the_vendor_and_the_butler_agree_on_who_signed_a_call() -> None:
    signed = token(JOINED)
    event = WebhookReceiver(TokenVerifier(KEY, SECRET)).receive(JOINED.decode(), signed)
    admitted = await receiver().admit(request(JOINED, Authorization=signed))
    assert (event.id, event.event, event.participant.name) == (admitted.key, "participant_joined", "Anna")
