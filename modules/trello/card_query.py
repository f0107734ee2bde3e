"""Selects and lists cards: list by list, since Trello refuses to return all cards of a huge board.

A page ends where Trello's answer ends, at a thousand cards. The next one begins at the second of the oldest card so
far, and skips cards of that second that were seen: many cards may be created in one second.
"""

from collections.abc import AsyncGenerator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Protocol
from zoneinfo import ZoneInfo

from pydantic import AwareDatetime

from butler.contract.errors import IntegrationErrorCode
from butler.contract.records import ClosedRecord
from butler.contract.speech import say
from butler.contract.title_words import begins_a_word, has_words
from modules.trello import records as r
from modules.trello.account_calls import Account, not_done
from modules.trello.args import ME
from modules.trello.naming import (
    folded,
    label_name,
    labels_called,
    members_called,
    members_of,
    no_such_label,
    one_board,
    one_list,
    one_member,
)
from modules.trello.resolved_names import ResolvedNames

A_SECOND = timedelta(seconds=1)


class Selection(Protocol):
    """The criteria for cards, in reading and in acting tools."""

    @property
    def board(self) -> str: ...
    @property
    def in_list(self) -> str: ...
    @property
    def label(self) -> str: ...
    @property
    def words(self) -> str: ...
    @property
    def assigned(self) -> str: ...
    @property
    def due_before(self) -> datetime | None: ...
    @property
    def overdue(self) -> bool: ...


class Kept(ClosedRecord):
    """Cards that are left out: those with any of the labels, lists or members, or with all of the words."""

    labels: tuple[str, ...] = ()
    lists: tuple[str, ...] = ()
    members: tuple[str, ...] = ()
    words: str = ""

    def holds(self, card: r.Card) -> bool:
        """Return whether a card is one of them."""
        return (
            any(label.id in self.labels for label in card.labels)
            or card.list_id in self.lists
            or any(member in self.members for member in card.members)
            or (bool(self.words) and has_words(self.words, card.name))
        )


class CardQuery(ClosedRecord):
    """The criteria with resolved names, as stored."""

    lists: tuple[str, ...]
    archived: bool = False
    labels: tuple[str, ...] | None = None
    """A card has to have one of these labels."""
    member: str = ""
    words: tuple[str, ...] = ()
    """Each word has to begin a word of a card's name or description."""
    due_before: AwareDatetime | None = None
    overdue_at: AwareDatetime | None = None
    kept: tuple[Kept, ...] = ()

    def holds(self, card: r.Card) -> bool:
        """Return whether a card meets the criteria."""
        text = f"{card.name}\n{card.description}".casefold()
        return (
            card.closed is self.archived
            and (self.labels is None or any(label.id in self.labels for label in card.labels))
            and (not self.member or self.member in card.members)
            and all(begins_a_word(word, text) for word in self.words)
            and (self.due_before is None or (card.due is not None and card.due < self.due_before))
            and (self.overdue_at is None or (card.due is not None and card.due < self.overdue_at and not card.done))
            and not any(one.holds(card) for one in self.kept)
        )


class ListPosition(ClosedRecord):
    """A listing's position: the list, the moment before which to go on, and the cards of that second already seen."""

    at: int = 0
    before: AwareDatetime | None = None
    seen: tuple[str, ...] = ()


async def scope(
    account: Account, said: Selection, meant: ResolvedNames | None = None, *, loose: bool = False
) -> tuple[list[r.Board], list[r.BoardList]]:
    """Return the boards and lists to search; `loose` is for reads only. Raise `ValueError`."""
    meant = meant or ResolvedNames()
    boards = await account.boards()
    if not boards:
        raise ValueError(say("you have no open board on Trello"))
    if said.board:
        boards = [one_board(boards, said.board, loose=loose)]
        meant.note(said.board, boards[0].name)
    if not said.in_list:
        return boards, [one for board in boards for one in board.lists]
    found = one_list(boards, said.in_list, loose=loose)
    meant.note_list(said.in_list, found, boards)
    return [board for board in boards if board.id == found.board_id], [found]


