"""The owner's mailboxes: one for each account, all with the same methods, whatever the provider."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from butler.contract.base_integration import BaseIntegration
from butler.contract.integration import IntegrationResult
from butler.contract.module import CheckResult, Source
from butler.contract.tools import Reconciled, ToolCall
from modules.email.original import Original
from modules.email.replying import OwnAddresses
from modules.email.smtp.compose import Draft


class MailSending(Protocol):
    """The writing tools of an account. Failures of a tool are results."""

    async def send(self, call: ToolCall) -> IntegrationResult:
        """Answer `UserSendArgs`."""
        ...

    async def dispatch(self, call: ToolCall, draft: Draft) -> IntegrationResult:
        """Send the call's mail once; `reconcile` finds out what became of it."""
        ...

    async def reply(self, call: ToolCall) -> IntegrationResult:
        """Answer complete `ReplyToThreadArgs`, using only what was shown."""
        ...

    async def draft_message(self, call: ToolCall) -> IntegrationResult:
        """Answer `DraftMessageArgs`."""
        ...

    async def draft_reply(self, call: ToolCall) -> IntegrationResult:
        """Answer complete `DraftReplyArgs`."""
        ...

    async def complete_reply(self, call: ToolCall) -> IntegrationResult:
        """Complete `ReplyToThreadArgs`; the data are arguments."""
        ...

    async def reconcile(self, call: ToolCall) -> Reconciled:
        """Find out what became of a send or a reply. Raise `Retryable` while that cannot be known."""
        ...

    async def reconcile_draft(self, call: ToolCall) -> Reconciled:
        """Find out what became of a draft. Raise `Retryable` while that cannot be known."""
        ...


class UserMailbox(Protocol):
    """One of the owner's accounts. Failures of a tool are results; another account's ids are unknown to it.

    The answer to `read` holds `thread`, `to`, `cc` and `reply_to` besides what a list shows.
    """

    @property
    def integration(self) -> BaseIntegration: ...

    @property
    def sending(self) -> MailSending: ...

    async def addresses(self, call: ToolCall) -> OwnAddresses:
        """Return the owner's addresses as this account knows them. Raise `ToolFailedError`."""
        ...

    async def original(self, call: ToolCall, message_id: str) -> Original:
        """Return one mail as received. Raise `ToolFailedError`."""
        ...

    async def search(self, call: ToolCall) -> IntegrationResult:
        """Answer `UserSearchArgs`."""
        ...

    async def read(self, call: ToolCall) -> IntegrationResult:
        """Answer `UserReadArgs`."""
        ...

    async def threads(self, call: ToolCall) -> IntegrationResult:
        """Answer `ListThreadsArgs` by `views.thread_listing`."""
        ...

    async def checks(self) -> Sequence[CheckResult]:
        """Return this account's lines of `butler doctor`."""
        ...

    def sources(self) -> Sequence[Source]:
        """Return the sources that bring its mails into the mirror."""
        ...

    async def signed_in(self) -> None:
        """Drop what was made with older credentials."""
        ...

    async def stop(self) -> None: ...


class UserMailboxes:
    """Routes each call to its account's mailbox."""

    def __init__(self, mailboxes: Mapping[str, UserMailbox]) -> None:
        """`mailboxes` by the account's name, the default one first."""
        self._mailboxes = mailboxes

    @property
    def accounts(self) -> tuple[str, ...]:
        return tuple(self._mailboxes)

    def named(self) -> tuple[tuple[str, UserMailbox], ...]:
        """Return all mailboxes by their accounts' names, the default one first."""
        return tuple(self._mailboxes.items())

    def every(self) -> tuple[UserMailbox, ...]:
        """Return all mailboxes, the default one first."""
        return tuple(self._mailboxes.values())

    async def original(self, call: ToolCall, message_id: str) -> Original:
        """Return one mail as received. Raise `ToolFailedError`."""
        return await self.of(call).original(call, message_id)

    async def search(self, call: ToolCall) -> IntegrationResult:
        return await self.of(call).search(call)

    async def read(self, call: ToolCall) -> IntegrationResult:
        return await self.of(call).read(call)

    async def threads(self, call: ToolCall) -> IntegrationResult:
        return await self.of(call).threads(call)

    async def send(self, call: ToolCall) -> IntegrationResult:
        return await self.of(call).sending.send(call)

    async def reply(self, call: ToolCall) -> IntegrationResult:
        return await self.of(call).sending.reply(call)

    async def draft_message(self, call: ToolCall) -> IntegrationResult:
        return await self.of(call).sending.draft_message(call)

    async def draft_reply(self, call: ToolCall) -> IntegrationResult:
        return await self.of(call).sending.draft_reply(call)

    async def complete_reply(self, call: ToolCall) -> IntegrationResult:
        return await self.of(call).sending.complete_reply(call)

    async def reconcile(self, call: ToolCall) -> Reconciled:
        return await self.of(call).sending.reconcile(call)

    async def reconcile_draft(self, call: ToolCall) -> Reconciled:
        return await self.of(call).sending.reconcile_draft(call)

    def of(self, call: ToolCall) -> UserMailbox:
        """Return the mailbox for a call."""
        # The registry fills in the account; a call from elsewhere means the default one.
        return self._mailboxes[call.account or self.accounts[0]]
