"""What happens underneath: the daemon's calls over each protocol as short lines, with secrets left out.

Only arguments named here are told; buttons' data, tokens and keys never are.
"""

import asyncio
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from itertools import takewhile
from typing import Any, Generic, TypeVar

from butler_demo.botapi.records import Call as BotCall
from butler_demo.botapi.server import BotApiServer
from butler_demo.calendar.server import CalendarServer
from butler_demo.drive.server import DriveServer
from butler_demo.events import Called, Door
from butler_demo.gmail.server import GmailServer
from butler_demo.google.call import CallRecord as GoogleCall
from butler_demo.livekit.server import CallRecord as RoomCall
from butler_demo.livekit.server import LiveKitServer
from butler_demo.loki.server import LokiServer
from butler_demo.mailbox.records import SentMail
from butler_demo.mtproto.datacentre import DataCentre
from butler_demo.mtproto.records import Call as RpcCall
from butler_demo.prometheus.server import PrometheusServer
from butler_demo.queries import CallRecord as QueryCall
from butler_demo.trello.dispatch import CallRecord as TrelloCall
from butler_demo.trello.server import TrelloServer

_LOOK_EVERY_S = 0.2
_LONGEST_VALUE = 48
_BOT_ARGUMENTS = ("chat_id", "message_id", "text", "caption", "action", "offset", "timeout", "limit", "file_id")
_GMAIL_ARGUMENTS = ("q", "id", "format", "labelIds", "maxResults", "pageToken", "startHistoryId")
_DRIVE_ARGUMENTS = ("q", "fileId", "mimeType", "alt", "corpora", "driveId", "pageSize", "pageToken")
_CALENDAR_ARGUMENTS = ("calendarId", "eventId", "q", "timeMin", "timeMax", "pageToken")
_TRELLO_ARGUMENTS = ("query", "idList", "closed", "limit", "before")
_ROOM_ARGUMENTS = ("name", "room")
_METRIC_ARGUMENTS = ("query", "step")
_LOG_ARGUMENTS = ("query", "limit")
T = TypeVar("T")
_IDLING = b"+ idling\r\n"
_LOGGED_IN = re.compile(rb"\S+ OK [^\r\n]*\bLogged in\r\n")
_REFUSED = re.compile(rb"(?![*+])\S+ (?:NO|BAD) ([^\r\n]*)\r\n")
_ABOUT_MAIL = re.compile(rb"\* (\d+) (EXISTS|EXPUNGE|FETCH)\b")
_FOUND = re.compile(rb"\* SEARCH([ \d]*)\r\n")


class CallWatch:
    """Reads the stand-ins' records of calls a few times a second and publishes each once, in order of time."""

    def __init__(
        self,
        bot_api: BotApiServer,
        centre: DataCentre,
        gmail: GmailServer,
        drive: DriveServer,
        calendar: CalendarServer,
        trello: TrelloServer,
        livekit: LiveKitServer,
        prometheus: PrometheusServer,
        loki: LokiServer,
        now: Callable[[], datetime],
        publish: Callable[[Called], None],
    ) -> None:
        self.idling = asyncio.Event()
        """Set once the daemon waits for news of the butler's mailbox."""
        self._bot_calls = _Fresh[BotCall](lambda: bot_api.calls)
        self._rpc_calls = _Fresh[RpcCall](lambda: centre.calls)
        self._gmail_calls = _Fresh[GoogleCall](lambda: gmail.calls)
        self._drive_calls = _Fresh[GoogleCall](lambda: drive.calls)
        self._calendar_calls = _Fresh[GoogleCall](lambda: calendar.calls)
        self._trello_calls = _Fresh[TrelloCall](lambda: trello.calls)
        self._room_calls = _Fresh[RoomCall](lambda: livekit.calls)
        self._metric_calls = _Fresh[QueryCall](lambda: prometheus.calls)
        self._log_calls = _Fresh[QueryCall](lambda: loki.calls)
        self._now = now
        self._publish = publish

    async def run(self) -> None:
        """Watch until cancelled."""
        while True:
            self.look()
            await asyncio.sleep(_LOOK_EVERY_S)

    def look(self) -> None:
        """Publish the calls since the last look."""
        now = self._now()
        fresh = [
            *(_bot_call(call, now) for call in self._bot_calls.take()),
            *(_rpc_call(call) for call in self._rpc_calls.take()),
            *(_gmail_call(call, now) for call in self._gmail_calls.take()),
            *(_drive_call(call, now) for call in self._drive_calls.take()),
            *(_calendar_call(call, now) for call in self._calendar_calls.take()),
            *(_trello_call(call) for call in self._trello_calls.take()),
            *(_room_call(call) for call in self._room_calls.take()),
            *(_metric_call(call) for call in self._metric_calls.take()),
            *(_log_call(call) for call in self._log_calls.take()),
        ]
        for call in sorted(fresh, key=lambda call: call.at):
            self._publish(call)

    def on_imap_answer(self, answer: bytes) -> bytes:
        """Listen to one answer of the IMAP server; returned as it is."""
        if answer == _IDLING:
            self.idling.set()
            self._tell_imap("IDLE", "waits for news")
        elif _LOGGED_IN.fullmatch(answer):
            self._tell_imap("LOGIN")
        elif told := _ABOUT_MAIL.match(answer):
            number, what = told[1].decode("ascii"), told[2].decode("ascii")
            self._tell_imap(what, f"{number} in the folder" if what == "EXISTS" else f"message {number}")
        elif found := _FOUND.fullmatch(answer):
            self._tell_imap("SEARCH", f"found {short(found[1].decode('ascii')) or 'nothing'}")
        elif refused := _REFUSED.fullmatch(answer):
            self._tell_imap("refused", error=short(refused[1].decode("utf-8", "replace")))
        return answer

    def on_submission(self, mail: SentMail) -> None:
        """Tell of a mail that came in over SMTP."""
        detail = f"{mail.mail_from} → {', '.join(mail.rcpt_tos)}: {short(mail.field('Subject'))}"
        self._publish(Called(self._now(), Door.SMTP, "DATA", detail))

    def _tell_imap(self, call: str, detail: str = "", error: str = "") -> None:
        self._publish(Called(self._now(), Door.IMAP, call, detail, error))


