"""Changes of one event: `move my meeting with Anna to 4pm`, `make it half an hour longer`, `rename it to ...`.

What is moved keeps what is not said: its day, its hour, its length. They are taken from the calendar when it is done.
"""

from dataclasses import replace
from datetime import datetime
from typing import Any

from butler.contract.referents import ReferentKind
from butler.contract.speech import say
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.agenda_making import guests_of
from butler.orchestrator.embedded.agenda_words import (
    CHANGE,
    COLOUR,
    DECLINE,
    DELETE,
    MOVE,
    REMIND,
    Found,
    One,
    events_shown,
    need,
    one_at,
    reach,
)
from butler.orchestrator.embedded.colours import colour_at
from butler.orchestrator.embedded.hours import length_at
from butler.orchestrator.embedded.items import Rephrase, Spoken
from butler.orchestrator.embedded.lexer import Tail, phrases
from butler.orchestrator.embedded.people import people_at
from butler.orchestrator.embedded.say import content, one_line
from butler.orchestrator.embedded.scene import Scene
from butler.orchestrator.embedded.shift import Shift, shift_at
from butler.orchestrator.embedded.target import Target, target_at
from butler.orchestrator.planning.plan_types import Planned, PlannerOutput

MOVING = phrases("(move|reschedule|shift|push|postpone|delay|put off|bring|put|change|set|pull)")
TO = phrases("[back|forward|up|over] (to|until|till|for)")
TIME_OF = phrases("[the|its] (time|start|date|day|start time|beginning) of")
LONGER, SHORTER = phrases("longer"), phrases("shorter")
MAKE, EXTEND, SHORTEN = phrases("(make|let)"), phrases("(extend|lengthen|prolong)"), phrases("(shorten|cut)")
BY, UP_TO = phrases("by"), phrases("(to|until|till)")
LONG = phrases("long")
RENAME = phrases("(rename|retitle)")
CALL = phrases("call")
TITLE_OF = phrases("(change|set) [the|its] (title|name) [of]")
PLACE_OF = phrases("(change|set) [the|its] (place|location|venue) [of]")
AS = phrases("(to|into|as)", ":")
INVITE, UNINVITE = phrases("invite"), phrases("uninvite", "disinvite", "(take|remove|drop) [the guest]")
TO_IT, FROM_IT = phrases("to", "for"), phrases("(from|off)")
AS_GUEST = phrases("as [a] (guest|guests)")
ADD = phrases("add")
CANCEL = phrases("(cancel|call off)")
DELETE_VERB = phrases("(delete|remove|scrap|drop|get rid of)")
DECLINE_VERB = phrases("decline", "turn down")
PAINT = phrases("(colour|color|paint)")
REMIND_ME = phrases("remind me", "(set|add) [me] a reminder")
BEFORE = phrases("(before|ahead of)")
WORDS_OF_TITLE = 200


def change_event(tail: Tail, scene: Scene) -> PlannerOutput | None:
    """Read a request to change, move, colour, be reminded of or cancel one event; None where it is none."""
    bare = tail.bare()
    if not scene.has(CHANGE):
        return None
    return (
        _renamed(bare, scene)
        or _placed(bare, scene)
        or _invited(bare, scene)
        or _longer(bare, scene)
        or _moved(bare, scene)
        or _cancelled(bare, scene)
        or _coloured(bare, scene)
        or _reminded(bare, scene)
    )


def _moved(bare: Tail, scene: Scene) -> PlannerOutput | None:
    start = bare.take(MOVING)
    if start is None:
        return None
    start = start.past(TIME_OF)
    if (shifted := _shifted(start, bare, scene)) is not None:
        return shifted
    here = start
    while (split := here.find(TO)) is not None:
        what, here = replace(start, end=split[0].end), split[1]
        found = target_at(here, scene)
        if found is None or not found[1].done or what.done:
            continue
        one = one_at(what, scene, sure=bare.word() in {"move", "reschedule", "postpone"})
        if one is not None:
            sure = found[0].sure_after(one.when.day, bare.until(here).text)
            return _to(one, sure, scene, lambda name, rest=here: f"move {name} to {rest.text}")
    return None


