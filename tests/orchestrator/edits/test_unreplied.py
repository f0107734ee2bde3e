"""What is said to cards without a reply: from the words to the cards, and to what is done and not done."""
# names: made up here
# ruff: noqa: E501 - a case a line

import json
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from approvals.by_word import GONE
from butler.contract.card import Card, rich_text
from butler.contract.inbound import InboundKind
from butler.contract.integration import IntegrationResult
from butler.orchestrator.edits.answers import NOT_BY_WORDS
from butler.orchestrator.planning.plan_types import AboutCards, CardAct, Command, Unclear
from butler.store.queries import approvals
from butler.store.queries.approvals import ApprovalRow
from butler.store.store import Store
from tests.approvals.harness import create_tables
from tests.orchestrator.builders import EVE, said
from tests.orchestrator.harness import MAIL, SEND, Harness
from tests.orchestrator.test_turns import planned, step, to

EVENT, TRELLO = "user_calendar_create_event", "user_trello_create_card"
SENDS, DENIES = AboutCards(CardAct.SEND), AboutCards(CardAct.DENY)
DENIES_ALL = AboutCards(CardAct.DENY, every=True)


@pytest.fixture
async def harness() -> AsyncIterator[Harness]:
    store = create_tables(Store("sqlite://"))
    harness = Harness(store, undo_window="10s")
    await harness.meet()
    yield harness
    await store.close()


def change(*values: tuple[str, str], language: str = "en", named: tuple[str, ...] = ()) -> AboutCards:
    return AboutCards(CardAct.CHANGE, named, values=values, language=language)


async def asked(harness: Harness, text: str = "I'll be ten minutes late", name: str = "Anna") -> str:
    """A card that waits; the id of its message."""
    await harness.say("tell her", planned(step(1, SEND, to=await to(harness, name), text=text)))
    return list(harness.phone.cards)[-1]


async def asked_of(harness: Harness, tool: str, **args: Any) -> None:
    await harness.say("please", planned(step(1, tool, **args)))


async def rows(harness: Harness, *states: str) -> list[ApprovalRow]:
    return await harness.store.read(lambda c: approvals.in_state(c, *(states or ("pending",))))


def offline(harness: Harness, tool: str) -> None:
    """Have no provider asked about a call."""
    harness.registry._tools[tool] = replace(harness.registry._tools[tool], complete=None)  # pyright: ignore[reportPrivateUsage]


def newest(harness: Harness) -> Card:
    return list(harness.phone.cards.values())[-1]


def facts(card: Card) -> dict[str, str]:
    return {label: rich_text(value) for label, value in card.fields}


# A yes


async def test_send_it_shows_the_card_and_sends_nothing(harness: Harness) -> None:
    await asked(harness)
    await harness.say("yes, send it", SENDS)
    assert NOT_BY_WORDS in harness.phone.said[-1]
    assert [row.state for row in await rows(harness)] == ["pending"]
    await harness.tap("Approve")
    harness.clock.time += timedelta(minutes=1)
    await harness.run()
    assert harness.sent() == ["I'll be ten minutes late"]


async def test_what_else_was_asked_for_is_done_behind_the_card(harness: Harness) -> None:
    await asked(harness)
    late = planned(step(1, SEND, to=await to(harness, "Mum"), text="I'm late"))
    await harness.say("yes, send it, and tell mum I'm late", AboutCards(CardAct.SEND, then=late))
    assert NOT_BY_WORDS in " ".join(harness.phone.said)
    assert [json.loads(row.args)["text"] for row in await rows(harness)] == ["I'll be ten minutes late", "I'm late"]
    assert harness.sent() == []


async def test_what_else_was_asked_for_is_done_where_no_card_waits(harness: Harness) -> None:
    late = planned(step(1, SEND, to=await to(harness, "Mum"), text="I'm late"))
    await harness.say("no, and tell mum I'm late", AboutCards(CardAct.DENY, then=late))
    assert [json.loads(row.args)["text"] for row in await rows(harness)] == ["I'm late"]


async def test_a_card_is_denied_and_another_made(harness: Harness) -> None:
    await asked(harness)
    late = planned(step(1, SEND, to=await to(harness, "Mum"), text="I'm late"))
    await harness.say("drop that, and tell mum I'm late", replace(DENIES, every=True, then=late))
    assert len(await rows(harness)) == 1
    assert [json.loads(row.args)["text"] for row in await rows(harness)] == ["I'm late"]


