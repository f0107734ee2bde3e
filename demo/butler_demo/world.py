"""The demo's world: the stand-in servers on loopback, the mail between them, and the people who use them."""

import asyncio
import contextlib
import re
import secrets
from datetime import timedelta
from pathlib import Path

from butler_demo.account_lines import card_lines, event_line
from butler_demo.botapi.server import BotApiServer
from butler_demo.calendar.server import CalendarServer
from butler_demo.calls import CallWatch, Watched, bot_call, google_call, query_call, room_call, rpc_call, trello_call
from butler_demo.clock import MasterClock, local_zone
from butler_demo.drive.server import DriveServer
from butler_demo.effects import SentMail, SentTelegram
from butler_demo.events import Box, ClockTurned, Stream
from butler_demo.gmail.mime import read_mail
from butler_demo.gmail.server import GmailServer
from butler_demo.livekit.server import LiveKitServer
from butler_demo.loki import nuc as nuc_logs
from butler_demo.loki.server import LokiServer
from butler_demo.mailbox.records import SentMail as Submission
from butler_demo.mailbox.server import MailServer
from butler_demo.mailbox.stamps import pass_results, unknown_results
from butler_demo.mails import Enclosure, address_of, compose, enclosures_of, forward_body
from butler_demo.mtproto.datacentre import DataCentre
from butler_demo.mtproto.errors import RpcFault
from butler_demo.people import (
    BOARD_MEMBERS,
    BUTLER_ADDRESS,
    BUTLER_NAME,
    BUTLER_USERNAME,
    EVERYBODY,
    FRIENDS,
    GROUPS,
    OWNER,
    OWNER_ID,
    by_name,
    names_of_peer,
)
from butler_demo.prometheus import nuc
from butler_demo.prometheus.server import PrometheusServer
from butler_demo.seed import fill
from butler_demo.signing import sign
from butler_demo.trello.server import TrelloServer
from butler_demo.world_events import WorldEvents

AUTHSERV_ID = "mx.home.example"


