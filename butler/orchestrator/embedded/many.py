"""Acts on mails, one or many: `archive it`, `archive all newsletters from hostinger older than a month`.

Which mails are meant has to be said: by what was shown, by whose they are, what they say, or how old they are. Nothing
is done on it before a card has shown how many there are.
"""

from dataclasses import dataclass, replace
from typing import Any

from butler.contract.referents import ReferentKind
from butler.contract.speech import phrase, say
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.accounts import sure_of_account
from butler.orchestrator.embedded.asking import Asking, choice
from butler.orchestrator.embedded.items import MAILS, Spoken, find, item_at, last_shown_kind
from butler.orchestrator.embedded.lexer import Tail, phrases
from butler.orchestrator.embedded.many_acts import DESCRIBED, Act, acts_at
from butler.orchestrator.embedded.many_filters import FROM, READ, UNREAD, read_filters
from butler.orchestrator.embedded.many_senders import addresses_of
from butler.orchestrator.embedded.many_wanted import Wanted
from butler.orchestrator.embedded.people import owner_of
from butler.orchestrator.embedded.scene import Scene, not_set_up
from butler.orchestrator.planning.plan_types import Planned, PlannerOutput

ALL = phrases("[only|just] [all|every|any] [of] [the|my]", "[only|just] (the|my|any|every|all)")
MAIL = phrases("(mails|emails|e-mails|mail|email|e-mail)")
NOUN = phrases("(mails|emails|e-mails|mail|email|e-mail)", "(everything|all|anything|stuff|those|ones|messages)")
OF_ANYTHING = phrases("(delete|remove|throw away|get rid of)")
"""Verbs for messages of a chat, notes and memories as well as for mails."""
NEWSLETTERS = phrases(
    "[the|my] (newsletters|promotions|promos|offers|ads)",
    "[the|my] (newsletter|promotion|marketing) (mails|emails|e-mails|mail|email)",
)
TABS = {"social": "social", "forum": "forums", "forums": "forums", "updates": "updates"}
MAILS_MEANT = phrase("Do you mean mails?")
YES_MAILS = phrase("Yes, mails")
WHICH = phrase("Which mails do you mean? Say whose, about what, or how old, like “archive all mails from Anna”.")
HERE = frozenset({"archive", "trash", "move"})
"""Acts on other things than mails, too: a chat's messages are deleted elsewhere."""


@dataclass(frozen=True, slots=True)
class Bulk:
    """An act on all mails of which something is said: the tool and its arguments."""

    act: Act
    wanted: Wanted

    @property
    def tool(self) -> str:
        """What does it."""
        return self.act.tool

    @property
    def args(self) -> dict[str, Any]:
        """What was said, and nothing else."""
        return {**self.wanted.args(), **self.act.named()}


def many(tail: Tail, scene: Scene) -> PlannerOutput | None:
    """Read a request to act on mails; None where it is none."""
    bare = tail.bare()
    for act in acts_at(bare, scene):
        one = None if act.after else item_at(act.rest, scene)
        if one is not None and one[1].done:
            return _shown(act, one[0], scene)
        if (bulk := _bulk(act, bare, scene)) is not None:
            return plan_of(bulk, scene)
    return None


def bulk_of(tail: Tail, scene: Scene) -> Bulk | None:
    """Read a request to act on all mails of which something is said, such as `archive all newsletters from hostinger`.

    None where it is none, or not from the first to the last word. Raises `Asking` where something is left open.
    """
    bare = tail.bare()
    found = (_bulk(act, bare, scene) for act in acts_at(bare, scene))
    return next((bulk for bulk in found if bulk is not None), None)


def plan_of(bulk: Bulk, scene: Scene) -> Planned:
    """The one step that asks for it. Raises `Asking` where it cannot be done."""
    return _plan(bulk.act, scene, **bulk.args)


def _bulk(act: Act, bare: Tail, scene: Scene) -> Bulk | None:
    begun = _begun(act.rest, scene)
    wanted = read_filters(begun[0], begun[1], scene) if begun else None
    if wanted is not None and act.after is not None:
        wanted = read_filters(wanted, act.after, scene)
    if begun is None or wanted is None:
        return None
    wanted = replace(wanted, inbox=wanted.inbox or act.inbox)
    if not wanted.says_which():
        raise Asking(say(WHICH))
    if bare.take(OF_ANYTHING) and not (_names_mail(act.rest) or _mailbox_meant(wanted) or _mails_shown(scene)):
        raise Asking(say(MAILS_MEANT), [choice(say(YES_MAILS), _of_mails(*begun))])
    return Bulk(act, wanted)


def _mailbox_meant(wanted: Wanted) -> bool:
    return bool(wanted.inbox or wanted.account)


def _shown(act: Act, said: Spoken, scene: Scene) -> PlannerOutput | None:
    """What was shown and is spoken of; what is not called a mail may be a message of a chat."""
    if act.action in HERE and said.kind is None and not _mails_shown(scene):
        return None
    referent = find(said, scene, act.again, frozenset({ReferentKind.MAIL}))
    if referent is None and said.person is not None and said.kind is ReferentKind.MAIL:
        name = said.person.said
        question = say("I have not shown you a mail by {name} yet. Shall I look for one?", name=name)
        raise Asking(question, [choice(say("Look for mails from {name}", name=name), f"any mail from {name}?")])
    return _plan(act, scene, mails=[{"handle": referent.handle}], **act.named()) if referent else None


def _mails_shown(scene: Scene) -> bool:
    """Whether what was replied to, or else shown last, is a mail; files come with one."""
    return last_shown_kind(scene) is ReferentKind.MAIL


def _names_mail(rest: Tail) -> bool:
    here = rest.past(ALL).past(UNREAD).past(READ)
    return any(here.take(noun) for noun in (MAIL, NEWSLETTERS)) or here.word() in TABS or "'s" in here.word()


def _of_mails(wanted: Wanted, after: Tail) -> str:
    """The same, said of mails; `wanted` is what comes before the noun."""
    which = {None: "", True: "unread ", False: "read "}[wanted.unread]
    return f"trash all {which}mails {after.text}"


def _begun(rest: Tail, scene: Scene) -> tuple[Wanted, Tail] | None:
    """`all unread mails`, and what follows; None where something else stands there."""
    wanted, here = Wanted(), rest.past(ALL)
    if (after := here.take(UNREAD)) is not None:
        wanted, here = Wanted(unread=True), after
    elif (after := here.take(READ)) is not None:
        wanted, here = Wanted(unread=False), after
    owner = owner_of(here, scene)
    if owner is not None and (after := owner[1].take(MAIL)) is not None:
        return replace(wanted, senders=addresses_of(owner[0], scene, here)), after
    noun = here.take(NEWSLETTERS)
    if noun is not None:
        wanted, here = replace(wanted, category="promotions"), noun.past(NOUN)
    elif here.word() in TABS and here.skip().take(NOUN):
        wanted, here = replace(wanted, category=TABS[here.word()]), here.skip().past(NOUN)
    elif (after := here.take(NOUN)) is not None:
        here = after
    elif not (here.word() in MAILS or here.take(FROM)):
        return None
    return wanted, here


def _plan(act: Act, scene: Scene, **args: object) -> Planned:
    tool = act.tool
    if not scene.has(tool):
        mailbox = scene.has("user_email_search_inbox")
        raise Asking(say("I cannot do that in this mailbox.") if mailbox else not_set_up(tool))
    sure_of_account(str(args.get("account", "")), tool, scene)
    return calls.plan(calls.call(tool, say(DESCRIBED[act.action]), **args))
