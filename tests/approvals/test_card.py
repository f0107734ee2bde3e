"""A card shows all that will be seen and done, as stored, and afterwards the recorded outcome."""

import inspect
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from approvals.outcome_text import act, outcome
from approvals.policy import Decision, PolicyRule
from approvals.policy_rules import RULES
from approvals.preview import left_out
from approvals.reason_words import CALM
from approvals.visible import visible, visible_address, visible_line
from butler.contract.card import Card, rich_text
from butler.contract.door import failed
from butler.contract.errors import Effect, IntegrationErrorCode, Retryable
from butler.contract.provenance import Origin, Trust
from butler.contract.reasons import Reason, ReasonCode
from butler.contract.tools import Attachment, Preview, Recipient, Reconciled, Settled
from butler.store.queries import approvals, contacts, inbox
from butler.store.store import Store
from butler.store.tables import approvals as approvals_table
from tests.approvals.harness import Harness, card_text, create_tables
from tests.approvals.phone import OWNER
from tests.approvals.providers import A_MAIL, ANNA, ARCHIVE, BOT_SEND, MAIL, OWN_WORDS, PRIVATE_READ, SEND, fault
from tests.approvals.second_channel import Killed
from tests.support.nightly import examples


def fields(card: Card) -> dict[str, str]:
    return {label: rich_text(value) for label, value in card.fields}


async def test_a_card_shows_whole_what_will_be_sent_to_whom_and_why_it_asks(harness: Harness) -> None:
    await harness.know("Anna", "mail:anna@friends.example")
    invoice = Attachment(name="invoice\u202efdp.exe", size=1234, sha256="ab12cd34" * 8, media_type="application/pdf")
    args = {
        "to": ["mail:anna@friends.example", "mail:anna@friends-example.test"],
        "subject": "Invoice\nTo: nobody",
        "text": "Pay " + "very " * 2000 + "soon",
        "files": [invoice.model_dump()],
    }
    origins = dict.fromkeys(args, OWN_WORDS) | {"text": A_MAIL}
    await harness.ask(MAIL, args=args, origins=origins)
    card = harness.channel.newest
    assert fields(card) == {
        "As": "you",
        "To all 2": "anna@friends.example (Anna)\nanna@friends-example.test",
        "Subject": "Invoice[U+000A]To: nobody",
        "SHA-256": "ab12cd34ab12cd34… invoice[U+202E]fdp.exe",
    }
    assert card.body == args["text"]
    assert [(a.name, a.size, a.sha256) for a in card.attachments] == [("invoice[U+202E]fdp.exe", 1234, "ab12cd34" * 8)]
    assert card.reasons == (
        "the text comes from a mail by eve@evil.example",
        "a recipient is not in your contacts",
    )
    assert (card.effect, card.title, card.outcome) == ("Sends a message", "For your approval", ())
    assert card.expires_at == (await harness.row(card.approval_id)).expires_at
    assert [button.label for button in card.buttons[0]] == ["Approve", "Deny"]


async def test_ap_10_all_forty_recipients_are_listed_and_counted(harness: Harness) -> None:
    to = [f"mail:person{number}@team.example" for number in range(40)]
    await harness.ask(MAIL, args={"to": to, "text": "x"})
    assert fields(harness.channel.newest)["To all 40"].splitlines() == [one.removeprefix("mail:") for one in to]


async def test_ap_14_the_full_address_tells_two_people_of_one_name_apart(harness: Harness) -> None:
    await harness.know("Alex", "mail:alex.brown@work.example")
    await harness.know("Alex", "mail:alex.green@club.example")
    await harness.ask(MAIL, args={"to": ["mail:alex.green@club.example"], "text": "the contract"})
    assert fields(harness.channel.newest)["To"] == "alex.green@club.example (Alex)"


async def test_a_name_that_a_call_gives_is_never_shown_as_the_owners(harness: Harness) -> None:
    def claims(args: Any) -> Preview:
        return Preview("Sends", recipients=(Recipient(address="telegram:9", name="Anna"),), body=args.text)

    await harness.know("Anna", ANNA)
    harness.invoker.change(SEND, preview=claims)
    await harness.ask()
    assert fields(harness.channel.newest)["To"] == "Telegram 9 (called Anna)"


async def test_a_deceptive_address_is_shown_with_what_deceives(harness: Harness) -> None:
    await harness.ask(MAIL, args={"to": ["mail:anna@xn--80ak6aa92e.com"], "text": "x"})
    to = fields(harness.channel.newest)["To"]
    assert to.startswith("anna@xn--80ak6aa92e.com – the domain reads as аррӏе.com; mixes")


