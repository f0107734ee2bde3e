"""However many senders a webhook has, forged or true, nothing grows with how many there are."""

import asyncio
import gc
import sys
from collections.abc import Iterator

import pytest
from starlette.requests import Request

from butler.contract.hooks import AdmittedRequest, HookRefusedError, HookRequest, StoredHook
from butler.hooks.intake import Intake
from butler.hooks.limits import MOST_PER_MINUTE, MOST_SENDERS, WINDOW_S, Limits
from butler.hooks.rejected import RejectedRequests
from butler.store.open import open_store
from butler.store.queries import hooks
from tests.hooks.harness import RIGHT, StillClock
from tests.support.services import make_services

SENDERS = 100_000
WARM = 2 * MOST_SENDERS
"""After these, everything that may be kept in mind is."""
GROWN = 5_000
"""Blocks of memory that Python may hold more than before; one for each of the other senders would be 80,000."""


def addresses() -> Iterator[str]:
    """Of both kinds, each of another holder."""
    for number in range(SENDERS):
        high, low = divmod(number, 65_536)
        yield f"10.{high}.{low >> 8}.{low & 255}" if number % 2 else f"2001:db8:{high:x}:{low:x}::1"


class Knocker:
    """Lets through who knows the word, and keeps nothing in mind."""

    name, methods, largest, per_minute = "knocker", frozenset({"POST"}), 1_000, 60

    async def admit(self, request: HookRequest) -> AdmittedRequest:
        if request.headers.get("x-word") != RIGHT:
            raise HookRefusedError(403, "the word is wrong")
        return AdmittedRequest(key=request.remote)

    async def act(self, hook: StoredHook) -> None:
        raise AssertionError(hook.hook_id)


class Crowd:
    """Sends one request an address to an intake of its own, on a clock that a step is added to for each."""

    def __init__(self, folder, step_s):
        self.store = open_store("sqlite://", data_dir=folder)
        self.statuses, self.told = dict[int, int](), set[str]()
        self._at, self._step = 0.0, step_s
        self._intake = Intake(
            make_services(self.store, StillClock()),
            {"knocker": Knocker()},
            RejectedRequests(self._tell, lambda _name, _outcome: None, tick=self._tick),
            lambda _name, _outcome: None,
            limits=Limits(tick=self._tick),
            body_s=10.0,
        )

    def _tick(self):
        return self._at

    async def _tell(self, key, _sentence):
        self.told.add(key)

    async def send(self, word):
        """How many blocks of memory are held more after all than after those that warm it up."""
        held = 0
        for number, address in enumerate(addresses()):
            self._at += self._step
            status = (await self._intake.take(_request(address, word))).status_code
            self.statuses[status] = self.statuses.get(status, 0) + 1
            if number % 1_000 == 0:
                # Timers that were called off are given back by the loop as it turns.
                await asyncio.sleep(0)
            if number == WARM:
                held = _held()
        await asyncio.sleep(0)
        return _held() - held


def _held():
    gc.collect()
    return sys.getallocatedblocks()


def _request(address, word):
    async def receive():
        return {"type": "http.request", "body": b"{}", "more_body": False}

    scope = {
        "type": "http",
        "method": "POST",
        "scheme": "http",
        "path": "/hooks/knocker",
        "raw_path": b"/hooks/knocker",
        "query_string": b"",
        "headers": [(b"host", b"b.example"), (b"x-word", word.encode())],
        "client": (address, 1),
        "path_params": {"name": "knocker"},
    }
    return Request(scope, receive)


@pytest.fixture
async def crowd(tmp_path, request):
    crowd = Crowd(tmp_path, request.param)
    yield crowd
    await crowd.store.close()


async def rows(store):
    return len(await store.read(lambda c: hooks.newest(c, SENDERS)))


@pytest.mark.nightly
@pytest.mark.timeout(300)
@pytest.mark.parametrize("crowd", [pytest.param(0.0, id="at-once")], indirect=True)
async def test_op_12_a_hundred_thousand_senders_at_once_leave_the_rows_of_a_minute(crowd):
    grown = await crowd.send(RIGHT)
    assert crowd.statuses == {200: MOST_PER_MINUTE, 429: SENDERS - MOST_PER_MINUTE}
    assert await rows(crowd.store) == MOST_PER_MINUTE
    assert grown < GROWN


@pytest.mark.nightly
@pytest.mark.timeout(300)
@pytest.mark.parametrize("crowd", [pytest.param(WINDOW_S / 1_000, id="over-hours")], indirect=True)
async def test_op_12_a_hundred_thousand_forgers_over_hours_leave_no_rows_and_no_memory(crowd):
    grown = await crowd.send("wrong")
    assert crowd.statuses == {403: SENDERS}
    assert await rows(crowd.store) == 0
    assert crowd.told == {"hook_unproved:knocker"}
    assert grown < GROWN
