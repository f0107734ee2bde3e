"""Hard limits: how many acts are allowed in a day, whatever else allows them."""
# names: made up here

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from approvals.limits import exceeded, start_of_day
from approvals.policy import Decision, Verdict
from butler.contract.errors import IntegrationErrorCode
from butler.contract.reasons import dump_reasons
from butler.store.queries import audit
from butler.store.store import Store
from tests.approvals.follow_up_harness import FollowUpHarness
from tests.approvals.harness import Harness
from tests.approvals.phone import OWNER
from tests.approvals.providers import ANNA, ARCHIVE, BOT_SEND, KEEP, MAIL, PRIVATE_READ, READ, SEND, fault
from tests.approvals.reasons import words
from tests.approvals.standing_rule_harness import rule_now, saved

BEN = "telegram:1003"


async def act(harness: Harness, call_id: str, to: str = ANNA, tool: str = BOT_SEND) -> Verdict:
    """Let the butler write to an allowed recipient; done when it passes."""
    verdict = await harness.request(tool, args={"to": [to], "text": "x"}, call_id=call_id)
    await harness.run()
    return verdict


async def beyond(harness: Harness, tool: str = SEND, apart_from: str = "") -> str | None:
    """Return why an act towards Anna would exceed a limit now."""
    now = harness.clock.now()
    return await harness.store.read(
        lambda c: exceeded(harness.context, c, tool=tool, recipients=[ANNA], now=now, apart_from=apart_from)
    )


@pytest.fixture
async def harness(harness: Harness) -> Harness:
    await harness.know("Anna", ANNA, "mail:anna@friends.example")
    await harness.know("Ben", BEN)
    return harness


async def test_what_goes_beyond_the_limit_of_a_day_is_not_done_until_the_day_is_over(harness: Harness) -> None:
    harness.configure(limit=[{"tool": "bot_*", "per_day": 2}])
    assert [(await act(harness, f"c{n}")).decision for n in range(3)] == [Decision.ALLOW, Decision.ALLOW, Decision.DENY]
    refused = await act(harness, "c9")
    assert words(refused.reasons) == ("the limit for today is reached: per_day = 2 in [[approvals.limit]] for bot_*",)
    assert len(harness.provider.effects) == 2
    entry = (await harness.store.read(lambda c: audit.rows(c, "c9")))[0]
    assert (entry.kind, entry.data["reasons"]) == ("approval.refused", dump_reasons(refused.reasons))
    harness.clock.turn(hours=12)
    assert (await act(harness, "c10")).decision is Decision.ALLOW


async def test_each_address_has_a_count_of_its_own_however_it_is_written(harness: Harness) -> None:
    harness.configure(limit=[{"per_recipient": 1}])
    await act(harness, "c1", "mail:anna@friends.example")
    refused = await act(harness, "c2", "mail:Anna@FRIENDS.example")
    assert words(refused.reasons) == (
        "the limit for today to anna@friends.example is reached: per_recipient = 1 in [[approvals.limit]] for *",
    )
    assert (await act(harness, "c3", BEN)).decision is Decision.ALLOW
    both = await harness.request(BOT_SEND, args={"to": [ANNA, BEN], "text": "x"}, call_id="c4")
    assert words(both.reasons) == (
        "the limit for today to Telegram 1003 is reached: per_recipient = 1 in [[approvals.limit]] for *",
    )


async def test_one_act_reaches_no_more_recipients_than_the_limit_says(harness: Harness) -> None:
    harness.configure(limit=[{"tool": "user_telegram_*", "recipients": 1}])
    refused = await harness.request(SEND, args={"to": [ANNA, BEN, ANNA], "text": "x"})
    assert refused.decision is Decision.DENY
    assert refused.approval_id is None
    assert refused.reasons_text == (
        "it reaches 2 recipients, and recipients = 1 in [[approvals.limit]] for user_telegram_* is the limit"
    )
    assert (await harness.request(SEND, args={"to": [ANNA, ANNA], "text": "x"}, call_id="c2")).decision is Decision.ASK
    assert (await harness.request(MAIL, args={"to": [ANNA, BEN], "text": "x"}, call_id="c3")).decision is Decision.ASK


async def test_the_accounts_of_a_tool_count_together(store: Store) -> None:
    harness = FollowUpHarness(store, accounts=("main", "work"))
    await harness.know("Anna", ANNA)
    harness.configure(limit=[{"tool": "user_*", "per_day": 2}])
    for number, account in enumerate(("main", "work")):
        args = {"to": [ANNA], "text": "x", "account": account}
        await harness.ask(args=args, call_id=f"c{number}")
        await harness.tap("Approve")
        await harness.after_undo_window()
    assert [call.account for call in harness.provider.effects] == ["main", "work"]
    refused = await harness.request(SEND, args={"to": [ANNA], "text": "x", "account": "work"}, call_id="c9")
    assert words(refused.reasons) == ("the limit for today is reached: per_day = 2 in [[approvals.limit]] for user_*",)


async def test_only_tools_that_the_limit_names_count(harness: Harness) -> None:
    harness.configure(limit=[{"tool": "bot_telegram_*", "per_day": 1}, {"tool": "user_*", "per_day": 2}])
    await harness.approved(call_id="c1")
    await harness.after_undo_window()
    assert (await act(harness, "c2")).decision is Decision.ALLOW
    assert (await harness.request(SEND, call_id="c3")).decision is Decision.ASK


