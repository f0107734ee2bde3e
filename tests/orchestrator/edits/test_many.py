"""A card about many mails, and what is said further of them: from the words to the new list, and to what is done."""
# names: made up here

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

import pytest

from approvals.states import State
from butler.contract.bulk import BulkSnapshot
from butler.contract.bulk_tool import NOTHING_LISTED
from butler.contract.card import Card, rich_text
from butler.contract.door import failed
from butler.contract.errors import IntegrationErrorCode
from butler.contract.integration import IntegrationResult
from butler.contract.provenance import Origin
from butler.contract.tools import ToolCall
from butler.orchestrator.edits.answers import NOT_BY_WORDS
from butler.orchestrator.edits.many import OUGHT, OUGHT_OF_OTHERS
from butler.orchestrator.embedded.planner import EmbeddedPlanner
from butler.provenance import load
from butler.store.queries import approvals
from butler.store.store import Store
from modules.email.bulk_actions import MailAction
from tests.approvals.house import create_tables
from tests.orchestrator.house import House
from tests.orchestrator.test_turns import planned, step

EVENTS = "user_calendar_delete_event"
ASKED = "archive all newsletters from hostinger"


@dataclass
class Mailbox:
    """Lists what it is asked for, each time anew; nothing where it is told so."""

    listed: list[ToolCall] = field(default_factory=list[ToolCall])
    empty: bool = False
    broken: bool = False

    async def list(self, call: ToolCall) -> IntegrationResult:
        self.listed.append(call)
        if self.empty:
            code = "" if self.broken else NOTHING_LISTED
            return failed(IntegrationErrorCode.NOT_FOUND, "There is nothing of that kind.", provider_code=code)
        count = 100 * len(self.listed)
        facts = (("Mails", str(count)),)
        snapshot = BulkSnapshot(
            run=f"run-{len(self.listed)}", digest="d" * 64, count=count, facts=facts, sample=("one",)
        )
        return IntegrationResult(ok=True, data={"snapshot": snapshot.model_dump(mode="json")})


@pytest.fixture
def mailbox() -> Mailbox:
    return Mailbox()


@pytest.fixture
async def house(mailbox: Mailbox) -> AsyncIterator[House]:
    store = create_tables(Store("sqlite://"))
    house = House(store, EmbeddedPlanner())
    tools = house.registry._tools  # pyright: ignore[reportPrivateUsage] - a mailbox for the test
    for action in MailAction:
        tools[f"user_email_{action}"] = replace(tools[f"user_email_{action}"], complete=mailbox.list)
    await house.meet()
    yield house
    await store.close()


def cards(house: House) -> list[tuple[str, Card]]:
    return list(house.phone.cards.items())


def facts(card: Card) -> dict[str, str]:
    return {label: rich_text(value) for label, value in card.fields}


async def asked(house: House, words: str = ASKED) -> str:
    await house.say(words)
    return cards(house)[-1][0]


async def args(house: House) -> dict[str, Any]:
    """What the newest card that waits would do, without what is at its default."""
    (row,) = await house.store.read(lambda c: approvals.in_state(c, "pending"))
    spec = house.registry.spec(row.tool)
    found = spec.args.model_validate_json(row.args).model_dump(mode="json", exclude_defaults=True, exclude={"snapshot"})
    return {"tool": row.tool.removeprefix("user_email_"), "revision": row.revision, **found}


async def test_a_reply_lists_anew_and_the_new_card_shows_the_difference(house: House, mailbox: Mailbox) -> None:
    old = await asked(house)
    stale = house.phone.buttons("Approve")[-1]
    await house.say("also those from Amazon", reply_to=old)
    card = cards(house)[-1][1]
    assert card.title == "For your approval, changed"
    assert facts(card)["From"] == "hostinger, Amazon"
    assert facts(card)["Mails"] == "200"
    assert rich_text(card.changes) == "From: hostinger, Amazon\nMails: 100, 200"
    assert rich_text(house.phone.cards[old].outcome) == "Replaced by a newer version below."
    await house.press(stale)
    assert "newer version" in house.phone.answers[-1]
    assert house.outputs() == []
    await house.tap("Approve")
    (done,) = house.outputs()
    assert done.args.senders == ("hostinger", "Amazon")
    assert done.args.snapshot.run == "run-2"
    assert len(mailbox.listed) == 2


FOLLOWED: list[tuple[str, dict[str, Any]]] = [
    ("also those from Amazon", {"senders": ["hostinger", "Amazon"]}),
    ("and the ones from Bob too", {"senders": ["hostinger", "Bob"]}),
    ("not the unread ones", {"unread": False}),
    ("only the unread ones", {"unread": True}),
    ("but keep those from Mum", {"keep": ["Mum"]}),
    ("only those older than a month", {"before": "2026-09-06"}),
    ("not the ones with attachments", {"attachment": False}),
]


