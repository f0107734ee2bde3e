"""Changes a card about many mails: `also those from Amazon`, `not the unread ones`, `trash them instead`.

What such words take out, or put in, is said by them and nobody else: nothing that was asked for goes away unless they
say so.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from butler.contract.speech import phrase, say
from butler.orchestrator.edits.narrower import MORE, NOTHING_LEFT, as_of, later, narrower
from butler.orchestrator.edits.ways import Way, named_by_weekday
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.embedded.draft import ask_which
from butler.orchestrator.embedded.people import Way as Channel
from butler.orchestrator.understanding.mail.acts import NAMED
from butler.orchestrator.understanding.mail.bulk import mails_said
from butler.orchestrator.understanding.mail.senders import Sender, senders
from butler.orchestrator.understanding.mail.wanted import Wanted, changes
from butler.orchestrator.understanding.said import Said

ON_IT_ALREADY = phrase("It is about mails from anybody already, so those are among them.")
AMONG_THEM = phrase("Those are among them already.")
NO_NAME_HERE = phrase("No label and no folder has to do with it. Say what shall be done to them instead.")
NOT_HERE = phrase("It is about the very mails that were named. Say anew which ones you mean.")
CANNOT_ADD = phrase(
    "I can add only mails of somebody, or of another state. Tap Deny, and ask me anew for what you want."
)
CANNOT_LEAVE_OUT = phrase(
    "I can leave out mails of somebody, of a state, or since or before a day. Say only which ones shall be dealt with."
)
SEARCH = "user_email_search_inbox"
DATES = ("since", "before")
ONE_DAY = timedelta(1)


@dataclass(frozen=True, slots=True)
class Act:
    """Another act on the same mails, and the label or folder that it is about."""

    action: str
    name: str = ""

    @property
    def tool(self) -> str:
        """The tool that does it."""
        return f"user_email_{self.action}"

    def named(self) -> dict[str, str]:
        """Return the argument that the name is."""
        return {NAMED[self.action]: self.name} if self.name else {}


@dataclass(frozen=True, slots=True)
class Part:
    """Some of what was said: which mails, and whether only these, these too, or all but these are meant."""

    way: Way
    said: Said
    spoken: bool = False
    """Whether an `only` was said."""

    def wanted(self, *, by: timedelta = timedelta()) -> Wanted:
        """Return the mails, as if it were said so much later; somebody's with all of their addresses."""
        said = replace(self.said, scene=later(self.said.scene, by)) if by else self.said
        theirs = tuple(one for every in (False, True) for sender in senders(said, leaving_out=every)
                       for one in _addresses(sender, said))  # fmt: skip
        return replace(mails_said(said), senders=theirs, keep=())

    def inside(self, wanted: Wanted) -> Wanted:
        """Return the same within the time that the card is about: a Wednesday is the last one of that time."""
        last = wanted.before - ONE_DAY if wanted.before else None
        now = self.said.scene.now().date()
        if last is None or last >= now or not named_by_weekday(self.said):
            return self.wanted()
        return replace(self, said=replace(self.said, scene=as_of(self.said.scene, last))).wanted()


def _addresses(sender: Sender, said: Said) -> Sequence[str]:
    person = sender.person
    if person is None:
        return (sender.name,)
    if len(person.contacts) > 1:
        text = said.request.text
        raise ask_which(person, (person,), said.scene, (Channel.MAIL,), lambda name: text.replace(person.said, name, 1))
    written = [address for contact in person.contacts for address in contact.addresses]
    mails = [one.removeprefix("mail:") for one in (person.address, *written) if one.startswith("mail:")]
    return tuple(dict.fromkeys(mails)) or (person.said,)


@dataclass(frozen=True, slots=True)
class MailChange:
    """Changes of which mails are meant, or another act on them.

    `certain`: the words can hardly be about anything else.
    """

    parts: tuple[Part, ...] = ()
    act: Act | None = None
    name: str = ""
    """Another label or folder."""
    certain: bool = False

    def changed(self, args: Mapping[str, Any], action: str) -> dict[str, Any]:
        """Return the arguments of an act that change, with their new values; raise `Asking` if that cannot be."""
        if self.name and action not in NAMED:
            raise Asking(say(NO_NAME_HERE))
        name = self.name or (self.act.name if self.act is not None and self.act.action == action else "")
        if name:
            return {NAMED[action]: name} if name != args.get(NAMED[action]) else {}
        if self.parts and args.get("mails"):
            raise Asking(say(NOT_HERE))
        before = Wanted.of(args)
        parts = _instead(self.parts, before)
        return changes(before, _applied(parts, before, lambda part, wanted: part.inside(wanted)))

    def dates(self, args: Mapping[str, Any], by: timedelta) -> dict[str, str]:
        """Return the dates that the words alone name when they are said so much later."""
        undated = Wanted.of({name: value for name, value in args.items() if name not in DATES})
        found = changes(undated, _applied(self.parts, undated, lambda part, _: part.wanted(by=by)))
        return {name: found[name] for name in DATES if name in found}


