"""A mail to the butler becomes a note to the owner, never an act.

Whoever wrote it, its text is shown and nothing more, with every character that could hide or mislead made visible.
Where it looks like the owner's own and asks for something, the words are offered as a button: the tap makes them the
owner's. Anybody can write the owner's address into a mail, so the note says where it is not proved, and why.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from zoneinfo import ZoneInfo

from approvals.visible import visible, visible_line
from butler.contract.card import Rich, Span, Style
from butler.contract.inbound import Inbound

SHOWN = 1_500
WORDS = 400
FILES = 10
LINE = 200
"""Characters of a subject, a name or a file's name that are shown: the sender chose how long they are."""
UNPROVED = "⚠️ Anybody can write your address into a mail. Tap only if it was you."
UNCHECKED = "nobody has checked its signature"
FORWARD_LINES = re.compile(
    r"^(?:-{2,}\s*(?:Forwarded message|Original Message|Weitergeleitete Nachricht|Message transféré)\s*-{2,}"
    r"|Begin forwarded message:|From:\s.+|On .+ wrote:)\s*$",
    re.MULTILINE | re.IGNORECASE,
)
PASSED_ON = re.compile(r"(?:re|aw|fwd?|wg|tr)\s*:", re.IGNORECASE)
QUESTION = re.compile(r"\?|^\s*(?:what|when|where|who|how|which|is|are|does|did|can|will)\b", re.IGNORECASE)
KINDS = {
    "when": re.compile(
        r"\b\d{1,2}[:.]\d{2}\b|\b\d{1,2}\s?(?:am|pm)\b|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|\btomorrow\b|\btoday\b"
        r"|\bnoon\b|\b\d{1,2}\.?\s(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)|\b\d{4}-\d{2}-\d{2}\b",
        re.IGNORECASE,
    ),
    "how much": re.compile(r"[€$£]\s?\d|\d\s?(?:€|EUR|USD|GBP|CHF|euros?|dollars?|pounds?)\b", re.IGNORECASE),
    "how many": re.compile(r"\b\d+\b"),
}
SHORT = 2
STOP = frozenset(
    re.findall(
        r"\w+",
        "a an and are as at be by can did do does for from had has have how i in is it me my of on or our please that "
        "the this to was we what when where which who will with you your much many time there about any could he her "
        "him his mail email message not say says said she should tell them they us would know",
    )
)


@dataclass(frozen=True, slots=True)
class MailNote:
    """What the owner is told of a mail, and the words a button may offer."""

    text: Rich
    memory: str
    offer: str


@dataclass(frozen=True, slots=True)
class Parts:
    """A mail's own words, and what was passed on below them."""

    words: str
    forwarded: str


def split(text: str) -> Parts:
    """Words above the first line that begins a forwarded or quoted part."""
    match = FORWARD_LINES.search(text)
    if match is None:
        return Parts(text.strip(), "")
    return Parts(text[: match.start()].strip(), text[match.start() :].strip())


def mail_note(item: Inbound, *, owner_emails: frozenset[str], handle: str, zone: ZoneInfo) -> MailNote:
    """The note for one mail."""
    parts = split(item.text)
    looks_own = item.sender.removeprefix("mail:") in owner_emails
    unproved = _unproved(item) if looks_own else ""
    words = parts.words or ("" if parts.forwarded else _asked_in_subject(item))
    offer = words if looks_own and _can_be_offered(words) else ""
    # As a whole, and with no room that could push its end out of sight.
    offer = re.sub(r"\s*\n\s*\n\s*", "\n\n", offer)
    text = [
        Span(text="✉️ Mail to me from "),
        Span(text=_from(item), style=Style.BOLD),
        Span(text=f" – not proved to be from you: {unproved}" if unproved else ""),
        Span(text=f"\n{_line(str(item.payload.get('subject') or '(no subject)'))}\n{_sent(item, zone)}\n\n"),
    ]
    if looks_own and parts.forwarded:
        text += _answer(parts)
    shown = f"{offer}\n\n{parts.forwarded}" if offer else item.text
    text.append(Span(text=_clip(visible(shown.strip() or "(no text)"), SHOWN), style=Style.QUOTE))
    text += _files(item)
    if offer and unproved:
        text.append(Span(text=f"\n\n{UNPROVED}"))
    return MailNote(tuple(text), f"Showed {handle}, a mail to the butler.", offer)


