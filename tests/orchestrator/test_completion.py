"""What only the provider knows of a call is read before it is shown, once, and counts as nobody's choice."""
# names: made up here

import json
from typing import Any

import pytest

from butler.contract.card import rich_text
from butler.contract.door import failed
from butler.contract.errors import IntegrationErrorCode
from butler.contract.inbound import InboundKind
from butler.contract.provenance import Origin, Trust
from butler.provenance import load
from butler.store.queries import approvals, contacts
from butler.store.queries.approvals import ApprovalRow
from tests.approvals.second_channel import Killed
from tests.orchestrator.harness import Harness, planned, step
from tests.orchestrator.letters import ANNA, EVE, LIST, REPLY, SEND, LetterHarness, thread

THREAD = Origin(trust=Trust.UNTRUSTED, source="letters:7", shown_as="the message that is answered")


@pytest.fixture
def desk(harness: Harness) -> LetterHarness:
    return LetterHarness(harness)


async def ask(harness: Harness, *, follow: bool = True, **args: Any) -> ApprovalRow | None:
    """The owner has a letter answered; the approval that came of it."""
    plan = planned(step(1, REPLY, **({"letter_id": "7", "text": "Fine!"} | args)))
    if not follow:
        harness.script.outputs.append(plan)
        return None
    await harness.say("answer it: Fine!", plan)
    rows = await harness.store.read(lambda c: approvals.in_state(c, "pending"))
    return rows[-1] if rows else None


def card_fields(harness: Harness) -> dict[str, str]:
    return {label: rich_text(value) for label, value in list(harness.phone.cards.values())[-1].fields}


async def test_what_is_left_open_is_filled_in_before_the_card_and_is_what_runs(
    harness: Harness, desk: LetterHarness
) -> None:
    row = await ask(harness)
    assert row is not None
    assert [(call.tool, call.args.letter_id, call.account) for call in desk.completed] == [(REPLY, "7", "main")]
    assert card_fields(harness)["To"].startswith("anna@friends.example")
    assert card_fields(harness)["sender"] == "me@work.example"
    await harness.tap("Approve")
    (call,) = harness.outputs()
    assert call.args.model_dump() == {
        "account": "",
        "letter_id": "7",
        "text": "Fine!",
        "to": (ANNA,),
        "cc": (),
        "sender": "me@work.example",
        "quote": "> Hi",
    }
    assert len(desk.completed) == 1


async def test_what_is_filled_in_is_nobodys_choice_and_says_where_it_is_from(
    harness: Harness, desk: LetterHarness
) -> None:
    row = await ask(harness)
    assert row is not None
    labels = {name: load(dumped) for name, dumped in row.labels.items()}
    assert {name for name, found in labels.items() if THREAD in found} == {"to", "sender", "quote"}
    assert {load(row.labels[name]) for name in ("to", "sender", "quote")} == {frozenset({THREAD})}
    assert row.risk == "highest"
    card = list(harness.phone.cards.values())[-1]
    assert (
        "whether it is quoted below, your address and the recipient come from the message that is answered"
        in card.reasons
    )
    assert "Drawn from" not in card_fields(harness)


async def test_what_the_planner_said_stays_as_it_is(harness: Harness, desk: LetterHarness) -> None:
    desk.answers = [thread(to=[EVE], cc=[EVE], quote="> Hi", account="work", text="evil")]
    row = await ask(harness, to=[ANNA], cc=[])
    assert row is not None
    said = {"account": "", "cc": [], "letter_id": "7", "quote": "> Hi", "sender": "", "text": "Fine!", "to": [ANNA]}
    assert json.loads(row.args) == said
    assert {name for name, found in row.labels.items() if THREAD in load(found)} == {"quote"}


async def test_what_is_filled_in_with_nothing_is_nobodys_words(harness: Harness, desk: LetterHarness) -> None:
    desk.answers = [thread(to=[ANNA], cc=[], sender="")]
    row = await ask(harness)
    assert row is not None
    assert {name for name, found in row.labels.items() if THREAD in load(found)} == {"to"}


