"""One source that fails takes no other down; one that only the owner can help is told of, whatever the store says."""

import asyncio
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta

import pytest
import structlog

from butler import supervisor
from butler.contract.errors import AuthRequiredError, LoginRefusedError
from butler.contract.module import Health
from butler.store.errors import StoreFullError
from butler.supervisor import Supervisor
from tests.support.context import TurnedClock
from tests.support.waiting import until


class Source:
    """Ends as it is told, one end after another; then it lives."""

    def __init__(self, name, *ends):
        self.name = name
        self.ends = list(ends)
        self.runs = 0

    async def run(self):
        self.runs += 1
        if self.ends:
            raise self.ends.pop(0)
        await asyncio.Event().wait()

    def health(self):
        return Health(datetime(2026, 11, 28, tzinfo=UTC), 60.0)


class Owner:
    """Is told, after the store has refused as often as it was told to."""

    def __init__(self, *refusals):
        self.refusals = list(refusals)
        self.heard = []

    async def tell(self, key, sentence):
        if self.refusals:
            raise self.refusals.pop(0)
        self.heard.append((key, sentence))


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(supervisor, "FIRST_PAUSE_S", 0.01)


@asynccontextmanager
async def running(owner, *sources, clock=None, **more):
    harness = Supervisor(sources, owner.tell, clock, **more)
    task = asyncio.create_task(harness.run())
    yield harness
    assert not task.done(), "the sources live on"
    task.cancel()
    await asyncio.wait([task])


async def test_a_source_that_fails_is_started_again_and_the_others_live():
    failing, other = Source("failing", ValueError("words of a person"), OSError()), Source("other")
    async with running(Owner(), failing, other):
        await until(lambda: failing.runs == 3)
        assert other.runs == 1


async def test_of_a_failure_the_place_is_logged_and_not_what_people_wrote(capsys):
    structlog.reset_defaults()  # a command that ran before in this process keeps logs to itself
    async with running(Owner(), failing := Source("failing", ValueError("words of a person"))):
        await until(lambda: failing.runs == 2)
    said = "".join(capsys.readouterr())
    assert "ValueError" in said
    assert "in run" in said
    assert "words of a person" not in said


async def test_a_source_that_only_the_owner_can_help_is_left_and_told_once():
    owner, other = Owner(), Source("other")
    async with running(owner, Source("mail", AuthRequiredError("the password is wrong")), other) as harness:
        await until(lambda: owner.heard)
        health = harness.health()
        assert health["mail"].stopped
        assert "the password is wrong" in health["mail"].detail
        assert not health["other"].stopped
    assert [key for key, _ in owner.heard] == ["stopped:mail"]
    assert "mail has stopped" in owner.heard[0][1]


async def test_while_the_store_is_full_the_owner_is_told_later_and_the_others_live():
    owner, other = Owner(StoreFullError(), StoreFullError()), Source("other")
    async with running(owner, Source("mail", AuthRequiredError("the password is wrong")), other):
        await until(lambda: owner.heard)
        assert other.runs == 1


async def test_when_every_source_has_stopped_the_house_stays_and_tells_why():
    async with running(owner := Owner(), Source("only", AuthRequiredError("sign in again"))) as harness:
        await until(lambda: owner.heard)
        assert harness.health()["only"].stopped


async def test_after_a_sign_in_what_had_stopped_of_that_channel_starts_again():
    owner, mail = Owner(), Source("mail.user", AuthRequiredError("sign in"))
    other = Source("telegram.user", AuthRequiredError("sign in"))
    async with running(owner, mail, other) as harness:
        await until(lambda: len(owner.heard) == 2)
        harness.again("mail", "today")
        await until(lambda: mail.runs == 2)
        assert not harness.health()["mail.user"].stopped
        assert harness.health()["telegram.user"].stopped
        assert other.runs == 1


