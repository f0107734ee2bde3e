"""How sessions begin by QR code, and how they end."""

import base64

import pytest
from telethon import TelegramClient, errors, functions, types

from butler_demo.mtproto.datacentre import DataCentre
from butler_demo.mtproto.errors import RpcFault
from demo.tests.mtproto.support import ANNA, OWNER, OWNER_PASSWORD, STRANGER, Connect, raw

STATUS = functions.account.UpdateStatusRequest(offline=True)


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


async def test_a_phone_that_is_a_client_can_scan_too(connect: Connect) -> None:
    phone, client = await connect(ANNA), await connect(None)
    login = await client.qr_login()
    accepted = await phone(functions.auth.AcceptLoginTokenRequest(login.token))
    assert isinstance(accepted, types.Authorization)
    done = await client(functions.auth.ImportLoginTokenRequest(login.token))
    assert done.authorization.user.id == ANNA


async def test_a_code_is_scanned_once_and_by_a_new_account(connect: Connect, centre: DataCentre) -> None:
    client = await connect(None)
    login = await client.qr_login(ignored_ids=[STRANGER])
    with pytest.raises(RpcFault, match="AUTH_TOKEN_EXCEPTION"):
        centre.scan(login.url, STRANGER)
    centre.scan(login.url, ANNA)
    with pytest.raises(RpcFault, match="AUTH_TOKEN_ALREADY_ACCEPTED"):
        centre.scan(login.url, ANNA)
    made_up = base64.urlsafe_b64encode(b"made up").decode()
    with pytest.raises(RpcFault, match="AUTH_TOKEN_INVALIDX"):
        centre.scan(f"tg://login?token={made_up}", ANNA)
    with pytest.raises(ValueError, match="not a login link"):
        centre.scan("https://t.me/login", ANNA)


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
        await raw(client, STATUS)
    again = await connect(session)
    assert not await again.is_user_authorized()
    fresh = await connect(OWNER)
    assert await fresh.is_user_authorized()
