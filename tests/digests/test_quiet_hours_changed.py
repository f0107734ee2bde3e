"""What waits for the end of the quiet hours goes by the hours that the owner has set since."""

from datetime import UTC, datetime, time, timedelta

from butler.contract.card import OwnerMessage, plain
from butler.quiet_hours import Wish, note_wish
from butler.store.store import Store
from config.approvals import QuietHours
from tests.digests.day_harness import DayHarness
from tests.orchestrator.builders import OWNER

DAWN = datetime(2026, 3, 6, 4, 50, tzinfo=UTC)
"""Ten minutes to six in Berlin."""


async def at_dawn(store: Store) -> DayHarness:
    """A butler that keeps quiet until seven, with a digest at six."""
    home = DayHarness(store, "22:00-07:00", morning="06:00")
    await home.meet()
    await home.begin()
    home.clock.time = DAWN
    return home


async def wish(home: DayHarness, wish: Wish | None) -> None:
    await home.store.write(lambda c: note_wish(c, wish, home.clock.now()))
    await home.run()


async def hold(home: DayHarness) -> None:
    message = OwnerMessage(text=plain("an alert"))
    await home.store.write(lambda c: home.day.quiet.say(c, OWNER, message, now=home.clock.now(), dedup_key="alert"))
    await home.run()


async def test_a_digest_comes_at_its_time_if_it_is_quiet_no_longer(store: Store) -> None:
    home = await at_dawn(store)
    await home.until(DAWN + timedelta(minutes=20))
    assert home.phone.said == [], "six is past, and it is quiet until seven"
    await wish(home, Wish(None))
    assert [text[:2] for text in home.phone.said] == ["☀️"]
    await home.until(DAWN + timedelta(hours=3))
    assert len(home.phone.said) == 1


async def test_a_digest_waits_for_a_later_end(store: Store) -> None:
    home = await at_dawn(store)
    await wish(home, Wish(QuietHours(time(22), time(8))))
    await home.until(DAWN + timedelta(hours=2))
    assert home.phone.said == []
    await home.until(DAWN + timedelta(hours=2, minutes=15))
    assert len(home.phone.said) == 1


async def test_what_is_held_comes_when_they_end_now(store: Store) -> None:
    home = await at_dawn(store)
    await hold(home)
    assert home.phone.said == []
    await wish(home, Wish(QuietHours(time(22), time(5))))
    assert home.phone.said == ["an alert"]


async def test_what_is_held_waits_on_if_they_are_taken_back(store: Store) -> None:
    home = await at_dawn(store)
    await wish(home, Wish(QuietHours(time(22), time(8))))
    await hold(home)
    await wish(home, None)
    await home.until(DAWN + timedelta(minutes=65))
    assert home.phone.said == []
    await home.until(DAWN + timedelta(minutes=75))
    assert "an alert" in " ".join(home.phone.said)