async def test_reads_and_what_only_the_owner_sees_neither_count_nor_are_limited(harness: Harness) -> None:
    harness.configure(limit=[{"per_day": 1}])
    await harness.ask(PRIVATE_READ, args={"item": "1"}, call_id="read")
    await harness.tap("Approve")
    await harness.after_undo_window()
    assert await beyond(harness) is None
    assert await beyond(harness, PRIVATE_READ) is None
    assert (await act(harness, "c1")).decision is Decision.ALLOW
    assert (await harness.request(PRIVATE_READ, args={"item": "2"}, call_id="c2")).decision is Decision.ASK
    assert (await harness.request(READ, args={"item": "2"}, call_id="c3")).decision is Decision.ALLOW
    assert words((await act(harness, "c4", OWNER)).reasons) == ("only you see it",)
    assert (await harness.request(KEEP, args={"to": [], "text": "x"}, call_id="c5")).decision is Decision.ALLOW
    assert (await harness.request(ARCHIVE, args={"to": [], "text": "x"}, call_id="c6")).decision is Decision.DENY


async def test_what_is_approved_and_not_begun_counts_for_a_new_request_and_not_for_a_claim(harness: Harness) -> None:
    harness.configure(limit=[{"per_day": 1}], undo_window="1m")
    approval_id = await harness.approved(call_id="c1")
    assert await beyond(harness)
    assert await beyond(harness, apart_from="another") is None
    harness.clock.turn(minutes=1)
    await harness.run()
    assert await harness.state(approval_id) == "done"
    assert await beyond(harness, apart_from="another")
    assert await beyond(harness, apart_from=approval_id) is None


async def test_what_waits_or_was_refused_does_not_count_and_what_failed_does(harness: Harness) -> None:
    harness.configure(limit=[{"per_day": 1}])
    await harness.ask(call_id="c1")
    await harness.tap("Deny")
    await harness.ask(call_id="c2")
    harness.provider.script = [fault(IntegrationErrorCode.FORBIDDEN)]
    verdict = await act(harness, "c3")
    assert await harness.state(verdict.approval_id or "") == "failed"
    assert (await act(harness, "c4")).decision is Decision.DENY


async def test_an_act_counts_on_the_day_on_which_its_first_attempt_began(harness: Harness) -> None:
    harness.configure(limit=[{"per_day": 1}], stale_after="24h")
    harness.clock.time = datetime(2026, 3, 5, 23, 59, 50, tzinfo=UTC)
    harness.provider.script = [fault(IntegrationErrorCode.UNAVAILABLE)]
    verdict = await act(harness, "c1")
    harness.clock.turn(minutes=10)
    await harness.run()
    assert len(await harness.attempts(verdict.approval_id or "")) == 2
    assert (await act(harness, "c2")).decision is Decision.ALLOW


async def test_what_a_tool_did_before_it_was_gone_counts(harness: Harness) -> None:
    harness.configure(limit=[{"tool": "bot_*", "per_day": 1}])
    await act(harness, "c1")
    harness.invoker.tools["bot_telegram_reply_to_message"] = harness.invoker.tools.pop(BOT_SEND)
    assert await beyond(harness, "bot_telegram_reply_to_message")


async def test_uses_and_acts_are_counted_on_every_database(lasting_harness: Harness) -> None:
    harness = lasting_harness
    rule = await saved(harness, max_uses=2)
    harness.configure(limit=[{"per_recipient": 3}])
    decisions = [(await act(harness, f"c{n}", tool=SEND)).decision for n in range(3)]
    assert decisions == [Decision.ALLOW, Decision.ALLOW, Decision.ASK]
    assert ((await rule_now(harness, rule)).uses, (await rule_now(harness, rule)).state) == (2, "used_up")
    assert await beyond(harness) is None
    await harness.tap("Approve")
    assert await beyond(harness)


async def test_a_limit_wins_over_a_standing_rule(harness: Harness) -> None:
    harness.configure(limit=[{"tool": "user_*", "per_day": 1}])
    await saved(harness)
    assert (await act(harness, "c1", tool=SEND)).decision is Decision.ALLOW
    assert (await act(harness, "c2", tool=SEND)).decision is Decision.DENY
    assert len(harness.provider.effects) == 1


@pytest.mark.parametrize(
    ("zone", "now", "hours_before"),
    [
        ("Europe/London", datetime(2026, 3, 29, 22, 30, tzinfo=UTC), 22.5),
        ("Europe/London", datetime(2026, 10, 25, 23, 30, tzinfo=UTC), 24.5),
        ("Asia/Beirut", datetime(2026, 3, 29, 20, 0, tzinfo=UTC), 22.0),
        ("UTC", datetime(2026, 3, 5, 0, 0, tzinfo=UTC), 0.0),
    ],
)
def test_a_day_has_the_hours_that_it_has_in_the_owners_zone(zone: str, now: datetime, hours_before: float) -> None:
    start = start_of_day(now, ZoneInfo(zone))
    assert now - start == timedelta(hours=hours_before)
    local = ZoneInfo(zone)
    assert start.astimezone(local).date() == now.astimezone(local).date()
    assert (start - timedelta(microseconds=1)).astimezone(local).date() < now.astimezone(local).date()
