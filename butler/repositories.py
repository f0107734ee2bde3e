"""Repositories over rows for modules: notes, and automatic answers."""

from collections.abc import Mapping, Sequence

from butler.contract.integration import Progress
from butler.contract.ports import Clock, Note, OwnerFacts
from butler.provenance import Labels
from butler.store.queries import mail_answers, notes
from butler.store.queries.mail_answers import Caps
from butler.store.store import Store

OTHERS = Caps(thread=1, correspondent=3, domain=10, thread_for_good=True)
OWNER = Caps(thread=30, correspondent=60, domain=60)


class StoreNotes:
    """Implements `NoteRepository`."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store, self._clock = store, clock

    async def add(self, call_id: str, text: str, origins: Labels = frozenset()) -> Note:
        now = self._clock.now()
        return await self._store.write(lambda c: notes.add_note(c, call_id, text, now, origins), "note")

    async def change(self, note_id: str, text: str, origins: Labels = frozenset()) -> Note | None:
        now = self._clock.now()
        return await self._store.write(lambda c: notes.change_note(c, note_id, text, now, origins), "note")

    async def search(self, words: str, limit: int) -> Sequence[Note]:
        return await self._store.read(lambda c: notes.search_notes(c, words.split(), limit))


class StoreAnswers:
    """Implements `AnswerRepository`."""

    def __init__(self, store: Store, clock: Clock, owner: OwnerFacts) -> None:
        self._store, self._clock, self._owner = store, clock, owner

    async def note(self, key: str, correspondent: str, thread: str) -> str:
        now, caps = self._clock.now(), OWNER if correspondent in self._owner.emails else OTHERS
        return await self._store.write(
            lambda c: mail_answers.note(c, key, correspondent=correspondent, thread=thread, caps=caps, now=now),
            "mail_answer",
        )

    async def progress(self, key: str) -> Progress:
        return AnswerProgress(self._store, key, await self._store.look(lambda c: mail_answers.progress(c, key)))


class AnswerProgress:
    """Implements `Progress` with the notes of one automatic answer."""

    def __init__(self, store: Store, key: str, stored: Mapping[str, str]) -> None:
        self._store, self._key, self._stored = store, key, stored

    @property
    def stored(self) -> Mapping[str, str]:
        return self._stored

    async def save(self, **notes: str) -> None:
        self._stored = await self._store.write(
            lambda c: mail_answers.note_progress(c, self._key, notes), "mail_answer.progress"
        )
