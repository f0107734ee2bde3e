"""The text of a digest: built from records, short, each section with its count and a few lines."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

from butler.contract.card import Rich, Span, Style
from butler.contract.following import DigestKind
from butler.contract.speech import say, say_day, say_many, say_short_moment
from butler.digests.section import DigestPeriod, Section, SectionKind

FULL, BRIEF, OPENED = 6, 2, 60
"""Lines of a section: in a digest, in a brief one, and when opened."""

TITLES: Mapping[SectionKind, Callable[[int], str]] = {
    SectionKind.AGENDA: lambda n: say_many(n, "📅 1 event", "📅 {count} events"),
    SectionKind.REMINDERS: lambda n: say_many(n, "⏰ 1 reminder", "⏰ {count} reminders"),
    SectionKind.CARDS: lambda n: say_many(n, "✋ 1 card waits for your yes", "✋ {count} cards wait for your yes"),
    SectionKind.ANSWERS: lambda n: say_many(n, "↩️ 1 mail needs an answer", "↩️ {count} mails need an answer"),
    SectionKind.CHATS: lambda n: say_many(n, "💬 1 chat waits for you", "💬 {count} chats wait for you"),
    SectionKind.WAITS: lambda n: say_many(n, "⏳ 1 answer is overdue", "⏳ {count} answers are overdue"),
    SectionKind.MAILS: lambda n: say_many(n, "✉️ 1 new mail", "✉️ {count} new mails"),
    SectionKind.BUTLERS: lambda n: say_many(n, "📮 1 mail to me", "📮 {count} mails to me"),
    SectionKind.FAILED: lambda n: say_many(n, "⚠️ 1 thing failed", "⚠️ {count} things failed"),
}


def digest_text(
    kind: DigestKind,
    sections: Sequence[Section],
    stretch: DigestPeriod,
    *,
    brief: bool,
    late: datetime | None,
    unread: bool = False,
) -> Rich:
    """Return a whole digest; `late` is when a late one was due, `unread` says that no calendar was read yet."""
    spans = [Span(text=_greeting(kind, stretch), style=Style.BOLD)]
    if late is not None:
        due = say_short_moment(late.astimezone(stretch.zone))
        spans.append(Span(text=f"\n{say('(late: it was due {moment})', moment=due)}", style=Style.ITALIC))
    if unread:
        spans.append(Span(text=f"\n{say('I have not read your calendar yet.')}", style=Style.ITALIC))
    elif not sections:
        spans.append(Span(text=f"\n{say('Nothing new, and nothing in your calendar.')}"))
    for section in sections:
        spans += [Span(text="\n\n"), *section_text(section, BRIEF if brief else FULL)]
    return tuple(spans)


def section_text(section: Section, most: int) -> Rich:
    """Return one section, with this many lines."""
    spans = [Span(text=TITLES[section.kind](section.count), style=Style.BOLD)]
    for line in section.lines[:most]:
        spans += [Span(text="\n• "), *line]
    left = len(section.lines) - most
    if left > 0:
        spans.append(Span(text=f"\n{say_many(left, '… and 1 more', '… and {count} more')}"))
    return tuple(spans)


def _greeting(kind: DigestKind, stretch: DigestPeriod) -> str:
    day = say_day(stretch.day)
    if kind is DigestKind.MORNING:
        return say("☀️ Good morning. {day}", day=day)
    return say("🌙 Good evening. Tomorrow, {day}", day=day)