async def test_a_card_that_was_undone_comes_again_and_waits(harness: Harness) -> None:
    await asked(harness)
    await harness.tap("Approve")
    await harness.tap("Undo")
    await harness.say("actually send it", SENDS)
    assert harness.phone.said[-1] == f"Here it is again. {NOT_BY_WORDS}"
    (row,) = await rows(harness)
    (old,) = await rows(harness, "cancelled")
    assert (row.args, row.labels) == (old.args, old.labels)
    assert harness.sent() == []
    await harness.tap("Approve")
    harness.clock.time += timedelta(minutes=1)
    await harness.run()
    assert harness.sent() == ["I'll be ten minutes late"]
    await harness.say("actually send it", SENDS)
    assert "Nothing is waiting" not in harness.phone.said[-1]
    assert len(await rows(harness)) == 1, "asked anew, and not sent twice without a yes"


async def test_what_was_denied_comes_again_before_what_waits(harness: Harness) -> None:
    await asked(harness, "I'm late", "Mum")
    await asked(harness)
    await harness.say("cancel the one to anna", AboutCards(CardAct.DENY, ("anna",)))
    await harness.say("hm, what's up", Unclear("?"))
    await harness.say("send it", SENDS)
    assert "Here is the card." in harness.phone.said[-1]
    await harness.tap("Deny")
    await harness.say("no, do send it", SENDS)
    assert "Here it is again." in harness.phone.said[-1]


async def test_after_an_hour_nothing_comes_again(harness: Harness) -> None:
    await asked(harness)
    await harness.tap("Deny")
    harness.clock.time += timedelta(hours=2)
    await harness.say("actually send it", SENDS)
    assert harness.phone.said[-1] == "Nothing is waiting for your yes."


async def test_with_several_the_list_comes(harness: Harness) -> None:
    await asked(harness)
    await asked(harness, "I'm late", "Mum")
    await harness.say("send it", SENDS)
    assert NOT_BY_WORDS in harness.phone.said[-2]
    assert harness.phone.said[-1].startswith("2 waiting for your yes:")
    await harness.say("send the one to mum", AboutCards(CardAct.SEND, ("mum",)))
    assert newest(harness).body == "I'm late"
    assert len(await rows(harness)) == 2


# A no


async def test_never_mind_denies_the_card_that_has_just_come(harness: Harness) -> None:
    await asked(harness)
    await harness.say("never mind", DENIES)
    assert [row.state for row in await rows(harness, "pending", "denied")] == ["denied"]
    assert "Denied by you" in harness.phone.said[-1]


async def test_never_mind_after_something_else_asks_first(harness: Harness) -> None:
    await asked(harness)
    await harness.say("remind me", Unclear("Remind you of what?"))
    await harness.say("never mind", DENIES)
    assert harness.phone.said[-1].startswith("Shall I deny this one?")
    assert len(await rows(harness)) == 1
    await harness.tap("Deny: ")
    assert [row.state for row in await rows(harness, "pending", "denied")] == ["denied"]


async def test_the_named_one_is_denied(harness: Harness) -> None:
    await asked(harness)
    await asked(harness, "Dinner with the family on Sunday?", "Mum")
    await harness.say("cancel the family one", AboutCards(CardAct.DENY, ("family",)))
    assert [row.state for row in await rows(harness, "pending", "denied")] == ["pending", "denied"]
    await harness.say("den für die Mama nicht", AboutCards(CardAct.DENY, ("Mama",), language="de"))
    assert harness.phone.said[-1].startswith("Nothing that waits is about “Mama”. Shall I deny this one?")
    assert len(await rows(harness)) == 1


async def test_all_are_denied_after_one_question_and_nothing_that_came_since(harness: Harness) -> None:
    for number in range(6):
        await asked(harness, f"Number {number}")
    await harness.say("deny everything", DENIES_ALL)
    assert harness.phone.said[-1].startswith("Shall I deny all 6 that wait?")
    assert len(await rows(harness)) == 6
    await asked(harness, "A later one", "Mum")
    await harness.tap("Deny all 6")
    assert harness.phone.said[-1] == "Denied 6; nothing of them was done."
    assert [rich for rich in await rows(harness) if "A later one" in rich.args] == await rows(harness)
    await harness.tap("Deny all 6")
    assert harness.phone.answers[-1] == "You have tapped this before."


async def test_a_no_to_one_of_several_asks_which(harness: Harness) -> None:
    await asked(harness)
    await asked(harness, "I'm late", "Mum")
    await harness.say("no", DENIES)
    assert harness.phone.said[-1].startswith("Which of these shall I deny?\n1. ")
    await harness.tap("Deny: ")
    assert [row.state for row in await rows(harness, "pending", "denied")] == ["pending", "denied"]


