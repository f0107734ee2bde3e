"""The owner changes a card: a new revision is frozen, judged and shown, and the old one becomes void."""
# names: made up here

import json
from functools import partial
from typing import Any

import pytest

from approvals.editable_arguments import parts_of
from approvals.request import assess
from approvals.revise import (
    DECIDED,
    EXPIRED,
    OLDER,
    SAME,
    TOOL_CHANGED,
    Change,
    NewValue,
    Revised,
)
from approvals.show import learn_ref
from approvals.states import State
from butler.contract.card import MessageRef, rich_text
from butler.contract.provenance import Trust
from butler.contract.tools import Attachment, Preview, Recipient
from butler.provenance import load
from butler.store.queries import approvals, audit, revisions
from butler.store.queries.approvals import CardRef
from modules.email.args import BOT_ROLES, SEND_ROLES, ReplyArgs, SendMailArgs, preview_reply, preview_user_send
from modules.telegram.tool_args import BOT_METADATA, SendMessageArgs, preview_send
from modules.telegram.tool_args import ReplyArgs as TelegramReplyArgs
from tests.approvals.harness import Harness, card_text
from tests.approvals.phone import OWNER
from tests.approvals.providers import A_MAIL, ANNA, BOT_SEND, MAIL, OWN_WORDS, PRIVATE_READ, SEND
from tests.approvals.reasons import words
from tests.approvals.second_channel import Killed

BOB = "telegram:1003"
REPORT = Attachment(name="report.pdf", size=10, sha256="a" * 64)
MENU = Attachment(name="menu.pdf", size=20, sha256="b" * 64)
FILES = [REPORT.model_dump(), MENU.model_dump()]


def something_else(_args: Any) -> Preview:
    return Preview("Does something else")


def text(value: str, **more: Any) -> Change:
    return Change("in-2", text=NewValue(value, OWN_WORDS, **more))


def people(*addresses: str, **more: Any) -> Change:
    return Change("in-2", recipients=NewValue(tuple(Recipient(address=one) for one in addresses), OWN_WORDS, **more))


async def revise(harness: Harness, approval_id: str, change: Change, revision: int = 1) -> Revised | str:
    done = await harness.write(
        lambda c: harness.approvals.revise(c, approval_id, revision, change, harness.clock.now())
    )
    await harness.run()
    return done


async def test_a_change_is_a_new_revision_that_waits_anew(harness: Harness) -> None:
    approval_id = await harness.ask()
    before = await harness.row(approval_id)
    harness.clock.turn(hours=3)
    assert await revise(harness, approval_id, text("I'll be early")) == Revised(approval_id, 2)
    after = await harness.row(approval_id)
    assert (after.revision, after.state, after.card_refs[0].retired) == (2, State.PENDING, True)
    assert json.loads(after.args)["text"] == "I'll be early"
    assert after.args_sha256 != before.args_sha256
    assert after.contract_digest != before.contract_digest
    assert after.expires_at == harness.clock.now() + harness.settings.expires
    assert after.created_at == before.created_at
    kept = await harness.store.read(lambda c: revisions.get(c, approval_id, 1))
    assert kept is not None
    assert (kept.args, kept.replaced_by) == (before.args, "in-2")
    due = [(kind, at) for kind, subject, at in await harness.works() if subject == approval_id]
    assert sorted(kind for kind, _ in due) == ["expire_approval", "remind_approval"]
    assert dict(due)["expire_approval"] == after.expires_at


async def test_the_log_has_both_digests(harness: Harness) -> None:
    approval_id = await harness.ask()
    old = (await harness.row(approval_id)).args_sha256
    await revise(harness, approval_id, text("x"))
    entries = await harness.store.read(lambda c: audit.rows(c, approval_id))
    (entry,) = (one for one in entries if one.kind == "approval.revised")
    data = json.loads(entry.data) if isinstance(entry.data, str) else entry.data
    assert (data["old_args_sha256"], data["args_sha256"]) == (old, (await harness.row(approval_id)).args_sha256)
    assert (entry.actor, data["inbound"], data["revision"]) == (OWNER, "in-2", 2)


