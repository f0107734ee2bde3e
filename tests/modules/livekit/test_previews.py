"""Asked about, a room and a link say all that decides."""

import pytest

from tests.modules.livekit.server import Calls


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ({"minutes": 1}, {"Lets in": "1 minute", "In the call": "hears, sees and speaks"}),
        ({"listen_only": True}, {"Lets in": "120 minutes", "In the call": "only hears and sees the others"}),
    ],
)
async def test_a_card_says_who_gets_in_where_and_for_how_long(
    on_server: Calls, args: dict[str, object], said: dict[str, str]
) -> None:
    spec = on_server.registry.spec("bot_livekit_join_room")
    assert spec.preview is not None
    preview = spec.preview(spec.args.model_validate({"room": "call-with-anna", "name": "Anna", **args}))
    assert preview.effect == "Makes a link that lets one person into a call; you alone get it"
    facts = dict(preview.facts)
    assert facts.items() >= {"Who": "Anna", "Room": "call-with-anna", **said}.items()
    assert not preview.recipients


async def test_a_card_says_what_a_room_is_for(on_server: Calls) -> None:
    spec = on_server.registry.spec("bot_livekit_create_room")
    assert spec.preview is not None
    preview = spec.preview(spec.args.model_validate({"name": "Call with Anna"}))
    assert dict(preview.facts)["What about"] == "Call with Anna"
