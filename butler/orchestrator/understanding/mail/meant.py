"""Finds the mails that are meant: shown ones, one that words pick from a list, or the newest that fits.

If that is unclear, the owner is asked, with buttons. An act on a searched mail only happens if the search finds one.
"""

import re
from dataclasses import dataclass, replace
from typing import Any

from butler.contract.agents import PlanStep, When
from butler.contract.referents import ReferentKind
from butler.contract.speech import phrase, say
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.embedded.items import KINDS, last_shown_kind, side_of
from butler.orchestrator.embedded.searching import look
from butler.orchestrator.planning.plan_types import Planned
from butler.orchestrator.understanding.mail.filters import (
    about,
    described,
    how_many,
    names_mails,
    only_time,
    unmarked,
    wanted,
    with_topic,
)
from butler.orchestrator.understanding.mail.mail_words import group
from butler.orchestrator.understanding.mail.senders import PROMOTIONS, Sender, senders, speaks_of_writer
from butler.orchestrator.understanding.said import Said
from butler.orchestrator.understanding.things.pointing import (
    HANDLE,
    MAIL_NOUN,
    Pointed,
    is_of_one,
    ordinals,
    pointed,
    pointed_within,
    says_nothing,
)
from butler.orchestrator.understanding.things.refs import PAIR, listed_of, one_of, outside, recent, several, shown_alone
from butler.store.conversation import Referent

MAIL = frozenset({ReferentKind.MAIL})
FIRST = "messages.0.message_id"
MOST_FOUND = 10
"""The most mails that are searched to act on each."""
ONE_BEFORE = re.compile(rf"\b{group('one_before')}\s*$", re.IGNORECASE)
"""Words before a singular noun: `den Newsletter`."""
PLURAL = re.compile(rf"^{group('plural')}\b|\w{{2,}}[^s\W]s$", re.IGNORECASE)
"""Plural words that point at several things: `les pubs`, `the newsletters`."""
AROUND = 14
"""The number of characters around a count that tell whether it is from the beginning or the end."""
WHICH_MAILS = phrase("Which mails do you mean? Say whose, about what, or how old, like “archive all mails from Anna”.")


@dataclass(frozen=True, slots=True)
class Meant:
    """A mail or message: its reference in a step, and the steps that find it first."""

    reference: dict[str, Any]
    steps: tuple[PlanStep, ...] = ()
    shown: Referent | None = None
    side: str = "user"
    """Whose mailbox holds it."""

    @property
    def is_message(self) -> bool:
        """Whether it is a message of a chat."""
        return self.shown is not None and self.shown.kind is ReferentKind.MESSAGE

    def then(self, act: PlanStep) -> Planned:
        """Return the plan for an act on it, if it is found."""
        return _behind(self.steps, act)


@dataclass(frozen=True, slots=True)
class Several:
    """Mails by their references, and the steps that find them first."""

    references: tuple[dict[str, Any], ...]
    steps: tuple[PlanStep, ...] = ()

    def then(self, act: PlanStep) -> Planned:
        """Return the plan for an act on them, if they are found."""
        return _behind(self.steps, act)


def way_of(said: Said) -> Pointed:
    """Return how the request points at mails, by marked words or else by verbs and pronouns."""
    if match := HANDLE.search(said.request.text):
        return Pointed(handle=match[0])
    if words := " ".join(_pointing(said)):
        return pointed(words, said.language)
    way = pointed_within(outside(said), said.language)
    if not says_nothing(way) or names_mails(said) or described(said):
        return way
    numbers = ordinals(outside(said), said.language)
    listed = {one.ordinal for one in listed_of(said, MAIL)}
    return Pointed(numbers=numbers) if numbers and listed.issuperset(numbers) else way


def _pointing(said: Said) -> tuple[str, ...]:
    """Return the words that point; an ordinal of a phrase does not: `on [second] thoughts archive [it]`."""
    words, text = said.request.words("ref"), said.request.text
    picked = ordinals(text, said.language)
    pointing = tuple(one for one in words if not (at := ordinals(one, said.language)) or set(at) <= set(picked))
    return pointing or words


