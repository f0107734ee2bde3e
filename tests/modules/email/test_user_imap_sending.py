"""What leaves the person's mailbox over SMTP: once, to whom the card named, with a true account of its fate."""

from dataclasses import replace
from email import message_from_bytes
from email.policy import default
from typing import Any

import pytest

from approvals.preview import left_out, preview_of
from butler.contract.errors import Effect, IntegrationErrorCode
from butler.contract.tools import Settled
from butler_demo.mailbox.server import MailServer
from tests.modules.email.mailhost import ANNA, TOKEN, Notes, UserUnderTest, mail, mail_context

SEND = "user_email_send_message"
REPLY = "user_email_reply_to_thread"
DRAFT = "user_email_draft_reply"
NEW_DRAFT = "user_email_draft_message"
TO_ANNA = ({"address": f"mail:{ANNA}", "name": "Anna"},)


@pytest.fixture(autouse=True)
def quick_filing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait a moment only for a server that files what it sends by itself."""
    monkeypatch.setattr("modules.email.imap.user_mailbox.FILES_WITHIN_S", 0.05)


def message(**fields: Any) -> dict[str, Any]:
    return {"to": TO_ANNA, "subject": "Lunch", "body": "At one."} | fields


async def kept(user: UserUnderTest, folder: str) -> list[bytes]:
    return [mail.raw for mail in await user.mailbox(folder)]


async def test_a_mail_is_sent_as_the_person_and_a_copy_is_kept(user: UserUnderTest) -> None:
    notes = Notes()
    result = await user.do(SEND, notes=notes, **message())
    assert result.data is not None, result.error
    assert (result.data["accepted"], result.data["copy"]) == ([ANNA], "kept in Sent")
    (sent,) = await user.left()
    assert (sent.field("From"), sent.field("X-Butler"), sent.rcpt_tos) == (user.address, "user", (ANNA,))
    (copy,) = await user.mailbox("Sent")
    assert "\\Seen" in copy.flags
    assert notes.stored["stage"] == "accepted"


async def test_sm_07_blind_copies_are_in_the_envelope_and_our_own_copy_only(user: UserUnderTest) -> None:
    result = await user.do(SEND, **message(bcc=({"address": "mail:secret@friends.example"},)))
    assert result.ok, result.error
    sent = await user.left()
    assert {address for one in sent for address in one.rcpt_tos} == {ANNA, "secret@friends.example"}
    assert all(b"secret@" not in one.raw.partition(b"\r\nFrom:")[2] for one in sent)
    (copy,) = await kept(user, "Sent")
    assert b"Bcc: secret@friends.example" in copy


async def test_sm_15_refused_recipients_are_reported_and_nothing_is_kept_of_what_nobody_got(
    user: UserUnderTest,
) -> None:
    user.host.refuse("nobody@friends.example")
    nobody = {"address": "mail:nobody@friends.example"}
    result = await user.do(SEND, **message(to=(nobody,)))
    assert result.error is not None
    assert (result.error.code, result.error.effect) == (IntegrationErrorCode.REJECTED, Effect.NONE)
    assert await kept(user, "Sent") == []
    result = await user.do(SEND, **message(to=(*TO_ANNA, nobody)))
    assert result.data is not None, result.error
    assert (result.data["accepted"], list(result.data["refused"])) == ([ANNA], ["nobody@friends.example"])
    assert len(await kept(user, "Sent")) == 1


async def test_sm_12_a_connection_that_dies_after_data_is_never_repeated(
    demo_user: UserUnderTest, server: MailServer
) -> None:
    server.fail_smtp("after_data", None)
    notes = Notes()
    result = await demo_user.do(SEND, notes=notes, **message())
    assert result.error is not None
    assert result.error.effect is Effect.UNKNOWN
    settled = await demo_user.registry.reconcile(demo_user.call(SEND, message(), notes=notes))
    assert settled.settled is Settled.UNKNOWN
    assert len(server.outgoing) == 1


async def test_sm_14_a_copy_that_cannot_be_kept_leaves_the_send_done(
    demo_user: UserUnderTest, server: MailServer
) -> None:
    server.fail_imap("APPEND", "NO", "[OVERQUOTA] Full", times=None)
    notes = Notes()
    result = await demo_user.do(SEND, notes=notes, **message())
    assert result.data is not None, result.error
    assert result.data["copy"].startswith("not kept: ")
    settled = await demo_user.registry.reconcile(demo_user.call(SEND, message(), notes=notes))
    assert settled.settled is Settled.DONE
    assert len(server.outgoing) == 1


async def test_a_copy_that_the_server_has_laid_down_itself_is_recognised(
    demo_user: UserUnderTest, server: MailServer
) -> None:
    server.on_outgoing = lambda sent: server.put(demo_user.address, sent.raw, "Sent") and None
    result = await demo_user.do(SEND, **message())
    assert result.ok, result.error
    assert len(await kept(demo_user, "Sent")) == 1


async def test_an_answer_is_complete_before_it_is_shown(user: UserUnderTest) -> None:
    others = f"Ben <ben@friends.example>, {user.address}, me@home.example"
    await user.deliver(mail("Lunch", "At one?", Cc=others, To=user.address, Reply_To="Anna <anna@work.example>"))
    args: dict[str, Any] = {"message_id": await user.id_of("Lunch"), "body": "Yes.", "reply_all": True}
    completed = await user.completed(REPLY, **args)
    assert completed["to"] == [{"address": "mail:anna@work.example", "name": ""}]
    assert completed["cc"] == [{"address": "mail:ben@friends.example", "name": ""}]
    assert completed["subject"] == "Re: Lunch"
    assert completed["answers"].startswith(f"{ANNA}, ")
    assert completed["answers"].endswith(": At one?")
    values = user.spec(REPLY).args.model_validate(completed)
    shown = preview_of(user.spec(REPLY), values)
    assert [person.address for person in shown.recipients] == ["mail:anna@work.example", "mail:ben@friends.example"]
    assert dict(shown.facts) == {"Cc": "ben@friends.example", "Answers": completed["answers"]}
    assert left_out(shown, values.model_dump(mode="json")) == ()


async def test_an_answer_goes_to_whom_the_card_named_and_stays_in_its_thread(user: UserUnderTest) -> None:
    await user.deliver(mail("Lunch", "At one?", message_id="<parent@friends.example>", References="<root@x.example>"))
    args = await user.completed(REPLY, message_id=await user.id_of("Lunch"), body="Yes.")
    result = await user.do(REPLY, **args)
    assert result.ok, result.error
    (sent,) = await user.left()
    assert (sent.rcpt_tos, sent.field("Subject")) == ((ANNA,), "Re: Lunch")
    assert sent.field("In-Reply-To") == "<parent@friends.example>"
    assert sent.field("References") == "<root@x.example> <parent@friends.example>"
    assert sent.field("Auto-Submitted") == ""
    assert b"At one?" not in sent.raw


async def test_a_quote_is_the_one_that_was_shown(user: UserUnderTest) -> None:
    await user.deliver(mail("Lunch", "At one?\r\nOr two?"))
    args = await user.completed(REPLY, message_id=await user.id_of("Lunch"), body="Yes.", quote=True)
    assert args["answers"].endswith("wrote:\n> At one?\n> Or two?")
    assert (await user.do(REPLY, **args)).ok
    (sent,) = await user.left()
    plain, html = message_from_bytes(sent.raw, policy=default).iter_parts()
    assert plain.get_content().startswith("Yes.\r\n\r\nOn ")
    assert plain.get_content().endswith("> At one?\r\n> Or two?\r\n")
    assert '<p dir="auto">At one?<br>\r\nOr two?</p>\r\n</blockquote>' in html.get_content()


async def test_an_answer_to_a_list_is_plain_text(demo_user: UserUnderTest) -> None:
    await demo_user.deliver(mail("Lunch", List_Id="<lunch.friends.example>"))
    args = await demo_user.completed(REPLY, message_id=await demo_user.id_of("Lunch"), body="Yes.")
    assert (await demo_user.do(REPLY, **args)).ok
    (sent,) = await demo_user.left()
    assert message_from_bytes(sent.raw, policy=default).get_content_type() == "text/plain"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"to": []}, "it is not known whom this answer goes to; name them"),
        ({"sender": "other@home.example"}, "mail cannot leave from other@home.example; this account sends from "),
        ({"message_id": "imap:main:INBOX:1:1:<x@y>"}, "this mail is no longer where it was; search again"),
    ],
)
async def test_an_answer_that_cannot_be_sent_as_it_was_shown_is_not_sent(
    demo_user: UserUnderTest, server: MailServer, change: dict[str, Any], said: str
) -> None:
    await demo_user.deliver(mail("Lunch"))
    args = await demo_user.completed(REPLY, message_id=await demo_user.id_of("Lunch"), body="Yes.")
    result = await demo_user.do(REPLY, **(args | change))
    assert result.error is not None
    assert result.error.message.startswith(said)
    assert result.error.effect is Effect.NONE
    assert server.outgoing == []


async def test_a_draft_lies_in_drafts_and_nothing_leaves(user: UserUnderTest) -> None:
    await user.deliver(mail("Lunch", message_id="<parent@friends.example>"))
    args = await user.completed(DRAFT, message_id=await user.id_of("Lunch"), body="Yes.")
    result = await user.do(DRAFT, **args)
    assert result.data == {"message_id": f"<{TOKEN}@home.example>", "folder": "Drafts"}, result.error
    (draft,) = await user.mailbox("Drafts")
    assert "\\Draft" in draft.flags
    assert b"In-Reply-To: <parent@friends.example>" in draft.raw
    assert [sent for sent in user.host.outgoing if sent.mail_from == user.address] == []


async def test_a_draft_is_found_again_after_a_crash_so_that_there_is_one(user: UserUnderTest) -> None:
    await user.deliver(mail("Lunch"))
    args = await user.completed(DRAFT, message_id=await user.id_of("Lunch"), body="Yes.")
    call = user.call(DRAFT, args, notes=Notes())
    assert (await user.registry.reconcile(call)).settled is Settled.REPEAT
    assert (await user.do(DRAFT, **args)).ok
    settled = await user.registry.reconcile(call)
    assert (settled.settled, settled.data) == (Settled.DONE, {"message_id": f"<{TOKEN}@home.example>"})
    assert (await user.do(DRAFT, **args)).ok
    assert len(await kept(user, "Drafts")) == 1


async def test_a_new_mail_is_drafted_with_its_blind_copies_and_nothing_leaves(user: UserUnderTest) -> None:
    result = await user.do(NEW_DRAFT, **message(bcc=({"address": "mail:secret@friends.example"},)))
    assert result.data == {"message_id": f"<{TOKEN}@home.example>", "folder": "Drafts"}, result.error
    (draft,) = await user.mailbox("Drafts")
    assert "\\Draft" in draft.flags
    written = message_from_bytes(draft.raw, policy=default)
    assert (written["From"], written["To"], written["Bcc"]) == (
        user.address,
        f"Anna <{ANNA}>",
        "secret@friends.example",
    )
    assert (written["Subject"], written.get_content().strip()) == ("Lunch", "At one.")
    assert written["In-Reply-To"] is None
    assert [sent for sent in user.host.outgoing if sent.mail_from == user.address] == []


async def test_a_new_draft_without_text_is_found_again_after_a_crash_so_that_there_is_one(user: UserUnderTest) -> None:
    args = message(body="")
    call = user.call(NEW_DRAFT, args, notes=Notes())
    assert (await user.registry.reconcile(call)).settled is Settled.REPEAT
    assert (await user.do(NEW_DRAFT, **args)).ok
    settled = await user.registry.reconcile(call)
    assert (settled.settled, settled.data) == (Settled.DONE, {"message_id": f"<{TOKEN}@home.example>"})
    assert (await user.do(NEW_DRAFT, **args)).ok
    (draft,) = await kept(user, "Drafts")
    assert message_from_bytes(draft, policy=default).get_content().strip() == ""


def test_a_card_says_that_a_draft_has_no_text_yet(demo_user: UserUnderTest) -> None:
    spec = demo_user.spec(NEW_DRAFT)
    for body, facts in (("", {"Text": "none yet"}), ("At one.", {})):
        values = spec.args.model_validate(message(body=body))
        shown = preview_of(spec, values)
        assert (shown.effect, dict(shown.facts)) == ("Puts a mail into your Drafts; nothing is sent", facts)
        assert left_out(shown, values.model_dump(mode="json")) == ()


async def test_folders_are_those_that_the_owner_names(server: MailServer) -> None:
    user = UserUnderTest(server, mail_context(server, "me"), sent_folder="Archive", drafts_folder="Trash")
    server.put(user.address, mail("Lunch"))
    assert (await user.do(SEND, **message())).ok
    args = await user.completed(DRAFT, message_id=await user.id_of("Lunch"), body="Yes.")
    assert (await user.do(DRAFT, token="1", **args)).ok
    assert (len(await kept(user, "Archive")), len(await kept(user, "Trash"))) == (1, 1)
    assert (len(await kept(user, "Sent")), len(await kept(user, "Drafts"))) == (0, 0)
    await user.module.stop()


async def test_a_dry_run_of_an_answer_or_a_draft_leaves_nothing(demo_user: UserUnderTest, server: MailServer) -> None:
    await demo_user.deliver(mail("Lunch"))
    args = await demo_user.completed(REPLY, message_id=await demo_user.id_of("Lunch"), body="Yes.")
    for tool, given in ((REPLY, args), (DRAFT, args), (NEW_DRAFT, message())):
        call = replace(demo_user.call(tool, given), dry_run=True)
        result = await demo_user.registry.invoke(call)
        assert result.data is not None, result.error
        assert result.data["dry_run"]
    assert (server.outgoing, await kept(demo_user, "Drafts")) == ([], [])
