"""Parses mails in child processes that are bounded in time and memory, and discarded after a failure.

A child serves mail after mail and ends after a time without any. One is started only if the running ones are busy, so
an occasional mail costs one child.
"""

import asyncio
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import structlog

from butler.contract.speech import phrase
from modules.email.parsing import parser
from modules.email.parsing.parsed import ParsedMail, from_json

log = structlog.get_logger(__name__)

LONGEST_PARSE_S = 15.0
LONGEST_START_S = 60.0
"""Starting a process depends on no mail, so it has a limit of its own."""
IDLE_S = 30.0
MOST_CHILDREN = 2
BEYOND_LIMITS = phrase("the mail could not be read within the limits")
_SHARE = 25
"""The number of mails that justifies another child."""
_LONGEST_ANSWER = 128 * 1024 * 1024  # bytes of JSON
_AT_ONCE = 256 * 1024
"""Bytes to write to a child before waiting for it."""
_PROGRAM = """
import sys, types
sys.path.append(sys.argv.pop())
for name in ("modules", "modules.email"):
    sys.modules[name] = types.ModuleType(name)
    sys.modules[name].__path__ = sys.argv[1:]
from modules.email.parsing.parser import main
main()
"""
"""Loads the parser without importing the package around it, which is the whole module."""
_ROOT = str(Path(parser.__file__).parents[3])
"""The root for importing the contract, also when Butler runs from a source folder."""


@dataclass(frozen=True, slots=True)
class ReadMail:
    """A parsed mail with the bytes of its attachments, in the order of `mail.attachments`, if requested."""

    mail: ParsedMail
    files: tuple[bytes, ...]
    unreadable: str = ""
    """The phrase for why nothing of the mail could be read; empty if something could."""


class MailReader:
    """Parses mails; never raises because of a mail's content."""

    def __init__(self, *, longest_parse_s: float = LONGEST_PARSE_S, idle_s: float = IDLE_S) -> None:
        self._idle_s = idle_s
        self._children = [_Child(longest_parse_s) for _ in range(min(MOST_CHILDREN, os.cpu_count() or 1))]
        self._free: asyncio.LifoQueue[_Child] = asyncio.LifoQueue()
        for child in self._children:
            self._free.put_nowait(child)
        self._idle: asyncio.TimerHandle | None = None

    async def read(self, raw: bytes) -> ReadMail:
        """Parse a mail; one that exceeds the limits is returned empty, with a problem that says so."""
        return (await self.read_many([raw]))[0]

    async def read_many(self, raws: Sequence[bytes], *, files: bool = True) -> list[ReadMail]:
        """Parse mails, in parallel if there are many; return them in the given order.

        Without `files`, attachments are listed without their bytes.
        """
        if not raws:
            return []
        self._stay()
        count = min(len(self._children), -(-len(raws) // _SHARE))
        size = -(-len(raws) // count)
        try:
            async with asyncio.TaskGroup() as group:
                shares = [
                    group.create_task(self._share(raws[at : at + size], files=files))
                    for at in range(0, len(raws), size)
                ]
            return [mail for share in shares for mail in share.result()]
        finally:
            self._idle = asyncio.get_running_loop().call_later(self._idle_s, self._leave)

    async def stop(self) -> None:
        """Stop the children once they have finished reading."""
        self._stay()
        taken = [await self._free.get() for _ in self._children]
        for child in taken:
            await child.end()
            self._free.put_nowait(child)

    async def _share(self, raws: Sequence[bytes], *, files: bool) -> list[ReadMail]:
        child = await self._free.get()
        try:
            return await child.read(raws, files=files)
        finally:
            self._free.put_nowait(child)

    def _stay(self) -> None:
        if self._idle is not None:
            self._idle.cancel()
            self._idle = None

    def _leave(self) -> None:
        if self._free.qsize() == len(self._children):
            for child in self._children:
                child.leave()


class _Child:
    """A parsing process; started when needed, and restarted after a failure."""

    def __init__(self, longest_parse_s: float) -> None:
        self._longest_parse_s = longest_parse_s
        self._process: asyncio.subprocess.Process | None = None

    async def read(self, raws: Sequence[bytes], *, files: bool) -> list[ReadMail]:
        """Parse each mail; one that makes the process slow, large or crash is unreadable."""
        if (read := await self._try(raws, files=files)) is not None:
            return read
        if len(raws) > 1:
            # One of them caused the failure; the others are parsed all the same.
            return [mail for raw in raws for mail in await self.read([raw], files=files)]
        log.warning("mail_unreadable", size=len(raws[0]))
        return [ReadMail(ParsedMail(problems=(BEYOND_LIMITS,)), (), BEYOND_LIMITS)]

    async def _try(self, raws: Sequence[bytes], *, files: bool) -> list[ReadMail] | None:
        # A process that has died since the last mail is not this mail's fault.
        for last in (False, True):
            try:
                async with asyncio.timeout(LONGEST_START_S):
                    process = await self._running()
                async with asyncio.timeout(self._longest_parse_s):
                    return await _ask(process, raws, files=files)
            except (TimeoutError, OSError, EOFError, ValueError) as error:
                log.info("parser_ended", kind=type(error).__name__, mails=len(raws))
                await self.end()
                if last or isinstance(error, (TimeoutError, ValueError)):
                    return None
            except BaseException:
                # Cancelled in the middle of an answer, whose rest must not pass for the next one.
                await self.end()
                raise
        return None

    async def _running(self) -> asyncio.subprocess.Process:
        if self._process is None or self._process.returncode is not None:
            self._process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-I",
                "-c",
                _PROGRAM,
                str(Path(parser.__file__).parents[1]),
                _ROOT,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
                env={},
            )
            assert self._process.stdout is not None, "the child was started with a pipe"
            await self._process.stdout.readexactly(len(parser.READY))
        return self._process

    def leave(self) -> None:
        """Close the child's input, at which it stops; the next mail starts another."""
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.close()
            self._process = None

    async def end(self) -> None:
        """Kill the process immediately."""
        process, self._process = self._process, None
        if process is not None and process.returncode is None:
            process.kill()
            await process.wait()


async def _ask(process: asyncio.subprocess.Process, raws: Sequence[bytes], *, files: bool) -> list[ReadMail]:
    assert process.stdin is not None, "the child was started with pipes"
    assert process.stdout is not None, "the child was started with pipes"
    feeding = asyncio.ensure_future(_feed(process.stdin, raws, files=files))
    try:
        return await _answer(process.stdout, files=files)
    finally:
        feeding.cancel()
        await asyncio.gather(feeding, return_exceptions=True)


async def _feed(target: asyncio.StreamWriter, raws: Sequence[bytes], *, files: bool) -> None:
    pieces, size = [parser.REQUEST.pack(len(raws), files)], 0
    for raw in raws:
        pieces += parser.LENGTH.pack(len(raw)), raw
        size += len(raw)
        if size > _AT_ONCE:
            target.writelines(pieces)
            await target.drain()
            pieces, size = [], 0
    target.writelines(pieces)
    await target.drain()


async def _answer(source: asyncio.StreamReader, *, files: bool) -> list[ReadMail]:
    (size,) = parser.LENGTH.unpack(await source.readexactly(parser.LENGTH.size))
    if size > _LONGEST_ANSWER:
        raise ValueError("the answer is too long")
    read: list[ReadMail] = []
    for mail in from_json(await source.readexactly(size)):
        data = [await source.readexactly(file.size) for file in mail.attachments] if files else []
        read.append(ReadMail(mail, tuple(data)))
    return read
