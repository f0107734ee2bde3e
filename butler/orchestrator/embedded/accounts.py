"""Determines which of the owner's accounts a request means, if there are several."""

from butler.contract.speech import phrase, say
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.embedded.scene import Scene

MISSING = {
    ("telegram", True): phrase("You have no account “{account}” on Telegram; there are {accounts}."),
    ("telegram", False): phrase("You have no account “{account}” on Telegram; there is only one."),
    ("email", True): phrase("You have no account “{account}” for mail; there are {accounts}."),
    ("email", False): phrase("You have no account “{account}” for mail; there is only one."),
}


def each_account(account: str, tool: str, scene: Scene) -> list[dict[str, str]]:
    """Return the named account as an argument; without one, each account of a tool, so that none is overlooked."""
    if account:
        return [{"account": account}]
    accounts = scene.accounts(tool)
    return [{"account": one} for one in accounts] if len(accounts) > 1 else [{}]


def sure_of_account(account: str, tool: str, scene: Scene) -> None:
    """Raise `Asking` with the existing accounts if the tool has no account of this name."""
    accounts = scene.accounts(tool)
    if account and account not in accounts:
        told = MISSING[tool.split("_")[1], len(accounts) > 1]
        raise Asking(say(told, account=account, accounts=", ".join(accounts)))
