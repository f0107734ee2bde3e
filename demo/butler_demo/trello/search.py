"""The search: cards that hold all the words, on the reader's boards."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

from butler_demo.trello.call import Call
from butler_demo.trello.errors import not_in_stand_in
from butler_demo.trello.records import Board, Card, Json
from butler_demo.trello.state import State
from butler_demo.trello.views import card_view, select

_USUAL_CARDS = 10
_TERM = re.compile(r'-?(?:[a-z]+:)?"[^"]*"|\S+')
_WORD = re.compile(r"\w+")
_Test = Callable[[Card], bool]


def search(call: Call) -> Json:
    """Cards in the order of their last activity, the latest first. Other kinds of things are never found."""
    state = call.state
    kinds = {kind.strip() for kind in call.text("modelTypes", "all").split(",")}
    terms = _TERM.findall(call.text("query"))
    meaning = _Terms(state, call.member_id, call.flag("partial"))
    tests = [meaning.test(term) for term in terms]
    boards = [board for board in state.boards_of(call.member_id) if _asked(board, call)]
    found: list[Card] = []
    if kinds & {"all", "cards"}:
        cards = (card for board in boards for card in state.cards_of_board(board.id))
        found = [card for card in cards if all(test(card) for test in tests)]
    found.sort(key=lambda card: (card.last_activity, card.id), reverse=True)
    size = call.size("cards_limit", _USUAL_CARDS)
    first = (call.number("cards_page") or 0) * size
    shown = found[first : first + size]
    views = [select(card_view(card, state), call.text("card_fields"), "card_fields") for card in shown]
    options: Json = {"terms": [{"text": term} for term in terms], "modelTypes": sorted(kinds), "partial": False}
    nothing: Json = {"boards": [], "organizations": [], "members": [], "actions": []}
    return {"options": options, "cards": views, **nothing}


def _asked(board: Board, call: Call) -> bool:
    wanted = cast("list[str]", call.parameters.get("idBoards", []))
    return not board.closed and (not wanted or "mine" in wanted or board.id in wanted)


@dataclass(frozen=True)
class _Terms:
    """Makes tests of terms; `partial` lets a word's beginning do."""

    state: State
    reader: str
    partial: bool

    def test(self, term: str) -> _Test:
        """Return whether a card is what a term asks for."""
        if term.startswith("-"):
            inner = self.test(term[1:])
            return lambda card: not inner(card)
        if term.startswith("@"):
            member = self.reader if term == "@me" else self.state.member(term[1:], self.reader).id
            return lambda card: member in card.member_ids
        operator, colon, value = term.partition(":")
        return self._operator(operator, value.strip('"').lower()) if colon else self._words(term)

    def _operator(self, operator: str, value: str) -> _Test:
        state = self.state
        match operator:
            case "is" if value in {"open", "archived"}:
                return lambda card: card.closed == (value == "archived")
            case "board":
                return lambda card: value in {card.board_id, state.boards[card.board_id].name.lower()}
            case "list":
                return lambda card: value in state.lists[card.list_id].name.lower()
            case "label":
                return lambda card: any(
                    value in {state.labels[each].name.lower(), state.labels[each].color} for each in card.label_ids
                )
            case _:
                raise not_in_stand_in(f"the search operator {operator}:{value}")

    def _words(self, term: str) -> _Test:
        words = _WORD.findall(term.lower())

        def holds(card: Card) -> bool:
            own = _WORD.findall(f"{card.name} {card.desc}".lower())
            return all(word in own or (self.partial and any(each.startswith(word) for each in own)) for word in words)

        return holds
