"""`butler experts` lists, shows and checks; what is wrong is said in one sentence, also by `butler config check`."""
# names: made up here

import json
from pathlib import Path


def own_expert(**manifest: object) -> None:
    place = Path("mine") / "tax"
    place.mkdir(parents=True)
    values = {"name": "tax", "title": "Tax", "description": "knows tax", "fexp_allow_tools": ["bot_memory_search"]}
    (place / "manifest.json").write_text(json.dumps(values | manifest))
    (place / "body.md").write_text("You are the tax expert.")
    Path("butler.toml").write_text('[experts]\nfolder = "mine"\n[modules.telegram.bot]\n')


async def test_the_experts_are_listed_the_own_ones_too(butler):
    assert (await butler("experts")).stdout.splitlines()[0].startswith("calendar ")
    own_expert()
    rows = {row["name"]: row for row in json.loads((await butler("experts", "--json")).stdout)}
    assert rows["tax"]["tools"] == ["bot_memory_search"]
    assert set(rows["mail"]) == {"name", "title", "description", "topics", "tools", "blocked"}


async def test_what_an_expert_is_told_is_shown_whole(butler):
    own_expert()
    told = (await butler("experts", "show", "tax")).stdout
    parts = ["You are Butler, the personal butler", "You are the tax expert.", "\n## bot_memory_search\n"]
    places = [told.index(part) for part in parts]
    assert places == sorted(places)
    nobody = await butler("experts", "show", "gardening")
    assert nobody.exit_code == 1
    assert "there are calendar, mail, operations, research, tasks, tax" in nobody.stderr


async def test_all_that_is_wrong_is_said_in_one_sentence(butler):
    assert "experts can be built" in (await butler("experts", "check")).stdout
    own_expert(fexp_allow_tools=["bot_*", "bot_memory_serach"])
    found = await butler("experts", "check")
    assert found.exit_code == 1
    assert len(found.stderr.splitlines()) == 1
    assert "bot_* in" in found.stderr
    assert "bot_memory_serach" in found.stderr


async def test_a_configuration_with_a_faulty_expert_does_not_work(butler):
    own_expert(fexp_block_tools=["bot_memory_*"])
    found = await butler("config", "check")
    assert found.exit_code == 1
    assert "both allows and blocks a tool: bot_memory_search" in found.stderr