async def test_a_contact_is_named_as_the_owner_confirmed_not_as_a_stranger_called_it(harness: Harness) -> None:
    now = harness.clock.now()
    await harness.write(lambda c: contacts.learn(c, "BANK", [ANNA], source="x", owner_says_so=False, now=now))
    await harness.know("Anna", ANNA)
    await harness.ask()
    assert fields(harness.channel.newest)["To"] == "Telegram 1002 (Anna)"


async def test_an_argument_that_the_preview_leaves_out_is_shown_all_the_same(harness: Harness) -> None:
    def short(args: Any) -> Preview:
        return Preview("Archives a thread", facts=(("Thread", args.subject),))

    harness.invoker.change(ARCHIVE, preview=short)
    args = {"to": ["mail:hidden@x.example"], "text": "sub", "subject": "all of it, sub", "silent": True}
    await harness.ask(ARCHIVE, args=args)
    assert fields(harness.channel.newest) == {
        "As": "you",
        "Thread": "all of it, sub",
        "silent": "true",
        "text": "sub",
        "to": "mail:hidden@x.example",
    }


async def test_a_read_without_a_preview_is_shown_with_its_arguments(harness: Harness) -> None:
    await harness.ask(PRIVATE_READ, args={"item": "mail-7", "limit": 3}, account="")
    card = harness.channel.newest
    because = {"Asks because": "it reads something private"}
    assert fields(card) == {"As": "you", "item": "mail-7", "limit": "3"} | because
    assert (card.effect, card.reasons) == ("What user_email_read_message does", ())


async def test_a_plain_request_warns_of_nothing_and_says_once_why_it_asks(harness: Harness) -> None:
    await harness.know("Anna", ANNA)
    await harness.ask(origins={"text": OWN_WORDS, "to": OWN_WORDS})
    card = harness.channel.newest
    assert fields(card)["Asks because"] == "it acts as you"
    assert card.reasons == ()
    assert "acts as you" not in card.effect


WARNING = {"tainted", "reaches_out", "unknown_recipient", "model"}


@pytest.mark.parametrize(
    "rule",
    [rule for rule in RULES if rule.decision is Decision.ASK and rule.name not in WARNING],
)
def test_every_reason_that_warns_of_nothing_has_its_words(rule: PolicyRule) -> None:
    assert any(f"ReasonCode.{code.name})" in inspect.getsource(rule.check) for code in CALM)


async def test_what_holds_nothing_is_drawn_from_nobody(harness: Harness) -> None:
    args = {"item": "", "limit": 3}
    await harness.ask(PRIVATE_READ, args=args, origins=dict.fromkeys(args, A_MAIL), account="")
    assert fields(harness.channel.newest)["Drawn from"] == "how many at most: a mail by eve@evil.example"


async def test_a_source_without_a_name_is_shown_as_that(harness: Harness) -> None:
    nameless = frozenset({Origin(trust=Trust.UNTRUSTED, source="mail:8")})
    await harness.ask(origins={"text": nameless})
    assert fields(harness.channel.newest)["Drawn from"] == "the recipient: nobody knows where"
    assert "the text comes from mail:8" in harness.channel.newest.reasons


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=300)


def test_what_a_preview_tells_is_not_listed_again_and_all_else_is() -> None:
    shown = Preview(effect="Reads the newest 3 messages", told=("limit",), facts=(("With", "Anna"),))
    args = {"limit": 3, "chat": "Anna", "mark": {"limit": 3}, "since": "3"}
    assert left_out(shown, args) == (("mark limit", "3"), ("since", "3"))


@settings(max_examples=examples(40), suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(text=TEXT, subject=TEXT, local=st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20))
async def test_the_card_equals_what_is_stored_for_any_text(
    harness: Harness, text: str, subject: str, local: str
) -> None:
    address = f"mail:{local}@x.example"
    call_id = f"call {len(harness.channel.cards)}"
    approval_id = await harness.ask(MAIL, args={"to": [address], "text": text, "subject": subject}, call_id=call_id)
    card = harness.channel.newest
    assert card.approval_id == approval_id
    assert card.body == visible(text)
    assert fields(card).get("Subject", "") == visible_line(subject)
    assert fields(card)["To"].startswith(visible_address(f"{local}@x.example"))
    await harness.tap("Approve")
    await harness.after_undo_window()
    sent = harness.provider.effects[-1].args
    assert (sent.text, sent.subject, sent.to) == (text, subject, (address,))


