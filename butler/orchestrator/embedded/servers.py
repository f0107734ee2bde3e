"""Questions about a server: `why is the server slow?`, `how full is the disk?`, `errors in the logs since 9`.

What is measured and what is logged has names in the settings; only those that there are, are looked at.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from butler.contract.agents import PlanStep
from butler.contract.speech import phrase, say
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.embedded.lexer import Phrases, Tail, phrases
from butler.orchestrator.embedded.scene import Scene, not_set_up
from butler.orchestrator.embedded.spans import Span, span_at
from butler.orchestrator.named_signals import names_of, titles_of
from butler.orchestrator.planning import PlannerOutput
from butler.orchestrator.signals import signal_of

METRICS, LOGS = "bot_prometheus_query_metrics", "bot_loki_query_logs"
USUAL = timedelta(hours=6)
"""How far back is looked, where nobody says so."""
MOST_SIGNALS, MOST_LOGS = 7, 3
LOOKED_AT = ("cpu", "load", "memory", "disk", "disk_io", "latency", "errors", "swap", "temperature", "down")
"""Of a server as a whole, in order."""
TROUBLE = ("errors", "error", "warnings", "problems")
"""What named log queries are called that show what went wrong."""
ERRORS_AND_WARNINGS = phrase("Errors and warnings")
"""The title of the log query that there is without any settings."""
MACHINE = phrases(
    "[my|the|our] [home|web|media|photo] (server|servers|nuc|nas|vps|homeserver|machine|host|box)",
)  # fmt: skip
ONLY_SERVERS = phrases("[my|the|our] [home|web|media|photo] (server|servers|nas|vps|homeserver)")
WHY = phrases("why (is|are)", "why's", "how come")
SLOW = phrases(
    "[so|that|being|running|getting|always|still|again|is] [so|very|really] (slow|sluggish|laggy|hot|busy|loud)",
    "[so|that|being|running|getting|always|still|again|is] (unresponsive|overloaded|struggling|under load)",
)  # fmt: skip
HOW, WRONG = phrases("how (is|are)", "how's", "how does"), phrases(
    "(what is|what's|whats) [up|wrong|going on|the matter|happening|amiss] (with|on)", "what (ails|is wrong with)",
    "is (something|anything) (wrong|up|going on|happening|amiss) (with|on)", "any (problems|trouble|issues) (with|on)",
    "are there [any] (problems|issues) (with|on)",
)  # fmt: skip
IS = phrases("(is|are)")
FINE = phrases(
    "[still|all] (ok|okay|fine|healthy|alright|well|up|running|alive|all right|in order|doing ok|doing well)"
)
CHECK = phrases(
    "(check|check on|diagnose|inspect|examine|look at|have a look at) [how|up on]", "(status|health|state) of",
)  # fmt: skip
STATUS_OF = phrases("(status|health)")
DOING = phrases("(doing|today|now|right now|at the moment|feeling|feel|look|going)", "do today")
TODAY = phrases("(today|now|right now|again|lately|at the moment|all the time)")
IS_SLOW = phrases("(is|feels|seems|got|became|was|has become|has been)")
SHOW = phrases(
    "(show|show me|plot|draw|chart|graph|give me|see|display) [me] [the|my] [chart|graph|curve] [of|for] [the]",
    "(what is|what's|whats|how is|how's|how was) [the|my]", "[the|my]",
)  # fmt: skip
HOW_MUCH = phrases("how (much|many) [of] [the|my]")
LEFT = phrases(
    "(is|are) [there|still] [free|left|used|in use|available|taken|full|being used|gone|over]",
    "(do i|do we|does it|have i|have we) [still] (have|got|use) [left|free]", "(left|free)", "is there left",
)  # fmt: skip
HOW_FULL = phrases("how (full|high|busy|low|heavy|large|big|hot|slow|loaded|fast) (is|are|was) [the|my]", "how high is")
USE = phrases("(usage|use|utilisation|utilization|consumption|level|graph|chart|curve|load|space|values|history)")
OF = phrases("(of|on|in|for) [the]")
SHOW_LOGS = phrases(
    "[show|show me|give me|list|find|check for] [the|any|all] (errors|warnings|problems) (in|from) [the|my] (logs|log)",
    "(are there|were there|is there|have there been) [any] (errors|warnings|problems) (in|from) [the|my] (logs|log)",
    "(what do|what does|what did) the [server] (logs|log) say", "(what is|what's|whats) in the [server] (logs|log)",
    "(check|read|show|show me|look at|look into|look through|see) [the|my] [server|system] (logs|log)",
    "anything (odd|strange|unusual|wrong|new) in the [server] (logs|log)",
)  # fmt: skip
SIGNALS: tuple[tuple[Phrases, str], ...] = (
    (phrases("(disk|disc) (activity|io|i/o|business|traffic)"), "disk_io"),
    (phrases("[hard] (disk|disks|disc) [space]", "(hard drive|hard drives|ssd|filesystem|disk space)"), "disk"),
    (phrases("(cpu|processor|cpus|processors)"), "cpu"),
    (phrases("(memory|ram)"), "memory"),
    (phrases("[server|system] load", "load average"), "load"),
    (phrases("swap"), "swap"),
    (phrases("[network] (traffic|network|bandwidth)"), "network"),
    (phrases("(latency|response time|response times)"), "latency"),
    (phrases("(error rate|failed requests)"), "errors"),
    (phrases("[server|cpu] (temperature|temperatures)"), "temperature"),
)
OF_SERVERS_ALONE = frozenset({"cpu", "disk_io", "load", "swap", "latency"})
"""Words that mean nothing else; of the others it has to be said that a server is meant."""


@dataclass(frozen=True, slots=True)
class _Measured:
    """A signal that is asked for, and whether it is sure that a server's is meant."""

    signal: str
    is_sure: bool