async def test_the_new_card_shows_the_change_and_the_old_one_has_no_buttons(harness: Harness) -> None:
    approval_id = await harness.ask()
    stale = harness.channel.button("Approve")
    await revise(harness, approval_id, text("I'll be early"))
    old, new = harness.channel.cards.values()
    assert (old.buttons, rich_text(old.outcome), old.body) == ((), "Replaced by a newer version below.", "I'll be late")
    assert (new.title, new.body, rich_text(new.changes)) == (
        "For your approval, changed",
        "I'll be early",
        "I'll be lateearly",
    )
    await harness.approvals.decide(harness.tap_of(stale))
    assert await harness.state(approval_id) == State.PENDING
    await harness.tap("Approve")
    await harness.after_undo_window()
    assert [call.args.text for call in harness.provider.effects] == ["I'll be early"]
    assert len(harness.channel.cards) == 2


async def test_only_the_revision_that_is_shown_is_changed(harness: Harness) -> None:
    approval_id = await harness.ask()
    await revise(harness, approval_id, text("two"))
    assert await revise(harness, approval_id, text("three")) == OLDER
    assert await revise(harness, approval_id, text("three"), 2) == Revised(approval_id, 3)
    assert [card.body for card in harness.channel.cards.values()] == ["I'll be late", "two", "three"]
    assert [bool(card.buttons) for card in harness.channel.cards.values()] == [False, False, True]


async def test_what_is_decided_or_unknown_is_not_changed(harness: Harness) -> None:
    approval_id = await harness.approved()
    assert await revise(harness, approval_id, text("x")) == DECIDED
    assert await revise(harness, "nobody", text("x")) == DECIDED


async def test_what_has_expired_is_not_changed_and_expires(harness: Harness) -> None:
    approval_id = await harness.ask()
    harness.clock.turn(hours=49)
    done = await harness.write(lambda c: harness.approvals.revise(c, approval_id, 1, text("x"), harness.clock.now()))
    assert done == EXPIRED
    assert await harness.state(approval_id) == State.EXPIRED


