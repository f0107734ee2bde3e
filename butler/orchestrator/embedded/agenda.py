"""Questions about the calendar: `what's on Friday?`, `when is my next meeting with Anna?`, `when am I free tomorrow?`.

Where no calendar is set up, only what names it is taken for a question about it.
"""

from butler.contract.referents import ReferentKind
from butler.contract.speech import say
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.agenda_words import (
    CALENDARS,
    FREE,
    GENERIC,
    IN_CALENDAR,
    LIST,
    READ,
    WITH,
    look,
    name_in_title,
    need,
    shown_at,
    words_told,
)
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.embedded.hours import length_at
from butler.orchestrator.embedded.items import find
from butler.orchestrator.embedded.lexer import Tail, lex, phrases
from butler.orchestrator.embedded.people import person_at
from butler.orchestrator.embedded.scene import Scene
from butler.orchestrator.embedded.stretch import Stretch, from_now, stretch_at
from butler.orchestrator.planning.plan_types import Planned, PlannerOutput

MINE = phrases(
    "[what is|what's|whats|show|list|read|open|check|see|give|tell|what does] [me] [on|in|up|about]"
    " (my|the|our) (calendar|agenda|schedule|diary|itinerary)",
    "(look|check) (at|in|into|on) (my|the) (calendar|agenda|schedule|diary)",
    "anything (on|in) (my|the) (calendar|agenda|schedule|diary)", "(my|today's|tomorrow's) (agenda|schedule)",
)  # fmt: skip
"""What names the calendar."""
LOOKS = phrases("[look] like", "say")
ON = phrases(
    "(what's|whats|what is) [on|up|planned|scheduled|coming up|coming|booked|lined up]", "(what's|what is) [on] [the]"
    " (plan|agenda|programme|program)", "what do i have [on|planned|scheduled|coming up|to do]",
    "what have i got [on|planned|scheduled|coming up]", "[do i have|have i got|is there] (anything|something)"
    " [on|planned|scheduled|booked]", "what am i doing", "am i (busy|booked)", "am i doing (anything|something)",
    "what (does|will) (my|the)", "how (does|is|will)", "what have i (planned|scheduled)", "how busy am i",
    "(what's|what is) my (day|plan|programme|program)",
)  # fmt: skip
"""What asks for an agenda where a day follows."""
DAY_LOOKS = phrases("[my|the] (day|week|weekend|morning|afternoon|evening) [look] [like]")
NOUN = "(meetings|appointments|events|calls|meeting|appointment|event|call)"
SHOW = phrases(
    f"(show|list|which|what|any|see|read) [me] [all] [my|of my|the] {NOUN}",
    f"(do i have|have i got|are there|is there|how many) [any|a|an|my] {NOUN}", f"[all] my {NOUN}",
    f"(which|what|how many) {NOUN} (do i have|have i got|are there|have i)",
)  # fmt: skip
HAVE = phrases("(do i have|have i got|have i|are there|are|come up|are coming up|coming up|planned|scheduled)", "there")
NEXT = phrases(
    f"[when|what|where] [is|'s] (my|the) next {NOUN}", f"(when's|what's|where's) (my|the) next {NOUN}",
    f"my next {NOUN}", f"(show|tell) me (my|the) next {NOUN}",
    "(what's|what is) [up|coming] next", "what do i have next", "(what's|what is) next (on|in) my (calendar|agenda)",
)  # fmt: skip
WHEN = phrases(
    f"(when's|when is|when are|where is|where's|what time is) (my|the|our) [{NOUN[1:-1]}]", "when do i (have|see|meet)",
    "when am i (meeting|seeing)", "when is", "when's",
)  # fmt: skip
FREE_WHEN = phrases(
    "when am i (free|available)", "when do i have [some] (time|free time|a gap)", "(am|are) (i|we) (free|available)",
    "when could i [meet|fit in|see]", "(find|show) [me] [some] (free time|a free slot|free slots|a gap|time)",
    "[what|which] free (slots|time|times) [do i have|are there|is there]", "do i have [any] (time|free time)",
    "(when|where) (is there|do i have) (a gap|room|space|time)", "when is my calendar (free|empty)",
    "have i (time|got time|got any time)",
)  # fmt: skip
FOR_LONG = phrases("(for|of|lasting)")
CALENDARS_OF = phrases("(which|what|show|list) [me] [all] [my|the] calendars [do i have|are there|have i]")
ABOUT = phrases("(about|called|named|titled|regarding|concerning)")
OPEN = phrases("(read|show|open|see|display) [me]", "(tell me|what about|details of) [more about]", "more about")
ABOUT_IT = phrases(
    "(when|where|what time|how long|what) is it", "who (is coming|comes|is invited|is there|is in it) [to it]",
    "(when|where) (is|'s) (that|this)", "(where's|when's) (it|that)",
)  # fmt: skip
OF = frozenset({"at", "in", "of", "for", "on", "from", "due", "over"})
"""Words of questions about what something is of: memory knows that."""
TIMED = frozenset({"my", "the", "our"})