def _behind(steps: tuple[PlanStep, ...], act: PlanStep) -> Planned:
    if not steps:
        return calls.plan(act)
    return calls.plan(*steps, act.model_copy(update={"when": When(step_id=len(steps), fact="messages")}))


def one_mail(said: Said, *, strictly: bool = False) -> Meant:
    """Return the one mail that is meant; raise `Asking` if it is in doubt.

    Args:
        said: The request.
        strictly: Whether a search by sender must match the sender exactly, such as for an answer.
    """
    way = way_of(said)
    step = way.step and (said.has("ref") or not names_mails(said))
    if way.handle or way.numbers or step or (way.other and len(listed_of(said, MAIL)) == PAIR):
        return _shown(one_of(said, KINDS, way=way))
    if names_mails(said) or described(said):
        return _named(said, strictly=strictly)
    if way.last and not way.at_end and not said.scene.request.replied_to:
        return found_first(said)
    if says_nothing(way) and shown_alone(said, KINDS) is None and (topic := unmarked(said)):
        return found_first(with_topic(said, topic), strictly=strictly)
    return _shown(one_of(said, KINDS, way=way))


def _shown(found: Referent | None) -> Meant:
    if found is None:
        raise Asking(say(WHICH_MAILS))
    return Meant({"handle": found.handle}, shown=found, side=side_of(found))


def _named(said: Said, *, strictly: bool) -> Meant:
    """Return a mail by its sender or topic: one of the shown list, else the newest that fits."""
    whose, topic = senders(said), about(said)
    only_whose = bool(whose) and not topic and not said.has("time", "time_of", "age")
    if only_whose and whose[0].person is not None and last_shown_kind(said.scene) is ReferentKind.MAIL:
        found = one_of(said, MAIL, by=whose[0].person)
        if found is not None:
            return _shown(found)
    words = " ".join(filter(None, (*(one.name for one in whose), topic)))
    if words and is_of_list(said):
        side = side_of(listed_of(said, MAIL)[0])
        return Meant({"select": words}, side=side)
    return found_first(said, strictly=strictly)


def is_of_list(said: Said) -> bool:
    """Return whether the words mean one of the list shown last, without a noun for mail: `the one about the lease`."""
    text = " ".join((outside(said).rsplit("\n")[-1], *said.request.words("ref")))
    if last_shown_kind(said.scene) is not ReferentKind.MAIL or MAIL_NOUN.search(text):
        return False
    if not said.has("ref") and not is_of_one(text, said.language):
        return False
    listed, newest = listed_of(said, MAIL), recent(said, MAIL)
    return len(listed) > 1 and (len(newest) > 1 or newest[0].key in {one.key for one in listed})


def found_first(said: Said, *, strictly: bool = False) -> Meant:
    """Return the newest mail that fits the request, which a search finds first."""
    search = by_writer(look(replace(wanted(said, strictly=strictly), limit=1, unread=False), said.scene), said)
    side = "bot" if search.steps[-1].tool_call.startswith("bot_") else "user"
    return Meant({"step": len(search.steps), "fact": FIRST}, search.steps, side=side)


@dataclass(frozen=True, slots=True)
class Writer:
    """The writer of the mail shown last: an address, or a reference to it once the mail is read."""

    address: Any
    steps: tuple[PlanStep, ...] = ()


def writer(said: Said, *, asking: bool = True) -> Writer | None:
    """Return the writer meant by `everything from them`; None if the words mean no such writer.

    Args:
        said: The request.
        asking: Whether to raise `Asking` if the writer is unclear.
    """
    if senders(said) or not speaks_of_writer(said):
        return None
    shown = shown_alone(said, MAIL)
    contact = said.scene.contact(shown) if shown is not None else None
    address = contact.address("mail") if contact is not None else None
    if address is not None:
        return Writer(address.removeprefix("mail:"))
    if shown is None:
        if not asking:
            return None
        raise Asking(say("Whose mails do you mean?"))
    return Writer({"step": 1, "fact": "message.from"}, (calls.read_mail(shown.handle, side_of(shown)),))


