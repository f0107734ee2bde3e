"""Looks into the owner's own servers, in their own words; nothing of it where no such server is set up."""

from typing import Any

import pytest

from butler.contract.names import Direction
from butler.orchestrator.planning import Planned
from modules.grafana.module import QueryDashboardArgs
from modules.meilisearch.records import SearchArgs as IndexArgs
from modules.postgres.records import QueryArgs
from modules.qdrant.args import SearchArgs as PointsArgs
from modules.r2.records import GetArgs
from tests.orchestrator.embedded import scene
from tests.orchestrator.operations.scene import TOOLS as REMOTE

_IN = Direction.INPUT
SERVERS = (
    scene.tool("bot_meilisearch_search", IndexArgs, _IN),
    scene.tool("bot_qdrant_search", PointsArgs, _IN),
    scene.tool("bot_grafana_query_dashboard", QueryDashboardArgs, _IN),
    scene.tool("bot_postgres_query", QueryArgs, _IN),
    scene.tool("bot_r2_get_object", GetArgs, _IN),
)


@pytest.mark.parametrize(
    ("words", "tool", "args"),
    [
        ("search the wiki for boiler manual", "meilisearch_search", {"query": "boiler manual"}),
        ("search the documents index for “Rent 2026”", "meilisearch_search", {"query": "Rent 2026"}),
        ("search the notes collection for trees", "qdrant_search", {"collection": "notes", "text": "trees"}),
        ("search the collection notes for old trees", "qdrant_search", {"collection": "notes", "text": "old trees"}),
        ("search qdrant for old trees", "qdrant_search", {"text": "old trees"}),
        ("open the dashboard Home", "grafana_query_dashboard", {"dashboard": "Home"}),
        ("show me the dashboard Web Server", "grafana_query_dashboard", {"dashboard": "Web Server"}),
        ("show me the Home dashboard", "grafana_query_dashboard", {"dashboard": "Home"}),
        ("what does the dashboard Home say?", "grafana_query_dashboard", {"dashboard": "Home"}),
        ("list my dashboards", "grafana_query_dashboard", {}),
        ("run SELECT name, 1 FROM people WHERE a = 'x' AND b = 2", "postgres_query",
         {"sql": "SELECT name, 1 FROM people WHERE a = 'x' AND b = 2"}),
        ("query the database: select count(*) from orders", "postgres_query",
         {"sql": "select count(*) from orders"}),
        ("get papers/lease.pdf from the storage", "r2_get_object", {"key": "papers/lease.pdf", "link_only": True}),
    ],
)  # fmt: skip
async def test_a_server_is_asked_in_the_owners_words(words: str, tool: str, args: dict[str, Any]) -> None:
    output = await scene.plan(words, tools=(*REMOTE, *SERVERS))
    assert isinstance(output, Planned), output
    (step,) = output.steps
    assert (step.tool_call, step.args) == (f"bot_{tool}", args)
    next(one for one in SERVERS if one.tool_name == step.tool_call).args.model_validate(step.args)


@pytest.mark.parametrize(
    "words",
    ["run DROP TABLE people", "run the dishwasher", "search my mail for wiki", "show me the family chat",
     "get milk from the shop", "query the weather", "search for trees"],
)  # fmt: skip
async def test_what_is_about_something_else_asks_no_server(words: str) -> None:
    output = await scene.plan(words, tools=(*REMOTE, *SERVERS))
    steps = output.steps if isinstance(output, Planned) else ()
    assert not {step.tool_call for step in steps} & {tool.tool_name for tool in SERVERS}


async def test_without_such_a_server_its_words_mean_nothing_of_it() -> None:
    output = await scene.plan("search the wiki for boiler manual", tools=REMOTE)
    steps = output.steps if isinstance(output, Planned) else ()
    assert "bot_meilisearch_search" not in {step.tool_call for step in steps}
