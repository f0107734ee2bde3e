"""Builds requests to the owner's own servers: a search index, collections, a database, a storage of files.

Queries are the owner's own words, letter for letter.
"""

import re

from butler.contract.referents import ReferentKind
from butler.contract.speech import phrase, say
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.asking import Asking, choice
from butler.orchestrator.planning.plan_types import PlannerOutput
from butler.orchestrator.understanding.said import Builder, Said, bare
from butler.orchestrator.understanding.things.refs import one_of

INDEX, POINTS, CREATE = "bot_meilisearch_search", "bot_qdrant_search", "bot_qdrant_create_collection"
ROWS, GET, PUT = "bot_postgres_query", "bot_r2_get_object", "bot_r2_put_object"
SQL = re.compile(
    r"select\s.+|with\s+(recursive\s+)?[\w\"]+\s*(\([^)]*\)\s*)?as\s.+|values\s*\(.+", re.IGNORECASE | re.DOTALL
)
MOST_MINUTES = 7 * 24 * 60
"""The longest life of a link in storages of this kind, in minutes."""
WHAT_TO_SEARCH = phrase("What shall I search for?")
WHICH_COLLECTION = phrase("What shall the collection be called?")
WHAT_TO_ASK = phrase("Say the query in SQL, like “run SELECT count(*) FROM orders”.")
WHICH_KEY = phrase("Which file do you mean? Say its name with its folder, like “papers/contract.pdf”.")
WHICH_FILE = phrase("I don't know which file you mean. Send it to me here, or reply to it.")


def search_index(said: Said) -> PlannerOutput:
    """`search the index for [boiler invoice](query)`."""
    said.need(INDEX)
    return calls.plan(calls.call(INDEX, say("Search your index"), query=_query(said)))


def search_collection(said: Said) -> PlannerOutput:
    """`search the collection [notes](value) for [the boiler](query)`."""
    said.need(POINTS)
    named = {"collection": bare(said.words("value"))} if said.has("value") else {}
    return calls.plan(calls.call(POINTS, say("Search by meaning"), text=_query(said), **named))


def create_collection(said: Said) -> PlannerOutput:
    """`make a collection [recipes](value)`."""
    said.need(CREATE)
    name = bare(said.words("value") or said.words("title"))
    if not name:
        raise Asking(say(WHICH_COLLECTION))
    return calls.plan(calls.call(CREATE, say("Make the collection {name}", name=name), collection=name))


def query(said: Said) -> PlannerOutput:
    """`run [SELECT count(*) FROM orders](text)`."""
    said.need(ROWS)
    sql = said.words("text").strip() or said.words("query").strip()
    if SQL.fullmatch(sql) is None:
        raise Asking(say(WHAT_TO_ASK))
    return calls.plan(calls.call(ROWS, say("Ask your database"), sql=sql))


def fetch(said: Said) -> PlannerOutput:
    """`get [papers/contract.pdf](topic) out of my bucket`; a named duration is the life of the link."""
    said.need(GET)
    key = bare(said.words("topic") or said.words("value") or said.words("title"))
    if not key:
        raise Asking(say(WHICH_KEY))
    minutes = said.minutes("duration") or 0
    if minutes > MOST_MINUTES:
        raise Asking(
            say("A link holds for a week at most."), [choice(say("For a week"), said.again("duration", "7 d"))]
        )
    args = {"key": key, "link_only": True} | ({"link_minutes": minutes} if minutes else {})
    return calls.plan(calls.call(GET, say("Fetch {name} from your storage", name=key), **args))


def put(said: Said) -> PlannerOutput:
    """`put [this file](ref) into the bucket as [reports/march.pdf](value)`."""
    said.need(PUT)
    kinds = frozenset({ReferentKind.FILE})
    if not any(one.kind in kinds for one in (*said.scene.request.referents, *said.scene.request.replied_to)):
        raise Asking(say(WHICH_FILE))
    found = one_of(said, kinds)
    if found is None:
        raise Asking(say(WHICH_FILE))
    if found.tool.startswith(("user_drive", "bot_files")):
        raise Asking(say("I can only put a file there that you sent me here, or that came with a mail."))
    key = bare(said.words("value") or said.words("title"))
    args = {"file": {"handle": found.handle}} | ({"key": key} if key else {})
    return calls.plan(calls.call(PUT, say("Put the file into your storage"), **args))


def _query(said: Said) -> str:
    words = bare(said.words("query") or said.words("topic"))
    if not words:
        raise Asking(say(WHAT_TO_SEARCH))
    return words


BUILDERS: dict[str, Builder] = {
    "index.search": search_index, "collection.search": search_collection, "collection.create": create_collection,
    "database.query": query, "storage.get": fetch, "storage.put": put,
}  # fmt: skip
