"""What the owner says to cards without a reply to one: `actually send it`, `make that 15 minutes`, `deny all of them`.

It counts in the owner's own chat only. Words never approve: they show the card, or ask again for what was taken back.
A change makes a new version, which waits. One card is denied by words that clearly mean it; several are denied by a
button that stands for exactly these. Which card is meant: the one replied to, else the only one, else the one that the
words name, else the owner is asked.
"""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

import sqlalchemy as sa

from approvals.by_word import TakenBack, WaitingCard
from approvals.service import Approvals
from butler.contract.card import Button, OwnerMessage, plain
from butler.contract.inbound import Inbound, InboundKind
from butler.contract.speech import phrase, say, say_many
from butler.orchestrator.chat.turn import Act
from butler.orchestrator.edits.answers import NOT_BY_WORDS, Answer, Card
from butler.orchestrator.edits.card_words import PACKAGE
from butler.orchestrator.edits.handler import EditHandler
from butler.orchestrator.edits.ordered import OrderedChanges
from butler.orchestrator.edits.reading import Word
from butler.orchestrator.edits.slot_edits import SlotEdits
from butler.orchestrator.embedded.asking import LABEL
from butler.orchestrator.planning.plan_types import AboutCards, CardAct, CardOrders
from butler.orchestrator.planning.requests import OrchestratorInput
from butler.orchestrator.replies.buttons import button
from butler.services import Services
from butler.store.queries import contacts, conversations, outbox
from butler.store.queries.contacts import Contact
from butler.understanding.stored_words import stored

FROM_CHAT = frozenset({InboundKind.CHAT, InboundKind.EDITED, InboundKind.BUTTON})
WHICH = "which"
"""Prefix of the subject of a button that says which card the same words mean; approval and revision follow."""
NO = "no"
MOST = 7
"""Most cards that a question lists."""
ALIKE = 5
"""Letters by which a name in another form is the same: `familie`, `family`."""
HERE = phrase("Here is the card.")
HERE_AGAIN = phrase("Here it is again.")
THIS_ONE = phrase("Shall I deny this one?")
WHICH_TO_DENY = phrase("Which of these shall I deny?")
WHICH_TO_CHANGE = phrase("Which card do you mean?")
NONE_OF_THAT = phrase("Nothing that waits is about “{words}”.")


@dataclass(frozen=True, slots=True)
class Seen:
    """What there is that words may be about."""

    waiting: Sequence[WaitingCard]
    back: TakenBack | None
    pointed: str | None
    """The approval that was replied to or chosen; empty if it replies to something else."""
    said_at: datetime | None
    """When the owner said something before this, or was asked something."""
    people: Sequence[Contact]

    def since(self, at: datetime) -> bool:
        """Return whether nothing was said or asked since that time."""
        return self.said_at is None or self.said_at <= at

    def meant(self, about: AboutCards) -> Sequence[WaitingCard]:
        """Return the waiting cards that the words can mean."""
        if self.pointed is not None:
            return [one for one in self.waiting if one.approval_id == self.pointed]
        return fitting(about.named, self.waiting) if _names(about) else self.waiting


