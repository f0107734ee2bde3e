"""What is done to mails, as it is said around the words for them: `archive …`, `mark … as read`, `move … to School`."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from butler.contract.speech import phrase
from butler.orchestrator.embedded.lexer import Phrases, Tail, phrases
from butler.orchestrator.embedded.many_filters import FOLDER, ends_name
from butler.orchestrator.embedded.say import one_line
from butler.orchestrator.embedded.scene import Scene

TRASH = "[the|my] (trash|bin|rubbish|wastebasket)"
SPAM = "[the|my] (spam|junk) [folder|mail]"
VERBS: tuple[tuple[Phrases, str], ...] = (
    (phrases("mark as read"), "mark_read"),
    (phrases("mark as unread"), "mark_unread"),
    (phrases("(mark|report|flag) as not (spam|junk)"), "unspam"),
    (phrases("(mark|report|flag) as (spam|junk)"), "spam"),
    (phrases("archive"), "archive"),
    (phrases("(unarchive|un-archive)"), "unarchive"),
    (phrases("(trash|bin|delete|remove|throw away|get rid of)"), "trash"),
    (phrases("(star|flag)"), "star"),
    (phrases("(unstar|unflag|un-star)"), "unstar"),
)
"""Verbs that say it all."""
NOT_SPAM = phrases("as not (spam|junk)", "(out of|from) [the|my] (spam|junk) [folder|mail]")
ENDINGS: tuple[tuple[Phrases, Phrases, str], ...] = (
    (phrases("mark"), phrases("as read"), "mark_read"),
    (phrases("mark"), phrases("as unread"), "mark_unread"),
    (phrases("(mark|report|flag|move|take|get|put)"), NOT_SPAM, "unspam"),
    (phrases("(mark|report|flag)"), phrases("as (spam|junk)"), "spam"),
    (phrases("(put|move|throw)"), phrases(f"(in|into|to) {SPAM}"), "spam"),
    (phrases("(put|move|throw)"), phrases(f"(in|into|to) {TRASH}"), "trash"),
    (phrases("(take|get|move|put)"), phrases(f"(out of|from) {TRASH}"), "untrash"),
    (phrases("(put|move)"), phrases("back [in|into|to] [the|my] inbox", "(into|to) [the|my] inbox"), "unarchive"),
    (
        phrases("(move|put|take|clear|get|clean)"),
        phrases("(out of|from) [the|my] inbox", "(in|into|to) [the|my] archive"),
        "archive",
    ),
)
"""Verbs whose end says what is done."""
CLEAR_OF = phrases("(clear|clean|empty|rid) [out|up] (my|the) (inbox|mailbox) (of|from)")
LABEL, AS = phrases("(label|tag)"), phrases("as", "with [the label]")
PUT_LABEL, ON = phrases("(put|add) [the|a] label"), phrases("(on|to)")
TAKE_LABEL, OFF = phrases("(take|remove) [the|a] label"), phrases("(off|from)")
MOVE, INTO = phrases("(move|put|file|shift)"), phrases("(into|to|in|under) [the|my] [folder|label]")
NAMES_NO_FOLDER = phrases(
    "(the|my|a|an|last|past|next|folder|label)", "(it|them|this|that|order|inbox|archive|trash|spam)"
)
AND_THEN = phrases("[,] and [then]", "then", ";")
FURTHER = tuple(verb for verb, *_ in (*VERBS, *ENDINGS))
"""What begins another request, and no part of a label's name."""
DESCRIBED = {
    "archive": phrase("Archive mails"),
    "unarchive": phrase("Put mails back into the inbox"),
    "trash": phrase("Put mails into the trash"),
    "untrash": phrase("Take mails out of the trash"),
    "star": phrase("Star mails"),
    "unstar": phrase("Take the star off mails"),
    "mark_read": phrase("Mark mails as read"),
    "mark_unread": phrase("Mark mails as unread"),
    "label": phrase("Label mails"),
    "unlabel": phrase("Take a label off mails"),
    "spam": phrase("Mark mails as spam"),
    "unspam": phrase("Take mails out of spam"),
    "move": phrase("Move mails"),
}
AGAIN = {
    "mark_read": "mark {} as read",
    "mark_unread": "mark {} as unread",
    "untrash": "take {} out of the trash",
    "spam": "mark {} as spam",
    "unspam": "mark {} as not spam",
    "label": "label {} as {}",
    "unlabel": "take the label {1} off {0}",
    "move": "move {} to {}",
}
"""How an act is asked for again, where its verb alone does not say it."""
NAMED = {"label": "name", "unlabel": "name", "move": "to"}
"""The argument that holds a label or a folder."""

