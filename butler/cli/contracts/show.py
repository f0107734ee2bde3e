"""Show which tool uses which operation of which contract, and refusals: implements `butler contracts show`."""

from dataclasses import asdict, dataclass
from pathlib import Path

from approvals.visible import visible_line
from butler.adapters.catalogue import Catalogue
from butler.adapters.code import Code
from butler.adapters.errors import GateError
from butler.adapters.gates import pass_gates
from butler.adapters.version import Version
from butler.cli.database import reading
from butler.cli.output import json_text
from butler.contract.adapters import AdapterContract
from butler.contract.errors import Refuse
from butler.contract.tools import ExecutionMode, ToolSpec
from butler.store.queries import run_records
from butler.store.queries.run_records import RunRecord

NEWEST = 10
"""The number of refusals shown."""
COLUMNS = ("tool", "adapter_id", "adapter_operation", "adapter_contract_version", "served", "effect", "state")
TITLES = ("tool", "adapter", "operation", "made for", "served", "effect", "state")


@dataclass(frozen=True, slots=True)
class Mapped:
    """One tool, with its contract."""

    tool: str
    adapter_id: str
    adapter_operation: str
    adapter_contract_version: str
    served: str = ""
    """The contract version that serves the tool."""
    effect: str = ""
    method_id: str = ""
    gate: str = ""
    """The gate that refuses the tool."""
    why: str = ""

    @property
    def state(self) -> str:
        return f"refused by gate {self.gate}: {self.why}" if self.gate else "ok"


def show(path: Path, code: Code, catalogue: Catalogue, *, as_json: bool) -> str:
    """Return every remote tool, and the newest refusals if `path` is a configuration with a database."""
    rows = [_mapped(tool, catalogue) for tool in code.tools if tool.execution_mode is ExecutionMode.REMOTE]
    records = _records(path)
    if as_json:
        return json_text(
            {
                "tools": [asdict(row) | {"ok": not row.gate} for row in rows],
                "adapters": {name: str(one.version) for name, one in sorted(catalogue.adapters.items())},
                "broken": dict(sorted(catalogue.broken.items())),
                "run_records": [record.model_dump(mode="json") for record in records],
            }
        )
    lines = _table(rows) if rows else ["No tool stands on an adapter."]
    used = {row.adapter_id for row in rows}
    lines += [f"{adapter_id}: no tool is made for it" for adapter_id in sorted(catalogue.known - used)]
    lines += ["", "Refused lately"] if records else []
    lines += [f"  {_line(record)}" for record in records]
    return "\n".join(lines)


def _mapped(tool: ToolSpec, catalogue: Catalogue) -> Mapped:
    gate, why = "", ""
    try:
        pass_gates(tool, catalogue)
    except GateError as error:
        gate, why = error.gate, error.detail
    contract = None if gate else _served(tool, catalogue)
    operation = contract.operations[tool.adapter_operation or ""] if contract else None
    return Mapped(
        tool=tool.tool_name,
        adapter_id=tool.adapter_id or "",
        adapter_operation=tool.adapter_operation or "",
        adapter_contract_version=tool.adapter_contract_version or "",
        served=contract.version if contract else "",
        effect=operation.effect.value if operation else "",
        method_id=operation.method_id if operation else "",
        gate=gate,
        why=why,
    )


def _served(tool: ToolSpec, catalogue: Catalogue) -> AdapterContract | None:
    adapter = catalogue.adapters[tool.adapter_id or ""]
    return adapter.serving(Version.parse(tool.adapter_contract_version or ""))


def _records(path: Path) -> list[RunRecord]:
    if not path.exists():
        return []
    try:
        with reading(path) as connection:
            return list(run_records.newest(connection, NEWEST))
    except Refuse:
        return []  # There is no database yet.


def _table(rows: list[Mapped]) -> list[str]:
    cells = [TITLES, *(tuple(str(getattr(row, column)) for column in COLUMNS) for row in rows)]
    widths = [max(len(line[index]) for line in cells) for index in range(len(COLUMNS) - 1)]
    return [
        "  ".join([*(f"{cell:{width}}" for cell, width in zip(line, widths, strict=False)), line[-1]]) for line in cells
    ]


def _line(record: RunRecord) -> str:
    when = "before a call" if record.trace_id else "at the start"
    return visible_line(f"{record.at:%Y-%m-%d %H:%M} UTC, {record.tool}, {when}, gate {record.gate}: {record.message}")
