"""Handles a reply to a card: it changes or refuses the card, or the answer says why neither is possible.

Words never approve a card. A reply to a finished act may correct it, which makes a new card.
"""

import asyncio
from collections.abc import Sequence
from datetime import datetime

import sqlalchemy as sa
import structlog

from approvals.card_replies import CardDraft
from approvals.revise import OLDER, Change
from approvals.service import Approvals
from approvals.states import State
from butler.agents.errors import ModelOutputError, ModelUnavailableError
from butler.agents.languages import language_of
from butler.agents.llm import Llm
from butler.agents.redacting import Redact, as_it_is
from butler.contract.card import Button, OwnerMessage, plain
from butler.contract.inbound import Inbound, InboundKind
from butler.contract.provenance import Labelled
from butler.contract.speech import say, say_error
from butler.orchestrator.chat.turn import add_plan
from butler.orchestrator.edits.answers import (
    LISTED,
    NO_FILES,
    NOT_BY_WORDS,
    NOT_DELETED_BY_WORDS,
    NOT_REWORDED,
    STILL_WAITS,
    Answer,
    Card,
    Correction,
    PlainAnswer,
    change_of,
)
from butler.orchestrator.edits.bulk_edits import (
    CHANGED,
    EMPTY_NOW,
    NOTHING_LEFT,
    BulkCardEdits,
    NothingLeft,
    ReplacementAct,
    can_change,
    hint,
)
from butler.orchestrator.edits.bulk_reading import BulkReader, ManyReading
from butler.orchestrator.edits.card_content import CardContent, sheet_of
from butler.orchestrator.edits.grammar import EditContext
from butler.orchestrator.edits.mail_changes import MailChange
from butler.orchestrator.edits.marked_reading import MarkedReader
from butler.orchestrator.edits.model import MODEL, reword
from butler.orchestrator.edits.narrowing import Narrowed
from butler.orchestrator.edits.reading import LONGEST, Edit, Reading, Unsure, Word, read, word_of
from butler.orchestrator.edits.slot_edits import SlotEdits
from butler.orchestrator.edits.times import NewTime, new_time, said_of
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.embedded.scene import scene_of
from butler.orchestrator.planning.own_words import owner_words
from butler.orchestrator.planning.plan_types import AboutCards, Choice, Command, Unclear
from butler.orchestrator.planning.spoken import spoken
from butler.services import Services
from butler.store.conversation import ConversationState
from butler.store.queries import contacts, conversations, inbox, outbox
from butler.store.queries.contacts import Contact
from butler.store.queries.inbox import InboxNote, InboxState
from butler.understanding.reader import RequestReader

log = structlog.get_logger(__name__)


