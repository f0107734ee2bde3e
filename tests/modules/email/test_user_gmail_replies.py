"""Answers in the person's Gmail: in their thread at both ends, to whom was shown, from where was shown, once."""

import json
from collections.abc import AsyncIterator
from dataclasses import replace
from email import message_from_bytes
from email.policy import default
from typing import Any

import aiohttp
import pytest

from butler.contract.errors import Effect, IntegrationErrorCode
from butler.contract.tools import Settled
from butler_demo.gmail.mime import encode_bytes
from butler_demo.gmail.records import Message
from tests.modules.email.gmail_account import ME, WORK, GmailUnderTest, gmail_account, gmail_server
from tests.modules.email.mailhost import ANNA, Notes, mail

READ = "user_email_read_message"
SEND = "user_email_send_message"
REPLY = "user_email_reply_to_thread"
DRAFT = "user_email_draft_reply"
NEW_DRAFT = "user_email_draft_message"
THREADS = "user_email_list_threads"
ALIAS = "tickets@home.example"


@pytest.fixture
async def user() -> AsyncIterator[GmailUnderTest]:
    async with gmail_account() as under_test:
        yield under_test


def lunch(user: GmailUnderTest, **headers: str) -> Message:
    """A mail by Anna to the person."""
    return user.server.deliver(ME, mail("Lunch", "At one?", message_id="<lunch@friends.example>", **headers))


def new_mail(**fields: Any) -> dict[str, Any]:
    """The arguments of a mail to Anna that answers none."""
    return {"to": ({"address": f"mail:{ANNA}"},), "subject": "Lunch", "body": "At one."} | fields


class Meddling(Notes):
    """Runs something at the moment when the draft is there and not sent yet."""

    def __init__(self, meddle: Any) -> None:
        super().__init__()
        self._meddle = meddle

    async def save(self, **notes: str) -> None:
        await super().save(**notes)
        if "draft_id" in notes:
            await self._meddle(notes["draft_id"])


async def at_gmail(user: GmailUnderTest, method: str, path: str, body: dict[str, Any] | None = None) -> None:
    """What somebody does in Gmail itself."""
    headers = {"Authorization": f"Bearer {user.server.token_for(ME)}"}
    url = f"{user.server.url}gmail/v1/users/me/{path}"
    async with aiohttp.ClientSession(headers=headers) as session, session.request(method, url, json=body) as answer:
        assert answer.status < 300, await answer.text()


async def test_what_is_left_out_is_filled_in_from_the_mail(user: GmailUnderTest) -> None:
    got = lunch(user, To=ME, Cc=f"bob@a.example, {ME}", Reply_To="Anna <anna@office.example>")
    filled = await user.completed(REPLY, message_id=got.id, body="Yes.")
    assert filled["to"] == [{"address": "mail:anna@office.example", "name": ""}]
    assert (filled["cc"], filled["sender"], filled["subject"]) == ([], "", "Re: Lunch")
    assert filled["answers"].startswith(f"{ANNA}, ")
    assert filled["answers"].endswith(": At one?")
    everybody = await user.completed(REPLY, message_id=got.id, body="Yes.", reply_all=True)
    assert [person["address"] for person in everybody["cc"]] == ["mail:bob@a.example"]


async def test_gm_15_an_answer_is_in_the_thread_at_both_ends(user: GmailUnderTest) -> None:
    colleague = GmailUnderTest(user.server, address=WORK)
    await colleague.data(SEND, to=({"address": f"mail:{ME}"},), subject="Lunch", body="At one?")
    (asked,) = user.server.mailbox(ME)
    filled = await user.completed(REPLY, message_id=asked.id, body="Yes.")
    sent = await user.data(REPLY, **filled)
    assert sent["thread_id"] == asked.thread_id
    theirs = user.server.mailbox(WORK)
    assert len({message.thread_id for message in theirs}) == 1
    answer = message_from_bytes(user.server.sent_by(ME)[0].message.raw)
    assert answer["In-Reply-To"] == answer["References"] == asked.content.message_id
    assert answer["Subject"] == "Re: Lunch"
    await colleague.module.stop()


