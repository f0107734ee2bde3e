"""Handles tools that a gate refuses: a run record, and an alert to the owner. The rest of Butler goes on."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import uuid4

from butler.contract.adapters import digest_of
from butler.contract.ports import Clock
from butler.contract.speech import say, say_list
from butler.registry import Refusal
from butler.services import Tell
from butler.store.queries import run_records
from butler.store.queries.run_records import RunRecord
from butler.store.store import Store


@dataclass(frozen=True, slots=True)
class Refusals:
    """Records each refusal; tells the owner once a day for each reason, for any number of tools."""

    store: Store
    clock: Clock
    tell: Tell

    async def keep(self, *refusals: Refusal) -> None:
        """Store a record of each tool, and one message for those with the same reason. Raise the store's errors."""
        reasons: dict[str, list[Refusal]] = {}
        for refusal in refusals:
            await self._record(refusal)
            reasons.setdefault(_reason(refusal), []).append(refusal)
        for reason, alike in reasons.items():
            await self.tell(f"tool_refused:{digest_of(reason)[:16]}", _refusal_line(reason, alike))

    async def _record(self, refusal: Refusal) -> None:
        spec = refusal.spec
        record = RunRecord(
            run_id=uuid4().hex,
            at=self.clock.now(),
            tool=spec.tool_name,
            adapter_id=spec.adapter_id or "",
            adapter_operation=spec.adapter_operation or "",
            adapter_contract_version=spec.adapter_contract_version or "",
            gate=refusal.gate,
            message=refusal.why,
            trace_id=refusal.trace_id,
        )
        await self.store.write(lambda connection: run_records.add(connection, record), "run_record")


def _reason(refusal: Refusal) -> str:
    """Return the reason without the tool."""
    return refusal.why.removeprefix(f"{refusal.spec.tool_name}: ")


def _refusal_line(reason: str, refusals: Sequence[Refusal]) -> str:
    first, *others = sorted({refusal.spec.tool_name for refusal in refusals})
    if not others:
        return say("I do not use the tool {tool}: {why}", tool=first, why=refusals[0].why)
    return say("I do not use the tools {tools}: {why}", tools=say_list([first, *others]), why=reason)
