"""Reading, labelling, threads and history."""

import base64

import pytest
from googleapiclient.errors import HttpError

ANNA = "anna@friends.example"
ME = "me@home.example"


def decode(data):
    return base64.urlsafe_b64decode(data)


async def test_the_profile_counts_what_is_there(server, me, mail):
    server.deliver(ME, mail(To=ME, Subject="One"))
    profile = await me(lambda users: users.getProfile(userId="me"))
    assert (profile["emailAddress"], profile["messagesTotal"], profile["threadsTotal"]) == (ME, 1, 1)


async def test_each_format_tells_what_it_should(server, me, mail):
    raw = mail(To=ME, Subject="One", X_Other="x")
    message_id = server.deliver(ME, raw).id

    async def get(**options):
        return await me(lambda users: users.messages().get(userId="me", id=message_id, **options))

    assert decode((await get(format="raw"))["raw"]) == raw.replace(b"\n", b"\r\n")
    metadata = await get(format="metadata", metadataHeaders=["subject"])
    assert metadata["payload"]["headers"] == [{"name": "Subject", "value": "One"}]


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


async def test_the_history_can_be_forgotten_at_once(server, me, mail):
    start = (await me(lambda users: users.getProfile(userId="me")))["historyId"]
    server.deliver(ME, mail(To=ME))
    server.forget_history(ME)
    with pytest.raises(HttpError) as too_old:
        await me(lambda users: users.history().list(userId="me", startHistoryId=start))
    assert too_old.value.status_code == 404


async def test_a_message_that_is_not_there_is_404(me):
    with pytest.raises(HttpError) as missing:
        await me(lambda users: users.messages().get(userId="me", id="18c0000000000099", format="raw"))
    assert (missing.value.status_code, missing.value.error_details[0]["reason"]) == (404, "notFound")
