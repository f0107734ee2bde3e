"""What does not fit the published description is refused, in requests and in our own answers."""

import aiohttp
import pytest

from butler_demo.gmail import operations
from butler_demo.gmail.operations import OPERATIONS
from butler_demo.google.description import load_description
from butler_demo.google.service import served
from butler_demo.schemas import SchemaError

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
        ("drafts", {"message": {"raww": "aGk="}}, 'Unknown name "raww"'),
        ("drafts", {"message": {"raw": "not base64!"}}, "Base64 decoding failed"),
        ("drafts", {"message": {"raw": 7}}, "TYPE_STRING"),
        ("drafts", {}, "Missing draft message"),
        ("drafts", [], "expected an object"),
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
    code, message = await refusal(session.post("drafts", data=b"{"))
    assert code == 400
    assert "Invalid JSON payload" in message


async def test_an_address_outside_the_description_is_404(session):
    assert (await refusal(session.get("mailboxes")))[0] == 404


@pytest.mark.parametrize("path", ["settings/filters", "labels/INBOX"])
async def test_an_operation_that_is_not_there_is_404(session, path):
    assert (await refusal(session.get(path)))[0] == 404


@pytest.mark.parametrize("query", [{"alt": "proto"}, {"includeSpamTrash": "true"}])
async def test_what_is_not_heeded_is_refused(session, query):
    assert (await refusal(session.get("messages", params=query)))[0] == 501


async def test_an_answer_of_ours_that_breaks_the_description_does_not_pass(session, monkeypatch, caplog):
    async def wrong(call):
        return {"emailAddress": ME, "messagesTotal": "3"}

    monkeypatch.setattr(operations, "OPERATIONS", OPERATIONS)
    monkeypatch.setitem(OPERATIONS, "gmail.users.getProfile", served(wrong, "userId"))
    async with session.get("profile") as answer:
        assert answer.status == 500
    assert any(record.exc_info and record.exc_info[0] is SchemaError for record in caplog.records)


def test_every_operation_of_the_stand_in_is_in_the_description():
    assert set(OPERATIONS) <= set(load_description("gmail", "v1").operations)
