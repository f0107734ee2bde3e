"""An automation is saved on a card that shows all of it, listed with buttons, and written into files."""

from datetime import timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa

from butler.automations.dispatch import EventDispatch
from butler.automations.reading import checked
from butler.automations.service import AutomationService
from butler.contract.agents import PlanStep
from butler.contract.automation_words import line
from butler.contract.automations import AutomationAction, AutomationState
from butler.contract.card import Style
from butler.contract.errors import ConfigError, Refuse
from butler.contract.events import EventName
from butler.contract.provenance import Origin
from butler.follow_up.quiet_hours import QuietHoursHold
from butler.home_zone import HomeZone
from butler.quiet_hours import QuietHoursInForce
from butler.reminder_repository import StoreReminders
from butler.store.queries import automations, work
from butler.store.queries.events import HAPPENED
from butler.store.tables import automations as table
from butler.store.tables import firings
from config.settings import Settings
from tests.automations.test_firing import BILLS, TELL
from tests.automations.world import World, happened
from tests.orchestrator.builders import NOON, ZONE
from tests.orchestrator.harness import planned, step

CREATE = "bot_automations_create"
TELL_HI = {"do": [{"tell": "hi"}]}
EVERY_DAY = {"zone": "Europe/Berlin", "start": "2026-03-06T08:00:00", "every": "day"}


def on_the_first(tool: str) -> PlanStep:
    return step(1, tool).model_copy(update={"args": {"number": 1}})


async def test_a_card_shows_when_what_and_how_often_it_would_have_fired_and_the_yes_saves_that(world: World) -> None:
    for number in range(1, 8):
        await world.happens(happened(number=number, subject=f"Invoice {number}", sender="mail:anna@friends.example"))
    await world.say("bills please", planned(step(1, CREATE, name="Bills", **BILLS, **TELL)))
    (card,) = world.phone.cards.values()
    shown = "\n".join([card.body, *(f"{name}: {value[0].text}" for name, value in card.fields)])
    assert "would have fired 7 times" in shown
    assert "Invoice 7" in shown
    assert "Invoice 1”" not in shown
    assert "subject contains “invoice”" in shown
    assert "‹the address› wrote: ‹the subject›" in shown
    assert await world.store.read(automations.every) == []
    assert not any("comes from" in reason for reason in card.reasons), "the dry run is nobody's word"
    await world.tapped(world.phone.buttons("Approve")[-1])
    (come_in,) = await world.store.read(lambda c: work.ready(c, world.clock.now()))
    await world.handlers[come_in.kind](come_in.subject)
    await world.store.write(lambda c: work.done(c, come_in.work_id))
    now = world.clock.now()
    await world.store.write(lambda c: world.by_themselves.say(c, "telegram:42", "list-0", now))
    await world.run()
    assert "“Bills” is being saved." in world.phone.said
    (kept,) = await world.store.read(automations.every)
    assert kept.automation.name == "Bills"
    assert kept.digest == kept.automation.digest
    await world.happens(happened(number=9, subject="an invoice"))
    assert world.phone.said[-1].startswith("⚡")


async def test_a_filter_that_no_event_has_is_refused_before_anybody_is_asked(world: World) -> None:
    wrong = {"event": "mail.received", "where": [{"fact": "weather", "value": "fine"}]}
    await world.say("x", planned(step(1, CREATE, name="X", when=wrong, **TELL)))
    assert world.phone.cards == {}
    assert "has no fact weather" in world.phone.said[-1]


async def test_the_list_pauses_goes_on_shows_and_removes_by_taps(world: World) -> None:
    kept = await world.keep(**BILLS, **TELL)
    await world.happens(happened(subject="invoice 5", sender="mail:shop@shop.example"))
    now = world.clock.now()
    await world.store.write(lambda c: world.by_themselves.say(c, "telegram:42", "list-1", now))
    await world.run()
    await world.tap("Pause 1")
    assert (await world.look(kept)).standing is AutomationState.PAUSED
    await world.tap("What 1 did")
    (did,) = world.phone.said[-1:]
    assert did.endswith(", fired: a mail comes in: shop@shop.example, “invoice 5”")
    await world.tap("Remove 1")
    assert (await world.look(kept)).standing is AutomationState.REMOVED


