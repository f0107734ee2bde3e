"""A card about many mails, and what is said further of them: from the words to the new list, and to what is done."""
# names: made up here

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

import pytest

from approvals.states import State
from butler.bulk.launcher import NOTHING_LISTED
from butler.contract.bulk import BulkSnapshot
from butler.contract.card import Card, rich_text
from butler.contract.door import failed
from butler.contract.errors import IntegrationErrorCode
from butler.contract.integration import IntegrationResult
from butler.contract.provenance import Origin
from butler.contract.tools import ToolCall
from butler.orchestrator.edits.answers import NOT_BY_WORDS
from butler.orchestrator.edits.bulk_edits import HINT, HINT_OF_OTHERS
from butler.provenance import load
from butler.store.queries import approvals
from butler.store.store import Store
from modules.email.bulk_actions import MailAction
from tests.approvals.harness import create_tables
from tests.orchestrator.harness import Harness
from tests.orchestrator.test_turns import planned, step
from tests.support.reading import reading_planner

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
async def harness(mailbox: Mailbox) -> AsyncIterator[Harness]:
    store = create_tables(Store("sqlite://"))
    harness = Harness(store, reading_planner())
    tools = harness.registry._tools  # pyright: ignore[reportPrivateUsage] - a mailbox for the test
    for action in MailAction:
        tools[f"user_email_{action}"] = replace(tools[f"user_email_{action}"], complete=mailbox.list)
    await harness.meet()
    yield harness
    await store.close()


def cards(harness: Harness) -> list[tuple[str, Card]]:
    return list(harness.phone.cards.items())


def facts(card: Card) -> dict[str, str]:
    return {label: rich_text(value) for label, value in card.fields}


async def asked(harness: Harness, words: str = ASKED) -> str:
    await harness.say(words)
    return cards(harness)[-1][0]


async def args(harness: Harness) -> dict[str, Any]:
    """What the newest card that waits would do, without what is at its default."""
    (row,) = await harness.store.read(lambda c: approvals.in_state(c, "pending"))
    spec = harness.registry.spec(row.tool)
    found = spec.args.model_validate_json(row.args).model_dump(mode="json", exclude_defaults=True, exclude={"snapshot"})
    return {"tool": row.tool.removeprefix("user_email_"), "revision": row.revision, **found}


async def test_a_reply_lists_anew_and_the_new_card_shows_the_difference(harness: Harness, mailbox: Mailbox) -> None:
    old = await asked(harness)
    stale = harness.phone.buttons("Approve")[-1]
    await harness.say("also those from Amazon", reply_to=old)
    card = cards(harness)[-1][1]
    assert card.title == "For your approval, changed"
    assert facts(card)["From"] == "hostinger, Amazon"
    assert facts(card)["Mails"] == "200"
    assert rich_text(card.changes) == "From: hostinger, Amazon\nMails: 100, 200"
    assert rich_text(harness.phone.cards[old].outcome) == "Replaced by a newer version below."
    await harness.press(stale)
    assert "newer version" in harness.phone.answers[-1]
    assert harness.outputs() == []
    await harness.tap("Approve")
    (done,) = harness.outputs()
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
    harness: Harness, words: str, changed: dict[str, Any], *, replied: bool
) -> None:
    card = await asked(harness)
    await harness.say(words, reply_to=card if replied else "")
    base = {"tool": "archive", "revision": 2, "category": "promotions", "senders": ["hostinger"]}
    now = await args(harness)
    if "before" in changed:
        assert now.pop("before") < harness.clock.now().date().isoformat()
        changed = {}
    assert now == base | changed


async def test_one_change_follows_another(harness: Harness) -> None:
    await asked(harness)
    await harness.say("also those from Amazon")
    await harness.say("not the unread ones")
    assert await args(harness) == {
        "tool": "archive", "revision": 3, "category": "promotions", "senders": ["hostinger", "Amazon"], "unread": False,
    }  # fmt: skip


