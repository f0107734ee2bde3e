"""Builds Gmail search queries for selections of mails."""

import re
from collections.abc import Mapping
from datetime import date
from typing import Any
from zoneinfo import ZoneInfo

from modules.email.bulk_args import MailSelection
from modules.email.gmail.query import midnight, quoted

IN_INBOX = "in:inbox"
_BETWEEN = re.compile(r"[\s/]")


def selection_query(said: MailSelection, zone: ZoneInfo) -> str:
    """Return the query without the label. Days are in the owner's time zone."""
    terms = [*(quoted(word) for word in said.words.split() if any(map(str.isalnum, word)))]
    if said.senders:
        terms.append(_any(f"from:{quoted(one)}" for one in said.senders))
    terms += [f"-from:{quoted(one)}" for one in said.keep]
    named = {"subject": said.subject, "list": said.list_id}
    terms += [f"{name}:{quoted(value)}" for name, value in named.items() if value]
    if said.category is not None:
        terms.append(f"category:{said.category.value}")
    days: Mapping[str, date | None] = {"after": said.since, "before": said.before}
    terms += [f"{name}:{midnight(day, zone)}" for name, day in days.items() if day is not None]
    terms += _flags(said)
    if said.inbox:
        terms.append(IN_INBOX)
    # The owner's own mails were not received, and a draft is unfinished.
    return " ".join(filter(None, [*terms, "-in:sent", "-in:drafts"]))


def labelled(name: str) -> str:
    """Return the term for mails with a label: Gmail writes spaces and slashes of its name as hyphens."""
    return f"label:{quoted(searched_as(name))}"


def searched_as(name: str) -> str:
    """Return a label's spelling in Gmail's search; two labels may share one."""
    return _BETWEEN.sub("-", name).casefold()


def _flags(said: MailSelection) -> list[str]:
    flags: list[str] = []
    if said.unread is not None:
        flags.append("is:unread" if said.unread else "is:read")
    if said.attachment is not None:
        flags.append("has:attachment" if said.attachment else "-has:attachment")
    if said.larger_kb:
        flags.append(f"larger:{said.larger_kb}k")
    return flags


def _any(terms: Any) -> str:
    return "{" + " ".join(terms) + "}"