class EditHandler:
    """Handles what the owner says to a card."""

    def __init__(
        self,
        services: Services,
        approvals: Approvals,
        llm: Llm | None,
        reader: RequestReader | None,
        redact: Redact = as_it_is,
    ) -> None:
        """`redact` removes from a card and from the owner's words what the model must not see."""
        self._store, self._clock, self._approvals, self._llm = services.store, services.clock, approvals, llm
        self._wake, self._redact = services.wake, redact
        self._tools, self._many = services.tools, BulkCardEdits(services.tools, approvals)
        self._bulk, self._marked, self._slots = BulkReader(reader), MarkedReader(reader), SlotEdits(services)

    def card_at(self, connection: sa.Connection, chat: str, message_ref: str) -> Card | None:
        """Return the card that a message of a chat shows or showed."""
        found = self._approvals.shown_at(connection, chat, message_ref)
        return Card(*found) if found else None

    async def take(self, item: Inbound, card: Card, words: Labelled[str] | None = None) -> bool:
        """Apply a reply to its card; return False if it is about something else, such as a stop of everything.

        For a tapped button, `words` replaces the message's words.
        """
        labelled = words or owner_words(item).words
        now = self._clock.now()
        draft, people = await self._store.look(
            lambda c: (self._approvals.draft(c, card.approval_id, now), contacts.all_confirmed(c))
        )
        if draft is None or not labelled.value.strip() or await self._asks_why(labelled.value):
            return False
        if draft.state is State.PENDING and can_change(draft):
            return await self._take_many(item, card, draft, people, labelled)
        # `Send it now` is a yes that nobody may give in words, and another time as well.
        may_be_time = word_of(labelled.value) in {None, Word.YES}
        if may_be_time and (timed := self._timed(item, draft, labelled)) is not None:
            await self._settled(item, card, labelled, timed)
            return True
        sheet = sheet_of(draft)
        reading = await self._read_one(item, draft, people, labelled, sheet)
        waits = draft.waits
        meant = draft.asked and isinstance(reading, Edit)
        elsewhere = not waits and not meant and not isinstance(reading, AboutCards) and _is_no_change(reading)
        if elsewhere or self._is_for_planner(item, card, draft, reading):
            return False
        if spoken(labelled.value, "") is Command.PAUSE and not (waits and reading is Word.NO):
            # A plain "stop" refuses a waiting card; if there is no card to refuse, or more is meant, everything stops.
            return False
        if isinstance(reading, AboutCards):
            answer = await self._by_slots(item, card, draft, people, reading, labelled)
        else:
            answer = await self._answer(item, card, draft, sheet, reading, labelled)
        await self._settled(item, card, labelled, answer)
        return True

    def _is_for_planner(self, item: Inbound, card: Card, draft: CardDraft, reading: Reading | AboutCards) -> bool:
        """Return whether a model that is told of the card reads the reply: there is one, and no rule is sure of it."""
        if self._llm is None or item.kind is InboundKind.BUTTON or item.attachments:
            return False
        if not draft.waits or card.revision != draft.revision or isinstance(reading, Word):
            return False
        whole_text = isinstance(reading, Edit) and (reading.told or len(owner_words(item).words.value) > LONGEST)
        return not whole_text

    async def _asks_why(self, words: str) -> bool:
        if spoken(words, "") is Command.WHY:
            return True
        return word_of(words) is None and await asyncio.to_thread(self._marked.asks_why, words)

    async def _read_one(
        self, item: Inbound, draft: CardDraft, people: Sequence[Contact], said: Labelled[str], sheet: CardContent
    ) -> Reading | AboutCards:
        """Read a reply to a single card: by the written forms, and by the trained reader where these do not fit.

        The written forms are English, so a reply in another language is read by the trained reader first. How a text
        is to sound, a model tells.
        """
        written = read(said.value, EditContext(sheet, self._slots.people(item, said, draft, people)))
        whole = isinstance(written, Edit) and not written.told
        textless = sheet.text is None and isinstance(written, Unclear)
        if not whole and not textless and not isinstance(written, Unsure):
            return written
        scene = scene_of(self._slots.request(item, said, people))
        return (
            await asyncio.to_thread(self._marked.read, said.value, scene, draft.text or "", maybe_text=whole) or written
        )

    async def _by_slots(
        self,
        item: Inbound,
        card: Card,
        draft: CardDraft,
        people: Sequence[Contact],
        about: AboutCards,
        said: Labelled[str],
    ) -> Answer:
        """Return the change of a card by marked values; of one that is done, what is to replace it."""
        if draft.waits and card.revision != draft.revision:
            return PlainAnswer(say(OLDER))
        if not draft.waits and not draft.correctable:
            return PlainAnswer(_too_late(draft))
        change = await self._slots.changed(draft, about, item, said, people)
        return Correction(draft.approval_id, change) if isinstance(change, Change) and not draft.waits else change

    async def _take_many(
        self, item: Inbound, card: Card, draft: CardDraft, people: Sequence[Contact], said: Labelled[str]
    ) -> bool:
        """Apply a reply to a card about many items."""
        reading = await self._read_many(item, draft, people, said, replied=True)
        if reading is None and spoken(said.value, "") is not None:
            return False
        answer = await self._of_many(item, card, draft, reading or hint(draft), said)
        await self._settled(item, card, said, answer)
        return True

    async def _read_many(
        self, item: Inbound, draft: CardDraft, people: Sequence[Contact], said: Labelled[str], *, replied: bool
    ) -> ManyReading | None:
        scene = scene_of(self._slots.request(item, said, people))
        return await asyncio.to_thread(self._bulk.read, said.value, scene, draft.tool, replied=replied)

    def _timed(self, item: Inbound, draft: CardDraft, said: Labelled[str]) -> Answer | None:
        """Return the answer to a reply that gives a scheduled act another time; None for any other reply."""
        if draft.not_before is None or not draft.waits:
            return None
        request = self._slots.request(item, said, ())
        words = said_of(said.value, scene_of(request), language_of(said.value) or request.language)
        try:
            found = new_time(words, draft.not_before, draft.text or "")
        except Asking as asking:
            return PlainAnswer(asking.unclear.question)
        match found:
            case NewTime(at=at):
                return Change(item.inbound_id, not_before=at, at_once=at is None)
            case Unclear(question=question, choices=choices):
                return PlainAnswer(question, choices)
            case None:
                return None

    async def follow(self, item: Inbound) -> bool:
        """Apply words that are no reply to the waiting card about many items; return False if they are not about it.

        Ambiguous words count only if nothing was said since the card came.
        """
        labelled, now = owner_words(item).words, self._clock.now()
        if not labelled.from_owner or not labelled.value.strip() or item.reply_to:
            return False
        waiting = await self._store.look(lambda c: self._approvals.newest_listed(c, item.chat))
        if waiting is None:
            return False
        known = await self._store.look(contacts.all_confirmed)
        draft, at_once = await self._store.look(
            lambda c: (self._approvals.draft(c, waiting.approval_id, now), _is_latest_message(c, item.chat, waiting.at))
        )
        if draft is None or not can_change(draft):
            return False
        reading = await self._read_many(item, draft, known, labelled, replied=False)
        certain = isinstance(reading, MailChange) and reading.certain
        if reading is None or not (certain or (at_once and _is_follow_up(labelled.value, reading))):
            return False
        card = Card(waiting.approval_id, waiting.revision)
        await self._settled(item, card, labelled, await self._of_many(item, card, draft, reading, labelled))
        return True

    async def _of_many(
        self, item: Inbound, card: Card, draft: CardDraft, reading: ManyReading, said: Labelled[str]
    ) -> Answer:
        """Return the answer to words about a card about many items; a changed card is listed anew first."""
        if card.revision != draft.revision:
            return PlainAnswer(say(OLDER))
        match reading:
            case Word():
                return reading
            case Unclear(question=question, choices=choices):
                return PlainAnswer(question, choices)
            case MailChange() | Narrowed():
                try:
                    made = await self._many.changed(draft, reading, said.origins, item.inbound_id)
                except Asking as asking:
                    return PlainAnswer(asking.unclear.question)
                return PlainAnswer(made) if isinstance(made, str) else made

    async def _settled(self, item: Inbound, card: Card, said: Labelled[str], answer: Answer) -> None:
        await self._store.write(lambda c: self._settle(c, item, card, said, answer), "edit")
        self._wake()

    async def _answer(
        self, item: Inbound, card: Card, draft: CardDraft, sheet: CardContent, reading: Reading, said: Labelled[str]
    ) -> Answer:
        """Decide what to do, without doing it yet."""
        if not draft.waits:
            return await self._of_done(item, draft, sheet, reading, said)
        if card.revision != draft.revision:
            return PlainAnswer(say(OLDER))
        match reading:
            case Word():
                return reading
            case _ if draft.listed:
                return PlainAnswer(say(LISTED))
            case _:
                return await self._change(item, sheet, reading, said)

    async def _of_done(
        self, item: Inbound, draft: CardDraft, sheet: CardContent, reading: Reading, said: Labelled[str]
    ) -> Answer:
        """Return the answer to a reply to a card that no longer waits."""
        if isinstance(reading, Word):
            return PlainAnswer(say(NOT_DELETED_BY_WORDS) if draft.deletable else _too_late(draft))
        if not draft.correctable:
            return PlainAnswer(_too_late(draft))
        change = await self._change(item, sheet, reading, said)
        return Correction(draft.approval_id, change) if isinstance(change, Change) else change

    async def _change(
        self, item: Inbound, sheet: CardContent, reading: Edit | Unclear | Unsure, said: Labelled[str]
    ) -> Change | PlainAnswer:
        """Return the change of a card, or what to ask first."""
        match reading:
            case Edit(sheet=new):
                return (
                    PlainAnswer(say(NO_FILES))
                    if item.attachments
                    else change_of(sheet, new, said.origins, item.inbound_id)
                )
            case Unclear(question=question, choices=choices):
                return PlainAnswer(question, choices)
            case Unsure(sentence=sentence):
                return await self._reworded(item, sheet, said, sentence)

    async def reworded(self, item: Inbound, draft: CardDraft, said: Labelled[str]) -> Change | PlainAnswer:
        """Return a card's text as a model without tools rewords it by these words."""
        return await self._reworded(item, sheet_of(draft), said, say(NOT_REWORDED))

    async def _reworded(
        self, item: Inbound, sheet: CardContent, said: Labelled[str], sentence: str
    ) -> Change | PlainAnswer:
        """Return a model's rewording, or the sentence if there is no model."""
        if self._llm is None:
            return PlainAnswer(sentence)
        try:
            new = await reword(self._llm, said.value, sheet, self._redact)
        except (ModelUnavailableError, ModelOutputError) as error:
            log.warning("edit_model_failed", kind=type(error).__name__)
            why = say_error(error).rstrip(".")
            return PlainAnswer(say("{why}. Nothing was changed. {sentence}", why=why, sentence=sentence))
        match new:
            case CardContent():
                return change_of(sheet, new, said.origins | MODEL, item.inbound_id)
            case Unclear(question=question):
                return PlainAnswer(question)
            case None:
                return PlainAnswer(sentence)

    def _settle(
        self, connection: sa.Connection, item: Inbound, card: Card, said: Labelled[str], answer: Answer
    ) -> None:
        """Apply the answer in one transaction with the reply: a repeat after a crash finds it settled."""
        now = self._clock.now()
        if inbox.state(connection, item.inbound_id) is not InboxState.NEW:
            return
        if item.kind is InboundKind.BUTTON and not conversations.use(connection, str(item.payload["data"]), now):
            inbox.settle(connection, item.inbound_id, InboxState.DONE, now=now, detail=InboxNote.TAPPED_BEFORE)
            return
        plain_answer = self.apply(connection, item, [(card, answer)])

        def remember(state: ConversationState) -> None:
            # A changed card still belongs to its plan; only another plan begins another turn.
            if isinstance(answer, ReplacementAct) and plain_answer is None:
                state.begin_turn(item.inbound_id)
            state.add_message(
                "user",
                said.value,
                timestamp=item.received_at,
                origins=list(said.origins),
                message_ref=item.message_ref,
            )
            state.add_message(
                "assistant",
                "Changed the card." if plain_answer is None else "Answered a reply to a card.",
                timestamp=now,
            )

        conversations.update(connection, item.chat, remember, now)
        inbox.settle(connection, item.inbound_id, InboxState.DONE, now=now)

    def apply(
        self, connection: sa.Connection, item: Inbound, changes: Sequence[tuple[Card, Answer]]
    ) -> PlainAnswer | None:
        """Apply answers and queue what there is to say; return that, or None if new cards say it all."""
        return next((one for one in self.applied(connection, item, changes) if one is not None), None)

    def applied(
        self, connection: sa.Connection, item: Inbound, changes: Sequence[tuple[Card, Answer]]
    ) -> list[PlainAnswer | None]:
        """Apply answers and queue what there is to say; return that of each, None where a new card says it all."""
        done = [(card, self._do(connection, item, card, answer)) for card, answer in changes]
        told = [(card, answer) for card, answer in done if answer is not None]
        if told:
            offers = [
                Button(label=one.label, data=self._offer(connection, item, card, one))
                for card, answer in told
                for one in answer.choices
            ]
            text = "\n".join(dict.fromkeys(answer.text for _, answer in told))
            message = OwnerMessage(
                text=plain(text), buttons=tuple((one,) for one in offers), reply_to=item.message_ref or None
            )
            key = f"turn:{item.inbound_id}"
            outbox.add(connection, item.chat, message, now=self._clock.now(), dedup_key=key)
        return [answer for _, answer in done]

    def _do(self, connection: sa.Connection, item: Inbound, card: Card, answer: Answer) -> PlainAnswer | None:
        """Apply an answer; return what to say, or None if a new card says it all."""
        now = self._clock.now()
        match answer:
            case Change():
                done = self._approvals.revise(connection, card.approval_id, card.revision, answer, now)
            case Correction(approval_id=approval_id, change=change):
                done = self._approvals.correct(connection, approval_id, change, now)
            case ReplacementAct():
                done = self._put_instead(connection, item, answer, now)
            case NothingLeft(approval_id=approval_id, revision=revision):
                gone = self._approvals.give_way(connection, approval_id, revision, NOTHING_LEFT, now)
                done = say(EMPTY_NOW) if gone else say(OLDER)
            case Word.NO:
                done = self._approvals.deny(connection, card.approval_id, card.revision, now)
            case Word.YES:
                done = say(NOT_BY_WORDS)
            case Word.WAIT:
                done = say(STILL_WAITS)
            case PlainAnswer():
                return answer
        return PlainAnswer(done) if isinstance(done, str) else None

    def _put_instead(
        self, connection: sa.Connection, item: Inbound, instead: ReplacementAct, now: datetime
    ) -> str | None:
        if not self._approvals.give_way(connection, instead.approval_id, instead.revision, CHANGED, now):
            return say(OLDER)
        add_plan(instead.plan, connection, item, now)
        return None

    def _offer(self, connection: sa.Connection, item: Inbound, card: Card, one: Choice) -> str:
        return conversations.offer(connection, item.chat, one.words, replied_to=card.subject(), now=self._clock.now())


def _is_no_change(reading: Reading) -> bool:
    """Return whether a reply to a decided card may be about something else."""
    return reading in {Word.YES, Word.WAIT} or (isinstance(reading, Edit) and not reading.told)


def _is_follow_up(words: str, reading: ManyReading) -> bool:
    """Return whether ambiguous words are about the card that has just come: a yes or thanks is not."""
    return isinstance(reading, MailChange | Narrowed | Unclear) or (
        reading is Word.NO and spoken(words, "") is not Command.PAUSE
    )


def _is_latest_message(connection: sa.Connection, chat: str, since: datetime) -> bool:
    """Return whether the owner has said nothing in a chat since that time."""
    history = conversations.load(connection, chat).history
    return all(message.timestamp <= since for message in history if message.role == "user")


def _too_late(draft: CardDraft) -> str:
    if draft.undo:
        return say(
            "{outcome} To change it, tap Undo on the card first, and tell me anew how it should be.",
            outcome=draft.outcome,
        )
    return say("This card cannot be changed any more. {outcome}", outcome=draft.outcome)
