"""Renders a mail to the butler as a note for the owner; nothing is done about the mail.

Regardless of the writer, only its text is shown, with every character that could hide or mislead made visible. Anybody
can write the owner's address into a mail, so a note says if it is not proved to be theirs, and why; what it asks for is
then only offered as a button, whose tap makes the words the owner's.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from zoneinfo import ZoneInfo

from approvals.reason_words import all_in_words, in_words
from approvals.visible import visible
from butler.contract.calendar_events import is_live
from butler.contract.card import OwnerMessage, Rich, Span, Style
from butler.contract.inbound import Inbound
from butler.contract.mail import ForwardedMail, MailKind, Person
from butler.contract.reasons import Reason, load_reasons
from butler.contract.speech import phrase, say, say_many
from butler.guardrails.reasoning import verdict_in_words
from butler.orchestrator.mail.questions import is_question, sentences_about
from butler.orchestrator.planning.own_words import is_proved, written
from butler.orchestrator.replies.mail_lines import size, takes_place, what_it_is, when
from butler.orchestrator.replies.mail_parts import clipped, facts_of, named, shown_line

SHOWN = 1_500
WORDS = 400
LONGEST_REQUEST = 4_000
FILES = 10
PROBLEMS = 5
"""Most characters shown of a subject, a name or a file's name: the sender chose their length."""
JUDGED = "guard"
"""The payload key for the guardrails' verdict on a mail."""
UNPROVED = phrase("⚠️ Anybody can write your address into a mail. Tap only if it was you.")
IN_DOUBT = phrase("⚠️ This may be somebody else's words, so I did nothing that it says. Tap only if it is yours.")
MORE_IN_DOUBT = phrase("⚠️ More stands below it that may be somebody else's words. I did nothing that it says.")
UNCHECKED = phrase("nobody has checked its signature")
MACHINES = {
    MailKind.NEWSLETTER: phrase("✉️ Newsletter to me from "),
    MailKind.LIST: phrase("✉️ Mail of a list to me from "),
    MailKind.AUTOMATIC: phrase("✉️ Automatic mail to me from "),
    MailKind.BOUNCE: phrase("✉️ Returned mail to me from "),
    MailKind.REPORT: phrase("✉️ Report to me from "),
}
"""Kinds of mail that no person wrote by hand: reported in short, and never a request, whoever sent them."""
_ASKS_NOTHING = re.compile(
    r"\W*(?:fyi|fya|for your (?:information|records|eyes)|see (?:below|attached)|thoughts|yours"
    r"|(?:please )?(?:see|deal with|handle|take care of|(?:have a )?look at) (?:this|it|the below)(?: please)?"
    r"|zur info(?:rmation)?|z\.? ?k\.?|bitte (?:k[üu]mmern|erledigen)"
    r"|pour info(?:rmation)?|para tu informaci[óo]n|per conoscenza)\W*",
    re.IGNORECASE,
)
"""Words that leave it to the butler what to do."""


@dataclass(frozen=True, slots=True)
class MailNote:
    """The note on a mail for the owner, and the words that a button may offer."""

    text: Rich
    memory: str
    offer: str = ""


def suspect(item: Inbound) -> tuple[Reason, ...]:
    """Return why a mail is only shown; empty for any other mail."""
    verdict: Mapping[str, Any] = item.payload.get(JUDGED, {})
    return () if verdict.get("is_safe", True) else load_reasons(verdict["reasons"])


def caution(item: Inbound) -> Rich:
    """Return the warning line above a mail that is only shown."""
    why = suspect(item)
    if not why:
        return ()
    text = say("⚠️ {why} I only show it.", why=shown_line(verdict_in_words(why)))
    return (Span(text=f"{text}\n\n", style=Style.BOLD),)


def asked(item: Inbound) -> str:
    """Return what the sender asks in their own words; empty if they leave it to the butler, or wrote too much."""
    words = "" if facts_of(item).kind in MACHINES else written(item)
    return "" if _ASKS_NOTHING.fullmatch(words) or len(words) > LONGEST_REQUEST else words


