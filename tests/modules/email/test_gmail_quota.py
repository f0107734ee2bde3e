"""Gmail's quota: spent on a budget, some of it kept for what the person waits for, and refusals heeded."""

import asyncio
import json
import random
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from butler.contract.errors import Effect, IntegrationErrorCode, IntegrationFault
from butler.contract.integration import IntegrationCall
from butler_demo.gmail.quota_rules import GMAIL_SINCE_MAY_2026
from butler_demo.google.quota import Refusal
from modules._accounts.google_budget import UnitBudget
from modules._accounts.google_errors import SignIn, refusal
from modules.email.integration_gmail import PRODUCT
from modules.email.integration_gmail_records import GET_MANY, LIST
from tests.modules.email.gmail_account import ME, GmailUnderTest, gmail_account
from tests.modules.email.mailhost import mail
from tests.support.context import MemoryCursors, TurnedClock

SEARCH = "user_email_search_inbox"
NOW = datetime(2026, 11, 27, 12, tzinfo=UTC)
SIGN_IN = SignIn(PRODUCT, "butler login gmail", NOW)


@pytest.fixture
async def user() -> AsyncIterator[GmailUnderTest]:
    async with gmail_account() as under_test:
        yield under_test


@pytest.fixture
def clock() -> TurnedClock:
    return TurnedClock()


async def test_what_a_minute_allows_is_spent_and_no_more(clock: TurnedClock) -> None:
    budget = UnitBudget(100, clock)
    await budget.spend(60)
    clock.offset += timedelta(seconds=55)
    await budget.spend(40)
    assert budget.left == 0
    waiting = asyncio.create_task(budget.spend(50))
    await asyncio.sleep(0)
    assert not waiting.done()
    clock.offset += timedelta(seconds=5)
    await asyncio.wait_for(waiting, 60)
    assert budget.left == 10


async def test_a_call_that_would_wait_too_long_is_told_for_how_long(clock: TurnedClock) -> None:
    budget = UnitBudget(100, clock)
    await budget.spend(100)
    with pytest.raises(IntegrationFault) as told:
        await budget.spend(1)
    assert (told.value.code, told.value.effect) == (IntegrationErrorCode.RATE_LIMITED, Effect.NONE)
    assert told.value.retry_after_s == pytest.approx(60, abs=1)
    assert told.value.message == "what Google allows in a minute is used up; it can be tried again in 60 seconds"


async def test_the_background_never_spends_what_is_kept_free(clock: TurnedClock) -> None:
    budget = UnitBudget(100, clock)
    await budget.spend(80, background=True)
    waiting = asyncio.create_task(budget.spend(1, background=True))
    await asyncio.sleep(0)
    await budget.spend(20)
    assert not waiting.done()
    waiting.cancel()


async def test_a_call_that_costs_more_than_a_minute_has_is_made_when_nothing_else_is(clock: TurnedClock) -> None:
    budget = UnitBudget(100, clock)
    await budget.spend(1000, background=True)
    assert budget.left == 0


async def test_a_clock_that_was_set_back_holds_nothing_up(clock: TurnedClock) -> None:
    budget = UnitBudget(100, clock)
    await budget.spend(100)
    clock.offset -= timedelta(hours=1)
    await budget.spend(100)


async def test_refusals_hold_all_calls_back_longer_each_time_and_by_chance(clock: TurnedClock) -> None:
    budget = UnitBudget(100, clock, chance=random.Random(1))
    pauses = [budget.refused(None, "why") for _ in range(4)]
    assert all(longest / 2 <= pause <= longest for pause, longest in zip(pauses, (1, 2, 4, 8), strict=True))
    budget.accepted()
    assert budget.refused(None, "why") <= 1
    assert budget.refused(30, "Gmail says so") == 30
    with pytest.raises(IntegrationFault, match="Gmail says so; it can be tried again in 30 seconds"):
        await budget.spend(1)


async def test_while_it_syncs_a_question_is_answered_at_once(user: GmailUnderTest) -> None:
    user.server.enforce_quota()
    message = user.server.deliver(ME, mail())
    user = GmailUnderTest(user.server, context=user.context, units_per_minute=1000)
    api = user.module.integrations()[0]
    call = IntegrationCall(
        trace_id="sync", method_id=GET_MANY, args={"ids": [message.id] * 30, "background": True}, timeout_ms=60_000
    )
    syncing = [asyncio.create_task(api.call(call)) for _ in range(2)]
    await asyncio.sleep(0)
    assert (await asyncio.wait_for(user.do(SEARCH), 60)).ok
    assert any(not task.done() for task in syncing)
    for task in syncing:
        task.cancel()
    await asyncio.gather(*syncing, return_exceptions=True)
    assert user.server.refused_calls == 0
    await user.module.stop()


