"""Digests: `send me a digest every morning at 7`, `no digest tomorrow`, `no evening digest any more`, `/digest`."""

from datetime import time

from butler.contract.speech import say, say_clock, say_day
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.asking import Asking, choice
from butler.orchestrator.embedded.clock import clock_at
from butler.orchestrator.embedded.day import day_at
from butler.orchestrator.embedded.lexer import Tail, phrases
from butler.orchestrator.embedded.manners import without_thanks
from butler.orchestrator.embedded.scene import Scene, not_set_up
from butler.orchestrator.planning.plan_types import Command, PlannerOutput

SHOW = phrases(
    "[my|the|a] (digest|/digest|briefing) [now|please|of the day|for today]",
    "(show|send|give|read) me (my|the|a) (digest|briefing|daily digest) [now|please]",
    "(show|send|give) me my day", "(what|how) (is|does) my day [look|look like]", "brief me [on my day]",
)  # fmt: skip
SEND = phrases(
    "[please] (send|give|tell|bring) me (a|the|my) [daily|morning|evening] (digest|briefing|summary)",
    "[i want|i'd like] (a|the|my) [daily|morning|evening] (digest|briefing)",
    "[daily|morning|evening] (digest|briefing)",
    "(a|the|my) (morning|evening) (digest|briefing)",
)  # fmt: skip
EVERY = phrases("(every|each) (morning|evening|day)", "in the (morning|evening)", "daily", "[of] my day", "of the day")
NO = phrases(
    "no (more) [morning|evening|daily] (digest|digests|briefing|briefings)",
    "no (morning|evening|daily) (digest|digests|briefing|briefings)", "no (digest|digests|briefing|briefings)",
    "(don't|do not) send me (a|any|the) [more] [morning|evening|daily] (digest|digests|briefing|briefings)",
    "(stop|cancel|switch off|turn off|end) (the|my|sending me the|sending me) [morning|evening|daily] "
    "(digest|digests|briefing|briefings)",
    "(skip|leave out) (the|my) (digest|briefing)",
)  # fmt: skip
OVER = phrases("any more", "anymore", "any longer", "again", "ever", "from now on", "please")
USUAL = {"morning": time(7, 30), "evening": time(19)}
NOON = 12


def digesting(tail: Tail, scene: Scene) -> PlannerOutput | None:
    """Read what is wanted of digests; None where nothing is said of them."""
    here = without_thanks(tail).bare()
    if (after := here.take(SHOW)) is not None and after.done:
        return Command.DIGEST
    if (after := here.take(NO)) is not None:
        return _none(here, after, scene)
    if (after := here.take(SEND)) is not None and not after.done:
        return _at(here, after, scene)
    return None


def _none(said: Tail, after: Tail, scene: Scene) -> PlannerOutput | None:
    kind = _kind(said)
    if (day := day_at(after.past(phrases("on", "for")), scene.now().date())) is not None and day[1].done:
        _needs("bot_digests_skip", scene)
        assert day[0].day is not None
        return calls.plan(
            calls.call(
                "bot_digests_skip", say("No digest on {day}", day=say_day(day[0].day)), day=day[0].day.isoformat()
            )
        )
    if not after.past(OVER).done:
        return None
    _needs("bot_digests_set_time", scene)
    return calls.plan(*(_off(one) for one in ([kind] if kind else ["morning", "evening"])))


def _off(kind: str) -> calls.PlanStep:
    what = say("No morning digest any more") if kind == "morning" else say("No evening digest any more")
    return calls.call("bot_digests_set_time", what, kind=kind)


def _at(said: Tail, after: Tail, scene: Scene) -> PlannerOutput | None:
    here, clock, regular = after, None, False
    while not here.done:
        if (more := here.take(EVERY)) is not None:
            here, regular = more, True
        elif clock is None and (found := clock_at(here)) is not None:
            clock, here = found
        else:
            return None
    if not regular and clock is None:
        return None
    kind = _kind(said) or ("evening" if clock is not None and clock.hour >= NOON else "morning")
    if kind == "evening" and clock is not None and clock.hour < NOON:
        clock = clock.replace(hour=clock.hour + NOON)
    if clock is None and _kind(said) is None:
        words = [f"send me a digest every {name} at {at:%H:%M}" for name, at in USUAL.items()]
        raise Asking(
            say("When shall it come?"),
            [
                choice(say("Every morning at {clock}", clock=say_clock(USUAL["morning"])), words[0]),
                choice(say("Every evening at {clock}", clock=say_clock(USUAL["evening"])), words[1]),
            ],
        )
    at = clock or USUAL[kind]
    _needs("bot_digests_set_time", scene)
    morning = say("A digest every morning at {clock}", clock=say_clock(at))
    what = morning if kind == "morning" else say("A digest every evening at {clock}", clock=say_clock(at))
    return calls.plan(calls.call("bot_digests_set_time", what, kind=kind, at=f"{at:%H:%M}"))


def _kind(said: Tail) -> str | None:
    """Which one is named, anywhere in the words."""
    words = {said.word(n) for n in range(said.end - said.at)}
    return next((kind for kind in USUAL if kind in words), None)


def _needs(tool: str, scene: Scene) -> None:
    if not scene.has(tool):
        raise Asking(not_set_up(tool))
