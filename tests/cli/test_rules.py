"""`butler rules`: list, stop, take back, and read the policy."""
# ruff: noqa: ASYNC240 - a test may wait for a small file

import json
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest

from butler.cli.output import hanging
from butler.store.open import open_store
from butler.store.queries import audit, rules
from butler.store.queries.rules import RuleRow, RuleState
from tests.approvals.harness import Harness
from tests.approvals.phone import NOON, OWNER
from tests.approvals.providers import ANNA, SEND


@pytest.fixture
async def harness() -> AsyncIterator[Harness]:
    Path("butler.toml").touch()
    Path("data").mkdir(mode=0o700)
    store = open_store("sqlite:///butler.db", data_dir=Path("data"))
    yield Harness(store)
    await store.close()


async def saved(harness: Harness, state: RuleState = RuleState.ACTIVE, number: int = 1) -> RuleRow:
    made_from = await harness.ask(call_id=f"c{number}")
    rule = RuleRow(
        rule_id=f"r{number}",
        number=number,
        revision=2,
        state=state.value,
        tool=SEND,
        account="me",
        chat=OWNER,
        recipients=(ANNA,),
        pinned={"text": '"I\'ll be late"'},
        expires_at=NOON + timedelta(days=3650),
        max_uses=5,
        made_from=made_from,
        created_at=NOON,
        updated_at=NOON,
    )
    await harness.write(lambda c: rules.insert(c, rule))
    return rule


async def state(harness: Harness, number: int = 1) -> str:
    rule = await harness.store.read(lambda c: rules.by_number(c, number))
    assert rule is not None
    return rule.state


async def test_rules_are_listed_in_plain_words_and_as_json(butler, harness: Harness):
    assert (await butler("rules")).stdout == "There is no standing rule.\n"
    await harness.know("Anna", ANNA)
    await saved(harness, RuleState.REVOKED, 2)
    await saved(harness)
    told = (await butler("rules")).stdout
    assert told.startswith("  1  active    ")
    assert "to Anna (Telegram 1002)" in told
    assert told.endswith("; not used yet\n")
    assert len((await butler("rules", "--all")).stdout.splitlines()) == 2
    (row,) = json.loads((await butler("rules", "--json")).stdout)
    assert set(row) >= {"number", "rule_id", "state", "words", "tool", "recipients", "pinned", "expires_at", "uses"}
    assert (row["number"], row["pinned"], row["recipients"]) == (1, {"text": "I'll be late"}, [ANNA])


async def test_a_rule_is_stopped_started_and_taken_back_beside_a_running_daemon(butler, harness: Harness):
    await saved(harness)
    for what, said, after in (
        ("disable", "Rule 1 is disabled.\n", "disabled"),
        ("enable", "Rule 1 is enabled.\n", "active"),
        ("revoke", "Rule 1 is revoked.\n", "revoked"),
    ):
        told = await butler("rules", what, "1")
        assert (told.exit_code, told.stdout) == (0, said), told.output
        assert await state(harness) == after
    kinds = [(row.kind, row.actor) for row in await harness.store.read(lambda c: audit.rows(c, "r1"))]
    assert kinds == [(f"rule.{what}", "command line") for what in ("revoked", "enabled", "disabled")]


@pytest.mark.parametrize(
    ("what", "before", "says"),
    [
        ("enable", RuleState.ACTIVE, "rule 1 is active, so it cannot be enabled"),
        ("disable", RuleState.REVOKED, "rule 1 is revoked, so it cannot be disabled"),
        ("revoke", RuleState.REVOKED, "rule 1 is revoked, so it cannot be revoked"),
        ("disable", RuleState.USED_UP, "rule 1 is used up, so it cannot be disabled"),
    ],
)
async def test_what_cannot_be_changed_so_is_told(butler, harness: Harness, what: str, before: RuleState, says: str):
    await saved(harness, before)
    told = await butler("rules", what, "1")
    assert (told.exit_code, told.stderr) == (1, f"butler: {says}\n")
    assert await state(harness) == before


async def test_a_number_that_no_rule_has_is_told(butler, harness: Harness):
    told = await butler("rules", "revoke", "7")
    assert (told.exit_code, "there is no rule 7; `butler rules --all` lists them" in told.stderr) == (1, True)


async def test_the_policy_is_a_table_in_the_order_in_which_it_is_read(butler):
    Path("butler.toml").write_text('[[approvals.deny]]\ntool = "user_email_*"\nrecipient = "*@evil.example"\n')
    lines = json.loads((await butler("rules", "policy", "--json")).stdout)
    assert set(lines[0]) == {"rule", "what", "decision"}
    (denied,) = [line for line in lines if line["rule"] == "deny"]
    assert (denied["decision"], "*@evil.example" in denied["what"]) == ("deny", True)
    assert lines[-1] == {"rule": "no_match", "what": "anything else", "decision": "ask"}
    told = (await butler("rules", "policy")).stdout
    assert "*@evil.example" in told
    assert [line for line in map(str.strip, told.splitlines()) if line.startswith("1 ")]


@pytest.mark.parametrize("words", [["revoke"], ["revoke", "x"], ["revoke", "0"], ["gone"], ["--limit", "3"]])
async def test_wrong_usage_exits_with_2(butler, words):
    assert (await butler("rules", *words)).exit_code == 2


async def test_without_a_database_or_settings_one_sentence_says_so(butler):
    for words in (["rules"], ["rules", "policy"], ["rules", "revoke", "1"]):
        told = await butler(*words)
        assert (told.exit_code, len(told.stderr.splitlines())) == (1, 1)
    Path("butler.toml").touch()
    assert "`butler run` makes one" in (await butler("rules", "revoke", "1")).stderr


def test_a_long_line_goes_on_below_itself_on_a_terminal_only(monkeypatch: pytest.MonkeyPatch):
    lead, text = "  1  active    ", "Send message (Telegram, as you) to Anna, in this chat; not used yet"
    assert hanging(lead, text) == f"{lead}{text}"
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", "50")
    first, *others = hanging(lead, text).split("\n")
    assert first.startswith(f"{lead}Send message")
    assert [line for line in others if not line.startswith(" " * len(lead))] == []
    assert " ".join([first.removeprefix(lead), *map(str.strip, others)]) == text
    assert max(map(len, [first, *others])) <= 50