@pytest.mark.parametrize("how", list(Refusal))
async def test_gm_13_each_way_of_refusing_a_rate_is_one(user: GmailUnderTest, how: Refusal) -> None:
    user.server.enforce_quota(replace(GMAIL_SINCE_MAY_2026, user_per_minute=100), how)
    message = user.server.deliver(ME, mail())
    api = user.module.integrations()[0]
    args = {"ids": [message.id] * 5}
    assert (await api.call(IntegrationCall(trace_id="t", method_id=GET_MANY, args=args))).ok
    result = await api.call(IntegrationCall(trace_id="t", method_id=GET_MANY, args=args))
    assert result.error is not None
    assert (result.error.code, result.error.retriable) == (IntegrationErrorCode.RATE_LIMITED, True)
    assert (result.error.retry_after_s or 0) > (20 if how is Refusal.RATE_429 else 0.4)


async def test_of_a_batch_only_what_was_refused_is_asked_again(user: GmailUnderTest) -> None:
    messages = [user.server.deliver(ME, mail(f"m{number}")) for number in range(5)]
    user.server.fail("gmail.users.messages.get", 429, "rateLimitExceeded", times=2)
    api = user.module.integrations()[0]
    args = {"ids": [*(message.id for message in messages), "18c0ffffffffffff"]}
    result = await api.call(IntegrationCall(trace_id="t", method_id=GET_MANY, args=args))
    assert result.data is not None
    assert [len(result.data[name]) for name in ("mails", "left", "missing")] == [3, 2, 1]
    assert set(result.raw) == {mail["id"] for mail in result.data["mails"]}
    found = await user.data(SEARCH)
    assert len(found["messages"]) == 5


async def test_gm_13_a_permission_that_is_missing_in_a_batch_is_final(user: GmailUnderTest) -> None:
    user.server.deliver(ME, mail())
    user.server.fail("gmail.users.messages.get", 403, "insufficientPermissions")
    result = await user.do(SEARCH)
    assert result.error is not None
    assert (result.error.code, result.error.retriable) == (IntegrationErrorCode.FORBIDDEN, False)
    assert result.error.message == (
        "the sign-in does not allow this; run `butler login gmail` and allow all that it asks for"
    )


def told(status: int, reason: str, message: str = "", *, retry_after: str = "") -> IntegrationFault:
    error = {"errors": [{"reason": reason, "message": message}]}
    return refusal(status, {"retry-after": retry_after}, json.dumps({"error": error}).encode(), SIGN_IN)


@pytest.mark.parametrize(
    ("fault", "seconds"),
    [
        (told(429, "rateLimitExceeded", retry_after="120"), 120),
        (told(503, "backendError", retry_after="Fri, 27 Nov 2026 12:01:00 GMT"), 60),
        (told(429, "userRateLimitExceeded", "User-rate limit exceeded.  Retry after 2026-11-27T12:05:30.500Z"), 330.5),
        (told(403, "dailyLimitExceeded"), 20 * 3600),
        (told(403, "userRateLimitExceeded"), None),
        (told(403, "insufficientPermissions", retry_after="5"), None),
    ],
)
def test_how_long_to_wait_is_read_wherever_google_says_it(fault: IntegrationFault, seconds: float | None) -> None:
    assert fault.retry_after_s == seconds


def test_the_daily_limit_is_told_as_that() -> None:
    fault = told(403, "dailyLimitExceeded")
    assert fault.code is IntegrationErrorCode.RATE_LIMITED
    assert fault.message == "Gmail's limit for today is used up; the next day begins at midnight in California"


@pytest.mark.parametrize(
    ("reason", "what"), [("accessNotConfigured", "not switched on"), ("domainPolicy", "your organisation")]
)
def test_what_only_the_project_or_its_owner_can_change_is_named(reason: str, what: str) -> None:
    fault = told(403, reason)
    assert fault.code is IntegrationErrorCode.FORBIDDEN
    assert what in fault.message


async def test_every_method_says_its_scope_and_what_it_costs(user: GmailUnderTest) -> None:
    specs = {spec.method_id: spec for spec in user.module.integrations()[0].describe_methods()}
    assert all(spec.auth_scopes == ("https://www.googleapis.com/auth/gmail.modify",) for spec in specs.values())
    assert specs[LIST].cost_hint == "5 quota units"
    assert specs[GET_MANY].cost_hint == "20 quota units for each"


async def test_what_an_earlier_process_has_spent_counts_on_whatever_became_of_it(clock: TurnedClock) -> None:
    notes = MemoryCursors()
    await UnitBudget(100, clock, notes=notes, name="units:ME").spend(70)
    clock.offset += timedelta(seconds=20)
    again = UnitBudget(100, clock, notes=notes, name="units:ME")
    await asyncio.gather(again.spend(10), again.spend(10))
    assert again.left == 10
    clock.offset += timedelta(seconds=45)
    assert again.left == 80
    assert UnitBudget(100, clock, notes=notes, name="units:OTHER").left == 100