@pytest.mark.parametrize("replied", [True, False])
@pytest.mark.parametrize(("words", "changed"), FOLLOWED, ids=[row[0] for row in FOLLOWED])
async def test_the_card_that_waits_is_changed_with_a_reply_or_without(
    house: House, words: str, changed: dict[str, Any], *, replied: bool
) -> None:
    card = await asked(house)
    await house.say(words, reply_to=card if replied else "")
    base = {"tool": "archive", "revision": 2, "category": "promotions", "senders": ["hostinger"]}
    now = await args(house)
    if "before" in changed:
        assert now.pop("before") < house.clock.now().date().isoformat()
        changed = {}
    assert now == base | changed


async def test_one_change_follows_another(house: House) -> None:
    await asked(house)
    await house.say("also those from Amazon")
    await house.say("not the unread ones")
    assert await args(house) == {
        "tool": "archive", "revision": 3, "category": "promotions", "senders": ["hostinger", "Amazon"], "unread": False,
    }  # fmt: skip


@pytest.mark.parametrize("replied", [True, False])
async def test_something_else_may_be_done_to_them_by_a_card_of_its_own(house: House, *, replied: bool) -> None:
    card = await asked(house)
    stale = house.phone.buttons("Approve")[-1]
    await house.say("label them as Shops instead", reply_to=card if replied else "")
    assert await args(house) == {
        "tool": "label", "revision": 1, "category": "promotions", "senders": ["hostinger"], "inbox": True,
        "name": "Shops",
    }  # fmt: skip
    await house.press(stale)
    assert house.outputs() == []
    assert "Withdrawn" in rich_text(house.phone.cards[card].outcome)
    await house.say("call it Stores", reply_to=cards(house)[-1][0])
    assert (await args(house))["name"] == "Stores"
    await house.tap("Approve")
    assert [(call.tool, call.args.name) for call in house.outputs()] == [("user_email_label", "Stores")]


async def test_of_one_mail_something_else_may_be_done_and_no_other_is_meant(house: House) -> None:
    house.planner = house.script
    house.start()
    await house.say("archive it", planned(step(1, "user_email_archive", mails=["18c0ffee"])))
    await house.say("not the unread ones", reply_to=cards(house)[-1][0])
    assert "the very mails" in house.phone.said[-1]
    await house.say("trash it instead", reply_to=cards(house)[-1][0])
    assert await args(house) == {"tool": "trash", "revision": 1, "mails": ["18c0ffee"]}


@pytest.mark.parametrize("replied", [True, False])
async def test_never_mind_is_a_no(house: House, *, replied: bool) -> None:
    card = await asked(house)
    await house.say("never mind", reply_to=card if replied else "")
    assert not await house.store.read(lambda c: approvals.in_state(c, "pending"))
    assert "Denied by you" in rich_text(house.phone.cards[card].outcome)


async def test_no_words_are_a_yes_to_many(house: House) -> None:
    card = await asked(house)
    await house.say("yes", reply_to=card)
    assert house.phone.said[-1] == NOT_BY_WORDS
    await house.say("yes")
    assert house.outputs() == []
    assert (await args(house))["revision"] == 1


@pytest.mark.parametrize("words", ["not the important ones", "make it nicer", "only the first three"])
async def test_what_is_not_understood_changes_nothing(house: House, mailbox: Mailbox, words: str) -> None:
    card = await asked(house)
    await house.say(words, reply_to=card)
    assert house.phone.said[-1] == OUGHT or house.phone.said[-1].endswith("?") or "Say the name" in house.phone.said[-1]
    assert (await args(house))["revision"] == 1
    assert len(mailbox.listed) == 1


@pytest.mark.parametrize("replied", [True, False])
async def test_of_many_events_it_is_said_which_of_them_only(house: House, mailbox: Mailbox, *, replied: bool) -> None:
    tools = house.registry._tools  # pyright: ignore[reportPrivateUsage] - a calendar for the test
    tools[EVENTS] = replace(tools[EVENTS], complete=mailbox.list)
    house.planner = house.script
    house.start()
    await house.say("delete them", planned(step(1, EVENTS, words="meeting")))
    card = cards(house)[-1][0]
    await house.say("only those about budget", reply_to=card if replied else "")
    (row,) = await house.store.read(lambda c: approvals.in_state(c, "pending"))
    assert (row.revision, json.loads(row.args)["words"]) == (2, "meeting budget")
    await house.say("make them nicer", reply_to=cards(house)[-1][0])
    assert house.phone.said[-1] == OUGHT_OF_OTHERS
    await house.say("never mind")
    assert not await house.store.read(lambda c: approvals.in_state(c, "pending"))


