"""What a planner that is told of the waiting cards wants of them, from its order to what is sent in the end."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from butler.contract.card import rich_text
from butler.contract.integration import IntegrationResult
from butler.orchestrator.edits.answers import LISTED
from butler.orchestrator.planning.argument_check import faults
from butler.orchestrator.planning.card_lines import card_line
from butler.orchestrator.planning.card_orders import CardOrder, WaitingCard
from butler.orchestrator.planning.model_forms import PlanFormWithCards
from butler.orchestrator.planning.model_planner import MODEL
from butler.orchestrator.planning.plan_types import CardOrders, Command, Planned, PlannerInput, PlannerOutput
from butler.provenance import load
from butler.store.queries import approvals
from tests.orchestrator.builders import NOON, mail_row
from tests.orchestrator.edits.test_handler import LATE, asked, newest, row
from tests.orchestrator.embedded.scene import request as scene
from tests.orchestrator.harness import SEARCH, SEND, Harness
from tests.orchestrator.test_turns import planned, step, to
from tests.support.registered import registered

REPLY = "user_email_reply_to_thread"


def orders(then: Planned | None = None, **changes: Any) -> Callable[[PlannerInput], PlannerOutput]:
    """Order this of the newest card that waits."""

    def order(request: PlannerInput) -> CardOrders:
        return CardOrders((CardOrder(request.cards[-1], **changes),), MODEL, then)

    return order


async def test_a_planner_knows_what_waits_as_a_plan_would_write_it(harness: Harness) -> None:
    await asked(harness)
    await harness.say("what waits?", Command.HELP)
    (card,) = harness.script.requests[-1].cards
    assert (card.handle, card.tool, card.untold) == ("card-1", SEND, ())
    assert card.args == {"to": await to(harness), "text": LATE}


async def test_a_new_recipient_and_text_make_a_version_that_waits(harness: Harness) -> None:
    old = await asked(harness)
    await harness.say("no, to Mum, and say sorry", orders(args={"to": await to(harness, "Mum"), "text": "Sorry!"}))
    assert rich_text(harness.phone.cards[old].outcome) == "Replaced by a newer version below."
    assert newest(harness).body == "Sorry!"
    found = await row(harness)
    assert found.revision == 2
    assert load(found.labels["text"]) >= MODEL
    assert harness.sent() == []
    await harness.tap("Approve")
    assert [(call.args.to.address, call.args.text) for call in harness.outputs()] == [("telegram:1004", "Sorry!")]


async def test_a_card_that_is_taken_back_sends_nothing(harness: Harness) -> None:
    old = await asked(harness)
    await harness.say("no, leave it", orders(withdraw=True))
    assert not harness.phone.cards[old].buttons
    assert (await row(harness)).state == "denied"
    assert harness.sent() == []
    await harness.say("and now?", Command.HELP)
    assert harness.script.requests[-1].cards == ()
    assert [one.content for one in harness.script.requests[-1].history][-1] == f"Took back the card of {SEND}."


async def test_what_else_is_asked_for_is_done_after_it(harness: Harness) -> None:
    await asked(harness)
    more = planned(step(1, SEND, to=await to(harness, "Mum"), text="Hello"))
    await harness.say("leave it, and say hello to Mum", orders(more, withdraw=True))
    states = await harness.store.read(lambda c: [one.state for one in approvals.in_state(c, "pending", "denied")])
    assert states == ["denied", "pending"]
    assert newest(harness).body == "Hello"


async def test_a_card_that_was_decided_meanwhile_stays_as_decided(harness: Harness) -> None:
    await asked(harness)
    found = await row(harness)

    def late(request: PlannerInput) -> PlannerOutput:
        harness.phone.cards.clear()
        return CardOrders((CardOrder(WaitingCard("card-1", found.approval_id, 7, SEND, {}, NOON), withdraw=True),))

    await harness.say("leave it", late)
    assert "older version" in harness.phone.said[-1]
    assert (await row(harness)).state == "pending"


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ({"to": {"contact": "nobody"}}, "That does not go"),
        ({"to": {"step": 1, "fact": "count"}}, "That does not go"),
        ({"text": LATE}, "nothing was changed"),
    ],
)
async def test_what_cannot_be_put_on_a_card_leaves_it_as_it_is(
    harness: Harness, args: dict[str, Any], said: str
) -> None:
    await asked(harness)
    await harness.say("otherwise", orders(args=args))
    assert said in harness.phone.said[-1]
    assert (await row(harness)).revision == 1


async def test_an_argument_that_no_planner_may_give_is_left_out(harness: Harness) -> None:
    await asked(harness)
    await harness.say("otherwise", orders(args={"text": "Late", "zone": "Asia/Tokyo"}))
    assert newest(harness).body == "Late"


async def test_another_time_of_what_is_done_later(harness: Harness) -> None:
    due = NOON + timedelta(hours=2)
    one = step(1, SEND, to=await to(harness), text="see you").model_copy(update={"not_before": due})
    await harness.say("tell Anna at two: see you", planned(one))
    await harness.say("at three", orders(at=due + timedelta(hours=1)))
    assert (await row(harness)).not_before == due + timedelta(hours=1)


async def test_what_was_listed_for_a_card_is_only_taken_back(harness: Harness) -> None:
    await asked(harness)
    harness.registry._tools[SEND] = replace(harness.registry._tools[SEND], lists=True)
    await harness.say("to Mum", orders(args={"text": "x"}))
    assert harness.phone.said[-1] == LISTED
    assert (await row(harness)).revision == 1


CARD = WaitingCard("card-1", "a1", 1, SEND, {"to": {"contact": "c-anna"}, "text": "late"}, NOON)


def test_a_model_is_told_a_card_in_a_line() -> None:
    asked_for = scene("x")
    line = card_line(CARD, asked_for)
    number = [one.contact_id for one in asked_for.contacts].index("c-anna") + 1
    assert line == f'card-1: {SEND} {{"to": {{"contact": "c{number}"}}, "text": "late"}}'


def test_a_model_is_not_told_what_others_wrote_on_a_card() -> None:
    card = WaitingCard(
        "card-1", "a1", 1, SEND, {}, NOON, untold=("text",), not_before=NOON, approved=True, replied_to=True
    )
    line = card_line(card, scene("x"))
    assert "you are not told text, in which others had a hand" in line
    assert "approved already" in line
    assert line.endswith("the owner replied to this")


@pytest.mark.parametrize(
    ("form", "told"),
    [
        ({"card": "card-1", "withdraw": True}, ""),
        ({"card": "card-1", "args": {"text": "later"}}, ""),
        ({"card": "card-1", "args": {"to": {"contact": "c-anna"}}}, ""),
        ({"card": "card-1", "wording": "friendlier"}, ""),
        ({"card": "card-9", "withdraw": True}, "there is no such card"),
        ({"card": "card-1"}, "either `withdraw`"),
        ({"card": "card-1", "withdraw": True, "args": {"text": "x"}}, "either `withdraw`"),
        ({"card": "card-1", "at": "2026-03-03T10:00:00"}, "it is done right after the yes"),
        ({"card": "card-1", "args": {"colour": "red"}}, "takes no argument 'colour'"),
        ({"card": "card-1", "args": {"to": {"contact": "c-nobody"}}}, "there is no contact"),
        ({"card": "card-1", "args": {"text": {"draft": {"from": "mail-1"}}}}, "new values are literal"),
        ({"card": "card-1", "args": {"text": 5}}, "text: "),
    ],
)
def test_an_order_that_does_not_fit_its_card_goes_back_to_the_model(form: dict[str, Any], told: str) -> None:
    filled = PlanFormWithCards.model_validate({"cards": [form]})
    found = faults(filled, scene("x", cards=(CARD,)), tuple(registered().specs()))
    assert (told in found) if told else not found


async def test_what_a_handle_stands_for_is_told_as_that_handle(harness: Harness) -> None:
    harness.results[SEARCH] = [IntegrationResult(ok=True, data={"messages": [mail_row("A", "<a@x>")], "count": 1})]
    await harness.say("mails", planned(step(1, SEARCH)))
    await harness.say("answer it", planned(step(1, REPLY, message_id={"handle": "mail-1"}, body="Yes")))
    await harness.say("what waits?", Command.HELP)
    (card,) = harness.script.requests[-1].cards
    assert card.args == {"message_id": {"handle": "mail-1"}, "body": "Yes"}


async def test_what_others_wrote_is_named_and_not_told(harness: Harness) -> None:
    harness.results[SEARCH] = [IntegrationResult(ok=True, data={"messages": [mail_row("A", "<a@x>")], "count": 1})]
    anna = await to(harness)
    passed_on = step(2, SEND, to=anna, text={"step": 1, "fact": "messages.0.subject"}).model_copy(
        update={"depends_on": [1]}
    )
    await harness.say("tell Anna what it is about", planned(step(1, SEARCH), passed_on))
    await harness.say("what waits?", Command.HELP)
    (card,) = harness.script.requests[-1].cards
    assert (card.args, card.untold) == ({"to": anna}, ("text",))


CREATE = "bot_automations_create"
BILLS: dict[str, Any] = {
    "name": "Bills",
    "when": {"event": "mail.received", "where": [{"fact": "contact", "compare": "is", "value": "Anna"}]},
    "do": [{"call": SEND, "args": {"to": {"contact": "c-anna"}, "text": "Anna wrote"}}],
}


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (
            {"when": {"event": "mail.received", "where": [{"fact": "subject", "compare": "at_least", "value": 5}]}},
            "card-1: when: subject of mail.received cannot be compared by at_least",
        ),
        (
            {
                "when": {
                    "event": "mail.received",
                    "where": [
                        {"fact": "contact", "value": {"contact": "c-anna"}},
                        {"fact": "colour", "value": "red"},
                    ],
                }
            },
            "mail.received has no fact colour",
        ),
        ({"do": [{"tell": "{title} begins"}]}, "card-1: its arguments: mail.received has no fact title"),
        ({"clock": {"zone": "UTC", "start": "2026-03-02T08:00", "every": "day"}}, "either `when` or `clock`"),
        ({"when": {"event": "chat.received", "where": [{"fact": "contact", "value": {"contact": "c-anna"}}]}}, ""),
        ({"until": {"day": "2026-03-20", "at": "18:00", "zone": "UTC"}}, ""),
    ],
)
def test_a_change_that_does_not_fit_the_rest_of_its_card_goes_back_to_the_model(
    args: dict[str, Any], told: str
) -> None:
    card = WaitingCard("card-1", "a1", 1, CREATE, BILLS, NOON)
    filled = PlanFormWithCards.model_validate({"cards": [{"card": "card-1", "args": args}]})
    found = faults(filled, scene("x", cards=(card,)), tuple(registered().specs()))
    assert (told in found) if told else not found
    assert "Value error" not in found


async def test_later_planners_are_told_whether_a_card_was_changed(harness: Harness) -> None:
    await asked(harness)
    await harness.say("otherwise", orders(args={"to": {"contact": "nobody"}}))
    await harness.say("to Mum", orders(args={"to": await to(harness, "Mum")}))
    await harness.say("what waits?", Command.HELP)
    said = [one.content for one in harness.script.requests[-1].history]
    assert f"The card of {SEND} stayed as it was." in said
    assert said.index(f"The card of {SEND} stayed as it was.") < said.index(f"Changed the card of {SEND}.")
    assert said.count(f"Changed the card of {SEND}.") == 1
