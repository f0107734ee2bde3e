"""Taking back or putting right a message that was sent: `delete that`, `correct the last one: at seven`."""

from butler.contract.referents import ReferentKind
from butler.contract.speech import say
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.embedded.items import Spoken, find, item_at
from butler.orchestrator.embedded.lexer import Tail, phrases
from butler.orchestrator.embedded.replying import SAYING
from butler.orchestrator.embedded.say import content
from butler.orchestrator.embedded.scene import Scene, not_set_up
from butler.orchestrator.planning.plan_types import PlannerOutput
from butler.store.conversation import Referent

DELETE = phrases("(delete|unsend|retract)", "take back")
CORRECT = phrases("(correct|edit|change|amend)")
TO = phrases("to [:]", "to say [:]")
DELETING, EDITING = "user_telegram_delete_message", "user_telegram_edit_message"


def mend(tail: Tail, scene: Scene) -> PlannerOutput | None:
    """Read a request to delete or correct a shown message of the owner's; None where it is none."""
    if (start := tail.take(DELETE)) is not None:
        found = item_at(start, scene)
        if found is None or not found[1].bare().done:
            return None
        referent = _message(found[0], "delete", scene)
        return calls.plan(calls.delete_message(DELETING, referent.handle))
    start = tail.take(CORRECT)
    found = item_at(start, scene) if start else None
    after = (found[1].take(TO) or found[1].take(SAYING)) if found else None
    if found is None or after is None:
        return None
    text = content(after)
    if not text:
        raise Asking(say("What shall it say? Say it in one go, like “correct it: see you at eight”."))
    referent = _message(found[0], "correct", scene, f": {text}")
    return calls.plan(calls.edit_message(EDITING, referent.handle, text))


def _message(spoken: Spoken, verb: str, scene: Scene, more: str = "") -> Referent:
    tool = DELETING if verb == "delete" else EDITING
    if not scene.has(tool):
        raise Asking(not_set_up(tool))
    referent = find(spoken, scene, lambda name: f"{verb} {name}{more}")
    if referent is None or referent.kind is not ReferentKind.MESSAGE or not referent.tool.startswith("user_"):
        raise Asking(
            say("I can delete only your own messages on Telegram. Show me one first: “show me the family chat”.")
            if verb == "delete"
            else say("I can correct only your own messages on Telegram. Show me one first: “show me the family chat”.")
        )
    return referent
