"""`butler reminders preview`: a text, its rule, and the rule's next times."""

import json
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from itertools import islice
from typing import Any
from zoneinfo import ZoneInfo

from butler.cli.sample_chat import BUTLER_NAME, CONTACTS
from butler.cli.timezones import local_zone, now_named, zone_named
from butler.contract.asked_times import Times, rule_of
from butler.contract.errors import Refuse
from butler.contract.provenance import Labelled, Origin
from butler.contract.rule_words import rule_in_words
from butler.contract.schedules import RecurrenceRule
from butler.contract.speech import say, say_moment
from butler.contract.tools import ToolSpec
from butler.offline import offline_registry
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.embedded.every import repeated_at
from butler.orchestrator.embedded.languages.canonical import time_in_english
from butler.orchestrator.embedded.lexer import lex
from butler.orchestrator.embedded.planner import EmbeddedPlanner
from butler.orchestrator.embedded.when import spoken_at
from butler.orchestrator.planning.plan_types import NotUnderstood, Planned, PlannerInput, PlannerOutput, Unclear, owners

ME = "telegram:42"
CREATE = "bot_reminders_create"
TOLD = 5
NOTHING = "this"
"""The placeholder for what to remind of, if only a time was given."""
OPENINGS = ("remind me ", "erinnere mich ", "rappelle-moi ", "recuérdame ")


@dataclass(frozen=True, slots=True)
class Found:
    """The reading of one text."""

    said: str
    zone: str
    now: datetime
    text: str = ""
    rule: RecurrenceRule | None = None
    unclear: str = ""
    read_as: str = ""
    """The request that it was taken for, if it is not one itself: the chat needs this wording."""

    @property
    def fires(self) -> list[datetime]:
        """Return the next times, in the zone's wall time."""
        return [self.rule.local(at) for at in islice(self.rule.fires(self.now), TOLD)] if self.rule is not None else []


async def previewed(text: str, *, zone: str, now: str) -> Found:
    """Read one text as a request for a reminder, or as a time alone."""
    here = _zone(zone)
    at = now_named(now, here).astimezone(here)
    try:
        plain, alone = _plain(text, at)
    except Refuse as refusal:
        return Found(text, here.key, at, unclear=refusal.detail)
    output, read_as = await _planned(plain, here, at), ""
    for opening in () if alone or _is_request(output) else OPENINGS:
        asked = await _planned(f"{opening}{plain}", here, at)
        if _is_reminder(asked):
            output, read_as = asked, f"{opening}{plain}"
            break
        output = asked if isinstance(asked, Unclear) and not _is_request(output) else output
    found = Found(said=text, zone=here.key, now=at, read_as=read_as)
    return _read(output, found, alone=alone)


def _read(output: PlannerOutput | None, found: Found, *, alone: bool) -> Found:
    match output:
        case Planned(steps=(step,)) if step.tool_call == CREATE:
            given = Times.model_validate({k: v for k, v in step.args.items() if k in Times.model_fields})
            try:
                rule = rule_of(given, found.zone, found.now)
            except Refuse as refusal:
                return Found(found.said, found.zone, found.now, unclear=refusal.detail)
            text = "" if alone else str(step.args["text"])
            return replace(found, text=text, rule=rule)
        case Unclear(question=question):
            return Found(found.said, found.zone, found.now, unclear=question)
        case _:
            return Found(found.said, found.zone, found.now, unclear="This asks for no reminder.")


def _is_request(output: PlannerOutput | None) -> bool:
    """Return whether the words alone are understood as in the chat, if only with a question back."""
    return _is_reminder(output) or (isinstance(output, Unclear) and not isinstance(output, NotUnderstood))


def _is_reminder(output: PlannerOutput | None) -> bool:
    return isinstance(output, Planned) and any(step.tool_call == CREATE for step in output.steps)


def _plain(text: str, now: datetime) -> tuple[str, bool]:
    """Return a request, and whether it was built here from a time alone."""
    for words in (text, time_in_english(text, now.date())):
        if words is None:
            continue
        tail = lex(words).bare()
        try:
            found = repeated_at(tail, now) or spoken_at(tail, now, zones=True)
        except Asking as asking:
            raise Refuse(asking.unclear.question) from None
        if found is not None and found[1].done:
            return f'remind me {tail.text} of: "{NOTHING}"', True
    return text, False


async def _planned(words: str, zone: ZoneInfo, now: datetime) -> PlannerOutput:
    return await EmbeddedPlanner().plan(
        PlannerInput(
            words=owners(Labelled(value=words, origins=frozenset({Origin.owner(ME)}))),
            source_line="",
            tools=_tools(),
            contacts=CONTACTS,
            referents=(),
            replied_to=(),
            history=(),
            now=now,
            zone=zone,
            butler_name=BUTLER_NAME,
        )
    )


@cache
def _tools() -> tuple[ToolSpec, ...]:
    registry, _ = offline_registry()
    return tuple(spec for spec in registry.specs() if spec.channel == "reminders")


def _zone(name: str) -> ZoneInfo:
    return ZoneInfo(zone_named(name) if name else local_zone())


def as_line(found: Found) -> str:
    """Return one line for programs."""
    data: dict[str, Any] = {
        "text": found.text or found.said,
        "fires": [at.isoformat() for at in found.fires],
        "said": found.said,
        "zone": found.zone,
    }
    if found.rule is not None:
        data |= {"often": rule_in_words(found.rule), "rule": found.rule.model_dump(mode="json", exclude_defaults=True)}
    if found.unclear:
        data["unclear"] = found.unclear
    if found.read_as:
        data["read_as"] = found.read_as
    return json.dumps(data, ensure_ascii=False)


def as_words(found: Found) -> str:
    """Return text for people."""
    if found.rule is None:
        return f"{found.said}: {found.unclear}"
    often = rule_in_words(found.rule)
    head = f"{found.text or found.said}{f': {often}' if often else ''} ({found.zone})"
    lines = [say("In the chat, say: {words}", words=found.read_as)] if found.read_as else []
    return "\n".join([head, *lines, *(f"  {say_moment(at)}" for at in found.fires)])
