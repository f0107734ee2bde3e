"""A reminder from its words to its last tap: understood, told, said, put off by a button or a reply, and gone."""

from collections.abc import AsyncIterator, Sequence
from datetime import timedelta
from typing import Any

import pytest

from butler.contract.card import Button
from butler.home_zone import HomeZone
from butler.orchestrator.chat.reminder_actions import ReminderActions
from butler.orchestrator.replies.buttons import ButtonHandler
from butler.orchestrator.replies.reminder_message import reminder_message
from butler.registry import Registry
from butler.reminder_repository import StoreReminders
from butler.schedule import Schedule, words
from butler.store.queries import reminders
from butler.store.queries.reminders import REMIND
from butler.store.store import Store
from modules.reminders.module import RemindersModule, RemindersSettings
from tests.approvals.harness import create_tables
from tests.orchestrator.builders import ZONE
from tests.orchestrator.harness import Harness
from tests.support.context import make_context
from tests.support.reading import reading_planner


class Home(Harness):
    """The butler with what says reminders and takes taps on them."""

    def start(self) -> None:
        super().start()
        schedule = Schedule(
            self.store,
            self.clock,
            self.phone,
            lambda: None,
            lambda c, fired, chat: reminder_message(c, fired, chat, words(fired)),
        )
        self.handlers[REMIND] = schedule.remind

    def _tools(self) -> Registry:
        registry, own = super()._tools(), Registry()
        book = StoreReminders(self.store, self.clock, HomeZone(ZONE.key), lambda: None)
        own.add_module(RemindersModule(RemindersSettings(), make_context(reminders=book, clock=self.clock, zone=ZONE)))
        registry._tools |= own._tools
        return registry

    def taps(self) -> Sequence[ButtonHandler]:
        return (ReminderActions(ZONE),)

    async def later(self, **by: int) -> None:
        self.clock.time += timedelta(**by)
        await self.run()

    async def press(self, button: Button, **more: Any) -> None:
        """Tap a button where it stands, or stood."""
        stands = [
            n for n, one in enumerate(self.phone.messages, 1) if button in [b for row in one.buttons for b in row]
        ]
        await super().press(button, **({"message_ref": f"m{stands[-1]}"} if stands else {}), **more)

    async def reply_to_last(self, text: str) -> None:
        await self.say(text, reply_to=f"m{len(self.phone.messages)}")

    async def waiting(self) -> list[str]:
        found = await self.store.read(lambda c: reminders.waiting(c, 10))
        return [f"{one.rule.local(one.due_at):%m-%d %H:%M} {one.text}" for one in found]


@pytest.fixture
async def home() -> AsyncIterator[Home]:
    store = create_tables(Store("sqlite://"))
    yield Home(store, reading_planner())
    await store.close()


async def test_a_tap_puts_a_reminder_off_once_and_says_so(home: Home) -> None:
    await home.say("remind me in 20 minutes to check the oven")
    assert "Check the oven" in home.phone.said[-1]
    await home.later(minutes=20)
    (ten,) = home.phone.buttons("10 min")
    await home.press(ten)
    assert "Snoozed to" in home.phone.said[-1]
    assert not home.phone.messages[-1].buttons
    count = len(await home.waiting())
    await home.press(ten)
    assert home.phone.answers[-1] == "You have tapped this before."
    assert len(await home.waiting()) == count == 1
    await home.later(minutes=10)
    assert home.phone.said[-1] == "⏰ Check the oven"
    await home.tap("Done")
    assert home.phone.said[-1] == "⏰ Check the oven\n✓ Done"
    assert await home.waiting() == []


async def test_what_repeats_goes_on_until_it_is_stopped(home: Home) -> None:
    await home.say("remind me every day at 9 to stretch")
    assert "every day at 09:00" in home.phone.said[-1]
    await home.later(days=1)
    before = await home.waiting()
    await home.tap("Skip next")
    assert "Skipped" in home.phone.said[-1]
    assert await home.waiting() != before
    await home.later(days=2)
    await home.tap("Stop")
    assert "Stopped" in home.phone.said[-1]
    assert await home.waiting() == []


@pytest.mark.parametrize(("label", "due"), [("1 hour", "03-05 17:10"), ("Tomorrow", "03-06 14:00")])
async def test_a_tap_puts_off_by_an_hour_from_now_or_to_the_same_hour_tomorrow(
    home: Home, label: str, due: str
) -> None:
    await home.say("remind me at 14:00 to check the oven")
    await home.later(hours=1)
    assert home.phone.said[-1] == "⏰ Check the oven"
    home.clock.time += timedelta(hours=2, minutes=10)
    await home.tap(label)
    assert await home.waiting() == [f"{due} Check the oven"]


@pytest.mark.parametrize("words", ["in an hour", "an hour", "snooze for 60 minutes", "in einer Stunde"])
async def test_a_reply_to_what_was_said_is_about_it(home: Home, words: str) -> None:
    await home.say("remind me in 20 minutes to check the oven")
    await home.say("remind me in 3 hours to call mum")
    await home.later(minutes=20)
    assert home.phone.said[-1] == "⏰ Check the oven"
    await home.reply_to_last(words)
    assert sorted(text.split(maxsplit=2)[2] for text in await home.waiting()) == ["Call mum", "Check the oven"]


