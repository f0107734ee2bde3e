"""The owner changes a card: a new revision is frozen, judged and asked about anew, and the old one is dead."""
# names: made up here

import json
from functools import partial
from typing import Any

import pytest

from approvals.parts import parts_of
from approvals.request import assess
from approvals.revise import (
    DECIDED,
    EXPIRED,
    OLDER,
    SAME,
    TOOL_CHANGED,
    Change,
    Put,
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
from tests.approvals.house import House, card_text
from tests.approvals.phone import OWNER
from tests.approvals.providers import A_MAIL, ANNA, BOT_SEND, MAIL, OWN_WORDS, PRIVATE_READ, SEND
from tests.approvals.reasons import words
from tests.approvals.second import Killed

BOB = "telegram:1003"
REPORT = Attachment(name="report.pdf", size=10, sha256="a" * 64)
MENU = Attachment(name="menu.pdf", size=20, sha256="b" * 64)
FILES = [REPORT.model_dump(), MENU.model_dump()]


def something_else(_args: Any) -> Preview:
    return Preview("Does something else")


def text(value: str, **more: Any) -> Change:
    return Change("in-2", text=Put(value, OWN_WORDS, **more))


def people(*addresses: str, **more: Any) -> Change:
    return Change("in-2", recipients=Put(tuple(Recipient(address=one) for one in addresses), OWN_WORDS, **more))


async def revise(house: House, approval_id: str, change: Change, revision: int = 1) -> Revised | str:
    done = await house.write(lambda c: house.approvals.revise(c, approval_id, revision, change, house.clock.now()))
    await house.run()
    return done


async def test_a_change_is_a_new_revision_that_waits_anew(house: House) -> None:
    approval_id = await house.ask()
    before = await house.row(approval_id)
    house.clock.turn(hours=3)
    assert await revise(house, approval_id, text("I'll be early")) == Revised(approval_id, 2)
    after = await house.row(approval_id)
    assert (after.revision, after.state, after.card_refs[0].retired) == (2, State.PENDING, True)
    assert json.loads(after.args)["text"] == "I'll be early"
    assert after.args_sha256 != before.args_sha256
    assert after.contract_digest != before.contract_digest
    assert after.expires_at == house.clock.now() + house.settings.expires
    assert after.created_at == before.created_at
    kept = await house.store.read(lambda c: revisions.get(c, approval_id, 1))
    assert kept is not None
    assert (kept.args, kept.replaced_by) == (before.args, "in-2")
    due = [(kind, at) for kind, subject, at in await house.works() if subject == approval_id]
    assert sorted(kind for kind, _ in due) == ["expire_approval", "remind_approval"]
    assert dict(due)["expire_approval"] == after.expires_at


async def test_the_log_has_both_digests(house: House) -> None:
    approval_id = await house.ask()
    old = (await house.row(approval_id)).args_sha256
    await revise(house, approval_id, text("x"))
    entries = await house.store.read(lambda c: audit.rows(c, approval_id))
    (entry,) = (one for one in entries if one.kind == "approval.revised")
    data = json.loads(entry.data) if isinstance(entry.data, str) else entry.data
    assert (data["old_args_sha256"], data["args_sha256"]) == (old, (await house.row(approval_id)).args_sha256)
    assert (entry.actor, data["inbound"], data["revision"]) == (OWNER, "in-2", 2)


async def test_the_new_card_shows_the_change_and_the_old_one_has_no_buttons(house: House) -> None:
    approval_id = await house.ask()
    stale = house.channel.button("Approve")
    await revise(house, approval_id, text("I'll be early"))
    old, new = house.channel.cards.values()
    assert (old.buttons, rich_text(old.outcome), old.body) == ((), "Replaced by a newer version below.", "I'll be late")
    assert (new.title, new.body, rich_text(new.changes)) == (
        "For your approval, changed",
        "I'll be early",
        "I'll be lateearly",
    )
    await house.approvals.decide(house.tap_of(stale))
    assert await house.state(approval_id) == State.PENDING
    await house.tap("Approve")
    await house.after_undo_window()
    assert [call.args.text for call in house.provider.effects] == ["I'll be early"]
    assert len(house.channel.cards) == 2


async def test_only_the_revision_that_is_shown_is_changed(house: House) -> None:
    approval_id = await house.ask()
    await revise(house, approval_id, text("two"))
    assert await revise(house, approval_id, text("three")) == OLDER
    assert await revise(house, approval_id, text("three"), 2) == Revised(approval_id, 3)
    assert [card.body for card in house.channel.cards.values()] == ["I'll be late", "two", "three"]
    assert [bool(card.buttons) for card in house.channel.cards.values()] == [False, False, True]


async def test_what_is_decided_or_unknown_is_not_changed(house: House) -> None:
    approval_id = await house.approved()
    assert await revise(house, approval_id, text("x")) == DECIDED
    assert await revise(house, "nobody", text("x")) == DECIDED


async def test_what_has_expired_is_not_changed_and_expires(house: House) -> None:
    approval_id = await house.ask()
    house.clock.turn(hours=49)
    done = await house.write(lambda c: house.approvals.revise(c, approval_id, 1, text("x"), house.clock.now()))
    assert done == EXPIRED
    assert await house.state(approval_id) == State.EXPIRED


async def test_what_is_decided_while_a_change_is_judged_is_not_changed(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    approval_id = await house.ask()

    def decided_meanwhile(context: Any, connection: Any, *rest: Any) -> Any:
        assert approvals.move(connection, approval_id, 1, State.PENDING, State.DENIED)
        return assess(context, connection, *rest)

    monkeypatch.setattr("approvals.revise.assess", decided_meanwhile)
    assert await revise(house, approval_id, text("x")) == OLDER
    assert (await house.row(approval_id)).revision == 1


async def test_a_changed_card_that_can_only_be_reminded_of_too_late_is_not(house: House) -> None:
    house.configure(expires="1h", quiet_hours="12:20-20:00")
    approval_id = await house.ask()
    await revise(house, approval_id, text("x"))
    assert [kind for kind, subject, _ in await house.works() if subject == approval_id] == ["expire_approval"]


async def test_a_change_to_what_it_is_already_is_none(house: House) -> None:
    approval_id = await house.ask()
    assert await revise(house, approval_id, text("I'll be late")) == SAME
    assert await revise(house, approval_id, Change("in-2")) == SAME


async def test_a_changed_or_missing_tool_takes_no_change(house: House) -> None:
    approval_id = await house.ask()
    house.invoker.change(SEND, preview=something_else)
    assert await revise(house, approval_id, text("x")) == TOOL_CHANGED
    del house.invoker.tools[SEND]
    assert await revise(house, approval_id, text("x")) == TOOL_CHANGED


async def test_a_deny_rule_and_a_limit_refuse_a_change_and_leave_the_card(house: House) -> None:
    house.configure(deny=[{"recipient": BOB, "reason": "never to Bob"}], limit=[{"tool": "user_*", "recipients": 1}])
    approval_id = await house.ask()
    refused = await revise(house, approval_id, people(BOB))
    assert refused == "I may not do that: never to Bob. The card stays as it was."
    assert "I may not do that: " in str(await revise(house, approval_id, people(ANNA, "telegram:7")))
    assert (await house.row(approval_id)).revision == 1
    assert house.channel.newest.title == "For your approval"
    assert house.channel.edits == 0


async def test_what_would_pass_asks_all_the_same_once_it_was_edited(house: House) -> None:
    await house.know("Anna", ANNA)
    approval_id = await house.ask(BOT_SEND, origins={"to": OWN_WORDS, "text": A_MAIL})
    await revise(house, approval_id, text("my own words"))
    row = await house.row(approval_id)
    assert (row.state, words(row.reasons)) == (State.PENDING, ("you changed it",))
    assert "Asks because: you changed it" in card_text(house.channel.newest)


async def test_a_replaced_text_is_the_owners_and_a_partly_changed_one_keeps_what_it_came_from(house: House) -> None:
    origins = {"to": OWN_WORDS, "text": A_MAIL}
    whole = await house.ask(origins=origins)
    partly = await house.ask(origins=origins, call_id="plan-1:2")
    nobody = await house.ask(origins={"to": OWN_WORDS}, call_id="plan-1:3")
    await revise(house, whole, text("mine"))
    await revise(house, partly, text("I'll be late, yours", partly=True))
    await revise(house, nobody, text("I'll be late, too", partly=True))
    assert load((await house.row(whole)).labels["text"]) == OWN_WORDS
    assert load((await house.row(partly)).labels["text"]) == OWN_WORDS | A_MAIL
    unknown = load((await house.row(nobody)).labels["text"])
    assert any(origin.trust is Trust.UNTRUSTED for origin in unknown)
    assert not any("evil" in reason for reason in words((await house.row(whole)).reasons))
    assert any("evil" in reason for reason in words((await house.row(partly)).reasons))


async def test_recipients_subject_and_files_are_changed_and_shown(house: House) -> None:
    await house.know("Bob", BOB)
    args = {"to": [ANNA], "text": "Hello", "subject": "Old", "files": FILES}
    approval_id = await house.ask(MAIL, args=args)
    change = Change(
        "in-2",
        subject=Put("New", OWN_WORDS),
        recipients=Put((Recipient(address=BOB),), OWN_WORDS),
        dropped=Put((REPORT,), OWN_WORDS),
    )
    await revise(house, approval_id, change)
    row = await house.row(approval_id)
    assert row.recipients == (BOB,)
    assert json.loads(row.args)["files"] == [MENU.model_dump()]
    card = house.channel.newest
    assert rich_text(card.changes) == (
        "To: telegram:1002, telegram:1003 (Bob)\nSubject: OldNew\nFiles: report.pdf, menu.pdf"
    )
    await revise(house, approval_id, Change("in-3", text=Put("Bye", OWN_WORDS), dropped=Put((MENU,), OWN_WORDS)), 2)
    assert rich_text(house.channel.newest.changes) == "Text: all of it, which was Hello\nFiles: menu.pdf"
    assert load((await house.row(approval_id)).labels["files"]) == OWN_WORDS


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (people(), "Then nobody would get it. Tap Deny if it shall not be sent."),
        (text("half of a pair \ud800"), "Nothing was changed."),
    ],
)
async def test_what_cannot_be_is_said_in_a_sentence(house: House, change: Change, said: str) -> None:
    approval_id = await house.ask()
    assert said in str(await revise(house, approval_id, change))
    assert (await house.row(approval_id)).revision == 1


