"""The sample chat for trying requests: the owner's contacts, and the mails of the last list."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from butler.contract.referents import ReferentKind
from butler.store.conversation import Referent
from butler.store.queries.contacts import Contact

OWNER_ID = 42
"""The owner's user id on Telegram."""
BUTLER_NAME = "Jeeves"
BUTLER_USERNAME = "jeeves_demo_bot"
CONTACTS = (
    Contact("anna", "Anna", ("anna",), ("telegram:@anna", "telegram:1002", "mail:anna@friends.example")),
    Contact("bob", "Bob", ("bob",), ("telegram:@bob", "telegram:1003", "mail:bob@work.example")),
    Contact("mum", "Mum", ("mum",), ("telegram:1004",)),
    Contact("carol", "Carol", ("carol",), ("mail:carol@choir.example",)),
)


@dataclass(frozen=True, slots=True)
class _ListedMail:
    minutes_ago: int
    contact_id: str | None = None
    """The sender, if the owner knows them."""


_MAILS = (
    _ListedMail(40, "bob"),
    _ListedMail(192, "bob"),
    _ListedMail(255),
    _ListedMail(420),
    _ListedMail(1570, "carol"),
    _ListedMail(1860),
    _ListedMail(3060, "anna"),
    _ListedMail(4395),
    _ListedMail(6090),
    _ListedMail(7240),
)


def listed_mails(now: datetime) -> tuple[Referent, ...]:
    """The mails of the mailbox, newest first, as a list that was just shown."""
    return tuple(
        Referent(
            handle=f"mail-{number}",
            kind=ReferentKind.MAIL,
            key=f"<mail-{number}@home.example>",
            tool="user_email_search_inbox",
            contact_id=mail.contact_id,
            ordinal=number,
            at=now - timedelta(minutes=mail.minutes_ago),
            shown_in="list",
        )
        for number, mail in enumerate(_MAILS, 1)
    )
