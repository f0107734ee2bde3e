"""Quota: units per call, budgets on a clock that a test turns, and the ways of refusing."""

import pytest
from googleapiclient.errors import HttpError

from butler_demo.google.quota import QuotaRules, Refusal

ANNA = "anna@friends.example"
ME = "me@home.example"
TIGHT = QuotaRules({"gmail.users.getProfile": 40}, 5, user_per_minute=100, project_per_minute=160)


async def profile(client):
    return await client(lambda users: users.getProfile(userId="me"))


async def refusal(client):
    with pytest.raises(HttpError) as refused:
        await profile(client)
    return refused.value


async def test_a_budget_is_one_users_and_comes_back_within_a_minute(server, me, anna, clock):
    server.enforce_quota(TIGHT)
    await profile(me)
    clock.advance(seconds=20)
    await profile(me)
    refused = await refusal(me)
    assert (refused.status_code, refused.resp["retry-after"]) == (429, "40")
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


async def test_the_project_has_a_budget_over_all_users(server, me, anna):
    server.enforce_quota(TIGHT)
    for client in (me, me, anna, anna):
        await profile(client)
    assert (await refusal(anna)).status_code == 429
