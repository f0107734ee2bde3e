"""A person at a stand-in Telegram who writes to a bot, and takes the time until the bot's answer is there."""

import asyncio
import statistics
import time
from collections import defaultdict
from dataclasses import dataclass

from bench.processes import Program
from butler_demo.botapi.records import Event, EventKind
from butler_demo.botapi.server import BotApiServer

OWNER = 42
READY_WITHIN_S = 60.0
ANSWERED_WITHIN_S = 120.0
A_MOMENT_S = 0.02
"""Between an answer and the next message: nobody writes faster, and each is written to an idle bot."""


@dataclass(frozen=True, slots=True)
class Burst:
    """What became of many messages at once."""

    per_s: float
    cpu_ms: float
    """Milliseconds of processor the bot used for a message."""
    wrong: int
    """Messages that were not answered once, with their own words."""
    out_of_order: int
    """Answers that overtook an earlier one of their chat."""


class Chatter:
    """The owner's talk with one bot. Answers are seen where Telegram gets them, without asking."""

    def __init__(self, server: BotApiServer, token: str, groups: list[int]) -> None:
        self._server, self._token, self._groups = server, token, groups
        self._answers: dict[int, list[str]] = defaultdict(list)
        self._count, self._expected = 0, 0
        self._last_at = 0.0
        self._all_there = asyncio.Event()
        server.subscribe(self._see)

    async def ready(self, bot: Program) -> None:
        """Wait until the bot polls; raises RuntimeError with its log when it does not."""
        deadline = time.monotonic() + READY_WITHIN_S
        while not self._server.is_polling(self._token):
            if bot.has_ended or time.monotonic() > deadline:
                raise RuntimeError(f"the bot does not poll:\n{bot.log_tail()}")
            await asyncio.sleep(0.01)

    async def one_at_a_time(self, messages: int) -> list[float]:
        """Milliseconds from each message to its answer, in the private chat."""
        times: list[float] = []
        for number in range(messages):
            await self._server.wait_for(lambda: self._server.is_polling(self._token), within=ANSWERED_WITHIN_S)
            await asyncio.sleep(A_MOMENT_S)
            self._expect(1)
            began = time.perf_counter()
            self._server.say(self._token, OWNER, f"one {number}")
            await self._answered()
            times.append((self._last_at - began) * 1000)
            if self._answers[OWNER] != [f"one {number}"]:
                raise RuntimeError(f"the answer to 'one {number}' was {self._answers[OWNER]}")
        return times

    async def burst(self, messages: int, bot: Program) -> Burst:
        """Many messages at once, in turn over the groups."""
        said: dict[int, list[str]] = defaultdict(list)
        self._expect(messages)
        used = bot.cpu_s()
        began = time.perf_counter()
        for number in range(messages):
            group = self._groups[number % len(self._groups)]
            said[group].append(f"burst {number}")
            self._server.say(self._token, OWNER, f"burst {number}", chat_id=group)
        await self._answered()
        seconds = self._last_at - began
        wrong = sum(len(set(said[group]) ^ set(self._answers[group])) for group in self._groups)
        return Burst(
            messages / seconds,
            (bot.cpu_s() - used) * 1000 / messages,
            wrong,
            sum(overtaken(said[group], self._answers[group]) for group in self._groups),
        )

    def _expect(self, answers: int) -> None:
        self._answers.clear()
        self._count, self._expected = 0, answers
        self._all_there.clear()

    async def _answered(self) -> None:
        await asyncio.wait_for(self._all_there.wait(), ANSWERED_WITHIN_S)

    def _see(self, event: Event) -> None:
        message = event.message
        if event.kind is not EventKind.MESSAGE_NEW or event.token != self._token or message is None:
            return
        if not message["from"]["is_bot"]:
            return
        self._last_at = time.perf_counter()
        self._answers[event.chat_id].append(message["text"])
        self._count += 1
        if self._count == self._expected:
            self._all_there.set()


def overtaken(said: list[str], answers: list[str]) -> int:
    """How many answers came after one to a later message."""
    place = {words: number for number, words in enumerate(said)}
    newest, late = -1, 0
    for answer in answers:
        number = place.get(answer, newest)
        late += number < newest
        newest = max(newest, number)
    return late


def p50(times: list[float]) -> float:
    return statistics.median(times)
