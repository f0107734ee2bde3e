"""The person's Gmail: what is found is counted truly; what is sent in their name is sent once, or told as unclear."""

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from approvals.reason_words import details_in_words
from butler.contract.errors import Effect, IntegrationErrorCode, Retryable
from butler.contract.names import ApprovalDefault
from butler.contract.tools import Settled
from butler_demo.gmail.records import MessageIdPolicy
from modules.email.args import SearchMailArgs, UserSendArgs, preview_user_send
from modules.email.config import EmailSettings
from modules.email.gmail.query import query_of
from modules.email.module import EmailModule
from tests.modules.email.gmail_account import ME, GmailUnderTest, gmail_account, gmail_server
from tests.modules.email.mailhost import ANNA, TOKEN, Notes, mail
from tests.support.context import make_context

SEND = "user_email_send_message"
SEARCH = "user_email_search_inbox"
READ = "user_email_read_message"
MESSAGE: dict[str, Any] = {"to": ({"address": f"mail:{ANNA}", "name": "Anna"},), "subject": "Lunch", "body": "At one."}


@pytest.fixture
async def user() -> AsyncIterator[GmailUnderTest]:
    async with gmail_account() as under_test:
        yield under_test


async def test_a_mail_is_sent_once_through_a_draft_whose_id_is_noted_first(user: GmailUnderTest) -> None:
    sent_when_noted: list[int] = []

    class Watching(Notes):
        async def save(self, **notes: str) -> None:
            sent_when_noted.append(len(user.server.sent_by(ME)))
            await super().save(**notes)

    notes = Watching()
    bcc = ({"address": "mail:secret@friends.example"},)
    result = await user.do(SEND, notes=notes, **MESSAGE, bcc=bcc)
    assert result.data is not None, result.error
    (sent,) = user.server.sent_by(ME)
    assert set(sent.recipients) == {ANNA, "secret@friends.example"}
    assert b"X-Butler-Call: " + TOKEN.encode() in sent.message.raw
    assert b"X-Butler: user" in sent.message.raw
    assert b"Auto-Submitted" not in sent.message.raw
    assert notes.stored["draft_id"] == result.data["draft_id"]
    assert set(sent_when_noted) == {0}
    assert user.drafts() == 0


async def test_sending_in_the_persons_name_always_asks(user: GmailUnderTest) -> None:
    spec = user.registry.spec(SEND)
    assert spec.approval_default is ApprovalDefault.ALWAYS
    assert spec.preview is not None
    bcc = ({"address": "mail:b@x.example"},)
    shown = spec.preview(spec.args.model_validate(MESSAGE | {"bcc": bcc}))
    assert [recipient.address for recipient in shown.recipients] == [f"mail:{ANNA}", "mail:b@x.example"]
    assert ("Bcc", "b@x.example") in shown.facts
    assert (shown.subject, shown.body) == ("Lunch", "At one.")


async def test_a_dry_run_leaves_no_draft(user: GmailUnderTest) -> None:
    result = await user.registry.invoke(replace(user.call(SEND, MESSAGE), dry_run=True))
    assert result.data is not None
    assert result.data["dry_run"]
    assert user.drafts() == 0


@pytest.mark.parametrize("policy", list(MessageIdPolicy))
async def test_a_send_whose_answer_was_lost_is_found_in_sent(policy: MessageIdPolicy) -> None:
    async with gmail_server(message_ids=policy) as server:
        user = GmailUnderTest(server)
        server.fail("gmail.users.drafts.send", 500, "backendError", after_effect=True)
        notes = Notes()
        result = await user.do(SEND, notes=notes, **MESSAGE)
        assert result.error is not None
        assert result.error.effect is Effect.UNKNOWN
        assert len(server.sent_by(ME)) == 1
        settled = await user.registry.reconcile(user.call(SEND, MESSAGE, notes))
        assert settled.settled is Settled.DONE
        assert len(server.sent_by(ME)) == 1
        await user.module.stop()


async def test_a_draft_that_is_still_there_was_probably_not_sent(user: GmailUnderTest) -> None:
    user.server.fail("gmail.users.drafts.send", 503, "backendError")
    notes = Notes()
    result = await user.do(SEND, notes=notes, **MESSAGE)
    assert result.error is not None
    assert (result.error.code, result.error.effect) == (IntegrationErrorCode.UNAVAILABLE, Effect.UNKNOWN)
    settled = await user.registry.reconcile(user.call(SEND, MESSAGE, notes))
    assert settled.settled is Settled.UNKNOWN
    assert details_in_words(settled.detail) == "It was probably not sent; the draft is in your Drafts."


