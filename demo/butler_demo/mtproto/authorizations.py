# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false
# (Telethon's AuthKey carries no types.)
"""Auth keys and who is signed in under each; they outlive every connection, as a client expects."""

import os
import secrets
from dataclasses import dataclass, field
from typing import Any

from telethon.crypto import AuthKey

from butler_demo.mtproto.crypto import DH_BYTES
from butler_demo.mtproto.directory import Account
from butler_demo.mtproto.srp import SrpExchange


def new_salt() -> int:
    """A random server salt, a signed 64-bit number."""
    return int.from_bytes(os.urandom(8), "big", signed=True)


@dataclass(slots=True)
class Authorization:
    """One auth key.

    Before the login is complete, `code_hashes`, `awaiting_password`, `scanned_by` and `srp` hold how far it is.
    `refusal` is what calls are answered once the session was ended from elsewhere.
    """

    auth_key: AuthKey
    salt: int = field(default_factory=new_salt)
    initialised: bool = False
    user_id: int | None = None
    refusal: str | None = None
    code_hashes: dict[str, str] = field(default_factory=dict[str, str])
    awaiting_password: Account | None = None
    scanned_by: Account | None = None
    srp: SrpExchange | None = None

    @property
    def key_id(self) -> int:
        """The key's 64-bit id."""
        key_id: Any = self.auth_key.key_id
        return key_id

    @property
    def key(self) -> bytes:
        """The key itself, 256 bytes."""
        key: Any = self.auth_key.key
        return key

    def sign_in(self, account: Account) -> None:
        """Complete the login."""
        self.user_id = account.id
        self.refusal = None
        self.awaiting_password = self.srp = None
        self.code_hashes.clear()

    def sign_out(self) -> None:
        """Forget who was signed in; the key itself stays known."""
        self.user_id = None


class Authorizations:
    """All auth keys that the data centre knows, by their 64-bit id."""

    def __init__(self) -> None:
        self._by_key_id: dict[int, Authorization] = {}

    def register(self, auth_key: AuthKey) -> Authorization:
        """Remember a key that client and server have agreed on."""
        authorization = Authorization(auth_key)
        self._by_key_id[authorization.key_id] = authorization
        return authorization

    def create(self) -> Authorization:
        """Make a key on the server's side alone, without a zero byte at its start (see `handshake`)."""
        first = secrets.randbelow(255) + 1
        return self.register(AuthKey(bytes([first]) + os.urandom(DH_BYTES - 1)))

    def find(self, key_id: int) -> Authorization | None:
        """The key with this id."""
        return self._by_key_id.get(key_id)

    def of(self, user_id: int) -> list[Authorization]:
        """The sessions of an account."""
        return [authorization for authorization in self._by_key_id.values() if authorization.user_id == user_id]

    def revoke(self, user_id: int, refusal: str) -> None:
        """End every session of an account, as "Terminate all other sessions" does; calls are answered `refusal`."""
        for authorization in self.of(user_id):
            authorization.sign_out()
            authorization.refusal = refusal