def servers(tail: Tail, scene: Scene) -> PlannerOutput | None:
    """Read a question about how a server is; None where it is none."""
    bare = tail.bare()
    if (span := _logs(bare, scene)) is not None:
        return _plan([], scene, span, logs=True) if scene.has(LOGS) else _none(scene)
    if (span := _whole(bare, scene)) is not None:
        if not scene.has(METRICS) and not scene.has(LOGS):
            return _none(scene) if _says_server(bare) else None
        return _plan(_signals(scene), scene, span, logs=True)
    if not scene.has(METRICS):
        return None
    asked = _one(bare, scene)
    return _plan([asked[0]], scene, asked[1], logs=False) if asked is not None else None


def _none(scene: Scene) -> PlannerOutput | None:
    if scene.has(METRICS) or scene.has(LOGS):
        return None
    raise Asking(not_set_up(METRICS))


def _says_server(bare: Tail) -> bool:
    here = bare
    while not here.done:
        if here.take(ONLY_SERVERS) is not None:
            return True
        here = here.skip()
    return False


def _whole(bare: Tail, scene: Scene) -> Span | None:
    """The span of time of a question about a server as a whole."""
    for opening, ending in ((WHY, SLOW), (IS, FINE), (IS, SLOW), (HOW, None), (WRONG, None), (CHECK, None)):
        start = bare.take(opening)
        after = start.take(MACHINE) if start is not None else None
        if after is None:
            continue
        end = after.take(ending) if ending is not None else after.past(DOING)
        if end is not None and (span := _rest(end.past(TODAY), scene)) is not None:
            return span
    after = bare.take(MACHINE)
    verb = after.take(IS_SLOW) if after is not None else None
    slow = verb.take(SLOW) if verb is not None else after.take(STATUS_OF) if after is not None else None
    return _rest(slow.past(TODAY), scene) if slow is not None else None


def _logs(bare: Tail, scene: Scene) -> Span | None:
    after = bare.take(SHOW_LOGS)
    if after is None:
        return None
    place = after.take(OF)
    machine = place.take(MACHINE) if place is not None else None
    return _rest(machine if machine is not None else after, scene)


def _one(bare: Tail, scene: Scene) -> tuple[str, Span] | None:
    """One signal, and over which span of time."""
    for opening, endings in ((HOW_MUCH, LEFT), (HOW_FULL, None), (SHOW, None)):
        start = bare.take(opening)
        here = start if start is not None else bare if opening is SHOW else None
        found = _signal_at(here, scene) if here is not None else None
        if found is None:
            continue
        signal, after = found
        used = after.past(USE)
        said_more = used.at > after.at or opening is not SHOW
        if endings is not None:
            used = used.past(endings)
        place = used.take(OF)
        machine = place.take(MACHINE) if place is not None else None
        end = machine if machine is not None else used
        span = _rest(end.past(TODAY), scene)
        sure = signal in OF_SERVERS_ALONE or said_more or machine is not None or (span is not None and span.is_said)
        if span is not None and sure:
            return signal, span
    return None


def _signal_at(tail: Tail, scene: Scene) -> tuple[str, Tail] | None:
    """A signal that the settings name, by its words."""
    known = names_of(METRICS, scene.request.tools)
    for words, name in SIGNALS:
        after = tail.take(words)
        if after is not None and name in known:
            return name, after
    for name in sorted(known, key=len, reverse=True):
        after = tail.take(phrases(name.replace("_", " ")))
        if after is not None:
            return name, after
    return None


def _rest(tail: Tail, scene: Scene) -> Span | None:
    """The span of time that stands there to the end; the usual one where nothing does."""
    now = scene.now()
    if tail.done:
        return Span(now - USUAL)
    found = span_at(tail, now)
    return found[0] if found is not None and found[1].done else None


def _signals(scene: Scene) -> list[str]:
    known = names_of(METRICS, scene.request.tools)
    return [name for name in LOOKED_AT if name in known][:MOST_SIGNALS] or list(known[:MOST_SIGNALS])


def _plan(signals: list[str], scene: Scene, span: Span, *, logs: bool) -> PlannerOutput | None:
    since, before = _written(span.since), _before(span.before)
    steps: list[PlanStep] = []
    if scene.has(METRICS):
        titles = titles_of(METRICS, scene.request.tools)
        named = [(name, signal_of({"signal": name, "title": titles.get(name, "")}).name) for name in signals]
        steps += [calls.measure(name, title, since, **before) for name, title in named]
    if logs and scene.has(LOGS):
        known = titles_of(LOGS, scene.request.tools)
        trouble = sorted(known, key=lambda name: name not in TROUBLE)
        wanted = trouble[: MOST_LOGS if signals else 1]
        steps += [calls.read_logs(name, _title(known[name]), since, **before) for name in wanted]
    return calls.plan(*steps) if steps else None


def _title(title: str) -> str:
    return say(ERRORS_AND_WARNINGS) if title == ERRORS_AND_WARNINGS else title


def _written(at: datetime) -> str:
    """As the tools take it: the person's own time, to the minute."""
    return at.replace(tzinfo=None).isoformat(timespec="minutes")


def _before(before: datetime | None) -> dict[str, str]:
    return {"before": _written(before)} if before is not None else {}
