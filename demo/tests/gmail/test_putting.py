"""Mails put into the mailbox without being sent, and mails deleted for good."""

import pytest
from googleapiclient.errors import HttpError

from demo.tests.gmail.test_uploads import upload

ME = "me@home.example"
EVERYTHING = "https://mail.google.com/"


async def test_an_inserted_mail_has_the_labels_given_and_the_date_of_its_header(server, me, encoded):
    body = encoded(To=ME, Subject="Old", Date="Thu, 01 Jan 2015 12:00:00 +0000") | {"labelIds": ["STARRED"]}
    put = await me(lambda users: users.messages().insert(userId="me", body=body, internalDateSource="dateHeader"))
    assert put["labelIds"] == ["STARRED"]
    assert server.mailbox(ME)[0].received.year == 2015
    assert server.sent_by(ME) == ()


async def test_an_imported_mail_comes_in_like_any_other_and_in_its_thread(server, me, mail):
    first = server.deliver(ME, mail(To=ME, Subject="Dinner", Message_ID="<1@a.example>"))
    media = upload(mail(To=ME, Subject="Re: Dinner", In_Reply_To="<1@a.example>"))
    put = await me(lambda users: users.messages().import_(userId="me", media_body=media))
    assert put["threadId"] == first.thread_id
    assert {"INBOX", "UNREAD"} <= set(put["labelIds"])


async def test_a_label_that_is_not_there_keeps_a_mail_out(server, me, encoded):
    body = encoded(To=ME) | {"labelIds": ["Label_5"]}
    with pytest.raises(HttpError, match="Invalid label: Label_5"):
        await me(lambda users: users.messages().insert(userId="me", body=body))
    assert server.mailbox(ME) == ()


async def test_mails_are_deleted_for_good_singly_and_by_the_thousand(server, connect, me, mail):
    ids = [server.deliver(ME, mail(To=ME)).id for _ in range(3)]
    owner = connect(server, ME, scopes=[EVERYTHING])
    assert not await owner(lambda users: users.messages().delete(userId="me", id=ids[0]))
    with pytest.raises(HttpError, match="Too many"):
        await owner(lambda users: users.messages().batchDelete(userId="me", body={"ids": ids * 500}))
    assert len(server.mailbox(ME)) == 2
    assert not await owner(lambda users: users.messages().batchDelete(userId="me", body={"ids": ids}))
    assert server.mailbox(ME) == ()
    with pytest.raises(HttpError, match="insufficient authentication scopes"):
        await me(lambda users: users.messages().delete(userId="me", id=ids[0]))
