"""Calls: `call Anna`, `ring Anna up`, `video call with Anna and Bob`: a room, and a link for each who is to join."""

from butler.contract.speech import phrase, say
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.asking import Asking, choice
from butler.orchestrator.embedded.lexer import Tail, phrases
from butler.orchestrator.embedded.people import Person, goes_on, join, looks_like_name, people_at, unknown
from butler.orchestrator.embedded.scene import Scene, missing
from butler.orchestrator.embedded.when import spoken_at
from butler.orchestrator.planning.plan_types import PlannerOutput

CREATE, JOIN = "bot_livekit_create_room", "bot_livekit_join_room"
CALL = phrases(
    "(call|phone|ring|videocall|video-call) [up]", "(video|voice|audio) call [with|to]", "(video chat|videochat) with",
    "(start|make|open|begin|do|set up|place|have) [a|an] [quick] [new] [video|voice|audio] (call|videocall) (with|to)",
    "(start|make|open|begin|do|set up) [a|an] video chat with", "(let's|lets) [video] call",
    "i (want|need) to [video] call", "i'd like to [video] call",
)  # fmt: skip
GET = phrases("get [me]")
GIVE, RING = phrases("give"), phrases("a [quick] (call|ring|video call)")
ON_THE_PHONE = phrases("on (the line|a call|a video call)")
ALONE = phrases(
    "(start|open|make|set up) [a|an] [new] [video|voice|audio] call", "(start|open) a (call|video) room",
)  # fmt: skip
ROOM = phrases("(open|make|start|set up|create) (a|an|another) [new] room (for|about)")
CALL_ROOM = phrases("(open|make|start|set up|create) (a|an|another) [new] (video|call|meeting) room (for|about)")
TALKS = phrases(
    "(call|calls|meeting|meetings|video|chat|conference|interview|talk|lesson|class|rehearsal|session|discussion)"
)
"""What people meet for in a room that is none of a house."""
ELSEWHERE = phrases("(at|in|tomorrow|tonight|on|next)")
NOW = phrases("(now|up|back|please|right now|right away|for me|on video|by video|via video|over video)", ",")
RINGS = frozenset({"call", "phone", "ring", "give"})
"""A call of another kind that is set up for a time is an appointment."""
HOST = phrase("Host")
"""What the others in a call see its owner called, whose name the butler does not know."""


def call(tail: Tail, scene: Scene) -> PlannerOutput | None:
    """Read a request to call somebody; None where it is none."""
    bare = tail.bare()
    alone = bare.take(ALONE)
    if alone is not None and _past_now(alone).done:
        return _plan((), scene)
    about = bare.take(CALL_ROOM) or _for_talks(bare)
    if about is not None and not about.done:
        return _plan((), scene, about.text.strip('"“”„«» '))
    found = _people(bare, scene)
    if found is None:
        return None
    people, rest = found[0], _past_now(found[1])
    if rest.done:
        return _plan(people, scene)
    if bare.word() in RINGS:
        _not_later(rest, people, scene)
    return None


def _for_talks(bare: Tail) -> Tail | None:
    """What a room is opened for, if people talk there, and neither in a house nor later."""
    about = bare.take(ROOM)
    if about is None or about.find(TALKS) is None or about.find(ELSEWHERE) is not None:
        return None
    return about


def _people(bare: Tail, scene: Scene) -> tuple[tuple[Person, ...], Tail] | None:
    """Who is to be called, and what follows."""
    for opening, ending in ((GIVE, RING), (GET, ON_THE_PHONE)):
        start = bare.take(opening)
        found = people_at(start, scene) if start is not None else None
        after = found[1].take(ending) if found is not None else None
        if found is not None and after is not None:
            return found[0], after
    start = bare.take(CALL)
    if start is None:
        return None
    found = people_at(start, scene)
    if found is None and _is_name(start):
        raise unknown(start)
    return found if found is not None and not goes_on(found[0][-1], found[1]) else None


def _past_now(tail: Tail) -> Tail:
    while (after := tail.take(NOW)) is not None:
        tail = after
    return tail


def _is_name(tail: Tail) -> bool:
    """Whether one word stands there that could be somebody's name."""
    one = tail.word() in {"my", "the"} or tail.written()[:1].isupper()
    return one and looks_like_name(tail) and tail.skip(1 + (tail.word() == "my")).done


def _not_later(rest: Tail, people: tuple[Person, ...], scene: Scene) -> None:
    """A call begins when it is asked for; a time is answered with what can be done about it."""
    found = spoken_at(rest, scene.now())
    if found is not None and found[1].done:
        names = join([person.said for person in people])
        raise Asking(
            say("I start a call as soon as you ask for it. Shall I remind you then?"),
            [choice(say("Remind me then"), f"remind me {rest.text} to call {names}")],
        )


def _plan(people: tuple[Person, ...], scene: Scene, about: str = "") -> PlannerOutput:
    if not scene.has(CREATE) or not scene.has(JOIN):
        raise Asking(missing(JOIN if scene.has(CREATE) else CREATE, scene))
    for person in people:
        if len(person.contacts) > 1:
            named = [choice(contact.name, f"call {contact.name}") for contact in person.contacts]
            raise Asking(say("Which {name} do you mean?", name=person.said), named)
    names = [person.name for person in people]
    return calls.call_people(names, say(HOST), about)
