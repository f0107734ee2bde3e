"""The person's mailboxes: one for each account, all with the same abilities, whatever lies behind them."""

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
    """What an account writes. Failures of a tool are results."""

    async def send(self, call: ToolCall) -> IntegrationResult:
        """Takes `UserSendArgs`."""
        ...

    async def dispatch(self, call: ToolCall, draft: Draft) -> IntegrationResult:
        """Send a mail of the call's; once, and `reconcile` tells what became of it."""
        ...

    async def reply(self, call: ToolCall) -> IntegrationResult:
        """Takes complete `ReplyToThreadArgs`, and uses nothing else of what was shown."""
        ...

    async def draft(self, call: ToolCall) -> IntegrationResult:
        """Takes complete `DraftReplyArgs`."""
        ...

    async def complete_reply(self, call: ToolCall) -> IntegrationResult:
        """What `ReplyToThreadArgs` leaves open; the data are arguments."""
        ...

    async def reconcile(self, call: ToolCall) -> Reconciled:
        """What became of a send or a reply. Raises `Retryable` while nobody can say."""
        ...

    async def reconcile_draft(self, call: ToolCall) -> Reconciled:
        """What became of a draft. Raises `Retryable` while nobody can say."""
        ...


class UserMailbox(Protocol):
    """One account of the person's. Failures of a tool are results; an id of another account is none of its own.

    An answer to `read` holds `thread`, `to`, `cc` and `reply_to` besides what a list shows.
    """

    @property
    def integration(self) -> BaseIntegration: ...

    @property
    def sending(self) -> MailSending: ...

    async def addresses(self, call: ToolCall) -> OwnAddresses:
        """The person's addresses as this account knows them. Raises `ToolFailedError`."""
        ...

    async def original(self, call: ToolCall, message_id: str) -> Original:
        """One mail as it came. Raises `ToolFailedError`."""
        ...

    async def search(self, call: ToolCall) -> IntegrationResult:
        """Takes `UserSearchArgs`."""
        ...

    async def read(self, call: ToolCall) -> IntegrationResult:
        """Takes `UserReadArgs`."""
        ...

    async def threads(self, call: ToolCall) -> IntegrationResult:
        """Takes `ListThreadsArgs`; the answer is `views.thread_listing`."""
        ...

    async def checks(self) -> Sequence[CheckResult]:
        """What `butler doctor` asks of this account."""
        ...

    def sources(self) -> Sequence[Source]:
        """What brings its mails into the mirror."""
        ...

    async def signed_in(self) -> None:
        """Let go of what was made with older credentials."""
        ...

    async def stop(self) -> None: ...


class UserMailboxes:
    """Hands each call to the mailbox of its account."""

    def __init__(self, mailboxes: Mapping[str, UserMailbox]) -> None:
        """`mailboxes` by the account's name, the default one first."""
        self._mailboxes = mailboxes

    @property
    def accounts(self) -> tuple[str, ...]:
        return tuple(self._mailboxes)

    def named(self) -> tuple[tuple[str, UserMailbox], ...]:
        """All of them with their accounts' names, the default one first."""
        return tuple(self._mailboxes.items())

    def every(self) -> tuple[UserMailbox, ...]:
        """All of them, the default one first."""
        return tuple(self._mailboxes.values())

    async def original(self, call: ToolCall, message_id: str) -> Original:
        """One mail as it came. Raises `ToolFailedError`."""
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

    async def draft(self, call: ToolCall) -> IntegrationResult:
        return await self.of(call).sending.draft(call)

    async def complete_reply(self, call: ToolCall) -> IntegrationResult:
        return await self.of(call).sending.complete_reply(call)

    async def reconcile(self, call: ToolCall) -> Reconciled:
        return await self.of(call).sending.reconcile(call)

    async def reconcile_draft(self, call: ToolCall) -> Reconciled:
        return await self.of(call).sending.reconcile_draft(call)

    def of(self, call: ToolCall) -> UserMailbox:
        """The mailbox that a call acts through."""
        # The registry has filled the account in; a call that did not come through it means the default one.
        return self._mailboxes[call.account or self.accounts[0]]
