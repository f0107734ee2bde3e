"""The state of one conversation (seed 2), persisted each turn: what was said, and what "his last mail" refers to."""

import re
from collections import Counter
from collections.abc import Sequence
from datetime import date, datetime
from typing import Any, Literal

from pydantic import AwareDatetime, BaseModel, Field

from butler.contract.agents import PlanStep, RetrievedContext, utcnow
from butler.contract.provenance import Origin
from butler.contract.records import Record
from butler.contract.referents import ReferentKind

HISTORY_LIMIT = 40
REFERENT_LIMIT = 100
REPORT_LIMIT = 5
_CALLED_WITH = re.compile(r"\{.*\}")


class ConversationMessage(BaseModel):
    """One message. `content` is what a planner may see: the owner's words, or a template with handles.

    What other people wrote is never in `content`; a reply that quoted it carries the handle in its place.
    """

    role: Literal["user", "assistant", "system"]
    content: str
    timestamp: AwareDatetime
    origins: list[Origin] = Field(default_factory=list[Origin])
    message_ref: str = ""

    @property
    def asks(self) -> bool:
        """Whether the butler asks something in it; in braces stands what an act was called with."""
        return self.role == "assistant" and "?" in _CALLED_WITH.sub("", self.content)


class LastShown(Record):
    """What the butler showed last, of any kind, even an empty list: a bare "the first one" refers to this."""

    kind: ReferentKind
    count: int | None = None
    """The number of items that can be referred to; None if they were not counted."""
    unnamed: int = 0
    """The number of things that were shown and have no handle, such as free times."""
    keys: tuple[str, ...] = ()
    """The ids of things that have no handle, in the order in which they were shown."""
    after: str = ""
    """The newest handle at that time; a newer one means that something was shown since."""


class Referent(Record):
    """An item that was shown and can be referred to. Holds trusted metadata only, never a sender's own text."""

    handle: str
    """The handle, such as `mail-3`: stable within the conversation."""
    kind: ReferentKind
    key: str
    """The item's id at its source, such as a message id of the mailbox; resolved outside the planner."""
    tool: str = ""
    """The input tool that found it."""
    account: str = ""
    """The account in which it was found, and the only one in which it can be referred to."""
    contact_id: str | None = None
    ordinal: int = 0
    """Its position in the list in which it was shown, from 1."""
    at: AwareDatetime | None = None
    begins: datetime | date | None = None
    """When an event starts or a reminder is due; the owner's wall time if it is without a zone."""
    shown_in: str = ""
    """The message that showed it last."""
    list_number: int = 0
    """The list that showed it at `ordinal`, counted in the conversation; 0 until the list is shown."""
    unseen: bool = False
    """Whether the owner was not shown it: only the request that it triggered can refer to it, and "it" never does."""


