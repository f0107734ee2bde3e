"""Runs commands, whether written with a slash or said in words."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Protocol

import sqlalchemy as sa

from approvals.service import Approvals
from butler.bulk.open_runs import OpenRuns
from butler.contract.card import OwnerMessage, Rich, Span, plain
from butler.contract.inbound import Inbound, InboundKind
from butler.orchestrator.chat import preference_commands
from butler.orchestrator.chat.turn import Act
from butler.orchestrator.edits.unreplied import ToCards
from butler.orchestrator.execution.contact_suggestions import ContactSuggestions
from butler.orchestrator.planning.plan_types import AboutCards, CardOrders, Command
from butler.orchestrator.planning.requests import OrchestratorInput
from butler.orchestrator.replies.shown_items import note_command
from butler.store.queries import conversations, outbox


class CommandAnswers(Protocol):
    """Answers commands about Butler itself."""

    async def answer(self, command: Command) -> Rich: ...


Says = Callable[[sa.Connection, str, str, datetime], None]
"""Queues a list with buttons for a chat, once for a key."""


class Commands:
    """Implements `Answers`."""

    def __init__(
        self,
        approvals: Approvals,
        answers: CommandAnswers,
        acquaintances: ContactSuggestions,
        running: OpenRuns | None,
        more: Mapping[Command, Act] | None = None,
        cards: ToCards | None = None,
    ) -> None:
        """`running` lists bulk runs, if they exist; `more` are the commands of features; `cards` acts on cards."""
        self._approvals, self._running, self._answers, self._cards = approvals, running, answers, cards
        self._acts: dict[Command, Act] = {
            Command.PENDING: saying(approvals.say_pending),
            Command.UNDO: _undoing(approvals, None),
            Command.DONE: saying(approvals.say_done),
            Command.RULES: saying(approvals.say_rules),
            Command.CONTACTS: acquaintances.show,
            Command.PREFERENCES: preference_commands.show,
            Command.PAUSE: telling(approvals.stop),
            Command.RESUME: telling(approvals.resume),
        }
        if running is not None:
            self._acts[Command.BULK] = saying(running.say)
            self._acts[Command.UNDO] = _undoing(approvals, running)
        self._acts |= more or {}

    def act(self, command: Command) -> Act | None:
        """Return the handler of a command; None for one that is only answered."""
        act = self._acts.get(command)
        return act and _noted(command, act)

    def act_of_plan(self, command: Command) -> Act | None:
        """Return the handler of a command that is a step of a plan; its item has the call in place of its own id."""
        if command is Command.UNDO:
            return _undoing_by_plan(self._approvals, self._running)
        return self.act(command)

    async def words(self, command: Command) -> Rich:
        """Return the answer to a command that is only answered."""
        return await self._answers.answer(command)

    async def to_cards(self, given: OrchestratorInput, about: AboutCards | CardOrders) -> Act | None:
        """Return the handler of a request about cards; None if it can be about none."""
        if self._cards is None:
            return None
        return await (
            self._cards.ordered(given, about) if isinstance(about, CardOrders) else self._cards.act(given, about)
        )


def telling(act: Callable[[sa.Connection, Inbound, datetime], str]) -> Act:
    """Run an act and report its result in the butler's own words, if there is one."""

    def do(connection: sa.Connection, item: Inbound, now: datetime) -> None:
        if text := act(connection, item, now):
            outbox.add(
                connection, item.chat, OwnerMessage(text=(Span(text=text, live=True),)), now=now, dedup_key=_key(item)
            )

    return do


def saying(say: Says) -> Act:
    """Answer with a list that has buttons."""
    return lambda connection, item, now: say(connection, item.chat, _key(item), now)


def _undoing(approvals: Approvals, running: OpenRuns | None) -> Act:
    """Withdraw approvals that have not begun; without any, undo the last finished run.

    A request in the chat undoes what is plainly meant; the command lists the candidates. A mail always comes late, so
    it only lists them too.
    """

    def do(connection: sa.Connection, item: Inbound, now: datetime) -> None:
        key = _key(item)
        by_word = item.kind in {InboundKind.CHAT, InboundKind.EDITED}
        if by_word and (text := approvals.take_back(connection, item, now)):
            outbox.add(connection, item.chat, OwnerMessage(text=plain(text)), now=now, dedup_key=key)
        elif (
            approvals.can_undo(connection)
            or running is None
            or not running.undo(connection, item.chat, item.sender, key, now)
        ):
            approvals.say_undoable(connection, item.chat, key, now)

    return do


def _undoing_by_plan(approvals: Approvals, running: OpenRuns | None) -> Act:
    """Withdraw approvals that have not begun, for a step of a plan; a finished run is only shown with its button.

    What such a run put right would be done again in the owner's name, which no plan begins by itself.
    """

    def do(connection: sa.Connection, item: Inbound, now: datetime) -> None:
        key = _key(item)
        by_word = item.kind in {InboundKind.CHAT, InboundKind.EDITED}
        if by_word and (text := approvals.take_back(connection, item, now, own_call=item.inbound_id)):
            outbox.add(connection, item.chat, OwnerMessage(text=plain(text)), now=now, dedup_key=key)
        elif (
            approvals.can_undo(connection) or running is None or not running.show_undo(connection, item.chat, key, now)
        ):
            approvals.say_undoable(connection, item.chat, key, now)

    return do


def _noted(command: Command, act: Act) -> Act:
    """Wrap a handler so that the conversation also records what the answer showed."""

    def do(connection: sa.Connection, item: Inbound, now: datetime) -> None:
        act(connection, item, now)
        conversations.update(connection, item.chat, lambda state: note_command(connection, state, command), now)

    return do


def _key(item: Inbound) -> str:
    return f"turn:{item.inbound_id}"
