"""Words for cards on boards, and for what was shown of them: `all cards in Doing`, `the card Buy paint`, `it`.

Names of boards, lists and labels are the owner's own, so they end only where something else begins that is understood.
"""

from dataclasses import dataclass, replace
from datetime import date, datetime, time
from typing import Any

from butler.contract.agents import PlanStep, When
from butler.contract.referents import ReferentKind
from butler.contract.speech import phrase, say
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.embedded.items import Rephrase, Spoken, find, item_at, last_shown_kind
from butler.orchestrator.embedded.lexer import Phrases, Tail, lex, phrases, word_set
from butler.orchestrator.embedded.people import person_at
from butler.orchestrator.embedded.say import one_line
from butler.orchestrator.embedded.scene import Scene, not_set_up
from butler.orchestrator.embedded.stretch import Stretch, stretch_at
from butler.orchestrator.planning.plan_types import Planned

PREFIX = "user_trello_"
BOARDS, CARDS, READ = f"{PREFIX}list_boards", f"{PREFIX}list_cards", f"{PREFIX}read_card"
NOUNS = "(cards|card|tasks|task|tickets|ticket)"
CARD = phrases(f"[the|this|that|my] {NOUNS}")
MANY = phrases("(cards|tasks|tickets)")
SINGLE = phrases("[the|my|this|that] (card|task|ticket) [called|named|titled|:]")
ALL = phrases("(all|every|each|any) [of] [the|my]", "(the|my|these|those)")
EVERYTHING = phrases("(everything|all)")
IN = phrases("(in|from|of|under|off|out of|on)")
THE = phrases("(the|my|our)")
LIST, BOARD = phrases("[trello] (list|column)"), phrases("[trello] board")
ON = phrases("(on|of|from|in)")
ABOUT = phrases("(about|containing|mentioning|called|named|regarding)", "(with|that have) the (word|words)")
LABELLED = phrases(
    "(labelled|labeled|tagged|marked) [as|with]", "(with|that have|bearing) [the] (label|tag)", "with the labels"
)  # fmt: skip
ASSIGNED = phrases("[that are] assigned to", "[that] (of|belong to)", "(that is|which are) on", "for")
MINE = phrases("(of mine|i am on|i'm on|assigned to me|for me)", "that are (mine|assigned to me)")
OVERDUE = phrases("[that are|which are] (overdue|late|past due|too late)")
DUE = phrases("[that are|which are|that is] due")
BEFORE = phrases("(before|by|until|till)", "up (to|until|till)")
MY = "my"
ARE = phrases("(are|is|that are|which are)", "do i have", "have i", "there", "are there")
TICKED = phrases("(done|completed|finished|open|undone|unfinished)")
JOINT = phrases("and", ",", "which", "that")
ON_TRELLO = phrases("(on|in|from) [my] (trello|boards)", "on my (boards|trello boards)")
USUAL = word_set(
    "todo to-do doing done backlog progress waiting review ideas blocked later testing next archive icebox"
)
"""Words of lists' names that need no `list` beside them."""
WHICH = phrase("Which cards do you mean? Say of which list or about what, like “archive all cards in the list Done”.")
DUE_BEFORE = phrase("I can tell apart only what is due before a day. Say it like “all cards due before Friday”.")
NOON = time(12)
MOST_NAME = 8
ONE = 1


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


@dataclass(frozen=True, slots=True)
class Meant:
    """Cards that something is done to: one that was shown, one to be looked for, or all of a kind."""

    shown: Spoken | None = None
    one: Which | None = None
    every: Which | None = None


def need(tool: str, scene: Scene) -> None:
    """Say that Trello is not set up, where it is not."""
    if not scene.has(tool):
        raise Asking(not_set_up(tool))


def boards_shown(scene: Scene) -> bool:
    """Whether what was replied to, or else shown last, is on a board."""
    return last_shown_kind(scene) in {ReferentKind.CARD, ReferentKind.BOARD}


