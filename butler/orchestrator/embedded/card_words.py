"""Which of many cards are meant: `in Doing`, `about the trip`, `assigned to Anna`, `due before Friday`.

Names of boards, lists and labels are the owner's own, so they end only where something else begins that is understood.
"""

from dataclasses import dataclass, replace
from datetime import date, datetime, time

from butler.contract.speech import phrase, say
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.embedded.lexer import Phrases, Tail, phrases
from butler.orchestrator.embedded.people import person_at
from butler.orchestrator.embedded.say import one_line
from butler.orchestrator.embedded.scene import Scene
from butler.orchestrator.embedded.stretch import stretch_at

IN = phrases("(in|from|of|under|off|out of|on)")
THE = phrases("(the|my|our)")
LIST, BOARD = phrases("[trello] (list|column)"), phrases("[trello] board")
ABOUT = phrases("(about|containing|mentioning|called|named|regarding)", "(with|that have) the (word|words)")
LABELLED = phrases(
    "(labelled|labeled|tagged|marked) [as|with]", "(with|that have|bearing) [the] (label|tag)", "with the labels"
)  # fmt: skip
ASSIGNED = phrases("[that are] assigned to", "[that] (of|belong to)", "(that is|which are) on", "for")
MINE = phrases("(of mine|i am on|i'm on|assigned to me|for me)", "that are (mine|assigned to me)")
OVERDUE = phrases("[that are|which are] (overdue|late|past due|too late)")
DUE = phrases("[that are|which are|that is] due")
BEFORE = phrases("(before|by|until|till)", "up (to|until|till)")
ARE = phrases("(are|is|that are|which are)", "do i have", "have i", "there", "are there")
JOINT = phrases("and", ",", "which", "that")
ON_TRELLO = phrases("(on|in|from) [my] (trello|boards)", "on my (boards|trello boards)")
DUE_BEFORE = phrase("I can tell apart only what is due before a day. Say it like “all cards due before Friday”.")
MOST_NAME = 8


@dataclass(frozen=True, slots=True)
class Which:
    """Which cards, as the tools take it."""

    board: str = ""
    in_list: str = ""
    label: str = ""
    words: str = ""
    assigned: str = ""
    due_before: str = ""
    due_from: date | None = None
    """Since when they are due, where a beginning was said; the tools cannot tell these apart."""
    overdue: bool = False

    def args(self) -> dict[str, object]:
        """Only what was said."""
        said: dict[str, object] = {
            "board": self.board,
            "in_list": self.in_list,
            "label": self.label,
            "words": self.words,
            "assigned": self.assigned,
            "due_before": self.due_before,
            "overdue": self.overdue,
        }
        return {name: value for name, value in said.items() if value}


def filters(which: Which, tail: Tail, scene: Scene) -> Which | None:
    """What is said of the cards, in any order; None where something else stands there."""
    here = tail
    while not here.done:
        found = _filter(which, here, scene)
        if found is None or found[1].at <= here.at:
            return None
        which, here = found
    return which


def _filter(which: Which, here: Tail, scene: Scene) -> tuple[Which, Tail] | None:
    for words, changed in ((OVERDUE, {"overdue": True}), (MINE, {"assigned": "me"}), (ON_TRELLO, {}), (ARE, {})):
        if (after := here.take(words)) is not None:
            return replace(which, **changed), after
    found = _due(which, here, scene) or _worded(which, here, scene) or place_at(which, here, scene)
    if found is not None:
        return found
    after = here.take(JOINT)
    return _filter(which, after, scene) if after is not None and not after.done else None


def _due(which: Which, here: Tail, scene: Scene) -> tuple[Which, Tail] | None:
    start = here.take(DUE)
    if start is None or which.due_before:
        return None
    by = start.take(BEFORE)
    found = stretch_at(start, scene.now()) or (stretch_at(by, scene.now()) if by is not None else None)
    if found is None or found[0].before is None:
        return None
    since = found[0].since if by is None else None
    due_from = _day(since) if since is not None else None
    return replace(which, due_before=moment(found[0].before), due_from=due_from), found[1]


def _day(bound: date | datetime) -> date:
    return bound.date() if isinstance(bound, datetime) else bound


def moment(bound: date | datetime) -> str:
    """As the tools take a time."""
    at = bound if isinstance(bound, datetime) else datetime.combine(bound, time(0))
    return at.isoformat(timespec="minutes")


def _worded(which: Which, here: Tail, scene: Scene) -> tuple[Which, Tail] | None:
    for words, name in ((LABELLED, "label"), (ABOUT, "words")):
        start = here.take(words)
        if start is not None and not start.done and not getattr(which, name):
            said, end = name_at(start.past(THE), scene)
            return (replace(which, **{name: said}), end) if said else None
    start = here.take(ASSIGNED)
    if start is None or which.assigned or start.done:
        return None
    person = person_at(start, scene)
    if person is None:
        return None
    return replace(which, assigned=person[0].name), person[1]


def sure_of_due(which: Which) -> Which:
    """The same, to act on; asks where a beginning was said, as all that was due earlier would be taken with it."""
    if which.due_from is not None:
        raise Asking(say(DUE_BEFORE))
    return which


def place_at(which: Which, here: Tail, scene: Scene) -> tuple[Which, Tail] | None:
    """`in Doing`, `in the list To Do`, `on my board Home`, `on the Home board`."""
    start = here.take(IN)
    if start is None or start.done:
        return None
    begun = start.past(THE)
    on = here.word() == "on"
    listed, boarded = begun.take(LIST), begun.take(BOARD)
    name, end = name_at(next(one for one in (listed, boarded, begun) if one is not None), scene)
    is_board = boarded is not None or end.take(BOARD) is not None
    is_list = listed is not None or end.take(LIST) is not None
    end = end.past(LIST).past(BOARD) if not (listed or boarded) else end
    if not name:
        return None
    if is_board or (not is_list and (on or which.in_list)):
        return (replace(which, board=name), end) if not which.board else None
    return (replace(which, in_list=name), end) if not which.in_list else None


def name_at(tail: Tail, scene: Scene) -> tuple[str, Tail]:
    """A name that stands here, in quotes or up to what is understood as something else; and what follows."""
    if (quoted := tail.quoted()) is not None:
        return one_line(quoted[0]), quoted[1]
    here = tail
    while not here.done and here.at - tail.at < MOST_NAME and not (here.at > tail.at and ends_name(here, scene)):
        if not any(map(str.isalnum, here.word())) and here.word() not in {"&", "-", "/", "+"}:
            break
        here = here.skip()
    return one_line(tail.until(here).text), here


OF_A_NEW = phrases(
    "[and] (assigned|assign it|label it|tag it)", "with (the|a) (description|text|note)", "(at|to) the (top|bottom|end)"
)
"""What may be said further of a card that is to be made."""
ENDING: tuple[Phrases, ...] = (OVERDUE, MINE, LABELLED, ABOUT, ON_TRELLO, LIST, BOARD, OF_A_NEW)


def ends_name(here: Tail, scene: Scene) -> bool:
    """Whether a name ends before these words."""
    if any(here.take(words) is not None for words in ENDING):
        return True
    start = here.take(phrases("(on|in|of|from)"))
    if start is not None and not start.done and here.written().islower():
        return True
    return here.take(DUE) is not None and _due(Which(), here, scene) is not None