def _shifted(start: Tail, bare: Tail, scene: Scene) -> PlannerOutput | None:
    """`by an hour`, `an hour later`, `to next week`."""
    for at in range(start.at + 1, start.end):
        found = shift_at(replace(start, at=at), bare)
        what = replace(start, end=at)
        if found is None or not found[1].done:
            continue
        one = one_at(what, scene, sure=True)
        if one is None:
            continue
        rest = found[0].said
        there = reach(one, scene, lambda name, rest=rest: f"move {name} {rest}")
        return there.then(_shift(there, found[0], one))
    return None


def _shift(there: Found, by: Shift, one: One) -> Any:
    args: dict[str, Any] = {"events": [there.event]}
    args |= {"days": by.days} if by.days else {}
    args |= {"minutes": by.minutes} if by.minutes else {}
    return calls.call(MOVE, say("Move the event"), **args, **({"series": True} if one.series else {}))


def _to(one: One, to: Target, scene: Scene, again: Rephrase) -> Planned:
    whole = to.day is not None and to.clock is not None
    there = reach(one, scene, again, times=not whole)
    args: dict[str, Any] = {"event": there.event}
    if to.day is not None and to.clock is not None:
        args["start"] = datetime.combine(to.day, to.clock).isoformat(timespec="minutes")
    elif to.day is not None:
        args["start"] = there.time("start", on=to.day.isoformat())
    elif to.clock is not None:
        args["start"] = there.time("start", at=f"{to.clock:%H:%M}")
    if to.end is not None:
        end = f"{to.end:%H:%M}"
        args["end"] = f"{to.day.isoformat()}T{end}" if to.day is not None else there.time("start", at=end)
    return there.then(calls.call(CHANGE, say("Move the event"), **args, **_series(one)))


def _series(one: One) -> dict[str, bool]:
    return {"series": True} if one.series else {}


def _longer(bare: Tail, scene: Scene) -> PlannerOutput | None:
    """`make it half an hour longer`, `extend it by 30 minutes`, `make the meeting an hour long`."""
    for verb, words, sign in ((MAKE, LONGER, 1), (MAKE, SHORTER, -1), (MAKE, LONG, 0)):
        start = bare.take(verb)
        split = start.find(words) if start else None
        if start is None or split is None or not split[1].done:
            continue
        for at in range(start.at + 1, split[0].end):
            long = length_at(replace(split[0], at=at))
            one = one_at(replace(start, end=at), scene) if long and long[1].done else None
            if long is not None and one is not None:
                return _lasting(one, long[0], sign, scene)
    for verb, sign in ((EXTEND, 1), (SHORTEN, -1)):
        start = bare.take(verb)
        split = start.find(BY) or start.find(UP_TO) if start else None
        long = length_at(split[1]) if split else None
        one = one_at(split[0], scene) if split and long and long[1].done and not split[0].done else None
        if one is not None and long is not None and start is not None:
            return _lasting(one, long[0], sign if start.find(BY) else 0, scene)
    return None


def _lasting(one: One, minutes: int, sign: int, scene: Scene) -> Planned:
    how = f"{minutes} minutes {'longer' if sign > 0 else 'shorter' if sign else 'long'}"
    there = reach(one, scene, lambda name: f"make {name} {how}", times=sign != 0)
    changed = {"end": there.time("end", minutes=sign * minutes)} if sign else {"minutes": minutes}
    told = say("Change how long the event takes")
    return there.then(calls.call(CHANGE, told, event=there.event, **changed, **_series(one)))


def _renamed(bare: Tail, scene: Scene) -> PlannerOutput | None:
    named = bare.take(RENAME) or bare.take(TITLE_OF)
    split = named.find(AS) if named is not None else None
    called = bare.take(CALL) if events_shown(scene) else None
    if called is not None and called.word() in {"it", "this", "that"}:
        split = (replace(called, end=called.at + 1), called.skip())
    if split is None or split[1].done:
        return None
    what, name = split
    one = _its_own(what, scene) or one_at(what, scene)
    if one is None:
        return None
    title = one_line(content(name)).strip('"“”„«»')[:WORDS_OF_TITLE]
    return _changed(one, scene, f"rename {{}} to {name.text}", say("Rename the event"), title=title)


def _its_own(what: Tail, scene: Scene) -> One | None:
    """Nothing between `change its title` and `to`: what was shown last."""
    if not what.done or not events_shown(scene):
        return None
    return One(Spoken(kind=ReferentKind.EVENT))


