"""Gmail's pushes: only Google's for us are let through, none is believed further than that a look is worth it."""

import asyncio
import base64
import hashlib
import hmac
import json
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from butler.contract.errors import ConfigError
from butler.contract.mirror import SeenQuery
from butler_demo.gmail.push import PubSub, SigningKey, Subscription
from butler_demo.google.poster import Poster
from modules.email.config import EmailSettings
from modules.email.integration_gmail_records import STOP, WATCH
from modules.email.module import EmailModule
from tests.hooks.harness import Served, serving
from tests.modules.email.gmail_account import ME, VARIABLE, WORK, GmailUnderTest, gmail_server
from tests.modules.email.mailhost import mail
from tests.support.context import RecordingProbe, TurnedClock, make_context
from tests.support.waiting import until

PUBLIC = "https://butler.example"
TOPIC = "projects/butler/topics/gmail"
PUSHER = "pusher@butler.iam.gserviceaccount.com"


@dataclass
class World:
    """An account that is pushed, what pushes, and the port that it is pushed to."""

    gmail: GmailUnderTest
    pubsub: PubSub
    poster: Poster
    port: Served
    modules: list[EmailModule] = field(default_factory=list[EmailModule])

    @property
    def clock(self) -> TurnedClock:
        assert isinstance(self.gmail.context.clock, TurnedClock)
        return self.gmail.context.clock

    @property
    def source(self) -> Any:
        (source,) = self.gmail.module.sources()
        return source

    async def tend(self) -> None:
        """Look until all is there, and see to what Google promised."""
        while (await self.source.poll.step()).more:
            pass

    async def push(self, token: str, body: bytes | None = None) -> int:
        """The status that a push is answered with."""
        body = self.pubsub.message(ME, "1")[1] if body is None else body
        return (await self.port.post("/hooks/gmail", body, Authorization=f"Bearer {token}"))[0]

    def token(self, **claims: Any) -> str:
        """A token with some claims otherwise; None leaves one out."""
        said = {name: value for name, value in (self.pubsub.claims() | claims).items() if value is not None}
        return self.pubsub.key.token(said)


@asynccontextmanager
async def pushed(folder: Path, **fields: Any) -> AsyncGenerator[World]:
    async with gmail_server() as server:
        clock, poster = TurnedClock(), Poster()
        pubsub = PubSub(server, Subscription(TOPIC, f"{PUBLIC}/hooks/gmail", PUSHER), poster, clock.now)
        await pubsub.start()
        secrets = {VARIABLE: server.credentials_json(ME)}
        context = make_context(secrets=secrets, probe=RecordingProbe(), clock=clock, public_url=PUBLIC)
        section = {"push_topic": TOPIC, "push_service_account": PUSHER, "push_certs": pubsub.certs_url}
        gmail = GmailUnderTest(server, context=context, **section | fields)
        async with serving(folder, *gmail.module.hooks()) as port:
            poster.reach[PUBLIC] = f"http://127.0.0.1:{port.port}"
            poster.start()
            world = World(gmail, pubsub, poster, port)
            yield world
            await poster.stop()
        for module in (gmail.module, *world.modules):
            await module.stop()
        await pubsub.stop()


@asynccontextmanager
async def running(world: World) -> AsyncGenerator[None]:
    """The source at work."""
    task = asyncio.create_task(world.source.run())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    async with pushed(tmp_path) as made:
        await made.tend()
        yield made


async def test_a_mail_is_there_at_once_though_the_next_look_is_far_away(tmp_path: Path) -> None:
    async with pushed(tmp_path, poll_interval=3600, pushed_poll_interval=3600) as world, running(world):
        await until(lambda: world.gmail.server.watch_of(ME) is not None)
        world.gmail.server.deliver(ME, mail("Lunch?"))
        await world.poster.done()
        (row,) = await world.port.rows()
        assert json.loads(row.hook.body) == {"account": "main"}
        assert row.hook.headers == {}
        await world.port.act()
        await until(lambda: bool(world.gmail.mirror.batches and world.gmail.mirror.batches[-1].messages))
        found = await world.gmail.mirror.messages(SeenQuery("email", muted=True, limit=5))
        assert [one.subject for one in found] == ["Lunch?"]


