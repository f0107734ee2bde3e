"""What is let through is stored before its sender is answered; what is not leaves nothing behind."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import cast

import pytest

from approvals.reason_words import details_in_words
from butler.agents.errors import ModelUnavailableError
from butler.contract.errors import ConfigError, Refuse
from butler.contract.reasons import Reason, ReasonCode, of_error, reason
from butler.hooks.limits import MOST_SENDERS, Limits
from butler.hooks.rejected import TOLD_AFTER
from butler.hooks.service import HookService
from butler.store.errors import StoreBusyError
from butler.store.queries import hooks
from butler.store.queries.hooks import HookState
from butler.store.store import Store
from config.settings import WebSettings
from tests.hooks.harness import NOW, RIGHT, Served, StillClock, StubReceiver, answer, make_harness, serving


@pytest.fixture
def bell() -> StubReceiver:
    return StubReceiver()


@pytest.fixture
async def served(tmp_path: Path, bell: StubReceiver) -> AsyncIterator[Served]:
    async with serving(tmp_path, bell, StubReceiver("other", largest=50_000_000)) as served:
        yield served


async def test_what_is_let_through_is_stored_with_its_work_before_the_answer(served: Served):
    assert await served.post("/hooks/bell", b'{"a": 1}', X_Word=RIGHT) == (200, b"ding")
    (row,) = await served.rows()
    assert (row.hook.receiver, row.hook.body, row.hook.headers) == ("bell", b'{"a": 1}', {"x-kind": "ring"})
    assert (row.state, row.remote, row.hook.received_at, row.key) == (HookState.NEW, "127.0.0.1", NOW, "one")
    assert await served.work() == [("hook", row.hook.hook_id, "hook:bell")]
    assert served.woken == [True]
    assert served.counted == [("bell", "stored")]


async def test_the_same_delivery_again_is_answered_alike_and_stored_once(served: Served):
    for _ in range(3):
        assert await served.post("/hooks/bell", X_Word=RIGHT, X_Key="k" * 5_000) == (200, b"ding")
    assert len(await served.rows()) == 1
    assert len(await served.work()) == 1
    assert [outcome for _, outcome in served.counted] == ["stored", "known", "known"]


async def test_two_receivers_may_have_one_key(served: Served):
    await served.post("/hooks/bell", X_Word=RIGHT)
    await served.post("/hooks/other", X_Word=RIGHT)
    assert {row.hook.receiver for row in await served.rows()} == {"bell", "other"}


async def test_a_first_look_is_answered_and_leaves_nothing(served: Served):
    assert await served.post("/hooks/bell", method="HEAD") == (200, b"")
    assert not await served.rows()


async def test_who_cannot_prove_themselves_leaves_nothing(served: Served):
    assert await served.post("/hooks/bell", X_Word="wrong") == (403, b"Forbidden")
    assert not await served.rows()
    assert not served.told


async def test_forgeries_that_go_on_are_told_without_what_was_sent(served: Served):
    for _ in range(TOLD_AFTER * 2):
        await served.post("/hooks/bell", b"secret words", X_Word="wrong")
    assert [key for key, _ in served.told] == ["hook_unproved:bell"] * 2  # which is said once a day
    assert "bell" in served.told[0][1]
    assert "secret" not in served.told[0][1]


async def test_an_unknown_name_is_a_missing_page_like_any_other(served: Served):
    assert await served.post("/hooks/nobody") == (404, b"Not Found")
    assert await served.post("/nobody") == (404, b"Not Found")
    assert await served.post("/hooks/bell/../other/", X_Word=RIGHT) != (500, b"")


async def test_another_method_is_told_which_there_are(served: Served):
    raw = await served.raw(b"DELETE /hooks/bell HTTP/1.1\r\nHost: b\r\n\r\n")
    assert answer(raw)[0] == 405
    assert b"allow: head, post" in raw.lower()


async def test_what_is_too_large_is_refused_before_it_is_sent(served: Served):
    head = b"POST /hooks/bell HTTP/1.1\r\nHost: b\r\nX-Word: right\r\nContent-Length: 1001\r\n\r\n"
    assert answer(await served.raw(head)) == (413, b"Request Entity Too Large")
    assert not await served.rows()


async def test_what_does_not_say_how_large_it_is_is_not_read_to_its_end(served: Served):
    head = b"POST /hooks/bell HTTP/1.1\r\nHost: b\r\nX-Word: right\r\nTransfer-Encoding: chunked\r\n\r\n"
    piece = b"1f4\r\n" + b"x" * 500 + b"\r\n"
    assert answer(await served.raw(head + 3 * piece))[0] == 413
    assert not await served.rows()


async def test_a_body_just_as_large_as_it_may_be_is_taken(served: Served):
    assert (await served.post("/hooks/bell", b"x" * 1_000, X_Word=RIGHT))[0] == 200


async def test_what_cannot_be_checked_or_stored_now_is_sent_again(served: Served, bell: StubReceiver, monkeypatch):
    bell.cannot = [ModelUnavailableError("no certificates")]
    raw = await served.raw(b"POST /hooks/bell HTTP/1.1\r\nHost: b\r\nContent-Length: 0\r\n\r\n")
    assert answer(raw)[0] == 503
    assert b"retry-after: 10" in raw.lower()

    def busy(*_: object, **__: object) -> bool:
        raise StoreBusyError("busy")

    with monkeypatch.context() as store:
        store.setattr("butler.store.store.BUSY_WAIT_S", 0.0)
        store.setattr(hooks, "add", busy)
        assert (await served.post("/hooks/bell", X_Word=RIGHT))[0] == 503
    assert (await served.post("/hooks/bell", X_Word=RIGHT))[0] == 200
    assert len(await served.rows()) == 1


async def test_a_receiver_with_a_fault_is_a_fault_of_ours_for_the_sender(served: Served, bell: StubReceiver):
    bell.cannot = [KeyError("secret")]
    assert await served.post("/hooks/bell", X_Word=RIGHT) == (500, b"Internal Server Error")
    assert (await served.post("/hooks/bell", X_Word=RIGHT))[0] == 200


async def test_more_requests_than_a_receiver_takes_are_asked_to_wait(served: Served, bell: StubReceiver):
    bell.per_minute = 3
    assert [(await served.post("/hooks/bell", X_Word=RIGHT, X_Key=str(n)))[0] for n in range(4)] == [200] * 3 + [429]
    raw = await served.raw(b"POST /hooks/bell HTTP/1.1\r\nHost: b\r\nContent-Length: 0\r\n\r\n")
    assert b"retry-after:" in raw.lower()
    assert (await served.post("/hooks/other", X_Word=RIGHT))[0] == 200
    assert len(await served.rows()) == 4


def test_limits_begin_anew_with_the_minute_and_remember_a_bounded_number_of_senders():
    now = [0.0]
    limits = Limits(tick=lambda: now[0])
    for _ in range(2):
        assert limits.wait_s("bell", "10.0.0.1", 2) == 0
        limits.proved("bell", "10.0.0.1")
    assert limits.wait_s("bell", "10.0.0.1", 2) == 60
    now[0] = 45.0
    assert limits.wait_s("bell", "10.0.0.1", 2) == 15
    assert limits.wait_s("other", "10.0.0.1", 2) == 0
    now[0] = 60.0
    assert limits.wait_s("bell", "10.0.0.1", 2) == 0
    for number in range(MOST_SENDERS * 2):
        limits.unproved("bell", f"sender {number}")
        limits.unknown_wait_s(f"sender {number}")
    assert len(limits._counts) == MOST_SENDERS


def test_a_network_of_one_holder_is_one_sender():
    limits = Limits(tick=lambda: 0.0)
    for n in (1, 2):
        limits.unproved("bell", f"2001:db8::{n}")
    assert limits.wait_s("bell", "2001:db8::3", 2) == 60
    assert limits.wait_s("bell", "2001:db8:0:1::1", 2) == 0


def test_a_flood_that_proves_nothing_leaves_its_senders_few_tries_and_takes_nothing_from_who_proves():
    limits = Limits(most=50, tick=lambda: 0.0)
    for _ in range(10):
        for n in range(20):
            limits.unproved("bell", f"10.0.0.{n}")
            limits.unknown_wait_s(f"10.0.1.{n}")
    limits.unproved("bell", "10.9.9.9")  # a sender whose clock was wrong once
    assert limits.wait_s("bell", "10.0.0.1", 100) == 60
    assert limits.unknown_wait_s("10.0.2.1") == 60
    for sender in ("10.9.9.9", "10.9.9.8"):
        for _ in range(20):
            assert limits.wait_s("bell", sender, 100) == 0
            limits.proved("bell", sender)
            limits.stored("bell")
    assert limits.wait_s("other", "10.0.0.1", 100) == 0


def test_a_receiver_stores_so_much_a_minute_and_what_it_knows_already_takes_nothing_of_it():
    limits = Limits(most=5, tick=lambda: 0.0)
    for n in range(20):
        limits.proved("bell", f"10.0.0.{n}")  # one delivery, listened to and sent again from everywhere
    assert limits.wait_s("bell", "10.0.1.1", 3) == 0
    for _ in range(5):
        limits.stored("bell")
    assert limits.wait_s("bell", "10.0.1.1", 3) == 60
    assert limits.wait_s("bell", "10.0.1.1", 6) == 0  # what one address may send, a receiver takes
    assert limits.wait_s("other", "10.0.1.1", 3) == 0


async def test_forgeries_of_others_do_not_shut_a_webhook(tmp_path: Path):
    web, bell = WebSettings(proxies=("127.0.0.0/8",)), StubReceiver(per_minute=4)
    async with serving(tmp_path, bell, settings=web) as served:
        for n in range(12):
            assert (await served.post("/hooks/bell", X_Forwarded_For=f"10.0.0.{n % 3}"))[0] == 403
            await served.post("/hooks/nobody", X_Forwarded_For="198.51.100.7")
        assert (await served.post("/hooks/bell", X_Word=RIGHT, X_Forwarded_For="10.0.0.1"))[0] == 429
        assert (await served.post("/hooks/bell", X_Word=RIGHT, X_Forwarded_For="198.51.100.7"))[0] == 200


async def test_a_receiver_sees_how_it_was_called(tmp_path: Path, bell: StubReceiver):
    web = WebSettings(public_url="https://butler.example/of/", proxies=("127.0.0.0/8",))
    async with serving(tmp_path, bell, settings=web) as served:
        await served.post("/hooks/bell/a%20b/c?x=1&y=%FF", X_Word=RIGHT, X_Forwarded_For="198.51.100.7")
    (seen,) = bell.seen
    assert seen.url == "https://butler.example/of/hooks/bell/a%20b/c?x=1&y=%FF"
    assert (seen.path, seen.query["x"], seen.remote, seen.method) == ("a b/c", "1", "198.51.100.7", "POST")


async def test_without_a_public_address_it_is_the_one_that_was_called(served: Served, bell: StubReceiver):
    await served.post("/hooks/bell?x=1", X_Word=RIGHT, X_Forwarded_For="198.51.100.7", X_Forwarded_Proto="https")
    assert bell.seen[0].url == "http://butler.example/hooks/bell?x=1"
    assert bell.seen[0].remote == "127.0.0.1"  # nobody's word is believed


async def test_it_is_acted_on_once_and_again_only_by_a_replay(served: Served, bell: StubReceiver):
    await served.post("/hooks/bell", b"ring", X_Word=RIGHT)
    await served.act()
    await served.act()
    (row,) = await served.rows()
    assert [(hook.body, hook.replay) for hook in bell.acted] == [(b"ring", 0)]
    assert (row.state, row.handled_at) == (HookState.DONE, NOW)

    assert await served.store.write(lambda c: hooks.replay(c, row.hook.hook_id, NOW)) == 1
    assert await served.store.write(lambda c: hooks.replay(c, row.hook.hook_id, NOW)) == 2
    assert await served.store.write(lambda c: hooks.replay(c, "nothing", NOW)) is None
    await served.act()
    assert [hook.replay for hook in bell.acted] == [0, 1, 2]
    assert {lane for _, _, lane in await served.work()} == {"hook:bell"}


async def test_what_is_of_no_use_is_told_and_kept(served: Served, bell: StubReceiver):
    await served.post("/hooks/bell", X_Word=RIGHT)
    bell.fails = [Refuse("it says nothing")]
    await served.act()
    (row,) = await served.rows()
    assert (row.state, row.detail) == (HookState.REFUSED, (of_error(Refuse("it says nothing")),))
    assert details_in_words(row.detail) == "This may not be done: it says nothing"
    assert served.told[0][0] == "hook_unusable:bell"


async def test_what_went_wrong_again_and_again_is_set_aside(served: Served, bell: StubReceiver):
    await served.post("/hooks/bell", X_Word=RIGHT)
    bell.fails = [KeyError("x")]
    with pytest.raises(KeyError):
        await served.act()
    (row,) = await served.rows()
    assert row.state is HookState.NEW
    fault = reason(ReasonCode.FAULT, kind="KeyError")
    await served.harness.dead_letter("plan_step", row.hook.hook_id, reason(ReasonCode.FAULT, kind="ValueError"))
    await served.harness.dead_letter("hook", row.hook.hook_id, fault)
    (row,) = await served.rows()
    assert (row.state, row.detail) == (HookState.DEAD_LETTER, (fault,))
    await served.store.write(lambda c: hooks.replay(c, row.hook.hook_id, NOW))
    await served.act()
    assert (await served.rows())[0].state is HookState.DONE


async def test_a_row_whose_webhook_is_gone_is_left_alone(tmp_path: Path, bell: StubReceiver):
    async with serving(tmp_path, bell, url="sqlite:///butler.db") as served:
        await served.post("/hooks/bell", X_Word=RIGHT)
    async with serving(tmp_path, StubReceiver("other"), url="sqlite:///butler.db") as served:
        await served.act()
        (row,) = await served.rows()
    assert row.state is HookState.REFUSED
    assert row.detail == (Reason(ReasonCode.HOOK_NOT_SET_UP),)


@pytest.mark.parametrize("name", ["", "Bell", "b/ell", "bell_", "-bell", "bell--x", "bell "])
def test_a_name_that_is_no_part_of_a_path_is_refused(name: str):
    with pytest.raises(ConfigError, match="no name of a webhook"):
        _harness(StubReceiver(name))


def test_two_webhooks_of_one_name_are_refused():
    with pytest.raises(ConfigError, match="two webhooks are called bell"):
        _harness(StubReceiver(), StubReceiver())


def test_without_receivers_there_are_no_pages():
    assert not _harness().routes()


def _harness(*receivers: StubReceiver) -> HookService:
    async def tell(*_: str) -> None: ...

    store, settings = cast("Store", None), WebSettings()
    return make_harness(store, StillClock(), receivers, [], tell=tell, count=print, settings=settings)
