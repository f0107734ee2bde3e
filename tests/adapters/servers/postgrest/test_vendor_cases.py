"""The stand-in answers as PostgREST's own test suite has it, as far as it serves what is asked for there."""

import json
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from yarl import URL

from tests.adapters.servers.pgvector import Database, database
from tests.adapters.servers.postgrest.server import PostgrestServer

VENDOR: dict[str, Any] = json.loads(Path(__file__).with_name("vendor-cases.json").read_text(encoding="utf-8"))
KEY = "sb_secret_of-the-vendors-cases"


@pytest.fixture(scope="module")
def fixtures() -> Database:
    made = database()
    for statement in VENDOR["sql"]:
        made.run(statement)
    for schema in ("test", "v1", "v2"):
        made.run(f"GRANT USAGE ON SCHEMA {schema} TO {made.reader}")
        made.run(f"GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO {made.reader}")
    return made


@pytest.mark.parametrize("suite", VENDOR["suites"], ids=lambda suite: "+".join(suite["schemas"]))
async def test_every_case_of_the_vendor(suite: dict[str, Any], fixtures: Database) -> None:
    assert suite["cases"]
    async with (
        PostgrestServer(fixtures.reader_url, KEY, schemas=suite["schemas"]) as server,
        aiohttp.ClientSession(headers={"apikey": KEY}) as session,
    ):
        for case in suite["cases"]:
            sent, body = case.get("sent", {}), case.get("given")
            async with session.request(case["method"], URL(server.url + case["path"]), headers=sent, json=body) as got:
                told = await got.json()
                assert got.status == case["status"], (case, told)
                assert "body" not in case or told == case["body"], case
                assert {name: got.headers.get(name) for name in case.get("headers", {})} == case.get("headers", {}), (
                    case
                )
