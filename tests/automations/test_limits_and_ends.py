"""An automation skips what is beyond its limits and goes on, and ends by itself after its last day."""

from datetime import date, datetime, timedelta
from typing import Any

import pytest
from pydantic import ValidationError

from butler.contract.automation_words import limits, line
from butler.contract.automations import Automation, AutomationState, Until
from butler.contract.events import EventName
from butler.contract.speech import speaking
from butler.store.queries import automations
from config.language import OwnerLanguage
from tests.automations.test_firing import BILLS, TELL
from tests.automations.world import World, happened
from tests.orchestrator.builders import NOON, ZONE
from tests.orchestrator.harness import planned, step

TODAY = {"day": f"{NOON:%Y-%m-%d}", "zone": "UTC"}


async def invoice(world: World, number: int) -> None:
    await world.happens(happened(number=number, subject="invoice", at=world.clock.now()))


async def test_what_is_beyond_the_limit_of_an_hour_is_skipped_told_once_and_it_goes_on(world: World) -> None:
    kept = await world.keep(**BILLS, **TELL, per_hour=2)
    for number in range(1, 6):
        await invoice(world, number)
    assert (await world.look(kept)).standing is AutomationState.ACTIVE
    assert sorted(await world.fired(kept)) == ["fired", "fired", "skipped", "skipped", "skipped"]
    (told,) = [text for text in world.phone.said if text.startswith("⏭")]
    assert "Automation 1, “Test”, fired as often as it may. I skip what comes until" in told
    world.clock.time += timedelta(hours=1, minutes=1)
    await invoice(world, 6)
    assert (await world.fired(kept))[0] == "fired"
    assert len(world.phone.said) == 4


async def test_a_limit_of_a_day_that_was_chosen_skips_until_the_next_day(world: World) -> None:
    kept = await world.keep(**BILLS, **TELL, per_day=1)
    await invoice(world, 1)
    await invoice(world, 2)
    world.clock.time += timedelta(hours=23)
    await invoice(world, 3)
    assert await world.fired(kept) == ["skipped", "skipped", "fired"]
    world.clock.time += timedelta(hours=2)
    await invoice(world, 4)
    assert (await world.fired(kept))[0] == "fired"


async def test_the_words_of_the_limits_say_what_is_skipped_and_what_stops(world: World) -> None:
    usual = (await world.keep(**BILLS, **TELL)).automation
    assert "More than 100 times a day stops it." in limits(usual)
    assert "stops" not in limits(usual.model_copy(update={"per_day": 3}))


@pytest.mark.parametrize(
    ("until", "last", "over"),
    [
        (TODAY, timedelta(hours=11, minutes=59), timedelta(hours=12)),
        (TODAY | {"at": "18:00"}, timedelta(hours=5, minutes=59), timedelta(hours=6)),
    ],
    ids=["a day", "a time"],
)
async def test_an_automation_of_an_event_ends_by_itself_and_that_is_told(
    world: World, until: dict[str, str], last: timedelta, over: timedelta
) -> None:
    kept = await world.keep(**BILLS, **TELL, until=until)
    start = world.clock.time.replace(hour=12, minute=0, second=0, microsecond=0)
    world.clock.time = start + last
    await invoice(world, 1)
    assert await world.fired(kept) == ["fired"]
    world.clock.time = start + over
    await world.run()
    assert (await world.look(kept)).standing is AutomationState.ENDED
    assert world.phone.said[-1].startswith("🏁 Automation 1, “Test”, has ended, as you wanted: it ran until ")
    await invoice(world, 2)
    assert await world.fired(kept) == ["fired"]
    assert await world.store.read(automations.every) == []


async def test_an_event_after_the_end_does_not_count_even_before_the_end_is_noted(world: World) -> None:
    automation = (await world.keep(**BILLS, **TELL, until=TODAY)).automation
    assert automation.matches(happened(subject="invoice", at=NOON))
    assert not automation.matches(happened(subject="invoice", at=NOON + timedelta(days=1)))


async def test_a_paused_one_ends_as_well(world: World) -> None:
    kept = await world.keep(**BILLS, **TELL, until=TODAY)
    await world.store.write(
        lambda c: automations.set_state(
            c, kept.automation_id, [AutomationState.ACTIVE], AutomationState.PAUSED, world.clock.now()
        )
    )
    world.clock.time += timedelta(days=1)
    await world.run()
    assert (await world.look(kept)).standing is AutomationState.ENDED


async def test_the_card_and_the_list_show_the_end(world: World) -> None:
    day = {"day": "2026-03-20", "zone": "Europe/Berlin"}
    args: dict[str, Any] = {"name": "Bills", **BILLS, **TELL, "until": day}
    create = step(1, "bot_automations_create").model_copy(update={"args": args})
    await world.say("tell me of invoices until 20 March", planned(create))
    (card,) = world.phone.cards.values()
    assert "Friday 20 March 2026" in str(card)
    await world.tap("Approve")
    (kept,) = await world.store.read(automations.every)
    assert kept.automation.until == Until(day=date(2026, 3, 20), zone="Europe/Berlin")
    assert "until Friday 20 March 2026" in line(kept, ZONE, {})
    for language, words in (
        (OwnerLanguage.GERMAN, "bis Freitag, 20. März 2026"),
        (OwnerLanguage.FRENCH, "jusqu'au vendredi 20 mars 2026"),
        (OwnerLanguage.SPANISH, "hasta el viernes, 20 de marzo de 2026"),
    ):
        with speaking(language):
            assert words in line(kept, ZONE, {}).replace("’", "'")


async def test_an_end_that_is_over_is_refused_in_words(world: World) -> None:
    args: dict[str, Any] = {"name": "B", **BILLS, **TELL, "until": {"day": "2020-01-01", "zone": "UTC"}}
    await world.say("until then", planned(step(1, "bot_automations_create").model_copy(update={"args": args})))
    assert "is over; name a later end" in world.phone.said[-1]


def test_an_end_is_the_last_moment_in_its_zone() -> None:
    assert Until(day=date(2026, 3, 20), zone="Europe/Berlin").ends == datetime.fromisoformat("2026-03-20T23:00Z")
    assert Until.model_validate({"day": "2026-03-20", "at": "18:00", "zone": "UTC"}).ends.hour == 18


def test_what_goes_by_the_clock_ends_by_its_rule() -> None:
    clock = {"zone": "UTC", "start": "2026-03-01T08:00", "every": "day"}
    with pytest.raises(ValidationError, match="ends by `until` of its `clock`"):
        Automation.model_validate({"name": "A", "clock": clock, "until": TODAY, "do": [{"tell": "hi"}]})


def test_an_automation_without_an_end_keeps_its_digest() -> None:
    spec = {"name": "A", "when": {"event": EventName.MAIL_RECEIVED}, "do": [{"tell": "hi"}]}
    plain = Automation.model_validate(spec)
    assert plain.digest != Automation.model_validate(spec | {"until": TODAY}).digest
    assert plain.digest == "022079d68e38e72ff0963e5a920393c673b2c62fff620a2a831158e2b31b4927"
