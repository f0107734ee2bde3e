"""`butler hooks` lists what came in, shows it as it came, and has it acted on once more."""

import json
from datetime import UTC, datetime

import pytest

from butler.cli.hooks import list_hooks, replay_hook, show_hook
from butler.contract.errors import Refuse
from butler.contract.hooks import StoredHook
from butler.contract.reasons import of_error
from butler.store.open import open_store
from butler.store.queries import hooks, work
from butler.store.queries.hooks import HookState

AT = datetime(2026, 3, 2, 9, tzinfo=UTC)


@pytest.fixture
async def config(tmp_path):
    path = tmp_path / "butler.toml"
    path.write_text('[butler]\ndata_dir = "data"\ntimezone = "Europe/Berlin"\n', encoding="utf-8")
    (tmp_path / "data").mkdir()
    store = open_store("sqlite:///butler.db", data_dir=tmp_path / "data")
    for number, (name, body) in enumerate((("bell", b"ring\x1b[31m"), ("grafana", b"\xff{}"))):
        hook = StoredHook(f"{number}abc", name, {"content-type": "text/plain"}, body, AT)
        await store.write(lambda c, hook=hook: hooks.add(c, hook, "key", "198.51.100.7", AT))
    await store.write(lambda c: hooks.settle(c, "1abc", HookState.REFUSED, AT, (of_error(Refuse("of no use")),)))
    await store.close()
    return path


async def test_the_list_says_what_came_when_and_what_became_of_it(config):
    text = list_hooks(config, receiver="", limit=50, as_json=False)
    assert "2026-03-02 10:00:00  bell  new" in text
    assert "grafana  refused: This may not be done: of no use" in text
    assert [row["name"] for row in json.loads(list_hooks(config, receiver="bell", limit=50, as_json=True))] == ["bell"]
    assert list_hooks(config, receiver="x", limit=50, as_json=False) == "Nothing came in by a webhook yet."


async def test_a_request_is_shown_as_it_came_without_what_a_terminal_obeys(config):
    text = show_hook(config, "0", as_json=False)
    assert "from 198.51.100.7, 9 bytes" in text
    assert "content-type: text/plain" in text
    assert "ring" in text
    assert "\x1b" not in text
    shown = json.loads(show_hook(config, "1abc", as_json=True))
    assert (shown["body"], shown["state"], shown["key"]) == ("\ufffd{}", "refused", "key")
    assert shown["detail_codes"] == [
        {"code": "error", "params": {"error": "This may not be done.", "detail": "of no use"}}
    ]


async def test_a_replay_is_a_row_that_the_daemon_takes_up(config):
    assert replay_hook(config, "0abc") == "0abc of bell is acted on once more (replay 1)."
    store = open_store("sqlite:///butler.db", data_dir=config.parent / "data")
    rows = await store.read(lambda c: work.written(c, 0))
    await store.close()
    assert ("hook", "0abc:1", "hook:bell") in [(row.kind, row.subject, row.lane) for row in rows]
    assert "replayed 1 time" in show_hook(config, "0abc", as_json=False)


@pytest.mark.parametrize("beginning", ["", "x", "%"])
async def test_an_id_that_nothing_has_is_refused(config, beginning):
    with pytest.raises(Refuse, match="nothing that came in"):
        show_hook(config, beginning, as_json=False)


async def test_an_id_that_several_begin_with_is_refused(config):
    store = open_store("sqlite:///butler.db", data_dir=config.parent / "data")
    await store.write(lambda c: hooks.add(c, StoredHook("0abd", "bell", {}, b"", AT), "other", "x", AT))
    await store.close()
    with pytest.raises(Refuse, match="give more of it"):
        show_hook(config, "0ab", as_json=False)
