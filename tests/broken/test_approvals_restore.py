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
from tests.approvals.house import House, card_text, create_tables
from tests.approvals.phone import NOON
from tests.approvals.providers import MAIL, STRANGER
from tests.approvals.rule_house import saved, the_rule
from tests.approvals.twin_world import answer, code_in, fallback, mails, silence, with_mail

Rows = dict[sa.Table, list[dict[str, object]]]


@pytest.fixture
async def house(store: Store) -> House:
    return with_mail(House(store))


@pytest.fixture
async def store() -> Store:
    return create_tables(Store("sqlite://"))


async def backup(house: House) -> Rows:
    return await house.store.read(
        lambda c: {t: [dict(r) for r in c.execute(t.select()).mappings()] for t in metadata.sorted_tables}
    )


async def restore(house: House, rows: Rows) -> None:
    """The rows as they were come back, and a new process starts on them."""

    def put(connection: sa.Connection) -> None:
        for table in reversed(metadata.sorted_tables):
            connection.execute(table.delete())
        for table, values in rows.items():
            if values:
                connection.execute(table.insert(), values)
        cursors.put_fact(connection, cursors.RESTORED, "2026-03-01", NOON)

    await house.write(put)
    house.restart()
    await house.approvals.after_restore()
    await house.run()


async def test_a_rule_that_was_revoked_after_the_backup_lets_nothing_pass(house: House) -> None:
    rule: RuleRow = await saved(house)
    rows = await backup(house)
    assert await house.write(lambda c: rule_actions.revoke(c, rule, actor="me", now=NOON))
    await restore(house, rows)
    verdict = await house.request(call_id="again")
    assert verdict.decision == "ask"
    assert (await the_rule(house)).state == RuleState.DISABLED
    assert house.provider.effects == []
    (told,) = [text for text in await house.said() if "restored" in text]
    assert "rules" in told
    assert await house.store.read(audit.verify) is None


async def test_a_mail_that_said_yes_is_no_yes_when_it_is_fetched_anew_after_a_restore(house: House) -> None:
    approval_id, code = await fallback(house)
    rows = await backup(house)
    assert await answer(house, f"yes {code}")
    await house.after_undo_window()
    assert len(house.provider.effects) == 1
    await restore(house, rows)
    await answer(house, f"yes {code}")
    await house.after_undo_window()
    assert len(house.provider.effects) == 1
    assert await house.state(approval_id) == State.PENDING


async def test_after_a_restore_a_new_mail_with_a_new_code_says_to_look_first(house: House) -> None:
    approval_id, code = await fallback(house)
    await restore(house, await backup(house))
    await silence(house)
    new = code_in(mails(house)[-1][2])
    assert new != code
    assert in_words(LOOK_FIRST) in mails(house)[-1][2]
    assert await answer(house, f"yes {new}")
    assert await house.state(approval_id) == State.APPROVED


async def test_a_card_with_a_warning_says_after_a_restore_all_the_same_to_look_first(house: House) -> None:
    await house.ask(MAIL)
    await house.tap("Approve", sender=STRANGER)
    await restore(house, await backup(house))
    text = card_text(house.channel.newest)
    assert "Somebody else" in text
    assert in_words(LOOK_FIRST) in text


async def test_rules_are_put_out_of_force_where_there_is_nobody_to_tell(house: House) -> None:
    await saved(house)
    rows = await backup(house)
    house.channel.home_chat = None
    await restore(house, rows)
    assert (await the_rule(house)).state == RuleState.DISABLED
    assert not [text for text in await house.said() if "restored" in text]


async def test_a_card_that_is_restored_twice_says_once_to_look_first(house: House) -> None:
    approval_id = await house.ask(MAIL)
    for _ in range(2):
        await restore(house, await backup(house))
    assert (await house.row(approval_id)).detail == (LOOK_FIRST,)
