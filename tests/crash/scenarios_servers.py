"""What is done on the person's own servers: a call's room, and what is put into a collection, with a model's plan.

A room and a point are told from a double by their names, so there is one of each, whenever the daemon died.
"""

import json
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import timedelta

import aiohttp

from tests.adapters.servers.qdrant.collections import Collection
from tests.adapters.servers.qdrant.server import QdrantServer
from tests.agents.wire import CHAT, KEY, ModelServer
from tests.crash.scenarios import Scenario, card_tells, states
from tests.crash.scenarios_accounts import say_yes
from tests.crash.scenarios_approvals import tap

SEND, UPSERT = "user_telegram_send_message", "bot_qdrant_upsert"
INVITATION = "Join me in a call: "
STEP = {
    "tool": UPSERT,
    "args": {"collection": "photos", "points": [{"vector": [0.25, 0.5], "payload": {"place": "the hut"}}]},
    "depends_on": [],
}


async def call_and_send_the_link(home):
    """Chat, links, a tap on Send, card, yes: one room, and one message, whose link lets Anna in."""
    home.world.say("call Anna")
    await tap(home, "Send Anna the link")
    await say_yes(home, INVITATION)
    await home.until(lambda: states(home, SEND) == ["done"], "a done approval")
    await home.settled()
    (room,) = home.world.livekit.rooms()
    (sent,) = home.world.sent_telegrams()
    home.world.advance(timedelta(hours=1))
    async with aiohttp.ClientSession() as session, session.get(sent.text.removeprefix(INVITATION)) as answer:
        assert answer.status == 200, await answer.text()
    assert list(home.world.livekit.people(room.name).values()) == ["Anna"]
    await card_tells(home, "Sent")


async def put_into_qdrant(home):
    """Chat, a model's plan, card, yes: the point is there, once, because its id is made of it."""
    home.world.say("put the photo of the hut into my collection photos")
    await say_yes(home, "photos")
    await home.until(lambda: states(home, UPSERT) == ["done"], "a done approval")
    await home.settled()
    photos = home.beside.qdrant.collections["photos"]
    assert [point.payload for point in photos.points.values()] == [{"place": "the hut"}]
    assert 1 <= photos.operations <= 1 + home.deaths
    assert home.beside.model.refused == []


@dataclass(frozen=True)
class Beside:
    """A Qdrant server with an empty collection, and a model that wants a point in it."""

    qdrant: QdrantServer
    model: ModelServer
    clients = ("qdrant_client", "pydantic_ai.models.openai")
    """Heavy modules, loaded once before daemons are forked."""

    def known_to(self, options):
        table = f'[modules.qdrant.bot]\nurl = {json.dumps(self.qdrant.url)}\nkey_env = ""\n'
        model = {"llm_model": CHAT.model, "llm_base_url": self.model.base_url, "llm_key": KEY}
        return replace(options, more_toml=options.more_toml + table, **model)


@asynccontextmanager
async def qdrant_and_a_model():
    model = ModelServer(CHAT)
    model.plan({"steps": [STEP], "question": "", "command": None})
    await model.start()
    try:
        async with QdrantServer() as qdrant:
            qdrant.collections["photos"] = Collection(2, "Cosine")
            yield Beside(qdrant, model)
    finally:
        await model.stop()


CALL_SCENARIO = Scenario("call_and_send_the_link", call_and_send_the_link)
QDRANT_SCENARIO = Scenario("put_into_qdrant", put_into_qdrant, beside=qdrant_and_a_model)
