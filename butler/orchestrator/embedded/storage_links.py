"""Links to files in the owner's storage: `a link to papers/contract.pdf for two days`."""

from butler.contract.speech import say
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.asking import Asking, choice
from butler.orchestrator.embedded.lexer import Tail, phrases
from butler.orchestrator.embedded.lookups import FILE, FROM_STORAGE, QUOTES
from butler.orchestrator.embedded.numbers import count
from butler.orchestrator.embedded.scene import Scene
from butler.orchestrator.embedded.spans import UNITS
from butler.orchestrator.planning.plan_types import PlannerOutput

LINK = phrases("[give me|get me|make|make me|create|i need|show me] (a|the) link to [the] [file]")
FOR = phrases("for", "(that|which) (holds|works|lasts) [for]")
MOST_MINUTES = 7 * 24 * 60
"""That storages of this kind let a link hold."""


def storage_link(tail: Tail, scene: Scene) -> PlannerOutput | None:
    """Read a request for a link to a file in the storage; None where it is none."""
    start = tail.bare().take(LINK)
    if start is None or not scene.has(FILE):
        return None
    minutes, words = _minutes(start)
    stored = words.find(FROM_STORAGE)
    said = stored is not None and stored[1].done
    name = stored[0] if stored is not None and said else words
    key = name.text.strip(QUOTES)
    if not _is_key(key, said=said):
        return None
    if minutes > MOST_MINUTES:
        again = choice(say("For a week"), f'a link to "{key}" in my storage for one week')
        raise Asking(say("A link holds for a week at most."), [again])
    args = {"key": key, "link_only": True} | ({"link_minutes": minutes} if minutes else {})
    return calls.plan(calls.call(FILE, say("Fetch {name} from your storage", name=key), **args))


def _is_key(key: str, *, said: bool) -> bool:
    """Whether it is called as a file in a storage is; `said` where the storage was named."""
    like_a_path = "/" in key and "." in key.rpartition("/")[2]
    return "://" not in key and " " not in key and (like_a_path or (said and "." in key))


def _minutes(start: Tail) -> tuple[int, Tail]:
    """How long a link shall hold, and the words before that; 0 where it is not said."""
    found = start.find(FOR)
    if found is None:
        return 0, start
    number, each = count(found[1].word()), UNITS.get(found[1].word(1))
    if not number or each is None or not found[1].skip(2).done:
        return 0, start
    return round(each.total_seconds() / 60) * number, found[0]
