"""The `fields` parameter."""

import pytest
from googleapiclient.errors import HttpError

ME = "me@home.example"


@pytest.mark.parametrize(
    ("mask", "answer"),
    [
        ("snippet", {"snippet": "Hello."}),
        ("payload/mimeType", {"payload": {"mimeType": "text/plain"}}),
        (
            "snippet,payload(mimeType,body/size)",
            {"snippet": "Hello.", "payload": {"mimeType": "text/plain", "body": {"size": 8}}},
        ),
        (
            "payload/headers(name)",
            {
                "payload": {
                    "headers": [
                        {"name": name} for name in ("To", "Content-Type", "Content-Transfer-Encoding", "MIME-Version")
                    ]
                }
            },
        ),
        ("payload/body/*", {"payload": {"body": {"size": 8, "data": "SGVsbG8uDQo="}}}),
    ],
)
async def test_an_answer_holds_what_was_asked_for(server, me, mail, mask, answer):
    message = server.deliver(ME, mail(To=ME))
    assert await me(lambda users: users.messages().get(userId="me", id=message.id, fields=mask)) == answer


@pytest.mark.parametrize("mask", ["snippets", "payload(mime)", "payload(", "a b", "payload/", ",", "snippet)"])
async def test_a_mask_that_fits_nothing_is_refused(server, me, mail, mask):
    message = server.deliver(ME, mail(To=ME))
    with pytest.raises(HttpError, match="Invalid field selection"):
        await me(lambda users: users.messages().get(userId="me", id=message.id, fields=mask))