async def test_a_card_that_passed_without_a_question_comes_with_its_outcome_and_reason(harness: Harness) -> None:
    await harness.know("Anna", ANNA)
    verdict = await harness.request(BOT_SEND)
    handlers = harness.approvals.handlers()
    await handlers[approvals.SHOW_CARD](verdict.approval_id or "")
    assert not harness.channel.cards
    await harness.run()
    card = harness.channel.newest
    assert (card.title, card.reasons, card.buttons) == ("For your information", (), ())
    assert fields(card)["Not asked because"] == "Butler writes in its own name to people you know"
    assert rich_text(card.outcome) == "Sent at 12:00:00 on 5 March 2026."


async def outcome_after(harness: Harness, tool: str = SEND) -> str:
    await harness.ask(tool)
    await harness.tap("Approve")
    await harness.after_undo_window()
    return rich_text(harness.channel.newest.outcome)


async def test_ap_16_a_failure_is_never_shown_as_done(harness: Harness) -> None:
    harness.provider.script = [fault(IntegrationErrorCode.REJECTED)]
    said = await outcome_after(harness)
    assert said == "Not sent. It failed at 12:00:10 on 5 March 2026: the provider said REJECTED."
    assert "Sent at" not in card_text(harness.channel.newest)


async def test_a_tool_that_does_not_send_is_not_said_to_have_sent(harness: Harness) -> None:
    assert await outcome_after(harness, ARCHIVE) == "Done at 12:00:10 on 5 March 2026."


def test_a_draft_is_never_said_to_be_sent() -> None:
    assert act("user_email_draft_reply", "sent", "done") == "done"
    assert act("user_email_draft_message", "sent", "done") == "done"
    assert act("user_email_reply_to_thread", "sent", "done") == "sent"


async def test_an_unusable_answer_after_the_act_is_told_as_that(harness: Harness) -> None:
    harness.provider.script = [failed(IntegrationErrorCode.INVALID_OUTPUT, "id: missing", effect=Effect.DONE)]
    said = await outcome_after(harness)
    assert said.startswith("Sent at 12:00:10")
    assert said.endswith("The provider accepted it, but its answer made no sense: id: missing.")


async def test_an_unknown_outcome_is_shown_as_that_with_what_is_being_done(harness: Harness) -> None:
    harness.provider.script = [fault(IntegrationErrorCode.TIMEOUT, Effect.UNKNOWN)]
    assert await outcome_after(harness) == (
        "It is not known whether this was sent. Tried until 12:00:10 on 5 March 2026: the provider cannot tell. "
        "It will not be repeated. Please look for yourself and mark what you find."
    )
    assert [button.label for button in harness.channel.newest.buttons[0]] == ["It was done", "It was not done"]


async def test_a_found_out_outcome_does_not_claim_to_know_when(harness: Harness) -> None:
    harness.provider.script = [fault(IntegrationErrorCode.TIMEOUT, Effect.UNKNOWN)]
    harness.provider.found = [Reconciled.with_text(Settled.DONE, "it stands in Sent")]
    said = await outcome_after(harness)
    assert said == "Sent, as was found out at 12:00:10 on 5 March 2026. it stands in Sent."


async def test_a_wait_for_the_next_try_is_shown(harness: Harness) -> None:
    harness.provider.script = [fault(IntegrationErrorCode.RATE_LIMITED, retry_after_s=60)]
    said = await outcome_after(harness)
    assert said == ("Not sent yet: the provider said RATE_LIMITED. Next try at 12:01:10 on 5 March 2026.")


async def test_while_an_interrupted_act_is_looked_into_the_card_says_so(harness: Harness) -> None:
    harness.provider.die = "after"
    with pytest.raises(Killed):
        await outcome_after(harness)
    harness.restart()
    harness.provider.found = [Retryable("offline")]
    await harness.run()
    said = rich_text(harness.channel.newest.outcome)
    assert said == "It is not known yet whether this was sent: finding out what became of it."


async def test_while_it_is_being_sent_the_card_claims_no_more(harness: Harness) -> None:
    approval_id = await harness.approved()
    await harness.write(lambda c: approvals.move(c, approval_id, 1, "approved", "executing"))
    harness.clock.turn(seconds=10)
    await harness.approvals.handlers()[approvals.SHOW_CARD](approval_id)
    said = rich_text(harness.channel.newest.outcome)
    assert said == "Approved by you at 12:00:00 on 5 March 2026. Being sent."
    assert not harness.channel.newest.buttons


async def test_a_late_redraw_does_not_count_seconds_backwards(harness: Harness) -> None:
    approval_id = await harness.approved()
    harness.clock.turn(seconds=11)
    await harness.approvals.handlers()[approvals.SHOW_CARD](approval_id)
    assert rich_text(harness.channel.newest.outcome).endswith("Sending now.")


