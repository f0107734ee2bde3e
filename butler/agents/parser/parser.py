"""The parser agent: reads files in sandboxed child processes, which are replaced after a failure."""

import asyncio
import json
import os
import signal
import stat
import sys
import time
from pathlib import Path
from typing import Any, cast

import structlog

from butler.agents.parser.blocks import UnreadableError
from butler.agents.parser.port import ParserInput
from butler.agents.parser.request import LENGTH, LONGEST_ANSWER, Request, too_long
from butler.contract.agents import AgentFailure, ParserOutput
from butler.contract.errors import AgentErrorCode
from butler.contract.speech import say, spoken
from config.agents import DocumentsSettings

log = structlog.get_logger(__name__)

AGENT_ID = "parser"
_IDLE_S = 30.0
_MOST_CHILDREN = 2
_LARGEST = 200 * 1024 * 1024
"""Bytes of a file."""
_PIECE = 1024 * 1024
_UNKNOWN = 255
"""asyncio's return code if it could not learn how a process ended."""
_CLOCK_TIMES, _GRACE_S = 3, 5.0
"""Factor and extra seconds for a child's wall clock limit: other processes compute too, and the child ends itself."""
_PROGRAM = """
import sys
sys.path.append(sys.argv.pop(1))
from butler.agents.parser.serve import main
main()
"""
_ROOT = str(Path(__file__).parents[3])
_ENVIRONMENT = {
    # Threads with their own heaps would double the memory that OCR takes.
    "MALLOC_ARENA_MAX": "1",
    # Otherwise the memory that liteparse reserves at the start counts as used.
    "MIMALLOC_ARENA_EAGER_COMMIT": "0",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "HOME": "/nonexistent",
    "LC_ALL": "C.UTF-8",
}


_MAY_HELP = frozenset({AgentErrorCode.PARSER_ENCRYPTED, AgentErrorCode.TIMEOUT})
"""Failures for which a password or a retry may help."""


class _NotOpenedError(UnreadableError):
    """The file could not be opened; `code` says why."""

    def __init__(self, code: AgentErrorCode, sentence: str, why: str) -> None:
        super().__init__(sentence, why)
        self.code = code


class DocumentParser:
    """Implements `Parser`. Cheap to make: a child starts with the first file and stops when idle for a while.

    It needs only the settings in `[documents]`; its owner must call `stop()` at the end.
    """

    def __init__(self, settings: DocumentsSettings, *, idle_s: float = _IDLE_S) -> None:
        self._settings = settings
        self._idle_s = idle_s
        self._children = [_Child(settings) for _ in range(min(_MOST_CHILDREN, os.cpu_count() or 1))]
        self._free: asyncio.LifoQueue[_Child] = asyncio.LifoQueue()
        for child in self._children:
            self._free.put_nowait(child)
        self._idle: asyncio.TimerHandle | None = None

    async def parse(self, given: ParserInput) -> ParserOutput | AgentFailure:
        """Read one file; for any content, return its text or a failure with one sentence for the owner."""
        try:
            file = await asyncio.to_thread(_opened, given.file_path)
        except _NotOpenedError as error:
            return _result(_failed(error.code, error.sentence, error.why), given)
        try:
            return _result(await self._read(file, given), given)
        finally:
            os.close(file)

    async def _read(self, file: int, given: ParserInput) -> dict[str, Any]:
        request = Request(
            size=os.fstat(file).st_size,
            file_type=given.file_type,
            seconds=self._settings.timeout_s,
            force_ocr=given.force_ocr,
            ocr=self._settings.ocr,
            password=given.password.get_secret_value() if given.password else None,
        )
        self._stay()
        child = await self._free.get()
        try:
            return await child.read(request, file)
        finally:
            self._free.put_nowait(child)
            self._idle = asyncio.get_running_loop().call_later(self._idle_s, self._leave)

    async def stop(self) -> None:
        """End the children, once running reads are done."""
        self._stay()
        taken = [await self._free.get() for _ in self._children]
        for child in taken:
            await child.end()
            self._free.put_nowait(child)

    def _stay(self) -> None:
        if self._idle is not None:
            self._idle.cancel()
            self._idle = None

    def _leave(self) -> None:
        if self._free.qsize() == len(self._children):
            for child in self._children:
                child.leave()


