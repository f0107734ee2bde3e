"""Every provider that is looked at again and again behaves alike: nothing is lost, nothing twice, all is told."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from butler.contract.errors import AuthRequiredError, Retryable
from butler.contract.polling import PollError
from butler.store.errors import StoreBusyError
from tests.polling.accounts import ACCOUNTS, World, world
from tests.support.nightly import every_nth
from tests.support.waiting import until

GOOGLES = ("gmail", "calendar", "drive")
TELLING = ("calendar", "drive", "trello")
_KEEPING = frozenset({"polled", "mirror"})


@pytest.fixture(params=list(ACCOUNTS))
async def here(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[World]:
    async with world(request.param, tmp_path) as made:
        yield made


def only(*providers: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("here", providers, indirect=True)


def refuse_once(here: World, patched: pytest.MonkeyPatch) -> None:
    """The next thing that is to be kept is not: so it looks to whoever is there after a kill before the commit."""
    write = here.store.write

    async def refused(work: Any, label: str = "", **more: Any) -> Any:
        if label not in _KEEPING:
            return await write(work, label, **more)
        patched.undo()
        raise StoreBusyError

    patched.setattr(here.store, "write", refused)


async def test_what_is_there_is_kept_and_the_same_look_again_changes_nothing(here: World) -> None:
    await here.account.add("Lunch")
    await here.account.add("Rent")
    await here.look()
    assert await here.names() == ["Lunch", "Rent"]
    before = await here.rows()
    assert await here.look() == 0
    await here.begin_anew()
    assert await here.look() == 0
    assert await here.rows() == before
    assert await here.told() == []


async def test_what_comes_later_is_kept_and_what_is_gone_is_gone(here: World) -> None:
    first = await here.account.add("Lunch")
    await here.look()
    await here.account.add("Rent")
    await here.account.remove("Lunch", first)
    await here.look()
    assert await here.names() == ["Rent"]


async def test_what_was_fetched_and_not_kept_is_fetched_again(here: World, monkeypatch: pytest.MonkeyPatch) -> None:
    first = await here.account.add("Lunch")
    refuse_once(here, monkeypatch)
    with pytest.raises((PollError, Retryable)):
        await here.look()
    assert await here.names() == []
    await here.begin_anew()
    await here.look()
    await here.account.add("Rent")
    await here.account.remove("Lunch", first)
    refuse_once(here, monkeypatch)
    with pytest.raises((PollError, Retryable)):
        await here.look()
    await here.begin_anew()
    await here.look()
    assert await here.names() == ["Rent"]


@only("gmail", "imap", "calendar", "drive")
async def test_a_cursor_that_means_nothing_any_more_loses_neither_news_nor_removals(here: World) -> None:
    first = await here.account.add("Lunch")
    await here.account.add("Rent")
    await here.look()
    # Mail that came a moment ago may be missing in what Gmail's search lists.
    here.turn(hours=1)
    await here.account.add("Trip")
    await here.account.remove("Lunch", first)
    here.account.forget_cursor()
    await here.look()
    assert await here.names() == ["Rent", "Trip"]
    assert await here.look() == 0


async def test_whoever_says_so_has_it_look_before_its_time(here: World) -> None:
    async with here.running():
        await until(lambda: here.source.health().last_ok is not None)
        first = here.source.health().last_ok
        await here.account.add("Lunch")
        here.source.look_now()
        await until(lambda: here.source.health().last_ok != first)
        async with asyncio.timeout(60):
            while await here.names() != ["Lunch"]:  # noqa: ASYNC110 - what is waited for sets no event
                await asyncio.sleep(0.01)


@only(*GOOGLES, "trello")
@pytest.mark.parametrize("status", every_nth([500, 503], 2))
async def test_a_fault_of_theirs_is_waited_out_and_named(here: World, status: int) -> None:
    await here.look()
    await here.account.add("Lunch")
    here.fail(status, times=3)
    async with here.running():
        await here.failing()
        assert here.source.health().detail
        for _ in range(4):
            here.turn(minutes=6)
            await asyncio.sleep(0.06)
        await until(lambda: not here.source.health().failing)
    assert await here.names() == ["Lunch"]


@only(*GOOGLES)
async def test_it_comes_back_no_sooner_than_it_was_told(here: World) -> None:
    await here.look()
    here.fail(429, reason="rateLimitExceeded", retry_after=600)
    async with here.running():
        await here.failing()
        asked = len(here.account.server.calls)
        here.turn(seconds=590)
        here.source.look_now()
        await asyncio.sleep(0.1)
        assert len(here.account.server.calls) == asked
        here.turn(seconds=15)
        await until(lambda: not here.source.health().failing)


async def test_a_sign_in_that_is_over_stops_it_and_says_so(here: World) -> None:
    await here.look()
    here.account.sign_out()
    await here.begin_anew()
    with pytest.raises(AuthRequiredError):
        await asyncio.wait_for(here.source.run(), 60)
    health = here.source.health()
    assert (health.stopped, health.failing) == (True, True)


async def test_silence_of_a_while_is_noticed(here: World) -> None:
    assert here.source.name == here.account.source
    async with here.running():
        await until(lambda: here.source.health().last_ok is not None)
    health = here.source.health()
    assert health.last_ok is not None
    assert 0 < health.stale_after_s <= 540
    assert not health.failing


@only(*TELLING)
async def test_what_was_there_before_is_no_news_and_each_change_after_it_is_told_once(
    here: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    await here.account.add("Lunch")
    await here.look()
    assert await here.told() == []
    ref = await here.account.add("Rent")
    refuse_once(here, monkeypatch)
    with pytest.raises((PollError, Retryable)):
        await here.look()
    await here.begin_anew()
    await here.look()
    await here.look()
    (made,) = await here.told()
    assert made.facts["change"] == "made"
    assert "Rent" in made.facts.values()
    await here.account.remove("Rent", ref)
    await here.look()
    _, gone = await here.told()
    assert gone.facts["change"] in {"cancelled", "removed", "deleted"}
    assert "Rent" in gone.facts.values()
    assert gone.subject == made.subject


@only("calendar", "drive")
async def test_what_is_found_after_a_gap_is_told_as_if_there_had_been_none(here: World) -> None:
    ref = await here.account.add("Lunch")
    await here.look()
    await here.account.add("Rent")
    await here.account.remove("Lunch", ref)
    here.account.forget_cursor()
    await here.look()
    told = sorted(
        (event.facts["change"], event.facts.get("title") or event.facts.get("name")) for event in await here.told()
    )
    assert told in ([("cancelled", "Lunch"), ("made", "Rent")], [("made", "Rent"), ("removed", "Lunch")])
