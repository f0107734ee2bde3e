"""Builds automations: acts on events or at times, and requests about existing ones.

An action stays in the owner's own words, which are planned anew each time; only reports, and cards named after the
event, are read here.
"""

import re
from dataclasses import replace
from typing import Any

from butler.contract.agents import PlanStep
from butler.contract.events import EventName
from butler.contract.referents import ReferentKind
from butler.contract.schedules import RecurrenceRule
from butler.contract.speech import phrase, say
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.embedded.say import capital
from butler.orchestrator.planning.plan_types import Command, PlannerOutput
from butler.orchestrator.understanding.automations import action_words as words
from butler.orchestrator.understanding.automations.repeated_acts import LIMIT, repeated
from butler.orchestrator.understanding.automations.trigger_parts import Trigger
from butler.orchestrator.understanding.automations.triggers import triggers_of
from butler.orchestrator.understanding.recurring.rules import recurrence
from butler.orchestrator.understanding.recurring.words import adverb_at_end
from butler.orchestrator.understanding.reminders.builders import create as remind
from butler.orchestrator.understanding.reminders.rules import recurring, rule_from, sure_of_halves
from butler.orchestrator.understanding.said import Builder, Said, bare
from butler.orchestrator.understanding.things.refs import nothing_there, pointed
from butler.orchestrator.understanding.trigger_words import EVENTS, FROM, WHEN_END
from butler.understanding.marked import SlotWords

CREATE, CARD = "bot_automations_create", "user_trello_create_card"
LONGEST_NAME = 80
PAIR, FEWEST_WORDS = 2, 3
CALLED = {
    EventName.MAIL_RECEIVED: "subject", EventName.CHAT_RECEIVED: "text", EventName.ALERT_FIRED: "name",
    EventName.EVENT_STARTING: "title", EventName.EVENT_CHANGED: "title", EventName.FILE_CHANGED: "name",
}  # fmt: skip
"""The fact of each event that names a card made for it."""
DO_WHAT = phrase("What shall I do then?")
WHEN = phrase("When shall I do that? Say what has to happen, like “whenever a mail from Anna comes”, or how often.")
NUMBER = re.compile(rf"(?:{words.group('number')}|^)\s*(\d{{1,4}})\b", re.IGNORECASE)
TIMES = re.compile(rf"\d|\b{words.group('times')}\b", re.IGNORECASE)
STARTS = phrase("{title} begins in {minutes} minutes.")
TOLD = {
    EventName.CARD_CHANGED: phrase("The card {name} is in {list} now."),
    EventName.FILE_CHANGED: phrase("A new file: {name}"),
    EventName.EVENT_CHANGED: phrase("{title} is {change}."),
    EventName.BULK_FINISHED: phrase("{tool} has ended: {outcome}, {failed} of {total} failed."),
}
BRACES = str.maketrans("{}", "()")


def create(said: Said) -> PlannerOutput:
    """`whenever [a mail from the bank comes](trigger), [archive it](action)`."""
    said.need(CREATE)
    said = _sorted(said)
    acts = _acts(said)
    if (often := _unmarked_adverb(said, acts)) is not None:
        said, acts = replace(said, request=replace(said.request, slots=(*said.request.slots, often))), []
    if said.has("every") and not said.has("trigger"):
        return _by_clock(said, acts)
    if not acts:
        raise Asking(say(DO_WHAT))
    text = ", ".join(said.request.words("trigger")) or _hidden_trigger(acts)
    if not text:
        raise Asking(say(WHEN))
    on_mail = any(words.ON_MAIL.search(one) for one in acts)
    steps = [_whenever(one, acts, said) for one in triggers_of(text, said, on_mail=on_mail)]
    return calls.plan(*steps)


def _unmarked_adverb(said: Said, acts: list[str]) -> SlotWords | None:
    """Return how often, in an adverb at the beginning or the end that was not marked: `archive newsletters weekly`."""
    text = LIMIT.sub(lambda limit: " " * len(limit[0]), said.request.text)
    place = adverb_at_end(text, said.language)
    if place is None or said.has("every", "trigger") or _hidden_trigger(acts):
        return None
    start, end = place
    if any(one.slot != "action" and one.start < end and start < one.end for one in said.request.slots):
        return None
    return SlotWords("every", said.request.text[start:end], start, end)


def _sorted(said: Said) -> Said:
    """Return the request with times that were marked as triggers, and the reverse, in their right slots."""
    slots = tuple(
        replace(one, slot=_kind(one, said)) if one.slot in {"trigger", "every", "time"} else one
        for one in said.request.slots
    )
    return replace(said, request=replace(said.request, slots=slots))


