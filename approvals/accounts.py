"""The account of a call: settled when the call is requested, stored with it, and named where there are several.

Calls and rules stored before their tool had accounts name none. They mean the tool's only account; once the tool has
several accounts, they mean none of them.
"""

import json
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from approvals.visible import visible_line
from butler.contract.reasons import Reason, ReasonCode, reason
from butler.contract.speech import say
from butler.contract.tools import ZONE, ToolSpec
from butler.store.queries.approvals import ApprovalRow
from butler.tool_invoker import ACCOUNT, ToolInvoker, UnknownAccountError, UnknownToolError, account_of


def resolved(spec: ToolSpec, args: BaseModel, said: str = "") -> str:
    """Return the account that a call goes through, as stored with it; empty for a tool without accounts.

    `said` is the account that the caller names separately, if any. Raises `UnknownAccountError` if no account has that
    name, or if the two differ.
    """
    account = account_of(spec, args)
    if account and said not in {"", account}:
        raise UnknownAccountError(
            say(
                "it was asked for through {asked}, and says itself that it goes through {account}",
                asked=said,
                account=account,
            )
        )
    return account


def moved(spec: ToolSpec, args: BaseModel, shown: str) -> Reason | None:
    """Return why a call no longer goes through the account that its card showed; None if it still does."""
    try:
        account = account_of(spec, args)
    except UnknownAccountError:
        account = ""
    if account == shown:
        return None
    if not account:
        return reason(ReasonCode.ACCOUNT_GONE, account=shown)
    return reason(ReasonCode.ACCOUNT_ANOTHER, account=account, shown=shown)


def stored(invoker: ToolInvoker, tool: str, account: str) -> str:
    """Return the account of a stored call or rule."""
    accounts = _accounts(invoker, tool)
    return account or (accounts[0] if len(accounts) == 1 else "")


def earlier(invoker: ToolInvoker, row: ApprovalRow, args: str) -> str:
    """Return the account of an earlier version of a call: the one that its arguments name, or the tool's first."""
    named: Mapping[str, Any] = json.loads(args)
    first = next(iter(_accounts(invoker, row.tool)), row.account)
    return str(named.get(ACCOUNT) or first) if row.account else ""


def shown_account(invoker: ToolInvoker, tool: str, account: str) -> str:
    """Return the account to show for a stored call or rule; empty if it is the tool's only account."""
    return "" if not account or _accounts(invoker, tool) == (account,) else visible_line(account)


def through(invoker: ToolInvoker, tool: str, account: str) -> str:
    """Return the account as the end of a phrase, such as `, through work`; empty if it is the tool's only account."""
    text = shown_account(invoker, tool, account)
    return say(", through {account}", account=text) if text else ""


def without_settled(args: Mapping[str, Any], *, said: bool) -> Mapping[str, Any]:
    """Return the arguments without the zone of their times, and, if it is shown elsewhere (`said`), the account."""
    apart = {ZONE, ACCOUNT} if said else {ZONE}
    return {name: value for name, value in args.items() if name not in apart}


def _accounts(invoker: ToolInvoker, tool: str) -> tuple[str, ...]:
    try:
        return invoker.spec(tool).accounts
    except UnknownToolError:
        return ()