async def test_what_is_decided_while_a_change_is_judged_is_not_changed(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    approval_id = await harness.ask()

    def decided_meanwhile(context: Any, connection: Any, *rest: Any) -> Any:
        assert approvals.move(connection, approval_id, 1, State.PENDING, State.DENIED)
        return assess(context, connection, *rest)

    monkeypatch.setattr("approvals.revise.assess", decided_meanwhile)
    assert await revise(harness, approval_id, text("x")) == OLDER
    assert (await harness.row(approval_id)).revision == 1


async def test_a_changed_card_that_can_only_be_reminded_of_too_late_is_not(harness: Harness) -> None:
    harness.configure(expires="1h", quiet_hours="12:20-20:00")
    approval_id = await harness.ask()
    await revise(harness, approval_id, text("x"))
    assert [kind for kind, subject, _ in await harness.works() if subject == approval_id] == ["expire_approval"]


async def test_a_change_to_what_it_is_already_is_none(harness: Harness) -> None:
    approval_id = await harness.ask()
    assert await revise(harness, approval_id, text("I'll be late")) == SAME
    assert await revise(harness, approval_id, Change("in-2")) == SAME


async def test_a_changed_or_missing_tool_takes_no_change(harness: Harness) -> None:
    approval_id = await harness.ask()
    harness.invoker.change(SEND, preview=something_else)
    assert await revise(harness, approval_id, text("x")) == TOOL_CHANGED
    del harness.invoker.tools[SEND]
    assert await revise(harness, approval_id, text("x")) == TOOL_CHANGED


async def test_a_deny_rule_and_a_limit_refuse_a_change_and_leave_the_card(harness: Harness) -> None:
    harness.configure(deny=[{"recipient": BOB, "reason": "never to Bob"}], limit=[{"tool": "user_*", "recipients": 1}])
    approval_id = await harness.ask()
    refused = await revise(harness, approval_id, people(BOB))
    assert refused == "I may not do that: never to Bob. The card stays as it was."
    assert "I may not do that: " in str(await revise(harness, approval_id, people(ANNA, "telegram:7")))
    assert (await harness.row(approval_id)).revision == 1
    assert harness.channel.newest.title == "For your approval"
    assert harness.channel.edits == 0


async def test_what_would_pass_asks_all_the_same_once_it_was_edited(harness: Harness) -> None:
    await harness.know("Anna", ANNA)
    approval_id = await harness.ask(BOT_SEND, origins={"to": OWN_WORDS, "text": A_MAIL})
    await revise(harness, approval_id, text("my own words"))
    row = await harness.row(approval_id)
    assert (row.state, words(row.reasons)) == (State.PENDING, ("you changed it",))
    assert "Asks because: you changed it" in card_text(harness.channel.newest)


async def test_a_replaced_text_is_the_owners_and_a_partly_changed_one_keeps_what_it_came_from(harness: Harness) -> None:
    origins = {"to": OWN_WORDS, "text": A_MAIL}
    whole = await harness.ask(origins=origins)
    partly = await harness.ask(origins=origins, call_id="plan-1:2")
    nobody = await harness.ask(origins={"to": OWN_WORDS}, call_id="plan-1:3")
    await revise(harness, whole, text("mine"))
    await revise(harness, partly, text("I'll be late, yours", partly=True))
    await revise(harness, nobody, text("I'll be late, too", partly=True))
    assert load((await harness.row(whole)).labels["text"]) == OWN_WORDS
    assert load((await harness.row(partly)).labels["text"]) == OWN_WORDS | A_MAIL
    unknown = load((await harness.row(nobody)).labels["text"])
    assert any(origin.trust is Trust.UNTRUSTED for origin in unknown)
    assert not any("evil" in reason for reason in words((await harness.row(whole)).reasons))
    assert any("evil" in reason for reason in words((await harness.row(partly)).reasons))


async def test_recipients_subject_and_files_are_changed_and_shown(harness: Harness) -> None:
    await harness.know("Bob", BOB)
    args = {"to": [ANNA], "text": "Hello", "subject": "Old", "files": FILES}
    approval_id = await harness.ask(MAIL, args=args)
    change = Change(
        "in-2",
        subject=NewValue("New", OWN_WORDS),
        recipients=NewValue((Recipient(address=BOB),), OWN_WORDS),
        dropped=NewValue((REPORT,), OWN_WORDS),
    )
    await revise(harness, approval_id, change)
    row = await harness.row(approval_id)
    assert row.recipients == (BOB,)
    assert json.loads(row.args)["files"] == [MENU.model_dump()]
    card = harness.channel.newest
    assert rich_text(card.changes) == (
        "To: Telegram 1002, Telegram 1003 (Bob)\nSubject: OldNew\nFiles: report.pdf, menu.pdf"
    )
    await revise(
        harness, approval_id, Change("in-3", text=NewValue("Bye", OWN_WORDS), dropped=NewValue((MENU,), OWN_WORDS)), 2
    )
    assert rich_text(harness.channel.newest.changes) == "Text: all of it, which was Hello\nFiles: menu.pdf"
    assert load((await harness.row(approval_id)).labels["files"]) == OWN_WORDS


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (people(), "Then nobody would get it. Tap Deny if it shall not be sent."),
        (text("half of a pair \ud800"), "Nothing was changed."),
    ],
)
async def test_what_cannot_be_is_said_in_a_sentence(harness: Harness, change: Change, said: str) -> None:
    approval_id = await harness.ask()
    assert said in str(await revise(harness, approval_id, change))
    assert (await harness.row(approval_id)).revision == 1


async def test_a_card_without_such_a_part_says_so(harness: Harness) -> None:
    read = await harness.ask(PRIVATE_READ, args={"item": "mail-1"})
    assert await revise(harness, read, text("x")) == "There is no text on this card that could be changed."
    assert await revise(harness, read, Change("i", subject=NewValue("x", OWN_WORDS))) == "This has no subject."
    dropped = Change("i", dropped=NewValue((REPORT,), OWN_WORDS))
    assert await revise(harness, read, dropped) == "There are no attachments on this card."
    assert "This answers a message" in str(await revise(harness, read, people(BOB)))
    draft = await harness.store.read(lambda c: harness.approvals.draft(c, read, harness.clock.now()))
    assert draft is not None
    assert (draft.text, draft.subject, draft.recipients) == (None, None, ())


