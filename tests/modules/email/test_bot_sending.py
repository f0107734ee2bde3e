"""What leaves from the butler's address: once, to whom it says, with a true account of what became of it."""

import re
from dataclasses import replace
from email import message_from_bytes
from email.policy import default
from typing import Any

import pytest

from approvals.reason_words import details_in_words
from butler.contract.errors import Effect, IntegrationErrorCode
from butler.contract.tools import Settled
from butler_demo.mailbox.server import MailServer
from tests.modules.email.mailhost import ANNA, TOKEN, BotUnderTest, Notes, mail
from tests.support.context import MemoryAnswers

SEND = "bot_email_send_message"
REPLY = "bot_email_reply_to_thread"
TO_ANNA = ({"address": f"mail:{ANNA}", "name": "Anna"},)


def message(**fields: Any) -> dict[str, Any]:
    return {"to": TO_ANNA, "subject": "Lunch", "body": "At one."} | fields


async def sent_folder(bot: BotUnderTest) -> list[bytes]:
    return [mail.raw for mail in await bot.mailbox("Sent")]


async def test_a_mail_is_sent_and_a_copy_is_kept(bot: BotUnderTest) -> None:
    notes = Notes()
    result = await bot.do(SEND, notes=notes, **message())
    assert result.data is not None, result.error
    assert result.data["accepted"] == [ANNA]
    assert result.data["refused"] == {}
    assert result.data["message_id"] == f"<{TOKEN}@home.example>"
    (sent,) = await bot.left()
    assert sent.rcpt_tos == (ANNA,)
    parsed = message_from_bytes(sent.raw, policy=default)
    assert parsed["From"].addresses[0].display_name == "Jeeves"
    assert parsed["X-Butler"] == "bot"
    assert parsed.get_content() == "At one.\r\n"
    assert len(await sent_folder(bot)) == 1
    assert notes.stored["stage"] == "accepted"


async def test_sm_07_blind_copies_are_in_the_envelope_and_our_own_copy_only(bot: BotUnderTest) -> None:
    people = {"cc": ({"address": "mail:cc@friends.example"},), "bcc": ({"address": "mail:secret@friends.example"},)}
    result = await bot.do(SEND, **message(**people))
    assert result.ok
    sent = await bot.left()
    everybody = {address for one in sent for address in one.rcpt_tos}
    assert everybody == {ANNA, "cc@friends.example", "secret@friends.example"}
    assert all(b"secret@" not in one.raw.partition(b"\r\nFrom:")[2] for one in sent)
    (copy,) = await sent_folder(bot)
    assert b"Bcc: secret@friends.example" in copy


async def test_an_answer_stays_in_its_thread_and_is_marked_as_automatic(bot: BotUnderTest) -> None:
    await bot.deliver(mail("Lunch", message_id="<parent@friends.example>", References="<root@friends.example>"))
    result = await bot.do(REPLY, message_id="<parent@friends.example>", body="Yes.")
    assert result.ok, result.error
    (sent,) = await bot.left()
    assert sent.field("Subject") == "Re: Lunch"
    assert sent.field("In-Reply-To") == "<parent@friends.example>"
    assert sent.field("References") == "<root@friends.example> <parent@friends.example>"
    assert sent.field("Auto-Submitted") == "auto-replied"
    assert sent.rcpt_tos == (ANNA,)


async def test_sm_08_an_answer_of_the_butlers_to_a_mail_with_in_reply_to_alone_keeps_the_thread(
    demo_bot: BotUnderTest,
) -> None:
    await demo_bot.deliver(mail("Lunch", message_id="<c@friends.example>", In_Reply_To="<b@home.example>"))
    assert (await demo_bot.do(REPLY, message_id="<c@friends.example>", body="Yes.")).ok
    (sent,) = await demo_bot.left()
    assert sent.field("References") == "<b@home.example> <c@friends.example>"
    assert sent.field("In-Reply-To") == "<c@friends.example>"


