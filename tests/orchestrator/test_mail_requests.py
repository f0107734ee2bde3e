"""A mail that is proved to be the owner's is their request: asked in the chat, answered there and by mail."""

from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any

import pytest

from butler.contract.errors import Refuse
from butler.contract.integration import IntegrationResult
from butler.contract.mail import MailKind
from butler.orchestrator.planning.plan_types import Choice, Command, Unclear
from butler.store.errors import StoreUnavailableError
from butler.store.queries import conversations, inbox
from butler.store.queries.inbox import InboxState
from tests.orchestrator.builders import OWNER, mail_row
from tests.orchestrator.harness import BOT_SEND, MAIL, NOTE, SEARCH, SEND, Harness, planned, step
from tests.orchestrator.mails import ANNA, BILL, DINNER, INVOICE, ORDER, from_others, owners

BOT_REPLY, REPLY = "bot_email_reply_to_thread", "user_email_reply_to_thread"


async def test_what_acts_still_asks_and_the_chat_says_what_was_asked_by_mail(harness: Harness) -> None:
    to = {"contact": await harness.contact("Anna")}
    harness.script.outputs.append(planned(step(1, SEND, to=to, text="I come")))
    await harness.come_in(owners(ORDER, DINNER))
    await harness.run()
    assert harness.phone.said == [f"✉️ By mail: {ORDER}\nabout: Dinner at 18:00?, by Anna <anna@friends.example>"]
    assert harness.sent() == []
    (request,) = harness.script.requests
    assert request.words.value == ORDER
    assert request.words.from_owner
    await harness.tap("Approve")
    assert harness.sent() == ["I come"]


async def test_an_act_that_was_asked_by_mail_is_answered_by_mail_once_it_has_ended(harness: Harness) -> None:
    to = {"contact": await harness.contact("Anna")}
    harness.script.outputs.append(planned(step(1, SEND, description="Tell Anna", to=to, text="I come")))
    item = await harness.come_in(owners(ORDER))
    await harness.run()
    assert harness.second.answers == []
    await harness.tap("Approve")
    ((inbound_id, text, _),) = harness.second.answers
    assert (inbound_id, text) == (item.inbound_id, "✅ Tell Anna\n")


async def test_a_request_that_was_denied_says_so_by_mail_as_well(harness: Harness) -> None:
    to = {"contact": await harness.contact("Anna")}
    harness.script.outputs.append(planned(step(1, SEND, description="Tell Anna", to=to, text="I come")))
    await harness.come_in(owners(ORDER))
    await harness.run()
    await harness.tap("Deny")
    assert [text for _, text, _ in harness.second.answers] == ["❌ Tell Anna: you said no, so nothing was done.\n"]


async def test_what_is_answered_at_once_is_answered_in_the_chat_and_by_mail(harness: Harness) -> None:
    harness.script.outputs.append(planned(step(1, NOTE, text="the blue one")))
    await harness.come_in(owners("note: the blue one"))
    await harness.run()
    assert harness.phone.said[-1] == "📝 Noted: the blue one"
    assert [text for _, text, _ in harness.second.answers] == ["📝 Noted: the blue one\n"]


SEALED = {"authority": {"command": True, "why": ["fwd.example vouches for it"], "sealed_by": "fwd.example"}}


@pytest.mark.parametrize("payload", [{}, SEALED], ids=["signed", "vouched for by a forwarder"])
async def test_what_others_see_asks_where_only_a_forwarder_vouches_for_the_words(
    harness: Harness, payload: Any
) -> None:
    to = {"contact": await harness.contact("Anna")}
    harness.script.outputs.append(planned(step(1, BOT_SEND, description="Tell Anna", to=to, text="I come")))
    await harness.come_in(owners(ORDER, payload=payload))
    await harness.run()
    assert bool(harness.phone.buttons("Approve")) is bool(payload)