class ConversationState(BaseModel):
    """Short-term memory of a session, bounded."""

    session_id: str
    history: list[ConversationMessage] = Field(default_factory=list[ConversationMessage])
    reports: list[ConversationMessage] = Field(default_factory=list[ConversationMessage])
    """The last things that the butler said by itself: apart from `history`, in which the owner's words answer the
    message before them, and out of which no report pushes what was said."""
    summary: str = ""
    """What is kept of messages that are no longer in `history`."""
    summary_origins: list[Origin] = Field(default_factory=list[Origin])
    turn: str = ""
    """The inbound id of the current or the last request."""
    current_plan: list[PlanStep] | None = None
    """The steps of the turn's plan as its rows are now; None if it has none, or none any more. Never stored: each load
    reads the rows, so a step that waits for a tap is `in_progress` here at once."""
    accumulated_context: list[RetrievedContext] = Field(default_factory=list[RetrievedContext])
    """The passages that the turn's steps have found so far, from which its answer is worded."""
    user_preferences: dict[str, Any] = Field(default_factory=dict[str, Any])
    referents: list[Referent] = Field(default_factory=list[Referent])
    handle_counts: dict[str, int] = Field(default_factory=dict[str, int])
    last_shown: LastShown | None = None

    def show(self, kind: ReferentKind, count: int | None, keys: tuple[str, ...] = (), *, unnamed: int = 0) -> None:
        """Record what was just shown, even if there was nothing."""
        self.last_shown = LastShown(kind=kind, count=count, keys=keys, after=self._newest(), unnamed=unnamed)

    def shown_last(self) -> LastShown | None:
        """Return what was shown last, or the newest of the items that came up unasked since."""
        known = self.last_shown
        if known is not None and known.after == self._newest():
            return known
        newest = next((one for one in reversed(self.referents) if _is_shown(one)), None)
        return LastShown(kind=newest.kind, after=newest.handle) if newest is not None else known

    def _newest(self) -> str:
        return next((one.handle for one in reversed(self.referents) if _is_shown(one)), "")

    def summed_up(self) -> ConversationMessage | None:
        """Return the summary as a message of the butler; None if nothing was summed up."""
        if not self.summary:
            return None
        first = self.history[0].timestamp if self.history else utcnow()
        return ConversationMessage(role="system", content=self.summary, timestamp=first, origins=self.summary_origins)

    def add_message(
        self,
        role: Literal["user", "assistant", "system"],
        content: str,
        *,
        timestamp: datetime | None = None,
        origins: list[Origin] | None = None,
        message_ref: str = "",
    ) -> None:
        """Append one message and forget the oldest beyond the limit."""
        self.history.append(
            ConversationMessage(
                role=role,
                content=content,
                timestamp=timestamp or utcnow(),
                origins=origins or [],
                message_ref=message_ref,
            )
        )
        del self.history[:-HISTORY_LIMIT]

    def add_report(self, content: str, at: datetime) -> None:
        """Keep what the butler says by itself at a moment, which may be to come; `content` is a template."""
        self.reports.append(ConversationMessage(role="assistant", content=content, timestamp=at))
        del self.reports[:-REPORT_LIMIT]

    def add_referent(
        self,
        kind: ReferentKind,
        key: str,
        *,
        tool: str = "",
        account: str = "",
        contact_id: str | None = None,
        ordinal: int = 0,
        at: datetime | None = None,
        begins: date | None = None,
        unseen: bool = False,
        looked: bool = True,
    ) -> Referent:
        """Give an item a handle, or find the one it has; what was shown before keeps its place.

        An item is the same whichever tool of one channel and one side showed it. Only a tool that `looked` for it
        counts as the one that found it.
        """
        for known in self.referents:
            if (known.kind, known.key, _side(known.tool), known.account) == (kind, key, _side(tool), account):
                if unseen:
                    return known
                fresh = known.model_copy(
                    update={
                        "tool": tool if looked else known.tool,
                        "contact_id": contact_id or known.contact_id,
                        "ordinal": ordinal or known.ordinal,
                        "list_number": 0 if ordinal else known.list_number,
                        "at": at or known.at,
                        "begins": begins or known.begins,
                        "unseen": False,
                    }
                )
                self.referents.remove(known)
                self.referents.append(fresh)
                return fresh
        number = self.handle_counts.get(kind, 0) + 1
        self.handle_counts[kind] = number
        referent = Referent(
            handle=f"{kind}-{number}",
            kind=kind,
            key=key,
            tool=tool,
            account=account,
            contact_id=contact_id,
            ordinal=ordinal,
            at=at,
            begins=begins,
            unseen=unseen,
        )
        self.referents.append(referent)
        # Counted separately: items that come in unseen, however many, do not displace items that were shown.
        alike = [one for one in self.referents if one.unseen == unseen]
        if len(alike) > REFERENT_LIMIT:
            self.referents.remove(alike[0])
        return referent

    def clear_context(self) -> None:
        """Clear the working context of the turn."""
        self.accumulated_context = []
        self.current_plan = None

    def begin_turn(self, inbound_id: str) -> None:
        """Begin another request; nothing of the one before stays in its context."""
        self.clear_context()
        self.turn = inbound_id


def newest_list(referents: Sequence[Referent]) -> list[Referent]:
    """Return the newest list of several items, with those of it that were shown again since; empty without any."""
    listed = [one for one in referents if one.ordinal]
    counts = Counter(one.list_number for one in listed if one.list_number)
    if several := [number for number, count in counts.items() if count > 1]:
        return [one for one in listed if one.list_number == max(several)]
    # Kept before lists were counted.
    for newest in reversed(listed):
        together = [number for number, one in enumerate(listed) if one.shown_in == newest.shown_in]
        if len(together) > 1:
            return listed[together[0] :]
    return []


def _side(tool: str) -> str:
    """Return whose tool it is, and of which channel: `user_email`."""
    return "_".join(tool.split("_")[:2])


def _is_shown(referent: Referent) -> bool:
    """Return whether a referent was shown by itself, unlike files, which accompany another item, and unseen ones."""
    return not referent.unseen and referent.kind is not ReferentKind.FILE
