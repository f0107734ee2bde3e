"""Access tokens come out of a kept consent: fresh, once for all who ask, and with what to do when it is over."""

import asyncio
import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import pytest

from butler.contract.errors import IntegrationErrorCode, IntegrationFault, SealedError
from butler_demo.gmail.oauth import PUBLIC_CLIENT_ID
from butler_demo.gmail.server import GmailServer
from modules._accounts.oauth import AccessTokens, Consent, read_consent, why_over
from tests.support.context import MemoryVault
from tests.support.ticking import Ticking

ME, NAME = "me@home.example", "USER_EMAIL_PASSWORD"
SCOPES = ["https://outlook.office.com/IMAP.AccessAsUser.All"]


class Clock(Ticking):
    def __init__(self) -> None:
        self.time = datetime(2026, 3, 10, 12, tzinfo=UTC)

    def now(self) -> datetime:
        return self.time

    async def sleep_until(self, when: datetime) -> None:
        raise AssertionError("nobody waits")


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def authority(clock: Clock) -> AsyncIterator[GmailServer]:
    server = GmailServer(now=clock.now)
    server.add_account(ME, "Me")
    await server.start()
    yield server
    await server.stop()


@pytest.fixture
def vault(authority: GmailServer, clock: Clock) -> MemoryVault:
    consent = Consent(
        client_id=PUBLIC_CLIENT_ID,
        refresh_token=authority.authority.grant(ME, SCOPES, clock.now(), PUBLIC_CLIENT_ID),
        token_uri=f"{authority.url}token",
        account=ME,
        consented_at=clock.now(),
    )
    return MemoryVault({NAME: consent.text()})


@pytest.fixture
def tokens(vault: MemoryVault, clock: Clock) -> AccessTokens:
    return AccessTokens(vault, NAME, clock)


def works(authority: GmailServer, token: str, clock: Clock) -> bool:
    return authority.authority.check(token, clock.now()) is not None


async def fault(tokens: AccessTokens) -> IntegrationFault:
    with pytest.raises(IntegrationFault) as raised:
        await tokens.get()
    return raised.value


async def test_a_token_is_kept_while_it_holds_and_renewed_before_it_ends(authority, tokens, clock):
    first = await tokens.get()
    clock.time += timedelta(minutes=57)
    assert await tokens.get() == first
    clock.time += timedelta(minutes=1)
    second = await tokens.get()
    assert second != first
    assert works(authority, second, clock)


async def test_many_who_ask_at_once_cause_one_renewal(authority, tokens):
    got = await asyncio.gather(*(tokens.get() for _ in range(10)))
    assert len(set(got)) == 1
    assert len(authority.authority._access) == 1


async def test_a_token_that_the_server_refused_is_not_given_again(tokens):
    first = await tokens.get()
    tokens.forget()
    assert await tokens.get() != first


async def test_a_replaced_refresh_token_is_sealed_before_the_new_access_token_is_used(authority, vault, tokens, clock):
    authority.authority.rotates = True
    before = vault.get(NAME)
    await tokens.get()
    after = vault.get(NAME)
    assert read_consent(after).refresh_token != read_consent(before).refresh_token
    assert read_consent(after).consented_at == read_consent(before).consented_at
    clock.time += timedelta(hours=1)
    assert works(authority, await tokens.get(), clock)
    assert works(authority, await AccessTokens(vault, NAME, clock).get(), clock)


async def test_what_another_process_has_replaced_meanwhile_is_used(authority, vault, tokens, clock):
    authority.authority.rotates = True
    await tokens.get()
    await AccessTokens(vault, NAME, clock).get()
    clock.time += timedelta(hours=1)
    assert works(authority, await tokens.get(), clock)


class Environment(MemoryVault):
    """A credential in the environment wins over what is sealed, so what is put is not what is got."""

    def put(self, name: str, value: str) -> None:
        self.sealed = value


class Broken(MemoryVault):
    def put(self, name: str, value: str) -> None:
        raise SealedError("the disk is full")


@pytest.mark.parametrize("kind", [Environment, Broken])
async def test_a_replaced_token_that_cannot_be_kept_holds_while_the_process_lives(authority, vault, clock, kind):
    authority.authority.rotates = True
    tokens = AccessTokens(kind(vault.values), NAME, clock)
    for _ in range(3):
        assert works(authority, await tokens.get(), clock)
        clock.time += timedelta(hours=1)