async def test_what_changes_the_house_is_not_done_on_a_forwarders_word(harness: Harness) -> None:
    harness.script.outputs += [Command.PAUSE, Command.RESUME]
    await harness.come_in(owners("stop everything"))
    await harness.run()
    assert await harness.approvals.paused()
    await harness.come_in(owners("go on", inbound_id="in-2", dedup_key="2", payload=SEALED))
    await harness.run()
    assert await harness.approvals.paused()
    assert harness.phone.said[-1].startswith("Your mail came through a forwarder")


async def test_a_question_back_goes_by_mail_too_and_its_buttons_stay_in_the_chat(harness: Harness) -> None:
    harness.script.outputs.append(Unclear("Which Anna?"))
    await harness.come_in(owners(ORDER))
    await harness.run()
    assert harness.phone.said[-1] == "Which Anna?"
    assert [text for _, text, _ in harness.second.answers] == ["Which Anna?\n"]


async def test_what_the_house_answers_by_itself_goes_by_mail_too(harness: Harness) -> None:
    harness.script.outputs.append(Command.STATUS)
    await harness.come_in(owners("how are you?"))
    await harness.run()
    assert [text for _, text, _ in harness.second.answers] == [f"{harness.phone.said[-1]}\n"]


async def test_a_mail_is_asked_answered_and_said_once_whatever_comes_again(harness: Harness) -> None:
    harness.script.outputs += [planned(step(1, NOTE, text="x")), planned(step(1, NOTE, text="x"))]
    item = await harness.come_in(owners("note: x"))
    await harness.run()
    await harness.handlers["inbound"](item.inbound_id)
    await harness.run()
    assert len(harness.phone.said) == 2
    assert len(harness.second.answers) == 1
    assert len(harness.script.requests) == 1


async def test_a_crash_between_the_line_and_the_plan_says_the_line_once(harness: Harness) -> None:
    harness.script.outputs += [ConnectionError(), planned(step(1, NOTE, text="x"))]
    item = await harness.come_in(owners("note: x", DINNER))
    with pytest.raises(ConnectionError):
        await harness.handlers["inbound"](item.inbound_id)
    await harness.run()
    assert len([said for said in harness.phone.said if said.startswith("✉️ By mail")]) == 1
    assert harness.phone.said[-1] == "📝 Noted: x"


async def test_a_mail_that_may_not_be_answered_is_done_and_answered_in_the_chat_only(harness: Harness) -> None:
    harness.script.outputs.append(planned(step(1, NOTE, text="x")))
    await harness.come_in(owners("note: x", facts={"answerable": False, "why_not": "says that no machine may answer"}))
    await harness.run()
    assert harness.phone.said[-1] == "📝 Noted: x"
    assert harness.second.answers == []


async def test_an_answer_that_cannot_leave_now_leaves_later_and_one_that_is_refused_never(harness: Harness) -> None:
    harness.script.outputs += [planned(step(1, NOTE, text="x")), planned(step(1, NOTE, text="y"))]
    harness.second.troubles = [StoreUnavailableError("down")]
    await harness.come_in(owners("note: x"))
    with pytest.raises(StoreUnavailableError):
        await harness.run()
    await harness.run()
    assert len(harness.second.answers) == 1
    harness.second.troubles = [Refuse("as many as may be")]
    await harness.come_in(owners("note: y", inbound_id="in-2", dedup_key="in-2"))
    await harness.run()
    await harness.run()
    assert len(harness.second.answers) == 1


@pytest.mark.parametrize(
    "kind", [MailKind.AUTOMATIC, MailKind.LIST, MailKind.NEWSLETTER, MailKind.BOUNCE, MailKind.REPORT]
)
async def test_what_no_person_wrote_is_no_request_though_the_owners_server_signed_it(
    harness: Harness, kind: MailKind
) -> None:
    item = owners(ORDER)
    facts = item.mail.model_copy(update={"kind": kind}) if item.mail else None
    await harness.come_in(item.model_copy(update={"mail": facts}))
    await harness.run()
    assert harness.script.requests == []
    assert harness.second.answers == []
    assert len(harness.phone.said) == 1