def shown_at(tail: Tail, scene: Scene, kind: ReferentKind = ReferentKind.CARD) -> tuple[Spoken, Tail] | None:
    """A card that was shown: by its handle, by its place in the list, or as `it` where one was shown last."""
    if not (tail.word().startswith(f"{kind}-") or last_shown_kind(scene) is kind):
        return None
    nouns = phrases("(this|that|the) board") if kind is ReferentKind.BOARD else phrases("(this|that|the) (card|task)")
    if (after := tail.take(nouns)) is not None and after.done:
        return Spoken(kind=kind), after
    found = item_at(tail, scene)
    if found is None or found[0].kind not in {None, kind}:
        return None
    return replace(found[0], kind=kind), found[1].past(phrases("(card|task|board)"))


def meant_at(tail: Tail, scene: Scene) -> Meant | None:
    """The cards that all of these words are about; None where they are about something else."""
    here = tail.bare()
    shown = shown_at(here, scene)
    if shown is not None and shown[1].done:
        return Meant(shown=shown[0])
    if (which := cards_at(here, scene)) is not None:
        return Meant(every=which)
    named = here.take(SINGLE)
    if named is None or named.done:
        return None
    words, end = name_at(named, scene)
    found = filters(Which(words=words), end, scene) if words else None
    return Meant(one=found) if found is not None else None


def cards_at(tail: Tail, scene: Scene) -> Which | None:
    """`all overdue cards in Doing on Home`, `everything in the list Done`; None where it is something else."""
    here = tail.past(ALL)
    if (ticked := here.take(TICKED)) is not None and ticked.take(MANY) is not None:
        raise Asking(say(WHICH))
    late = here.take(OVERDUE)
    here = late if late is not None else here
    noun = here.take(MANY) if here.at > tail.at or here.take(MANY) else None
    if noun is None and tail.take(phrases(f"(every|each|any) {NOUNS}")) is not None:
        noun = tail.past(phrases(f"(every|each|any) {NOUNS}"))
    everything = tail.take(EVERYTHING) if noun is None else None
    start = noun if noun is not None else everything
    if start is None:
        return None
    # `my cards` are those that the owner is on; `everything on my board` are all of that board.
    mine = noun is not None and any(token.word == MY for token in tail.tokens[tail.at : noun.at])
    found = filters(Which(overdue=late is not None, assigned="me" if mine else ""), start, scene)
    if found is None or (noun is None and not _of_a_board(found, start, scene)):
        return None
    if found == Which():
        raise Asking(say(WHICH))
    return found


def _of_a_board(found: Which, start: Tail, scene: Scene) -> bool:
    """Whether `everything in Done` is about cards: mails and files have places of such names, too."""
    if not scene.has(CARDS) or not (found.in_list or found.board):
        return False
    if found.label and found.board and stretch_at(lex(found.board), scene.now()) is None:
        return True
    words = {token.word for token in start.tokens[start.at : start.end]}
    usual = set(found.in_list.casefold().split()) & USUAL or found.in_list.casefold() == "to do"
    return bool(boards_shown(scene) or words & {"list", "column", "board", "trello", "cards"} or usual)


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


@dataclass(frozen=True, slots=True)
class Found:
    """The card as a step refers to it, and the step that looks for it."""

    card: dict[str, Any]
    read: tuple[PlanStep, ...] = ()
    when: When | None = None

    def then(self, *steps: PlanStep) -> Planned:
        """The plan that does this to it."""
        if not self.read:
            return calls.plan(*steps)
        later = [step.model_copy(update={"when": self.when, "depends_on": [1]}) for step in steps]
        return calls.plan(*self.read, *later)


def reach(meant: Meant, scene: Scene, again: Rephrase) -> Found:
    """How one card is referred to; what was not shown is looked for, and only one that is found is meant."""
    if meant.shown is not None:
        referent = find(meant.shown, scene, again, frozenset({ReferentKind.CARD}))
        if referent is None:
            raise Asking(say(WHICH))
        return Found({"handle": referent.handle})
    assert meant.one is not None
    only = When(step_id=1, fact="count", is_="equal", value=ONE)
    return Found({"step": 1, "fact": "cards.0.card_id"}, (look(sure_of_due(meant.one)),), only)


def look(which: Which, **more: object) -> PlanStep:
    """The step that lists cards."""
    return calls.call(CARDS, say("Look at your boards"), **which.args(), **more)


def deadline(when: Stretch) -> str:
    """The moment that a card is due on a day: noon, as no other was said."""
    bound = when.since
    assert bound is not None
    return (bound if isinstance(bound, datetime) else datetime.combine(bound, NOON)).isoformat(timespec="minutes")