def _applied(parts: Sequence[Part], wanted: Wanted, read: Callable[[Part, Wanted], Wanted]) -> Wanted:
    for part in parts:
        wanted = APPLY[part.way](wanted, read(part, wanted), part)
    return wanted


def _instead(parts: Sequence[Part], wanted: Wanted) -> tuple[Part, ...]:
    """Return the parts in the order to apply: `not from Bob, from Carol` adds Carol's before it leaves out Bob's."""
    out = [part for part in parts if part.way is Way.WITHOUT and part.said.has("from")]
    others = [part for part in parts if part.way is Way.ONLY and not part.spoken and part.said.has("from")]
    known = {one.casefold() for one in wanted.senders}
    if not out or not others or not all(one.casefold() in known for part in out for one in part.wanted().senders):
        return tuple(parts)
    added = [replace(part, way=Way.ALSO) for part in others]
    return (*added, *(part for part in parts if part not in others))


def _adding(wanted: Wanted, said: Wanted, _part: Part) -> Wanted:
    """`also those from Amazon`, `also the unread ones`."""
    said = replace(said, category="" if said.category == wanted.category else said.category)
    if replace(said, senders=(), unread=None, attachment=None) != Wanted():
        raise Asking(say(CANNOT_ADD))
    if said.senders:
        spared = _less(wanted.keep, said.senders)
        if not wanted.senders and len(spared) == len(wanted.keep):
            raise Asking(say(ON_IT_ALREADY))
        added = wanted.senders and (*wanted.senders, *_less(said.senders, wanted.senders))
        wanted = replace(wanted, senders=tuple(added), keep=spared)
    for name in ("unread", "attachment"):
        value = getattr(said, name)
        if value is not None and getattr(wanted, name) is not (not value):
            raise Asking(say(AMONG_THEM))
        wanted = replace(wanted, **{name: None}) if value is not None else wanted
    return wanted


def _sparing(wanted: Wanted, said: Wanted, _part: Part) -> Wanted:
    """`not the unread ones`, `but keep those from Mum`."""
    left = _less(wanted.senders, said.senders)
    if wanted.senders and not left:
        raise Asking(say(NOTHING_LEFT))
    return narrower(replace(wanted, senders=left), replace(_turned(said), keep=_less(said.senders, wanted.senders)))


def _turned(said: Wanted) -> Wanted:
    """Return what is left when mails of a state or a time are left out, if that is one state or stretch of time."""
    known = replace(said, senders=(), unread=None, attachment=None, since=None, before=None)
    if known != Wanted() or (said.since is not None and said.before is not None):
        raise Asking(say(CANNOT_LEAVE_OUT))
    return Wanted(
        since=said.before, before=said.since,
        unread=None if said.unread is None else not said.unread,
        attachment=None if said.attachment is None else not said.attachment,
    )  # fmt: skip


def _narrowing(wanted: Wanted, said: Wanted, part: Part) -> Wanted:
    """`only the unread ones`; a mailbox alone, without an `only`, is where to look instead."""
    default = next(iter(part.said.scene.accounts(SEARCH)), "")
    account, known = said.account, wanted.account or default
    other = bool(account) and account.casefold() != known.casefold()
    if part.spoken and other:
        # Another mailbox holds none of them.
        raise Asking(say(MORE))
    return narrower(replace(wanted, account=account if other else wanted.account), said)


APPLY: Mapping[Way, Callable[[Wanted, Wanted, Part], Wanted]] = {
    Way.ALSO: _adding, Way.WITHOUT: _sparing, Way.ONLY: _narrowing,
}  # fmt: skip


def _less(some: Sequence[str], others: Sequence[str]) -> tuple[str, ...]:
    gone = {one.casefold() for one in others}
    return tuple(one for one in some if one.casefold() not in gone)