@pytest.mark.parametrize("replied", [True, False])
async def test_something_else_may_be_done_to_them_by_a_card_of_its_own(harness: Harness, *, replied: bool) -> None:
    card = await asked(harness)
    stale = harness.phone.buttons("Approve")[-1]
    await harness.say("label them as Shops instead", reply_to=card if replied else "")
    assert await args(harness) == {
        "tool": "label", "revision": 1, "category": "promotions", "senders": ["hostinger"], "inbox": True,
        "name": "Shops",
    }  # fmt: skip
    await harness.press(stale)
    assert harness.outputs() == []
    assert "Withdrawn" in rich_text(harness.phone.cards[card].outcome)
    await harness.say("call it Stores", reply_to=cards(harness)[-1][0])
    assert (await args(harness))["name"] == "Stores"
    await harness.tap("Approve")
    assert [(call.tool, call.args.name) for call in harness.outputs()] == [("user_email_label", "Stores")]


async def test_of_one_mail_something_else_may_be_done_and_no_other_is_meant(harness: Harness) -> None:
    harness.planner = harness.script
    harness.start()
    await harness.say("archive it", planned(step(1, "user_email_archive", mails=["18c0ffee"])))
    await harness.say("not the unread ones", reply_to=cards(harness)[-1][0])
    assert "the very mails" in harness.phone.said[-1]
    await harness.say("trash it instead", reply_to=cards(harness)[-1][0])
    assert await args(harness) == {"tool": "trash", "revision": 1, "mails": ["18c0ffee"]}


@pytest.mark.parametrize("replied", [True, False])
async def test_never_mind_is_a_no(harness: Harness, *, replied: bool) -> None:
    card = await asked(harness)
    await harness.say("never mind", reply_to=card if replied else "")
    assert not await harness.store.read(lambda c: approvals.in_state(c, "pending"))
    assert "Denied by you" in rich_text(harness.phone.cards[card].outcome)


async def test_no_words_are_a_yes_to_many(harness: Harness) -> None:
    card = await asked(harness)
    await harness.say("yes", reply_to=card)
    assert harness.phone.said[-1] == NOT_BY_WORDS
    await harness.say("yes")
    assert harness.outputs() == []
    assert (await args(harness))["revision"] == 1


@pytest.mark.parametrize(
    "words",
    ["make it nicer", "only the first three", "OVH aussi", "kopieren wenn's geht, nicht verschieben",
     "Friends rather than Family"],
)  # fmt: skip
async def test_what_is_not_understood_changes_nothing(harness: Harness, mailbox: Mailbox, words: str) -> None:
    card = await asked(harness)
    await harness.say(words, reply_to=card)
    assert (
        harness.phone.said[-1] == HINT
        or harness.phone.said[-1].endswith("?")
        or "Say the name" in harness.phone.said[-1]
    )
    assert (await args(harness))["revision"] == 1
    assert len(mailbox.listed) == 1


@pytest.mark.parametrize("replied", [True, False])
async def test_of_many_events_it_is_said_which_of_them_only(
    harness: Harness, mailbox: Mailbox, *, replied: bool
) -> None:
    tools = harness.registry._tools  # pyright: ignore[reportPrivateUsage] - a calendar for the test
    tools[EVENTS] = replace(tools[EVENTS], complete=mailbox.list)
    harness.planner = harness.script
    harness.start()
    await harness.say("delete them", planned(step(1, EVENTS, words="meeting")))
    card = cards(harness)[-1][0]
    await harness.say("only those about budget", reply_to=card if replied else "")
    (row,) = await harness.store.read(lambda c: approvals.in_state(c, "pending"))
    assert (row.revision, json.loads(row.args)["words"]) == (2, "meeting budget")
    await harness.say("make them nicer", reply_to=cards(harness)[-1][0])
    assert harness.phone.said[-1] == HINT_OF_OTHERS
    await harness.say("never mind")
    assert not await harness.store.read(lambda c: approvals.in_state(c, "pending"))


