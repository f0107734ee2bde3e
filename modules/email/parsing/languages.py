"""The words by which mail programs of many languages mark quoted and forwarded mails."""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Final

from butler.contract.tables import table


class Header(StrEnum):
    """A header of an inner mail."""

    SENDER = "sender"
    TO = "to"
    COPY = "copy"
    DATE = "date"
    SUBJECT = "subject"
    OTHER = "other"


LANGUAGES: Final[Sequence[Mapping[str, Sequence[str]]]] = table("modules.email.parsing", "languages")["language"]
"""The words of the programs of each language, by `Header`, `forwarded`, `wrote`, `on` and `footer`."""