class World:
    """Everything outside of the daemon. `folder` takes the few files that the daemon has to read."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.clock = MasterClock(folder / "clock")
        self.stream = Stream()
        self.bot_token = f"700000042:{secrets.token_urlsafe(26)}"
        self.mail_password = secrets.token_urlsafe(18)
        self.bot_api = BotApiServer(now=self.clock.timestamp)
        self.centre = DataCentre(now=self.clock.now)
        self.gmail = GmailServer(now=self.clock.now, on_outgoing=self._from_gmail)
        self.drive = DriveServer(now=self.clock.now)
        self.calendar = CalendarServer(now=self.clock.now)
        self.trello = TrelloServer(now=self.clock.now)
        self.mail = MailServer(now=self.clock.now, authserv_id=AUTHSERV_ID)
        self.livekit = LiveKitServer(now=self.clock.now)
        self.prometheus = PrometheusServer(now=self.clock.now)
        self.loki = LokiServer(now=self.clock.now)
        self._servers = (
            *(self.bot_api, self.centre, self.gmail, self.drive, self.calendar, self.trello, self.mail),
            *(self.livekit, self.prometheus, self.loki),
        )
        self.calls = CallWatch(
            (
                Watched(lambda: self.bot_api.calls, bot_call),
                Watched(lambda: self.centre.calls, rpc_call),
                Watched(lambda: self.gmail.calls, google_call),
                Watched(lambda: self.drive.calls, google_call),
                Watched(lambda: self.calendar.calls, google_call),
                Watched(lambda: self.trello.calls, trello_call),
                Watched(lambda: self.livekit.calls, room_call),
                Watched(lambda: self.prometheus.calls, query_call),
                Watched(lambda: self.loki.calls, query_call),
            ),
            self.clock.now,
            self.stream.publish,
        )
        self.tidings = WorldEvents(self)
        self.boards: dict[str, str] = {}
        """The ids of the owner's boards by name, once they are open."""
        self._watch: asyncio.Task[None] | None = None
        self._seeded_messages = 0

    # Life

    async def start(self) -> None:
        """Start the servers on free ports, and fill them with people, chats and mails."""
        for server in self._servers:
            await server.start()
        self.mail.on_outgoing = self._from_butler
        self._settle()
        fill(self)
        self._seeded_messages = len(self.centre.sent_by(OWNER_ID))
        self.mail.rewrite_imap = self.calls.on_imap_answer
        self.tidings.begin()
        self._watch = asyncio.create_task(self.calls.run())

    async def stop(self) -> None:
        """Stop the servers; what they recorded can still be read."""
        if self._watch is not None:
            self._watch.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._watch
            self._watch = None
        for server in self._servers:
            await server.stop()

    def advance(self, by: timedelta) -> None:
        """Turn the clock of the world and of the daemon forward."""
        self.clock.advance(by)
        self.stream.publish(ClockTurned(self.clock.offset.total_seconds()))

    # What the person does

    def say(self, text: str, *, reply_to: int | None = None) -> int:
        """The owner's message to the bot; its id. Raises PersonError for what Telegram's app would not send."""
        message = self.bot_api.say(self.bot_token, OWNER_ID, text, reply_to=reply_to)
        return message["message_id"]

    def send_file(self, name: str, content: bytes, words: str = "") -> int:
        """A file from the owner to the bot, with or without words; a picture goes as a photo. The message's id."""
        kind = "photo" if name.lower().endswith((".png", ".jpg", ".jpeg")) else "document"
        message = self.bot_api.send_file(self.bot_token, OWNER_ID, name, content, kind=kind, caption=words)
        return message["message_id"]

    def press(self, message_id: int, data: str, *, user_id: int = OWNER_ID) -> None:
        """A press of a button in the owner's chat with the bot, by the owner or by somebody else."""
        self.bot_api.press(self.bot_token, user_id, message_id, data, chat_id=OWNER_ID)

    def write_to_owner(self, name: str, text: str, group: str = "") -> str:
        """Somebody writes on Telegram to the owner, or in a group of theirs; why they cannot, or nothing."""
        person = by_name(name)
        if person is None or person.telegram_id is None:
            return f"nobody called {name} is on Telegram"
        there = next((one for one in GROUPS if one.name.casefold() == group.casefold()), None)
        if group and there is None:
            return f"the owner is in no group called {group}"
        if there is not None and person not in there.members:
            members = ", ".join(member.name for member in there.members)
            return f"{person.name} is no member of {there.name}: its members are {members}"
        try:
            self.centre.inject(person.telegram_id, -there.number if there else OWNER_ID, text)
        except RpcFault as fault:
            return f"Telegram refuses what {person.name} writes: {fault.message}"
        return ""

    def mail_butler(
        self,
        sender: str,
        subject: str,
        body: str,
        files: tuple[Enclosure, ...] = (),
        *,
        headers: tuple[tuple[str, str], ...] = (),
        forged: bool = False,
    ) -> None:
        """A mail to the butler, really by `sender`: its authentication passes. A forged one is somebody else's."""
        raw = compose(sender, BUTLER_ADDRESS, subject, body, self.clock.now(), files=files, headers=headers)
        if forged:
            self.mail_butler_raw(raw)
        else:
            self._deliver_to_butler(raw, address_of(sender))

    def answer_butler(self, text: str, *, forged: bool = False) -> bool:
        """The owner answers the butler's newest mail to them; CODE stands for its code. False when there is none.

        A forged answer is the same mail, sent by somebody else.
        """
        to_owner = [mail for mail in self.mail.outgoing if OWNER.email in mail.rcpt_tos]
        content = read_mail(to_owner[-1].raw) if to_owner else None
        code = re.search(r"^no (\S+)\s*$", content.text, re.MULTILINE) if content else None
        if content is None or ("CODE" in text and code is None):
            return False
        words = text.replace("CODE", code[1]) if code else text
        quoted = "\n".join(f"> {line}" for line in content.text.splitlines())
        headers = (("In-Reply-To", content.header("Message-ID")),)
        subject, sender = f"Re: {content.subject}", f"{OWNER.name} <{OWNER.email}>"
        body = f"{words}\n\nOn {content.header('Date')}, {content.header('From')} wrote:\n{quoted}"
        raw = compose(sender, BUTLER_ADDRESS, subject, body, self.clock.now(), headers=headers)
        if forged:
            self.mail_butler_raw(raw)
        else:
            self._deliver_to_butler(raw, OWNER.email)
        return True

    def mail_butler_raw(self, raw: bytes) -> None:
        """A mail to the butler exactly as given; nobody vouches for its sender."""
        sender = address_of(read_mail(raw).header("From"))
        self.mail.deliver(raw, sender, [BUTLER_ADDRESS], results=unknown_results(raw))

    def forward_to_butler(self, mail_id: str, words: str) -> None:
        """The owner forwards one of their own mails to the butler, with its files; KeyError without such a mail."""
        found = next((mail for mail in self.gmail.mailbox(OWNER.email) if mail.id == mail_id), None)
        if found is None:
            raise KeyError(mail_id)
        sender = f"{OWNER.name} <{OWNER.email}>"
        files, message_id = enclosures_of(found.raw), found.content.header("Message-ID")
        headers = (("In-Reply-To", message_id), ("References", message_id)) if message_id else ()
        subject, body = f"Fwd: {found.content.subject}", forward_body(words, found.raw)
        self.mail_butler(sender, subject, body, files, headers=headers)

    def own_mail(self, subject: str) -> str | None:
        """The id of the owner's newest mail by others with these words in its subject; case does not count."""
        for mail in self.gmail.mailbox(OWNER.email):
            by_others = address_of(mail.content.header("From")) not in {BUTLER_ADDRESS, OWNER.email}
            if subject.casefold() in mail.content.subject.casefold() and by_others:
                return mail.id
        return None

    # What left the house

    def sent_telegrams(self) -> list[SentTelegram]:
        """What left the person's own account since the world began, oldest first."""
        sent = self.centre.sent_by(OWNER_ID)[self._seeded_messages :]
        return [SentTelegram(names_of_peer(message.peer_id), message.text, message.date) for message in sent]

    def sent_mails(self) -> list[SentMail]:
        """What left the person's and the butler's mailbox, oldest first."""
        yours = [
            SentMail(Box.YOURS, mail.recipients, mail.message.content.subject, mail.message.content.text, mail.at)
            for mail in self.gmail.sent_by(OWNER.email)
        ]
        return sorted([*yours, *map(_butlers, self.mail.outgoing)], key=lambda mail: mail.at)

    # What stands in the house

    def events(self) -> list[str]:
        """What stands in the owner's first calendar, each in a line: title, start, end, place, guests."""
        return [event_line(one) for one in self.calendar.events(OWNER.email) if one["status"] != "cancelled"]

    def cards(self) -> list[str]:
        """The open cards of the owner's boards, each in a line: board, list, name, due date, labels."""
        return [line for name, board_id in self.boards.items() for line in card_lines(name, board_id, self.trello)]

    # Within

    def _settle(self) -> None:
        self.bot_api.add_bot(self.bot_token, BUTLER_USERNAME, BUTLER_NAME)
        for person in EVERYBODY:
            if person.telegram_id is not None:
                self.bot_api.add_person(person.telegram_id, person.name, person.username or None)
                username = person.username or None
                self.centre.add_account(person.telegram_id, person.phone, person.name, username=username)
        for friend in FRIENDS:
            if friend.telegram_id is not None:
                self.centre.befriend(OWNER_ID, friend.telegram_id)
                self.centre.befriend(friend.telegram_id, OWNER_ID)
        for group in GROUPS:
            ids = [member.telegram_id for member in group.members if member.telegram_id is not None]
            self.centre.add_group(group.number, group.name, ids[0], *ids[1:])
        self.gmail.add_account(OWNER.email, OWNER.name)
        self.drive.add_account(OWNER.email, OWNER.name)
        self.calendar.add_account(OWNER.email, OWNER.name, zone=local_zone())
        for person in (OWNER, *BOARD_MEMBERS):
            self.trello.add_member(person.username, person.name)
        self.mail.add_mailbox(BUTLER_ADDRESS, self.mail_password)
        backup_begun = self.clock.now() - nuc.BEGUN_BEFORE
        self.prometheus.add(nuc.gauges(backup_begun))
        self.loki.add(nuc_logs.streams(backup_begun))

    def _deliver_to_butler(self, raw: bytes, sender: str) -> None:
        domain = sender.rpartition("@")[2]
        self.mail.deliver(sign(raw, domain, self.clock.now()), sender, [BUTLER_ADDRESS], results=pass_results(domain))

    async def _from_gmail(self, raw: bytes, sender: str, recipients: tuple[str, ...]) -> None:
        if BUTLER_ADDRESS in recipients:
            self._deliver_to_butler(raw, sender)

    def _from_butler(self, mail: Submission) -> None:
        if OWNER.email in {recipient.lower() for recipient in mail.rcpt_tos}:
            self.gmail.deliver(OWNER.email, mail.raw)


def _butlers(mail: Submission) -> SentMail:
    content = read_mail(mail.raw)
    return SentMail(Box.BUTLER, mail.rcpt_tos, content.subject, content.text, mail.sent_at)
