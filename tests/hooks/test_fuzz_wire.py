"""Whatever is written to the web port: nothing of it is stored that was not let through, and the next is served."""

import asyncio
import random
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from butler.web import serve
from tests.hooks.harness import RIGHT, Served, StubReceiver, answer, serving

HEAD = b"POST /hooks/bell HTTP/1.1\r\nHost: b\r\n"
GOOD = HEAD + b"X-Word: right\r\nContent-Length: 2\r\n\r\n{}"


@pytest.fixture
async def served(tmp_path: Path) -> AsyncIterator[Served]:
    async with serving(tmp_path, StubReceiver()) as served:
        yield served


async def still_serves(served: Served, key: str) -> None:
    assert await served.post("/hooks/bell", X_Word=RIGHT, X_Key=key) == (200, b"ding")


ODD = {
    "no content length": HEAD + b"\r\n",
    "two lengths": HEAD + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
    "length and chunks": HEAD + b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "negative length": HEAD + b"Content-Length: -1\r\n\r\n",
    "huge length": HEAD + b"Content-Length: " + b"9" * 30 + b"\r\n\r\n",
    "chunk of no number": HEAD + b"Transfer-Encoding: chunked\r\n\r\nxyz\r\n",
    "huge chunk": HEAD + b"Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n",
    "zero byte in a header": HEAD + b"X-Word: ri\0ght\r\n\r\n",
    "zero byte in the path": b"POST /hooks/be\0ll HTTP/1.1\r\nHost: b\r\n\r\n",
    "no host": b"POST /hooks/bell HTTP/1.1\r\n\r\n",
    "no text in the path": b"POST /hooks/%ff%fe HTTP/1.1\r\nHost: b\r\nContent-Length: 0\r\n\r\n",
    "bytes in the path": b"POST /hooks/\xff HTTP/1.1\r\nHost: b\r\n\r\n",
    "no http": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    "bare line feeds": b"POST /hooks/bell HTTP/1.1\nHost: b\n\n",
    "folded header": HEAD + b"X-Word: ri\r\n ght\r\n\r\n",
    "a header without an end": HEAD + b"X-Long: " + b"a" * 100_000,
    "headers without an end": HEAD + b"".join(b"X-%d: a\r\n" % n for n in range(20_000)),
    "a method of one's own": b"BREW /hooks/bell HTTP/1.1\r\nHost: b\r\n\r\n",
    "upgrade": HEAD + b"Upgrade: websocket\r\nConnection: Upgrade\r\nContent-Length: 0\r\n\r\n",
    "version of the future": b"POST /hooks/bell HTTP/9.9\r\nHost: b\r\n\r\n",
    "traversal": b"POST /hooks/bell/%2e%2e/%2e%2e/etc HTTP/1.1\r\nHost: b\r\nContent-Length: 0\r\n\r\n",
    "a whole address": b"POST http://evil.example/hooks/bell HTTP/1.1\r\nHost: b\r\nContent-Length: 0\r\n\r\n",
}


async def test_odd_requests_are_refused_and_leave_nothing(served: Served):
    for name, data in ODD.items():
        raw = await served.raw(data, end=True)
        status, _ = answer(raw) if raw.startswith(b"HTTP/1.1 ") else (0, b"")
        assert status == 0 or 400 <= status < 500, (name, raw[:200])
    assert not await served.rows()
    await still_serves(served, "after")


async def test_requests_one_behind_the_other_are_each_answered(served: Served):
    second = GOOD.replace(b"{}", b"[]").replace(b"X-Word", b"Connection: close\r\nX-Key: two\r\nX-Word")
    raw = await served.raw(GOOD + second)
    assert raw.count(b"HTTP/1.1 200 OK") == 2
    assert {row.key for row in await served.rows()} == {"one", "two"}


async def test_a_refused_body_is_never_taken_for_the_next_request(served: Served):
    smuggled = GOOD * 20
    head = HEAD + b"Content-Length: %d\r\n\r\n" % (1_001 + len(smuggled))
    raw = await served.raw(head + smuggled)
    assert raw.count(b"HTTP/1.1") <= 1  # the connection is closed, and its end may overtake the answer
    assert not await served.rows()
    await still_serves(served, "after")


async def test_whoever_writes_slowly_is_cut_off_and_holds_up_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(serve.HeadTimeoutProtocol, "head_s", 0.05)
    async with serving(tmp_path, StubReceiver()) as served:
        slow = [b"", b"POST /hoo", HEAD, HEAD + b"X-Word: right\r\n"]
        answers = await asyncio.gather(*(served.raw(data) for data in slow))
        assert [answer(raw)[0] for raw in answers] == [0] * 4


async def test_a_body_that_comes_slowly_is_told_so(tmp_path: Path):
    async with serving(tmp_path, StubReceiver(), body_s=0.05) as served:
        for begun in (HEAD + b"Content-Length: 10\r\n\r\n{", HEAD + b"Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n"):
            assert answer(await served.raw(begun))[0] == 408
        assert not await served.rows()
        await still_serves(served, "after")


async def test_a_sender_that_hangs_up_in_the_middle_leaves_nothing(served: Served):
    for cut in range(1, len(GOOD), 7):
        await served.raw(GOOD[:cut], end=True)
    assert not await served.rows()
    await still_serves(served, "after")


@pytest.mark.parametrize("seed", range(4))
async def test_requests_with_bytes_changed_by_chance_store_only_what_was_let_through(served: Served, seed: int):
    chance = random.Random(seed)
    for number in range(60):
        data = bytearray(GOOD.replace(b"X-Word", b"X-Key: %d\r\nX-Word" % number))
        for _ in range(chance.randint(1, 6)):
            where = chance.randrange(len(data))
            match chance.randrange(3):
                case 0:
                    data[where] = chance.randrange(256)
                case 1:
                    del data[where]
                case _:
                    data[where:where] = bytes(chance.randrange(256) for _ in range(chance.randint(1, 8)))
        raw = await served.raw(bytes(data), end=True)
        assert b"HTTP/1.1 5" not in raw, bytes(data)
    stored = await served.rows()
    assert len(stored) == len({row.key for row in stored})
    assert all(outcome in {"stored", "known"} or outcome.startswith("4") for _, outcome in served.counted)
    await still_serves(served, "after")
