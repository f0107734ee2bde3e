"""Clients that break the protocol lose their connection and nothing else."""

import asyncio
import struct
import time
from hashlib import sha1
from zlib import crc32

import pytest
from telethon.crypto import AES, rsa
from telethon.helpers import generate_key_data_from_nonce
from telethon.tl import functions, types

from butler_demo.mtproto.crypto import DH_PRIME, ServerKey, big_endian
from butler_demo.mtproto.datacentre import DataCentre
from butler_demo.mtproto.errors import ProtocolViolation
from butler_demo.mtproto.handshake import Handshake
from butler_demo.mtproto.tl import read_object
from demo.tests.mtproto.support import ANNA, Connect


def full_packet(payload: bytes) -> bytes:
    packet = struct.pack("<ii", len(payload) + 12, 0) + payload
    return packet + struct.pack("<I", crc32(packet))


def plain_message(body: bytes) -> bytes:
    return struct.pack("<qqi", 0, int(time.time() * 2**32) & ~3, len(body)) + body


@pytest.mark.parametrize(
    "data",
    [
        b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
        struct.pack("<ii", 40, 0) + bytes(32),
        full_packet(b"short"),
        full_packet(plain_message(b"\x01\x02\x03\x04")),
        full_packet(plain_message(bytes(functions.help.GetConfigRequest()))),
    ],
    ids=["http", "checksum", "too short", "unknown constructor", "not encrypted"],
)
async def test_a_client_that_breaks_the_protocol_is_cut_off_alone(
    connect: Connect, centre: DataCentre, data: bytes
) -> None:
    client = await connect(ANNA)
    reader, writer = await asyncio.open_connection(centre.host, centre.port)
    writer.write(data)
    async with asyncio.timeout(60):
        assert await reader.read() == b""
    writer.close()
    await writer.wait_closed()
    assert (await client.get_me()).id == ANNA


async def test_a_message_under_a_wrong_key_is_not_accepted(connect: Connect, centre: DataCentre) -> None:
    client = await connect(ANNA)
    reader, writer = await asyncio.open_connection(centre.host, centre.port)
    key_id = struct.pack("<Q", client.session.auth_key.key_id)
    writer.write(full_packet(key_id + bytes(16) + bytes(48)))
    async with asyncio.timeout(60):
        assert await reader.read() == b""
    writer.close()
    await writer.wait_closed()
    assert (await client.get_me()).id == ANNA


def begun(server_key: ServerKey) -> tuple[Handshake, types.ResPQ]:
    handshake = Handshake(server_key)
    answer = handshake.answer(functions.ReqPqMultiRequest(nonce=5))
    return handshake, read_object(bytes(answer))


def next_step(challenge: types.ResPQ, key: ServerKey, **changed: object) -> functions.ReqDHParamsRequest:
    p, q = struct.pack(">I", 0x494C553B), struct.pack(">I", 0x53911073)
    inner = types.PQInnerData(challenge.pq, p, q, challenge.nonce, challenge.server_nonce, new_nonce=9)
    fields = {
        "nonce": challenge.nonce,
        "server_nonce": challenge.server_nonce,
        "p": p,
        "q": q,
        "public_key_fingerprint": key.fingerprint,
        "encrypted_data": rsa.encrypt(key.fingerprint, bytes(inner)),
    }
    return functions.ReqDHParamsRequest(**{**fields, **changed})


@pytest.mark.parametrize(
    "changed",
    [{"nonce": 6}, {"server_nonce": 6}, {"p": b"\x03"}, {"public_key_fingerprint": 1}, {"encrypted_data": b"x"}],
    ids=lambda changed: next(iter(changed)),
)
def test_a_handshake_step_that_does_not_fit_is_refused(changed: dict[str, object]) -> None:
    key = ServerKey()
    rsa.add_key(key.public_pem, old=False)
    handshake, challenge = begun(key)
    with pytest.raises(ProtocolViolation):
        handshake.answer(next_step(challenge, key, **changed))
    answer = handshake.answer(next_step(challenge, key))
    assert isinstance(answer, types.ServerDHParamsOk)
    assert handshake.auth_key is None


def test_a_handshake_cannot_begin_in_the_middle() -> None:
    handshake, challenge = begun(ServerKey())
    step = functions.SetClientDHParamsRequest(challenge.nonce, challenge.server_nonce, sha1(b"").digest())
    with pytest.raises(ProtocolViolation, match="not asked for"):
        handshake.answer(step)


@pytest.mark.parametrize("short_key", [False, True])
def test_a_key_with_a_leading_zero_byte_is_agreed_on_anew(short_key: bool) -> None:
    key = ServerKey()
    rsa.add_key(key.public_pem, old=False)
    handshake, challenge = begun(key)
    parameters = handshake.answer(next_step(challenge, key))
    aes = generate_key_data_from_nonce(challenge.server_nonce, 9)
    offered = read_object(AES.decrypt_ige(parameters.encrypted_answer, *aes)[20:])
    g_a, exponent = int.from_bytes(offered.g_a, "big"), 1
    shared = g_a
    while (shared >> 2040 == 0) is not short_key:
        shared, exponent = shared * g_a % DH_PRIME, exponent + 1
    g_b = big_endian(pow(offered.g, exponent, DH_PRIME))
    inner = bytes(types.ClientDHInnerData(challenge.nonce, challenge.server_nonce, retry_id=0, g_b=g_b))
    encrypted = AES.encrypt_ige(sha1(inner).digest() + inner, *aes)
    answer = handshake.answer(functions.SetClientDHParamsRequest(challenge.nonce, challenge.server_nonce, encrypted))
    assert isinstance(answer, types.DhGenRetry if short_key else types.DhGenOk)
    assert (handshake.auth_key is None) is short_key