@pytest.mark.parametrize("known", [True, False])
async def test_an_answer_to_whom_the_thread_names_asks_whatever_rule_there_is(
    harness: Harness, desk: LetterHarness, known: bool
) -> None:
    """Reply-To and Cc are the sender's choice: also where they name somebody whom the owner knows."""
    if known:
        await harness.store.write(
            lambda c: contacts.learn(c, "Carol", [EVE], source="test", owner_says_so=True, now=harness.clock.now())
        )
    desk.answers = [thread(to=[EVE if known else ANNA])] * 3
    await ask(harness)
    assert not harness.phone.buttons("Always…")
    await ask(harness, to=[ANNA])
    await harness.tap("Always…")
    await harness.tap("Save rule")
    await ask(harness, to=[ANNA])
    assert harness.sent() == ["Fine!"]
    row = await ask(harness)
    assert row is not None
    assert harness.sent() == ["Fine!"]


async def test_a_failure_to_complete_is_how_the_step_ends(harness: Harness, desk: LetterHarness) -> None:
    desk.answers = [failed(IntegrationErrorCode.NOT_FOUND, "this letter is gone")]
    assert await ask(harness) is None
    assert harness.phone.said[-1] == "❌ Do 1: this letter is gone."
    assert harness.calls == []


async def test_an_answer_that_does_not_fit_the_tool_is_told_as_that(harness: Harness, desk: LetterHarness) -> None:
    for wrong in (thread(to="everybody"), thread(bcc=[EVE])):
        desk.answers = [wrong]
        assert await ask(harness) is None
        assert harness.phone.said[-1].startswith(f"❌ Do 1: what completes {REPLY} does not fit it (")


async def test_nothing_is_read_to_complete_what_is_paused(harness: Harness, desk: LetterHarness) -> None:
    item = await harness.say("/pause user", kind=InboundKind.COMMAND, payload={"name": "pause", "rest": "user"})
    assert item.text
    assert await ask(harness) is None
    assert desk.completed == []
    assert "What acts as you is paused since" in harness.phone.said[-1]


async def test_a_death_before_the_card_reads_it_again_and_one_after_it_never(
    harness: Harness, desk: LetterHarness
) -> None:
    await ask(harness, follow=False)
    desk.answers = [Killed(), thread(to=[ANNA])]
    with pytest.raises(Killed):
        await harness.say("answer it: Fine!")
    harness.start()
    await harness.run()
    (row,) = await harness.store.read(lambda c: approvals.in_state(c, "pending"))
    assert len(desk.completed) == 2
    assert row.recipients == (ANNA,)
    assert row.plan_id is not None
    harness.start()
    await harness.runner.advance(row.plan_id)
    await harness.run()
    await harness.tap("Approve")
    assert len(desk.completed) == 2
    assert len(harness.outputs()) == 1


# Accounts


async def test_an_answer_goes_through_the_account_that_the_letter_lies_in(
    harness: Harness, desk: LetterHarness
) -> None:
    letters = thread(letters=[{"message_id": "7", "text": "Hi"}, {"message_id": "8", "text": "Ho"}])
    harness.results[LIST] = [letters]
    await harness.say("my letters at work", planned(step(1, LIST, account="work")))
    row = await ask(harness, letter_id={"handle": "reminder-1"})
    assert row is not None
    assert row.account == "work"
    assert desk.completed[-1].account == "work"
    assert card_fields(harness)["As"] == "you, through work"
    assert len(harness.phone.cards) == 1


async def test_a_step_goes_on_in_the_account_of_the_step_before(harness: Harness, desk: LetterHarness) -> None:
    harness.results[LIST] = [thread(letters=[{"message_id": "7", "text": "Hi"}])] * 2
    plan = planned(
        step(1, LIST, account="work"),
        step(2, LIST, 1, letter_id={"step": 1, "fact": "letters.0.message_id"}),
        step(3, SEND, 1, to={"address": ANNA}, text={"step": 1, "fact": "letters.0.text"}, account="main"),
    )
    await harness.say("read the newest letter at work, and pass it on from main", plan)
    assert [(call.tool, call.account) for call in harness.calls] == [(LIST, "work"), (LIST, "work")]
    (row,) = await harness.store.read(lambda c: approvals.in_state(c, "pending"))
    assert row.account == "main"
    assert desk.completed == []


async def test_an_account_that_there_is_not_ends_the_step_with_those_there_are(
    harness: Harness, desk: LetterHarness
) -> None:
    await harness.say("letters of the club", planned(step(1, LIST, account="club")))
    assert harness.phone.said[-1] == "❌ Do 1: there is no account 'club'; there are main, work."
    assert await ask(harness, account="club") is None
    assert desk.completed == []
    assert harness.calls == []
