"""Catching up by history: kinds, labels, pages, and what is forgotten."""

import pytest
from googleapiclient.errors import HttpError

ME = "me@home.example"


async def history(me, start, **options):
    return await me(lambda users: users.history().list(userId="me", startHistoryId=str(start), **options))


@pytest.fixture
async def start(server, me, mail):
    """The id before a mail came, was read, was filed away, and another came and was deleted."""
    start = (await me(lambda users: users.getProfile(userId="me")))["historyId"]
    first = server.deliver(ME, mail(To=ME, Subject="One"))
    server.relabel(ME, first.id, remove=["UNREAD"])
    server.relabel(ME, first.id, add=["STARRED"], remove=["INBOX"])
    second = server.deliver(ME, mail(To=ME, Subject="Two"), labels=["SPAM"])
    server.delete(ME, second.id)
    return start


KINDS = ("messagesAdded", "messagesDeleted", "labelsAdded", "labelsRemoved")


def kinds(changes):
    return [kind for entry in changes.get("history", []) for kind in KINDS if kind in entry]


async def test_every_change_is_told_once_and_in_order(me, start):
    changes = await history(me, start)
    assert kinds(changes) == [
        "messagesAdded",
        "labelsRemoved",
        "labelsAdded",
        "labelsRemoved",
        "messagesAdded",
        "messagesDeleted",
    ]
    ids = [int(entry["id"]) for entry in changes["history"]]
    assert ids == sorted(set(ids))
    assert kinds(await history(me, changes["historyId"])) == []


async def test_changes_are_picked_by_kind(me, start):
    assert kinds(await history(me, start, historyTypes=["messageDeleted"])) == ["messagesDeleted"]


async def test_pages_hold_every_change_once(me, start):
    whole, page, token = [], {}, None
    while not whole or token:
        page = await history(me, start, maxResults=2, **({"pageToken": token} if token else {}))
        whole += page["history"]
        token = page.get("nextPageToken")
    assert len({entry["id"] for entry in whole}) == 6


async def test_an_id_is_too_old_once_a_change_after_it_is_a_week_old(me, start, clock, server, mail):
    clock.advance(days=6)
    kept = server.deliver(ME, mail(To=ME)).history_id
    clock.advance(days=1, seconds=1)
    with pytest.raises(HttpError) as too_old:
        await history(me, start)
    assert too_old.value.status_code == 404
    assert kinds(await history(me, kept)) == []
    clock.advance(days=30)
    assert kinds(await history(me, kept)) == []


async def test_an_id_that_nobody_handed_out_is_404(me, start):
    for unknown in ("1", "999999"):
        with pytest.raises(HttpError) as refused:
            await history(me, unknown)
        assert refused.value.status_code == 404


async def test_a_push_subscription_is_answered_and_ends(server, me, clock):
    body = {"topicName": "projects/demo/topics/mail"}
    answer = await me(lambda users: users.watch(userId="me", body=body))
    profile = await me(lambda users: users.getProfile(userId="me"))
    assert answer["historyId"] == profile["historyId"]
    assert int(answer["expiration"]) == (clock.time.timestamp() + 7 * 86400) * 1000
    assert server.watch_of(ME).topic == body["topicName"]
    assert not await me(lambda users: users.stop(userId="me"))
    assert server.watch_of(ME) is None
    with pytest.raises(HttpError, match="Invalid topicName"):
        await me(lambda users: users.watch(userId="me", body={"topicName": "mail"}))
