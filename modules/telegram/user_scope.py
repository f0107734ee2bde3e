"""Which conversations of an account are left out.

Those that the owner's settings exclude; and always the one with the butler, and Telegram's own with its login codes.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

from modules.telegram.address import Address
from modules.telegram.config import AccountSettings

LOGIN_CODES = 777000
"""The account through which Telegram itself sends its login codes."""


@dataclass(frozen=True, slots=True)
class Scope:
    """What may be read of one account, and what of it is news."""

    muted: frozenset[str] = frozenset()
    excluded: frozenset[str] = frozenset()
    follow_mutes: bool = True

    @classmethod
    def of(cls, settings: AccountSettings, butler: str = "") -> Self:
        """Build the scope from the settings. `butler` is the bot's id: the butler stores its own chat already."""
        own = {str(Address(int(butler)))} if butler else set[str]()
        return cls(frozenset(settings.muted), frozenset(settings.excluded) | own, settings.follow_mutes)

    @property
    def excluded_names(self) -> tuple[str, ...]:
        """Return the public names of chats that are left out, in lower case and without `@`."""
        return tuple(address.partition("@")[2] for address in self.excluded if "@" in address)

    def leaves_out(self, chat: int, names: Iterable[str] = ()) -> bool:
        """Return whether a chat is never read, by its marked id and its public names (without `@`)."""
        return chat == LOGIN_CODES or not self.excluded.isdisjoint(_addresses(chat, names))

    def is_muted(self, chat: int, names: Iterable[str] = (), *, in_telegram: bool) -> bool:
        """Return whether a chat is not news; `in_telegram` is Telegram's own setting."""
        return (self.follow_mutes and in_telegram) or not self.muted.isdisjoint(_addresses(chat, names))


def _addresses(chat: int, names: Iterable[str]) -> list[str]:
    return [str(Address(chat)), *(f"telegram:@{name.lower()}" for name in names)]
