"""A channel with two accounts, whose answers are completed, and whose letters can be taken back and put right."""
# names: made up here

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict

from butler.contract.integration import IntegrationResult
from butler.contract.module import Module
from butler.contract.names import ApprovalDefault, Direction, Identity
from butler.contract.tools import (
    ArgRole,
    FollowUp,
    Preview,
    Recipient,
    ToolCall,
    ToolHandler,
    ToolMetadata,
    ToolSpec,
    input_tool,
)
from tests.orchestrator.harness import Harness

SEND, REPLY = "user_letters_send_letter", "user_letters_reply_to_letter"
EDIT, DELETE = "user_letters_edit_letter", "user_letters_delete_letter"
LIST = "user_letters_list_letters"
ACCOUNTS = ("main", "work")
ANNA, EVE = "mail:anna@friends.example", "mail:eve@evil.example"


class _Args(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    account: str = ""


class ListArgs(_Args):
    letter_id: str = ""


class LetterArgs(_Args):
    to: Recipient
    text: str


class AnswerArgs(_Args):
    letter_id: str
    text: str
    to: tuple[str, ...] = ()
    cc: tuple[str, ...] = ()
    sender: str = ""
    quote: str = ""


class PlaceArgs(_Args):
    letter_id: str


class CorrectArgs(PlaceArgs):
    text: str


def preview(args: Any) -> Preview:
    said = args.model_dump()
    one = [args.to] if isinstance(args, LetterArgs) else []
    listed = [Recipient(address=to) for name in ("to", "cc") if not one for to in said.get(name, ())]
    return Preview("Does something with a letter", (*one, *listed), body=said.get("text", ""))


def placed(_args: Any, data: Mapping[str, Any]) -> dict[str, Any]:
    return {"letter_id": str(data["message_id"])}


class Letters(Module):
    """The tools, over handlers that a test gives."""

    channel = "letters"
    settings_model = _Args

    def __init__(self, handle: ToolHandler, complete: ToolHandler) -> None:
        self._handle, self._complete = handle, complete

    def user_inputs(self):
        return (input_tool(LIST, "Lists letters.", ListArgs, self._handle, accounts=ACCOUNTS),)

    def user_outputs(self):
        follow = {"inverse": FollowUp(DELETE, placed), "correction": FollowUp(EDIT, placed)}
        return (
            self._output(SEND, LetterArgs, **follow),
            self._output(REPLY, AnswerArgs, complete=self._complete),
            self._output(EDIT, CorrectArgs),
            self._output(DELETE, PlaceArgs),
        )

    def tool_metadata(self):
        roles = {
            "account": ArgRole.OPTION, "letter_id": ArgRole.TARGET, "to": ArgRole.RECIPIENT, "cc": ArgRole.RECIPIENT,
            "text": ArgRole.CONTENT, "sender": ArgRole.OPTION, "quote": ArgRole.CONTENT,
        }  # fmt: skip
        specs = (*self.user_inputs(), *self.user_outputs())
        return {spec.tool_name: ToolMetadata({name: roles[name] for name in spec.args.model_fields}) for spec in specs}

    def _output(self, name: str, args: type[BaseModel], **more: Any) -> ToolSpec:
        return ToolSpec(
            tool_name=name,
            channel=self.channel,
            direction=Direction.OUTPUT,
            identity=Identity.USER,
            approval_default=ApprovalDefault.ALWAYS,
            description="Does something with a letter.",
            args=args,
            handler=self._handle,
            preview=preview,
            accounts=ACCOUNTS,
            **more,
        )


class LetterHarness:
    """A butler with mails in it; `answers` complete one call each, else the thread says whom an answer goes to."""

    def __init__(self, harness: Harness) -> None:
        self.harness = harness
        self.answers: list[IntegrationResult | BaseException] = []
        self.completed: list[ToolCall] = []
        harness.registry.add_module(Letters(harness._handle, self._complete))

    async def _complete(self, call: ToolCall) -> IntegrationResult:
        self.completed.append(call)
        answer = self.answers.pop(0) if self.answers else thread(to=[ANNA], sender="me@work.example", quote="> Hi")
        if isinstance(answer, BaseException):
            raise answer
        return answer


def thread(**data: Any) -> IntegrationResult:
    """What a provider says of what a call leaves open."""
    return IntegrationResult(ok=True, data=data)
