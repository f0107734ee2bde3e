"""Does commands, preferences and quiet hours that are steps of plans, with the same code as what is said in the chat.

Its answer to a step goes to the chat of the request by itself, and once for each call: that it was done is noted in the
transaction in which it is done.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Protocol

import sqlalchemy as sa

from butler.commands import Commands
from butler.contract.card import OwnerMessage, plain
from butler.contract.errors import Refuse
from butler.contract.inbound import Inbound
from butler.contract.own_commands import OwnCommand, OwnRequest, PreferenceChange, QuietChange
from butler.contract.ports import Clock
from butler.contract.speech import phrase, say
from butler.orchestrator.chat.preference_commands import set_preference
from butler.orchestrator.chat.turn import memory_of
from butler.orchestrator.planning.own_requests import asked_for
from butler.orchestrator.planning.own_words import not_from_here
from butler.orchestrator.planning.plan_types import Command
from butler.orchestrator.planning.preferences import Preference
from butler.orchestrator.replies import mail_answers
from butler.quiet_hours import QuietHoursInForce, Wish, note_wish, quiet_words
from butler.store.conversation import ConversationState
from butler.store.queries import command_calls, conversations, inbox, outbox, plans
from butler.store.store import Store
from config.approvals import QuietHours
from config.settings import ButlerSettings

ONLY_ASKED = phrase("That is only for what you ask me in our chat.")
NOBODY_HERE = phrase("nobody is here to ask")
ONE_TIME = phrase("quiet hours need a beginning and an end")
SAME_TIME = phrase("quiet hours need two different times")


class Opened(Protocol):
    """The commands, once they exist."""

    @property
    def commands(self) -> Commands: ...


@dataclass(frozen=True, slots=True)
class AskedFor:
    """The request behind a call."""

    item: Inbound
    call_id: str
    chat: str

    @property
    def as_command(self) -> Inbound:
        """The item as commands take it: in the chat of its plan, and with the call in place of its own id.

        So each call of a request has an answer of its own, and a repeated call none.
        """
        return self.item.model_copy(update={"inbound_id": self.call_id, "chat": self.chat})

    @property
    def key(self) -> str:
        """The key of the answer, as commands make it."""
        return f"turn:{self.call_id}"


Does = Callable[[sa.Connection, AskedFor, datetime], None]
"""Does what a call asks for and queues its answer, within a transaction."""


class CommandCalls:
    """Implements `OwnCommands`."""

    def __init__(
        self, store: Store, clock: Clock, quiet: QuietHoursInForce, wake: Callable[[], None], settings: ButlerSettings
    ) -> None:
        self._store, self._clock, self._quiet, self._wake, self._settings = store, clock, quiet, wake, settings
        self._commands: Commands | None = None

    def open(self, opened: Opened) -> None:
        """Take the commands, which are built after the tools."""
        self._commands = opened.commands

    def asks_for(self, request: OwnRequest, words: str) -> bool:
        return asked_for(request, words, self._settings.name)

    async def check(self, request: OwnRequest, call_id: str) -> None:
        commands = self._opened()
        await self._store.look(lambda c: _asked(c, request, call_id, commands))

    async def run(self, request: OwnRequest, call_id: str) -> str:
        commands, now = self._opened(), self._clock.now()
        match request:
            case OwnCommand():
                does, remembered = await _command(commands, Command(request)), memory_of(Command(request))
            case PreferenceChange(name, value):
                preference = Preference(name, value)
                does, remembered = partial(self._prefer, preference), memory_of(preference)
            case QuietChange():
                does, remembered = partial(_note_quiet, _wish(request)), ""

        def do(connection: sa.Connection) -> None:
            asked = _asked(connection, request, call_id, commands)
            if not command_calls.begin(connection, call_id, now):
                return
            does(connection, asked, now)
            if remembered:
                _remember(connection, asked, remembered, now)
            mail_answers.answer_like_chat(connection, asked.item, asked.key, now)

        await self._store.write(do, "command_call")
        self._wake()
        if not isinstance(request, QuietChange):
            return ""
        await self._quiet.settle_in(self._store)
        return quiet_words(self._quiet.hours)

    def _prefer(self, preference: Preference, connection: sa.Connection, asked: AskedFor, now: datetime) -> None:
        text = set_preference(preference, self._settings.language, connection, asked.item.inbound_id, now)
        outbox.add(connection, asked.chat, OwnerMessage(text=plain(text)), now=now, dedup_key=asked.key)

    def _opened(self) -> Commands:
        if self._commands is None:
            raise Refuse(say(NOBODY_HERE))
        return self._commands


def _asked(connection: sa.Connection, request: OwnRequest, call_id: str, commands: Commands) -> AskedFor:
    """Return the request behind a call; raise `Refuse` if there is none, or if it may not ask for this."""
    plan = plans.get(connection, call_id.rpartition(":")[0])
    found = inbox.get(connection, plan.inbound_id) if plan is not None else None
    if plan is None or found is None:
        raise Refuse(say(ONLY_ASKED))
    only_answered = isinstance(request, OwnCommand) and commands.act(Command(request)) is None
    if not only_answered and (why := not_from_here(found[0])):
        raise Refuse(say(why))
    return AskedFor(found[0], call_id, plan.session_id)


async def _command(commands: Commands, command: Command) -> Does:
    """Return how to do a command; one that is only answered is answered as of now."""
    if (act := commands.act_of_plan(command)) is not None:
        return lambda connection, asked, now: act(connection, asked.as_command, now)
    message = OwnerMessage(text=await commands.words(command))

    def say_it(connection: sa.Connection, asked: AskedFor, now: datetime) -> None:
        outbox.add(connection, asked.chat, message, now=now, dedup_key=asked.key)

    return say_it


def _remember(connection: sa.Connection, asked: AskedFor, text: str, now: datetime) -> None:
    """Keep in the conversation that a command was answered, without its answer."""

    def change(state: ConversationState) -> None:
        state.add_message("assistant", text, timestamp=now)

    conversations.update(connection, asked.chat, change, now)


def _note_quiet(wish: Wish | None, connection: sa.Connection, _asked: AskedFor, now: datetime) -> None:
    note_wish(connection, wish, now)


def _wish(change: QuietChange) -> Wish | None:
    """Return the owner's wish; None if the settings are to hold again. Raise `Refuse` for half a wish."""
    if change.by_settings:
        return None
    if change.start is None and change.end is None:
        return Wish(None)
    if change.start is None or change.end is None:
        raise Refuse(say(ONE_TIME))
    if change.start == change.end:
        raise Refuse(say(SAME_TIME))
    return Wish(QuietHours(change.start, change.end))