def mail_note(item: Inbound, *, owner_emails: frozenset[str], handle: str, zone: ZoneInfo) -> MailNote:
    """Return the note for a mail that is no request."""
    facts = facts_of(item)
    looks_own = item.sender.removeprefix("mail:") in owner_emails
    unproved = "" if is_proved(item) or not looks_own else _why_unproved(item)
    words = asked(item)
    doubted = is_proved(item) and looks_own and not words
    offered = doubtful_words(item) if doubted else _offered(item, words) if looks_own else ""
    # As a whole, and without blank lines that could push its end out of sight.
    offer = re.sub(r"\s*\n\s*\n\s*", "\n\n", offered)
    text = [
        Span(text=say("✉️ Mail to me from ")),
        Span(text=_from(item), style=Style.BOLD),
        Span(text=say(" – not proved to be from you: {why}", why=unproved) if unproved else ""),
        Span(text=f"\n{_subject(item)}\n{when(item.sent_at or item.received_at, item.received_at, zone)}\n"),
        *invitation(item, zone),
        Span(text="\n"),
    ]
    if looks_own and facts.forwarded is not None and is_question(words):
        text += answer_to(words, facts.forwarded)
    text.append(_quoted(f"{offer}\n\n{_below(item, offered)}" if offer and not doubted else item.text))
    text += [*files(item), *missing(item)]
    if doubted:
        text += doubt_lines(item)
    elif offer and unproved:
        text.append(Span(text=f"\n\n{say(UNPROVED)}"))
    return MailNote(tuple(text), _memory(handle), offer)


def _offered(item: Inbound, words: str) -> str:
    """Return the words of an unproved mail that a button may stand for: those that would command if it were proved."""
    facts = facts_of(item)
    if is_proved(item):
        return ""
    if item.mail is not None and facts.words.strip():
        words = facts.command if words else ""
    return words if _can_be_offered(words) else ""


def doubtful_words(item: Inbound) -> str:
    """Return the text of a proved mail besides its command, if short enough to read before a tap; else empty."""
    words, facts = facts_of(item).doubtful, facts_of(item)
    is_read = is_proved(item) and facts.kind not in MACHINES and _ASKS_NOTHING.fullmatch(words) is None
    return words if is_read and 0 < len(words) <= WORDS and visible(words) == words else ""


def doubt_lines(item: Inbound) -> Rich:
    """Return the lines that show all the words in doubt beside a request, so that no tap is blind."""
    words = doubtful_words(item)
    if not words:
        left = facts_of(item).doubtful
        return (Span(text=f"\n\n{say(MORE_IN_DOUBT)}", style=Style.ITALIC),) if left and is_proved(item) else ()
    return (Span(text=f"\n\n{say(IN_DOUBT)}\n", style=Style.ITALIC), _quoted(words))


def short_note(item: Inbound, handle: str) -> MailNote:
    """Return the note for a mail that no person wrote: its kind, sender and subject, and none of its text."""
    text = (
        Span(text=say(MACHINES[facts_of(item).kind])),
        Span(text=_from(item), style=Style.BOLD),
        Span(text=f": {_subject(item)}"),
    )
    return MailNote(text, _memory(handle))


def forward_note(
    item: Inbound, forwarded: ForwardedMail, *, owner_emails: frozenset[str], handle: str, zone: ZoneInfo
) -> MailNote:
    """Return the note for a forwarded mail, with the answer if the owner asked what it says."""
    question = asked(item)
    at = when(forwarded.sent_at, item.received_at, zone) if forwarded.sent_at else shown_line(forwarded.date)
    sender = forwarded.sender
    is_own = sender is not None and sender.address in owner_emails
    by = () if is_own else (Span(text=named(sender), style=Style.BOLD),)
    subject = shown_line(forwarded.subject or say("(no subject)"))
    text = (
        Span(text=say("✉️ You forwarded me a mail of yours") if is_own else say("✉️ You forwarded me a mail by ")),
        *by,
        Span(text=f"\n{subject}\n{at}".rstrip() + "\n"),
        *invitation(item, zone),
        Span(text="\n"),
        *(answer_to(question, forwarded) if is_question(question) else ()),
        _quoted(forwarded.text),
        *files(item),
        *missing(item),
        *doubt_lines(item),
    )
    return MailNote(text, _memory(handle))


def request_line(item: Inbound, words: str) -> Rich:
    """Return the chat line for what the owner asked by mail."""
    facts = facts_of(item)
    line = [Span(text=say("✉️ By mail: ")), Span(text=clipped(visible(words), WORDS), style=Style.BOLD)]
    if facts.forwarded is not None:
        subject = shown_line(facts.forwarded.subject or say("(no subject)"))
        about = say("about: {subject}, by {name}", subject=subject, name=named(facts.forwarded.sender))
        line.append(Span(text=f"\n{about}"))
    return (*line, *files(item), *missing(item))


