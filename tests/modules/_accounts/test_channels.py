"""Channels of Calendar and Drive: always one open, greeted before they are answered, believed by their token alone."""

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from butler.contract.errors import ConfigError
from butler.contract.module import ModuleContext
from butler_demo.calendar.server import CalendarServer
from butler_demo.drive.server import DriveServer
from butler_demo.google.channels import Push
from butler_demo.google.poster import Poster
from modules.calendar.config import CalendarModuleSettings
from modules.calendar.module import CalendarModule
from modules.drive.config import DriveModuleSettings
from modules.drive.module import DriveModule
from tests.hooks.harness import Served, serving
from tests.support.context import MemoryCursors, RecordingProbe, TurnedClock, make_context
from tests.support.waiting import until

ME = "me@home.example"
PUBLIC = "https://butler.example"
READONLY = "https://www.googleapis.com/auth/drive.readonly"
HEADERS = ("X-Goog-Channel-ID", "X-Goog-Channel-Token", "X-Goog-Resource-ID")


class Book:
    """Rooms where polled records go, of which a test asks only whether somebody looked."""

    def __init__(self) -> None:
        self.kept = 0

    async def keep(self, records: Any, **more: Any) -> tuple[()]:
        del more
        self.kept += len(records)
        return ()

    async def replace(self, all_of: Any, records: Any, *, cursor: tuple[str, str], **more: Any) -> tuple[()]:
        del all_of, more
        self.kept += len(records)
        await self.cursors.set(*cursor)
        return ()

    async def find(self, query: Any) -> tuple[()]:
        del query
        return ()

    cursors: MemoryCursors


@dataclass
class World:
    """A module whose account is told of, what tells it, and the port that it is told at."""

    kind: str
    server: Any
    context: ModuleContext
    poster: Poster
    port: Served
    module: Any
    modules: list[Any] = field(default_factory=list[Any])

    @property
    def clock(self) -> TurnedClock:
        assert isinstance(self.context.clock, TurnedClock)
        return self.context.clock

    @property
    def cursors(self) -> MemoryCursors:
        assert isinstance(self.context.storage.cursors, MemoryCursors)
        return self.context.storage.cursors

    @property
    def rows(self) -> str:
        """What is kept of the channels."""
        return self.cursors.values.get(f"{self.kind}.channels.main", "")

    def again(self, **fields: Any) -> Any:
        """The module under a new process; nothing in memory is kept."""
        module = make(self.kind, self.server, self.context, **fields)
        self.modules.append(module)
        return module

    async def look(self, module: Any = None) -> None:
        (source,) = (module or self.module).sources()
        while (await source.poll.step()).more:
            pass
        await self.poster.done()

    def change(self) -> None:
        if self.kind == "calendar":
            at = self.clock.now() + timedelta(days=2)
            times = {"start": {"dateTime": at.isoformat()}, "end": {"dateTime": (at + timedelta(hours=1)).isoformat()}}
            self.server.add_event(ME, {"summary": "Lunch", **times})
        else:
            self.server.add_file(ME, "Rent", b"text", "text/plain")

    async def call(self, push: Push, **headers: str) -> int:
        """The status that a call of Google's is answered with, some of its headers otherwise."""
        said = {
            "X-Goog-Channel-ID": push.channel_id,
            "X-Goog-Channel-Token": push.token,
            "X-Goog-Resource-ID": push.resource_id,
            "X-Goog-Resource-State": "exists",
            "X-Goog-Message-Number": "7",
        } | {name.replace("_", "-"): value for name, value in headers.items()}
        kept = {name.replace("-", "_"): value for name, value in said.items() if value}
        return (await self.port.post(f"/hooks/{self.kind}", b"", **kept))[0]


def make(kind: str, server: Any, context: ModuleContext, **fields: Any) -> Any:
    root = server if isinstance(server, str) else server.url
    section = {"api_root": root, "push": True} | fields
    if kind == "calendar":
        return CalendarModule(CalendarModuleSettings.model_validate({"user": section}), context)
    return DriveModule(DriveModuleSettings.model_validate({"user": section}), context)


@asynccontextmanager
async def told(kind: str, folder: Path, **fields: Any) -> AsyncGenerator[World]:
    clock, poster, book, cursors = TurnedClock(), Poster(), Book(), MemoryCursors()
    server: Any = CalendarServer(now=clock.now) if kind == "calendar" else DriveServer(now=clock.now)
    server.add_account(ME, "Me")
    await server.start()
    server.on_push(poster.notice)
    scopes = [READONLY] if kind == "drive" else []
    secrets = {f"USER_{kind.upper()}_OAUTH_JSON": server.credentials_json(ME, *([scopes] if scopes else []))}
    book.cursors = cursors
    context = make_context(
        secrets=secrets, clock=clock, public_url=PUBLIC, cursors=cursors, polled=book, probe=RecordingProbe()
    )
    module = make(kind, server, context, **fields)
    async with serving(folder, *module.hooks()) as port:
        poster.reach[PUBLIC] = f"http://127.0.0.1:{port.port}"
        poster.start()
        world = World(kind, server, context, poster, port, module)
        yield world
        await poster.stop()
    for one in (module, *world.modules):
        await one.stop()
    await server.stop()


