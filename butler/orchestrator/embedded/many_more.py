"""What is said further of many mails: `also those from Amazon`, `not the unread ones`, `trash them instead`.

Such words change what was asked for just before; they mean nothing by themselves. What they take out, or put in, is
said by them and nobody else: nothing that was asked for goes away unless they say so.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import partial
from typing import Any

from butler.contract.speech import phrase, say
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.embedded.lexer import Tail, phrases
from butler.orchestrator.embedded.many import NEWSLETTERS, NOUN, TABS
from butler.orchestrator.embedded.many_acts import NAMED, Act, acts_at, name_of
from butler.orchestrator.embedded.many_filters import (
    BETWEEN,
    EXCEPT,
    FROM,
    ONES,
    ONLY,
    READ,
    SEARCH,
    UNREAD,
    WITH_FILE,
    WITHOUT_FILE,
    begins_filter,
    excepted,
    filter_at,
)
from butler.orchestrator.embedded.many_senders import senders_at
from butler.orchestrator.embedded.many_wanted import ContradictionError, Wanted, changes
from butler.orchestrator.embedded.narrower import MORE, NOTHING_LEFT, as_of, by_weekday, later, narrower
from butler.orchestrator.embedded.people import person_at
from butler.orchestrator.embedded.scene import Scene

ADD = phrases("[and] also", "and", "[and] (add|include|plus) [also]", "as well as")
THOSE = phrases("[all] (the ones|those|everything|mails|emails|the mails|the emails)")
LEADING = phrases("ok", "okay", "no", "yes", ",", "please", "oh", "actually", "hm", "wait", "rather", "better")
TOO = ("too", "also", "please", "then", "well", "as", ".", "!", "thanks")
"""What may stand at the end of it."""
INSTEAD, RATHER = "instead", phrases("(rather|better)")
THEM = phrases(
    "(them|these|those|it) [all]", "all [of] (them|these|those|it)", "the lot", "(everything|all)",
    "the (ones|mails|emails)",
)  # fmt: skip
NAME_IT = phrases("[call] [the] (label|folder) [it]", "[call|name] (it|them)", "as", "to", "into")
ON_IT_ALREADY = phrase("It is about mails from anybody already, so those are among them.")
NO_NAME_HERE = phrase("No label and no folder has to do with it. Say what shall be done to them instead.")
NOT_HERE = phrase("It is about the very mails that were named. Say anew which ones you mean.")

Op = Callable[[Wanted], Wanted]
DATES = ("since", "before")
ONE_DAY = timedelta(1)


@dataclass(frozen=True, slots=True)
class More:
    """Changes of which mails are meant, or another act on them.

    `certain`: the words can hardly be about anything else.
    """

    ops: tuple[Op, ...] = ()
    act: Act | None = None
    name: str = ""
    """Another label or folder."""
    certain: bool = False
    again: "Callable[[timedelta], More | None] | None" = None
    """The same words, said so much later."""

    def changed(self, args: Mapping[str, Any], action: str) -> dict[str, Any]:
        """The arguments of an act that become others, with their new values. Raises `Asking` where that cannot be."""
        if self.name and action not in NAMED:
            raise Asking(say(NO_NAME_HERE))
        name = self.name or (self.act.name if self.act is not None and self.act.action == action else "")
        if name:
            return {NAMED[action]: name} if name != args.get(NAMED[action]) else {}
        if self.ops and args.get("mails"):
            raise Asking(say(NOT_HERE))
        return changes(Wanted.of(args), self.applied(args))

    def dates(self, args: Mapping[str, Any], by: timedelta) -> dict[str, str]:
        """The dates that the words alone name when they are said so much later."""
        more = self.again(by) if self.again is not None and self.ops else None
        undated = {name: value for name, value in args.items() if name not in DATES}
        found = changes(Wanted.of(undated), more.applied(undated)) if more is not None else {}
        return {name: found[name] for name in DATES if name in found}

    def applied(self, args: Mapping[str, Any]) -> Wanted:
        """Which mails are meant then. Raises `Asking`."""
        wanted = Wanted.of(args)
        for op in self.ops:
            wanted = op(wanted)
        return wanted


@dataclass(slots=True)
class _Found:
    ops: list[Op] = field(default_factory=list[Op])
    certain: bool = False
    added: bool = False
    """More mails were named, so that what follows could be said of them alone."""


def more_of(words: Tail, scene: Scene, *, replied: bool = False) -> More | None:
    """Read words that go on from a request for many mails; None where they are no such words.

    `replied`: they were said to the card, so that few of them are enough. Raises `Asking`.
    """
    start, end, instead = _trimmed(words.bare())
    tail = replace(start, end=end)
    if tail.done:
        return None
    instead = instead or words.bare().take(RATHER) is not None
    if (act := _act(tail, scene)) is not None:
        return More(act=act, certain=instead)
    if name := _renamed(tail, instead=instead):
        return More(name=name, certain=instead)
    found = _Found(certain=instead)
    here, too = tail, end < start.end
    try:
        while not here.done:
            read = _clause(here, scene, found, replied=replied, too=too)
            if read is None or read.at <= here.at:
                return None
            here = read.past(BETWEEN) if not read.done and _begins(read.past(BETWEEN), scene) else read
    except ContradictionError:
        return None
    again = partial(_said_later, words, scene, replied=replied)
    return More(tuple(found.ops), certain=found.certain, again=again)


def _said_later(words: Tail, scene: Scene, by: timedelta, *, replied: bool) -> More | None:
    return more_of(words, later(scene, by), replied=replied)


def _trimmed(bare: Tail) -> tuple[Tail, int, bool]:
    """Where the words begin and end without what is said around them, and whether `instead` is."""
    start, end, instead = bare, bare.end, False
    while (after := start.take(LEADING)) is not None:
        start = after
    while end > start.at and (start.tokens[end - 1].word in TOO or start.tokens[end - 1].word in {INSTEAD, ","}):
        instead = instead or start.tokens[end - 1].word == INSTEAD
        end -= 1
    return start, end, instead


def _begins(tail: Tail, scene: Scene) -> bool:
    return bool(tail.take(ADD) or tail.take(THOSE) or begins_filter(tail, scene))


def _act(tail: Tail, scene: Scene) -> Act | None:
    """`trash them`, `label them as Shops`, `as Shops`."""
    for act in acts_at(tail, scene):
        after = act.rest.take(THEM)
        if after is not None and after.done and act.after is None:
            return act
    return None


def _renamed(tail: Tail, *, instead: bool) -> str:
    """The name in `as Shops instead`, `call it Shops`; empty where it is none."""
    named = tail.take(NAME_IT)
    calls = tail.word() in {"call", "name"}
    return name_of(named) if named is not None and not named.done and (instead or calls) else ""


def _clause(here: Tail, scene: Scene, found: _Found, *, replied: bool, too: bool) -> Tail | None:
    for read in (_added, _without, _only):
        if (after := read(here, scene, found, replied=replied, too=too)) is not None:
            return after
    return None


def _added(here: Tail, scene: Scene, found: _Found, *, replied: bool, too: bool) -> Tail | None:
    """`also those from Amazon`, `those from Bob too`, `also the unread ones`."""
    added = here.take(ADD)
    start = (added or here).past(THOSE)
    if added is None and not too:
        return None
    named = start.take(FROM)
    if named is not None:
        names, after = senders_at(named, scene, lambda tail: begins_filter(tail, scene))
        found.ops.append(_adding(names))
        found.certain = found.added = True
        return after
    for words, name, value in _MARKS:
        if (after := start.take(words)) is not None:
            found.ops.append(_dropping(name, value))
            found.added = True
            return after.past(ONES)
    if replied and start.at > here.at and (person_at(start, scene) or start.written()[:1].isupper()):
        names, after = senders_at(start, scene, lambda tail: begins_filter(tail, scene), sure=False)
        found.ops.append(_adding(names))
        found.added = True
        return after
    return None


_MARKS = ((UNREAD, "unread", True), (READ, "unread", False), (WITH_FILE, "attachment", True),
          (WITHOUT_FILE, "attachment", False))  # fmt: skip


def _without(here: Tail, scene: Scene, found: _Found, *, replied: bool, too: bool) -> Tail | None:
    """`not the unread ones`, `but keep those from Mum`."""
    del too
    after = here.take(EXCEPT)
    if after is None:
        return None
    try:
        read = excepted(here, scene)
    except Asking:
        if replied or after.take(FROM):
            raise
        return None
    if read is None:
        return None
    found.ops.append(_sparing(_Said(read[0], here.until(read[1]), scene, excepted)))
    found.certain = found.certain or after.take(FROM) is not None
    return read[1]


def _only(here: Tail, scene: Scene, found: _Found, *, replied: bool, too: bool) -> Tail | None:
    """`only the unread ones`, `only those older than a month`; in a reply to the card the `only` may be left out."""
    if not (here.take(ONLY) or ((replied or found.certain) and not (found.added or too))):
        return None
    start = here.past(ONLY)
    if (after := start.take(NEWSLETTERS)) is not None:
        found.ops.append(_of_kind("promotions"))
        return after.past(NOUN)
    if start.word() in TABS and start.skip().take(NOUN):
        found.ops.append(_of_kind(TABS[start.word()]))
        return start.skip().past(NOUN)
    for begun in (here, start.past(THOSE)):
        if (read := filter_at(begun, scene)) is not None:
            found.ops.append(
                _narrowing(_Said(read[0], begun.until(read[1]), scene, filter_at), only=start.at > here.at)
            )
            return read[1].past(ONES)
    return None


def _adding(names: Sequence[str]) -> Op:
    def add(wanted: Wanted) -> Wanted:
        spared = _less(wanted.keep, names)
        if not wanted.senders and len(spared) == len(wanted.keep):
            raise Asking(say(ON_IT_ALREADY))
        senders = wanted.senders and (*wanted.senders, *_less(names, wanted.senders))
        return replace(wanted, senders=tuple(senders), keep=spared)

    return add


def _dropping(name: str, value: bool) -> Op:
    def drop(wanted: Wanted) -> Wanted:
        if getattr(wanted, name) is not (not value):
            raise Asking(say("Those are among them already."))
        return replace(wanted, **{name: None})

    return drop


@dataclass(frozen=True, slots=True)
class _Said:
    """What words say of mails, and how they are read on another day."""

    wanted: Wanted
    words: Tail
    scene: Scene
    read: Callable[[Tail, Scene], tuple[Wanted, Tail] | None]

    def inside(self, wanted: Wanted) -> Wanted:
        """The same, read within the time that it is about: a Wednesday is the last one of that time."""
        last = wanted.before - ONE_DAY if wanted.before else None
        if last is None or last >= self.scene.now().date() or not by_weekday(self.words):
            return self.wanted
        found = self.read(self.words, as_of(self.scene, last))
        return found[0] if found is not None else self.wanted


def _sparing(said: _Said) -> Op:
    def spare(wanted: Wanted) -> Wanted:
        left = _less(wanted.senders, said.wanted.keep)
        if wanted.senders and not left:
            raise Asking(say(NOTHING_LEFT))
        keep = _less(said.wanted.keep, wanted.senders)
        return narrower(replace(wanted, senders=left), replace(said.inside(wanted), keep=keep))

    return spare


def _narrowing(said: _Said, *, only: bool) -> Op:
    default = next(iter(said.scene.accounts(SEARCH)), "")

    def narrow(wanted: Wanted) -> Wanted:
        account, known = said.wanted.account, wanted.account or default
        if only and account and account.casefold() != known.casefold():
            # Another mailbox holds none of them.
            raise Asking(say(MORE))
        another = account if account.casefold() != known.casefold() else wanted.account
        return narrower(replace(wanted, account=another or wanted.account), said.inside(wanted))

    return narrow


def _of_kind(category: str) -> Op:
    return lambda wanted: narrower(wanted, Wanted(category=category))


def _less(some: Sequence[str], others: Sequence[str]) -> tuple[str, ...]:
    gone = {one.casefold() for one in others}
    return tuple(one for one in some if one.casefold() not in gone)