async def test_sm_10_24_the_butler_answers_neither_reply_to_nor_everybody(demo_bot: BotUnderTest) -> None:
    everybody = {"Reply_To": "robot@shop.example", "Cc": "x@a.example, y@a.example"}
    await demo_bot.deliver(mail(message_id="<r@friends.example>", **everybody))
    result = await demo_bot.do(REPLY, message_id="<r@friends.example>", body="Yes.")
    assert result.data is not None, result.error
    assert result.data["accepted"] == [ANNA]
    (sent,) = await demo_bot.left()
    assert (sent.rcpt_tos, sent.field("To"), sent.field("Cc")) == ((ANNA,), ANNA, "")


async def test_an_answer_quotes_the_mail_and_says_the_same_as_html(demo_bot: BotUnderTest) -> None:
    await demo_bot.deliver(mail("Lunch", "At one?\r\n> at noon\r\n<b>x</b>", message_id="<q@friends.example>"))
    assert (await demo_bot.do(REPLY, message_id="<q@friends.example>", body="Yes.\n")).ok
    (sent,) = await demo_bot.left()
    plain, html = message_from_bytes(sent.raw, policy=default).iter_parts()
    answer, attribution, *quote = plain.get_content().replace("\r\n\r\n", "\r\n").splitlines()
    assert (answer, quote) == ("Yes.", ["> At one?", ">> at noon", "> <b>x</b>"])
    assert re.fullmatch(rf"On \w{{3}}, \d+ \w{{3}} \d{{4}} at \d\d:\d\d, {ANNA} wrote:", attribution)
    page = html.get_content()
    assert page.count("<blockquote") == 2
    assert "&lt;b&gt;x&lt;/b&gt;" in page


@pytest.mark.parametrize(
    ("headers", "why"),
    [
        ({"Auto_Submitted": "auto-replied"}, "says that a machine sent it"),
        ({"List_Id": "<l.x.example>"}, "came over a mailing list"),
        ({"From": "No <no-reply@shop.example>"}, "was sent by a machine"),
        ({"X_Butler": "bot"}, "was sent by a butler"),
        ({"From": "Butler <butler@home.example>"}, "comes from the butler's own address"),
    ],
)
async def test_sm_02_03_a_mail_that_is_never_answered_is_refused_in_a_sentence(
    demo_bot: BotUnderTest, headers: dict[str, str], why: str
) -> None:
    if "butler@" in headers.get("From", ""):
        headers = {"From": f"Butler <{demo_bot.address}>"}
    await demo_bot.deliver(mail(message_id="<never@friends.example>", **headers))
    result = await demo_bot.do(REPLY, message_id="<never@friends.example>", body="Yes.")
    assert result.error is not None
    assert (result.error.code, result.error.effect) == (IntegrationErrorCode.REJECTED, Effect.NONE)
    assert result.error.message == f"this mail is never answered by a machine: it {why}"
    assert demo_bot.host.outgoing == []
    # It is refused before anybody is asked, too.
    complete = demo_bot.spec(REPLY).complete
    assert complete is not None
    before = await complete(demo_bot.call(REPLY, {"message_id": "<never@friends.example>", "body": "Yes."}))
    assert before.error == result.error


async def test_a_card_says_whom_an_answer_of_the_butlers_goes_to(demo_bot: BotUnderTest) -> None:
    await demo_bot.deliver(mail(message_id="<m@friends.example>", Reply_To="eve@evil.example"))
    args = await demo_bot.completed(REPLY, message_id="<m@friends.example>", body="Yes.")
    preview = demo_bot.spec(REPLY).preview
    assert preview is not None
    shown = preview(demo_bot.spec(REPLY).args.model_validate(args))
    assert [person.address for person in shown.recipients] == [f"mail:{ANNA}"]
    complete = demo_bot.spec(REPLY).complete
    assert complete is not None
    gone = await complete(demo_bot.call(REPLY, {"message_id": "<gone@friends.example>", "body": "Yes."}))
    assert gone.error is not None


