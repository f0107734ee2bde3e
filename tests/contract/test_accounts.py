"""A tool with several accounts is called through the one that is named, or else the first; through no other, ever."""
# names: made up here

from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict

from approvals.reason_words import details_in_words
from butler.contract.errors import IntegrationErrorCode
from butler.contract.integration import IntegrationResult
from butler.contract.tools import ArgRole, Reconciled, Settled, ToolCall, ToolMetadata
from butler.registry import Registry
from butler.tool_invoker import ToolSpecError, UnknownAccountError, account_of
from tests.contract.test_registry import Example, check, spec

TEXT = ArgRole.CONTENT


class AccountArgs(BaseModel):
    model_config = ConfigDict(extra="forbid")

    text: str
    account: str = ""


class Provider:
    """Remembers what reached it."""

    def __init__(self) -> None:
        self.calls: list[ToolCall] = []

    async def handle(self, call: ToolCall) -> IntegrationResult:
        self.calls.append(call)
        return IntegrationResult(ok=True, data={})

    async def reconcile(self, call: ToolCall) -> Reconciled:
        self.calls.append(call)
        return Reconciled.with_text(Settled.DONE, "it is there")


def registered(provider: Provider, role: ArgRole = ArgRole.OPTION, **more: Any) -> Registry:
    values = {"args": AccountArgs, "accounts": ("main", "work"), "handler": provider.handle} | more
    registry = Registry()
    roles = {"user_example_send": ToolMetadata({"text": TEXT, "account": role})}
    registry.add_module(Example(spec(**values), roles=roles))
    return registry


def call(account: str = "", *, stored: str = "") -> ToolCall:
    args = AccountArgs(text="hello", account=account)
    return ToolCall(tool="user_example_send", args=args, call_id="1", trace_id="1", account=stored)


@pytest.mark.parametrize(
    ("named", "stored", "reached"),
    [("", "", "main"), ("work", "", "work"), ("main", "", "main"), ("", "work", "work"), ("main", "work", "work")],
)
async def test_a_call_goes_through_the_account_it_was_stored_with_or_names_or_else_the_first(
    named: str, stored: str, reached: str
) -> None:
    provider = Provider()
    assert (await registered(provider).invoke(call(named, stored=stored))).ok
    assert [made.account for made in provider.calls] == [reached]


@pytest.mark.parametrize(("named", "stored"), [("private", ""), ("", "private"), ("Work", "")])
async def test_a_call_through_an_account_that_there_is_not_reaches_nobody_and_lists_those_there_are(
    named: str, stored: str
) -> None:
    provider = Provider()
    error = (await registered(provider).invoke(call(named, stored=stored))).error
    assert error is not None
    assert error.code is IntegrationErrorCode.INVALID_INPUT
    assert error.message == f"there is no account {named or stored!r}; there are main, work"
    assert provider.calls == []


async def test_an_attempt_is_asked_about_where_it_was_made_and_unknown_where_that_is_gone() -> None:
    provider = Provider()
    registry = registered(provider, reconcile=provider.reconcile)
    assert (await registry.reconcile(call(stored="work"))).settled is Settled.DONE
    assert [made.account for made in provider.calls] == ["work"]
    gone = await registry.reconcile(call(stored="private"))
    assert gone.settled is Settled.UNKNOWN
    assert (
        details_in_words(gone.detail) == "It cannot be found out: there is no account 'private'; there are main, work."
    )


async def test_a_tool_without_accounts_is_called_through_none() -> None:
    provider = Provider()
    registry = registered(provider, accounts=())
    assert account_of(registry.spec("user_example_send"), AccountArgs(text="x", account="work")) == ""
    await registry.invoke(call("work"))
    assert [made.account for made in provider.calls] == [""]


def test_an_account_that_there_is_not_is_said_with_those_there_are() -> None:
    with pytest.raises(UnknownAccountError, match="there are main, work"):
        account_of(registered(Provider()).spec("user_example_send"), AccountArgs(text="x", account="x"))


class NoDefaultArgs(BaseModel):
    model_config = ConfigDict(extra="forbid")

    text: str
    account: str


class NumberArgs(BaseModel):
    model_config = ConfigDict(extra="forbid")

    text: str
    account: int = 0


@pytest.mark.parametrize(
    "wrong",
    [
        {"accounts": ("main",)},
        {"accounts": ("main",), "args": NoDefaultArgs},
        {"accounts": ("main",), "args": NumberArgs},
        {"accounts": ("main", "main"), "args": AccountArgs},
        {"accounts": ("",), "args": AccountArgs},
    ],
)
def test_a_tool_whose_accounts_cannot_be_named_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ToolSpecError, match="account"):
        check(**wrong)


def test_the_account_is_an_option_of_its_tool_and_nothing_else() -> None:
    with pytest.raises(ToolSpecError, match="the argument account is an option"):
        registered(Provider(), ArgRole.RECIPIENT)