def _kind(one: SlotWords, said: Said) -> str:
    text = bare(one.text)
    if one.slot == "every" or any(pattern.search(text) for pattern in EVENTS):
        return one.slot if one.slot != "time" else "trigger"
    when = WHEN_END.match(text)
    try:
        found = recurrence(text[when.end() :].strip() if when else text, said.language, said.scene.now())
    except Asking:
        return one.slot
    return "every" if found is not None else one.slot


def _acts(said: Said) -> list[str]:
    """Return the actions in order."""
    if said.has("action"):
        return [one for text in _whole_acts(said) if (one := text.strip(" ,;.:–→"))]
    return [
        one
        for slot in ("text", "reported", "query")
        for text in said.request.words(slot)
        if (one := text.strip(" ,;.:–→"))
    ]


def _whole_acts(said: Said) -> list[str]:
    """Return each action with all its parts: `archive newsletters`, `older than a week` are one.

    Parts around a colon or a recurrence also belong together: `mails from Otto:` `every Sunday` `archive`.
    """
    found: list[str] = []
    end, comes_again = -1, ""
    for one in (one for one in said.request.slots if one.slot in {"action", "every"}):
        if one.slot == "every":
            comes_again = one.text
            continue
        between = said.request.text[end : one.start] if found else ""
        gap = between.replace(comes_again, "").strip(" ,:-–→")
        narrows = words.OLDER.match(one.text) is not None or LIMIT.fullmatch(one.text) is not None
        around = bool(comes_again) and comes_again in between
        if found and not gap and (around or between.strip() in {":", "–", "-"}):
            found[-1] = f"{one.text} {found[-1].rstrip(' ,:')}"
        elif found and (not between.strip() or (narrows and between.strip() == ",")):
            found[-1] += f"{between}{one.text}"
        else:
            found.append(one.text)
        end = one.end
    return found


def _hidden_trigger(acts: list[str]) -> str:
    """Return the trigger within an action on mails: `always star mails from the solicitor`."""
    found = next((one for act in acts if words.ON_MAIL.search(act) and (one := FROM.search(act))), None)
    return found[0].strip() if found is not None else ""


# At times.


def _by_clock(said: Said, acts: list[str]) -> PlannerOutput:
    if not acts and (act := repeated(_unmarked(said), _rule(said), said)) is not None:
        return act
    if not acts and len(_unmarked(said).split()) >= FEWEST_WORDS:
        acts = [_unmarked(said)]
    if not acts:
        raise Asking(say(DO_WHAT))
    if (
        len(acts) == 1
        and (match := words.REMIND.match(acts[0]))
        and (what := acts[0][match.end() :])
        and not words.AND.search(what)
    ):
        slot = SlotWords("text", what, 0, 0)
        slots = tuple(one for one in said.request.slots if one.slot != "action")
        return remind(replace(said, request=replace(said.request, slots=(*slots, slot))))
    rule = _rule(said)
    if len(acts) == 1 and (act := repeated(acts[0], rule, said)) is not None:
        return act
    clock = rule.model_dump(mode="json", exclude_defaults=True)
    marked = [one for one in said.request.slots if one.slot in {"every", "action"}]
    name = said.request.text[min(one.start for one in marked) : max(one.end for one in marked)]
    return calls.plan(_create(name, [{"request": one} for one in acts], clock=clock))


def _unmarked(said: Said) -> str:
    """Return the request without its recurrence: `archive mails from hostinger every weekday`."""
    text = said.request.text
    for one in sorted(said.request.slots, key=lambda one: -one.start):
        if one.slot == "every":
            text = text[: one.start] + text[one.end :]
    return bare(text)


def _rule(said: Said) -> RecurrenceRule:
    """Return the rule; raise `Asking` if it or its hour is in doubt."""
    return rule_from(sure_of_halves(recurring(said), said), said)


# Whenever something happens.


def _whenever(trigger: Trigger, acts: list[str], said: Said) -> PlanStep:
    done = [one for act in acts for one in _done(act, trigger, said)]
    when: dict[str, Any] = {"event": trigger.event.value}
    if trigger.where:
        when["where"] = [one.model_dump(mode="json") for one in trigger.where]
    more: dict[str, Any] = {"when": when}
    if trigger.hours is not None:
        begins, ends = (f"{at:%H:%M}" for at in trigger.hours)
        more["hours"] = {"begins": begins, "ends": ends, "zone": said.scene.request.zone.key}
    name = _name(said)
    return _create(f"{name} ({trigger.name})" if trigger.name else name, done, **more)


def _name(said: Said) -> str:
    """Return the automation's name: the trigger with its conjunction (`When Anna mails me`), else the whole request."""
    marked = [one for one in said.request.slots if one.slot == "trigger"]
    if not marked:
        return said.request.text
    before = said.request.text[: marked[0].start].rstrip()
    when = next((one[0] for one in WHEN_END.finditer(before) if one.end() == len(before)), "")
    joint = "" if when.endswith("'") or not when else " "
    return f"{when}{joint}{marked[0].text}"


