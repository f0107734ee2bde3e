"""Offers once to speak the owner's language, when they write in another one than the butler's and have set none.

What was heard and that it was offered are facts in the store, written with the turn and with the message: a crash
neither forgets the offer nor repeats it.
"""

import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, Final

import sqlalchemy as sa

from approvals.people import is_owner
from butler.agents.languages import SMALL_WORDS, folded, language_of
from butler.contract.card import OwnerMessage, plain, rich_text
from butler.contract.inbound import Inbound, InboundKind
from butler.contract.provenance import Labelled
from butler.contract.speech import phrase, say, speaking
from butler.orchestrator.chat import preference_commands
from butler.orchestrator.planning.plan_types import PlannerOutput, Unclear
from butler.orchestrator.planning.preferences import Preference, PreferenceName
from butler.orchestrator.planning.requests import OrchestratorInput
from butler.orchestrator.replies.buttons import button
from butler.orchestrator.replies.offers import note_tap
from butler.services import Services
from butler.store.queries import approvals, cursors, inbox, outbox, plans, preferences, work
from config.language import OwnerLanguage

OFFER: Final = "language_offer"
"""The work kind that makes the offer in a chat; the fact that it was made; the name of its buttons and its message."""
HEARD: Final = "language_heard"
"""The fact that says which language was heard, and how often in a row; a long message counts as two."""
QUESTION: Final = phrase("Shall I speak this language with you?")
"""Each catalogue names its own language here; there is no offer of English, which is spoken if nothing is set."""
STAYS: Final = phrase("All right, it stays as it is. You can tell me at any time which language to speak.")
REST: Final = timedelta(seconds=5)
"""The rest after a request before the offer, which comes after its answer."""
ENOUGH: Final = 2
FEWEST, LONG = 4, 12
"""Words that a message needs to count, and to count twice."""
SURE: Final = 2
"""Words that only its language has."""
_QUOTED: Final = re.compile(r"[“„”\"«»].*?(?:[“”\"«»]|$)", re.DOTALL)
_VERBS: Final = frozenset(
    {"add", "answer", "email", "forward", "mail", "note", "post", "put", "remember", "remind", "reply", "say", "send"}
    | {"spell", "tell", "text", "translate", "type", "write"}
)
"""English words before a text that is to be translated, sent or kept: then its language is not the owner's."""


class LanguageOffer:
    """Hears in which language the owner writes, and makes the offer; its button sets the preference."""

    key = OFFER

    def __init__(self, services: Services) -> None:
        self._store, self._clock, self._owner, self._wake = (
            services.store,
            services.clock,
            services.owner,
            services.wake,
        )
        settings = services.settings.butler
        self._setting, self._is_set = settings.language, "language" in settings.model_fields_set

    def hear(self, connection: sa.Connection, given: OrchestratorInput, output: PlannerOutput, now: datetime) -> None:
        """Note the language of a request that was understood, and prepare the offer once it is sure."""
        if isinstance(output, Unclear) or not self._counts(given.request, given.words) or not self._is_open(connection):
            return
        language = own_language(given.user_message)
        if language == self._setting:
            cursors.put_fact(connection, HEARD, None, now)
        elif language:
            before: Mapping[str, Any] = cursors.fact(connection, HEARD) or {}
            times = int(before["times"]) if before.get("language") == language else 0
            times += 2 if len(folded(given.user_message)) >= LONG else 1
            cursors.put_fact(connection, HEARD, {"language": language, "times": times}, now)
            if times >= ENOUGH:
                work.cancel(connection, OFFER, given.session_id)
                work.add(connection, OFFER, given.session_id, now=now, wait=REST)

    async def show(self, chat: str) -> None:
        """Make the offer, unless something is open in the chat: then the next request leads to it. The work handler."""
        now = self._clock.now()

        def offer(connection: sa.Connection) -> None:
            heard: Mapping[str, Any] | None = cursors.fact(connection, HEARD)
            if heard is None or not self._is_open(connection) or _is_busy(connection, chat, now):
                return
            language = OwnerLanguage(heard["language"])
            with speaking(language):
                stored = {"language": language.value}
                yes = button(connection, chat, OFFER, say("Yes"), {**stored, "yes": True}, now)
                no = button(connection, chat, OFFER, say("No"), {**stored, "yes": False}, now)
                message = OwnerMessage(text=plain(say(QUESTION)), buttons=((yes, no),))
            outbox.add(connection, chat, message, now=now, dedup_key=OFFER)
            cursors.put_fact(connection, OFFER, stored, now)
            cursors.put_fact(connection, HEARD, None, now)

        await self._store.write(offer, OFFER)
        self._wake()

    def tapped(self, connection: sa.Connection, item: Inbound, stored: Mapping[str, Any], now: datetime) -> None:
        """Set the preferred language, or leave it; it is not asked again either way."""
        note_tap(connection, item, every=True, now=now)
        language = OwnerLanguage(stored["language"])
        if stored["yes"]:
            wanted = Preference(PreferenceName.LANGUAGE, language.value)
            text = preference_commands.set_preference(wanted, self._setting, connection, item.inbound_id, now)
        else:
            with speaking(language):
                text = say(STAYS)
        outbox.add(connection, item.chat, OwnerMessage(text=plain(text)), now=now, dedup_key=f"turn:{item.inbound_id}")

    def _counts(self, item: Inbound, words: Labelled[str]) -> bool:
        """Return whether a message is the owner's own, in their own chat, and no answer to another message."""
        is_private = item.kind is InboundKind.CHAT and item.chat == item.sender and is_owner(self._owner, item.sender)
        return is_private and item.reply_to is None and not words.tainted

    def _is_open(self, connection: sa.Connection) -> bool:
        """Return whether no language was set, and none offered."""
        if self._is_set or PreferenceName.LANGUAGE in preferences.every(connection):
            return False
        return cursors.fact(connection, OFFER) is None


def own_language(text: str) -> str:
    """Return the language that a message is clearly in, apart from what it quotes and what follows a colon.

    Empty if it is too short, mixed, or only names a text.
    """
    words = folded(_QUOTED.sub(" ", text).partition(":")[0])
    if len(words) < FEWEST or words[0] in _VERBS:
        return ""
    spoken = ([name for name, small in SMALL_WORDS.items() if word in small] for word in words if len(word) > 1)
    alone = [names[0] for names in spoken if len(names) == 1]
    found = language_of(" ".join(words))
    return found if len(alone) >= SURE and set(alone) == {found} else ""


def _is_busy(connection: sa.Connection, chat: str, now: datetime) -> bool:
    """Return whether a request, a card or a question is open in a chat."""
    if (
        inbox.any_new(connection, chat)
        or plans.any_running(connection, chat)
        or approvals.any_waits(connection, chat, now)
    ):
        return True
    newest = outbox.newest(connection, chat)
    return newest is None or bool(newest.buttons) or rich_text(newest.text).rstrip().endswith("?")