@pytest.mark.parametrize(
    "item",
    [
        owners(ORDER, DINNER, proved=False),
        from_others(ORDER),
        owners(ORDER, sender="mail:eve@evil.example", proved=False),
    ],
    ids=["not proved", "somebody else", "somebody else, unsigned"],
)
async def test_nobody_elses_mail_reaches_the_planner(harness: Harness, item) -> None:
    await harness.come_in(item)
    await harness.run()
    assert harness.script.requests == []
    assert harness.outputs() == []
    assert harness.second.answers == []


async def test_the_forwarded_part_never_reaches_the_planner(harness: Harness) -> None:
    harness.script.outputs.append(Unclear("What?"))
    await harness.come_in(owners("deal with what Northwind wants", INVOICE))
    await harness.run()
    told = repr(harness.script.requests[0])
    assert "Transfer it at once" not in told
    assert "2291" not in told


async def test_a_question_about_a_forwarded_mail_is_answered_by_its_own_words_here_and_by_mail(
    harness: Harness,
) -> None:
    item = await harness.come_in(owners("When is the dinner?", DINNER))
    await harness.run()
    assert harness.script.requests == []
    assert "It says: “The dinner is at Rosa's on Friday at 19:30.”" in harness.phone.said[0]
    ((inbound_id, text, _),) = harness.second.answers
    assert inbound_id == item.inbound_id
    assert text == "You asked: When is the dinner?\nIt says: “The dinner is at Rosa's on Friday at 19:30.”\n"


async def test_the_forwarded_mail_is_what_it_means(harness: Harness) -> None:
    harness.script.outputs.append(Unclear("What?"))
    await harness.come_in(owners("sort out the tickets", DINNER))
    await harness.run()
    (request,) = harness.script.requests
    (referent,) = request.replied_to
    assert referent.key == "<fwd-1@home.example>"
    assert referent.contact_id == await harness.contact("Anna")


async def test_a_reminder_of_this_says_what_this_is(harness: Harness) -> None:
    harness.script.outputs.append(planned(step(1, "bot_reminders_create", text="Pay this", at="2026-03-06T09:00:00")))
    await harness.come_in(owners("remind me to pay this on Friday at 9", INVOICE))
    await harness.run()
    assert "“Pay this (‘Invoice 2291’, by Northwind Energy <billing@northwind.example>)”" in harness.phone.said[-1]


async def test_what_a_question_about_a_mail_offers_is_about_that_mail(harness: Harness) -> None:
    choice = Choice(label="Tomorrow at 9", words='remind me tomorrow at 9 of: "pay this"')
    harness.script.outputs.append(Unclear("When shall I remind you of “pay this”?", (choice,)))
    harness.script.outputs.append(planned(step(1, "bot_reminders_create", text="Pay this", at="2026-03-06T09:00:00")))
    await harness.come_in(owners("remind me to pay this", INVOICE))
    await harness.run()
    await harness.tap("Tomorrow at 9")
    assert "“Pay this (‘Invoice 2291’, by Northwind Energy <billing@northwind.example>)”" in harness.phone.said[-1]


async def test_an_answer_goes_to_who_wrote_the_mail_and_in_its_thread_where_it_lies_in_the_persons_mailbox(
    harness: Harness,
) -> None:
    harness.registry._tools[REPLY] = replace(harness.registry.spec(REPLY), complete=None)
    found = {"messages": [mail_row("Dinner at 18:00?", "mail-7")], "count": 1}
    harness.results[SEARCH] = [IntegrationResult(ok=True, data=found)]
    harness.script.outputs.append(planned(step(1, BOT_REPLY, message_id={"handle": "mail-1"}, body="I'll come")))
    await harness.come_in(owners("reply that I'll come", DINNER))
    await harness.run()
    (look,) = harness.calls
    assert (look.args.sender, look.args.subject) == ("anna@friends.example", "Dinner at 18:00?")
    assert (look.args.since, look.args.before) == (None, None)
    assert harness.outputs() == []
    await harness.tap("Approve")
    (sent,) = harness.outputs()
    assert sent.tool == REPLY
    assert (sent.args.message_id, sent.args.body) == ("mail-7", "I'll come")
    assert "Nothing found" not in "".join(harness.phone.said)


