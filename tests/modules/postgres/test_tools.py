"""The tools as they are declared: what asks, what a card shows, and what the module says of itself."""

import pytest
from pydantic import ValidationError

from butler.contract.names import Direction
from butler.contract.tools import ExecutionMode
from modules.postgres.config import PostgresModuleSettings
from modules.postgres.module import PostgresModule, preview
from modules.postgres.records import QueryArgs
from tests.modules.postgres.conftest import Ask
from tests.support.context import make_context


async def test_both_tools_read_through_the_adapter(ask: Ask) -> None:
    specs = ask().registry.specs()
    assert [spec.tool_name for spec in specs] == ["bot_postgres_query", "bot_postgres_vector_search"]
    for spec in specs:
        assert (spec.direction, spec.execution_mode) == (Direction.INPUT, ExecutionMode.REMOTE)
        assert spec.adapter_id == "supabase-postgres"


async def test_sql_and_values_that_others_chose_ask_unless_the_settings_say_otherwise(ask: Ask) -> None:
    seen = ask().registry.spec("bot_postgres_query").reaches_out
    assert seen == {"sql", "params", "function", "arguments"}, "the owner's own SQL may call http_get($1)"
    assert ask(free_sql=True).registry.spec("bot_postgres_query").reaches_out == frozenset()
    assert ask().registry.spec("bot_postgres_vector_search").reaches_out == frozenset()


def test_a_card_shows_the_statement_and_each_value() -> None:
    shown = preview(QueryArgs(sql="SELECT $1, $2", params=["it's", 5]))
    assert (shown.body, shown.facts) == ("SELECT $1, $2", (("Values", '$1 = "it\'s", $2 = 5'),))
    assert preview(QueryArgs(table="things")).effect == "Reads your database"


async def test_doctor_says_who_reads_what(ask: Ask) -> None:
    [check] = await ask().module.checks()
    assert (check.ok, check.detail.startswith("reader_")) == (True, True)
    [check] = await ask("postgresql://a:b@127.0.0.1:1/c").module.checks()
    assert (check.ok, check.todo) == (False, "look at docs/how-to/connect-postgres.md")


async def test_it_is_there_only_where_it_is_set_up_and_on() -> None:
    for settings in ({}, {"bot": {"enabled": False}}):
        module = PostgresModule(PostgresModuleSettings.model_validate(settings), make_context())
        assert (module.bot_inputs(), module.integrations(), module.tool_metadata()) == ((), (), {})
        assert await module.checks() == ()
        await module.stop()


async def test_every_argument_has_a_role(ask: Ask) -> None:
    asking = ask()
    roles = asking.module.tool_metadata()
    for spec in asking.registry.specs():
        assert set(roles[spec.tool_name].args) == set(spec.args.model_fields)


@pytest.mark.parametrize(
    "args",
    [
        {},
        {"sql": "SELECT 1", "table": "things"},
        {"table": "things", "function": "cheap"},
        {"sql": "SELECT 1", "where": [{"column": "id", "value": 1}]},
        {"table": "things", "params": [1]},
        {"table": "things", "arguments": {"most": 1}},
        {"table": "things", "limit": 0},
        {"table": "things", "limit": 1_000_000},
        {"table": "things", "where": [{"column": "id", "op": "in", "value": 1}]},
        {"table": "things", "where": [{"column": "id", "op": "eq", "value": [1]}]},
        {"table": "things", "where": [{"column": "id", "op": "eq"}]},
        {"table": "things", "where": [{"column": "id", "op": "is", "value": 1}]},
        {"table": "things", "where": [{"column": "id", "op": "like", "value": 1}]},
        {"table": "things", "where": [{"column": "id", "op": "drop", "value": 1}]},
        {"table": "things", "where": [{"column": "id; --", "value": 1}]},
        {"sql": "SELECT 1", "params": [float("inf")]},
        {"sql": "SELECT " + "1" * 20_000},
        {"sql": "SELECT 1\0; DROP TABLE things"},
        {"sql": "SELECT '\ud800'"},
        {"sql": "SELECT $1", "params": ["\ud800"]},
        {"table": "things", "nonsense": 1},
    ],
)
def test_arguments_that_make_no_sense_are_refused(args: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        QueryArgs.model_validate(args)