async def test_a_draft_that_is_gone_without_a_trace_is_unclear(user: GmailUnderTest) -> None:
    settled = await user.registry.reconcile(user.call(SEND, MESSAGE, Notes({"draft_id": "r123"})))
    assert settled.settled is Settled.UNKNOWN


async def test_a_cut_off_before_the_id_was_noted_leaves_one_draft_at_most(user: GmailUnderTest) -> None:
    user.server.fail("gmail.users.drafts.send", 503, "backendError")
    await user.do(SEND, **MESSAGE)
    assert user.drafts() == 1
    settled = await user.registry.reconcile(user.call(SEND, MESSAGE, Notes()))
    assert settled.settled is Settled.REPEAT
    assert user.drafts() == 0


async def test_a_draft_whose_answer_was_lost_is_used_and_not_made_again(user: GmailUnderTest) -> None:
    user.server.fail("gmail.users.drafts.create", 500, "backendError", after_effect=True)
    result = await user.do(SEND, notes=Notes(), **MESSAGE)
    assert result.ok, result.error
    assert len(user.server.sent_by(ME)) == 1
    assert user.drafts() == 0


async def test_a_draft_that_could_not_be_made_had_no_effect(user: GmailUnderTest) -> None:
    user.server.fail("gmail.users.drafts.create", 503, "backendError")
    result = await user.do(SEND, notes=Notes(), **MESSAGE)
    assert result.error is not None
    assert result.error.effect is Effect.NONE
    assert user.server.sent_by(ME) == ()


async def test_while_gmail_is_away_the_question_waits(user: GmailUnderTest) -> None:
    user.server.fail("gmail.users.drafts.get", 503, "backendError", times=9)
    with pytest.raises(Retryable):
        await user.registry.reconcile(user.call(SEND, MESSAGE, Notes({"draft_id": "r123"})))


async def test_gm_06_the_count_is_a_count_of_ids(user: GmailUnderTest) -> None:
    for number in range(3):
        user.server.deliver(ME, mail(f"Invoice {number}"))
    user.server.deliver(ME, mail("Lunch"))
    result = await user.do(SEARCH, subject="Invoice", limit=1)
    assert result.data is not None, result.error
    assert (result.data["count"], result.data["complete"]) == (3, True)
    (message,) = result.data["messages"]
    assert (message["from"], message["from_name"], message["unread"]) == (ANNA, "Anna", True)


