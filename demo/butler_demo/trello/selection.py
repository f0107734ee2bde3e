"""Which of many cards and actions a request means: filters, pages by id or date, and no more than fit an answer."""

import re
from collections.abc import Iterable
from datetime import UTC, datetime

from butler_demo.trello.errors import TrelloError, invalid_value, not_in_stand_in
from butler_demo.trello.ids import first_of
from butler_demo.trello.records import Action, Card

_ID = re.compile(r"[0-9a-f]{24}")


def page_of_cards(cards: list[Card], chosen: str, ends: tuple[str, str], limit: int | None, most: int) -> list[Card]:
    """Return the newest cards of a filter between both `ends`, since and before, in their own order.

    Raises TrelloError 403 where they are more than `most` and no limit was asked for.
    """
    if chosen not in {"all", "open", "closed"}:
        raise not_in_stand_in(f"the filter {chosen} of cards")
    shown = [card for card in cards if chosen == "all" or card.closed == (chosen == "closed")]
    ids = _between([card.id for card in shown], *ends)
    if limit is None and len(ids) > most:
        message = "Requested too many cards, please use limit and paging"
        raise TrelloError(403, message, "API_TOO_MANY_CARDS_REQUESTED")
    newest = set(ids[-(limit or most) :])
    return [card for card in shown if card.id in newest]


def page_of_actions(actions: Iterable[Action], chosen: str, since: str, limit: int) -> list[Action]:
    """Return the actions of one type, or of all where none is named, after an id or date, newest first."""
    found = {action.id: action for action in actions if chosen in ("", action.type)}
    return [found[action_id] for action_id in reversed(_between(found, since, ""))][:limit]


def _between(ids: Iterable[str], since: str, before: str) -> list[str]:
    """Return the ids between two ids or dates, in order of time; an empty end is none."""
    first, last = _bound(since, "since"), _bound(before, "before")
    return sorted(one for one in ids if one > first and (not last or one < last))


def _bound(text: str, name: str) -> str:
    if not text or _ID.fullmatch(text):
        return text
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise invalid_value(name) from None
    return first_of(moment if moment.tzinfo else moment.replace(tzinfo=UTC))
