"""The life of a draft, on which sending at most once is built."""

import pytest
from googleapiclient.errors import HttpError

ANNA = "anna@friends.example"
ME = "me@home.example"


async def create(me, message):
    return await me(lambda users: users.drafts().create(userId="me", body={"message": message}))


async def test_a_sent_draft_is_gone_and_stands_in_sent(server, me, encoded):
    draft = await create(me, encoded("Late.", To=ANNA, Subject="Late", Message_ID="<l1@home.example>"))
    assert draft["message"]["labelIds"] == ["DRAFT"]
    assert server.sent_by(ME) == ()

    sent = await me(lambda users: users.drafts().send(userId="me", body={"id": draft["id"]}))
    assert sent["labelIds"] == ["SENT"]
    assert sent["id"] != draft["message"]["id"]
    assert sent["threadId"] == draft["message"]["threadId"]
    with pytest.raises(HttpError) as gone:
        await me(lambda users: users.drafts().get(userId="me", id=draft["id"], format="metadata"))
    assert gone.value.status_code == 404
    query = "in:sent rfc822msgid:l1@home.example"
    found = await me(lambda users: users.messages().list(userId="me", q=query))
    assert [message["id"] for message in found["messages"]] == [sent["id"]]


async def test_a_draft_is_sent_once_only(server, me, encoded):
    draft = await create(me, encoded(To=ANNA))
    await me(lambda users: users.drafts().send(userId="me", body={"id": draft["id"]}))
    with pytest.raises(HttpError) as refused:
        await me(lambda users: users.drafts().send(userId="me", body={"id": draft["id"]}))
    assert refused.value.status_code == 404
    assert len(server.sent_by(ME)) == 1


async def test_a_draft_that_cannot_be_sent_stays(server, me, encoded):
    draft = await create(me, encoded(Subject="To nobody yet"))
    with pytest.raises(HttpError, match="Recipient address required"):
        await me(lambda users: users.drafts().send(userId="me", body={"id": draft["id"]}))
    listed = await me(lambda users: users.drafts().list(userId="me"))
    assert [entry["id"] for entry in listed["drafts"]] == [draft["id"]]


async def test_a_deleted_draft_leaves_nothing(server, me, encoded):
    draft = await create(me, encoded(To=ANNA))
    assert not await me(lambda users: users.drafts().delete(userId="me", id=draft["id"]))
    assert server.mailbox(ME) == ()
    assert await me(lambda users: users.drafts().list(userId="me")) == {"resultSizeEstimate": 0}


async def test_an_empty_draft_is_refused(me):
    with pytest.raises(HttpError, match="Missing draft message"):
        await me(lambda users: users.drafts().create(userId="me", body={}))
