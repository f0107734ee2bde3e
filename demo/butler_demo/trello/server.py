"""A Trello stand-in on a loopback socket: stateful, strict, with limits and faults by order.

Every request and every answer is checked against the published description.
"""

import asyncio
import json
import math
from collections import deque
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import TypeVar, cast

from aiohttp import web

from butler_demo.serving import Port
from butler_demo.trello.call import CallRecord
from butler_demo.trello.credentials import Credentials, TokenOffice
from butler_demo.trello.dispatch import Dispatcher, Reply, Request
from butler_demo.trello.editing import Editor, NewCard, as_due
from butler_demo.trello.errors import PersonError, TrelloError
from butler_demo.trello.faults import ANY_OPERATION, Fault, FaultOrders
from butler_demo.trello.limits import LimitRules, Meter
from butler_demo.trello.operations import BATCH, OPERATIONS
from butler_demo.trello.records import Json, Member
from butler_demo.trello.state import State
from butler_demo.trello.views import action_view, card_view, label_view, list_view

_LARGEST_REQUEST = 2**20
_VERSION = "/1"
T = TypeVar("T")


def utc_now() -> datetime:
    """Return the machine's time."""
    return datetime.now(UTC)


class TrelloServer:
    """The stand-in. Its methods are called on the event loop that serves it."""

    def __init__(self, *, now: Callable[[], datetime] = utc_now, validate: bool = True) -> None:
        """Create a server without members. `now` returns aware times."""
        self._now = now
        self._state = State(now)
        self._editor = Editor(self._state)
        self._office = TokenOffice()
        self._faults = FaultOrders()
        self._meter = Meter()
        self._dispatcher = Dispatcher(self._state, self._office, self._faults, self._meter, now, validate=validate)
        self._offline = False
        self._port = Port()

    async def start(self, host: str = "127.0.0.1", port: int = 0) -> None:
        """Serve; port 0 takes a free one, see `url`."""
        app = web.Application(client_max_size=_LARGEST_REQUEST)
        app.router.add_route("*", "/{path:.*}", self._handle)
        await self._port.open(app, host, port, handler_cancellation=True)

    async def stop(self) -> None:
        """Close every connection and the port."""
        await self._port.close()

    @property
    def url(self) -> str:
        """The address that stands for `https://api.trello.com/1/`."""
        return f"{self._port.root}{_VERSION}/"

    # --- people and boards; every id that is returned is Trello's

    def add_member(self, username: str, full_name: str = "") -> str:
        """Let somebody have an account."""
        if any(member.username == username for member in self._state.members.values()):
            raise PersonError(f"there is a member {username} already")
        member = Member(self._state.ids.new(self._now()), username, full_name or username.capitalize())
        self._state.members[member.id] = member
        return member.id

    def add_board(self, name: str, owner: str, members: Sequence[str] = (), *, closed: bool = False) -> str:
        """Open a board; `owner` and `members` are user names or ids."""
        ids = [self._state.known_member(each).id for each in (owner, *members)]
        board = self._state.add_board(name, ids)
        board.closed = closed
        self._state.log("createBoard", ids[0], board.id, {})
        return board.id

    def add_list(self, board_id: str, name: str, *, closed: bool = False) -> str:
        """Open a list to the right of the others."""
        board = self._state.known_board(board_id)
        added = self._editor.add_list(board, name, board.member_ids[0])
        added.closed = closed
        return added.id

    def add_label(self, board_id: str, name: str, color: str | None = None) -> str:
        """Give a board a label; None is no colour."""
        return self._editor.add_label(self._state.known_board(board_id).id, name, color).id

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
        into = self._state.known_list(list_id)
        member_ids = [self._state.known_member(each).id for each in members]
        author = self._state.known_member(by or self._state.boards[into.board_id].member_ids[0]).id
        new = NewCard(name, desc, as_due(due), None, done, closed, labels, member_ids)
        return _as_person(lambda: self._editor.add_card(into, new, author, created)).id

    def change_card(self, card_id: str, by: str, **fields: object) -> None:
        """Let somebody change a card meanwhile, with the fields of a PUT (`closed=True`, `idList=...`)."""
        card, author = self._state.known_card(card_id), self._state.known_member(by).id
        _as_person(lambda: self._editor.change_card(card, dict(fields), author))

    def delete_card(self, card_id: str, by: str) -> None:
        """Let somebody delete a card for good."""
        self._editor.delete_card(self._state.known_card(card_id), self._state.known_member(by).id)

    def change_list(self, list_id: str, by: str, **fields: object) -> None:
        """Let somebody rename, archive (`closed=True`) or move a list."""
        changed, author = self._state.known_list(list_id), self._state.known_member(by).id
        _as_person(lambda: self._editor.change_list(changed, dict(fields), author))

    def close_board(self, board_id: str) -> None:
        """Let somebody close a board."""
        self._state.known_board(board_id).closed = True

    # --- credentials

    def credentials(self, member: str, *, may_write: bool = True, key: str = "") -> Credentials:
        """Return a key and a token of a member; with the `key` of another token, of the same application."""
        return self._office.issue(self._state.known_member(member).id, may_write=may_write, key=key)

    def revoke(self, member: str) -> None:
        """Take back all tokens of a member: 401 "invalid token" from now on."""
        self._office.revoke(self._state.known_member(member).id)

    # --- what is there

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

    # --- limits

    def enforce_limits(self, rules: LimitRules | None = None) -> None:
        """Refuse what goes over the limits from now on; without this everything is counted and nothing refused."""
        self._meter.rules = rules or self._meter.rules
        self._meter.enforced = True

    @property
    def calls_in_all(self) -> int:
        """How many requests with good credentials came that no limit refused; a batch is one."""
        return self._meter.in_all

    @property
    def refused_calls(self) -> int:
        """How many requests a limit has refused."""
        return self._meter.refused

    def limit_cards_at_once(self, cards: int) -> None:
        """Answer 403 where more cards than this are asked for without a limit; 1,000 unless it is said."""
        self._state.cards_at_once = cards

    def page_by_second(self) -> None:
        """Let `before=<id>` mean the id's second from now on, so that a page loses what was made in the same second."""
        self._state.coarse_paging = True

    # --- faults

    def fail(
        self,
        operation_id: str,
        status: int,
        message: str = "",
        *,
        code: str = "",
        times: int = 1,
        retry_after: int | None = None,
        after_effect: bool = False,
    ) -> None:
        """Let the next `times` calls of an operation ("*" is any) fail with this status and text.

        With a `code` the body is JSON. `retry_after` is in seconds. With `after_effect` the work is done before.
        Status 0 closes the connection without an answer.
        """
        fault = Fault(status, message, code, retry_after, drops=status == 0, after_effect=after_effect)
        self._place(operation_id, fault, times)

    def hang(self, operation_id: str, seconds: float = math.inf, *, times: int = 1, after_effect: bool = False) -> None:
        """Let the next calls of an operation wait before they are answered; the work is done at once.

        Without an end nothing is ever answered, and nothing is done unless `after_effect` is said.
        """
        self._place(operation_id, Fault(delay_s=seconds, after_effect=after_effect), times)

    def garble(self, operation_id: str, *, times: int = 1) -> None:
        """Answer the next calls of an operation with 200 and half of a JSON text; the work is done."""
        self._place(operation_id, Fault(garbled=True), times)

    def clear_faults(self) -> None:
        """Forget ordered faults that have not struck."""
        self._faults.clear()

    def go_offline(self) -> None:
        """Close every connection without an answer from now on."""
        self._offline = True

    def come_back(self) -> None:
        """Answer again."""
        self._offline = False

    def _place(self, operation_id: str, fault: Fault, times: int) -> None:
        if operation_id not in {*OPERATIONS, BATCH, ANY_OPERATION}:
            raise PersonError(f"the stand-in has no operation {operation_id}; give one of operations.py, or *")
        self._faults.place(operation_id, fault, times)

    # --- the wire

    async def _handle(self, request: web.Request) -> web.Response:
        if self._offline:
            return _drop(request)
        path = request.rel_url.raw_path
        if not path.startswith(f"{_VERSION}/"):
            return web.Response(status=404, text=f"Cannot {request.method} {path}")
        try:
            parameters = {**request.query, **await _body(request)}
        except ValueError:
            return web.Response(status=400, text="Error parsing body")
        authorization = request.headers.get("Authorization", "")
        reply = self._dispatcher.answer(Request(request.method, path.removeprefix(_VERSION), parameters, authorization))
        if reply.delay_s:
            await _wait(reply.delay_s)
        return _drop(request) if reply.dropped else _on_the_wire(reply)


def _as_person(do: Callable[[], T]) -> T:
    try:
        return do()
    except TrelloError as error:
        raise PersonError(error.message) from error


async def _wait(seconds: float) -> None:
    if math.isinf(seconds):
        await asyncio.get_running_loop().create_future()  # the client's going away or `stop` ends it
    await asyncio.sleep(seconds)


async def _body(request: web.Request) -> Json:
    """The parameters in a body: JSON or a form. Raises ValueError."""
    text = await request.text()
    if not text.strip():
        return {}
    if request.content_type == "application/x-www-form-urlencoded":
        return dict(await request.post())
    parsed: object = json.loads(text)
    if not isinstance(parsed, dict):
        raise ValueError("no object")  # noqa: TRY004 - for the caller both are the same
    return cast("Json", parsed)


def _on_the_wire(reply: Reply) -> web.Response:
    headers = {**reply.headers, "Content-Type": reply.content_type}
    return web.Response(status=reply.status, body=reply.body, headers=headers)


def _drop(request: web.Request) -> web.Response:
    if isinstance(request.transport, asyncio.Transport):
        request.transport.abort()
    return web.Response()  # for aiohttp; nothing of it reaches the client
