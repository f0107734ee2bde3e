"""The addresses that an account may send as."""

import pytest
from googleapiclient.errors import HttpError

from demo.tests.gmail.clients import send

ANNA = "anna@friends.example"
ME = "me@home.example"
WORK = "max@work.example"


async def test_the_own_address_comes_first_and_needs_no_verification(server, me):
    server.add_alias(ME, WORK, "Max at work")
    server.add_alias(ME, "new@home.example", verified=False)
    own, work, new = (await me(lambda users: users.settings().sendAs().list(userId="me")))["sendAs"]
    assert (own["sendAsEmail"], own["isPrimary"], own["isDefault"]) == (ME, True, True)
    assert "verificationStatus" not in own
    assert work["displayName"] == "Max at work"
    assert (work["verificationStatus"], new["verificationStatus"]) == ("accepted", "pending")


async def test_a_verified_alias_sends_in_its_own_name_and_gets_the_answers(server, me, encoded, mail):
    """GM-14: in the thread and from the right address."""
    server.add_alias(ME, WORK, "Max at work")
    ticket = server.deliver(WORK, mail(From=ANNA, To=WORK, Subject="Ticket", Message_ID="<t1@friends.example>"))
    assert server.mailbox(ME)[0].id == ticket.id
    body = encoded(To=ANNA, From=WORK, Subject="Re: Ticket", In_Reply_To="<t1@friends.example>")
    sent = await send(me, body | {"threadId": ticket.thread_id})
    assert sent["threadId"] == ticket.thread_id
    assert server.mailbox(ANNA)[0].content.addresses("From") == (WORK,)
    assert server.sent_by(ME)[0].message.content.addresses("From") == (WORK,)
    found = await me(lambda users: users.messages().list(userId="me", q="in:sent"))
    assert [message["id"] for message in found["messages"]] == [sent["id"]]


async def test_an_alias_that_is_not_verified_sends_nothing(server, me, encoded):
    server.add_alias(ME, WORK, verified=False)
    with pytest.raises(HttpError, match="not verified") as refused:
        await send(me, encoded(To=ANNA, From=WORK))
    assert refused.value.status_code == 400
    assert server.sent_by(ME) == ()
    server.add_alias(ME, WORK, verified=True)
    await send(me, encoded(To=ANNA, From=WORK))
    assert len(server.sent_by(ME)) == 1


async def test_mail_to_ones_own_alias_comes_in_once(server, me, encoded):
    server.add_alias(ME, WORK)
    sent = await send(me, encoded(To=WORK))
    assert set(sent["labelIds"]) == {"SENT", "INBOX", "UNREAD"}
    assert len(server.mailbox(ME)) == 1


def test_an_accounts_address_is_nobodys_alias(server):
    with pytest.raises(ValueError, match="belongs to an account already"):
        server.add_alias(ME, ANNA)
