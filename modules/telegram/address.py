"""How a chat or a person on Telegram is written: `telegram:<id>`, `telegram:<id>:<topic>`, `telegram:@name`."""

import re
from dataclasses import dataclass

from butler.contract.errors import Refuse

_ADDRESS = re.compile(r"telegram:(?:(?P<id>-?\d{1,19})(?::(?P<topic>\d{1,10}))?|(?P<name>@[A-Za-z0-9_]{3,32}))")


@dataclass(frozen=True, slots=True)
class Address:
    """A chat by its id, with its topic where it has one; or a public name with its `@`."""

    chat_id: int | str
    thread_id: int | None = None

    @classmethod
    def parse(cls, text: str) -> "Address":
        """Read an address; raises `Refuse`."""
        match = _ADDRESS.fullmatch(text)
        if match is None:
            raise Refuse(f"{text!r} is no Telegram address: write telegram:<id> or telegram:@name")
        if match["name"]:
            return cls(match["name"])
        return cls(int(match["id"]), int(match["topic"]) if match["topic"] else None)

    def __str__(self) -> str:
        topic = "" if self.thread_id is None else f":{self.thread_id}"
        return f"telegram:{self.chat_id}{topic}"