def _placed(bare: Tail, scene: Scene) -> PlannerOutput | None:
    start = bare.take(PLACE_OF)
    split = start.find(AS) if start else None
    if split is None or split[1].done:
        return None
    one = _its_own(split[0], scene) or one_at(split[0], scene)
    place = one_line(content(split[1])).strip('"“”„«»')
    again = f"change the location of {{}} to {split[1].text}"
    return _changed(one, scene, again, say("Change where the event is"), location=place) if one else None


def _changed(one: One, scene: Scene, again: str, told: str, **args: Any) -> Planned:
    there = reach(one, scene, lambda name: again.replace("{}", name))
    return there.then(calls.call(CHANGE, told, event=there.event, **args, **_series(one)))


def _invited(bare: Tail, scene: Scene) -> PlannerOutput | None:
    """`invite Bob to it`, `add Bob as a guest to the meeting with Anna`, `remove Bob from the meeting`."""
    for verb, joints, name in ((INVITE, TO_IT, "add"), (ADD, TO_IT, "add"), (UNINVITE, FROM_IT, "remove")):
        start = bare.take(verb)
        found = people_at(start, scene) if start else None
        if found is None:
            continue
        guest = found[1].take(AS_GUEST)
        here = guest or found[1]
        what = here.take(joints) or (here.take(TO_IT) if verb is UNINVITE else None)
        told = here if what is None else what
        if verb is ADD and guest is None and not _meets(told):
            continue
        if what is None and not (here.done and events_shown(scene)):
            continue
        one = one_at(what, scene) if what is not None else One(Spoken(kind=ReferentKind.EVENT))
        if one is None:
            continue
        guests = guests_of(found[0], scene, bare)
        said = bare.until(here).text
        joint = "to" if name == "add" else "from"
        told = say("Invite to the event") if name == "add" else say("Take off the event's guests")
        return _changed(one, scene, f"{said} {joint} {{}}", told, **{f"{name}_guests": guests})
    return None


def _meets(what: Tail) -> bool:
    return what.past(phrases("(the|my|this|that)")).word() in {"meeting", "event", "appointment", "call"}


def _cancelled(bare: Tail, scene: Scene) -> PlannerOutput | None:
    for verb, tool, sure in ((CANCEL, DELETE, True), (DELETE_VERB, DELETE, False), (DECLINE_VERB, DECLINE, False)):
        start = bare.take(verb)
        if start is None or start.done:
            continue
        one = one_at(start, scene, sure=sure)
        if one is None or (tool == DECLINE and one.shown is None and not _is_meeting(start)):
            return None
        need(tool, scene)
        verb_said = bare.until(start).text
        there = reach(one, scene, lambda name, said=verb_said: f"{said} {name}")
        told = say("Decline the event") if tool == DECLINE else say("Delete the event")
        return there.then(calls.call(tool, told, events=[there.event], **_series(one)))
    return None


def _is_meeting(start: Tail) -> bool:
    """Whether more is said than `the meeting`, which may be an invitation in a mail."""
    return start.past(phrases("(the|this|that|my) (meeting|event|invitation|invite)")).at == start.at or not (
        start.past(phrases("(the|this|that|my) (meeting|event|invitation|invite)")).done
    )


def _coloured(bare: Tail, scene: Scene) -> PlannerOutput | None:
    start = bare.take(PAINT) or bare.take(MAKE)
    if start is None:
        return None
    for at in range(start.at + 1, start.end):
        colour = colour_at(replace(start, at=at).past(phrases("(in|as)")))
        one = one_at(replace(start, end=at), scene) if colour and colour[1].done else None
        if colour is None or one is None:
            continue
        there = reach(one, scene, lambda name, rest=colour[0]: f"colour {name} {rest}")
        return there.then(calls.call(COLOUR, say("Colour the event"), events=[there.event], colour=colour[0]))
    return None


def _reminded(bare: Tail, scene: Scene) -> PlannerOutput | None:
    """`remind me 10 minutes before my meeting with Anna`; before what a text says is another request."""
    start = bare.take(REMIND_ME)
    long = length_at(start) if start else None
    what = long[1].take(BEFORE) if long else None
    if long is None or what is None or what.done or what.word() in {"that", "i", "you", "we", "he", "she", "they"}:
        return None
    one = one_at(what, scene)
    if one is None:
        return None
    there = reach(one, scene, lambda name: f"remind me {long[0]} minutes before {name}")
    told = say("Set a reminder before the event")
    return there.then(calls.call(REMIND, told, events=[there.event], remind_minutes=long[0], **_series(one)))