async def test_a_stop_to_everything_stops_everything(house: House) -> None:
    card = await asked(house)
    await house.say("stop everything", reply_to=card)
    assert await house.approvals.paused()
    await house.say("only the unread ones", reply_to=card)
    assert house.phone.said[-1] == await house.approvals.paused()
    assert (await args(house))["revision"] == 1


async def test_the_mailbox_may_be_another(house: House, mailbox: Mailbox) -> None:
    tools = house.registry._tools  # pyright: ignore[reportPrivateUsage] - a mailbox for the test
    tools["user_email_archive"] = replace(tools["user_email_archive"], accounts=("main", "work"))
    tools["user_email_search_inbox"] = replace(tools["user_email_search_inbox"], accounts=("main", "work"))
    card = await asked(house)
    await house.say("in my work mailbox", reply_to=card)
    assert (await args(house))["account"] == "work"
    assert mailbox.listed[-1].account == "work"
    assert "Through: mainwork" in rich_text(cards(house)[-1][1].changes).replace(", ", "")


async def test_what_would_leave_nothing_is_said_and_the_card_stays(house: House, mailbox: Mailbox) -> None:
    card = await asked(house)
    await house.say("not those from hostinger", reply_to=card)
    assert "nothing would be left" in house.phone.said[-1]
    mailbox.empty = mailbox.broken = True
    await house.say("only the unread ones", reply_to=card)
    assert house.phone.said[-1] == "There is nothing of that kind. The card stays as it was."
    assert (await args(house))["revision"] == 1


@pytest.mark.parametrize(
    "words",
    ["not the unread ones", "aber nicht die ungelesenen", "mais pas les non lus", "pero no los no leídos"],
)
@pytest.mark.parametrize("replied", [True, False])
async def test_where_all_of_them_are_left_out_the_card_is_withdrawn(
    house: House, mailbox: Mailbox, words: str, *, replied: bool
) -> None:
    card = await asked(house)
    mailbox.empty = True
    await house.say(words, reply_to=card if replied else "")
    assert house.phone.said[-1] == (
        "By what you said, nothing of it is left to be done, so I have withdrawn the card. Nothing was changed."
    )
    rows = await house.store.read(lambda c: approvals.in_state(c, *State))
    assert [row.state for row in rows] == [State.SUPERSEDED]
    assert not [one for line in list(house.phone.cards.values())[-1].buttons for one in line]


@pytest.mark.parametrize("replied", [True, False])
async def test_others_than_those_are_asked_about_and_the_card_stays(
    house: House, mailbox: Mailbox, *, replied: bool
) -> None:
    card = await asked(house)
    await house.say("only those from Amazon", reply_to=card if replied else "")
    assert house.phone.said[-1].startswith("There are none from Amazon among them: it is about those from hostinger.")
    assert (await args(house))["revision"] == len(mailbox.listed) == 1
    await house.say("also those from Amazon", reply_to=card if replied else "")
    await house.say("only those from Amazon")
    assert await args(house) == {
        "tool": "archive", "revision": 3, "category": "promotions", "senders": ["Amazon"],
    }  # fmt: skip


async def test_other_talk_goes_on_while_a_card_waits(house: House) -> None:
    await asked(house)
    house.clock.time += timedelta(minutes=1)
    await house.say("remember that the shed key is under the pot", received_at=house.clock.now())
    await house.say("only the unread ones")
    assert (await args(house))["revision"] == 1
    await house.say("also those from Amazon")
    assert (await args(house))["revision"] == 2


async def test_what_the_owner_added_bears_the_owners_label(house: House) -> None:
    await asked(house)
    await house.say("but keep those from Mum")
    (row,) = await house.store.read(lambda c: approvals.in_state(c, "pending"))
    assert all(origin.trust is not Origin.owner("x").trust or origin for origin in load(row.labels["keep"]))
    assert {origin.source for origin in load(row.labels["snapshot"])} == {"listed"}


@pytest.mark.parametrize(
    ("words", "changed"),
    [
        ("auch die von Amazon", {"senders": ["hostinger", "Amazon"]}),
        ("nicht die ungelesenen", {"unread": False}),
        ("aussi ceux d'Amazon", {"senders": ["hostinger", "Amazon"]}),
        ("pas les non lus", {"unread": False}),
        ("también los de Amazon", {"senders": ["hostinger", "Amazon"]}),
        ("no los sin leer", {"unread": False}),
    ],
)
async def test_it_is_said_in_any_of_the_languages(house: House, words: str, changed: dict[str, Any]) -> None:
    await asked(house)
    await house.say(words)
    assert await args(house) == {
        "tool": "archive", "revision": 2, "category": "promotions", "senders": ["hostinger"],
    } | changed  # fmt: skip
