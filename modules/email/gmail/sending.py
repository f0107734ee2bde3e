"""Sends mails from the owner's Gmail, or saves them in its Drafts: once, and only what was approved.

A mail is a draft first. Its id and the id of its mail are noted durably, then it is checked again: editing a draft in
Gmail puts another mail into it, which nobody has approved.
"""

from collections.abc import Awaitable

from butler.contract.door import failed
from butler.contract.errors import Effect, IntegrationErrorCode, IntegrationFault, Retryable
from butler.contract.integration import ONCE, IntegrationResult, RetryPolicy
from butler.contract.module import ModuleContext
from butler.contract.speech import phrase, say
from butler.contract.tools import Reconciled, Settled, ToolCall
from modules.email.gmail.answers import marked
from modules.email.gmail.calls import GmailCalls, data_of
from modules.email.gmail.composing import GmailComposer
from modules.email.integration_gmail_records import (
    CREATE_DRAFT,
    DELETE_DRAFT,
    FIND_DRAFT,
    GET_DRAFT,
    SEND_DRAFT,
    DraftRef,
    Got,
)
from modules.email.parsing.reader import MailReader
from modules.email.smtp.compose import Draft, message_id
from modules.email.views import ToolFailedError

_SENDS = RetryPolicy(max_attempts=3, backoff_s=1.0)
"""Only what surely had no effect is retried."""
_MOST_SENT_LOOKED_AT = 25