def agenda(tail: Tail, scene: Scene) -> PlannerOutput | None:
    """Read a question about the calendar; None where it is none."""
    bare = tail.bare()
    return (
        _calendars(bare, scene)
        or _free(bare, scene)
        or _next(bare, scene)
        or _listed(bare, scene)
        or _when(bare, scene)
        or _shown(bare, scene)
    )


def _calendars(bare: Tail, scene: Scene) -> PlannerOutput | None:
    after = bare.take(CALENDARS_OF)
    if after is None or not after.done:
        return None
    need(CALENDARS, scene)
    return calls.plan(calls.call(CALENDARS, say("List your calendars")))


def _free(bare: Tail, scene: Scene) -> PlannerOutput | None:
    """`when am I free on Thursday for an hour?`."""
    start = bare.take(FREE_WHEN)
    if start is None or not scene.has(FREE):
        return None
    when, minutes, here = Stretch(), 0, start
    while not here.done:
        if not minutes and (long := length_at(here.past(FOR_LONG))) is not None:
            minutes, here = long
        elif when == Stretch() and (found := stretch_at(here, scene.now())) is not None:
            when, here = found
        elif (plain := here.take(phrases("to meet", "for a (meeting|call)", "(for|to|and)", "with", ","))) is not None:
            here = plain
        elif (person := person_at(here, scene)) is not None:
            # When others are free nobody knows here; the person's own times are what is shown.
            here = person[1]
        else:
            return None
    args = when.args() | ({"minutes": minutes} if minutes else {})
    return calls.plan(calls.call(FREE, say("Look for free time in your calendar"), **args))


def _next(bare: Tail, scene: Scene) -> PlannerOutput | None:
    """`when is my next meeting with Anna?`."""
    start = bare.take(NEXT)
    if start is None or not scene.has(LIST):
        return None
    filters = _filters(start, scene)
    if filters is None:
        return None
    when, words = filters
    since = from_now(when, scene.now())
    if when == Stretch():
        since = Stretch(scene.now().replace(tzinfo=None, second=0, microsecond=0))
    return calls.plan(look(words, since, limit=1))


def _listed(bare: Tail, scene: Scene) -> PlannerOutput | None:
    """`what's on Friday?`, `show my meetings next week`, `what's on my calendar tomorrow?`."""
    if (start := bare.take(MINE)) is not None:
        filters = _filters(start.past(LOOKS), scene)
        if filters is None:
            return None
        need(LIST, scene)
        return _look(*filters, scene)
    if not scene.has(LIST):
        return None
    if (start := bare.take(SHOW)) is not None:
        filters = _filters(start, scene)
        return _look(*filters, scene) if filters else None
    for options in (ON, phrases("anything", "something")):
        start = bare.take(options)
        while start is not None:
            found = stretch_at(start, scene.now())
            filters = _filters(start.past(LOOKS), scene) if found else None
            if filters is not None and filters[0] != Stretch():
                return _look(*filters, scene)
            # `what's on Friday`: the last word of the opener may belong to the day.
            start = Tail(start.source, start.tokens, start.at - 1, start.end) if _on_before(start, bare) else None
    return _day_looks(bare, scene)


