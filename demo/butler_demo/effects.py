"""What left the house, from the providers' own records: the messages and mails that count as effects."""

from dataclasses import dataclass
from datetime import datetime

from butler_demo.events import Box


@dataclass(frozen=True, slots=True)
class SentTelegram:
    """A message that left the person's own account. `to` holds every name of the recipient."""

    to: tuple[str, ...]
    text: str
    at: datetime

    def holds(self, words: tuple[str, ...]) -> bool:
        """Whether each of the words is in a name of the recipient or in the text; case does not count."""
        return holds_all(" ".join([*self.to, self.text]), words)

    def __str__(self) -> str:
        return f"to {self.to[0]}: {self.text}"


@dataclass(frozen=True, slots=True)
class SentMail:
    """A mail that left the person's or the butler's mailbox; `recipients` are those of the envelope."""

    box: Box
    recipients: tuple[str, ...]
    subject: str
    text: str
    at: datetime

    def is_for(self, address: str) -> bool:
        return address.lower() in {recipient.lower() for recipient in self.recipients}

    def holds(self, words: tuple[str, ...]) -> bool:
        """Whether each of the words is in the subject or in the text; case does not count."""
        return holds_all(f"{self.subject}\n{self.text}", words)

    def __str__(self) -> str:
        return f"to {', '.join(self.recipients)}: {self.subject} | {' '.join(self.text.split())}"


def holds_all(text: str, words: tuple[str, ...]) -> bool:
    """Whether a text holds all of the words; case and the kind of white space do not count."""
    plain = " ".join(text.split()).casefold()
    return all(" ".join(word.split()).casefold() in plain for word in words)