def answer_to(question: str, forwarded: ForwardedMail) -> list[Span]:
    """Return the answer to a question about a forwarded mail, in the mail's own words."""
    found = sentences_about(question, forwarded.text)
    asks = say("You asked: {question}", question=clipped(visible(question), WORDS))
    head = Span(text=f"{asks}\n")
    if not found:
        none = say("I find no sentence in it that answers this. Here is the mail:")
        return [head, Span(text=f"{none}\n\n")]
    quoted: list[Span] = []
    for sentence in found:
        text = say("“{text}”", text=clipped(visible(sentence), WORDS))
        quoted += [Span(text=text, style=Style.BOLD), Span(text="\n")]
    return [head, Span(text=say("It says: ")), *quoted, Span(text="\n")]


def unreadable(item: Inbound, why: Sequence[Reason]) -> OwnerMessage:
    """Return the message about a mail that was stored but must not be processed."""
    text = say(
        "✉️ A mail from {sender} came in that I could not read: {why}. I kept it; `{command}` on the machine tries it "
        "again.",
        sender=shown_line(item.sender.removeprefix("mail:")),
        why=all_in_words(why),
        command=f"butler mail retry {item.inbound_id}",
    )
    return OwnerMessage(text=(Span(text=text),))


def files(item: Inbound) -> list[Span]:
    """Return the attachments, each on a line."""
    shown = [Span(text=f"\n📎 {shown_line(a.name)} ({size(a.size)})") for a in item.attachments[:FILES]]
    more = len(item.attachments) - FILES
    if more <= 0:
        return shown
    others = say_many(more, "📎 and 1 more file", "📎 and {count} more files")
    return [*shown, Span(text=f"\n{others}")]


def invitation(item: Inbound, zone: ZoneInfo) -> list[Span]:
    """Return when, by the owner's clock, and where the mail's event takes place, or that it does not."""
    invite = facts_of(item).invite
    if invite is None:
        return []
    shown = " · ".join(filter(None, (takes_place(invite, zone), shown_line(invite.location))))
    what = what_it_is(invite)
    if not what:
        return [Span(text=f"🗓 {shown}\n")] if shown else []
    first = Span(text=f"{'🗓' if is_live(invite.standing) else '🚫'} {what}", style=Style.BOLD)
    return [first, Span(text=f"\n{shown}\n" if shown else "\n")]


def missing(item: Inbound) -> list[Span]:
    """Return what of the mail could not be read or may mislead, each on a line."""
    problems = map(in_words, facts_of(item).problems[:PROBLEMS])
    return [Span(text=f"\n⚠️ {shown_line(one[:1].upper() + one[1:])}.") for one in problems]


def _memory(handle: str) -> str:
    return f"Showed {handle}, a mail to the butler."


def _below(item: Inbound, words: str) -> str:
    """Return the text below the sender's own words."""
    _, found, rest = item.text.partition(words)
    forwarded = facts_of(item).forwarded
    return rest.strip() if found else (forwarded.text if forwarded else "")


def _why_unproved(item: Inbound) -> str:
    """Return why a mail from an address of the owner is not proved to be theirs."""
    authority: Mapping[str, Any] = item.payload.get("authority", {})
    why = authority.get("why") or authority.get("reason", "")  # `reason` is a text, in rows from before the codes.
    return shown_line(all_in_words(load_reasons(why)) or say(UNCHECKED))


def _can_be_offered(words: str) -> bool:
    """Return whether a button may stand for the words: short, no question, and no invisible characters."""
    return 0 < len(words) <= WORDS and not is_question(words) and visible(words) == words


def _from(item: Inbound) -> str:
    if item.payload.get("from") == "":
        return say("a sender that it does not name")
    return named(Person(address=item.sender.removeprefix("mail:"), name=item.sender_name))


def _subject(item: Inbound) -> str:
    return shown_line(str(item.payload.get("subject") or say("(no subject)")))


def _quoted(text: str) -> Span:
    return Span(text=clipped(visible(text.strip() or say("(no text)")), SHOWN), style=Style.QUOTE)