async def test_a_stop_to_everything_stops_everything(harness: Harness) -> None:
    card = await asked(harness)
    await harness.say("stop everything", reply_to=card)
    assert await harness.approvals.paused()
    await harness.say("only the unread ones", reply_to=card)
    assert harness.phone.said[-1] == await harness.approvals.paused()
    assert (await args(harness))["revision"] == 1


async def test_the_mailbox_may_be_another(harness: Harness, mailbox: Mailbox) -> None:
    tools = harness.registry._tools  # pyright: ignore[reportPrivateUsage] - a mailbox for the test
    tools["user_email_archive"] = replace(tools["user_email_archive"], accounts=("main", "work"))
    tools["user_email_search_inbox"] = replace(tools["user_email_search_inbox"], accounts=("main", "work"))
    card = await asked(harness)
    await harness.say("in my work mailbox", reply_to=card)
    assert (await args(harness))["account"] == "work"
    assert mailbox.listed[-1].account == "work"
    assert "Through: mainwork" in rich_text(cards(harness)[-1][1].changes).replace(", ", "")


async def test_what_would_leave_nothing_is_said_and_the_card_stays(harness: Harness, mailbox: Mailbox) -> None:
    card = await asked(harness)
    await harness.say("not those from hostinger", reply_to=card)
    assert "nothing would be left" in harness.phone.said[-1]
    mailbox.empty = mailbox.broken = True
    await harness.say("only the unread ones", reply_to=card)
    assert harness.phone.said[-1] == "There is nothing of that kind. The card stays as it was."
    assert (await args(harness))["revision"] == 1


@pytest.mark.parametrize(
    "words",
    ["not the unread ones", "aber nicht die ungelesenen", "mais pas les non lus", "pero no los no leídos"],
)
@pytest.mark.parametrize("replied", [True, False])
async def test_where_all_of_them_are_left_out_the_card_is_withdrawn(
    harness: Harness, mailbox: Mailbox, words: str, *, replied: bool
) -> None:
    card = await asked(harness)
    mailbox.empty = True
    await harness.say(words, reply_to=card if replied else "")
    assert harness.phone.said[-1] == (
        "By what you said, nothing of it is left to be done, so I have withdrawn the card. Nothing was changed."
    )
    rows = await harness.store.read(lambda c: approvals.in_state(c, *State))
    assert [row.state for row in rows] == [State.SUPERSEDED]
    assert not [one for line in list(harness.phone.cards.values())[-1].buttons for one in line]


@pytest.mark.parametrize("replied", [True, False])
async def test_others_than_those_are_asked_about_and_the_card_stays(
    harness: Harness, mailbox: Mailbox, *, replied: bool
) -> None:
    card = await asked(harness)
    await harness.say("only those from Amazon", reply_to=card if replied else "")
    assert harness.phone.said[-1].startswith("There are none from Amazon among them: it is about those from hostinger.")
    assert (await args(harness))["revision"] == len(mailbox.listed) == 1
    await harness.say("also those from Amazon", reply_to=card if replied else "")
    await harness.say("only those from Amazon")
    assert await args(harness) == {
        "tool": "archive", "revision": 3, "category": "promotions", "senders": ["Amazon"],
    }  # fmt: skip


async def test_other_talk_goes_on_while_a_card_waits(harness: Harness) -> None:
    await asked(harness)
    harness.clock.time += timedelta(minutes=1)
    await harness.say("remember that the shed key is under the pot", received_at=harness.clock.now())
    await harness.say("only the unread ones")
    assert (await args(harness))["revision"] == 1
    await harness.say("also those from Amazon")
    assert (await args(harness))["revision"] == 2


async def test_what_the_owner_added_bears_the_owners_label(harness: Harness) -> None:
    await asked(harness)
    await harness.say("but keep those from Mum")
    (row,) = await harness.store.read(lambda c: approvals.in_state(c, "pending"))
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
async def test_it_is_said_in_any_of_the_languages(harness: Harness, words: str, changed: dict[str, Any]) -> None:
    await asked(harness)
    await harness.say(words)
    assert await args(harness) == {
        "tool": "archive", "revision": 2, "category": "promotions", "senders": ["hostinger"],
    } | changed  # fmt: skip
