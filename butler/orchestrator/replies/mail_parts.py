"""Parts of a mail that every report of it needs: its facts, whose words they are, and its texts in one line."""

from approvals.visible import visible_line
from butler.contract.inbound import Inbound
from butler.contract.mail import MailFacts, Person
from butler.contract.provenance import Origin, SourceKind, SourceName, Trust
from butler.contract.speech import say
from butler.provenance import Labels

LONGEST_LINE = 200
"""Most characters of somebody's text on one line."""


def facts_of(item: Inbound) -> MailFacts:
    """Return a mail's facts; if it was not analysed, its whole text counts as its sender's words."""
    return item.mail or MailFacts(words=item.text)


def labels_of(item: Inbound) -> Labels:
    """Return the origin of an offer's arguments."""
    forwarded = facts_of(item).forwarded
    if forwarded is None:
        return frozenset({item.origin})
    shown_as = SourceName(kind=SourceKind.MAIL_FORWARDED, who=forwarded.sender.address if forwarded.sender else "")
    return frozenset({Origin(trust=Trust.UNTRUSTED, source=item.origin.source, shown_as=shown_as)})


def named(person: Person | None) -> str:
    """Return a person by the name that the mail gives them, with the address."""
    if person is None:
        return say("somebody whom it does not name")
    address = shown_line(person.address)
    return (
        f"{shown_line(person.name)} <{address}>"
        if person.name and person.address
        else shown_line(person.name) or address
    )


def short(text: str, most: int) -> str:
    """Return somebody's text on one line of at most that length."""
    return visible_line(clipped(" ".join(text.split()), most))


def one_line(text: str, most: int = 240) -> str:
    """Return somebody's text as an argument takes it: one line of printable characters, of at most that length."""
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())[:most]


def shown_line(text: str) -> str:
    """Return the beginning of somebody's text on one line, with what could mislead made visible."""
    return visible_line(clipped(text, LONGEST_LINE))


def clipped(text: str, most: int) -> str:
    """Return a text's first characters, with an ellipsis if more follow."""
    return text if len(text) <= most else f"{text[:most].rstrip()} …"
