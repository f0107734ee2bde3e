"""New cards and lists: `add a card Buy paint to To Do on Home, due Friday`, `create a list Ideas on Home`."""

from dataclasses import dataclass, field, replace
from typing import Any

from butler.contract.speech import phrase, say
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.embedded.card_words import (
    BOARD,
    LIST,
    PREFIX,
    THE,
    Which,
    name_at,
    need,
    place_at,
)
from butler.orchestrator.embedded.deadlines import due_at
from butler.orchestrator.embedded.lexer import Tail, phrases
from butler.orchestrator.embedded.people import person_at
from butler.orchestrator.embedded.say import capital, content, one_line
from butler.orchestrator.embedded.scene import Scene
from butler.orchestrator.planning.plan_types import PlannerOutput

CREATE, CREATE_LIST = f"{PREFIX}create_card", f"{PREFIX}create_list"
MAKE = "(add|create|make|put|open|write|new)"
CARD = phrases(
    f"{MAKE} [me] [a|an|another|the] [new] [trello] (card|ticket) [called|named|titled|saying|for] [:]",
    "(add|create|make|new) [a|another] [new] task [on trello|in trello] [called|named] [:]",
    "new [trello] (card|task) [:]",
)  # fmt: skip
ADD = phrases("(add|put)")
PLEASE = phrases(", please", "please")
NEW_LIST = phrases(f"{MAKE} [a|an|another] [new] [trello] (list|column) [called|named] [:]")
NO_LIST = phrases("of", "with", "for")
INTO = phrases("(to|in|into|on|onto|under)")
ON_BOARD = phrases("(on|to|in) [the|my] [board]")
TOP, BOTTOM = phrases("(at|to|on) the top"), phrases("(at|to) the (bottom|end)")
DESCRIBED = phrases("[,] with [the|a] (description|text|note) [:]", "[,] (description|text|note) :")
LABELLED = phrases("[,|and] (labelled|labeled|tagged|label it|tag it) [as|with]", "[,] with [the] label [of]")
ASSIGNED = phrases("[,|and] (assigned to|assign it to|assign to|for)")
JOINT = phrases(",", "and")
MARK = phrases("(to|in|into|on|onto|under) (the|my) (list|column|board)", "(on|to) (trello|my trello)")
WHERE = phrase("Which list shall it go to? Say it like “add a card Buy paint to the list To Do”.")
WHAT = phrase("What shall be on the card? Say it like “add a card Buy paint to the list To Do”.")


@dataclass(frozen=True, slots=True)
class New:
    """What was understood of a card that is to be made."""

    name: str = ""
    which: Which = field(default_factory=Which)
    due: str = ""
    labels: tuple[str, ...] = ()
    assign: tuple[str, ...] = ()
    description: str = ""
    position: str = ""


def make_card(tail: Tail, scene: Scene) -> PlannerOutput | None:
    """Read a request for a new card or list; None where it is none."""
    bare = tail.bare().without_end(PLEASE)
    if (start := bare.take(NEW_LIST)) is not None and not start.done and start.take(NO_LIST) is None:
        return _list(start, scene)
    start = bare.take(CARD)
    if start is None:
        return _onto_a_list(bare, scene)
    need(CREATE, scene)
    if start.done:
        raise Asking(say(WHAT))
    new = _new(start, scene)
    if new is None:
        return None
    if not (new.which.in_list or new.which.board):
        raise Asking(say(WHERE))
    return _plan(new)


def _list(start: Tail, scene: Scene) -> PlannerOutput | None:
    split = start.find(ON_BOARD)
    name = one_line((split[0] if split else start).text.strip('"“”„«» '))
    board, after = name_at(split[1], scene) if split else ("", start)
    if not name or not scene.has(CREATE_LIST) or (split and not after.past(BOARD).done):
        return None
    where = {"board": board} if board else {}
    return calls.plan(calls.call(CREATE_LIST, say("Make the list “{name}”", name=name), name=capital(name), **where))


def _onto_a_list(bare: Tail, scene: Scene) -> PlannerOutput | None:
    """`add Buy paint to the list To Do`, `put Buy paint on my Home board`: only where a list or a board is named."""
    start = bare.take(ADD)
    if start is None or not scene.has(CREATE):
        return None
    words = {token.word for token in start.tokens[start.at : start.end]}
    if not words & {"list", "column", "board", "trello"}:
        return None
    new = _new(start, scene)
    said = new is not None and (new.which.in_list or new.which.board)
    if new is None or not said or not _marked(start):
        return None
    return _plan(new)


