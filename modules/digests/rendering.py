"""Renders the watches for answers: one that was set, or those that have ended."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from butler.contract.card import Span
from butler.contract.rendering import Rendered, StepResult
from butler.contract.speech import say, say_list, say_moment
from butler.contract.visible import visible


def rendered(result: StepResult, zone: ZoneInfo) -> Rendered | None:
    """Return the text on a step about a watch; None for anything else."""
    if (watch := result.data.get("watch")) is not None:
        return _told(_set(watch, zone))
    if "ended" not in result.data:
        return None
    people = [visible(str(name)) for name in result.data["ended"]]
    if not people:
        return _told(say("I was waiting for no such answer, so there is nothing to end."))
    return _told(say("I no longer wait for an answer of {people}.", people=say_list(people)))


def _set(watch: Mapping[str, Any], zone: ZoneInfo) -> str:
    who = visible(str(watch["who"]))
    at = say_moment(datetime.fromisoformat(str(watch["until"])).astimezone(zone))
    if watch["tells"]:
        return say(
            "I tell you as soon as {who} answers, or on {moment} ({zone}) if not.", who=who, moment=at, zone=zone
        )
    return say("I tell you if {who} has not answered by {moment} ({zone}).", who=who, moment=at, zone=zone)


def _told(text: str) -> Rendered:
    return Rendered((Span(text=f"✅ {text}"),))
