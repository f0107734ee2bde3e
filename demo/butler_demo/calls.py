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
from butler_demo.events import Called, Door
from butler_demo.google.call import CallRecord as GoogleCall
from butler_demo.livekit.server import CallRecord as RoomCall
from butler_demo.mailbox.records import SentMail
from butler_demo.mtproto.records import Call as RpcCall
from butler_demo.queries import CallRecord as QueryCall
from butler_demo.trello.dispatch import CallRecord as TrelloCall

_LOOK_EVERY_S = 0.2
_LONGEST_VALUE = 48
_BOT_ARGUMENTS = ("chat_id", "message_id", "text", "caption", "action", "offset", "timeout", "limit", "file_id")
_GOOGLE = {
    "gmail": (Door.GMAIL, ("q", "id", "format", "labelIds", "maxResults", "pageToken", "startHistoryId")),
    "drive": (Door.DRIVE, ("q", "fileId", "mimeType", "alt", "corpora", "driveId", "pageSize", "pageToken")),
    "calendar": (Door.CALENDAR, ("calendarId", "eventId", "q", "timeMin", "timeMax", "pageToken")),
}
_TRELLO_ARGUMENTS = ("query", "idList", "closed", "limit", "before")
_ROOM_ARGUMENTS = ("name", "room")
_QUERY_ARGUMENTS = ("query", "step", "limit")
T = TypeVar("T")
_IDLING = b"+ idling\r\n"
_LOGGED_IN = re.compile(rb"\S+ OK [^\r\n]*\bLogged in\r\n")
_REFUSED = re.compile(rb"(?![*+])\S+ (?:NO|BAD) ([^\r\n]*)\r\n")
_ABOUT_MAIL = re.compile(rb"\* (\d+) (EXISTS|EXPUNGE|FETCH)\b")
_FOUND = re.compile(rb"\* SEARCH([ \d]*)\r\n")


class Watched(Generic[T]):
    """Calls of one stand-in that were not looked at before. What it records may be dropped at its beginning."""

    def __init__(self, calls: Callable[[], Sequence[T]], told: Callable[[T, datetime], Called]) -> None:
        """`calls` gives what is recorded now, `told` says a call as an event."""
        self._calls = calls
        self._told = told
        self._last: T | None = None

    def take(self, now: datetime) -> list[Called]:
        """Return what came since the last look."""
        newest_first = list(takewhile(lambda call: call is not self._last, reversed(self._calls())))
        self._last = newest_first[0] if newest_first else self._last
        return [self._told(call, now) for call in reversed(newest_first)]


class CallWatch:
    """Reads the stand-ins' records of calls a few times a second and publishes each once, in order of time."""

    def __init__(
        self, watched: Sequence[Watched[Any]], now: Callable[[], datetime], publish: Callable[[Called], None]
    ) -> None:
        self.idling = asyncio.Event()
        """Set once the daemon waits for news of the butler's mailbox."""
        self._watched = watched
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
        fresh = [call for watched in self._watched for call in watched.take(now)]
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


def short(value: object) -> str:
    """A value on one line, cut where it is long."""
    text = " ".join(str(value).split())
    return text if len(text) <= _LONGEST_VALUE else f"{text[: _LONGEST_VALUE - 1]}…"


def bot_call(call: BotCall, now: datetime) -> Called:
    """A call of the Bot API."""
    detail = _arguments(call.params, _BOT_ARGUMENTS)
    at = datetime.fromtimestamp(call.at, tz=now.tzinfo)
    return Called(at, Door.BOT_API, call.method, detail, call.error or "")


def rpc_call(call: RpcCall, _now: datetime) -> Called:
    """A call over MTProto."""
    error = call.error or ("" if call.answered else "no answer, by order")
    return Called(call.at, Door.MTPROTO, call.method, "", error)


def google_call(call: GoogleCall, now: datetime) -> Called:
    """A call of one of Google's APIs, which its operation names first."""
    api, _, operation = call.operation.partition(".")
    door, arguments = _GOOGLE[api]
    return Called(now, door, operation.removeprefix("users."), _arguments(call.params, arguments))


def trello_call(call: TrelloCall, _now: datetime) -> Called:
    """A call of Trello."""
    where = " ".join(f"{name}={short(value)}" for name, value in call.path.items())
    told = f"{where} {_arguments(call.parameters, _TRELLO_ARGUMENTS)}".strip()
    return Called(call.at, Door.TRELLO, call.operation, told)


def room_call(call: RoomCall, _now: datetime) -> Called:
    """A call of LiveKit."""
    asked = {name: getattr(call.request, name, "") for name in _ROOM_ARGUMENTS}
    return Called(call.at, Door.LIVEKIT, call.method, _arguments(asked, _ROOM_ARGUMENTS))


def query_call(call: QueryCall, _now: datetime) -> Called:
    """A query of Loki or Prometheus."""
    door = Door.LOKI if call.path.startswith("/loki/") else Door.PROMETHEUS
    path = call.path.removeprefix("/loki").removeprefix("/api/v1/")
    return Called(call.at, door, path, _arguments(call.parameters, _QUERY_ARGUMENTS), short(call.error))


def _arguments(params: Mapping[str, Any], named: Iterable[str]) -> str:
    told = ((name, params[name]) for name in named if params.get(name) not in {None, "", ()})
    return " ".join(f"{name}={short(value)}" for name, value in told)
