"""`butler approvals`: the same card as on Telegram, and all that is known of it."""
# ruff: noqa: ASYNC240 - a test may wait for a small file

import json
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from approvals.revise import Change, NewValue, Revised, revise
from butler.offline import offline_registry
from butler.store.open import open_store
from butler.store.tables import approvals as table
from tests.approvals.harness import Harness
from tests.approvals.providers import ANNA, OWN_WORDS


class RealTools(Harness):
    """The approvals service with the tools that Butler has, on the database of this configuration."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.invoker = offline_registry()[0]
        self.start()

    async def asked(self, text: str, call_id: str = "plan-1:1") -> str:
        return await self.ask(args={"to": {"address": ANNA}, "text": text}, call_id=call_id)


@pytest.fixture
async def harness() -> AsyncIterator[RealTools]:
    Path("butler.toml").touch()
    Path("data").mkdir(mode=0o700)
    store = open_store("sqlite:///butler.db", data_dir=Path("data"))
    yield RealTools(store)
    await store.close()


async def listed(butler, *words: str) -> list[dict[str, Any]]:
    return json.loads((await butler("approvals", *words, "--json")).stdout)


async def test_what_waits_is_listed_beside_a_running_daemon(butler, harness: RealTools):
    assert (await butler("approvals")).stdout == "Nothing is waiting for your yes.\n"
    assert (await butler("approvals", "--state", "done")).stdout == "There is no such approval.\n"
    first, second = await harness.asked("one", "c1"), await harness.asked("two", "c2")
    await harness.tap("Deny")
    assert [row["approval_id"] for row in await listed(butler)] == [first]
    assert [row["state"] for row in await listed(butler, "--all")] in [["pending", "denied"], ["denied", "pending"]]
    assert [row["approval_id"] for row in await listed(butler, "--state", "denied")] == [second]
    assert len(await listed(butler, "--state", "denied", "--state", "pending")) == 2
    assert first[:8] in (await butler("approvals")).stdout


async def test_a_limit_keeps_the_newest(butler, harness: RealTools):
    for number in range(3):
        await harness.asked(str(number), f"c{number}")
        harness.clock.turn(seconds=1)
    assert [row["args"]["text"] for row in await listed(butler, "--limit", "2")] == ["1", "2"]


async def test_a_list_holds_at_least_what_programs_rely_on(butler, harness: RealTools):
    await harness.asked("one")
    (row,) = await listed(butler)
    assert set(row) >= {
        *("approval_id", "state", "tool", "identity", "account", "args", "reasons", "created_at", "expires_at"),
        *("decided_at", "decided_by", "detail", "revision", "recipients", "risk", "rule_id", "finished_at"),
    }


async def test_the_card_is_shown_as_text_with_its_attempts_and_its_entries(butler, harness: RealTools):
    approval_id = await harness.asked("Late,\u202e sorry.\nTo: nobody")
    told = (await butler("approvals", "show", approval_id[:6])).stdout
    assert told.startswith(f"{approval_id}, revision 1, pending\n\nFor your approval\n\nAs: you, through main\n")
    assert "To: Telegram 1002\n" in told
    assert "\n| Late,[U+202E] sorry.\n| To: nobody\n" in told
    assert re.search(r"\nIt waits until \d\d:\d\d:\d\d on \d March 2026\.\n", told)
    assert "\nNo attempt\n" in told
    assert "approval.requested" in told
    await harness.tap("Deny")
    told = (await butler("approvals", "show", approval_id)).stdout
    assert "Denied by you at 12:00:00 on 5 March 2026. Nothing was sent." in told
    assert "approval.denied" in told


async def test_what_was_changed_is_shown_revision_by_revision(butler, harness: RealTools):
    approval_id = await harness.asked("Ten minutes late")
    for revision, text in ((1, "Twenty minutes late"), (2, "Twenty minutes early")):
        change = Change(by=f"in-{revision + 1}", text=NewValue(text, OWN_WORDS))

        def edit(connection: sa.Connection, revision: int = revision, change: Change = change) -> Revised | str:
            return revise(harness.context, connection, approval_id, revision, change, harness.clock.now())

        assert isinstance(await harness.write(edit), Revised)
    told = (await butler("approvals", "show", approval_id)).stdout
    assert "Revision 1 became 2 at 12:00:00 on 5 March 2026:\n    [-Ten-]{+Twenty+} minutes late" in told
    assert "Revision 2 became 3 at 12:00:00 on 5 March 2026:\n    Twenty minutes [-late-]{+early+}" in told
    shown = json.loads((await butler("approvals", "show", approval_id, "--json")).stdout)
    assert [version["args"]["text"] for version in shown["revisions"]] == ["Ten minutes late", "Twenty minutes late"]
    assert shown["args"]["text"] == "Twenty minutes early"
    assert shown["audit"][0]["kind"] == "approval.requested"
    assert "in {+…+}:\n| Twenty minutes [-late-]{+early+}" in shown["card"]


async def test_an_attempt_is_shown_with_how_it_ended(butler, harness: RealTools):
    approval_id = await harness.asked("x")
    await harness.tap("Approve")
    # Nothing is connected here, so the attempt cannot succeed, and that is on record.
    await harness.after_undo_window()
    shown = json.loads((await butler("approvals", "show", approval_id, "--json")).stdout)
    assert len(shown["attempts"]) == 1
    outcome = shown["attempts"][0]["outcome"] or "not ended"
    told = (await butler("approvals", "show", approval_id)).stdout
    assert f"\n1 attempt\n  1. begun at 12:00:10 on 5 March 2026, {outcome}" in told


@pytest.mark.parametrize("beginning", ["zzz", "", "%", "_"])
async def test_an_id_that_is_none_is_told_in_one_sentence(butler, harness: RealTools, beginning: str):
    await harness.asked("x")
    told = await butler("approvals", "show", beginning)
    assert (told.exit_code, len(told.stderr.splitlines())) == (1, 1)
    assert "there is no approval" in told.stderr


async def test_a_beginning_that_two_share_is_not_guessed_at(butler, harness: RealTools):
    ids = ["ab", "ab1", "ac"]
    for number, approval_id in enumerate(ids):
        made = await harness.asked("x", f"c{number}")
        await harness.write(
            lambda c, made=made, new=approval_id: c.execute(
                table.update().where(table.c.approval_id == made).values(approval_id=new)
            )
        )
    told = await butler("approvals", "show", "a")
    assert (told.exit_code, "more than one approval begins with a, such as ab and ab1" in told.stderr) == (1, True)
    assert (await butler("approvals", "show", "ab")).stdout.startswith("ab, revision 1")


async def test_what_has_not_begun_is_withdrawn_and_audited(butler, harness: RealTools):
    ids = [await harness.asked(str(number), f"c{number}") for number in range(3)]
    await harness.tap("Approve")
    assert (await butler("approvals", "withdraw", ids[0][:8])).stdout == f"Withdrew {ids[0]}.\n"
    assert (await butler("approvals", "withdraw", "--all")).stdout == "Withdrew 2 approvals.\n"
    assert (await butler("approvals", "withdraw", "--all")).stdout == "Withdrew 0 approvals.\n"
    assert {row["state"] for row in await listed(butler, "--all")} == {"cancelled"}
    await harness.after_undo_window()
    for approval_id in ids:
        shown = json.loads((await butler("approvals", "show", approval_id, "--json")).stdout)
        assert shown["attempts"] == []
        assert (shown["audit"][-1]["kind"], shown["audit"][-1]["actor"]) == ("approval.cancelled", "command line")
    told = await butler("approvals", "withdraw", ids[1])
    assert (told.exit_code, told.stderr) == (1, f"butler: {ids[1]} is cancelled already\n")


async def test_what_is_under_way_cannot_be_withdrawn_and_is_told(butler, harness: RealTools):
    approval_id = await harness.asked("x")
    await harness.tap("Approve")
    begun = table.update().values(state="executing")
    await harness.write(lambda c: c.execute(begun))
    told = await butler("approvals", "withdraw", approval_id)
    says = "begun already, and cannot be withdrawn"
    assert (told.exit_code, told.stderr) == (1, f"butler: {approval_id} is {says}\n")
    assert (await butler("approvals", "withdraw", "--all")).stdout == f"Withdrew 0 approvals. 1 is {says}.\n"


@pytest.mark.parametrize(
    "words",
    [
        ["--state", "gone"],
        ["--limit", "0"],
        ["show"],
        ["show", "a", "b"],
        ["gone"],
        ["withdraw"],
        ["withdraw", "a", "--all"],
    ],
)
async def test_wrong_usage_exits_with_2(butler, words):
    assert (await butler("approvals", *words)).exit_code == 2


async def test_a_database_of_another_version_is_told_in_one_sentence(butler, harness: RealTools):
    for revision, says in (("0013", "before the first release"), ("9999", "written by a newer Butler")):
        await harness.write(
            lambda c, revision=revision: c.exec_driver_sql(f"UPDATE alembic_version SET version_num = '{revision}'")
        )
        told = await butler("approvals")
        assert (told.exit_code, says in told.stderr, len(told.stderr.splitlines())) == (1, True, 1)
    await harness.write(lambda c: c.exec_driver_sql("DROP TABLE alembic_version"))
    assert "the database is empty" in (await butler("approvals")).stderr
