"""The owner's mailbox, as the second channel of the approvals harness."""

from dataclasses import dataclass, field

from butler.contract.inbound import Inbound


class Killed(BaseException):
    """The process dies here."""


@dataclass
class SecondChannelStub:
    """The owner's mailbox: every mail of the butler to them. `fails` are the first results.

    `die` kills after the next mail.
    """

    mails: list[tuple[str, str, str]] = field(default_factory=list)
    """Address, subject and text."""
    keys: list[str] = field(default_factory=list)
    fails: list[Exception] = field(default_factory=list)
    die: bool = False

    async def send(self, to: str, subject: str, text: str, key: str) -> str:
        if self.fails:
            raise self.fails.pop(0)
        self.mails.append((to, subject, text))
        self.keys.append(key)
        if self.die:
            raise Killed
        return f"<{key.replace(':', '-')}@butler.example>"

    async def answer(self, item: Inbound, text: str, key: str) -> str:
        return await self.send(item.sender.removeprefix("mail:"), f"Re: {item.payload['subject']}", text, key)