async def test_gm_14_an_answer_leaves_from_the_alias_in_the_thread_and_the_card_says_so(user: GmailUnderTest) -> None:
    user.server.add_alias(ME, ALIAS, "Tickets")
    got = lunch(user, To=ALIAS)
    filled = await user.completed(REPLY, message_id=got.id, body="Yes.")
    spec = user.registry.spec(REPLY)
    assert spec.preview is not None
    assert ("From", ALIAS) in spec.preview(spec.args.model_validate(filled)).facts
    sent = await user.data(REPLY, **filled)
    assert sent["thread_id"] == got.thread_id
    assert message_from_bytes(user.server.sent_by(ME)[0].message.raw)["From"] == f"Tickets <{ALIAS}>"


async def test_gm_14_an_alias_that_gmail_has_not_verified_sends_nothing(user: GmailUnderTest) -> None:
    user.server.add_alias(ME, ALIAS, verified=False)
    got = lunch(user, To=ALIAS)
    filled = await user.completed(REPLY, message_id=got.id, body="Yes.")
    assert filled["sender"] == ""
    filled["sender"] = ALIAS
    result = await user.do(REPLY, **filled)
    assert result.error is not None
    assert result.error.message.startswith(f"mail cannot leave from {ALIAS}")
    assert user.server.sent_by(ME) == ()


async def test_sm_10_and_sm_24_all_others_are_answered_and_shown(user: GmailUnderTest) -> None:
    user.server.add_alias(ME, ALIAS)
    robot: dict[str, Any] = {
        "From": "robot@shop.example",
        "Reply_To": "carl@shop.example",
        "To": f"{ALIAS}, bob@a.example",
    }
    got = lunch(user, **robot, Cc=f"dora@a.example, {ME}, me@home.example")
    filled = await user.completed(REPLY, message_id=got.id, body="Yes.", reply_all=True)
    await user.data(REPLY, **filled)
    (sent,) = user.server.sent_by(ME)
    assert sent.recipients == ("carl@shop.example", "bob@a.example", "dora@a.example")
    spec = user.registry.spec(REPLY)
    assert spec.preview is not None
    shown = spec.preview(spec.args.model_validate(filled)).recipients
    assert [person.address.removeprefix("mail:") for person in shown] == list(sent.recipients)


async def test_whom_the_owner_named_gets_it_and_nobody_twice(user: GmailUnderTest) -> None:
    got = lunch(user, Cc="bob@a.example, dora@a.example")
    named = ({"address": "mail:bob@a.example", "name": "Bob"},)
    filled = await user.completed(REPLY, message_id=got.id, body="Yes.", to=named, reply_all=True)
    assert filled["to"] == named
    assert [person["address"] for person in filled["cc"]] == ["mail:dora@a.example"]


async def test_what_the_person_wrote_is_answered_to_those_who_got_it(user: GmailUnderTest) -> None:
    sent = await user.data(SEND, to=({"address": f"mail:{ANNA}"},), subject="Lunch", body="At one?")
    filled = await user.completed(REPLY, message_id=sent["id"], body="Or two?")
    assert [person["address"] for person in filled["to"]] == [f"mail:{ANNA}"]


async def test_blind_copies_are_in_the_kept_copy_and_never_at_others() -> None:
    async with gmail_account() as user:
        user.server.add_account(ANNA, "Anna")
        bcc = ({"address": f"mail:{WORK}"},)
        await user.data(SEND, to=({"address": f"mail:{ANNA}"},), bcc=bcc, subject="Lunch", body="At one?")
        assert b"Bcc:" in user.server.sent_by(ME)[0].message.raw
        for other in (ANNA, WORK):
            (got,) = user.server.mailbox(other)
            assert b"bcc" not in got.raw.lower()


