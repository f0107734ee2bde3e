"""Finds the lists and boards in a request about cards, and which of them are the source and the target."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from butler.orchestrator.understanding.act_words import A_LIST, only, words
from butler.orchestrator.understanding.boards.board_words import group
from butler.orchestrator.understanding.people.who import AND
from butler.orchestrator.understanding.said import Said, bare
from butler.understanding.marked import SlotWords

NOUN = re.compile(
    rf"\s*(?:{A_LIST}|{group('board_at_end')})$|^{group('article')}\s+|^(?:{A_LIST}|{group('board')})\s+",
    re.IGNORECASE,
)
LIST_NOUN = re.compile(rf"\b{A_LIST}\b", re.IGNORECASE)
BOARD_NOUN = re.compile(rf"\s*-?{group('board')}\b", re.IGNORECASE)
EVERYTHING = re.compile(
    rf"^{group('everything')}(?: {group('behind_everything')})*\s+{group('in')}\s+(.+)$", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Places:
    """The lists and boards that hold cards, and those to move them to."""

    in_list: str = ""
    board: str = ""
    to_list: str = ""
    to_board: str = ""

    def where(self) -> dict[str, Any]:
        """Return the source as the tools take it."""
        return {name: value for name, value in (("in_list", self.in_list), ("board", self.board)) if value}

    def there(self) -> dict[str, Any]:
        """Return the target as the tool takes it."""
        return {name: value for name, value in (("to_list", self.to_list), ("to_board", self.to_board)) if value}


def places(said: Said) -> Places:
    """Return the list and board of the cards in the request."""
    lists, boards = _named(said)
    return Places(_name(lists[:1]), _name(boards[:1]))


def moving(said: Said) -> Places:
    """Return the source and target of a move: by the words before two lists, else by their order."""
    lists, boards = _marked(said, "list"), _marked(said, "board")
    before, after = _ways(said, lists)
    if before:
        origin, goal = _ways(said, boards)
        # `from Doing to Done on Home`: both lists are of this board.
        return Places(_name(before), _name(origin or goal), _name(after), _name(goal) if origin else "")
    return Places(to_list=_name(after), to_board=_name(boards[-1:]), board=_name(boards[:-1]))


def everything_in(said: Said) -> str:
    """Return the list within words such as `everything in Done`; empty without one."""
    found = next((found for one in said.request.words("ref") if (found := EVERYTHING.match(bare(one)))), None)
    return NOUN.sub("", bare(found[1])) if found is not None else ""


def labels_in(said: Said) -> list[str]:
    """Return the labels, including one that was marked as a list: `the cards with the label [done](list)`."""
    return [one.text for one in said.request.slots if one.slot == "label" or _is_label(said, one)]


def is_label_of_cards(said: Said, one: SlotWords, labels: Sequence[SlotWords]) -> bool:
    """Return whether one of several labels is of the cards that are meant: `label all cards tagged [bug] as [urgent]`.

    One that an `and` joins to the next is given like that.
    """
    if not _stands_behind("labelled", said, one):
        return False
    text = said.request.text
    return any(
        other is not one and AND.fullmatch(text[min(one.end, other.end) : max(one.start, other.start)]) is None
        for other in labels
    )


def _is_label(said: Said, one: SlotWords) -> bool:
    return one.slot == "list" and _stands_behind("labelled", said, one)


def _marked(said: Said, slot: str) -> list[SlotWords]:
    found: list[SlotWords] = []
    for one in sorted(said.request.slots, key=lambda one: one.start):
        if one.slot != slot or not bare(one.text) or _is_label(said, one):
            continue
        before = found[-1] if found else None
        joined = f"{before.text} {one.text}" if before is not None and one.start - before.end == 1 else ""
        if before is not None and only("usual_lists", joined):
            # `To` `Do` is one name.
            found[-1] = SlotWords(slot, joined, before.start, one.end)
        else:
            found.append(one)
    return [one for one in found if not only("to_place", one.text)] or found


def _name(marked: list[SlotWords]) -> str:
    if not marked:
        return ""
    name = bare(marked[0].text)
    while (shorter := NOUN.sub("", name, count=1).strip()) != name and shorter:
        name = shorter
    return name


def _named(said: Said) -> tuple[list[SlotWords], list[SlotWords]]:
    """Return lists and boards; a board may have been marked as a list."""
    lists, boards = _marked(said, "list"), _marked(said, "board")
    if boards or not lists:
        return lists, boards
    there = [one for one in lists if _is_board(said, one)]
    if len(lists) > 1 and len(there) != 1:
        unusual = [one for one in lists if not only("usual_lists", _name([one]))]
        there = unusual if len(unusual) == 1 else lists[1:2]
    return [one for one in lists if one not in there], there


def _is_board(said: Said, one: SlotWords) -> bool:
    """Return whether words name a board: `on Flat`, `the Flat board`; lists say `list` or have a usual name."""
    text = said.request.text
    if BOARD_NOUN.match(text[one.end :]) or BOARD_NOUN.search(one.text):
        return True
    if LIST_NOUN.search(one.text) or LIST_NOUN.search(text[max(one.start - 12, 0) : one.start]):
        return False
    if LIST_NOUN.match(text[one.end :].lstrip()):
        return False
    return _stands_behind("on_board", said, one) and not only("usual_lists", _name([one]))


def _stands_behind(kind: str, said: Said, one: SlotWords) -> bool:
    """Return whether words of a kind come right before a slot."""
    before = said.request.text[: one.start].rstrip(" \"'“„«")
    return any(match.end() == len(before) for match in words(kind).finditer(before))


def _ways(said: Said, marked: list[SlotWords]) -> tuple[list[SlotWords], list[SlotWords]]:
    """Return the source and the target, each at most one."""
    if len(marked) < 2:  # noqa: PLR2004 - one alone is where they go
        return [], marked
    first, second = marked[:2]
    turned = _stands_behind("to_place", said, first) and not _stands_behind("to_place", said, second)
    turned = turned or (_stands_behind("from_place", said, second) and not _stands_behind("from_place", said, first))
    return ([second], [first]) if turned else ([first], [second])