class ToCards:
    """Acts on cards by words that reply to none. It has buttons of its own (`Taps`)."""

    key = "cards"

    def __init__(self, services: Services, approvals: Approvals, edits: EditHandler) -> None:
        self._store, self._clock, self._channel = services.store, services.clock, services.channel
        self._approvals, self._edits, self._slots = approvals, edits, SlotEdits(services)
        self._ordered = OrderedChanges(services, approvals, edits)

    async def act(self, given: OrchestratorInput, about: AboutCards) -> Act | None:
        """Return how to do what is said to cards; None if there is no card that it can be about."""
        item, now = given.request, self._clock.now()
        if item.kind not in FROM_CHAT or item.chat != self._channel.home() or not given.words.from_owner:
            return None
        seen = await self._store.look(lambda c: self._seen(c, given, now))
        if seen.pointed == "" or (seen.pointed and not seen.meant(about)):
            return None
        match about.act:
            case CardAct.SEND:
                return self._send(about, seen)
            case CardAct.DENY:
                return self._deny(about, seen) if seen.waiting else None
            case CardAct.CHANGE:
                return await self._change(given, about, seen) if seen.waiting else None

    async def ordered(self, given: OrchestratorInput, about: CardOrders) -> Act:
        """Return how to do what a planner that was told of the cards wants of them."""
        return await self._ordered.act(given, about)

    def tapped(self, connection: sa.Connection, item: Inbound, stored: Mapping[str, Any], now: datetime) -> None:
        """Deny what a button stands for, and nothing that came or changed since."""
        told = self._approvals.by_word.deny(connection, [(one, revision) for one, revision in stored[NO]], now)
        _say(told, (), connection, item, now)

    def _seen(self, connection: sa.Connection, given: OrchestratorInput, now: datetime) -> Seen:
        item, by_word = given.request, self._approvals.by_word
        history = conversations.load(connection, item.chat).history
        said = [one.timestamp for one in history if one.role == "user" or one.asks]
        return Seen(
            waiting=by_word.waiting(connection, now),
            back=by_word.taken_back(connection, item.chat, now),
            pointed=self._pointed(connection, item, given.about),
            said_at=max(said, default=None),
            people=contacts.all_confirmed(connection),
        )

    def _pointed(self, connection: sa.Connection, item: Inbound, about: str) -> str | None:
        match about.split(":"):
            case [kind, approval_id, _] if kind == WHICH:
                return approval_id
            case _ if item.kind is InboundKind.BUTTON or not item.reply_to:
                return None
            case _:
                card = self._edits.card_at(connection, item.chat, item.reply_to or "")
                return card.approval_id if card is not None else ""

    # A card that is shown, or comes again.

    def _send(self, about: AboutCards, seen: Seen) -> Act | None:
        back, meant = seen.back, seen.meant(about)
        plainly = not _names(about) and seen.pointed is None and not about.every
        if back is not None and (
            not seen.waiting or (plainly and seen.since(back.at) and all(one.at < back.at for one in seen.waiting))
        ):
            return partial(self._again, back)
        if not seen.waiting:
            return None
        return partial(self._show, meant[0]) if len(meant) == 1 else self._list

    def _again(self, back: TakenBack, connection: sa.Connection, item: Inbound, now: datetime) -> None:
        refused = self._approvals.by_word.ask_again(connection, back.approval_id, item.inbound_id, now)
        _say(refused or f"{say(HERE_AGAIN)} {say(NOT_BY_WORDS)}", (), connection, item, now)

    def _show(self, card: WaitingCard, connection: sa.Connection, item: Inbound, now: datetime) -> None:
        self._approvals.by_word.show(connection, card.approval_id, now)
        _say(f"{say(HERE)} {say(NOT_BY_WORDS)}", (), connection, item, now)

    def _list(self, connection: sa.Connection, item: Inbound, now: datetime) -> None:
        _say(say(NOT_BY_WORDS), (), connection, item, now)
        self._approvals.say_pending(connection, item.chat, f"turn:{item.inbound_id}:list", now)

    # A no.

    def _deny(self, about: AboutCards, seen: Seen) -> Act:
        meant = seen.meant(about)
        if not meant:
            return partial(self._ask_no, say(NONE_OF_THAT, words=" ".join(about.named)), seen.waiting)
        said = about.every or _names(about) or seen.pointed is not None
        if len(meant) == 1 and (said or seen.since(meant[0].at)):
            return self._edited(Card(meant[0].approval_id, meant[0].revision), Word.NO)
        if about.every:
            return partial(self._ask_all, meant)
        return partial(self._ask_no, "", meant)

    def _ask_all(self, cards: Sequence[WaitingCard], connection: sa.Connection, item: Inbound, now: datetime) -> None:
        text = say_many(len(cards), "Shall I deny it?", "Shall I deny all {count} that wait?")
        every = self._all_button(cards, connection, item, now)
        _say("\n".join([text, *_lines(cards)]), (every,), connection, item, now)

    def _ask_no(
        self, before: str, cards: Sequence[WaitingCard], connection: sa.Connection, item: Inbound, now: datetime
    ) -> None:
        question = say(THIS_ONE) if len(cards) == 1 else say(WHICH_TO_DENY)
        buttons: list[Button] = []
        for one in cards[:MOST]:
            subject = Card(one.approval_id, one.revision).subject()
            data = conversations.offer(connection, item.chat, NO, replied_to=subject, now=now)
            buttons.append(Button(label=_cut(say("Deny: {line}", line=one.line)), data=data))
        if len(cards) > 1:
            buttons.append(self._all_button(cards, connection, item, now))
        text = "\n".join([" ".join(filter(None, (before, question))), *_lines(cards)])
        _say(text, buttons, connection, item, now)

    def _all_button(
        self, cards: Sequence[WaitingCard], connection: sa.Connection, item: Inbound, now: datetime
    ) -> Button:
        label = say_many(len(cards), "Deny it", "Deny all {count}")
        stored = {NO: [[one.approval_id, one.revision] for one in cards]}
        return button(connection, item.chat, self.key, label, stored, now)

    # A change.

    async def _change(self, given: OrchestratorInput, about: AboutCards, seen: Seen) -> Act | None:
        meant = seen.meant(about) or seen.waiting
        if len(meant) > 1:
            return partial(self._ask_which, meant, given.user_message)
        card, now = Card(meant[0].approval_id, meant[0].revision), self._clock.now()
        draft = await self._store.look(lambda c: self._approvals.draft(c, card.approval_id, now))
        if draft is None:
            return None
        answer = await self._slots.changed(draft, about, given.request, given.words, seen.people)
        return self._edited(card, answer)

    def _ask_which(
        self, cards: Sequence[WaitingCard], words: str, connection: sa.Connection, item: Inbound, now: datetime
    ) -> None:
        buttons: list[Button] = []
        for one in cards[:MOST]:
            subject = f"{WHICH}:{one.approval_id}:{one.revision}"
            data = conversations.offer(connection, item.chat, words, replied_to=subject, now=now)
            buttons.append(Button(label=_cut(one.line), data=data))
        _say("\n".join([say(WHICH_TO_CHANGE), *_lines(cards)]), buttons, connection, item, now)

    def _edited(self, card: Card, answer: Answer) -> Act:
        def do(connection: sa.Connection, item: Inbound, _now: datetime) -> None:
            self._edits.apply(connection, item, [(card, answer)])

        return do