async def test_one_recipient_stays_one(harness: Harness) -> None:
    harness.invoker.change(SEND, args=SendMessageArgs, preview=partial(preview_send, "Sends"))
    harness.invoker.metadata = lambda _name: BOT_METADATA["bot_telegram_send_message"]  # pyright: ignore[reportAttributeAccessIssue]
    approval_id = await harness.ask(args={"to": {"address": ANNA}, "text": "hi"})
    assert "one recipient only" in str(await revise(harness, approval_id, people(ANNA, BOB)))
    assert "a message needs a text" in str(await revise(harness, approval_id, text(" ")))
    assert await revise(harness, approval_id, people(BOB)) == Revised(approval_id, 2)
    draft = await harness.store.read(lambda c: harness.approvals.draft(c, approval_id, harness.clock.now()))
    assert draft is not None
    assert [one.address for one in draft.recipients] == [BOB]


async def test_a_mail_keeps_its_copies_while_its_first_recipients_change(harness: Harness) -> None:
    harness.invoker.change(MAIL, args=SendMailArgs, preview=preview_user_send)
    harness.invoker.metadata = lambda _name: SEND_ROLES  # pyright: ignore[reportAttributeAccessIssue]
    args = {
        "to": [{"address": "mail:a@x.example"}],
        "cc": [{"address": "mail:c@x.example"}],
        "subject": "s",
        "body": "b",
    }
    approval_id = await harness.ask(MAIL, args=args)
    await revise(harness, approval_id, people("mail:b@x.example"))
    assert (await harness.row(approval_id)).recipients == ("mail:b@x.example", "mail:c@x.example")


def test_the_parts_of_a_call_are_found_by_role_and_type(harness: Harness) -> None:
    mail = parts_of(_spec(harness, SendMailArgs, preview_user_send), SEND_ROLES)
    assert (mail.text, mail.subject, mail.recipients, mail.attachments) == ("body", "subject", "to", "attachments")
    assert (mail.many, mail.bare, mail.answers) == (True, False, False)
    telegram = parts_of(_spec(harness, SendMessageArgs, preview_send), BOT_METADATA["bot_telegram_send_message"])
    assert (telegram.text, telegram.subject, telegram.recipients, telegram.many) == ("text", "", "to", False)
    reply = parts_of(_spec(harness, ReplyArgs, preview_reply), BOT_ROLES["bot_email_reply_to_thread"])
    assert (reply.text, reply.recipients, reply.answers) == ("body", "", True)
    answer = parts_of(_spec(harness, TelegramReplyArgs, preview_send), BOT_METADATA["bot_telegram_reply_to_message"])
    assert answer.answers


async def test_a_death_at_any_point_of_the_drawing_leaves_one_live_card(harness: Harness) -> None:
    approval_id = await harness.ask()
    await harness.write(lambda c: harness.approvals.revise(c, approval_id, 1, text("x"), harness.clock.now()))
    harness.channel.die = "after"
    with pytest.raises(Killed):
        await harness.run()
    harness.restart()
    await harness.run()
    cards = list(harness.channel.cards.values())
    assert [card.revision for card in cards] == [1, 2, 2]
    assert rich_text(cards[0].outcome) == "Replaced by a newer version below."
    await harness.tap("Approve", cards[1])
    assert await harness.state(approval_id) == State.APPROVED


async def test_a_card_is_not_drawn_again_once_it_says_that_it_was_replaced(harness: Harness) -> None:
    approval_id = await harness.ask()
    await revise(harness, approval_id, text("x"))
    edits = harness.channel.edits
    await harness.tap("Deny")
    assert harness.channel.edits == edits + 1
    old, new = harness.channel.cards.values()
    assert rich_text(old.outcome) == "Replaced by a newer version below."
    assert "Denied by you" in rich_text(new.outcome)
    assert rich_text(new.changes)


async def test_a_changed_card_that_met_a_closed_chat_is_sent_when_it_opens(harness: Harness) -> None:
    approval_id = await harness.ask()
    harness.channel.closed = True
    await revise(harness, approval_id, text("x"))
    assert len(harness.channel.cards) == 1
    harness.channel.closed = False
    await harness.write(lambda c: harness.approvals.show_unseen(c, harness.clock.now()))
    await harness.run()
    assert [card.revision for card in harness.channel.cards.values()] == [1, 2]


