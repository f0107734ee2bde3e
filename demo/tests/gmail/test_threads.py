"""Threads, as they are listed and read."""

import pytest

ME = "me@home.example"


@pytest.fixture
def thread_id(server, mail):
    first = server.deliver(ME, mail("One", To=ME, Subject="Dinner", Message_ID="<1@a.example>"))
    server.deliver(ME, mail("Two", To=ME, Subject="AW: Dinner", In_Reply_To="<1@a.example>"))
    server.deliver(ME, mail("Else", To=ME, Subject="Dinner"))
    return first.thread_id


async def test_threads_are_listed_by_their_newest_mail_that_is_found(me, thread_id):
    listed = await me(lambda users: users.threads().list(userId="me", q="subject:dinner"))
    assert [thread["snippet"] for thread in listed["threads"]] == ["Else", "Two"]
    thread = await me(lambda users: users.threads().get(userId="me", id=thread_id, format="metadata"))
    assert [message["snippet"] for message in thread["messages"]] == ["One", "Two"]
