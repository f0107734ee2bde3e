"""An answer that is waited for is settled by one, and told of once where none comes; a follow-up is only proposed."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from butler.contract.card import OwnerMessage
from butler.contract.events import EventName
from butler.contract.following import WaitKind, WaitState
from butler.contract.mirror import SeenPerson
from butler.follow_up.answer_waits import OWNER, AnswerWaits
from butler.follow_up.question_detection import asks
from butler.store.queries import outbox, waits
from butler.store.store import Store
from tests.digests.day_harness import DayHarness
from tests.orchestrator.builders import NOON
from tests.orchestrator.builders import OWNER as CHAT
from tests.orchestrator.harness import MAIL, SEND, planned, step

ANNAS_MAIL, ANNAS_CHAT = "mail:anna@friends.example", "telegram:1002"
FRIDAY = datetime(2026, 3, 6, 17, 0, tzinfo=UTC)


def came(sender: str, **more: Any) -> dict[str, Any]:
    """The facts of a mail."""
    facts = {"identity": "user", "account": "main", "sender": sender, "contact": "", "sender_name": "", "ref": "1"}
    rest = {"domain": "", "subject": "", "text": "", "files": 0, "answer": True, "list": False, "proved": True}
    return {**facts, **rest, **more}


def said(sender: str, chat: str) -> dict[str, Any]:
    """The facts of a message in a chat."""
    facts = {"identity": "user", "account": "main", "sender": sender, "contact": "", "sender_name": "", "ref": "1"}
    return {**facts, "chat": chat, "chat_title": "", "kind": "person", "text": "", "files": 0, "answer": False}


async def watched(home: DayHarness, until: datetime | None = None) -> str:
    wait = await home.harness.waits.watch("call-1", ANNAS_MAIL, until)
    return wait.wait_id


async def state(home: DayHarness, wait_id: str) -> WaitState:
    return (await home.read(lambda c: waits.get(c, wait_id))).state


async def test_words_set_a_wait_that_is_told_of_when_nothing_comes_and_once(home: DayHarness) -> None:
    args: dict[str, Any] = {"who": {"address": ANNAS_MAIL}, "until": "2026-03-06T18:00:00"}
    watch = step(1, "bot_digests_watch_answer", description="Wait for an answer of Anna", **args)
    await home.say("tell me if Anna doesn't answer by Friday", planned(watch))
    assert (
        home.phone.said[-1] == "✅ I tell you if Anna has not answered by Friday 6 March 2026 at 18:00 (Europe/Berlin)."
    )
    await home.until(FRIDAY - timedelta(seconds=1))
    assert len(home.phone.said) == 1
    await home.until(FRIDAY)
    home.start()
    await home.begin()
    await home.until(FRIDAY + timedelta(days=3))
    assert home.phone.said[1:] == ["⏳ Anna\nNo answer for a day, since Thu 5 Mar 13:00."]
    assert home.labels() == ["Draft a follow-up", "3 more days", "Done"]


@pytest.mark.parametrize(
    ("name", "facts"),
    [
        (EventName.MAIL_RECEIVED, came(ANNAS_MAIL)),
        (EventName.CHAT_RECEIVED, said(ANNAS_CHAT, ANNAS_CHAT)),
    ],
    ids=["mail", "chat"],
)
async def test_an_answer_of_that_person_by_any_of_their_addresses_settles_it(
    home: DayHarness, name: EventName, facts: dict[str, Any]
) -> None:
    wait_id = await watched(home)
    home.clock.time += timedelta(minutes=1)
    await home.tell(name, "email", facts)
    assert await state(home, wait_id) is WaitState.ANSWERED
    await home.until(NOON + timedelta(days=5))
    assert not home.phone.said


async def test_an_answer_is_told_of_at_once_where_that_was_asked_for(home: DayHarness) -> None:
    args: dict[str, Any] = {"who": {"address": ANNAS_MAIL}, "until": "2026-03-06T18:00:00", "tell_answer": True}
    await home.say(
        "tell me when Anna answers", planned(step(1, "bot_digests_watch_answer", description="Wait", **args))
    )
    assert "I tell you as soon as Anna answers, or on Friday" in home.phone.said[-1]
    home.clock.time += timedelta(minutes=1)
    await home.tell(EventName.CHAT_RECEIVED, "telegram", said(ANNAS_CHAT, ANNAS_CHAT))
    await home.until(FRIDAY + timedelta(days=1))
    assert home.phone.said[1:] == ["📬 Anna\nThe answer has come."]


async def test_somebody_elses_mail_settles_nothing(home: DayHarness) -> None:
    wait_id = await watched(home)
    await home.tell(EventName.MAIL_RECEIVED, "email", came("mail:anna@friends.example.evil.example"))
    assert await state(home, wait_id) is WaitState.WAITING


async def test_an_answer_that_nobody_told_of_is_found_before_anything_is_said(home: DayHarness) -> None:
    wait_id = await watched(home, datetime(2026, 3, 5, 14, 0))  # noqa: DTZ001 - by the owner's clock
    home.clock.time += timedelta(minutes=2)
    await home.mail("mail:me@home.example", "Rent", chat="gmail:rent", outgoing=True, labels=("SENT",))
    await home.mail(ANNAS_MAIL, "Re: Rent", chat="gmail:rent", ago=timedelta(minutes=1))
    await home.until(NOON + timedelta(hours=2))
    assert await state(home, wait_id) is WaitState.ANSWERED
    assert not home.phone.said


async def test_a_mail_that_anybody_may_have_sent_settles_nothing_and_is_told_of_when_the_time_is_over(
    home: DayHarness,
) -> None:
    wait_id = await watched(home, datetime(2026, 3, 5, 14, 0))  # noqa: DTZ001 - by the owner's clock
    home.clock.time += timedelta(minutes=2)
    await home.mail(ANNAS_MAIL, "Re: Rent", ago=timedelta(minutes=1))
    await home.tell(EventName.MAIL_RECEIVED, "email", came(ANNAS_MAIL, proved=False))
    assert await state(home, wait_id) is WaitState.WAITING
    await home.until(NOON + timedelta(hours=2))
    assert await state(home, wait_id) is WaitState.OVERDUE
    assert "A mail that says it is from Anna came Thu 5 Mar 13:01, outside of your" in home.phone.said[-1]


async def test_in_a_group_only_the_one_who_was_asked_answers(home: DayHarness) -> None:
    def wait(connection: sa.Connection) -> str:
        times: dict[str, Any] = {"since": NOON, "until": NOON + timedelta(days=1), "now": NOON}
        made = waits.add(connection, "c", WaitKind.CHAT, ANNAS_CHAT, account="main", chat="telegram:-5", **times)
        return made.wait_id

    wait_id = await home.store.write(wait)
    home.clock.time += timedelta(minutes=1)
    for sender, wanted in (("telegram:7", WaitState.WAITING), (ANNAS_CHAT, WaitState.ANSWERED)):
        await home.tell(EventName.CHAT_RECEIVED, "telegram", said(sender, "telegram:-5") | {"kind": "group"})
        assert await state(home, wait_id) is wanted


async def test_a_question_sent_through_butler_is_waited_for_and_a_statement_is_not(home: DayHarness) -> None:
    anna, mum = await home.contact("Anna"), await home.contact("Mum")
    await home.say("ask", planned(step(1, SEND, to={"contact": anna}, text="Are you coming on Friday?")))
    await home.tap("Approve")
    await home.say("tell", planned(step(1, SEND, to={"contact": mum}, text="I am late.")))
    await home.tap("Approve")
    (wait,) = await home.read(lambda c: waits.in_state(c, *waits.OPEN))
    assert (wait.kind, wait.address, wait.about) == (WaitKind.CHAT, "telegram:@anna", "Are you coming on Friday?")
    said = len(home.phone.said)
    await home.until(wait.until)
    assert home.phone.said[said] == (
        "⏳ Anna: “Are you coming on Friday?”\nNo answer for 3 days, since Thu 5 Mar 13:00."
    )


async def test_a_mail_that_the_person_sent_by_themselves_is_waited_for_where_it_asks(home: DayHarness) -> None:
    sent: dict[str, Any] = {
        "outgoing": True,
        "labels": ("SENT",),
        "others": (SeenPerson(address=ANNAS_MAIL),),
        "ago": timedelta(0),
    }
    home.clock.time += timedelta(minutes=1)
    asked = await home.mail("mail:me@home.example", "Rent", "Can you send me the contract?", **sent)
    await home.mail("mail:me@home.example", "Thanks", "All is well.", **sent)
    await home.until(NOON + timedelta(hours=2))
    (wait,) = await home.read(lambda c: waits.in_state(c, *waits.OPEN))
    assert (wait.chat, wait.address, wait.about) == (asked.chat, ANNAS_MAIL, "Rent")
    home.clock.time += timedelta(minutes=1)
    await home.mail(ANNAS_MAIL, "Re: Rent", "Here it is.", chat=asked.chat, ago=timedelta(0))
    await home.until(NOON + timedelta(hours=4))
    assert await state(home, wait.wait_id) is WaitState.ANSWERED


async def test_what_butler_sent_is_not_waited_for_again_where_it_was_answered_on_another_way(home: DayHarness) -> None:
    anna = await home.contact("Anna")
    await home.say("ask", planned(step(1, MAIL, to=[{"contact": anna}], subject="Rent", body="All right?")))
    await home.tap("Approve")
    (wait,) = await home.read(lambda c: waits.in_state(c, *waits.OPEN))
    seen: dict[str, Any] = {"outgoing": True, "others": (SeenPerson(address=ANNAS_MAIL),)}
    await home.mail("mail:me@home.example", "Rent", "All right?", ago=timedelta(seconds=2), **seen)
    home.clock.time += timedelta(minutes=1)
    await home.tell(EventName.CHAT_RECEIVED, "telegram", said(ANNAS_CHAT, ANNAS_CHAT))
    assert await state(home, wait.wait_id) is WaitState.ANSWERED
    await home.until(NOON + timedelta(hours=2))
    assert await home.read(lambda c: waits.in_state(c, *waits.OPEN)) == []
    await home.mail("mail:me@home.example", "Keys", "And the keys?", ago=timedelta(0), **seen)
    await home.until(NOON + timedelta(hours=4))
    assert [one.about for one in await home.read(lambda c: waits.in_state(c, *waits.OPEN))] == ["Keys"]


@pytest.mark.parametrize(("follow", "about"), [(["mail"], []), (["mail", "chat"], ["Are you coming?"])])
async def test_what_the_person_asks_in_a_chat_is_followed_where_the_settings_say_so(
    store: Store, follow: list[str], about: list[str]
) -> None:
    home = DayHarness(store, follow_seen=follow)
    await home.meet()
    await home.begin()
    await home.wrote("Are you coming?", own=True)
    await home.until(NOON + timedelta(hours=1))
    assert [one.about for one in await home.read(lambda c: waits.in_state(c, *waits.OPEN))] == about


async def test_nothing_is_followed_up_by_itself_where_the_settings_say_so(store: Store) -> None:
    home = DayHarness(store, follow_up_after="0d")
    await home.meet()
    await home.begin()
    anna = await home.contact("Anna")
    await home.say("ask", planned(step(1, SEND, to={"contact": anna}, text="Are you coming on Friday?")))
    await home.tap("Approve")
    await home.mail("mail:me@home.example", "Rent?", outgoing=True, others=(SeenPerson(address=ANNAS_MAIL),))
    await home.until(NOON + timedelta(hours=2))
    assert await home.read(lambda c: waits.in_state(c, *waits.OPEN)) == []


async def test_a_follow_up_is_a_card_that_is_sent_only_by_a_yes(home: DayHarness) -> None:
    await watched(home)
    await home.until(NOON + timedelta(days=3))
    await home.tap("Draft a follow-up")
    (card,) = home.phone.cards.values()
    assert "have not heard from you yet" in card.body
    assert home.outputs() == []
    await home.tap("Approve")
    (call,) = home.outputs()
    assert call.tool == MAIL
    assert [one.address for one in call.args.to] == [ANNAS_MAIL]


async def test_a_follow_up_to_a_mail_of_a_thread_goes_into_that_thread(home: DayHarness) -> None:
    first = await home.mail(ANNAS_MAIL, "Rent", "Here it is.", chat="gmail:rent")
    home.clock.time += timedelta(minutes=1)
    sent: dict[str, Any] = {"outgoing": True, "others": (SeenPerson(address=ANNAS_MAIL),), "ago": timedelta(0)}
    await home.mail("mail:me@home.example", "Re: Rent", "Is it the newest?", chat="gmail:rent", **sent)
    await home.until(NOON + timedelta(days=4))
    await home.tap("Draft a follow-up")
    await home.tap("Approve")
    (call,) = home.outputs()
    assert (call.tool, call.args.message_id) == ("user_email_reply_to_thread", first.ref)


@pytest.mark.nightly
async def test_three_more_days_and_done_are_a_tap_each_and_work_once(home: DayHarness) -> None:
    wait_id = await watched(home)
    await home.until(NOON + timedelta(days=3))
    await home.tap("3 more days")
    assert home.phone.said[-1] == "I tell you again on Wed 11 Mar if there is no answer."
    assert await state(home, wait_id) is WaitState.WAITING
    said = len(home.phone.said)
    await home.until(NOON + timedelta(days=6, minutes=1))
    assert home.phone.said[said].startswith("⏳ Anna")
    await home.tap("Done")
    assert await state(home, wait_id) is WaitState.DONE
    await home.until(NOON + timedelta(days=20))
    assert home.phone.said[-1] == "All right, I no longer wait for that answer."


async def test_what_is_waited_for_is_listed_with_buttons(home: DayHarness) -> None:
    await home.command("waiting")
    assert home.phone.said[-1] == "You are waiting for nobody's answer."
    wait_id = await watched(home)
    await home.command("waiting")
    assert home.phone.said[-1] == "You are waiting for an answer:\n1. Anna · until Sun 8 Mar 13:00"
    await home.tap("1: done")
    assert await state(home, wait_id) is WaitState.DONE
    await home.press(home.phone.buttons("1: done")[-1])
    assert home.phone.answers[-1] == "You have tapped this before."


async def test_a_second_watch_for_the_same_person_takes_the_place_of_the_first(home: DayHarness) -> None:
    args: dict[str, Any] = {"who": {"address": ANNAS_MAIL}, "until": "2026-03-06T18:00:00", "tell_answer": True}
    await home.say("tell me when Anna answers", planned(step(1, "bot_digests_watch_answer", **args)))
    args |= {"who": {"address": ANNAS_CHAT}, "until": "2026-03-07T18:00:00"}
    await home.say("or by Saturday", planned(step(1, "bot_digests_watch_answer", **args)))
    await home.command("waiting")
    assert home.phone.said[-1] == "You are waiting for an answer:\n1. Anna · until Sat 7 Mar 18:00"
    before = len(home.phone.said)
    home.clock.time += timedelta(minutes=1)
    await home.tell(EventName.CHAT_RECEIVED, "telegram", said(ANNAS_CHAT, ANNAS_CHAT))
    await home.until(FRIDAY + timedelta(days=3))
    assert home.phone.said[before:] == ["📬 Anna\nThe answer has come."]


async def test_another_time_still_waits_for_what_may_have_come_since_the_first_was_set(home: DayHarness) -> None:
    await watched(home)
    home.clock.time += timedelta(minutes=9)
    again = await home.harness.waits.watch("call-2", ANNAS_MAIL, datetime(2026, 3, 6, 18, 0))  # noqa: DTZ001 - local
    assert again.since == NOON
    await home.until(FRIDAY)
    anew = await home.harness.waits.watch("call-3", ANNAS_MAIL, None)
    assert anew.since == home.clock.now()
    assert (await home.harness.waits.watch("call-3", ANNAS_MAIL, None)) == anew


async def test_what_began_by_itself_stays_beside_a_watch(home: DayHarness) -> None:
    times: dict[str, Any] = {"since": NOON, "until": NOON + timedelta(days=1), "now": NOON}
    await home.store.write(lambda c: waits.add(c, f"{waits.OF_SENT}1", WaitKind.MAIL, ANNAS_MAIL, **times))
    wait_id = await watched(home)
    found = await home.read(lambda c: waits.in_state(c, WaitState.WAITING))
    assert len(found) == 2
    assert wait_id in {one.wait_id for one in found}


@pytest.mark.parametrize(
    "args",
    [{"who": {"address": ANNAS_CHAT}}, {"wait_id": {"handle": "wait-2"}}, {"wait_id": {"handle": "wait-1"}}],
    ids=["by another address", "by its handle", "by another's handle"],
)
async def test_a_watch_ends_in_words(home: DayHarness, args: dict[str, Any]) -> None:
    annas = await watched(home)
    moms = await home.harness.waits.watch("call-2", "telegram:1004", datetime(2026, 3, 6, 18, 0))  # noqa: DTZ001 - local
    await home.command("waiting")
    await home.say("no need to watch that any more", planned(step(1, "bot_digests_end_watch", **args)))
    # Mum's is due first, so it is the first of the list.
    other = args == {"wait_id": {"handle": "wait-1"}}
    ended, left = (moms.wait_id, annas) if other else (annas, moms.wait_id)
    assert home.phone.said[-1] == f"✅ I no longer wait for an answer of {'Mum' if other else 'Anna'}."
    assert [await state(home, one) for one in (ended, left)] == [WaitState.DONE, WaitState.WAITING]


async def test_without_a_name_the_only_watch_ends_and_of_several_none(home: DayHarness) -> None:
    end = planned(step(1, "bot_digests_end_watch"))
    await home.say("you need not watch", end)
    assert home.phone.said[-1] == "✅ I was waiting for no such answer, so there is nothing to end."
    await watched(home)
    await home.say("you need not watch", end)
    assert home.phone.said[-1] == "✅ I no longer wait for an answer of Anna."
    first = await home.harness.waits.watch("call-2", ANNAS_MAIL, None)
    second = await home.harness.waits.watch("call-3", "telegram:1004", None)
    await home.say("you need not watch", end)
    assert "you wait for several answers: Anna and Mum" in home.phone.said[-1]
    assert [await state(home, one.wait_id) for one in (first, second)] == [WaitState.WAITING] * 2
    await home.say("watch for nobody", planned(step(1, "bot_digests_end_watch", every=True)))
    assert home.phone.said[-1] == "✅ I no longer wait for an answer of Anna and Mum."


async def test_a_time_that_is_over_is_refused(home: DayHarness) -> None:
    args: dict[str, Any] = {"who": {"address": ANNAS_MAIL}, "until": "2026-03-01T18:00:00"}
    await home.say("watch", planned(step(1, "bot_digests_watch_answer", **args)))
    assert "is in the past" in home.phone.said[-1]


async def test_in_quiet_hours_what_is_overdue_is_held_and_said_together_when_they_end(store: Store) -> None:
    home = DayHarness(store, "22:00-07:00")
    await home.meet()
    await home.begin()
    night = datetime(2026, 3, 6, 2, 0)  # noqa: DTZ001 - by the owner's clock
    await home.harness.waits.watch("one", ANNAS_MAIL, night)
    await home.harness.waits.watch("two", "telegram:1004", night)
    await home.until(datetime(2026, 3, 6, 5, 59, tzinfo=UTC))
    assert not home.phone.said
    home.start()
    await home.until(datetime(2026, 3, 6, 6, 0, tzinfo=UTC))
    (text,) = home.phone.said
    assert text.startswith("While it was quiet:\n\n⏳ ")
    assert "Anna" in text
    assert "Mum" in text
    assert home.labels().count("Done") == 2
    await home.until(datetime(2026, 3, 7, 6, 0, tzinfo=UTC))
    assert len(home.phone.said) == 1


async def test_one_that_is_held_alone_is_said_as_it_is(store: Store) -> None:
    home = DayHarness(store, "22:00-07:00")
    await home.meet()
    await home.begin()
    await home.harness.waits.watch("one", ANNAS_MAIL, datetime(2026, 3, 6, 2, 0))  # noqa: DTZ001 - as above
    await home.until(datetime(2026, 3, 6, 6, 0, tzinfo=UTC))
    assert [text[:6] for text in home.phone.said] == ["⏳ Anna"]
    assert "late" not in home.phone.said[-1]


async def test_the_same_message_is_held_once_and_many_are_said_one_by_one(store: Store) -> None:
    home = DayHarness(store, "22:00-07:00")
    home.clock.time = datetime(2026, 3, 6, 0, 0, tzinfo=UTC)
    message = OwnerMessage(text=(), buttons=())
    quiet, now = home.day.quiet, home.clock.now()

    def write(connection: sa.Connection) -> list[bool]:
        ids = [quiet.say(connection, CHAT, message, now=now, dedup_key=key) for key in ("a", "a", "b")]
        return [one is not None for one in ids]

    assert await home.store.write(write) == [True, False, True]
    assert len(await home.read(lambda c: outbox.held(c, CHAT))) == 2


async def test_a_late_one_says_so(home: DayHarness) -> None:
    await watched(home)
    home.clock.time = NOON + timedelta(days=3, hours=5)
    home.start()
    await home.run()
    assert home.phone.said[-1].endswith("(late: it was due Sun 8 Mar 13:00)")


async def test_a_look_repeated_finds_the_same_once(home: DayHarness) -> None:
    home.clock.time += timedelta(minutes=1)
    sent: dict[str, Any] = {"outgoing": True, "others": (SeenPerson(address=ANNAS_MAIL),), "ago": timedelta(0)}
    await home.mail("mail:me@home.example", "Rent?", **sent)
    room: AnswerWaits = home.day.waiting
    for _ in range(2):
        await room.look(OWNER)
    assert len(await home.read(lambda c: waits.in_state(c, *waits.OPEN))) == 1


@pytest.mark.parametrize(
    "text",
    [
        "Are you coming?", "Could you have a look", "please let me know", "Kannst du mir die Datei schicken",
        "Sag mir Bescheid", "Pouvez-vous confirmer", "¿Vienes el viernes?", "RSVP by Monday", "“Really?” he said",
    ],
)  # fmt: skip
def test_a_question_or_a_request_asks_for_an_answer(text: str) -> None:
    assert asks(text)


@pytest.mark.parametrize(
    "text",
    [
        "I am late.", "Done!", "See https://shop.example/?id=3 for more", "> Are you coming?\nYes.",
        "All good.\n--\nWhy pay more?", "",
    ],
)  # fmt: skip
def test_a_statement_a_link_or_a_quotation_does_not(text: str) -> None:
    assert not asks(text)
