"""Sends a mail, keeps a copy, and finds out what became of a send, for the owner's mailbox and the butler's.

Once the server has accepted a mail it is sent, even if the copy fails; until DATA it surely is not. The copy is noted
before the mail leaves, so that reconciling a send that was cut off can append it to Sent; it is first looked for by its
Message-ID, so that there is only one.
"""

from collections.abc import Mapping
from typing import Any

from butler.contract.errors import Retryable
from butler.contract.integration import IntegrationResult, RetryPolicy
from butler.contract.ports import BlobStore
from butler.contract.reasons import Reason, in_own_words
from butler.contract.speech import phrase, say
from butler.contract.tools import Reconciled, Settled, ToolCall
from modules.email.imap.methods import FIND_COPY, FIND_DRAFT, KEEP_COPY, KEEP_DRAFT, SEND
from modules.email.imap.reading import MailboxReading
from modules.email.integration_smtp import SEND_TIMEOUT_MS
from modules.email.integration_smtp_imap import SmtpImapIntegration
from modules.email.smtp.compose import Draft, compose, message_id

_SENDS = RetryPolicy(max_attempts=3, backoff_s=1.0)
"""Only a send that surely had no effect is retried."""


class MailSender:
    """Sends mails from one mailbox, or saves them in its Drafts."""

    def __init__(self, integration: SmtpImapIntegration, calls: MailboxReading, blobs: BlobStore) -> None:
        self._integration = integration
        self._calls = calls
        self._blobs = blobs

    async def send(self, call: ToolCall, draft: Draft) -> IntegrationResult:
        """Send a mail and keep a copy. Raise `IntegrationFault` for content that no mail can hold."""
        outgoing = compose(draft)
        args = {
            "sender": outgoing.sender,
            "recipients": list(outgoing.recipients),
            "message_id": outgoing.message_id,
            "raw": await self._blobs.put(outgoing.wire),
        }
        raw = await self._blobs.put(outgoing.copy)
        if call.progress is not None and not call.dry_run:
            await call.progress.save(copy=raw)
        result = await self._calls.call(call, SEND, args, _SENDS, timeout_ms=SEND_TIMEOUT_MS)
        if not result.ok or result.data is None or call.dry_run:
            return result
        copy, missing = await self._keep_copy(call, raw)
        remark = _remark(result.data["refused"], missing)
        meta = result.meta.model_copy(update={"remark": remark})
        return result.model_copy(update={"data": result.data | {"copy": copy}, "meta": meta})

    async def save_draft(self, call: ToolCall, draft: Draft) -> IntegrationResult:
        """Put a mail into Drafts, unless it is already there."""
        outgoing = compose(draft)
        raw = await self._blobs.put(outgoing.copy)
        result = await self._calls.call(call, KEEP_DRAFT, {"message_id": outgoing.message_id, "raw": raw})
        if not result.ok or result.data is None or call.dry_run:
            return result
        return result.model_copy(update={"data": self._proof(call) | {"folder": result.data["folder"]}})

    async def reconcile(self, call: ToolCall) -> Reconciled:
        """Reconcile by our notes of the attempt, and by the copy, which goes into Sent only after acceptance.

        An accepted mail without a copy is given one. Raise `Retryable` while the mailbox cannot be reached.
        """
        notes: Mapping[str, str] = call.progress.stored if call.progress is not None else {}
        match notes.get("stage") if call.progress is not None else "data":
            case "accepted":
                reasons = [in_own_words(phrase("The mail server had accepted the mail."))]
                if notes.get("copy"):
                    _, missing = await self._keep_copy(call, notes["copy"])
                    reasons += missing
                if notes.get("refused"):
                    reasons.append(in_own_words(phrase("It did not take it for {people}."), people=notes["refused"]))
                return Reconciled(Settled.DONE, tuple(reasons), self._proof(call))
            case "data":
                if await self._is_stored(call, FIND_COPY):
                    return Reconciled.with_text(
                        Settled.DONE, phrase("Its copy lies in the Sent folder."), self._proof(call)
                    )
                return Reconciled.with_text(
                    Settled.UNKNOWN,
                    phrase(
                        "The mail was being handed over when the connection ended; whether it was sent is not known."
                    ),
                )
            case _:
                return Reconciled.with_text(Settled.REPEAT, phrase("The mail had not been handed over yet."))

    async def reconcile_draft(self, call: ToolCall) -> Reconciled:
        """Reconcile by the Drafts folder; a missing draft may be saved again, since saving looks for it first.

        Raise `Retryable` while the mailbox cannot be reached.
        """
        if await self._is_stored(call, FIND_DRAFT):
            return Reconciled.with_text(Settled.DONE, phrase("The draft lies in the Drafts folder."), self._proof(call))
        return Reconciled.with_text(Settled.REPEAT, phrase("The draft does not lie in the Drafts folder."))

    async def _keep_copy(self, call: ToolCall, raw: str) -> tuple[str, tuple[Reason, ...]]:
        """Append the copy to Sent; return its folder or the failure for the record, and what the owner is told."""
        args = {"message_id": self._proof(call)["message_id"], "raw": raw}
        result = await self._calls.call(call, KEEP_COPY, args)
        if result.error is not None and result.error.retriable:
            # The first attempt may have worked: the copy is looked for before it is appended again.
            result = await self._calls.call(call, KEEP_COPY, args)
        if result.ok and result.data is not None:
            return f"kept in {result.data['folder']}", ()
        why = result.error.message if result.error else say("no answer")
        return f"not kept: {why}", (in_own_words(phrase("A copy was not kept: {why}."), why=why),)

    async def _is_stored(self, call: ToolCall, method_id: str) -> bool:
        """Return whether this call's mail lies in the folder; False if the server refuses to say."""
        result = await self._calls.call(call, method_id, {"message_id": self._proof(call)["message_id"]})
        if result.error is not None and result.error.retriable:
            raise Retryable(result.error.message)
        return result.ok and result.data is not None and bool(result.data["kept"])

    def _proof(self, call: ToolCall) -> dict[str, Any]:
        return {"message_id": message_id(call.token or call.call_id, self._integration.address)}


def _remark(refused: Mapping[str, str], missing: tuple[Reason, ...]) -> tuple[Reason, ...]:
    """Return what the owner should know of a sent mail."""
    people = "; ".join(f"{address}: {reason}" for address, reason in refused.items())
    if not people:
        return missing
    return in_own_words(phrase("The mail server did not take it for {people}."), people=people), *missing
