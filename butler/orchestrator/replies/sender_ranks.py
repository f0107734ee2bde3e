"""The owner's most frequent mail senders: a line for each, and a button that brings up the card for all.

The addresses are their senders' own, so what a button asks for carries their label, and the card says where it is from.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from butler.contract.agents import PlanStep
from butler.contract.card import Rich, Span, Style
from butler.contract.rendering import Offer
from butler.contract.shown_text import clipped
from butler.contract.speech import phrase, say, say_date, say_many, say_number
from butler.orchestrator.replies.offers import nothing

ARCHIVE = "user_email_archive"
LONGEST_NAME, LONGEST_BUTTON = 60, 30
NEXT = phrase("Each button brings up a card first. You can also say “trash everything from …”.")


def ranked(data: Mapping[str, Any], zone: ZoneInfo) -> tuple[Rich, tuple[Offer, ...]]:
    """Return the message and its buttons."""
    since = _day(str(data["since"]), zone)
    head = say(
        "Of the {known} mails in your inbox that I know, the oldest from {day}, most are from:",
        known=say_number(int(data["known"])),
        day=since,
    )
    lines: list[Span] = [Span(text=f"{head}\n", style=Style.BOLD)]
    offers: list[Offer] = []
    account = {"account": str(data["account"])} if data.get("account") else {}
    for number, one in enumerate(data["senders"], 1):
        lines += _line(number, one, zone)
        offers.append(_offer(one, account))
    lines.append(Span(text=f"\n{say(NEXT)}", style=Style.ITALIC))
    return tuple(lines), (*offers, nothing())


def _line(number: int, one: Mapping[str, Any], zone: ZoneInfo) -> Rich:
    name, address = str(one.get("name") or ""), str(one["address"])
    who = f"{_short(name, LONGEST_NAME)} <{_short(address, LONGEST_NAME)}>" if name else _short(address, LONGEST_NAME)
    lines = [say_many(int(one["count"]), "one mail", "{count} mails")]
    if unread := int(one["unread"]):
        lines.append(say_many(unread, "one unread", "{count} unread"))
    lines.append(say("newest {day}", day=_day(str(one["newest"]), zone)))
    if one.get("newsletter"):
        lines.append(say("newsletter"))
    return (Span(text=f"{number}. {who}: "), Span(text=f"{', '.join(lines)}\n"))


def _offer(one: Mapping[str, Any], account: Mapping[str, str]) -> Offer:
    address = str(one["address"])
    name = _short(str(one.get("name") or "") or address, LONGEST_BUTTON)
    step = PlanStep(
        step_id=1,
        description=say("Archive mails"),
        tool_call=ARCHIVE,
        args={"senders": [address], "inbox": True, **account},
    )
    count = int(one["count"])
    alone = say("Archive the one from {name}", name=name)
    label = alone if count == 1 else say("Archive all {count} from {name}", count=say_number(count), name=name)
    return Offer(label, steps=(step,))


def _short(text: str, most: int) -> str:
    """Return somebody's words on one line, shortened."""
    return clipped(" ".join(text.split()), most)


def _day(at: str, zone: ZoneInfo) -> str:
    return say_date(datetime.fromisoformat(at).astimezone(zone).date())
