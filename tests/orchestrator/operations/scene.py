"""The tools of remote adapters, with the arguments that they really take, for the requests of these tests."""

from dataclasses import replace
from typing import Any

from butler.contract.names import Direction
from butler.orchestrator.planning.plan_types import PlannerOutput
from modules.grafana.module import QueryDashboardArgs
from modules.livekit.module import CreateArgs, JoinArgs
from modules.loki.args import QueryLogsArgs
from modules.meilisearch.records import SearchArgs as IndexArgs
from modules.postgres.records import QueryArgs
from modules.prometheus.args import QueryMetricsArgs
from modules.qdrant.args import SearchArgs as PointsArgs
from modules.r2.records import GetArgs, PutArgs
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
SERVERS = (
    scene.tool("bot_meilisearch_search", IndexArgs, Direction.INPUT),
    replace(
        scene.tool("bot_qdrant_search", PointsArgs, Direction.INPUT),
        description="Search by meaning. Collections that take texts: notes, notizen, notas.",
    ),
    scene.tool("bot_grafana_query_dashboard", QueryDashboardArgs, Direction.INPUT),
    scene.tool("bot_postgres_query", QueryArgs, Direction.INPUT),
    scene.tool("bot_r2_get_object", GetArgs, Direction.INPUT),
    scene.tool("bot_r2_put_object", PutArgs, Direction.OUTPUT),
)


async def plan(words: str, **changes: Any) -> PlannerOutput:
    """What is made of words where all of these are set up."""
    return await scene.plan(words, **{"tools": TOOLS, **changes})
