"""What Trello says no to, and how it is told: every documented error, through the real client."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import pytest
import structlog
from aiohttp import web

from butler.contract.errors import Effect, IntegrationErrorCode
from butler.contract.integration import IntegrationCall, IntegrationResult
from butler_demo.serving import Port
from butler_demo.trello.limits import LimitRules
from modules.trello import client
from modules.trello import records as r
from modules.trello.config import TrelloModuleSettings, TrelloSettings
from modules.trello.integration_trello import TrelloIntegration
from modules.trello.module import TrelloModule
from tests.modules.trello.boards import ANNA, KEY, ME, TOKEN, Boards, boards
from tests.support.context import make_context

AUTH = "AUTH_REQUIRED"


@pytest.fixture
async def home() -> AsyncIterator[Boards]:
    async with boards() as made:
        yield made


async def ask(home: Boards, method_id: str, **args: Any) -> IntegrationResult:
    (integration,) = home.module.integrations()
    return await integration.call(IntegrationCall(trace_id="t", method_id=method_id, args=args, timeout_ms=5_000))


async def test_a_wrong_key_and_a_wrong_token_are_told_with_what_to_do(home: Boards) -> None:
    home.vault.put(KEY, "0" * 32)
    code, message = await home.fault("list_boards")
    assert (code, "API key" in message, "`butler login trello`" in message) == (AUTH, True, True)
    given = home.server.credentials(ME)
    home.vault.put(KEY, given.key)
    home.vault.put(TOKEN, "ATTA" + "0" * 60)
    code, message = await home.fault("list_boards")
    assert (code, "`butler login trello`" in message) == (AUTH, True)
    home.vault.put(TOKEN, given.token)
    await home.data("list_boards")


async def test_a_token_that_was_taken_back_is_told(home: Boards) -> None:
    await home.data("list_boards")
    home.server.revoke(ME)
    assert (await home.fault("list_boards"))[0] == AUTH


async def test_without_a_sign_in_nothing_is_asked(home: Boards) -> None:
    for name, value in ((TOKEN, ""), (TOKEN, 'x", oauth_nonce="\r\nHost: evil.example')):
        home.vault.put(name, value)
        code, message = await home.fault("list_boards")
        assert (code, "`butler login trello`" in message) == (AUTH, True)
    assert home.server.calls_in_all == 0


async def test_another_persons_board_is_forbidden_and_nothing_of_ours_is_signed_out(home: Boards) -> None:
    theirs = home.server.add_list(home.server.add_board("Anna's own", ANNA), "Mine")
    card = home.server.add_card(theirs, "Secret")
    assert await home.fault("read_card", card=card) == ("FORBIDDEN", "you may not do this on Trello")


async def test_a_token_for_reading_changes_nothing(home: Boards) -> None:
    card = home.server.add_card(home.todo, "Pay")
    given = home.server.credentials(ME, may_write=False)
    home.vault.put(KEY, given.key)
    home.vault.put(TOKEN, given.token)
    assert (await home.fault("change_card", card=card, done=True))[0] in {"FORBIDDEN", AUTH}
    assert not home.card(card)["dueComplete"]


@pytest.mark.parametrize(
    ("status", "text", "code", "effect"),
    [
        (400, "invalid value for idList", "REJECTED", Effect.NONE),
        (401, "expired token", AUTH, Effect.NONE),
        (403, "forbidden", "FORBIDDEN", Effect.NONE),
        (404, "model not found", "NOT_FOUND", Effect.NONE),
        (409, "conflict", "CONFLICT", Effect.NONE),
        (418, "odd", "REJECTED", Effect.NONE),
        (500, "oops", "UNAVAILABLE", Effect.UNKNOWN),
        (503, "busy", "UNAVAILABLE", Effect.UNKNOWN),
    ],
)
async def test_each_refusal_of_a_change_has_its_code_and_says_what_is_known_of_its_effect(
    home: Boards, status: int, text: str, code: str, effect: Effect
) -> None:
    card = home.server.add_card(home.todo, "Pay")
    home.server.fail("put-cards-id", status, text)
    result = await ask(home, r.CHANGE_CARD, id=card, name="x")
    assert result.error is not None
    assert (result.error.code, result.error.effect, result.error.http_status) == (code, effect, status)


async def test_trellos_own_words_reach_the_person_on_one_line_and_not_too_long(home: Boards) -> None:
    card = home.server.add_card(home.todo, "Pay")
    home.server.fail("put-cards-id", 400, "bad\n" * 200)
    result = await ask(home, r.CHANGE_CARD, id=card, name="x")
    assert result.error is not None
    assert result.error.message.startswith("Trello refuses it: bad bad")
    assert len(result.error.message) < 250


async def test_a_hang_ends_and_leaves_a_change_unclear(home: Boards, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "ANSWER_S", 0.3)
    card = home.server.add_card(home.todo, "Pay")
    home.server.hang("put-cards-id", after_effect=True)
    result = await ask(home, r.CHANGE_CARD, id=card, name="x")
    assert result.error is not None
    assert (result.error.code, result.error.effect) == (IntegrationErrorCode.TIMEOUT, Effect.UNKNOWN)
    home.server.hang("get-cards-id")
    result = await ask(home, r.CARD, id=card)
    assert result.error is not None
    assert (result.error.code, result.error.effect) == (IntegrationErrorCode.TIMEOUT, Effect.NONE)


async def test_a_dropped_answer_leaves_what_was_made_unclear(home: Boards) -> None:
    home.server.fail("post-cards", 0, after_effect=True)
    result = await ask(home, r.CREATE_CARD, list_id=home.todo, name="Pay")
    assert result.error is not None
    assert (result.error.code, result.error.effect) == (IntegrationErrorCode.UNAVAILABLE, Effect.UNKNOWN)
    assert home.names(home.todo) == ["Pay"], "it was made once, and not tried again"


async def test_an_answer_that_makes_no_sense_is_told(home: Boards) -> None:
    home.server.garble("post-cards")
    result = await ask(home, r.CREATE_CARD, list_id=home.todo, name="Pay")
    assert result.error is not None
    assert (result.error.code, result.error.effect) == (IntegrationErrorCode.INVALID_OUTPUT, Effect.UNKNOWN)
    home.server.garble("get-members-id-boards")
    assert (await home.fault("list_boards"))[0] == "INVALID_OUTPUT"


async def test_a_server_that_is_away_surely_did_nothing(home: Boards) -> None:
    await home.server.stop()
    result = await ask(home, r.CREATE_CARD, list_id=home.todo, name="Pay")
    assert result.error is not None
    assert (result.error.code, result.error.effect) == (IntegrationErrorCode.UNAVAILABLE, Effect.NONE)
    assert "cannot be reached" in result.error.message


@asynccontextmanager
async def answering(answer: Callable[[web.Request], web.Response]) -> AsyncIterator[TrelloIntegration]:
    """An account at a server that answers anything so."""

    async def handle(request: web.Request) -> web.Response:
        return answer(request)

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", handle)
    port = Port()
    await port.open(app)
    settings = TrelloSettings(api_root=f"{port.root}/1/")
    integration = TrelloIntegration(settings, make_context(secrets={KEY: "k" * 32, TOKEN: "t" * 64}))
    try:
        yield integration
    finally:
        await integration.stop()
        await port.close()


async def test_nothing_is_followed_elsewhere_with_key_and_token() -> None:
    seen: list[str] = []

    def elsewhere(request: web.Request) -> web.Response:
        seen.append(request.headers.get("Authorization", ""))
        return web.Response(status=302, headers={"Location": "/1/other"})

    async with answering(elsewhere) as integration:
        result = await integration.call(IntegrationCall(trace_id="t", method_id=r.BOARDS, args={}))
    assert result.error is not None
    assert result.error.code is IntegrationErrorCode.REJECTED
    assert len(seen) == 1


@pytest.mark.parametrize("body", ["[7]", '{"id": null}', "null", '"x"', '[{"id": "1"}]'])
async def test_json_that_is_no_answer_of_trellos_is_told_as_that(body: str) -> None:
    async with answering(lambda _: web.Response(text=body, content_type="application/json")) as integration:
        for method_id in (r.BOARDS, r.ME, r.DELETE_CARD):
            args = {"id": "6" * 24} if method_id == r.DELETE_CARD else {}
            result = await integration.call(IntegrationCall(trace_id="t", method_id=method_id, args=args))
            if method_id == r.DELETE_CARD:
                assert result.ok, "whatever Trello says of a card that is deleted"
            else:
                assert result.error is not None
                assert result.error.code is IntegrationErrorCode.INVALID_OUTPUT


# The pace


async def test_a_refusal_for_too_many_requests_waits_and_is_tried_again(
    home: Boards, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "WINDOW_S", 0.3)
    home.server.fail("post-cards", 429, "Rate limit exceeded", code="API_TOKEN_LIMIT_EXCEEDED")
    began = asyncio.get_running_loop().time()
    await home.data("create_card", name="Pay")
    assert asyncio.get_running_loop().time() - began >= 0.3
    assert home.names(home.todo) == ["Pay"]


async def test_so_few_requests_leave_in_a_window_that_trello_refuses_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "WINDOW_S", 0.5)
    monkeypatch.setattr(client, "SLACK_S", 0.1)
    async with boards(requests_per_10s=20) as home:
        card = home.server.add_card(home.todo, "Pay")
        home.server.enforce_limits(LimitRules(per_token=20, per_key=25, window=timedelta(seconds=0.5)))
        results = await asyncio.gather(*(ask(home, r.CARD, id=card) for _ in range(60)))
        assert all(result.ok for result in results)
        assert home.server.refused_calls == 0


async def test_what_another_process_has_used_up_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "WINDOW_S", 0.5)
    monkeypatch.setattr(client, "SLACK_S", 0.1)
    async with boards(requests_per_10s=20) as home:
        card = home.server.add_card(home.todo, "Pay")
        home.server.enforce_limits(LimitRules(per_token=20, window=timedelta(seconds=0.5)))
        other = TrelloModule(home.module.settings, home.context)
        (integration,) = other.integrations()
        for _ in range(15):
            await integration.call(IntegrationCall(trace_id="t", method_id=r.CARD, args={"id": card}))
        await other.stop()
        results = [await ask(home, r.CARD, id=card) for _ in range(15)]
        assert all(result.ok for result in results)
        assert home.server.refused_calls == 0


def test_the_usual_pace_is_below_what_trello_takes() -> None:
    assert TrelloSettings().requests_per_10s < LimitRules().per_token
    assert LimitRules().window.total_seconds() < client.WINDOW_S + client.SLACK_S


# Secrets


async def test_key_and_token_stand_in_no_address_no_log_and_no_error(home: Boards) -> None:
    secrets = (home.vault.get(KEY), home.vault.get(TOKEN))
    with structlog.testing.capture_logs() as logs:
        await home.data("list_boards")
        home.server.revoke(ME)
        refused = await home.do("list_boards")
        home.server.fail("get-members-id-boards", 0, times=5)
        dropped = await home.do("list_boards")
    said = f"{logs} {refused.model_dump()} {dropped.model_dump()} {[call.parameters for call in home.server.calls]}"
    assert logs
    assert not any(secret in said for secret in secrets)


# Accounts


async def test_each_account_has_a_token_of_its_own_and_both_share_the_key(home: Boards) -> None:
    given = home.server.credentials(ANNA, key=home.vault.get(KEY))
    home.vault.put(f"{TOKEN}_WORK", given.token)
    root = {"api_root": home.server.url}
    section = {"user": {**root, "accounts": {"work": root}}}
    module = TrelloModule(TrelloModuleSettings.model_validate(section), home.context)
    try:
        assert [(one.ok, one.detail) for one in await module.checks()] == [(True, "@robin"), (True, "@anna")]
        home.vault.put(f"{TOKEN}_WORK", "")
        await module.signed_in()
        broken = (await module.checks())[1]
        assert (broken.name, broken.ok) == ("your Trello, work", False)
        assert "`butler login trello --account work`" in broken.todo
    finally:
        await module.stop()


async def test_after_a_sign_in_as_somebody_else_the_person_is_somebody_else(home: Boards) -> None:
    home.server.add_card(home.todo, "Anna's", members=[ANNA])
    assert (await home.fault("list_cards", assigned="me"))[0] == "NOT_FOUND"
    given = home.server.credentials(ANNA)
    home.vault.put(KEY, given.key)
    home.vault.put(TOKEN, given.token)
    await home.module.signed_in()
    assert (await home.data("list_cards", assigned="me"))["count"] == 1


async def test_without_an_account_there_are_no_tools(home: Boards) -> None:
    module = TrelloModule(TrelloModuleSettings.model_validate({"user": {"enabled": False}}), home.context)
    found = (module.user_inputs(), module.user_outputs(), module.bulk_adapters(), module.tool_metadata())
    assert not any(found)
    (integration,) = home.module.integrations()
    assert (await integration.auth_status())["account"] == "robin"


async def test_how_many_requests_trello_still_takes_is_told_of_each_call(home: Boards) -> None:
    first, second = await ask(home, r.BOARDS), await ask(home, r.BOARDS)
    assert first.meta.rate_limit_remaining is not None
    assert second.meta.rate_limit_remaining == first.meta.rate_limit_remaining - 1
    assert first.meta.provenance.source_type == "trello"


async def test_requests_about_members_share_what_trello_takes_of_them(
    home: Boards, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits = 0

    async def counted() -> None:
        nonlocal waits
        waits += 1

    (integration,) = home.module.integrations()
    assert isinstance(integration, TrelloIntegration)
    monkeypatch.setattr(integration._client._members, "wait", counted)
    for method_id in (r.ME, r.BOARDS):
        assert (await ask(home, method_id)).ok
    assert (await ask(home, r.LIST, id=home.todo)).ok
    assert waits == 2
