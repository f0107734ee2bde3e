"""Which of the person's accounts is meant, where there are several: `from my work account`, `in my work inbox`."""

from butler.contract.speech import phrase, say
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.embedded.lexer import Tail, phrases
from butler.orchestrator.embedded.scene import Scene

MISSING = {
    ("telegram", True): phrase("You have no account “{account}” on Telegram; there are {accounts}."),
    ("telegram", False): phrase("You have no account “{account}” on Telegram; there is only one."),
    ("email", True): phrase("You have no account “{account}” for mail; there are {accounts}."),
    ("email", False): phrase("You have no account “{account}” for mail; there is only one."),
}
MY = phrases("(my|the)")
NOUN = phrases("(account|mail|email|e-mail|address|mailbox|inbox|telegram|tg)", "(mail|email|telegram|tg) account")


def account_at(tail: Tail, scene: Scene) -> tuple[str, Tail] | None:
    """The name of an account that stands here (`my work`), and what follows it, without the noun."""
    start = tail.past(MY)
    word = start.word()
    known = {account for spec in scene.request.tools for account in spec.accounts if len(spec.accounts) > 1}
    return (word, start.skip()) if word in known else None


def named_account(tail: Tail, scene: Scene) -> tuple[str, Tail] | None:
    """The same with its noun behind it: `my work account`, `the work mail`."""
    found = account_at(tail, scene)
    after = found[1].take(NOUN) if found else None
    return (found[0], after) if found and after is not None else None


def each_account(account: str, tool: str, scene: Scene) -> list[dict[str, str]]:
    """The account that was named as an argument; where none was, each that a tool has, so that none is overlooked."""
    if account:
        return [{"account": account}]
    accounts = scene.accounts(tool)
    return [{"account": one} for one in accounts] if len(accounts) > 1 else [{}]


def sure_of_account(account: str, tool: str, scene: Scene) -> None:
    """Say which accounts there are for what is to be done, where this is none of them."""
    accounts = scene.accounts(tool)
    if account and account not in accounts:
        told = MISSING[tool.split("_")[1], len(accounts) > 1]
        raise Asking(say(told, account=account, accounts=", ".join(accounts)))
