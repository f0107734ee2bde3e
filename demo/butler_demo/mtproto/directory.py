"""Who exists: accounts, the address book of each, basic groups, channels and supergroups."""

import secrets
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256

from butler_demo.mtproto.channels import Channel
from butler_demo.mtproto.errors import RpcFault
from butler_demo.mtproto.ids import channel_id_of, is_channel
from butler_demo.mtproto.srp import PasswordVerifier

TELEGRAM_ID = 777000


@dataclass(frozen=True, slots=True)
class Account:
    """One person's account. `phone` is digits only; `code` is the login code that is always sent."""

    id: int
    phone: str
    first_name: str
    last_name: str | None = None
    username: str | None = None
    code: str = "12345"
    password: PasswordVerifier | None = None


@dataclass(frozen=True, slots=True)
class ContactName:
    """The name under which somebody stands in an address book."""

    first: str
    last: str | None = None


@dataclass(frozen=True, slots=True)
class Group:
    """A basic group; its peer id is `-id`."""

    id: int
    title: str
    creator_id: int
    member_ids: tuple[int, ...]
    created_at: datetime


class Directory:
    """Accounts, address books, groups and channels, by id."""

    def __init__(self) -> None:
        self.accounts: dict[int, Account] = {}
        self.groups: dict[int, Group] = {}
        self.channels: dict[int, Channel] = {}
        self._address_books: dict[int, dict[int, ContactName]] = {}
        self._hash_secret = secrets.token_bytes(16)

    def add_account(self, account: Account) -> None:
        """Raises ValueError when the id, the phone or the username is taken."""
        if account.id in self.accounts or self.by_phone(account.phone) or self._is_taken(account.username):
            raise ValueError(f"account {account.id}: id, phone or username is taken")
        self.accounts[account.id] = account
        self._address_books[account.id] = {}

    def telegram(self) -> Account:
        """Telegram's own account, which writes login codes; made when it is needed first."""
        if TELEGRAM_ID not in self.accounts:
            self.add_account(Account(TELEGRAM_ID, "42777", "Telegram"))
        return self.accounts[TELEGRAM_ID]

    def add_contact(self, owner_id: int, contact_id: int, name: ContactName) -> None:
        """Write `contact_id` into the owner's address book, or change the name there."""
        self._address_books[owner_id][self.accounts[contact_id].id] = name

    def add_group(self, group: Group) -> None:
        """Raises ValueError when the id is taken or a member does not exist."""
        if group.id in self.groups or group.creator_id not in group.member_ids:
            raise ValueError(f"group {group.id}: the id is taken or the creator is no member")
        if unknown := set(group.member_ids) - self.accounts.keys():
            raise ValueError(f"group {group.id}: no accounts {sorted(unknown)}")
        self.groups[group.id] = group

    def add_channel(self, channel: Channel) -> None:
        """Raises ValueError when the id or the username is taken or a member does not exist."""
        if channel.id in self.channels or self._is_taken(channel.username):
            raise ValueError(f"channel {channel.id}: the id or the username is taken")
        if unknown := channel.members.keys() - self.accounts.keys():
            raise ValueError(f"channel {channel.id}: no accounts {sorted(unknown)}")
        self.channels[channel.id] = channel

    def channel_of(self, peer_id: int) -> Channel | None:
        """The channel or supergroup that a peer is."""
        return self.channels.get(channel_id_of(peer_id)) if is_channel(peer_id) else None

    def channels_with(self, user_id: int) -> list[Channel]:
        """The channels and supergroups of which somebody is a member."""
        return [channel for channel in self.channels.values() if user_id in channel.members]

    def contacts_of(self, owner_id: int) -> dict[int, ContactName]:
        """The owner's address book."""
        return self._address_books[owner_id]

    def by_phone(self, phone: str) -> Account | None:
        """The account with this number, written with or without the plus sign."""
        digits = phone.lstrip("+")
        return next((account for account in self.accounts.values() if account.phone == digits), None)

    def by_username(self, username: str) -> Account | None:
        """The account with this username, in any case, with or without the at sign."""
        wanted = username.lstrip("@").lower()
        accounts = self.accounts.values()
        return next((account for account in accounts if (account.username or "").lower() == wanted), None)

    def channel_by_username(self, username: str) -> Channel | None:
        """The public channel with this username, in any case, with or without the at sign."""
        wanted = username.lstrip("@").lower()
        return next((channel for channel in self.channels.values() if (channel.username or "").lower() == wanted), None)

    def access_hash(self, viewer_id: int, peer_id: int) -> int:
        """The number with which `viewer_id` may address a user or a channel: another one for every viewer."""
        digest = sha256(self._hash_secret + f"{viewer_id}:{peer_id}".encode()).digest()
        return int.from_bytes(digest[:8], "big", signed=True)

    def file_hash(self, viewer_id: int, file_id: int) -> int:
        """The number with which `viewer_id` may fetch a file: another one for every viewer."""
        digest = sha256(self._hash_secret + f"{viewer_id}:file:{file_id}".encode()).digest()
        return int.from_bytes(digest[:8], "big", signed=True)

    def readers(self, sender_id: int, peer_id: int) -> dict[int, int]:
        """Whose boxes get what `sender_id` writes to `peer_id`: the box's owner to the peer there.

        Raises:
            RpcFault: the peer does not exist, or the sender may not write to it.
        """
        if peer_id >= 0:
            if peer_id not in self.accounts:
                raise RpcFault(400, "PEER_ID_INVALID")
            return {sender_id: peer_id, peer_id: sender_id}
        if is_channel(peer_id):
            channel = self.channel_of(peer_id)
            if channel is None:
                raise RpcFault(400, "CHANNEL_INVALID")
            channel.check_may_write(sender_id)
            return {peer_id: peer_id}
        group = self.groups.get(-peer_id)
        if group is None or sender_id not in group.member_ids:
            raise RpcFault(400, "PEER_ID_INVALID")
        return dict.fromkeys(group.member_ids, peer_id)

    def _is_taken(self, username: str | None) -> bool:
        if not username:
            return False
        return self.by_username(username) is not None or self.channel_by_username(username) is not None