async def test_a_card_without_such_a_part_says_so(house: House) -> None:
    read = await house.ask(PRIVATE_READ, args={"item": "mail-1"})
    assert await revise(house, read, text("x")) == "There is no text on this card that could be changed."
    assert await revise(house, read, Change("i", subject=Put("x", OWN_WORDS))) == "This has no subject."
    dropped = Change("i", dropped=Put((REPORT,), OWN_WORDS))
    assert await revise(house, read, dropped) == "There are no attachments on this card."
    assert "This answers a message" in str(await revise(house, read, people(BOB)))
    draft = await house.store.read(lambda c: house.approvals.draft(c, read, house.clock.now()))
    assert draft is not None
    assert (draft.text, draft.subject, draft.recipients) == (None, None, ())


async def test_one_recipient_stays_one(house: House) -> None:
    house.invoker.change(SEND, args=SendMessageArgs, preview=partial(preview_send, "Sends"))
    house.invoker.metadata = lambda _name: BOT_METADATA["bot_telegram_send_message"]  # pyright: ignore[reportAttributeAccessIssue]
    approval_id = await house.ask(args={"to": {"address": ANNA}, "text": "hi"})
    assert "one recipient only" in str(await revise(house, approval_id, people(ANNA, BOB)))
    assert "a message needs a text" in str(await revise(house, approval_id, text(" ")))
    assert await revise(house, approval_id, people(BOB)) == Revised(approval_id, 2)
    draft = await house.store.read(lambda c: house.approvals.draft(c, approval_id, house.clock.now()))
    assert draft is not None
    assert [one.address for one in draft.recipients] == [BOB]


