"""Reminders that there are: done, put off, moved, removed; by a reply to one, by its words, or by its time of day."""

from dataclasses import replace
from datetime import datetime, time
from typing import Any

from butler.contract.referents import ReferentKind
from butler.contract.speech import phrase, say
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.asking import Asking, choice
from butler.orchestrator.embedded.clock import NOON, clock_at, in_part, says_half
from butler.orchestrator.embedded.every import repeated_at, rule_of
from butler.orchestrator.embedded.items import last_shown_kind
from butler.orchestrator.embedded.lexer import Phrases, Tail, lex, phrases
from butler.orchestrator.embedded.numbers import place
from butler.orchestrator.embedded.reminding import TIMES, rule_args, sure_of, which_half
from butler.orchestrator.embedded.say import content
from butler.orchestrator.embedded.scene import Scene, not_set_up
from butler.orchestrator.embedded.when import DAWN, Spoken, at_time, settle, spoken_at
from butler.orchestrator.planning.plan_types import PlannerOutput
from butler.store.conversation import Referent

Which = dict[str, Any]
"""The arguments that say which reminder."""
IT = phrases("(it|this|that|this one|that one|the reminder|this reminder|that reminder|that thing)")
DONE = phrases(
    "[ok|okay|yes|it's|its|that's|i'm|all] (done|finished|did it|dealt with)",
    "[ok|okay|yes] i (did|have done) (it|that|this)",
    "mark [it|this|that] [as] done", "i've done (it|that|this)", "already done", "✓", "✅",
)  # fmt: skip
REMOVE = phrases(
    "(cancel|delete|remove|drop|forget|stop|kill) [it|this|that|this one|that one]",
    "(cancel|delete|remove|drop|forget|stop|kill) (this|that|the) reminder",
    "never mind", "nevermind", "undo [that|it]",
    "(don't|do not|dont) remind me [of it|of that|of this|any more|anymore|again]",
    "stop reminding me [of this|of that|of it|about this|about that|about it]", "no more [of this|of that|of it]",
)  # fmt: skip
SNOOZE = phrases(
    "(snooze|postpone|delay) [it|this|that|the reminder|this reminder|that reminder]",
    "remind me [about it|of it] again", "again", "say it again", "put it off", "remind me later", "later", "not now",
)  # fmt: skip
SKIP = phrases(
    "skip [it|this|that|the next|the next one|next|this time|the next time]",
    "not this time",
    "leave out the next [one|time]",
)
MOVE = phrases(
    "(make|move|change|push|set|reschedule|shift) (it|this|that|the time) [to|for|into]",
    "(move|change|reschedule) to", "better",
    "rather", "no ,",
)  # fmt: skip
SAY = phrases("(say|call it|make it say|change the text to|it should say) [:]")
TO = phrases("(for|until|till|to|by|in)")
ONLY_FOR = phrases("(for|until|till|to|by)")
CHANGE_TIME = phrases("change the time [of] [this|that|the] [reminder]", "change the time [of it]")
THE_TIME = phrases("the time of")
NOUN = phrases("reminder")
MY = phrases("(my|the|that|this) [next]")
ABOUT = phrases("(about|for|to|of|that|with|called|named)")
VERBS: tuple[tuple[str, Phrases], ...] = (
    ("remove", phrases("(cancel|delete|remove|drop|stop|kill|forget|turn off|switch off|get rid of)")),
    ("snooze", phrases("(snooze|postpone|delay|put off)")),
    ("skip", phrases("(skip|leave out)")),
    ("change", phrases("(move|change|reschedule|shift|push)")),
    ("done", phrases("(mark|tick off|check off|complete|finish)")),
)
AS_DONE = phrases("[as] done", "off")
STOP_REMINDING = phrases(
    "(stop|quit|no longer) (reminding|remind|nagging) me", "(don't|do not|dont) remind me [any more|anymore]"
)
ANY_MORE = phrases("(any more|anymore|again|please|any longer)")
ALL = phrases("all [of] [my|the] reminders", "(every|all|my) reminders", "everything you remind me of")
WHEN = phrase("When shall I remind you? Say a time, like “in 2 hours”, “tomorrow at 8” or “every Friday at 10”.")
NO_TIME = phrase("I did not understand that time. Say it like “in 2 hours”, “tomorrow at 8” or “every Friday at 10”.")
ONE_BY_ONE = phrase("I remove reminders one at a time: “what reminders do I have” lists them, each with a button.")
MOST_WORDS = 4
SMALL = frozenset("the a an my to of about for me her him his their our your and at on in with".split())  # noqa: SIM905
DESCRIBED = {
    "change": phrase("Change the reminder"),
    "snooze": phrase("Put the reminder off"),
    "done": phrase("Note the reminder as done"),
    "skip": phrase("Leave out its next time"),
    "remove": phrase("Remove the reminder"),
}


def change_reminder(tail: Tail, scene: Scene) -> PlannerOutput | None:
    """Read what is to become of a reminder; None where it is about none."""
    bare = tail.bare()
    replied = _replied(scene)
    if replied is not None and (found := _to_reply(bare, {"reminder_id": {"handle": replied.handle}}, scene)):
        return found
    return _named(bare, scene) or _last(bare, scene)


