"""Opening one mail, message or document that was shown (`read the second one`), or the newest (`read my last mail`)."""

from butler.contract.referents import ReferentKind
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.embedded.chatting import DID, IN_MAIL, WROTE
from butler.orchestrator.embedded.consulting import read_shown
from butler.orchestrator.embedded.items import HANDLE, READABLE, Spoken, find, item_at
from butler.orchestrator.embedded.lexer import Tail, phrases
from butler.orchestrator.embedded.numbers import place
from butler.orchestrator.embedded.people import person_at
from butler.orchestrator.embedded.scene import Scene, not_set_up
from butler.orchestrator.embedded.searching import Search, look
from butler.orchestrator.planning.plan_types import Planned, PlannerOutput

READ = phrases(
    "(read|open|show|display|see|get|give|bring) [me] [out|up]",
    "what does",
    "what is in",
    "what's in",
    "let me (see|read|have)",
)
THE = phrases("the")
SAYS = phrases("(say|says)", "in full", "whole", "completely", "to me")


def newest(spoken: Spoken, scene: Scene) -> Planned:
    """The steps that look for the newest mail of a mailbox, or the newest by somebody, and read it."""
    for tool in (f"{spoken.box}_email_search_inbox", f"{spoken.box}_email_read_message"):
        if not scene.has(tool):
            raise Asking(not_set_up(tool))
    return calls.read_found(look(Search(side=spoken.box, person=spoken.person, limit=1), scene), spoken.box)


def _by_mail(tail: Tail, scene: Scene) -> PlannerOutput | None:
    """`what did Bob write in his latest mail?`."""
    start = tail.take(DID)
    found = person_at(start, scene) if start else None
    after = found[1].take(WROTE) if found else None
    end = after.take(IN_MAIL) if after else None
    if found is None or end is None or not end.done:
        return None
    spoken = Spoken(newest=True, person=found[0], kind=ReferentKind.MAIL)
    referent = find(spoken, scene, lambda name: f"read {name}")
    return read_shown(referent, scene) if referent else look(Search(person=found[0], limit=1), scene)


def read(tail: Tail, scene: Scene) -> PlannerOutput | None:
    """Read a request to see one shown mail; None where it is none."""
    start = tail.take(READ)
    if (asked := _by_mail(tail.bare(), scene)) is not None:
        return asked
    alone = HANDLE.fullmatch(tail.word()) or place(tail.past(THE).word())
    item = item_at(start or tail, scene) if start or alone else None
    if item is None or not item[1].past(SAYS).bare().done:
        return None
    spoken = item[0]
    if spoken.box:
        return newest(spoken, scene)
    referent = find(spoken, scene, lambda name: f"read {name}", READABLE)
    return read_shown(referent, scene) if referent else look(Search(person=spoken.person, limit=1), scene)