async def test_no_in_words_denies_the_version_that_stands_there(harness: Harness) -> None:
    approval_id = await harness.ask()
    await revise(harness, approval_id, text("x"))
    deny = harness.approvals.deny
    assert await harness.write(lambda c: deny(c, approval_id, 1, harness.clock.now())) == OLDER
    assert await harness.write(lambda c: deny(c, "nobody", 1, harness.clock.now())) == OLDER
    said = await harness.write(lambda c: deny(c, approval_id, 2, harness.clock.now()))
    assert said.startswith("Denied by you")
    assert await harness.state(approval_id) == State.DENIED


async def test_a_reply_finds_each_version_of_a_card_and_what_has_become_of_it(harness: Harness) -> None:
    approval_id = await harness.ask()
    await revise(harness, approval_id, text("x"))
    old, new = harness.channel.cards
    at = harness.approvals.shown_at
    assert await harness.store.read(lambda c: at(c, OWNER, old)) == (approval_id, 1)
    assert await harness.store.read(lambda c: at(c, OWNER, new)) == (approval_id, 2)
    await harness.tap("Approve")
    draft = await harness.store.read(lambda c: harness.approvals.draft(c, approval_id, harness.clock.now()))
    assert draft is not None
    assert (draft.undo, draft.text, draft.state) == (True, "x", State.APPROVED)
    assert draft.outcome.startswith("Approved by you")
    assert await harness.store.read(lambda c: harness.approvals.draft(c, "nobody", harness.clock.now())) is None
    del harness.invoker.tools[SEND]
    draft = await harness.store.read(lambda c: harness.approvals.draft(c, approval_id, harness.clock.now()))
    assert draft is not None
    assert (draft.text, draft.recipients) == (None, ())


async def test_what_an_edited_call_does_is_told_in_a_line(harness: Harness) -> None:
    await harness.know("Bob", BOB)
    approval_id = await harness.ask()
    row = await harness.row(approval_id)
    assert await harness.store.read(lambda c: harness.approvals.changed_to(c, row)) == ""
    await revise(harness, approval_id, people(BOB))
    row = await harness.row(approval_id)
    line = await harness.store.read(lambda c: harness.approvals.changed_to(c, row))
    assert line == "Sends a message, to Bob at Telegram 1003"


async def test_a_tap_on_a_message_that_is_known_notes_no_second_one(harness: Harness) -> None:
    approval_id = await harness.ask()
    (message_id,) = harness.channel.cards
    shown = CardRef(1, MessageRef(chat=OWNER, message_ids=(message_id,)))
    await harness.write(lambda c: learn_ref(c, approval_id, shown))
    await harness.tap("Deny", message_ref=message_id)
    assert (await harness.row(approval_id)).card_refs == (shown,)


async def test_what_passed_without_a_question_is_for_information_and_takes_no_change(harness: Harness) -> None:
    await harness.know("Anna", ANNA)
    verdict = await harness.request(BOT_SEND)
    await harness.run()
    assert harness.channel.newest.title == "For your information"
    assert await revise(harness, verdict.approval_id or "", text("x")) == DECIDED


async def test_both_databases_keep_every_version(lasting_harness: Harness) -> None:
    harness = lasting_harness
    report, menu = [
        Attachment(name=n, size=len(n), sha256=await harness.blobs.put(n.encode())) for n in ("r.pdf", "m.pdf")
    ]
    files = [report.model_dump(), menu.model_dump()]
    approval_id = await harness.ask(MAIL, args={"to": [ANNA], "text": "one", "files": files})
    await revise(harness, approval_id, text("two"))
    await revise(harness, approval_id, Change("in-3", dropped=NewValue((report,), OWN_WORDS)), 2)
    harness.restart()
    kept = [await harness.store.read(lambda c, n=n: revisions.get(c, approval_id, n)) for n in (1, 2, 3)]
    assert [json.loads(row.args)["text"] if row else None for row in kept] == ["one", "two", None]
    assert [ref.retired for ref in (await harness.row(approval_id)).card_refs] == [True, True, False]
    await harness.tap("Approve")
    await harness.after_undo_window()
    assert [(call.args.text, call.args.files) for call in harness.provider.effects] == [("two", (menu,))]


def _spec(harness: Harness, args: type, preview: Any) -> Any:
    harness.invoker.change(SEND, args=args, preview=preview)
    return harness.invoker.spec(SEND)