class _Fresh(Generic[T]):
    """Calls of one stand-in that were not looked at before. What it records may be dropped at its beginning."""

    def __init__(self, calls: Callable[[], Sequence[T]]) -> None:
        self._calls = calls
        self._last: T | None = None

    def take(self) -> list[T]:
        newest_first = list(takewhile(lambda call: call is not self._last, reversed(self._calls())))
        self._last = newest_first[0] if newest_first else self._last
        return newest_first[::-1]


def short(value: object) -> str:
    """A value on one line, cut where it is long."""
    text = " ".join(str(value).split())
    return text if len(text) <= _LONGEST_VALUE else f"{text[: _LONGEST_VALUE - 1]}…"


def _bot_call(call: BotCall, now: datetime) -> Called:
    detail = _arguments(call.params, _BOT_ARGUMENTS)
    at = datetime.fromtimestamp(call.at, tz=now.tzinfo)
    return Called(at, Door.BOT_API, call.method, detail, call.error or "")


def _rpc_call(call: RpcCall) -> Called:
    error = call.error or ("" if call.answered else "no answer, by order")
    return Called(call.at, Door.MTPROTO, call.method, "", error)


def _gmail_call(call: GoogleCall, now: datetime) -> Called:
    operation = call.operation.removeprefix("gmail.users.")
    return Called(now, Door.GMAIL, operation, _arguments(call.params, _GMAIL_ARGUMENTS))


def _drive_call(call: GoogleCall, now: datetime) -> Called:
    operation = call.operation.removeprefix("drive.")
    return Called(now, Door.DRIVE, operation, _arguments(call.params, _DRIVE_ARGUMENTS))


def _calendar_call(call: GoogleCall, now: datetime) -> Called:
    operation = call.operation.removeprefix("calendar.")
    return Called(now, Door.CALENDAR, operation, _arguments(call.params, _CALENDAR_ARGUMENTS))


def _trello_call(call: TrelloCall) -> Called:
    where = " ".join(f"{name}={short(value)}" for name, value in call.path.items())
    told = f"{where} {_arguments(call.parameters, _TRELLO_ARGUMENTS)}".strip()
    return Called(call.at, Door.TRELLO, call.operation, told)


def _room_call(call: RoomCall) -> Called:
    asked = {name: getattr(call.request, name, "") for name in _ROOM_ARGUMENTS}
    return Called(call.at, Door.LIVEKIT, call.method, _arguments(asked, _ROOM_ARGUMENTS))


def _metric_call(call: QueryCall) -> Called:
    path = call.path.removeprefix("/api/v1/")
    return Called(call.at, Door.PROMETHEUS, path, _arguments(call.parameters, _METRIC_ARGUMENTS), short(call.error))


def _log_call(call: QueryCall) -> Called:
    path = call.path.removeprefix("/loki/api/v1/")
    return Called(call.at, Door.LOKI, path, _arguments(call.parameters, _LOG_ARGUMENTS), short(call.error))


def _arguments(params: Mapping[str, Any], named: Iterable[str]) -> str:
    told = ((name, params[name]) for name in named if params.get(name) not in {None, "", ()})
    return " ".join(f"{name}={short(value)}" for name, value in told)
