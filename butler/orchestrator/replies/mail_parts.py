"""What is read of a mail wherever it is told: its facts, whose words they are, and its texts in one line."""

from approvals.visible import visible_line
from butler.contract.inbound import Inbound
from butler.contract.mail import MailFacts, Person
from butler.contract.provenance import Origin, SourceKind, SourceName, Trust
from butler.contract.speech import say
from butler.provenance import Labels

LONGEST_LINE = 200
"""Characters of somebody's text that is shown on one line."""


def facts_of(item: Inbound) -> MailFacts:
    """What was made of a mail; of one that nothing was made of, that all of it are its sender's words."""
    return item.mail or MailFacts(words=item.text)


def labels_of(item: Inbound) -> Labels:
    """Whose words an offer's arguments are."""
    forwarded = facts_of(item).forwarded
    if forwarded is None:
        return frozenset({item.origin})
    shown_as = SourceName(kind=SourceKind.MAIL_FORWARDED, who=forwarded.sender.address if forwarded.sender else "")
    return frozenset({Origin(trust=Trust.UNTRUSTED, source=item.origin.source, shown_as=shown_as)})


def named(person: Person | None) -> str:
    """Somebody by the name that the mail gives them, with the address."""
    if person is None:
        return say("somebody whom it does not name")
    address = shown_line(person.address)
    return (
        f"{shown_line(person.name)} <{address}>"
        if person.name and person.address
        else shown_line(person.name) or address
    )


def short(text: str, most: int) -> str:
    """A text of somebody's on one line, no longer than that."""
    return visible_line(clipped(" ".join(text.split()), most))


def one_line(text: str, most: int = 240) -> str:
    """A text of somebody's as an argument takes it: one line of what can be seen, no longer than that."""
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())[:most]


def shown_line(text: str) -> str:
    """The beginning of somebody's text on one line, with what could mislead made visible."""
    return visible_line(clipped(text, LONGEST_LINE))


def clipped(text: str, most: int) -> str:
    """A text's first characters, with an ellipsis where more follow."""
    return text if len(text) <= most else f"{text[:most].rstrip()} …"
