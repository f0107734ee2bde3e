"""Items as the butler's mailbox makes them, of mails that are parsed in this process."""

from dataclasses import replace
from datetime import datetime
from typing import Any

from butler.contract.inbound import Inbound
from butler.contract.module import ModuleContext
from butler.contract.provenance import Trust
from modules.email.config import BotMailboxSettings
from modules.email.inbound import Place
from modules.email.items import MailItems
from modules.email.parsing.parser import parse_mail
from modules.email.parsing.reader import MailReader, ReadMail
from tests.support.context import make_context
from tests.support.signing import BUTLER, Dns

SERVERS = {"imap": "imaps://imap.home.example:993", "smtp": "smtps://smtp.home.example:465"}


class InProcess(MailReader):
    """Reads without a child process; `changes` are what a test says was found."""

    def __init__(self, changes: dict[str, Any] | None = None) -> None:
        self._changes = changes or {}

    async def read(self, raw: bytes) -> ReadMail:
        mail, files = parse_mail(raw)
        return ReadMail(replace(mail, **self._changes), files)


async def item_of(
    raw: bytes,
    dns: Dns,
    at: datetime,
    *,
    settings: BotMailboxSettings | None = None,
    context: ModuleContext | None = None,
    changes: dict[str, Any] | None = None,
) -> Inbound:
    """The item of a mail that arrives at `at`."""
    known = settings or BotMailboxSettings.model_validate(SERVERS)
    items = MailItems(InProcess(changes), context or make_context(), known, lookup=dns)
    return await items.make(Place(BUTLER, 1, 7, at), raw)


def owners_words(item: Inbound) -> list[str]:
    """What of the mail is labelled as the owner's."""
    return [part.value for part in item.segments if any(origin.trust is Trust.OWNER for origin in part.origins)]