@pytest.fixture(params=["calendar", "drive"])
async def world(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[World]:
    async with told(request.param, tmp_path) as made:
        await made.look()
        yield made


async def test_a_channel_is_opened_greeted_and_noted_without_its_token(world: World) -> None:
    (channel,) = world.server.channels
    assert channel.address == f"{PUBLIC}/hooks/{world.kind}"
    assert len(channel.token) >= 40
    assert [status for _, status in world.poster.answers] == [200]
    assert await world.port.rows() == []
    assert world.port.counted == [(world.kind, "greeted")]
    assert channel.id in world.rows
    assert channel.token not in json.dumps(world.cursors.values)


async def test_what_changes_is_looked_at_though_the_next_look_is_far_away(tmp_path: Path) -> None:
    for kind in ("calendar", "drive"):
        async with told(kind, tmp_path, poll_interval=3600, pushed_poll_interval=3600) as world:
            (source,) = world.module.sources()
            task = asyncio.create_task(source.run())
            await until(lambda: bool(world.server.channels))
            await until(lambda: f'"resource":"{world.server.channels[0].resource_id}"' in world.rows)
            world.change()
            await world.poster.done()
            await world.port.act()
            await until(lambda: world.context.storage.polled.kept > 0)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)


async def test_only_who_shows_the_token_is_let_through(world: World) -> None:
    world.server.on_push(None)
    channel = world.server.channels[0]
    push = Push(channel.id, channel.address, channel.token, channel.resource_id, "exists", 2)
    assert await world.call(push, X_Goog_Channel_Token="") == 403
    assert await world.call(push, X_Goog_Channel_Token=channel.token[:-1]) == 403
    assert await world.call(push, X_Goog_Channel_ID="another") == 403
    assert await world.call(push, X_Goog_Resource_ID="another") == 403
    assert await world.call(push, X_Goog_Channel_ID="") == 400
    assert await world.call(push, X_Goog_Message_Number="x") == 400
    assert await world.call(push, X_Goog_Resource_State="") == 400
    assert await world.port.rows() == []
    assert await world.call(push) == 200
    assert await world.call(push) == 200
    (row,) = await world.port.rows()
    assert json.loads(row.hook.body) == {"account": "main", "state": "exists"}
    assert channel.token not in repr(row)


async def test_numbers_out_of_order_are_each_worth_a_look(world: World) -> None:
    world.server.on_push(None)
    channel = world.server.channels[0]
    push = Push(channel.id, channel.address, channel.token, channel.resource_id, "exists", 2)
    for number in ("9", "3", "12", "3"):
        assert await world.call(push, X_Goog_Message_Number=number) == 200
    assert len(await world.port.rows()) == 3


async def test_a_restart_keeps_the_channel(world: World) -> None:
    before = world.server.channels
    await world.look(world.again())
    assert world.server.channels == before


async def test_a_new_channel_is_open_before_the_old_one_is_closed(world: World) -> None:
    (first,) = world.server.channels
    world.clock.offset += timedelta(days=6, hours=1)
    await world.look()
    (second,) = world.server.channels
    assert second.id != first.id
    assert [name for name, _ in world.poster.answers] == [f"{first.id}:sync", f"{second.id}:sync"]
    push = Push(first.id, first.address, first.token, first.resource_id, "exists", 5)
    assert await world.call(push) == 403


async def test_an_ended_channel_is_believed_no_more(world: World) -> None:
    (channel,) = world.server.channels
    world.clock.offset += timedelta(days=8)
    push = Push(channel.id, channel.address, channel.token, channel.resource_id, "exists", 5)
    assert await world.call(push) == 403
    await world.look()
    assert [one.id for one in world.server.channels] != [channel.id]


async def test_an_answer_that_is_lost_costs_a_channel_and_no_more(world: World) -> None:
    """A kill between asking and storing the answer leaves a channel that nobody can close; it ends by itself."""
    (first,) = world.server.channels
    kept = json.loads(world.rows)
    kept["channels"][0]["resource"] = ""
    world.cursors.values[f"{world.kind}.channels.main"] = json.dumps(kept)
    again = world.again()
    await world.look(again)
    assert first.id not in world.rows
    (held,) = json.loads(world.rows)["channels"]
    assert held["resource"]


async def test_switched_off_all_are_closed(world: World) -> None:
    off = world.again(push=False)
    await world.look(off)
    assert world.server.channels == ()
    assert world.rows == ""
    assert off.hooks() == ()


async def test_signed_in_anew_all_are_opened_anew(world: World) -> None:
    (first,) = world.server.channels
    await world.module.signed_in()
    await world.look()
    (second,) = world.server.channels
    assert second.id != first.id


async def test_where_google_does_not_tell_it_is_polled_as_ever(tmp_path: Path) -> None:
    async with told("calendar", tmp_path) as world:
        world.server.fail("calendar.events.watch", 400, reason="pushNotSupportedForRequestedResource")
        await world.look()
        await world.look()
        assert world.server.channels == ()
        (source,) = world.module.sources()
        assert not source.health().failing


async def test_doctor_tells_how_long_google_tells(world: World) -> None:
    line = (await world.module.checks())[-1]
    assert line.ok
    assert "1 channels until" in line.detail
    world.clock.offset += timedelta(days=8)
    assert not (await world.module.checks())[-1].ok


@pytest.mark.parametrize("kind", ["calendar", "drive"])
@pytest.mark.parametrize("public_url", ["", "http://butler.example"])
def test_without_a_public_address_nobody_can_call(kind: str, public_url: str) -> None:
    context = make_context(public_url=public_url)
    with pytest.raises(ConfigError, match="needs public_url"):
        make(kind, "https://www.googleapis.com/", context)
