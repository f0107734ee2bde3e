"""Dashboards over a time, and their panels: `what does the load panel of Web servers say since nine?`."""

from collections.abc import Iterator

from butler.contract.speech import say
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.lexer import Tail, phrases
from butler.orchestrator.embedded.lookups import DASHBOARD, OPEN, QUOTES, SAYS, dashboard_named
from butler.orchestrator.embedded.scene import Scene
from butler.orchestrator.embedded.server_looks import until, written
from butler.orchestrator.embedded.spans import Span, span_at
from butler.orchestrator.planning.plan_types import PlannerOutput

PANEL_OF = phrases("panel (of|on|in) [the] [dashboard]", "panel (of|on|in) [my] dashboard")
ENDING = phrases("dashboard")
MOST_WORDS = 6
"""Of a title."""


def dashboard_over_time(tail: Tail, scene: Scene) -> PlannerOutput | None:
    """Read a request to look at a panel, or at a dashboard since when; None where it is none."""
    bare = tail.bare()
    if not scene.has(DASHBOARD) or bare.take(OPEN) is None:
        return None
    for words, span in _with_time(bare, scene):
        title, panel = _panel(words) or (dashboard_named(words) if span is not None else "", "")
        if title:
            args = {"dashboard": title} | ({"panel": panel} if panel else {}) | (_time(span) if span else {})
            return calls.plan(calls.call(DASHBOARD, say("Read the dashboard {name}", name=title), **args))
    return None


def _with_time(bare: Tail, scene: Scene) -> Iterator[tuple[Tail, Span | None]]:
    """The words without the time at their end, and that time; the words alone where there is none."""
    for at in range(1, bare.end - bare.at):
        rest = bare.skip(at)
        found = span_at(rest, scene.now())
        if found is not None and found[1].done:
            yield bare.until(rest), found[0]
            return
    yield bare, None


def _panel(words: Tail) -> tuple[str, str] | None:
    """The titles of a dashboard and of the panel that is asked for."""
    start = words.take(OPEN)
    found = start.find(PANEL_OF) if start is not None else None
    if found is None:
        return None
    panel, rest = found
    said = rest.find(SAYS)
    if said is not None and not said[1].done:
        return None
    board = said[0] if said is not None else rest
    ended = board.find(ENDING)
    board = ended[0] if ended is not None and ended[1].done else board
    if any(one.end - one.at > MOST_WORDS for one in (board, panel)) or panel.text.endswith(("'s", "’s")):
        return None
    titles = board.text.strip(QUOTES), panel.text.strip(QUOTES)
    return titles if all(titles) else None


def _time(span: Span) -> dict[str, str]:
    return {"since": written(span.since), **until(span)}
