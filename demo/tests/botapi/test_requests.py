"""Every request is held against the published description, in each of the encodings Telegram takes."""

import aiohttp
import pytest

from butler_demo.botapi.description import published_description
from butler_demo.botapi.methods.table import METHODS
from butler_demo.botapi.server import BotApiServer

from .conftest import SAM, TOKEN, Raw


async def test_unknown_methods_and_tokens_are_told_apart(raw: Raw) -> None:
    assert await raw.refusal("sendTelegram") == (404, "Not Found")
    assert await raw.refusal("getMe", token="700123:wrong") == (401, "Unauthorized")
    assert await raw.refusal("getMe", token="no-token") == (404, "Not Found")


async def test_a_method_that_is_not_built_says_so(raw: Raw) -> None:
    status, description = await raw.refusal("sendDice", chat_id=SAM)
    assert status == 501
    assert "sendDice" in description


async def test_method_names_ignore_case(raw: Raw) -> None:
    assert (await raw.result("GETME"))["username"] == "jeeves_bot"


@pytest.mark.parametrize(
    ("params", "reason"),
    [
        ({"text": "hi"}, "chat_id is empty"),
        ({"chat_id": SAM, "text": "hi", "reply_to_message_id": 1}, 'unknown parameter "reply_to_message_id"'),
        ({"chat_id": SAM, "text": 5}, 'wrong parameter "text": is no String'),
        ({"chat_id": SAM, "text": "hi", "disable_notification": "maybe"}, "is no Boolean"),
        ({"chat_id": SAM, "text": "hi", "entities": [{"type": "loud", "offset": 0, "length": 1}]}, "is none of"),
        ({"chat_id": SAM, "text": "hi", "reply_markup": {"inline_keyboard": [[{"label": "x"}]]}}, 'lacks "text"'),
        ({"chat_id": SAM, "text": "hi", "reply_parameters": "{broken"}, "is no ReplyParameters"),
    ],
)
async def test_parameters_must_fit_the_description(raw: Raw, params: dict[str, object], reason: str) -> None:
    status, description = await raw.refusal("sendMessage", **params)
    assert status == 400
    assert reason in description
    assert raw.server.calls[-1].error == description


async def test_json_urlencoded_query_and_multipart_mean_the_same(raw: Raw) -> None:
    url = f"{raw.server.url}/bot{TOKEN}/sendMessage"
    fields = {"chat_id": str(SAM), "text": "hi", "disable_notification": "true", "entities": "[]"}
    form = aiohttp.FormData(fields, default_to_multipart=True)
    async with (
        raw.session.post(url, json=fields) as first,
        raw.session.post(url, data=fields) as second,
        raw.session.get(url, params=fields) as third,
        raw.session.post(url, data=form) as fourth,
    ):
        assert [answer.status for answer in (first, second, third, fourth)] == [200, 200, 200, 200]
    expected = {"chat_id": SAM, "text": "hi", "disable_notification": True, "entities": []}
    assert [call.params for call in raw.server.calls] == [expected] * 4


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (b"{broken", "application/json"),
        (b"[1]", "application/json"),
        (b"text=%ff", "application/x-www-form-urlencoded"),
        (b"hi", "text/plain"),
    ],
)
async def test_a_body_that_cannot_be_read_is_refused(raw: Raw, body: bytes, content_type: str) -> None:
    url = f"{raw.server.url}/bot{TOKEN}/sendMessage"
    async with raw.session.post(url, data=body, headers={"Content-Type": content_type}) as answer:
        assert answer.status == 400
        assert (await answer.json())["description"].startswith("Bad Request: ")


async def test_an_upload_may_be_named_by_attach_or_be_the_field_itself(raw: Raw) -> None:
    url = f"{raw.server.url}/bot{TOKEN}/sendDocument"
    direct, named, missing = aiohttp.FormData(), aiohttp.FormData(), aiohttp.FormData(default_to_multipart=True)
    for form in (direct, named, missing):
        form.add_field("chat_id", str(SAM))
    direct.add_field("document", b"one", filename="one.txt")
    named.add_field("document", "attach://part")
    named.add_field("part", b"three", filename="two.txt")
    missing.add_field("document", "attach://nowhere")
    sizes: list[int | str] = []
    for form in (direct, named, missing):
        async with raw.session.post(url, data=form) as answer:
            body = await answer.json()
            sizes.append(body["result"]["document"]["file_size"] if body["ok"] else body["description"])
    assert sizes == [3, 5, "Bad Request: wrong file identifier/HTTP URL specified"]


async def test_without_validation_the_rules_beyond_the_description_still_hold() -> None:
    server = BotApiServer(validate=False)
    server.add_bot(TOKEN, "jeeves_bot", "Jeeves")
    server.add_person(SAM, "Sam")
    server.say(TOKEN, SAM, "hello")
    await server.start()
    async with aiohttp.ClientSession() as session:
        raw = Raw(session, server)
        assert (await raw.result("sendMessage", chat_id=str(SAM), text="hi", surprise=1))["text"] == "hi"
        assert (await raw.refusal("sendMessage", chat_id=SAM, text="x" * 4097))[0] == 400
    await server.stop()


def test_every_built_method_is_in_the_description() -> None:
    described = {method.name for method in published_description().methods.values()}
    assert described >= METHODS.keys()


def test_the_description_bites_on_answers() -> None:
    check = published_description().methods["sendmessage"].check_answer
    message = {"message_id": 1, "date": 0, "chat": {"id": 1, "type": "private"}}
    assert check(message) is None
    assert check({**message, "message_id": True}) is not None
    assert check({**message, "chat": {"id": 1, "type": "cave"}}) is not None
    assert check({**message, "mood": "good"}) is not None
    assert check({key: value for key, value in message.items() if key != "date"}) is not None