def _on_before(start: Tail, bare: Tail) -> bool:
    return start.at - 1 > bare.at and start.tokens[start.at - 1].word in {"on", "my", "the"}


def _day_looks(bare: Tail, scene: Scene) -> PlannerOutput | None:
    """`how does my Friday look?`, `what does my week look like?`."""
    start = bare.take(phrases("(how|what) (does|is|will|do|are)", "how's"))
    if start is None or start.word() not in TIMED:
        return None
    found = stretch_at(start, scene.now()) or stretch_at(start.skip(), scene.now())
    if found is None:
        return None
    after = found[1].past(phrases("(look|looking|be|go)")).past(phrases("[looking] like"))
    return _look(found[0], "", scene) if after.done else None


def _when(bare: Tail, scene: Scene) -> PlannerOutput | None:
    """`when is the dentist?`, `when am I seeing Anna?`: only what is called like an event, or has one's noun."""
    start = bare.take(WHEN)
    if start is None or start.done or not scene.has(LIST):
        return None
    met = bare.take(phrases("when do i (see|meet)", "when am i (meeting|seeing)"))
    told = words_told(start, scene) if not {token.word for token in start.tokens[start.at : start.end]} & OF else None
    noun = told is not None and (told[1] or start.tokens[start.at - 1].word in GENERIC | {"call", "calls"})
    person = person_at(start, scene)
    if told is None or not told[0] or not (noun or (met is not None and person is not None)):
        return None
    if not met and start.tokens[start.at - 1].word not in TIMED | GENERIC | {"call", "have"}:
        return None
    return calls.plan(look(told[0], Stretch(scene.now().date())))


def _shown(bare: Tail, scene: Scene) -> PlannerOutput | None:
    """`read the second one`, `where is it?`, of what stands in a calendar."""
    if (asked := bare.take(ABOUT_IT)) is not None and asked.done:
        shown = shown_at(lex("it"), scene)
    else:
        start = bare.take(OPEN) or bare
        shown = shown_at(start, scene)
        alone = shown is not None and not (shown[0].handle or shown[0].number) and start is bare
        if shown is None or not shown[1].done or alone:
            return None
    referent = find(shown[0], scene, lambda name: f"read {name}", frozenset({ReferentKind.EVENT})) if shown else None
    if referent is None:
        return None
    need(READ, scene)
    return calls.plan(calls.call(READ, say("Look it up in your calendar"), event={"handle": referent.handle}))


def _look(when: Stretch, words: str, scene: Scene) -> Planned:
    return calls.plan(look(words, from_now(when, scene.now())))


def _filters(tail: Tail, scene: Scene) -> tuple[Stretch, str] | None:
    """When, with whom and about what, in any order; None where something else stands there."""
    when, words, here = Stretch(), "", tail
    while not here.done:
        if (plain := here.take(HAVE) or here.take(IN_CALENDAR) or here.take(phrases(","))) is not None:
            here = plain
        elif when == Stretch() and (found := stretch_at(here, scene.now())) is not None:
            when, here = found
        elif not words and (after := here.take(WITH)) is not None and not after.done:
            words, here = _with(after, scene)
        elif not words and (after := here.take(ABOUT)) is not None and not after.done:
            end = _until_time(after, scene)
            words, here = after.until(end).text.strip('"“”„«» '), end
        else:
            return None
    return when, words


def _with(tail: Tail, scene: Scene) -> tuple[str, Tail]:
    person = person_at(tail, scene)
    if person is not None:
        return name_in_title(person[0]), person[1]
    end = _until_time(tail, scene)
    if end.at == tail.at:
        raise Asking(say("With whom? Say the name."))
    return tail.until(end).text, end


def _until_time(tail: Tail, scene: Scene) -> Tail:
    here = tail
    while not here.done and here.take(HAVE) is None and stretch_at(here, scene.now()) is None:
        here = here.skip()
    return here
