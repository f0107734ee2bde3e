"""Plays a script against the world and its daemon, and stops at the first step that does not hold."""

import asyncio
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from butler_demo.botapi.errors import PersonError
from butler_demo.buttons import ButtonIndex, Shown
from butler_demo.daemon import Daemon, DaemonError
from butler_demo.effects import SentMail, SentTelegram, holds_all
from butler_demo.events import ChatChanged, ClockTurned, DaemonChanged, Event, TelegramChanged, Toasted
from butler_demo.mails import Enclosure
from butler_demo.people import OWNER_ID
from butler_demo.script import (
    Advance,
    Expect,
    ExpectBot,
    ExpectMail,
    ExpectNothing,
    ExpectPending,
    ExpectSent,
    ExpectStanding,
    Kill,
    Line,
    MailForward,
    MailFrom,
    MailRaw,
    MailReply,
    Reply,
    Say,
    Start,
    Step,
    Tap,
    Telegram,
    Which,
    Written,
)
from butler_demo.transcript import Transcript
from butler_demo.world import World

T = TypeVar("T")
_LOOK_EVERY_S = 0.05
_DOUBLES_WITHIN_S = 1.0
_BUTTON_WITHIN_S = 60.0
_CLOCK_SEEN_AFTER_S = 0.3


class Mismatch(Exception):
    """A step does not hold; the message says what there was instead."""


@dataclass(frozen=True, slots=True)
class _Counts:
    """How much there was at a moment."""

    said: int = 0
    telegrams: int = 0
    mails: int = 0