class GmailSending:
    """The handlers of one account's writing tools."""

    def __init__(self, calls: GmailCalls, reader: MailReader, context: ModuleContext) -> None:
        self._calls = calls
        self._composer = GmailComposer(calls, reader, context)

    async def complete_reply(self, call: ToolCall) -> IntegrationResult:
        return await _result(self._composer.complete(call))

    async def send(self, call: ToolCall) -> IntegrationResult:
        return await _result(self._send(call))

    async def dispatch(self, call: ToolCall, draft: Draft) -> IntegrationResult:
        """Send a mail that is already composed."""
        return await _result(self._hand_over(call, draft))

    async def reply(self, call: ToolCall) -> IntegrationResult:
        return await _result(self._reply(call))

    async def draft_message(self, call: ToolCall) -> IntegrationResult:
        return await _result(self._lay_new(call))

    async def draft_reply(self, call: ToolCall) -> IntegrationResult:
        return await _result(self._lay_answer(call))

    async def reconcile(self, call: ToolCall) -> Reconciled:
        """Reconcile by what became of the draft. Raise `Retryable` while Gmail cannot be reached."""
        draft_id = _noted(call, "draft_id")
        if call.progress is not None and not draft_id:
            try:
                await self._clear_away(call)
            except ToolFailedError as failure:
                _may_ask_later(failure.result)
            return Reconciled.with_text(Settled.REPEAT, phrase("Nothing had been sent yet."))
        if draft_id:
            still_there = await self._calls.call(call, GET_DRAFT, {"draft_id": draft_id})
            if still_there.ok:
                return Reconciled.with_text(
                    Settled.UNKNOWN, phrase("It was probably not sent; the draft is in your Drafts.")
                )
            _may_ask_later(still_there)
            if still_there.error is None or still_there.error.code is not IntegrationErrorCode.NOT_FOUND:
                return Reconciled.with_text(Settled.UNKNOWN, phrase("Gmail cannot be asked whether it was sent."))
        if (sent := await self._sent(call)) is not None:
            return Reconciled.with_text(
                Settled.DONE, phrase("It is in your Sent mail."), {"id": sent.id, "thread_id": sent.thread_id}
            )
        return Reconciled.with_text(
            Settled.UNKNOWN, phrase("The draft is gone, but no such mail was found in your Sent mail.")
        )

    async def reconcile_draft(self, call: ToolCall) -> Reconciled:
        """Reconcile by looking for a draft with our mark. Raise `Retryable` while Gmail cannot be reached."""
        try:
            found = await self._found(call)
        except ToolFailedError as failure:
            _may_ask_later(failure.result)
            return Reconciled.with_text(Settled.UNKNOWN, phrase("Gmail cannot be asked whether the draft is there."))
        if found is not None:
            return Reconciled.with_text(Settled.DONE, phrase("It is in your Drafts."), found.model_dump())
        return Reconciled.with_text(Settled.REPEAT, phrase("There is no such draft yet."))

    # Internals

    async def _send(self, call: ToolCall) -> IntegrationResult:
        return await self._dispatch(call, await self._composer.new(call), "")

    async def _hand_over(self, call: ToolCall, draft: Draft) -> IntegrationResult:
        return await self._dispatch(call, await self._composer.kept(draft), "")

    async def _reply(self, call: ToolCall) -> IntegrationResult:
        return await self._dispatch(call, *await self._composer.answer(call))

    async def _lay_new(self, call: ToolCall) -> IntegrationResult:
        return await self._lay(call, await self._composer.new(call), "")

    async def _lay_answer(self, call: ToolCall) -> IntegrationResult:
        return await self._lay(call, *await self._composer.answer(call))

    async def _lay(self, call: ToolCall, raw: str, thread_id: str) -> IntegrationResult:
        """Save the mail as a draft, in the thread if it has one, unless an earlier attempt left it there."""
        if call.dry_run:
            return await self._calls.call(call, CREATE_DRAFT, {"raw": raw, "thread_id": thread_id}, dry_run=True)
        made = await self._found(call) if _noted(call, "drafting") else None
        if made is None:
            made = await self._create(call, raw, thread_id)
        thread = {"thread_id": thread_id} if thread_id else {}
        return IntegrationResult(ok=True, data=made.model_dump() | thread)

    async def _dispatch(self, call: ToolCall, raw: str, thread_id: str) -> IntegrationResult:
        """Create the draft, note its id durably, check it, send it."""
        if call.dry_run:
            return await self._calls.call(call, CREATE_DRAFT, {"raw": raw, "thread_id": thread_id}, dry_run=True)
        draft = DraftRef(draft_id=_noted(call, "draft_id"), message_id=_noted(call, "draft_message_id"))
        if not draft.draft_id:
            if _noted(call, "drafting"):
                # The owner may have edited the draft meanwhile; it is made again from what was shown.
                await self._clear_away(call)
            draft = await self._create(call, raw, thread_id)
            if call.progress is not None:
                await call.progress.save(draft_id=draft.draft_id, draft_message_id=draft.message_id)
        await self._check_untouched(call, draft)
        result = await self._calls.call(call, SEND_DRAFT, {"draft_id": draft.draft_id}, _SENDS)
        if result.ok and result.data is not None:
            return result.model_copy(update={"data": result.data | {"draft_id": draft.draft_id}})
        if result.error is not None and result.error.effect is Effect.NONE:
            text = say("{why}; the mail lies in your Drafts, unsent", why=result.error.message)
            return result.model_copy(update={"error": result.error.model_copy(update={"message": text})})
        return result

    async def _create(self, call: ToolCall, raw: str, thread_id: str) -> DraftRef:
        if call.progress is not None:
            await call.progress.save(drafting="yes")
        result = await self._calls.call(call, CREATE_DRAFT, {"raw": raw, "thread_id": thread_id}, _SENDS)
        if result.ok and result.data is not None:
            return DraftRef.model_validate(result.data)
        error = result.error
        if error is not None and error.effect is Effect.UNKNOWN:
            # The answer was lost, but a draft is not sent yet: if it is not there, nothing was done.
            if (found := await self._found(call)) is not None:
                return found
            error = error.model_copy(
                update={"effect": Effect.NONE, "message": say("{why}; nothing was sent", why=error.message)}
            )
        raise ToolFailedError(result.model_copy(update={"error": error}))

    async def _check_untouched(self, call: ToolCall, draft: DraftRef) -> None:
        """Raise unless the draft still holds the approved mail."""
        result = await self._calls.call(call, GET_DRAFT, {"draft_id": draft.draft_id})
        if result.error is not None and result.error.code is IntegrationErrorCode.NOT_FOUND:
            text = say("the draft is no longer in your Drafts: it was sent or deleted there, so Butler did not send it")
            raise ToolFailedError(failed(IntegrationErrorCode.CONFLICT, text))
        if data_of(result)["message_id"] != draft.message_id:
            text = say("the draft was changed in Gmail after your yes, so it was not sent; it is in your Drafts")
            raise ToolFailedError(failed(IntegrationErrorCode.CONFLICT, text))

    async def _found(self, call: ToolCall) -> DraftRef | None:
        """Return the draft with this call's mark."""
        found = DraftRef.model_validate(data_of(await self._calls.call(call, FIND_DRAFT, {"token": _token(call)})))
        return found if found.draft_id else None

    async def _clear_away(self, call: ToolCall) -> None:
        """Delete a draft whose id was never noted, so that the repeat leaves only one."""
        if (found := await self._found(call)) is not None:
            await self._calls.call(call, DELETE_DRAFT, {"draft_id": found.draft_id}, ONCE)

    async def _sent(self, call: ToolCall) -> Got | None:
        """Return the sent mail of this call: by its Message-ID, or by our mark if Gmail has changed the id."""
        try:
            sender = getattr(call.args, "sender", "") or (await self._calls.own(call)).primary.address
            own_id = message_id(_token(call), sender).strip("<>")
            for query in (f"in:sent rfc822msgid:{own_id}", "in:sent newer_than:7d"):
                refs, _ = await self._calls.refs(call, query, _MOST_SENT_LOOKED_AT)
                for mail in await self._calls.headers(call, [ref.id for ref in refs]):
                    if marked(mail.raw, _token(call)):
                        return mail.got
        except ToolFailedError as failure:
            _may_ask_later(failure.result)
        return None


async def _result(handler: Awaitable[IntegrationResult]) -> IntegrationResult:
    try:
        return await handler
    except ToolFailedError as failure:
        return failure.result
    except IntegrationFault as fault:
        return failed(fault.code, fault.message)


def _noted(call: ToolCall, name: str) -> str:
    return call.progress.stored.get(name, "") if call.progress is not None else ""


def _token(call: ToolCall) -> str:
    return call.token or call.call_id


def _may_ask_later(result: IntegrationResult) -> None:
    if result.error is not None and result.error.retriable:
        raise Retryable(result.error.message)
