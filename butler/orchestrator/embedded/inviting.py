"""Answering an invitation, and leaving a list: `accept the invitation`, `decline it`, `unsubscribe me from this`."""

from butler.contract.referents import ReferentKind
from butler.contract.speech import say
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.embedded.items import NO_MAIL, Spoken, find, item_at, side_of
from butler.orchestrator.embedded.lexer import Phrases, Tail, phrases
from butler.orchestrator.embedded.scene import Scene, not_set_up
from butler.orchestrator.planning.plan_types import PlannerOutput
from butler.store.conversation import Referent

ANSWER = "user_email_answer_invite"
RESPONSES = (
    (phrases("(accept|confirm)", "say (yes|yeah) to", "answer yes to"), "accept"),
    (phrases("(decline|refuse|reject)", "turn down", "say no to", "answer no to"), "decline"),
    (phrases("say maybe to", "answer maybe to", "tentatively accept", "(answer|reply) [with] maybe to"), "tentative"),
)
INVITATION = phrases("[the|this|that|my] (invitation|invite|meeting|event) [request]")
LEAVE = phrases(
    "unsubscribe [me|us] [from]", "(get|take|remove) me (off|from)", "sign me off from", "stop (getting|receiving)",
    "i don't want (to get|to receive|any more of)",
)  # fmt: skip
LIST = phrases("(this|that|the) (list|newsletter|mailing list|mailing|letter|sender)", "these (mails|emails|letters)")


def invite(tail: Tail, scene: Scene) -> PlannerOutput | None:
    """Read an answer to an invitation; None where it is none."""
    bare = tail.bare()
    for options, response in RESPONSES:
        start = bare.take(options)
        found = _pointed(start, scene, INVITATION) if start else None
        if found is not None:
            verb = {"accept": "accept", "decline": "decline", "tentative": "say maybe to"}[response]
            mail = _mail(found, scene, verb, ANSWER)
            if side_of(mail) != "user":
                raise Asking(say("I can answer only an invitation in your own mailbox."))
            return calls.plan(calls.answer_invite(mail.handle, response))
    return None


def leave_list(tail: Tail, scene: Scene) -> PlannerOutput | None:
    """Read a request to unsubscribe; None where it is none."""
    bare = tail.bare()
    start = bare.take(LEAVE)
    if start is None:
        return None
    found = _pointed(start, scene, LIST)
    if found is None:
        if bare.word() != "unsubscribe":
            return None
        if not start.done or not scene.request.replied_to:
            raise Asking(
                say("From which list? Show me one of its mails first, then say “unsubscribe from the second one”.")
            )
        found = Spoken()
    mail = _mail(found, scene, "unsubscribe from", "user_email_unsubscribe")
    tool = f"{side_of(mail)}_email_unsubscribe"
    if not scene.has(tool):
        raise Asking(not_set_up(tool))
    return calls.plan(calls.unsubscribe(tool, mail.handle))


def _pointed(tail: Tail, scene: Scene, noun: Phrases) -> Spoken | None:
    """The item that stands here to the end, or a noun that means what is at issue."""
    after = tail.take(noun)
    if after is not None and after.done:
        return Spoken(kind=ReferentKind.MAIL)
    found = item_at(tail, scene)
    return found[0] if found and found[1].done else None


def _mail(spoken: Spoken, scene: Scene, verb: str, tool: str) -> Referent:
    if not scene.has(tool):
        raise Asking(not_set_up(tool))
    mail = find(spoken, scene, lambda name: f"{verb} {name}")
    if mail is None or mail.kind is not ReferentKind.MAIL:
        raise Asking(say(NO_MAIL))
    return mail