class Player:
    """One playing of one script."""

    def __init__(self, world: World, daemon: Daemon, transcript: Transcript) -> None:
        self._world = world
        self._daemon = daemon
        self._transcript = transcript
        self._buttons = ButtonIndex()
        self._bot_said: list[ChatChanged | Toasted] = []
        self._last_tap: Shown | None = None
        self._told_telegrams = self._told_mails = 0
        # `expect bot` looks at what came since the first act after the last expectation that held,
        # `expect nothing` at what came since the last act or expectation.
        self._since = self._quiet_since = _Counts()
        self._may_move = True

    async def play(self, lines: Sequence[Line]) -> bool:
        """Play the steps; True when all of them hold."""
        started = asyncio.get_running_loop().time()
        with self.listening():
            if not await self.go_on(lines):
                return False
        self._transcript.all_held(len(lines), asyncio.get_running_loop().time() - started)
        return True

    @contextmanager
    def listening(self) -> Generator[None]:
        """Hear what happens meanwhile, also between steps that are played one after another with `go_on`."""
        unsubscribe = self._world.stream.subscribe(self._on_event)
        try:
            yield
        finally:
            unsubscribe()

    async def go_on(self, lines: Sequence[Line]) -> bool:
        """Play further steps while `listening`; True when all of them hold."""
        for line in lines:
            self._transcript.step(line.number, line.text)
            try:
                await self._perform(line.step)
            except (Mismatch, PersonError, DaemonError) as problem:
                self._transcript.mismatch(line.number, line.text, str(problem))
                return False
        return True

    async def _perform(self, step: Step) -> None:
        if isinstance(step, Expect):
            await self._expect(step)
            self._may_move = True
            self._quiet_since = self._counts()
            return
        if self._may_move:
            self._since = self._counts()
            self._may_move = False
        self._quiet_since = self._counts()
        await self._act(step)

    # Acts

    async def _act(self, step: Step) -> None:
        match step:
            case Say(text, None):
                self._world.say(text)
            case Say(text, Path() as path):
                self._world.send_file(path.name, path.read_bytes(), text)
            case Reply():
                await self._reply(step)
            case Tap():
                await self._tap(step)
            case MailFrom() | MailForward() | MailRaw() | MailReply():
                self._mail(step)
            case Written() | Telegram():
                await self._telegram(step)
            case Kill():
                await self._daemon.kill()
            case Start():
                await self._daemon.start()
            case Advance(by):
                self._world.advance(by)
                await asyncio.sleep(_CLOCK_SEEN_AFTER_S)
            case _:
                raise AssertionError(f"{step} is no act")

    async def _reply(self, reply: Reply) -> None:
        if reply.to:
            missing = f"no message of the bot holds “{reply.to}”"
            message_id = await self._until(lambda: self._newest_with(reply.to), missing)
        else:
            message_id = await self._until(lambda: self._buttons.newest_card, "there is no card")
        self._world.say(reply.text, reply_to=message_id)

    def _newest_with(self, words: str) -> int | None:
        holding = (
            said.message_id
            for said in reversed(self._bot_said)
            if isinstance(said, ChatChanged) and said.chat_id == OWNER_ID and holds_all(text_of(said), (words,))
        )
        return next(holding, None)

    async def _telegram(self, step: Written | Telegram) -> None:
        match step:
            case Written(name, text, group):
                if why_not := self._world.write_to_owner(name, text, group):
                    raise Mismatch(why_not)
            case Telegram(up):
                await (self._world.bot_api.come_back() if up else self._world.bot_api.go_offline())

    def _mail(self, step: MailFrom | MailForward | MailRaw | MailReply) -> None:
        match step:
            case MailFrom(sender, subject, body, file, forged):
                files = () if file is None else (Enclosure(file.name, file.read_bytes()),)
                self._world.mail_butler(sender, subject, body, files, forged=forged)
                self._transcript.mailed_butler(f"somebody as {sender}" if forged else sender, subject)
            case MailForward(subject, words):
                found = self._world.own_mail(subject)
                if found is None:
                    raise Mismatch(f"no mail of the owner's has “{subject}” in its subject")
                self._world.forward_to_butler(found, words)
                self._transcript.mailed_butler("you", f"(a forward) {subject}")
            case MailRaw(path):
                self._world.mail_butler_raw(path.read_bytes())
                self._transcript.mailed_butler(path.name, "(as it is)")
            case MailReply(text, forged):
                if not self._world.answer_butler(text, forged=forged):
                    raise Mismatch("there is no mail of the butler's to its owner that could be answered so")
                self._transcript.mailed_butler("somebody else" if forged else "you", f"(a reply) {text}")

    async def _tap(self, tap: Tap) -> None:
        match tap.which:
            case Which.AGAIN:
                button = self._last_tap
                if button is None:
                    raise Mismatch("nothing was tapped yet")
            case Which.STALE:
                missing = f'no button "{tap.label}" was taken away or replaced'
                button = await self._until(lambda: self._buttons.stale(tap.label), missing)
            case Which.NEWEST:
                missing = f'no message has a button "{tap.label}"'
                button = await self._until(lambda: self._buttons.newest(tap.label), missing)
        self._transcript.tapped(button.label, tap.by)
        self._world.press(button.message_id, button.data, user_id=OWNER_ID if tap.by is None else tap.by)
        self._last_tap = button

    async def _until(self, find: Callable[[], T | None], missing: str) -> T:
        found = await self._wait(find, _BUTTON_WITHIN_S)
        if found is None:
            labels = ", ".join(self._buttons.standing_labels()) or "none"
            raise Mismatch(f"{missing}; buttons to tap: {labels}")
        return found

    # Expectations

    async def _expect(self, step: Expect) -> None:
        match step:
            case ExpectBot(words, within, photo):
                if await self._wait(lambda: self._bot_showed() if photo else self._bot_holds(words), within) is None:
                    raise Mismatch(self._instead("the bot's messages since then", self._bot_texts()))
            case ExpectSent(words, within):
                await self._exactly_once(lambda: self._telegrams_with(words), self._world.sent_telegrams, within)
            case ExpectMail(address, words, within):
                await self._exactly_once(
                    lambda: [mail for mail in self._world.sent_mails() if mail.is_for(address) and mail.holds(words)],
                    self._world.sent_mails,
                    within,
                )
            case ExpectStanding(kind, words, within):
                lines = {"event": self._world.events, "card": self._world.cards}[kind]
                await self._stands(lines, words, within)
            case ExpectNothing(within):
                if await self._wait(self._news, within) is not None:
                    raise Mismatch(self._instead("there was news", self._news() or []))
            case ExpectPending(count, within):
                if await self._wait(lambda: self._daemon.pending_approvals() == count or None, within) is None:
                    raise Mismatch(f"{self._daemon.pending_approvals()} approvals are pending")

    async def _stands(self, everything: Callable[[], list[str]], words: tuple[str, ...], within: float) -> None:
        def matches() -> list[str]:
            return [line for line in everything() if holds_all(line, words)]

        if await self._wait(lambda: matches() if len(matches()) == 1 else None, within) is None:
            raise Mismatch(self._instead(f"{len(matches())} hold these words; there are", everything()))

    async def _exactly_once(
        self,
        matches: Callable[[], Sequence[SentTelegram | SentMail]],
        everything: Callable[[], Sequence[SentTelegram | SentMail]],
        within: float,
    ) -> None:
        if await self._wait(lambda: matches() or None, within) is None:
            raise Mismatch(self._instead("in the provider's record", [str(sent) for sent in everything()]))
        if await self._wait(lambda: len(matches()) > 1 or None, _DOUBLES_WITHIN_S) is not None:
            raise Mismatch(self._instead("sent more than once", [str(sent) for sent in matches()]))

    def _bot_holds(self, words: tuple[str, ...]) -> bool | None:
        return any(holds_all(text, words) for text in self._bot_texts()) or None

    def _bot_showed(self) -> bool | None:
        since = self._bot_said[self._since.said :]
        return any(isinstance(said, ChatChanged) and said.is_new and said.picture for said in since) or None

    def _bot_texts(self) -> list[str]:
        return [text_of(said) for said in self._bot_said[self._since.said :]]

    def _telegrams_with(self, words: tuple[str, ...]) -> list[SentTelegram]:
        return [sent for sent in self._world.sent_telegrams() if sent.holds(words)]

    def _news(self) -> list[str] | None:
        quiet = self._quiet_since
        news = [
            *(f"bot: {text_of(said)}" for said in self._bot_said[quiet.said :] if _is_new_message(said)),
            *(f"sent {sent}" for sent in self._world.sent_telegrams()[quiet.telegrams :]),
            *(f"mail {sent}" for sent in self._world.sent_mails()[quiet.mails :]),
        ]
        return news or None

    async def _wait(self, find: Callable[[], T | None], within: float) -> T | None:
        """What `find` gives as soon as it is not None; None after `within` seconds."""
        deadline = asyncio.get_running_loop().time() + within
        while (found := find()) is None and asyncio.get_running_loop().time() < deadline:  # noqa: ASYNC110 - rows tell nobody
            await asyncio.sleep(_LOOK_EVERY_S)
        return found

    def _instead(self, head: str, texts: Sequence[str]) -> str:
        shown = "\n".join(f"  - {' '.join(text.split())}" for text in texts) or "  nothing"
        ended = "" if self._daemon.is_running else f"\nthe daemon is not running; its log:\n{self._daemon.log_tail()}"
        return f"{head}:\n{shown}{ended}"

    # What is heard

    def _on_event(self, event: Event) -> None:
        match event:
            case ChatChanged(chat_id=chat_id):
                if event.by_bot:
                    self._bot_said.append(event)
                    if chat_id == OWNER_ID:
                        self._buttons.note(event)
                self._transcript.chat(event)
            case Toasted():
                self._bot_said.append(event)
                self._transcript.toast(event)
            case TelegramChanged(outgoing=True):
                self._tell_effects()
            case DaemonChanged():
                self._transcript.daemon(event)
            case ClockTurned(ahead_s):
                self._transcript.clock(ahead_s)
            case _:
                self._tell_effects()

    def _tell_effects(self) -> None:
        telegrams, mails = self._world.sent_telegrams(), self._world.sent_mails()
        for telegram in telegrams[self._told_telegrams :]:
            self._transcript.telegram(telegram)
        for mail in mails[self._told_mails :]:
            self._transcript.mail(mail)
        self._told_telegrams, self._told_mails = len(telegrams), len(mails)

    def _counts(self) -> _Counts:
        return _Counts(len(self._bot_said), len(self._world.sent_telegrams()), len(self._world.sent_mails()))


def text_of(said: ChatChanged | Toasted) -> str:
    """All that a person reads of it, buttons included."""
    if isinstance(said, Toasted):
        return said.text
    labels = " ".join(f"[{button.label}]" for row in said.buttons for button in row)
    return "\n".join(part for part in (said.file, said.text, labels) if part)


def _is_new_message(said: ChatChanged | Toasted) -> bool:
    return isinstance(said, ChatChanged) and said.is_new
