"""Opening one mail or message: one that was shown (`read the second one`), or the newest (`read my last mail`)."""

from butler.contract.conversation import Referent, ReferentKind
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.embedded.items import Spoken, find, item_at, side_of
from butler.orchestrator.embedded.lexer import Tail, phrases
from butler.orchestrator.embedded.scene import Scene, not_set_up
from butler.orchestrator.embedded.searching import Search, look
from butler.orchestrator.planning import Planned, PlannerOutput

READ = phrases("(read|open|show|display) [me]", "what does", "what is in", "what's in", "let me (see|read)")
SAYS = phrases("say", "says")


def newest(spoken: Spoken, scene: Scene) -> Planned:
    """The steps that look for the newest mail of a mailbox, or the newest by somebody, and read it."""
    for tool in (f"{spoken.box}_email_search_inbox", f"{spoken.box}_email_read_message"):
        if not scene.has(tool):
            raise Asking(not_set_up(tool))
    return calls.read_found(look(Search(side=spoken.box, person=spoken.person, limit=1), scene), spoken.box)


def read(tail: Tail, scene: Scene) -> PlannerOutput | None:
    """Read a request to see one shown mail; None where it is none."""
    start = tail.take(READ)
    item = item_at(start, scene) if start else None
    if item is None or not item[1].past(SAYS).bare().done:
        return None
    spoken = item[0]
    if spoken.box:
        return newest(spoken, scene)
    referent = find(spoken, scene, lambda name: f"read {name}")
    if referent is None:
        return look(Search(person=spoken.person, limit=1), scene)
    side = side_of(referent)
    if referent.kind is not ReferentKind.MAIL:
        return _message(referent, side, scene)
    if not scene.has(f"{side}_email_read_message"):
        raise Asking(not_set_up(f"{side}_email_read_message"))
    return calls.plan(calls.read_mail(referent.handle, side))


def _message(referent: Referent, side: str, scene: Scene) -> Planned:
    """A shown message of the person's Telegram, whole, with its files."""
    if side == "bot":
        raise Asking("That is a message you have before you.")
    if referent.tool.endswith("_list_dialogs"):
        raise Asking("That is a conversation. Say it by its name, like “show me the family chat”.")
    tool = "user_telegram_read_message"
    if not scene.has(tool):
        raise Asking(not_set_up(tool))
    return calls.plan(calls.read_message(referent.handle))