def _unproved(item: Inbound) -> str:
    """Why nothing shows that a mail from an address of the owner's is theirs; empty where it is proved."""
    authority: Mapping[str, Any] = item.payload.get("authority", {})
    return "" if authority.get("command") is True else _line(str(authority.get("reason") or UNCHECKED))


def _asked_in_subject(item: Inbound) -> str:
    """The subject of a mail without a text, unless it is that of the mail which it answers or passes on."""
    subject = str(item.payload.get("subject") or "").strip()
    return "" if PASSED_ON.match(subject) else subject


def _can_be_offered(words: str) -> bool:
    """Words that a button may stand for: short, no question, and nothing in them that cannot be seen."""
    return 0 < len(words) <= WORDS and not is_question(words) and visible(words) == words


def _from(item: Inbound) -> str:
    if item.payload.get("from") == "":
        return "a sender that it does not name"
    address = _line(item.sender.removeprefix("mail:"))
    return f"{_line(item.sender_name)} <{address}>" if item.sender_name else address


def _line(text: str) -> str:
    return visible_line(_clip(text, LINE))


def _sent(item: Inbound, zone: ZoneInfo) -> str:
    at, now = (item.sent_at or item.received_at).astimezone(zone), item.received_at.astimezone(zone)
    return f"{at:%a %d %b %H:%M}" if at.year == now.year else f"{at:%a %d %b %Y %H:%M}"


def _files(item: Inbound) -> list[Span]:
    shown = [Span(text=f"\n📎 {_line(a.name)} ({a.size} bytes)") for a in item.attachments[:FILES]]
    more = len(item.attachments) - FILES
    return [*shown, Span(text=f"\n📎 and {more} more files")] if more > 0 else shown


def is_question(words: str) -> bool:
    """True when the words ask to know something."""
    return bool(QUESTION.search(words)) and not re.match(r"(?i)\s*(?:please|can you|could you|will you)\b", words)


def _answer(parts: Parts) -> list[Span]:
    if not is_question(parts.words):
        return []
    found = sentences_about(parts.words, parts.forwarded)
    head = [Span(text=f"You asked: {_clip(visible(parts.words), WORDS)}\n")]
    if not found:
        return [*head, Span(text="I find no sentence in it that answers this. Here is the mail:\n\n")]
    quoted: list[Span] = []
    for sentence in found:
        quoted += [Span(text=f"“{visible(sentence)}”", style=Style.BOLD), Span(text="\n")]
    return [*head, Span(text="It says: "), *quoted, Span(text="\n")]


def sentences_about(question: str, text: str, most: int = 2) -> list[str]:
    """The sentences of a text that best fit a question, word for word; none where none fits."""
    wanted = {w for w in re.findall(r"\w+", question.casefold()) if w not in STOP and len(w) > SHORT}
    kinds = [pattern for name, pattern in KINDS.items() if name in question.casefold()]
    if re.search(r"(?i)\bwhat time\b|\bwhat day\b", question):
        kinds.append(KINDS["when"])
    scored: list[tuple[float, int, str]] = []
    for position, sentence in enumerate(_sentences(text)):
        if sentence.rstrip("\"'”’») ").endswith("?"):
            continue
        words = set(re.findall(r"\w+", sentence.casefold()))
        score = len(wanted & words) + 2.0 * any(kind.search(sentence) for kind in kinds)
        if score >= (2.0 if kinds else 1.0):
            scored.append((-score, position, sentence))
    best = sorted(scored)[:most]
    return [s for score, _, s in sorted(best, key=lambda b: b[1]) if score <= best[0][0] + 1]


def _sentences(text: str) -> list[str]:
    lines = [line.strip() for line in text.splitlines()]
    body = [
        line.lstrip("> ")
        for line in lines
        if not re.match(r"(?i)(?:-{2,}|>*\s*(?:from|to|date|sent|subject|cc):)", line)
    ]
    joined = "\n".join(body)
    return [" ".join(s.split()) for s in re.split(r"(?<=[.!?])\s+|\n\s*\n", joined) if s.strip()]


def _clip(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most].rstrip()} …"
