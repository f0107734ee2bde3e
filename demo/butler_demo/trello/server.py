"""A Trello stand-in on a loopback socket: stateful, strict, with limits and faults by order.

Every request and every answer is checked against the published description.
"""

from collections import deque
from collections.abc import Callable, Sequence
from datetime import datetime

from aiohttp import web

from butler_demo.faults import FaultOrders
from butler_demo.serving import HttpServer, utc_now
from butler_demo.trello.credentials import Credentials, TokenIssuer
from butler_demo.trello.dispatch import VERSION, CallRecord, Dispatcher, Fault
from butler_demo.trello.editing import Editor
from butler_demo.trello.errors import TrelloError
from butler_demo.trello.limits import LimitRules, Meter
from butler_demo.trello.operations import OPERATIONS
from butler_demo.trello.records import Json, Member
from butler_demo.trello.state import State
from butler_demo.trello.views import action_view, card_view, label_view, list_view


class TrelloServer(HttpServer):
    """The stand-in. Its methods raise KeyError for a member, board, list or card that is not there."""

    cancels_handlers = True

    def __init__(self, *, now: Callable[[], datetime] = utc_now) -> None:
        """Create a server without members. `now` returns aware times."""
        super().__init__()
        self._now = now
        self._state = State(now)
        self._editor = Editor(self._state)
        self._office = TokenIssuer()
        self._faults: FaultOrders[Fault] = FaultOrders()
        self._meter = Meter()
        self._dispatcher = Dispatcher(self._state, self._office, self._faults, self._meter, now)

    @property
    def url(self) -> str:
        """The address that stands for `https://api.trello.com/1/`."""
        return f"{super().url}{VERSION}/"

    # People and boards; every id that is returned is Trello's

    def add_member(self, username: str, full_name: str = "") -> str:
        """Let somebody have an account."""
        member = Member(self._state.ids.new(self._now()), username, full_name or username.capitalize())
        self._state.members[member.id] = member
        return member.id

    def add_board(self, name: str, owner: str, members: Sequence[str] = ()) -> str:
        """Open a board; `owner` and `members` are user names or ids."""
        ids = [self._state.member_id(each) for each in (owner, *members)]
        board = self._state.add_board(name, ids)
        self._state.log("createBoard", ids[0], board.id, {})
        return board.id

    def add_list(self, board_id: str, name: str) -> str:
        """Open a list to the right of the others."""
        board = self._state.boards[board_id]
        return self._editor.add_list(board, name, board.member_ids[0]).id

    def add_label(self, board_id: str, name: str, color: str | None = None) -> str:
        """Give a board a label; None is no colour."""
        return self._editor.add_label(board_id, name, color).id

    def add_card(
        self,
        list_id: str,
        name: str,
        *,
        desc: str = "",
        due: datetime | str | None = None,
        done: bool = False,
        closed: bool = False,
        labels: Sequence[str] = (),
        members: Sequence[str] = (),
        created: datetime | None = None,
        by: str = "",
    ) -> str:
        """Put a card at a list's end; labels are ids, members user names or ids.

        `created` (now) is told by the card's id; `by` (the board's owner) is who made it.
        """
        into = self._state.lists[list_id]
        fields: Json = {"name": name, "desc": desc, "due": due, "dueComplete": done, "closed": closed}
        fields |= {"idLabels": labels, "idMembers": [self._state.member_id(each) for each in members]}
        author = self._state.member_id(by) if by else self._state.boards[into.board_id].member_ids[0]
        return self._editor.add_card(into, fields, author, created).id

    def change_card(self, card_id: str, by: str, **fields: object) -> None:
        """Let somebody change a card meanwhile, with the fields of a PUT (`closed=True`, `idList=...`)."""
        self._editor.change_card(self._state.cards[card_id], dict(fields), self._state.member_id(by))

    def delete_card(self, card_id: str, by: str) -> None:
        """Let somebody delete a card for good."""
        self._editor.delete_card(self._state.cards[card_id], self._state.member_id(by))

    def archive_list(self, list_id: str, *, closed: bool = True) -> None:
        """Let the board's owner archive a list, or bring it back."""
        self._editor.archive_list(self._state.lists[list_id], closed=closed)

    def close_board(self, board_id: str) -> None:
        """Let somebody close a board."""
        self._state.boards[board_id].closed = True

    # Credentials

    def credentials(self, member: str, *, may_write: bool = True, key: str = "") -> Credentials:
        """Return a key and a token of a member; with the `key` of another token, of the same application."""
        return self._office.issue(self._state.member_id(member), may_write=may_write, key=key)

    def revoke(self, member: str) -> None:
        """Take back all tokens of a member: 401 "invalid token" from now on."""
        self._office.revoke(self._state.member_id(member))

    # What is there

    def card(self, card_id: str) -> Json | None:
        """Return a card as the API shows it, None if it is deleted or never was."""
        card = self._state.cards.get(card_id)
        return None if card is None else card_view(card, self._state)

    def cards(self, board_id: str) -> list[Json]:
        """Return all cards of a board, archived ones too, list by list from top to bottom."""
        return [card_view(card, self._state) for card in self._state.cards_of_board(board_id)]

    def lists(self, board_id: str) -> list[Json]:
        """Return all lists of a board, archived ones too."""
        return [list_view(each) for each in self._state.lists_of(board_id)]

    def labels(self, board_id: str) -> list[Json]:
        """Return all labels of a board."""
        return [label_view(label) for label in self._state.labels_of(board_id)]

    def actions(self, board_id: str) -> list[Json]:
        """Return a board's log, in the order in which it was written."""
        return [action_view(action, self._state) for action in self._state.actions[board_id]]

    @property
    def calls(self) -> deque[CallRecord]:
        """Calls whose credentials and parameters were in order, oldest first; the newest 20,000 are kept."""
        return self._dispatcher.calls

    # Limits

    def enforce_limits(self, rules: LimitRules) -> None:
        """Refuse what goes over the limits from now on; without this everything is counted and nothing refused."""
        self._meter.rules = rules
        self._meter.enforced = True

    @property
    def calls_in_all(self) -> int:
        """How many requests with good credentials came that no limit refused."""
        return self._meter.in_all

    @property
    def refused_calls(self) -> int:
        """How many requests a limit has refused."""
        return self._meter.refused

    def limit_cards_at_once(self, cards: int) -> None:
        """Answer 403 where more cards than this are asked for without a limit; 1,000 unless it is said."""
        self._state.cards_at_once = cards

    # Faults

    def fail(
        self,
        operation_id: str,
        status: int,
        message: str = "Fault by order",
        *,
        code: str = "",
        times: int = 1,
        retry_after: int | None = None,
        after_effect: bool = False,
    ) -> None:
        """Let the next `times` calls of an operation fail with this status and text.

        With a `code` the body is JSON. `retry_after` is in seconds. With `after_effect` the work is done before.
        Status 0 closes the connection without an answer.
        """
        error = TrelloError(status, message, code, retry_after) if status else None
        self._place(operation_id, Fault(error, drops=not status, after_effect=after_effect), times)

    def hang(self, operation_id: str, *, after_effect: bool = False) -> None:
        """Let the next call of an operation wait for an answer for ever; nothing is done unless `after_effect`."""
        self._place(operation_id, Fault(hangs=True, after_effect=after_effect), 1)

    def garble(self, operation_id: str) -> None:
        """Answer the next call of an operation with 200 and half of a JSON text; the work is done."""
        self._place(operation_id, Fault(after_effect=True), 1)

    def clear_faults(self) -> None:
        """Forget ordered faults that have not struck."""
        self._faults.clear()

    def _place(self, operation_id: str, fault: Fault, times: int) -> None:
        if operation_id not in OPERATIONS:
            raise ValueError(f"the stand-in has no operation {operation_id}; give one of operations.py")
        self._faults.place(operation_id, fault, times)

    # The wire

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Answer a request of the API."""
        if not request.rel_url.raw_path.startswith(f"{VERSION}/"):
            return web.Response(status=404, text=f"Cannot {request.method} {request.rel_url.raw_path}")
        return await self._dispatcher.answer(request)