MEANS_MORE: Mapping[str, Mapping[str, Any]] = {
    "archive": {"inbox": True},
    "mark_read": {"unread": True},
    "mark_unread": {"unread": False},
}
"""What an act is about only, although nobody said so: another act on the same mails has to be told."""
OF_OTHERS = frozenset({"unarchive", "untrash", "unspam", "unstar"})
"""Acts on mails of which no other act could be told which they are."""


@dataclass(frozen=True, slots=True)
class Act:
    """An act by its tool's last words, what stands for the mails, and the label or folder that it is about."""

    action: str
    rest: Tail
    name: str = ""
    inbox: bool = False
    """Said of the inbox."""
    after: Tail | None = None
    """What is said of the mails behind the name."""

    @property
    def tool(self) -> str:
        """What does it."""
        return f"user_email_{self.action}"

    def named(self) -> dict[str, str]:
        """The argument that the name is."""
        return {NAMED[self.action]: self.name} if self.name else {}

    def again(self, mails: str) -> str:
        """The same, said of other mails."""
        return AGAIN.get(self.action, f"{self.action} {{}}").format(mails, self.name)


def same_mails(action: str, args: Mapping[str, Any]) -> dict[str, Any] | None:
    """What another act has to be told to be about the mails of this one and no more; None where that cannot be."""
    if args.get("mails"):
        return {}
    if action in OF_OTHERS:
        return None
    named = {"label": args["name"]} if action == "unlabel" else {}
    return {**MEANS_MORE.get(action, {}), **named}


def acts_at(bare: Tail, scene: Scene) -> Iterator[Act]:
    """The ways to read words as an act on mails, the likeliest first."""
    if (rest := bare.take(CLEAR_OF)) is not None and not rest.done:
        yield Act("archive", rest, inbox=True)
        return
    if (labelled := _labelling(bare, scene)) is not None:
        yield labelled
        return
    ended = [act for ending in ENDINGS if (act := _ended(bare, *ending)) is not None]
    yield from (act for act in ended if act.after is None)
    yield from _moving(bare, scene)
    yield from (act for act in ended if act.after is not None)
    if not ended:
        yield from ((Act(action, start)) for verb, action in VERBS if (start := bare.take(verb)) and not start.done)


def _ended(bare: Tail, verb: Phrases, ending: Phrases, action: str) -> Act | None:
    start = bare.take(verb)
    split = start.find(ending) if start else None
    if split is None or split[0].done:
        return None
    return Act(action, split[0], after=None if split[1].done else split[1])


def _labelling(bare: Tail, scene: Scene) -> Act | None:
    if (start := bare.take(LABEL)) is not None and (split := start.find(AS)) is not None and not split[1].done:
        return None if _goes_on(split[1]) else _named("label", split[0], split[1], scene)
    for verb, between, action in ((PUT_LABEL, ON, "label"), (TAKE_LABEL, OFF, "unlabel")):
        start = bare.take(verb)
        split = start.find(between) if start else None
        if split is not None and not split[0].done and not split[1].done:
            return Act(action, split[1], name_of(split[0]))
    return None


def _moving(bare: Tail, scene: Scene) -> Iterator[Act]:
    """`move … to School`: the last `to` behind which a name may stand, and then the ones before it."""
    start = bare.take(MOVE)
    for at in range(bare.end - 1, start.at if start else bare.end, -1):
        place = replace(bare, at=at)
        name = place.take(INTO)
        if start is not None and name is not None and not (name.done or name.take(NAMES_NO_FOLDER) or _goes_on(name)):
            yield _named("move", start.until(place), name, scene)


def _goes_on(name: Tail) -> bool:
    """Whether another request follows a name."""
    further = name.find(AND_THEN)
    return further is not None and any(further[1].take(verb) for verb in FURTHER)


def _named(action: str, rest: Tail, name: Tail, scene: Scene) -> Act:
    """The name of a label or folder, and what more is said of the mails behind it."""
    end = name
    if (quoted := name.quoted()) is not None:
        end = quoted[1].past(FOLDER)
    else:
        while not end.done and not (end.at > name.at and ends_name(end, scene)):
            end = end.skip()
    return Act(action, rest, name_of(_without_noun(name.until(end))), after=None if end.done else end)


def _without_noun(name: Tail) -> Tail:
    """`the School folder` by its name alone."""
    noun = name.end - name.at > 1 and name.tokens[name.end - 1].word in {"folder", "label"}
    return replace(name, end=name.end - 1) if noun else name


def name_of(tail: Tail) -> str:
    """A label or a folder, without the quotation marks around it."""
    return one_line(tail.bare().text.strip("\"“”„«»' "))
