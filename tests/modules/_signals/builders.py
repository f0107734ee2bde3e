"""Looks at metrics and logs that have ended, in the shapes that their tools give."""
# names: made up here

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from pydantic import BaseModel

from butler.contract.agents import PlanStep
from butler.contract.card import rich_text
from butler.contract.names import Direction
from butler.contract.rendering import Rendered, StepResult
from modules._signals.rendering import about_servers
from tests.orchestrator.embedded.scene import tool
from tests.support.rendering import NOW, context

BOTH = frozenset({"bot_prometheus_query_metrics", "bot_loki_query_logs"})


class Anything(BaseModel):
    """Arguments that do not matter here."""


METRICS = tool("bot_prometheus_query_metrics", Anything, Direction.INPUT)
LOGS = tool("bot_loki_query_logs", Anything, Direction.INPUT)


def series(values: Sequence[float | None], *, step: int = 5, **labels: str) -> dict[str, Any]:
    """A series that ends now."""
    begin = NOW - timedelta(minutes=step * (len(values) - 1))
    points = [[(begin + timedelta(minutes=step * n)).isoformat(), value] for n, value in enumerate(values)]
    return {"name": "up", "labels": labels, "points": points}


def chart(name: str) -> dict[str, Any]:
    return {"name": f"{name}.png", "size": 9, "sha256": name.ljust(64, "0"), "media_type": "image/png"}


def metrics(signal: str, *found: dict[str, Any], **more: Any) -> dict[str, Any]:
    drawn = chart(signal) if signal and found else None
    base = {"query": "up", "kind": "range", "series": list(found), "complete": True, "warnings": []}
    return {**base, "signal": signal, "chart": drawn, **more}


def lines(*said: tuple[int, str], complete: bool = True, labels: dict[str, str] | None = None) -> dict[str, Any]:
    """Log lines, each said so many minutes ago; newest first."""
    given = [
        {"at": (NOW - timedelta(minutes=ago)).isoformat(), "text": text, "labels": labels or {}}
        for ago, text in sorted(said)
    ]
    return {"query": '{unit="web"}', "lines": given, "count": len(given), "complete": complete, "signal": ""}


def looks(*given: dict[str, Any]) -> tuple[StepResult, ...]:
    """Each as a step; one with a `code` has failed."""
    shown: list[StepResult] = []
    for number, data in enumerate(given, 1):
        failed = "code" in data
        spec = LOGS if "lines" in data or data.get("of") == "logs" else METRICS
        outcome = {"ok": False, **data} if failed else {"ok": True, "data": data}
        args = {"signal": data["signal"]} if data.get("signal") else {}
        status = "failed" if failed else "completed"
        step = PlanStep(step_id=number, description="Look", tool_call=spec.tool_name, args=args, outcome=outcome,
                        status=status)  # fmt: skip
        shown.append(StepResult(step, spec, (), why=str(outcome.get("message") or "")))
    return tuple(shown)


def answer(*given: dict[str, Any], tools: frozenset[str] = BOTH) -> Rendered:
    found = about_servers(looks(*given), context(tools))
    assert found is not None
    return found


def told(*given: dict[str, Any], tools: frozenset[str] = BOTH) -> str:
    return rich_text(answer(*given, tools=tools).text)
