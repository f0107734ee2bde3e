"""Reading, labelling, threads and history."""

import pytest
from googleapiclient.errors import HttpError

ANNA = "anna@friends.example"
ME = "me@home.example"


async def test_replies_are_threaded_by_reference_and_subject(server, me, mail):
    first = server.deliver(ME, mail("One", From=ANNA, To=ME, Subject="Dinner", Message_ID="<1@a.example>"))
    server.deliver(ME, mail("Two", From=ANNA, To=ME, Subject="Re: Dinner", References="<0@x.example> <1@a.example>"))
    other = server.deliver(ME, mail("No", From=ANNA, To=ME, Subject="Else", In_Reply_To="<1@a.example>"))

    thread = await me(lambda users: users.threads().get(userId="me", id=first.thread_id, format="metadata"))
    assert [message["snippet"] for message in thread["messages"]] == ["One", "Two"]
    listed = await me(lambda users: users.threads().list(userId="me", q="from:anna"))
    assert {entry["id"] for entry in listed["threads"]} == {first.thread_id, other.thread_id}


async def test_a_batch_takes_a_thousand_ids_and_no_more(server, me, mail):
    """GM-09."""
    ids = [server.deliver(ME, mail(To=ME)).id for _ in range(3)]
    body = {"ids": [*ids, "0" * 16], "removeLabelIds": ["INBOX"]}
    assert not await me(lambda users: users.messages().batchModify(userId="me", body=body))
    assert not any("INBOX" in message.label_ids for message in server.mailbox(ME))
    too_many = {"ids": ["0" * 16] * 1001, "removeLabelIds": ["UNREAD"]}
    with pytest.raises(HttpError, match="Too many"):
        await me(lambda users: users.messages().batchModify(userId="me", body=too_many))