async def test_google_is_asked_at_every_start_and_every_day_and_no_more(world: World) -> None:
    watch = world.gmail.server.watch_of(ME)
    assert watch is not None
    assert watch.topic == TOPIC
    for hours in (1, 12, 12, 1, 24):
        world.clock.offset += timedelta(hours=hours)
        await world.tend()
    assert world.gmail.asked(WATCH) == 3
    await GmailAgain(world).tend()
    assert world.gmail.asked(WATCH) == 4


async def test_switched_off_google_is_told_to_stop_once(world: World) -> None:
    off = GmailAgain(world, push_topic="")
    await off.tend()
    await off.tend()
    assert world.gmail.server.watch_of(ME) is None
    assert world.gmail.asked(STOP) == 1
    assert off.module.hooks() == ()


async def test_while_google_tells_the_look_is_seldom_and_otherwise_as_ever(world: World) -> None:
    assert (await world.source.poll.step()).next_s == 600.0
    world.gmail.server.fail("gmail.users.watch", 403, reason="forbidden")
    world.clock.offset += timedelta(days=2)
    await world.tend()
    assert (await world.source.poll.step()).next_s is None
    assert world.source.health().detail.startswith("it is not told at once what changes")
    assert not world.source.health().failing
    world.clock.offset += timedelta(minutes=11)
    await world.tend()
    assert (await world.source.poll.step()).next_s == 600.0
    assert world.source.health().detail == ""


async def test_a_push_that_is_googles_is_let_through_once(world: World) -> None:
    body = world.pubsub.message(ME, "77")[1]
    assert [await world.push(world.token(), body) for _ in range(3)] == [200] * 3
    assert len(await world.port.rows()) == 1
    assert world.pubsub.certs_served == 1


FORGED: dict[str, dict[str, Any]] = {
    "for another": {"aud": "https://elsewhere.example/hooks/gmail"},
    "from another service account": {"email": "somebody@else.iam.gserviceaccount.com"},
    "not verified": {"email_verified": False},
    "verified in words only": {"email_verified": "true"},
    "another issuer": {"iss": "https://accounts.example"},
    "no issuer": {"iss": None},
    "no end": {"exp": None},
    "no beginning": {"iat": None},
    "an end in words": {"exp": "9999999999"},
    "good for ever": {"exp": 9_999_999_999},
}


@pytest.mark.parametrize("how", list(FORGED))
async def test_a_token_that_says_something_else_is_refused(world: World, how: str) -> None:
    assert await world.push(world.token(**FORGED[how])) in (401, 403)
    assert await world.port.rows() == []


async def test_a_token_has_its_time_give_or_take_a_minute(world: World) -> None:
    token = world.token()
    world.clock.offset += timedelta(hours=1, seconds=50)
    assert await world.push(token) == 200
    world.clock.offset += timedelta(seconds=20)
    assert await world.push(token) == 401
    world.clock.offset -= timedelta(hours=3)
    assert await world.push(token) == 401


async def test_no_other_way_of_signing_is_believed(world: World) -> None:
    head, body, signature = world.token().split(".")
    certificate = world.pubsub.key.certificate.encode()

    def part(record: dict[str, Any]) -> str:
        return base64.urlsafe_b64encode(json.dumps(record).encode()).decode().rstrip("=")

    unsigned = part({"alg": "none", "kid": "key-1"})
    confused = part({"alg": "HS256", "kid": "key-1"})
    mac = hmac.new(certificate, f"{confused}.{body}".encode(), hashlib.sha256).digest()
    other = SigningKey("key-1", world.clock.now()).token(world.pubsub.claims())
    stranger = SigningKey("made-up", world.clock.now()).token(world.pubsub.claims())
    changed = part(world.pubsub.claims() | {"email": PUSHER.upper()})
    forged = [
        "",
        "a.b",
        "a.b.c",
        "é.é.é",
        f"{unsigned}.{body}.",
        f"{confused}.{body}.{base64.urlsafe_b64encode(mac).decode().rstrip('=')}",
        f"{part({'alg': 'ES256', 'kid': 'key-1'})}.{body}.{signature}",
        f"{part({'alg': 'RS256'})}.{body}.{signature}",
        f"{head}.{changed}.{signature}",
        f"{head}.{body}.{signature[:-6]}AAAAAA",
        f"{head}.{part({})}.{signature}",
        other,
        stranger,
        world.token() + "A" * 9_000,
    ]
    assert {await world.push(token) for token in forged} == {401}
    assert (await world.port.post("/hooks/gmail", b"{}", Authorization="Basic abc"))[0] == 401
    assert (await world.port.post("/hooks/gmail", b"{}"))[0] == 401
    assert await world.port.rows() == []