async def test_nothing_waits(harness: Harness) -> None:
    await harness.say("never mind", DENIES)
    assert harness.phone.said[-1] == "Nothing is waiting for your yes."
    await harness.say("make it seven", AboutCards(CardAct.CHANGE, otherwise=Unclear("Of what?")))
    assert harness.phone.said[-1] == "Of what?"


@pytest.mark.parametrize(
    "more",
    [{"chat": "telegram:-100"}, {"kind": InboundKind.TICK, "channel": "automations"}],
    ids=["group", "by itself"],
)
async def test_only_the_owners_own_chat_denies(harness: Harness, more: dict[str, Any]) -> None:
    await asked(harness)
    await harness.say("deny it", DENIES, **more)
    assert len(await rows(harness)) == 1


async def test_others_words_deny_nothing(harness: Harness) -> None:
    await asked(harness)
    await harness.say("deny it", segments=(said("deny it", EVE),))
    assert len(await rows(harness)) == 1


async def test_a_reply_to_something_else_denies_no_card(harness: Harness) -> None:
    await asked(harness)
    await harness.say("what can you do", Unclear("Much."))
    await harness.say("never mind", DENIES, reply_to="m1")
    assert len(await rows(harness)) == 1


# A change


@pytest.mark.parametrize(
    ("text", "values", "language", "becomes", "difference"),
    [
        ("I'll be ten minutes late", (("duration", "15 minutes"),), "en", "I'll be 15 minutes late", "I'll be ten15 minutes late"),
        ("See you at six", (("time", "seven"),), "en", "See you at seven", "See you at sixseven"),
        ("See you at the north gate at six", (("place", "the south gate"), ("time", "seven")), "en",
         "See you at the south gate at seven", "See you at the northsouth gate at sixseven"),
        ("Meet me at the north gate", (("text", "south gate"),), "en", "Meet me at the south gate", None),
        ("Wir treffen uns um sechs am Nordtor", (("time", "sieben"),), "de", "Wir treffen uns um sieben am Nordtor", None),
        ("Wir treffen uns um sechs am Nordtor", (("text", "Südtor"),), "de", "Wir treffen uns um sechs am Südtor", None),
        ("Ich komme zehn Minuten später", (("duration", "15 Minuten"),), "de", "Ich komme 15 Minuten später", None),
        ("On se voit à 18h au café", (("time", "19h"),), "fr", "On se voit à 19h au café", None),
        ("Rendez-vous porte nord", (("text", "porte sud"),), "fr", "Rendez-vous porte sud", None),
        ("Nos vemos a las seis en la puerta norte", (("time", "a las siete"),), "es",
         "Nos vemos a las siete en la puerta norte", None),
        ("Nos vemos el miércoles", (("time", "jueves"),), "es", "Nos vemos el jueves", None),
        ("Fine", (("text", "we can't do the 4th but the 5th is fine"),), "en", "we can't do the 4th but the 5th is fine", None),
    ],
)  # fmt: skip
async def test_the_text_is_changed_and_shown_as_a_difference(
    harness: Harness,
    text: str,
    values: tuple[tuple[str, str], ...],
    language: str,
    becomes: str,
    difference: str | None,
) -> None:
    await asked(harness, text)
    await harness.say("make it so", change(*values, language=language))
    card = newest(harness)
    assert (card.title, card.body) == ("For your approval, changed", becomes)
    assert difference is None or rich_text(card.changes) == difference
    assert harness.sent() == []


async def test_another_recipient(harness: Harness) -> None:
    await asked(harness)
    await harness.say("instead to my mum", change(("to", "my mum")))
    assert [row.recipients for row in await rows(harness)] == [("telegram:1004",)]
    await harness.say("instead to Eve", change(("to", "Eve")))
    assert harness.phone.said[-1].startswith("I don't know anybody called Eve.")
    await harness.say("not Mum, Anna", change(("to", "Mum"), ("to", "Anna")))
    assert "1004" not in str([row.recipients for row in await rows(harness)])


async def test_the_subject_of_a_mail(harness: Harness) -> None:
    await asked_of(harness, MAIL, to=[await to(harness)], subject="Roof", body="It leaks.")
    await harness.say("change the subject", change(("subject", "Urgent: roof")))
    assert "Urgent: " in facts(newest(harness))["Subject"]
    assert newest(harness).body == "It leaks."


