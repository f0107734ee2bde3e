"""`butler reminders preview`: shows a text as a reminder, its rule, and the rule's next times."""

import json
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from itertools import islice
from typing import Any
from zoneinfo import ZoneInfo

from butler.agents.languages import language_of
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
from butler.orchestrator.embedded.scene import scene_of
from butler.orchestrator.planning.factory import planner_without_model
from butler.orchestrator.planning.plan_types import (
    NotUnderstood,
    Planned,
    Planner,
    PlannerInput,
    PlannerOutput,
    Unclear,
    owners,
)
from butler.orchestrator.understanding.planner import LANGUAGES, built
from butler.orchestrator.understanding.recurring.rules import recurrence
from butler.orchestrator.understanding.recurring.words import RecurrenceWords
from butler.understanding.marked import SlotWords
from butler.understanding.reader import Request
from butler.understanding.times.parse import parse

ME = "telegram:42"
CREATE, INTENT = "bot_reminders_create", "reminder.create"
TOLD = 5
NOTHING = "tea"
"""The placeholder for the thing to be reminded of, if only a time was given."""
OPENINGS = {"en": "remind me ", "de": "erinnere mich ", "fr": "rappelle-moi ", "es": "recuérdame "}


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
    """The request that the text was read as, if it is no request itself: the chat needs this wording."""

    @property
    def fires(self) -> list[datetime]:
        """Return the next times, in the zone's wall time."""
        return [self.rule.local(at) for at in islice(self.rule.fires(self.now), TOLD)] if self.rule is not None else []


async def previewed(text: str, *, zone: str, now: str) -> Found:
    """Read one text as a request for a reminder, or as a time alone."""
    here = _zone(zone)
    at = now_named(now, here).astimezone(here)
    found = Found(said=text, zone=here.key, now=at)
    alone = await _time_alone(text, here, at)
    if alone is not None:
        return _read(alone, found, alone=True)
    output = await _planned(text, here, at)
    for opening in () if _is_request(output, text) else _openings(text):
        asked = await _planned(f"{opening}{text}", here, at)
        if _is_reminder(asked):
            return _read(asked, replace(found, read_as=f"{opening}{text}"), alone=False)
        output = asked if isinstance(output, NotUnderstood) and isinstance(asked, Unclear) else output
    return _read(output, found, alone=False)


def _read(output: PlannerOutput, found: Found, *, alone: bool) -> Found:
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


def _is_request(output: PlannerOutput, text: str) -> bool:
    """Return whether the words alone ask for a reminder, even if the answer is a question."""
    return _is_reminder(output) or text.casefold().startswith(tuple(OPENINGS.values()))


def _is_reminder(output: PlannerOutput) -> bool:
    return isinstance(output, Planned) and any(step.tool_call == CREATE for step in output.steps)


async def _time_alone(text: str, zone: ZoneInfo, now: datetime) -> PlannerOutput | None:
    """Return the planner's answer to a time without anything to be reminded of; None if there are other words."""
    for language in _likely_languages(text):
        again, once = _is_recurrence(text, language, now), _is_time(text, language, now)
        if again and once:
            # `Mondays at 9` and `Monday at 9`: the chat's reader tells them apart.
            return await _planned(f'{OPENINGS[language]}{text}: "{NOTHING}"', zone, now)
        if again or once:
            slots = (SlotWords("every" if again else "time", text, 0, len(text)), SlotWords("text", NOTHING, 0, 0))
            reading = Request(text, 0, ((INTENT, 1.0),), slots, language)
            return built(reading, scene_of(_request(text, zone, now)), text, language)
    return None


def _is_recurrence(text: str, language: str, now: datetime) -> bool:
    """Return whether all words say how often, even if the answer is a question."""
    words = RecurrenceWords(language, text, now)
    known = {token for phrase in words.words.phrases for token in phrase}
    if any(token[:1].isalpha() and token not in known for token in words.tokens):
        return False
    try:
        return recurrence(text, language, now) is not None
    except Asking:
        return True


def _is_time(text: str, language: str, now: datetime) -> bool:
    try:
        return parse(text, language, now) is not None
    except IndexError:
        return False


def _likely_languages(text: str) -> list[str]:
    """Return all languages, the text's own first."""
    own = language_of(text)
    return sorted(LANGUAGES, key=lambda language: language != own)


def _openings(text: str) -> list[str]:
    """Return the openings in the text's language; all of them if the language is in doubt."""
    own = language_of(text)
    return [OPENINGS[own]] if own else list(OPENINGS.values())


async def _planned(words: str, zone: ZoneInfo, now: datetime) -> PlannerOutput:
    return await _planner().plan(_request(words, zone, now))


@cache
def _planner() -> Planner:
    return planner_without_model()


def _request(words: str, zone: ZoneInfo, now: datetime) -> PlannerInput:
    return PlannerInput(
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
