"""What comes in is an event, once, where it is news; whose words it holds goes with it."""

from datetime import timedelta
from typing import Any

import sqlalchemy as sa
from hypothesis import given
from hypothesis import strategies as st

from butler.contract.events import FACTS, Compare, Condition, Event, EventFilter, EventName, misfit
from butler.contract.inbound import BEFORE_FIRST_LOOK, InboundKind
from butler.contract.mirror import ChatKind, MirrorUpdate, SeenChat, SeenMessage
from butler.contract.provenance import Origin, Trust
from butler.sink import come_in
from butler.store.queries import events, mirror, plans, reminders
from butler.store.queries.event_publisher import depth_of
from butler.store.tables import attempts
from tests.automations.world import World, happened
from tests.orchestrator.builders import EVE, NOON, ZONE, mail, message
from tests.orchestrator.harness import BOT_SEND
from tests.support.schedules import once_at

LONG_AGO = NOON - timedelta(days=100)


def seen(number: int, **more: Any) -> SeenMessage:
    values = {"channel": "telegram", "account": "main", "chat": "telegram:1002", "sender": "telegram:1002"}
    return SeenMessage(**(values | {"ref": str(number), "order": number, "at": NOON, "text": f"text {number}"} | more))


async def told(world: World) -> list[Event]:
    return list(await world.store.read(lambda c: events.since(c, None, LONG_AGO, 100)))


async def keep(world: World, *messages: SeenMessage, **chat: Any) -> None:
    chats = [SeenChat(channel="telegram", account="main", chat="telegram:1002", title="Anna", **chat)]
    batch = MirrorUpdate("telegram", "main", chats, messages)
    await world.store.write(lambda c: mirror.keep(c, batch, world.clock.now()))


async def test_a_message_of_a_contact_is_told_of_once_with_their_name(world: World) -> None:
    await keep(world, seen(1))
    await keep(world, seen(1))
    (event,) = await told(world)
    assert event.name is EventName.CHAT_RECEIVED
    assert event.facts["contact"] == "Anna"
    assert event.origin.trust is Trust.CONTACT


async def test_what_another_daemon_tells_of_first_is_told_of_once_and_breaks_nothing(world: World) -> None:
    event, raced = happened(), iter([True])

    def another(connection: sa.Connection, *ran: object) -> None:
        if str(ran[1]).startswith("INSERT INTO events") and next(raced, False):
            assert events.emit(connection, event.model_copy(update={"event_id": "theirs"}), "key", NOON)

    sa.event.listen(world.store.engine, "before_cursor_execute", another)
    assert not await world.store.write(lambda c: events.emit(c, event, "key", NOON))
    assert [one.event_id for one in await told(world)] == ["theirs"]


async def test_the_first_look_at_an_account_tells_of_nothing_old(world: World) -> None:
    await keep(world, *(seen(n, at=NOON - timedelta(hours=n)) for n in range(1, 50)))
    assert await told(world) == []
    world.clock.time += timedelta(days=3)
    await keep(world, seen(60, at=NOON + timedelta(days=1)), seen(61, at=NOON - timedelta(days=1)))
    assert [event.facts["text"] for event in await told(world)] == ["text 60"]


async def test_neither_muted_chats_nor_what_the_person_wrote_is_told_of(world: World) -> None:
    await keep(world, seen(1), muted=True)
    await keep(world, seen(2, outgoing=True))
    await keep(world, seen(3, sender=""))
    await keep(world, seen(4, labels=("service",)))
    assert await told(world) == []


async def test_what_a_contact_passed_on_is_nobodys_word(world: World) -> None:
    await keep(world, seen(1, forwarded_from="Eve"))
    (event,) = await told(world)
    assert event.origin.trust is Trust.UNTRUSTED


async def test_a_chat_that_was_kept_before_is_known_by_its_title(world: World) -> None:
    await keep(world, seen(1, outgoing=True), kind=ChatKind.GROUP)
    batch = MirrorUpdate("telegram", "main", (), [seen(2)])
    await world.store.write(lambda c: mirror.keep(c, batch, NOON))
    (event,) = await told(world)
    assert (event.facts["chat_title"], event.facts["kind"]) == ("Anna", "group")


async def test_a_mail_of_the_persons_is_untrusted_whoever_it_says_it_is_by(world: World) -> None:
    one = seen(1, channel="email", chat="mail:a", sender="mail:anna@friends.example", subject="Re: lunch", key="imap:1")
    await world.store.write(lambda c: mirror.keep(c, MirrorUpdate("email", "main", (), [one]), NOON))
    (event,) = await told(world)
    assert event.name is EventName.MAIL_RECEIVED
    assert event.origin.trust is Trust.UNTRUSTED
    expected = {"contact": "Anna", "domain": "friends.example", "answer": True, "proved": False, "ref": "imap:1"}
    assert {name: event.facts[name] for name in expected} == expected


async def test_a_mail_in_the_spam_is_not_told_of(world: World) -> None:
    one = seen(1, channel="email", chat="mail:a", sender="mail:eve@evil.example", labels=("SPAM",))
    await world.store.write(lambda c: mirror.keep(c, MirrorUpdate("email", "main", (), [one]), NOON))
    assert await told(world) == []