def _opened(path: str) -> int:
    """Open a regular file for reading. Raise `_NotOpenedError`."""
    try:
        # Opening a pipe would wait for a writer.
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError as error:
        sentence = say("The file cannot be opened; it may be gone.")
        raise _NotOpenedError(AgentErrorCode.CONNECTOR_NOT_FOUND, sentence, "missing") from error
    about = os.fstat(file)
    if stat.S_ISREG(about.st_mode) and about.st_size <= _LARGEST:
        return file
    os.close(file)
    if stat.S_ISREG(about.st_mode):
        sentence = say("The file is larger than {number} MB.", number=_LARGEST // 1024 // 1024)
        raise _NotOpenedError(AgentErrorCode.PARSER_UNSUPPORTED, sentence, "too_large")
    sentence = say("It is no file, so there is nothing to be read in it.")
    raise _NotOpenedError(AgentErrorCode.REFUSED, sentence, "unsupported")


def _result(answer: dict[str, Any], given: ParserInput) -> ParserOutput | AgentFailure:
    if used := answer.get("used"):
        # Counted since the process began, which was mostly for this file.
        log.debug("document_read", **used)
    if failure := answer.get("failure"):
        code = AgentErrorCode(failure["code"])
        return AgentFailure(
            agent_id=AGENT_ID,
            error_code=code,
            message=failure["message"],
            recoverable=code in _MAY_HELP,
            details={"why": failure["why"], "name": given.name},
        )
    output = ParserOutput.model_validate(answer["output"])
    about = {"name": given.name, "source": given.ingestion_source}
    output.metadata.update({name: value for name, value in about.items() if value})
    return output


class _Child:
    """A reading process; started on demand, and anew after a failure or for another language."""

    def __init__(self, settings: DocumentsSettings) -> None:
        self._settings = settings
        self._process: asyncio.subprocess.Process | None = None
        self._left: list[asyncio.subprocess.Process] = []
        self._language = spoken()

    async def read(self, request: Request, file: int) -> dict[str, Any]:
        """Return the answer of the process, or a failure that tells how it ended."""
        if self._language is not spoken():
            self.leave()
        late = _failed(AgentErrorCode.TIMEOUT, too_long(request.seconds), "timeout")
        began = time.monotonic()
        for last in (False, True):
            # A process that died since the last file does not count against this file.
            fresh = not self._is_running
            try:
                async with asyncio.timeout(request.seconds * _CLOCK_TIMES + _GRACE_S):
                    return await self._ask(request, file)
            except TimeoutError:
                await self.end()
                return late
            except (OSError, EOFError, ValueError) as error:
                log.info("document_parser_ended", kind=type(error).__name__)
                ended = await self.end()
                if ended == -signal.SIGXCPU or (ended == _UNKNOWN and time.monotonic() - began > request.seconds):
                    return late
                if last or fresh:
                    break
            except BaseException:
                # Cancelled in the middle of an answer: its rest must not pass for the next one.
                await self.end()
                raise
        sentence = say("The file cannot be read: whatever tries to read it breaks or needs too much memory.")
        return _failed(AgentErrorCode.PARSER_UNSUPPORTED, sentence, "crashed")

    @property
    def _is_running(self) -> bool:
        return self._process is not None and self._process.returncode is None

    async def _ask(self, request: Request, file: int) -> dict[str, Any]:
        process = self._process if self._process is not None and self._is_running else await self._start()
        assert process.stdin is not None, "the child was started with pipes"
        assert process.stdout is not None, "the child was started with pipes"
        process.stdin.write(request.to_bytes())
        for at in range(0, request.size, _PIECE):
            size = min(_PIECE, request.size - at)
            if len(piece := await asyncio.to_thread(os.pread, file, size, at)) < size:
                raise EOFError("the file has become shorter")
            process.stdin.write(piece)
            await process.stdin.drain()
        await process.stdin.drain()
        (size,) = LENGTH.unpack(await process.stdout.readexactly(LENGTH.size))
        if size > LONGEST_ANSWER:
            raise ValueError("the answer is too long")
        return cast("dict[str, Any]", json.loads(await process.stdout.readexactly(size)))

    async def _start(self) -> asyncio.subprocess.Process:
        self._language = spoken()
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-I",
            "-c",
            _PROGRAM,
            _ROOT,
            str(self._settings.memory_mb),
            self._language,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            cwd="/",
            env=_ENVIRONMENT,
        )
        return self._process

    def leave(self) -> None:
        """Close the child's input, so that it stops; the next file starts another."""
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.close()
            self._left = [*(one for one in self._left if one.returncode is None), self._process]
            self._process = None

    async def end(self) -> int | None:
        """End the process immediately, and those that are still stopping; return its exit code."""
        left, self._left = self._left, []
        for one in left:
            await _killed(one)
        process, self._process = self._process, None
        return None if process is None else await _killed(process)


async def _killed(process: asyncio.subprocess.Process) -> int:
    if process.returncode is None:
        process.kill()
    return await process.wait()


def _failed(code: AgentErrorCode, sentence: str, why: str) -> dict[str, Any]:
    return {"failure": {"code": code.value, "message": sentence, "why": why}}
