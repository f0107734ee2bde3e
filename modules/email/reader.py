"""Has mails parsed in a child process that is bounded in time and memory, and thrown away when it goes wrong.

One child serves mail after mail and ends when there was none for a while.
"""

import asyncio
import struct
import sys
from dataclasses import dataclass
from pathlib import Path

import structlog

from modules.email import parse
from modules.email.parse import ParsedMail

log = structlog.get_logger(__name__)

LONGEST_PARSE_S = 15.0
IDLE_S = 30.0
_LONGEST_ANSWER = 32 * 1024 * 1024  # bytes of JSON


@dataclass(frozen=True, slots=True)
class ReadMail:
    """A parsed mail with the bytes of its attachments, in the order of `mail.attachments`."""

    mail: ParsedMail
    files: tuple[bytes, ...]
    unreadable: str = ""
    """Why nothing of the mail could be read; empty where something could."""


class MailReader:
    """Parses one mail at a time. `read` never raises for what a mail holds."""

    def __init__(self, *, longest_parse_s: float = LONGEST_PARSE_S, idle_s: float = IDLE_S) -> None:
        self._longest_parse_s = longest_parse_s
        self._idle_s = idle_s
        self._turn = asyncio.Lock()
        self._child: asyncio.subprocess.Process | None = None
        self._idle: asyncio.TimerHandle | None = None

    async def read(self, raw: bytes) -> ReadMail:
        """Parse a mail; one that cannot be read within the limits comes back empty, with a problem that says so."""
        async with self._turn:
            self._stay()
            try:
                async with asyncio.timeout(self._longest_parse_s):
                    return await self._ask(raw)
            except (TimeoutError, OSError, EOFError, ValueError) as error:
                log.warning("mail_unreadable", kind=type(error).__name__, size=len(raw))
                await self._end()
                why = "the mail could not be read within the limits"
                return ReadMail(ParsedMail(problems=(why,)), (), why)
            except BaseException:
                # Cancelled in the middle of an answer: the rest of it must not pass for the next one.
                await self._end()
                raise
            finally:
                self._idle = asyncio.get_running_loop().call_later(self._idle_s, self._leave)

    async def stop(self) -> None:
        """End the child."""
        async with self._turn:
            self._stay()
            await self._end()

    async def _ask(self, raw: bytes) -> ReadMail:
        child = await self._running()
        assert child.stdin is not None, "the child was started with pipes"
        assert child.stdout is not None, "the child was started with pipes"
        child.stdin.write(struct.pack(">I", len(raw)))
        child.stdin.write(raw)
        await child.stdin.drain()
        (size,) = struct.unpack(">I", await child.stdout.readexactly(4))
        if size > _LONGEST_ANSWER:
            raise ValueError("the answer is too long")
        mail = parse.from_json(await child.stdout.readexactly(size))
        files = [await child.stdout.readexactly(file.size) for file in mail.attachments]
        return ReadMail(mail, tuple(files))

    async def _running(self) -> asyncio.subprocess.Process:
        if self._child is None or self._child.returncode is not None:
            self._child = await asyncio.create_subprocess_exec(
                sys.executable,
                "-I",
                str(Path(parse.__file__)),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
                env={},
            )
        return self._child

    def _stay(self) -> None:
        if self._idle is not None:
            self._idle.cancel()
            self._idle = None

    def _leave(self) -> None:
        # With its input at an end the child stops by itself; the next mail starts another.
        if not self._turn.locked() and self._child is not None and self._child.stdin is not None:
            self._child.stdin.close()
            self._child = None

    async def _end(self) -> None:
        child, self._child = self._child, None
        if child is not None and child.returncode is None:
            child.kill()
            await child.wait()
