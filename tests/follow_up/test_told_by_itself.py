"""What the butler says by itself is told to the model of the next request, by a template of trusted facts."""

from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from butler.contract.events import EventName
from butler.contract.ports import Reminder
from butler.contract.provenance import Origin
from butler.contract.referents import ReferentKind
from butler.orchestrator.planning.model_prompt import told_before
from butler.orchestrator.planning.plan_types import Answer, PlannerInput
from butler.orchestrator.replies import own_reports
from butler.store.conversation import REPORT_LIMIT
from butler.store.queries import conversations
from butler.store.store import Store
from tests.digests.day_harness import DayHarness
from tests.follow_up.test_waiting import ANNAS_CHAT, ANNAS_MAIL, said, watched
from tests.orchestrator.builders import EVE, NOON
from tests.orchestrator.builders import OWNER as CHAT
from tests.orchestrator.harness import planned, step

NEVER = "I WRITE THIS AND NO PLANNER SEES IT"


async def next_request(home: DayHarness) -> PlannerInput:
    """What the planner is given next."""
    home.clock.time += timedelta(minutes=1)
    await home.say("what did you just tell me?", Answer("That."))
    return home.script.requests[-1]


def earlier(request: PlannerInput) -> list[str]:
    return [one.content for one in told_before(request)]


async def test_an_answer_that_has_come_is_among_what_was_said_with_a_handle_for_it(home: DayHarness) -> None:
    args: dict[str, Any] = {"who": {"address": ANNAS_MAIL}, "tell_answer": True}
    await home.say("tell me when Anna answers", planned(step(1, "bot_digests_watch_answer", **args)))
    home.clock.time += timedelta(minutes=1)
    facts = said(ANNAS_CHAT, ANNAS_CHAT) | {"text": NEVER, "sender_name": NEVER}
    await home.tell(EventName.CHAT_RECEIVED, "telegram", facts)
    await home.until(home.clock.now())
    request = await next_request(home)
    told = earlier(request)
    assert told[0] == "tell me when Anna answers"
    assert told[-1] == "Told by itself: the answer of Anna that the owner waited for has come (message-1)."
    assert NEVER not in " ".join(told)
    (item,) = request.referents
    assert (item.handle, item.kind, item.key) == ("message-1", ReferentKind.MESSAGE, "1")
    assert item.contact_id
    assert request.history[-1].content.startswith("Done: bot_digests_watch_answer"), "no report is what words answer"


async def test_an_answer_that_has_not_come_is_told_without_what_it_was_about(home: DayHarness) -> None:
    await watched(home)
    await home.until(NOON + timedelta(days=3))
    assert earlier(await next_request(home)) == ["Told by itself: no answer of Anna has come in time."]


async def test_what_is_held_for_quiet_hours_is_not_told_before_the_owner_was(store: Store) -> None:
    home = DayHarness(store, "22:00-07:00")
    await home.meet()
    await home.begin()
    await home.harness.waits.watch("one", "telegram:999", datetime(2026, 3, 6, 2, 0))  # noqa: DTZ001 - local
    await home.until(datetime.fromisoformat("2026-03-06T02:00:00+00:00"))
    assert earlier(await next_request(home)) == []
    await home.until(datetime.fromisoformat("2026-03-06T06:00:00+00:00"))
    assert earlier(await next_request(home))[-1] == (
        f"Told by itself: no answer of {own_reports.SOMEBODY} has come in time."
    )


async def test_only_the_last_few_are_kept_and_none_pushes_out_what_was_said(home: DayHarness) -> None:
    await home.say("hello", Answer("Good morning."))

    def tell(connection: sa.Connection) -> None:
        for number in range(60):
            at = home.clock.now() + timedelta(seconds=1)
            own_reports.keep(connection, CHAT, own_reports.automation_told(number, "mail-3"), at, at)

    await home.store.write(tell)
    told = earlier(await next_request(home))
    assert told[:2] == ["hello", "Good morning."]
    assert told[2:] == [f"Told by itself: automation {n} fired, about mail-3." for n in range(60 - REPORT_LIMIT, 60)]
    state = await home.read(lambda c: conversations.load(c, CHAT))
    assert len(state.history) == 4


def reminder(*origins: Origin) -> Reminder:
    values: dict[str, Any] = {"reminder_id": "r", "text": "Water the plants", "origins": origins}
    return Reminder.model_construct(**values)


def test_a_reminders_text_is_told_if_it_is_the_owners_alone() -> None:
    own = "Said by itself: reminder-1, which was due: Water the plants"
    assert own_reports.reminder_said(reminder(), "reminder-1") == own
    assert own_reports.reminder_said(reminder(Origin.owner("chat")), "reminder-1") == own
    assert "plants" not in own_reports.reminder_said(reminder(EVE), "reminder-1")
