"""Which of many cards and actions a request means: filters, pages by id or date, and no more than fit an answer."""

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Protocol, TypeVar

from butler_demo.trello.errors import invalid_value, too_many_cards
from butler_demo.trello.ids import is_id, made_at
from butler_demo.trello.records import Action, Card, read_moment
from butler_demo.trello.state import State


class _Made(Protocol):
    @property
    def id(self) -> str: ...


T = TypeVar("T", bound=_Made)


class Page:
    """The `before`, `since` and `limit` of a request, by an object's id or by a date."""

    def __init__(self, before: str, since: str, limit: int | None, *, coarse: bool) -> None:
        """With `coarse` an id stands for its second, so that a page loses what was made in the same second."""
        self.limit = limit
        self._coarse = coarse
        self._is_before = self._older(before) if before else _always
        self._is_since = self._newer(since) if since else _always

    def newest(self, rows: Iterable[T]) -> list[T]:
        """Return the newest rows that fit, oldest first."""
        fitting = sorted((row for row in rows if self.holds(row.id)), key=lambda row: row.id)
        return fitting if self.limit is None else fitting[max(0, len(fitting) - self.limit) :]

    def holds(self, object_id: str) -> bool:
        """Return whether the object lies within the dates asked for."""
        return self._is_before(object_id) and self._is_since(object_id)

    def _older(self, before: str) -> Callable[[str], bool]:
        if is_id(before):
            return (lambda own: own[:8] < before[:8]) if self._coarse else (lambda own: own < before)
        moment = _moment(before, "before")
        return lambda own: made_at(own) < moment

    def _newer(self, since: str) -> Callable[[str], bool]:
        if is_id(since):
            return lambda own: own > since
        moment = _moment(since, "since")
        return lambda own: made_at(own) >= moment


def _always(_: str) -> bool:
    return True


def _moment(text: str, name: str) -> datetime:
    try:
        return read_moment(text)
    except ValueError:
        raise invalid_value(name) from None


def chosen_cards(cards: Iterable[Card], chosen: str, page: Page, state: State) -> list[Card]:
    """Return the cards of a filter and page in their own order.

    Raises TrelloError 403 where they are more than an answer may hold and no limit was asked for.
    """
    fits = _CARD_FILTERS.get(chosen)
    if fits is None:
        raise invalid_value("filter")
    shown = [card for card in cards if fits(card, state)]
    ids = {card.id for card in page.newest(shown)}
    if len(ids) > state.cards_at_once and page.limit is None:
        raise too_many_cards()
    return [card for card in shown if card.id in ids]


def _visible(card: Card, state: State) -> bool:
    return not card.closed and not state.lists[card.list_id].closed


_CARD_FILTERS: dict[str, Callable[[Card, State], bool]] = {
    "all": lambda _card, _state: True,
    "none": lambda _card, _state: False,
    "open": lambda card, _: not card.closed,
    "closed": lambda card, _: card.closed,
    "visible": _visible,
    "complete": lambda card, state: _visible(card, state) and card.done,
    "incomplete": lambda card, state: _visible(card, state) and not card.done,
}


def chosen_actions(actions: Iterable[Action], chosen: str, page: Page) -> list[Action]:
    """Return the actions of a filter and page, newest first.

    A filter is `all` or names like `createCard` and `updateCard:idList`, with commas.
    """
    names = {name.strip() for name in chosen.split(",") if name.strip()}
    fitting = (action for action in actions if not names or "all" in names or names & _names(action))
    return page.newest(fitting)[::-1]


def _names(action: Action) -> set[str]:
    old = action.data.get("old", {})
    return {action.type, *(f"{action.type}:{field}" for field in old)}