def _done(act: str, trigger: Trigger, said: Said) -> list[dict[str, Any]]:
    """Return the actions as the tool takes them."""
    for joint in words.AND.finditer(act):
        halves = (act[: joint.start()], act[joint.end() :])
        if any(_is_told(half) for half in halves):
            return [one for half in halves for one in _done(half, trigger, said)]
    urgent = bool(words.URGENT.search(act)) or trigger.hours is not None
    if _is_told(act):
        return [{"tell": told(trigger.event)} | ({"urgent": True} if urgent else {})]
    remind_of = words.REMIND.match(act)
    if remind_of is not None and not TIMES.search(act):
        text = bare(act[remind_of.end() :]).translate(BRACES)
        tell = f"{told(trigger.event)}\n{capital(text)}" if text else told(trigger.event)
        return [{"tell": tell} | ({"urgent": True} if urgent else {})]
    card = words.CARD.fullmatch(act)
    if card is not None and trigger.event in CALLED and said.scene.has(CARD):
        return [{"call": CARD, "args": {"name": {"fact": CALLED[trigger.event]}, "in_list": bare(card[1])}}]
    return [{"request": act}]


def told(event: EventName) -> str:
    """Return the report of an event, with its facts as placeholders in braces."""
    names = ("name", "list", "title", "change", "minutes", "state", "tool", "outcome", "failed", "total")
    places = {name: f"{{{name}}}" for name in names}
    match event:
        case EventName.MAIL_RECEIVED:
            text = say("A mail by {who}: {what}", who="{sender_name} ({sender})", what="{subject}")
        case EventName.CHAT_RECEIVED:
            text = say("{who} writes in {chat}: {what}", who="{sender_name}", chat="{chat_title}", what="{text}")
        case EventName.ALERT_FIRED:
            text = say("Alert {name}, {state}: {what}", name="{name}", state="{state}", what="{summary}")
        case _:
            text = say(TOLD.get(event, STARTS), **places)
    return text


def _is_told(act: str) -> bool:
    """Return whether an action is only a report to the owner."""
    plain = words.URGENT.sub(" ", words.HOW.sub(" ", act.replace("’", "'")))
    return words.TELL.fullmatch(" ".join(bare(plain).split())) is not None


def _create(name: str, do: list[dict[str, Any]], **more: Any) -> PlanStep:
    called = capital(" ".join(name.split()))[:LONGEST_NAME]
    return calls.call(CREATE, say("Save an automation"), name=called, do=do, **more)


# Those that there are.


def _taking(action: str, description: str) -> Builder:
    def take(said: Said) -> PlannerOutput:
        numbers = _numbers(said)
        if not numbers and (empty := nothing_there(said, frozenset({ReferentKind.AUTOMATION}))) is not None:
            raise empty
        tool = f"bot_automations_{action}"
        if not numbers or not said.scene.has(tool):
            return Command.AUTOMATIONS
        return calls.plan(*(calls.call(tool, say(description), number=number) for number in numbers))

    return take


def _numbers(said: Said) -> list[int]:
    """Return the automations' numbers: as said, by their places in the shown list, or its only one."""
    last = said.scene.request.last_shown
    alone = last.keys if last is not None and last.kind is ReferentKind.AUTOMATION and len(last.keys) == 1 else ()
    if alone and not said.has("ref", "topic"):
        return [int(key) for key in alone]
    for text in (*said.request.words("ref"), *said.request.words("topic")):
        if match := NUMBER.search(text):
            return [int(match[1])]
        keys = last.keys if last is not None and last.kind is ReferentKind.AUTOMATION else ()
        way = pointed(text, said.language)
        if way.pair and len(keys) != PAIR:
            return []
        if way.every:
            return [int(key) for key in keys]
        places = way.numbers or ((len(keys),) if way.last else (1,) if len(keys) == 1 and not said.has("topic") else ())
        if keys and places and all(0 < place <= len(keys) for place in places):
            return [int(keys[place - 1]) for place in places if keys[place - 1].isdigit()]
    return []


def listed(said: Said) -> PlannerOutput:
    """`which automations do I have`."""
    del said
    return Command.AUTOMATIONS


BUILDERS: dict[str, Builder] = {
    "automation.create": create, "automation.list": listed,
    "automation.pause": _taking("pause", phrase("Pause an automation")),
    "automation.resume": _taking("resume", phrase("Let an automation go on")),
    "automation.remove": _taking("remove", phrase("Remove an automation")),
    "automation.show": _taking("show", phrase("Show an automation")),
}  # fmt: skip