async def test_sm_04_an_answer_is_counted_before_it_leaves_and_a_second_try_is_the_same(demo_bot: BotUnderTest) -> None:
    answers = demo_bot.context.inbox.answers
    assert isinstance(answers, MemoryAnswers)
    await demo_bot.deliver(mail(message_id="<m@friends.example>", References="<root@friends.example>"))
    args: dict[str, Any] = {"message_id": "<m@friends.example>", "body": "Yes."}
    dry = await demo_bot.registry.invoke(replace(demo_bot.call(REPLY, args), dry_run=True))
    assert (dry.ok, answers.noted) == (True, {})
    assert (await demo_bot.do(REPLY, **args)).ok
    assert answers.noted == {TOKEN: (ANNA, "mail:<root@friends.example>")}
    answers.refuse_with = "this conversation had 1 automatic answer within a day"
    refused = await demo_bot.do(REPLY, token="7", **args)
    assert refused.error is not None
    assert refused.error.message == f"this mail is not answered: {answers.refuse_with}"
    assert len(demo_bot.host.outgoing) == 1


async def test_an_answer_goes_to_nobody_but_the_writer(bot: BotUnderTest) -> None:
    await bot.deliver(mail(message_id="<m@friends.example>", Reply_To="thief@evil.example", Cc="x@evil.example"))
    refused = await bot.do(
        REPLY, message_id="<m@friends.example>", body="Yes.", to=({"address": "mail:x@evil.example"},)
    )
    assert refused.error is not None
    assert refused.error.message == f"this mail was written by {ANNA}, nobody else"
    assert (await bot.do(REPLY, message_id="<m@friends.example>", body="Yes.", to=TO_ANNA)).ok
    (sent,) = await bot.left()
    assert sent.rcpt_tos == (ANNA,)


async def test_an_answer_to_a_mail_that_is_not_there_is_refused(bot: BotUnderTest) -> None:
    result = await bot.do(REPLY, message_id="<nowhere@friends.example>", body="Yes.")
    assert result.error is not None
    assert result.error.code is IntegrationErrorCode.NOT_FOUND


async def test_an_attachment_goes_by_what_it_is(bot: BotUnderTest) -> None:
    digest = await bot.context.storage.blobs.put(b"%PDF-1.7")
    file = {"name": "menü.pdf", "size": 8, "sha256": digest, "media_type": "application/pdf"}
    assert (await bot.do(SEND, **message(attachments=(file,)))).ok
    (sent,) = await bot.left()
    (part,) = message_from_bytes(sent.raw, policy=default).iter_attachments()
    assert (part.get_filename(), part.get_content_type(), part.get_content()) == (
        "menü.pdf",
        "application/pdf",
        b"%PDF-1.7",
    )


async def test_a_file_that_is_gone_is_named(demo_bot: BotUnderTest) -> None:
    file = {"name": "gone.pdf", "size": 1, "sha256": "0" * 64}
    result = await demo_bot.do(SEND, **message(attachments=(file,)))
    assert result.error is not None
    assert result.error.message == "the file 'gone.pdf' is not there any more"


async def test_sm_15_refused_recipients_are_reported_one_by_one(bot: BotUnderTest) -> None:
    bot.host.refuse("nobody@friends.example")
    people = (*TO_ANNA, {"address": "mail:nobody@friends.example"})
    result = await bot.do(SEND, **message(to=people))
    assert result.data is not None
    assert result.data["accepted"] == [ANNA]
    assert result.data["refused"]["nobody@friends.example"].startswith("550 ")
    (sent,) = await bot.left()
    assert sent.rcpt_tos == (ANNA,)


async def test_sm_15_nothing_is_kept_of_a_mail_that_nobody_was_sent(bot: BotUnderTest) -> None:
    bot.host.refuse("nobody@friends.example")
    result = await bot.do(SEND, **message(to=({"address": "mail:nobody@friends.example"},)))
    assert result.error is not None
    assert result.error.code is IntegrationErrorCode.REJECTED
    assert result.error.effect is Effect.NONE
    assert "nobody@friends.example: 550" in result.error.message
    assert await sent_folder(bot) == []


