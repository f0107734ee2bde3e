"""What becomes of a tool that a gate refuses: a run record, and the owner hears of it. The rest of Butler lives on."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from uuid import uuid4

from butler.contract.adapters import RunRecord
from butler.contract.ports import Clock
from butler.contract.speech import say
from butler.registry import Refusal
from butler.store.queries import run_records
from butler.store.store import Store

Tell = Callable[[str, str], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Refusals:
    """Keeps each refusal; the owner is told once a day for each tool."""

    store: Store
    clock: Clock
    tell: Tell

    async def keep(self, refusal: Refusal) -> None:
        """Raises the store's errors."""
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
        told = say("I do not use the tool {tool}: {why}", tool=spec.tool_name, why=refusal.why)
        await self.tell(f"tool_refused:{spec.tool_name}", told)
