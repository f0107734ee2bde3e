"""Fills in anew what a provider says about a call whose arguments the owner has changed, such as a list's id."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pydantic import ValidationError

from approvals.card_replies import CardDraft
from approvals.revise import Change, NewValue
from butler.contract.door import explain
from butler.contract.integration import IntegrationError
from butler.contract.speech import say
from butler.contract.tools import ToolCall
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.execution.binding import Bound
from butler.orchestrator.execution.completion import completed
from butler.provenance import Labels
from butler.tool_invoker import ToolInvoker, UnknownAccountError, account_of

FILLED = {
    "in_list": "place",
    "board": "place",
    "start": "clashes",
    "end": "clashes",
    "minutes": "clashes",
    "when": "dry_run",
    "clock": "dry_run",
    "hours": "dry_run",
    "until": "dry_run",
    "do": "people",
}
"""What the provider has filled in that follows from an argument."""


async def refilled(tools: ToolInvoker, draft: CardDraft, change: Change, origins: Labels) -> Change:
    """Return the change with what its provider says of it; raise `Asking`. Await it outside of any transaction."""
    spec, values = tools.spec(draft.tool), change.values or {}
    names = {FILLED[name] for name in values if name in FILLED} & draft.args.keys()
    if spec.complete is None or not names:
        return change
    given = {name: value for name, value in draft.args.items() if name not in names}
    args: Mapping[str, Any] = {**given, **{name: put.value for name, put in values.items()}}
    try:
        model = spec.args.model_validate(args)
        account, key = account_of(spec, model), draft.approval_id
    except ValidationError as error:
        raise Asking(say("That does not go: {why}. Nothing was changed.", why=explain(error))) from None
    except UnknownAccountError as unknown:
        why = f"{unknown.detail[:1].upper()}{unknown.detail[1:]}"
        raise Asking(say("{why}. Nothing was changed.", why=why)) from None
    call = ToolCall(draft.tool, model, key, key, account, origins=draft.args_labels | origins)
    bound = Bound(model.model_dump(mode="json"), {})
    found = await completed(spec, tools.metadata(draft.tool), bound, frozenset(args), call)
    if isinstance(found, IntegrationError):
        raise Asking(say("{why}. The card stays as it was.", why=found.message.rstrip(".")))
    puts = {name: NewValue(found.args[name], found.labels.get(name, origins)) for name in names}
    return replace(change, values={**values, **puts})