def fitting(named: Sequence[str], cards: Sequence[WaitingCard]) -> Sequence[WaitingCard]:
    """Return the cards that have all of these words; else those that have them in a like form."""
    words = _telling(named)
    exact = [card for card in cards if words <= _folded(card.words)]
    return exact or [card for card in cards if all(_has(card, word) for word in words)]


def _names(about: AboutCards) -> bool:
    """Return whether the words say which one is meant, and not only that it is a card or a mail."""
    return bool(_telling(about.named))


def _telling(named: Sequence[str]) -> frozenset[str]:
    return _folded(" ".join(named)) - _folded(" ".join(stored(PACKAGE, "ways", "general")))


def _has(card: WaitingCard, word: str) -> bool:
    return any(one[:ALIKE] == word[:ALIKE] for one in _folded(card.words) if len(one) >= ALIKE <= len(word))


def _folded(words: str) -> frozenset[str]:
    """Return the words without accents and case, apart from short ones."""
    bare = "".join(c for c in unicodedata.normalize("NFD", words.casefold()) if not unicodedata.combining(c))
    return frozenset(one for one in re.findall(r"\w+", bare) if len(one) > 2 or one.isdigit())  # noqa: PLR2004 - articles


def _lines(cards: Sequence[WaitingCard]) -> list[str]:
    more = ["…"] if len(cards) > MOST else []
    return [f"{number}. {one.line}" for number, one in enumerate(cards[:MOST], 1)] + more


def _cut(label: str) -> str:
    return label if len(label) <= LABEL else f"{label[: LABEL - 1]}…"


def _say(text: str, buttons: Sequence[Button], connection: sa.Connection, item: Inbound, now: datetime) -> None:
    rows = tuple((one,) for one in buttons)
    message = OwnerMessage(text=plain(text), buttons=rows, reply_to=item.message_ref or None)
    outbox.add(connection, item.chat, message, now=now, dedup_key=f"turn:{item.inbound_id}")
