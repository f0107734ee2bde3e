"""Writes a card as a plain-text mail: all that the card shows, and how to answer.

The words that decide come at the end, so that in a quotation they are never the first line.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from approvals.card_text import card_lines
from approvals.context import Context
from approvals.visible import visible_line
from butler.contract.card import Card
from butler.contract.speech import phrase, say

SUBJECT = 120


@dataclass(frozen=True, slots=True)
class Letter:
    """A mail to the owner. `key` identifies it: a repeated mail has the same Message-ID."""

    to: str
    subject: str
    text: str
    key: str


def fallback_subject(card: Card) -> str:
    """Return a subject such as `For your approval: Sends a message`."""
    return cut(subject_of(card.title, card.effect))


def subject_of(title: str, effect: str) -> str:
    """Return the subject from its parts, before it is cut."""
    return say("{label}: ", label=title) + effect


def fallback_text(context: Context, card: Card, until: datetime, code: str, *, unseen: bool, no_yes: str) -> str:
    """Build the mail. `no_yes` says why it cannot be approved by mail; `unseen`: Telegram itself was in reach."""
    why = phrase("Telegram is out of reach, so it comes by mail. It waits for your answer.")
    if unseen:
        why = phrase("I could not show you this card on Telegram, so it comes by mail. It waits for your answer.")
    lines = [
        say(why),
        "",
        *card_lines(card),
        say("It waits until {until}.", until=context.wall_time(until)),
        *_how(code, no_yes),
    ]
    return "\n".join(lines) + "\n"


def cut(subject: str) -> str:
    """Cut a subject to one line of bounded length."""
    line = visible_line(subject)
    return line if len(line) <= SUBJECT else f"{line[: SUBJECT - 1]}…"


def _how(code: str, no_yes: str) -> Iterator[str]:
    yield ""
    if no_yes:
        yield no_yes
        yield say("To deny it, reply to this mail with this as the first line:")
    else:
        yield say("To answer, reply to this mail with one of these two as the first line, and nothing else on it:")
    yield ""
    if not no_yes:
        yield say("yes {code}", code=code)
    yield say("no {code}", code=code)
    yield ""
    yield say("The code is good once, for this version of the card, and only in a mail from this address of yours.")
