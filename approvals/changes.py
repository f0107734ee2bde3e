"""Describes what an edit changed: the text word by word, other fields by what was removed and added."""

from collections.abc import Iterator, Sequence

from approvals.address import shown_address
from approvals.diff import Kind, difference, shown
from approvals.outcome_text import act
from approvals.people import Names
from approvals.visible import visible_line
from butler.contract.card import Rich, Span, Style, plain
from butler.contract.speech import phrase, say
from butler.contract.tools import Preview

AT_ONCE = phrase("at once")


class LeadIn(Span):
    """Words that introduce the earlier text without being part of it."""


def changes(
    before: Preview, after: Preview, names: Names, accounts: tuple[str, str] = ("", ""), *, listed: bool = False
) -> Rich:
    """Return the changes from one version of a call to the next; `accounts` are those of both versions.

    For a call on a listing (`listed`), the facts are compared and the sample is not. Empty if nothing that is shown has
    changed.
    """
    parts = list(_parts(before, after, names, accounts, listed=listed))
    if len(parts) == 1 and not parts[0][0]:
        return parts[0][1]
    named = [_labelled(label or say("Text"), part) for label, part in parts]
    return tuple(span for number, part in enumerate(named) for span in ((Span(text="\n"),) if number else ()) + part)


def retimed(was: str, now: str, tool: str) -> Rich:
    """Return the change of the time that a call waits for; empty if there is none. An empty time means immediately."""
    if was == now:
        return ()
    label = act(tool, say("Goes out on"), say("Done on"))
    return _labelled(label, plain(say("from {was} to {now}", was=was or say(AT_ONCE), now=now or say(AT_ONCE))))


def put_together(first: Rich, second: Rich) -> Rich:
    """Return two changes, one per line."""
    return (*first, *((Span(text="\n"),) if first and second else ()), *second)


def earlier_text(changes: Rich) -> str:
    """Rebuild the earlier text from the changes of a text; incomplete if they shorten it."""
    kept = (span.text for span in changes if span.style is not Style.UNDERLINE and not isinstance(span, LeadIn))
    return "".join(kept).strip()


def _parts(
    before: Preview, after: Preview, names: Names, accounts: tuple[str, str], *, listed: bool
) -> Iterator[tuple[str, Rich]]:
    """Yield each change with its label; the label of the text's change is empty."""
    was, through = map(visible_line, accounts)
    if was != through:
        yield say("Through"), tuple(_listed([was], [through]))
    people = [_person(recipient.address, names) for recipient in before.recipients]
    to = [_person(recipient.address, names) for recipient in after.recipients]
    if people != to:
        yield say("To"), tuple(_listed(people, to))
    yield from _facts(before, after)
    if before.subject != after.subject:
        yield after.subject_label or say("Subject"), shown(difference(before.subject, after.subject))
    if before.body != after.body and not listed:
        yield "", _text(before.body, after.body)
    files = [visible_line(attachment.name) for attachment in before.attachments]
    left = [visible_line(attachment.name) for attachment in after.attachments]
    if files != left:
        yield say("Files"), tuple(_listed(files, left))


def _facts(before: Preview, after: Preview) -> Iterator[tuple[str, Rich]]:
    """Yield the facts that differ between the two versions, each with its label."""
    old, new = dict(before.facts), dict(after.facts)
    for label in dict.fromkeys((*old, *new)):
        was, now = (visible_line(facts[label]).split(", ") if label in facts else [] for facts in (old, new))
        if was != now:
            yield visible_line(label), tuple(_listed(was, now))


def _text(before: str, after: str) -> Rich:
    """Compare word by word; if the text is all new, show only the old one, since the card shows the new one whole."""
    pieces = difference(before, after)
    if {piece.kind for piece in pieces} != {Kind.REMOVED, Kind.ADDED}:
        return shown(pieces)
    return (
        LeadIn(text=say("all of it, which was ")),
        *shown([piece for piece in pieces if piece.kind is Kind.REMOVED]),
    )


def _person(address: str, names: Names) -> str:
    name = names.of(address)
    shown_as = shown_address(address)[0]
    return f"{shown_as} ({visible_line(name)})" if name else shown_as


def _listed(old: Sequence[str], new: Sequence[str]) -> Iterator[Span]:
    """Strike removed entries, underline added ones, and show the unchanged ones with them."""
    went = [(one, Style.STRIKE if one not in new else Style.PLAIN) for one in old]
    came = [(one, Style.UNDERLINE) for one in new if one not in old]
    for number, (one, style) in enumerate((*went, *came)):
        yield from (Span(text=", "),) if number else ()
        yield Span(text=one, style=style)


def _labelled(label: str, part: Rich) -> Rich:
    return (Span(text=say("{label}: ", label=label)), *part)