async def test_the_mail_that_was_passed_on_is_looked_for_around_the_day_that_it_is_of(harness: Harness) -> None:
    inner = DINNER.model_copy(update={"sent_at": datetime(2026, 3, 3, 23, 30, tzinfo=UTC)})
    harness.script.outputs.append(planned(step(1, BOT_REPLY, message_id={"handle": "mail-1"}, body="I'll come")))
    await harness.come_in(owners("reply that I'll come", inner))
    await harness.run()
    (look,) = [call for call in harness.calls if call.tool == SEARCH]
    assert (look.args.since, look.args.before) == (date(2026, 3, 2), date(2026, 3, 5))


async def test_an_answer_to_a_mail_that_lies_nowhere_is_a_mail_to_its_writer(harness: Harness) -> None:
    harness.script.outputs.append(planned(step(1, BOT_REPLY, message_id={"handle": "mail-1"}, body="I'll come")))
    await harness.come_in(owners("reply that I'll come", DINNER))
    await harness.run()
    (card,) = harness.phone.cards.values()
    assert any("a mail by anna@friends.example, as forwarded" in reason for reason in card.reasons)
    await harness.tap("Approve")
    (sent,) = harness.outputs()
    assert sent.tool == MAIL
    assert [to.address for to in sent.args.to] == ["mail:anna@friends.example"]
    assert (sent.args.subject, sent.args.body) == ("Re: Dinner at 18:00?", "I'll come")
    assert not [said for said in harness.phone.said if "Nothing found" in said or "❌" in said]


async def test_an_answer_to_a_mail_whose_writer_nobody_names_is_asked_about(harness: Harness) -> None:
    harness.script.outputs.append(planned(step(1, BOT_REPLY, message_id={"handle": "mail-1"}, body="yes")))
    await harness.come_in(owners("reply: yes", DINNER.model_copy(update={"sender": None})))
    await harness.run()
    assert "I cannot tell who wrote the mail" in harness.phone.said[-1]
    assert harness.outputs() == []


async def test_an_answer_to_somebody_elses_mail_to_the_butler_stays_in_its_thread(harness: Harness) -> None:
    await harness.come_in(from_others("Do you both come?"))
    await harness.run()
    output = planned(step(1, BOT_REPLY, message_id={"handle": "mail-1"}, body="we do"))
    await harness.say("reply: we do", output)
    await harness.tap("Approve")
    assert [call.tool for call in harness.outputs()] == [BOT_REPLY]


async def test_a_request_by_mail_is_remembered_as_the_owners_and_the_mail_as_a_handle(harness: Harness) -> None:
    harness.script.outputs.append(Unclear("What?"))
    await harness.come_in(owners("sort out the tickets", DINNER))
    await harness.run()
    state = await harness.store.read(lambda c: conversations.load(c, OWNER))
    assert [(m.role, m.content) for m in state.history] == [("user", "sort out the tickets"), ("assistant", "What?")]
    assert ANNA.address not in repr(state.history)


async def test_words_that_nobody_understands_bring_what_could_be_done_about_the_mail(harness: Harness) -> None:
    harness.script.outputs.append(Unclear("What is to be done?"))
    await harness.come_in(owners("sort it out", INVOICE, facts=BILL))
    await harness.run()
    assert harness.phone.said[-1] == "What is to be done?"
    assert [button.label[:6] for button in harness.phone.buttons("")] == ["Remind", "Keep a", "Nothin"]


async def test_a_request_by_mail_is_settled(harness: Harness) -> None:
    harness.script.outputs.append(Unclear("What?"))
    item = await harness.come_in(owners("sort out the tickets", DINNER))
    await harness.run()
    assert await harness.store.read(lambda c: inbox.state(c, item.inbound_id)) is InboxState.DONE
