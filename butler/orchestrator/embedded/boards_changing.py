"""Acts on cards, one or many: `move it to Done`, `archive everything in the list Done`, `comment on it: ...`.

Nothing is done to many before a card has shown how many there are; what changes one card only is not done to several.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from butler.contract.agents import PlanStep
from butler.contract.speech import phrase, say
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.agenda_words import name_in_title
from butler.orchestrator.embedded.asking import Asking, choice
from butler.orchestrator.embedded.card_words import (
    BOARD,
    LIST,
    PREFIX,
    THE,
    Meant,
    meant_at,
    name_at,
    reach,
    sure_of_due,
)
from butler.orchestrator.embedded.deadlines import moment_at
from butler.orchestrator.embedded.lexer import Phrases, Tail, phrases
from butler.orchestrator.embedded.people import person_at
from butler.orchestrator.embedded.say import content, one_line
from butler.orchestrator.embedded.scene import Scene
from butler.orchestrator.planning.plan_types import Planned, PlannerOutput

CHANGE, COMMENT, DELETE = f"{PREFIX}change_card", f"{PREFIX}comment_card", f"{PREFIX}delete_card"
MOVE, ARCHIVE, UNARCHIVE = f"{PREFIX}move_card", f"{PREFIX}archive_card", f"{PREFIX}unarchive_card"
LABEL, UNLABEL = f"{PREFIX}label_card", f"{PREFIX}unlabel_card"
ASSIGN, UNASSIGN, DUE = f"{PREFIX}assign_card", f"{PREFIX}unassign_card", f"{PREFIX}due_card"

VERBS: tuple[tuple[Phrases, str], ...] = (
    (phrases("archive", "clear"), ARCHIVE),
    (phrases("(unarchive|un-archive|restore|bring back)"), UNARCHIVE),
)
ARCHIVED = phrases("[all] [the|my] archived")
MOVE_VERB, TO = phrases("(move|put|drag|shift|take|send)"), phrases("(to|into|onto|in)")
LABEL_VERB, AS = phrases("(label|tag|mark)"), phrases("as", "with [the label]")
PUT_LABEL = phrases("(put|add|stick) [the|a] [label]")
TAKE_LABEL = phrases("(take|remove|drop) [the|a] label", "remove [the|a] tag")
ONTO, OFF = phrases("(on|onto|to)"), phrases("(off|from|of)")
ASSIGN_VERB, UNASSIGN_VERB = phrases("assign"), phrases("(unassign|un-assign)")
REMOVE = phrases("(remove|take|drop)")
FROM = phrases("(from|off)")
DUE_OF = phrases("(set|change|move|put) [the] (due date|deadline) [of|for|on]")
DUE_IT = phrases("make")
IS_DUE = phrases("due [on|by]")
NO_DUE = phrases("(remove|clear|take|delete|drop) [the] (due date|due dates|deadline|deadlines) [off|from|of]")
DONE_VERB, DONE = phrases("(mark|set)"), phrases("[as] (done|complete|completed|finished)")
UNDONE = phrases("[as] (not done|undone|incomplete|unfinished|open)")
FINISH, REOPEN = phrases("(complete|finish|tick off|check off)"), phrases("(reopen|untick)")
RENAME, INTO = phrases("(rename|call)"), phrases("to", "into", ":")
DESCRIBE = phrases("(set|change) [the] description of")
SAY_ON = phrases("(comment|write) on", "(add|write|leave|post|put) [a] comment (to|on|under)", "comment")
COLON = phrases(":", "that", "saying")
DELETE_VERB = phrases("(delete|remove|throw away|get rid of)")
ONE_ONLY = phrase("I can do that to one card at a time. Say which, like “the first one”.")


def change_cards(tail: Tail, scene: Scene) -> PlannerOutput | None:
    """Read a request to act on cards; None where it is none."""
    bare = tail.bare()
    if not scene.has(MOVE):
        return None
    for read in (_commented, _done, _labelled, _due, _renamed, _assigned, _archived, _moved, _deleted):
        if (found := read(bare, scene)) is not None:
            return found
    return None


def _plan(tool: str, meant: Meant, told: str, again: str, scene: Scene, **args: Any) -> Planned:
    """A step that takes cards by the dozen; of one that is only described, just that one."""
    if meant.every is not None:
        return calls.plan(calls.call(tool, told, **sure_of_due(meant.every).args(), **args))
    found = reach(meant, scene, again.format)
    return found.then(calls.call(tool, told, cards=[found.card], **args))


def _one(meant: Meant, again: str, scene: Scene, step: PlanStep) -> Planned:
    """A step that takes one card."""
    if meant.every is not None:
        raise Asking(say(ONE_ONLY))
    found = reach(meant, scene, again.format)
    return found.then(step.model_copy(update={"args": {"card": found.card, **step.args}}))


def _quoted(words: str) -> str:
    """Words for a request that is put together by `format`."""
    return words.replace("{", "{{").replace("}", "}}")


def _archived(bare: Tail, scene: Scene) -> PlannerOutput | None:
    for verb, tool in VERBS:
        start = bare.take(verb)
        if start is None:
            continue
        rest = start
        if tool == UNARCHIVE and (archived := start.take(ARCHIVED)) is not None:
            rest = archived
        meant = meant_at(rest, scene)
        if meant is None or (bare.word() == "clear" and meant.every is None):
            continue
        if tool == UNARCHIVE and meant.every is not None and not meant.every.board and not rest.find(LIST):
            # `the archived cards of Home`: what is archived lies in no list that anybody sees.
            meant = Meant(every=replace(meant.every, board=meant.every.in_list, in_list=""))
        told = say("Archive cards") if tool == ARCHIVE else say("Bring cards back")
        return _plan(tool, meant, told, f"{'archive' if tool == ARCHIVE else 'unarchive'} {{}}", scene)
    return None


def _moved(bare: Tail, scene: Scene) -> PlannerOutput | None:
    start = bare.take(MOVE_VERB)
    for what, where in _splits(start, TO) if start is not None else ():
        meant = meant_at(what, scene)
        place = _target(where, scene) if meant is not None else None
        if meant is not None and place is not None:
            again = f"move {{}} to {_quoted(where.text)}"
            _sure_of_list(what, where, scene)
            return _plan(MOVE, meant, say("Move cards"), again, scene, **place)
    return None


def _sure_of_list(what: Tail, where: Tail, scene: Scene) -> None:
    """Ask about `move it to Friday`: a list of that name, or the day that it is due?"""
    day = moment_at(where, scene)
    if day is not None and day[1].done:
        choices = [
            choice(say("The day it is due"), f"set the due date of {what.text} to {where.text}"),
            choice(say("The list “{name}”", name=where.text), f'move {what.text} to the list "{where.text}"'),
        ]
        raise Asking(say("Is “{name}” a list, or the day it is due?", name=where.text), choices)


def _splits(start: Tail, joints: Phrases) -> Iterator[tuple[Tail, Tail]]:
    """What stands before and behind a joint, the last one first; a list may itself be called To Do."""
    for at in range(start.end - 1, start.at, -1):
        here = replace(start, at=at)
        after = here.take(joints)
        small = start.source[start.tokens[at].start].islower()
        twice = start.tokens[at - 1].word == "to" and start.tokens[at].word == "to"
        if after is not None and small and not twice and not after.done:
            yield replace(start, end=at), after


def _target(where: Tail, scene: Scene) -> dict[str, str] | None:
    """`Done`, `the list Done on Home`, `the board Work`."""
    here = where.past(THE)
    boarded = here.take(BOARD)
    name, end = name_at(boarded or here.past(LIST), scene)
    if boarded is None and end.take(BOARD) is not None and here.take(LIST) is None:
        boarded, end = end, end.past(BOARD)
    end = end.past(LIST)
    on = end.take(phrases("(on|of) [the|my] [board]"))
    board, after = name_at(on, scene) if on is not None else ("", end)
    if not name or not after.past(BOARD).done:
        return None
    if boarded is not None:
        return {"to_board": name}
    return {"to_list": name} | ({"to_board": board} if board else {})


def _labelled(bare: Tail, scene: Scene) -> PlannerOutput | None:
    start = bare.take(LABEL_VERB)
    split = start.find(AS) if start is not None else None
    if split is not None and split[1].take(phrases("(read|unread|done|complete|completed|finished|open)")) is None:
        meant = meant_at(split[0], scene)
        name = _label_name(split[1])
        if meant is not None and name:
            return _plan(LABEL, meant, say("Label cards"), f"label {{}} as {_quoted(name)}", scene, name=name)
    for verb, joint, tool in ((TAKE_LABEL, OFF, UNLABEL), (PUT_LABEL, ONTO, LABEL)):
        start = bare.take(verb)
        split = start.find(joint) if start is not None else None
        meant = meant_at(split[1], scene) if split is not None and not split[0].done else None
        name = _label_name(split[0]) if split is not None else ""
        labelled = tool == UNLABEL or bare.find(phrases("label")) is not None
        if meant is not None and name and labelled:
            told = say("Label cards") if tool == LABEL else say("Take a label off cards")
            again = f"{'put' if tool == LABEL else 'remove'} the label {_quoted(name)}"
            return _plan(tool, meant, told, f"{again} {'on' if tool == LABEL else 'from'} {{}}", scene, name=name)
    return None


def _label_name(tail: Tail) -> str:
    return one_line(tail.bare().text.strip("\"“”„«»' "))


def _assigned(bare: Tail, scene: Scene) -> PlannerOutput | None:
    start = bare.take(ASSIGN_VERB)
    for what, whom in _splits(start, phrases("to")) if start is not None else ():
        meant, person = meant_at(what, scene), _person(whom, scene)
        if meant is not None and person:
            return _people(ASSIGN, meant, person, scene)
        meant, person = meant_at(whom, scene), _person(what, scene)
        if meant is not None and person:
            return _people(ASSIGN, meant, person, scene)
    start = bare.take(UNASSIGN_VERB) or bare.take(REMOVE)
    split = start.find(FROM) if start is not None else None
    if split is None or split[0].done:
        return None
    meant, person = meant_at(split[1], scene), _person(split[0], scene)
    return _people(UNASSIGN, meant, person, scene) if meant is not None and person else None


def _people(tool: str, meant: Meant, person: str, scene: Scene) -> Planned:
    on = tool == ASSIGN
    told = say("Assign cards") if on else say("Take somebody off cards")
    said = _quoted(person)
    again = f"assign {{}} to {said}" if on else f"remove {said} from {{}}"
    return _plan(tool, meant, told, again, scene, person=person)


def _person(tail: Tail, scene: Scene) -> str:
    """Somebody who stands here alone, by the name they are known under; the owner is `me`."""
    if tail.word() in {"me", "myself"} and tail.skip().done:
        return "me"
    found = person_at(tail, scene)
    if found is not None:
        return name_in_title(found[0]) if found[1].done else ""
    alone = tail.skip().done and tail.written()[:1].isupper() and tail.written().isalpha()
    return tail.written() if alone else ""


def _due(bare: Tail, scene: Scene) -> PlannerOutput | None:
    if (start := bare.take(NO_DUE)) is not None:
        meant = meant_at(start, scene)
        told, again = say("Take the due date off cards"), "remove the due date of {}"
        return _plan(DUE, meant, told, again, scene, due=None) if meant is not None else None
    start = bare.take(DUE_OF)
    splits = _splits(start, phrases("to")) if start is not None else _made_due(bare)
    for what, when in splits:
        meant, found = meant_at(what, scene), moment_at(when, scene)
        if meant is not None and found is not None and found[1].done:
            again = f"set the due date of {{}} to {_quoted(when.text)}"
            return _plan(DUE, meant, say("Set when cards are due"), again, scene, due=found[0])
    return None


def _made_due(bare: Tail) -> Iterator[tuple[Tail, Tail]]:
    """`make it due on Friday`."""
    start = bare.take(DUE_IT)
    split = start.find(IS_DUE) if start is not None else None
    if split is not None and not split[0].done and not split[1].done:
        yield split


def _done(bare: Tail, scene: Scene) -> PlannerOutput | None:
    for verb, ending, done in ((DONE_VERB, DONE, True), (DONE_VERB, UNDONE, False)):
        start = bare.take(verb)
        split = start.find(ending) if start is not None else None
        meant = meant_at(split[0], scene) if split is not None and split[1].done and not split[0].done else None
        if meant is not None:
            return _ticked(meant, done=done, scene=scene)
    for verb, done in ((FINISH, True), (REOPEN, False)):
        start = bare.take(verb)
        meant = meant_at(start, scene) if start is not None else None
        if meant is not None:
            return _ticked(meant, done=done, scene=scene)
    return None


def _ticked(meant: Meant, *, done: bool, scene: Scene) -> Planned:
    told = say("Mark the card as done") if done else say("Mark the card as not done")
    again = f"mark {{}} as {'' if done else 'not '}done"
    return _one(meant, again, scene, calls.call(CHANGE, told, done=done))


def _renamed(bare: Tail, scene: Scene) -> PlannerOutput | None:
    for verb, field, told in (
        (RENAME, "name", say("Rename the card")),
        (DESCRIBE, "description", say("Describe the card")),
    ):
        start = bare.take(verb)
        split = start.find(INTO) if start is not None else None
        if split is None or split[1].done:
            continue
        meant = meant_at(split[0], scene)
        if meant is not None:
            said = content(split[1].past(phrases(":")))
            text = one_line(said).strip('"“”„«»') if field == "name" else said
            again = f"{bare.until(start).text if start else ''} {{}} to {_quoted(split[1].text)}"
            return _one(meant, again, scene, calls.call(CHANGE, told, **{field: text}))
    return None


def _commented(bare: Tail, scene: Scene) -> PlannerOutput | None:
    start = bare.take(SAY_ON)
    split = start.find(COLON) if start is not None else None
    if split is None or split[1].done:
        return None
    meant = meant_at(split[0], scene)
    if meant is None:
        return None
    again = f"comment on {{}}: {_quoted(split[1].text)}"
    return _one(meant, again, scene, calls.call(COMMENT, say("Comment on the card"), text=content(split[1])))


def _deleted(bare: Tail, scene: Scene) -> PlannerOutput | None:
    start = bare.take(DELETE_VERB)
    meant = meant_at(start, scene) if start is not None else None
    if meant is None or start is None:
        return None
    if meant.every is not None:
        archive = [choice(say("Archive them"), f"archive {start.text}")]
        raise Asking(say("I delete one card at a time, for that is for good. Shall I archive them?"), archive)
    return _one(meant, "delete {}", scene, calls.call(DELETE, say("Delete the card for good")))