async def test_nothing_in_what_it_did_can_be_tapped(world: World) -> None:
    await world.keep(**BILLS, **TELL)
    await world.happens(happened(subject="invoice /pause user"))
    await world.say("what did it do", planned(on_the_first("bot_automations_show")))
    spans = world.phone.messages[-1].text
    assert all(span.style is Style.CODE for span in spans if "/pause" in span.text)
    assert any("/pause" in span.text for span in spans)


async def test_asked_what_it_did_each_time_is_told_by_what_it_was_and_what_became_of_it(world: World) -> None:
    await world.keep(**BILLS, **TELL)
    for number in range(1, 7):
        await world.happens(happened(number=number, subject=f"invoice {number}"))
    await world.happens(happened(number=7, subject="invoice 7", depth=3))
    await world.say("what did it do", planned(on_the_first("bot_automations_show")))
    told = world.phone.said[-1]
    assert all(f"fired: a mail comes in: “invoice {number}”" in told for number in range(1, 7))
    assert "kept from a loop: a mail comes in: “invoice 7”" in told


async def test_a_time_fires_once_and_what_was_missed_is_done_once_and_said_to_be_late(world: World) -> None:
    kept = await world.keep(clock=EVERY_DAY, do=[{"tell": "Good morning"}])
    assert kept.due_at == NOON + timedelta(hours=19)
    await world.run()
    assert world.phone.said == []
    world.clock.time = NOON + timedelta(days=4)
    await world.run()
    await world.handlers[automations.DUE](kept.automation_id)
    await world.run()
    (said,) = world.phone.said
    assert "I was down then" in said
    after = await world.look(kept)
    assert after.due_at == NOON + timedelta(days=4, hours=19)
    world.clock.time = NOON + timedelta(days=4, hours=19)
    await world.run()
    assert world.phone.said[1:] == ["⚡ Good morning"]


async def test_one_of_the_clock_that_goes_on_after_a_pause_makes_nothing_up(world: World) -> None:
    kept = await world.keep(clock=EVERY_DAY, do=[{"tell": "Good morning"}])
    await world.say("stop it", planned(on_the_first("bot_automations_pause")))
    world.clock.time = NOON + timedelta(days=3)
    await world.run()
    await world.say("go on", planned(on_the_first("bot_automations_resume")))
    assert not any("Good morning" in text for text in world.phone.said)
    assert (await world.look(kept)).due_at == NOON + timedelta(days=3, hours=19)


async def test_others_words_neither_let_an_automation_go_on_nor_fire_an_event_again(world: World) -> None:
    await world.keep(**BILLS, **TELL)
    request = {"when": {"event": "chat.received"}, "do": [{"request": "pause the first automation"}]}
    await world.keep(**request)
    world.script.outputs.append(planned(on_the_first("bot_automations_pause")))
    await world.happens(happened(EventName.CHAT_RECEIVED, channel="telegram", text="pause everything"))
    assert (await world.store.read(automations.every))[0].standing is AutomationState.ACTIVE
    assert "others had a hand" in world.phone.said[-1]


def test_a_file_may_leave_out_the_zone_of_its_clock() -> None:
    raw = {"automations": [{"name": "Morning", "clock": {"every": "day", "at": ["08:00"]}, "do": [{"tell": "Up!"}]}]}
    (one,) = checked(Path("a.toml"), raw, "Europe/Berlin", {})
    assert one.clock is not None
    assert one.clock.zone == "Europe/Berlin"


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"name": "X", "do": [{"tell": "x"}]}, "either `when` or `clock`"),
        ({"name": "X", "when": {"event": "mail.received"}, "do": [{"tell": "{weather}"}]}, "has no fact weather"),
        ({"name": "X", "when": {"event": "mail.received"}, "do": [{"tell": "x"}], "hue": 1}, "no setting"),
        ({"name": "X", "when": {"event": "mail.received"}, "do": [{"call": "bot_x_y"}]}, "no tool bot_x_y"),
        ({"name": "X", "when": {"event": "mail.recieved"}, "do": [{"tell": "x"}]}, "Input should be"),
        (
            {"name": "X", "when": {"event": "mail.received"}, "do": [{"call": "bot_automations_pause"}]},
            "no automation changes automations",
        ),
        (
            {
                "name": "X",
                "when": {"event": "mail.received", "where": [{"fact": "files", "compare": "contains", "value": "x"}]},
                "do": [{"tell": "x"}],
            },
            "cannot be compared",
        ),
    ],
    ids=["neither", "unknown place", "unknown key", "unknown tool", "unknown event", "own tool", "wrong comparison"],
)
def test_what_is_wrong_in_a_file_is_said_in_one_sentence(wrong: dict[str, object], why: str) -> None:
    with pytest.raises(ConfigError, match=r"bills\.toml") as caught:
        checked(Path("bills.toml"), {"automations": [wrong]}, "UTC", {})
    assert why in str(caught.value.detail)


