"""Questions about a server: `why is the server slow?`, `how full is the disk?`, `errors in the logs since 9`.

What is measured and what is logged has names in the settings; only those that there are, are looked at.
"""

from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.embedded.lexer import Phrases, Tail, phrases
from butler.orchestrator.embedded.scene import Scene, missing
from butler.orchestrator.embedded.server_logs import asked_of_logs, says_logs
from butler.orchestrator.embedded.server_looks import LOGS, METRICS, OF, SERVER, TODAY, look, span_of
from butler.orchestrator.embedded.spans import Span
from butler.orchestrator.planning.plan_types import PlannerOutput
from butler.orchestrator.servers.named_signals import names_of

MOST_SIGNALS = 7
COMPUTER = phrases("[my|the|our] (machine|host|box)")
"""What may be anything, unless what is said of it is said of computers alone."""
LOOKED_AT = ("cpu", "load", "memory", "disk", "disk_io", "latency", "errors", "swap", "temperature", "down")
"""Of a server as a whole, in order."""
WHY = phrases("why (is|are)", "why's", "how come")
SLOW = phrases(
    "[so|that|being|running|getting|always|still|again|is] [so|very|really] (slow|sluggish|laggy|hot|busy|loud)",
    "[so|that|being|running|getting|always|still|again|is] (unresponsive|overloaded|struggling|under load)",
)  # fmt: skip
SLOW_COMPUTER = phrases(
    "[so|that|running|getting|still|again] [so|very|really] (slow|sluggish|laggy|unresponsive|overloaded|under load)"
)
HOW_BUSY = phrases("how (busy|loaded|slow|fast|healthy|hot|loud) (is|are)")
HAPPENED = phrases(
    "what (happened|went wrong|was wrong|broke|was going on|is happening|was happening) (on|with|to|at|in)"
)
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
DOES, USE_IT = phrases("(does|do|is|has|did)"), phrases("(use|using|used|need|take|have|got) [left|free]")
HOW_IS = phrases("(how is|how's|how was|how are) [the|my]")
HOW_FULL = phrases("how (full|high|busy|low|heavy|large|big|hot|slow|loaded|fast) (is|are|was) [the|my]", "how high is")
USE = phrases("(usage|use|utilisation|utilization|consumption|level|graph|chart|curve|load|space|values|history)")
SIGNALS: tuple[tuple[Phrases, str], ...] = (
    (phrases("(disk|disc) (activity|io|i/o|business|traffic)"), "disk_io"),
    (phrases("[hard] (disk|disks|disc) [space]", "(hard drive|hard drives|ssd|filesystem|disk space)"), "disk"),
    (phrases("(cpu|processor|cpus|processors)"), "cpu"),
    (phrases("(memory|ram)"), "memory"),
    (phrases("[server|system] load", "load average"), "load"),
    (phrases("swap"), "swap"),
    (phrases("(network|server|internet) traffic", "[network] bandwidth", "network"), "network"),
    (phrases("(latency|response time|response times)"), "latency"),
    (phrases("(error rate|failed requests)"), "errors"),
    (phrases("[server|cpu] (temperature|temperatures)"), "temperature"),
)
BUILT_IN = frozenset(name for _, name in SIGNALS)
SOMEBODYS = phrases("my (load|swap)")
"""What people have as well: work, and a change of shifts."""
OF_SERVERS_ALONE = frozenset({"cpu", "disk_io", "load", "swap", "latency"})
"""Words that mean nothing else; of the others it has to be said that a server is meant."""
QUESTIONS: tuple[tuple[Phrases, Phrases, Phrases | None], ...] = (
    (WHY, SERVER, SLOW), (WHY, COMPUTER, SLOW_COMPUTER), (IS, SERVER, FINE), (IS, SERVER, SLOW),
    (IS, COMPUTER, SLOW_COMPUTER), (HOW, SERVER, None), (HOW_BUSY, SERVER, None), (WRONG, SERVER, None),
    (HAPPENED, SERVER, None), (CHECK, SERVER, None),
)  # fmt: skip
"""How a question about a whole server begins, what is asked about, and how it has to end."""


def servers(tail: Tail, scene: Scene) -> PlannerOutput | None:
    """Read a question about how a server is; None where it is none."""
    bare = tail.bare()
    if scene.has(LOGS) and (asked := asked_of_logs(bare, scene)) is not None:
        return asked
    if not scene.has(LOGS) and says_logs(bare, scene):
        return _none(scene)
    if (span := _whole(bare, scene)) is not None:
        if not scene.has(METRICS) and not scene.has(LOGS):
            return _none(scene) if bare.find(SERVER) is not None else None
        return look(_signals(scene), scene, span, logs=True)
    if not scene.has(METRICS):
        return None
    measured = _one(bare, scene)
    return look([measured[0]], scene, measured[1], logs=False) if measured is not None else None


def _none(scene: Scene) -> PlannerOutput | None:
    if scene.has(METRICS) or scene.has(LOGS):
        return None
    raise Asking(missing(METRICS, scene))


def _whole(bare: Tail, scene: Scene) -> Span | None:
    """The span of time of a question about a server as a whole."""
    for opening, machine, ending in QUESTIONS:
        start = bare.take(opening)
        after = start.take(machine) if start is not None else None
        if after is None:
            continue
        end = after.take(ending) if ending is not None else after.past(DOING)
        if end is not None and (span := span_of(end.past(TODAY), scene)) is not None:
            return span
    for machine, slow in ((SERVER, SLOW), (COMPUTER, SLOW_COMPUTER)):
        verb = after.take(IS_SLOW) if (after := bare.take(machine)) is not None else None
        if verb is not None and (end := verb.take(slow)) is not None:
            return span_of(end.past(TODAY), scene)
    status = after.take(STATUS_OF) if (after := bare.take(SERVER)) is not None else None
    return span_of(status.past(TODAY), scene) if status is not None else None


def _one(bare: Tail, scene: Scene) -> tuple[str, Span] | None:
    """One signal, and over which span of time."""
    for opening, endings in ((HOW_MUCH, LEFT), (HOW_FULL, None), (SHOW, None)):
        start = bare.take(opening)
        here = start if start is not None else bare if opening is SHOW else None
        found = _signal_at(here, scene) if here is not None else None
        if found is None:
            continue
        signal, after = found
        used = _by_a_server(after) if opening is HOW_MUCH else None
        used = used if used is not None else after.past(USE)
        said_more = used.at > after.at or opening is not SHOW
        if endings is not None:
            used = used.past(endings)
        place = used.take(OF)
        machine = (place.take(SERVER) or place.take(COMPUTER)) if place is not None else None
        end = machine if machine is not None else used
        span = span_of(end.past(TODAY), scene)
        if end.at == after.at and (own := bare.find(SOMEBODYS)) is not None and own[1].at == after.at:
            continue
        said_more = said_more or (signal not in BUILT_IN and bare.take(HOW_IS) is not None)
        named = place is not None and place.take(SERVER) is not None
        sure = signal in OF_SERVERS_ALONE or said_more or named or (span is not None and span.is_said)
        if span is not None and sure:
            return signal, span
    return None


def _by_a_server(after: Tail) -> Tail | None:
    """What follows `does the server use`."""
    does = after.take(DOES)
    whose = does.take(SERVER) if does is not None else None
    return whose.take(USE_IT) if whose is not None else None


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


def _signals(scene: Scene) -> list[str]:
    known = names_of(METRICS, scene.request.tools)
    return [name for name in LOOKED_AT if name in known][:MOST_SIGNALS] or list(known[:MOST_SIGNALS])
