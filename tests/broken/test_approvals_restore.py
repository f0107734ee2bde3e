"""A restore brings old rows back: nothing that was ended meanwhile may act again because of it."""

import pytest
import sqlalchemy as sa

from approvals import rule_actions
from approvals.reason_words import in_words
from approvals.restored import LOOK_FIRST
from approvals.states import State
from butler.store.queries import audit, cursors
from butler.store.queries.rules import RuleRow, RuleState
from butler.store.store import Store
from butler.store.tables import metadata
from tests.approvals.email_fallback_harness import answer, code_in, fallback, mails, silence, with_mail
from tests.approvals.harness import Harness, card_text, create_tables
from tests.approvals.phone import NOON
from tests.approvals.providers import MAIL, STRANGER
from tests.approvals.rule_harness import saved, the_rule

Rows = dict[sa.Table, list[dict[str, object]]]


@pytest.fixture
async def harness(store: Store) -> Harness:
    return with_mail(Harness(store))


@pytest.fixture
async def store() -> Store:
    return create_tables(Store("sqlite://"))


async def backup(harness: Harness) -> Rows:
    return await harness.store.read(
        lambda c: {t: [dict(r) for r in c.execute(t.select()).mappings()] for t in metadata.sorted_tables}
    )


async def restore(harness: Harness, rows: Rows) -> None:
    """The rows as they were come back, and a new process starts on them."""

    def put(connection: sa.Connection) -> None:
        for table in reversed(metadata.sorted_tables):
            connection.execute(table.delete())
        for table, values in rows.items():
            if values:
                connection.execute(table.insert(), values)
        cursors.put_fact(connection, cursors.RESTORED, "2026-03-01", NOON)

    await harness.write(put)
    harness.restart()
    await harness.approvals.after_restore()
    await harness.run()


async def test_a_rule_that_was_revoked_after_the_backup_lets_nothing_pass(harness: Harness) -> None:
    rule: RuleRow = await saved(harness)
    rows = await backup(harness)
    assert await harness.write(lambda c: rule_actions.revoke(c, rule, actor="me", now=NOON))
    await restore(harness, rows)
    verdict = await harness.request(call_id="again")
    assert verdict.decision == "ask"
    assert (await the_rule(harness)).state == RuleState.DISABLED
    assert harness.provider.effects == []
    (told,) = [text for text in await harness.said() if "restored" in text]
    assert "rules" in told
    assert await harness.store.read(audit.verify) is None


async def test_a_mail_that_said_yes_is_no_yes_when_it_is_fetched_anew_after_a_restore(harness: Harness) -> None:
    approval_id, code = await fallback(harness)
    rows = await backup(harness)
    assert await answer(harness, f"yes {code}")
    await harness.after_undo_window()
    assert len(harness.provider.effects) == 1
    await restore(harness, rows)
    await answer(harness, f"yes {code}")
    await harness.after_undo_window()
    assert len(harness.provider.effects) == 1
    assert await harness.state(approval_id) == State.PENDING


async def test_after_a_restore_a_new_mail_with_a_new_code_says_to_look_first(harness: Harness) -> None:
    approval_id, code = await fallback(harness)
    await restore(harness, await backup(harness))
    await silence(harness)
    new = code_in(mails(harness)[-1][2])
    assert new != code
    assert in_words(LOOK_FIRST) in mails(harness)[-1][2]
    assert await answer(harness, f"yes {new}")
    assert await harness.state(approval_id) == State.APPROVED


async def test_a_card_with_a_warning_says_after_a_restore_all_the_same_to_look_first(harness: Harness) -> None:
    await harness.ask(MAIL)
    await harness.tap("Approve", sender=STRANGER)
    await restore(harness, await backup(harness))
    text = card_text(harness.channel.newest)
    assert "Somebody else" in text
    assert in_words(LOOK_FIRST) in text


async def test_rules_are_put_out_of_force_where_there_is_nobody_to_tell(harness: Harness) -> None:
    await saved(harness)
    rows = await backup(harness)
    harness.channel.home_chat = None
    await restore(harness, rows)
    assert (await the_rule(harness)).state == RuleState.DISABLED
    assert not [text for text in await harness.said() if "restored" in text]


async def test_a_card_that_is_restored_twice_says_once_to_look_first(harness: Harness) -> None:
    approval_id = await harness.ask(MAIL)
    for _ in range(2):
        await restore(harness, await backup(harness))
    assert (await harness.row(approval_id)).detail == (LOOK_FIRST,)