async def test_what_stands_in_files_is_kept_changed_and_taken_out_with_them(world: World) -> None:
    raw = {"name": "Bills", **BILLS, **TELL}
    (first,) = checked(Path("a.toml"), {"automations": [raw]}, "UTC", {})
    (second,) = checked(Path("a.toml"), {"automations": [raw | {"per_hour": 3}]}, "UTC", {})
    for written in (first, first, second):
        await world.by_themselves.keep_written([("a.toml", written)])
    (kept,) = await world.store.read(automations.every)
    assert kept.automation.per_hour == 3
    assert kept.by_file
    await world.by_themselves.keep_written([])
    assert await world.store.read(automations.every) == []
    await world.by_themselves.keep_written([("a.toml", first)])
    assert (await world.store.read(automations.every))[0].standing is AutomationState.ACTIVE
    assert await world.store.read(lambda c: c.execute(sa.select(sa.func.count()).select_from(table)).scalar()) == 1


async def test_hours_of_the_day_are_those_of_the_zone(world: World) -> None:
    night = {"begins": "22:00", "ends": "06:00", "zone": "Europe/Berlin"}
    await world.keep(when={"event": "alert.fired"}, hours=night, do=[{"tell": "{summary}"}])
    origin = Origin.butler("hooks")
    for number, hour in ((1, 12), (2, 21), (3, 4), (4, 6)):
        at = NOON.replace(hour=hour)
        await world.happens(happened(EventName.ALERT_FIRED, number, at=at, origin=origin, summary=f"at {hour}"))
    assert world.phone.said == ["⚡ at 21", "⚡ at 4"]


async def test_what_goes_by_the_persons_clock_goes_with_them_and_a_restart_keeps_it_there(world: World) -> None:
    home = HomeZone("Europe/Berlin")
    repository = StoreReminders(world.store, world.clock, home, lambda: None)
    await repository.settle_in()
    world.by_themselves = AutomationService(world.store, world.clock, world.owner, lambda: None, home)
    instant, tokyo = {**EVERY_DAY, "keeps": "instant"}, {**EVERY_DAY, "zone": "Asia/Tokyo"}
    raw = {"name": "Bills", "clock": EVERY_DAY, **TELL_HI}
    (written,) = checked(Path("a.toml"), {"automations": [raw]}, "Europe/Berlin", {})
    await world.by_themselves.keep_written([("a.toml", written)])
    walls = [
        await world.keep(name=name, clock=clock, **TELL_HI) for name, clock in (("wall", EVERY_DAY), ("on", EVERY_DAY))
    ]
    others = [await world.keep(name=name, clock=clock, **TELL_HI) for name, clock in (("i", instant), ("t", tokyo))]
    await world.by_themselves.repository.take(walls[1].number, AutomationAction.PAUSE)
    assert walls[0].due_at == NOON.replace(day=6, hour=7)
    await repository.travel("America/New_York")
    (new,) = checked(Path("b.toml"), {"automations": [raw | {"name": "New"}]}, "Europe/Berlin", {})
    await world.by_themselves.keep_written([("a.toml", written), ("b.toml", new)])
    await world.by_themselves.repository.take(walls[1].number, AutomationAction.RESUME)
    kept = {one.automation.name: one for one in await world.store.read(automations.every)}
    assert {kept[name].due_at for name in ("Bills", "New", "wall", "on")} == {NOON.replace(day=6, hour=13)}
    assert [kept[name].due_at for name in ("i", "t")] == [one.due_at for one in others]
    assert (kept["Bills"].digest, kept["wall"].digest) == (written.digest, walls[0].digest)
    await repository.travel("Europe/Berlin")
    back = {one.automation.name: one for one in await world.store.read(automations.every)}
    assert {back[name].due_at for name in ("Bills", "New", "wall", "on")} == {NOON.replace(day=6, hour=7)}
    moments = await repository.travel("America/New_York", moments=True)
    assert moments == []
    assert (await world.look(walls[0])).due_at == NOON.replace(day=6, hour=7)