async def test_a_mail_keeps_its_copies_while_its_first_recipients_change(house: House) -> None:
    house.invoker.change(MAIL, args=SendMailArgs, preview=preview_user_send)
    house.invoker.metadata = lambda _name: SEND_ROLES  # pyright: ignore[reportAttributeAccessIssue]
    args = {
        "to": [{"address": "mail:a@x.example"}],
        "cc": [{"address": "mail:c@x.example"}],
        "subject": "s",
        "body": "b",
    }
    approval_id = await house.ask(MAIL, args=args)
    await revise(house, approval_id, people("mail:b@x.example"))
    assert (await house.row(approval_id)).recipients == ("mail:b@x.example", "mail:c@x.example")


def test_the_parts_of_a_call_are_found_by_role_and_type(house: House) -> None:
    mail = parts_of(_spec(house, SendMailArgs, preview_user_send), SEND_ROLES)
    assert (mail.text, mail.subject, mail.recipients, mail.attachments) == ("body", "subject", "to", "attachments")
    assert (mail.many, mail.bare, mail.answers) == (True, False, False)
    telegram = parts_of(_spec(house, SendMessageArgs, preview_send), BOT_METADATA["bot_telegram_send_message"])
    assert (telegram.text, telegram.subject, telegram.recipients, telegram.many) == ("text", "", "to", False)
    reply = parts_of(_spec(house, ReplyArgs, preview_reply), BOT_ROLES["bot_email_reply_to_thread"])
    assert (reply.text, reply.recipients, reply.answers) == ("body", "", True)
    answer = parts_of(_spec(house, TelegramReplyArgs, preview_send), BOT_METADATA["bot_telegram_reply_to_message"])
    assert answer.answers


