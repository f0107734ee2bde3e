"""A mailbox that wants OAuth: a refused access token is answered, renewed once, and told when that does not help."""

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from aiohttp import web

from butler.contract.errors import Effect, IntegrationErrorCode
from butler_demo.mailbox.server import MailServer
from butler_demo.serving import Port
from tests.modules.email.mailhost import ANNA, Host, UserUnderTest, mail, mail_context

SEND = "user_email_send_message"
MESSAGE: dict[str, Any] = {"to": ({"address": f"mail:{ANNA}"},), "subject": "Lunch", "body": "At one."}


@dataclass
class TokenEndpoint:
    """Gives the access tokens that a test has laid ready, the last one again and again."""

    url: str = ""
    ready: list[str] = field(default_factory=list[str])
    asked: int = 0

    async def give(self, _: web.Request) -> web.Response:
        self.asked += 1
        token = self.ready.pop(0) if len(self.ready) > 1 else self.ready[0]
        return web.json_response({"access_token": token, "expires_in": 3600, "token_type": "Bearer"})


@pytest.fixture
async def tokens() -> AsyncIterator[TokenEndpoint]:
    endpoint = TokenEndpoint()
    app = web.Application()
    app.router.add_post("/token", endpoint.give)
    port = Port()
    await port.open(app)
    endpoint.url = f"{port.root}/token"
    yield endpoint
    await port.close()


def outlook(host: Host, tokens: TokenEndpoint) -> UserUnderTest:
    consent = {"client_id": "app", "refresh_token": "r", "token_uri": tokens.url}
    context = mail_context(host, "me", CONSENT=json.dumps(consent))
    tokens.ready = [f"token-of-{context.vault.get('ADDRESS')}"]
    return UserUnderTest(host, context, auth="xoauth2", password_env="CONSENT", client_id="app")


async def test_an_access_token_opens_both_directions(host: Host, tokens: TokenEndpoint) -> None:
    user = outlook(host, tokens)
    await user.deliver(mail("Lunch"))
    assert (await user.do("user_email_search_inbox", subject="Lunch")).ok
    result = await user.do(SEND, **MESSAGE)
    assert result.ok, result.error
    assert tokens.asked == 1
    await user.module.stop()


async def test_a_token_that_ended_early_is_renewed_once_and_the_call_made_again(
    host: Host, tokens: TokenEndpoint
) -> None:
    user = outlook(host, tokens)
    tokens.ready.insert(0, "ended")
    await user.deliver(mail("Lunch"))
    assert (await user.do("user_email_search_inbox", subject="Lunch")).ok
    assert tokens.asked == 2
    fresh = f"fresh-of-{user.address}"
    host.set_token(user.address, fresh)
    tokens.ready = [fresh]
    result = await user.do(SEND, **MESSAGE)
    assert result.ok, result.error
    assert len(await user.left()) == 1
    assert tokens.asked == 3
    await user.module.stop()


async def test_a_token_that_is_refused_again_is_told_and_nothing_hangs(host: Host, tokens: TokenEndpoint) -> None:
    user = outlook(host, tokens)
    host.set_token(user.address, None)
    calls: list[tuple[str, dict[str, Any]]] = [("user_email_search_inbox", {}), (SEND, MESSAGE)]
    for tool, args in calls:
        result = await user.do(tool, **args)
        assert result.error is not None
        assert (result.error.code, result.error.effect) == (IntegrationErrorCode.AUTH_REQUIRED, Effect.NONE)
        assert "token-of" not in result.error.message
    reading, sending, consent, _scopes = await user.module.checks()
    assert (reading.ok, sending.ok, consent.ok) == (False, False, True)
    await user.module.stop()


async def test_a_new_sign_in_is_used_at_once(server: MailServer, tokens: TokenEndpoint) -> None:
    user = outlook(server, tokens)
    consent = user.context.vault.get("CONSENT")
    user.context.vault.put("CONSENT", "")
    result = await user.do("user_email_search_inbox")
    assert result.error is not None
    assert result.error.message == "CONSENT is not set; run `butler login mail`"
    user.context.vault.put("CONSENT", consent)
    await user.module.signed_in()
    server.put(user.address, mail("Lunch"))
    assert (await user.do("user_email_search_inbox")).ok
    await user.module.stop()