def _marked(start: Tail) -> bool:
    """Whether a place is called a list or a board, as on Trello: `the shopping list` may be a note."""
    here = start
    while not here.done:
        if here.take(MARK) is not None or here.word() == "board":
            return True
        here = here.skip()
    return False


def _new(start: Tail, scene: Scene) -> New | None:
    if (quoted := start.quoted()) is not None:
        return _parts(New(name=one_line(quoted[0])), quoted[1], scene)
    for at in _ends(start):
        name = one_line(replace(start, end=at).text.strip(",;: "))
        new = _parts(New(name=capital(name)), replace(start, at=at), scene) if name else None
        if new is not None:
            return new
    return None


def _ends(start: Tail) -> list[int]:
    """Where the name may end, the likeliest first: before the last small `to` or `in` that a list follows."""
    places = [
        at
        for at in range(start.at + 1, start.end)
        if replace(start, at=at).take(INTO) is not None and start.source[start.tokens[at].start].islower()
    ]
    places = [at for at in places if start.tokens[at - 1].word not in {"to", "assigned", "assign", "it"}]
    comma = next((at for at in range(start.at, start.end) if start.tokens[at].word == ","), start.end)
    places = [at for at in places if at < comma] or places
    marks = [at for at in range(start.at + 1, start.end) if start.tokens[at].word == ","]
    onto = [at for at in places if start.tokens[at].word != "on"]
    on = [at for at in places if start.tokens[at].word == "on"]
    return [*reversed(onto), *reversed(on), *marks, start.end]


def _parts(new: New, rest: Tail, scene: Scene) -> New | None:
    here = rest
    while not here.done:
        found = _part(new, here, scene)
        if found is None:
            joint = here.take(JOINT)
            found = _part(new, joint, scene) if joint is not None else None
        if found is None or found[1].at <= here.at:
            return None
        new, here = found
    return new


def _part(new: New, here: Tail, scene: Scene) -> tuple[New, Tail] | None:
    for words, position in ((TOP, "top"), (BOTTOM, "bottom")):
        if (after := here.take(words)) is not None and not new.position:
            return replace(new, position=position), after.past(phrases("of"))
    return _more(new, here, scene) or _due(new, here, scene) or _into(new, here, scene)


def _due(new: New, here: Tail, scene: Scene) -> tuple[New, Tail] | None:
    found = due_at(here, scene) if not new.due else None
    return (replace(new, due=found[0]), found[1]) if found else None


def _more(new: New, here: Tail, scene: Scene) -> tuple[New, Tail] | None:
    if (start := here.take(DESCRIBED)) is not None and not start.done:
        return replace(new, description=content(start)), replace(start, at=start.end)
    if (start := here.take(LABELLED)) is not None and not start.done:
        name, end = name_at(start.past(THE), scene)
        return (replace(new, labels=(*new.labels, name)), end) if name else None
    start = here.take(ASSIGNED)
    if start is None or start.done:
        return None
    if start.word() in {"me", "myself"}:
        return replace(new, assign=(*new.assign, "me")), start.skip()
    person = person_at(start, scene)
    return (replace(new, assign=(*new.assign, person[0].name)), person[1]) if person else None


def _into(new: New, here: Tail, scene: Scene) -> tuple[New, Tail] | None:
    into = here.take(phrases("(to|in|into|onto|under)"))
    if into is not None and not into.done and not new.which.in_list:
        place = into.past(THE)
        if (boarded := place.take(BOARD)) is not None:
            name, end = name_at(boarded, scene)
            return (replace(new, which=replace(new.which, board=name)), end) if name else None
        name, end = name_at(place.past(LIST), scene)
        if end.take(BOARD) is not None and place.take(LIST) is None:
            return replace(new, which=replace(new.which, board=name)), end.past(BOARD)
        return (replace(new, which=replace(new.which, in_list=name)), end.past(LIST)) if name else None
    found = place_at(new.which, here, scene) if here.word() in {"on", "of"} else None
    return (replace(new, which=found[0]), found[1]) if found else None


def _plan(new: New) -> PlannerOutput:
    said: dict[str, Any] = {
        "name": new.name,
        "board": new.which.board,
        "in_list": new.which.in_list,
        "description": new.description,
        "due": new.due,
        "labels": list(new.labels),
        "assign": list(new.assign),
        "position": new.position,
    }
    args = {name: value for name, value in said.items() if value}
    return calls.plan(calls.call(CREATE, say("Add the card “{name}”", name=new.name), **args))