async def test_a_death_at_any_point_of_the_drawing_leaves_one_live_card(house: House) -> None:
    approval_id = await house.ask()
    await house.write(lambda c: house.approvals.revise(c, approval_id, 1, text("x"), house.clock.now()))
    house.channel.die = "after"
    with pytest.raises(Killed):
        await house.run()
    house.restart()
    await house.run()
    cards = list(house.channel.cards.values())
    assert [card.revision for card in cards] == [1, 2, 2]
    assert rich_text(cards[0].outcome) == "Replaced by a newer version below."
    await house.tap("Approve", cards[1])
    assert await house.state(approval_id) == State.APPROVED


async def test_a_card_is_not_drawn_again_once_it_says_that_it_was_replaced(house: House) -> None:
    approval_id = await house.ask()
    await revise(house, approval_id, text("x"))
    edits = house.channel.edits
    await house.tap("Deny")
    assert house.channel.edits == edits + 1
    old, new = house.channel.cards.values()
    assert rich_text(old.outcome) == "Replaced by a newer version below."
    assert "Denied by you" in rich_text(new.outcome)
    assert rich_text(new.changes)


async def test_a_changed_card_that_met_a_closed_chat_is_sent_when_it_opens(house: House) -> None:
    approval_id = await house.ask()
    house.channel.closed = True
    await revise(house, approval_id, text("x"))
    assert len(house.channel.cards) == 1
    house.channel.closed = False
    await house.write(lambda c: house.approvals.show_unseen(c, house.clock.now()))
    await house.run()
    assert [card.revision for card in house.channel.cards.values()] == [1, 2]


