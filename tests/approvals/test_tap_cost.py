"""The database cost of a tap: most of a decision's time goes into queries."""

from sqlalchemy import event

from tests.approvals.harness import Harness


async def test_a_yes_takes_ten_statements(harness: Harness) -> None:
    await harness.know("Anna", "telegram:1002")
    await harness.ask()
    (shown,) = harness.channel.cards
    tap = harness.tap_of(harness.channel.button("Approve"), message_ref=shown)
    ran: list[str] = []
    event.listen(harness.store.engine, "before_cursor_execute", lambda *args: ran.append(args[2].partition(" ")[0]))
    await harness.approvals.decide(tap)
    # The button with its approval, the pause, the step, the log, the work, the event, and the button again.
    log, work, happened = ["SELECT", "INSERT"], ["DELETE", "INSERT"], ["INSERT", "INSERT"]
    assert ran == ["SELECT", "SELECT", "UPDATE", *log, *work, *happened, "UPDATE"]