async def test_what_passes_without_a_question_is_told_as_that_while_it_waits(harness: Harness) -> None:
    await harness.know("Anna", ANNA)
    harness.provider.script = [fault(IntegrationErrorCode.TIMEOUT, Effect.UNKNOWN)]
    harness.provider.found = [Retryable("offline")]
    verdict = await harness.request(BOT_SEND)
    await harness.run()
    row = await harness.row(verdict.approval_id or "")
    assert outcome(harness.context, row, harness.clock.now()) == "Passed without a question. Being sent."


async def test_only_expiry_outcome_and_buttons_change_in_a_cards_life(harness: Harness) -> None:
    await harness.ask()
    before = harness.channel.newest
    await harness.tap("Approve")
    await harness.after_undo_window()
    cleared: dict[str, Any] = {"expires_at": None, "outcome": (), "buttons": ()}
    assert harness.channel.newest.model_copy(update=cleared) == before.model_copy(update=cleared)


async def test_a_card_answers_the_message_that_asked_for_it(harness: Harness) -> None:
    item = harness.tap_of("x", inbound_id="in-1", dedup_key="d", message_ref="7")
    await harness.write(lambda c: inbox.add(c, item))
    await harness.ask()
    await harness.ask(call_id="c2", chat="telegram:-5")
    await harness.ask(call_id="c3", chat=OWNER, requested_by="gone")
    assert list(harness.channel.replies.values()) == ["7", None, None]


async def test_a_card_goes_to_the_owners_own_chat_when_no_chat_is_named(harness: Harness) -> None:
    approval_id = await harness.ask(chat="")
    assert (await harness.row(approval_id)).chat == "telegram:42"


async def test_a_card_waits_until_somebody_is_paired(harness: Harness) -> None:
    harness.owner.telegram_user_id = None
    harness.channel.home_chat = None
    approval_id = await harness.ask(chat="")
    assert not harness.channel.cards
    harness.owner.telegram_user_id = 42
    harness.channel.home_chat = "telegram:42"
    harness.clock.turn(minutes=1)
    await harness.run()
    assert harness.channel.newest.approval_id == approval_id


async def test_a_card_is_drawn_by_its_bare_arguments_when_its_tool_has_gone(harness: Harness) -> None:
    approval_id = await harness.ask()
    del harness.invoker.tools[SEND]
    await harness.write(
        lambda c: harness.approvals.supersede_requested_by(
            c, "in-1", Reason(ReasonCode.MESSAGE_EDITED), harness.clock.now()
        )
    )
    await harness.run()
    card = harness.channel.newest
    assert card.approval_id == approval_id
    assert (card.effect, fields(card)["text"]) == (f"Calls {SEND}", "I'll be late")


async def test_redrawing_edits_the_message_and_a_new_revision_sends_another(harness: Harness) -> None:
    approval_id = await harness.ask()
    show = harness.approvals.handlers()[approvals.SHOW_CARD]
    await show(approval_id)
    assert (len(harness.channel.cards), harness.channel.edits) == (1, 1)
    await harness.write(lambda c: c.execute(approvals_table.update().values(revision=2)))
    await show(approval_id)
    await show(approval_id)
    assert (len(harness.channel.cards), harness.channel.edits) == (2, 2)
    assert [ref.revision for ref in (await harness.row(approval_id)).card_refs] == [1, 2]


async def test_showing_what_is_not_there_does_nothing(harness: Harness) -> None:
    await harness.approvals.handlers()[approvals.SHOW_CARD]("nothing")
    assert not harness.channel.cards


@pytest.mark.parametrize("die", ["before", "after"])
async def test_a_crash_around_the_sending_of_a_card_leaves_buttons_that_work(store: Store, die: str) -> None:
    harness = Harness(create_tables(store))
    await harness.request()
    harness.channel.die = die
    with pytest.raises(Killed):
        await harness.run()
    harness.restart()
    await harness.run()
    assert len(harness.channel.cards) == (1 if die == "before" else 2)
    first = next(iter(harness.channel.cards.values()))
    assert (await harness.tap("Approve", first)).startswith("Approved by you")


async def test_ap_08_an_owner_who_cannot_be_reached_has_neither_agreed_nor_refused(harness: Harness) -> None:
    harness.channel.offline = True
    approval_id = await harness.ask()
    harness.clock.turn(minutes=1)
    await harness.run()
    assert await harness.state(approval_id) == "pending"
    harness.channel.offline = False
    harness.clock.turn(minutes=1)
    await harness.run()
    assert harness.channel.newest.approval_id == approval_id
    assert (await harness.tap("Approve")).startswith("Approved by you")
