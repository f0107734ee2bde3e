# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false
# (Telethon's TL classes carry no complete types.)
"""Two-step verification: the server's half of the SRP exchange, https://core.telegram.org/api/srp.

The server knows a verifier of the password, never the password; the maths of the hashes are Telethon's.
"""

import os
import secrets
from dataclasses import dataclass, field
from functools import lru_cache

from telethon.password import big_num_for_hash, compute_digest, sha256, xor
from telethon.tl.types import PasswordKdfAlgoSHA256SHA256PBKDF2HMACSHA512iter100000SHA256ModPow as KdfAlgorithm

from butler_demo.mtproto.crypto import DH_GENERATOR, DH_PRIME, big_endian


@dataclass(frozen=True, slots=True)
class PasswordVerifier:
    """What the server keeps of an account's password."""

    algorithm: KdfAlgorithm
    number: int


@lru_cache(maxsize=64)
def verifier_of(password: str) -> PasswordVerifier:
    """Derive the verifier, with fresh salts for a new password; takes some 50 ms by design of the algorithm."""
    algorithm = KdfAlgorithm(os.urandom(8), os.urandom(16), DH_GENERATOR, big_endian(DH_PRIME))
    return PasswordVerifier(algorithm, int.from_bytes(compute_digest(algorithm, password), "big"))


@dataclass(slots=True)
class SrpExchange:
    """One attempt to prove the password: made by `account.getPassword`, used by `auth.checkPassword`."""

    verifier: PasswordVerifier
    id: int = field(default_factory=lambda: secrets.randbits(62))
    _secret: int = field(default_factory=lambda: secrets.randbits(2040))

    @property
    def server_value(self) -> bytes:
        """B, 256 bytes."""
        multiplier = int.from_bytes(sha256(big_endian(DH_PRIME), big_num_for_hash(DH_GENERATOR)), "big")
        power = pow(DH_GENERATOR, self._secret, DH_PRIME)
        return big_num_for_hash((multiplier * self.verifier.number + power) % DH_PRIME)

    def accepts(self, client_value: bytes, proof: bytes) -> bool:
        """Whether the client's A and M1 prove that it knows the password."""
        a = int.from_bytes(client_value, "big")
        if a % DH_PRIME == 0:
            return False
        a_bytes, b_bytes = big_num_for_hash(a), self.server_value
        scrambler = int.from_bytes(sha256(a_bytes, b_bytes), "big")
        shared = pow(a * pow(self.verifier.number, scrambler, DH_PRIME), self._secret, DH_PRIME)
        algorithm = self.verifier.algorithm
        expected = sha256(
            xor(sha256(big_endian(DH_PRIME)), sha256(big_num_for_hash(DH_GENERATOR))),
            sha256(algorithm.salt1),
            sha256(algorithm.salt2),
            a_bytes,
            b_bytes,
            sha256(big_num_for_hash(shared)),
        )
        return secrets.compare_digest(expected, proof)