def _replied(scene: Scene) -> Referent | None:
    """The one reminder that the message is a reply to."""
    kinds = [one for one in scene.request.replied_to if one.kind is ReferentKind.REMINDER]
    return kinds[0] if len(kinds) == 1 == len(scene.request.replied_to) else None


def _last(bare: Tail, scene: Scene) -> PlannerOutput | None:
    """`snooze it`, `done` just after a reminder was said or shown, and nothing since."""
    shown = scene.request.referents
    last = last_shown_kind(scene)
    if not shown or {shown[-1].kind, last} != {ReferentKind.REMINDER} or scene.request.replied_to:
        return None
    short = bare.take(phrases("(snooze|postpone)"))
    if short is None and not (bare.take(DONE) is not None and len(bare.text.split()) <= 3):  # noqa: PLR2004 - `I did it`
        return None
    return _to_reply(bare, {"reminder_id": {"handle": shown[-1].handle}}, scene)


def _to_reply(bare: Tail, which: Which, scene: Scene) -> PlannerOutput | None:
    now = scene.now()
    for action, words in (("done", DONE), ("skip", SKIP), ("remove", REMOVE)):
        after = bare.take(words)
        if after is not None and after.done:
            return _plan(action, scene, which)
    if (after := bare.take(CHANGE_TIME)) is not None and after.done:
        raise Asking(say(WHEN), [choice(say(label), words) for label, words in TIMES])
    if (after := bare.take(SAY)) is not None and not after.done:
        return _plan("change", scene, which, text=content(after))
    if (after := bare.take(SNOOZE)) is not None:
        if after.done:
            return _plan("snooze", scene, which, minutes=60)
        if (args := _until(after.past(ONLY_FOR), now)) is not None or (args := _until(after, now)) is not None:
            return _plan("snooze", scene, which, **args)
    moved = bare.take(MOVE)
    start = moved if moved is not None else bare
    found = _moved(start, scene) or _moved(start.past(TO), scene)
    if found is None and (args := _until(bare, now)) is not None:
        return _plan("snooze", scene, which, **args)
    return _plan("change", scene, which, **found) if found is not None else None


def _until(start: Tail, now: datetime) -> dict[str, Any] | None:
    """Until when it is put off: a length of time, or a time."""
    found = spoken_at(start, now) or _length(start, now)
    if found is None or not found[1].done:
        return None
    return at_time("until", _settled(found[0], now))


def _length(start: Tail, now: datetime) -> tuple[Spoken, Tail] | None:
    """`10 minutes`, `an hour`: from now on."""
    text = lex(f"in {start.text}")
    found = spoken_at(text, now)
    return (found[0], replace(start, at=start.end)) if found is not None and found[1].done else None


def _settled(said: Spoken, now: datetime) -> datetime:
    at = settle(said if said.whole else replace(said, same_clock=True), now)
    if at is None:
        raise Asking(say("That time is past. When shall I remind you?"))
    return at


def _moved(start: Tail, scene: Scene) -> dict[str, Any] | None:
    """To when it is moved: other days and hours, one other time, or another time of day."""
    now = scene.now()
    if (often := repeated_at(start, now)) is not None and often[1].done:
        sure_of(often[0], start)
        rule = rule_of(often[0], now, scene.request.zone.key)
        return rule_args(rule) if rule is not None else None
    found = spoken_at(start, now) or _bare_clock(start)
    if found is None or not found[1].done:
        return None
    said = found[0]
    if said.day is None and said.moment is None and said.clock is not None:
        return {"to_clock": f"{_sure_clock(said, said.clock, start):%H:%M}"}
    if not said.whole:
        raise Asking(say("At what time? Say it with its hour, like “Friday at 10”."))
    return at_time("at", _settled(said, now))


def _sure_clock(said: Spoken, clock: time, start: Tail) -> time:
    """Raises `Asking` where it may be one of the night or of the afternoon."""
    if said.half_said or said.part or not 0 < clock.hour < DAWN:
        return in_part(clock, said.part)[0]
    bare = start.bare()
    spoken = bare.tokens[bare.at].start, bare.tokens[bare.end - 1].end
    raise which_half([(clock,), (clock.replace(hour=clock.hour + NOON),)], spoken, start)


def _bare_clock(start: Tail) -> tuple[Spoken, Tail] | None:
    """`make it 10`."""
    words = lex(f"at {start.text}")
    clock = clock_at(words) if start.word()[:1].isdigit() else None
    if clock is None or not clock[1].done:
        return None
    return Spoken(clock=clock[0], half_said=says_half(words)), replace(start, at=start.end)


def _named(bare: Tail, scene: Scene) -> PlannerOutput | None:
    """`cancel the reminder about mum`, `stop reminding me about the bins`, `move my 9 o'clock reminder to 10`."""
    after = bare.take(STOP_REMINDING)
    about = after.take(ABOUT) if after is not None else None
    if about is not None and not about.done:
        return _plan("remove", scene, {"words": _words(_without(about, ANY_MORE))})
    for action, verb in VERBS:
        start = bare.take(verb)
        if start is None:
            continue
        if action == "remove" and (rest := start.take(ALL)) is not None and rest.done:
            raise Asking(say(ONE_BY_ONE))
        found = _of_noun(start, scene)
        if found is not None:
            return _acted(action, *found, scene)
    return None