async def test_gm_06_beyond_what_is_counted_it_says_at_least(
    user: GmailUnderTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("modules.email.gmail.user_mailbox.MOST_COUNTED", 2)
    for number in range(5):
        user.server.deliver(ME, mail(f"Invoice {number}"))
    result = await user.do(SEARCH, subject="Invoice")
    assert result.data is not None, result.error
    assert (result.data["count"], result.data["complete"]) == (2, False)
    assert result.data["reason"] == "there are more than 2 such mails"


async def test_nothing_found_has_a_reason(user: GmailUnderTest) -> None:
    result = await user.do(SEARCH, words="unheard-of")
    assert result.error is not None
    assert result.error.code is IntegrationErrorCode.NOT_FOUND
    assert result.error.message == "no mail in the mailbox matches"


def test_a_search_says_what_kind_of_mails() -> None:
    query = query_of(SearchMailArgs(unread=True, attachment=True, starred=True, important=True), ZoneInfo("UTC"))
    assert query == "is:unread is:starred is:important has:attachment {in:inbox -in:sent} -in:drafts"


def test_a_note_is_the_beginning_of_a_mail() -> None:
    args = {"to": [{"address": f"mail:{ANNA}"}], "subject": "Fwd: Lunch", "body": "---- Forwarded ----"}
    sent = UserSendArgs.model_validate(args | {"note": "Please answer him."})
    assert (sent.note, sent.body) == ("", "Please answer him.\n\n---- Forwarded ----")
    assert UserSendArgs.model_validate(sent.model_dump()) == sent
    assert "Please answer him." in preview_user_send(sent).body


async def test_a_mail_is_read_and_stays_unread(user: GmailUnderTest) -> None:
    user.server.deliver(ME, mail("Grüße", "At one?"))
    found = await user.do(SEARCH, sender=f"mail:{ANNA}", unread=True, since="2020-01-01")
    assert found.data is not None, found.error
    result = await user.do(READ, message_id=found.data["messages"][0]["message_id"])
    assert result.data is not None, result.error
    assert result.data["message"]["text"] == "At one?"
    assert result.data["message"]["subject"] == "Grüße"
    assert all(message.unread for message in user.server.mailbox(ME))


async def test_what_the_person_sent_is_not_what_they_got(user: GmailUnderTest) -> None:
    await user.do(SEND, **MESSAGE)
    user.server.deliver(ME, mail("Re: Lunch"))
    result = await user.do(SEARCH, words="lunch")
    assert result.data is not None
    assert [message["from"] for message in result.data["messages"]] == [ANNA]


async def test_a_search_may_be_in_one_place_alone(user: GmailUnderTest) -> None:
    lies = {
        "inbox": ("INBOX", "UNREAD"),
        "archive": ("UNREAD",),
        "sent": ("SENT",),
        "drafts": ("DRAFT",),
        "spam": ("SPAM",),
        "trash": ("TRASH",),
    }
    for place, labels in lies.items():
        user.server.deliver(ME, mail(place), labels=labels)
    for place in lies:
        result = await user.do(SEARCH, place=place)
        assert result.data is not None, result.error
        assert [one["subject"] for one in result.data["messages"]] == [place]
    result = await user.do(SEARCH)
    assert result.data is not None
    assert sorted(one["subject"] for one in result.data["messages"]) == ["archive", "inbox"]


async def test_gm_13_a_403_for_the_rate_is_tried_again(user: GmailUnderTest) -> None:
    user.server.deliver(ME, mail())
    user.server.fail("gmail.users.messages.list", 403, "rateLimitExceeded")
    assert (await user.do(SEARCH)).ok
    user.server.fail("gmail.users.messages.list", 403, "rateLimitExceeded", times=9)
    result = await user.do(SEARCH)
    assert result.error is not None
    assert (result.error.code, result.error.retriable) == (IntegrationErrorCode.RATE_LIMITED, True)


async def test_gm_13_a_403_for_a_permission_is_final(user: GmailUnderTest) -> None:
    user.server.fail("gmail.users.messages.list", 403, "insufficientPermissions", times=9)
    result = await user.do(SEARCH)
    assert result.error is not None
    assert (result.error.code, result.error.retriable) == (IntegrationErrorCode.FORBIDDEN, False)
    assert sum(call.method_id == "gmail.messages.list.v1" for call in user.probe.calls) == 1


async def test_gm_13_a_429_says_how_long(user: GmailUnderTest) -> None:
    user.server.fail("gmail.users.messages.list", 429, "rateLimitExceeded", times=9, retry_after=120)
    result = await user.do(SEARCH)
    assert result.error is not None
    assert (result.error.code, result.error.retry_after_s) == (IntegrationErrorCode.RATE_LIMITED, 120)


async def test_a_revoked_sign_in_says_what_to_do(user: GmailUnderTest) -> None:
    user.server.revoke(ME)
    result = await user.do(SEARCH)
    assert result.error is not None
    assert result.error.code is IntegrationErrorCode.AUTH_REQUIRED
    assert result.error.message == "Google no longer accepts the sign-in; run `butler login gmail`"
    check, *_ = await user.module.checks()
    assert not check.ok
    assert "docs/how-to/connect-mail.md" in check.todo


async def test_a_mail_that_is_not_there_is_said_so(user: GmailUnderTest) -> None:
    result = await user.do(READ, message_id="ffffffffffffffff")
    assert result.error is not None
    assert result.error.code is IntegrationErrorCode.NOT_FOUND


async def test_an_outage_is_no_empty_mailbox(user: GmailUnderTest) -> None:
    user.server.go_offline()
    result = await user.do(SEARCH)
    assert result.error is not None
    assert result.error.code is IntegrationErrorCode.UNAVAILABLE


async def test_credentials_that_are_no_credentials_are_named(user: GmailUnderTest) -> None:
    context = make_context(secrets={"USER_EMAIL_OAUTH_JSON": "not json"})
    module = EmailModule(EmailSettings.model_validate({"user": {"api_root": user.server.url}}), context)
    check, *_ = await module.checks()
    assert check.detail == "USER_EMAIL_OAUTH_JSON holds no consent; run `butler login gmail`"
    await module.stop()


async def test_doctor_sees_who_is_signed_in(user: GmailUnderTest) -> None:
    check, *_ = await user.module.checks()
    assert check.ok
    assert check.detail == f"signed in as {ME}"
