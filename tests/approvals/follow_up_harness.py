"""An approvals harness whose tool sends through one of two accounts, and can delete and correct what it sent."""
# names: made up here

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict

from approvals.card_replies import CardDraft
from approvals.follow_ups import FollowUpKind, name_of
from butler.contract.card import Button, Card, rich_text
from butler.contract.integration import Idempotency
from butler.contract.names import ApprovalDefault, Identity
from butler.contract.tools import ArgRole, FollowUp, Preview, Recipient, ToolMetadata, ToolSpec
from butler.store.queries import approvals
from butler.store.queries.approvals import ApprovalRow
from butler.store.store import Store
from config.approvals import ApprovalsSettings
from tests.approvals.harness import Harness
from tests.approvals.providers import (
    ANNA,
    ROLES,
    SEND,
    Invoker,
    Provider,
    SendArgs,
)

UNSEND = "user_telegram_delete_message"
RESAY = "user_telegram_edit_message"
ACCOUNTS = ("main", "work")
OPTION = ArgRole.OPTION


class AccountSendArgs(SendArgs):
    account: str = ""


class UnsendArgs(BaseModel):
    model_config = ConfigDict(extra="forbid")

    chat: str
    message_id: str
    was: str
    account: str = ""


class ResayArgs(UnsendArgs):
    text: str


UNSENDS = {
    "chat": ArgRole.TARGET,
    "message_id": ArgRole.TARGET,
    "was": ArgRole.CONTENT,
    "account": OPTION,
}
ALL_ROLES: Mapping[type[BaseModel], Mapping[str, ArgRole]] = {
    **ROLES,
    AccountSendArgs: {**ROLES[SendArgs], "account": OPTION},
    UnsendArgs: UNSENDS,
    ResayArgs: {**UNSENDS, "text": ArgRole.CONTENT},
}


def preview_unsend(args: UnsendArgs) -> Preview:
    return Preview("Deletes a message that you sent", recipients=(Recipient(address=args.chat),), told=("message_id",))


def preview_resay(args: ResayArgs) -> Preview:
    effect = "Changes a message that you sent"
    facts = (("It says now", args.was),)
    return Preview(
        effect, recipients=(Recipient(address=args.chat),), body=args.text, facts=facts, told=("message_id",)
    )


def sent_at(args: SendArgs, data: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the chat of a message; a message to several people has none."""
    return {"chat": args.to[0], "message_id": data["id"], "was": args.text} if len(args.to) == 1 else None


class FollowInvoker(Invoker):
    """The test tools, extended by tools with an inverse and a correction."""

    def __init__(self, provider: Provider, idempotency: Idempotency, accounts: tuple[str, ...]) -> None:
        super().__init__(provider, idempotency)
        self.roles = dict(ALL_ROLES)
        self.act_through(*accounts)

    def act_through(self, *accounts: str) -> None:
        """Let the settings name these accounts, the default one first."""
        for spec in self._messages():
            self.tools[spec.tool_name] = spec
            self.change(spec.tool_name, accounts=accounts)

    def _messages(self) -> list[ToolSpec]:
        user, always = Identity.USER, ApprovalDefault.ALWAYS
        send = self.make(SEND, user, always, inverse=FollowUp(UNSEND, sent_at), correction=FollowUp(RESAY, sent_at))
        unsend, resay = self.make(UNSEND, user, always), self.make(RESAY, user, always)
        self.tools |= {send.tool_name: send, unsend.tool_name: unsend, resay.tool_name: resay}
        self.change(SEND, args=AccountSendArgs)
        self.change(UNSEND, args=UnsendArgs, preview=preview_unsend)
        self.change(RESAY, args=ResayArgs, preview=preview_resay)
        return [self.tools[name] for name in (SEND, UNSEND, RESAY)]

    def metadata(self, name: str) -> ToolMetadata:
        return ToolMetadata(self.roles.get(self.spec(name).args, {}), sensitive_read=name in self.sensitive)


class FollowUpHarness(Harness):
    """An approvals harness with these tools; `accounts` are those of the settings."""

    def __init__(
        self, store: Store, settings: ApprovalsSettings | None = None, accounts: tuple[str, ...] = ("main",)
    ) -> None:
        self.accounts = accounts
        super().__init__(store, settings)
        self.behave(Idempotency.NONE)

    def behave(self, idempotency: Idempotency) -> None:
        self.invoker = FollowInvoker(self.provider, idempotency, self.accounts)
        self.start()

    def act_through(self, *accounts: str) -> None:
        """Restart Butler with changed settings."""
        self.accounts = accounts
        self.behave(self.invoker.idempotency)

    async def sent(self, **more: Any) -> str:
        """Send a message to Anna that the owner approved; return the approval's id."""
        approval_id = await self.approved(**more)
        await self.after_undo_window()
        assert await self.state(approval_id) == "done"
        return approval_id

    def effects(self, tool: str) -> list[Any]:
        """Return the arguments of all calls that took effect at the provider."""
        return [call.args for call in self.provider.effects if call.tool == tool]

    async def meet_anna(self) -> None:
        await self.know("Anna", ANNA)

    def card_of(self, approval_id: str) -> Card:
        """Return the newest card of an approval."""
        return [card for card in self.channel.cards.values() if card.approval_id == approval_id][-1]

    def labels(self, approval_id: str) -> list[str]:
        """Return the labels of that card's buttons."""
        return [button.label for line in self.card_of(approval_id).buttons for button in line]

    def button_of(self, approval_id: str, label: str) -> Button:
        return self.channel.button(label, self.card_of(approval_id))

    def outcome(self, approval_id: str) -> str:
        """Return the outcome that the card shows."""
        return rich_text(self.card_of(approval_id).outcome)

    async def tap_on(self, approval_id: str, label: str, **more: Any) -> str:
        """Tap a button of that card and do the resulting work; return the answer to the tapper."""
        answer = await self.approvals.decide(self.tap_of(self.button_of(approval_id, label), **more))
        await self.run()
        return answer.text

    async def follows(self, approval_id: str, what: FollowUpKind, number: int = 1) -> ApprovalRow:
        """Return the n-th follow-up of a kind."""
        row = await self.row(approval_id)
        found = await self.store.read(lambda c: approvals.by_call(c, name_of(row, what, number)))
        assert found is not None
        return found

    async def drafted(self, approval_id: str) -> CardDraft:
        """Return what a reply in words could change of it."""
        found = await self.store.read(lambda c: self.approvals.draft(c, approval_id, self.clock.now()))
        assert found is not None
        return found