async def test_a_quote_goes_along_as_it_was_shown(user: GmailUnderTest) -> None:
    got = lunch(user)
    filled = await user.completed(REPLY, message_id=got.id, body="Yes.", quote=True)
    assert filled["answers"].endswith(f"{ANNA} wrote:\n> At one?")
    await user.data(REPLY, **filled)
    (sent,) = user.server.sent_by(ME)
    assert sent.message.content.text.replace("\r\n", "\n").strip() == f"Yes.\n\n{filled['answers']}"


async def test_without_quote_nothing_of_the_mail_goes_along(user: GmailUnderTest) -> None:
    filled = await user.completed(REPLY, message_id=lunch(user).id, body="Yes.")
    await user.data(REPLY, **filled)
    assert user.server.sent_by(ME)[0].message.content.text.strip() == "Yes."


@pytest.mark.parametrize("change", [{"subject": "Dinner"}, {"to": ()}])
async def test_what_was_not_filled_in_or_breaks_the_thread_is_refused(
    user: GmailUnderTest, change: dict[str, Any]
) -> None:
    filled = await user.completed(REPLY, message_id=lunch(user).id, body="Yes.")
    result = await user.do(REPLY, **filled | change)
    assert result.error is not None
    assert (result.error.code, result.error.effect) == (IntegrationErrorCode.INVALID_INPUT, Effect.NONE)
    assert user.drafts() == 0


async def test_a_draft_that_was_edited_in_gmail_is_not_sent(user: GmailUnderTest) -> None:
    async def edit(draft_id: str) -> None:
        other = {"message": {"raw": encode_bytes(mail("Re: Lunch", "Never!", To="eve@evil.example"))}}
        await at_gmail(user, "PUT", f"drafts/{draft_id}", other)

    filled = await user.completed(REPLY, message_id=lunch(user).id, body="Yes.")
    result = await user.do(REPLY, notes=Meddling(edit), **filled)
    assert result.error is not None
    assert (result.error.code, result.error.effect) == (IntegrationErrorCode.CONFLICT, Effect.NONE)
    assert result.error.message.startswith("the draft was changed in Gmail after your yes, so it was not sent")
    assert user.server.sent_by(ME) == ()
    assert user.drafts() == 1


async def test_a_draft_that_was_deleted_in_gmail_is_not_sent(user: GmailUnderTest) -> None:
    async def delete(draft_id: str) -> None:
        await at_gmail(user, "DELETE", f"drafts/{draft_id}")

    filled = await user.completed(REPLY, message_id=lunch(user).id, body="Yes.")
    result = await user.do(REPLY, notes=Meddling(delete), **filled)
    assert result.error is not None
    assert (result.error.code, result.error.effect) == (IntegrationErrorCode.CONFLICT, Effect.NONE)
    assert user.server.sent_by(ME) == ()


async def test_a_send_that_was_refused_is_tried_again_with_the_same_draft(user: GmailUnderTest) -> None:
    filled = await user.completed(REPLY, message_id=lunch(user).id, body="Yes.")
    user.server.fail("gmail.users.drafts.send", 429, "rateLimitExceeded", retry_after=60)
    notes = Notes()
    refused = await user.do(REPLY, notes=notes, **filled)
    assert refused.error is not None
    assert (refused.error.retriable, refused.error.effect) == (True, Effect.NONE)
    assert refused.error.message == "Gmail asks to be called less often; the mail lies in your Drafts, unsent"
    again = GmailUnderTest(user.server, context=user.context)
    assert (await again.do(REPLY, notes=notes, **filled)).ok
    assert len(user.server.sent_by(ME)) == 1
    assert user.drafts() == 0
    await again.module.stop()


@pytest.mark.parametrize("after_effect", [True, False])
async def test_an_answer_whose_answer_was_lost_is_looked_for_under_its_alias(
    user: GmailUnderTest, *, after_effect: bool
) -> None:
    user.server.add_alias(ME, ALIAS)
    filled = await user.completed(REPLY, message_id=lunch(user, To=ALIAS).id, body="Yes.")
    user.server.fail("gmail.users.drafts.send", 0, "", after_effect=after_effect)
    notes = Notes()
    result = await user.do(REPLY, notes=notes, **filled)
    assert result.error is not None
    assert result.error.effect is Effect.UNKNOWN
    settled = await user.registry.reconcile(user.call(REPLY, filled, notes))
    assert settled.settled is (Settled.DONE if after_effect else Settled.UNKNOWN)
    assert len(user.server.sent_by(ME)) == after_effect


