"""Files into the owner's storage: `put this file into the storage`, `store it in the bucket as reports/march.pdf`.

Only where such a storage is set up; what is put there is a file that was sent here or came with a mail.
"""

from dataclasses import replace

from butler.contract.referents import ReferentKind
from butler.contract.speech import phrase, say
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.embedded.items import find, item_at
from butler.orchestrator.embedded.lexer import Tail, phrases
from butler.orchestrator.embedded.scene import Scene
from butler.orchestrator.embedded.things import DOCUMENTS, shown
from butler.orchestrator.planning.plan_types import Planned, PlannerOutput

FILE = "bot_r2_put_object"
PUT = phrases("(put|store|save|upload|copy|keep|place|archive)")
STORAGE = "(the|my|our) [r2|file|cloud] (storage|bucket)"
INTO = phrases(f"(into|in|to|on) {STORAGE}", "(into|in|to|on) r2")
AS = phrases("(as|under|called|named)", "(under|with|by) the name")
WHICH = phrase("I don't know which file you mean. Send it to me here, or reply to it.")
NOT_SENT = phrase("I can only put a file there that you sent me here, or that came with a mail.")
QUOTES = '"“”„«» '


def store(tail: Tail, scene: Scene) -> PlannerOutput | None:
    """Read a request to put a file into the storage; None where it is none."""
    start = tail.bare().take(PUT)
    if start is None or not scene.has(FILE) or start.find(INTO) is None:
        return None
    item = item_at(start, scene)
    if item is None:
        return None
    key = _key(item[1])
    if key is None:
        return None
    said = replace(item[0], kind=item[0].kind or ReferentKind.FILE)
    words = f' as "{key}"' if key else ""
    if not any(one.kind is ReferentKind.FILE for one in (*scene.request.referents, *scene.request.replied_to)):
        raise Asking(say(WHICH))
    referent = find(said, scene, lambda name: f"put {name} into the storage{words}", frozenset({ReferentKind.FILE}))
    thing = shown(referent) if referent is not None else None
    if thing is None or thing.tool != DOCUMENTS:
        raise Asking(say(NOT_SENT))
    return _put(thing.value, key)


def _key(rest: Tail) -> str | None:
    """What it is to be called there, said before or after where it goes; empty where nothing is said."""
    into = rest.take(INTO)
    if into is not None:
        named = into.take(AS)
        return "" if into.done else named.text.strip(QUOTES) if named is not None and not named.done else None
    named = rest.take(AS)
    found = named.find(INTO) if named is not None else None
    if found is None or found[0].done or not found[1].done:
        return None
    return found[0].text.strip(QUOTES)


def _put(file: str | calls.Reference, key: str) -> Planned:
    what = say("Put the file into your storage")
    return calls.plan(calls.call(FILE, what, file=file, **({"key": key} if key else {})))