async def test_a_source_that_stops_again_after_a_sign_in_is_told_of_again():
    owner, mail = Owner(), Source("mail", AuthRequiredError("sign in"), AuthRequiredError("sign in"))
    async with running(owner, mail) as harness:
        await until(lambda: owner.heard)
        harness.again("mail", "noon")
        await until(lambda: len(owner.heard) == 2)
        assert harness.health()["mail"].stopped
    assert [key for key, _ in owner.heard] == ["stopped:mail", "stopped:mail:noon"]


async def test_a_refused_login_is_tried_again_by_itself_and_told_as_one_trouble():
    owner, clock = Owner(), TurnedClock()
    mail = Source("mail", LoginRefusedError("the password is wrong"), LoginRefusedError("the password is wrong"))
    async with running(owner, mail, clock=clock) as harness:
        for tries in (1, 2):
            await until(lambda tries=tries: len(owner.heard) == tries)
            assert harness.health()["mail"].stopped
            assert mail.runs == tries, "nobody knocks at a closed door all the time"
            clock.offset += timedelta(minutes=5)
            await until(lambda tries=tries: mail.runs == tries + 1)
        assert not harness.health()["mail"].stopped
    assert {key for key, _ in owner.heard} == {"stopped:mail"}, "one key is told once a day"
    assert "tried again every five minutes" in owner.heard[0][1]


async def test_the_pause_after_a_refused_login_counts_from_the_refusal_however_long_telling_takes():
    clock = TurnedClock()
    mail = Source("mail", LoginRefusedError("the password is wrong"))

    class Slow(Owner):
        async def tell(self, key, sentence):
            clock.offset += timedelta(minutes=5)
            await super().tell(key, sentence)

    async with running(Slow(), mail, clock=clock):
        await until(lambda: mail.runs == 2)


async def test_a_source_that_stops_over_the_old_credentials_just_after_the_sign_in_goes_on():
    class Late(Source):
        async def run(self):
            self.runs += 1
            if self.runs == 1:
                harness.again(self.name, "now")
                raise AuthRequiredError("the old session")
            await asyncio.Event().wait()

    owner, late = Owner(), Late("late")
    async with running(owner, late) as harness:
        await until(lambda: late.runs == 2)
        assert not harness.health()["late"].stopped
    assert owner.heard == []


async def test_that_the_way_to_the_owner_has_stopped_is_said_outside_of_it_once_and_it_is_tried_again():
    owner, clock, aloud = Owner(), TurnedClock(), []
    bot = Source("telegram.bot", *(LoginRefusedError("put a token into X") for _ in range(2)))
    async with running(owner, bot, clock=clock, own="telegram.bot", aloud=aloud.append) as harness:
        for tries in (1, 2):
            await until(lambda tries=tries: bot.runs == tries and harness.health()["telegram.bot"].stopped)
            await until(lambda tries=tries: later(clock) and bot.runs > tries)
        assert not harness.health()["telegram.bot"].stopped
    assert owner.heard == [], "the chat that is closed keeps no message of it"
    (said,) = aloud
    assert said.startswith("The butler's Telegram has stopped.")
    assert said.endswith("put a token into X")


async def test_the_way_to_the_owner_that_stops_anew_after_it_was_well_is_said_again(monkeypatch):
    class Lived(Source):
        async def run(self):
            await asyncio.sleep(0.02)
            await super().run()

    monkeypatch.setattr(supervisor, "LONGEST_PAUSE_S", 0.01)
    clock, aloud = TurnedClock(), []
    bot = Lived("telegram.bot", *(LoginRefusedError("put a token into X") for _ in range(2)))
    async with running(Owner(), bot, clock=clock, own="telegram.bot", aloud=aloud.append):
        for tries in (1, 2):
            await until(lambda tries=tries: later(clock) and len(aloud) == tries)


def later(clock):
    """Five minutes pass."""
    clock.offset += timedelta(minutes=5)
    return True


def test_whoever_runs_it_reads_one_plain_line(capsys):
    supervisor.print_notice("The butler's Telegram has stopped.")
    assert capsys.readouterr().err == "butler: The butler's Telegram has stopped.\n"