def by_writer(search: Planned, said: Said) -> Planned:
    """Return the search limited to the shown mail's writer if the words say `from them`."""
    theirs = writer(said, asking=not names_mails(said))
    if theirs is None:
        return search
    steps = [one.model_copy(update={"args": {**one.args, "sender": theirs.address}}) for one in search.steps]
    return calls.plan(*theirs.steps, *steps)


def many_mails(said: Said, *, all_of_list: bool = False, kindly: bool = True) -> Several | None:
    """Return the shown mails that are meant, or one to search; None if a filter describes all that fit.

    Args:
        said: The request.
        all_of_list: Whether a request that points at nothing means all that was shown last.
        kindly: Whether words for one or all, such as German `sie`, may mean all without harm.
    """
    way = way_of(said)
    of_mails = names_mails(said) or bool(described(said)) or said.has("folder") or senders(said, leaving_out=True)
    if said.has("count") and (counted := _counted(said)) is not None:
        return counted
    if way == Pointed() and not said.has("ref") and only_time(said) and (shown := shown_alone(said, MAIL)):
        return _references((shown,))
    out = senders(said, leaving_out=True) if way.every and not names_mails(said) and not said.has("folder") else []
    if out and (left := _without(out, listed_of(said, MAIL))):
        return _references(left)
    of_list = way.first or way.final or (way.numbers and not (way.how_many and described(said)))
    if way.handle or way.step or of_list:
        return _references(several(said, MAIL, way=way))
    if of_mails:
        return _one_described(said, way)
    if all_of_list:
        way = replace(way, how_many=False)
    elif way.either:
        way = replace(way, how_many=not kindly or way.how_many)
    return _references(several(said, MAIL, way=way)) if recent(said, MAIL) else None


def _without(out: list[Sender], listed: list[Referent]) -> tuple[Referent, ...]:
    """Return a list without some people's mails; empty if none of its mails is known to be theirs."""
    theirs = {contact.contact_id for one in out if one.person is not None for contact in one.person.contacts}
    left = tuple(one for one in listed if one.contact_id not in theirs)
    return left if len(left) < len(listed) else ()


def _references(found: tuple[Referent, ...]) -> Several:
    return Several(tuple({"handle": one.handle} for one in found))


def _one_described(said: Said, way: Pointed) -> Several | None:
    """Return a single described mail; None if all that fit are meant."""
    words = said.words("ref")
    of_one = (bool(words) and not PLURAL.search(words)) or is_of_one(outside(said), said.language) or _of_kind(said)
    if way.every or not of_one:
        return None
    found = one_mail(said, strictly=True)
    return Several((found.reference,), found.steps)


def _of_kind(said: Said) -> bool:
    """Return whether the words name a single mail by its kind: `bin the newsletter`."""
    slot = next((one for one in said.request.slots if one.slot == "filter"), None)
    if slot is None or not PROMOTIONS.search(slot.text) or PLURAL.search(slot.text):
        return False
    return ONE_BEFORE.search(said.request.text[: slot.start]) is not None


def _counted(said: Said) -> Several | None:
    """Return a number of mails from the beginning or end of the list; else as many of the newest that fit."""
    slot = next(one for one in said.request.slots if one.slot == "count")
    text, number = said.request.text, how_many(said)
    around = pointed(text[max(slot.start - AROUND, 0) : slot.end + AROUND], said.language)
    oldest = pointed_within(text, said.language).oldest
    if not number or number > MOST_FOUND or oldest:
        raise Asking(say(WHICH_MAILS))
    newest = around.first or (around.final and MAIL_NOUN.search(text))
    listed = listed_of(said, MAIL)
    if names_mails(said) or number > len(listed):
        search = look(replace(wanted(said, strictly=True), limit=number), said.scene)
        at = len(search.steps)
        facts = tuple({"step": at, "fact": f"messages.{place}.message_id"} for place in range(number))
        return Several(facts, search.steps)
    way = Pointed(final=number) if around.final and not newest else Pointed(first=number)
    return _references(several(said, MAIL, way=way))