async def test_sm_12_a_connection_that_dies_after_data_is_never_repeated(
    demo_bot: BotUnderTest, server: MailServer
) -> None:
    server.fail_smtp("after_data", None)
    notes = Notes()
    result = await demo_bot.do(SEND, notes=notes, **message())
    assert result.error is not None
    assert result.error.effect is Effect.UNKNOWN
    assert len(server.outgoing) == 1
    settled = await demo_bot.registry.reconcile(demo_bot.call(SEND, message(), notes=notes))
    assert settled.settled is Settled.UNKNOWN
    assert len(server.outgoing) == 1


@pytest.mark.parametrize("stage", ["connect", "mail", "rcpt"])
async def test_sm_12_what_was_cut_off_before_the_body_is_tried_again_and_sent_once(
    demo_bot: BotUnderTest, server: MailServer, stage: Any
) -> None:
    server.fail_smtp(stage, None)
    result = await demo_bot.do(SEND, notes=Notes(), **message())
    assert result.ok, result.error
    assert len(server.outgoing) == 1


@pytest.mark.parametrize("stage", ["connect", "auth", "mail", "rcpt", "data"])
async def test_sm_12_a_server_that_asks_to_wait_is_not_asked_again_at_once(
    demo_bot: BotUnderTest, server: MailServer, stage: Any
) -> None:
    server.fail_smtp(stage, 451, "4.7.1 Greylisted", times=None)
    notes = Notes()
    result = await demo_bot.do(SEND, notes=notes, **message())
    assert result.error is not None
    assert (result.error.effect, result.error.deferred) == (Effect.NONE, True)
    assert "the mail server asked to wait (" in result.error.message
    assert sum(call.method_id == "smtp_imap.outbox.send.v1" for call in demo_bot.probe.calls) == 1
    assert server.outgoing == []
    server.clear_faults()
    assert (await demo_bot.do(SEND, notes=notes, **message())).ok
    assert len(server.outgoing) == 1
    assert len(await sent_folder(demo_bot)) == 1


async def test_sm_12_the_tries_before_the_body_are_bounded(demo_bot: BotUnderTest, server: MailServer) -> None:
    server.fail_smtp("rcpt", None, times=None)
    notes = Notes()
    result = await demo_bot.do(SEND, notes=notes, **message())
    assert result.error is not None
    assert (result.error.code, result.error.effect) == (IntegrationErrorCode.UNAVAILABLE, Effect.NONE)
    assert result.error.deferred
    assert sum(call.method_id == "smtp_imap.outbox.send.v1" for call in demo_bot.probe.calls) == 3
    assert server.outgoing == []
    settled = await demo_bot.registry.reconcile(demo_bot.call(SEND, message(), notes=notes))
    assert settled.settled is Settled.REPEAT


async def test_sm_14_a_copy_that_fails_does_not_fail_the_send(demo_bot: BotUnderTest, server: MailServer) -> None:
    server.fail_imap("APPEND", "NO", "[OVERQUOTA] Full", times=None)
    notes = Notes()
    result = await demo_bot.do(SEND, notes=notes, **message())
    assert result.data is not None
    assert result.data["accepted"] == [ANNA]
    assert result.data["copy"].startswith("not kept")
    settled = await demo_bot.registry.reconcile(demo_bot.call(SEND, message(), notes=notes))
    assert settled.settled is Settled.DONE
    assert len(server.outgoing) == 1


async def test_sm_14_a_mail_that_was_accepted_and_cut_off_gets_its_copy_once(
    demo_bot: BotUnderTest, server: MailServer
) -> None:
    server.fail_imap("APPEND", "NO", "Later", times=None)
    notes = Notes()
    assert (await demo_bot.do(SEND, notes=notes, **message(bcc=({"address": "mail:b@friends.example"},)))).ok
    assert await sent_folder(demo_bot) == []
    server.clear_faults()
    for _ in range(2):
        settled = await demo_bot.registry.reconcile(demo_bot.call(SEND, message(), notes=notes))
        assert (settled.settled, details_in_words(settled.detail)) == (
            Settled.DONE,
            "The mail server had accepted the mail.",
        )
    (copy,) = await sent_folder(demo_bot)
    assert f"Message-ID: <{TOKEN}@home.example>\r\n".encode() in copy
    assert b"Bcc: b@friends.example" in copy