async def query_of(
    account: Account,
    said: Selection,
    where: tuple[Sequence[r.Board], Sequence[r.BoardList]],
    meant: ResolvedNames | None = None,
    *,
    zone: ZoneInfo,
    now: datetime,
    archived: bool = False,
    loose: bool = False,
    keep: Sequence[str] = (),
) -> CardQuery:
    """Return the criteria with names resolved within these boards and lists; raise `ValueError`."""
    boards, lists = where
    meant = meant or ResolvedNames()
    member = await one_member(account, boards, said.assigned, loose=loose) if said.assigned else None
    labels = await _labels(account, boards, said.label, loose=loose) if said.label else None
    meant.note_person(said.assigned, member)
    meant.note(said.label, *(label_name(label) for label in labels or ()))
    return CardQuery(
        lists=tuple(one.id for one in lists),
        archived=archived,
        labels=tuple(label.id for label in labels) if labels is not None else None,
        member=member.id if member is not None else "",
        words=tuple(said.words.casefold().split()),
        due_before=said.due_before.replace(tzinfo=zone) if said.due_before else None,
        overdue_at=now if said.overdue else None,
        kept=await _kept(account, boards, lists, keep, meant) if keep else (),
    )


async def _kept(
    account: Account,
    boards: Sequence[r.Board],
    lists: Sequence[r.BoardList],
    keep: Sequence[str],
    meant: ResolvedNames,
) -> tuple[Kept, ...]:
    """Return the cards that names stand for: of labels, lists or members, and those whose own name has the words.

    Of several things with a name, all are kept.
    """
    labels = [label for board in boards for label in await account.labels(board.id)]
    members = await members_of(account, boards)
    found: list[Kept] = []
    for said in keep:
        of_me = folded(said) == ME
        people = [await account.me()] if of_me else members_called(members, said)
        called, named = labels_called(labels, said), [one for one in lists if folded(one.name) == folded(said)]
        if not of_me:
            meant.note(said, *(one.name for one in people), *map(label_name, called))
        found.append(
            Kept(
                labels=tuple(one.id for one in called),
                lists=tuple(one.id for one in named),
                members=tuple(one.id for one in people),
                words="" if of_me else said,
            )
        )
    return tuple(found)


async def _labels(account: Account, boards: Sequence[r.Board], said: str, *, loose: bool) -> list[r.Label]:
    by_board = [await account.labels(board.id) for board in boards]
    found = [label for labels in by_board for label in labels_called(labels, said, loose=loose)]
    if not found:
        raise no_such_label([label for labels in by_board for label in labels], said)
    return found


async def next_page(account: Account, query: CardQuery, spot: ListPosition) -> tuple[list[r.Card], ListPosition | None]:
    """Return the matching cards of one answer, and the position of the next page; None at the end."""
    if spot.at >= len(query.lists):
        return [], None
    filter_ = "closed" if query.archived else "open"
    asked = {"id": query.lists[spot.at], "filter": filter_, "before": spot.before, "texts": bool(query.words)}
    page = (await account.ask(r.CARDS, r.Cards, asked)).cards
    found = [card for card in page if card.id not in spot.seen and query.holds(card)]
    if len(page) < r.MOST_LISTED:
        following = ListPosition(at=spot.at + 1)
        return found, following if following.at < len(query.lists) else None
    oldest = min(made_at(card.id) for card in page)
    before = oldest + A_SECOND
    if before == spot.before:
        text = say("more than a thousand cards of a list were made in one second; Trello does not list them")
        raise not_done(IntegrationErrorCode.REJECTED, text)
    seen = tuple(card.id for card in page if made_at(card.id) == oldest)
    return found, ListPosition(at=spot.at, before=before, seen=seen)


async def every_card(account: Account, query: CardQuery) -> AsyncGenerator[r.Card]:
    """Yield all matching cards."""
    spot: ListPosition | None = ListPosition()
    while spot is not None:
        found, spot = await next_page(account, query, spot)
        for card in found:
            yield card


def made_at(card_id: str) -> datetime:
    """Return the second in which a card was created, with which its id begins."""
    return datetime.fromtimestamp(int(card_id[:8], 16), UTC)