def _of_noun(start: Tail, scene: Scene) -> tuple[Which, Tail] | None:  # noqa: PLR0911 - a way to name it each
    """Which reminder is named, and what stands behind it: by its time of day, by its words, by its place in a list."""
    here = start.past(THE_TIME).past(MY)
    number = place(here.word())
    one = here.skip().take(phrases("one")) is not None and last_shown_kind(scene) in {None, ReferentKind.REMINDER}
    if number and (here.skip().take(NOUN) is not None or one):
        listed = [one for one in scene.request.referents if one.kind is ReferentKind.REMINDER and one.ordinal == number]
        after = here.skip(2)
        if listed:
            return {"reminder_id": {"handle": listed[-1].handle}}, after
        return None
    clock = clock_at(here) or _clock_before(here)
    if clock is not None and (after := clock[1].take(NOUN)) is not None:
        return {"clock": f"{clock[0]:%H:%M}"}, after
    if (after := here.take(NOUN)) is not None:
        about = after.take(ABOUT)
        if (
            about is not None
            and not about.done
            and _moved(after.past(TO), scene) is None
            and not _times_out(after, scene)
        ):
            named, rest = _until_to(about)
            return {"words": _words(named)}, rest
        referents = [one for one in scene.request.referents if one.kind is ReferentKind.REMINDER]
        if referents:
            return {"reminder_id": {"handle": referents[-1].handle}}, after
        return {}, after
    return _called(here) if here.at > start.at else None


def _times_out(after: Tail, scene: Scene) -> bool:
    """Whether nothing but a length of time follows: `the reminder for 10 minutes`."""
    return _length(after.past(ONLY_FOR), scene.now()) is not None


def _clock_before(here: Tail) -> Any:
    """`my 9 o'clock reminder`, `the 9:30 reminder`, `my 9 reminder`."""
    if not here.word()[:1].isdigit() or here.skip().take(NOUN) is None:
        return None
    clock = clock_at(lex(f"at {here.written()}"))
    return (clock[0], here.skip()) if clock is not None and clock[1].done else None


def _called(here: Tail) -> tuple[Which, Tail] | None:
    """`the mum reminder`."""
    found = here.find(NOUN)
    if found is None or found[0].done or len(found[0].text.split()) > MOST_WORDS:
        return None
    return {"words": _words(found[0])}, found[1]


def _until_to(about: Tail) -> tuple[Tail, Tail]:
    """The words of a text, up to the last `to` or `as done` behind which a time may stand."""
    place_of, here = about.end, about
    while not here.done:
        if here.at > about.at and here.take(AS_DONE) is not None:
            return replace(about, end=here.at), here
        if here.at > about.at and here.word() in {"to", "by", "until", "for"}:
            place_of = here.at
        here = here.skip()
    return replace(about, end=place_of), replace(about, at=place_of)


def _acted(action: str, which: Which, rest: Tail, scene: Scene) -> PlannerOutput | None:
    now = scene.now()
    if action in {"remove", "skip"}:
        return _plan(action, scene, _whole(which, rest)) if rest.done or "words" in which else None
    if action == "done":
        after = rest.take(AS_DONE)
        return _plan(action, scene, which) if (after is not None and after.done) or rest.done else None
    if action == "snooze":
        if rest.done:
            return _plan(action, scene, which, minutes=60)
        until = _until(rest.past(ONLY_FOR), now) or _until(rest, now)
        if until is None:
            raise Asking(say(NO_TIME))
        return _plan(action, scene, which, **until)
    moved = _moved(rest.past(TO), scene) or _moved(rest, scene)
    if moved is None:
        raise Asking(say(NO_TIME) if not rest.done else say(WHEN))
    return _plan("change", scene, which, **moved)


def _whole(which: Which, rest: Tail) -> Which:
    """`the reminder to go to Anna` is all one text."""
    if rest.done or "words" not in which:
        return which
    return {"words": f"{which['words']} {_words(rest)}".strip()}


def _without(tail: Tail, endings: Phrases) -> Tail:
    for size in (2, 1):
        here = replace(tail, at=max(tail.at, tail.end - size))
        if here.at > tail.at and (after := here.take(endings)) is not None and after.done:
            return replace(tail, end=here.at)
    return tail


def _words(tail: Tail) -> str:
    """The words by which it is found in its text; small ones tell nothing."""
    words = [token.word for token in tail.tokens[tail.at : tail.end]]
    telling = [word for word in words if word not in SMALL and word[:1].isalnum()]
    return " ".join(telling or words)


def _plan(action: str, scene: Scene, which: Which, **args: Any) -> PlannerOutput:
    tool = f"bot_reminders_{action}"
    if not scene.has(tool):
        raise Asking(not_set_up(tool))
    return calls.plan(calls.reminder(action, say(DESCRIBED[action]), **which, **args))
