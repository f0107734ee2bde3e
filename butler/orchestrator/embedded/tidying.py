"""`Clean my inbox`, `who sends me the most mail?`: an offer by sender, of which each part brings up a card."""

from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.accounts import account_at, each_account, sure_of_account
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.embedded.lexer import Tail, phrases
from butler.orchestrator.embedded.scene import Scene, not_set_up
from butler.orchestrator.planning.plan_types import PlannerOutput

RANK = "user_email_rank_senders"
CLEAN = phrases(
    "(clean|tidy|clear|sort|empty) [up|out]", "(declutter|unclutter|clean up|tidy up)", "help me (clean|tidy) [up|out]",
)  # fmt: skip
MY = phrases("(my|the)")
BOX = phrases("(inbox|mailbox|mail box|mails|emails|e-mails|mail|email|e-mail)", "(mail|email) (inbox|account)")
WHO = phrases(
    "who (sends|mails|emails|writes|is sending|is mailing) me [the] most [of] [my|the] [mails|mail|emails|email]",
    "who sends [the] most [mails|mail|emails|email] [to me]",
    "(who|whom) do i get [the] most [mails|mail|emails|email|newsletters] from",
    "(who|whom) are most [of] [my] (mails|emails) from", "what (fills|is filling|clutters) my (inbox|mailbox)",
    "who (fills|clutters) [up] my (inbox|mailbox)", "rank my senders", "who are my top senders",
)  # fmt: skip
IN = phrases("(in|from|of)")


def tidy(tail: Tail, scene: Scene) -> PlannerOutput | None:
    """Read a request to clean up a mailbox, or who fills it; None where it is none."""
    bare = tail.bare()
    found = _cleaned(bare, scene) if bare.take(CLEAN) else _asked(bare, scene)
    if found is None:
        return None
    if not scene.has(RANK):
        raise Asking(not_set_up(RANK))
    sure_of_account(found, RANK, scene)
    return calls.plan(*(calls.rank_senders(**account) for account in each_account(found, RANK, scene)))


def _cleaned(bare: Tail, scene: Scene) -> str | None:
    """The account of `clean up my work inbox`, empty for none; None where it is something else."""
    start = bare.take(CLEAN)
    mine = start.take(MY) if start else None
    if start is None or mine is None:
        return None
    account = account_at(start, scene)
    after = (account[1] if account else mine).take(BOX)
    if after is None and mine.skip().take(BOX) is not None and mine.skip(2).done:
        # That there is no such account is said.
        return mine.word()
    return (account[0] if account else "") if after is not None and after.done else None


def _asked(bare: Tail, scene: Scene) -> str | None:
    after = bare.take(WHO)
    if after is None:
        return None
    if after.done:
        return ""
    where = after.take(IN)
    account = account_at(where, scene) if where else None
    end = account[1].past(BOX) if account else None
    return account[0] if account and end is not None and end.done else None
