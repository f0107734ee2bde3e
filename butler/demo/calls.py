"""What happens underneath: the daemon's calls over each protocol as short lines, with secrets left out.

Only arguments named here are told; buttons' data, tokens and keys never are.
"""

import asyncio
import re
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from itertools import takewhile
from typing import Any

from butler.demo.botapi.records import Call as BotCall
from butler.demo.botapi.server import BotApiServer
from butler.demo.calendar.server import CalendarServer
from butler.demo.drive.server import DriveServer
from butler.demo.events import Called, Door
from butler.demo.gmail.server import GmailServer
from butler.demo.google.call import CallRecord as GoogleCall
from butler.demo.mailbox.records import SentMail
from butler.demo.mtproto.datacentre import DataCentre
from butler.demo.mtproto.records import Call as RpcCall
from butler.demo.trello.call import CallRecord as TrelloCall
from butler.demo.trello.server import TrelloServer

_LOOK_EVERY_S = 0.2
_LONGEST_VALUE = 48
_BOT_ARGUMENTS = ("chat_id", "message_id", "text", "caption", "action", "offset", "timeout", "limit", "file_id")
_GMAIL_ARGUMENTS = ("q", "id", "format", "labelIds", "maxResults", "pageToken", "startHistoryId")
_DRIVE_ARGUMENTS = ("q", "fileId", "mimeType", "alt", "corpora", "driveId", "pageSize", "pageToken")
_CALENDAR_ARGUMENTS = ("calendarId", "eventId", "q", "timeMin", "timeMax", "pageToken")
_TRELLO_ARGUMENTS = ("query", "idList", "closed", "limit", "before")
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
        now: Callable[[], datetime],
        publish: Callable[[Called], None],
    ) -> None:
        self.idling = asyncio.Event()
        """Set once the daemon waits for news of the butler's mailbox."""
        self._bot_api = bot_api
        self._centre = centre
        self._gmail, self._drive, self._calendar, self._trello = gmail, drive, calendar, trello
        self._now = now
        self._publish = publish
        self._last_bot_call: BotCall | None = None
        self._rpc_calls = self._gmail_calls = self._drive_calls = self._calendar_calls = 0
        self._last_trello_call: TrelloCall | None = None

    async def run(self) -> None:
        """Watch until cancelled."""
        while True:
            self.look()
            await asyncio.sleep(_LOOK_EVERY_S)

    def look(self) -> None:
        """Publish the calls since the last look."""
        newest_first = reversed(self._bot_api.calls)
        bot_calls = list(takewhile(lambda call: call is not self._last_bot_call, newest_first))
        self._last_bot_call = bot_calls[0] if bot_calls else self._last_bot_call
        rpc_calls, gmail_calls, drive_calls = self._centre.calls, self._gmail.calls, self._drive.calls
        calendar_calls, last = self._calendar.calls, self._last_trello_call
        trello_calls = list(takewhile(lambda call: call is not last, reversed(self._trello.calls)))
        self._last_trello_call = trello_calls[0] if trello_calls else last
        fresh = [
            *(_bot_call(call, self._now()) for call in reversed(bot_calls)),
            *(_rpc_call(call) for call in rpc_calls[self._rpc_calls :]),
            *(_gmail_call(call, self._now()) for call in gmail_calls[self._gmail_calls :]),
            *(_drive_call(call, self._now()) for call in drive_calls[self._drive_calls :]),
            *(_calendar_call(call, self._now()) for call in calendar_calls[self._calendar_calls :]),
            *(_trello_call(call) for call in reversed(trello_calls)),
        ]
        self._rpc_calls, self._gmail_calls, self._drive_calls = len(rpc_calls), len(gmail_calls), len(drive_calls)
        self._calendar_calls = len(calendar_calls)
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


def _arguments(params: Mapping[str, Any], named: Iterable[str]) -> str:
    told = ((name, params[name]) for name in named if params.get(name) not in {None, "", ()})
    return " ".join(f"{name}={short(value)}" for name, value in told)
