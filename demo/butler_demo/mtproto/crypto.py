# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false
# (Telethon carries no types for its AES and TL classes.)
"""Keys and ciphers of MTProto 2.0: the server's RSA key, and the encryption of messages under an auth key.

https://core.telegram.org/mtproto/description describes the message encryption, seen here from the server.
"""

import os
import struct
from dataclasses import dataclass
from hashlib import sha1, sha256

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, generate_private_key
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from telethon.crypto import AES
from telethon.tl import TLObject

from butler_demo.mtproto.errors import ProtocolViolation

# The 2048-bit safe prime that Telegram uses and that clients know to be good; with it the generator 3.
DH_PRIME = int(
    "c71caeb9c6b1c9048e6c522f70f13f73980d40238e3e21c14934d037563d930f"
    "48198a0aa7c14058229493d22530f4dbfa336f6e0ac925139543aed44cce7c37"
    "20fd51f69458705ac68cd4fe6b6b13abdc9746512969328454f18faf8c595f64"
    "2477fe96bb2a941d5bcd1d4ac8cc49880708fa9b378e3c4f3a9060bee67cf9a4"
    "a4a695811051907e162753b56b0f6b410dba74d8a84b2a14b3144e0ef1284754"
    "fd17ed950d5965b4b9dd46582db1178d169c6bc465b0d6ff9ca3928fef5b9ae4"
    "e418fc15e83ebea0f87fa9ff5eed70050ded2849f47bf959d956850ce929851f"
    "0d8115f635b105ee2e4e15d04b2454bf6f4fadf034b10403119cd8e3b92fcc5b",
    16,
)
DH_GENERATOR = 3
DH_BYTES = 256

# Where the key material of a message starts in the auth key, by the side that sends it.
_FROM_CLIENT = 0
_FROM_SERVER = 8


def big_endian(number: int) -> bytes:
    """The shortest big-endian form of a positive number."""
    return number.to_bytes((number.bit_length() + 7) // 8, "big")


class ServerKey:
    """The data centre's RSA key, to which a client encrypts the start of the handshake."""

    def __init__(self) -> None:
        self._key: RSAPrivateKey = generate_private_key(public_exponent=65537, key_size=2048)
        self._numbers = self._key.private_numbers()

    @property
    def public_pem(self) -> str:
        """The public key as PKCS#1 PEM, as `telethon.crypto.rsa.add_key` takes it."""
        return self._key.public_key().public_bytes(Encoding.PEM, PublicFormat.PKCS1).decode()

    @property
    def fingerprint(self) -> int:
        """The signed 64-bit number by which client and server name this key."""
        public = self._numbers.public_numbers
        parts = (TLObject.serialize_bytes(big_endian(number)) for number in (public.n, public.e))
        return struct.unpack("<q", sha1(b"".join(parts)).digest()[-8:])[0]

    def decrypt(self, cipher_text: bytes) -> bytes:
        """Undo the raw RSA of the handshake: SHA-1, data and padding, 255 bytes in all."""
        public = self._numbers.public_numbers
        number = pow(int.from_bytes(cipher_text, "big"), self._numbers.d, public.n)
        if number.bit_length() > 255 * 8:
            raise ProtocolViolation("the handshake was encrypted to another key")
        return number.to_bytes(255, "big")


@dataclass(frozen=True, slots=True)
class ClientMessage:
    """One decrypted message of a client."""

    salt: int
    session_id: int
    message_id: int
    sequence: int
    body: bytes


def decrypt_from_client(auth_key: bytes, packet: bytes) -> ClientMessage:
    """Open a packet (auth key id, message key, cipher text) that a client encrypted.

    Raises:
        ProtocolViolation: the message key or the inner length does not fit.
    """
    message_key = packet[8:24]
    if len(packet) < 24 + 32 or len(packet) % 16 != 8:
        raise ProtocolViolation("an encrypted packet has an impossible length")
    plain = bytes(AES.decrypt_ige(packet[24:], *_aes_key_and_iv(auth_key, message_key, _FROM_CLIENT)))
    if _message_key(auth_key, plain, _FROM_CLIENT) != message_key:
        raise ProtocolViolation("the message key does not match the message")
    salt, session_id, message_id, sequence, length = struct.unpack("<qqqii", plain[:32])
    if not 12 <= len(plain) - 32 - length <= 1024:
        raise ProtocolViolation("the padding has an impossible length")
    return ClientMessage(salt, session_id, message_id, sequence, plain[32 : 32 + length])


def encrypt_to_client(auth_key: bytes, key_id: int, plain: bytes) -> bytes:
    """Make the packet for `plain` (salt, session id, message id, sequence, length, body)."""
    padded = plain + os.urandom(12 + -(len(plain) + 12) % 16)
    message_key = _message_key(auth_key, padded, _FROM_SERVER)
    cipher_text = AES.encrypt_ige(padded, *_aes_key_and_iv(auth_key, message_key, _FROM_SERVER))
    return struct.pack("<Q", key_id) + message_key + bytes(cipher_text)


def _message_key(auth_key: bytes, padded: bytes, offset: int) -> bytes:
    return sha256(auth_key[88 + offset : 120 + offset] + padded).digest()[8:24]


def _aes_key_and_iv(auth_key: bytes, message_key: bytes, offset: int) -> tuple[bytes, bytes]:
    a = sha256(message_key + auth_key[offset : offset + 36]).digest()
    b = sha256(auth_key[offset + 40 : offset + 76] + message_key).digest()
    return a[:8] + b[8:24] + a[24:32], b[:8] + a[8:24] + b[24:32]
