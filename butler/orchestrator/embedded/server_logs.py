"""Questions to a server's logs: `any errors since midnight?`, `what do the logs say about rsync?`."""

from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.lexer import Tail, lex, phrases
from butler.orchestrator.embedded.scene import Scene
from butler.orchestrator.embedded.server_looks import LOGS, OF, SERVER, look, span_of, title_of, until, written
from butler.orchestrator.embedded.spans import Span
from butler.orchestrator.planning.plan_types import PlannerOutput
from butler.orchestrator.servers.named_signals import titles_of

SHOW_LOGS = phrases(
    "[show|show me|give me|list|find|check for] [the|any|all] (errors|warnings|problems) (in|from) [the|my] (logs|log)",
    "(are there|were there|is there|have there been) [any] (errors|warnings|problems) (in|from) [the|my] (logs|log)",
    "(what do|what does|what did) the [server] (logs|log) say", "(what is|what's|whats) in the [server] (logs|log)",
    "(check|read|show|show me|look at|look into|look through|see) [the|my] [server|system] (logs|log)",
    "anything (odd|strange|unusual|wrong|new) in the [server] (logs|log)",
)  # fmt: skip
SEARCH_LOGS = phrases("(search|grep|look|look in|look through|search in|search through) [the|my] [server] (logs|log)")
ABOUT = phrases("(about|on|for|regarding|mentioning)")
ERRORS = phrases(
    "[show|show me|list|are there|were there|have there been] (any|the|all) [server] (errors|warnings)",
)  # fmt: skip
"""Of a server's logs, if it is said since when."""
ERRORS_ALONE = phrases("[any|the|all] (errors|warnings|problems|trouble|errors and warnings)")
WHAT_DID, SAY = phrases("what (did|does|do) [the|my|our]"), phrases("(say|log|write|report)")
MOST_WORDS = 5
"""That are looked for in logs."""
SIGNS = '"“”„«» '


def says_logs(bare: Tail, scene: Scene) -> bool:
    """Whether the logs of a server are asked for, where there is nothing to ask."""
    after = bare.take(SHOW_LOGS)
    return after is not None and span_of(_past_server(after), scene) is not None


def asked_of_logs(bare: Tail, scene: Scene) -> PlannerOutput | None:
    """Read a question to the logs; None where it is none."""
    return _everything(bare, scene) or _about(bare, scene) or _errors(bare, scene) or _of_a_name(bare, scene)


def _everything(bare: Tail, scene: Scene) -> PlannerOutput | None:
    after = bare.take(SHOW_LOGS)
    span = span_of(_past_server(after), scene) if after is not None else None
    return look([], scene, span, logs=True) if span is not None else None


def _about(bare: Tail, scene: Scene) -> PlannerOutput | None:
    """`what do the logs say about rsync since nine`."""
    asked = bare.take(SHOW_LOGS) or bare.take(SEARCH_LOGS)
    start = _past_server(asked).take(ABOUT) if asked is not None else None
    found = _words_and_span(start, scene) if start is not None else None
    if found is None:
        return None
    words, span = found
    only_errors = lex(words).take(ERRORS_ALONE)
    if only_errors is not None and only_errors.done:
        return look([], scene, span, logs=True)
    return calls.plan(calls.search_logs(words, written(span.since), **until(span)))


def _words_and_span(start: Tail, scene: Scene) -> tuple[str, Span] | None:
    """What is looked for, and over which time."""
    for length in range(1, MOST_WORDS + 1):
        rest = start.skip(length)
        words = start.until(rest).text.strip(SIGNS)
        if words and rest.at == start.at + length and (span := span_of(rest, scene)) is not None:
            return words, span
    return None


def _errors(bare: Tail, scene: Scene) -> PlannerOutput | None:
    after = bare.take(ERRORS)
    span = span_of(_past_server(after), scene) if after is not None else None
    return look([], scene, span, logs=True) if span is not None and span.is_said else None


def _of_a_name(bare: Tail, scene: Scene) -> PlannerOutput | None:
    """`what did the backup say?`, where the settings have a log query of that name."""
    start = bare.take(WHAT_DID)
    for name, title in titles_of(LOGS, scene.request.tools).items() if start is not None else ():
        after = start.take(phrases(name.replace("_", " "))) if start is not None else None
        said = after.take(SAY) if after is not None else None
        if said is not None and (span := span_of(said, scene)) is not None:
            return calls.plan(calls.read_logs(name, title_of(title), written(span.since), **until(span)))
    return None


def _past_server(tail: Tail) -> Tail:
    """What follows `on the server`, where that stands there."""
    place = tail.take(OF)
    after = place.take(SERVER) if place is not None else None
    return after if after is not None else tail