async def test_no_in_words_denies_the_version_that_stands_there(house: House) -> None:
    approval_id = await house.ask()
    await revise(house, approval_id, text("x"))
    deny = house.approvals.deny
    assert await house.write(lambda c: deny(c, approval_id, 1, house.clock.now())) == OLDER
    assert await house.write(lambda c: deny(c, "nobody", 1, house.clock.now())) == OLDER
    said = await house.write(lambda c: deny(c, approval_id, 2, house.clock.now()))
    assert said.startswith("Denied by you")
    assert await house.state(approval_id) == State.DENIED


async def test_a_reply_finds_each_version_of_a_card_and_what_has_become_of_it(house: House) -> None:
    approval_id = await house.ask()
    await revise(house, approval_id, text("x"))
    old, new = house.channel.cards
    at = house.approvals.shown_at
    assert await house.store.read(lambda c: at(c, OWNER, old)) == (approval_id, 1)
    assert await house.store.read(lambda c: at(c, OWNER, new)) == (approval_id, 2)
    await house.tap("Approve")
    draft = await house.store.read(lambda c: house.approvals.draft(c, approval_id, house.clock.now()))
    assert draft is not None
    assert (draft.undo, draft.text, draft.state) == (True, "x", State.APPROVED)
    assert draft.outcome.startswith("Approved by you")
    assert await house.store.read(lambda c: house.approvals.draft(c, "nobody", house.clock.now())) is None
    del house.invoker.tools[SEND]
    draft = await house.store.read(lambda c: house.approvals.draft(c, approval_id, house.clock.now()))
    assert draft is not None
    assert (draft.text, draft.recipients) == (None, ())


async def test_what_an_edited_call_does_is_told_in_a_line(house: House) -> None:
    await house.know("Bob", BOB)
    approval_id = await house.ask()
    row = await house.row(approval_id)
    assert await house.store.read(lambda c: house.approvals.changed_to(c, row)) == ""
    await revise(house, approval_id, people(BOB))
    row = await house.row(approval_id)
    line = await house.store.read(lambda c: house.approvals.changed_to(c, row))
    assert line == "Sends a message, to Bob at telegram:1003"


async def test_a_tap_on_a_message_that_is_known_notes_no_second_one(house: House) -> None:
    approval_id = await house.ask()
    (message_id,) = house.channel.cards
    shown = CardRef(1, MessageRef(chat=OWNER, message_ids=(message_id,)))
    await house.write(lambda c: learn_ref(c, approval_id, shown))
    await house.tap("Deny", message_ref=message_id)
    assert (await house.row(approval_id)).card_refs == (shown,)


async def test_what_passed_without_a_question_is_for_information_and_takes_no_change(house: House) -> None:
    await house.know("Anna", ANNA)
    verdict = await house.request(BOT_SEND)
    await house.run()
    assert house.channel.newest.title == "For your information"
    assert await revise(house, verdict.approval_id or "", text("x")) == DECIDED


async def test_both_databases_keep_every_version(lasting_house: House) -> None:
    house = lasting_house
    report, menu = [
        Attachment(name=n, size=len(n), sha256=await house.blobs.put(n.encode())) for n in ("r.pdf", "m.pdf")
    ]
    files = [report.model_dump(), menu.model_dump()]
    approval_id = await house.ask(MAIL, args={"to": [ANNA], "text": "one", "files": files})
    await revise(house, approval_id, text("two"))
    await revise(house, approval_id, Change("in-3", dropped=Put((report,), OWN_WORDS)), 2)
    house.restart()
    kept = [await house.store.read(lambda c, n=n: revisions.get(c, approval_id, n)) for n in (1, 2, 3)]
    assert [json.loads(row.args)["text"] if row else None for row in kept] == ["one", "two", None]
    assert [ref.retired for ref in (await house.row(approval_id)).card_refs] == [True, True, False]
    await house.tap("Approve")
    await house.after_undo_window()
    assert [(call.args.text, call.args.files) for call in house.provider.effects] == [("two", (menu,))]


def _spec(house: House, args: type, preview: Any) -> Any:
    house.invoker.change(SEND, args=args, preview=preview)
    return house.invoker.spec(SEND)
