"""Sending through the stand-in with Google's client library."""

import pytest
from googleapiclient.errors import HttpError

from demo.tests.gmail.clients import send

ANNA = "anna@friends.example"
ME = "me@home.example"


async def test_the_account_is_the_sender_whatever_the_mail_claims(server, me, encoded):
    body = encoded(To=ANNA, From="The Bank <bank@bank.example>")
    await send(me, body)
    assert server.sent_by(ME)[0].message.content.addresses("From") == (ME,)


async def test_a_missing_date_is_set_by_the_providers_clock(server, me, encoded):
    await send(me, encoded(To=ANNA))
    assert server.sent_by(ME)[0].message.content.header("Date") == "Tue, 10 Mar 2026 12:00:00 +0000"


@pytest.mark.parametrize(
    ("given", "kept"), [("<a.1@home.example>", True), ("<a.1@localhost>", False), ("nonsense", False)]
)
async def test_only_a_plausible_message_id_is_kept(server, me, encoded, given, kept):
    await send(me, encoded(To=ANNA, Message_ID=given))
    message_id = server.sent_by(ME)[0].message.content.message_id
    assert (message_id == given) is kept
    assert kept or message_id.endswith("@mail.gmail.com>")


async def test_blind_copies_arrive_but_are_not_named(server, me, encoded):
    await send(me, encoded(To="bob@else.example", Bcc=ANNA))
    (received,) = server.mailbox(ANNA)
    assert received.content.header("Bcc") == ""
    assert server.sent_by(ME)[0].message.content.header("Bcc") == ANNA
    assert server.sent_by(ME)[0].recipients == ("bob@else.example", ANNA)


async def test_a_mail_without_recipient_is_refused(server, me, encoded):
    with pytest.raises(HttpError, match="Recipient address required") as refused:
        await send(me, encoded(Subject="To nobody"))
    assert refused.value.status_code == 400
    assert server.sent_by(ME) == ()


async def test_a_thread_of_another_mailbox_is_refused(server, me, mail, encoded):
    """GM-16."""
    foreign = server.deliver(ANNA, mail(To=ANNA, Subject="Dinner"))
    body = encoded(To=ANNA, Subject="Re: Dinner") | {"threadId": foreign.thread_id}
    with pytest.raises(HttpError) as refused:
        await send(me, body)
    assert refused.value.status_code == 404
    assert server.sent_by(ME) == ()


async def test_a_thread_id_alone_threads_for_the_sender_only(server, me, mail, encoded):
    """GM-15."""
    first = mail(From=ME, To=ANNA, Subject="Dinner", Message_ID="<d1@home.example>")
    mine, hers = server.deliver(ME, first), server.deliver(ANNA, first)
    bare = encoded(To=ANNA, Subject="Re: Dinner") | {"threadId": mine.thread_id}
    answer = await send(me, bare)
    assert answer["threadId"] == mine.thread_id
    assert server.mailbox(ANNA)[0].thread_id != hers.thread_id

    cited = encoded(To=ANNA, Subject="Re: Dinner", In_Reply_To="<d1@home.example>")
    answer = await send(me, cited)
    assert answer["threadId"] == mine.thread_id
    assert server.mailbox(ANNA)[0].thread_id == hers.thread_id
