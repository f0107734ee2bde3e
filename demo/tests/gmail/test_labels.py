"""Labels: the user's own with nested names, and Gmail's, which nobody changes."""

import pytest
from googleapiclient.errors import HttpError

ME = "me@home.example"


async def create(me, **body):
    return await me(lambda users: users.labels().create(userId="me", body=body))


async def refusal(me, build):
    with pytest.raises(HttpError) as refused:
        await me(build)
    return refused.value.status_code, refused.value.error_details[0]["message"]


async def test_a_label_has_a_nested_name_a_colour_and_counts(server, me, mail):
    color = {"textColor": "#ffffff", "backgroundColor": "#16a765"}
    label = await create(me, name="Projects/Butler", labelListVisibility="labelShowIfUnread", color=color)
    assert (label["name"], label["type"], label["color"]) == ("Projects/Butler", "user", color)
    server.deliver(ME, mail(To=ME, Subject="One"), labels=[label["id"]])
    server.deliver(ME, mail(To=ME, Subject="Two"), labels=[label["id"]], unread=False)
    held = await me(lambda users: users.labels().get(userId="me", id=label["id"]))
    counts = ("messagesTotal", "messagesUnread", "threadsTotal", "threadsUnread")
    assert [held[name] for name in counts] == [2, 1, 2, 1]
    listed = await me(lambda users: users.labels().list(userId="me"))
    assert label in listed["labels"]


@pytest.mark.parametrize("name", ["", "  ", "/Butler", "Butler/", "A//B", "A/ B", "Inbox", "SENT", "x" * 226])
async def test_a_name_that_cannot_be_is_refused(me, name):
    assert await refusal(me, lambda users: users.labels().create(userId="me", body={"name": name})) == (
        400,
        "Invalid label name",
    )


async def test_a_name_is_there_once_whatever_its_case(me):
    label = await create(me, name="Bills")
    other = await create(me, name="Other")
    conflict = (409, "Label name exists or conflicts")
    assert await refusal(me, lambda users: users.labels().create(userId="me", body={"name": "BILLS"})) == conflict
    rename = {"name": "bills"}
    assert await refusal(me, lambda users: users.labels().patch(userId="me", id=other["id"], body=rename)) == conflict
    recased = await me(lambda users: users.labels().patch(userId="me", id=label["id"], body={"name": "BILLS"}))
    assert recased["name"] == "BILLS"


async def test_an_update_needs_a_name_and_a_patch_does_not(me):
    label = await create(me, name="Bills")
    hidden = {"messageListVisibility": "hide"}
    patched = await me(lambda users: users.labels().patch(userId="me", id=label["id"], body=hidden))
    assert (patched["name"], patched["messageListVisibility"]) == ("Bills", "hide")
    refused = await refusal(me, lambda users: users.labels().update(userId="me", id=label["id"], body=hidden))
    assert refused == (400, "Invalid label name")
    updated = await me(lambda users: users.labels().update(userId="me", id=label["id"], body={"name": "Paid"}))
    assert updated["name"] == "Paid"


async def test_a_deleted_label_is_off_its_messages_and_in_the_history(server, me, mail):
    label = server.add_label(ME, "Bills")
    message = server.deliver(ME, mail(To=ME), labels=["INBOX", label.id])
    start = str(message.history_id)
    assert not await me(lambda users: users.labels().delete(userId="me", id=label.id))
    assert label.id not in server.mailbox(ME)[0].label_ids
    changes = await me(lambda users: users.history().list(userId="me", startHistoryId=start))
    assert changes["history"][0]["labelsRemoved"][0]["labelIds"] == [label.id]
    assert (await refusal(me, lambda users: users.labels().get(userId="me", id=label.id)))[0] == 404


async def test_gmails_own_labels_stay_as_they_are(me):
    assert (await refusal(me, lambda users: users.labels().delete(userId="me", id="INBOX")))[0] == 400
    assert (await refusal(me, lambda users: users.labels().patch(userId="me", id="INBOX", body={"name": "x"})))[
        0
    ] == 400
    assert (await me(lambda users: users.labels().get(userId="me", id="INBOX")))["type"] == "system"


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({}, "No label add or removes specified"),
        ({"addLabelIds": ["STARRED"], "removeLabelIds": ["STARRED"]}, "Cannot both add and remove the same label"),
        ({"addLabelIds": ["DRAFT"]}, "Invalid label: DRAFT"),
        ({"addLabelIds": ["Label_9"]}, "Invalid label: Label_9"),
    ],
)
async def test_a_change_of_labels_that_makes_no_sense_is_refused(server, me, mail, body, message):
    held = server.deliver(ME, mail(To=ME))
    refused = await refusal(me, lambda users: users.messages().modify(userId="me", id=held.id, body=body))
    assert refused == (400, message)
    assert server.mailbox(ME) == (held,)