async def test_gm_16_an_id_of_one_account_is_none_of_another() -> None:
    async with gmail_server() as server:
        work = {"api_root": server.url, "credentials_env": "WORK"}
        user = GmailUnderTest(server, accounts={"work": work})
        user.vault.values["WORK"] = server.credentials_json(WORK)
        got = lunch(user)
        filled = await user.completed(REPLY, message_id=got.id, body="Yes.")
        tries: list[tuple[str, dict[str, Any]]] = [(READ, {"message_id": got.id}), (REPLY, filled), (DRAFT, filled)]
        for tool, args in tries:
            result = await user.do(tool, **args, account="work")
            assert result.error is not None
            assert result.error.code is IntegrationErrorCode.NOT_FOUND
            assert result.error.message.endswith("an id of one account means nothing in another")
        assert (await user.do(READ, message_id=got.id, account="main")).ok
        server.revoke(WORK)
        result = await user.do(READ, message_id=got.id, account="work")
        assert result.error is not None
        assert result.error.message.endswith("run `butler login gmail --account work`")
        assert server.sent_by(WORK) == ()
        assert user.drafts(WORK) == 0
        await user.module.stop()


# Drafts


async def test_a_drafted_answer_is_one_draft_in_the_thread(user: GmailUnderTest) -> None:
    got = lunch(user)
    filled = await user.completed(DRAFT, message_id=got.id, body="Yes.")
    laid = await user.data(DRAFT, **filled)
    (draft,) = [message for message in user.server.mailbox(ME) if "DRAFT" in message.label_ids]
    assert (draft.id, draft.thread_id, laid["thread_id"]) == (laid["message_id"], got.thread_id, got.thread_id)
    assert draft.content.addresses("To") == (ANNA,)
    assert user.server.sent_by(ME) == ()


async def test_a_draft_is_found_again_after_a_crash_and_not_made_twice(user: GmailUnderTest) -> None:
    filled = await user.completed(DRAFT, message_id=lunch(user).id, body="Yes.")
    notes = Notes()
    assert (await user.registry.reconcile(user.call(DRAFT, filled, notes))).settled is Settled.REPEAT
    first = await user.do(DRAFT, notes=notes, **filled)
    second = await user.do(DRAFT, notes=notes, **filled)
    assert first.data == second.data
    settled = await user.registry.reconcile(user.call(DRAFT, filled, notes))
    assert (settled.settled, settled.data["draft_id"]) == (Settled.DONE, (first.data or {})["draft_id"])
    assert user.drafts() == 1


async def test_a_draft_whose_answer_was_lost_is_the_one(user: GmailUnderTest) -> None:
    filled = await user.completed(DRAFT, message_id=lunch(user).id, body="Yes.")
    user.server.fail("gmail.users.drafts.create", 0, "", after_effect=True)
    assert (await user.do(DRAFT, notes=Notes(), **filled)).ok
    assert user.drafts() == 1


async def test_a_dry_run_of_an_answer_leaves_nothing(user: GmailUnderTest) -> None:
    filled = await user.completed(DRAFT, message_id=lunch(user).id, body="Yes.")
    for tool in (DRAFT, REPLY):
        result = await user.registry.invoke(replace(user.call(tool, filled), dry_run=True))
        assert result.data is not None
        assert result.data["dry_run"]
    assert user.drafts() == 0


