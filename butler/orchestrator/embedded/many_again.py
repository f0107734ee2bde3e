"""The last request for many mails of a conversation, gone on from where no card of it waits any more.

It is made whole out of what the owner said, and comes to a card of its own.
"""

from dataclasses import replace

from butler.contract.provenance import Trust
from butler.contract.speech import phrase, say
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.embedded.lexer import Tail, lex
from butler.orchestrator.embedded.manners import without_manners
from butler.orchestrator.embedded.many import WHICH, Bulk, bulk_of, plan_of
from butler.orchestrator.embedded.many_acts import NAMED, same_mails
from butler.orchestrator.embedded.many_more import More, more_of
from butler.orchestrator.embedded.many_wanted import Wanted
from butler.orchestrator.embedded.scene import Scene
from butler.orchestrator.planning.plan_types import PlannerOutput, Unclear

MOST = 12
"""Messages of the owner that are looked through."""
OF_WHAT = phrase("What is that about? Say it whole, like “archive all newsletters from hostinger and Amazon”.")


def more_of_the_same(scene: Scene) -> PlannerOutput | None:
    """The request of before with what is said of it now; None where the words go on from none."""
    try:
        more = more_of(lex(scene.request.words.value), scene)
        if more is None:
            return None
        found, at_once = _last(scene)
        if not (more.certain or at_once):
            return None
        return plan_of(_changed(found, more), scene) if found else Unclear(say(OF_WHAT))
    except Asking as asking:
        return asking.unclear


def _last(scene: Scene) -> tuple[Bulk | None, bool]:
    """The last request for many mails as it was left, and whether the owner has spoken of nothing else since."""
    since: list[More] = []
    said = [one for one in reversed(scene.request.history) if one.role == "user"][:MOST]
    at_once = True
    for message in said:
        if not message.origins or any(origin.trust is not Trust.OWNER for origin in message.origins):
            return None, False
        words = lex(message.content)
        found, more = _bulk(words, scene), _more_said(words, scene)
        if found is not None:
            for one in reversed(since):
                found = _left(found, one)
            return found, at_once
        if more is not None:
            since.append(more)
        else:
            at_once = False
    return None, False


def _bulk(words: Tail, scene: Scene) -> Bulk | None:
    try:
        return bulk_of(without_manners(words, scene.request.butler_name), scene)
    except Asking:
        return None


def _more_said(words: Tail, scene: Scene) -> More | None:
    try:
        return more_of(words, scene)
    except Asking:
        return None


def _left(bulk: Bulk, more: More) -> Bulk:
    """The request after words that were said of it before; what was asked about then has changed nothing."""
    try:
        return _changed(bulk, more)
    except Asking:
        return bulk


def _changed(bulk: Bulk, more: More) -> Bulk:
    changed = more.changed(bulk.args, bulk.act.action)
    if (name := NAMED.get(bulk.act.action, "")) in changed:
        return Bulk(replace(bulk.act, name=changed[name]), bulk.wanted)
    if more.act is None or more.act.action == bulk.act.action:
        return Bulk(bulk.act, Wanted.of({**bulk.args, **changed}))
    if (besides := same_mails(bulk.act.action, bulk.args)) is None:
        raise Asking(say(WHICH))
    return Bulk(more.act, Wanted.of({**bulk.args, **changed, **besides}))
