# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false
# (Telethon's TL classes carry no complete types.)
"""The server's half of the auth key exchange: https://core.telegram.org/mtproto/auth_key.

The client proposes a nonce, factors a number, sends a secret encrypted to the server's RSA key, and both
agree on 2048 bits by Diffie-Hellman.
"""

import os
import secrets
import time
from hashlib import sha1
from typing import Any

from telethon.crypto import AES, AuthKey
from telethon.helpers import generate_key_data_from_nonce
from telethon.tl import TLObject, functions, types

from butler_demo.mtproto.crypto import DH_BYTES, DH_GENERATOR, DH_PRIME, ServerKey, big_endian
from butler_demo.mtproto.errors import ProtocolViolation
from butler_demo.mtproto.tl import read_object

# The proof of work: the client factors their product. The pair is the protocol documentation's own example.
_P = 0x494C553B
_Q = 0x53911073
_SHA1 = 20


class Handshake:
    """One exchange on one connection; `auth_key` is set when it has succeeded."""

    def __init__(self, server_key: ServerKey) -> None:
        self.auth_key: AuthKey | None = None
        self._server_key = server_key
        self._nonce = 0
        self._server_nonce = int.from_bytes(os.urandom(16), "little", signed=True)
        self._new_nonce = 0
        self._aes: tuple[bytes, bytes] | None = None
        self._secret = secrets.randbits(DH_BYTES * 8)

    def answer(self, request: Any) -> TLObject:
        """The answer to the client's next step.

        Raises:
            ProtocolViolation: the step is unknown, out of order or does not fit the exchange.
        """
        if isinstance(request, functions.ReqPqMultiRequest | functions.ReqPqRequest):
            self._nonce = request.nonce
            fingerprints = [self._server_key.fingerprint]
            return types.ResPQ(request.nonce, self._server_nonce, big_endian(_P * _Q), fingerprints)
        if isinstance(request, functions.ReqDHParamsRequest):
            self._check_nonces(request)
            return self._send_parameters(request)
        if isinstance(request, functions.SetClientDHParamsRequest):
            self._check_nonces(request)
            return self._agree(request)
        raise ProtocolViolation(f"{type(request).__name__} needs an encrypted connection")

    def _send_parameters(self, request: functions.ReqDHParamsRequest) -> TLObject:
        if (int.from_bytes(request.p, "big"), int.from_bytes(request.q, "big")) != (_P, _Q):
            raise ProtocolViolation("the factors are wrong")
        if request.public_key_fingerprint != self._server_key.fingerprint:
            raise ProtocolViolation("the client used another server's public key")
        inner = _read_hashed(self._server_key.decrypt(request.encrypted_data))
        self._check_nonces(inner)
        self._new_nonce = inner.new_nonce
        self._aes = generate_key_data_from_nonce(self._server_nonce, self._new_nonce)
        parameters = bytes(
            types.ServerDHInnerData(
                nonce=self._nonce,
                server_nonce=self._server_nonce,
                g=DH_GENERATOR,
                dh_prime=big_endian(DH_PRIME),
                g_a=big_endian(pow(DH_GENERATOR, self._secret, DH_PRIME)),
                server_time=int(time.time()),
            )
        )
        encrypted = AES.encrypt_ige(sha1(parameters).digest() + parameters, *self._aes)
        return types.ServerDHParamsOk(self._nonce, self._server_nonce, encrypted)

    def _agree(self, request: functions.SetClientDHParamsRequest) -> TLObject:
        if self._aes is None:
            raise ProtocolViolation("the Diffie-Hellman parameters were not asked for")
        inner = _read_hashed(bytes(AES.decrypt_ige(request.encrypted_data, *self._aes)))
        self._check_nonces(inner)
        shared = pow(int.from_bytes(inner.g_b, "big"), self._secret, DH_PRIME).to_bytes(DH_BYTES, "big")
        auth_key = AuthKey(shared)
        if shared[0] == 0:
            # One exchange in 256. Telethon drops a leading zero byte and would compute another key, and a
            # StringSession could not carry it; the protocol's own "retry" makes the client start over.
            return types.DhGenRetry(self._nonce, self._server_nonce, auth_key.calc_new_nonce_hash(self._new_nonce, 2))
        self.auth_key = auth_key
        return types.DhGenOk(self._nonce, self._server_nonce, auth_key.calc_new_nonce_hash(self._new_nonce, 1))

    def _check_nonces(self, message: Any) -> None:
        if (message.nonce, message.server_nonce) != (self._nonce, self._server_nonce):
            raise ProtocolViolation("the nonces belong to another exchange")


def _read_hashed(data: bytes) -> Any:
    """The TL object behind its own SHA-1; what follows it is padding."""
    inner = read_object(data[_SHA1:])
    if sha1(bytes(inner)).digest() != data[:_SHA1]:
        raise ProtocolViolation("the inner data does not match its SHA-1")
    return inner
