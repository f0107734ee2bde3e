"""Tools over bulk adapters: each lists its items before its card is shown, and acts on exactly those once approved."""

from collections.abc import Callable
from dataclasses import replace
from datetime import date
from typing import Any

from pydantic import Field

from butler.contract.arguments import Account
from butler.contract.bulk import (
    BulkLauncher,
    BulkOrder,
    BulkSnapshot,
    BulkWords,
)
from butler.contract.bulk_repeat import Repeat
from butler.contract.integration import Idempotency, IntegrationResult
from butler.contract.records import ClosedRecord
from butler.contract.speech import say
from butler.contract.tools import ZONE, Preview, Reconciled, ToolCall, ToolSpec, output_tool

NAMED = ("mails", "events", "cards")
"""Arguments that name items by their ids."""
FACTS = ("count",)
"""What later steps can use of a bulk tool's result: the number of items that it acts on."""
NOT_A_MODELS: Any = Field(default=None, json_schema_extra={"readOnly": True})
"""The default of arguments that are filled in, or set only by the owner's own words: no language model sees them."""


class BulkArgs(ClosedRecord):
    """What every bulk tool takes. `snapshot` is what was found, which is what is shown and done; it is filled in.

    With `repeat` it is done again and again, each time to what there is then, by a rule that the card shows.
    """

    account: Account = ""
    snapshot: BulkSnapshot | None = NOT_A_MODELS
    repeat: Repeat | None = NOT_A_MODELS

    def dated(self) -> tuple[str, ...]:
        """Return the arguments that hold a date."""
        return tuple(name for name in type(self).model_fields if isinstance(getattr(self, name), date))

    def names_some(self) -> bool:
        """Return whether items are named by their ids, rather than found by a search."""
        return any(getattr(self, name, None) for name in NAMED)


def bulk_tool(
    tool_name: str,
    description: str,
    args: type[BulkArgs],
    launcher: BulkLauncher,
    order: Callable[[ToolCall], BulkOrder],
    preview: Callable[[Any], Preview],
    *,
    accounts: tuple[str, ...] = (),
    unseen: bool = True,
    stands_on: tuple[str, ...] = (),
) -> ToolSpec:
    """Build a tool of the owner's that acts on one item or on many.

    `order` returns the adapter, and the parameters for its `prepare`. `unseen` is False if others see the effect, such
    as the guests of a deleted event. `stands_on` names the remote tools whose operations the adapter uses, as the
    adapter declares.
    """

    def ordered(call: ToolCall) -> BulkOrder:
        """Return the order for the adapter, without recurrence and zone, which do not concern it."""
        apart: dict[str, Any] = {"repeat": None} | ({ZONE: ""} if ZONE in args.model_fields else {})
        return order(replace(call, args=call.args.model_copy(update=apart)))

    async def complete(call: ToolCall) -> IntegrationResult:
        return await launcher.snapshot(ordered(call), call)

    async def start(call: ToolCall) -> IntegrationResult:
        begin = launcher.start if call.args.repeat is None else launcher.repeat
        return await begin(ordered(call), call.args.snapshot, call)

    async def reconcile(call: ToolCall) -> Reconciled:
        return await launcher.reconcile(call)

    return output_tool(
        tool_name,
        description,
        args,
        start,
        preview,
        idempotency=Idempotency.STATE,
        complete=complete,
        reconcile=reconcile,
        accounts=accounts,
        unseen=unseen,
        lists=True,
        stands_on=stands_on,
        facts=FACTS,
    )


def bulk_preview(words: BulkWords, args: BulkArgs, said: tuple[tuple[str, str], ...]) -> Preview:
    """Build a card's preview: the act, the request (`said`, label and value), and the listing."""
    shown = args.snapshot
    return Preview(
        say("{does}, again and again", does=words.does) if args.repeat else words.does,
        body="\n".join(shown.sample) if shown else "",
        facts=(*((label, value) for label, value in said if value), *(shown.facts if shown else ())),
        told=tuple(type(args).model_fields),
    )
