"""What a card shows of a write is all of it, and what a tool cannot take is said before anybody is asked."""

from typing import Any

import pytest
from pydantic import ValidationError

from butler.contract.names import ApprovalDefault
from modules.qdrant.args import CreateArgs, SearchArgs, UpsertArgs
from modules.qdrant.config import QdrantModuleSettings
from modules.qdrant.module import QdrantModule
from tests.modules.qdrant.harness import harness
from tests.support.context import make_context

SEARCHES: list[tuple[dict[str, Any], str]] = [
    ({}, "either a text or a vector"),
    ({"text": "boats", "vector": [1]}, "either a text or a vector"),
    ({"text": "  "}, "either a text or a vector"),
    ({"text": "boats", "collection": "../notes"}, "collection"),
    ({"text": "boats", "collection": ".."}, "collection"),
    ({"text": "boats", "limit": 101}, "limit"),
    ({"vector": [float("nan")]}, "vector"),
    ({"text": "boats", "score_threshold": float("inf")}, "score_threshold"),
    ({"text": "boats\x07"}, "control characters"),
    ({"text": "boats", "filter": [{"field": "year", "op": "in", "value": 3}]}, "take a list"),
    ({"text": "boats", "filter": [{"field": "year", "value": [3]}]}, "take a list"),
    ({"text": "boats", "filter": [{"field": "year", "op": "in", "value": []}]}, "1 to 100"),
    ({"text": "boats", "filter": [{"field": "year", "op": "in", "value": [1, "a"]}]}, "not both"),
    ({"text": "boats", "filter": [{"field": "year", "op": "in", "value": [True]}]}, "value"),
    ({"text": "boats", "filter": [{"field": "year", "op": "lt", "value": "late"}]}, "numbers and moments"),
    ({"text": "boats", "filter": [{"field": "year", "op": "lt", "value": "2026-01-01"}]}, "numbers and moments"),
    ({"text": "boats", "filter": [{"field": "year", "op": "lt", "value": True}]}, "numbers and moments"),
]
POINTS: list[tuple[list[dict[str, Any]], str]] = [
    ([], "points"),
    ([{}], "either a text or a vector"),
    ([{"text": "boats", "vector": [1]}], "either a text or a vector"),
    ([{"id": "note-1", "text": "boats"}], "a whole number or a UUID"),
    ([{"id": -1, "text": "boats"}], "id"),
    ([{"text": "boats"}, {"text": "boats"}], "two of the points are the same"),
    ([{"id": 1, "text": "boats"}, {"id": 1, "text": "ships"}], "two of the points are the same"),
    ([{"text": "boats", "payload": {"more": "x" * 20_000}}], "too large"),
    ([{"vector": [1.0] * 5_000}], "vector"),
]


async def test_a_card_shows_the_server_the_collection_and_each_text_with_what_is_kept_beside_it():
    points = [
        {"text": "The boiler is serviced each May.", "payload": {"room": "Küche"}},
        {"id": 7, "vector": [0.5, 1, 2, 3, 4]},
    ]
    async with harness() as there:
        spec = there.registry.spec("bot_qdrant_upsert")
        assert spec.preview is not None
        shown = spec.preview(UpsertArgs.model_validate({"collection": "notes", "points": points}))

        assert shown.effect.startswith("Puts 2 points into a collection on your Qdrant server;")
        assert shown.facts == (("Server", there.proxy.url), ("Collection", "notes"))
        assert shown.body.splitlines() == [
            "- The boiler is serviced each May.",
            "    room: Küche",
            "- a vector of 5 numbers: 0.5, 1, 2, 3, … · id 7",
        ]
        assert set(shown.told) == set(UpsertArgs.model_fields)
        assert spec.approval_default is ApprovalDefault.ALWAYS


async def test_a_card_shows_how_a_collection_is_made():
    async with harness() as there:
        spec = there.registry.spec("bot_qdrant_create_collection")
        assert spec.preview is not None
        shown = spec.preview(CreateArgs(collection="notes"))

        assert dict(shown.facts) == {
            "Server": there.proxy.url,
            "Collection": "notes",
            "Dimensions": "384",
            "Compared by": "Cosine",
        }
        assert set(shown.told) == set(CreateArgs.model_fields)
        assert spec.approval_default is ApprovalDefault.ALWAYS


async def test_the_planner_is_told_which_collections_take_texts():
    async with harness() as there:
        assert there.registry.spec("bot_qdrant_search").description == (
            "Search the person's Qdrant server by meaning. Collections that take texts: notes."
        )


@pytest.mark.parametrize(("args", "said"), SEARCHES)
def test_a_search_that_makes_no_sense_is_refused_in_words(args: dict[str, Any], said: str):
    with pytest.raises(ValidationError, match=said):
        SearchArgs.model_validate(args)


@pytest.mark.parametrize(("points", "said"), POINTS)
def test_points_that_cannot_be_kept_are_refused_in_words(points: list[dict[str, Any]], said: str):
    with pytest.raises(ValidationError, match=said):
        UpsertArgs.model_validate({"collection": "notes", "points": points})


def test_an_id_is_the_same_however_it_is_written():
    one, other = "6BA7B810-9DAD-11D1-80B4-00C04FD430C8", "6ba7b8109dad11d180b400c04fd430c8"
    with pytest.raises(ValidationError, match="two of the points are the same"):
        UpsertArgs.model_validate(
            {"collection": "notes", "points": [{"id": one, "text": "boats"}, {"id": other, "text": "ships"}]}
        )


def test_a_server_that_is_switched_off_offers_no_tools():
    settings = {"bot": {"url": "https://qdrant.example", "enabled": False}}
    for section in ({}, settings):
        module = QdrantModule(QdrantModuleSettings.model_validate(section), make_context())
        assert [*module.bot_inputs(), *module.bot_outputs(), *module.integrations()] == []


def test_settings_name_collections_that_can_be():
    with pytest.raises(ValidationError, match="text_collections"):
        QdrantModuleSettings.model_validate({"bot": {"url": "https://qdrant.example", "text_collections": ["a/b"]}})
