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


@pytest.mark.parametrize("name", ["", "  ", "/Butler", "Butler/", "A//B", "A/ B", "Inbox", "SENT", "x" * 226])
async def test_a_name_that_cannot_be_is_refused(me, name):
    assert await refusal(me, lambda users: users.labels().create(userId="me", body={"name": name})) == (
        400,
        "Invalid label name",
    )


async def test_a_name_is_there_once_whatever_its_case(me):
    label = await create(me, name="Bills")
    assert (label["name"], label["type"]) == ("Bills", "user")
    conflict = (409, "Label name exists or conflicts")
    assert await refusal(me, lambda users: users.labels().create(userId="me", body={"name": "BILLS"})) == conflict
    assert label in (await me(lambda users: users.labels().list(userId="me")))["labels"]


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
    refused = await refusal(me, lambda users: users.messages().batchModify(userId="me", body=body | {"ids": [held.id]}))
    assert refused == (400, message)
    assert server.mailbox(ME) == (held,)
