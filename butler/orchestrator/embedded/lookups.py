"""Looks into the person's own servers: `search the index for boiler`, `show me the dashboard Home`, `run SELECT ...`.

Only where such a server is set up; what is asked there are the owner's own words, letter for letter.
"""

import re

from butler.contract.speech import say
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.lexer import QUOTES as OPENING
from butler.orchestrator.embedded.lexer import Tail, phrases, word_set
from butler.orchestrator.embedded.scene import Scene
from butler.orchestrator.planning.plan_types import PlannerOutput

INDEX, POINTS = "bot_meilisearch_search", "bot_qdrant_search"
DASHBOARD, ROWS, FILE = "bot_grafana_query_dashboard", "bot_postgres_query", "bot_r2_get_object"
SEARCH = phrases("(search|look) [in|through|into] [the|my|our]")
AN_INDEX = phrases("(wiki|index|search index|document index|documents index|wiki index|meilisearch) for")
QDRANT, COLLECTION, FOR = phrases("qdrant for"), phrases("[qdrant] collection"), phrases("for")
TAKE_TEXTS = "Collections that take texts: "
"""What stands in the tool's description before the names of the collections."""
LIST_DASHBOARDS = phrases(
    "(show|list|see|which|what) [me] [the|my|all|all my] [grafana] dashboards [are there|do i have]"
)
OPEN = phrases("(show|open|see|read|look at|display|what does) [me] [the|my]")
A_DASHBOARD, SAYS = phrases("[grafana] dashboard [called|named]"), phrases("(say|says|show|shows)")
RUN = phrases(
    "(run|execute|query) [the|this|my] (query|sql|statement) [:]", "(run|execute) [:]",
    "(query|ask) (the|my|our) (database|postgres|db) [:|for|with]",
)  # fmt: skip
SQL = re.compile(
    r"select\s.+|with\s+(recursive\s+)?[\w\"]+\s*(\([^)]*\)\s*)?as\s.+|values\s*\(.+", re.IGNORECASE | re.DOTALL
)
GET = phrases("(get|fetch|download|give me|bring|get me|fetch me) [the] [file]")
FROM_STORAGE = phrases("(from|out of|in) (the|my|our) (storage|bucket|r2|file storage|cloud storage)")
NO_NAME = word_set(
    "mail mails email emails message messages file files page pages note notes chat chats card cards board boards "
    "event events meeting meetings about on of from for with by in to that which and or it"
)
"""Words that stand in no dashboard's name: where they do, something else is asked for."""
QUOTES = '"“”„«» '


def lookup(tail: Tail, scene: Scene) -> PlannerOutput | None:
    """Read a request to look something up on a server of the owner's; None where it is none."""
    bare = tail.bare()
    return _searched(bare, scene) or _dashboard(bare, scene) or _rows(tail, scene) or _file(bare, scene)


def _searched(bare: Tail, scene: Scene) -> PlannerOutput | None:
    start = bare.take(SEARCH)
    if start is None:
        return None
    words = start.take(AN_INDEX)
    if words is not None and not words.done and scene.has(INDEX):
        return calls.plan(calls.call(INDEX, say("Search your index"), query=words.text.strip(QUOTES)))
    if not scene.has(POINTS):
        return None
    words = start.take(QDRANT)
    if words is not None and not words.done:
        return calls.plan(calls.call(POINTS, say("Search by meaning"), text=words.text.strip(QUOTES)))
    named = start.take(COLLECTION)
    name, after = (named.written(), named.skip()) if named is not None else (start.written(), start.skip())
    behind = after if named is not None else after.take(COLLECTION)
    words = behind.take(FOR) if behind is not None else None
    of_qdrant = start.word() == "qdrant" or start.word(1) == "qdrant"
    if words is None or words.done or not (of_qdrant or name.strip(QUOTES) in _collections(scene)):
        return None
    args = {"collection": name.strip(QUOTES), "text": words.text.strip(QUOTES)}
    return calls.plan(calls.call(POINTS, say("Search by meaning"), **args))


def _collections(scene: Scene) -> list[str]:
    """Those that the settings name; people have collections of other things as well."""
    spec = next((spec for spec in scene.request.tools if spec.tool_name == POINTS), None)
    listed = spec.description.partition(TAKE_TEXTS)[2] if spec is not None else ""
    return listed.strip().removesuffix(".").split(", ")


def _dashboard(bare: Tail, scene: Scene) -> PlannerOutput | None:
    if not scene.has(DASHBOARD):
        return None
    listed = bare.take(LIST_DASHBOARDS)
    if listed is not None and listed.done:
        return calls.plan(calls.call(DASHBOARD, say("List your dashboards")))
    name = dashboard_named(bare)
    if not name:
        return None
    return calls.plan(calls.call(DASHBOARD, say("Read the dashboard {name}", name=name), dashboard=name))


def dashboard_named(bare: Tail) -> str:
    """The title of the dashboard that is to be shown; empty where none is."""
    start = bare.take(OPEN)
    if start is None:
        return ""
    named = start.take(A_DASHBOARD)
    if named is None:
        found = start.find(A_DASHBOARD)
        if found is None or found[0].done or not found[1].past(SAYS).done:
            return ""
        words = found[0]
    else:
        ended = named.find(SAYS)
        words = ended[0] if ended is not None and ended[1].done else named
    return words.text.strip(QUOTES) if _is_name(words) else ""


def _is_name(words: Tail) -> bool:
    """Whether these words name a dashboard. In quotes anything does."""
    return words.word() in OPENING or not any(words.word(n) in NO_NAME for n in range(words.end - words.at))


def _rows(tail: Tail, scene: Scene) -> PlannerOutput | None:
    start = tail.take(RUN)
    if start is None or not scene.has(ROWS) or SQL.fullmatch(start.text) is None:
        return None
    return calls.plan(calls.call(ROWS, say("Ask your database"), sql=start.text))


def _file(bare: Tail, scene: Scene) -> PlannerOutput | None:
    start = bare.take(GET)
    found = start.find(FROM_STORAGE) if start is not None and scene.has(FILE) else None
    if found is None or found[0].done or not found[1].done:
        return None
    key = found[0].text.strip(QUOTES)
    called = start is not None and bare.until(start).text.casefold().endswith("file")
    if not key or not (called or {".", "/"} & set(key) or found[0].word() in OPENING):
        return None
    return calls.plan(calls.call(FILE, say("Fetch {name} from your storage", name=key), key=key, link_only=True))
