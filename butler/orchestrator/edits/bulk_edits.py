"""Applies the owner's words to a card about many items: changes are listed anew and shown as a new version.

The new version is about a new list and nothing else, so the old buttons are dead. For another act on the same items,
the card is replaced by another.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from pydantic import ValidationError

from approvals.card_replies import CardDraft
from approvals.revise import SAME, Change, NewValue
from approvals.service import Approvals
from butler.bulk.launcher import NOTHING_LISTED
from butler.contract.door import explain
from butler.contract.names import Identity
from butler.contract.provenance import Origin
from butler.contract.reasons import Reason, ReasonCode
from butler.contract.speech import phrase, say
from butler.contract.tools import ToolCall, ToolSpec
from butler.orchestrator.edits.bulk_reading import CARDS, EVENTS, MAIL
from butler.orchestrator.edits.mail_changes import Act, MailChange
from butler.orchestrator.edits.narrowing import Narrowed
from butler.orchestrator.edits.recurring import repeated
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.execution.completion import LISTED
from butler.orchestrator.planning.plan_types import Planned, Unclear
from butler.orchestrator.understanding.mail.acts import DESCRIBED, NAMED, same_mails
from butler.orchestrator.understanding.mail.wanted import EMPTY
from butler.provenance import Labels
from butler.store.queries.rules import REPEAT
from butler.tool_invoker import ToolInvoker, UnknownAccountError, account_of

SNAPSHOT = "snapshot"
NAMES = ("senders", "keep", "people")
WHICH = phrase("Which mails do you mean? Say whose, about what, or how old, like “archive all mails from Anna”.")
HINT = phrase(
    "I did not understand what to change. Say for example “also those from Amazon”, “not the unread ones”, “only those "
    "older than a month” or “trash them instead”."
)
HINT_OF_OTHERS = phrase(
    "I did not understand what to change. Say which of them only, like “only those about the trip”, or tap Deny and "
    "ask me anew."
)
CHANGED = Reason(ReasonCode.REPLACED)
NOTHING_LEFT = Reason(ReasonCode.NOTHING_LEFT)
EMPTY_NOW = phrase(
    "By what you said, nothing of it is left to be done, so I have withdrawn the card. Nothing was changed."
)
CONTACTS = Origin.owner("contacts")


@dataclass(frozen=True, slots=True)
class ReplacementAct:
    """Another act on the same items, which gets a card of its own."""

    approval_id: str
    revision: int
    plan: Planned


@dataclass(frozen=True, slots=True)
class NothingLeft:
    """The owner excluded every item: the card must no longer do what it says."""

    approval_id: str
    revision: int


def can_change(draft: CardDraft) -> bool:
    """Return whether words can change the listed items of a card."""
    return draft.listed and draft.tool.startswith((MAIL, EVENTS, CARDS))


def hint(draft: CardDraft) -> Unclear:
    """Return the hint for a reply that was not understood."""
    return Unclear(say(HINT if draft.tool.startswith(MAIL) else HINT_OF_OTHERS))


class BulkCardEdits:
    """Makes new versions of cards about many items."""

    def __init__(self, tools: ToolInvoker, approvals: Approvals) -> None:
        self._tools, self._approvals = tools, approvals

    async def changed(
        self, draft: CardDraft, more: MailChange | Narrowed, origins: Labels, by: str
    ) -> Change | ReplacementAct | NothingLeft | str:
        """List the card anew as `more` wants it; return a sentence if it cannot be. `by` is the inbound that said it.

        Raises `Asking`. Await it outside of any transaction.
        """
        action = draft.tool.removeprefix(MAIL)
        new = more.changed(draft.args, action) if isinstance(more, MailChange) else more.changed(draft.args)
        new |= repeated(more, draft.args, new)
        if isinstance(more, MailChange) and more.act is not None and more.act.action != action:
            return ReplacementAct(draft.approval_id, draft.revision, self._instead(draft, more.act))
        if not new:
            return say(SAME)
        snapshot = await self._listed(draft, new, draft.args_labels | origins)
        if snapshot is None:
            return NothingLeft(draft.approval_id, draft.revision)
        if isinstance(snapshot, str):
            return snapshot
        puts = {name: _put(name, value, draft.args, origins) for name, value in new.items()}
        return Change(by=by, relisted={**puts, SNAPSHOT: NewValue(snapshot, frozenset({LISTED}))})

    async def _listed(self, draft: CardDraft, new: Mapping[str, Any], origins: Labels) -> Any:
        """Return the provider's list for a changed call, as JSON; None for an empty list, a sentence on failure."""
        spec = self._tools.spec(draft.tool)
        if spec.identity is Identity.USER and (paused := await self._approvals.paused()):
            return paused
        try:
            args = spec.args.model_validate({**draft.args, **new, SNAPSHOT: None})
            account, key = account_of(spec, args), draft.approval_id
            call = ToolCall(draft.tool, args, key, key, account, origins=origins)
        except ValidationError as error:
            return say("That does not go: {why}. Nothing was changed.", why=explain(error))
        except UnknownAccountError as unknown:
            why = f"{unknown.detail[:1].upper()}{unknown.detail[1:]}"
            return say("{why}. Nothing was changed.", why=why)
        return await _list(spec, call)

    def _instead(self, draft: CardDraft, act: Act) -> Planned:
        """Plan another act on the same mails; raise `Asking` if there is no such tool."""
        if not any(spec.tool_name == act.tool for spec in self._tools.specs()):
            raise Asking(say("I cannot do that in this mailbox."))
        if (besides := same_mails(draft.tool.removeprefix(MAIL), draft.args)) is None:
            raise Asking(say(WHICH))
        own = {SNAPSHOT, *NAMED.values()}
        data = {n: v for n, v in draft.args.items() if n not in own and v is not None and v != EMPTY.get(n, "")}
        args = {name: value for name, value in data.items() if value != []} | besides | act.named()
        return replace(calls.plan(calls.call(act.tool, say(DESCRIBED[act.action]), **args)), labels=draft.args_labels)


async def _list(spec: ToolSpec, call: ToolCall) -> Any:
    assert spec.complete is not None
    result = await spec.complete(call)
    if result.error is not None and result.error.provider_code == NOTHING_LISTED:
        return None
    if result.error is not None:
        why = result.error.message.rstrip(".")
        return say("{why}. The card stays as it was.", why=why)
    return (result.data or {})[SNAPSHOT]


def _put(name: str, value: Any, old: Mapping[str, Any], origins: Labels) -> NewValue[Any]:
    """Return a new value with the labels of who chose it; some of its names may have been there before."""
    partly = name in (*NAMES, "words", REPEAT) and bool(old.get(name)) and bool(value)
    return NewValue(value, origins | {CONTACTS} if name in NAMES else origins, partly=partly)