async def test_times_that_were_missed_count_and_a_clock_that_was_wrong_is_healed(world: World) -> None:
    five = await world.keep(name="five", clock={**EVERY_DAY, "times": 5}, **TELL_HI)
    always = await world.keep(name="always", clock=EVERY_DAY, **TELL_HI)
    world.clock.time = NOON + timedelta(days=4)
    await world.run()
    assert (await world.look(five)).due_at == NOON.replace(day=10, hour=7)
    world.clock.time = NOON + timedelta(days=400)
    await world.run()
    assert (await world.look(five)).due_at is None
    world.clock.time = NOON + timedelta(days=5)
    await world.by_themselves.clock_went_back()
    assert (await world.look(always)).due_at == NOON.replace(day=11, hour=7)
    await world.by_themselves.repository.take(always.number, AutomationAction.PAUSE)
    await world.by_themselves.clock_went_back()
    assert (await world.look(always)).standing is AutomationState.PAUSED


async def test_times_that_are_over_count_when_their_rows_are_gone_and_through_a_pause(world: World) -> None:
    three = await world.keep(name="three", clock={**EVERY_DAY, "times": 3}, **TELL_HI)
    world.clock.time = NOON + timedelta(days=2)
    await world.run()
    assert (await world.look(three)).times_past == 2
    await world.store.write(lambda c: c.execute(sa.delete(firings)))
    changed = three.automation.model_copy(update={"per_day": 7})
    await world.store.write(lambda c: automations.change(c, three.automation_id, changed, world.clock.now()))
    await world.by_themselves.repository.take(three.number, AutomationAction.PAUSE)
    await world.by_themselves.repository.take(three.number, AutomationAction.RESUME)
    assert (await world.look(three)).due_at == NOON.replace(day=8, hour=7)
    world.clock.time = NOON + timedelta(days=3)
    await world.run()
    assert (await world.look(three)).standing is AutomationState.ENDED
    assert world.phone.said[-1] == "🏁 Automation 1, “three”, has ended: this was its last time."
    with pytest.raises(Refuse, match="has ended"):
        await world.by_themselves.repository.take(three.number, AutomationAction.RESUME)
    assert (await world.look(three)).due_at is None


async def test_a_number_that_another_daemon_takes_meanwhile_is_left_to_it(world: World) -> None:
    first = await world.keep(name="first", **BILLS, **TELL)
    others = iter([first.number + 1])

    def another(connection: sa.Connection, *ran: object) -> None:
        if str(ran[1]).startswith("INSERT INTO automations") and (number := next(others, None)):
            copied = {**connection.execute(table.select()).mappings().one(), "automation_id": "other", "number": number}
            connection.execute(table.insert().values(**copied))

    sa.event.listen(world.store.engine, "before_cursor_execute", another)
    assert (await world.keep(name="second", **BILLS, **TELL)).number == 3


async def test_in_quiet_hours_what_is_told_waits_for_their_end_unless_it_is_urgent(world: World) -> None:
    hours = Settings.model_validate({"approvals": {"quiet_hours": "22:00-07:00"}}).approvals.quiet_hours
    quiet = QuietHoursHold(world.store, world.clock, ZONE, QuietHoursInForce(hours), lambda: None)
    harness = AutomationService(world.store, world.clock, world.owner, lambda: None, ZONE, quiet)
    world.by_themselves = harness
    world.handlers[HAPPENED] = EventDispatch(world.store, harness.listeners()).tell
    world.handlers |= quiet.handlers()
    night = NOON.replace(hour=23)
    world.clock.time = night
    await world.keep(name="calm", when={"event": "alert.fired"}, do=[{"tell": "calm {summary}"}])
    urgent = await world.keep(
        name="urgent", when={"event": "alert.fired"}, do=[{"tell": "urgent {summary}", "urgent": True}]
    )
    assert "also in the quiet hours" in line(urgent, ZONE, {})
    for number, summary in ((1, "a"), (2, "b")):
        event = happened(EventName.ALERT_FIRED, number, at=night, origin=Origin.butler("hooks"), summary=summary)
        await world.happens(event)
    assert world.phone.said == ["⚡ urgent a", "⚡ urgent b"]
    world.clock.time = night + timedelta(hours=9)
    await world.run()
    assert world.phone.said[2:] == ["While it was quiet:\n\n⚡ calm a\n\n⚡ calm b"]
