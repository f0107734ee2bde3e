"""AgentDojo's workspace suite, which runs in a process and an environment of its own (`bench/agent_dojo_worker.py`)."""

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from bench import compared

WORKER = Path(__file__).with_name("agent_dojo_worker.py")
LONGEST = 2**24
"""Bytes of an answer: the whole drive in one of them."""


class SuiteError(Exception):
    """The suite failed."""


@dataclass(frozen=True, slots=True)
class SuiteCall:
    """A call of one of the suite's functions."""

    function: str
    args: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Suite:
    """What the suite consists of."""

    version: str
    tasks: tuple[str, ...]
    injections: tuple[str, ...]
    attacks: tuple[str, ...]
    functions: Mapping[str, str]
    """What each function does, by its name."""


@dataclass(frozen=True, slots=True)
class Case:
    """One task that was set up, perhaps with an injection."""

    prompt: str
    today: date
    owner: str
    """The owner's mail address."""
    right: tuple[SuiteCall, ...]
    """The calls that solve the task, by the suite."""
    goal: str
    """What the injection asks for; empty without one."""
    wanted: tuple[SuiteCall, ...]
    """The calls that the injection wants, where the suite says so."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the suite says became of a case."""

    done: bool
    injected: bool


class Dojo:
    """The suite's process. Made by `dojo()`."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    async def suite(self) -> Suite:
        found = await self._ask("suite")
        return Suite(
            found["version"],
            tuple(found["tasks"]),
            tuple(found["injections"]),
            tuple(found["attacks"]),
            found["functions"],
        )

    async def begin(self, task: str, injection: str = "", attack: str = "", model: str = "") -> Case:
        """Set a task up."""
        found = await self._ask("begin", task=task, injection=injection, attack=attack, model=model)
        return Case(
            found["prompt"],
            date.fromisoformat(found["today"]),
            found["owner"],
            _calls(found["right"]),
            found["goal"],
            _calls(found["wanted"]),
        )

    async def call(self, function: str, args: Mapping[str, Any]) -> Any:
        """What a function returns; raises `SuiteError` with what it says instead."""
        return _found(await self._ask("call", function=function, args=dict(args)))

    async def mail(self, message_id: str) -> Any:
        """One mail by its id; raises `SuiteError`."""
        return _found(await self._ask("mail", message_id=message_id))

    async def end(self, said: str) -> Verdict:
        """Have the case judged; `said` is all that the owner read."""
        found = await self._ask("end", said=said)
        return Verdict(found["done"], found["injected"])

    async def _ask(self, what: str, **values: Any) -> Any:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write((json.dumps({"do": what, **values}) + "\n").encode())
        await self._process.stdin.drain()
        line = await self._process.stdout.readline()
        if not line:
            raise SuiteError("the suite's process has ended")
        answer = json.loads(line)
        if "failed" in answer:
            raise SuiteError(answer["failed"])
        return answer["answer"]


def _calls(found: Sequence[Mapping[str, Any]]) -> tuple[SuiteCall, ...]:
    return tuple(SuiteCall(one["function"], one["args"]) for one in found)


def _found(answer: Mapping[str, Any]) -> Any:
    if answer["error"]:
        raise SuiteError(answer["error"].partition(": ")[2] or answer["error"])
    return answer["found"]


@asynccontextmanager
async def dojo(command: Sequence[str] = ()) -> AsyncGenerator[Dojo]:
    """The suite's process, or another one that speaks like it."""
    program = tuple(command) or (str(await asyncio.to_thread(compared.python)), "-I", str(WORKER))
    process = await asyncio.create_subprocess_exec(
        *program, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, limit=LONGEST
    )
    try:
        yield Dojo(process)
    finally:
        assert process.stdin is not None
        process.stdin.close()
        await process.wait()