async def test_sm_14_a_copy_whose_laying_was_cut_off_is_looked_for_and_laid_once(
    demo_bot: BotUnderTest, server: MailServer
) -> None:
    server.fail_imap("APPEND", "DROP", "", times=1)
    result = await demo_bot.do(SEND, notes=Notes(), **message())
    assert result.data is not None
    assert (result.data["copy"], result.meta.remark) == ("kept in Sent", ())
    assert len(await sent_folder(demo_bot)) == 1


async def test_sm_15_the_owner_is_told_who_was_not_reached(demo_bot: BotUnderTest, server: MailServer) -> None:
    server.refuse("nobody@friends.example")
    server.fail_imap("APPEND", "NO", "[OVERQUOTA] Full", times=None)
    people, notes = (*TO_ANNA, {"address": "mail:nobody@friends.example"}), Notes()
    result = await demo_bot.do(SEND, notes=notes, **message(to=people))
    told, copy = details_in_words(result.meta.remark).split(". A copy was ")
    assert told.startswith("The mail server did not take it for nobody@friends.example: 550 ")
    assert copy.startswith("not kept: ")
    settled = await demo_bot.registry.reconcile(demo_bot.call(SEND, message(to=people), notes=notes))
    assert "A copy was not kept: " in details_in_words(settled.detail)
    assert "It did not take it for nobody@friends.example (550 " in details_in_words(settled.detail)


async def test_a_copy_in_sent_proves_a_send_whose_record_was_lost(demo_bot: BotUnderTest) -> None:
    assert (await demo_bot.do(SEND, notes=Notes(), **message())).ok
    cut_off = Notes({"stage": "data"})
    settled = await demo_bot.registry.reconcile(demo_bot.call(SEND, message(), notes=cut_off))
    assert settled.settled is Settled.DONE


async def test_what_was_not_handed_over_may_be_repeated(demo_bot: BotUnderTest) -> None:
    settled = await demo_bot.registry.reconcile(demo_bot.call(SEND, message(), notes=Notes()))
    assert settled.settled is Settled.REPEAT


async def test_a_refused_body_leaves_no_doubt(demo_bot: BotUnderTest, server: MailServer) -> None:
    server.fail_smtp("data", 554, "5.7.1 Looks like spam")
    notes = Notes()
    result = await demo_bot.do(SEND, notes=notes, **message())
    assert result.error is not None
    assert (result.error.code, result.error.effect) == (IntegrationErrorCode.REJECTED, Effect.NONE)
    assert "Looks like spam" in result.error.message
    settled = await demo_bot.registry.reconcile(demo_bot.call(SEND, message(), notes=notes))
    assert settled.settled is Settled.REPEAT


async def test_a_dry_run_sends_nothing(demo_bot: BotUnderTest, server: MailServer) -> None:
    result = await demo_bot.registry.invoke(replace(demo_bot.call(SEND, message()), dry_run=True))
    assert result.data is not None
    assert result.data["dry_run"]
    assert server.outgoing == []


async def test_the_recipients_are_on_disk_before_the_body_leaves(demo_bot: BotUnderTest, server: MailServer) -> None:
    seen: list[tuple[int, dict[str, str]]] = []

    class Watching(Notes):
        async def save(self, **notes: str) -> None:
            seen.append((len(server.outgoing), notes))
            await super().save(**notes)

    server.refuse("nobody@friends.example")
    people = (*TO_ANNA, {"address": "mail:nobody@friends.example"})
    await demo_bot.do(SEND, notes=Watching(), **message(to=people))
    (_, copy), (out, notes) = seen[:2]
    assert list(copy) == ["copy"]
    assert out == 0
    assert notes["stage"] == "data"
    assert notes["accepted"] == ANNA
    assert notes["refused"].startswith("nobody@friends.example (550")
