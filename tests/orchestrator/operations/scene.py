"""The tools of remote adapters, with the arguments that they really take, for the requests of these tests."""

from dataclasses import replace
from typing import Any

from butler.contract.names import Direction
from butler.orchestrator.planning.plan_types import Planned, PlannerOutput
from modules.livekit.module import CreateArgs, JoinArgs
from modules.loki.args import QueryLogsArgs
from modules.prometheus.args import QueryMetricsArgs
from tests.orchestrator.embedded import scene
from tests.orchestrator.embedded.agenda_scene import TOOLS as LOCAL

METRICS = replace(
    scene.tool("bot_prometheus_query_metrics", QueryMetricsArgs, Direction.INPUT),
    description="How a server is. Signals: cpu (CPU use), memory (Memory use), disk (Disk space used), load (Load), "
    "errors (Failed requests, 5xx), job_queue (Jobs).",
)
LOGS = replace(
    scene.tool("bot_loki_query_logs", QueryLogsArgs, Direction.INPUT),
    description="Log lines. Signals: backup (The backup), errors (Errors).",
)
CREATE = scene.tool("bot_livekit_create_room", CreateArgs, Direction.OUTPUT)
JOIN = scene.tool("bot_livekit_join_room", JoinArgs, Direction.OUTPUT)
TOOLS = (*LOCAL, METRICS, LOGS, CREATE, JOIN)


async def plan(words: str, **changes: Any) -> PlannerOutput:
    """What is made of words where all of these are set up."""
    return await scene.plan(words, **{"tools": TOOLS, **changes})


async def looks(words: str, **changes: Any) -> list[tuple[str, str, str]]:
    """Signals of the planned looks, with where their time begins and ends; logs under `logs:`."""
    output = await plan(words, **changes)
    assert isinstance(output, Planned), output
    for step in output.steps:
        args = next(tool.args for tool in TOOLS if tool.tool_name == step.tool_call)
        args.model_validate(step.args)
    prefix = {METRICS.tool_name: "", LOGS.tool_name: "logs:"}
    return [
        (prefix[step.tool_call] + step.args["signal"], step.args["since"][5:], step.args.get("before", "")[5:])
        for step in output.steps
    ]
