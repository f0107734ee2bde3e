"""The books that the house keeps as rows: notes for modules, and what language models used today."""

from collections.abc import Mapping, Sequence
from zoneinfo import ZoneInfo

import sqlalchemy as sa
from pydantic import BaseModel, ConfigDict

from butler.contract.errors import ModelUnavailableError
from butler.contract.integration import Progress
from butler.contract.ports import Clock, Note, OwnerFacts
from butler.contract.speech import say
from butler.provenance import Labels
from butler.store.queries import cursors, mail_answers, notes
from butler.store.queries.mail_answers import Caps
from butler.store.store import Store
from config.settings import LlmSettings

LLM_USED = "llm_used"
OTHERS = Caps(thread=1, correspondent=3, domain=10, thread_for_good=True)
OWNER = Caps(thread=30, correspondent=60, domain=60)


class StoreNotes:
    """Meets `NoteBook`."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store, self._clock = store, clock

    async def add(self, call_id: str, text: str, origins: Labels = frozenset()) -> Note:
        now = self._clock.now()
        return await self._store.write(lambda c: notes.add_note(c, call_id, text, now, origins), "note")

    async def search(self, words: str, limit: int) -> Sequence[Note]:
        return await self._store.read(lambda c: notes.search_notes(c, words.split(), limit))


class StoreAnswers:
    """Meets `AnswerBook`."""

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
    """Meets `Progress` with the notes of one automatic answer."""

    def __init__(self, store: Store, key: str, stored: Mapping[str, str]) -> None:
        self._store, self._key, self._stored = store, key, stored

    @property
    def stored(self) -> Mapping[str, str]:
        return self._stored

    async def save(self, **notes: str) -> None:
        self._stored = await self._store.write(
            lambda c: mail_answers.note_progress(c, self._key, notes), "mail_answer.progress"
        )


class Used(BaseModel):
    """What language models used on one day; `cost` in US dollars."""

    model_config = ConfigDict(frozen=True)

    day: str
    requests: int = 0
    tokens: int = 0
    cost: float = 0.0


class StoreBudget:
    """Meets `Budget`: counts by the owner's own day, so that neither a restart nor a crash forgets."""

    def __init__(self, store: Store, clock: Clock, zone: ZoneInfo, limits: LlmSettings) -> None:
        self._store, self._clock, self._zone, self._limits = store, clock, zone, limits

    async def spend(self, *, requests: int = 0, tokens: int = 0, cost: float = 0.0) -> None:
        now = self._clock.now()
        today = now.astimezone(self._zone).date().isoformat()

        def work(connection: sa.Connection) -> str:
            stored = cursors.fact(connection, LLM_USED)
            used = Used.model_validate(stored) if stored else Used(day=today)
            if used.day != today:
                used = Used(day=today)
            if requests and (limit := self._used_up(used)):
                return limit
            fresh = Used(
                day=today, requests=used.requests + requests, tokens=used.tokens + tokens, cost=used.cost + cost
            )
            cursors.put_fact(connection, LLM_USED, fresh.model_dump(), now)
            return ""

        if limit := await self._store.write(work, "budget"):
            raise ModelUnavailableError(limit)

    def _used_up(self, used: Used) -> str:
        """That a limit is reached, in words; the first that is."""
        limits = self._limits
        if used.requests >= limits.daily_request_limit:
            return say(
                "today's limit of {most} requests ([llm] daily_request_limit) is used up; tomorrow there is a new one",
                most=limits.daily_request_limit,
            )
        if used.tokens >= limits.daily_token_limit:
            return say(
                "today's limit of {most} tokens ([llm] daily_token_limit) is used up; tomorrow there is a new one",
                most=limits.daily_token_limit,
            )
        # A model without a price never reaches a limit of 0.
        if used.cost >= limits.daily_cost_limit and used.cost > 0:
            return say(
                "today's limit of {most} US dollars ([llm] daily_cost_limit) is used up; tomorrow there is a new one",
                most=f"{limits.daily_cost_limit:g}",
            )
        return ""
