"""Reads the account that the owner names out of the words, for every tool with several accounts, before planning.

The wrapped planner need not know accounts: a request that names one is planned without those words, and the account is
set in the steps that have several. If it is unclear which account is meant, or whether the words name one at all, the
owner is asked and nothing is done: the wrong account is the wrong sender.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, cast

from butler.contract.agents import PlanStep
from butler.contract.names import Direction
from butler.contract.provenance import Labelled
from butler.contract.speech import phrase, say, say_list
from butler.contract.tools import ToolSpec
from butler.orchestrator.planning.account_words import Named, named_account
from butler.orchestrator.planning.plan_types import (
    Choice,
    Planned,
    Planner,
    PlannerInput,
    PlannerOutput,
    Unclear,
    owners,
)
from butler.tool_invoker import ACCOUNT

TEXTS = ("text", "body")
"""The arguments that hold text for a recipient."""
WHICH = phrase("Which account do you mean by “{account}”? There are {accounts}.")
BELONGS = phrase(
    "Is “{words}” the account, or is it part of the text? "
    "Say the account first and the text behind a colon, as in “email Anna from my work account: …”."
)
EACH = phrase("Which of that goes through the account {account}? Tell me one thing at a time.")
LIES_IN = phrase("What you mean lies in your account {account}, so I cannot do that through {other}.")


class AccountPlanner:
    """Implements `Planner` around another planner."""

    def __init__(self, planner: Planner) -> None:
        self._planner = planner

    async def plan(self, request: PlannerInput) -> PlannerOutput:
        """Implements the port."""
        several = {spec.tool_name: spec for spec in request.tools if len(spec.accounts) > 1}
        known = [account for spec in several.values() for account in spec.accounts]
        text = request.words.value
        brands = (brand for spec in request.tools for brand in spec.about.brands)
        named = named_account(text, known, brands) if several else None
        whole = await self._planner.plan(request)
        if named is None or (isinstance(whole, Planned) and _is_heeded(whole, named)):
            return whole
        rest = Labelled(value=named.without(text), origins=request.words.origins)
        without = await self._planner.plan(replace(request, words=owners(rest)))
        steps = _through(without, several) if isinstance(without, Planned) else ()
        if not named.meant and isinstance(whole, Planned) and not _acts(steps, several):
            return whole  # a read-only plan that takes those words for something other than an account
        if not isinstance(without, Planned) or not steps:
            return Unclear(say(BELONGS, words=_as_written(text, named))) if _swallowed(whole, text, named) else whole
        return _doubt(whole, named, steps, several, request) or _given(without, named.meant[0], several)


def _is_heeded(plan: Planned, named: Named) -> bool:
    """Return whether a plan made from all the words already uses the named account."""
    return any(step.args.get(ACCOUNT) in named.meant for step in plan.steps)


def _swallowed(whole: PlannerOutput, text: str, named: Named) -> bool:
    """Return whether a text of the plan holds the account's words, though its text begins behind a later colon."""
    if not isinstance(whole, Planned) or ":" not in text[named.end :]:
        return False
    texts = [str(step.args.get(name) or "").casefold() for step in whole.steps for name in TEXTS]
    return any(_as_written(text, named).casefold() in one for one in texts)


def _as_written(text: str, named: Named) -> str:
    return text[named.start : named.end]


def _through(plan: Planned, several: dict[str, ToolSpec]) -> tuple[PlanStep, ...]:
    """Return the steps that have a choice of accounts."""
    return tuple(step for step in plan.steps if step.tool_call in several)


def _acts(steps: Sequence[PlanStep], several: dict[str, ToolSpec]) -> list[PlanStep]:
    return [step for step in steps if several[step.tool_call].direction is Direction.OUTPUT]


def _doubt(
    whole: PlannerOutput,
    named: Named,
    steps: Sequence[PlanStep],
    several: dict[str, ToolSpec],
    request: PlannerInput,
) -> PlannerOutput | None:
    """Return what to ask or do instead if the account, or what it applies to, is unclear; None if it is clear."""
    text = request.words.value
    acts = _acts(steps, several)
    if acts and _stands_behind_text(text, named, acts):
        if isinstance(whole, Unclear) or not text[named.end :].strip(" .!?"):
            asks = isinstance(whole, Unclear) and bool(whole.choices)
            return whole if asks else Unclear(say(BELONGS, words=_as_written(text, named)))
        return whole
    fitting = tuple(one for one in named.meant if all(one in several[step.tool_call].accounts for step in steps))
    if len(fitting) != 1:
        return _asked(text, named, fitting or several[steps[0].tool_call].accounts)
    if len({(step.tool_call, str(step.args | {"to": None})) for step in acts}) > 1:
        return Unclear(say(EACH, account=fitting[0]))
    for account in _lying_in(steps, request):
        if account != fitting[0]:
            return Unclear(say(LIES_IN, account=account, other=fitting[0]))
    return None


def _stands_behind_text(text: str, named: Named, acts: Sequence[PlanStep]) -> bool:
    """Return whether a text to send or change begins before the account's words, which may then belong to it."""
    texts = [str(step.args.get(name) or "") for step in acts for name in TEXTS]
    doubtful = [one for one in texts if one.casefold() not in text[named.end :].casefold()]
    return bool({word for one in doubtful for word in _words(one)} & set(_words(text[: named.start])))


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def _asked(text: str, named: Named, accounts: Sequence[str]) -> Unclear:
    choices = tuple(Choice(one, named.instead(text, f"from my {one} account")) for one in accounts)
    return Unclear(say(WHICH, account=named.word, accounts=say_list(list(accounts))), choices)


def _given(plan: Planned, account: str, several: dict[str, ToolSpec]) -> PlannerOutput:
    """Return the plan with this account in each step that has a choice; drop its steps through another account."""
    kept = [step for step in plan.steps if step.tool_call not in several or step.args.get(ACCOUNT, account) == account]
    left = {step.step_id for step in plan.steps} - {step.step_id for step in kept}
    given = tuple(
        step.model_copy(
            update={
                "args": step.args | ({ACCOUNT: account} if step.tool_call in several else {}),
                "depends_on": [number for number in step.depends_on if number not in left],
            }
        )
        for step in kept
    )
    return replace(plan, steps=given)


def _lying_in(steps: Sequence[PlanStep], request: PlannerInput) -> Iterator[str]:
    """Yield the accounts of the shown items that the steps refer to, where known."""
    shown = {one.handle: one.account for one in request.referents}
    for step in steps:
        for handle in _handles(step.args):
            if account := shown.get(handle):
                yield account


def _handles(value: Any) -> Iterator[str]:
    match value:
        case {"handle": str(handle)}:
            yield handle
        case dict():
            for one in cast("dict[str, Any]", value).values():
                yield from _handles(one)
        case list():
            for one in cast("list[Any]", value):
                yield from _handles(one)
        case _:
            pass
