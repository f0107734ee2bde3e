"""The `fields` parameter."""

import pytest
from googleapiclient.errors import HttpError

ME = "me@home.example"


@pytest.mark.parametrize(
    ("mask", "answer"),
    [
        ("snippet", {"snippet": "Hello."}),
        ("snippet,payload(mimeType)", {"snippet": "Hello.", "payload": {"mimeType": "text/plain"}}),
    ],
)
async def test_an_answer_holds_what_was_asked_for(server, me, mail, mask, answer):
    message = server.deliver(ME, mail(To=ME))
    assert (
        await me(lambda users: users.messages().get(userId="me", id=message.id, format="metadata", fields=mask))
        == answer
    )


@pytest.mark.parametrize("mask", ["snippets", "payload(mime)", "payload(", "a b", "payload/", ",", "snippet)"])
async def test_a_mask_that_fits_nothing_is_refused(server, me, mail, mask):
    message = server.deliver(ME, mail(To=ME))
    with pytest.raises(HttpError, match="Invalid field selection"):
        await me(lambda users: users.messages().get(userId="me", id=message.id, format="metadata", fields=mask))