async def test_a_new_key_of_googles_is_looked_up_and_made_up_ones_do_not_make_us_ask_without_end(world: World) -> None:
    assert await world.push(world.token()) == 200
    for number in range(5):
        assert await world.push(SigningKey(f"n{number}", world.clock.now()).token(world.pubsub.claims())) == 401
    assert world.pubsub.certs_served == 1
    world.pubsub.rotate()
    world.clock.offset += timedelta(minutes=2)
    assert await world.push(world.token()) == 200
    assert world.pubsub.certs_served == 2


async def test_without_certificates_nobody_can_tell_and_google_comes_again(world: World) -> None:
    token = world.token()
    await world.pubsub.stop()
    assert await world.push(token) == 503
    assert await world.port.rows() == []


async def test_a_mailbox_that_is_not_ours_is_answered_and_left(world: World) -> None:
    assert await world.push(world.token(), world.pubsub.message(WORK, "1")[1]) == 200
    assert await world.port.rows() == []


@pytest.mark.parametrize(
    "body",
    [
        "",
        "[]",
        "{}",
        '{"message": {}}',
        '{"message": {"messageId": "1", "data": "!"}}',
        '{"message": {"messageId": 1, "data": "e30="}}',
        '{"message": {"messageId": "1", "data": "W10="}}',
    ],
)
async def test_what_is_no_push_is_refused(world: World, body: str) -> None:
    assert await world.push(world.token(), body.encode()) == 400


async def test_a_push_that_is_too_large_is_not_read(world: World) -> None:
    assert await world.push(world.token(), b" " * 70_000) == 413


async def test_nothing_secret_is_kept(world: World) -> None:
    token = world.token()
    await world.push(token)
    kept = repr(await world.port.rows()) + repr(world.gmail.context.storage.cursors.__dict__)
    assert token not in kept
    assert token.split(".")[2] not in kept


async def test_another_mailbox_behind_the_same_account_is_watched_anew(world: World) -> None:
    world.gmail.vault.values[VARIABLE] = world.gmail.server.credentials_json(WORK)
    await world.gmail.module.signed_in()
    await world.tend()
    assert world.gmail.server.watch_of(WORK) is not None
    assert await world.push(world.token(), world.pubsub.message(WORK, "1")[1]) == 200
    assert len(await world.port.rows()) == 1
    assert await world.push(world.token(), world.pubsub.message(ME, "1")[1]) == 200
    assert len(await world.port.rows()) == 1


async def test_doctor_tells_whether_google_tells(world: World) -> None:
    lines = {check.name: check.ok for check in await world.gmail.module.checks()}
    assert lines["your Gmail: pushes"]
    world.clock.offset += timedelta(days=8)
    lines = {check.name: check.ok for check in await world.gmail.module.checks()}
    assert not lines["your Gmail: pushes"]


async def test_pushes_need_to_be_proved_and_an_address() -> None:
    with pytest.raises(ValueError, match="push_service_account"):
        EmailSettings.model_validate({"user": {"push_topic": TOPIC}})
    async with gmail_server() as server:
        with pytest.raises(ConfigError, match="public_url"):
            GmailUnderTest(server, push_topic=TOPIC, push_service_account=PUSHER)


class GmailAgain:
    """The same account under a new process: nothing in memory is kept."""

    def __init__(self, world: World, **fields: Any) -> None:
        section = {"push_topic": TOPIC, "push_service_account": PUSHER, "push_certs": world.pubsub.certs_url}
        self.module = GmailUnderTest(world.gmail.server, context=world.gmail.context, **section | fields).module
        world.modules.append(self.module)

    async def tend(self) -> None:
        (source,) = self.module.sources()
        while (await source.poll.step()).more:
            pass
