"""Conversations by mail: `my mail threads`, `show my conversations with Anna by mail`."""

from butler.contract.speech import say
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.accounts import account_at
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.embedded.chatting import SEE
from butler.orchestrator.embedded.draft import ask_which
from butler.orchestrator.embedded.lexer import Tail, phrases
from butler.orchestrator.embedded.people import Way, person_at
from butler.orchestrator.embedded.say import one_line
from butler.orchestrator.embedded.scene import Scene, not_set_up
from butler.orchestrator.planning.plan_types import PlannerOutput

THREADS = "user_email_list_threads"
MY = phrases("(my|the|all|all my)")
NOUN = phrases(
    "[open|latest|newest|recent] (mail|email|e-mail) (threads|conversations)", "[open|latest|newest|recent] threads"
)
CONVERSATIONS = phrases("[latest|newest|recent] conversations")
WITH, ABOUT = phrases("(with|from|by)"), phrases("(about|regarding|concerning)")
BY_MAIL = phrases("(by|via|in) [my] (mail|email|e-mail|mails|inbox)")


def threads(tail: Tail, scene: Scene) -> PlannerOutput | None:
    """Read a request to list conversations by mail; None where it is none."""
    bare = tail.bare()
    start = bare.past(SEE)
    account = account_at(start, scene)
    here = account[1] if account else start.past(MY)
    noun = here.take(NOUN) or here.take(CONVERSATIONS)
    if noun is None:
        return None
    filters = {"account": account[0]} if account else {}
    by_mail = here.take(NOUN) is not None
    whom = noun.take(WITH)
    if whom is not None:
        found = person_at(whom, scene)
        if found is None:
            return None
        person, noun = found
        if len(person.contacts) > 1:
            raise ask_which(person, (person,), scene, (Way.MAIL,), lambda name: f"my mail threads with {name}")
        address = person.address or next((a for c in person.contacts if (a := c.address(Way.MAIL))), "")
        filters["sender"] = address.removeprefix("mail:") or person.said
    after = noun.take(BY_MAIL)
    if (about := noun.take(ABOUT)) is not None and not about.done:
        filters["words"], after = one_line(about.text.strip('"“”„«» ')), about.skip(about.end - about.at)
    if not (after or noun).done or not (by_mail or after):
        return None
    if not scene.has(THREADS):
        raise Asking(not_set_up(THREADS))
    return calls.plan(calls.list_threads(say("Look for conversations in your mailbox"), **filters))
