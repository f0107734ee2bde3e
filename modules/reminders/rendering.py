"""Renders reminders: a new one with its next times and its zone, a list of them, or a change of the owner's zone."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import date, datetime
from typing import Any, cast
from zoneinfo import ZoneInfo

from butler.contract.agents import PlanStep
from butler.contract.card import Span, Style
from butler.contract.rendering import Offer, Rendered, StepResult
from butler.contract.speech import (
    phrase,
    say,
    say_clock,
    say_day,
    say_list,
    say_many,
    say_moment,
    say_short_moment,
)
from butler.contract.visible import visible
from butler.provenance import as_kept, load

LONGEST_LABEL = 40
DID = {
    "changed": phrase("✏️ Changed"),
    "snoozed": phrase("⏰ Snoozed"),
    "done": phrase("✓ Done"),
    "skipped": phrase("✓ Skipped"),
    "removed": phrase("✓ Removed"),
}
WHICH = {
    "changed": phrase("Which of these do you mean? Nothing is changed yet."),
    "snoozed": phrase("Which of these do you mean? None is put off yet."),
    "done": phrase("Which of these is done? Nothing is noted yet."),
    "skipped": phrase("Of which of these? Nothing is left out yet."),
    "removed": phrase("Which of these do you mean? None is removed yet."),
}
ACTIONS = {"changed": "change", "snoozed": "snooze", "done": "done", "skipped": "skip", "removed": "remove"}


def rendered(result: StepResult, zone: ZoneInfo) -> Rendered | None:
    """Return the text on a step of this channel; None if its result holds no reminder and no travel."""
    made = _rendered(result.step, result.data, zone)
    return made and replace(made, memory=f"{made.memory} {' '.join(result.handles)}".strip())


def _rendered(step: PlanStep, data: Mapping[str, Any], zone: ZoneInfo) -> Rendered | None:
    if "travel" in data:
        return _travel(data["travel"])
    if (one := data.get("reminder")) is not None:
        return _done(one, zone) if one.get("did") else _made(one, zone)
    if listed := cast("list[Mapping[str, Any]]", data.get("reminders") or []):
        return _which(step, listed, str(data["which"]), zone) if data.get("which") else _listed(listed, zone)
    return None


def _text(one: Mapping[str, Any]) -> str:
    """Return the reminder's text, quoted if it is not the owner's."""
    return as_kept(str(one.get("text") or ""), load(one.get("origins") or ()))


def _made(one: Mapping[str, Any], zone: ZoneInfo) -> Rendered:
    often, text = str(one.get("often") or ""), _text(one)
    moments = [datetime.fromisoformat(at) for at in one.get("next") or [one["due_at"]]]
    where = str(one.get("zone") or zone.key)
    first = moments[0] if one.get("next") else moments[0].astimezone(zone)
    if name := one.get("answer_from"):
        when = say("when {name} writes, or on {moment} at the latest", name=name, moment=say_moment(first))
        sentence = say("⏰ I will remind you {when} ({zone}): {text}", when=when, zone=where, text=text)
    elif often:
        times = say_list([say_short_moment(at) for at in moments])
        sentence = say(
            "⏰ I will remind you {often} ({zone}): {times}.\n{text}", often=often, zone=where, times=times, text=text
        )
    else:
        sentence = say("⏰ I will remind you on {when} ({zone}): {text}", when=say_moment(first), zone=where, text=text)
    if one.get("assumed") or one.get("latest_assumed"):
        sentence = f"{sentence}\n{_assumed(one, first)}"
    return Rendered((Span(text=sentence),), f"Reminder on {say_moment(first)}.", _of_new(one))


def _assumed(one: Mapping[str, Any], first: datetime) -> str:
    if one.get("latest_assumed"):
        return say("You named no latest time, so I took this one.")
    if one.get("answer_from"):
        return say("You named no hour for {day}, so I took {clock}.", day=say_day(first.date()), clock=say_clock(first))
    return say("You named no hour, so I took {clock}.", clock=say_clock(first))


def _of_new(one: Mapping[str, Any]) -> tuple[Offer, ...]:
    return (
        Offer(say("Change time"), words="change the time of this reminder"),
        Offer(say("Remove"), steps=(_step("remove", one),), labels=frozenset()),
    )


def _step(action: str, one: Mapping[str, Any], **more: Any) -> PlanStep:
    words = {
        "remove": say("Remove the reminder"),
        "done": say("Note the reminder as done"),
        "snooze": say("Put the reminder off"),
        "skip": say("Leave out its next time"),
        "change": say("Change the reminder"),
        "list": say("Show the reminder"),
    }
    return PlanStep(
        step_id=1,
        description=words[action],
        tool_call=f"bot_reminders_{action}",
        args={"reminder_id": one["reminder_id"], **more},
    )


def _done(one: Mapping[str, Any], zone: ZoneInfo) -> Rendered:
    did, text, waits = str(one["did"]), _text(one), one.get("state") == "waiting"
    sentence = f"{say(DID[did])}: {text}"
    if waits and did != "removed":
        due = datetime.fromisoformat(str(one["due_at"])).astimezone(zone)
        often = str(one.get("often") or "")
        when = say_moment(due)
        sentence = (
            say("{told}. Next: {moment} ({zone}), {often}.", told=sentence, moment=when, zone=zone.key, often=often)
            if often
            else say("{told}. I say it on {moment} ({zone}).", told=sentence, moment=when, zone=zone.key)
        )
    return Rendered((Span(text=sentence),), f"A reminder: {did}.")


def _line(one: Mapping[str, Any], zone: ZoneInfo) -> str:
    due = datetime.fromisoformat(str(one["due_at"])).astimezone(zone)
    text = visible(_text(one))
    more = [str(one["often"])] if one.get("often") else []
    more += [say("put off")] if one.get("snoozed") else []
    more += [say("or when they write")] if one.get("waits_for_event") else []
    return f"{say_short_moment(due)}: {text}{f' ({say_list(more)})' if more else ''}"


def _listed(listed: list[Mapping[str, Any]], zone: ZoneInfo) -> Rendered:
    if len(listed) == 1:
        return Rendered((Span(text=f"⏰ {_line(listed[0], zone)}"),), "Showed a reminder.", _of_one(listed[0]))
    lines = [f"{number}. {_line(one, zone)}" for number, one in enumerate(listed, 1)]
    sentence = say("Reply “done”, “in an hour” or “cancel the second one”, or tap one.")
    offers = tuple(
        Offer(_label(number, one), steps=(_step("list", one),), labels=frozenset())
        for number, one in enumerate(listed, 1)
    )
    text = (Span(text="\n".join(lines)), Span(text=f"\n{sentence}", style=Style.ITALIC))
    return Rendered(text, f"Showed {len(listed)} reminders.", offers)


def _label(number: int, one: Mapping[str, Any]) -> str:
    text = " ".join(visible(_text(one)).split())
    return f"{number}. {text if len(text) <= LONGEST_LABEL else f'{text[: LONGEST_LABEL - 1]}…'}"


def _of_one(one: Mapping[str, Any]) -> tuple[Offer, ...]:
    """Return the buttons for a single reminder."""
    own: frozenset[Any] = frozenset()
    offers = [
        Offer(say("Done"), steps=(_step("done", one),), labels=own),
        Offer(say("1 hour"), steps=(_step("snooze", one, minutes=60),), labels=own),
        Offer(say("Change time"), words="change the time of this reminder"),
    ]
    if one.get("often"):
        offers.append(Offer(say("Skip next"), steps=(_step("skip", one),), labels=own))
    return (*offers, Offer(say("Remove"), steps=(_step("remove", one),), labels=own))


def _which(step: PlanStep, listed: list[Mapping[str, Any]], what: str, zone: ZoneInfo) -> Rendered:
    """Return a question if several reminders match, with a button for each that does the act to it alone."""
    more = {name: value for name, value in step.args.items() if name not in {"reminder_id", "words", "clock"}}
    lines = [f"{number}. {_line(one, zone)}" for number, one in enumerate(listed, 1)]
    offers = tuple(
        Offer(_label(number, one), steps=(_step(ACTIONS[what], one, **more),)) for number, one in enumerate(listed, 1)
    )
    return Rendered((Span(text=f"{say(WHICH[what])}\n" + "\n".join(lines)),), "Several reminders fit.", offers)


def _travel(data: Mapping[str, Any]) -> Rendered:
    zone, before, moved = str(data["zone"]), str(data["before"]), int(data.get("moved") or 0)
    now = datetime.fromisoformat(str(data["now"]))
    if zone == before and not data.get("moments"):
        text = say("I go by the clocks of {zone} already: it is {clock}.", zone=zone, clock=say_clock(now))
        return Rendered((Span(text=text),), f"The zone stays {zone}.")
    lines = [say("🕑 From now on I go by the clocks of {zone}: it is {clock}.", zone=zone, clock=say_clock(now))]
    if data.get("until"):
        last = date.fromisoformat(str(data["until"]))
        lines.append(say("After {day} I go by those of {home} again.", day=say_day(last), home=data["home"]))
    if data.get("moments"):
        lines.append(say("Your reminders stay at the moments that they had."))
    elif moved:
        lines.append(
            say_many(
                moved,
                "1 reminder keeps its hour on the clock there.",
                "{count} reminders keep their hours on the clock there.",
            )
        )
    for one in cast("list[Mapping[str, Any]]", data.get("next") or []):
        at = datetime.fromisoformat(str(one["next"][0])) if one.get("next") else None
        if at is not None:
            lines.append(say("The next: {moment}, {text}", moment=say_short_moment(at), text=visible(_text(one))))
    return Rendered((Span(text="\n".join(lines)),), f"The zone is {zone} from now on.", _of_travel(data, moved))


def _of_travel(data: Mapping[str, Any], moved: int) -> tuple[Offer, ...]:
    def go(label: str, zone: str, **more: Any) -> Offer:
        step = PlanStep(
            step_id=1,
            description=say("Go by the clocks of {zone}", zone=zone),
            tool_call="bot_reminders_travel",
            args={"zone": zone, **more},
        )
        return Offer(label, steps=(step,), labels=frozenset())

    until = {"until": data["until"]} if data.get("until") else {}
    offers = [go(say("Back to {zone}", zone=data["before"]), str(data["before"]))]
    if moved and not data.get("moments"):
        offers.insert(
            0, go(say("Keep the moments instead"), str(data["zone"]), moments=True, moved_from=data["before"], **until)
        )
    return tuple(offers)
