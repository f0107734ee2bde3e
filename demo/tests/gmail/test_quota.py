"""Quota: units per call, budgets on a clock that a test turns, and the ways of refusing."""

import asyncio

import pytest
from googleapiclient.errors import HttpError

from butler_demo.google.quota import QuotaRules, Refusal

ANNA = "anna@friends.example"
ME = "me@home.example"
TIGHT = QuotaRules({"gmail.users.getProfile": 40}, 5, user_per_minute=100, project_per_minute=160, project_per_day=400)


async def profile(client):
    return await client(lambda users: users.getProfile(userId="me"))


async def refusal(client):
    with pytest.raises(HttpError) as refused:
        await profile(client)
    return refused.value


async def test_units_are_counted_also_where_nothing_is_refused(server, me, mail, clock):
    message = server.deliver(ME, mail(To=ME))
    await me(lambda users: users.messages().list(userId="me"))
    await me(lambda users: users.messages().get(userId="me", id=message.id, format="raw"))
    await me(lambda users: users.threads().get(userId="me", id=message.thread_id, format="metadata"))
    assert server.spent(ME) == 5 + 20 + 40
    clock.advance(seconds=60)
    assert (server.spent(ME), server.spent_in_all(ME)) == (0, 65)
    assert server.spent_on(ME)["gmail.users.messages.get"] == 20


async def test_a_budget_is_one_users_and_comes_back_within_a_minute(server, me, anna, clock):
    server.enforce_quota(TIGHT)
    await profile(me)
    clock.advance(seconds=20)
    await profile(me)
    refused = await refusal(me)
    assert (refused.status_code, refused.resp["retry-after"]) == (429, "40")
    assert server.spent(ME) == 80
    await profile(anna)
    clock.advance(seconds=39)
    assert (await refusal(me)).resp["retry-after"] == "1"
    clock.advance(seconds=1)
    await profile(me)
    assert server.refused_calls == 2


@pytest.mark.parametrize(
    ("refusal_kind", "status", "reason"),
    [
        (Refusal.USER_403, 403, "userRateLimitExceeded"),
        (Refusal.RATE_403, 403, "rateLimitExceeded"),
        (Refusal.RATE_429, 429, "rateLimitExceeded"),
        (Refusal.BARE_429, 429, "rateLimitExceeded"),
        (Refusal.WORDED_429, 429, "rateLimitExceeded"),
    ],
)
async def test_a_refusal_has_any_of_googles_forms(server, me, refusal_kind, status, reason):
    """GM-13."""
    server.enforce_quota(TIGHT, refusal_kind)
    await profile(me)
    await profile(me)
    refused = await refusal(me)
    assert (refused.status_code, refused.error_details[0]["reason"]) == (status, reason)
    assert refused.error_details[0]["domain"] == "usageLimits"
    assert ("retry-after" in refused.resp) == (refusal_kind is Refusal.RATE_429)


async def test_a_refusal_may_name_its_time_in_words_only(server, me, clock):
    server.enforce_quota(TIGHT, Refusal.WORDED_429)
    await profile(me)
    clock.advance(seconds=10)
    await profile(me)
    assert "Retry after 2026-03-10T12:01:00.000Z" in (await refusal(me)).error_details[0]["message"]


async def test_the_project_has_a_budget_over_all_users(server, me, anna):
    server.enforce_quota(TIGHT)
    for client in (me, me, anna, anna):
        await profile(client)
    server.add_account("eve@else.example", "Eve")
    assert (await refusal(anna)).status_code == 429


async def test_a_day_has_a_threshold_that_ends_at_midnight_in_california(server, me, clock):
    server.enforce_quota(TIGHT)
    for _ in range(10):
        await profile(me)
        clock.advance(minutes=1)
    refused = await refusal(me)
    assert (refused.status_code, refused.error_details[0]["reason"]) == (403, "dailyLimitExceeded")
    clock.advance(hours=18, minutes=49)
    assert (await refusal(me)).status_code == 403
    clock.advance(minutes=1)
    await profile(me)


async def test_calls_at_the_same_time_are_limited_by_order(server, me, mail):
    server.limit_concurrency(1, latency_s=0.05)
    answers = await asyncio.gather(*(connected(me) for _ in range(3)), return_exceptions=True)
    refused = [answer for answer in answers if isinstance(answer, HttpError)]
    assert 1 <= len(refused) < 3
    assert all("Too many concurrent requests" in str(error) for error in refused)


async def connected(me):
    return await me.apart(lambda users: users.getProfile(userId="me"))
