"""Everything that is logged, by us and by every library, from DEBUG on: for tests of what may stand in no log."""

import contextlib
import logging
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from structlog.testing import capture_logs

_TALKATIVE = ("aiohttp", "asyncio", "boto3", "botocore", "httpcore", "httpx", "livekit", "psycopg", "qdrant_client")
_WRITER = logging.Formatter("%(name)s %(levelname)s %(message)s")
_MORE = ("requests", "s3transfer", "urllib3")


@dataclass(slots=True)
class CapturedLogs:
    """What was logged, line by line."""

    written: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    """Levels and texts."""
    complained: list[str] = field(default_factory=list[str])
    events: list[Any] = field(default_factory=list[Any])

    def lines(self) -> Iterator[str]:
        """Each with its values and its traceback, as a handler would write it."""
        yield from (text for _, text in self.written)
        yield from map(repr, self.events)

    def forget_debug(self) -> None:
        """For tests whose servers send what a client then shows in its DEBUG lines, whatever it is."""
        self.written = [(level, text) for level, text in self.written if level > logging.DEBUG]

    def complaints(self) -> list[str]:
        """What asyncio complains of: tasks whose error nobody took, connections that nobody closed."""
        return self.complained


class _Keep(logging.Handler):
    def __init__(self, heard: CapturedLogs) -> None:
        super().__init__(logging.DEBUG)
        self._heard = heard

    def emit(self, record: logging.LogRecord) -> None:
        self._heard.written.append((record.levelno, f"{_WRITER.format(record)} {record.args!r}"))
        if record.name.startswith(("asyncio", "aiohttp")) and record.levelno >= logging.ERROR:
            self._heard.complained.append(record.getMessage())


def _as_text(record: logging.LogRecord) -> logging.LogRecord:
    """A record that refers to nothing: what it is about, such as a connection, would live as long as any handler's."""
    told = record.getMessage()
    record.msg, record.args = f"{told} {record.args!r}" if record.args else told, ()
    if record.exc_info:
        record.exc_text, record.exc_info = _WRITER.formatException(record.exc_info), None
    return record


@contextmanager
def captured_logs() -> Generator[CapturedLogs]:
    """While it is open, everything that is logged is heard."""
    heard = CapturedLogs()
    root = logging.getLogger()
    loggers = [root, *map(logging.getLogger, (*_TALKATIVE, *_MORE))]
    levels = [logger.level for logger in loggers]
    keep = _Keep(heard)
    root.addHandler(keep)
    make = logging.getLogRecordFactory()
    with contextlib.ExitStack() as later:
        later.callback(logging.setLogRecordFactory, make)
        logging.setLogRecordFactory(lambda *args, **more: _as_text(make(*args, **more)))
        later.callback(root.removeHandler, keep)
        for logger, level in zip(loggers, levels, strict=True):
            later.callback(logger.setLevel, level)
            logger.setLevel(logging.DEBUG)
        heard.events = later.enter_context(capture_logs())
        yield heard
