"""The batch address, by Google's client library and by hand."""

import aiohttp
import pytest

ME = "me@home.example"


async def run_batch(me, requests):
    """Execute the requests in one batch; return (id, answer, error) in the order of the answers."""
    answers = []
    await me.in_thread(me.refresh)  # else the library refreshes over a connection that it never closes
    batch = me.service.new_batch_http_request(lambda key, answer, error: answers.append((key, answer, error)))
    for key, build in requests:
        batch.add(build(me.service.users()), request_id=key)
    await me.in_thread(batch.execute)
    return answers


def get(message_id):
    return lambda users: users.messages().get(userId="me", id=message_id, format="metadata")


async def test_a_batch_answers_each_call_in_order_with_its_own_error(server, me, mail):
    one, two = (server.deliver(ME, mail(text, To=ME)) for text in ("One", "Two"))
    answers = await run_batch(me, [("a", get(two.id)), ("b", get("18c0000000000099")), ("c", get(one.id))])
    assert [key for key, _, _ in answers] == ["a", "b", "c"]
    assert [answer and answer["snippet"] for _, answer, _ in answers] == ["Two", None, "One"]
    assert answers[1][2].status_code == 404


def by_hand(parts, token):
    body = "".join(f"--x\r\nContent-Type: application/http\r\n\r\n{part}\r\n" for part in parts) + "--x--"
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "multipart/mixed; boundary=x"}
    return {"data": body, "headers": headers}


async def test_a_hundred_calls_are_a_batch_and_one_more_is_none(server):
    part = "GET /gmail/v1/users/me/profile"
    async with aiohttp.ClientSession(f"{server.url}batch/gmail/") as session:
        async with session.post("v1", **by_hand([part] * 100, server.token_for(ME))) as answer:
            assert (await answer.text()).count("HTTP/1.1 200 OK") == 100
        async with session.post("v1", **by_hand([part] * 101, server.token_for(ME))) as answer:
            assert answer.status == 400
    assert len(server.calls) == 100


@pytest.mark.parametrize("part", ["nonsense", "GET"])
async def test_a_part_that_cannot_be_one_refuses_the_batch(server, part):
    async with (
        aiohttp.ClientSession() as session,
        session.post(f"{server.url}batch", **by_hand([part], server.token_for(ME))) as answer,
    ):
        assert answer.status == 400


async def test_each_part_is_authenticated(server):
    async with (
        aiohttp.ClientSession() as session,
        session.post(f"{server.url}batch", **by_hand(["GET /gmail/v1/users/me/profile"], "wrong")) as answer,
    ):
        assert answer.status == 200
        assert "HTTP/1.1 401 Unauthorized" in await answer.text()
