"""The source of the person's Gmail: waits out what passes, stops where only the owner can help, keeps no secret."""

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import pytest
import structlog

from butler.contract.errors import AuthRequiredError, Reconfigure
from butler.contract.mirror import SeenQuery
from butler.contract.module import Source
from butler.store.errors import StoreBusyError
from modules.email.config import EmailSettings
from modules.email.module import EmailModule
from tests.modules.email.gmail_account import ME, VARIABLE, GmailUnderTest, gmail_account
from tests.modules.email.mailhost import mail
from tests.support.context import TurnedClock, make_context
from tests.support.waiting import until


@pytest.fixture
async def user() -> AsyncIterator[GmailUnderTest]:
    async with gmail_account() as under_test:
        yield under_test


def source_of(user: GmailUnderTest) -> Source:
    (source,) = user.module.sources()
    return source


def turn(user: GmailUnderTest, **by: float) -> None:
    assert isinstance(user.context.clock, TurnedClock)
    user.context.clock.offset += timedelta(**by)


async def once_turned(user: GmailUnderTest, condition: Callable[[], bool], **by: float) -> None:
    """Turn the clock until the condition holds: a pause may only begin after the first turn."""

    def turned() -> bool:
        if not condition():
            turn(user, **by)
        return condition()

    await until(turned)


@asynccontextmanager
async def running(user: GmailUnderTest) -> AsyncGenerator[asyncio.Task[None]]:
    task = asyncio.create_task(source_of(user).run())
    try:
        yield task
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def count(user: GmailUnderTest) -> int:
    return await user.mirror.count(SeenQuery("email"))


def kept(user: GmailUnderTest) -> int:
    return sum(len(batch.messages) for batch in user.mirror.batches)


def alive(user: GmailUnderTest) -> bool:
    return source_of(user).health().last_ok is not None


async def test_it_looks_every_so_often(user: GmailUnderTest) -> None:
    async with running(user):
        await until(lambda: alive(user))
        user.server.deliver(ME, mail())
        await once_turned(user, lambda: kept(user) == 1, seconds=61)
    assert await count(user) == 1


async def test_an_outage_is_waited_out_and_named(user: GmailUnderTest) -> None:
    user.server.deliver(ME, mail())
    user.server.go_offline()
    async with running(user):
        await until(lambda: source_of(user).health().failing, 10)
        assert source_of(user).health().detail == "Google cannot renew the sign-in now"
        user.server.come_back()
        await once_turned(user, lambda: kept(user) == 1, minutes=5)
        assert not source_of(user).health().failing


async def test_a_store_that_is_busy_loses_nothing(user: GmailUnderTest) -> None:
    user.server.deliver(ME, mail())
    user.mirror.fail_with = StoreBusyError()
    async with running(user):
        await until(lambda: source_of(user).health().failing)
        await once_turned(user, lambda: kept(user) == 1, minutes=5)


async def test_it_comes_back_no_sooner_than_gmail_says(user: GmailUnderTest) -> None:
    user.server.fail("gmail.users.history.list", 429, "rateLimitExceeded", retry_after=600)
    async with running(user):
        await until(lambda: source_of(user).health().failing)
        asked = len(user.server.calls)
        turn(user, seconds=590)
        await asyncio.sleep(0.1)
        assert len(user.server.calls) == asked
        turn(user, seconds=610)  # the pause may have been counted from after the first turn
        await until(lambda: not source_of(user).health().failing)


@pytest.mark.parametrize(
    ("reason", "told"), [("insufficientPermissions", "allow all that it asks for"), ("accessNotConfigured", "switch")]
)
async def test_gm_13_a_permission_that_is_missing_stops_it_and_says_what_to_do(
    user: GmailUnderTest, reason: str, told: str
) -> None:
    user.server.fail("gmail.users.history.list", 403, reason)
    with pytest.raises(Reconfigure, match=told):
        await asyncio.wait_for(source_of(user).run(), 60)
    assert source_of(user).health().stopped
    assert [call.operation for call in user.server.calls].count("gmail.users.history.list") == 1


async def test_gm_13_a_rate_that_is_exceeded_does_not_stop_it(user: GmailUnderTest) -> None:
    user.server.fail("gmail.users.history.list", 403, "rateLimitExceeded", times=1)
    user.server.deliver(ME, mail())
    async with running(user):
        await until(lambda: kept(user) == 1, 10)


async def test_a_consent_of_a_project_in_testing_mode_that_ended_is_told_as_that(user: GmailUnderTest) -> None:
    consent: dict[str, Any] = json.loads(user.vault.values[VARIABLE])
    seven_days_ago = user.context.clock.now() - timedelta(days=7, hours=1)
    user.vault.values[VARIABLE] = json.dumps(consent | {"consented_at": seven_days_ago.isoformat()})
    user.server.revoke(ME)
    with pytest.raises(AuthRequiredError) as stopped:
        await asyncio.wait_for(source_of(user).run(), 60)
    assert "Google no longer accepts the sign-in of 7 days ago; run `butler login gmail`" in str(stopped.value)
    assert "testing mode" in str(stopped.value)


async def test_after_a_new_sign_in_it_goes_on(user: GmailUnderTest) -> None:
    user.server.deliver(ME, mail())
    user.server.revoke(ME)
    with pytest.raises(AuthRequiredError):
        await asyncio.wait_for(source_of(user).run(), 60)
    user.vault.values[VARIABLE] = user.server.credentials_json(ME)
    await user.module.signed_in()
    async with running(user):
        await until(lambda: kept(user) == 1)


async def test_an_access_token_that_was_taken_back_early_is_renewed_once(user: GmailUnderTest) -> None:
    user.server.deliver(ME, mail())
    for operation in ("list", "get"):  # the second is part of a batch
        user.server.fail(f"gmail.users.messages.{operation}", 401, "authError")
        assert (await user.do("user_email_search_inbox")).ok


async def test_no_token_is_in_what_is_stored_or_logged(user: GmailUnderTest) -> None:
    with structlog.testing.capture_logs() as logged:
        user.server.deliver(ME, mail())
        async with running(user):
            await until(lambda: kept(user) == 1)
        user.server.revoke(ME)
        turn(user, hours=2)
        with pytest.raises(AuthRequiredError):
            await asyncio.wait_for(source_of(user).run(), 60)
    cursors = await user.context.storage.cursors.get("gmail.user.main")
    stored = f"{cursors}{user.mirror.batches}{user.probe.calls}{user.probe.results}{logged}"
    assert ME in stored
    assert not any(secret in stored for secret in ("ya29.", "1//0", "GOCSPX"))


def test_sources_are_told_apart_by_account() -> None:
    accounts: dict[str, Any] = {"user": {"account": "private", "accounts": {"work": {}}}}
    module = EmailModule(EmailSettings.model_validate(accounts), make_context())
    assert [source.name for source in module.sources()] == ["email.user", "email.user:work"]