async def test_a_new_mail_is_drafted_in_no_thread_of_others(user: GmailUnderTest) -> None:
    got = lunch(user)
    copies: dict[str, Any] = {"cc": ({"address": f"mail:{WORK}"},), "bcc": ({"address": "mail:bob@a.example"},)}
    laid = await user.data(NEW_DRAFT, **new_mail(**copies))
    (draft,) = [one for one in user.server.mailbox(ME) if "DRAFT" in one.label_ids]
    assert laid.keys() == {"draft_id", "message_id"}
    assert draft.id == laid["message_id"]
    assert draft.thread_id != got.thread_id
    written = message_from_bytes(draft.raw)
    assert (written["To"], written["Cc"], written["Bcc"]) == (ANNA, WORK, "bob@a.example")
    assert (written["Subject"], draft.content.text.strip()) == ("Lunch", "At one.")
    assert written["In-Reply-To"] is None
    assert user.server.sent_by(ME) == ()


async def test_a_drafted_mail_may_have_no_text_yet_and_a_file(user: GmailUnderTest) -> None:
    stored = await user.context.storage.blobs.put(b"%PDF-1.7")
    file = {"name": "offer.pdf", "size": 8, "sha256": stored, "media_type": "application/pdf"}
    await user.data(NEW_DRAFT, **new_mail(body="", attachments=(file,)))
    (draft,) = [one for one in user.server.mailbox(ME) if "DRAFT" in one.label_ids]
    text, attached = message_from_bytes(draft.raw, policy=default).iter_parts()
    assert (text.get_content().strip(), attached.get_content()) == ("", b"%PDF-1.7")


async def test_a_new_draft_is_found_again_after_a_crash_and_not_made_twice(user: GmailUnderTest) -> None:
    args, notes = new_mail(), Notes()
    assert (await user.registry.reconcile(user.call(NEW_DRAFT, args, notes))).settled is Settled.REPEAT
    first = await user.do(NEW_DRAFT, notes=notes, **args)
    second = await user.do(NEW_DRAFT, notes=notes, **args)
    assert first.data == second.data
    settled = await user.registry.reconcile(user.call(NEW_DRAFT, args, notes))
    assert (settled.settled, settled.data) == (Settled.DONE, first.data)
    assert user.drafts() == 1


async def test_a_new_draft_whose_answer_was_lost_is_the_one(user: GmailUnderTest) -> None:
    user.server.fail("gmail.users.drafts.create", 0, "", after_effect=True)
    assert (await user.do(NEW_DRAFT, notes=Notes(), **new_mail())).ok
    assert user.drafts() == 1


async def test_a_dry_run_of_a_new_draft_leaves_nothing(user: GmailUnderTest) -> None:
    result = await user.registry.invoke(replace(user.call(NEW_DRAFT, new_mail()), dry_run=True))
    assert result.data is not None
    assert result.data["dry_run"]
    assert user.drafts() == 0


# Conversations


async def test_conversations_are_listed_by_their_newest_mail(user: GmailUnderTest) -> None:
    got = lunch(user)
    lunch(user, References="<lunch@friends.example>", In_Reply_To="<lunch@friends.example>")
    await user.data(DRAFT, **await user.completed(DRAFT, message_id=got.id, body="Yes."))
    user.server.deliver(ME, mail("Dinner", "At nine?"), unread=False)
    found = await user.data(THREADS)
    assert (found["count"], found["complete"]) == (2, True)
    (dinner, shown) = found["threads"]
    assert (dinner["subject"], dinner["messages"], dinner["unread_messages"]) == ("Dinner", 1, 0)
    assert (shown["thread"], shown["messages"], shown["unread_messages"]) == (f"gmail:{got.thread_id}", 2, 2)
    assert json.dumps(shown)


async def test_gm_06_conversations_are_counted_by_their_ids(
    user: GmailUnderTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("modules.email.gmail.user_mailbox.MOST_COUNTED", 2)
    for number in range(3):
        user.server.deliver(ME, mail(f"Invoice {number}"))
    found = await user.data(THREADS, subject="Invoice", limit=1)
    assert (len(found["threads"]), found["count"], found["complete"]) == (1, 2, False)
    assert found["reason"] == "there are more than 2 such conversations"


async def test_no_conversation_has_a_reason(user: GmailUnderTest) -> None:
    result = await user.do(THREADS, words="unheard-of")
    assert result.error is not None
    assert result.error.code is IntegrationErrorCode.NOT_FOUND