async def test_edit_asks_and_the_answer_to_the_question_changes_it(home: Home) -> None:
    await home.say("remind me in 20 minutes to check the oven")
    await home.later(minutes=20)
    await home.tap("Edit")
    assert "Reply to this" in home.phone.said[-1]
    await home.reply_to_last("cancel it")
    assert home.phone.said[-1] == "✓ Removed: Check the oven"


async def test_several_that_fit_are_shown_and_none_is_removed(home: Home) -> None:
    await home.say("remind me tomorrow at 9 to call mum")
    await home.say("remind me tomorrow at 10 to write to mum")
    await home.say("cancel the reminder about mum")
    assert "None is removed yet" in home.phone.said[-1]
    assert len(await home.waiting()) == 2
    await home.press(home.phone.messages[-1].buttons[1][0])
    assert home.phone.said[-1] == "✓ Removed: Write to mum"
    assert len(await home.waiting()) == 1


async def test_a_tap_after_the_reminder_is_gone_says_so(home: Home) -> None:
    await home.say("remind me in 20 minutes to check the oven")
    await home.later(minutes=20)
    message = home.phone.messages[-1]
    await home.reply_to_last("cancel it")
    await home.press(message.buttons[0][1])
    assert any("no such reminder any more" in text for text in home.phone.said)


async def test_what_was_said_as_a_length_of_time_is_not_told_as_keeping_its_hour_on_the_clock(home: Home) -> None:
    async def moved(_subject: str) -> None:
        """What else goes by the zone is no matter of this test."""

    home.handlers["zone_changed"] = moved
    await home.say("remind me in 20 minutes to stretch")
    await home.say("remind me every day at 9 to walk")
    await home.say("I'm in New York")
    assert "1 reminder keeps its hour on the clock there." in home.phone.said[-1]


@pytest.mark.parametrize("words", ["tomorrow at 8", "morgen um 8"])
async def test_change_time_asks_and_the_time_that_is_said_is_of_the_reminder_of_the_message(
    home: Home, words: str
) -> None:
    await home.say("remind me tomorrow at 9 to call mum")
    await home.tap("Change time")
    await home.say(words)
    assert await home.waiting() == ["03-06 08:00 Call mum"]


async def test_change_time_offers_times_and_changes_the_reminder_of_its_message_alone(home: Home) -> None:
    await home.say("remind me tomorrow at 9 to call mum")
    (change,) = home.phone.buttons("Change time")
    await home.say("remind me tomorrow at 10 to write to dad")
    await home.press(change)
    await home.tap("In 1 hour")
    assert await home.waiting() == ["03-05 14:00 Call mum", "03-06 10:00 Write to dad"]


async def test_the_time_that_is_said_is_of_the_reminder_that_was_asked_about_whatever_was_made_since(
    home: Home,
) -> None:
    await home.say("remind me tomorrow at 9 to call mum")
    (change,) = home.phone.buttons("Change time")
    await home.say("remind me tomorrow at 10 to write to dad")
    await home.press(change)
    await home.say("tomorrow at 8")
    assert await home.waiting() == ["03-06 08:00 Call mum", "03-06 10:00 Write to dad"]


@pytest.mark.parametrize(
    ("words", "due"),
    [
        ("morgen um 8", "03-06 08:00"),
        ("demain à 13h", "03-06 13:00"),
        ("mañana a las 8", "03-06 08:00"),
        ("en una hora", "03-05 14:20"),
        ("dans une heure", "03-05 14:20"),
    ],
)
async def test_a_bare_time_in_reply_to_what_was_said_is_its_next_one(home: Home, words: str, due: str) -> None:
    await home.say("remind me in 20 minutes to check the oven")
    await home.later(minutes=20)
    await home.reply_to_last(words)
    assert await home.waiting() == [f"{due} Check the oven"]


async def test_a_reply_to_the_answer_that_a_reminder_was_made_is_about_it(home: Home) -> None:
    await home.say("remind me tomorrow at 9 to call mum")
    made = len(home.phone.messages)
    await home.say("remind me tomorrow at 10 to write to dad")
    await home.say("make it 8", reply_to=f"m{made}")
    assert await home.waiting() == ["03-06 08:00 Call mum", "03-06 10:00 Write to dad"]


async def test_seconds_are_kept_from_the_words_to_the_moment_that_it_is_said(home: Home) -> None:
    await home.say("remind me in 90 seconds to stir")
    await home.later(seconds=89)
    assert not home.phone.buttons("10 min")
    await home.later(seconds=1)
    assert home.phone.buttons("10 min")
    assert "Stir" in home.phone.said[-1]


@pytest.mark.parametrize(
    "words",
    [
        "remind me every day except holidays at 8 to run",
        "remind me tomorrow at 9 and again at 17 to call Bo",
        "erinnere mich morgen um 9 und nochmal um 17 Uhr an Bo",
        "rappelle-moi dans 2 heures, puis toutes les heures de boire",
        "recuérdame mañana a las 9 hora de Hogwarts llamar a Bo",
    ],
)
async def test_half_of_a_time_makes_no_reminder_and_is_asked_about(home: Home, words: str) -> None:
    before = len(home.phone.said)
    await home.say(words)
    assert await home.waiting() == []
    assert len(home.phone.said) == before + 1