async def test_an_event_gets_another_time_and_length(harness: Harness) -> None:
    offline(harness, EVENT)
    await asked_of(harness, EVENT, title="Lunch", start="2026-03-06T12:30:00", minutes=60)
    await harness.say("make that 15 minutes", change(("duration", "15 minutes")))
    (row,) = await rows(harness)
    assert '"minutes":15' in row.args
    assert row.revision == 2
    assert "When" in rich_text(newest(harness).changes)
    await harness.say("make it seven", change(("time", "seven")))
    assert '"start":"2026-03-06T19:00:00"' in (await rows(harness))[0].args
    await harness.say("lieber Samstag", change(("time", "Samstag"), language="de"))
    assert '"start":"2026-03-07T19:00:00"' in (await rows(harness))[0].args
    await harness.say("in the red lion", change(("place", "Red Lion")))
    assert '"location":"Red Lion"' in (await rows(harness))[0].args
    await harness.say("with Mum as well", change(("with", "Mum")))
    assert harness.phone.said[-1].startswith("I have no mail address of Mum")
    assert harness.outputs() == []


async def test_a_trello_card_gets_a_date_and_another_list_is_looked_up_anew(harness: Harness) -> None:
    spec, looked = harness.registry.spec(TRELLO), list[Any]()
    place: dict[str, Any] = {
        "board_id": "b",
        "board": "Home",
        "list_id": "l",
        "list_name": "Doing",
        "labels": [],
        "members": [],
    }

    async def complete(call: Any) -> IntegrationResult:
        looked.append(call.args)
        return IntegrationResult(ok=True, data={"place": place | {"list_name": call.args.in_list or "Doing"}})

    harness.registry._tools[TRELLO] = replace(spec, complete=complete)  # pyright: ignore[reportPrivateUsage]
    await asked_of(harness, TRELLO, name="Buy paint")
    await harness.say("set it due friday", change(("time", "friday")))
    (row,) = await rows(harness)
    assert '"due":"2026-03-06T12:00:00"' in row.args
    assert len(looked) == 1
    await harness.say("in Done rather", change(("list", "Done")))
    (row,) = await rows(harness)
    assert '"list_name":"Done"' in row.args
    assert "Done" in rich_text(newest(harness).changes)


async def test_of_several_the_owner_says_which_to_change(harness: Harness) -> None:
    await asked(harness)
    await asked(harness, "Back in ten minutes", "Mum")
    about = change(("duration", "15 minutes"))
    await harness.say("make that 15 minutes", about)
    assert harness.phone.said[-1].startswith("Which card do you mean?\n1. ")
    harness.script.outputs.append(about)
    button = [one for one in harness.phone.buttons("Sends") if "Back in" in one.label or "Mum" in one.label][-1]
    await harness.press(button)
    assert newest(harness).body == "Back in 15 minutes"
    assert [row.revision for row in await rows(harness)] == [1, 2]


async def test_a_doubt_within_the_text_is_asked_and_tapped(harness: Harness) -> None:
    await asked(harness, "Ten minutes there, an hour back")
    await harness.say("make that 15 minutes", change(("duration", "15 minutes")))
    assert harness.phone.said[-1] == "What shall “15 minutes” stand for?"
    await harness.tap("an hour")
    assert newest(harness).body == "Ten minutes there, 15 minutes back"


async def test_what_cannot_be_changed_is_said_and_the_card_stays(harness: Harness) -> None:
    await asked(harness)
    for about, said_of_it in (
        (change(("channel", "mail")), "A card cannot go another way."),
        (change(("every", "every day")), "I cannot change that on a card."),
        (change(), "What shall I change on the card?"),
        (change(("time", "one fine day")), "Which time is"),
        (change(("text", "south gate")), "Is “south gate” the whole text"),
    ):
        await harness.say("otherwise", about)
        assert harness.phone.said[-1].startswith(said_of_it)
    assert [row.revision for row in await rows(harness)] == [1]


async def test_a_change_that_is_looked_at_twice_is_made_once(harness: Harness) -> None:
    await asked(harness)
    item = await harness.say("make that 15 minutes", change(("duration", "15 minutes")))
    await harness.handlers["inbound"](item.inbound_id)
    await harness.run()
    assert [row.revision for row in await rows(harness)] == [2]


async def test_what_nobody_can_ask_for_again_is_told(harness: Harness) -> None:
    told = await harness.store.write(
        lambda c: harness.approvals.by_word.ask_again(c, "nobody", "in-1", harness.clock.now())
    )
    assert told == GONE


async def test_undo_takes_the_last_yes_back(harness: Harness) -> None:
    await asked(harness)
    await harness.tap("Approve")
    await harness.say("put them back", Command.UNDO)
    assert harness.phone.said[-1].startswith("Taken back:")
