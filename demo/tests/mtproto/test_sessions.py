"""How sessions begin by QR code, and how they end."""

import pytest
from telethon import TelegramClient, errors, functions, types

from butler_demo.mtproto.datacentre import DataCentre
from demo.tests.mtproto.support import ANNA, OWNER, OWNER_PASSWORD, Connect, raw

STATE = functions.updates.GetStateRequest()


async def scanned(client: TelegramClient, centre: DataCentre, user_id: int) -> types.User:
    """Show a QR code and have somebody's phone scan it while the client waits."""
    login = await client.qr_login()
    client.loop.call_later(0.02, centre.scan, login.url, user_id)
    return await login.wait(5)


async def test_a_scanned_code_signs_in(connect: Connect, centre: DataCentre) -> None:
    client = await connect(None)
    user = await scanned(client, centre, ANNA)
    assert (user.id, (await client.get_me()).id) == (ANNA, ANNA)
    assert [call.method for call in centre.calls].count("auth.exportLoginToken") == 2


async def test_after_a_scan_the_password_may_still_be_needed(connect: Connect, centre: DataCentre) -> None:
    client = await connect(None)
    with pytest.raises(errors.SessionPasswordNeededError):
        await scanned(client, centre, OWNER)
    assert not await client.is_user_authorized()
    await client.sign_in(password=OWNER_PASSWORD)
    assert (await client.get_me()).id == OWNER


async def test_a_code_is_scanned_once(connect: Connect, centre: DataCentre) -> None:
    client = await connect(None)
    login = await client.qr_login()
    centre.scan(login.url, ANNA)
    with pytest.raises(KeyError):
        centre.scan(login.url, ANNA)


async def test_tl_11_a_listening_client_learns_at_once_that_its_session_was_revoked(
    connect: Connect, centre: DataCentre
) -> None:
    client = await connect(OWNER)
    centre.revoke(OWNER)
    with pytest.raises(errors.SessionRevokedError):
        await client.run_until_disconnected()
    assert centre.calls[-1].error == "401 SESSION_REVOKED"


@pytest.mark.parametrize(
    ("refusal", "error"),
    [
        ("SESSION_REVOKED", errors.SessionRevokedError),
        ("AUTH_KEY_UNREGISTERED", errors.AuthKeyUnregisteredError),
        ("USER_DEACTIVATED_BAN", errors.UserDeactivatedBanError),
    ],
)
async def test_a_session_that_was_ended_is_refused_at_its_next_call_and_for_good(
    connect: Connect, centre: DataCentre, refusal: str, error: type[Exception]
) -> None:
    session = centre.session_string(OWNER)
    client = await connect(session)
    centre.revoke(OWNER, tell=False, refusal=refusal)
    with pytest.raises(error):
        await raw(client, STATE)
    again = await connect(session)
    assert not await again.is_user_authorized()
    fresh = await connect(OWNER)
    assert await fresh.is_user_authorized()
