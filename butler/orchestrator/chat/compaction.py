"""Sums up the older part of a conversation, so that a model remembers what was said long ago in few words.

Only what a planner may read is summed up: the owner's words, the butler's own answers, and handles. Without a model the
oldest messages are forgotten, as the state has room for so many.
"""

import structlog
from pydantic import BaseModel, ConfigDict, Field

from butler.agents.errors import ModelOutputError, ModelUnavailableError
from butler.agents.llm import Llm
from butler.agents.redacting import Redact, as_it_is, restored
from butler.contract.ports import Clock
from butler.orchestrator.execution.rounds import TurnLimits
from butler.orchestrator.prompting import render
from butler.provenance import MODEL_PLAN
from butler.store.conversation import ConversationMessage, ConversationState
from butler.store.queries import conversations
from butler.store.store import Store

log = structlog.get_logger(__name__)

COMPACT = "compact_conversation"
"""The work kind that sums up the older part of a chat's conversation; its subject is the chat."""
FROM = 32
"""Messages from which a conversation is summed up."""
KEPT = 16
"""The newest messages, which stay as they are."""
LONGEST_SUMMARY = 1_500
"""Characters of a summary."""


class SummaryForm(BaseModel):
    """What stays of the older part of a conversation."""

    model_config = ConfigDict(extra="forbid")

    summary: str = Field(max_length=2 * LONGEST_SUMMARY, description="What a later request may refer to, in few words")


class Compaction:
    """The work handler of `compact_conversation`."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        llm: Llm | None,
        redact: Redact | None = None,
        limits: TurnLimits | None = None,
    ) -> None:
        self._store, self._clock, self._llm = store, clock, llm
        self._redact, self._limits = redact or as_it_is, limits or TurnLimits()

    async def compact(self, chat: str) -> None:
        """Replace the older messages by a summary. A model that does not answer leaves them for the next time."""
        state = await self._store.read(lambda c: conversations.load(c, chat))
        if self._llm is None or not is_long(state):
            return
        older = state.history[:-KEPT]
        try:
            with self._limits.budget({}):
                text = await self._summary(self._llm, state.summary, older)
        except (ModelUnavailableError, ModelOutputError) as error:
            log.warning("conversation_not_compacted", kind=type(error).__name__)
            return
        if not text:
            # Nothing is forgotten for nothing.
            log.warning("conversation_not_compacted", kind="empty")
            return

        def change(current: ConversationState) -> None:
            # A turn that ended meanwhile only adds to the end.
            if current.history[: len(older)] == older:
                del current.history[: len(older)]
                origins = {origin for one in older for origin in one.origins} | set(state.summary_origins)
                current.summary, current.summary_origins = text, sorted(origins | {MODEL_PLAN}, key=str)

        await self._store.write(
            lambda c: conversations.update(c, chat, change, self._clock.now()), "conversation_compacted"
        )

    async def _summary(self, llm: Llm, before: str, older: list[ConversationMessage]) -> str:
        lines, placeholders = self._redact([before, *(one.content for one in older)])
        said = [{"role": one.role, "content": text} for one, text in zip(older, lines[1:], strict=True)]
        filled = await llm.fill(
            SummaryForm,
            instructions=render("compaction.md", {}),
            prompt=render("compaction_request.md", {"before": lines[0], "history": said}),
        )
        return restored(filled, placeholders).summary.strip()[:LONGEST_SUMMARY]


def is_long(state: ConversationState) -> bool:
    """Return whether a conversation is long enough to be summed up."""
    return len(state.history) >= FROM
