"""What does not fit the published description is refused, in requests and in our own answers."""

import aiohttp
import pytest

from butler_demo.gmail import operations
from butler_demo.gmail.operations import OPERATIONS
from butler_demo.google.description import load_description
from butler_demo.google.schema import SchemaError

ME = "me@home.example"


@pytest.fixture
async def session(server):
    headers = {"Authorization": f"Bearer {server.token_for(ME)}"}
    async with aiohttp.ClientSession(f"{server.url}gmail/v1/users/me/", headers=headers) as session:
        yield session


async def refusal(response):
    async with response as answer:
        error = (await answer.json())["error"]
        assert answer.status == error["code"]
        return error["code"], error["message"]


@pytest.mark.parametrize(
    ("path", "body", "reason"),
    [
        ("messages/send", {"raww": "aGk="}, 'Unknown name "raww"'),
        ("messages/send", {"raw": "not base64!"}, "Base64 decoding failed"),
        ("messages/send", {"raw": 7}, "TYPE_STRING"),
        ("messages/send", {}, "'raw' RFC822 payload message string"),
        ("messages/send", [], "expected an object"),
        ("drafts", {"message": {"payload": {"header": []}}}, "Unknown name \"header\" at 'message.payload'"),
        ("drafts", {"message": {"payload": {"headers": [{"name": 1}]}}}, "message.payload.headers[0].name"),
        ("drafts", {"message": {"sizeEstimate": "7"}}, "TYPE_INT32"),
        ("drafts", {"message": {"sizeEstimate": 2**31}}, "TYPE_INT32"),
        ("drafts", {"message": {"historyId": "-1"}}, "TYPE_UINT64"),
        ("messages/batchModify", {"ids": "18c0"}, "expected an array"),
        ("labels", {"name": "X", "labelListVisibility": "sometimes"}, "TYPE_ENUM"),
    ],
)
async def test_an_invalid_body_is_refused_and_has_no_effect(server, session, path, body, reason):
    code, message = await refusal(session.post(path, json=body))
    assert code == 400
    assert reason in message
    assert server.mailbox(ME) == ()


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ({"maxresults": "5"}, 'Unknown name "maxresults"'),
        ({"maxResults": "many"}, "TYPE_UINT32"),
        ({"includeSpamTrash": "yes"}, "TYPE_BOOL"),
        ([("q", "a"), ("q", "b")], "not repeated"),
        ({"pageToken": "xyz"}, "Invalid pageToken"),
    ],
)
async def test_an_invalid_parameter_is_refused(session, query, reason):
    code, message = await refusal(session.get("messages", params=query))
    assert code == 400
    assert reason in message


async def test_broken_json_is_refused(session):
    code, message = await refusal(session.post("messages/send", data=b"{"))
    assert code == 400
    assert "Invalid JSON payload" in message


async def test_a_body_where_none_belongs_is_refused(server, session):
    assert (await refusal(session.post("messages/18c0/trash", json={"id": "18c0"})))[0] == 400


async def test_an_address_outside_the_description_is_404(session):
    assert (await refusal(session.get("mailboxes")))[0] == 404


async def test_what_gmail_has_and_the_stand_in_has_not_is_said_plainly(session):
    code, message = await refusal(session.get("settings/filters"))
    assert (code, message) == (501, "The stand-in does not implement gmail.users.settings.filters.list.")
    assert (await refusal(session.get("messages", params={"alt": "proto"})))[0] == 501


async def test_an_answer_of_ours_that_breaks_the_description_does_not_pass(session, monkeypatch, caplog):
    async def wrong(call):
        return {"emailAddress": ME, "messagesTotal": "3"}

    monkeypatch.setattr(operations, "OPERATIONS", OPERATIONS)
    monkeypatch.setitem(OPERATIONS, "gmail.users.getProfile", wrong)
    async with session.get("profile") as answer:
        assert answer.status == 500
    assert any(record.exc_info and record.exc_info[0] is SchemaError for record in caplog.records)


def test_every_operation_of_the_stand_in_is_in_the_description():
    assert set(OPERATIONS) <= set(load_description("gmail", "v1").operations)
