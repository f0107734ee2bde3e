"""Signing in to the test data centre as a person does."""

import pytest
from telethon import errors, functions
from telethon.password import compute_check
from telethon.sessions import StringSession

from butler_demo.mtproto.datacentre import DataCentre
from demo.tests.mtproto.support import ANNA, OWNER, OWNER_PASSWORD, OWNER_PHONE, STRANGER, Connect


async def test_a_wrong_code_is_refused_and_the_right_one_signs_in(connect: Connect) -> None:
    client = await connect(None)
    assert not await client.is_user_authorized()
    await client.send_code_request("+15550004")
    with pytest.raises(errors.PhoneCodeInvalidError):
        await client.sign_in("+15550004", "12345")
    await client.sign_in("+15550004", "54321")
    me = await client.get_me()
    assert (me.id, me.first_name, me.phone, me.username) == (STRANGER, "Sven", "15550004", "sven_s")


async def test_two_step_verification_asks_for_the_password_and_checks_it(connect: Connect) -> None:
    client = await connect(None)
    await client.send_code_request(OWNER_PHONE)
    with pytest.raises(errors.SessionPasswordNeededError):
        await client.sign_in(OWNER_PHONE, "12345")
    assert not await client.is_user_authorized()
    with pytest.raises(errors.PasswordHashInvalidError):
        await client.sign_in(password="wrong")
    await client.sign_in(password=OWNER_PASSWORD)
    assert (await client.get_me()).id == OWNER


async def test_a_password_proof_cannot_be_used_twice(connect: Connect, centre: DataCentre) -> None:
    client = await connect(OWNER)
    password = await client(functions.account.GetPasswordRequest())
    proof = compute_check(password, OWNER_PASSWORD)
    await client(functions.auth.CheckPasswordRequest(proof))
    with pytest.raises(errors.SrpIdInvalidError):
        await client(functions.auth.CheckPasswordRequest(proof))


async def test_a_code_of_an_unknown_number_or_of_another_hash_is_refused(connect: Connect) -> None:
    client = await connect(None)
    with pytest.raises(errors.PhoneNumberInvalidError):
        await client.send_code_request("+15559999")
    await client.send_code_request("+15550002")
    with pytest.raises(errors.PhoneCodeExpiredError):
        await client.sign_in("+15550002", "12345", phone_code_hash="made-up")


async def test_a_session_outlives_the_client_that_signed_in(connect: Connect) -> None:
    client = await connect(None)
    await client.send_code_request("+15550002")
    await client.sign_in("+15550002", "12345")
    saved = StringSession.save(client.session)
    await client.disconnect()
    again = await connect(saved)
    assert (await again.get_me()).id == ANNA


async def test_a_key_that_the_data_centre_never_made_is_refused(connect: Connect, centre: DataCentre) -> None:
    other = DataCentre()
    other.add_account(1, "1", "Nobody")
    await other.start()
    session = StringSession(other.session_string(1))
    await other.stop()
    session.set_dc(centre.dc_id, centre.host, centre.port)
    with pytest.raises(errors.AuthKeyNotFound):
        await connect(session)


async def test_a_session_string_needs_a_started_data_centre() -> None:
    centre = DataCentre()
    centre.add_account(1, "1", "Nobody")
    with pytest.raises(RuntimeError, match="start the data centre"):
        centre.session_string(1)


async def test_an_account_cannot_take_a_taken_phone_or_username(centre: DataCentre) -> None:
    with pytest.raises(ValueError, match="taken"):
        centre.add_account(9, "+15550001", "Twin")
    with pytest.raises(ValueError, match="taken"):
        centre.add_account(9, "+15550009", "Twin", username="Anna_B")
