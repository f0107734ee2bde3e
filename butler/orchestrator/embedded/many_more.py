"""What is said further of many mails: `also those from Amazon`, `not the unread ones`, `trash them instead`.

Such words change what was asked for just before; they mean nothing by themselves. What they take out, or put in, is
said by them and nobody else: nothing that was asked for goes away unless they say so.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
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
    UNREAD,
    WITH_FILE,
    WITHOUT_FILE,
    begins_filter,
    excepted,
    filter_at,
)
from butler.orchestrator.embedded.many_senders import senders_at
from butler.orchestrator.embedded.many_wanted import ContradictionError, Wanted, changes
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
NOTHING_LEFT = phrase("Then nothing would be left of it. Say “never mind” if it shall not be done.")
NO_NAME_HERE = phrase("No label and no folder has to do with it. Say what shall be done to them instead.")
NOT_HERE = phrase("It is about the very mails that were named. Say anew which ones you mean.")

Op = Callable[[Wanted], Wanted]


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

    def changed(self, args: Mapping[str, Any], action: str) -> dict[str, Any]:
        """The arguments of an act that become others, with their new values. Raises `Asking` where that cannot be."""
        if self.name and action not in NAMED:
            raise Asking(say(NO_NAME_HERE))
        name = self.name or (self.act.name if self.act is not None and self.act.action == action else "")
        if name:
            return {NAMED[action]: name} if name != args.get(NAMED[action]) else {}
        if self.ops and args.get("mails"):
            raise Asking(say(NOT_HERE))
        before = after = Wanted.of(args)
        for op in self.ops:
            after = op(after)
        return changes(before, after)


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
    return More(tuple(found.ops), certain=found.certain)


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
    found.ops.append(_sparing(read[0]))
    found.certain = found.certain or after.take(FROM) is not None
    return read[1]


def _only(here: Tail, scene: Scene, found: _Found, *, replied: bool, too: bool) -> Tail | None:
    """`only the unread ones`, `only those older than a month`; in a reply to the card the `only` may be left out."""
    if not (here.take(ONLY) or ((replied or found.certain) and not (found.added or too))):
        return None
    start = here.past(ONLY)
    if (after := start.take(NEWSLETTERS)) is not None:
        found.ops.append(_narrowing(Wanted(category="promotions")))
        return after.past(NOUN)
    if start.word() in TABS and start.skip().take(NOUN):
        found.ops.append(_narrowing(Wanted(category=TABS[start.word()])))
        return start.skip().past(NOUN)
    read = filter_at(here, scene) or filter_at(start.past(THOSE), scene)
    if read is None:
        return None
    found.ops.append(_narrowing(read[0]))
    return read[1].past(ONES)


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


def _sparing(said: Wanted) -> Op:
    def spare(wanted: Wanted) -> Wanted:
        left = _less(wanted.senders, said.keep)
        if wanted.senders and not left:
            raise Asking(say(NOTHING_LEFT))
        named = _less(said.keep, wanted.senders)
        keep = (*wanted.keep, *_less(named, wanted.keep))
        return replace(_put(wanted, replace(said, keep=())), senders=left, keep=keep)

    return spare


def _narrowing(said: Wanted) -> Op:
    def narrow(wanted: Wanted) -> Wanted:
        # Who is taken among those that were spared is spared no more.
        return replace(_put(wanted, said), keep=_less((*wanted.keep, *said.keep), said.senders))

    return narrow


def _put(wanted: Wanted, said: Wanted) -> Wanted:
    """With what was said just now in place of what was said before of the same."""
    new = dict(_said(said))
    words = f"{wanted.words} {said.words}".strip()
    return replace(wanted, **new, words=words)


def _said(said: Wanted) -> Iterator[tuple[str, Any]]:
    for name in (
        "senders",
        "category",
        "label",
        "since",
        "before",
        "unread",
        "attachment",
        "larger_kb",
        "inbox",
        "account",
    ):
        value = getattr(said, name)
        if value != getattr(Wanted(), name):
            yield name, value


def _less(some: Sequence[str], others: Sequence[str]) -> tuple[str, ...]:
    gone = {one.casefold() for one in others}
    return tuple(one for one in some if one.casefold() not in gone)