async def test_a_new_sign_in_counts_at_once(authority, vault, tokens, clock):
    first = await tokens.get()
    consent = read_consent(vault.get(NAME))
    fresh = authority.authority.grant(ME, SCOPES, clock.now(), PUBLIC_CLIENT_ID)
    vault.put(NAME, consent.model_copy(update={"refresh_token": fresh}).text())
    assert await tokens.get() != first


async def test_a_consent_that_was_taken_back_wants_a_new_sign_in(authority, tokens, clock):
    authority.authority.revoke(ME)
    clock.time += timedelta(days=3)
    found = await fault(tokens)
    assert found.code is IntegrationErrorCode.AUTH_REQUIRED
    assert found.message == "the provider no longer accepts the sign-in of 3 days ago; run `butler login mail`"


async def test_a_consent_of_a_project_in_testing_mode_says_why_it_ended(authority, vault, clock):
    authority.authority.testing = True
    consent = read_consent(vault.get(NAME)).model_copy(
        update={"refresh_token": authority.authority.grant(ME, SCOPES, clock.now(), PUBLIC_CLIENT_ID)}
    )
    vault.put(NAME, consent.text())
    tokens = AccessTokens(vault, NAME, clock, command="butler login gmail", authority="Google")
    await tokens.get()
    clock.time += timedelta(days=7, minutes=1)
    assert (await fault(tokens)).message == (
        "Google no longer accepts the sign-in of 7 days ago; run `butler login gmail`. Google ends the consent of a "
        "project in testing mode after seven days: publish the project to keep it"
    )


@pytest.mark.parametrize(
    ("days", "told", "testing"), [(0, "0 days ago", False), (1, "1 day ago", False), (30, "30 days ago", False)]
)
def test_another_age_is_no_testing_mode(days, told, testing):
    now = datetime(2026, 3, 10, tzinfo=UTC)
    consent = Consent(client_id="x", refresh_token="y", consented_at=now - timedelta(days=days))
    said = why_over(consent, now, "butler login gmail")
    assert (told in said, "testing mode" in said) == (True, testing)


def test_a_consent_without_a_time_says_what_to_do_all_the_same():
    assert why_over(None, datetime.now(UTC), "butler login gmail").endswith("run `butler login gmail`")


@pytest.mark.parametrize(
    ("status", "error", "code"),
    [
        (400, "invalid_grant", IntegrationErrorCode.AUTH_REQUIRED),
        (401, "invalid_client", IntegrationErrorCode.AUTH_REQUIRED),
        (400, "interaction_required", IntegrationErrorCode.AUTH_REQUIRED),
        (400, "invalid_scope", IntegrationErrorCode.REJECTED),
        (429, "slow_down", IntegrationErrorCode.UNAVAILABLE),
        (503, "temporarily_unavailable", IntegrationErrorCode.UNAVAILABLE),
    ],
)
async def test_a_refusal_is_typed(authority, tokens, status, error, code):
    authority.fail("oauth2.token", status, error)
    assert (await fault(tokens)).code is code
    assert await tokens.get()


async def test_an_authority_that_is_away_is_no_reason_to_sign_in(authority, tokens):
    authority.go_offline()
    assert (await fault(tokens)).code is IntegrationErrorCode.UNAVAILABLE
    authority.come_back()
    assert await tokens.get()


@pytest.mark.parametrize(
    "held", ["", "no JSON", "[]", "{}", '{"client_id": "x"}', '{"client_id": "", "refresh_token": ""}']
)
async def test_without_a_consent_it_says_which_command_makes_one(clock, held):
    found = await fault(AccessTokens(MemoryVault({NAME: held}), NAME, clock))
    assert found.code is IntegrationErrorCode.AUTH_REQUIRED
    assert found.message.endswith("run `butler login mail`")


def test_googles_own_file_is_read_with_whatever_else_stands_in_it():
    text = json.dumps({"type": "authorized_user", "client_id": "x", "refresh_token": "y", "universe_domain": "z"})
    consent = read_consent(text)
    assert (consent.token_uri, consent.consented_at) == ("https://oauth2.googleapis.com/token", None)


def test_a_consent_shows_no_secret():
    shown = repr(Consent(client_id="x", client_secret="the secret", refresh_token="the token"))
    assert "the" not in shown
