"""Prints `butler mail inspect` for people: who, what, whose words, whether it may command, and what follows."""

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from rich.console import Console
from rich.table import Table
from rich.text import Text

from approvals.reason_words import in_words
from approvals.visible import visible, visible_line
from butler.cli.mail.scene import Scene
from butler.cli.mail.words import problems, why_unread
from butler.contract.inbound import Inbound
from butler.contract.mail import ForwardedMail, InviteFacts, MailFacts, Person
from butler.offline import offline_registry
from butler.orchestrator.mail.handler import mail_message
from butler.orchestrator.mail.note import asked
from butler.orchestrator.mail.triage import Case
from butler.orchestrator.planning.own_words import is_proved
from butler.orchestrator.replies.mail_lines import size, takes_place, what_it_is
from butler.orchestrator.replies.mail_parts import facts_of

LONGEST = 2_000
"""Characters of a text that are shown."""


def show(file: Path, item: Inbound, authority: tuple[bool, str], scene: Scene) -> None:
    """Print one mail, with invisible characters made visible."""
    table = Table.grid(padding=(0, 2))
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for title, text in _rows(item, authority, scene):
        table.add_row(title, Text(text))
    console = Console()
    console.rule(Text(str(file)))
    console.print(table)


def _rows(item: Inbound, authority: tuple[bool, str], scene: Scene) -> Iterator[tuple[str, str]]:
    facts = facts_of(item)
    yield "From", _person(Person(address=item.payload["from"], name=item.sender_name))
    yield "Subject", visible_line(item.payload["subject"]) or "(none)"
    yield "Sent", _at(item.sent_at, scene.zone)
    topics = ", ".join(topic for topic in facts.topics if topic.value != facts.kind.value)
    yield "Kind", f"{facts.kind.value}, about {topics}" if topics else facts.kind.value
    yield "Their words", _text(facts.words) or "(none of their own)"
    if facts.command.split() != facts.words.split():
        yield "That command", _text(facts.command) or "(none: the rest is shown, and done only by a tap)"
    if facts.forwarded is not None:
        yield from _forwarded(facts.forwarded, scene.zone)
    elif facts.quotes:
        yield "Quoted", "an earlier mail, which is not read as anybody's wish"
    if facts.invite is not None:
        yield "Event", _event(facts.invite, scene.zone)
    for attachment in item.attachments:
        yield "File", f"{visible_line(attachment.name)} ({size(attachment.size)}, {attachment.media_type})"
    if facts.protection:
        yield "Protection", facts.protection
    for problem in problems(item):
        yield "Problem", visible_line(problem)
    yield "May command", f"{'yes' if authority[0] else 'no'}: {authority[1]}"
    yield "May be answered", _answerable(facts)
    yield "What I would do", _proposal(item, facts, scene)


def _forwarded(inner: ForwardedMail, zone: ZoneInfo) -> Iterator[tuple[str, str]]:
    yield "Forwarded from", _person(inner.sender) if inner.sender else "nobody who could be made out"
    yield "  subject", visible_line(inner.subject) or "(none)"
    yield "  sent", _at(inner.sent_at, zone) if inner.sent_at else visible_line(inner.date) or "(not told)"
    yield "  text", _text(inner.text) or "(none)"


def _proposal(item: Inbound, facts: MailFacts, scene: Scene) -> str:
    if item.payload["own"]:
        return "nothing, because I wrote it myself"
    if why := why_unread(item):
        return f"put it aside and tell you: {why}"
    if is_proved(item) and asked(item):
        return "take what it says as your request"
    names = {spec.tool_name for spec in offline_registry()[0].specs()}
    case = Case(item, facts, "mail-1", names, scene.owner, scene.now, scene.zone)
    labels = [one.label for one in mail_message(case).offers]
    return f"tell you, and offer {' · '.join(f'[{label}]' for label in labels)}" if labels else "tell you"


def _answerable(facts: MailFacts) -> str:
    return f"never by itself: it {in_words(facts.why_not)}" if facts.why_not else "yes"


def _person(person: Person) -> str:
    address = visible_line(person.address) or "nobody"
    return f"{visible_line(person.name)} <{address}>" if person.name else address


def _event(invite: InviteFacts, zone: ZoneInfo) -> str:
    what = visible_line(invite.summary) or "(no title)"
    lines = (what_it_is(invite), what, takes_place(invite, zone), visible_line(invite.location))
    return ", ".join(filter(None, lines))


def _at(at: datetime | None, zone: ZoneInfo) -> str:
    return f"{at.astimezone(zone):%a %d %b %Y %H:%M %Z}" if at else "(no date that can be read)"


def _text(text: str) -> str:
    return visible(text.strip() if len(text) <= LONGEST else f"{text[:LONGEST].strip()} …")
