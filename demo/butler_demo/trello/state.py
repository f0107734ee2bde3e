"""Everything the stand-in remembers, found by id; what is done to it is in editing.py."""

from collections import defaultdict
from collections.abc import Callable, Iterable
from datetime import datetime

from butler_demo.trello.errors import not_found, unauthorized
from butler_demo.trello.ids import ObjectIds, short_link
from butler_demo.trello.records import Action, Board, Card, CardList, Json, Label, Member


class State:
    """The rows. `now` returns the aware time of the stand-in's clock."""

    def __init__(self, now: Callable[[], datetime]) -> None:
        self.now = now
        self.ids = ObjectIds()
        self.members: dict[str, Member] = {}
        self.boards: dict[str, Board] = {}
        self.lists: dict[str, CardList] = {}
        self.labels: dict[str, Label] = {}
        self.cards: dict[str, Card] = {}
        self.actions: defaultdict[str, list[Action]] = defaultdict(list)
        self.cards_at_once = 1000
        """How many cards an answer holds where no limit is asked for."""
        self._in_list: defaultdict[str, dict[str, Card]] = defaultdict(dict)
        self._links: dict[str, str] = {}

    def member_id(self, name_or_id: str) -> str:
        """Return the id of a member. Raises KeyError."""
        named = {member.username: member.id for member in self.members.values()}
        return name_or_id if name_or_id in self.members else named[name_or_id]

    # What the API finds: TrelloError 404 for what is not there, 401 for what is another's

    def board(self, key: str, reader: str) -> Board:
        """The board of an id or a short link, if it is one of the reader's."""
        return self._allowed(self._links.get(key, key), reader, "")

    def card_list(self, list_id: str, reader: str) -> CardList:
        """The list of an id, if it is on one of the reader's boards."""
        if (found := self.lists.get(list_id)) is None:
            raise not_found()
        self._allowed(found.board_id, reader, "list")
        return found

    def card(self, key: str, reader: str) -> Card:
        """The card of an id or a short link, if it is on one of the reader's boards."""
        if (found := self.cards.get(self._links.get(key, key))) is None:
            raise not_found()
        self._allowed(found.board_id, reader, "card")
        return found

    def _allowed(self, board_id: str, reader: str, what: str) -> Board:
        if (board := self.boards.get(board_id)) is None:
            raise not_found()
        if reader not in board.member_ids:
            raise unauthorized(what)
        return board

    # What belongs together

    def lists_of(self, board_id: str) -> list[CardList]:
        """The lists of a board, from left to right."""
        return sorted(
            (each for each in self.lists.values() if each.board_id == board_id), key=lambda each: (each.pos, each.id)
        )

    def labels_of(self, board_id: str) -> list[Label]:
        """The labels of a board, oldest first."""
        return [label for label in self.labels.values() if label.board_id == board_id]

    def cards_of_list(self, list_id: str) -> list[Card]:
        """The cards of a list, archived ones too, from top to bottom."""
        return sorted(self._in_list[list_id].values(), key=lambda card: (card.pos, card.id))

    def cards_of_board(self, board_id: str) -> list[Card]:
        """The cards of a board, archived ones too, list by list."""
        return [card for each in self.lists_of(board_id) for card in self.cards_of_list(each.id)]

    def highest_position(self, list_id: str) -> float:
        """The position of a list's topmost card."""
        return min((card.pos for card in self._in_list[list_id].values()), default=self.lists[list_id].lowest_free)

    # Rows that come and go

    def add_board(self, name: str, member_ids: Iterable[str]) -> Board:
        """A new board; the first member owns it."""
        board_id = self.ids.new(self.now())
        board = Board(board_id, short_link(board_id), name, list(dict.fromkeys(member_ids)))
        self.boards[board_id] = board
        self._links[board.link] = board_id
        return board

    def put_card(self, card: Card) -> None:
        """Store a card that is new."""
        self.cards[card.id] = card
        self._links[card.link] = card.id
        self._in_list[card.list_id][card.id] = card

    def rehang(self, card: Card, list_id: str) -> None:
        """Let a card hang in another list."""
        del self._in_list[card.list_id][card.id]
        self._in_list[list_id][card.id] = card
        card.list_id = list_id
        card.board_id = self.lists[list_id].board_id

    def remove_card(self, card: Card) -> None:
        """Forget a card for good; its actions stay in the log."""
        del self.cards[card.id], self._links[card.link], self._in_list[card.list_id][card.id]

    def log(
        self, kind: str, member_id: str, board_id: str, data: Json, *, card_id: str = "", at: datetime | None = None
    ) -> Action:
        """Write a line into a board's log; `at` is now unless it is said."""
        at = at or self.now()
        action = Action(self.ids.new(at), kind, member_id, card_id, at, data)
        self.actions[board_id].append(action)
        return action
