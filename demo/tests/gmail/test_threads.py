"""What is done to a thread is done to each of its messages."""

import pytest
from googleapiclient.errors import HttpError

ME = "me@home.example"
EVERYTHING = "https://mail.google.com/"


@pytest.fixture
def thread_id(server, mail):
    first = server.deliver(ME, mail("One", To=ME, Subject="Dinner", Message_ID="<1@a.example>"))
    server.deliver(ME, mail("Two", To=ME, Subject="AW: Dinner", In_Reply_To="<1@a.example>"))
    server.deliver(ME, mail("Else", To=ME, Subject="Dinner"))
    return first.thread_id


async def test_a_thread_is_relabelled_trashed_and_brought_back_as_a_whole(server, me, thread_id):
    body = {"addLabelIds": ["STARRED"], "removeLabelIds": ["UNREAD"]}
    changed = await me(lambda users: users.threads().modify(userId="me", id=thread_id, body=body))
    assert [set(message["labelIds"]) for message in changed["messages"]] == [
        {"INBOX", "CATEGORY_PERSONAL", "STARRED"}
    ] * 2
    await me(lambda users: users.threads().trash(userId="me", id=thread_id))
    assert sum("TRASH" in message.label_ids for message in server.mailbox(ME)) == 2
    restored = await me(lambda users: users.threads().untrash(userId="me", id=thread_id))
    assert all({"TRASH", "INBOX"}.isdisjoint(message["labelIds"]) for message in restored["messages"])


async def test_only_full_access_deletes_a_thread_for_good(server, me, connect, thread_id):
    with pytest.raises(HttpError, match="insufficient authentication scopes"):
        await me(lambda users: users.threads().delete(userId="me", id=thread_id))
    owner = connect(server, ME, scopes=[EVERYTHING])
    assert not await owner(lambda users: users.threads().delete(userId="me", id=thread_id))
    assert [message.content.text.strip() for message in server.mailbox(ME)] == ["Else"]
    with pytest.raises(HttpError) as gone:
        await me(lambda users: users.threads().get(userId="me", id=thread_id))
    assert gone.value.status_code == 404


async def test_threads_are_listed_by_their_newest_mail_that_is_found(me, thread_id):
    listed = await me(lambda users: users.threads().list(userId="me", q="subject:dinner"))
    assert [thread["snippet"] for thread in listed["threads"]] == ["Else", "Two"]
    minimal = await me(lambda users: users.threads().get(userId="me", id=thread_id, format="minimal"))
    assert [message["snippet"] for message in minimal["messages"]] == ["One", "Two"]
    assert "payload" not in minimal["messages"][0]
