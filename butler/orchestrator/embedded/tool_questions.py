"""Questions about the tools themselves: `what can Trello do?`, `which providers are there for mail?`."""

from butler.contract.speech import say
from butler.contract.tool_envelope import Op
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.lexer import Phrases, Tail, phrases
from butler.orchestrator.embedded.scene import Scene
from butler.orchestrator.planning.plan_types import PlannerOutput

DESCRIBE = "bot_tools_describe"
_OWN = "[my|the|your|our]"
NAMES: tuple[tuple[Phrases, str], ...] = tuple(
    (phrases(f"{_OWN} ({words})"), channel)
    for channel, words in {
        "email": "mail|mails|email|emails|e-mail|mailbox|inbox|post|postfach|courrier|courriel|messagerie|correo|buzón",
        "calendar": "calendar|kalender|calendrier|agenda|calendario",
        "drive": "drive|google drive",
        "telegram": "telegram", "trello": "trello", "grafana": "grafana", "prometheus": "prometheus", "loki": "loki",
        "livekit": "livekit", "qdrant": "qdrant", "meilisearch": "meilisearch", "postgres": "postgres|supabase",
        "r2": "r2|cloudflare r2",
    }.items()
)  # fmt: skip
"""What has an account or a server, as people call it."""
_ASKED: tuple[tuple[Phrases, Phrases | None, Op], ...] = (
    (
        phrases("what can (you|i|we) do with", "how do i use", "how can i use", "help (with|for|on|about)"),
        None,
        Op.HELP,
    ),
    (phrases("what can", "what does"), phrases("do"), Op.HELP),
    (
        phrases("is", "are"),
        phrases("[still] (reachable|connected|signed in|set up|online|available|usable|working)"),
        Op.STATUS,
    ),
    (
        phrases("[can you|do you] [still] (reach|get to)", "are you [still] (connected|signed in) to"),
        None,
        Op.STATUS,
    ),
    (phrases("[list|show] [me] [the] (methods|provider methods) (of|for)"), None, Op.LIST_METHODS),
    (phrases("(which|what) methods (does|do)"), phrases("(have|use|offer)"), Op.LIST_METHODS),
    (
        phrases(
            "(which|what) providers (are there|do you have|do you use|do you know) for",
            "[list|show] [me] [the|all] providers (for|of)",
        ),
        None,
        Op.LIST_PROVIDERS,
    ),
)
"""How a question begins, how it ends behind a name, and what it asks."""
ALL_PROVIDERS = phrases(
    "(which|what) providers (are there|do you have|do you use|do you know)",
    "[list|show] [me] [the|all|all the] providers",
)


def tool_questions(tail: Tail, scene: Scene) -> PlannerOutput | None:
    """Read a question about tools; None where it is none. What has no name here is something else."""
    if not scene.has(DESCRIBE):
        return None
    bare = tail.bare()
    if (after := bare.take(ALL_PROVIDERS)) is not None and after.done:
        return _describe(Op.LIST_PROVIDERS, "")
    for opening, ending, op in _ASKED:
        if (named := bare.take(opening)) is None:
            continue
        for names, channel in NAMES:
            end = named.take(names)
            if end is not None and ending is not None:
                end = end.take(ending)
            if end is not None and end.done:
                return _describe(op, channel)
    return None


def _describe(op: Op, about: str) -> PlannerOutput:
    what = {
        Op.HELP: say("Say what it can do"),
        Op.STATUS: say("See whether it can be used"),
        Op.LIST_METHODS: say("List its methods"),
        Op.LIST_PROVIDERS: say("List the providers"),
    }
    return calls.plan(calls.call(DESCRIBE, what[op], op=op.value, about=about))