async def test_a_mail_to_the_butler_is_told_of_and_a_request_of_the_owner_in_the_chat_is_not(world: World) -> None:
    def both(connection: sa.Connection) -> None:
        come_in(connection, [mail("Hello", payload={"subject": "Hi"}), message("what is new")], NOON)
        come_in(connection, [mail("Hello", payload={"subject": "Hi"})], NOON)

    await world.store.write(both)
    (event,) = await told(world)
    assert (event.name, event.facts["subject"]) == (EventName.MAIL_RECEIVED, "Hi")


async def test_a_mail_that_lay_there_before_the_first_look_is_no_event(world: World) -> None:
    old = mail("Hello", payload={"subject": "Hi", BEFORE_FIRST_LOOK: True})
    await world.store.write(lambda c: come_in(c, [old], NOON))
    assert await told(world) == []


async def test_a_strangers_message_to_the_bot_is_told_of_as_theirs(world: World) -> None:
    item = message("hi", sender="telegram:666", origin=EVE, segments=(), kind=InboundKind.CHAT)
    await world.store.write(lambda c: come_in(c, [item], NOON))
    (event,) = await told(world)
    assert event.origin.trust is Trust.UNTRUSTED


async def test_a_card_that_is_denied_is_told_of(world: World) -> None:
    anna = await world.contact("Anna")
    call = {"call": "user_telegram_send_message", "args": {"to": {"contact": anna}, "text": "done"}}
    await world.keep(when={"event": "reminder.due"}, do=[call])
    await world.happens(happened(EventName.REMINDER_DUE))
    await world.tap("Deny")
    (event,) = [event for event in await told(world) if event.name is EventName.APPROVAL_DECIDED]
    assert (event.facts["decision"], event.depth) == ("denied", 1)


def test_the_depth_stands_in_the_id_of_what_an_automation_asked_for() -> None:
    assert [depth_of(one) for one in ("automation:2:abc", "automation:x", "in-1", "")] == [2, 0, 0, 0]


async def test_a_mail_that_an_automation_sent_is_one_deeper_in_whichever_mailbox_it_arrives(world: World) -> None:
    anna = await world.contact("Anna")
    call = {"call": BOT_SEND, "args": {"to": {"contact": anna}, "text": "once more"}}
    await world.keep(when={"event": "bulk.finished"}, do=[call])
    butler = Origin.butler("bulk")
    await world.happens(happened(EventName.BULK_FINISHED, origin=butler, channel="bulk", outcome="done", depth=1))
    token = await world.store.read(lambda c: c.execute(sa.select(attempts.c.token)).scalar_one())
    sent_as = f"<{token}@home.example>"
    item = mail("once more", sender="mail:butler@home.example", payload={"subject": "Loop", "message_id": sent_as})
    await world.store.write(lambda c: come_in(c, [item], NOON))
    await keep(world, seen(1, channel="email", chat="t1", sender="mail:butler@home.example", message_id=sent_as))
    await keep(
        world, seen(2, channel="email", chat="t2", sender="mail:eve@evil.example", message_id="<7@evil.example>")
    )
    mails = [event for event in await told(world) if event.name is EventName.MAIL_RECEIVED]
    assert sorted(event.depth for event in mails) == [0, 2, 2]


async def test_a_reminder_that_an_automation_made_is_as_deep_as_it_and_such_a_loop_stops(world: World) -> None:
    loop = await world.keep(when={"event": "reminder.due"}, do=[{"tell": "again"}])

    async def due(number: int, call_id: str) -> None:
        rule = once_at(NOON + timedelta(hours=1), ZONE.key)
        made = await world.store.write(lambda c: reminders.add(c, call_id, "again", rule, now=NOON))
        depth = await world.store.read(lambda c: reminders.depth(c, made.reminder_id))
        await world.happens(happened(EventName.REMINDER_DUE, number, depth=depth, origin=Origin.owner("reminder")))

    for depth in range(4):
        item = message("again", inbound_id=f"automation:{depth}:x", dedup_key=f"automation:{depth}:x")
        await world.store.write(
            lambda c, item=item, depth=depth: plans.add(
                c, f"plan-{depth}", session_id="telegram:42", inbound_id=item.inbound_id, steps=(), labels=(), now=NOON
            )
        )
        await due(depth, f"plan-{depth}:1")
    assert await world.fired(loop) == ["loop", "fired", "fired", "fired"]


CONDITIONS = st.builds(
    lambda fact, compare, value: Condition.model_construct(fact=fact, compare=compare, value=value),
    st.sampled_from(sorted({name for facts in FACTS.values() for name in facts} | {"nothing"})),
    st.sampled_from(Compare),
    st.one_of(st.booleans(), st.integers(-5, 5), st.text(max_size=5), st.lists(st.text(max_size=3)).map(tuple)),
)

OPPOSITES = {
    Compare.IS: Compare.IS_NOT,
    Compare.CONTAINS: Compare.LACKS,
    Compare.STARTS_WITH: Compare.NOT_STARTS_WITH,
    Compare.ENDS_WITH: Compare.NOT_ENDS_WITH,
    Compare.ANY_OF: Compare.NONE_OF,
}


@given(st.sampled_from(EventName), CONDITIONS)
def test_a_condition_that_fits_its_event_can_be_asked_of_every_such_event(name: EventName, one: Condition) -> None:
    if misfit(name, one):
        return
    event = happened(name)
    assert EventFilter(event=name, where=(one,)).matches(event) is one.holds(event.facts)
    opposite = OPPOSITES.get(one.compare)
    if opposite is not None and not misfit(name, other := one.model_copy(update={"compare": opposite})):
        assert other.holds(event.facts) is not one.holds(event.facts)
