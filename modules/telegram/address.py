"""Addresses of Telegram chats, people and messages.

A chat is `telegram:<id>`, `telegram:<id>:<topic>` or `telegram:@name`; a message is `telegram:<chat id>/<number>`,
followed by `@<account>` where the owner has several accounts, since each account numbers its messages separately.
"""

import re
from dataclasses import dataclass

from butler.contract.errors import Refuse

_ADDRESS = re.compile(r"telegram:(?:(?P<id>-?\d{1,19})(?::(?P<topic>\d{1,10}))?|(?P<name>@[A-Za-z0-9_]{3,32}))")
_MESSAGE = re.compile(
    r"telegram:(?P<chat>-?\d{1,19})/(?P<number>[1-9]\d{0,9})(?:@(?P<account>[a-z][a-z0-9_-]{0,29}))?|(?P<bare>[1-9]\d{0,9})"
)


@dataclass(frozen=True, slots=True)
class Address:
    """A chat given by its id, with an optional topic, or by a public name with its `@`."""

    chat_id: int | str
    thread_id: int | None = None

    @classmethod
    def parse(cls, text: str) -> "Address":
        """Parse an address; raise `Refuse` if it is malformed."""
        match = _ADDRESS.fullmatch(text)
        if match is None:
            raise Refuse(f"{text!r} is no Telegram address: write telegram:<id> or telegram:@name")
        if match["name"]:
            return cls(match["name"])
        return cls(int(match["id"]), int(match["topic"]) if match["topic"] else None)

    def __str__(self) -> str:
        topic = "" if self.thread_id is None else f":{self.thread_id}"
        return f"telegram:{self.chat_id}{topic}"


@dataclass(frozen=True, slots=True)
class MessageAddress:
    """A message given by its number, with its chat and the account that saw it where these are known."""

    number: int
    chat: int | None = None
    account: str = ""

    @classmethod
    def parse(cls, text: str) -> "MessageAddress":
        """Parse an address or a bare number; raise `Refuse` if it is malformed."""
        match = _MESSAGE.fullmatch(text)
        if match is None:
            raise Refuse(f"{text!r} is no Telegram message: write telegram:<chat id>/<number>")
        if match["bare"]:
            return cls(int(match["bare"]))
        return cls(int(match["number"]), int(match["chat"]), match["account"] or "")

    def __str__(self) -> str:
        if self.chat is None:
            return str(self.number)
        return f"telegram:{self.chat}/{self.number}{f'@{self.account}' if self.account else ''}"
